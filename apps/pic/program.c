/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of the plasma's parcel program: objects, types, first particles.
 *
 * What lies where. Everything lies in the DRAM of the slices, as frames: the same size in each
 * slice, that of the largest part, so that an address in one slice is one in all. Particles lie in
 * bundles, `room` of one species in one block, and a table says of each bundle whose it is. A
 * bundle has a tile of charge of its own, since two deposits must not add to one point at a time; a
 * block has a tile of the field, which its bundles only read. rho and field have a guard row and a
 * guard plane at each side, but none along x, of which a slice owns all: 32 x 4 x 2 cells have 32 x
 * 6 x 4 points. The spectrum is there three times, by x, y and z, since a transpose reads one
 * layout and writes the next. CRAM and SRAM hold what parcels bring, and nothing between phases.
 *
 * Mailboxes are of teams and species, and every slice knows those of all slices, as it knows where
 * their blocks lie: a particle finds its home by its position alone (migrate.c).
 */
#include "apps/pic/program.h"

#include "apps/lib/host_parts.h"
#include "apps/pic/coordinator.h"
#include "apps/pic/io/by_key.h"
#include "apps/pic/snapshots.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Parcels under way in a slice for each DPIM: one in work and one that waits. */
#define UNDER_WAY 2

static uint64_t bundles_of(const htmt__pic *p)
{
    return htmt__pic_all_bundles(&p->plan);
}

/* ---- objects -------------------------------------------------------------------------------- */

static uint64_t spectrum_bytes(const htmt__pic *p, int layout)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->plan.slices; i++)
        most = htmt_most(most, htmt__pic_spectrum_cells(p, &p->site[i], layout));
    return 3 * sizeof(double complex) * most;
}

static void add_records(void *into, const void *from, uint64_t bytes)
{
    double *to = into;
    const double *other = from;
    for (uint64_t i = 0; i < bytes / sizeof *to; i++)
        to[i] += other[i];
}

static int create_objects(htmt__pic *p)
{
    const struct htmt__pic_plan *plan = &p->plan;
    if (!plan->problem.n[0]) /* code is part of each parcel and of its place */
        return htmt_frame_create(p->e, plan->outer, plan->outer_words * HTMT_WORD, "push parcels",
                                 &p->particles);
    const uint32_t *l = plan->largest;
    const uint64_t bundles = bundles_of(p), record = sizeof(struct htmt__pic_record);
    const uint64_t tile = htmt__pic_tile_words(plan, 1) * HTMT_WORD;
    const uint64_t rows = ((uint64_t)l[1] + 2) * (l[2] + 2) * l[0] * sizeof(double);
    const struct {
        uint64_t bytes;
        const char *name;
        struct htmt_frame **frame;
    } frames[] = {
        {bundles * plan->room * sizeof(struct htmt__pic_particle), "particles", &p->particles},
        {bundles * sizeof(struct htmt__pic_pushed), "pushed", &p->pushed},
        {bundles * sizeof(struct htmt__pic_bundle), "bundles", &p->table},
        {bundles * tile, "charge tiles", &p->charge_tile},
        {plan->blocks * HTMT__PIC_FIELD_WORDS * tile, "field tiles", &p->field_tile},
        {rows, "rho", &p->rho},
        {9ul * (l[1] > l[2] ? l[1] : l[2]) * l[0] * sizeof(double), "guard points", &p->guard},
        {HTMT__PIC_FIELD_WORDS * rows, "field", &p->field},
        {spectrum_bytes(p, 0), "spectrum in x", &p->spectrum[0]},
        {spectrum_bytes(p, 1), "spectrum in y", &p->spectrum[1]},
        {spectrum_bytes(p, 2), "spectrum in z", &p->spectrum[2]},
        {plan->blocks * record, "records of blocks", &p->block_record},
        {record, "record", &p->record},
        {p->deck.steps * record, "series", &p->series},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof frames / sizeof *frames && !rc; i++)
        rc = htmt_frame_create(p->e, plan->outer, frames[i].bytes, frames[i].name, frames[i].frame);
    struct htmt_allreduce_desc sum = {.frame = p->record,
                                      .bytes = record,
                                      .combine = add_records,
                                      .ops = htmt__pic_add_ops(record / HTMT_WORD),
                                      .name = "record"};
    if (!rc)
        rc = htmt_allreduce_create(p->e, &sum, &p->sum);
    for (uint32_t i = 0; i < plan->slices; i++)
        for (uint32_t b = 0; b < plan->teams * plan->problem.species && !rc; b++)
            rc = htmt_mailbox_create(p->e, i, plan->outer, sizeof(struct htmt__pic_particle),
                                     plan->mail, "mailbox", &p->site[i].mail[b]);
    return rc;
}

/* The bytes of what has room for more than a slice holds, before they are first written: of huge
 * pages, which the host would take, each would be there as a whole for the little that is in it. */
static void *spread_bytes(const struct htmt_frame *frame, uint32_t slice)
{
    struct htmt_object *o = htmt_at(frame, slice, 0).object;
    void *bytes = htmt_object_bytes(o);
    (void)madvise(bytes, htmt_object_size(o), MADV_NOHUGEPAGE); /* a wish; not of small objects */
    return bytes;
}

/* The host provides pages when they are first written. Write the pages of every step now, not while
 * the emulation is timed: of the tiles those of the bundles that hold particles. */
static void touch(void *program, uint32_t slice)
{
    const htmt__pic *p = program;
    const struct htmt_frame *frames[] = {p->field_tile,  p->rho,         p->guard,       p->field,
                                         p->spectrum[0], p->spectrum[1], p->spectrum[2], p->pushed};
    const uint64_t tile = htmt__pic_tile_words(&p->plan, 1) * HTMT_WORD;
    if (!htmt_slice_here(p->e, slice))
        return;
    char *tiles = spread_bytes(p->charge_tile, slice);
    for (uint64_t b = 0; b < htmt__pic_usual_bundles(&p->plan); b++)
        if (p->site[slice].bundle[b].count)
            memset(tiles + b * tile, 0, tile);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        struct htmt_object *o = htmt_at(frames[i], slice, 0).object;
        memset(htmt_object_bytes(o), 0, htmt_object_size(o));
    }
}

/* The whole pages of an object, whose bytes nobody reads any more. */
static void release(const struct htmt_frame *frame, uint32_t slice)
{
    struct htmt_object *o = htmt_at(frame, slice, 0).object;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)htmt_object_bytes(o),
                    begin = (at + page - 1) / page * page,
                    end = (at + htmt_object_size(o)) / page * page;
    if (begin < end)
        (void)madvise((char *)at + (begin - at), end - begin, MADV_DONTNEED);
}

void htmt__pic_program_release(struct htmt__pic_program *p)
{
    const struct htmt_frame *frames[] = {p->charge_tile, p->field_tile,  p->guard,
                                         p->spectrum[0], p->spectrum[1], p->spectrum[2]};
    for (uint32_t slice = 0; slice < p->plan.slices; slice++)
        for (size_t i = 0; i < sizeof frames / sizeof *frames && htmt_slice_here(p->e, slice); i++)
            release(frames[i], slice);
}

/* ---- sites ---------------------------------------------------------------------------------- */

/* The parts of the program that belong to slices. What lies where is known of every slice; bundles
 * and blocks only of those that this rank plays. */
static int create_sites(htmt__pic *p)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const uint32_t ny = plan->problem.n[1];
    p->site = htmt_per_slice_create(plan->slices, sizeof *p->site);
    if (!p->site)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < plan->slices; i++) {
        struct htmt__pic_site *s = &p->site[i];
        s->slice = i;
        if (!plan->problem.n[0])
            continue;
        s->j = i % plan->py;
        s->k = i / plan->py;
        s->box = htmt__pic_slice_box(plan, i);
        s->blocks = htmt__pic_block_count(plan, i);
        s->first_x = htmt__pic_first(plan->modes, plan->py, s->j);
        s->modes_x = htmt__pic_first(plan->modes, plan->py, s->j + 1) - s->first_x;
        s->first_y = htmt__pic_first(ny, plan->pz, s->k);
        s->modes_y = htmt__pic_first(ny, plan->pz, s->k + 1) - s->first_y;
        s->pieces_x = (uint32_t)htmt_ceil_div(s->box.n[1], plan->rows_x);
        s->pieces_y = (uint32_t)htmt_ceil_div(s->modes_x, plan->columns_y);
        s->mail =
            calloc((size_t)plan->teams * plan->problem.species, sizeof(struct htmt_mailbox *));
        if (!s->mail)
            return HTMT_ENOMEM;
        if (!htmt_slice_here(p->e, i))
            continue;
        s->bundle = calloc(bundles_of(p), sizeof *s->bundle);
        s->block = malloc(s->blocks * sizeof *s->block);
        if (!s->bundle || !s->block)
            return HTMT_ENOMEM;
        for (uint32_t b = 0; b < s->blocks; b++)
            s->block[b] = htmt__pic_block_box(plan, i, b);
    }
    return 0;
}

/* ---- first particles ------------------------------------------------------------------------ */

/* Position in a slice's table of a block's own bundle for a species. */
static uint64_t home_bundle(const htmt__pic *p, uint32_t blocks, uint32_t team, uint32_t block,
                            uint32_t species)
{
    uint32_t first = htmt__pic_team_first(&p->plan, blocks, team);
    return (uint64_t)team * p->plan.bundles + (block - first) * p->plan.problem.species + species;
}

/* A bundle of that home with room; the number of bundles if there is none. */
static uint64_t bundle_with_room(const htmt__pic *p, const struct htmt__pic_site *s, uint64_t home)
{
    uint32_t team = (uint32_t)(home / p->plan.bundles);
    uint32_t blocks = htmt__pic_team_first(&p->plan, s->blocks, team + 1) -
                      htmt__pic_team_first(&p->plan, s->blocks, team);
    if (s->bundle[home].count < p->plan.room)
        return home;
    for (uint64_t n = blocks * p->plan.problem.species; n < p->plan.bundles + p->plan.spares; n++) {
        uint64_t i = htmt__pic_bundle_of(&p->plan, team, n);
        if (!s->bundle[i].count ||
            (s->bundle[i].block == s->bundle[home].block &&
             s->bundle[i].species == s->bundle[home].species && s->bundle[i].count < p->plan.room))
            return i;
    }
    return bundles_of(p);
}

/* A particle of a slice that another rank plays is not taken. */
static int put_particle(htmt__pic *p, const struct htmt__pic_particle *q, uint32_t species,
                        struct htmt_fault *fault)
{
    struct htmt__pic_home at = htmt__pic_home_of(&p->owner, q);
    struct htmt__pic_site *s = &p->site[at.slice];
    if (!s->particle)
        return 0;
    uint64_t home = home_bundle(p, s->blocks, at.team, at.block, species);
    uint64_t i = bundle_with_room(p, s, home);
    if (i == bundles_of(p))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "slice %" PRIu32 ": found more particles at the start than %" PRIu32
                              " bundles of %" PRIu64 " of a team hold; expected fewer in a cell",
                              at.slice, p->plan.bundles + p->plan.spares, p->plan.room);
    s->spread += i >= htmt__pic_usual_bundles(&p->plan) && !s->bundle[i].count;
    s->counts.taken[species]++;
    s->bundle[i].block = at.block;
    s->bundle[i].species = species;
    s->particle[i * p->plan.room + s->bundle[i].count++] = *q;
    return 0;
}

/* A captured run has where the particles of the start lie, not the particles. */
static int keep_start(struct htmt__pic_site *s, const htmt__pic *p, struct htmt_fault *fault)
{
    int rc = s->bundle ? htmt_keep(p->e, s->bundle, bundles_of(p) * sizeof *s->bundle) : 0;
    rc = rc ? rc : htmt_keep(p->e, s->counts.taken, sizeof s->counts.taken);
    rc = rc ? rc : htmt_keep(p->e, &s->spread, sizeof s->spread);
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(p->e)->text) : 0;
}

/* Where a home's bundle lies, for a species: all slices' blocks side by side. NULL: another rank
 * plays the slice. */
struct homes {
    const htmt__pic *p;
    struct htmt__pic_particle **bundle;
};

static uint32_t home_key(const void *user, const struct htmt__pic_particle *q)
{
    const struct homes *h = user;
    const struct htmt__pic_home at = htmt__pic_home_of(&h->p->owner, q);
    const uint32_t key = at.slice * h->p->plan.blocks + at.block;
    return h->bundle[key] ? key : HTMT__PIC_NO_KEY;
}

static struct htmt__pic_particle *home_slot(const void *user, uint32_t key, uint64_t place,
                                            uint64_t before)
{
    const struct homes *h = user;
    (void)place;
    return before < h->p->plan.room ? h->bundle[key] + before : NULL;
}

/* The particles of a species begin in the bundles of their homes, in the order of their numbers;
 * what these have no room for goes where the next ones would. */
static int begin_species(htmt__pic *p, uint32_t species, uint64_t seed, unsigned threads,
                         struct htmt_fault *fault)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const uint32_t keys = plan->slices * plan->blocks;
    const struct htmt__pic_birth birth = {&p->deck, seed, species};
    struct homes homes = {p, calloc(keys, sizeof *homes.bundle)};
    const struct htmt__pic_target to = {&homes, keys, home_key, home_slot};
    struct htmt__pic_species late = {0};
    uint32_t *first = malloc(((size_t)keys + 1) * sizeof *first);
    int rc = homes.bundle && first
                 ? 0
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the first particles");
    for (uint32_t k = 0; k < keys && !rc; k++) {
        const struct htmt__pic_site *s = &p->site[k / plan->blocks];
        const uint32_t b = k % plan->blocks;
        if (s->particle && b < s->blocks)
            homes.bundle[k] =
                s->particle + plan->room * home_bundle(p, s->blocks,
                                                       htmt__pic_team_of(plan, s->blocks, b), b,
                                                       species);
    }
    if (!rc)
        rc = htmt__pic_start_at(&birth, threads, &to, first, &late, fault);
    for (uint32_t k = 0; k < keys && !rc; k++) {
        struct htmt__pic_site *s = &p->site[k / plan->blocks];
        const uint64_t count = htmt_least(first[k + 1] - first[k], plan->room);
        if (!homes.bundle[k])
            continue;
        s->bundle[(uint64_t)(homes.bundle[k] - s->particle) / plan->room].count = count;
        s->counts.taken[species] += count;
    }
    for (uint64_t i = 0; i < late.count && !rc; i++)
        rc = put_particle(p, &late.at[i], species, fault);
    free(late.at);
    free(first);
    free(homes.bundle);
    return rc;
}

/* The first particles: those of an array, or the deck's, made where they begin. */
struct source {
    const struct htmt__pic_particles *particles; /* NULL: the deck's */
    uint64_t seed;
    unsigned threads;
};

/* Every block has its own bundles, which a model run fills with the mean of particles; otherwise
 * the particles of the start go to their homes, and a copy of the table to DRAM. */
static int fill(htmt__pic *p, const struct source *from, struct htmt_fault *fault)
{
    const uint32_t played = htmt_emulator_played(p->e), species = p->plan.problem.species;
    int rc = 0;
    for (uint32_t i = 0; i < played; i++)
        if (htmt_slice_here(p->e, i)) {
            struct htmt__pic_site *site = &p->site[i];
            site->particle = from ? spread_bytes(p->particles, i) : NULL;
            for (uint32_t n = 0; n < site->blocks * species; n++) {
                const uint32_t b = n / species, s = n % species;
                uint32_t team = htmt__pic_team_of(&p->plan, site->blocks, b);
                uint64_t mean = p->plan.problem.per_cell[s] * htmt__pic_cells(&site->block[b]);
                site->bundle[home_bundle(p, site->blocks, team, b, s)] =
                    (struct htmt__pic_bundle){b, s, p->model ? htmt_least(mean, p->plan.room) : 0};
            }
        }
    if (p->model)
        return 0;
    const struct htmt__pic_particles *all = from ? from->particles : NULL;
    for (uint32_t s = 0; s < species && from && !rc; s++) {
        if (!all)
            rc = begin_species(p, s, from->seed, from->threads, fault);
        for (uint64_t i = 0; all && i < all->of[s].count && !rc; i++)
            rc = put_particle(p, &all->of[s].at[i], s, fault);
    }
    for (uint32_t i = 0; i < played && !rc; i++)
        rc = keep_start(&p->site[i], p, fault);
    for (uint32_t i = 0; i < played && from && !rc; i++) {
        if (!htmt_slice_here(p->e, i))
            continue;
        struct htmt__pic_bundle *table = htmt_object_bytes(htmt_at(p->table, i, 0).object);
        for (uint64_t b = 0; b < bundles_of(p); b++)
            table[htmt__pic_entry(&p->plan, b)] = p->site[i].bundle[b];
    }
    return rc;
}

/* ---- life ----------------------------------------------------------------------------------- */

static int build(htmt__pic *p, const struct source *from, struct htmt_fault *fault)
{
    int rc = create_sites(p);
    if (rc)
        return htmt_fault_set(fault, rc, "no host memory for the program");
    const bool cells = p->plan.problem.n[0] != 0;
    rc = create_objects(p);
    if (!rc)
        rc = htmt__pic_push_types(p);
    if (!rc && cells)
        rc = htmt__pic_charge_types(p);
    if (!rc && cells)
        rc = htmt__pic_field_types(p);
    if (!rc && cells)
        rc = htmt__pic_migrate_types(p);
    if (!rc)
        rc = htmt__pic_coordinator_type(p);
    if (rc)
        return htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(p->e)->text);
    if (cells) {
        rc = htmt__pic_block_owner_create(&p->plan, &p->owner, fault);
        if (!rc)
            rc = fill(p, from, fault);
        if (!rc && from)
            rc = htmt__pic_lines_create(p, fault);
        if (!rc && from)
            htmt_host_parts(from->threads, p->plan.slices, touch, p);
    }
    if (rc)
        return rc;
    for (uint32_t i = 0; i < p->plan.slices && !rc; i++)
        rc = htmt__pic_coordinator_start(p, i);
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(p->e)->text) : 0;
}

/* from NULL: a model run, or a captured one. */
static int create(struct htmt_emulator *e, const struct htmt__pic_plan *plan,
                  const struct htmt__pic_deck *deck, const struct source *from,
                  struct htmt__pic_program **program, struct htmt_fault *fault)
{
    if (plan->slices != htmt_emulator_slices(e))
        return htmt_fault_set(fault, HTMT_EINVAL, "found %u slices, expected %u",
                              htmt_emulator_slices(e), plan->slices);
    htmt__pic *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    const struct htmt_machine *m = htmt_emulator_machine(e);
    uint64_t waiting = htmt_machine_room(m, plan->middle) / plan->parcel_words;
    uint64_t window = UNDER_WAY * (uint64_t)m->layer[plan->outer].processor.count + waiting;
    p->e = e;
    p->plan = *plan;
    p->model = !from && !htmt_is_captured(e);
    p->window = window < UINT32_MAX ? (uint32_t)window : UINT32_MAX;
    if (deck) {
        p->deck = *deck;
        p->background = htmt__pic_deck_background(deck);
        for (uint32_t i = 0; from && i < plan->problem.species; i++) {
            const double share = htmt__pic_deck_share(deck, i);
            const struct htmt__pic_particles *own = from->particles;
            p->charge[i] = own ? own->of[i].charge : share * deck->species[i].charge;
            p->mass[i] = own ? own->of[i].mass : share * deck->species[i].mass;
        }
        for (uint32_t i = 0; i < plan->problem.species; i++)
            for (int face = 0; face < 6; face++)
                p->flux[i][face] = htmt__pic_flux(deck, i, face / 2, face % 2 ? 1 : -1);
        p->mode = htmt__pic_mode(deck);
    }
    int rc = build(p, from, fault);
    if (rc)
        htmt__pic_program_destroy(&p);
    else
        *program = p;
    return rc;
}

int htmt__pic_program_create(struct htmt_emulator *e, const struct htmt__pic_plan *plan,
                             const struct htmt__pic_deck *deck,
                             const struct htmt__pic_particles *particles,
                             struct htmt__pic_program **program, struct htmt_fault *fault)
{
    const struct source from = {.particles = particles, .threads = 1};
    return create(e, plan, deck, particles ? &from : NULL, program, fault);
}

int htmt__pic_program_begin(struct htmt_emulator *e, const struct htmt__pic_plan *plan,
                            const struct htmt__pic_deck *deck, uint64_t seed, unsigned threads,
                            struct htmt__pic_program **program, struct htmt_fault *fault)
{
    const struct source from = {.seed = seed, .threads = threads};
    return create(e, plan, deck, &from, program, fault);
}

void htmt__pic_program_destroy(struct htmt__pic_program **program)
{
    htmt__pic *p = *program;
    if (!p)
        return;
    for (uint32_t i = 0; p->site && i < p->plan.slices; i++) {
        free(p->site[i].bundle);
        free(p->site[i].block);
        free(p->site[i].mail);
        free(p->site[i].flights.flight);
    }
    htmt__pic_line_destroy(&p->lines);
    htmt__pic_block_owner_destroy(&p->owner);
    free(p->site);
    free(p);
    *program = NULL;
}

void htmt__pic_program_name_steps(struct htmt__pic_program *p)
{
    p->named = p->plan.problem.n[0] != 0;
}

void htmt__pic_program_watch(struct htmt__pic_program *p, struct htmt__pic_snapshots *snapshots)
{
    p->snapshots = snapshots;
    p->snapshot = &htmt__pic_snapshot_calls;
}
