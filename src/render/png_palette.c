#include "render/png_palette.h"

enum { FLAT_PIXELS = 200, KEYS_MAX = PALETTE_SLOTS / 2 };

static unsigned slot_of(const struct png_palette *p, uint32_t colour)
{
    unsigned slot = colour * 2654435761u >> 19; /* Knuth's multiplicative hash */
    while (p->key[slot] && p->key[slot] != colour + 1)
        slot = (slot + 1) % PALETTE_SLOTS;
    return slot;
}

bool palette_count(struct png_palette *p, const uint32_t *pixels, int width, int times)
{
    for (int i = 0, end; i < width; i = end) {
        uint32_t colour = pixels[i] & 0xffffff;
        for (end = i + 1; end < width && (pixels[end] & 0xffffff) == colour;)
            end++;
        unsigned slot = slot_of(p, colour);
        if (!p->key[slot]) {
            if (p->n_keys == KEYS_MAX)
                return false;
            p->n_keys++;
            p->key[slot] = colour + 1;
        }
        p->count[slot] += (end - i) * times;
    }
    return true;
}

/* Each channel to the nearest multiple of `step`, white staying white. */
static uint32_t rounded(uint32_t colour, uint32_t step)
{
    uint32_t to = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        uint32_t v = (colour >> shift & 0xff) + step / 2;
        v = v / step * step;
        to |= (v > 255 ? 255 : v) << shift;
    }
    return to;
}

/* The index of a colour of the table, added when it is new; -1: full. */
static int add_colour(struct png_palette *p, uint32_t colour)
{
    for (int i = 0; i < p->n; i++)
        if (p->colour[i] == colour)
            return i;
    if (p->n == PALETTE_COLOURS)
        return -1;
    p->colour[p->n] = colour;
    return p->n++;
}

static bool choose(struct png_palette *p, uint32_t step)
{
    p->n = 0;
    for (int slot = 0; slot < PALETTE_SLOTS; slot++) {
        if (!p->key[slot])
            continue;
        uint32_t colour = p->key[slot] - 1;
        int at = add_colour(p, p->count[slot] >= FLAT_PIXELS ? colour
                                                             : rounded(colour, step));
        if (at < 0)
            return false;
        p->index[slot] = (uint8_t)at;
    }
    return true;
}

bool palette_choose(struct png_palette *p)
{
    return choose(p, 16) || choose(p, 32) || choose(p, 64);
}

void palette_map(const struct png_palette *p, const uint32_t *pixels, uint8_t *to,
                 int width)
{
    uint32_t last = ~0u; /* no colour: the top byte is clear in all of them */
    uint8_t index = 0;
    for (int i = 0; i < width; i++) {
        uint32_t colour = pixels[i] & 0xffffff;
        if (colour != last) { /* runs of one colour are long */
            last = colour;
            index = p->index[slot_of(p, colour)];
        }
        to[i] = index;
    }
}
