/* job_replay.c - the replay of ranks as a program: nodes in, lengths of runs out.
 *
 * Reads numbers from standard input: how many nodes, how many instances, how many
 * ranks; then for each node, those of a rank by start: its rank, its instance or -1,
 * the nodes before it or -1 (two), its gap, its length, and the length it would have in
 * the middle, in ns. Then lines of ranks, each a set that keeps its own lengths while
 * all others have those of the middle; "-" means none and "*" all. Prints the length of
 * each run. */
#include "job/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
    struct replay_graph g;
};

static bool read_nodes(struct arena *a, struct input *in)
{
    int n, n_instances;
    if (scanf("%d %d %d", &n, &n_instances, &in->g.n_ranks) != 3 || n < 1 ||
        n > 10000000)
        return false;
    in->g.n = n;
    in->g.n_instances = n_instances;
    in->g.nodes = arena_new(a, struct replay_node, n);
    for (int i = 0; i < n; i++) {
        struct replay_node *x = &in->g.nodes[i];
        double middle;
        if (scanf("%d %d %d %d %lf %lf %lf", &x->rank, &x->instance, &x->before[0],
                  &x->before[1], &x->gap_ns, &x->dur_ns, &middle) != 7)
            return false;
        x->fixed = 1;
        x->middle = x->dur_ns > 0 ? (float)(middle / x->dur_ns) : 1;
    }
    return true;
}

/* Modes of all ranks: those named keep what they have. */
static void read_modes(struct input *in, char *line, uint8_t *mode)
{
    memset(mode, line[0] == '*' ? REPLAY_AS_IS : REPLAY_MIDDLE, (size_t)in->g.n_ranks);
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
        int rank = atoi(word);
        if (*word >= '0' && *word <= '9' && rank < in->g.n_ranks)
            mode[rank] = REPLAY_AS_IS;
    }
}

int main(void)
{
    struct arena perm = arena_reserve(arena_machine_bytes() / 4),
                 tmp = arena_reserve(arena_machine_bytes() / 4);
    struct input in = {0};
    char line[65536];
    if (!read_nodes(&perm, &in) || !fgets(line, sizeof line, stdin))
        return 2;
    in.g.scales_tails = true;
    replay_prepare(&perm, tmp, &in.g);
    if (in.g.n_order != in.g.n)
        return 3;
    uint8_t *mode = arena_new(&perm, uint8_t, in.g.n_ranks);
    while (fgets(line, sizeof line, stdin)) {
        struct replay_change c = {.mode = mode};
        double end_ns;
        read_modes(&in, line, mode);
        replay_run(&in.g, tmp, &c, 1, &end_ns);
        printf("%.0f\n", end_ns);
    }
    return 0;
}
