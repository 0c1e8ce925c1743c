/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Subcubes: their extents, the samples of a ray in one, and how they are stored.
 *
 * Every sample belongs to exactly one subcube, although positions are rounded. The first sample
 * beyond a face is guessed by division and then moved until the exact predicate of ray.h holds, and
 * both subcubes at the face ask the same function. So the last sample of one and the first of the
 * other are neighbours, whichever way the ray runs. For example, with a face at 4 and a ray
 * from 3.1 by 0.3 a sample, sample k lies at 3.25 + 0.3 k: the guess ceil((4 - 3.1) / 0.3 - 0.5) =
 * 3 (2.5 rounded up) lies at 4.15 and sample 2 at 3.85, so 3 is confirmed.
 */
#include "apps/volume/subcubes.h"

#include "layers/machine/machine.h"

#include <math.h>
#include <string.h>

int htmt__volume_subcubes_plan(const uint32_t dims[3], uint32_t edge, bool shaded, uint32_t voxel,
                               struct htmt__volume_subcubes *out, struct htmt_fault *fault)
{
    uint32_t least = htmt__volume_subcube_edge_least(shaded);
    if (edge < least)
        return htmt_fault_set(fault, HTMT_ERANGE, "--subcube: found %u, expected at least %u%s",
                              edge, least, shaded ? " with shading" : "");
    if (edge > HTMT__EDGE_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE, "--subcube: found %u, expected at most %d", edge,
                              HTMT__EDGE_MOST);
    struct htmt__volume_subcubes s = {
        .edge = edge, .halo = shaded, .cells = edge - 1 - 2 * (uint32_t)shaded, .voxel = voxel};
    double all = 1;
    for (int a = 0; a < 3; a++) {
        s.dims[a] = dims[a];
        s.count[a] = (dims[a] - 2) / s.cells + 1;
        all *= s.count[a];
    }
    if (all > UINT32_MAX)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--subcube: %u voxels a side make %.0f subcubes, expected fewer than "
                              "2^32",
                              edge, all);
    s.all = s.count[0] * s.count[1] * s.count[2];
    *out = s;
    return 0;
}

struct htmt__volume_extent htmt__volume_subcube_extent(const struct htmt__volume_subcubes *s, int a,
                                                       uint32_t n)
{
    uint32_t last = s->dims[a] - 1, first = n * s->cells, end = first + s->cells;
    end = end < last ? end : last;
    return (struct htmt__volume_extent){.first = first,
                                        .end = end,
                                        .low = first >= s->halo ? first - s->halo : 0,
                                        .high = end + s->halo < last ? end + s->halo : last};
}

struct htmt__volume_subcube htmt__volume_subcube_at(const struct htmt__volume_subcubes *s,
                                                    uint32_t number)
{
    struct htmt__volume_subcube c;
    for (int a = 0; a < 3; a++) {
        c.axis[a] = htmt__volume_subcube_extent(s, a, number % s->count[a]);
        number /= s->count[a];
    }
    return c;
}

uint64_t htmt__volume_subcube_voxels(const struct htmt__volume_subcube *c)
{
    uint64_t n = 1;
    for (int a = 0; a < 3; a++)
        n *= c->axis[a].high - c->axis[a].low + 1;
    return n;
}

uint64_t htmt__volume_subcubes_voxels(const struct htmt__volume_subcubes *s)
{
    uint64_t all = 1;
    for (int a = 0; a < 3; a++) {
        uint64_t along = 0;
        for (uint32_t n = 0; n < s->count[a]; n++) {
            struct htmt__volume_extent e = htmt__volume_subcube_extent(s, a, n);
            along += e.high - e.low + 1;
        }
        all *= along;
    }
    return all;
}

static uint64_t whole_words(uint64_t bytes)
{
    return (bytes + HTMT_WORD - 1) / HTMT_WORD * HTMT_WORD;
}

uint64_t htmt__volume_subcube_map_at(const struct htmt__volume_subcubes *s,
                                     const struct htmt__volume_subcube *c)
{
    return whole_words(htmt__volume_subcube_voxels(c) * s->voxel);
}

uint64_t htmt__volume_subcube_bytes(const struct htmt__volume_subcubes *s,
                                    const struct htmt__volume_subcube *c)
{
    uint64_t blocks = 1;
    for (int a = 0; a < 3; a++)
        blocks *= htmt__volume_subcube_blocks(&c->axis[a]);
    return htmt__volume_subcube_map_at(s, c) + whole_words((blocks + 7) / 8);
}

/* The largest subcube is one with neighbours on all sides and the full number of cells. */
uint64_t htmt__volume_subcube_stride(const struct htmt__volume_subcubes *s)
{
    uint64_t most = 0;
    for (uint32_t corner = 0; corner < 8; corner++) {
        struct htmt__volume_subcube c;
        for (int a = 0; a < 3; a++)
            c.axis[a] = htmt__volume_subcube_extent(s, a, (corner >> a & 1) && s->count[a] > 1);
        uint64_t bytes = htmt__volume_subcube_bytes(s, &c);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* ---- samples -------------------------------------------------------------------------------- */

static bool is_beyond(const struct htmt__volume_ray *r, int a, uint32_t k, float face)
{
    float p = r->at[a] + ((float)k + 0.5f) * r->step[a];
    return r->step[a] > 0 ? p >= face : p < face;
}

/* A guess by division, corrected by the predicate itself. */
uint32_t htmt__volume_subcube_first(const struct htmt__volume_ray *r, int a, uint32_t number)
{
    float face = (float)number, step = r->step[a];
    if (step == 0)
        return r->at[a] >= face ? 0 : r->samples;
    float guess = (face - r->at[a]) / step - 0.5f;
    uint32_t k = guess > 0 ? (uint32_t)fminf(ceilf(guess), (float)r->samples) : 0;
    while (k > 0 && is_beyond(r, a, k - 1, face))
        k--;
    while (k < r->samples && !is_beyond(r, a, k, face))
        k++;
    return k;
}

/* A sample before the volume's first face belongs to the first subcube, beyond its last face to the
 * last: rounding may put a sample there. */
static void span_of_axis(const struct htmt__volume_subcubes *s, const struct htmt__volume_extent *e,
                         const struct htmt__volume_ray *r, int a, uint32_t span[2])
{
    bool first = e->first == 0, last = e->end == s->dims[a] - 1;
    uint32_t low = first ? 0 : htmt__volume_subcube_first(r, a, e->first);
    uint32_t high = last ? r->samples : htmt__volume_subcube_first(r, a, e->end);
    if (r->step[a] > 0) {
        span[0] = low;
        span[1] = high;
    } else if (r->step[a] < 0) {
        span[0] = last ? 0 : high;
        span[1] = first ? r->samples : low;
    } else {
        span[0] = low;
        span[1] = last || high > 0 ? r->samples : 0;
    }
}

void htmt__volume_subcube_span(const struct htmt__volume_subcubes *s,
                               const struct htmt__volume_subcube *c,
                               const struct htmt__volume_ray *r, uint32_t span[2])
{
    span[0] = 0;
    span[1] = r->samples;
    for (int a = 0; a < 3; a++) {
        uint32_t one[2];
        span_of_axis(s, &c->axis[a], r, a, one);
        span[0] = one[0] > span[0] ? one[0] : span[0];
        span[1] = one[1] < span[1] ? one[1] : span[1];
    }
    if (span[1] < span[0])
        span[1] = span[0];
}

/* ---- voxels --------------------------------------------------------------------------------- */

/* The voxels around the cells [low, high) of each axis. */
static bool can_be_seen(const struct htmt__volume *v,
                        const struct htmt__volume_transfer_table *table, const uint32_t low[3],
                        const uint32_t high[3])
{
    float least = HUGE_VALF, most = -HUGE_VALF;
    for (size_t z = low[2] - v->below; z <= high[2] - v->below; z++)
        for (size_t y = low[1]; y <= high[1]; y++)
            for (size_t x = low[0]; x <= high[0]; x++) {
                float value =
                    htmt__volume_voxel_at(v->at, v->type, x + v->dims[0] * (y + v->dims[1] * z));
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
    return !htmt__volume_transfer_table_invisible(table, least, most);
}

bool htmt__volume_subcube_store(const struct htmt__volume_subcubes *s, const struct htmt__volume *v,
                                const struct htmt__volume_transfer_table *table, uint32_t number,
                                void *to)
{
    struct htmt__volume_subcube c = htmt__volume_subcube_at(s, number);
    uint8_t *map = to ? (uint8_t *)to + htmt__volume_subcube_map_at(s, &c) : NULL;
    uint32_t blocks[3], bit = 0;
    bool visible = false;
    const struct htmt__volume_extent *x = &c.axis[0], *y = &c.axis[1], *z = &c.axis[2];
    uint64_t row = (uint64_t)s->dims[0] * s->voxel, bytes = (x->high - x->low + 1ul) * s->voxel;
    const char *from = (const char *)v->at + x->low * (uint64_t)s->voxel;
    char *next = to;
    for (uint64_t k = z->low - v->below; to && k <= z->high - v->below; k++)
        for (uint64_t j = y->low; j <= y->high; j++, next += bytes)
            memcpy(next, from + (k * s->dims[1] + j) * row, bytes);
    for (int a = 0; a < 3; a++)
        blocks[a] = htmt__volume_subcube_blocks(&c.axis[a]);
    for (uint32_t n = 0; n < blocks[0] * blocks[1] * blocks[2]; n++, bit++) {
        uint32_t at[3] = {n % blocks[0], n / blocks[0] % blocks[1], n / blocks[0] / blocks[1]};
        uint32_t low[3], high[3];
        for (int a = 0; a < 3; a++) {
            low[a] = c.axis[a].first + at[a] * HTMT__BLOCK;
            high[a] = low[a] + HTMT__BLOCK < c.axis[a].end ? low[a] + HTMT__BLOCK : c.axis[a].end;
        }
        if (!can_be_seen(v, table, low, high))
            continue;
        visible = true;
        if (map)
            map[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    return visible;
}
