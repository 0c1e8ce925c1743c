/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Migration: the particles that left their block are sorted by their new block and sent to the
 * mailbox of its team, in this slice or another. When all have arrived, teams put them into
 * bundles.
 *
 * No particle is lost. A particle may go any distance. A full bundle spills into a free or spare
 * bundle of the team. If there is none, the run ends with a line that says so.
 */
#include "apps/pic/coordinator.h"
#include "apps/pic/snapshots.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most destinations of one parcel: they must fit the message from a kernel to its control. Further
 * destinations take another parcel. */
#define RUNS 20

/* Particles that go to one team. */
struct run {
    uint32_t slice, team, count;
};

struct sorted {
    uint32_t runs, count, more, nowhere; /* particles: in the runs; still to be sorted; with a
                                            place that is not a number */
    struct run run[RUNS];
};

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

/* The particles of a bundle from `from` on. The first time `from` comes from the push. */
static void assemble_sort(struct htmt_context *c, const htmt__pic *p,
                          const struct htmt__pic_site *s, uint64_t index, uint64_t from)
{
    const struct htmt__pic_bundle *b = &s->bundle[index];
    struct htmt__pic_work work = {
        .p = p, .index = index, .count = b->count, .from = from, .species = b->species};
    struct htmt_region keys = {.bytes = b->count * sizeof(uint64_t), .filled = true};
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

#define NOWHERE UINT64_MAX

static uint64_t key_of(const htmt__pic *p, struct htmt__pic_particle *q)
{
    const uint32_t *n = p->plan.problem.n;
    if (!wrap(&q->x, n[0]) || !wrap(&q->y, n[1]) || !wrap(&q->z, n[2]))
        return NOWHERE;
    struct htmt__pic_home home = htmt__pic_home_of(&p->owner, q);
    return (uint64_t)home.slice << 32 | home.team;
}

/* The run of a key; RUNS if there is no room for one more. */
static uint32_t run_of(struct sorted *s, uint64_t key)
{
    for (uint32_t i = s->runs; i-- > 0;)
        if (s->run[i].slice == key >> 32 && s->run[i].team == (uint32_t)key)
            return i;
    if (s->runs == RUNS)
        return RUNS;
    s->run[s->runs] = (struct run){(uint32_t)(key >> 32), (uint32_t)key, 0};
    return s->runs++;
}

/* Replace the keys by runs and count. */
static void find_runs(const htmt__pic *p, struct htmt__pic_particle *particle, uint64_t count,
                      uint64_t *run, struct sorted *s)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = key_of(p, &particle[i]);
        s->nowhere += key == NOWHERE;
        run[i] = key == NOWHERE ? RUNS : run_of(s, key);
        if (run[i] < RUNS)
            s->run[run[i]].count++;
    }
    for (uint32_t i = 0; i < s->runs; i++)
        s->count += s->run[i].count;
    s->more = (uint32_t)count - s->count;
}

/* Sort in place: move each particle to the next free place of its run. */
static void permute(struct htmt__pic_particle *particle, uint64_t *run, const struct sorted *s)
{
    uint64_t next[RUNS + 1], end[RUNS + 1], at = 0;
    for (uint32_t i = 0; i <= RUNS; i++) {
        next[i] = at;
        at += i < s->runs ? s->run[i].count : i == RUNS ? s->more : 0;
        end[i] = at;
    }
    for (uint32_t i = 0; i <= RUNS; i++)
        while (next[i] < end[i]) {
            uint64_t here = next[i], r = run[here];
            uint64_t there = next[r]++;
            if (here == there)
                continue;
            struct htmt__pic_particle other = particle[there];
            uint64_t other_run = run[there];
            particle[there] = particle[here];
            run[there] = r;
            particle[here] = other;
            run[here] = other_run;
        }
}

/* The tables of where blocks lie. */
static void owner_constants(struct htmt_kernel *k, const htmt__pic *p)
{
    const struct htmt__pic_block_owner *o = &p->owner;
    const uint32_t parts[3] = {1, p->plan.py, p->plan.pz};
    for (int a = 0; a < 3; a++) {
        htmt_constants(k, o->spot[a], p->plan.problem.n[a] * sizeof *o->spot[a]);
        htmt_constants(k, o->blocks[a], parts[a] * sizeof *o->blocks[a]);
    }
}

static void sort_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const struct htmt__pic_pushed *pushed = htmt_used(k, 1);
    struct sorted *s = htmt_kernel_result(k);
    htmt__pic_constants(k, w->p);
    owner_constants(k, w->p);
    uint64_t from = w->from ? w->from : pushed->stay;
    struct htmt__pic_particle *particle = (struct htmt__pic_particle *)htmt_used(k, 0) + from;
    *s = (struct sorted){0};
    find_runs(w->p, particle, w->count - from, htmt_bytes(k, 0), s);
    permute(particle, htmt_bytes(k, 0), s);
    struct htmt_ops ops = htmt__pic_sort_ops(w->count - from);
    htmt_count(k, HTMT_LOAD, ops.n[HTMT_LOAD]);
    htmt_count(k, HTMT_STORE, ops.n[HTMT_STORE]);
}

/* Mailboxes are emptied when all particles have arrived; a particle that does not fit would wait
 * for ever. When folded, slice 0 receives what it sends to others. */
static void note_flight(struct htmt_context *c, const struct htmt__pic_work *w,
                        struct htmt__pic_site *s, const struct run *run)
{
    const htmt__pic *p = w->p;
    if (s->flights == s->flight_room) {
        uint64_t room = 2 * s->flight_room + 64;
        struct htmt__pic_flight *more = realloc(s->flight, room * sizeof *more);
        if (!more) {
            htmt_fail(c, HTMT_ENOMEM, "no host memory for the particles under way");
            return;
        }
        s->flight = more;
        s->flight_room = room;
    }
    s->flight[s->flights++] =
        (struct htmt__pic_flight){run->slice < htmt_emulator_played(p->e) ? run->slice : 0,
                                  run->team * p->plan.problem.species + w->species, run->count};
}

static void send(struct htmt_context *c, const struct htmt__pic_work *w, struct htmt__pic_site *s,
                 uint64_t first, const struct run *run)
{
    const uint32_t species = w->p->plan.problem.species;
    struct htmt_slot none = {0};
    uint64_t at = w->index * bundle_bytes(w->p) + first * sizeof(struct htmt__pic_particle);
    s->sent++;
    s->did.migrated += run->count;
    note_flight(c, w, s, run);
    htmt_send(c, w->p->site[run->slice].mail[run->team * species + w->species],
              htmt_at(w->p->particles, s->slice, at), run->count, none,
              (struct htmt_slot){s->coordinator, HTMT__PIC_SENT});
}

/* ---- a model run ----------------------------------------------------------------------------- */

/* The middle of the cell behind the middle of a block's face. */
static struct htmt__pic_particle behind(const struct htmt__pic_plan *plan,
                                        const struct htmt__pic_box *box, int axis, bool up)
{
    struct htmt__pic_particle q = {0};
    double *at = &q.x;
    for (int a = 0; a < 3; a++)
        at[a] = box->lo[a] + box->n[a] / 2.0;
    uint32_t n = plan->problem.n[axis], lo = box->lo[axis];
    at[axis] = (up ? (lo + box->n[axis]) % n : (lo + n - 1) % n) + 0.5;
    return q;
}

/* Model runs assume uniformly distributed particles: the flux through each face of the block
 * follows from the deck's velocities. It is never more than a sixth of the particles. */
static void expect_runs(const htmt__pic *p, const struct htmt__pic_box *box, uint32_t species,
                        uint64_t count, struct sorted *out)
{
    *out = (struct sorted){0};
    for (int face = 0; face < 6; face++) {
        int axis = face / 2;
        bool up = face % 2;
        double flux = p->flux[species][face] / box->n[axis];
        uint32_t n = (uint32_t)((double)count * (flux < 1.0 / 6 ? flux : 1.0 / 6) + 0.5);
        if (!n)
            continue;
        struct htmt__pic_particle q = behind(&p->plan, box, axis, up);
        struct htmt__pic_home home = htmt__pic_home_of(&p->owner, &q);
        out->run[out->runs++] = (struct run){home.slice, home.team, n};
        out->count += n;
    }
}

static void charge(struct htmt_context *c, struct htmt_ops ops)
{
    htmt_charge(c, HTMT_LOAD, ops.n[HTMT_LOAD]);
    htmt_charge(c, HTMT_STORE, ops.n[HTMT_STORE]);
}

/* ---- and on ---------------------------------------------------------------------------------- */

/* The runs lie before the particles that are still to be sorted. */
static void send_runs(struct htmt_context *c, const struct htmt__pic_work *w,
                      struct htmt__pic_site *site, const struct sorted *s)
{
    uint64_t from = w->count - s->more - s->count;
    for (uint32_t i = 0; i < s->runs; from += s->run[i++].count)
        send(c, w, site, from, &s->run[i]);
}

/* Steered by the kernel's message. */
static void leave(struct htmt_context *c)
{
    const struct htmt__pic_work *w = htmt_args(c);
    struct htmt__pic_site *site = htmt__pic_site(c, w->p);
    struct sorted s;
    if (htmt_is_model(c)) {
        const struct htmt__pic_box *box = &site->block[site->bundle[w->index].block];
        expect_runs(w->p, box, w->species, w->count, &s);
        charge(c, htmt__pic_sort_ops(s.count));
    } else {
        memcpy(&s, htmt_result(c), sizeof s);
    }
    send_runs(c, w, site, &s);
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

/* No particle is on its way when the phase is over and every message has arrived. */
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
    htmt__pic_assemble(c, s, HTMT__PIC_SETTLE_PARCEL, &work, NULL, 0);
    return true;
}

/* `count` things of `each` bytes from number `first` on. */
static void use(struct htmt_context *c, const struct htmt_frame *frame, uint64_t each,
                uint64_t first, uint64_t count, enum htmt_use how)
{
    htmt_use(c, htmt_at(frame, htmt_slice(c), first * each), count * each, how);
}

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
    const struct htmt__pic_block_owner *owner;
    uint32_t first, homes, bundles, slice; /* first block; bundles that keep their block */
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

/* Leave each home at most one bundle beyond its own that is not full. */
static void draw_together(struct team *t)
{
    for (uint32_t to = t->homes; to < t->bundles; to++)
        for (uint32_t from = to + 1; t->bundle[to].count && from < t->bundles; from++)
            if (t->bundle[from].count && home_of(t, &t->bundle[from]) == home_of(t, &t->bundle[to]))
                pour(t, from, to);
}

static void add(struct team *t, uint32_t home, const struct htmt__pic_particle *q)
{
    uint32_t i = find_room(t, home);
    if (i == t->bundles) {
        draw_together(t);
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

/* Move spilled particles to their home bundle as far as it has room. */
static void go_home(struct team *t)
{
    for (uint32_t i = t->homes; i < t->bundles; i++)
        if (t->bundle[i].count)
            pour(t, i, home_of(t, &t->bundle[i]));
}

static void take_in(struct team *t, uint32_t species, const struct htmt__pic_particle *arrived,
                    uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct htmt__pic_bundle b = {htmt__pic_home_of(t->owner, &arrived[i]).block, species, 0};
        add(t, home_of(t, &b), &arrived[i]);
    }
}

static void keep_snapshot(const struct htmt_kernel *k, const struct htmt__pic_work *w,
                          const struct team *t)
{
    struct htmt__pic_snapshot_bundle b[HTMT__PIC_TEAM_BUNDLES];
    if (!htmt__pic_snapshot_due(w->p->snapshots, w->from) || t->homeless)
        return;
    for (uint32_t i = 0; i < t->bundles; i++)
        b[i] = (struct htmt__pic_snapshot_bundle){t->bundle[i].species, t->bundle[i].count,
                                                  place_in(t, i, 0)};
    htmt__pic_snapshot_team(w->p->snapshots, w->from, htmt_kernel_slice(k), (uint32_t)w->index, b);
}

static void settle_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const struct htmt__pic_plan *plan = &w->p->plan;
    const struct htmt__pic_pushed *pushed = htmt_used(k, 1);
    const uint32_t blocks = w->p->site[htmt_kernel_slice(k)].blocks;
    uint32_t first = htmt__pic_team_first(plan, blocks, (uint32_t)w->index);
    uint32_t end = htmt__pic_team_first(plan, blocks, (uint32_t)w->index + 1);
    struct settled *out = htmt_kernel_result(k);
    uint64_t arrived = 0;
    struct team t = {.plan = plan,
                     .owner = &w->p->owner,
                     .first = first,
                     .homes = (end - first) * plan->problem.species,
                     .bundles = plan->bundles + plan->spares,
                     .bundle = htmt_used(k, 2),
                     .particle = htmt_used(k, 0),
                     .spare = plan->spares ? htmt_used(k, 3 + plan->problem.species) : NULL};
    for (uint32_t i = 0; i < t.bundles; i++)
        if (t.bundle[i].count)
            t.bundle[i].count = pushed[i].stay;
    go_home(&t);
    for (uint32_t s = 0; s < plan->problem.species; s++) {
        uint64_t count = htmt_used_size(k, 3 + s) / sizeof(struct htmt__pic_particle);
        take_in(&t, s, htmt_used(k, 3 + s), count);
        arrived += count;
    }
    keep_snapshot(k, w, &t);
    out->homeless = t.homeless;
    for (uint32_t i = 0; i < t.bundles; i++) {
        out->bundle[i].count = (uint32_t)t.bundle[i].count & HTMT__PIC_BUNDLE_MOST;
        out->bundle[i].home = (t.bundle[i].count ? home_of(&t, &t.bundle[i]) : 0) & 0xff;
    }
    struct htmt_ops ops = htmt__pic_settle_ops(arrived);
    htmt_count(k, HTMT_LOAD, ops.n[HTMT_LOAD]);
    htmt_count(k, HTMT_STORE, ops.n[HTMT_STORE]);
}

/* The coordinator learns the contents of its next parcels. */
static void learn(struct htmt__pic_site *s, const htmt__pic *p, uint64_t team,
                  const struct settled *found)
{
    const uint32_t species = p->plan.problem.species;
    uint32_t first = htmt__pic_team_first(&p->plan, s->blocks, (uint32_t)team);
    uint32_t homes =
        (htmt__pic_team_first(&p->plan, s->blocks, (uint32_t)team + 1) - first) * species;
    for (uint32_t i = 0; i < p->plan.bundles + p->plan.spares; i++) {
        struct htmt__pic_bundle *b = &s->bundle[htmt__pic_bundle_of(&p->plan, team, i)];
        if (i >= p->plan.bundles)
            s->spread += (found->bundle[i].count != 0) - (uint32_t)(b->count != 0);
        b->count = found->bundle[i].count;
        b->block = first + found->bundle[i].home / species;
        b->species = found->bundle[i].home % species;
        s->did.spilled += i >= homes && b->count;
    }
}

/* How a team would come by more room. */
static void advise(const htmt__pic *p, char *text, size_t room)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const char *dram = htmt_emulator_machine(p->e)->layer[plan->outer].memory.name;
    if (plan->bundles + plan->spares < HTMT__PIC_TEAM_BUNDLES)
        snprintf(text, room,
                 "%s leaves room for no more; expected %" PRIu64
                 " more words of it for each further bundle",
                 dram, htmt__pic_words_for_spares(plan, 1));
    else if (plan->edge < plan->edge_most)
        snprintf(text, room, "expected larger bundles: --ng %" PRIu32, plan->edge_most);
    else
        snprintf(text, room, "expected fewer particles in a cell");
}

static void refuse_homeless(struct htmt_context *c, const htmt__pic *p, uint32_t homeless)
{
    char advice[120];
    advise(p, advice, sizeof advice);
    htmt_fail(c, HTMT_ECAPACITY,
              "step %" PRIu64 ": %" PRIu32 " particles find no room in the %" PRIu32
              " bundles of %" PRIu64 " of a team in slice %" PRIu32 ": %s",
              htmt__pic_site(c, p)->step, homeless, p->plan.bundles + p->plan.spares, p->plan.room,
              htmt_slice(c), advice);
}

static void settled(struct htmt_context *c)
{
    const struct htmt__pic_work *w = htmt_args(c);
    const struct settled *found = htmt_result(c);
    struct htmt__pic_site *s = htmt__pic_site(c, w->p);
    if (htmt_is_model(c)) /* arrivals equal departures: every block keeps its mean */
        charge(c, htmt__pic_settle_ops(w->count));
    if (found && found->homeless)
        refuse_homeless(c, w->p, found->homeless);
    else if (found)
        learn(s, w->p, w->index, found);
    htmt_retire(c, htmt_self(c));
}

static const struct htmt__pic_phase *after_settle(struct htmt_context *c, const htmt__pic *p)
{
    struct htmt__pic_site *s = htmt__pic_site(c, p);
    if (++s->step == p->deck.steps)
        htmt_retire(c, htmt_self(c));
    else
        return &htmt__pic_deposit_phase;
    return NULL;
}

/* ---- set-up --------------------------------------------------------------------------------- */

const struct htmt__pic_phase htmt__pic_sort_phase = {"Sort", htmt__pic_bundle_count, make_sort,
                                                     after_sort};
const struct htmt__pic_phase htmt__pic_settle_phase = {"Settle", count_teams, make_settle,
                                                       after_settle};

static int create(htmt__pic *p, enum htmt__pic_kind kind, const char *name, htmt_kernel_fn *kernel,
                  htmt_control_fn *control, htmt_control_fn *then, size_t result)
{
    const char *outer = htmt_emulator_machine(p->e)->layer[p->plan.outer].name;
    const struct htmt_stage fiber = {.control = then, .steered = true, .count = 1};
    struct htmt_type_desc d = {.name = name,
                               .home = outer,
                               .exec = outer,
                               .execute = {.kernel = kernel, .control = control},
                               .footprint = HTMT_RESIDENT,
                               .fibers = &fiber,
                               .fiber_count = 1,
                               .args_bytes = sizeof(struct htmt__pic_work),
                               .result_bytes = result};
    return htmt_type_create(p->e, &d, &p->type[kind]);
}

int htmt__pic_migrate_types(htmt__pic *p)
{
    int rc = create(p, HTMT__PIC_SORT_PARCEL, "Sort", sort_kernel, sort_control, leave,
                    sizeof(struct sorted));
    return rc ? rc
              : create(p, HTMT__PIC_SETTLE_PARCEL, "Settle", settle_kernel, settle_control, settled,
                       sizeof(struct settled));
}
