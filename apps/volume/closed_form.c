/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of a frame as rows, and what follows from them.
 */
#include "apps/volume/closed_form.h"

#include "apps/volume/counts.h"
#include "apps/volume/predict.h"

#include <inttypes.h>

typedef struct htmt__volume_prediction prediction;
typedef struct htmt__volume_machine machine;
typedef struct htmt__volume_plan plan;
typedef struct htmt_term_tree tree;

/* Words to another slice; one slice sends none. */
static htmt_time exchange(const void *user, unsigned server, uint64_t words)
{
    const machine *w = user;
    return w->p->slices > 1 ? htmt_move_length(user, server, words) : 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define TIME(depth, name, text, meaning)   HTMT_ROW(depth, "s", name, text, meaning)
#define COMPUTED(depth, name, by, meaning) HTMT_ROW_COMPUTED(depth, "s", name, by, meaning)
#define HIDDEN                             HTMT_TERM_HIDDEN

/* So many parcels of a part, each so long after the one before, from cold. */
#define TRAIN(of, apart)                                                                           \
    "min('" of ", parcels', 1) * ('" of ", percolation' + '" of ", under way' + ('" of             \
    ", parcels' - 1) * '" of ", " apart "' + closing)"

static const struct htmt_term_row opening[] = {
    TIME(0, "T", "frames * (viewpoint + visit list + max(pipeline, chain, asked, other bundles))",
         "all frames"),
    TIME(1, "viewpoint", "exchanges * (view + agree)", "all slices agree on it"),
    TIME(1, "visit list", "strip + merge + list", "of the longest bundle"),
    COMPUTED(2, "strip", "htmt__volume_visit_list_ops", "a DPIM follows the rays of a strip"),
    COMPUTED(2, "merge", "htmt__volume_visit_list_ops", "a DPIM makes one list of eight"),
    HTMT_ROW_SERVED(2, "list", "1 + 3 * visits + words a ray listed * rays of a bundle",
                    "words, DRAM to SRAM", htmt_move_length, HTMT_SERVE_D_TO_S,
                    "visits and rays, DRAM to SRAM"),
    TIME(1, "pipeline", TRAIN("fullest", "period"),
         "the parcels of the fullest slice in a frame, from cold"),
    HTMT_ROWS_END};

static const struct htmt_term_row closing[] = {
    TIME(2, "closing", "composite + pixels", "from the last retire to the image"),
    TIME(1, "chain", TRAIN("longest", "stride"), "the parcels of the longest bundle, from cold"),
    HTMT_ROW_ROUNDED(1, "s", "asked", "subcubes sent / DtoS / frames", HTMT_TERM_DOWN,
                     "subcubes that the most asked slice sends"),
    /* Each bundle of a slice takes as long as the largest. */
    HTMT_ROW_ROUNDED(1, "s", "other bundles",
                     "max(0, bundles a slice * (strips * strip + merge) / DPIMs - strip - merge)",
                     HTMT_TERM_DOWN, "strips and merges of a slice's other bundles"),
    HTMT_ROWS_END};

static const struct htmt_term_row parts[] = {
    HTMT_ROW_SERVED(HIDDEN, "view", "view words", "words to another slice", exchange,
                    HTMT_SERVE_ACROSS, "the viewpoint"),
    COMPUTED(HIDDEN, "agree", "htmt__volume_agree_ops", "two viewpoints"),
    HTMT_ROW_SERVED(HIDDEN, "ask", "min(slices - 1, 1)", "words, SRAM to DRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_D, "for a subcube of a slice"),
    HTMT_ROW_SERVED(HIDDEN, "subcubes sent", "words asked", "words, DRAM to SRAM", htmt_move_out,
                    HTMT_SERVE_D_TO_S, "of the most asked slice"),
    COMPUTED(HIDDEN, "composite", "htmt__volume_composite_ops", "colours of the rays"),
    HTMT_ROW_SERVED(HIDDEN, "pixels", "words of pixels", "words, SRAM to DRAM", htmt_move_length,
                    HTMT_SERVE_S_TO_D, "of a bundle"),
    HTMT_ROW_PART("1", "bundles a slice", "ceil(bundles / (slices * frames))"),
    HTMT_ROWS_END};

static const struct htmt_term_row
    fullest[] = {HTMT_ROW_PART("1", "parcels", "ceil(parcels of all frames / frames)"),
                 HTMT_ROWS_END},
    longest[] = {HTMT_ROW_PART("1", "parcels", "parcels of all frames"), HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

/* Exchanges of an all-reduce: those beyond a power of two of slices give their part before and hear
 * the result after. */
static uint32_t exchanges(uint32_t slices)
{
    uint32_t rounds = 0;
    while (slices >> (rounds + 1))
        rounds++;
    return slices & (slices - 1) ? rounds + 2 : rounds;
}

static void set_frame(const machine *w, tree *t, const struct htmt__volume_load *l)
{
    const plan *p = w->p;
    struct htmt__volume_tile tile = htmt__volume_tiling_at(&p->tiling, 0);
    uint64_t path = p->problem.rays_in_dram ? 0 : htmt__volume_path_words();
    uint64_t pixels =
        htmt__volume_scatter_words(p, &tile, htmt__volume_average(l->parcels, l->bundles));
    const struct htmt_term_count of[] = {
        {"exchanges", exchanges(p->slices)},
        {"view words", sizeof(struct htmt__volume_camera) / HTMT_WORD},
        {"visits", l->merge.visits},
        {"words a ray listed", htmt__volume_state_words(p) + path},
        {"rays of a bundle", (uint64_t)tile.width * tile.height},
        {"words asked", l->asked},
        {"words of pixels", pixels},
        {"bundles", l->bundles},
        {"strips", htmt__volume_strip_count(&p->tiling, &tile)},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
}

static struct htmt_ops visit_list_ops(const plan *p, const struct htmt__volume_visit_work *work)
{
    return p->charges.from_file ? (struct htmt_ops){0}
                                : htmt__volume_visit_list_ops(work, p->problem.channels);
}

static void set_work(machine *w, tree *t, const char *name, uint32_t layer, struct htmt_ops ops)
{
    htmt_term_tree_set_time(t, NULL, name, htmt__volume_work(w, layer, ops));
}

static void set_works(machine *w, tree *t, const struct htmt__volume_load *l)
{
    const plan *p = w->p;
    struct htmt__volume_tile tile = htmt__volume_tiling_at(&p->tiling, 0);
    uint64_t view = sizeof(struct htmt__volume_camera) / HTMT_WORD;
    uint64_t rays = (uint64_t)tile.width * tile.height;
    set_work(w, t, "agree", p->outer, htmt__volume_agree_ops(p, view));
    set_work(w, t, "strip", p->outer, visit_list_ops(p, &l->strip));
    set_work(w, t, "merge", p->outer, visit_list_ops(p, &l->merge));
    set_work(w, t, "composite", p->middle, htmt__volume_composite_ops(p, rays));
}

/* ---- tree ----------------------------------------------------------------------------------- */

static void add_part(machine *w, tree *t, const char *scope, const struct htmt_term_row *rows,
                     const struct htmt__volume_part *part)
{
    htmt_term_tree_add(t, scope, 0, rows);
    htmt_term_tree_add(t, scope, HIDDEN, htmt__volume_period);
    htmt_term_tree_add(t, scope, HIDDEN, htmt__volume_stages);
    htmt_term_tree_add(t, scope, HIDDEN, htmt__volume_parts);
    htmt_term_tree_add(t, scope, HIDDEN, htmt__volume_words);
    htmt_term_tree_set_count(t, scope, "parcels of all frames", part->parcels);
    htmt__volume_set_part(w, t, scope, part);
}

static void add_rows(machine *w, tree *t, const struct htmt__volume_load *l)
{
    struct htmt__volume_part all = {l->parcels, l->voxels, l->rays, l->samples};
    htmt_term_tree_add(t, NULL, 0, opening);
    htmt_term_tree_add(t, NULL, 2, htmt__volume_period);
    htmt_term_tree_add(t, NULL, 3, htmt__volume_stages);
    htmt_term_tree_add(t, NULL, 0, closing);
    htmt_term_tree_add(t, NULL, 0, parts);
    htmt_term_tree_add(t, NULL, 0, htmt__volume_parts);
    htmt__volume_set_part(w, t, NULL, &all);
    set_frame(w, t, l);
    set_works(w, t, l);
    htmt__volume_add_uses(w, t, l->parcels);
    htmt__volume_set_plan(w, t, l);
    add_part(w, t, "fullest", fullest, &l->fullest);
    add_part(w, t, "longest", longest, &l->longest);
}

static int evaluate(machine *w, const struct htmt__volume_load *l, tree **t,
                    struct htmt_fault *fault)
{
    int rc = htmt_term_tree_create(w, t, fault);
    if (rc)
        return rc;
    add_rows(w, *t, l);
    rc = w->overflow ? HTMT_EOVERFLOW : htmt_term_tree_evaluate(*t, fault);
    if (!rc && w->p->charges.from_file)
        rc = htmt__volume_add_largest(w, *t, fault);
    if (rc)
        htmt_term_tree_destroy(t);
    return rc == HTMT_EOVERFLOW
               ? htmt_fault_set(fault, rc, "machine %s: a stage of a parcel takes more than 9223 s",
                                w->servers.m->name)
               : rc;
}

static struct htmt_servers servers(const struct htmt_machine *m, const plan *p)
{
    struct htmt_servers s = htmt_servers(m, p->outer, p->middle, p->inner, p->outer);
    htmt_servers_chain(&s, p->down, p->up);
    return s;
}

/* ---- all ------------------------------------------------------------------------------------ */

int htmt__volume_predict(const struct htmt_machine *m, const plan *p,
                         const struct htmt__volume_load *load, prediction *out,
                         struct htmt_fault *fault)
{
    machine w = {.servers = servers(m, p), .p = p};
    tree *t;
    int rc = evaluate(&w, load, &t, fault);
    if (rc)
        return rc;
    *out = (prediction){.load = *load, .total = htmt_term_tree_whole(t, "T")};
    htmt_term_tree_destroy(&t);
    return 0;
}

int htmt__volume_tell(const struct htmt_machine *m, const plan *p, const prediction *of,
                      struct htmt_prediction *out, struct htmt_fault *fault)
{
    machine w = {.servers = servers(m, p), .p = p};
    unsigned first = htmt_prediction_count(out);
    struct htmt_term *top;
    tree *t;
    int rc = evaluate(&w, &of->load, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_tell(t, out);
    top = htmt_prediction_term_at(out, first);
    snprintf(top->inputs, sizeof top->inputs,
             "N_G = %u; W_M = %" PRIu64 "; %" PRIu64 " bytes a voxel", p->subcubes.edge,
             p->charges.code_words, p->voxel_bytes);
    htmt_term_tree_destroy(&t);
    return 0;
}
