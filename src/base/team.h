/* team.h - the same work on several threads at once.
 *
 * The members share what they are given and take their parts of it under locks of
 * their own; who does which part must not matter to the result. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

enum { TEAM_MAX = 64 };

/* Calls `work` for members 0 to n - 1, of which member 0 is the caller, and returns
 * when all have. A member whose thread cannot be created has its turn before the
 * others. */
void team_run(int n, void (*work)(void *context, int member), void *context);

#endif
