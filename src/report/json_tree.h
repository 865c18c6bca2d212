/* json_tree.h - small documents as cJSON trees: text of a trace and rounded numbers.
 *
 * A NUL in a text becomes U+FFFD, for cJSON's texts end there. NaN is null. Numbers are
 * rounded on their decimal form: ms to 3 decimals, us and shares to 2. Keys are added
 * in the order of the calls; json_sort_keys puts them in byte order. Whoever makes a
 * root deletes it with cJSON_Delete. */
#ifndef REPORT_JSON_TREE_H
#define REPORT_JSON_TREE_H

#include "base/str.h"

struct cJSON;

void json_put_text(struct cJSON *o, const char *key, struct str text);
void json_put_text_or_null(struct cJSON *o, const char *key, struct str text);
void json_put_count(struct cJSON *o, const char *key, int64_t n);
void json_put_number(struct cJSON *o, const char *key, double v, int decimals);
void json_put_ms(struct cJSON *o, const char *key, double ms);
void json_put_us(struct cJSON *o, const char *key, double us);
void json_put_pct(struct cJSON *o, const char *key, double pct);
void json_put_bool(struct cJSON *o, const char *key, bool v);
void json_put_null(struct cJSON *o, const char *key);

struct cJSON *json_put_object(struct cJSON *o, const char *key);
struct cJSON *json_put_array(struct cJSON *o, const char *key);
void json_put_texts(struct cJSON *o, const char *key, const struct str *texts, int n);

struct cJSON *json_push_object(struct cJSON *array);
void json_push_text(struct cJSON *array, struct str text);

/* Keys of this object and of all below it, in byte order. */
void json_sort_keys(struct cJSON *tree);

#endif
