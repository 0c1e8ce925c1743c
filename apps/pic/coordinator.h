/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shared data of the plasma's parcel program: frames, types, and the coordinator of each slice.
 * coordinator.c tells how a slice goes through a step.
 */
#ifndef HTMT_APPS_PIC_COORDINATOR_H
#define HTMT_APPS_PIC_COORDINATOR_H

#include "apps/lib/migrate.h"
#include "apps/lib/per_slice.h"
#include "apps/pic/counts.h"
#include "apps/pic/lines.h"
#include "apps/pic/program.h"

/* Fibers of a coordinator, and what their slots count. */
enum {
    HTMT__PIC_FLOW = 1, /* a parcel of the phase has ended */
    HTMT__PIC_FOLD,     /* rho is summed and the guard points of eight slices have arrived */
    HTMT__PIC_Y,        /* a tile of every slice of the row has arrived */
    HTMT__PIC_SOLVE,    /* a tile of every slice of the column has arrived */
    HTMT__PIC_Y_BACK,   /* three tiles of every slice of the column have arrived */
    HTMT__PIC_X_BACK,   /* three tiles of every slice of the row have arrived */
    HTMT__PIC_CUT,      /* the field and its guard points have arrived */
    HTMT__PIC_SENT,     /* a message of this slice has arrived */
    HTMT__PIC_RECORD,   /* all particles that this slice sent have arrived */
    HTMT__PIC_NEXT,     /* the record of all slices has arrived */
    HTMT__PIC_FIBERS = HTMT__PIC_NEXT
};

/* Types of parcels. */
enum htmt__pic_kind {
    HTMT__PIC_DEPOSIT_PARCEL,
    HTMT__PIC_SUM_PARCEL,
    HTMT__PIC_X_PARCEL,
    HTMT__PIC_Y_PARCEL,
    HTMT__PIC_SOLVE_PARCEL,
    HTMT__PIC_Y_BACK_PARCEL,
    HTMT__PIC_X_BACK_PARCEL,
    HTMT__PIC_CUT_PARCEL,
    HTMT__PIC_PUSH_PARCEL,
    HTMT__PIC_SORT_PARCEL,
    HTMT__PIC_SETTLE_PARCEL,
    HTMT__PIC_KINDS
};

/* A bundle as the kernels see it, in DRAM. */
struct htmt__pic_bundle {
    uint32_t block, species;
    uint64_t count; /* 0: free or empty; the first bundles of a team keep their block */
};

struct htmt__pic_phase;

/* What a slice has counted, for all ranks to see after the run. */
struct htmt__pic_counts {
    uint64_t migrated, spilled;
    uint64_t taken[HTMT__PIC_SPECIES_MAX], left[HTMT__PIC_SPECIES_MAX]; /* at the start, the end */
};

/* The part of the program that belongs to a slice; the slice's controls change it. Controls of
 * other slices read only where its things lie, which is known before the run. */
struct htmt__pic_site {
    HTMT_PER_SLICE struct htmt__pic_box box;
    uint32_t slice, j, k; /* k py + j */
    uint32_t blocks;
    uint32_t first_x, modes_x, first_y, modes_y; /* modes: of this slice after the transposes */
    uint32_t pieces_x, pieces_y;                 /* parcels of a plane of rows, of columns of y */
    struct htmt__pic_box *block;                 /* of its blocks */
    struct htmt_ref coordinator;
    struct htmt__pic_bundle *bundle;     /* all bundles, in their numbers' order */
    uint32_t spread;                     /* spare bundles in use */
    struct htmt_mailbox **mail;          /* teams x species */
    struct htmt__pic_particle *particle; /* of the bundles, before the run */
    uint64_t step;
    const struct htmt__pic_phase *phase;
    uint64_t begun, ended, total; /* parcels of the phase */
    uint64_t extra;               /* parcels that parcels of the phase have begun */
    uint64_t sent, arrived;       /* messages of this step */
    uint64_t tiles;               /* tiles of charge: one for each bundle that is not empty */
    struct htmt__pic_counts counts;
    struct htmt__flights flights; /* messages of this step */
};

typedef struct htmt__pic_program htmt__pic;

/* Written before the run only, except sites. Those of slices that other ranks play have neither
 * bundles nor blocks. */
struct htmt__pic_program {
    struct htmt_emulator *e;
    struct htmt__pic_plan plan;
    struct htmt__pic_block_owner owner;
    struct htmt__pic_deck deck;
    bool model, named; /* named: steps are sections */
    double charge[HTMT__PIC_SPECIES_MAX], mass[HTMT__PIC_SPECIES_MAX], background;
    struct htmt__pic_mode mode;
    double flux[HTMT__PIC_SPECIES_MAX][6]; /* cells a step down and up each axis */
    struct htmt__pic_site *site;
    uint32_t window; /* parcels of a slice under way */
    struct htmt__pic_lines lines;
    struct htmt_type *type[HTMT__PIC_KINDS], *coordinator;
    struct htmt_frame *particles, *charge_tile;        /* by bundle */
    struct htmt_frame *pushed, *table;                 /* by bundle, at htmt__pic_entry() */
    struct htmt_frame *field_tile;                     /* by block */
    struct htmt_frame *rho, *guard, *field;            /* rho, field: with guard rows of y and z */
    struct htmt_frame *spectrum[3];                    /* three components each, whole in x, y, z */
    struct htmt_frame *block_record, *record, *series; /* series: of all steps */
    struct htmt_allreduce *sum;
    struct htmt__pic_snapshots *snapshots; /* NULL: none */
    const struct htmt__pic_snapshot_calls *snapshot;
};

/* Arguments of every parcel of a phase. */
struct htmt__pic_work {
    const htmt__pic *p;
    uint64_t index;              /* bundle, plane, block or parcel */
    uint64_t count;              /* particles, tiles, rows or columns */
    uint64_t from;               /* first row, column or particle; of cut and settle: the step */
    uint64_t bundles;            /* to be looked through */
    uint32_t component, species; /* 0 to 2 */
    bool first_step;
};

struct htmt__pic_phase {
    uint64_t (*count)(const htmt__pic *p, const struct htmt__pic_site *s);
    /* Assemble parcel `index`; false: there is nothing to do. */
    bool (*make)(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                 uint64_t index);
    /* After the end of the last parcel `next` begins at once, or, where there is a sequel, the
     * phase that it returns; NULL: none. */
    const struct htmt__pic_phase *next;
    const struct htmt__pic_phase *(*sequel)(struct htmt_context *c, const htmt__pic *p);
};

/* ---- shorthand ------------------------------------------------------------------------------ */

struct htmt__pic_args { /* of the coordinator */
    const htmt__pic *p;
};

static inline const htmt__pic *htmt__pic_of(struct htmt_context *c)
{
    return ((const struct htmt__pic_args *)htmt_args(c))->p;
}

static inline struct htmt__pic_site *htmt__pic_site(struct htmt_context *c, const htmt__pic *p)
{
    return &p->site[htmt_slice(c)];
}

static inline struct htmt_slot htmt__pic_coordinator(const htmt__pic *p, uint32_t slice,
                                                     uint32_t fiber)
{
    return (struct htmt_slot){p->site[slice].coordinator, fiber};
}

static inline const struct htmt__pic_box *htmt__pic_block(const htmt__pic *p, uint32_t slice,
                                                          uint64_t block)
{
    return &p->site[slice].block[block];
}

/* What a kernel reads beside its closure: the program and where the slice's blocks lie. */
static inline void htmt__pic_constants(struct htmt_kernel *k, const htmt__pic *p)
{
    htmt_constants(k, p, sizeof *p);
    const struct htmt__pic_site *s = &p->site[htmt_kernel_slice(k)];
    htmt_constants(k, s, sizeof *s);
    htmt_constants(k, s->block, s->blocks * sizeof *s->block);
}

/* The slice that is dy and dz further along the periodic grid. */
static inline uint32_t htmt__pic_beside(const htmt__pic *p, uint32_t slice, int dy, int dz)
{
    uint32_t py = p->plan.py, pz = p->plan.pz;
    uint32_t j = (slice % py + py + (uint32_t)dy) % py, k = (slice / py + pz + (uint32_t)dz) % pz;
    return k * py + j;
}

static inline uint64_t htmt__pic_tile_words(const struct htmt__pic_plan *p, uint32_t numbers)
{
    return numbers * htmt__pic_points(p->block);
}

/* Complex numbers of a component of spectrum[layout] in a slice. */
static inline uint64_t htmt__pic_spectrum_cells(const htmt__pic *p, const struct htmt__pic_site *s,
                                                int layout)
{
    const uint32_t *n = p->plan.problem.n;
    return layout == 0   ? (uint64_t)s->box.n[2] * s->box.n[1] * p->plan.modes
           : layout == 1 ? (uint64_t)s->box.n[2] * n[1] * s->modes_x
                         : (uint64_t)n[2] * s->modes_y * s->modes_x;
}

/* ---- phase.c -------------------------------------------------------------------------------- */

/* Begin a phase. */
void htmt__pic_begin(struct htmt_context *c, const htmt__pic *p,
                     const struct htmt__pic_phase *phase);
void htmt__pic_flow(struct htmt_context *c); /* fiber: a parcel of the phase has ended */
/* Assemble a parcel of a phase, whose end signals the coordinator. */
void htmt__pic_assemble(struct htmt_context *c, const struct htmt__pic_site *s,
                        enum htmt__pic_kind kind, const struct htmt__pic_work *work,
                        const struct htmt_region *regions, uint32_t count);
/* The bundles of a slice that may have particles. */
uint64_t htmt__pic_bundle_count(const htmt__pic *p, const struct htmt__pic_site *s);
/* The kernel uses all of a frame here. */
void htmt__pic_use_all(struct htmt_context *c, const struct htmt_frame *frame, enum htmt_use use);
/* Create the type of a phase's parcels, which execute on the SPELL if they percolate, otherwise on
 * a DPIM. d has what is special about it. */
int htmt__pic_type(htmt__pic *p, enum htmt__pic_kind kind, bool percolates,
                   struct htmt_type_desc d);

/* ---- coordinator.c -------------------------------------------------------------------------- */

int htmt__pic_coordinator_type(htmt__pic *p);
int htmt__pic_coordinator_start(htmt__pic *p, uint32_t slice);

/* ---- charge.c ------------------------------------------------------------------------------- */

extern const struct htmt__pic_phase htmt__pic_deposit_phase;
int htmt__pic_charge_types(htmt__pic *p);
/* The fiber that waits for the neighbours' charge: the rows of rho that it updates, its kernel. */
void htmt__pic_use_own(struct htmt_context *c, const htmt__pic *p);
void htmt__pic_fold_kernel(struct htmt_kernel *k);
void htmt__pic_fold_cost(const void *args, const void *user, struct htmt_ops *ops);

/* ---- field.c -------------------------------------------------------------------------------- */

extern const struct htmt__pic_phase htmt__pic_x_phase, htmt__pic_y_phase, htmt__pic_solve_phase,
    htmt__pic_y_back_phase, htmt__pic_x_back_phase;
int htmt__pic_field_types(htmt__pic *p);
/* The transforms of the lines that parcels carry: one for each length and number of columns that
 * occurs. A model run needs none. */
int htmt__pic_lines_create(htmt__pic *p, struct htmt_fault *fault);

/* ---- push.c --------------------------------------------------------------------------------- */

extern const struct htmt__pic_phase htmt__pic_cut_phase, htmt__pic_push_phase,
    htmt__pic_alone_phase;
int htmt__pic_push_types(htmt__pic *p);

/* ---- migrate.c ------------------------------------------------------------------------------ */

extern const struct htmt__pic_phase htmt__pic_sort_phase, htmt__pic_settle_phase;
int htmt__pic_migrate_types(htmt__pic *p);
void htmt__pic_sent(struct htmt_context *c); /* fiber: a message of this slice has arrived */

#endif
