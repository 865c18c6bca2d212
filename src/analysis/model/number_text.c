#include "analysis/model/number_text.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct str number_fixed(struct arena *a, double v, int decimals)
{
    char buf[64];
    if (!isfinite(v))
        return S("unknown");
    return str_copy(a, (struct str){buf, fixed_text(buf, v, decimals)});
}

static int ms_decimals(double ms)
{
    return fabs(ms) >= 100.0 ? 1 : fabs(ms) >= 1.0 ? 2 : 3;
}

static int pct_decimals(double pct)
{
    return fabs(pct) < 1.0 ? 2 : 1;
}

struct str number_ms(struct arena *a, double ms)
{
    if (ms == 0.0)
        return S("0");
    return number_fixed(a, ms, ms_decimals(ms));
}

struct str number_duration(struct arena *a, double us)
{
    struct str text = us < 1e3 ? number_rate(a, us) : number_ms(a, us / 1e3);
    return str_printf(a, "%.*s %s", STRF(text), us < 1e3 ? "µs" : "ms");
}

struct str number_time(struct arena *a, double ms)
{
    return ms >= 1e3 ? str_printf(a, "%.*s s", STRF(number_fixed(a, ms / 1e3, 2)))
                     : str_printf(a, "%.*s ms", STRF(number_ms(a, ms)));
}

struct str number_beside(struct arena *a, double ms, double whole_ms)
{
    const double LONG_MS = 1e4;
    double scale = whole_ms >= LONG_MS ? 1e-3 : 1, whole = fabs(whole_ms * scale);
    int decimals = 0;
    for (; whole < 100 && whole > 0 && decimals < 6; whole *= 10)
        decimals++;
    return say(a, "{} {}", said_fixed(ms * scale, decimals),
               said(scale < 1 ? S("s") : S("ms")));
}

struct str number_us(struct arena *a, double us)
{
    return number_fixed(a, us, 2);
}

struct str number_pct(struct arena *a, double pct)
{
    if (pct == 0.0)
        return S("0");
    return number_fixed(a, pct, pct_decimals(pct));
}

struct str number_rate(struct arena *a, double v)
{
    int decimals = 0;
    for (double x = fabs(v); x < 100.0 && x > 0.0 && decimals < 6; x *= 10.0)
        decimals++;
    struct str s = number_fixed(a, v, decimals);
    while (decimals && s.n > 0 && s.p[s.n - 1] == '0') {
        s.n--;
        decimals--;
    }
    return s.n > 0 && s.p[s.n - 1] == '.' ? str_head(s, s.n - 1) : s;
}

static struct str range_of(struct arena *a, double low, double high, int decimals)
{
    struct str lo = number_fixed(a, low, decimals),
               hi = number_fixed(a, high, decimals);
    return str_eq(lo, hi) ? hi : str_printf(a, "%.*s to %.*s", STRF(lo), STRF(hi));
}

struct str number_span_ms(struct arena *a, double low, double high)
{
    return range_of(a, low, high, ms_decimals(high));
}

struct str number_span_pct(struct arena *a, double low, double high)
{
    return range_of(a, low, high, pct_decimals(high));
}

/* To two significant digits, but at most so many decimals. */
static struct str two_digits(struct arena *a, double v, int most_decimals)
{
    double unit = 1; /* of the second digit */
    int decimals = 0;
    if (!isfinite(v) || v == 0)
        return v == 0 ? S("0") : number_fixed(a, v, 0);
    while (fabs(v) >= 99.5 * unit)
        unit *= 10;
    for (double x = fabs(v); x < 9.95 && decimals < most_decimals; x *= 10)
        decimals++;
    return number_fixed(a, unit > 1 ? round(v / unit) * unit : v, decimals);
}

static struct str rough_range(struct arena *a, double low, double high, int most)
{
    struct str lo = two_digits(a, low, most), hi = two_digits(a, high, most);
    return str_eq(lo, hi) ? hi : str_printf(a, "%.*s to %.*s", STRF(lo), STRF(hi));
}

struct str number_range_ms(struct arena *a, double low, double high)
{
    return rough_range(a, low, high, 3);
}

struct str number_range_pct(struct arena *a, double low, double high)
{
    return rough_range(a, low, high, 2);
}

struct str number_ms_and_pct(struct arena *a, double ms, double pct)
{
    struct str time = number_ms(a, ms), share = number_pct(a, pct);
    return str_printf(a, "%.*s ms, %.*s%%", STRF(time), STRF(share));
}

struct str number_word(struct arena *a, int64_t n)
{
    static const char *const words[] = {"no",    "one",  "two", "three",
                                        "four",  "five", "six", "seven",
                                        "eight", "nine", "ten"};
    if (n >= 0 && n < (int64_t)(sizeof words / sizeof *words))
        return str_of(words[n]);
    return str_printf(a, "%lld", (long long)n);
}

double number_rounded(double v, int decimals)
{
    static const double powers[] = {1.0, 10.0, 100.0, 1e3, 1e4};
    char buf[64];
    if (!isfinite(v) || fabs(v) >= 1e15)
        return v;
    /* Far from a half, the digits need no check: a whole number over a power of ten is
     * the double nearest to that decimal. */
    if (decimals < (int)(sizeof powers / sizeof *powers) && fabs(v) < 1e9) {
        double scaled = v * powers[decimals], whole = round(scaled);
        if (fabs(fabs(scaled - whole) - 0.5) > 1e-3)
            return whole / powers[decimals] + 0.0; /* -0 becomes 0 */
    }
    buf[fixed_text(buf, v, decimals)] = 0;
    return strtod(buf, NULL);
}

struct str text_ms(struct arena *a, double ms)
{
    return number_fixed(a, ms, ms_decimals(ms));
}

struct str text_pct(struct arena *a, double pct)
{
    if (pct > 0 && pct < 0.005)
        return S("less than 0.01");
    return number_fixed(a, pct, pct == 0 ? 1 : pct_decimals(pct));
}

struct str text_trimmed(struct arena *a, double v)
{
    struct str s = number_fixed(a, v, 2);
    if (!isfinite(v))
        return s;
    while (s.n > 1 && s.p[s.n - 1] == '0')
        s.n--;
    if (s.n > 1 && s.p[s.n - 1] == '.')
        s.n--;
    return s;
}

struct str text_factor(struct arena *a, double v)
{
    return number_fixed(a, v, v >= 100 ? 0 : v >= 10 ? 1 : 2);
}

struct str quoted_name(struct arena *a, struct str name, int width)
{
    struct out o;
    out_memory(&o);
    out_char(&o, '`');
    while (name.n) {
        int32_t code = utf8_next(&name);
        if (out_view(&o).n > width - 3 && name.n) {
            out_lit(&o, "...");
            break;
        }
        bool odd = code < 0x20 || code == '`' || (code >= 0x7f && code < 0xa0);
        if (code == UTF8_BROKEN)
            code = UTF8_REPLACEMENT;
        out_code_point(&o, odd && code != UTF8_REPLACEMENT ? ' ' : (uint32_t)code);
    }
    out_char(&o, '`');
    return out_text(&o, a);
}

static struct str said_as_text(struct arena *a, const struct said *v)
{
    switch (v->how) {
    case SAID_TEXT:
        break;
    case SAID_COUNT:
        return str_printf(a, "%lld", (long long)v->count);
    case SAID_MS:
        return text_ms(a, v->number);
    case SAID_PCT:
        return text_pct(a, v->number);
    case SAID_FIXED:
        return number_fixed(a, v->number, v->places);
    case SAID_NAME:
        return quoted_name(a, v->text, v->places);
    }
    return v->text;
}

struct str say_values(struct arena *a, const char *format, const struct said *values,
                      int n)
{
    struct out o;
    int k = 0;
    out_memory(&o);
    for (const char *hole; (hole = strstr(format, "{}")); format = hole + 2) {
        assert(k < n);
        out_str(&o, (struct str){format, hole - format});
        out_str(&o, said_as_text(a, &values[k++]));
    }
    assert(k == n);
    out_c(&o, format);
    return out_text(&o, a);
}

struct str number_bytes(struct arena *a, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double v = bytes;
    int unit = 0;
    for (; v >= 1024.0 && unit < 4; unit++)
        v /= 1024.0;
    return str_printf(a, "%.*s\u00a0%s", STRF(number_rate(a, v)), units[unit]);
}
