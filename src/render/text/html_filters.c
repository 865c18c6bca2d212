#include "render/text/html_filters.h"

#include "base/arena.h"
#include "render/text/filter_parts.h"
#include "render/text/html_text.h"
#include "render/text/markdown_text.h"
#include "render/text/sentence.h"

SIMPLE_FILTER(name, html_name(o, n ? name_short(&tmp, text_of(v), n) : text_of(v)))
SIMPLE_FILTER(fold, html_name_folded(o, tmp, text_of(v), n))
SIMPLE_FILTER(short, html_attr(o, name_short(&tmp, text_of(v), n)))
SIMPLE_FILTER(sentence, sentence_html(o, text_of(v)))
SIMPLE_FILTER(brief, sentence_html(o, sentence_brief(&tmp, text_of(v))))
SIMPLE_FILTER(cause,
              sentence_html(o, sentence_brief(&tmp, md_first_sentence(text_of(v)))))
SIMPLE_FILTER(plain,
              html_attr(o, sentence_whole(&tmp, sentence_plain(&tmp, text_of(v)))))
SIMPLE_FILTER(whole, html_text(o, sentence_whole(&tmp, text_of(v))))
SIMPLE_FILTER(count, html_text(o, sentence_count(&tmp, cJSON_IsNumber(v)
                                                           ? str_printf(&tmp, "%.0f",
                                                                        number_of(v))
                                                           : text_of(v))))

/* As encodeURIComponent, but for a few signs that are safe: a value in an address. */
FILTER(url)
{
    static const char hex[] = "0123456789ABCDEF";
    struct str text = n ? name_short(&tmp, text_of(v), n) : text_of(v);
    for (ptrdiff_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                     (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
        if (plain)
            out_char(o, (char)c);
        else {
            out_char(o, '%');
            out_char(o, hex[c >> 4]);
            out_char(o, hex[c & 15]);
        }
    }
    return true;
}

FILTER(exact)
{
    enum {
        PLACES = 1000000
    }; /* ns in a column of ms; more digits do not affect the order */
    double x = number_of(v);
    (void)tmp, (void)n;
    if (isnan(x))
        return true;
    if (fabs(x) < 1e9)
        x = round(x * PLACES) / PLACES;
    out_real(o, x);
    return true;
}

FILTER(v)
{
    if (isnan(number_of(v)))
        return true;
    out_lit(o, " data-v=\"");
    filter_exact(o, tmp, v, n);
    out_char(o, '"');
    return true;
}

const struct template_filter html_filters[] = {
    FILTER_ROW(name),  FILTER_ROW(fold),  FILTER_ROW(short), FILTER_ROW(sentence),
    FILTER_ROW(brief), FILTER_ROW(cause), FILTER_ROW(plain), FILTER_ROW(whole),
    FILTER_ROW(count), FILTER_ROW(url),   FILTER_ROW(exact), FILTER_ROW(v),
    {NULL, NULL}};
