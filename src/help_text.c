#include "help_text.h"

#include "render/bundle.h"

#include <string.h>

static const char options_help[] =
    "tracefolio - where does GPU time go, and what should we do first?\n"
    "\n"
    "  tracefolio analyze TRACE [-o DIR] [-p PLATFORM] [options]\n"
    "  tracefolio TRACE ...           the same\n"
    "  tracefolio platforms           devices with a roofline, and their figures\n"
    "  tracefolio patterns [--extension FILE]... [--trace TRACE]\n"
    "                                 the library of symptoms and advice; with a\n"
    "                                 trace how often each was seen, and how many\n"
    "                                 findings came of it; -p names the device\n"
    "  tracefolio themes [FOLDER]     colours and fonts of the site, checked\n"
    "  tracefolio verify FOLDER       whether a written folder is as it was written\n"
    "  tracefolio help [TOPIC] | --help | --version\n"
    "\n"
    "TRACE is a profiler trace as torch.profiler exports it (.json or .json.gz, told\n"
    "by content); - reads standard input. Without a trace or platform on a terminal\n"
    "it asks.\n"
    "\n"
    "Input\n"
    "  -p, --platform NAME    device (see `tracefolio platforms`), a JSON file of the\n"
    "                         same form, or none: no roofline\n"
    "      --peak-bw-tbs N    of a device without a file: memory bandwidth in TB/s,\n"
    "      --peak-tflops N    peak of 16-bit matrix products in TFLOPS,\n"
    "      --memory-gb N      memory in GB; -p says what to call it\n"
    "      --model NAME       what to call the model in the report\n"
    "      --node NODE        read TRACE on another machine, streamed through ssh\n"
    "      --container NAME   in this container there (docker exec)\n"
    "      --include-unlinked count device work whose launch call is not in the trace\n"
    "      --detect-recompute tell activation recomputation apart in the tables\n"
    "\n"
    "Analysis\n"
    "      --extension FILE   a Lua file with performance models, categories and\n"
    "                         patterns; may be repeated\n"
    "      --idle-threshold PCT  idle time above this is a recommendation; by default\n"
    "                         above 50, or 30 where much of it can be saved\n"
    "      --system-impact range|none  what idle time, copies and communication may\n"
    "                         save, as a range (the default), or no figure\n"
    "      --replay LIST      operators to make replay packages for; auto (what the\n"
    "                         findings recommend) by default, none for none\n"
    "      --fail-on LEVEL    exit with 10 if a finding is at least critical, high or\n"
    "                         medium\n"
    "\n"
    "Output\n"
    "  -o, --output DIR       folder to write; analysis_output beside the trace\n"
    "      --formats LIST     site,md,csv,xlsx,json,png,replay,cuts; all of them by\n"
    "                         default\n"
    "      --theme NAME       colours and fonts of the site; a name or a folder\n"
    "      --single-file FILE the whole site as one HTML file too, to mail or upload\n"
    "      --single-file-limit MB  refuse above this; 25 by default\n"
    "      --embed-replay     replay packages in that file too\n"
    "      --fair-style standard|jarvis  headings of standalone_analysis_fair.md:\n"
    "                         by priority (the default), or by number\n"
    "      --no-markers       standalone_analysis.md without comments for programs\n"
    "      --emit-analysis-md the same report under the name analysis.md, too\n"
    "      --stamp            the date of the run at the end of the rough report\n"
    "  -f, --force            replace a folder that tracefolio did not write\n"
    "\n"
    "  -j, --jobs N           threads, 1 or 2\n"
    "  -q, --quiet            no progress\n"
    "  -v, --verbose          time and memory of each stage\n"
    "  -h, --help             this text\n"
    "\n"
    "Topics of help: patterns, how to write one; softmax_model.lua and\n"
    "residual_scale.lua, its examples; replay, what a replay package is.\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 wrong use, 3 the trace cannot be read,\n"
    "4 the output cannot be written, 10 written and a finding reached --fail-on.\n";

/* In a package the file below stands under a head of that package's own. */
static const char replay_head[] =
    "# Replay packages\n"
    "\n"
    "Each archive in replay_packages/ has the calls of one operation, described well\n"
    "enough to run them alone. This is what the README in it says.\n"
    "\n";

/* Commands that the text above is all there is to say of have no file. */
static const struct {
    const char *topic, *file, *head;
} topics[] = {{"patterns", "assets/patterns/README.md", ""},
              {"replay", "assets/replay/README.md", replay_head},
              {"softmax_model.lua", "assets/extensions/softmax_model.lua", ""},
              {"residual_scale.lua", "assets/extensions/residual_scale.lua", ""},
              {"analyze", NULL, ""},
              {"platforms", NULL, ""},
              {"themes", NULL, ""},
              {"verify", NULL, ""},
              {"help", NULL, ""}};

bool help_print(FILE *to, const char *topic, struct err *e)
{
    const char *head = "";
    struct str text = str_of(options_help);
    bool known = !topic;
    for (size_t k = 0; !known && k < sizeof topics / sizeof *topics; k++) {
        known = strcmp(topics[k].topic, topic) == 0;
        if (known && topics[k].file) {
            head = topics[k].head;
            text = bundle_file(str_of(topics[k].file));
        }
    }
    if (!known)
        return err_set(e, ERR_USAGE, NULL, -1,
                       "'%s' is no topic of help; `tracefolio help` lists them", topic);
    fputs(head, to);
    fwrite(text.p, 1, (size_t)text.n, to);
    return true;
}
