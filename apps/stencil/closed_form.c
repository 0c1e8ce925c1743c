/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as rows: their texts are evaluated and printed.
 *
 * A stage. All slices do the same at the same time. They put margins, one after another over the
 * channel out of DRAM, and the last one is there a latency after it has left; where a slice is its
 * own neighbour its DPIMs copy instead. Then a train of parcels: the first one is gathered,
 * injected and executes; each further one ends a period after the one before; the last one is
 * ejected and scattered.
 *
 * The train. While parcel i executes, i + 1 is injected or waits in CRAM, and i + 2 is gathered. So
 * the SPELL sets the pace, unless a channel is slower, or a parcel that has left CRAM comes too
 * late for the next but one to be injected, or for the third to be gathered, or SRAM holds too few.
 * Each of these is one of the times that a step of a parcel waits for; the largest counts:
 *
 *     gather i    parcel i - 3 has left CRAM, i - k is scattered (SRAM holds k), a channel is free
 *     inject i    it is gathered, parcel i - 2 has left CRAM, a channel is free
 *     execute i   it is injected, i - 1 has executed
 *     eject i     it has executed, a channel is free; then scatter i
 *
 * Sums and maxima of constants become periodic: a few hundred parcels are followed, and the others
 * come at the pace of the last 60, a multiple of the periods that 1 to 6 parcels under way can
 * have.
 *
 * By hand: execute 2.5, gather 2.3, inject 0.4, eject 0.1, no latencies. Parcel 0 executes at 2.7,
 * and has left CRAM at 5.3. Parcel 1 is gathered at 4.6, waits in CRAM from 5.0, and executes from
 * 5.2 to 7.7; parcel 2 is gathered at 6.9, injected until 7.3, and executes until 10.2. A parcel
 * every 2.5: the SPELL. With gather 3.0, parcels are injected at 3.0, 6.0, 9.0, and the channel
 * sets the pace.
 *
 * Of order loops a stage has a train of parcels for each loop, one train after another.
 *
 * Where a network has ports inside (htmt-vortex, htmt-torus) words meet there and wait, as the
 * formula does not know: its times are those of messages that meet nobody, and T is at least so
 * long.
 *
 * CRAM holds the blocks of two parcels if one is injected while another one is there.
 *
 * What else goes on, three words of each slice's largest speed, is behind it: it leaves CRAM while
 * the margins of stage 2 come, which wait for it at the channel into DRAM, and the all-reduce takes
 * far less than two stages.
 */
#include "apps/stencil/closed_form.h"

#include "apps/stencil/accesses.h"

#include "apps/lib/move.h"
#include "apps/lib/term_tree.h"
#include "layers/machine/way.h"

struct machine {
    const struct htmt_machine *m;
    const struct htmt__stencil_plan *p;
    bool overflow;      /* of a service */
    bool meets;         /* words may meet inside a network: times are the least */
    bool two;           /* CRAM holds the blocks of two parcels at some time */
    htmt_wide executes; /* fs of a SPELL */
};

/* ---- rows ----------------------------------------------------------------------------------- */

static const struct htmt_term_row total[] = {
    HTMT_ROW(0, "s", "T", "steps * ('Stage 1' + 'Stage 2' + 'Stage 3')", "all steps"),
    HTMT_ROWS_END};

static const struct htmt_term_row least[] = {
    HTMT_ROW(0, "s", "T", "steps * ('Stage 1' + 'Stage 2' + 'Stage 3')",
             "all steps, at least: words that meet inside a network wait"),
    HTMT_ROWS_END};

static const struct htmt_term_row stage_of_blocks[] = {
    HTMT_ROW(1, "s", "", "margins + train", "of the Runge-Kutta method"), HTMT_ROWS_END};
static const struct htmt_term_row stage_of_loops[] = {
    HTMT_ROW(1, "s", "", "margins + loops", "of the Runge-Kutta method"), HTMT_ROWS_END};

static const struct htmt_term_row margins[] = {
    HTMT_ROW(2, "s", "margins", "max(puts + put latency + word, copy, leave)",
             "faces and edges, to the neighbours"),
    HTMT_ROW_COMPUTED(3, "s", "puts", "htmt_move, margins", "to other slices"),
    HTMT_ROW_COMPUTED(3, "s", "copy", "htmt_machine_work, parts",
                      "the DPIMs, where a slice is its own neighbour"),
    HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", "word", "htmt_move",
                      "in stage 2 the largest speeds, between margins into DRAM"),
    HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", "leave", "htmt_move",
                      "in stage 2 the largest speeds, from CRAM to DRAM"),
    HTMT_ROWS_END};

static const struct htmt_term_row train_of_blocks[] = {
    HTMT_ROW_COMPUTED(2, "s", "train", "each waits for others", "from the first gather on"),
    HTMT_ROW(3, "s", "fill", "gather + gather latency + inject + inject latency",
             "until the first parcel executes"),
    HTMT_ROW_COMPUTED(4, "s", "gather", "htmt_move", "a block with margins, DRAM to SRAM"),
    HTMT_ROW_COMPUTED(4, "s", "inject", "htmt_move", "the same, SRAM to CRAM"),
    HTMT_ROW_COMPUTED(3, "s", "execute", "htmt__stencil_ops", "the loops on a block"),
    HTMT_ROW_COMPUTED(3, "s", "period", "the mean", "from a parcel to the next"),
    HTMT_ROW(3, "s", "drain", "eject + eject latency + scatter + scatter latency",
             "behind the last parcel"),
    HTMT_ROW_COMPUTED(4, "s", "eject", "htmt_move", "a block, CRAM to SRAM"),
    HTMT_ROW_COMPUTED(4, "s", "scatter", "htmt_move", "a block, SRAM to DRAM"),
    HTMT_ROWS_END};

#define LOOP(name) HTMT_ROW_COMPUTED(3, "s", name, "a train of parcels", "all blocks, one loop")
static const struct htmt_term_row trains_of_loops[] = {
    HTMT_ROW_COMPUTED(2, "s", "loops", "sum of the loops below", "one after another"),
    LOOP("primitive"),
    LOOP("courant"),
    LOOP("no-density"),
    LOOP("gradient-x"),
    LOOP("gradient-y"),
    LOOP("gradient-z"),
    LOOP("momentum-x"),
    LOOP("momentum-y"),
    LOOP("momentum-z"),
    LOOP("energy"),
    LOOP("flux-x"),
    LOOP("flux-y"),
    LOOP("flux-z"),
    LOOP("update"),
    HTMT_ROWS_END};

static const struct htmt_term_row rates[] = {
    HTMT_ROW(0, "flop", "flop", "steps * slices * flop of a slice", "of all blocks"),
    HTMT_ROW_QUOTIENT("flop/s", "rate", "flop / T", "of all slices"),
    HTMT_ROW_QUOTIENT("%", "SPELL use", "executes / T", "of the time"), HTMT_ROWS_END};

static const struct htmt_term_row memory[] = {
    HTMT_ROW(0, "words", "scratch", "6 * n * n * n + 9 * b * n * n + 5 * b * b * b",
             "of a SPELL, for all parcels: q, three gradients, d"),
    HTMT_ROW(0, "words", "CRAM", "scratch + 'CRAM parcels' * 5 * (n * n * n + b * b * b)",
             "with the blocks of all parcels that are there at once"),
    HTMT_ROW_QUOTIENT("%", "CRAM use", "CRAM / CRAM words", "of the capacity"),
    HTMT_ROW_QUOTIENT("words", "words in", "5 * n * n * n / (b * b * b)",
                      "of a cell in a stage; in stages 2 and 3 five more"),
    HTMT_ROW_QUOTIENT("words", "words out", "5", "of a cell in a stage"),
    HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

/* To that slice. With ports inside the way has the words in it: the last one is there when it has
 * left, or when a message that meets nobody is through; and a channel sends no faster than the
 * network takes words that meet nobody. */
static struct htmt_move move_to(struct machine *w, uint32_t slice, struct htmt_move_path path,
                                uint64_t words)
{
    struct htmt_move of;
    w->overflow |= htmt_move(w->m, path, words, &of) != 0;
    if (!words || !w->m->network[path.network].model)
        return of;
    const htmt_time all = htmt_machine_alone(w->m, path.network, 0, slice, words * HTMT_WORD),
                    one = htmt_machine_alone(w->m, path.network, 0, slice, HTMT_WORD);
    w->overflow |= all < 0 || one < 0;
    of.busy = all - one > of.busy ? all - one : of.busy;
    of.out = of.in = of.busy;
    of.length = all > of.busy ? all : of.busy;
    of.latency = of.length - of.busy;
    return of;
}

static struct htmt_move move(struct machine *w, struct htmt_move_path path, uint64_t words)
{
    return move_to(w, 0, path, words);
}

static htmt_time work(struct machine *w, uint32_t layer, struct htmt_ops ops)
{
    const htmt_time t = htmt_machine_work(w->m, layer, &ops);
    w->overflow |= t < 0;
    return t;
}

/* When the last part is copied: they are asked for at one time, and a DPIM that is free takes the
 * next one. Where parts are more than DPIMs each is a whole margin (plan.c). */
static htmt_wide copy_time(struct machine *w)
{
    const struct htmt__stencil_plan *p = w->p;
    const uint32_t servers = htmt_machine_servers(w->m, p->dram);
    htmt_wide free[HTMT__STENCIL_NEIGHBOURS] = {0}, last = 0;
    for (unsigned i = 0; i < HTMT__STENCIL_NEIGHBOURS; i++) {
        uint64_t first[3], extent[3], words = 0;
        uint32_t next = 0;
        for (uint32_t part = 0; part < p->copies[i]; part++) {
            const uint64_t cells = htmt__stencil_margin(p, i, part, first, extent);
            words = HTMT__STENCIL_FIELDS * cells > words ? HTMT__STENCIL_FIELDS * cells : words;
        }
        for (uint32_t k = 1; k < HTMT__STENCIL_NEIGHBOURS && k < servers; k++)
            next = free[k] < free[next] ? k : next;
        free[next] +=
            words ? work(w, p->dram,
                         (struct htmt_ops){.n = {[HTMT_LOAD] = words, [HTMT_STORE] = words}})
                  : 0;
        last = free[next] > last ? free[next] : last;
    }
    return last;
}

/* *any: some go to another slice. */
static void set_margins(struct machine *w, struct htmt_term_tree *t, const char *scope, bool *any)
{
    const struct htmt__stencil_plan *p = w->p;
    htmt_wide puts = 0, latency = 0;
    for (unsigned i = 0; i < HTMT__STENCIL_NEIGHBOURS; i++) {
        uint64_t first[3], extent[3];
        const uint64_t words = HTMT__STENCIL_FIELDS * htmt__stencil_margin(p, i, 0, first, extent),
                       pieces = extent[1] * extent[2];
        if (p->copies[i])
            continue;
        uint32_t neighbour = 0;
        htmt_grid_neighbour(&p->grid, 0, htmt__stencil_ways[i], &neighbour);
        const struct htmt_move of =
            move_to(w, neighbour,
                    (struct htmt_move_path){p->across, p->dram, p->dram, pieces, pieces}, words);
        puts += of.busy;
        latency = of.latency;
    }
    *any = puts > 0;
    htmt_term_tree_set_time(t, scope, "puts", puts);
    htmt_term_tree_set_time(t, scope, "put latency", latency);
    htmt_term_tree_set_time(t, scope, "copy", copy_time(w));
}

static void set_largest(struct machine *w, struct htmt_term_tree *t, const char *scope, bool second,
                        bool any)
{
    const struct htmt__stencil_plan *p = w->p;
    const uint64_t words = second ? HTMT__STENCIL_WINDOW : 0;
    const struct htmt_move up = move(w, (struct htmt_move_path){p->up, p->cram, p->sram, 1, 1},
                                     words),
                           down = move(w, (struct htmt_move_path){p->down, p->sram, p->dram, 1, 1},
                                       words);
    htmt_term_tree_set_time(t, scope, "word", any ? down.in : 0);
    htmt_term_tree_set_time(t, scope, "leave", second ? (htmt_wide)up.length + down.length : 0);
}

static const char *const stages[HTMT__STENCIL_STAGES] = {"Stage 1", "Stage 2", "Stage 3"};

#define FOLLOWED 256 /* parcels */
#define CYCLE    60

/* The parcels of a stage, or of a loop of it. */
struct train {
    struct htmt_move gather, inject, eject, scatter;
    htmt_wide execute;
    uint64_t in_sram; /* at most so many, from the gather until the scatter is over */
};

/* Words in and out, and in how many pieces they lie in DRAM. */
static struct train train_of(struct machine *w, const uint64_t in[2], const uint64_t out[2],
                             uint64_t in_sram, struct htmt_ops ops)
{
    const struct htmt__stencil_plan *p = w->p;
    const uint64_t room = htmt_machine_room(w->m, p->sram);
    return (struct train){
        .gather = move(w, (struct htmt_move_path){p->down, p->dram, p->sram, in[1], 1}, in[0]),
        .inject = move(w, (struct htmt_move_path){p->up, p->sram, p->cram, 1, 1}, in[0]),
        .eject = move(w, (struct htmt_move_path){p->up, p->cram, p->sram, 1, 1}, out[0]),
        .scatter = move(w, (struct htmt_move_path){p->down, p->sram, p->dram, 1, out[1]}, out[0]),
        .execute = work(w, p->cram, ops),
        .in_sram = room > in_sram && in_sram ? room / in_sram : 1};
}

static htmt_wide later(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

/* When steps of the last parcels end, by their number modulo this. */
#define LAST HTMT_CHANNELS_MAX
struct last {
    htmt_wide out[LAST], in[LAST];
};

/* Of the parcel so many places before i; 0: there is none. */
static htmt_wide before(const htmt_wide last[LAST], uint64_t i, uint64_t places)
{
    return i < places || places > LAST ? 0 : last[(i - places) % LAST];
}

/* Move number i, which may leave from `ready` on; when it begins goes to *begin. */
static htmt_wide arrive(const struct htmt_move *of, struct last *l, uint64_t i, htmt_wide ready,
                        htmt_wide *begin)
{
    *begin = later(ready, before(l->out, i, of->out_channels));
    const htmt_wide head = *begin + of->latency, out = *begin + of->out,
                    in = later(head, before(l->in, i, of->in_channels)) + of->in;
    l->out[i % LAST] = out;
    l->in[i % LAST] = in;
    return later(in, out + of->latency);
}

/* Until the last one is scattered. *two: CRAM has held two at some time. */
static htmt_wide follow(const struct train *t, uint64_t parcels, bool *two)
{
    struct last gather = {0}, inject = {0}, eject = {0}, scatter = {0};
    htmt_wide left[LAST] = {0}, scattered[LAST] = {0}, executed = 0, end = 0, marked = 0, begin;
    uint64_t i = 0;
    for (; i < parcels && i < FOLLOWED; i++) {
        const htmt_wide asked = later(before(left, i, HTMT__STENCIL_WINDOW),
                                      before(scattered, i, t->in_sram)),
                        gathered = arrive(&t->gather, &gather, i, asked, &begin),
                        let_in = later(gathered, before(left, i, HTMT__STENCIL_IN_CRAM)),
                        there = arrive(&t->inject, &inject, i, let_in, &begin);
        *two |= begin < before(left, i, 1);
        executed = later(there, executed) + t->execute;
        left[i % LAST] = arrive(&t->eject, &eject, i, executed, &begin);
        end = scattered[i % LAST] = arrive(&t->scatter, &scatter, i, left[i % LAST], &begin);
        marked = i == FOLLOWED - 1 - CYCLE ? end : marked;
    }
    return end + (htmt_wide)(parcels - i) * (end - marked) / CYCLE;
}

static void set_move(struct htmt_term_tree *t, const char *scope, const char *name,
                     const struct htmt_move *of)
{
    char latency[32];
    snprintf(latency, sizeof latency, "%s latency", name);
    htmt_term_tree_set_time(t, scope, name, of->busy);
    htmt_term_tree_set_time(t, scope, latency, of->latency);
}

static void add_train_of_blocks(struct machine *w, struct htmt_term_tree *t, unsigned i)
{
    const struct htmt__stencil_plan *p = w->p;
    const uint64_t b = p->b, n = b + 2 * HTMT__STENCIL_MARGIN,
                   block = htmt__stencil_words_of_block(b),
                   box = htmt__stencil_words_with_margin(b);
    const struct train of =
        train_of(w, (uint64_t[]){box + (i ? block : 0), n * n + (i ? b * b : 0)},
                 (uint64_t[]){block, b * b}, box + block, htmt__stencil_ops(p, i));
    htmt_term_tree_add(t, stages[i], 0, train_of_blocks);
    set_move(t, stages[i], "gather", &of.gather);
    set_move(t, stages[i], "inject", &of.inject);
    set_move(t, stages[i], "eject", &of.eject);
    set_move(t, stages[i], "scatter", &of.scatter);
    const htmt_wide one = of.gather.length + of.inject.length + of.execute + of.eject.length +
                          of.scatter.length,
                    train = follow(&of, p->block_count, &w->two);
    htmt_term_tree_set_time(t, stages[i], "train", train);
    htmt_term_tree_set_time(t, stages[i], "period",
                            p->block_count > 1 ? (train - one) / (p->block_count - 1) : 0);
    htmt_term_tree_set_time(t, stages[i], "execute", of.execute);
    w->executes += of.execute * p->block_count;
    w->two |= w->meets && p->block_count > 1;
}

/* What a loop takes in a slice: the same train, of its own parcels. */
static htmt_wide loop_time(struct machine *w, enum htmt__stencil_loop loop, unsigned stage)
{
    const struct htmt__stencil_plan *p = w->p;
    const htmt_wide parcels = htmt__stencil_parcels(p, loop);
    uint64_t in[2] = {0}, out[2] = {0}, in_sram = 0;
    for (const struct htmt__stencil_access *a = htmt__stencil_accesses[loop]; a->use; a++) {
        const uint64_t read = htmt__stencil_words_read(a, p->b, stage),
                       written = htmt__stencil_words_written(a, p->b),
                       rows = htmt__stencil_rows(a, p->b);
        in[0] += read;
        in[1] += read ? rows : 0;
        out[0] += written;
        out[1] += written ? rows : 0;
        in_sram += read ? read : written;
    }
    const struct train t = train_of(w, in, out, in_sram, htmt__stencil_loop_ops(p, loop));
    bool two = false;
    w->executes += parcels * t.execute;
    return follow(&t, (uint64_t)parcels, &two);
}

static void add_trains_of_loops(struct machine *w, struct htmt_term_tree *t, unsigned i)
{
    htmt_wide sum = 0;
    htmt_term_tree_add(t, stages[i], 0, trains_of_loops);
    for (unsigned loop = 0; loop < HTMT__STENCIL_LOOPS; loop++) {
        const htmt_wide takes = loop == HTMT__STENCIL_COURANT && i ? 0 : loop_time(w, loop, i);
        htmt_term_tree_set_time(t, stages[i], htmt__stencil_loop_words[loop], takes);
        sum += takes;
    }
    htmt_term_tree_set_time(t, stages[i], "loops", sum);
}

static void add_stage(struct machine *w, struct htmt_term_tree *t, unsigned i)
{
    bool any;
    htmt_term_tree_add(t, stages[i], 0, w->p->loops ? stage_of_loops : stage_of_blocks);
    htmt_term_tree_add(t, stages[i], 0, margins);
    set_margins(w, t, stages[i], &any);
    set_largest(w, t, stages[i], i == 1, any && !w->p->loops);
    (w->p->loops ? add_trains_of_loops : add_train_of_blocks)(w, t, i);
}

static int evaluate(struct machine *w, double flop, struct htmt_term_tree *t,
                    struct htmt_fault *fault)
{
    const struct htmt__stencil_plan *p = w->p;
    htmt_term_tree_add(t, NULL, 0, w->meets ? least : total);
    for (unsigned i = 0; i < HTMT__STENCIL_STAGES; i++)
        add_stage(w, t, i);
    htmt_term_tree_add(t, NULL, 0, rates);
    if (!p->loops)
        htmt_term_tree_add(t, NULL, 0, memory);
    const struct htmt_term_count counts[] = {
        {"steps", p->steps},
        {"slices", w->m->slices},
        {"parcels", p->block_count},
        {"b", p->b},
        {"n", p->b + 2 * HTMT__STENCIL_MARGIN},
        {"CRAM parcels", 1 + w->two},
        {"flop of a slice", (uint64_t)flop},
        {"CRAM words", htmt_machine_room(w->m, p->cram)},
    };
    w->executes *= p->steps;
    htmt_term_tree_set_counts(t, counts, sizeof counts / sizeof *counts);
    htmt_term_tree_set_time(t, NULL, "executes", w->executes);
    if (w->overflow)
        return htmt_fault_set(fault, HTMT_EOVERFLOW, "machine %s: a parcel takes more than 9223 s",
                              w->m->name);
    return htmt_term_tree_evaluate(t, fault);
}

/* ---- all ------------------------------------------------------------------------------------ */

static htmt_wide of_stage(const struct htmt_term_tree *t, unsigned i, const char *row)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %s", stages[i], row);
    return htmt_term_tree_whole(t, name);
}

int htmt__stencil_predict(const struct htmt_machine *m, const struct htmt__stencil_plan *p,
                          double flop, struct htmt__stencil_prediction *prediction,
                          struct htmt_prediction *out, struct htmt_fault *fault)
{
    const char *const names[HTMT_PARTS] = {p->loops ? "loops" : "execute",
                                           p->loops ? "loops" : "period", "margins"};
    struct machine w = {.m = m, .p = p};
    w.meets = m->network[p->down].model || m->network[p->up].model ||
              (m->slices > 1 && m->network[p->across].model);
    struct htmt_term_tree *t = NULL;
    int rc = htmt_term_tree_create(&w, &t, fault);
    rc = rc ? rc : evaluate(&w, flop, t, fault);
    if (!rc) {
        prediction->total = htmt_term_tree_whole(t, "T");
        prediction->work = w.executes;
        prediction->fill = of_stage(t, 0, "margins") + (p->loops ? 0 : of_stage(t, 0, "fill"));
        prediction->drain = p->loops ? 0 : of_stage(t, 2, "drain");
        prediction->least = w.meets;
        if (out) {
            htmt_wide all = 0;
            for (unsigned i = 0; i < HTMT__STENCIL_STAGES; i++)
                all += p->steps * of_stage(t, i, "margins");
            htmt_prediction_total_fs(out, prediction->total);
            htmt_term_tree_tell(t, out);
            htmt_prediction_parts(out, 1e-15 * (double)prediction->work, 1e-15 * (double)all,
                                  names);
        }
    }
    htmt_term_tree_destroy(&t);
    return rc;
}
