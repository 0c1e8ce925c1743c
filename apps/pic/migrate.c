/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Migration: particles that left their block go to the team that has their new block.
 *
 * How it works. After a push the particles that stay lie at the front of their bundle and the
 * others behind them. A sort parcel, one for each bundle, finds where each of the others belongs,
 * puts those with the same team side by side (a run), and sends each run as one message to the
 * mailbox of the team, in this slice or another. The kernel tells its control the runs in a message
 * of fixed size. It has room for HTMT__RUNS runs; further particles take another sort parcel. When
 * every message of every slice has arrived (the all-reduce of the record says so), a settle parcel
 * for each team empties its mailboxes into the team's bundles, and tells the coordinator what they
 * hold.
 *
 * Where a particle is put. The first bundles of a team are the homes of its blocks, one for each
 * species. A full home spills into a bundle that already has particles of that home, else into a
 * free one, else into a spare one. Before the arrivals come, spilled particles return to their home
 * as far as it has room. If no bundle is free, those of each home are poured together, so that at
 * most one of them is not full.
 *
 * Why no particle is lost. A particle may go any distance: its home follows from its position
 * alone. A mailbox that would overflow makes the sender wait for ever, so sends are noted and
 * htmt__pic_program_explain() names the mailbox. A team without room ends the run with a line that
 * says what to change. The application counts particles at the start and at the end.
 *
 * What it costs. Particles move within a slice, too, by mail; a bundle is read and written once for
 * its leaving particles, and each arrival is written once.
 *
 * Example. A bundle of 100 particles has 6 that leave. They belong to A, team 1 of this slice, and
 * to B, team 0 of slice 3, in the order A B A A B A. find_runs() gives A the run 0 and B the run 1
 * and counts 4 and 2. htmt__runs_sort() swaps particles until their order is A A A A B B. Two
 * messages leave, from places 94 and 98 of the bundle.
 */
#include "apps/lib/iterations.h"
#include "apps/pic/coordinator.h"
#include "apps/pic/snapshots.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message of a team's kernel about its bundles: the owner's home bundle, and the count. */
struct settled {
    uint32_t homeless; /* particles without room */
    struct {
        uint32_t home : 8, count : 24;
    } bundle[HTMT__PIC_TEAM_BUNDLES];
};

static uint64_t bundle_bytes(const htmt__pic *p)
{
    return p->plan.room * sizeof(struct htmt__pic_particle);
}

/* ---- sort ----------------------------------------------------------------------------------- */

/* The particles of a bundle from `from` on. The first time `from` is 0, and comes from the push. */
static void assemble_sort(struct htmt_context *c, const htmt__pic *p,
                          const struct htmt__pic_site *s, uint64_t index, uint64_t from)
{
    const struct htmt__pic_bundle *b = &s->bundle[index];
    struct htmt__pic_work work = {
        .p = p, .index = index, .count = b->count, .from = from, .species = b->species};
    struct htmt_region keys = {.bytes = b->count * sizeof(uint64_t), .filled = true};
    htmt_next_item(c, (s->step * htmt__pic_all_bundles(&p->plan) + index) * p->plan.room + from);
    htmt__pic_assemble(c, s, HTMT__PIC_SORT_PARCEL, &work, &keys, 1);
}

static bool make_sort(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                      uint64_t index)
{
    if (!s->bundle[index].count)
        return false;
    assemble_sort(c, p, s, index, 0);
    return true;
}

static void sort_control(struct htmt_context *c)
{
    const struct htmt__pic_work *w = htmt_args(c);
    const uint64_t pushed = sizeof(struct htmt__pic_pushed);
    uint32_t slice = htmt_slice(c);
    htmt_use(c, htmt_at(w->p->particles, slice, w->index * bundle_bytes(w->p)),
             w->count * sizeof(struct htmt__pic_particle), HTMT_UPDATE);
    htmt_use(c, htmt_at(w->p->pushed, slice, htmt__pic_entry(&w->p->plan, w->index) * pushed),
             pushed, HTMT_READ);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, 1));
}

/* Bring x back into [0, n) from any distance. Return false if x is not a number. */
static bool wrap(double *x, double n)
{
    if (!(*x >= 0 && *x < n))
        *x -= n * floor(*x / n);
    if (*x == n)
        *x = 0;
    return *x >= 0 && *x < n;
}

/* Write the run of each particle, and count. The run of a particle is that of its home; it is
 * HTMT__RUNS if the position is not a number, or if there is no room for one more run, and then the
 * particle waits for another sort. */
static void find_runs(const htmt__pic *p, struct htmt__pic_particle *particle, uint64_t count,
                      uint64_t *run, struct htmt__runs *s)
{
    const uint32_t *n = p->plan.problem.n;
    for (uint64_t i = 0; i < count; i++) {
        struct htmt__pic_particle *q = &particle[i];
        run[i] = HTMT__RUNS;
        if (!wrap(&q->x, n[0]) || !wrap(&q->y, n[1]) || !wrap(&q->z, n[2])) {
            s->nowhere++;
            continue;
        }
        const struct htmt__pic_home home = htmt__pic_home_of(&p->owner, q);
        run[i] = htmt__runs_add(s, home.slice, home.team);
    }
}

/* Of the program, and where blocks lie. */
static void declare(struct htmt_kernel *k, const htmt__pic *p)
{
    const struct htmt__pic_block_owner *o = &p->owner;
    htmt__pic_constants(k, p);
    const uint32_t parts[3] = {1, p->plan.py, p->plan.pz};
    for (int a = 0; a < 3; a++) {
        htmt_constants(k, o->cell[a], p->plan.problem.n[a] * sizeof *o->cell[a]);
        htmt_constants(k, o->blocks[a], parts[a] * sizeof *o->blocks[a]);
    }
}

static void sort_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const struct htmt__pic_pushed *pushed = htmt_used(k, 1);
    struct htmt__runs *s = htmt_kernel_result(k);
    declare(k, w->p);
    uint64_t from = w->from ? w->from : pushed->stay;
    struct htmt__pic_particle *particle = (struct htmt__pic_particle *)htmt_used(k, 0) + from;
    *s = (struct htmt__runs){0};
    find_runs(w->p, particle, w->count - from, htmt_bytes(k, 0), s);
    htmt__runs_sort(particle, sizeof *particle, w->count - from, htmt_bytes(k, 0), s);
    struct htmt_ops ops = htmt__pic_sort_ops(w->count - from);
    htmt_count(k, HTMT_LOAD, ops.n[HTMT_LOAD]);
    htmt_count(k, HTMT_STORE, ops.n[HTMT_STORE]);
}

/* Send a run whose first particle has number `first` in its bundle. Mailboxes are emptied when all
 * particles have arrived. */
static void send(struct htmt_context *c, const struct htmt__pic_work *w, struct htmt__pic_site *s,
                 uint64_t first, const struct htmt__run *of_team)
{
    const htmt__pic *p = w->p;
    const uint32_t mail = of_team->box * p->plan.problem.species + w->species;
    const struct htmt__run run = {of_team->slice, mail, of_team->count};
    const uint64_t at = w->index * bundle_bytes(p) + first * sizeof(struct htmt__pic_particle);
    s->sent++;
    s->counts.migrated += run.count;
    htmt__flights_send(c, &s->flights, &run, p->site[run.slice].mail[mail],
                       htmt_at(p->particles, s->slice, at),
                       (struct htmt_slot){s->coordinator, HTMT__PIC_SENT});
}

/* Model runs assume uniformly distributed particles: the flux through each face of the block
 * follows from the deck's velocities. It is never more than a sixth of the particles. A run goes to
 * the home of the middle of the cell behind the middle of the face. */
static void expect_runs(const htmt__pic *p, const struct htmt__pic_box *box, uint32_t species,
                        uint64_t count, struct htmt__runs *out)
{
    *out = (struct htmt__runs){0};
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2;
        const uint32_t cells = p->plan.problem.n[axis], lo = box->lo[axis];
        double flux = p->flux[species][face] / box->n[axis];
        uint32_t n = (uint32_t)((double)count * (flux < 1.0 / 6 ? flux : 1.0 / 6) + 0.5);
        if (!n)
            continue;
        double at[3];
        for (int a = 0; a < 3; a++)
            at[a] = box->lo[a] + box->n[a] / 2.0;
        at[axis] = (face % 2 ? (lo + box->n[axis]) % cells : (lo + cells - 1) % cells) + 0.5;
        struct htmt__pic_home home = htmt__pic_home_of(
            &p->owner, &(struct htmt__pic_particle){.x = at[0], .y = at[1], .z = at[2]});
        out->run[out->runs++] = (struct htmt__run){home.slice, home.team, n};
        out->count += n;
    }
}

static void charge(struct htmt_context *c, struct htmt_ops ops)
{
    htmt_charge(c, HTMT_LOAD, ops.n[HTMT_LOAD]);
    htmt_charge(c, HTMT_STORE, ops.n[HTMT_STORE]);
}

/* The control behind the sort kernel, steered by its message. The runs lie before the particles
 * that are still to be sorted. */
static void leave(struct htmt_context *c)
{
    const struct htmt__pic_work *w = htmt_args(c);
    struct htmt__pic_site *site = htmt__pic_site(c, w->p);
    struct htmt__runs s;
    if (htmt_is_model(c)) {
        const struct htmt__pic_box *box = &site->block[site->bundle[w->index].block];
        expect_runs(w->p, box, w->species, w->count, &s);
        charge(c, htmt__pic_sort_ops(s.count));
    } else {
        memcpy(&s, htmt_result(c), sizeof s);
    }
    uint64_t from = w->count - s.more - s.count;
    for (uint32_t i = 0; i < s.runs; from += s.run[i++].count)
        send(c, w, site, from, &s.run[i]);
    if (s.nowhere)
        htmt_fail(c, HTMT_ERANGE,
                  "step %" PRIu64 ": %" PRIu32
                  " particles have positions that are no numbers; found dt = %g, "
                  "expected a smaller one",
                  site->step, s.nowhere, w->p->deck.dt);
    else if (s.more) {
        site->extra++;
        assemble_sort(c, w->p, site, w->index, w->count - s.more);
    }
    htmt_retire(c, htmt_self(c));
}

/* ---- all have arrived ----------------------------------------------------------------------- */

/* No particle of this slice is on its way when the phase is over and every message has arrived. */
static void conclude(struct htmt_context *c, struct htmt__pic_site *s)
{
    if (s->phase || s->arrived < s->sent)
        return;
    s->sent = s->arrived = 0;
    htmt_signal(c, htmt_slot(c, HTMT__PIC_RECORD));
}

void htmt__pic_sent(struct htmt_context *c)
{
    struct htmt__pic_site *s = htmt__pic_site(c, htmt__pic_of(c));
    s->arrived++;
    conclude(c, s);
}

static const struct htmt__pic_phase *after_sort(struct htmt_context *c, const htmt__pic *p)
{
    conclude(c, htmt__pic_site(c, p));
    return NULL;
}

/* ---- settle --------------------------------------------------------------------------------- */

static uint64_t count_teams(const htmt__pic *p, const struct htmt__pic_site *s)
{
    (void)s;
    return p->plan.teams;
}

static bool make_settle(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                        uint64_t index)
{
    struct htmt__pic_work work = {.p = p, .index = index, .from = s->step};
    htmt_next_item(c, s->step * p->plan.teams + index);
    htmt__pic_assemble(c, s, HTMT__PIC_SETTLE_PARCEL, &work, NULL, 0);
    return true;
}

/* `count` things of `each` bytes from number `first` on. */
static void use(struct htmt_context *c, const struct htmt_frame *frame, uint64_t each,
                uint64_t first, uint64_t count, enum htmt_use how)
{
    htmt_use(c, htmt_at(frame, htmt_slice(c), first * each), count * each, how);
}

/* The kernel finds: 0 usual bundles, 1 reports of the push, 2 the table, from 3 on the mail of each
 * species, then the spare bundles. */
static void settle_control(struct htmt_context *c)
{
    struct htmt__pic_work *w = htmt_args(c);
    const struct htmt__pic_plan *plan = &w->p->plan;
    const uint32_t species = plan->problem.species, all = plan->bundles + plan->spares;
    use(c, w->p->particles, bundle_bytes(w->p), w->index * plan->bundles, plan->bundles,
        HTMT_UPDATE);
    use(c, w->p->pushed, sizeof(struct htmt__pic_pushed), w->index * all, all, HTMT_READ);
    use(c, w->p->table, sizeof(struct htmt__pic_bundle), w->index * all, all, HTMT_UPDATE);
    struct htmt__pic_site *site = htmt__pic_site(c, w->p);
    for (uint64_t i = w->index * species; i < (w->index + 1) * species; i++)
        w->count += htmt_take(c, site->mail[i]);
    if (plan->spares)
        use(c, w->p->particles, bundle_bytes(w->p),
            htmt__pic_bundle_of(plan, w->index, plan->bundles), plan->spares, HTMT_UPDATE);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, 1));
}

/* A team's bundles while its kernel works on them. */
struct team {
    const struct htmt__pic_plan *plan;
    uint32_t first, homes, bundles; /* first block; bundles that keep their block */
    struct htmt__pic_bundle *bundle;
    struct htmt__pic_particle *particle, *spare;
    uint32_t homeless;
};

static struct htmt__pic_particle *place_in(const struct team *t, uint32_t bundle, uint64_t i)
{
    uint32_t usual = t->plan->bundles;
    return (bundle < usual ? t->particle + bundle * t->plan->room
                           : t->spare + (bundle - usual) * t->plan->room) +
           i;
}

static uint32_t home_of(const struct team *t, const struct htmt__pic_bundle *b)
{
    return (b->block - t->first) * t->plan->problem.species + b->species;
}

/* A bundle of that home with room for one more particle; the number of bundles if there is none. */
static uint32_t find_room(const struct team *t, uint32_t home)
{
    const struct htmt__pic_bundle *b = t->bundle;
    uint32_t empty = t->bundles;
    if (b[home].count < t->plan->room)
        return home;
    for (uint32_t i = t->homes; i < t->bundles; i++) {
        if (b[i].count && b[i].count < t->plan->room && home_of(t, &b[i]) == home)
            return i;
        if (!b[i].count && empty == t->bundles)
            empty = i;
    }
    return empty;
}

/* Move particles from a bundle to another of the same home, as far as that has room. */
static void pour(struct team *t, uint32_t from, uint32_t to)
{
    struct htmt__pic_bundle *b = t->bundle;
    while (b[from].count && b[to].count < t->plan->room)
        *place_in(t, to, b[to].count++) = *place_in(t, from, --b[from].count);
}

static void add(struct team *t, uint32_t home, const struct htmt__pic_particle *q)
{
    uint32_t i = find_room(t, home);
    if (i == t->bundles) {
        /* leave each home at most one bundle beyond its own that is not full */
        for (uint32_t to = t->homes; to < t->bundles; to++)
            for (uint32_t from = to + 1; t->bundle[to].count && from < t->bundles; from++)
                if (t->bundle[from].count &&
                    home_of(t, &t->bundle[from]) == home_of(t, &t->bundle[to]))
                    pour(t, from, to);
        i = find_room(t, home);
    }
    if (i == t->bundles) {
        t->homeless++;
        return;
    }
    t->bundle[i].block = t->bundle[home].block;
    t->bundle[i].species = t->bundle[home].species;
    *place_in(t, i, t->bundle[i].count++) = *q;
}

static void settle_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    declare(k, w->p);
    const struct htmt__pic_plan *plan = &w->p->plan;
    const struct htmt__pic_pushed *pushed = htmt_used(k, 1);
    const uint32_t blocks = w->p->site[htmt_kernel_slice(k)].blocks;
    uint32_t first = htmt__pic_team_first(plan, blocks, (uint32_t)w->index);
    uint32_t end = htmt__pic_team_first(plan, blocks, (uint32_t)w->index + 1);
    struct settled *out = htmt_kernel_result(k);
    uint64_t arrived = 0;
    struct team t = {.plan = plan,
                     .first = first,
                     .homes = (end - first) * plan->problem.species,
                     .bundles = plan->bundles + plan->spares,
                     .bundle = htmt_used(k, 2),
                     .particle = htmt_used(k, 0),
                     .spare = plan->spares ? htmt_used(k, 3 + plan->problem.species) : NULL};
    for (uint32_t i = 0; i < t.bundles; i++)
        if (t.bundle[i].count)
            t.bundle[i].count = pushed[i].stay;
    for (uint32_t i = t.homes; i < t.bundles; i++) /* spilled particles return */
        if (t.bundle[i].count)
            pour(&t, i, home_of(&t, &t.bundle[i]));
    for (uint32_t s = 0; s < plan->problem.species; s++) {
        const struct htmt__pic_particle *mail = htmt_used(k, 3 + s);
        uint64_t count = htmt_used_size(k, 3 + s) / sizeof *mail;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t block = htmt__pic_home_of(&w->p->owner, &mail[i]).block;
            add(&t, home_of(&t, &(struct htmt__pic_bundle){block, s, 0}), &mail[i]);
        }
        arrived += count;
    }
    if (w->p->snapshots && w->p->snapshot->due(w->p->snapshots, w->from) && !t.homeless) {
        struct htmt__pic_snapshot_bundle b[HTMT__PIC_TEAM_BUNDLES];
        for (uint32_t i = 0; i < t.bundles; i++)
            b[i] = (struct htmt__pic_snapshot_bundle){t.bundle[i].species, t.bundle[i].count,
                                                      place_in(&t, i, 0)};
        w->p->snapshot->team(w->p->snapshots, w->from, htmt_kernel_slice(k), (uint32_t)w->index, b);
    }
    out->homeless = t.homeless;
    for (uint32_t i = 0; i < t.bundles; i++) {
        out->bundle[i].count = (uint32_t)t.bundle[i].count & HTMT__PIC_BUNDLE_MOST;
        out->bundle[i].home = (t.bundle[i].count ? home_of(&t, &t.bundle[i]) : 0) & 0xff;
    }
    struct htmt_ops ops = htmt__pic_settle_ops(arrived);
    htmt_count(k, HTMT_LOAD, ops.n[HTMT_LOAD]);
    htmt_count(k, HTMT_STORE, ops.n[HTMT_STORE]);
}

/* Fail, with how a team would come by more room. */
static void refuse_homeless(struct htmt_context *c, const htmt__pic *p, uint32_t homeless)
{
    const struct htmt__pic_plan *plan = &p->plan;
    char advice[120];
    if (plan->bundles + plan->spares < HTMT__PIC_TEAM_BUNDLES)
        snprintf(advice, sizeof advice,
                 "%s leaves room for no more; expected %" PRIu64
                 " more words of it for each further bundle",
                 htmt_emulator_machine(p->e)->layer[plan->outer].memory.name,
                 htmt__pic_words_for_spares(plan, 1));
    else if (plan->edge < plan->edge_most)
        snprintf(advice, sizeof advice, "expected larger bundles: --ng %" PRIu32, plan->edge_most);
    else
        snprintf(advice, sizeof advice, "expected fewer particles in a cell");
    htmt_fail(c, HTMT_ECAPACITY,
              "step %" PRIu64 ": %" PRIu32 " particles find no room in the %" PRIu32
              " bundles of %" PRIu64 " of a team in slice %" PRIu32 ": %s",
              htmt__pic_site(c, p)->step, homeless, plan->bundles + plan->spares, plan->room,
              htmt_slice(c), advice);
}

/* The control behind the settle kernel: the coordinator learns the contents of its next parcels. */
static void settled(struct htmt_context *c)
{
    const struct htmt__pic_work *w = htmt_args(c);
    const struct htmt__pic_plan *p = &w->p->plan;
    struct htmt__pic_site *s = htmt__pic_site(c, w->p);
    const uint32_t team = (uint32_t)w->index, species = p->problem.species;
    const uint32_t first = htmt__pic_team_first(p, s->blocks, team);
    const uint32_t end = htmt__pic_team_first(p, s->blocks, team + 1);
    const struct settled *found = htmt_result(c);
    if (htmt_is_model(c)) /* arrivals equal departures: every block keeps its mean */
        charge(c, htmt__pic_settle_ops(w->count));
    if (found && found->homeless)
        refuse_homeless(c, w->p, found->homeless);
    for (uint32_t i = 0; found && !found->homeless && i < p->bundles + p->spares; i++) {
        struct htmt__pic_bundle *b = &s->bundle[htmt__pic_bundle_of(p, w->index, i)];
        if (i >= p->bundles)
            s->spread += (found->bundle[i].count != 0) - (uint32_t)(b->count != 0);
        b->count = found->bundle[i].count;
        b->block = first + found->bundle[i].home / species;
        b->species = found->bundle[i].home % species;
        s->counts.spilled += i >= (end - first) * species && b->count;
    }
    htmt_retire(c, htmt_self(c));
}

static const struct htmt__pic_phase *after_settle(struct htmt_context *c, const htmt__pic *p)
{
    struct htmt__pic_site *s = htmt__pic_site(c, p);
    if (++s->step < p->deck.steps) {
        if (p->named)
            htmt__iteration(c, "step", s->step, p->deck.steps);
        return &htmt__pic_deposit_phase;
    }
    htmt_retire(c, htmt_self(c));
    return NULL;
}

/* ---- phases --------------------------------------------------------------------------------- */

const struct htmt__pic_phase htmt__pic_sort_phase = {
    .count = htmt__pic_bundle_count, .make = make_sort, .sequel = after_sort};
const struct htmt__pic_phase htmt__pic_settle_phase = {
    .count = count_teams, .make = make_settle, .sequel = after_settle};

int htmt__pic_migrate_types(htmt__pic *p)
{
    const struct htmt_stage leaves = {.control = leave, .steered = true, .count = 1};
    const struct htmt_stage ends = {.control = settled, .steered = true, .count = 1};
    static const char *const leave_name = "leave", *const settled_name = "settled";
    struct htmt_type_desc sort = {.size = sizeof sort,
                                  .name = "Sort",
                                  .execute = {.kernel = sort_kernel, .control = sort_control},
                                  .fibers = &leaves,
                                  .fiber_count = 1,
                                  .fiber_names = &leave_name,
                                  .result_bytes = sizeof(struct htmt__runs)};
    struct htmt_type_desc settle = {.size = sizeof settle,
                                    .name = "Settle",
                                    .execute = {.kernel = settle_kernel, .control = settle_control},
                                    .fibers = &ends,
                                    .fiber_count = 1,
                                    .fiber_names = &settled_name,
                                    .result_bytes = sizeof(struct settled)};
    int rc = htmt__pic_type(p, HTMT__PIC_SORT_PARCEL, false, sort);
    return rc ? rc : htmt__pic_type(p, HTMT__PIC_SETTLE_PARCEL, false, settle);
}
