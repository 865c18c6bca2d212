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

void asset_script(struct out *o)
{
    for (int i = 0; i < bundle_count(S("assets/js/")); i++)
        asset_lean(o, bundle_file(bundle_path(S("assets/js/"), i)));
}
