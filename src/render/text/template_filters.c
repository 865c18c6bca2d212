#include "render/text/template_filters.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "render/text/filter_parts.h"
#include "render/text/sentence.h"

#define NUMBER_FILTER(name, text)                                                      \
    FILTER(name)                                                                       \
    {                                                                                  \
        double x = number_of(v);                                                       \
        (void)n;                                                                       \
        out_str(o, isfinite(x) ? (text) : S("—"));                                     \
        return true;                                                                   \
    }

NUMBER_FILTER(ms, number_ms(&tmp, x))
NUMBER_FILTER(pct, number_pct(&tmp, x))
NUMBER_FILTER(us, number_us(&tmp, x))
NUMBER_FILTER(rate, number_rate(&tmp, x))
NUMBER_FILTER(duration, number_duration(&tmp, x))
NUMBER_FILTER(fixed0, number_fixed(&tmp, x, 0))
NUMBER_FILTER(fixed1, number_fixed(&tmp, x, 1))
NUMBER_FILTER(fixed2, number_fixed(&tmp, x, 2))
NUMBER_FILTER(fixed3, number_fixed(&tmp, x, 3))
NUMBER_FILTER(ns, number_duration(&tmp, x / 1e3))

/* Thousands apart: "2,335.4 ms", "1,000 to 1,300". */
static struct str thousands(struct arena *a, struct str text)
{
    struct out o;
    bool decimals = false;
    out_memory(&o);
    for (ptrdiff_t i = 0, n; i < text.n; i += n) {
        for (n = 0; i + n < text.n && text.p[i + n] >= '0' && text.p[i + n] <= '9';)
            n++;
        struct str digits = str_head(str_skip(text, i), n);
        out_str(&o, decimals ? digits : sentence_count(a, digits));
        decimals = !n && text.p[i] == '.';
        if (!n)
            out_char(&o, text.p[i]), n = 1;
    }
    return out_text(&o, a);
}

NUMBER_FILTER(ns_whole, thousands(&tmp, number_duration(&tmp, x / 1e3)))

/* A count in words; what is no count, in digits. */
static struct str count_word(struct arena *a, double x)
{
    static const double MOST = 1e15;
    return fabs(x) < MOST ? number_word(a, (int64_t)x) : number_fixed(a, x, 0);
}

NUMBER_FILTER(word, count_word(&tmp, x))

/* "33.13 ms", "1.17 s", never on two lines. */
static struct str time_text(struct arena *a, double ms)
{
    struct str text = number_time(a, ms);
    ptrdiff_t at = str_find(text, S(" "));
    return str_printf(a, "%.*s\u00a0%.*s", STRF(str_head(text, at)),
                      STRF(str_skip(text, at + 1)));
}

NUMBER_FILTER(bytes, number_bytes(&tmp, x))
NUMBER_FILTER(time, time_text(&tmp, x))

/* One of two numbers: of a list, or of a range by its name. */
static double one_of(const cJSON *v, int place, const char *name)
{
    return number_of(cJSON_IsObject(v) ? cJSON_GetObjectItemCaseSensitive(v, name)
                                       : cJSON_GetArrayItem(v, place));
}

#define PAIR_FILTER(name, unit, text)                                                  \
    FILTER(name)                                                                       \
    {                                                                                  \
        double x = one_of(v, 0, "low_" unit), y = one_of(v, 1, "high_" unit);          \
        (void)n;                                                                       \
        out_str(o, isfinite(x) && isfinite(y) ? (text) : S("—"));                      \
        return true;                                                                   \
    }

PAIR_FILTER(ms_pct, "ms", number_ms_and_pct(&tmp, x, y))
PAIR_FILTER(ms_range, "ms", thousands(&tmp, number_range_ms(&tmp, x, y)))
PAIR_FILTER(pct_range, "pct", number_range_pct(&tmp, x, y))
PAIR_FILTER(ms_span, "ms", number_span_ms(&tmp, x, y))
PAIR_FILTER(pct_span, "pct", number_span_pct(&tmp, x, y))

FILTER(seconds)
{
    (void)tmp, (void)n;
    out_real(o, isfinite(number_of(v)) ? number_of(v) / 1e9 : 0.0);
    return true;
}

/* A number in words, or a word, at the beginning of a sentence or a title. */
FILTER(Word)
{
    double x = number_of(v);
    (void)n;
    out_str(o, cJSON_IsString(v) ? str_capital(&tmp, text_of(v))
               : isfinite(x)     ? str_capital(&tmp, count_word(&tmp, x))
                                 : S("—"));
    return true;
}

SIMPLE_FILTER(s, out_c(o, number_of(v) == 1.0 ? "" : "s"))
SIMPLE_FILTER(verb_s, out_c(o, number_of(v) == 1.0 ? "s" : ""))

const struct template_filter number_filters[] = {
    FILTER_ROW(ms),       FILTER_ROW(pct),       FILTER_ROW(us),
    FILTER_ROW(rate),     FILTER_ROW(duration),  FILTER_ROW(bytes),
    FILTER_ROW(word),     FILTER_ROW(Word),      FILTER_ROW(ms_pct),
    FILTER_ROW(ms_range), FILTER_ROW(pct_range), FILTER_ROW(ms_span),
    FILTER_ROW(pct_span), FILTER_ROW(fixed0),    FILTER_ROW(fixed1),
    FILTER_ROW(fixed2),   FILTER_ROW(fixed3),    FILTER_ROW(s),
    FILTER_ROW(verb_s),   FILTER_ROW(ns),        FILTER_ROW(seconds),
    FILTER_ROW(time),     FILTER_ROW(ns_whole),  {NULL, NULL}};
