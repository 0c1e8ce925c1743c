/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of a run: how many bodies, how their forces are found, what lies where, what it costs.
 */
#ifndef HTMT_APPS_NBODY_PLAN_H
#define HTMT_APPS_NBODY_PLAN_H

#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "apps/nbody/body.h"

/* What a cost file gives. */
struct htmt__nbody_costs {
    struct htmt_ratio body_flop, cell_flop; /* a target and a source */
    struct htmt_ratio entry;                /* operations of a SPIM for an entry of a list */
    struct htmt_ratio c0, c1;               /* entries of a list: c0 + c1 log8 N, at theta 0.7 */
    struct htmt_ratio cells;                /* share of entries that are cells */
};

/* Of a group and its list. */
struct htmt__nbody_lengths {
    int32_t slice, group, bodies, cells;
};

struct htmt__nbody_plan {
    uint64_t bodies;
    uint64_t most; /* bodies that a slice has room for */
    uint32_t slices;
    bool tree, quad;
    double theta, eps, dt;
    uint32_t steps, group; /* most bodies of a group */
    const char *in;        /* NULL: a Plummer sphere */
    uint32_t chunk;        /* bodies of a DPIM's parcel */
    /* direct: targets that stay in CRAM; sources of a parcel */
    uint32_t targets, sources;
    uint64_t part, message; /* tree: words of a list in one parcel; of a tree that is sent */
    const struct htmt__nbody_lengths *lists; /* of a model run; NULL: by estimate */
    uint64_t list_count;
    uint32_t workers, packers; /* DPIMs and SPIMs of a slice */
    uint32_t dram, sram, cram; /* layers */
    uint32_t down, up;         /* networks: DRAM to SRAM and back; SRAM to CRAM and back */
    uint32_t across;           /* from DRAM to that of another slice */
    uint32_t beside;           /* from SRAM to that of another slice, of the tree */
    struct htmt__nbody_costs costs;
};

#define HTMT__NBODY_BUFFERS      3  /* of visiting blocks */
#define HTMT__NBODY_SLICE_LEAST  16 /* bodies of a slice, where --slices is not given */
#define HTMT__NBODY_SAMPLES      32 /* keys that a slice tells of its work */
#define HTMT__NBODY_SORTED_LEAST 32 /* bodies that a DPIM sorts */
#define HTMT__NBODY_ENTRY_OPS    25 /* of a SPIM, for an entry of a list of four words */
/* Entries of a list of a Plummer sphere at theta 0.7, in groups of 64: what lists of 40,000 and
 * 320,000 bodies have, 1647 and 1913, on a line over log8 N. */
#define HTMT__NBODY_C0 294
#define HTMT__NBODY_C1 266

extern const struct htmt_app_option htmt__nbody_options[]; /* ends with a NULL name */

/* Errors: those of options, cost files and the head of --in; HTMT_ECAPACITY (a CRAM that does not
 * hold a source and a target). The line is the task's. */
int htmt__nbody_plan(struct htmt_task *task, struct htmt__nbody_plan *p);
/* The same without layers and memories, for other models of execution. */
int htmt__nbody_plan_problem(struct htmt_task *task, struct htmt__nbody_plan *p);
uint32_t htmt__nbody_slices(const struct htmt_request *r);

/* Bodies of a slice at the beginning, and the first of them. */
static inline uint64_t htmt__nbody_share(const struct htmt__nbody_plan *p, uint32_t slice)
{
    return p->bodies / p->slices + (slice < p->bodies % p->slices);
}
static inline uint64_t htmt__nbody_first(const struct htmt__nbody_plan *p, uint32_t slice)
{
    const uint64_t more = p->bodies % p->slices;
    return slice * (p->bodies / p->slices) + (slice < more ? slice : more);
}

/* Of the median relative error of a pull. Errors go with theta^4 by quadrupoles, with about
 * theta^2.3 by masses alone; at 0.5 a sphere has 1.2e-4 and 4.0e-4. */
double htmt__nbody_tolerance(double theta, bool quad);

/* ratio * n, rounded up. */
static inline uint64_t htmt__nbody_times(struct htmt_ratio r, uint64_t n)
{
    return (uint64_t)(((htmt_wide)r.num * (htmt_wide)n + r.den - 1) / r.den);
}

/* ---- operations ----------------------------------------------------------------------------- */

/* Of a DPIM that moves `n` bodies for the evaluation-th time, and of one that adds the sums of
 * `parts`. */
struct htmt_ops htmt__nbody_move_ops(const struct htmt__nbody_plan *p, uint64_t n,
                                     uint32_t evaluation);
struct htmt_ops htmt__nbody_sum_ops(uint64_t parts);

/* flop of so many targets and the entries of a list. */
static inline uint64_t htmt__nbody_list_flop(const struct htmt__nbody_plan *p, uint64_t targets,
                                             uint64_t bodies, uint64_t cells)
{
    return htmt__nbody_times(p->costs.body_flop, targets * (p->quad ? bodies : bodies + cells)) +
           (p->quad ? htmt__nbody_times(p->costs.cell_flop, targets * cells) : 0);
}

/* What a slice of the tree does in a step, by estimate: operations of one DPIM or SPIM, but for
 * `grow`, of each branch, and `list`, of each group. A model run without data takes these. */
struct htmt__nbody_estimate {
    double entries, cells; /* of a list; the share of them that are cells */
    uint64_t groups, branches;
    uint64_t each, shares; /* bodies that a DPIM sorts; how many do */
    uint64_t sample, sift, sort, rank, split, grow, join, share, list;
};
struct htmt__nbody_estimate htmt__nbody_estimate_of(const struct htmt__nbody_plan *p);
/* Of a DPIM that samples the work of n bodies, and that sorts `each` of them. */
struct htmt_ops htmt__nbody_sample_ops(uint64_t n);
struct htmt_ops htmt__nbody_sort_ops(uint64_t each);

/* ---- input.c -------------------------------------------------------------------------------- */

/* `count` bodies of a file, or of a sphere of that seed. Errors: those of .npy files; HTMT_EFORMAT
 * (not 7 columns, a number that is none, a mass below 0, two bodies in one place with eps 0),
 * HTMT_ENOMEM. */
int htmt__nbody_input_count(const char *path, uint64_t *count, struct htmt_fault *fault);
int htmt__nbody_input(const struct htmt__nbody_plan *p, uint64_t seed,
                      struct htmt__nbody_body *body, struct htmt_fault *fault);

#endif
