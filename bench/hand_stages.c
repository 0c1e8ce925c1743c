/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The load of bench/stages.h played by hand: a base line written for that one type of parcel alone.
 * Each slice is played by itself to its end. A stage has one delay line in each slice, a ring in
 * order of (time, birth); the heads of a slice's lines are sorted. Queues, channels and stores are
 * those of runtime/sim.
 *
 * In turns with it the emulator plays the same load in a model run. The program ends with status 4
 * unless history, predicted time and the sums of stages, resources and memories are equal.
 *   hand_stages [--slices S --each P --generations G] [--check none]
 */
#include "bench/clock.h"
#include "bench/stages.h"
#include "runtime/sim/bank.h"
#include "runtime/sim/history.h"
#include "runtime/sim/link.h"
#include "runtime/sim/store.h"

#include <stdlib.h>
#include <string.h>

#define SERIAL_BITS 40
#define TURNS       3
#define NOBODY      0u
#define WORDS       ((uint64_t)(BENCH_STAGE_BYTES / HTMT_WORD))

/* In the order of a parcel's way. */
enum stage { ASSEMBLE, GATHER, DISPATCH, INJECT, EXECUTE, EJECT, RETIRE, SCATTER };
enum layer { DRAM, SRAM, CRAM, LAYERS };

static const enum htmt_stage_id stage_id[BENCH_STAGES] = {
    HTMT_ASSEMBLE, HTMT_GATHER, HTMT_DISPATCH, HTMT_INJECT,
    HTMT_EXECUTE,  HTMT_EJECT,  HTMT_RETIRE,   HTMT_SCATTER};
/* Where it is served, or what it leaves. */
static const enum layer layer_of[BENCH_STAGES] = {DRAM, DRAM, SRAM, SRAM, CRAM, CRAM, SRAM, SRAM};
static const char *const layer_name[LAYERS] = {"dram", "sram", "cram"};

static inline bool moves(enum stage s)
{
    return s % 2;
}

/* ---- what there is --------------------------------------------------------------------------- */

struct parcel {
    struct htmt__waiter waiter; /* first: of the SPELL's line */
    uint64_t key;               /* its birth in its slice, from 1; then its index */
    uint64_t child;             /* key of whom it starts, NOBODY */
    uint32_t left;              /* generations to come */
    uint32_t spare;             /* who is free after it */
};

/* When a parcel's stage ends. */
struct due {
    htmt_time time;
    uint64_t key;
};

struct line {
    struct due *at;
    uint32_t head, tail;
};

struct front {
    struct due due;
    enum stage stage;
};

struct slice {
    struct line line[BENCH_STAGES];
    struct front front[BENCH_STAGES]; /* of lines that are not empty; the last is the next */
    uint32_t fronts;
    struct htmt__bank bank[LAYERS];
    struct htmt__store store[LAYERS];
    struct htmt__link link[BENCH_STAGES]; /* of stages that move */
    struct parcel *parcel;
    uint32_t free, births;
    uint64_t turn; /* of its last event in the history */
};

/* One stage over all slices: its charge and its sums. Every charge is equal, so what they add up to
 * is known from their number. */
struct sums {
    uint32_t resource;
    uint64_t kind; /* of its events */
    htmt_time time, latency;
    struct htmt__tally *tally;
    uint64_t count, ended;
    htmt_wide waited;
    htmt_time first, last;
};

struct world {
    struct bench_stages load;
    uint32_t mask; /* of a line's ring */
    struct slice *slice;
    struct sums sums[BENCH_STAGES];
    struct htmt__tally bank[LAYERS], link[BENCH_STAGES];
    struct htmt__store_class store_class[LAYERS];
    htmt_uwide history;
    htmt_time predicted;
};

/* The slice that is played. */
struct turn {
    struct world *w;
    struct slice *s;
    uint32_t number;
    htmt_time now;
};

static inline struct parcel *parcel_of(const struct slice *s, uint64_t key)
{
    return &s->parcel[(uint32_t)key];
}

/* ---- delay lines ----------------------------------------------------------------------------- */

static inline bool before(struct due a, struct due b)
{
    return ((htmt_uwide)a.time << 64 | a.key) < ((htmt_uwide)b.time << 64 | b.key);
}

static inline void front_add(struct slice *s, enum stage stage, struct due due)
{
    uint32_t i = s->fronts++;
    for (; i > 0 && before(s->front[i - 1].due, due); i--)
        s->front[i] = s->front[i - 1];
    s->front[i] = (struct front){due, stage};
}

static void front_drop(struct slice *s, enum stage stage)
{
    uint32_t i = 0;
    while (s->front[i].stage != stage)
        i++;
    memmove(&s->front[i], &s->front[i + 1], (--s->fronts - i) * sizeof s->front[0]);
}

/* It comes before some that are in the line. */
static __attribute__((noinline)) void insert(struct slice *s, uint32_t mask, enum stage stage,
                                             struct due due)
{
    struct line *l = &s->line[stage];
    uint32_t i = l->tail - 1;
    for (; i != l->head && before(due, l->at[(i - 1) & mask]); i--)
        l->at[i & mask] = l->at[(i - 1) & mask];
    l->at[i & mask] = due;
    if (i != l->head)
        return;
    front_drop(s, stage);
    front_add(s, stage, due);
}

static inline void schedule(struct turn *t, enum stage stage, uint64_t key, htmt_time time)
{
    struct slice *s = t->s;
    struct line *l = &s->line[stage];
    struct due due = {time, key};
    uint32_t mask = t->w->mask, at = l->tail++;
    if (at - l->head > mask)
        bench_fail("a delay line is too short");
    l->at[at & mask] = due;
    if (at == l->head)
        front_add(s, stage, due);
    else if (before(due, l->at[(at - 1) & mask]))
        insert(s, mask, stage, due);
}

/* The next stage to end; the slice has one. */
static inline struct front next(struct slice *s, uint32_t mask)
{
    struct front f = s->front[--s->fronts];
    struct line *l = &s->line[f.stage];
    if (++l->head != l->tail)
        front_add(s, f.stage, l->at[l->head & mask]);
    return f;
}

/* ---- services, moves, memories --------------------------------------------------------------- */

static inline void serve(struct turn *t, enum stage stage, uint64_t key)
{
    struct sums *u = &t->w->sums[stage];
    u->count++;
    schedule(t, stage, key, t->now + u->time);
}

static inline void enter(struct turn *t, enum stage stage, uint64_t key)
{
    struct htmt__waiter *waiter = &parcel_of(t->s, key)->waiter;
    struct htmt__bank *bank = &t->s->bank[layer_of[stage]];
    if (htmt__bank_enter(bank))
        serve(t, stage, key);
    else
        htmt__line_join(&bank->line, t->w->sums[stage].tally, waiter, t->now);
}

static inline void move(struct turn *t, enum stage stage, uint64_t key)
{
    struct sums *u = &t->w->sums[stage];
    htmt_time start = htmt__link_enter(&t->s->link[stage], u->tally, t->now, u->time, WORDS);
    if (start < 0)
        bench_fail("no memory");
    u->count++;
    u->waited += start - t->now;
    schedule(t, stage, key, start + u->time + u->latency);
}

/* A service has ended. */
static inline void leave(struct turn *t, enum stage stage)
{
    struct sums *u = &t->w->sums[stage];
    struct htmt__waiter *w =
        htmt__bank_leave(&t->s->bank[layer_of[stage]], u->tally, u->time, t->now);
    if (!w)
        return;
    u->waited += t->now - w->since;
    serve(t, stage, ((struct parcel *)w)->key);
}

static inline void take(struct turn *t, enum layer layer, uint64_t key)
{
    struct htmt__waiter *w = &parcel_of(t->s, key)->waiter;
    w->amount = WORDS;
    if (!htmt__store_take(&t->s->store[layer], &t->w->store_class[layer], w, t->now))
        bench_fail("a store is full");
}

static inline void give(struct turn *t, enum layer layer)
{
    htmt__store_give(&t->s->store[layer], &t->w->store_class[layer], WORDS);
}

/* ---- parcels --------------------------------------------------------------------------------- */

static inline uint64_t make(struct slice *s, uint32_t left)
{
    uint32_t i = s->free;
    struct parcel *p = &s->parcel[i];
    s->free = p->spare;
    p->key = (uint64_t)++s->births << 32 | i;
    p->child = NOBODY;
    p->left = left;
    return p->key;
}

static inline void assemble(struct turn *t, uint64_t key)
{
    take(t, DRAM, key);
    enter(t, ASSEMBLE, key);
}

static inline void retire(struct turn *t, uint64_t key)
{
    struct parcel *p = parcel_of(t->s, key);
    if (p->left)
        p->child = make(t->s, p->left - 1);
    enter(t, RETIRE, key);
}

static inline void retired(struct turn *t, uint64_t key)
{
    uint64_t child = parcel_of(t->s, key)->child;
    leave(t, RETIRE);
    move(t, SCATTER, key);
    if (child != NOBODY)
        assemble(t, child);
}

static inline void end(struct slice *s, uint64_t key)
{
    parcel_of(s, key)->spare = s->free;
    s->free = (uint32_t)key;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static inline void record(struct turn *t, enum stage stage, uint64_t key)
{
    struct sums *u = &t->w->sums[stage];
    struct htmt__history_event e = {.fs = t->now,
                                    .place = htmt__history_place(u->kind, t->number),
                                    .parcel = (uint64_t)t->number << SERIAL_BITS | key >> 32,
                                    .turn = htmt__history_turn(&t->s->turn),
                                    .words = moves(stage) ? WORDS : 0};
    htmt__history_add(&t->w->history, e);
    u->ended++;
    if (t->now < u->first)
        u->first = t->now;
    if (t->now > u->last)
        u->last = t->now;
}

static inline void ended(struct turn *t, enum stage stage, uint64_t key)
{
    switch (stage) {
    case ASSEMBLE:
        record(t, ASSEMBLE, key);
        leave(t, ASSEMBLE);
        take(t, SRAM, key);
        move(t, GATHER, key);
        break;
    case GATHER:
        record(t, GATHER, key);
        give(t, DRAM);
        enter(t, DISPATCH, key);
        break;
    case DISPATCH:
        record(t, DISPATCH, key);
        leave(t, DISPATCH);
        take(t, CRAM, key);
        move(t, INJECT, key);
        break;
    case INJECT:
        record(t, INJECT, key);
        enter(t, EXECUTE, key);
        break;
    case EXECUTE:
        record(t, EXECUTE, key);
        move(t, EJECT, key);
        leave(t, EXECUTE);
        break;
    case EJECT:
        record(t, EJECT, key);
        give(t, CRAM);
        retire(t, key);
        break;
    case RETIRE:
        record(t, RETIRE, key);
        retired(t, key);
        break;
    case SCATTER:
        record(t, SCATTER, key);
        give(t, SRAM);
        end(t->s, key);
        break;
    }
}

static void play(struct world *w, uint32_t number)
{
    struct turn t = {w, &w->slice[number], number, 0};
    for (uint32_t i = 0; i < w->load.each; i++)
        assemble(&t, t.s->parcel[i].key);
    while (t.s->fronts) {
        struct front f = next(t.s, w->mask);
        t.now = f.due.time;
        ended(&t, f.stage, f.due.key);
    }
    if (t.now > w->predicted)
        w->predicted = t.now;
}

/* ns a stage. */
static __attribute__((noinline)) double play_all(struct world *w)
{
    double begin = bench_now();
    for (uint32_t i = 0; i < w->load.slices; i++)
        play(w, i);
    return (bench_now() - begin) * 1e9 / (double)bench_stages_count(&w->load);
}

/* ---- before and after ------------------------------------------------------------------------ */

static void *room(size_t count, size_t size)
{
    void *at = malloc(count * size);
    if (!at)
        bench_fail("no memory");
    return memset(at, 0, count * size);
}

static uint32_t machine_layer(const struct htmt_machine *m, enum layer layer)
{
    return (uint32_t)htmt_machine_layer(m, layer_name[layer]);
}

/* Charges of the machine; resources as the emulator numbers them: banks by layer, then channels by
 * network and layer. */
static void set_service(const struct htmt_machine *m, enum stage stage, struct sums *u)
{
    struct htmt_ops ops = {.n[HTMT_CYCLE] = BENCH_STAGE_CYCLES};
    u->resource = machine_layer(m, layer_of[stage]);
    u->kind = htmt__history_kind(u->resource, stage_id[stage]);
    u->time = htmt_machine_work(m, u->resource, &ops);
}

static void set_move(const struct htmt_machine *m, enum stage stage, struct sums *u)
{
    uint32_t from = machine_layer(m, layer_of[stage]);
    uint32_t to = machine_layer(m, layer_of[(stage + 1) % BENCH_STAGES]);
    uint32_t network = (uint32_t)htmt_machine_route(m, from, to, false);
    u->resource = (1 + network) * m->layer_count + from;
    u->kind = htmt__history_kind(u->resource, stage_id[stage]);
    u->time = htmt_machine_out_time(m, network, from, to, WORDS, 1, 1);
    u->latency = m->network[network].startup + m->network[network].latency;
}

static void set_stages(struct world *w, const struct htmt_machine *m)
{
    for (enum stage i = 0; i < BENCH_STAGES; i++) {
        struct sums *u = &w->sums[i];
        u->first = HTMT_TIME_MAX;
        u->tally = moves(i) ? &w->link[i] : &w->bank[layer_of[i]];
        if (moves(i))
            set_move(m, i, u);
        else
            set_service(m, i, u);
    }
}

/* The data of the load lie in DRAM, one object a slice. */
static void set_stores(struct world *w, const struct htmt_machine *m)
{
    for (enum layer l = 0; l < LAYERS; l++)
        w->store_class[l].capacity = m->layer[machine_layer(m, l)].memory.capacity -
                                     m->layer[machine_layer(m, l)].memory.reserve;
    for (uint32_t i = 0; i < w->load.slices; i++)
        htmt__store_grant(&w->slice[i].store[DRAM], &w->store_class[DRAM], WORDS);
}

static void set_slice(struct world *w, const struct htmt_machine *m, struct slice *s)
{
    uint32_t each = w->load.each;
    struct due *due = room((size_t)BENCH_STAGES * (w->mask + 1), sizeof *due);
    s->parcel = room(2 * (size_t)each, sizeof *s->parcel);
    for (uint32_t i = 0; i < 2 * each; i++)
        s->parcel[i].spare = i + 1;
    for (uint32_t i = 0; i < BENCH_STAGES; i++) {
        s->line[i].at = due + i * (w->mask + 1);
        s->link[i].channels = 1;
    }
    for (enum layer l = 0; l < LAYERS; l++)
        s->bank[l].servers = m->layer[machine_layer(m, l)].processor.count;
    for (uint32_t i = 0; i < each; i++)
        make(s, w->load.generations - 1);
}

static void create(struct world *w, const struct htmt_machine *m, const struct bench_stages *l)
{
    *w = (struct world){.load = *l, .mask = 1};
    while (w->mask + 1 < l->each)
        w->mask = 2 * w->mask + 1;
    w->slice = room(l->slices, sizeof *w->slice);
    set_stages(w, m);
    set_stores(w, m);
    for (uint32_t i = 0; i < l->slices; i++)
        set_slice(w, m, &w->slice[i]);
}

static void destroy(struct world *w)
{
    for (uint32_t i = 0; i < w->load.slices; i++) {
        for (enum stage stage = 0; stage < BENCH_STAGES; stage++)
            htmt__link_fini(&w->slice[i].link[stage]);
        free(w->slice[i].parcel);
        free(w->slice[i].line[0].at);
    }
    free(w->slice);
}

/* ---- the emulator says the same -------------------------------------------------------------- */

static bool same_stage(const struct htmt_emulator *e, enum stage stage, const struct sums *u)
{
    struct htmt_phase_report r;
    for (uint32_t i = 0; i < htmt_phase_count(e); i++)
        if (!htmt_phase_at(e, i, &r) && r.stage == stage_id[stage])
            return r.resource == u->resource && r.count == u->count && r.count == u->ended &&
                   r.words == (moves(stage) ? u->count * WORDS : 0) &&
                   r.ops[HTMT_CYCLE] == (moves(stage) ? 0 : u->count * BENCH_STAGE_CYCLES) &&
                   r.busy == (htmt_wide)u->time * u->count && r.waited == u->waited &&
                   r.longest == u->time && r.first == u->first && r.last == u->last;
    return false;
}

static bool same_resource(const struct htmt_emulator *e, const struct sums *u)
{
    struct htmt_resource_report r;
    const struct htmt__tally *t = u->tally;
    return !htmt_resource_at(e, u->resource, &r) && r.served == t->served && r.words == t->words &&
           r.busy == t->busy && r.waited == t->waited && r.queue_integral == t->integral &&
           r.max_queue == t->longest;
}

static bool same_memory(const struct htmt_emulator *e, enum layer layer,
                        const struct htmt__store_class *k)
{
    struct htmt_memory_report r;
    uint32_t at = (uint32_t)htmt_emulator_layer(e, layer_name[layer]);
    return !htmt_memory_at(e, at, &r) && r.peak == k->peak && r.taken == k->taken &&
           r.given == k->given;
}

/* Queues at the channels are walked to the end first. */
static bool same_sums(const struct htmt_emulator *e, struct world *w)
{
    bool same = true;
    for (uint32_t i = 0; i < w->load.slices; i++)
        for (enum stage stage = GATHER; stage < BENCH_STAGES; stage += 2)
            htmt__link_settle(&w->slice[i].link[stage], &w->link[stage], w->predicted);
    for (enum stage stage = 0; stage < BENCH_STAGES; stage++)
        same &= same_stage(e, stage, &w->sums[stage]) && same_resource(e, &w->sums[stage]);
    for (enum layer l = 0; l < LAYERS; l++)
        same &= same_memory(e, l, &w->store_class[l]);
    return same;
}

static void check(const struct htmt_emulator *e, struct world *w)
{
    if (htmt_history_hash(e) != htmt__history_hash(w->history, w->load.slices))
        bench_fail("another history than the emulator's");
    if (htmt_predicted(e) != w->predicted)
        bench_fail("another predicted time than the emulator's");
    if (!same_sums(e, w))
        bench_fail("other sums than the emulator's");
}

static double by_emulator(const struct htmt_machine *m, struct world *w)
{
    double ns;
    struct htmt_emulator *e =
        bench_stages_run(m, (struct bench_way){.mode = HTMT_MODEL}, &w->load, &ns);
    check(e, w);
    htmt_emulator_destroy(&e);
    return ns;
}

static void measure(const struct bench_options *o, const struct htmt_machine *m,
                    const struct bench_stages *l)
{
    struct world w;
    create(&w, m, l);
    bench_stages_report("hand", l, "hand_1", play_all(&w));
    if (o->check)
        bench_stages_report("hand", l, "model_1", by_emulator(m, &w));
    destroy(&w);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct htmt_machine *m = bench_stages_machine();
    for (int turn = 0; turn < (o.check ? TURNS : 1); turn++)
        bench_stages_each(&o, m, measure);
    htmt_machine_destroy(&m);
    return 0;
}
