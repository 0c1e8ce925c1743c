/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/pipeline.h"

#include "apps/volume/counts.h"

#include <math.h>

typedef struct htmt__volume_machine machine;
typedef struct htmt__volume_plan plan;
typedef struct htmt_term_tree tree;

htmt_time htmt__volume_work(machine *w, uint32_t layer, struct htmt_ops ops)
{
    htmt_time time = htmt_machine_work(w->servers.m, layer, &ops);
    w->overflow |= time < 0;
    return time;
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define PART(unit, name, text) HTMT_ROW_PART(unit, name, text)
#define CHANNEL(name, by, server, meaning)                                                         \
    HTMT_ROW_SERVED(0, name, name " words", "words, " by, htmt_move_out, server, meaning)
#define LENGTH(name, by, server)                                                                   \
    HTMT_ROW_SERVED(HTMT_TERM_HIDDEN, name " length", name " words", "words, " by ", latency",     \
                    htmt_move_length, server, "a move")
#define WORK(name, meaning) HTMT_ROW_COMPUTED(0, "s", name, "htmt__volume_" name "_ops", meaning)

const struct htmt_term_row htmt__volume_stages[] = {
    WORK("assemble", "a DPIM gathers a parcel"),
    CHANNEL("gather", "DRAM to SRAM", HTMT_SERVE_D_TO_S, "DRAM to SRAM"),
    WORK("dispatch", "a SPIM sends it off"),
    CHANNEL("inject", "SRAM to CRAM", HTMT_SERVE_S_TO_C, "SRAM to CRAM"),
    WORK("cast", "rays through a subcube"),
    CHANNEL("eject", "CRAM to SRAM", HTMT_SERVE_C_TO_S, "ray states, CRAM to SRAM"),
    WORK("retire", "a SPIM takes them in"),
    CHANNEL("scatter", "SRAM to DRAM", HTMT_SERVE_S_TO_D,
            "a parcel's share of the image, SRAM to DRAM"),
    HTMT_ROWS_END};

const struct htmt_term_row htmt__volume_period[] = {
    HTMT_ROW_ROUNDED(0, "s", "period",
                     "max(in CRAM / max(1, parcels in CRAM), slowest stage, stride / lanes)",
                     HTMT_TERM_DOWN, "from a parcel of a slice to the next"),
    HTMT_ROWS_END};

const struct htmt_term_row htmt__volume_parts[] = {
    PART("s", "slowest stage",
         "max(assemble / DPIMs, gather / DtoS, dispatch / SPIMs, inject / StoC, cast / SPELLs, "
         "eject / CtoS, retire / SPIMs, scatter / StoD)"),
    PART("s", "in CRAM", "inject length + cast + eject length"),
    /* From dispatch to retire. */
    PART("s", "under way", "in CRAM + dispatch + retire"),
    PART("s", "percolation", "ask + assemble + gather length"),
    /* Of several slices: from the word that asks to the subcube in SRAM. */
    PART("s", "fetch", "min(slices - 1, 1) * (ask + gather length)"),
    /* Of one lane, from one parcel of a bundle to the next. */
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "s", "stride",
                     "max(under way, (percolation + under way) / 2, fetch)", HTMT_TERM_DOWN,
                     "of a lane"),
    LENGTH("gather", "DRAM to SRAM", HTMT_SERVE_D_TO_S),
    LENGTH("inject", "SRAM to CRAM", HTMT_SERVE_S_TO_C),
    LENGTH("eject", "CRAM to SRAM", HTMT_SERVE_C_TO_S),
    /* counts.h, of a parcel that need not be a cube. */
    PART("words", "voxel words", "ceil(voxels * bytes a voxel / 8) + map words"),
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "words", "map words",
                     "map of a subcube * voxels / voxels of a subcube", HTMT_TERM_DOWN,
                     "of a parcel"),
    HTMT_ROWS_END};

const struct htmt_term_row htmt__volume_words[] = {
    HTMT_ROW(0, "words", "gather words", "W_M + voxel words + words a ray in DRAM * rays",
             "of a parcel"),
    HTMT_ROW(0, "words", "inject words", "W_M + voxel words + words a ray * rays", "of a parcel"),
    HTMT_ROW(0, "words", "eject words", "words a ray back * rays", "of a parcel"), HTMT_ROWS_END};

/* ---- average parcel ------------------------------------------------------------------------- */

uint64_t htmt__volume_average(uint64_t all, uint64_t parcels)
{
    return parcels ? htmt__volume_share(1, all, parcels) : 0;
}

/* Words of a subcube beside its voxels. */
static uint64_t map_words(const plan *p, const struct htmt__volume_subcube *c)
{
    return htmt__volume_voxel_words(p, c) -
           htmt_ceil_div(htmt__volume_subcube_voxels(c) * p->voxel_bytes, HTMT_WORD);
}

static uint64_t inject_words(const plan *p, uint64_t voxels, uint64_t rays)
{
    struct htmt__volume_subcube c = htmt__volume_subcube_at(&p->subcubes, 0);
    uint64_t ray = htmt__volume_path_words() + htmt__volume_state_words(p);
    return p->charges.code_words + htmt_ceil_div(voxels * p->voxel_bytes, HTMT_WORD) +
           map_words(p, &c) * voxels / htmt__volume_subcube_voxels(&c) + ray * rays;
}

/* As if the average parcel were a subcube of its own. */
static struct htmt_ops assemble_ops(const plan *p, uint64_t voxels, uint64_t rays)
{
    const struct htmt__volume_charges *k = &p->charges;
    struct htmt__volume_subcube none = {0};
    struct htmt_ops ops = htmt__volume_assemble_ops(p, &none, 0);
    uint64_t whole = k->code_words + 2 * k->ray_words * k->rays +
                     htmt_ceil_div(k->edge * k->edge * k->edge * k->voxel_bytes, HTMT_WORD);
    uint64_t part = inject_words(p, voxels, rays) + htmt__volume_eject_words(p) * rays;
    if (k->from_file)
        ops.n[HTMT_CYCLE] = htmt__volume_share(k->assemble, part, whole);
    return ops;
}

static void set_work(machine *w, tree *t, const char *scope, const char *name, uint32_t layer,
                     struct htmt_ops ops)
{
    htmt_term_tree_set_time(t, scope, name, htmt__volume_work(w, layer, ops));
}

void htmt__volume_set_part(machine *w, tree *t, const char *scope,
                           const struct htmt__volume_part *part)
{
    const plan *p = w->p;
    uint64_t voxels = htmt__volume_average(part->voxels, part->parcels);
    uint64_t rays = htmt__volume_average(part->rays, part->parcels);
    uint64_t samples = htmt__volume_average(part->samples, part->parcels);
    struct htmt__volume_cast_work work = {.rays = rays, .taken = samples};
    struct htmt__volume_shading none = {.on = false};
    uint64_t lines = (uint64_t)sqrt((double)rays);
    htmt_term_tree_set_count(t, scope, "voxels", voxels);
    htmt_term_tree_set_count(t, scope, "rays", rays);
    htmt_term_tree_set_count(t, scope, "samples", samples);
    set_work(w, t, scope, "assemble", p->outer, assemble_ops(p, voxels, rays));
    set_work(w, t, scope, "dispatch", p->middle, htmt__volume_dispatch_ops(p, rays, lines));
    set_work(w, t, scope, "cast", p->inner, htmt__volume_cast_ops(p, &work, &none));
    set_work(w, t, scope, "retire", p->middle, htmt__volume_retire_ops(p, rays));
}

/* ---- plan ----------------------------------------------------------------------------------- */

/* Of the image, or what a cost file says. */
static uint64_t scatter_words(const plan *p, const struct htmt__volume_load *load)
{
    const struct htmt__volume_problem *o = &p->problem;
    uint64_t bytes = (uint64_t)o->width * o->height * o->frames * o->channels * sizeof(float);
    if (p->charges.from_file)
        return p->charges.scatter_words;
    return htmt_ceil_div(htmt__volume_average(bytes, load->parcels), HTMT_WORD);
}

static uint32_t channels(const machine *w, enum htmt_server server)
{
    return htmt_servers_move(&w->servers, server, 0).out_channels;
}

static void set_channels(const machine *w, tree *t)
{
    const struct htmt_term_count of[] = {
        {"DtoS", channels(w, HTMT_SERVE_D_TO_S)},
        {"StoC", channels(w, HTMT_SERVE_S_TO_C)},
        {"CtoS", channels(w, HTMT_SERVE_C_TO_S)},
        {"StoD", channels(w, HTMT_SERVE_S_TO_D)},
        {"DPIMs", htmt_machine_servers(w->servers.m, w->p->outer)},
        {"SPIMs", htmt_machine_servers(w->servers.m, w->p->middle)},
        {"SPELLs", htmt_machine_servers(w->servers.m, w->p->inner)},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
}

void htmt__volume_set_plan(const machine *w, tree *t, const struct htmt__volume_load *load)
{
    const plan *p = w->p;
    struct htmt__volume_subcube c = htmt__volume_subcube_at(&p->subcubes, 0);
    const struct htmt_term_count of[] = {
        {"slices", p->slices},
        {"frames", p->problem.frames},
        {"lanes", p->lanes},
        {"parcels in CRAM", p->fit},
        {"W_M", p->charges.code_words},
        {"bytes a voxel", p->voxel_bytes},
        {"map of a subcube", map_words(p, &c)},
        {"voxels of a subcube", htmt__volume_subcube_voxels(&c)},
        {"words a ray", htmt__volume_path_words() + htmt__volume_state_words(p)},
        {"words a ray in DRAM", p->problem.rays_in_dram ? htmt__volume_dram_words(p) : 0},
        {"words a ray back", htmt__volume_eject_words(p)},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
    htmt_term_tree_set_count(t, NULL, "scatter words", scatter_words(p, load));
    set_channels(w, t);
}
