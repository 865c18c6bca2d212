/* The tables of the host, for traces without device work. */
#include "report/sheets_parts.h"
#include "report/table_fields.h"

COLUMNS(host_figures, host_row,
        COL_IN(COUNT, AS("Calls", calls, COUNT), "How often it was called."),
        COL_IN(MS, AS("Self time (ms)", self_ns, NS_IN_MS),
               "Time in it, without what it calls of this table."),
        COL_IN(PERCENT, AS("Self time (%)", self_pct, PCT),
               "Its share of all self time here."),
        COL_IN(MS, AS("Total time (ms)", total_ns, NS_IN_MS),
               "Time in it, with what it calls; calls inside itself count once."),
        COL_IN(MS, AS("Longest call (ms)", most_ns, NS_IN_MS),
               "The longest of its calls."));
COLUMNS(operator_columns, host_row, COL(AS("Operator", name, NAME), "Its name."),
        WITH(host_figures));
COLUMNS(module_columns, host_row,
        COL(AS("Module", name, NAME), "The class of the module."), WITH(host_figures));

struct report_table sheet_host_operators(struct arena *perm, const struct op_tables *t)
{
    const struct host_profile *h = t->host;
    return table_told(perm, "host_operators",
                      "An operator, runtime call or other host event.",
                      operator_columns(), TABLE_ITEMS(h->operators, h->n_operators), h);
}

struct report_table sheet_host_modules(struct arena *perm, const struct op_tables *t)
{
    const struct host_profile *h = t->host;
    return table_told(perm, "host_modules",
                      "A class of modules, over all its instances.", module_columns(),
                      TABLE_ITEMS(h->modules, h->n_modules), h);
}

static double busy_pct(const struct described *in)
{
    const struct host_thread *row = in->of;
    const struct host_profile *h = in->whole;
    return h->span_ns > 0 ? 100.0 * (double)row->busy_ns / (double)h->span_ns : 0;
}

TELL(struct str, thread_name, host_thread, it->name.n ? it->name : it->process);
COLUMNS(thread_columns, host_thread, COL(AS("Thread", tid, NAME), "Its number."),
        COL(CALL(Name, NAME, thread_name), "Its name, where it is recorded."),
        COL_IN(COUNT, AS("Events", events, COUNT), "Host events recorded on it."),
        COL_IN(MS, AS("Busy (ms)", busy_ns, NS_IN_MS), "Time in any recorded event."),
        COL_IN(PERCENT, CALL_AS("Busy (%)", PCT, busy_pct),
               "The same, of the recording."),
        COL_IN(MS, AS("In operators (ms)", operator_ns, NS_IN_MS),
               "Time in operators and calls."));

struct report_table sheet_host_threads(struct arena *perm, const struct op_tables *t)
{
    const struct host_profile *h = t->host;
    return table_told(perm, "host_threads", "A thread with recorded host events.",
                      thread_columns(), TABLE_ITEMS(h->threads, h->n_threads), h);
}
