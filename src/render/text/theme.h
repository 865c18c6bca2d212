/* theme.h - colours and fonts, read from a theme.json and checked when read.
 *
 * Holds the design tokens and the colour slots of categories, independent of pages.
 * Checks the contrast of every pair used together, in users' themes too: 4.5:1 for
 * text, 3:1 for marks and borders, on both grounds. Texts live in `perm`. */
#ifndef RENDER_TEXT_THEME_H
#define RENDER_TEXT_THEME_H

#include "base/err.h"
#include "base/out.h"
#include "report/figure/report_figure.h"

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
 * rejected, with its line, and so is a logo for which the theme has no text. */
MUST_CHECK bool theme_logo(struct theme *t, struct str bytes, const char *kind,
                           const char *file, struct err *e);

/* Read one theme. `file` is named in errors. */
MUST_CHECK bool theme_read(struct arena *perm, struct str json, const char *file,
                           struct theme *out, struct err *e);

/* The bundled theme called `name`. */
MUST_CHECK bool theme_builtin(struct arena *perm, struct str name, struct theme *out,
                              struct err *e);

/* A hash of all that a theme sets: equal themes have equal hashes. */
uint64_t theme_hash(const struct theme *t);

/* The whole style sheet: assets/css in the order of the paths, the tokens filled in. */
MUST_CHECK bool theme_css(struct out *o, const struct theme *t, struct arena tmp,
                          struct err *e);

/* WCAG 2.2 contrast ratio of two colours, 1 to 21. */
double theme_contrast(uint32_t a, uint32_t b);

/* A channel of a colour, 0 red to 2 blue, as an amount of light: sRGB made linear. */
double theme_linear(uint32_t rgb, int channel);

/* A colour on one of the grounds: at least 4.5 for text, 3.0 for marks. */
struct theme_pair {
    const char *name;
    double least, contrast;
};

enum {
    PAIRS_OF_GROUND = THEME_TOKEN_COUNT - TOKEN_TEXT + FIGURE_SLOTS,
    THEME_PAIRS = (TOKEN_RAISED - TOKEN_GROUND + 1) * PAIRS_OF_GROUND
};

struct theme_pair theme_pair(const struct theme *t, int mode, int k);

#endif
