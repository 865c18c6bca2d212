#include "render/row_deflate.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_END = 256,
    LENGTH_CODES = 29,
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    WINDOW_BYTES = 1 << 15,
    HEADER_CODES = 19,
    HEADER_LIMIT = 7,
    ALL_CODES = DEFLATE_LITERALS + DEFLATE_DISTANCES,
    ADLER = 65521,
    /* A token has a word; above it the code of a distance, the rest of the distance,
     * and how many more of its kind follow: long matches are many times 258. */
    CODE_AT = 9,
    EXTRA_AT = CODE_AT + 5,
    MORE_AT = EXTRA_AT + 13,
    MORE_MAX = 32,
    NO_DISTANCE = DEFLATE_DISTANCES, /* of a literal: a code of no bits */
    /* From so many bytes on a match is taken without a look for another. */
    RUN_PLAIN = 32,
    ABOVE_PLAIN = 16
};

/* A word whose lowest byte is the first in memory. */
static uint64_t lowest_first(uint64_t v)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap64(v);
}

static uint64_t word_at(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return lowest_first(v);
}

/* ---- lengths and distances as codes (RFC 1951, 3.2.5) ---- */

static const uint16_t length_from[LENGTH_CODES] = {
    3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[LENGTH_CODES] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                                   1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                                   4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint8_t distance_extra[NO_DISTANCE + 1] = {
    0, 0, 0, 0, 1, 1, 2,  2,  3,  3,  4,  4,  5,  5,  6, 6,
    7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 0};

/* The symbol of each word. */
static void make_symbols(uint16_t symbol[DEFLATE_WORDS])
{
    int code = 0;
    for (int k = 0; k < BLOCK_END; k++)
        symbol[k] = (uint16_t)k;
    for (int k = BLOCK_END; k < DEFLATE_WORDS; k++) {
        int length = k - BLOCK_END + MATCH_MIN;
        while (code + 1 < LENGTH_CODES && length >= length_from[code + 1])
            code++;
        symbol[k] = (uint16_t)(BLOCK_END + 1 + code);
    }
}

/* The part of a match's token that says how far away it is. */
static uint32_t distance_token(ptrdiff_t distance)
{
    uint32_t v = (uint32_t)distance - 1;
    if (v < 2)
        return v << CODE_AT;
    unsigned high = 31 - (unsigned)__builtin_clz(v), extra = high - 1;
    return (2 * high + (v >> extra & 1)) << CODE_AT | (v & ((1u << extra) - 1))
                                                          << EXTRA_AT;
}

/* ---- bits ---- */

/* At most 48 bits. Eight bytes are written each time, of which the whole ones stay. */
static inline void put_bits(struct deflate_bits *b, uint64_t bits, unsigned n)
{
    b->left |= bits << b->n_left;
    b->n_left += n;
    uint64_t bytes = lowest_first(b->left);
    memcpy(b->at, &bytes, sizeof bytes);
    b->at += b->n_left / 8;
    b->left >>= b->n_left / 8 * 8;
    b->n_left %= 8;
}

static void flush_bytes(struct row_deflate *d)
{
    out_bytes(d->o, d->byte, d->bits.at - d->byte);
    d->bits.at = d->byte;
}

/* ---- Huffman codes ---- */

struct code {
    uint16_t bits[DEFLATE_LITERALS]; /* as they are put: the first bit lowest */
    uint8_t length[DEFLATE_LITERALS];
};

struct leaf {
    int32_t count;
    int symbol;
};

/* The symbols that occur, the rarest first. */
static int leaves_of(const int32_t *count, int n, struct leaf *leaf)
{
    int used = 0;
    for (int s = 0; s < n; s++) {
        if (!count[s])
            continue;
        int at = used++;
        for (; at > 0 && leaf[at - 1].count > count[s]; at--)
            leaf[at] = leaf[at - 1];
        leaf[at] = (struct leaf){count[s], s};
    }
    return used;
}

/* Depth of each leaf in the tree of Huffman; the deepest. Nodes are made in the order
 * of their sums, so the two lightest are at the heads of two queues. */
static int tree_depths(const struct leaf *leaf, int n, uint8_t *length)
{
    int32_t sum[DEFLATE_LITERALS];
    int parent[2 * DEFLATE_LITERALS], depth[2 * DEFLATE_LITERALS];
    int next_leaf = 0, next_node = 0, most = 0;
    for (int made = 0; made < n - 1; made++) {
        sum[made] = 0;
        for (int k = 0; k < 2; k++) {
            bool take_leaf = next_leaf < n && (next_node == made ||
                                               leaf[next_leaf].count <= sum[next_node]);
            sum[made] += take_leaf ? leaf[next_leaf].count : sum[next_node];
            parent[take_leaf ? next_leaf++ : n + next_node++] = n + made;
        }
    }
    depth[2 * n - 2] = 0;
    for (int k = 2 * n - 3; k >= 0; k--)
        depth[k] = depth[parent[k]] + 1;
    for (int k = 0; k < n; k++) {
        length[leaf[k].symbol] = (uint8_t)depth[k];
        most = depth[k] > most ? depth[k] : most;
    }
    return most;
}

static unsigned reversed(unsigned bits, int n)
{
    unsigned to = 0;
    for (int k = 0; k < n; k++)
        to |= (bits >> k & 1) << (n - 1 - k);
    return to;
}

/* The code of `n` symbols, at least two of which occur. Where it would be longer than
 * the format allows, the rare ones are made less rare: `count` changes. */
static void make_code(struct code *c, int32_t *count, int n, int limit)
{
    struct leaf leaf[DEFLATE_LITERALS];
    int used = leaves_of(count, n, leaf);
    memset(c, 0, sizeof *c);
    while (tree_depths(leaf, used, c->length) > limit) {
        for (int s = 0; s < n; s++)
            count[s] = (count[s] + 1) / 2;
        leaves_of(count, n, leaf);
    }
    unsigned of_length[DEFLATE_LIMIT + 2] = {0}, next[DEFLATE_LIMIT + 2] = {0};
    for (int s = 0; s < n; s++)
        of_length[c->length[s]]++;
    of_length[0] = 0;
    for (int k = 1; k <= limit; k++)
        next[k] = (next[k - 1] + of_length[k - 1]) << 1;
    for (int s = 0; s < n; s++)
        if (c->length[s])
            c->bits[s] = (uint16_t)reversed(next[c->length[s]]++, c->length[s]);
}

/* ---- a block ---- */

/* The lengths of both codes, runs shortened (RFC 1951, 3.2.7); returns how many. */
static int pack_lengths(const uint8_t *length, int n, uint8_t *symbol, uint8_t *extra)
{
    int at = 0;
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && length[end] == length[i] && end - i < 138;)
            end++;
        int run = end - i;
        if (length[i] && run > 3) { /* one, and then at most six again */
            run = run > 7 ? 7 : run;
            end = i + run;
            symbol[at] = length[i];
            extra[at++] = 0;
            symbol[at] = 16;
            extra[at++] = (uint8_t)(run - 4);
        } else if (!length[i] && run >= 3) {
            symbol[at] = run > 10 ? 18 : 17;
            extra[at++] = (uint8_t)(run > 10 ? run - 11 : run - 3);
        } else {
            end = i + 1;
            symbol[at] = length[i];
            extra[at++] = 0;
        }
    }
    return at;
}

static void put_header(struct row_deflate *d, const struct code *literal,
                       const struct code *distance)
{
    static const uint8_t order[HEADER_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    static const uint8_t extra_bits[HEADER_CODES] = {[16] = 2, [17] = 3, [18] = 7};
    uint8_t all[ALL_CODES], symbol[ALL_CODES], extra[ALL_CODES];
    int32_t count[HEADER_CODES] = {0};
    struct code header;
    memcpy(all, literal->length, DEFLATE_LITERALS);
    memcpy(all + DEFLATE_LITERALS, distance->length, DEFLATE_DISTANCES);
    int n = pack_lengths(all, ALL_CODES, symbol, extra);
    for (int k = 0; k < n; k++)
        count[symbol[k]]++;
    make_code(&header, count, HEADER_CODES, HEADER_LIMIT);
    put_bits(&d->bits, DEFLATE_LITERALS - 257, 5);
    put_bits(&d->bits, DEFLATE_DISTANCES - 1, 5);
    put_bits(&d->bits, HEADER_CODES - 4, 4);
    for (int k = 0; k < HEADER_CODES; k++)
        put_bits(&d->bits, header.length[order[k]], 3);
    for (int k = 0; k < n; k++) {
        put_bits(&d->bits, header.bits[symbol[k]], header.length[symbol[k]]);
        put_bits(&d->bits, extra[k], extra_bits[symbol[k]]);
    }
}

/* What is put for a word, extra bits of a length behind its code. */
struct word {
    uint32_t bits;
    unsigned n;
};

static void make_words(const struct row_deflate *d, const struct code *code,
                       struct word word[DEFLATE_WORDS])
{
    for (int k = 0; k < DEFLATE_WORDS; k++) {
        int symbol = d->symbol[k], l = symbol - BLOCK_END - 1;
        word[k] = (struct word){code->bits[symbol], code->length[symbol]};
        if (l < 0)
            continue;
        word[k].bits |= (uint32_t)(k - BLOCK_END + MATCH_MIN - length_from[l])
                        << word[k].n;
        word[k].n += length_extra[l];
    }
}

static void put_tokens(struct row_deflate *d, const struct word *word,
                       const struct code *distance)
{
    struct deflate_bits b =
        d->bits; /* in registers: a seventh of the time of a block */
    for (int k = 0; k < d->n_tokens; k++) {
        if (b.at > d->byte + DEFLATE_BYTES) {
            d->bits = b;
            flush_bytes(d);
            b = d->bits;
        }
        /* Literals have a distance, too, of no bits: which is which nobody guesses. */
        uint32_t token = d->token[k], code = token >> CODE_AT & 31;
        struct word w = word[token % DEFLATE_WORDS];
        uint64_t bits = w.bits | (uint64_t)distance->bits[code] << w.n;
        w.n += distance->length[code];
        bits |= (uint64_t)(token >> EXTRA_AT & 0x1fff) << w.n;
        w.n += distance_extra[code];
        put_bits(&b, bits, w.n);
        for (uint32_t more = token >> MORE_AT; more > 0; more--)
            put_bits(&b, bits, w.n);
    }
    d->bits = b;
}

static void put_block(struct row_deflate *d, bool last)
{
    struct code literal, distance;
    struct word word[DEFLATE_WORDS];
    int32_t literals[DEFLATE_LITERALS] = {[BLOCK_END] = 1};
    for (int k = 0; k < DEFLATE_WORDS; k++)
        literals[d->symbol[k]] += d->words[k];
    d->distances[0]++; /* a code has two symbols at least */
    d->distances[1]++;
    make_code(&literal, literals, DEFLATE_LITERALS, DEFLATE_LIMIT);
    make_code(&distance, d->distances, DEFLATE_DISTANCES, DEFLATE_LIMIT);
    make_words(d, &literal, word);
    put_bits(&d->bits, last, 1);
    put_bits(&d->bits, 2, 2); /* with codes of its own */
    put_header(d, &literal, &distance);
    put_tokens(d, word, &distance);
    put_bits(&d->bits, literal.bits[BLOCK_END], literal.length[BLOCK_END]);
    memset(d->words, 0, sizeof d->words);
    memset(d->distances, 0, sizeof d->distances);
    d->n_tokens = 0;
}

/* ---- tokens ---- */

static void put_token(struct row_deflate *d, uint32_t token)
{
    if (d->n_tokens == DEFLATE_TOKENS)
        put_block(d, false);
    d->token[d->n_tokens++] = token;
}

/* `times` matches of one length. */
static void put_match(struct row_deflate *d, ptrdiff_t length, ptrdiff_t times,
                      uint32_t away)
{
    uint32_t word = (uint32_t)(BLOCK_END + length - MATCH_MIN);
    put_token(d, word | away | (uint32_t)(times - 1) << MORE_AT);
    d->words[word] += (int32_t)times;
    d->distances[away >> CODE_AT & 31] += (int32_t)times;
    d->length -= length * times;
}

static void flush_match(struct row_deflate *d)
{
    uint32_t away = distance_token(d->distance);
    while (d->length >= 2 * MATCH_MAX) {
        ptrdiff_t times = d->length / MATCH_MAX - 1;
        put_match(d, MATCH_MAX, times < MORE_MAX ? times : MORE_MAX, away);
    }
    if (d->length > MATCH_MAX) { /* so that the rest is a match, too */
        ptrdiff_t n = d->length - MATCH_MIN;
        put_match(d, n < MATCH_MAX ? n : MATCH_MAX, 1, away);
    }
    if (d->length)
        put_match(d, d->length, 1, away);
}

/* Matches at one distance that follow each other are one. */
static inline void add_match(struct row_deflate *d, ptrdiff_t length,
                             ptrdiff_t distance)
{
    if (d->length && d->distance != distance)
        flush_match(d);
    d->distance = distance;
    d->length += length;
}

static inline void add_literal(struct row_deflate *d, uint8_t byte)
{
    if (d->length)
        flush_match(d);
    put_token(d, byte | (uint32_t)NO_DISTANCE << CODE_AT);
    d->words[byte]++;
}

/* ---- rows ---- */

#define FIRST_3 0xffffffu /* bytes of a word: fewer are no match, or not worth one */
#define FIRST_6 0xffffffffffffu

/* How many of the first n bytes are alike, of which eight are known to be. */
static ptrdiff_t alike_on(const uint8_t *a, const uint8_t *b, ptrdiff_t n)
{
    ptrdiff_t i = 8;
    while (i + 32 <= n && !((word_at(a + i) ^ word_at(b + i)) |
                            (word_at(a + i + 8) ^ word_at(b + i + 8)) |
                            (word_at(a + i + 16) ^ word_at(b + i + 16)) |
                            (word_at(a + i + 24) ^ word_at(b + i + 24))))
        i += 32;
    for (; i < n; i += 8) {
        uint64_t differ = word_at(a + i) ^ word_at(b + i);
        if (!differ)
            continue;
        i += __builtin_ctzll(differ) / 8;
        break;
    }
    return i < n ? i : n;
}

/* How many of the first n bytes are alike; `differ` is where the first eight are not.
 * Reads up to seven more. */
static inline ptrdiff_t alike(const uint8_t *a, const uint8_t *b, uint64_t differ,
                              ptrdiff_t n)
{
    if (!differ)
        return alike_on(a, b, n);
    ptrdiff_t i = __builtin_ctzll(differ) / 8;
    return i < n ? i : n;
}

/* Where the same eight bytes began that begin at `p`, and for how long; 0: not seen.
 * Remembers them. Letters of a line repeat: a seventh of the bytes saved. */
static ptrdiff_t seen_before(struct row_deflate *d, const uint8_t *all,
                             const uint8_t *p, ptrdiff_t n, ptrdiff_t *distance)
{
    uint64_t hash = word_at(p) * 0x9e3779b97f4a7c15u;
    int32_t *slot = &d->recent[hash >> (64 - DEFLATE_RECENT_BITS)];
    ptrdiff_t at = p - all, from = *slot - 1;
    *slot = (int32_t)(at + 1);
    *distance = at - from;
    if (from < 0 || *distance >= WINDOW_BYTES)
        return 0;
    return alike(p, all + from, word_at(p) ^ word_at(all + from), n);
}

/* The bytes from `p` to `end`, which are not the first. Of what could stand for the
 * next of them the one is taken that saves most bits, by what each costs as a rule. A
 * letter is sought where it begins, right of the ground. `stride` is 1 where nothing is
 * above. */
static void add_bytes(struct row_deflate *d, const uint8_t *all, const uint8_t *p,
                      const uint8_t *end, ptrdiff_t stride)
{
    for (ptrdiff_t n = 1, away = 0; p < end; p += n) {
        ptrdiff_t left = end - p;
        uint64_t word = word_at(p), run_differs = word ^ word_at(p - 1);
        uint64_t above_differs = word ^ word_at(p - stride);
        n = 1;
        /* Most bytes of a letter: one branch, and not one for each that could be. */
        if (run_differs & FIRST_3 && above_differs & FIRST_6 && p[-1]) {
            add_literal(d, *p);
            continue;
        }
        ptrdiff_t run = alike(p, p - 1, run_differs, left);
        if (run >= RUN_PLAIN) {
            add_match(d, n = run, 1);
            continue;
        }
        ptrdiff_t above = alike(p, p - stride, above_differs, left);
        ptrdiff_t before = p[-1] == 0 && above < ABOVE_PLAIN && left >= 8
                               ? seen_before(d, all, p, left, &away)
                               : 0;
        ptrdiff_t saves_run = run >= MATCH_MIN ? 6 * run - 8 : 0;
        ptrdiff_t saves_above = 6 * above - 30, saves_before = 6 * before - 21;
        if (saves_run > 0 && saves_run >= saves_above && saves_run >= saves_before)
            add_match(d, n = run, 1);
        else if (saves_above > 0 && saves_above >= saves_before)
            add_match(d, n = above, stride);
        else if (saves_before > 0)
            add_match(d, n = before, away);
        else
            add_literal(d, *p);
    }
}

/* A row that differs from the one above. What does not is the same as there, if it is
 * long enough for a match. */
static void add_row(struct row_deflate *d, const uint8_t *all, ptrdiff_t start,
                    ptrdiff_t stride, struct row_change c)
{
    const uint8_t *row = all + start;
    ptrdiff_t from = c.from < MATCH_MIN ? 0 : c.from;
    ptrdiff_t to = stride - c.to < MATCH_MIN ? stride : c.to;
    if (from)
        add_match(d, from, stride);
    add_bytes(d, all, row + from, row + to, stride);
    if (to < stride)
        add_match(d, stride - to, stride);
}

static bool is_ground(const uint8_t *row, ptrdiff_t n)
{
    return row[0] == 0 && memcmp(row, row + 1, (size_t)n - 1) == 0;
}

/* ---- the frame ---- */

/* What a row adds to both halves of an Adler-32, remainders not yet taken: a byte to
 * the first, and to the second as often as it is not yet followed by the row's end. */
struct sum {
    int64_t low, high;
};

static struct sum sum_row(const uint8_t *row, ptrdiff_t stride)
{
    struct sum s = {0, 0};
    for (ptrdiff_t i = 0; i < stride; i++)
        s.high += s.low += row[i];
    return s;
}

/* Make the sums of the row above those of this row, by what differs. A product adds up
 * the four bytes in every other place of a word, or each as often as it counts; 255
 * more keep differences from being negative. A sixth of the time of zlib's sum over all
 * bytes. */
static void change_sum(struct sum *s, const uint8_t *row, ptrdiff_t stride,
                       struct row_change c)
{
    const uint64_t each = 0x0001000100010001u, even = 0x00ff00ff00ff00ffu;
    const uint8_t *p = row + c.from, *was = p - stride;
    int64_t low = 0, high = 0;
    ptrdiff_t i = 0, n = c.to - c.from;
    for (; i + 8 <= n; i += 8) {
        uint64_t v = word_at(p + i), w = word_at(was + i);
        high += 8 * low;
        if (v == w)
            continue;
        uint64_t a = (v & even) + even - (w & even);
        uint64_t b = (v >> 8 & even) + even - (w >> 8 & even);
        high += (int64_t)(a * 0x0008000600040002u >> 48) - 255 * (8 + 6 + 4 + 2);
        high += (int64_t)(b * 0x0007000500030001u >> 48) - 255 * (7 + 5 + 3 + 1);
        low += (int64_t)((a + b) * each >> 48) - 255 * 8;
    }
    for (; i < n; i++)
        high += low += p[i] - was[i];
    s->low += low;
    s->high += high + low * (stride - c.to);
}

/* The halves of an Adler-32, sixteen bits each, the first byte first. */
static void put_sum(struct out *o, uint64_t low, uint64_t high)
{
    uint64_t sum = high << 16 | low;
    for (int shift = 24; shift >= 0; shift -= 8)
        out_char(o, (char)(sum >> shift & 0xff));
}

static void start(struct row_deflate *d, const uint8_t *rows, ptrdiff_t stride,
                  struct out *o)
{
    d->o = o;
    memset(d->recent, 0, sizeof d->recent);
    make_symbols(d->symbol);
    d->bits = (struct deflate_bits){.at = d->byte};
    put_bits(&d->bits, 0x0178, 16); /* deflate, a window of 32 KB, the quickest level */
    add_literal(d, rows[0]);
    add_bytes(d, rows, rows + 1, rows + stride, 1);
}

void row_deflate(struct row_deflate *d, const uint8_t *rows, ptrdiff_t stride,
                 int height, const struct row_change *change, struct out *o)
{
    assert(stride >= MATCH_MIN && stride < WINDOW_BYTES && height > 0 &&
           height < INT32_MAX / stride);
    struct sum sum = sum_row(rows, stride);
    uint64_t low = 1, high = 0;
    bool ground = is_ground(rows, stride);
    start(d, rows, stride, o);
    for (int y = 0; y < height; y++) {
        const uint8_t *row = rows + y * stride;
        if (y > 0 && change[y].from < change[y].to) {
            change_sum(&sum, row, stride, change[y]);
            ground = is_ground(row, stride);
            add_row(d, rows, y * stride, stride, change[y]);
        } else if (y > 0) {
            add_match(d, stride, ground ? 1 : stride);
        }
        high = (high + (uint64_t)stride * low + (uint64_t)sum.high) % ADLER;
        low = (low + (uint64_t)sum.low) % ADLER;
    }
    if (d->length)
        flush_match(d);
    put_block(d, true); /* leaves nothing to count */
    put_bits(&d->bits, 0, -d->bits.n_left % 8);
    flush_bytes(d);
    put_sum(o, low, high);
}
