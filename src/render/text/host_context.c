#include "render/text/host_context.h"

#include "report/report_fields.h"

enum { LISTED = 25 };

static struct json_member rows_of(const char *key, const struct host_row *rows,
                                  int32_t n)
{
    cJSON *list = json_list();
    for (int32_t k = 0; k < n && k < LISTED; k++)
        json_put(context_lend(context_push(list), host_row_fields(), &rows[k], NULL),
                 N(&rows[k], name));
    return context_listed(key, list, n - LISTED);
}

static struct json_member threads_of(const struct host_profile *h)
{
    cJSON *list = json_list();
    for (int32_t k = 0; k < h->n_threads && k < LISTED; k++) {
        const struct host_thread *t = &h->threads[k];
        json_put(context_lend(context_push(list), host_thread_fields(), t, NULL),
                 context_name("name", t->name.n ? t->name : t->tid),
                 M("busy_pct", h->span_ns > 0
                                   ? 100.0 * (double)t->busy_ns / (double)h->span_ns
                                   : 0.0));
    }
    return context_listed("threads", list, h->n_threads - LISTED);
}

void host_context(cJSON *root, const struct report *r)
{
    const struct host_profile *h = r->host;
    if (!h || !(h->n_operators + h->n_modules)) {
        json_put(root, json_null("host"));
        return;
    }
    json_put(json_put_object(root, "host"),
             rows_of("operators", h->operators, h->n_operators),
             rows_of("modules", h->modules, h->n_modules), threads_of(h));
}
