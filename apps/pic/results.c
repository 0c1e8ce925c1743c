/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run of the plasma's parcel program has left: counts of all slices in all ranks, bytes of a
 * slice in rank 0.
 */
#include "apps/pic/coordinator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- counts --------------------------------------------------------------------------------- */

static void count_left(const htmt__pic *p, struct htmt__pic_site *s)
{
    memset(s->did.left, 0, sizeof s->did.left);
    for (uint64_t i = 0; i < htmt__pic_all_bundles(&p->plan); i++)
        if (s->bundle[i].count)
            s->did.left[s->bundle[i].species] += s->bundle[i].count;
}

int htmt__pic_program_share(htmt__pic *p, struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < p->plan.slices; i++)
        if (p->site[i].bundle)
            count_left(p, &p->site[i]);
    int rc = htmt_slices_share(p->e, &p->site->did, sizeof p->site->did, sizeof *p->site);
    return rc ? htmt_fault_set(fault, rc, "what the slices counted: %s", htmt_strerror(rc)) : 0;
}

int htmt__pic_program_audit(const htmt__pic *p, struct htmt_fault *fault)
{
    for (uint32_t s = 0; s < p->plan.problem.species; s++) {
        uint64_t taken = 0, left = 0;
        for (uint32_t i = 0; i < p->plan.slices; i++) {
            taken += p->site[i].did.taken[s];
            left += p->site[i].did.left[s];
        }
        if (left != taken)
            return htmt_fault_set(fault, HTMT_EAUDIT,
                                  "species %" PRIu32 ": found %" PRIu64
                                  " particles at the end, expected %" PRIu64,
                                  s, left, taken);
    }
    return 0;
}

struct htmt__pic_traffic htmt__pic_program_traffic(const htmt__pic *p)
{
    struct htmt__pic_traffic t = {0};
    for (uint32_t i = 0; i < p->plan.slices; i++) {
        t.migrated += p->site[i].did.migrated;
        t.spilled += p->site[i].did.spilled;
    }
    return t;
}

/* ---- records -------------------------------------------------------------------------------- */

static uint32_t first_here(const htmt__pic *p)
{
    uint32_t slice = 0;
    while (slice + 1 < p->plan.slices && !htmt_slice_here(p->e, slice))
        slice++;
    return slice;
}

/* Every slice has the records of all steps. Rank 0 takes those of slice 0, whoever plays it; what
 * the others take nobody sees. A step that ended has pushed all particles. */
int htmt__pic_program_records(const htmt__pic *p, struct htmt__pic_record *record, uint64_t *steps,
                              struct htmt_fault *fault)
{
    const void *bytes = NULL;
    int rc = htmt_object_fetch(htmt_at(p->series, 0, 0).object, &bytes);
    if (rc)
        return htmt_fault_set(fault, rc, "the records of slice 0: %s", htmt_strerror(rc));
    const struct htmt__pic_record *from =
        bytes ? bytes : htmt_object_bytes(htmt_at(p->series, first_here(p), 0).object);
    *steps = 0;
    while (from && *steps < p->deck.steps && from[*steps].particles > 0)
        (*steps)++;
    if (*steps)
        memcpy(record, from, *steps * sizeof *record);
    return 0;
}

/* ---- of a slice ----------------------------------------------------------------------------- */

/* A slice's bytes on their way to rank 0; the rank that plays it has made room for them. */
static int bring(const htmt__pic *p, uint32_t slice, void **at, size_t *size,
                 struct htmt_fault *fault)
{
    int rc = htmt_slice_here(p->e, slice) && !*at ? HTMT_ENOMEM
                                                  : htmt_per_slice_fetch(p->e, slice, at, size);
    if (!rc)
        return 0;
    free(*at);
    *at = NULL;
    return htmt_fault_set(fault, rc, "the results of slice %" PRIu32 ": %s", slice,
                          htmt_strerror(rc));
}

/* Rows lie with a guard row at each side; the field is field[z][y][component][x]. */
static const double *row_at(const htmt__pic *p, uint32_t slice, uint32_t field, uint32_t y,
                            uint32_t z)
{
    const struct htmt__pic_box *box = &p->site[slice].box;
    const uint64_t row = (uint64_t)(z + 1) * (box->n[1] + 2) + y + 1, nx = box->n[0];
    if (field == HTMT__PIC_RHO)
        return (const double *)htmt_object_bytes(htmt_at(p->rho, slice, 0).object) + row * nx;
    return (const double *)htmt_object_bytes(htmt_at(p->field, slice, 0).object) +
           (HTMT__PIC_FIELD_WORDS * row + field - HTMT__PIC_EX) * nx;
}

static double *pack_rows(const htmt__pic *p, uint32_t slice, uint32_t field)
{
    const uint32_t *n = p->site[slice].box.n;
    double *rows = malloc(htmt__pic_cells(&p->site[slice].box) * sizeof *rows), *to = rows;
    for (uint32_t z = 0; rows && z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++, to += n[0])
            memcpy(to, row_at(p, slice, field, y, z), n[0] * sizeof *to);
    return rows;
}

int htmt__pic_program_rows(const htmt__pic *p, uint32_t slice, uint32_t field, double **rows,
                           struct htmt_fault *fault)
{
    bool here = htmt_slice_here(p->e, slice);
    void *at = here ? pack_rows(p, slice, field) : NULL;
    size_t size = here ? htmt__pic_cells(&p->site[slice].box) * sizeof **rows : 0;
    int rc = bring(p, slice, &at, &size, fault);
    *rows = at;
    return rc;
}

static struct htmt__pic_particle *pack_crowd(const htmt__pic *p, const struct htmt__pic_site *s,
                                             uint32_t species)
{
    const struct htmt__pic_particle *at =
        htmt_object_bytes(htmt_at(p->particles, s->slice, 0).object);
    struct htmt__pic_particle *all = malloc((s->did.left[species] + 1) * sizeof *all), *to = all;
    for (uint64_t i = 0; all && i < htmt__pic_all_bundles(&p->plan); i++) {
        const struct htmt__pic_bundle *b = &s->bundle[i];
        if (!b->count || b->species != species)
            continue;
        memcpy(to, at + i * p->plan.room, b->count * sizeof *to);
        to += b->count;
    }
    return all;
}

int htmt__pic_program_crowd(const htmt__pic *p, uint32_t slice, uint32_t species,
                            struct htmt__pic_crowd *c, struct htmt_fault *fault)
{
    const struct htmt__pic_site *s = &p->site[slice];
    bool here = htmt_slice_here(p->e, slice);
    void *at = here ? pack_crowd(p, s, species) : NULL;
    size_t size = here ? s->did.left[species] * sizeof *c->at : 0;
    int rc = bring(p, slice, &at, &size, fault);
    *c = (struct htmt__pic_crowd){.count = at ? size / sizeof *c->at : 0, .at = at};
    return rc;
}

/* ---- of all slices -------------------------------------------------------------------------- */

static int add_crowd(const htmt__pic *p, uint32_t slice, uint32_t species,
                     struct htmt__pic_crowd *to, struct htmt_fault *fault)
{
    struct htmt__pic_crowd c;
    int rc = htmt__pic_program_crowd(p, slice, species, &c, fault);
    if (!rc && c.at)
        memcpy(to->at + to->count, c.at, c.count * sizeof *c.at);
    to->count += rc ? 0 : c.count;
    free(c.at);
    return rc;
}

int htmt__pic_program_particles(htmt__pic *p, struct htmt__pic_particles *out,
                                struct htmt_fault *fault)
{
    int rc = htmt__pic_program_share(p, fault);
    if (!rc)
        rc = htmt__pic_program_audit(p, fault);
    for (uint32_t s = 0; s < out->species && !rc; s++) {
        out->crowd[s].count = 0;
        for (uint32_t i = 0; i < p->plan.slices && !rc; i++)
            rc = add_crowd(p, i, s, &out->crowd[s], fault);
    }
    return rc;
}

static void place_rows(const struct htmt__pic_box *box, const double *rows, uint32_t field,
                       struct htmt__pic_fields *f)
{
    const uint64_t nx = box->n[0], plane = nx * f->n[1];
    double *to = f->at + field * plane * f->n[2] + box->lo[2] * plane + box->lo[1] * nx;
    for (uint32_t z = 0; z < box->n[2]; z++, rows += box->n[1] * nx)
        memcpy(to + z * plane, rows, box->n[1] * nx * sizeof *to);
}

int htmt__pic_program_fields(const htmt__pic *p, struct htmt__pic_fields *f,
                             struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < HTMT__PIC_FIELDS * p->plan.slices && !rc; i++) {
        uint32_t slice = i / HTMT__PIC_FIELDS, field = i % HTMT__PIC_FIELDS;
        double *rows;
        rc = htmt__pic_program_rows(p, slice, field, &rows, fault);
        if (!rc && rows)
            place_rows(&p->site[slice].box, rows, field, f);
        free(rows);
    }
    return rc;
}

/* ---- why a run failed ----------------------------------------------------------------------- */

/* For each mailbox of slice `to`: the particles that each slice has under way to it, of all slices.
 */
static void add_flights(const htmt__pic *p, uint32_t to, uint32_t boxes, uint64_t *row)
{
    for (uint32_t i = 0; i < htmt_emulator_played(p->e); i++)
        for (uint64_t n = 0; n < p->site[i].flights; n++) {
            const struct htmt__pic_flight *f = &p->site[i].flight[n];
            if (f->slice == to)
                row[(uint64_t)i * boxes + f->mail] += f->count;
        }
}

static int refuse_mail(const htmt__pic *p, uint32_t slice, uint32_t mailbox, uint64_t bound,
                       struct htmt_fault *fault)
{
    uint32_t species = p->plan.problem.species, which = mailbox % species;
    *fault = (struct htmt_fault){0}; /* else the clock's line stays */
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "step %" PRIu64 ": found %" PRIu64
                          " particles or more of species %s that fly to team %" PRIu32
                          " of slice %" PRIu32 ", expected at most %" PRIu64
                          ", which its mailbox holds; --mail %" PRIu64 " has room for all",
                          p->site[slice].step, bound, p->deck.species[which].name,
                          mailbox / species, slice, p->plan.mail,
                          htmt__pic_deck_count(&p->deck, which));
}

/* The first mailbox of the slice that all slices together overfill; boxes: none. */
static uint32_t overfull(const htmt__pic *p, uint32_t boxes, const uint64_t *row, uint64_t *bound)
{
    for (uint32_t b = 0; b < boxes; b++) {
        *bound = 0;
        for (uint32_t i = 0; i < htmt_emulator_played(p->e); i++)
            *bound += row[(uint64_t)i * boxes + b];
        if (*bound > p->plan.mail)
            return b;
    }
    return boxes;
}

/* Mailboxes are emptied when all have come: what does not fit waits for ever, and a message that is
 * larger than the mailbox is refused at once. */
static int explain(htmt__pic *p, uint32_t boxes, uint64_t *row, int rc, struct htmt_fault *fault)
{
    const uint32_t played = htmt_emulator_played(p->e);
    const size_t bytes = boxes * sizeof *row;
    bool lost = htmt_slices_share(p->e, &p->site->step, sizeof p->site->step, sizeof *p->site);
    for (uint32_t i = 0; i < played && !lost; i++) {
        uint64_t bound;
        memset(row, 0, played * bytes);
        add_flights(p, i, boxes, row);
        lost = htmt_slices_share(p->e, row, bytes, bytes);
        uint32_t box = overfull(p, boxes, row, &bound);
        if (!lost && box < boxes)
            return refuse_mail(p, i, box, bound, fault);
    }
    return rc;
}

int htmt__pic_program_explain(htmt__pic *p, int rc, struct htmt_fault *fault)
{
    const uint32_t boxes = p->plan.teams * p->plan.problem.species;
    bool full = p->plan.problem.n[0] && (rc == HTMT_EDEADLOCK || rc == HTMT_ECAPACITY);
    uint64_t *row =
        full ? calloc((uint64_t)htmt_emulator_played(p->e) * boxes + 1, sizeof *row) : NULL;
    if (row)
        rc = explain(p, boxes, row, rc, fault);
    free(row);
    return rc;
}
