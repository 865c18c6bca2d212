#include "render/chart/chart_scale.h"

#include "base/out.h"
#include "base/plain_run.h"
#include "base/utf8.h"
#include "render/text/html_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_tick(struct chart_scale *s, double value, int decimals)
{
    if (s->n_ticks == CHART_TICKS_MAX)
        return;
    struct chart_tick *t = &s->ticks[s->n_ticks++];
    char text[64];
    int n = fixed_text(text, value, decimals);
    n = n < (int)sizeof t->text ? n : (int)sizeof t->text - 1;
    memcpy(t->text, text, (size_t)n);
    t->text[n] = '\0';
    t->value = value;
}

/* Decimals needed for a power of ten. */
static int decimals_of(int exponent)
{
    return exponent < 0 ? (exponent < -9 ? 9 : -exponent) : 0;
}

/* 1, 2 or 5 times a power of ten; the tolerance of 1e-7 is ample. */
static void add_power_tick(struct chart_scale *s, int factor, int exponent)
{
    add_tick(s, factor * pow(10, exponent), decimals_of(exponent));
    struct chart_tick *t = &s->ticks[s->n_ticks - 1];
    if (exponent < -4 || exponent > 6)
        snprintf(t->text, sizeof t->text, "%de%d", factor, exponent);
}

struct chart_scale chart_linear(double high, bool exact, int ticks_max, double from_px,
                                double to_px)
{
    static const int factors[] = {1, 2, 5, 10};
    if (!(high > 1e-9) || !(high < 1e15))
        high = high > 1 ? 1e15 : 1;
    int most = ticks_max < 2                 ? 2
               : ticks_max > CHART_TICKS_MAX ? CHART_TICKS_MAX
                                             : ticks_max;
    int exponent = (int)floor(log10(high / (most - 1)));
    int factor = 0;
    while (factor < 3 && high / (factors[factor] * pow(10, exponent)) > most - 1 + 1e-9)
        factor++;
    /* A scale showing only 0 says nothing. */
    if (exact && high / (factors[factor] * pow(10, exponent)) < 1 - 1e-9) {
        exponent -= factor == 0;
        factor = factor == 0 ? 2 : factor - 1;
    }
    double step = factors[factor] * pow(10, exponent);
    int steps = (int)(exact ? floor(high / step + 1e-9) : ceil(high / step - 1e-9));
    struct chart_scale s = {.from_px = from_px, .to_px = to_px};
    s.high = exact ? high : steps * step;
    for (int i = 0; i <= steps; i++)
        add_tick(&s, i * step, decimals_of(factor == 3 ? exponent + 1 : exponent));
    return s;
}

struct chart_scale chart_log(double low, double high, int ticks_max, double from_px,
                             double to_px)
{
    if (!(low > 1e-12) || !isfinite(low))
        low = 1e-12;
    if (!(high > low) || !isfinite(high))
        high = low * 10;
    int most = ticks_max < 2                 ? 2
               : ticks_max > CHART_TICKS_MAX ? CHART_TICKS_MAX
                                             : ticks_max;
    int first = (int)floor(log10(low) + 1e-9), last = (int)ceil(log10(high) - 1e-9);
    if (last == first)
        last++;
    struct chart_scale s = {.from_px = from_px, .to_px = to_px, .is_log = true};
    s.low = pow(10, first);
    s.high = pow(10, last);
    s.low_log10 = log10(s.low);
    s.span_log10 = log10(s.high) - s.low_log10;
    int decades = last - first;
    int each = (decades + most - 2) / (most - 1);
    each = each < 1 ? 1 : each;
    bool between = decades * 3 + 1 <= most; /* room for 2 and 5 in each decade */
    for (int d = first; d <= last; d += each) {
        add_power_tick(&s, 1, d);
        if (between && d < last) {
            add_power_tick(&s, 2, d);
            add_power_tick(&s, 5, d);
        }
    }
    return s;
}

double chart_px(const struct chart_scale *s, double value)
{
    double frac;
    if (s->is_log)
        frac = value > 0 ? (log10(value) - s->low_log10) / s->span_log10 : 0;
    else
        frac = (value - s->low) / (s->high - s->low);
    frac = frac > 0 ? fmin(frac, 1) : 0; /* NaN lies at the start, too */
    return s->from_px + frac * (s->to_px - s->from_px);
}

/* Advances of DejaVu Sans in hundredths of an em, U+0020 to U+007E. */
static const unsigned char advance[] = {
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
    58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,  61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,  63, 63, 28, 28, 58,
    28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59,  52, 64, 34, 64, 84};

/* Width of the first character of s, which is removed, in hundredths of an em. */
static inline int take_hundredths(struct str *s)
{
    unsigned char byte = (unsigned char)s->p[0];
    if (byte < 0x20 || byte >= 0x7f) /* the rest need no decoding */
        return utf8_next(s) >= 0x2e80 ? 100 : 65;
    *s = (struct str){s->p + 1, s->n - 1};
    return advance[byte - 0x20];
}

static double px_of(int64_t hundredths, double size_px)
{
    return (double)hundredths * size_px / 100;
}

static int64_t text_hundredths(struct str s)
{
    int64_t sum = 0;
    while (s.n > 0) {
        ptrdiff_t n = 0;
        for (; n < s.n && s.p[n] >= 0x20 && s.p[n] < 0x7f; n++)
            sum += advance[s.p[n] - 0x20];
        s = str_skip(s, n);
        if (s.n > 0)
            sum += take_hundredths(&s);
    }
    return sum;
}

double chart_text_px(struct str s, double size_px)
{
    return px_of(text_hundredths(s), size_px);
}

/* The longest prefix of s within width_px; *rest is the remainder. */
static struct str head_within(struct str s, double size_px, double width_px,
                              struct str *rest)
{
    struct str left = s;
    for (int64_t used = 0; left.n > 0;) {
        struct str next = left;
        used += take_hundredths(&next);
        if (px_of(used, size_px) > width_px)
            break;
        left = next;
    }
    *rest = left;
    return (struct str){s.p, s.n - left.n};
}

/* A name without its arguments, or with those at its end cut off, as far as the name
 * leaves them a third of the room; both name and the end of it count for more. */
static struct str without_arguments(struct str s, double size_px, double width_px,
                                    bool *at_end)
{
    ptrdiff_t args = str_find(s, S(" ("));
    struct str name = args > 0 ? str_head(s, args) : s;
    *at_end = args > 0 && chart_text_px(name, size_px) <= width_px * 2 / 3;
    return *at_end ? s : name;
}

static ptrdiff_t put_head(char *at, struct str s)
{
    s = str_head(s, 240);
    if (s.n) /* an empty text may have no address */
        memcpy(at, s.p, (size_t)s.n);
    return s.n;
}

void chart_fit(struct chart_label *label, struct str s, double size_px, double width_px)
{
    struct out clean;
    out_memory(&clean);
    struct str all = str_head(s, 2048), rest;
    if (plain_run(all, "") < all.n) {
        text_repair(&clean, all);
        all = out_view(&clean);
    }
    double dots_px = chart_text_px(S("\xe2\x80\xa6"), size_px);
    struct str head = all, tail = {"", 0};
    bool cut = all.n > 300 || chart_text_px(all, size_px) > width_px, at_end = false;
    if (cut) {
        double room = fmin(width_px, 60 * size_px) - dots_px;
        head = without_arguments(all, size_px, width_px, &at_end);
        if (at_end || chart_text_px(head, size_px) > room) {
            head = head_within(head, size_px, at_end ? room : room * 2 / 3, &rest);
            int64_t tail_wide = at_end ? 0 : text_hundredths(rest);
            while (rest.n > 0 && px_of(tail_wide, size_px) > room / 3)
                tail_wide -= take_hundredths(&rest);
            tail = at_end ? tail : rest;
        }
    }
    ptrdiff_t n = put_head(label->text, head);
    if (cut)
        n += put_head(label->text + n, S("\xe2\x80\xa6"));
    n += put_head(label->text + n, tail);
    label->s = (struct str){label->text, n};
    out_free(&clean);
}
