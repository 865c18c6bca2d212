/* record_guess.h - guesses the text of a record up to the next value that varies, then
 * compares.
 *
 * Phase, category, process and thread of a record are most often those of one a moment
 * ago. Where member_guess.h remembers one member at a time, this remembers the text
 * from the end of one value that varies to the start of the next, such as
 * `, "pid": 12, "tid": 7, "ts": `, with what it says of the event. If the same bytes
 * come again, all of that is known; anything else is read member by member and then
 * remembered. */
#ifndef TRACE_RECORD_GUESS_H
#define TRACE_RECORD_GUESS_H

#include "trace/event.h"
#include "trace/member_guess.h"

enum {
    PIECE_WORDS = 8,
    PIECE_BYTES = 8 * PIECE_WORDS, /* may be read behind the end of the text */
    PIECES_MAX = 64                /* that are remembered; one more, and all are new */
};

/* What a text says of the event, besides which member comes next. Places are from the
 * start of the text. */
struct piece_facts {
    bool has_ph, has_cat, has_pid, has_tid;
    char ph;
    uint8_t pid_at, pid_n, tid_at, tid_n;
    enum event_cat cat;
};

/* What followed: last time, and before that. */
struct piece_list {
    struct record_piece *at[2];
};

struct record_piece {
    uint64_t text[PIECE_WORDS], mask[PIECE_WORDS]; /* as in struct member */
    int n;
    struct member *member; /* whose value follows */
    int meaning;           /* of that, as then */
    struct piece_facts facts;
    struct piece_list next;
    struct piece_list record; /* if it began a record: what began the next one */
};

struct record_guess {
    struct record_piece other;  /* a text that was too long */
    struct record_piece *first; /* of the last record */
    int n;
    struct record_piece at[PIECES_MAX];
};

void pieces_open(struct record_guess *g);

/* Remembers the text, and in the list that it came there. */
struct record_piece *piece_learn(struct record_guess *g, struct piece_list *list,
                                 struct str text, const struct piece_facts *facts,
                                 struct member *member);

static inline void piece_tell(const struct piece_facts *f, const char *p,
                              struct event *ev)
{
    if (f->has_ph)
        ev->ph = f->ph;
    if (f->has_cat)
        ev->cat = f->cat;
    if (f->has_pid)
        ev->pid = (struct str){p + f->pid_at, f->pid_n};
    if (f->has_tid)
        ev->tid = (struct str){p + f->tid_at, f->tid_n};
}

/* The piece of the list that the text at p begins with, which tells the event, or NULL:
 * nothing known comes next. */
static inline struct record_piece *piece_next(const struct piece_list *list,
                                              struct event *ev, const char *p)
{
    for (int k = 0; k < 2; k++) {
        struct record_piece *piece = list->at[k];
        if (!piece || !words_are(piece->text, piece->mask, 2, p))
            continue;
        if (piece->n > 16 && /* every other one is not */
            !words_are(piece->text + 2, piece->mask + 2, PIECE_WORDS - 2, p + 16))
            continue;
        piece_tell(&piece->facts, p, ev);
        return piece;
    }
    return NULL;
}

#endif
