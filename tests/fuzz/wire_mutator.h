/* wire_mutator.h - changes a protobuf message as its writer could have: a field of any
 * nested message at a time, the lengths around it written anew, so that most attempts
 * get past the outermost message. Now and then the fuzzer changes bytes instead. The
 * first byte of an attempt is no part of the message. */
#ifndef WIRE_MUTATOR_H
#define WIRE_MUTATOR_H

#include "formats/wire.h"

#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { MESSAGE_MOST = 1 << 17, LEVELS_MOST = 12 };

struct piece {
    size_t from, to;
};

/* A field, and where its message lies in the one around it. */
struct place {
    struct piece around[LEVELS_MOST]; /* fields whole, the outermost first */
    size_t body[LEVELS_MOST];         /* where what is in them begins */
    int depth;
    struct piece field;
    uint32_t number;
    enum wire_type type;
};

static uint32_t random_below(uint64_t *state, size_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % (n ? n : 1));
}

static bool is_message(struct str bytes)
{
    struct wire w = wire_of(bytes);
    struct wire_field f;
    while (wire_next(&w, &f))
        if (!f.number)
            return false;
    return bytes.n > 1 && !w.broken;
}

/* One of the fields of a message, every one as likely. */
static bool field_of(struct place *p, const uint8_t *data, struct piece message,
                     struct str *inside, uint64_t *random)
{
    struct wire w = {data + message.from, data + message.to, false};
    struct wire_field f;
    const uint8_t *from = w.at;
    uint32_t n = 0;
    for (; wire_next(&w, &f); from = w.at) {
        if (random_below(random, ++n) != 0)
            continue;
        p->field = (struct piece){(size_t)(from - data), (size_t)(w.at - data)};
        p->number = f.number;
        p->type = f.type;
        *inside = f.type == WIRE_BYTES ? f.bytes : S("");
    }
    return n > 0;
}

static bool place_in(struct place *p, const uint8_t *data, size_t size,
                     uint64_t *random)
{
    struct piece message = {0, size};
    struct str inside = S("");
    p->depth = 0;
    while (field_of(p, data, message, &inside, random)) {
        bool deeper = p->depth < LEVELS_MOST && is_message(inside) &&
                      random_below(random, 8) != 0;
        if (!deeper)
            return true;
        size_t body = (size_t)((const uint8_t *)inside.p - data);
        p->around[p->depth] = p->field;
        p->body[p->depth++] = body;
        message = (struct piece){body, p->field.to};
    }
    return false;
}

static size_t add_varint(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        to[n++] = (uint8_t)(v | 0x80);
    to[n++] = (uint8_t)v;
    return n;
}

static size_t add_number(uint8_t *to, uint32_t number, uint64_t *random)
{
    static const uint64_t odd[] = {0,          1,
                                   2,          3,
                                   127,        INT32_MAX,
                                   UINT32_MAX, INT64_MAX,
                                   1ull << 63, UINT64_MAX,
                                   1ull << 40, 1000000000,
                                   64,         4611686018427387904u};
    enum { ODD = sizeof odd / sizeof *odd };
    uint32_t k = random_below(random, ODD + 4);
    uint64_t v = k < ODD ? odd[k] : random_below(random, 64);
    size_t n = add_varint(to, (uint64_t)number << 3 | WIRE_VARINT);
    return n + add_varint(to + n, v);
}

/* What comes in place of a field: nothing, it and another, a number, other bytes. */
static size_t changed(uint8_t *to, size_t room, const uint8_t *data,
                      const struct place *p, const struct place *other,
                      uint64_t *random)
{
    size_t own = p->field.to - p->field.from,
           theirs = other->field.to - other->field.from;
    const uint8_t *ours = data + p->field.from, *them = data + other->field.from;
    if (own + theirs + 40 > room)
        return 0;
    uint32_t kind = random_below(random, 8);
    if (kind == 0)
        return 0;
    if (kind <= 2) { /* beside it, or for it */
        memcpy(to, ours, own);
        memcpy(to + own * (kind == 1), them, theirs);
        return own * (kind == 1) + theirs;
    }
    if (p->type == WIRE_VARINT || kind == 3)
        return add_number(to, p->number, random);
    if (kind == 4 && own > 1) { /* under another number, most are small */
        to[0] = (uint8_t)((random_below(random, 15) + 1) << 3 | (ours[0] & 7));
        size_t key = 1 + (ours[0] >= 0x80);
        memcpy(to + 1, ours + key, own - key);
        return own - key + 1;
    }
    memcpy(to, ours, own);
    return LLVMFuzzerMutate(to, own, own + 20);
}

/* The fields around what was changed, the innermost first, each with its length. */
static size_t wrapped(uint8_t *message, size_t n, const uint8_t *data,
                      const struct place *p)
{
    static uint8_t next[2 * MESSAGE_MOST];
    struct piece inner = p->field;
    for (int k = p->depth - 1; k >= 0; k--) {
        size_t before = inner.from - p->body[k], after = p->around[k].to - inner.to;
        struct wire w = {data + p->around[k].from, data + p->around[k].to, false};
        struct wire_field f = {0};
        wire_next(&w, &f);
        size_t at = add_varint(next, (uint64_t)f.number << 3 | WIRE_BYTES);
        at += add_varint(next + at, before + n + after);
        memcpy(next + at, data + p->body[k], before);
        memcpy(next + at + before, message, n);
        memcpy(next + at + before + n, data + inner.to, after);
        n += at + before + after;
        memcpy(message, next, n);
        inner = p->around[k];
    }
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static uint8_t made[2 * MESSAGE_MOST];
    uint64_t random = seed * 2654435761u + 1;
    struct place p, other;
    if (size < 2 || size > MESSAGE_MOST / 2 || random_below(&random, 16) == 0 ||
        !place_in(&p, data + 1, size - 1, &random) ||
        !place_in(&other, data + 1, size - 1, &random))
        return LLVMFuzzerMutate(data, size, most);
    uint8_t *message = data + 1;
    size_t n = changed(made, MESSAGE_MOST, message, &p, &other, &random);
    n = wrapped(made, n, message, &p);
    struct piece outer = p.depth ? p.around[0] : p.field;
    size_t after = size - 1 - outer.to;
    if (1 + outer.from + n + after > most)
        return size;
    memmove(message + outer.from + n, message + outer.to, after);
    memcpy(message + outer.from, made, n);
    return 1 + outer.from + n + after;
}

#endif
