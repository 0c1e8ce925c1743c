/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form of a rendering as rows (apps/lib/term_tree.h) and the values that they need.
 *
 * The stages of an average parcel, "assemble" to "scatter", give how often a slice has a parcel
 * (the period) and how long a lane takes from one to the next (the stride). They are evaluated
 * three times: for all parcels, which is what `predict` prints, and in the scopes "fullest" and
 * "longest", for the slice with most samples and the bundle with most parcels, whose average
 * parcels differ. A frame takes as long as the slowest of these: the fullest slice, limited by its
 * busiest server; the longest bundle, limited by one lane; the slice that others ask most; and the
 * set-up of bundles.
 *
 * For example, with stages of 1, 2, 1, 3, 10, 2, 1 and 1 us, one server each, a parcel is
 * 1 + 3 + 10 + 2 + 1 = 17 us under way. One lane has a parcel every 17 us; four lanes would have
 * one every 17 / 4 us, but the SPELL takes 10 us for each, so with room for two parcels in CRAM
 * the period is 10 us.
 */
#include "apps/volume/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/volume/counts.h"

#include <inttypes.h>
#include <math.h>

typedef struct htmt__volume_prediction prediction;
typedef struct htmt__volume_plan plan;
typedef struct htmt_term_tree tree;

struct machine {
    struct htmt_servers servers;
    const plan *p;
    bool overflow; /* of a service */
};

/* Words to another slice; one slice sends none. */
static htmt_time exchange(const void *user, unsigned server, uint64_t words)
{
    const struct machine *w = user;
    return w->p->slices > 1 ? htmt_move_length(user, server, words) : 0;
}

/* ---- rows: a parcel ------------------------------------------------------------------------- */

#define PART(unit, name, text) HTMT_ROW_PART(unit, name, text)
#define CHANNEL(name, by, server, meaning)                                                         \
    HTMT_ROW_SERVED(0, name, name " words", "words, " by, htmt_move_out, server, meaning)
#define LENGTH(name, by, server)                                                                   \
    HTMT_ROW_SERVED(HTMT_TERM_HIDDEN, name " length", name " words", "words, " by ", latency",     \
                    htmt_move_length, server, "a move")
#define WORK(name, meaning) HTMT_ROW_COMPUTED(0, "s", name, "htmt__volume_" name "_ops", meaning)

static const struct htmt_term_row stages[] = {
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

static const struct htmt_term_row period[] = {
    HTMT_ROW_ROUNDED(0, "s", "period",
                     "max(in CRAM / max(1, parcels in CRAM), slowest stage, stride / lanes)",
                     HTMT_TERM_DOWN, "from a parcel of a slice to the next"),
    HTMT_ROWS_END};

static const struct htmt_term_row made_of_stages[] = {
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

static const struct htmt_term_row words[] = {
    HTMT_ROW(0, "words", "gather words", "W_M + voxel words + words a ray in DRAM * rays",
             "of a parcel"),
    HTMT_ROW(0, "words", "inject words", "W_M + voxel words + words a ray * rays", "of a parcel"),
    HTMT_ROW(0, "words", "eject words", "words a ray back * rays", "of a parcel"), HTMT_ROWS_END};

/* ---- rows: a frame -------------------------------------------------------------------------- */

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

static const struct htmt_term_row services[] = {
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

/* ---- rows: what follows from the times ------------------------------------------------------ */

#define USE(name, text, meaning)    HTMT_ROW_QUOTIENT("%", name " use", text, meaning)
#define NUMBER(name, text, meaning) HTMT_ROW_QUOTIENT("1", name, text, meaning)

static const struct htmt_term_row rates[] = {
    HTMT_ROW_QUOTIENT("1/s", "frames a second", "frames / T", "of this problem"),
    HTMT_ROW_COMPUTED(0, "1", "parcels", "htmt__volume_load_estimate", "of all slices and frames"),
    HTMT_ROW_QUOTIENT("1/s", "rate", "slices / period", "parcels of all slices, one after another"),
    USE("assemble", "assemble / DPIMs / period", "DPIMs"),
    USE("gather", "gather / DtoS / period", "DRAM to SRAM"),
    USE("dispatch", "dispatch / SPIMs / period", "SPIMs"),
    USE("inject", "inject / StoC / period", "SRAM to CRAM"),
    USE("cast", "cast / SPELLs / period", "SPELL"),
    USE("eject", "eject / CtoS / period", "CRAM to SRAM"),
    USE("retire", "retire / SPIMs / period", "SPIMs"),
    USE("scatter", "scatter / StoD / period", "SRAM to DRAM"),
    USE("SPIM", "(dispatch + retire) / SPIMs / period", "dispatch and retire"),
    HTMT_ROWS_END};

/* No parcel, or one of nothing but code, fits as often as one likes: 0. */
#define FIT(name, text, meaning)                                                                   \
    {                                                                                              \
        0, name, meaning, "1", text, NULL, NULL, 0, HTMT_TERM_DOWN, true                           \
    }
static const struct htmt_term_row memory[] = {
    HTMT_ROW_COMPUTED(0, "words", "scatter words", "htmt__volume_set_plan", "of a parcel"),
    FIT("fit", "(CRAM words - table words) / inject words", "such parcels in CRAM at once"),
    FIT("fit, code resident", "(CRAM words - table words - W_M) / (inject words - W_M)",
        "if their code stayed there"),
    USE("CRAM", "(inject words - W_M) / CRAM words", "by a parcel without its code"),
    HTMT_ROWS_END};

/* Where moving a parcel of nothing but voxels takes as long as casting it. */
static const struct htmt_term_row break_even[] = {
    NUMBER("alpha", "samples / voxels", "samples for each voxel carried"),
    NUMBER("cycles a voxel", "cast / t_SPELL / voxels", "must exceed the two below"),
    NUMBER("break-even, inject", "bytes a voxel / 8 * t_StoC / t_SPELL",
           "SPELL cycles in which a voxel is injected"),
    NUMBER("break-even, gather", "bytes a voxel / 8 * t_DtoS / t_SPELL",
           "SPELL cycles in which a voxel is gathered"),
    HTMT_ROWS_END};

#define AT_RATE "at the frame rate of the cost file"
static const struct htmt_term_row job[] = {HTMT_ROW(0, "voxels", "largest job",
                                                    "rate / problem.frames-a-second * voxels",
                                                    AT_RATE),
                                           HTMT_ROWS_END},
                                  picture[] = {HTMT_ROW_COMPUTED(0, "pixels", "largest image",
                                                                 "pow, of the largest job",
                                                                 AT_RATE),
                                               HTMT_ROW(0, "words", "largest volume",
                                                        "largest job * bytes a voxel / 8", AT_RATE),
                                               HTMT_ROWS_END};

/* ---- values of a parcel --------------------------------------------------------------------- */

/* Rounded half up; 0 of nothing. */
static uint64_t average(uint64_t all, uint64_t parcels)
{
    return parcels ? htmt__volume_share(1, all, parcels) : 0;
}

/* Words of a subcube beside its voxels. */
static uint64_t map_words(const plan *p, const struct htmt__volume_subcube *c)
{
    return htmt__volume_voxel_words(p, c) -
           htmt_ceil_div(htmt__volume_subcube_voxels(c) * p->voxel_bytes, HTMT_WORD);
}

/* As if the average parcel were a subcube of its own. */
static struct htmt_ops assemble_ops(const plan *p, uint64_t voxels, uint64_t rays)
{
    const struct htmt__volume_charges *k = &p->charges;
    struct htmt__volume_subcube none = {0};
    struct htmt_ops ops = htmt__volume_assemble_ops(p, &none, 0);
    uint64_t whole = k->code_words + 2 * k->ray_words * k->rays +
                     htmt_ceil_div(k->edge * k->edge * k->edge * k->voxel_bytes, HTMT_WORD);
    struct htmt__volume_subcube c = htmt__volume_subcube_at(&p->subcubes, 0);
    uint64_t ray = htmt__volume_path_words() + htmt__volume_state_words(p);
    uint64_t inject = k->code_words + htmt_ceil_div(voxels * p->voxel_bytes, HTMT_WORD) +
                      map_words(p, &c) * voxels / htmt__volume_subcube_voxels(&c) + ray * rays;
    uint64_t part = inject + htmt__volume_eject_words(p) * rays;
    if (k->from_file)
        ops.n[HTMT_CYCLE] = htmt__volume_share(k->assemble, part, whole);
    return ops;
}

static void set_work(struct machine *w, tree *t, const char *scope, const char *name,
                     uint32_t layer, struct htmt_ops ops)
{
    htmt_time time = htmt_machine_work(w->servers.m, layer, &ops);
    w->overflow |= time < 0;
    htmt_term_tree_set_time(t, scope, name, time);
}

/* The average parcel of a part. */
static void set_part(struct machine *w, tree *t, const char *scope,
                     const struct htmt__volume_part *part)
{
    const plan *p = w->p;
    uint64_t voxels = average(part->voxels, part->parcels);
    uint64_t rays = average(part->rays, part->parcels);
    uint64_t samples = average(part->samples, part->parcels);
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

/* The same of the fullest slice or the longest bundle, with all rows of a parcel, hidden. */
static void add_part(struct machine *w, tree *t, const char *scope,
                     const struct htmt_term_row *rows, const struct htmt__volume_part *part)
{
    htmt_term_tree_add(t, scope, 0, rows);
    htmt_term_tree_add(t, scope, HIDDEN, period);
    htmt_term_tree_add(t, scope, HIDDEN, stages);
    htmt_term_tree_add(t, scope, HIDDEN, made_of_stages);
    htmt_term_tree_add(t, scope, HIDDEN, words);
    htmt_term_tree_set_count(t, scope, "parcels of all frames", part->parcels);
    set_part(w, t, scope, part);
}

/* ---- values of a frame, and of the machine -------------------------------------------------- */

/* Exchanges of an all-reduce: those beyond a power of two of slices give their part before and hear
 * the result after. */
static uint32_t exchanges(uint32_t slices)
{
    uint32_t rounds = 0;
    while (slices >> (rounds + 1))
        rounds++;
    return slices & (slices - 1) ? rounds + 2 : rounds;
}

static void set_frame(struct machine *w, tree *t, const struct htmt__volume_load *l)
{
    const plan *p = w->p;
    struct htmt__volume_tile tile = htmt__volume_tiling_at(&p->tiling, 0);
    uint64_t path = p->problem.rays_in_dram ? 0 : htmt__volume_path_words();
    uint64_t pixels = htmt__volume_scatter_words(p, &tile, average(l->parcels, l->bundles));
    uint64_t view = sizeof(struct htmt__volume_camera) / HTMT_WORD;
    uint64_t rays = (uint64_t)tile.width * tile.height;
    struct htmt_ops strip = {0},
                    merge = {0}; /* a cost file counts them with the parcels' assembly */
    const struct htmt_term_count of[] = {
        {"exchanges", exchanges(p->slices)},
        {"view words", view},
        {"visits", l->merge.visits},
        {"words a ray listed", htmt__volume_state_words(p) + path},
        {"rays of a bundle", rays},
        {"words asked", l->asked},
        {"words of pixels", pixels},
        {"bundles", l->bundles},
        {"strips", htmt__volume_strip_count(&p->tiling, &tile)},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
    if (!p->charges.from_file) {
        strip = htmt__volume_visit_list_ops(&l->strip, p->problem.channels);
        merge = htmt__volume_visit_list_ops(&l->merge, p->problem.channels);
    }
    set_work(w, t, NULL, "agree", p->outer, htmt__volume_agree_ops(p, view));
    set_work(w, t, NULL, "strip", p->outer, strip);
    set_work(w, t, NULL, "merge", p->outer, merge);
    set_work(w, t, NULL, "composite", p->middle, htmt__volume_composite_ops(p, rays));
}

static void set_word_time(tree *t, const char *name, struct htmt_ratio fs)
{
    htmt_term_tree_set(t, NULL, name, "s", htmt_exact_ratio(fs));
}

/* What all parts share: sizes of the plan, channels and processors. */
static void set_plan(const struct machine *w, tree *t, const struct htmt__volume_load *load)
{
    const plan *p = w->p;
    const struct htmt__volume_problem *o = &p->problem;
    const struct htmt_machine *m = w->servers.m;
    const struct htmt_network *n = m->network;
    struct htmt__volume_subcube c = htmt__volume_subcube_at(&p->subcubes, 0);
    uint64_t image = (uint64_t)o->width * o->height * o->frames * o->channels * sizeof(float);
    uint64_t scatter = p->charges.from_file
                           ? p->charges.scatter_words
                           : htmt_ceil_div(average(image, load->parcels), HTMT_WORD);
    const struct htmt_term_count of[] = {
        {"slices", p->slices},
        {"frames", o->frames},
        {"lanes", p->lanes},
        {"parcels in CRAM", p->fit},
        {"W_M", p->charges.code_words},
        {"bytes a voxel", p->voxel_bytes},
        {"map of a subcube", map_words(p, &c)},
        {"voxels of a subcube", htmt__volume_subcube_voxels(&c)},
        {"words a ray", htmt__volume_path_words() + htmt__volume_state_words(p)},
        {"words a ray in DRAM", o->rays_in_dram ? htmt__volume_dram_words(p) : 0},
        {"words a ray back", htmt__volume_eject_words(p)},
        {"scatter words", scatter},
        {"DtoS", htmt_servers_move(&w->servers, HTMT_SERVE_D_TO_S, 0).out_channels},
        {"StoC", htmt_servers_move(&w->servers, HTMT_SERVE_S_TO_C, 0).out_channels},
        {"CtoS", htmt_servers_move(&w->servers, HTMT_SERVE_C_TO_S, 0).out_channels},
        {"StoD", htmt_servers_move(&w->servers, HTMT_SERVE_S_TO_D, 0).out_channels},
        {"DPIMs", htmt_machine_servers(m, p->outer)},
        {"SPIMs", htmt_machine_servers(m, p->middle)},
        {"SPELLs", htmt_machine_servers(m, p->inner)},
        {"CRAM words", htmt_machine_room(m, p->inner)},
        {"table words", p->table_words},
        {"parcels", load->parcels},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
    set_word_time(t, "t_SPELL", m->layer[p->inner].processor.time[HTMT_CYCLE]);
    set_word_time(t, "t_StoC", n[p->up].port[p->middle].out_word);
    set_word_time(t, "t_DtoS", n[p->down].port[p->outer].out_word);
}

/* The largest job at a cost file's frame rate, all slices busy, behind all that is evaluated. Its
 * image is a face of as many voxels: the one power that is no product. */
static int add_largest(const struct machine *w, tree *t, struct htmt_fault *fault)
{
    struct htmt_exact rate = htmt_exact_whole(w->p->charges.frames_a_second);
    htmt_exact_apply('/', rate, htmt_exact_whole(HTMT_SECOND), &rate);
    htmt_term_tree_add(t, NULL, 0, job);
    htmt_term_tree_set(t, NULL, "problem.frames-a-second", "1/s", rate);
    int rc = htmt_term_tree_evaluate(t, fault);
    if (rc)
        return rc;
    double voxels = (double)htmt_exact_value(htmt_term_tree_value(t, "largest job"));
    htmt_term_tree_add(t, NULL, 0, picture);
    htmt_term_tree_set(t, NULL, "largest image", "pixels", htmt_exact_double(pow(voxels, 2.0 / 3)));
    return htmt_term_tree_evaluate(t, fault);
}

/* ---- all ------------------------------------------------------------------------------------ */

static struct machine machine_of(const struct htmt_machine *m, const plan *p)
{
    struct machine w = {.servers = htmt_servers(m, p->outer, p->middle, p->inner, p->outer),
                        .p = p};
    htmt_servers_chain(&w.servers, p->down, p->up);
    return w;
}

/* Rows are printed in the order in which they are added. */
static int evaluate(struct machine *w, const struct htmt__volume_load *l, tree **out,
                    struct htmt_fault *fault)
{
    const struct htmt__volume_part all = {l->parcels, l->voxels, l->rays, l->samples};
    int rc = htmt_term_tree_create(w, out, fault);
    if (rc)
        return rc;
    tree *t = *out;
    htmt_term_tree_add(t, NULL, 0, opening);
    htmt_term_tree_add(t, NULL, 2, period);
    htmt_term_tree_add(t, NULL, 3, stages);
    htmt_term_tree_add(t, NULL, 0, closing);
    htmt_term_tree_add(t, NULL, 0, services);
    htmt_term_tree_add(t, NULL, 0, made_of_stages);
    htmt_term_tree_add(t, NULL, 0, rates);
    htmt_term_tree_add(t, NULL, 0, words);
    htmt_term_tree_add(t, NULL, 0, memory);
    htmt_term_tree_add(t, NULL, 0, break_even);
    set_part(w, t, NULL, &all);
    set_frame(w, t, l);
    set_plan(w, t, l);
    add_part(w, t, "fullest", fullest, &l->fullest);
    add_part(w, t, "longest", longest, &l->longest);
    rc = w->overflow ? HTMT_EOVERFLOW : htmt_term_tree_evaluate(t, fault);
    if (!rc && w->p->charges.from_file)
        rc = add_largest(w, t, fault);
    if (rc)
        htmt_term_tree_destroy(out);
    return rc == HTMT_EOVERFLOW
               ? htmt_fault_set(fault, rc, "machine %s: a stage of a parcel takes more than 9223 s",
                                w->servers.m->name)
               : rc;
}

int htmt__volume_predict(const struct htmt_machine *m, const plan *p,
                         const struct htmt__volume_load *load, prediction *out,
                         struct htmt_fault *fault)
{
    struct machine w = machine_of(m, p);
    tree *t;
    int rc = evaluate(&w, load, &t, fault);
    if (rc)
        return rc;
    *out = (prediction){.load = *load, .total = htmt_term_tree_whole(t, "T")};
    htmt_term_tree_destroy(&t);
    return 0;
}

static double value(const tree *t, const char *name)
{
    return (double)htmt_exact_value(htmt_term_tree_value(t, name));
}

/* Lists and casts of the fullest slice; the viewpoint, and what the slice that sends most subcubes
 * takes longer than all else. */
static void tell_parts(const tree *t, struct htmt_prediction *out)
{
    static const char *const moves[] = {"pipeline", "chain", "other bundles", NULL};
    static const char *const sent[] = {"viewpoint", "asked", NULL};
    const char *const names[HTMT_PARTS] = {"cast", htmt__largest_term(out, moves),
                                           htmt__largest_term(out, sent)};
    const double frames = value(t, "frames"), asked = value(t, "asked"),
                 casts =
                     value(t, "fullest, parcels") * value(t, "fullest, cast") / value(t, "SPELLs"),
                 others = value(t, names[HTMT_PART_MEMORY]);
    htmt_prediction_parts(
        out, 1e-15 * frames * (casts + value(t, "strip") + value(t, "merge")),
        1e-15 * frames * (value(t, "viewpoint") + (asked > others ? asked - others : 0)), names);
}

int htmt__volume_tell(const struct htmt_machine *m, const plan *p, const prediction *of,
                      struct htmt_prediction *out, struct htmt_fault *fault)
{
    struct machine w = machine_of(m, p);
    unsigned first = htmt_prediction_count(out);
    struct htmt_term *top;
    tree *t;
    int rc = evaluate(&w, &of->load, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_tell(t, out);
    tell_parts(t, out);
    top = htmt_prediction_term_at(out, first);
    snprintf(top->inputs, sizeof top->inputs,
             "N_G = %u; W_M = %" PRIu64 "; %" PRIu64 " bytes a voxel", p->subcubes.edge,
             p->charges.code_words, p->voxel_bytes);
    htmt_term_tree_destroy(&t);
    return 0;
}
