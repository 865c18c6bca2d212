/* theme.h - colours and fonts, read from a theme.json and checked when read.
 *
 * Knows the design tokens and the colour slots of categories; knows no page. Text and
 * contrast of every pair that is used together are checked, for themes of users too:
 * 4.5:1 for text, 3:1 for marks and borders, on both grounds. Texts live in `perm`. */
#ifndef RENDER_THEME_H
#define RENDER_THEME_H

#include "base/err.h"
#include "base/out.h"
#include "report/report_figure.h"

struct arena;

/* The tokens, in the order of the style sheet. */
#define THEME_TOKENS(X)                                                                \
    X(GROUND, "ground")                                                                \
    X(RAISED, "raised")                                                                \
    X(TEXT, "text")                                                                    \
    X(MUTED, "muted")                                                                  \
    X(LINK, "link")                                                                    \
    X(BORDER, "border")                                                                \
    X(HAIRLINE, "hairline")                                                            \
    X(CRITICAL, "critical")                                                            \
    X(HIGH, "high")                                                                    \
    X(MEDIUM, "medium")                                                                \
    X(LOW, "low")                                                                      \
    X(PASSED, "passed")                                                                \
    X(SLOWER, "slower")                                                                \
    X(FASTER, "faster")

enum theme_token {
#define X(id, name) TOKEN_##id,
    THEME_TOKENS(X)
#undef X
        THEME_TOKEN_COUNT
};

enum theme_mode { THEME_LIGHT, THEME_DARK, THEME_MODES };

struct theme {
    struct str name;
    struct str font_text, font_mono, font_size;
    struct str space_unit, space_radius, space_measure;
    struct str header_text, footer_text; /* of the house; may be empty */
    struct str logo, logo_text;          /* the bytes of a picture; what it says */
    const char *logo_kind;               /* "png" or "svg"; NULL: no logo */
    uint32_t token[THEME_MODES][THEME_TOKEN_COUNT]; /* 0xrrggbb */
    uint32_t slot[THEME_MODES][FIGURE_SLOTS];
};

/* A logo: its bytes, "png" or "svg". A picture that runs, loads or styles anything is
 * refused, with its line. The theme has a text for it, or it is refused too. */
MUST_CHECK bool theme_logo(struct theme *t, struct str bytes, const char *kind,
                           const char *file, struct err *e);

/* Read one theme. `file` is named in errors. */
MUST_CHECK bool theme_read(struct arena *perm, struct str json, const char *file,
                           struct theme *out, struct err *e);

/* The theme of the bundle that is called `name`. */
MUST_CHECK bool theme_builtin(struct arena *perm, struct str name, struct theme *out,
                              struct err *e);

/* All that a theme sets, in one number: equal themes, equal numbers. */
uint64_t theme_hash(const struct theme *t);

/* The whole style sheet: assets/css in the order of the paths, the tokens filled in. */
MUST_CHECK bool theme_css(struct out *o, const struct theme *t, struct arena tmp,
                          struct err *e);

/* WCAG 2.2 contrast ratio of two colours, 1 to 21. */
double theme_contrast(uint32_t a, uint32_t b);

#endif
