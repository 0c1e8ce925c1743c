/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as rows: their texts are evaluated and printed.
 *
 * Moves. All DPIMs move a chunk of bodies each, one adds the sums, an all-reduce of log2 S rounds
 * joins slices, and the sums are noted. What a move computes depends on where it stands: the first
 * one neither kicks nor drifts, the second one does not end a step, the last one begins none.
 *
 * Direct sum. A pass is: targets come; the first sources come; then rounds; the pulls leave. A
 * round ends a period after the one before,
 *
 *     period = max(t n flop / SPELL, words of n sources over each channel, a hop of the ring, (from
 *                  a block's hop to the credit for its buffer) / buffers)
 *
 * where a hop is the put of a block to the right neighbour. By hand, 1000 bodies on 4 slices of
 * htmt-oct98: 250 * 250 * 20 flop take 4.883 us, a hop of 1000 words 100 + 85 ns.
 */
#include "apps/nbody/closed_form.h"

#include "apps/lib/move.h"
#include "apps/lib/term_tree.h"
#include "apps/nbody/tree.h"
#include "runtime/base/wide.h"

#include <math.h>

struct machine {
    const struct htmt_machine *m;
    const struct htmt__nbody_plan *p;
    bool overflow; /* of a service */
};

static const struct htmt_term_row total[] = {
    HTMT_ROW_ROUNDED(0, "s", "T", "moves + (steps + 1) * forces", HTMT_TERM_DOWN, "all steps"),
    HTMT_ROW(1, "s", "moves", "places + (steps + 2) * (sums + join + note)",
             "kicks, drifts, sums, of all steps"),
    HTMT_ROW_COMPUTED(2, "s", "places", "htmt__nbody_move_ops", "DPIMs, all steps"),
    HTMT_ROW_COMPUTED(2, "s", "sums", "htmt__nbody_sum_ops", "one DPIM, of the others"),
    HTMT_ROW(2, "s", "join", "doublings * (word + word latency + combine)",
             "all-reduce of the sums"),
    HTMT_ROW_COMPUTED(2, "s", "note", "htmt_machine_work", "the sums, for the report"),
    HTMT_ROWS_END};

static const struct htmt_term_row direct[] = {
    HTMT_ROW(1, "s", "forces", "passes * pass - less", "of one step"),
    HTMT_ROW(2, "s", "pass", "come + fill + rounds * period + go", "t targets, all sources"),
    HTMT_ROW(3, "s", "come",
             "targets down + targets down latency + targets up + targets up latency",
             "targets, to CRAM"),
    HTMT_ROW(3, "s", "fill", "part down + part down latency + part up + part up latency",
             "the first sources"),
    HTMT_ROW_ROUNDED(3, "s", "period",
                     "max(execute, gather, inject, hop, (hop + fill + execute + credit) / buffers)",
                     HTMT_TERM_DOWN, "from a round to the next"),
    HTMT_ROW_COMPUTED(4, "s", "execute", "t * n * body.flop", "of a SPELL"),
    HTMT_ROW_COMPUTED(4, "s", "gather", "htmt_move", "a block, DRAM to SRAM"),
    HTMT_ROW_COMPUTED(4, "s", "inject", "htmt_move", "a block, SRAM to CRAM"),
    HTMT_ROW_COMPUTED(4, "s", "hop", "htmt_move", "a block, to the next slice"),
    HTMT_ROW_COMPUTED(4, "s", "credit", "htmt_move", "a word, when a buffer is free"),
    HTMT_ROW(3, "s", "go", "pulls up + pulls up latency + pulls down + pulls down latency",
             "pulls, to DRAM"),
    HTMT_ROW_COMPUTED(2, "s", "less", "a pass of fewer targets", "the last pass"),
    HTMT_ROWS_END};

static const struct htmt_term_row rates[] = {
    HTMT_ROW(0, "flop", "flop", "(steps + 1) * N * N * flop of a pair", "of all forces"),
    HTMT_ROW_QUOTIENT("flop/s", "rate", "flop / T", "of all slices"),
    HTMT_ROW_QUOTIENT("%", "SPELL use", "(steps + 1) * executes / T", "of the time"),
    HTMT_ROW(0, "words", "CRAM", "8 * t + 8 * part",
             "targets with pulls, and two parcels of sources"),
    HTMT_ROW_QUOTIENT("%", "CRAM use", "CRAM / CRAM words", "of the capacity"),
    HTMT_ROW_QUOTIENT("1", "even", "1000 * block / (n * thousand)",
                      "targets at which the SPELL and the ring take as long"),
    HTMT_ROWS_END};

/* Served by one DPIM or SPIM where it says so, else by all of a slice's. */
static const struct htmt_term_row tree[] = {
    HTMT_ROW(1, "s", "forces", "order + plant + lists + begin / (steps + 1)", "of one step"),
    HTMT_ROW_COMPUTED(2, "s", "begin", "60 + 3 log2 n operations a body",
                      "one DPIM, once: nearly all bodies change slices"),
    HTMT_ROW(2, "s", "order", "keys + cut + sort + rank + lift",
             "bodies, by their keys, in their slices"),
    HTMT_ROW_COMPUTED(3, "s", "keys", "HTMT__NBODY_KEY_OPS", "DPIMs"),
    HTMT_ROW_COMPUTED(3, "s", "cut", "samples, and two looks at each body",
                      "one DPIM, where there are several slices"),
    HTMT_ROW_COMPUTED(3, "s", "sort", "htmt__nbody_sort", "DPIMs, a share each"),
    HTMT_ROW_COMPUTED(3, "s", "rank", "shares that come before, and a few", "DPIMs"),
    HTMT_ROW_COMPUTED(3, "s", "lift", "htmt_move", "sources and keys, DRAM to SRAM"),
    HTMT_ROW(2, "s", "plant", "grow + tops + share", "the tree"),
    HTMT_ROW_COMPUTED(3, "s", "grow", "68 operations a body", "SPIMs"),
    HTMT_ROW_COMPUTED(3, "s", "tops", "17 operations a body", "one SPIM, tops and boxes"),
    HTMT_ROW_COMPUTED(3, "s", "share", "24 operations a body",
                      "SPIMs, a tree for each other slice"),
    HTMT_ROW(2, "s", "lists", "first + max(SPELL, SPIMs, words)", "and forces"),
    HTMT_ROW_COMPUTED(3, "s", "first", "I entries", "a SPIM, before the first force"),
    HTMT_ROW_COMPUTED(3, "s", "SPELL", "n * I * flop of an entry", "forces"),
    HTMT_ROW_COMPUTED(3, "s", "SPIMs", "n / group * I * list.entry", "lists"),
    HTMT_ROW_COMPUTED(3, "s", "words", "htmt_move", "lists, SRAM to CRAM"),
    HTMT_ROWS_END};

static const struct htmt_term_row tree_rates[] = {
    HTMT_ROW_COMPUTED(0, "1", "I", "(c0 + c1 log8 N) (0.7 / theta)^1.7, at most N",
                      "entries of a list, bodies and cells"),
    HTMT_ROW(0, "flop", "flop", "(steps + 1) * flop of a step", "of all forces"),
    HTMT_ROW_QUOTIENT("flop/s", "rate", "flop / T", "of all slices"),
    HTMT_ROW_QUOTIENT("%", "SPELL use", "(steps + 1) * SPELL / T", "of the time"),
    HTMT_ROW_QUOTIENT("1", "SPIMs to SPELL", "SPIMs / SPELL", "below 1 the SPELL binds"),
    HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

static struct htmt_move move(struct machine *w, uint32_t network, uint32_t from, uint32_t to,
                             uint64_t words)
{
    struct htmt_move of;
    w->overflow |=
        htmt_move(w->m, (struct htmt_move_path){network, from, to, 1, 1}, words, &of) != 0;
    return of;
}

static htmt_wide work(struct machine *w, uint32_t layer, struct htmt_ops ops)
{
    const htmt_time t = htmt_machine_work(w->m, layer, &ops);
    w->overflow |= t < 0;
    return t;
}

static void set(struct htmt_term_tree *t, const char *name, struct htmt_move of)
{
    char latency[48];
    snprintf(latency, sizeof latency, "%s latency", name);
    htmt_term_tree_set_time(t, NULL, name, of.busy);
    htmt_term_tree_set_time(t, NULL, latency, of.latency);
}

/* Rounds of an all-reduce; where slices are no power of two, words come before them. */
static uint32_t doublings(uint32_t slices)
{
    uint32_t rounds = 0;
    while (2u << rounds <= slices)
        rounds++;
    return rounds + (slices != 1u << rounds);
}

static void set_moves(struct machine *w, struct htmt_term_tree *t)
{
    const struct htmt__nbody_plan *p = w->p;
    const uint64_t n = htmt__nbody_share(p, 0), chunk = p->chunk, parts = htmt_ceil_div(n, chunk),
                   workers = p->workers, turns = htmt_ceil_div(parts, workers);
    const uint32_t steps = p->steps;
    /* the first, the second, those between, the last */
    const struct {
        uint32_t evaluation, times;
    } kinds[] = {{0, 1}, {1, steps > 0}, {2, steps > 1 ? steps - 1 : 0}, {steps + 1, 1}};
    htmt_wide places = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        places += (htmt_wide)turns * kinds[i].times *
                  work(w, p->dram, htmt__nbody_move_ops(p, chunk, kinds[i].evaluation));
    htmt_term_tree_set_time(t, NULL, "places", places);
    htmt_term_tree_set_time(t, NULL, "sums", work(w, p->dram, htmt__nbody_sum_ops(parts)));
    htmt_term_tree_set_time(t, NULL, "combine", work(w, p->dram, htmt__nbody_sum_ops(1)));
    htmt_term_tree_set_time(
        t, NULL, "note",
        work(w, p->dram,
             (struct htmt_ops){
                 .n = {[HTMT_LOAD] = HTMT__NBODY_SUMS, [HTMT_STORE] = HTMT__NBODY_SUMS}}));
    set(t, "word",
        w->m->slices > 1 ? move(w, p->across, p->dram, p->dram, HTMT__NBODY_SUMS)
                         : (struct htmt_move){0});
}

/* Of all sources of a block and so many targets. */
static htmt_wide time_of(struct machine *w, uint64_t targets)
{
    const struct htmt__nbody_plan *p = w->p;
    const uint64_t n = htmt__nbody_share(p, 0);
    htmt_wide sum = 0;
    for (uint64_t at = 0; at < n; at += p->sources)
        sum += work(w, p->cram,
                    (struct htmt_ops){
                        .n = {[HTMT_FLOP] = htmt__nbody_times(
                                  p->costs.body_flop, targets * htmt_least(p->sources, n - at))}});
    return sum;
}

/* Targets that come, and pulls that go, before and behind a pass. */
static htmt_wide frames(struct machine *w, struct htmt_term_tree *t, uint64_t targets)
{
    const struct htmt__nbody_plan *p = w->p;
    const uint64_t in = targets * HTMT__NBODY_SOURCE_WORDS, out = targets * HTMT__NBODY_PULL_WORDS;
    const struct htmt_move of[] = {
        move(w, p->down, p->dram, p->sram, in), move(w, p->up, p->sram, p->cram, in),
        move(w, p->up, p->cram, p->sram, out), move(w, p->down, p->sram, p->dram, out)};
    static const char *const names[] = {"targets down", "targets up", "pulls up", "pulls down"};
    htmt_wide sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (t)
            set(t, names[i], of[i]);
        sum += of[i].busy;
    }
    return sum;
}

/* What the SPELL does for all forces of a step. */
static htmt_wide set_direct(struct machine *w, struct htmt_term_tree *t)
{
    const struct htmt__nbody_plan *p = w->p;
    const uint64_t n = htmt__nbody_share(p, 0), block = n * HTMT__NBODY_SOURCE_WORDS,
                   part = (uint64_t)p->sources * HTMT__NBODY_SOURCE_WORDS,
                   passes = htmt_ceil_div(n, p->targets), last = n - (passes - 1) * p->targets,
                   slices = w->m->slices;
    const htmt_wide execute = time_of(w, p->targets), at_last = time_of(w, last);
    const struct htmt_move none = {0};
    htmt_term_tree_set_time(t, NULL, "less",
                            frames(w, t, p->targets) - frames(w, NULL, last) +
                                (htmt_wide)slices * (execute - at_last));
    set(t, "part down", move(w, p->down, p->dram, p->sram, htmt_least(part, block)));
    set(t, "part up", move(w, p->up, p->sram, p->cram, htmt_least(part, block)));
    htmt_term_tree_set_time(t, NULL, "execute", execute);
    htmt_term_tree_set_time(t, NULL, "gather", move(w, p->down, p->dram, p->sram, block).busy);
    htmt_term_tree_set_time(t, NULL, "inject", move(w, p->up, p->sram, p->cram, block).busy);
    htmt_term_tree_set_time(t, NULL, "block",
                            (slices > 1 ? move(w, p->across, p->dram, p->dram, block) : none).busy);
    htmt_term_tree_set_time(
        t, NULL, "hop", (slices > 1 ? move(w, p->across, p->dram, p->dram, block) : none).length);
    htmt_term_tree_set_time(t, NULL, "credit",
                            (slices > 1 ? move(w, p->across, p->dram, p->dram, 1) : none).length);
    return (htmt_wide)slices * ((htmt_wide)(passes - 1) * execute + at_last);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static htmt_wide ops(struct machine *w, uint32_t layer, double n)
{
    return work(w, layer, (struct htmt_ops){.n = {[HTMT_IOP] = (uint64_t)ceil(n)}});
}

/* flop of a slice's forces in a step. */
static double set_tree(struct machine *w, struct htmt_term_tree *t)
{
    const struct htmt__nbody_plan *p = w->p;
    const struct htmt__nbody_costs *costs = &p->costs;
    const struct htmt__nbody_estimate e = htmt__nbody_estimate_of(p);
    const uint64_t n = htmt__nbody_share(p, 0);
    const double many = p->slices > 1, bodies = (double)p->bodies / p->slices,
                 cells = p->quad ? e.cells : 0,
                 flop = bodies * e.entries *
                        ((1 - cells) * htmt_ratio_value(costs->body_flop) +
                         cells * htmt_ratio_value(costs->cell_flop)),
                 words = (double)e.groups * e.entries * (4 + 6 * cells) + 8 * bodies;
    const struct {
        const char *name;
        htmt_wide fs;
    } rows[] = {
        {"begin", ops(w, p->dram, many * bodies * (60 + 3 * log2(bodies + 1)))},
        {"keys", ops(w, p->dram, p->chunk * (HTMT__NBODY_KEY_OPS + 4.))},
        {"cut", (htmt_wide)many * (work(w, p->dram, htmt__nbody_sample_ops(n)) +
                                   ops(w, p->dram, (double)e.sift))},
        {"sort", work(w, p->dram, htmt__nbody_sort_ops(e.each))},
        {"rank", ops(w, p->dram, (double)e.rank)},
        {"lift", move(w, p->down, p->dram, p->sram, n * (HTMT__NBODY_SOURCE_WORDS + 1)).length},
        {"grow",
         (htmt_wide)htmt_ceil_div(e.branches, p->packers) * ops(w, p->sram, (double)e.grow)},
        {"tops", ops(w, p->sram, (double)(e.split + e.join))},
        {"share",
         (htmt_wide)htmt_ceil_div(p->slices - 1, p->packers) * ops(w, p->sram, (double)e.share)},
        {"first", ops(w, p->sram, (double)e.list)},
        {"SPELL", work(w, p->cram, (struct htmt_ops){.n = {[HTMT_FLOP] = (uint64_t)ceil(flop)}})},
        {"SPIMs", ops(w, p->sram, (double)e.groups * (double)e.list / p->packers)},
        {"words", move(w, p->up, p->sram, p->cram, (uint64_t)words).busy}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        htmt_term_tree_set_time(t, NULL, rows[i].name, rows[i].fs);
    htmt_term_tree_set(t, NULL, "I", "1", htmt_exact_double(e.entries));
    htmt_term_tree_set_count(t, NULL, "flop of a step", (uint64_t)(flop * p->slices));
    return flop;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void conclude(const struct machine *w, const struct htmt_term_tree *t, htmt_wide executes,
                     struct htmt__nbody_prediction *to)
{
    const struct htmt__nbody_plan *p = w->p;
    const htmt_wide steps = (htmt_wide)p->steps + 1;
    to->total = htmt_term_tree_whole(t, "T");
    to->work = steps * (p->tree ? htmt_term_tree_whole(t, "SPELL") : executes);
    if (p->tree) {
        to->fill = steps * (htmt_term_tree_whole(t, "order") + htmt_term_tree_whole(t, "plant"));
        to->drain = 0;
        return;
    }
    const htmt_wide passes =
        (htmt_wide)htmt_ceil_div(htmt__nbody_share(p, 0), htmt_most(1, p->targets));
    to->fill = steps * passes * (htmt_term_tree_whole(t, "come") + htmt_term_tree_whole(t, "fill"));
    to->drain = steps * passes * htmt_term_tree_whole(t, "go");
}

static htmt_wide set_counts(struct machine *w, struct htmt_term_tree *t, double *flop)
{
    const struct htmt__nbody_plan *p = w->p;
    const struct htmt_machine *m = w->m;
    const double steps = (double)p->steps + 1, n = (double)p->bodies;
    htmt_wide executes = 0;
    htmt_term_tree_set_count(t, NULL, "steps", p->steps);
    htmt_term_tree_set_count(t, NULL, "doublings", doublings(m->slices));
    set_moves(w, t);
    if (p->tree) {
        *flop = steps * p->slices * set_tree(w, t);
        return 0;
    }
    const struct htmt_term_count counts[] = {{"N", p->bodies},
                                             {"n", htmt__nbody_share(p, 0)},
                                             {"t", p->targets},
                                             {"passes", htmt_ceil_div(p->most, p->targets)},
                                             {"rounds", m->slices},
                                             {"part", p->sources},
                                             {"buffers", HTMT__NBODY_BUFFERS},
                                             {"CRAM words", htmt_machine_room(m, p->cram)}};
    htmt_term_tree_set_counts(t, counts, sizeof counts / sizeof *counts);
    htmt_term_tree_set(t, NULL, "flop of a pair", "flop", htmt_exact_ratio(p->costs.body_flop));
    executes = set_direct(w, t);
    htmt_term_tree_set_time(
        t, NULL, "thousand",
        work(w, p->cram,
             (struct htmt_ops){.n = {[HTMT_FLOP] = htmt__nbody_times(p->costs.body_flop, 1000)}}));
    htmt_term_tree_set_time(t, NULL, "executes", executes);
    *flop = steps * n * n * htmt_ratio_value(p->costs.body_flop);
    return executes;
}

int htmt__nbody_predict(const struct htmt_machine *m, const struct htmt__nbody_plan *p,
                        struct htmt__nbody_prediction *prediction, struct htmt_prediction *out,
                        struct htmt_fault *fault)
{
    const char *const names[HTMT_PARTS] = {p->tree ? "SPELL" : "execute",
                                           p->tree ? "order" : "places", "hop"};
    struct machine w = {.m = m, .p = p};
    struct htmt_term_tree *t = NULL;
    int rc = htmt_term_tree_create(&w, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_add(t, NULL, 0, total);
    htmt_term_tree_add(t, NULL, 0, p->tree ? tree : direct);
    htmt_term_tree_add(t, NULL, 0, p->tree ? tree_rates : rates);
    const htmt_wide executes = set_counts(&w, t, &prediction->flop);
    if (w.overflow)
        rc = htmt_fault_set(fault, HTMT_EOVERFLOW,
                            "machine %s: the sums of a step take more than 9223 s", m->name);
    rc = rc ? rc : htmt_term_tree_evaluate(t, fault);
    if (!rc) {
        conclude(&w, t, executes, prediction);
        if (out) {
            htmt_prediction_total_fs(out, prediction->total);
            htmt_prediction_flops(out, prediction->flop);
            htmt_term_tree_tell(t, out);
            htmt_prediction_parts(out, 1e-15 * (double)prediction->work, 0, names);
        }
    }
    htmt_term_tree_destroy(&t);
    return rc;
}
