/* table_context.h - a table of a page, cell by cell, as templates/table.html reads it.
 *
 * Every key that the template asks for is set, so that nothing is found further out.
 * The tree belongs to the context it is put into. */
#ifndef RENDER_TABLE_CONTEXT_H
#define RENDER_TABLE_CONTEXT_H

#include "render/site_context.h"

/* `caption` is shown above the table. */
cJSON *table_open(struct str table_id, struct str caption);
void table_column(cJSON *table, const char *title, bool numeric);

/* The script may sort it, and from eight rows on filter it: it is whole. */
void table_sortable(cJSON *table);

/* A row; `row_id` may be empty. Its cells come in the order of the columns, the first
 * being its name. */
cJSON *table_row(cJSON *table, struct str row_id);
void cell_text(cJSON *row, struct str text);
void cell_number(cJSON *row, struct str text, double exact);
void cell_ms(cJSON *row, double ms, struct arena tmp);
void cell_pct(cJSON *row, double pct, struct arena tmp);
void cell_rate(cJSON *row, double v, struct arena tmp); /* three digits */
void cell_count(cJSON *row, int64_t n, struct arena tmp);

void cell_markup(cJSON *row, struct str html);
void cell_name(cJSON *row, struct str name, int max_chars, struct arena tmp);
void cell_brief(cJSON *row, struct str name, int max_chars, struct arena tmp);
void cell_sentence(cJSON *row, struct str text); /* sentence.h */
void cell_link(cJSON *row, struct str href, struct str text);
void cell_severity(cJSON *row, struct str level);
void cell_category(cJSON *row, const struct report *r, struct str category,
                   struct str label);

/* The short name as a link to its row, where the full one is; an operation's arguments
 * below, shortened likewise. */
void cell_kernel(cJSON *row, const struct report *r, int index, int chars,
                 struct arena tmp);
void cell_operation(cJSON *row, const struct report *r, int index, int name_chars,
                    int args_chars, struct arena tmp);

/* What was left out, over the whole width. */
void table_fold(cJSON *table, struct str text);
void table_csv(cJSON *table, const char *href, const char *name);

#endif
