/* template_filters.h - how templates show numbers: {{time_ms | ms}}, {{n}} row{{n |
 * s}}.
 *
 *   ms pct us rate    as number_text.h writes them, without the unit
 *   ms_pct            "12.23 ms, 41.0 %" of [ms, pct]
 *   ms_range pct_range "3.1 to 4.0" of [low, high], a saving in a sentence
 *   ms_span pct_span   "3.10 to 4.00" of [low, high], in a table
 *   duration          from microseconds, with its unit
 *   ns, seconds       from nanoseconds: with its unit; for programs, in seconds
 *   bytes             in the largest unit of 1024 that fits, named: "12.4 KiB"
 *   fixed0 ... fixed3 with so many decimals
 *   word, Word        a count as a word up to ten, "no" for 0; as a sentence begins
 *   s                 "s", but nothing after 1: the plural of the noun before it
 *
 * Anything else, missing or unknown, is a dash. */
#ifndef RENDER_TEXT_TEMPLATE_FILTERS_H
#define RENDER_TEXT_TEMPLATE_FILTERS_H

#include "render/text/template.h"

extern const struct template_filter number_filters[];

#endif
