#include "analysis/model/counter_meaning.h"

struct str counter_role_word(enum counter_role r)
{
    static const struct str words[COUNTER_ROLES] = {
        S_INIT("SM activity"), S_INIT("memory bandwidth"), S_INIT("power"),
        S_INIT("clock"),       S_INIT("temperature"),      S_INIT("")};
    return words[r];
}

static const struct {
    struct str recorded, unit;
    double scale;
} units[] = {{S_INIT("%"), S_INIT("%"), 1},        {S_INIT("pct"), S_INIT("%"), 1},
             {S_INIT("W"), S_INIT("W"), 1},        {S_INIT("Watts"), S_INIT("W"), 1},
             {S_INIT("mW"), S_INIT("W"), 1e-3},    {S_INIT("uW"), S_INIT("W"), 1e-6},
             {S_INIT("MHz"), S_INIT("MHz"), 1},    {S_INIT("GHz"), S_INIT("MHz"), 1e3},
             {S_INIT("kHz"), S_INIT("MHz"), 1e-3}, {S_INIT("Hz"), S_INIT("MHz"), 1e-6},
             {S_INIT("C"), S_INIT("°C"), 1},       {S_INIT("°C"), S_INIT("°C"), 1}};
enum { UNITS = sizeof units / sizeof *units, UNIT_BYTES_MOST = 16 };

static bool has_any(struct str text, const char *const *words, int n)
{
    for (int k = 0; k < n; k++)
        if (str_has_nocase(text, str_of(words[k])))
            return true;
    return false;
}
#define HAS_ANY(text, ...)                                                             \
    has_any(text, (const char *const[]){__VA_ARGS__},                                  \
            (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

static void set_unit(struct counter_meaning *m, struct str recorded)
{
    struct str text = str_ends(recorded, S("%")) ? S("%") : recorded;
    m->unit = recorded;
    for (int k = 0; k < UNITS; k++)
        if (str_eq(units[k].recorded, text)) {
            m->unit = units[k].unit;
            m->scale = units[k].scale;
        }
}

static bool is_unit(struct str text)
{
    for (int k = 0; k < UNITS; k++)
        if (str_eq(units[k].recorded, text))
            return true;
    return false;
}

/* "(%)" or "[MHz]" behind the name. */
static void split_unit(struct counter_meaning *m)
{
    char close = m->name.n ? m->name.p[m->name.n - 1] : '\0';
    char open = close == ')' ? '(' : close == ']' ? '[' : '\0';
    ptrdiff_t at = m->name.n - 2;
    while (open && at > 0 && m->name.p[at] != open)
        at--;
    if (!open || at <= 0 || m->name.n - at - 2 > UNIT_BYTES_MOST)
        return;
    set_unit(m, (struct str){m->name.p + at + 1, m->name.n - at - 2});
    m->name = str_trim(str_head(m->name, at));
}

static enum counter_role role_of(struct str name, struct str unit)
{
    bool pct = str_eq(unit, S("%")), of_memory = HAS_ANY(name, "mem", "dram", "hbm");
    if (pct && HAS_ANY(name, "sm active", "sms active", "sm__cycles_active"))
        return COUNTER_SM;
    if (pct && of_memory && HAS_ANY(name, "bw", "bandwidth", "throughput", "active"))
        return COUNTER_DRAM;
    if (HAS_ANY(name, "limit", "max", "cap"))
        return COUNTER_OTHER;
    if (str_eq(unit, S("W")) && !of_memory && !HAS_ANY(name, "soc"))
        return COUNTER_POWER;
    if (str_eq(unit, S("MHz")) && !of_memory &&
        !HAS_ANY(name, "sys", "video", "mclk", "fclk", "link", "soc"))
        return COUNTER_CLOCK;
    return str_eq(unit, S("°C")) && !of_memory ? COUNTER_TEMPERATURE : COUNTER_OTHER;
}

struct counter_meaning counter_meaning_of(struct str name, struct str key)
{
    struct counter_meaning m = {.name = name.n ? name : key, .unit = S(""), .scale = 1};
    split_unit(&m);
    if (!m.unit.n && is_unit(key))
        set_unit(&m, key);
    else if (!m.unit.n && str_has(m.name, S("pct_of_peak")))
        m.unit = S("%");
    else if (!m.unit.n && (str_eq(m.name, S("sclk")) || str_eq(m.name, S("mclk"))))
        m.unit = S("MHz");
    m.of_host = HAS_ANY(m.name, "cpu", "host", "rss");
    m.role = m.of_host ? COUNTER_OTHER : role_of(m.name, m.unit);
    return m;
}
