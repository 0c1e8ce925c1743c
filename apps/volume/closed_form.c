/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/closed_form.h"

#include "apps/volume/counts.h"

#include <inttypes.h>
#include <math.h>

typedef struct htmt__volume_prediction prediction;

/* The input of the parts below: the average parcel of all, of a slice or of a bundle. */
struct form {
    const struct htmt_machine *m;
    const struct htmt__volume_plan *p;
    const struct htmt__volume_load *load;
    uint64_t voxels, rays, samples; /* rounded */
};

static uint64_t average(uint64_t all, uint64_t parcels)
{
    return parcels ? htmt__volume_share(1, all, parcels) : 0;
}

static struct form form_of(const struct form *f, const struct htmt__volume_part *part)
{
    struct form of = *f;
    of.voxels = average(part->voxels, part->parcels);
    of.rays = average(part->rays, part->parcels);
    of.samples = average(part->samples, part->parcels);
    return of;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* As counts.h, for a parcel that need not be a cube. */
static uint64_t voxel_words(const struct form *f)
{
    const struct htmt__volume_plan *p = f->p;
    struct htmt__volume_subcube c = htmt__volume_subcube_at(&p->subcubes, 0);
    uint64_t map = htmt__volume_voxel_words(p, &c) -
                   htmt__ceil_div(htmt__volume_subcube_voxels(&c) * p->voxel_bytes, HTMT_WORD);
    return htmt__ceil_div(f->voxels * p->voxel_bytes, HTMT_WORD) +
           map * f->voxels / htmt__volume_subcube_voxels(&c);
}

static uint64_t inject_words(const struct form *f)
{
    uint64_t ray = htmt__volume_path_words() + htmt__volume_state_words(f->p);
    return f->p->charges.code_words + voxel_words(f) + ray * f->rays;
}

static uint64_t gather_words(const struct form *f)
{
    uint64_t ray = f->p->problem.rays_in_dram ? htmt__volume_dram_words(f->p) : 0;
    return f->p->charges.code_words + voxel_words(f) + ray * f->rays;
}

/* Words of the image, or of the cost file. */
static uint64_t scatter_words(const struct form *f)
{
    const struct htmt__volume_problem *o = &f->p->problem;
    uint64_t bytes = (uint64_t)o->width * o->height * o->frames * o->channels * sizeof(float);
    if (f->p->charges.from_file)
        return f->p->charges.scatter_words;
    return htmt__ceil_div(average(bytes, f->load->parcels), HTMT_WORD);
}

static struct htmt__volume_step serve(const struct form *f, uint32_t layer, struct htmt_ops ops)
{
    htmt_time time = htmt_machine_work(f->m, layer, &ops);
    return (struct htmt__volume_step){0, time, time, htmt_machine_servers(f->m, layer)};
}

static struct htmt__volume_step move(const struct form *f, uint32_t network, uint32_t from,
                                     uint32_t to, uint64_t words)
{
    const struct htmt_network *n = &f->m->network[network];
    htmt_time out = htmt_machine_out_time(f->m, network, from, to, words, 1, 1), length;
    htmt_time in = htmt_machine_in_time(f->m, network, to, words, 1);
    htmt_time longest = out > in ? out : in;
    if (out < 0 || in < 0 || __builtin_add_overflow(longest, n->latency, &length))
        length = out = -1;
    uint32_t channels = n->port[from].out ? n->port[from].out : 1;
    return (struct htmt__volume_step){words, out, words ? length : 0, channels};
}

/* As if the average parcel were a subcube of its own. */
static struct htmt_ops assemble_ops(const struct form *f)
{
    const struct htmt__volume_charges *k = &f->p->charges;
    struct htmt__volume_subcube none = {0};
    struct htmt_ops ops = htmt__volume_assemble_ops(f->p, &none, 0);
    uint64_t whole = k->code_words + 2 * k->ray_words * k->rays +
                     htmt__ceil_div(k->edge * k->edge * k->edge * k->voxel_bytes, HTMT_WORD);
    uint64_t part = inject_words(f) + htmt__volume_eject_words(f->p) * f->rays;
    if (k->from_file)
        ops.n[HTMT_CYCLE] = htmt__volume_share(k->assemble, part, whole);
    return ops;
}

static void evaluate(const struct form *f, struct htmt__volume_step *s)
{
    const struct htmt__volume_plan *p = f->p;
    struct htmt__volume_cast_work work = {.rays = f->rays, .taken = f->samples};
    struct htmt__volume_shading none = {.on = false};
    uint64_t lines = (uint64_t)sqrt((double)f->rays);
    s[HTMT__VOLUME_ASSEMBLE] = serve(f, p->outer, assemble_ops(f));
    s[HTMT__VOLUME_GATHER] = move(f, p->down, p->outer, p->middle, gather_words(f));
    s[HTMT__VOLUME_DISPATCH] = serve(f, p->middle, htmt__volume_dispatch_ops(p, f->rays, lines));
    s[HTMT__VOLUME_INJECT] = move(f, p->up, p->middle, p->inner, inject_words(f));
    s[HTMT__VOLUME_CAST] = serve(f, p->inner, htmt__volume_cast_ops(p, &work, &none));
    s[HTMT__VOLUME_EJECT] =
        move(f, p->up, p->inner, p->middle, htmt__volume_eject_words(p) * f->rays);
    s[HTMT__VOLUME_RETIRE] = serve(f, p->middle, htmt__volume_retire_ops(p, f->rays));
    s[HTMT__VOLUME_SCATTER] = move(f, p->down, p->middle, p->outer, scatter_words(f));
}

/* From DRAM to another slice's DRAM; no time with one slice. */
static struct htmt__volume_step exchange(const struct form *f, uint64_t words)
{
    uint32_t outer = f->p->outer;
    int network = htmt_machine_route(f->m, outer, outer, true);
    if (f->p->slices == 1 || network < 0)
        return (struct htmt__volume_step){.parallel = 1};
    return move(f, (uint32_t)network, outer, outer, words);
}

static struct htmt_ops visit_list_ops(const struct form *f,
                                      const struct htmt__volume_visit_work *work)
{
    return f->p->charges.from_file ? (struct htmt_ops){0}
                                   : htmt__volume_visit_list_ops(work, f->p->problem.channels);
}

static void evaluate_once(const struct form *f, struct htmt__volume_step *s)
{
    const struct htmt__volume_plan *p = f->p;
    const struct htmt__volume_load *l = f->load;
    uint64_t view = sizeof(struct htmt__volume_camera) / HTMT_WORD;
    struct htmt__volume_tile tile = htmt__volume_tiling_at(&p->tiling, 0);
    uint64_t rays = (uint64_t)tile.width * tile.height;
    uint64_t ray =
        htmt__volume_state_words(p) + (p->problem.rays_in_dram ? 0 : htmt__volume_path_words());
    uint64_t pixels = htmt__volume_scatter_words(p, &tile, average(l->parcels, l->bundles));
    s[HTMT__VOLUME_VIEW] = exchange(f, view);
    s[HTMT__VOLUME_AGREE] = serve(f, p->outer, htmt__volume_agree_ops(p, view));
    s[HTMT__VOLUME_STRIP] = serve(f, p->outer, visit_list_ops(f, &l->strip));
    s[HTMT__VOLUME_MERGE] = serve(f, p->outer, visit_list_ops(f, &l->merge));
    s[HTMT__VOLUME_LIST] =
        move(f, p->down, p->outer, p->middle, 1 + 3 * l->merge.visits + ray * rays);
    s[HTMT__VOLUME_ASK] = move(f, p->down, p->middle, p->outer, p->slices > 1);
    s[HTMT__VOLUME_SENT] = move(f, p->down, p->outer, p->middle, l->asked);
    s[HTMT__VOLUME_COMPOSITE] = serve(f, p->middle, htmt__volume_composite_ops(p, rays));
    s[HTMT__VOLUME_PIXELS] = move(f, p->down, p->middle, p->outer, pixels);
}

static bool overflows(const struct htmt__volume_step *s, int count)
{
    for (int i = 0; i < count; i++)
        if (s[i].busy < 0 || s[i].length < 0)
            return true;
    return false;
}

/* ---- pipeline ------------------------------------------------------------------------------- */

static htmt_wide longer(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

static htmt_wide in_cram(const struct htmt__volume_step *s)
{
    return (htmt_wide)s[HTMT__VOLUME_INJECT].length + s[HTMT__VOLUME_CAST].length +
           s[HTMT__VOLUME_EJECT].length;
}

/* From dispatch to retire. */
static htmt_wide under_way(const struct htmt__volume_step *s)
{
    return in_cram(s) + s[HTMT__VOLUME_DISPATCH].length + s[HTMT__VOLUME_RETIRE].length;
}

/* With several slices: from the request to the subcube in SRAM. */
static htmt_wide fetch(const struct form *f, const prediction *p, const struct htmt__volume_step *s)
{
    return f->p->slices > 1
               ? (htmt_wide)p->once[HTMT__VOLUME_ASK].length + s[HTMT__VOLUME_GATHER].length
               : 0;
}

static htmt_wide percolation(const prediction *p, const struct htmt__volume_step *s)
{
    return (htmt_wide)p->once[HTMT__VOLUME_ASK].length + s[HTMT__VOLUME_ASSEMBLE].length +
           s[HTMT__VOLUME_GATHER].length;
}

/* The time of one lane from one parcel of a bundle to the next. */
static htmt_wide stride_of(const struct form *f, const prediction *p,
                           const struct htmt__volume_step *s)
{
    htmt_wide both = (percolation(p, s) + under_way(s)) / 2;
    return longer(longer(under_way(s), both), fetch(f, p, s));
}

static htmt_wide period_of(const struct form *f, const prediction *p,
                           const struct htmt__volume_step *s)
{
    htmt_wide period = in_cram(s) / (htmt_wide)(f->p->fit ? f->p->fit : 1);
    for (int i = 0; i < HTMT__VOLUME_STAGES; i++)
        period = longer(period, s[i].busy / (htmt_time)s[i].parallel);
    return longer(period, stride_of(f, p, s) / f->p->lanes);
}

/* `n` parcels at fixed intervals, from cold. */
static htmt_wide train(const prediction *p, const struct htmt__volume_step *s, htmt_wide apart,
                       uint64_t parcels)
{
    if (!parcels)
        return 0;
    return percolation(p, s) + under_way(s) + (htmt_wide)(parcels - 1) * apart + p->closing;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Exchanges of an all-reduce. Slices beyond a power of two give their part before and receive the
 * result after. */
static uint32_t exchanges(uint32_t slices)
{
    uint32_t rounds = 0;
    while (slices >> (rounds + 1))
        rounds++;
    return slices & (slices - 1) ? rounds + 2 : rounds;
}

/* Each bundle of a slice counts as the largest. */
static htmt_wide ways(const struct form *f, const prediction *p)
{
    const struct htmt__volume_plan *plan = f->p;
    const struct htmt__volume_step *o = p->once, *merge = &o[HTMT__VOLUME_MERGE];
    struct htmt__volume_tile tile = htmt__volume_tiling_at(&plan->tiling, 0);
    uint64_t all = (uint64_t)plan->slices * plan->problem.frames;
    htmt_wide bundles = htmt__ceil_div(f->load->bundles, all);
    htmt_wide one =
        (htmt_wide)htmt__volume_strip_count(&plan->tiling, &tile) * o[HTMT__VOLUME_STRIP].length +
        merge->length;
    htmt_wide first = (htmt_wide)o[HTMT__VOLUME_STRIP].length + merge->length;
    return longer(bundles * one / merge->parallel - first, 0);
}

static void frame(const struct form *f, prediction *p)
{
    const struct htmt__volume_step *o = p->once, *sent = &p->once[HTMT__VOLUME_SENT];
    uint64_t frames = f->p->problem.frames;
    p->viewpoint = (htmt_wide)exchanges(f->p->slices) *
                   (o[HTMT__VOLUME_VIEW].length + o[HTMT__VOLUME_AGREE].length);
    p->visit_list = (htmt_wide)o[HTMT__VOLUME_STRIP].length + o[HTMT__VOLUME_MERGE].length +
                    o[HTMT__VOLUME_LIST].length;
    p->ways = ways(f, p);
    p->asked = (htmt_wide)sent->busy / (htmt_wide)sent->parallel / (htmt_wide)frames;
    p->closing = (htmt_wide)o[HTMT__VOLUME_COMPOSITE].length + o[HTMT__VOLUME_PIXELS].length;
}

/* The pipeline of the fullest slice and the chain of the longest bundle, which belong to one frame.
 */
static bool trains(const struct form *f, prediction *p)
{
    const struct htmt__volume_load *l = f->load;
    struct htmt__volume_step slice[HTMT__VOLUME_STAGES], bundle[HTMT__VOLUME_STAGES];
    struct form fullest = form_of(f, &l->fullest), longest = form_of(f, &l->longest);
    uint64_t parcels = htmt__ceil_div(l->fullest.parcels, f->p->problem.frames);
    evaluate(&fullest, slice);
    evaluate(&longest, bundle);
    if (overflows(slice, HTMT__VOLUME_STAGES) || overflows(bundle, HTMT__VOLUME_STAGES))
        return false;
    p->pipeline = train(p, slice, period_of(f, p, slice), parcels);
    p->chain = train(p, bundle, stride_of(f, p, bundle), l->longest.parcels);
    return true;
}

int htmt__volume_predict(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                         const struct htmt__volume_load *load, prediction *out,
                         struct htmt_fault *fault)
{
    struct htmt__volume_part all = {load->parcels, load->voxels, load->rays, load->samples};
    struct form f = {.m = m, .p = plan, .load = load};
    f = form_of(&f, &all);
    prediction p = {.load = *load, .voxels = f.voxels, .samples = f.samples};
    evaluate(&f, p.step);
    evaluate_once(&f, p.once);
    bool fits = !overflows(p.step, HTMT__VOLUME_STAGES) && !overflows(p.once, HTMT__VOLUME_ONCE);
    if (fits) {
        frame(&f, &p);
        fits = trains(&f, &p);
    }
    if (!fits)
        return htmt_fault_set(fault, HTMT_EOVERFLOW,
                              "machine %s: a stage of a parcel of %" PRIu64 " voxels takes more "
                              "than 9223 s",
                              m->name, f.voxels);
    p.period = period_of(&f, &p, p.step);
    p.total =
        (htmt_wide)plan->problem.frames *
        (p.viewpoint + p.visit_list + longer(longer(p.pipeline, p.chain), longer(p.asked, p.ways)));
    *out = p;
    return 0;
}
