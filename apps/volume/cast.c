/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel of the SPELL: rays through one subcube.
 *
 * Interpolation dominates: 8 loads and 21 operations a sample, independent of other samples.
 * Accumulation must go front to back. So a ray takes its samples in strips of 16: positions, values
 * and levels of a strip are computed side by side, which compilers turn into vectors, and then one
 * after another is accumulated until the ray ends. A strip of which no sample has any opacity is
 * not accumulated, which changes nothing. What a strip computes beyond the end of its ray is
 * wasted, but not counted: charges are those of the samples taken.
 *
 * Before each strip the map of the subcube is asked whether the block of 8 x 8 x 8 cells at its
 * first sample shows anything. If not, all samples in that block are skipped at once. The strip
 * that follows may reach into further invisible blocks; it takes their samples, which add nothing.
 *
 * There is a function for each type of voxel, number of channels and shading, and each for every
 * width of vectors, so that the inner loops have no branches on what never changes.
 */
#include "apps/volume/cast.h"

#include "parcels/kernel.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* The same source for each width of vectors that a processor may have; with AVX-512 it is slower.
 */
#define EACH_WIDTH HTMT_CLONES("default", "avx2")

#define STRIP 16

/* Samples k ... k + 15 of a ray. */
struct strip {
    int32_t cell[3][STRIP];
    int32_t at[STRIP]; /* voxel of the cell's lower corner in the store */
    float f[3][STRIP];
    float corner[8][STRIP]; /* x fastest */
    float alpha[STRIP], light[3][STRIP];
};

/* A cast, spread out for the loops. */
struct scene {
    const struct htmt__volume_cast *cast;
    const uint8_t *map;
    int32_t low[3], first[3], last[3]; /* first stored voxel; cells */
    int32_t line, plane;               /* voxels */
    uint32_t blocks[3];
    float per[3], unit[3]; /* ray.h */
};

INLINE float mix(float u, float v, float f)
{
    return u + f * (v - u);
}

/* ---- positions ------------------------------------------------------------------------------ */

INLINE float position(const struct htmt__volume_path *ray, uint32_t k, int a)
{
    return ray->at[a] + ((float)k + 0.5f) * ray->step[a];
}

INLINE int32_t cell_of(float p, int32_t last)
{
    int32_t c = (int32_t)p;
    return c < last ? c : last;
}

/* Beyond `end` a strip repeats the last sample. */
INLINE void locate(const struct scene *s, const struct htmt__volume_path *ray, uint32_t k,
                   uint32_t end, struct strip *t)
{
    for (int a = 0; a < 3; a++)
        for (uint32_t j = 0; j < STRIP; j++) {
            uint32_t n = k + j < end ? k + j : end - 1;
            float p = ray->at[a] + ((float)(int32_t)n + 0.5f) * ray->step[a];
            t->cell[a][j] = cell_of(p, s->last[a]);
            t->f[a][j] = p - (float)t->cell[a][j];
        }
    for (uint32_t j = 0; j < STRIP; j++)
        t->at[j] = (t->cell[0][j] - s->low[0]) + (t->cell[1][j] - s->low[1]) * s->line +
                   (t->cell[2][j] - s->low[2]) * s->plane;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Two neighbours in one load. */
INLINE void fetch_bytes(const struct scene *s, struct strip *t)
{
    const uint8_t *stored = s->cast->stored;
    int32_t pair[4][STRIP];
    for (int j = 0; j < STRIP; j++)
        for (int i = 0; i < 4; i++) {
            const uint8_t *at = stored + t->at[j] + (i & 1) * s->line + (i >> 1) * s->plane;
            pair[i][j] = at[0] | at[1] << 8;
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < STRIP; j++) {
            t->corner[2 * i][j] = (float)(pair[i][j] & 255);
            t->corner[2 * i + 1][j] = (float)(pair[i][j] >> 8);
        }
}

INLINE void fetch(const struct scene *s, enum htmt__volume_voxel type, struct strip *t)
{
    if (type == HTMT__UINT8) {
        fetch_bytes(s, t);
        return;
    }
    for (int j = 0; j < STRIP; j++)
        for (int i = 0; i < 8; i++)
            t->corner[i][j] = htmt__volume_voxel_at(
                s->cast->stored, type,
                (size_t)(t->at[j] + (i & 1) + (i >> 1 & 1) * s->line + (i >> 2) * s->plane));
}

INLINE float inside(const struct strip *t, int j)
{
    float x[4];
    for (int i = 0; i < 4; i++)
        x[i] = mix(t->corner[2 * i][j], t->corner[2 * i + 1][j], t->f[0][j]);
    return mix(mix(x[0], x[1], t->f[1][j]), mix(x[2], x[3], t->f[1][j]), t->f[2][j]);
}

INLINE void appear(const struct scene *s, unsigned channels, struct strip *t)
{
    const struct htmt__volume_transfer_table *l = s->cast->table;
    const float *row = l->row;
    float last = (float)l->last, gain = l->gain, bias = l->bias, f[STRIP];
    int32_t at[STRIP], levels = 1 + (int32_t)channels;
    for (int j = 0; j < STRIP; j++) {
        float x = inside(t, j) * gain + bias;
        x = x > 0 ? x : 0;
        x = x < last ? x : last;
        int32_t n = (int32_t)x;
        f[j] = x - (float)n;
        at[j] = 2 * levels * n;
    }
    for (int j = 0; j < STRIP; j++)
        t->alpha[j] = row[at[j]] + f[j] * row[at[j] + levels];
    for (int i = 1; i < levels; i++)
        for (int j = 0; j < STRIP; j++)
            t->light[i - 1][j] = row[at[j] + i] + f[j] * row[at[j] + levels + i];
}

/* ---- shading -------------------------------------------------------------------------------- */

/* The places of the voxels before, of and behind the samples' cells along each axis, clamped to the
 * volume. */
struct around {
    int32_t at[3][4][STRIP];
};

INLINE void look_around(const struct scene *s, const struct strip *t, struct around *o)
{
    const int32_t stride[3] = {1, s->line, s->plane};
    for (int a = 0; a < 3; a++) {
        int32_t last = (int32_t)s->cast->subcubes->dims[a] - 1;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < STRIP; j++) {
                int32_t n = t->cell[a][j] + i - 1;
                n = n < 0 ? 0 : n;
                n = n > last ? last : n;
                o->at[a][i][j] = (n - s->low[a]) * stride[a];
            }
    }
}

/* The values at the samples' places in the neighbouring cells of an axis: behind (1) or before. `t`
 * is a strip of its own with the places. */
INLINE void look_beside(const struct scene *s, enum htmt__volume_voxel type, struct strip *t,
                        const struct around *o, int axis, int side, float value[STRIP])
{
    for (int i = 0; i < 8; i++) {
        int at[3] = {1 + (i & 1), 1 + (i >> 1 & 1), 1 + (i >> 2)};
        at[axis] += 2 * side - 1;
        for (int j = 0; j < STRIP; j++)
            t->corner[i][j] = htmt__volume_voxel_at(
                s->cast->stored, type,
                (size_t)(o->at[0][at[0]][j] + o->at[1][at[1]][j] + o->at[2][at[2]][j]));
    }
    for (int j = 0; j < STRIP; j++)
        value[j] = inside(t, j);
}

INLINE void find_cosines(const struct scene *s, enum htmt__volume_voxel type,
                         const struct htmt__volume_path *ray, uint32_t count, const struct strip *t,
                         float cosine[STRIP])
{
    float g[3][STRIP], l[3];
    struct around around;
    struct strip beside;
    look_around(s, t, &around);
    memcpy(beside.f, t->f, sizeof beside.f);
    for (int a = 0; a < 3; a++) {
        float behind[STRIP], before[STRIP];
        look_beside(s, type, &beside, &around, a, 1, behind);
        look_beside(s, type, &beside, &around, a, 0, before);
        for (int j = 0; j < STRIP; j++)
            g[a][j] = (behind[j] - before[j]) * s->per[a];
        l[a] = ray->step[a] * s->unit[a];
    }
    for (uint32_t j = 0; j < count; j++) {
        float q = (g[0][j] * g[0][j] + g[1][j] * g[1][j]) + g[2][j] * g[2][j];
        float d = fabsf((g[0][j] * l[0] + g[1][j] * l[1]) + g[2][j] * l[2]);
        cosine[j] = q > 0 ? fminf(d / sqrtf(q), 1) : 0;
    }
}

/* Number of the strip's samples until the ray ends. */
INLINE uint32_t until_end(const struct strip *t, uint32_t count, double limit, double through)
{
    uint32_t j = 0;
    for (; j < count && through > limit; j++)
        through -= through * (double)t->alpha[j];
    return j;
}

INLINE uint32_t shade(const struct scene *s, enum htmt__volume_voxel type, unsigned channels,
                      const struct htmt__volume_path *ray, uint32_t count, struct strip *t)
{
    const struct htmt__volume_shading *h = &s->cast->casting->shading;
    float cosine[STRIP];
    uint32_t shaded = 0;
    find_cosines(s, type, ray, count, t, cosine);
    for (uint32_t j = 0; j < count; j++) {
        if (!(t->alpha[j] > 0))
            continue;
        float power = cosine[j];
        for (unsigned i = 0; i < h->gloss; i++)
            power *= power;
        for (unsigned i = 0; i < channels; i++)
            t->light[i][j] = t->light[i][j] * (h->ambient + h->diffuse * cosine[j]) +
                             t->alpha[j] * (h->specular * power);
        shaded++;
    }
    return shaded;
}

/* ---- accumulation --------------------------------------------------------------------------- */

INLINE bool has_alpha(const struct strip *t)
{
    int32_t seen = 0;
    for (int j = 0; j < STRIP; j++)
        seen |= t->alpha[j] > 0;
    return seen;
}

/* Samples until the ray ended, all `count` of them when it did not. */
INLINE uint32_t accumulate(const struct strip *t, unsigned channels, uint32_t count, double limit,
                           struct htmt__volume_state *ray)
{
    double through = ray->through, colour[3] = {0};
    uint32_t j = 0;
    for (unsigned i = 0; i < channels; i++)
        colour[i] = ray->colour[i];
    for (; j < count && through > limit; j++) {
        for (unsigned i = 0; i < channels; i++)
            colour[i] += through * (double)t->light[i][j];
        through -= through * (double)t->alpha[j];
    }
    ray->through = through;
    for (unsigned i = 0; i < channels; i++)
        ray->colour[i] = colour[i];
    return j;
}

/* ---- blocks --------------------------------------------------------------------------------- */

INLINE uint32_t block_of(const struct scene *s, const struct htmt__volume_path *ray, uint32_t k)
{
    uint32_t block[3];
    for (int a = 0; a < 3; a++)
        block[a] = (uint32_t)(cell_of(position(ray, k, a), s->last[a]) - s->first[a]) / HTMT__BLOCK;
    return block[0] + s->blocks[0] * (block[1] + s->blocks[1] * block[2]);
}

/* Number of samples from k on, before `end`, in the block of sample k. This is a guess; the last of
 * the samples must confirm it. */
INLINE uint32_t in_block(const struct scene *s, const struct htmt__volume_path *ray, uint32_t k,
                         uint32_t end, uint32_t block)
{
    float steps = (float)(end - k - 1);
    for (int a = 0; a < 3; a++) {
        float p = position(ray, k, a);
        int32_t in = (cell_of(p, s->last[a]) - s->first[a]) / HTMT__BLOCK * HTMT__BLOCK;
        float face = (float)(s->first[a] + in + (ray->step[a] > 0 ? HTMT__BLOCK : 0));
        float n = (face - p) / ray->step[a];
        steps = ray->step[a] != 0 && n < steps ? n : steps;
    }
    uint32_t more = steps > 0 ? (uint32_t)steps : 0;
    while (more && block_of(s, ray, k + more) != block)
        more--;
    return 1 + more;
}

INLINE bool is_visible(const struct scene *s, uint32_t block)
{
    return s->map[block / 8] >> block % 8 & 1;
}

/* ---- rays ----------------------------------------------------------------------------------- */

/* The samples [k, end) of a ray. */
INLINE void cast_ray(const struct scene *s, enum htmt__volume_voxel type, unsigned channels,
                     bool shaded, const struct htmt__volume_path *path, uint32_t k, uint32_t end,
                     struct htmt__volume_state *ray, struct htmt__volume_cast_work *work)
{
    const double limit = s->cast->casting->limit;
    while (k < end && ray->through > limit) {
        uint32_t block = block_of(s, path, k);
        if (!is_visible(s, block)) {
            uint32_t n = in_block(s, path, k, end, block);
            work->skipped += n;
            work->skips++;
            k += n;
            continue;
        }
        struct strip t;
        uint32_t count = end - k < STRIP ? end - k : STRIP;
        locate(s, path, k, end, &t);
        fetch(s, type, &t);
        appear(s, channels, &t);
        if (has_alpha(&t)) {
            if (shaded) {
                count = until_end(&t, count, limit, ray->through);
                work->shaded += shade(s, type, channels, path, count, &t);
            }
            count = accumulate(&t, channels, count, limit, ray);
        }
        work->taken += count;
        k += count;
    }
    ray->next = k;
}

INLINE void cast_list(const struct scene *s, enum htmt__volume_voxel type, unsigned channels,
                      bool shaded, const struct htmt__volume_path *path, char *state, uint64_t rays,
                      bool *alive, struct htmt__volume_cast_work *work)
{
    const double limit = s->cast->casting->limit;
    for (uint64_t i = 0; i < rays; i++, state += htmt__volume_state_bytes(channels)) {
        struct htmt__volume_state *ray = (struct htmt__volume_state *)(void *)state;
        struct htmt__volume_ray whole = {.samples = ray->end};
        uint32_t span[2] = {0, 0};
        for (int a = 0; a < 3; a++) {
            whole.at[a] = path[i].at[a];
            whole.step[a] = path[i].step[a];
        }
        if (ray->through > limit && ray->next < ray->end)
            htmt__volume_subcube_span(s->cast->subcubes, &s->cast->subcube, &whole, span);
        if (span[0] < span[1]) {
            cast_ray(s, type, channels, shaded, &path[i], span[0], span[1], ray, work);
            work->rays++;
        }
        alive[i] = ray->through > limit && ray->next < ray->end;
    }
}

/* One function for each: compilers do worse with one function for all. */
#define VARIANT(name, type, channels, shaded)                                                      \
    EACH_WIDTH static void name(const struct scene *s, const struct htmt__volume_path *path,       \
                                char *state, uint64_t rays, bool *alive,                           \
                                struct htmt__volume_cast_work *work)                               \
    {                                                                                              \
        cast_list(s, type, channels, shaded, path, state, rays, alive, work);                      \
    }
#define VARIANTS(name, type)                                                                       \
    VARIANT(name##_grey, type, 1, false)                                                           \
    VARIANT(name##_grey_shaded, type, 1, true)                                                     \
    VARIANT(name##_colour, type, 3, false)                                                         \
    VARIANT(name##_colour_shaded, type, 3, true)
VARIANTS(uint8, HTMT__UINT8)
VARIANTS(int16, HTMT__INT16)
VARIANTS(uint16, HTMT__UINT16)
VARIANTS(float32, HTMT__FLOAT32)

typedef void variant(const struct scene *, const struct htmt__volume_path *, char *, uint64_t,
                     bool *, struct htmt__volume_cast_work *);
#define ROW(name)                                                                                  \
    {                                                                                              \
        name##_grey, name##_grey_shaded, name##_colour, name##_colour_shaded                       \
    }

static void spread(const struct htmt__volume_cast *c, struct scene *s)
{
    const struct htmt__volume_extent *e = c->subcube.axis;
    *s = (struct scene){.cast = c,
                        .map = (const uint8_t *)c->stored +
                               htmt__volume_subcube_map_at(c->subcubes, &c->subcube),
                        .line = (int32_t)(e[0].high - e[0].low + 1)};
    s->plane = s->line * (int32_t)(e[1].high - e[1].low + 1);
    for (int a = 0; a < 3; a++) {
        s->low[a] = (int32_t)e[a].low;
        s->first[a] = (int32_t)e[a].first;
        s->last[a] = (int32_t)e[a].end - 1;
        s->blocks[a] = htmt__volume_subcube_blocks(&e[a]);
        s->per[a] = (float)(1 / c->casting->spacing[a]);
        s->unit[a] = (float)(c->casting->spacing[a] / c->casting->step);
    }
}

void htmt__volume_cast_rays(const struct htmt__volume_cast *c, const struct htmt__volume_path *path,
                            void *state, uint64_t rays, bool *alive,
                            struct htmt__volume_cast_work *work)
{
    static variant *const each[][4] = {
        [HTMT__UINT8] = ROW(uint8),
        [HTMT__INT16] = ROW(int16),
        [HTMT__UINT16] = ROW(uint16),
        [HTMT__FLOAT32] = ROW(float32),
    };
    unsigned kind = (c->table->channels > 1 ? 2u : 0u) + c->casting->shading.on;
    struct scene s;
    spread(c, &s);
    *work = (struct htmt__volume_cast_work){0};
    each[c->type][kind](&s, path, state, rays, alive, work);
}

void htmt__volume_cast_add(struct htmt__volume_cast_work *sum,
                           const struct htmt__volume_cast_work *work)
{
    sum->rays += work->rays;
    sum->taken += work->taken;
    sum->shaded += work->shaded;
    sum->skipped += work->skipped;
    sum->skips += work->skips;
}

struct htmt_ops htmt__volume_casting_ops(const struct htmt__volume_cast_work *w, unsigned channels,
                                         const struct htmt__volume_shading *shading)
{
    uint64_t levels = 1 + channels, words = 3 + 2 + channels;
    struct htmt_ops ops = {0};
    ops.n[HTMT_FLOP] = w->taken * (7 + 3 + 21 + 3 + 4 * levels) +
                       w->shaded * (132 + 21 + 3 * channels + shading->gloss) + w->skips * 9 +
                       w->rays * 18;
    ops.n[HTMT_IOP] = w->taken * 7 + w->skips * 6;
    ops.n[HTMT_LOAD] = w->taken * (8 + levels) + w->shaded * 48 + w->skips + w->rays * words;
    ops.n[HTMT_STORE] = w->rays * (words - 3);
    return ops;
}

const char *htmt__volume_cast_kernel_set(void)
{
    __builtin_cpu_init();
    return HTMT_HAS_CLONES && __builtin_cpu_supports("avx2") ? "ray caster AVX2"
                                                             : "ray caster baseline";
}
