#include "help_text.h"

#include "base/unknown.h"
#include "render/text/bundle.h"

#include <string.h>

/* What templates/help.txt holds, one after the other, with a line of %% between. In a
 * replay package, that package's own heading comes before its README. */
enum part { PART_USAGE, PART_SHORT, PART_OPTIONS, PART_REPLAY, PART_NONE };

static void print(FILE *to, struct str text)
{
    fwrite(text.p, 1, (size_t)text.n, to);
}

static void print_part(FILE *to, enum part wanted)
{
    struct str rest = bundle_file(S("templates/help.txt")), text = rest;
    for (int k = 0; k <= (int)wanted; k++)
        text = str_take(&rest, S("%%\n"));
    print(to, text);
}

/* Those without a file are commands: the list of options has them. */
static const struct {
    const char *topic, *file;
    enum part head;
} topics[] = {{"patterns", "assets/patterns/README.md", PART_NONE},
              {"replay", "assets/replay/README.md", PART_REPLAY},
              {"softmax_model.lua", "assets/extensions/softmax_model.lua", PART_NONE},
              {"residual_scale.lua", "assets/extensions/residual_scale.lua", PART_NONE},
              {"github.yml", "assets/ci/github.yml", PART_NONE},
              {"gitlab.yml", "assets/ci/gitlab.yml", PART_NONE},
              {"Jenkinsfile", "assets/ci/Jenkinsfile", PART_NONE},
              {"waivers.txt", "assets/ci/waivers.txt", PART_NONE},
              {"analyze", NULL, PART_NONE},
              {"platforms", NULL, PART_NONE},
              {"themes", NULL, PART_NONE},
              {"summarize", NULL, PART_NONE},
              {"job", "assets/job/README.md", PART_NONE},
              {"cut", NULL, PART_NONE},
              {"publish", NULL, PART_NONE},
              {"share-check", NULL, PART_NONE},
              {"reindex", NULL, PART_NONE},
              {"verify", NULL, PART_NONE},
              {"help", NULL, PART_NONE}};
enum { TOPICS = sizeof topics / sizeof *topics };

void help_usage(FILE *to)
{
    print_part(to, PART_USAGE);
    print_part(to, PART_SHORT);
}

bool help_print(FILE *to, const char *topic, struct err *e)
{
    struct str names[TOPICS];
    int k = 0;
    for (; topic && k < TOPICS && strcmp(topics[k].topic, topic) != 0; k++)
        names[k] = str_of(topics[k].topic);
    if (k == TOPICS)
        return err_unknown(e, "topic", str_of(topic), names, TOPICS, "");
    if (!topic || !topics[k].file) {
        print_part(to, PART_USAGE);
        print_part(to, PART_OPTIONS);
        return true;
    }
    if (topics[k].head != PART_NONE)
        print_part(to, topics[k].head);
    print(to, bundle_file(str_of(topics[k].file)));
    return true;
}
