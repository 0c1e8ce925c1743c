/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run of the plasma's parcel program has left: counts of all slices in all ranks, bytes of a
 * slice in rank 0, files that rank 0 writes, and why a run failed.
 *
 * All ranks call these functions alike. The rank that plays a slice packs what is asked for, and
 * rank 0 gets it, slice by slice, so that rank 0 never needs the memory of all.
 */
#include "apps/formats/npy.h"
#include "apps/pic/coordinator.h"
#include "apps/pic/io/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- counts --------------------------------------------------------------------------------- */

int htmt__pic_program_share(htmt__pic *p, struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < p->plan.slices; i++) {
        struct htmt__pic_site *s = &p->site[i];
        if (!s->bundle)
            continue;
        memset(s->counts.left, 0, sizeof s->counts.left);
        for (uint64_t b = 0; b < htmt__pic_all_bundles(&p->plan); b++)
            if (s->bundle[b].count)
                s->counts.left[s->bundle[b].species] += s->bundle[b].count;
    }
    int rc = htmt_slices_share(p->e, &p->site->counts, sizeof p->site->counts, sizeof *p->site);
    return rc ? htmt_fault_set(fault, rc, "what the slices counted: %s", htmt_strerror(rc)) : 0;
}

int htmt__pic_program_audit(const htmt__pic *p, struct htmt_fault *fault)
{
    for (uint32_t s = 0; s < p->plan.problem.species; s++) {
        uint64_t taken = 0, left = 0;
        for (uint32_t i = 0; i < p->plan.slices; i++) {
            taken += p->site[i].counts.taken[s];
            left += p->site[i].counts.left[s];
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
        t.migrated += p->site[i].counts.migrated;
        t.spilled += p->site[i].counts.spilled;
    }
    return t;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Every slice has the records of all steps. Rank 0 takes those of slice 0, whoever plays it. Other
 * ranks take those of their first slice, which nobody sees. A step that ended has pushed all
 * particles. */
int htmt__pic_program_records(const htmt__pic *p, struct htmt__pic_record *record, uint64_t *steps,
                              struct htmt_fault *fault)
{
    const void *bytes = NULL;
    int rc = htmt_object_fetch(htmt_at(p->series, 0, 0).object, &bytes);
    if (rc)
        return htmt_fault_set(fault, rc, "the records of slice 0: %s", htmt_strerror(rc));
    uint32_t here = 0;
    while (here + 1 < p->plan.slices && !htmt_slice_here(p->e, here))
        here++;
    const struct htmt__pic_record *from =
        bytes ? bytes : htmt_object_bytes(htmt_at(p->series, here, 0).object);
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
int htmt__pic_program_rows(const htmt__pic *p, uint32_t slice, uint32_t field, double **rows,
                           struct htmt_fault *fault)
{
    bool here = htmt_slice_here(p->e, slice);
    size_t size = 0;
    void *at = NULL;
    if (here) {
        const struct htmt__pic_box *box = &p->site[slice].box;
        const bool is_rho = field == HTMT__PIC_RHO;
        const double *from =
            htmt_object_bytes(htmt_at(is_rho ? p->rho : p->field, slice, 0).object);
        const uint64_t nx = box->n[0], each = is_rho ? 1 : HTMT__PIC_FIELD_WORDS;
        const uint64_t component = is_rho ? 0 : field - HTMT__PIC_EX;
        size = htmt__pic_cells(box) * sizeof **rows;
        double *to = at = malloc(size);
        for (uint32_t z = 0; at && z < box->n[2]; z++)
            for (uint32_t y = 0; y < box->n[1]; y++, to += nx) {
                uint64_t row = (uint64_t)(z + 1) * (box->n[1] + 2) + y + 1;
                memcpy(to, from + (each * row + component) * nx, nx * sizeof *to);
            }
    }
    int rc = bring(p, slice, &at, &size, fault);
    *rows = at;
    return rc;
}

int htmt__pic_program_species(const htmt__pic *p, uint32_t slice, uint32_t species,
                              struct htmt__pic_species *out, struct htmt_fault *fault)
{
    const struct htmt__pic_site *s = &p->site[slice];
    const bool here = htmt_slice_here(p->e, slice);
    struct htmt__pic_particle *all = NULL;
    size_t size = 0;
    if (here) {
        const struct htmt__pic_particle *at =
            htmt_object_bytes(htmt_at(p->particles, slice, 0).object);
        size = s->counts.left[species] * sizeof *all;
        all = malloc(size + sizeof *all);
        struct htmt__pic_particle *to = all;
        for (uint64_t i = 0; all && i < htmt__pic_all_bundles(&p->plan); i++) {
            const struct htmt__pic_bundle *b = &s->bundle[i];
            if (!b->count || b->species != species)
                continue;
            memcpy(to, at + i * p->plan.room, b->count * sizeof *to);
            to += b->count;
        }
    }
    void *bytes = all;
    int rc = bring(p, slice, &bytes, &size, fault);
    *out = (struct htmt__pic_species){.count = bytes ? size / sizeof *all : 0, .at = bytes};
    return rc;
}

/* ---- of all slices -------------------------------------------------------------------------- */

int htmt__pic_program_particles(htmt__pic *p, struct htmt__pic_particles *out,
                                struct htmt_fault *fault)
{
    int rc = htmt__pic_program_share(p, fault);
    if (!rc)
        rc = htmt__pic_program_audit(p, fault);
    for (uint32_t s = 0; s < out->species && !rc; s++) {
        struct htmt__pic_species *to = &out->of[s], part;
        to->count = 0;
        for (uint32_t i = 0; i < p->plan.slices && !rc; i++) {
            rc = htmt__pic_program_species(p, i, s, &part, fault);
            if (!rc && part.at)
                memcpy(to->at + to->count, part.at, part.count * sizeof *part.at);
            to->count += rc ? 0 : part.count;
            free(part.at);
        }
    }
    return rc;
}

int htmt__pic_program_runs(const htmt__pic *p, struct htmt__pic_runs *out, struct htmt_fault *fault)
{
    const uint64_t bundles = htmt__pic_all_bundles(&p->plan);
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->plan.slices; i++)
        for (uint64_t b = 0; b < bundles; b++)
            count += p->site[i].bundle[b].count > 0;
    out->count = 0;
    out->run = malloc((count + 1) * sizeof *out->run);
    if (!out->run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a list of bundles");
    for (uint32_t i = 0; i < p->plan.slices; i++) {
        const struct htmt__pic_particle *at = htmt_object_bytes(htmt_at(p->particles, i, 0).object);
        for (uint64_t n = 0; n < bundles; n++) {
            const struct htmt__pic_bundle *b = &p->site[i].bundle[n];
            if (b->count)
                out->run[out->count++] =
                    (struct htmt__pic_run){b->species, b->count, at + n * p->plan.room};
        }
    }
    return 0;
}

int htmt__pic_program_fields(const htmt__pic *p, struct htmt__pic_fields *f,
                             struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < HTMT__PIC_FIELDS * p->plan.slices && !rc; i++) {
        const uint32_t slice = i / HTMT__PIC_FIELDS, field = i % HTMT__PIC_FIELDS;
        const struct htmt__pic_box *box = &p->site[slice].box;
        const uint64_t nx = box->n[0], own = box->n[1] * nx, plane = nx * f->n[1];
        double *rows;
        rc = htmt__pic_program_rows(p, slice, field, &rows, fault);
        for (uint32_t z = 0; z < box->n[2] && !rc && rows; z++)
            memcpy(f->at + (field * (uint64_t)f->n[2] + box->lo[2] + z) * plane + box->lo[1] * nx,
                   rows + z * own, own * sizeof *rows);
        free(rows);
    }
    return rc;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Rank 0 writes; the others have no file. */
static bool writes(const htmt__pic *p)
{
    const struct htmt_ranks *ranks = htmt_emulator_options(p->e)->ranks;
    return !ranks || ranks->rank == 0;
}

static int finish(struct htmt__npy **npy, int rc, struct htmt_fault *fault)
{
    if (!rc && *npy)
        return htmt__npy_finish(npy, fault);
    htmt__npy_abandon(npy);
    return rc;
}

/* The k-th plane of slices: py slices side by side have all of x and y, some of z. */
static int append_plane(const htmt__pic *p, uint32_t field, uint32_t k, struct htmt__npy *npy,
                        struct htmt_fault *fault)
{
    const struct htmt__pic_plan *plan = &p->plan;
    const uint64_t nx = plan->problem.n[0], whole = plan->problem.n[1] * nx;
    const uint64_t cells = whole * p->site[k * plan->py].box.n[2];
    double *plane = npy ? malloc(cells * sizeof *plane) : NULL;
    int rc =
        npy && !plane ? htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to write fields") : 0;
    for (uint32_t j = 0; j < plan->py && !rc; j++) {
        const struct htmt__pic_box *box = &p->site[k * plan->py + j].box;
        const uint64_t own = box->n[1] * nx;
        double *rows;
        rc = htmt__pic_program_rows(p, k * plan->py + j, field, &rows, fault);
        for (uint32_t z = 0; z < box->n[2] && !rc && npy; z++)
            memcpy(plane + z * whole + box->lo[1] * nx, rows + z * own, own * sizeof *rows);
        free(rows);
    }
    if (!rc && npy)
        rc = htmt__npy_append(npy, plane, cells, fault);
    free(plane);
    return rc;
}

int htmt__pic_stream_fields(const htmt__pic *p, const char *path, struct htmt_fault *fault)
{
    struct htmt__npy *npy = NULL;
    int rc = writes(p) ? htmt__pic_fields_open(path, p->plan.problem.n, &npy, fault) : 0;
    for (uint32_t i = 0; i < HTMT__PIC_FIELDS * p->plan.pz && !rc; i++)
        rc = append_plane(p, i / p->plan.pz, i % p->plan.pz, npy, fault);
    return finish(&npy, rc, fault);
}

int htmt__pic_stream_particles(const htmt__pic *p, const char *path, struct htmt_fault *fault)
{
    const uint32_t slices = p->plan.slices, species = p->plan.problem.species;
    struct htmt__npy *npy = NULL;
    uint64_t count = 0;
    for (uint32_t i = 0; i < slices; i++)
        for (uint32_t s = 0; s < species; s++)
            count += p->site[i].counts.left[s];
    int rc = writes(p) ? htmt__pic_particles_open(path, count, &npy, fault) : 0;
    for (uint32_t i = 0; i < species * slices && !rc; i++) {
        struct htmt__pic_species part;
        rc = htmt__pic_program_species(p, i % slices, i / slices, &part, fault);
        if (!rc && npy)
            rc = htmt__pic_particles_append(npy, i / slices, &part, fault);
        free(part.at);
    }
    return finish(&npy, rc, fault);
}

/* ---- why a run failed ----------------------------------------------------------------------- */

/* Mailboxes are emptied when all have come: what does not fit waits for ever, and a message that is
 * larger than the mailbox is refused at once. The first mailbox to which more is under way than it
 * holds explains the fault. Without memory for that the fault stays as it is. */
int htmt__pic_program_explain(htmt__pic *p, int rc, struct htmt_fault *fault)
{
    const uint32_t species = p->plan.problem.species;
    struct htmt__run to;
    uint64_t bound;
    if (!p->plan.problem.n[0] || (rc != HTMT_EDEADLOCK && rc != HTMT_ECAPACITY) ||
        htmt_slices_share(p->e, &p->site->step, sizeof p->site->step, sizeof *p->site) ||
        !htmt__flights_overfull(p->e, &p->site->flights, sizeof *p->site, p->plan.teams * species,
                                p->plan.mail, &to, &bound))
        return rc;
    *fault = (struct htmt_fault){0}; /* else the clock's line stays */
    return htmt_fault_set(
        fault, HTMT_ECAPACITY,
        "step %" PRIu64 ": found %" PRIu64 " particles or more of species %s that fly to team "
        "%" PRIu32 " of slice %" PRIu32 ", expected at most %" PRIu64
        ", which its mailbox holds; --mail %" PRIu64 " has room for all",
        p->site[to.slice].step, bound, p->deck.species[to.box % species].name, to.box / species,
        to.slice, p->plan.mail, htmt__pic_deck_count(&p->deck, to.box % species));
}
