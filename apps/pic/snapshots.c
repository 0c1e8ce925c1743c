/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A snapshot is a list entry that takes parts: the field of each block and the particles of each
 * team, from whatever thread runs their kernels. Slices reach a step at different host times, so
 * several snapshots may be open. The lock guards the list and the counts of missing parts; the
 * parts themselves go to places of their own and need none. Files are written outside the lock, one
 * snapshot at a time.
 */
#include "apps/pic/snapshots.h"

#include "apps/lib/per_slice.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A team's particles, and the number of each bundle. */
struct part {
    struct htmt__pic_particle *at;
    struct {
        uint32_t species;
        uint64_t count;
    } bundle[HTMT__PIC_TEAM_BUNDLES];
};

struct snapshot {
    struct snapshot *next;
    uint64_t step, missing; /* missing: blocks and teams of this rank that are still to come */
    struct htmt__pic_fields fields;
    struct part *part; /* slices x teams */
};

struct htmt__pic_snapshots {
    struct htmt__pic_snapshots_desc of;
    uint64_t parts; /* of the slices that this rank plays */
    bool several;   /* other ranks play others */
    pthread_mutex_t lock, writing;
    struct snapshot *first;  /* not yet whole */
    struct htmt_fault fault; /* the first error */
};

bool htmt__pic_snapshot_due(const struct htmt__pic_snapshots *s, uint64_t step)
{
    return s && (step + 1) % s->of.every == 0;
}

static uint32_t bundles_of(const struct htmt__pic_snapshots *s)
{
    return s->of.plan->bundles + s->of.plan->spares;
}

static uint64_t teams_of(const struct htmt__pic_snapshots *s)
{
    return (uint64_t)s->of.plan->slices * s->of.plan->teams;
}

static void note(struct htmt__pic_snapshots *s, const struct htmt_fault *fault)
{
    pthread_mutex_lock(&s->lock);
    if (!s->fault.code)
        s->fault = *fault;
    pthread_mutex_unlock(&s->lock);
}

static void run_short(struct htmt__pic_snapshots *s)
{
    struct htmt_fault fault = {0};
    htmt_fault_set(&fault, HTMT_ENOMEM, "no host memory for a snapshot");
    note(s, &fault);
}

/* ---- life of a snapshot --------------------------------------------------------------------- */

static void release(const struct htmt__pic_snapshots *s, struct snapshot *shot)
{
    for (uint64_t i = 0; shot->part && i < teams_of(s); i++)
        free(shot->part[i].at);
    free(shot->part);
    htmt__pic_fields_destroy(&shot->fields);
    free(shot);
}

/* Lock held. NULL: no memory. */
static struct snapshot *make(struct htmt__pic_snapshots *s, uint64_t step)
{
    struct snapshot *shot = calloc(1, sizeof *shot);
    struct htmt_fault fault = {0};
    if (!shot)
        return NULL;
    shot->step = step;
    shot->missing = s->parts;
    if (s->of.particles)
        shot->part = calloc(teams_of(s), sizeof *shot->part);
    if ((s->of.particles && !shot->part) ||
        (s->of.fields && htmt__pic_fields_create(&shot->fields, s->of.deck->n, &fault))) {
        release(s, shot);
        return NULL;
    }
    shot->next = s->first;
    s->first = shot;
    return shot;
}

/* The snapshot of a step; NULL: there is no memory. */
static struct snapshot *find(struct htmt__pic_snapshots *s, uint64_t step)
{
    pthread_mutex_lock(&s->lock);
    struct snapshot *shot = s->first;
    while (shot && shot->step != step)
        shot = shot->next;
    if (!shot && !s->fault.code)
        shot = make(s, step);
    pthread_mutex_unlock(&s->lock);
    if (!shot)
        run_short(s);
    return shot;
}

static void unlink_shot(struct htmt__pic_snapshots *s, const struct snapshot *shot)
{
    struct snapshot **at = &s->first;
    while (*at != shot)
        at = &(*at)->next;
    *at = shot->next;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Append bundles `from` to `to` of all teams of a slice. */
static void gather(const struct htmt__pic_snapshots *s, const struct snapshot *shot, uint64_t slice,
                   uint32_t from, uint32_t to, struct htmt__pic_particles *p)
{
    uint32_t teams = s->of.plan->teams;
    for (uint64_t t = slice * teams; t < (slice + 1) * teams; t++) {
        const struct part *part = &shot->part[t];
        const struct htmt__pic_particle *at = part->at;
        for (uint32_t i = 0; i < to; at += part->bundle[i++].count) {
            struct htmt__pic_species *species = &p->of[part->bundle[i].species];
            if (i < from || !part->bundle[i].count)
                continue;
            memcpy(species->at + species->count, at, part->bundle[i].count * sizeof *at);
            species->count += part->bundle[i].count;
        }
    }
}

/* Particles in the order of a run's results: of each slice the usual bundles, then the spares. */
static int write_shot(struct htmt__pic_snapshots *s, const struct snapshot *shot,
                      struct htmt_fault *fault)
{
    struct htmt__pic_particles p = {0};
    int rc = 0;
    if (s->of.particles)
        p.species = s->of.deck->species_count;
    for (uint32_t i = 0; i < p.species && !rc; i++)
        if (!(p.of[i].at = malloc((htmt__pic_deck_count(s->of.deck, i) + 1) * sizeof *p.of[i].at)))
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a snapshot");
    for (uint32_t i = 0; i < s->of.plan->slices && s->of.particles && !rc; i++) {
        gather(s, shot, i, 0, s->of.plan->bundles, &p);
        gather(s, shot, i, s->of.plan->bundles, bundles_of(s), &p);
    }
    if (!rc)
        rc = s->of.write(s->of.user, shot->step + 1, s->of.fields ? &shot->fields : NULL,
                         s->of.particles ? &p : NULL, fault);
    htmt__pic_particles_destroy(&p);
    return rc;
}

/* A part has come; write and release the snapshot with the last. */
static void end_part(struct htmt__pic_snapshots *s, struct snapshot *shot)
{
    struct htmt_fault fault = {0};
    pthread_mutex_lock(&s->lock);
    bool whole = --shot->missing == 0 && !s->several;
    if (whole)
        unlink_shot(s, shot);
    pthread_mutex_unlock(&s->lock);
    if (!whole)
        return;
    pthread_mutex_lock(&s->writing);
    int rc = write_shot(s, shot, &fault);
    pthread_mutex_unlock(&s->writing);
    if (rc)
        note(s, &fault);
    release(s, shot);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Rows lie with a guard row at each side; the field is field[z][y][component][x]. */
void htmt__pic_snapshot_block(struct htmt__pic_snapshots *s, uint64_t step, const double *field,
                              const double *rho, const struct htmt__pic_box *b,
                              const struct htmt__pic_box *slice)
{
    struct snapshot *shot;
    if (!htmt__pic_snapshot_due(s, step) || !s->of.fields || !(shot = find(s, step)))
        return;
    const struct htmt__pic_fields *f = &shot->fields;
    const uint64_t nx = f->n[0], cells = nx * f->n[1] * f->n[2];
    for (uint64_t z = b->lo[2]; z < b->lo[2] + b->n[2]; z++)
        for (uint64_t y = b->lo[1]; y < b->lo[1] + b->n[1]; y++) {
            uint64_t row = ((z - slice->lo[2] + 1) * (slice->n[1] + 2) + y - slice->lo[1] + 1) * nx;
            double *to = f->at + (z * f->n[1] + y) * nx + b->lo[0];
            memcpy(to, rho + row + b->lo[0], b->n[0] * sizeof *to);
            for (uint64_t i = 0; i < HTMT__PIC_FIELD_WORDS; i++)
                memcpy(to + (i + 1) * cells,
                       field + HTMT__PIC_FIELD_WORDS * row + i * nx + b->lo[0],
                       b->n[0] * sizeof *to);
        }
    end_part(s, shot);
}

void htmt__pic_snapshot_team(struct htmt__pic_snapshots *s, uint64_t step, uint32_t slice,
                             uint32_t team, const struct htmt__pic_snapshot_bundle *b)
{
    struct snapshot *shot;
    if (!htmt__pic_snapshot_due(s, step) || !s->of.particles || !(shot = find(s, step)))
        return;
    struct part *part = &shot->part[(uint64_t)slice * s->of.plan->teams + team];
    uint64_t count = 0;
    for (uint32_t i = 0; i < bundles_of(s); i++)
        count += b[i].count;
    struct htmt__pic_particle *to = part->at = malloc((count + 1) * sizeof *to);
    if (!to) {
        run_short(s); /* the snapshot never becomes whole */
        return;
    }
    for (uint32_t i = 0; i < bundles_of(s); to += b[i++].count) {
        part->bundle[i].species = b[i].species;
        part->bundle[i].count = b[i].count;
        if (b[i].count)
            memcpy(to, b[i].at, b[i].count * sizeof *to);
    }
    end_part(s, shot);
}

const struct htmt__pic_snapshot_calls htmt__pic_snapshot_calls = {
    htmt__pic_snapshot_block, htmt__pic_snapshot_team, htmt__pic_snapshot_due};

/* ---- of several ranks ----------------------------------------------------------------------- */

/* Between a snapshot's fields and the rows of a slice's own cells, one after another. */
static void copy_rows(const struct htmt__pic_fields *f, const struct htmt__pic_box *b, double *rows,
                      bool out)
{
    const uint64_t nx = f->n[0], run = b->n[1] * nx;
    for (uint64_t i = 0; i < (uint64_t)HTMT__PIC_FIELDS * b->n[2]; i++, rows += run) {
        uint64_t z = i / b->n[2] * f->n[2] + b->lo[2] + i % b->n[2];
        double *at = f->at + (z * f->n[1] + b->lo[1]) * nx;
        memcpy(out ? rows : at, out ? at : rows, run * sizeof *rows);
    }
}

/* The rows of a slice on their way to rank 0. */
static int bring_rows(struct htmt__pic_snapshots *s, struct snapshot *shot, uint32_t slice)
{
    const struct htmt__pic_box box = htmt__pic_slice_box(s->of.plan, slice);
    const bool here = htmt_slice_here(s->of.e, slice);
    size_t size = here ? HTMT__PIC_FIELDS * htmt__pic_cells(&box) * sizeof(double) : 0;
    void *rows = here ? malloc(size) : NULL;
    if (rows)
        copy_rows(&shot->fields, &box, rows, true);
    int rc = here && !rows ? HTMT_ENOMEM : htmt_per_slice_fetch(s->of.e, slice, &rows, &size);
    if (!rc && rows && !here)
        copy_rows(&shot->fields, &box, rows, false);
    free(rows);
    return rc;
}

/* A team's numbers of bundles, then its particles, on their way to rank 0. */
static int bring_part(struct htmt__pic_snapshots *s, struct snapshot *shot, uint64_t team)
{
    const uint32_t slice = (uint32_t)(team / s->of.plan->teams);
    const bool here = htmt_slice_here(s->of.e, slice);
    struct part *part = &shot->part[team];
    const size_t head = sizeof part->bundle;
    size_t size = here ? head : 0;
    for (uint32_t i = 0; i < bundles_of(s) && here; i++)
        size += part->bundle[i].count * sizeof *part->at;
    void *bytes = here ? malloc(size) : NULL;
    if (bytes) {
        memcpy(bytes, part->bundle, head);
        memcpy((char *)bytes + head, part->at, size - head);
    }
    int rc = here && !bytes ? HTMT_ENOMEM : htmt_per_slice_fetch(s->of.e, slice, &bytes, &size);
    if (!rc && bytes && !here) {
        memcpy(part->bundle, bytes, head);
        part->at = malloc(size - head + sizeof *part->at);
        if (part->at)
            memcpy(part->at, (const char *)bytes + head, size - head);
        else
            rc = HTMT_ENOMEM;
    }
    free(bytes);
    return rc;
}

int htmt__pic_snapshots_gather(struct htmt__pic_snapshots *s, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint64_t step = 0; s && s->several && step < s->of.deck->steps && !rc; step++) {
        if (!htmt__pic_snapshot_due(s, step))
            continue;
        struct snapshot *shot = find(s, step);
        rc = shot && !s->fault.code && !shot->missing ? 0 : HTMT_ENOMEM;
        for (uint32_t i = 0; i < s->of.plan->slices && s->of.fields && !rc; i++)
            rc = bring_rows(s, shot, i);
        for (uint64_t i = 0; i < teams_of(s) && s->of.particles && !rc; i++)
            rc = bring_part(s, shot, i);
        if (rc)
            return htmt_fault_set(fault, rc, "a snapshot: %s", htmt_strerror(rc));
        if (htmt_emulator_options(s->of.e)->ranks->rank == 0)
            rc = write_shot(s, shot, fault);
        unlink_shot(s, shot);
        release(s, shot);
    }
    return rc;
}

/* ---- life ----------------------------------------------------------------------------------- */

int htmt__pic_snapshots_create(const struct htmt__pic_snapshots_desc *desc,
                               struct htmt__pic_snapshots **out, struct htmt_fault *fault)
{
    struct htmt__pic_snapshots *s = calloc(1, sizeof *s);
    if (!s)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for snapshots");
    s->of = *desc;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->writing, NULL);
    for (uint32_t i = 0; i < desc->plan->slices; i++)
        if (htmt_slice_here(desc->e, i))
            s->parts += (desc->fields ? htmt__pic_block_count(desc->plan, i) : 0) +
                        (desc->particles ? desc->plan->teams : 0);
        else
            s->several = true;
    *out = s;
    return 0;
}

int htmt__pic_snapshots_destroy(struct htmt__pic_snapshots **out, struct htmt_fault *fault)
{
    struct htmt__pic_snapshots *s = *out;
    *out = NULL;
    if (!s)
        return 0;
    while (s->first) {
        struct snapshot *next = s->first->next;
        release(s, s->first);
        s->first = next;
    }
    int rc = s->fault.code;
    if (rc && fault)
        htmt_fault_set(fault, rc, "%s", s->fault.text);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->writing);
    free(s);
    return rc;
}
