/* record_mutator.h - changes a trace as its writer could have: a token or a record at a
 * time, so that most attempts get past the reader. Now and then the fuzzer changes
 * bytes instead. */
#ifndef RECORD_MUTATOR_H
#define RECORD_MUTATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

struct piece {
    size_t from, to;
};

static uint32_t random_below(uint64_t *state, size_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % (n ? n : 1));
}

/* The token at `at` or after: a text with its quotes, or a number or word. */
static struct piece token_at(const uint8_t *p, size_t n, size_t at)
{
    while (at < n && !(p[at] == '"' || p[at] == '-' || (p[at] >= '0' && p[at] <= '9')))
        at++;
    size_t to = at + (at < n);
    if (at < n && p[at] == '"') {
        for (; to < n && p[to] != '"'; to++)
            to += p[to] == '\\';
        to += to < n;
    } else {
        while (to < n && !memchr(",]}: \n", p[to], 6))
            to++;
    }
    return (struct piece){at, to < n ? to : n};
}

/* The record around `at`: from a brace to its end, strings passed over. */
static struct piece record_at(const uint8_t *p, size_t n, size_t at)
{
    while (at > 0 && !(p[at] == '{' && at > 0 &&
                       (p[at - 1] == ',' || p[at - 1] == '[' || p[at - 1] == '\n')))
        at--;
    size_t to = at;
    int depth = 0;
    for (bool text = false; to < n; to++) {
        if (p[to] == '\\' && text)
            to++;
        else if (p[to] == '"')
            text = !text;
        else if (!text && (p[to] == '{' || p[to] == '['))
            depth++;
        else if (!text && (p[to] == '}' || p[to] == ']') && --depth <= 0)
            break;
    }
    return (struct piece){at, to < n ? to + 1 : n};
}

/* Puts `text` in place of a piece, if it fits. */
static size_t put_over(uint8_t *p, size_t n, size_t most, struct piece at,
                       const char *text, size_t length)
{
    if (n - (at.to - at.from) + length > most)
        return n;
    memmove(p + at.from + length, p + at.to, n - at.to);
    memcpy(p + at.from, text, length);
    return n - (at.to - at.from) + length;
}

static const char *const words[] = {
    "0",
    "-1",
    "1e300",
    "1e-300",
    "9223372036854775807",
    "-9223372036854775808",
    "2305843009213693952",
    "18446744073709551615",
    "0.0009999999",
    "4294967296",
    "2147483647",
    "true",
    "null",
    "[]",
    "{}",
    "[[[]]]",
    "\"\"",
    "\"kernel\"",
    "\"cpu_op\"",
    "\"cuda_runtime\"",
    "\"gpu_memcpy\"",
    "\"python_function\"",
    "\"user_annotation\"",
    "\"gpu_user_annotation\"",
    "\"ac2g\"",
    "\"fwdbwd\"",
    "\"X\"",
    "\"f\"",
    "\"s\"",
    "\"M\"",
    "\"aten::mm\"",
    "\"aten::convolution\"",
    "\"aten::_scaled_dot_product_flash_attention\"",
    "\"ts\"",
    "\"dur\"",
    "\"correlation\"",
    "\"External id\"",
    "\"Input Dims\"",
    "\"Input type\"",
    "\"Concrete Inputs\"",
    "\"stream\"",
    "\"Sequence number\"",
    "\"Python parent id\"",
    "\"ProfilerStep#7\"",
    "\"hipGraphLaunch\"",
    "\"ncclDevKernel_AllReduce\"",
    "\"In msg nelems\"",
    "\"Memcpy HtoD (Host -> Device)\"",
    "\"hipDeviceSynchronize\"",
    "\"autograd::engine::evaluate_function: AddBackward0\"",
    "\"\\u0000\\ud800\\u202e</script>\"",
    "\"((1, 2), (-3, 4))\"",
    "[[0,0],[-1,2]]",
    "[[9223372036854775807,16]]"};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t state = seed * 2654435761u + 1;
    enum { KINDS = 8 };
    uint32_t kind = random_below(&state, KINDS);
    if (size < 8 || kind == 0)
        return LLVMFuzzerMutate(data, size, most);
    static char other[1 << 16];
    struct piece to = token_at(data, size, random_below(&state, size));
    struct piece from = token_at(data, size, random_below(&state, size));
    if (kind >= 5) { /* a record: again, elsewhere, or gone */
        to = record_at(data, size, to.from < size ? to.from : size - 1);
        from = record_at(data, size, from.from < size ? from.from : size - 1);
    }
    if (kind <= 2) {
        const char *word = words[random_below(&state, sizeof words / sizeof *words)];
        return put_over(data, size, most, to, word, strlen(word));
    }
    size_t n = from.to - from.from;
    if (n + 1 >= sizeof other || (kind == 5 && size < 4096))
        return size;
    memcpy(other, data + from.from, n);
    if (kind >= 6) { /* a copy in front of the record */
        other[n++] = ',';
        to.to = to.from;
    }
    return put_over(data, size, most, to, other, kind == 5 ? 0 : n);
}

#endif
