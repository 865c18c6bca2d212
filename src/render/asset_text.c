#include "render/asset_text.h"

#include "render/bundle.h"

void asset_lean(struct out *o, struct str text)
{
    while (text.n > 0) {
        ptrdiff_t line = str_find(text, S("\n"));
        struct str rest = line < 0 ? S("") : str_skip(text, line + 1);
        struct str words = str_trim(line < 0 ? text : str_head(text, line));
        if (words.n) {
            out_str(o, words);
            out_char(o, '\n');
        }
        text = rest;
    }
}

void asset_script(struct out *o)
{
    for (int i = 0; i < bundle_count(S("assets/js/")); i++)
        asset_lean(o, bundle_file(bundle_path(S("assets/js/"), i)));
}
