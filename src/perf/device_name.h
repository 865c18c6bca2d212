/* device_name.h - the names of one device, as vendors, profilers and people spell them.
 *
 * "NVIDIA GeForce RTX 3060", "RTX3060"; "NVIDIA A100-SXM4-80GB", "A100-PCIE-80GB": the
 * words of the vendor tell nothing, the size of memory and the form of the board are
 * hints at a variant, and "Ti", "Laptop" or "Ada" make it another device. */
#ifndef PERF_DEVICE_NAME_H
#define PERF_DEVICE_NAME_H

#include "base/str.h"

enum { DEVICE_WORDS = 12, DEVICE_NAME_BYTES = 96 };

struct device_words {
    struct {
        int at, n; /* in `text` */
    } word[DEVICE_WORDS];
    int n;
    char
        text[DEVICE_NAME_BYTES]; /* the words in lower case, without anything between */
    double memory_gb;            /* 0: the name has no size */
    char form;                   /* 's'xm, 'p'cie, 'n'vl, server 'e'dition; 0: none */
    struct str arch;             /* "gfx942", of the name given; or empty */
};

/* What lies behind "@" and DEVICE_NAME_BYTES does not count. */
void device_words_of(struct str name, struct device_words *w);

/* Whether the words of a device are in a name, side by side, and nothing else in it
 * makes it another device. Memory and form are not compared. */
bool device_words_match(const struct device_words *device,
                        const struct device_words *name);

/* Whether `name` begins like the device, as "RTX 4090 D" does like "RTX 4090": a near
 * relative, or a variant. A laptop's is none. */
bool device_words_near(const struct device_words *device,
                       const struct device_words *name);

/* Of all words together. */
int device_words_bytes(const struct device_words *w);

#endif
