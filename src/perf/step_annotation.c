#include "perf/step_annotation.h"

#include <math.h>

static bool digit(struct str s, ptrdiff_t i)
{
    return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

static bool word_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_';
}

/* Digits at the start of *s; false if there are none. */
static bool take_number(struct str *s, double *v)
{
    ptrdiff_t n = 0;
    for (*v = 0; digit(*s, n); n++)
        *v = 10 * *v + (s->p[n] - '0');
    *s = str_skip(*s, n);
    return n > 0;
}

/* `form` against the start of the text, '#' for a number each. */
static bool scan(struct str text, const char *form, double *numbers)
{
    for (; *form; form++) {
        if (*form == '#') {
            if (!take_number(&text, numbers++))
                return false;
        } else if (text.n == 0 || text.p[0] != *form) {
            return false;
        } else {
            text = str_skip(text, 1);
        }
    }
    return true;
}

/* The number in "key=number", the key a whole word; 0 if there is none. */
static double value_of(struct str text, struct str key)
{
    for (ptrdiff_t i = 0; i + key.n < text.n; i++) {
        struct str rest = str_skip(text, i);
        if ((i > 0 && word_char(text.p[i - 1])) || !str_starts(rest, key) ||
            rest.p[key.n] != '=')
            continue;
        double v;
        rest = str_skip(rest, key.n + 1);
        if (take_number(&rest, &v))
            return v;
    }
    return 0;
}

static bool vllm(struct str text, struct step_tokens *c, struct step_tokens *g)
{
    double v[11];
    if (!scan(text,
              "execute_#_context_#(sq#sk#sqsq#sqsk#)"
              "_generation_#(sq#sk#sqsq#sqsk#)",
              v))
        return false;
    *c = (struct step_tokens){v[2], v[3], v[4], v[5]};
    *g = (struct step_tokens){v[7], v[8], v[9], v[10]};
    return true;
}

static bool has_number(struct str text, struct str key)
{
    ptrdiff_t at = str_find(text, key);
    return at >= 0 && digit(text, at + key.n);
}

static bool sglang(struct str text, struct step_tokens *c, struct step_tokens *g)
{
    if (!str_starts(text, S("step[EXTEND")) && !str_starts(text, S("step[DECODE")) &&
        !str_starts(text, S("step[MIXED")))
        return false;
    ptrdiff_t end = str_find(text, S("]"));
    text = str_head(text, end < 0 ? 0 : end);
    if (!has_number(text, S("sqsq=")))
        return false;
    *c = (struct step_tokens){value_of(text, S("c_sq")), value_of(text, S("c_sk")),
                              value_of(text, S("c_sqsq")), value_of(text, S("c_sqsk"))};
    *g = (struct step_tokens){value_of(text, S("g_sq")), value_of(text, S("g_sk")),
                              value_of(text, S("g_sqsq")), value_of(text, S("g_sqsk"))};
    return true;
}

static bool atom(struct str text, struct step_tokens *c, struct step_tokens *g)
{
    bool prefill = str_starts(text, S("prefill["));
    if (!prefill && !str_starts(text, S("decode[")))
        return false;
    if (!str_has(text, S("sqsq=")) || !str_has(text, S("sqsk=")) ||
        !str_has(text, S("]")))
        return false;
    struct step_tokens sums = {value_of(text, S("tok")), value_of(text, S("sk")),
                               value_of(text, S("sqsq")), value_of(text, S("sqsk"))};
    *c = prefill ? sums : (struct step_tokens){0};
    *g = prefill ? (struct step_tokens){0} : sums;
    return true;
}

bool step_annotation_read(struct str text, struct step_tokens *context,
                          struct step_tokens *generation)
{
    return vllm(text, context, generation) || sglang(text, context, generation) ||
           atom(text, context, generation);
}

struct str step_phase_word(enum step_phase phase)
{
    static const struct str words[STEP_PHASES] = {[PHASE_PREFILL] = S_INIT("prefill"),
                                                  [PHASE_DECODE] = S_INIT("decode"),
                                                  [PHASE_MIXED] = S_INIT("mixed"),
                                                  [PHASE_RUNNING] = S_INIT("running")};
    return words[phase];
}

/* The number behind a text; NaN: it is not there, or no number is. */
static double number_behind(struct str text, struct str before)
{
    ptrdiff_t at = str_find(text, before);
    double v;
    if (at < 0)
        return (double)NAN;
    text = str_skip(text, at + before.n);
    return take_number(&text, &v) ? v : (double)NAN;
}

static enum step_phase phase_of(double prompts, double generating)
{
    if (prompts > 0)
        return generating > 0 ? PHASE_MIXED : PHASE_PREFILL;
    return generating > 0 ? PHASE_DECODE : PHASE_NONE;
}

/* A sum that the annotation does not have reads 0, which no request has. */
static double sum_of(double requests, double sum)
{
    return requests > 0 ? sum > 0 ? sum : (double)NAN : requests;
}

/* Requests and, where the annotation has them, sums. */
static void take_load(struct str text, double prompts, double generating,
                      struct step_load *to)
{
    struct step_tokens c = {0}, g = {0};
    if (!step_annotation_read(text, &c, &g))
        c = g = (struct step_tokens){0};
    *to = (struct step_load){phase_of(prompts, generating),
                             {prompts, generating},
                             {sum_of(prompts, c.sq), sum_of(generating, g.sq)},
                             {sum_of(prompts, c.sk), sum_of(generating, g.sk)}};
}

/* execute_2_context_1(sq559sk559...)_generation_1(sq1sk600...),
 * execute_context_1(559)_generation_1(1), execute_new_1_cached_3. */
static bool vllm_load(struct str text, struct step_load *to)
{
    double v[4];
    if (scan(text, "execute_context_#(#)_generation_#(#)", v)) {
        take_load(text, v[0], v[2], to);
        to->tokens[0] = v[1];
        to->tokens[1] = v[3];
        return true;
    }
    if (scan(text, "execute_new_#_cached_#", v)) {
        to->phase = v[0] > 0   ? v[1] > 0 ? PHASE_MIXED : PHASE_PREFILL
                    : v[1] > 0 ? PHASE_RUNNING
                               : PHASE_NONE;
        to->requests[0] = v[0];
        to->requests[1] = v[1];
        return true;
    }
    if (!scan(text, "execute_#_context_#(", v) || !str_has(text, S("_generation_")))
        return false;
    take_load(text, v[1], number_behind(text, S("_generation_")), to);
    return true;
}

/* step[EXTEND bs=2 toks=4096], step[DECODE bs=16], step[MIXED bs=2 c=1 g=1 c_sq=...]. A
 * draft that is verified, and a draft, are of the generation. */
static bool sglang_load(struct str text, struct step_load *to)
{
    static const struct {
        struct str form;
        enum step_phase phase;
    } modes[] = {{S_INIT("step[EXTEND "), PHASE_PREFILL},
                 {S_INIT("step[SPLIT_PREFILL "), PHASE_PREFILL},
                 {S_INIT("step[DECODE "), PHASE_DECODE},
                 {S_INIT("step[TARGET_VERIFY "), PHASE_DECODE},
                 {S_INIT("step[DRAFT_EXTEND"), PHASE_DECODE},
                 {S_INIT("step[DRAFT_LOOP "), PHASE_DECODE},
                 {S_INIT("step[MIXED "), PHASE_MIXED}};
    enum step_phase phase = PHASE_NONE;
    if (!str_starts(text, S("step[")))
        return false;
    for (size_t k = 0; k < sizeof modes / sizeof *modes && !phase; k++)
        phase = str_starts(text, modes[k].form) ? modes[k].phase : PHASE_NONE;
    double n = number_behind(text, S(" bs="));
    if (phase == PHASE_MIXED)
        take_load(text, number_behind(text, S(" c=")), number_behind(text, S(" g=")),
                  to);
    else
        take_load(text, phase == PHASE_PREFILL ? n : 0, phase == PHASE_DECODE ? n : 0,
                  to);
    to->phase = phase;
    if (phase == PHASE_PREFILL)
        to->tokens[0] = number_behind(text, S(" toks="));
    if (str_starts(text, S("step[DECODE ")))
        to->tokens[1] = n;
    return true;
}

/* prefill[bs=4 tok=2048 ...], decode[bs=8 tok=8 ...]. */
static bool atom_load(struct str text, struct step_load *to)
{
    bool prefill = str_starts(text, S("prefill["));
    if (!prefill && !str_starts(text, S("decode[")))
        return false;
    double n = number_behind(text, S("[bs=")), tokens = number_behind(text, S(" tok="));
    take_load(text, prefill ? n : 0, prefill ? 0 : n, to);
    to->phase = prefill ? PHASE_PREFILL : PHASE_DECODE;
    to->tokens[prefill ? 0 : 1] = tokens;
    return true;
}

/* [Executor] _forward_step 12: 3 ctx reqs, 5 gen reqs. */
static bool tensorrt_load(struct str text, struct step_load *to)
{
    ptrdiff_t at = str_find(text, S(" ctx reqs, ")), from = at;
    double v[3];
    while (from > 0 && digit(text, from - 1))
        from--;
    if (at < 0 || from == at)
        return false;
    struct str rest = str_skip(text, from);
    if (scan(rest, "# ctx reqs, # ctx tokens, # gen reqs", v)) {
        take_load(text, v[0], v[2], to);
        to->tokens[0] = v[1];
        return true;
    }
    if (!scan(rest, "# ctx reqs, # gen reqs", v))
        return false;
    take_load(text, v[0], v[1], to);
    return true;
}

bool step_load_read(struct str text, struct step_load *load)
{
    double none = (double)NAN;
    *load = (struct step_load){PHASE_NONE, {none, none}, {none, none}, {none, none}};
    return vllm_load(text, load) || sglang_load(text, load) || atom_load(text, load) ||
           tensorrt_load(text, load);
}

enum { WORD_BYTES_MAX = 16 };

/* The next word of letters, in lower case; "PrefillStep" and "prefill_step" are two. */
static struct str take_word(struct str *text, char *buf)
{
    ptrdiff_t n = 0, i = 0;
    for (; i < text->n; i++) {
        char c = text->p[i];
        bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
        bool after_lower = n && i && text->p[i - 1] >= 'a' && text->p[i - 1] <= 'z';
        if ((!upper && !lower && n) || (upper && after_lower))
            break;
        if ((upper || lower) && n < WORD_BYTES_MAX)
            buf[n++] = (char)(upper ? c + 32 : c);
    }
    *text = str_skip(*text, i);
    return (struct str){buf, n};
}

static bool is_word(struct str word, const struct str *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (str_eq(word, list[k]))
            return true;
    return false;
}

/* What is decoded besides tokens, what is only a part of a step, and what surrounds it.
 */
static const struct str elsewhere[] = {
    S_INIT("vae"),      S_INIT("image"),     S_INIT("images"),    S_INIT("jpeg"),
    S_INIT("png"),      S_INIT("video"),     S_INIT("audio"),     S_INIT("frame"),
    S_INIT("frames"),   S_INIT("latent"),    S_INIT("latents"),   S_INIT("text"),
    S_INIT("boxes"),    S_INIT("mask"),      S_INIT("masks"),     S_INIT("tokenizer"),
    S_INIT("layer"),    S_INIT("layers"),    S_INIT("attention"), S_INIT("attn"),
    S_INIT("mlp"),      S_INIT("kernel"),    S_INIT("queue"),     S_INIT("transfer"),
    S_INIT("schedule"), S_INIT("scheduler"), S_INIT("prepare"),   S_INIT("result"),
    S_INIT("results"),  S_INIT("encode"),    S_INIT("encoder"),   S_INIT("loop")};

static const struct str of_a_step[] = {
    S_INIT("step"),      S_INIT("steps"), S_INIT("token"), S_INIT("iter"),
    S_INIT("iteration"), S_INIT("batch"), S_INIT("bs")};

#define IS_IN(word, list) is_word((word), (list), sizeof(list) / sizeof *(list))

enum step_phase step_phase_of_words(struct str text, bool *sure)
{
    bool prefill = false, prompt = false, decode = false, step = false,
         generate = false;
    bool generate_step = false;
    while (text.n) {
        char buf[WORD_BYTES_MAX];
        struct str word = take_word(&text, buf);
        if (IS_IN(word, elsewhere))
            return PHASE_NONE;
        generate_step |= generate && str_eq(word, S("step"));
        generate = str_eq(word, S("generate")) || str_eq(word, S("generation"));
        prefill |= str_eq(word, S("prefill")) || str_eq(word, S("prefilling"));
        prompt |= str_eq(word, S("prompt"));
        decode |= str_eq(word, S("decode")) || str_eq(word, S("decoding"));
        step |= IS_IN(word, of_a_step);
    }
    *sure = prefill || generate_step || (decode && step);
    if ((prefill || prompt) == (decode || generate_step))
        return PHASE_NONE;
    return prefill || prompt ? PHASE_PREFILL : PHASE_DECODE;
}
