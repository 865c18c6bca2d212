/* html_filters.h - how templates of pages show names, sentences and marks.
 *
 *   name, name 60  a name as markup (html_text.h), whole, or shortened to 60 characters
 *   fold 80        the same, with the whole in a fold where that leaves something out
 *   short 80       a short name as text
 *   sentence       `code spans` as names, *emphasis*, the rest as text (sentence.h)
 *   count          a whole number, thousands apart
 *   plain          a sentence without its backticks, for titles and attributes
 *   url, url 80    a text, or a short name, as the value in an address: #find=aten%3A%3Amm
 *   exact, v       what a column is sorted by: alone, or as data-v="..."; nothing where
 *                  it is not known */
#ifndef RENDER_TEXT_HTML_FILTERS_H
#define RENDER_TEXT_HTML_FILTERS_H

#include "render/text/template.h"

extern const struct template_filter html_filters[];

#endif
