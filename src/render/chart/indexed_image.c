#include "render/chart/indexed_image.h"

#include "base/arena.h"
#include "base/touch_ahead.h"

#include <assert.h>
#include <string.h>

/* A blend this close to a colour of the table reuses that colour. Squared distance:
 * five steps of 255 in each channel. */
enum { NEAR = 75 };

void image_open(struct indexed_image *m, struct arena *a, int width, int height_max)
{
    memset(m, 0, sizeof *m);
    m->width = width;
    m->height_max = height_max;
    m->stride = width + 1;
    m->rows = arena_take_raw(a, 1, IMAGE_PAD, m->stride * height_max + IMAGE_PAD);
}

void image_start(struct indexed_image *m, int height, uint32_t ground,
                 const uint32_t ink[IMAGE_INKS])
{
    assert(height <= m->height_max);
    m->height = height;
    ptrdiff_t bytes = m->stride * height + IMAGE_PAD;
    touch_ahead(m->rows, bytes, m->rows + bytes);
    memset(m->rows, 0, (size_t)bytes);
    memcpy(m->ink, ink, sizeof m->ink);
    memset(m->ramp, 0, sizeof m->ramp);
    memset(m->whole, 0, sizeof m->whole);
    m->n_kept = IMAGE_INKS;
    memset(m->blend, 0, sizeof m->blend);
    m->colour[0] = ground;
    m->n_colours = 1;
}

int image_parts(int cover)
{
    return (cover + 8) / 17;
}

static int channel(uint32_t colour, int shift)
{
    return (int)(colour >> shift & 0xff);
}

static uint32_t mix(uint32_t under, uint32_t ink, int parts)
{
    uint32_t to = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int v =
            channel(under, shift) * (IMAGE_FULL - parts) + channel(ink, shift) * parts;
        to |= (uint32_t)((v + IMAGE_FULL / 2) / IMAGE_FULL) << shift;
    }
    return to;
}

static int distance(uint32_t a, uint32_t b)
{
    int sum = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int d = channel(a, shift) - channel(b, shift);
        sum += d * d;
    }
    return sum;
}

/* A close colour of the table, or else the colour itself as a new entry; in a full
 * table the nearest. */
static uint8_t find_colour(struct indexed_image *m, uint32_t colour)
{
    int best = 0, best_distance = INT32_MAX;
    for (int i = 0; i < m->n_colours && best_distance > NEAR; i++) {
        int d = distance(colour, m->colour[i]);
        if (d < best_distance) {
            best = i;
            best_distance = d;
        }
    }
    if (best_distance > NEAR && m->n_colours < IMAGE_COLOURS - m->n_kept) {
        best = m->n_colours++;
        m->colour[best] = colour;
    }
    return (uint8_t)best;
}

/* Adjacent colours of an ink over the ground; false: no room. */
static bool make_ramp(struct indexed_image *m, int ink)
{
    if (m->ramp[ink])
        return true;
    if (m->whole[ink] || m->n_colours + IMAGE_FULL > IMAGE_COLOURS - (m->n_kept - 1))
        return false;
    m->n_kept--;
    m->ramp[ink] = (uint8_t)m->n_colours;
    for (int parts = 1; parts <= IMAGE_FULL; parts++) {
        m->blend[ink][parts][0] = (uint8_t)m->n_colours;
        m->colour[m->n_colours++] = mix(m->colour[0], m->ink[ink], parts);
    }
    return true;
}

static uint8_t whole_colour(struct indexed_image *m, int ink)
{
    if (!m->whole[ink]) {
        m->n_kept--;
        m->whole[ink] = (uint8_t)m->n_colours;
        m->colour[m->n_colours++] = m->ink[ink];
    }
    return m->whole[ink];
}

static uint8_t new_blend(struct indexed_image *m, int ink, int parts, uint8_t under)
{
    uint8_t to;
    if (make_ramp(m, ink) && (under == 0 || parts == IMAGE_FULL))
        to = (uint8_t)(m->ramp[ink] + parts - 1);
    else if (parts == IMAGE_FULL)
        to = whole_colour(m, ink);
    else
        to = find_colour(m, mix(m->colour[under], m->ink[ink], parts));
    return m->blend[ink][parts][under] = to;
}

/* For loops over pixels, few of which are the first of their kind. */
static inline void blend_pixel(struct indexed_image *m, uint8_t *pixel, int ink,
                               int parts)
{
    uint8_t to = m->blend[ink][parts][*pixel];
    *pixel = to ? to : new_blend(m, ink, parts, *pixel);
}

static uint8_t *pixel_at(const struct indexed_image *m, int x, int y)
{
    return m->rows + m->stride * y + 1 + x;
}

static int clamp(double v, int most)
{
    return v > 0 ? v < most ? (int)v : most : 0;
}

static struct image_box clipped(const struct indexed_image *m, struct image_box at)
{
    int left = clamp(at.x, m->width), right = clamp((double)at.x + at.w, m->width);
    int top = clamp(at.y, m->height), bottom = clamp((double)at.y + at.h, m->height);
    return (struct image_box){left, top, right - left, bottom - top};
}

/* The ink itself, fully opaque. */
static uint8_t solid(struct indexed_image *m, int ink)
{
    uint8_t pixel = 0;
    blend_pixel(m, &pixel, ink, IMAGE_FULL);
    return pixel;
}

static uint64_t word_at(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

void image_mask(struct indexed_image *m, struct image_box at, const uint8_t *cover,
                ptrdiff_t stride, int ink)
{
    struct image_box b = clipped(m, at);
    uint8_t pixel = solid(m, ink);
    for (int y = 0; y < b.h; y++) {
        const uint8_t *from = cover + stride * (b.y + y - at.y) + b.x - at.x;
        uint8_t *to = pixel_at(m, b.x, b.y + y);
        for (int x = 0; x < b.w; x++) {
            uint64_t word = b.w - x >= 8 ? word_at(from + x) : 1;
            if (word == 0) { /* a box around a slope is nearly empty */
                x += 7;
                continue;
            }
            if (word == UINT64_MAX) { /* and an area nearly full */
                memset(to + x, pixel, 8);
                x += 7;
            } else if (from[x] > 8) {
                blend_pixel(m, to + x, ink, image_parts(from[x]));
            }
        }
    }
}

/* Eight pixels of a letter. Nearly all stand on the ground, and a ramp is consecutive:
 * there a pixel is its part and where the ramp begins. */
static void stamp_word(struct indexed_image *m, uint8_t *to, const uint8_t *parts,
                       int ink)
{
    const uint64_t each = 0x0101010101010101u;
    uint64_t v = word_at(parts), inked = ((v + 0x7f * each) >> 7) & each;
    if (v && word_at(to) == 0) {
        v += inked * (m->ramp[ink] - 1u);
        memcpy(to, &v, sizeof v);
        return;
    }
    for (int i = 0; v && i < 8; i++)
        if (parts[i])
            blend_pixel(m, to + i, ink, parts[i]);
}

void image_stamp(struct indexed_image *m, struct image_box at, const uint8_t *parts,
                 ptrdiff_t stride, int ink)
{
    struct image_box b = clipped(m, at);
    bool whole = make_ramp(m, ink) && b.w == at.w && b.h == at.h;
    for (int y = 0; y < b.h; y++) {
        const uint8_t *from = parts + stride * (b.y + y - at.y) + b.x - at.x;
        uint8_t *to = pixel_at(m, b.x, b.y + y);
        for (int x = 0; whole && x < b.w; x += 8)
            stamp_word(m, to + x, from + x, ink);
        for (int x = 0; !whole && x < b.w; x++)
            if (from[x])
                blend_pixel(m, to + x, ink, from[x]);
    }
}
