#include "render/text/asset_text.h"

#include "render/text/bundle.h"

void asset_lean(struct out *o, struct str text)
{
    while (text.n > 0) {
        struct str words = str_trim(str_take(&text, S("\n")));
        if (words.n) {
            out_str(o, words);
            out_char(o, '\n');
        }
    }
}

/* Comments that have lines of their own stay in the sources. */
static void script_lean(struct out *o, struct str text)
{
    bool inside = false;
    while (text.n > 0) {
        struct str words = str_trim(str_take(&text, S("\n")));
        inside = inside || str_starts(words, S("/*"));
        if (words.n && !inside) {
            out_str(o, words);
            out_char(o, '\n');
        }
        inside = inside && !str_ends(words, S("*/"));
    }
}

void asset_script(struct out *o)
{
    for (int i = 0; i < bundle_count(S("assets/js/")); i++)
        script_lean(o, bundle_file(bundle_path(S("assets/js/"), i)));
}
