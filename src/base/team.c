#include "base/team.h"

#include "base/beside.h"

struct member {
    struct beside beside;
    void (*work)(void *context, int member);
    void *context;
    int number;
};

static void begin(void *context)
{
    struct member *m = context;
    m->work(m->context, m->number);
}

void team_run(int n, void (*work)(void *context, int member), void *context)
{
    struct member others[TEAM_MAX];
    n = n < TEAM_MAX ? n : TEAM_MAX;
    for (int i = 1; i < n; i++) {
        others[i] = (struct member){.work = work, .context = context, .number = i};
        beside_start(&others[i].beside, true, begin, &others[i]);
    }
    work(context, 0);
    for (int i = 1; i < n; i++)
        beside_join(&others[i].beside);
}
