/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/files.h"

#include "apps/formats/npy.h"
#include "apps/pic/coordinator.h"
#include "apps/pic/io/output.h"

#include <stdlib.h>
#include <string.h>

/* A file that rank 0 writes; the others have none. */
struct file {
    const htmt__pic *p;
    bool mine;
    struct htmt__npy *npy;
    struct htmt_fault *fault;
};

static struct file file_of(const htmt__pic *p, struct htmt_fault *fault)
{
    const struct htmt_ranks *ranks = htmt_emulator_options(p->e)->ranks;
    return (struct file){.p = p, .mine = !ranks || ranks->rank == 0, .fault = fault};
}

static int finish(struct file *f, int rc)
{
    if (!rc && f->mine)
        return htmt__npy_finish(&f->npy, f->fault);
    htmt__npy_abandon(&f->npy);
    return rc;
}

/* ---- fields --------------------------------------------------------------------------------- */

/* The cells of a plane of slices: all of x and y, some of z. */
static int room_for_plane(const struct file *f, uint32_t k, double **plane)
{
    const struct htmt__pic_plan *plan = &f->p->plan;
    const struct htmt__pic_box *box = &f->p->site[k * plan->py].box;
    uint64_t cells = (uint64_t)box->n[0] * plan->problem.n[1] * box->n[2];
    *plane = f->mine ? malloc(cells * sizeof **plane) : NULL;
    return f->mine && !*plane
               ? htmt_fault_set(f->fault, HTMT_ENOMEM, "no host memory to write fields")
               : 0;
}

static void place(const struct file *f, uint32_t slice, const double *rows, double *plane)
{
    const struct htmt__pic_box *box = &f->p->site[slice].box;
    const uint64_t nx = box->n[0], own = box->n[1] * nx, whole = f->p->plan.problem.n[1] * nx;
    for (uint32_t z = 0; z < box->n[2]; z++)
        memcpy(plane + z * whole + box->lo[1] * nx, rows + z * own, own * sizeof *rows);
}

/* The k-th plane of slices: py slices side by side. */
static int append_plane(struct file *f, uint32_t field, uint32_t k)
{
    const struct htmt__pic_plan *plan = &f->p->plan;
    const struct htmt__pic_box *box = &f->p->site[k * plan->py].box;
    double *plane;
    int rc = room_for_plane(f, k, &plane);
    for (uint32_t j = 0; j < plan->py && !rc; j++) {
        double *rows;
        rc = htmt__pic_program_rows(f->p, k * plan->py + j, field, &rows, f->fault);
        if (!rc && f->mine)
            place(f, k * plan->py + j, rows, plane);
        free(rows);
    }
    if (!rc && f->mine)
        rc = htmt__npy_append(f->npy, plane, (uint64_t)box->n[0] * plan->problem.n[1] * box->n[2],
                              f->fault);
    free(plane);
    return rc;
}

int htmt__pic_stream_fields(const htmt__pic *p, const char *path, struct htmt_fault *fault)
{
    struct file f = file_of(p, fault);
    int rc = f.mine ? htmt__pic_fields_open(path, p->plan.problem.n, &f.npy, fault) : 0;
    for (uint32_t i = 0; i < HTMT__PIC_FIELDS * p->plan.pz && !rc; i++)
        rc = append_plane(&f, i / p->plan.pz, i % p->plan.pz);
    return finish(&f, rc);
}

/* ---- particles ------------------------------------------------------------------------------ */

static uint64_t count_all(const htmt__pic *p)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->plan.slices; i++)
        for (uint32_t s = 0; s < p->plan.problem.species; s++)
            count += p->site[i].did.left[s];
    return count;
}

static int append_crowd(struct file *f, uint32_t slice, uint32_t species)
{
    struct htmt__pic_crowd c;
    int rc = htmt__pic_program_crowd(f->p, slice, species, &c, f->fault);
    if (!rc && f->mine)
        rc = htmt__pic_particles_append(f->npy, species, &c, f->fault);
    free(c.at);
    return rc;
}

int htmt__pic_stream_particles(const htmt__pic *p, const char *path, struct htmt_fault *fault)
{
    struct file f = file_of(p, fault);
    int rc = f.mine ? htmt__pic_particles_open(path, count_all(p), &f.npy, fault) : 0;
    for (uint32_t i = 0; i < p->plan.problem.species * p->plan.slices && !rc; i++)
        rc = append_crowd(&f, i % p->plan.slices, i / p->plan.slices);
    return finish(&f, rc);
}
