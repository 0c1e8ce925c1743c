/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the parcel program share.
 */
#ifndef HTMT_APPS_MD_PROGRAM_PARTS_H
#define HTMT_APPS_MD_PROGRAM_PARTS_H

#include "apps/lib/migrate.h"
#include "apps/lib/per_slice.h"
#include "apps/md/program.h"

/* Fibers of a coordinator, and what their slots count. */
enum htmt__md_fiber {
    HTMT__MD_BEGIN = 1, /* cells are complete, and halos of 26 slices have arrived */
    HTMT__MD_FLOW,      /* a parcel of the phase has ended */
    HTMT__MD_GO,        /* all blocks have their forces, and halos have left */
    HTMT__MD_SUM,       /* all atoms have moved */
    HTMT__MD_NEXT,      /* the record of all slices is here */
    HTMT__MD_DECIDE,    /* and copied to the series */
    HTMT__MD_SENT,      /* a message of this slice has arrived */
    HTMT__MD_PASSED,    /* all messages of all slices have arrived */
    HTMT__MD_SEND,      /* 26: a halo goes to another slice */
    HTMT__MD_FIBERS = HTMT__MD_SEND + HTMT__MD_WAYS - 1
};

/* Parcels; a phase has those of one type, PACK also force parcels. */
enum htmt__md_kind {
    HTMT__MD_PACK,
    HTMT__MD_MOVE,
    HTMT__MD_LEAVE,
    HTMT__MD_SETTLE,
    HTMT__MD_FORCE,
    HTMT__MD_KINDS
};

/* A cell in DRAM: the number of its atoms, then x, y, z of each, with room for plan.room. */
struct htmt__md_cell {
    uint64_t count;
    double x[][3];
};

/* What else is known of an atom, in the same order, block after block. */
struct htmt__md_state {
    double v[3], d[3]; /* d: displacement since cells were built */
    uint64_t number;
};

/* An atom that changes its cell. */
struct htmt__md_mover {
    double x[3], v[3];
    uint64_t number;
};

/* Of a slice. */
struct htmt__md_site {
    HTMT_PER_SLICE struct htmt_ref lead;
    enum htmt__md_kind phase;
    uint32_t step;
    uint32_t begun, ended, total, extra;  /* parcels of the phase */
    uint32_t sent, arrived;               /* messages of this rebuild */
    bool open;                            /* the phase goes on */
    uint32_t free[HTMT__MD_WINDOW], left; /* buffers of SRAM that are free */
    double scale;                         /* of velocities, before the next kick */
    struct htmt__md_counts counts;
    struct htmt_mailbox **mail; /* of each layer of blocks */
    struct htmt__flights flights;
};

typedef struct htmt__md_program htmt__md;

struct htmt__md_program {
    struct htmt_emulator *e;
    struct htmt__md_plan plan;
    bool named;
    struct htmt_frame *cell, *state, *force, *sums; /* sums: HTMT__MD_SUM_WORDS of each block */
    struct htmt_frame *first;  /* of each cell: atoms of its block in front of it, a uint32_t */
    struct htmt_frame *movers; /* of each block */
    struct htmt_frame *strip_record, *record, *series;
    struct htmt_frame *buffer; /* in SRAM: packed blocks */
    struct htmt_allreduce *sum;
    struct htmt_barrier *barrier;
    struct htmt_type *type[HTMT__MD_KINDS], *coordinator;
    struct htmt__md_site *site;
};

/* Arguments of all parcels of a phase. */
struct htmt__md_work {
    const htmt__md *p;
    uint32_t block; /* settle: layer of blocks; move: strip of all blocks */
    uint32_t buffer;
    uint32_t step;
    uint32_t from, count; /* leave: movers that are sorted already, all of them */
    double scale;
    uint64_t own, all; /* force: atoms */
};

static inline struct htmt__md_site *htmt__md_site(struct htmt_context *c, const htmt__md *p)
{
    return &p->site[htmt_slice(c)];
}

/* Bytes. */
static inline uint64_t htmt__md_cell_bytes(const struct htmt__md_plan *p)
{
    return htmt__md_cell_words(p) * HTMT_WORD;
}
/* Of a cell of the slice's tile, which has a halo. */
uint64_t htmt__md_cell_offset(const struct htmt__md_plan *p, const int64_t cell[3]);
struct htmt_pieces htmt__md_box(const struct htmt__md_plan *p, const uint64_t extent[3]);
uint64_t htmt__md_buffer_bytes(const struct htmt__md_plan *p);

/* A kernel's view of a box of cells: from its first cell, where rows and planes of the tile lie. */
static inline struct htmt__md_cell *htmt__md_cell_in(const struct htmt__md_plan *p, void *first,
                                                     uint64_t row, uint64_t plane, uint32_t x,
                                                     uint32_t y, uint32_t z)
{
    return (struct htmt__md_cell *)(void *)((char *)first +
                                            (x + row * y + plane * z) * htmt__md_cell_bytes(p));
}

/* ---- parcels.c: what parcels of a phase do --------------------------------------------------- */

int htmt__md_parcel_types(htmt__md *p);
/* Assemble the parcel of a block, of a strip. */
void htmt__md_make_pack(struct htmt_context *c, const htmt__md *p, uint32_t block);
void htmt__md_make_move(struct htmt_context *c, const htmt__md *p, uint32_t strip);

/* ---- migrate.c ------------------------------------------------------------------------------ */

int htmt__md_migrate_types(htmt__md *p);
void htmt__md_make_leave(struct htmt_context *c, const htmt__md *p, uint32_t block, uint32_t from,
                         uint32_t count);
void htmt__md_make_settle(struct htmt_context *c, const htmt__md *p, uint32_t layer);

/* ---- program_parts.c ------------------------------------------------------------------------ */

/* Create a type whose parcels all have struct htmt__md_work. */
int htmt__md_type(htmt__md *p, enum htmt__md_kind kind, struct htmt_type_desc d);
void htmt__md_assemble(struct htmt_context *c, enum htmt__md_kind kind,
                       const struct htmt__md_work *w, const struct htmt_region *regions,
                       uint32_t count);
/* The kernel updates or reads the cells of a block, or of some planes of the tile. */
void htmt__md_use_cells(struct htmt_context *c, const htmt__md *p, const uint32_t first[3],
                        const uint32_t n[3], enum htmt_use how);
void htmt__md_use(struct htmt_context *c, const struct htmt_frame *frame, uint64_t each,
                  uint64_t first, uint64_t count, enum htmt_use how);
void htmt__md_charge(struct htmt_context *c, struct htmt_ops ops);
void htmt__md_count(struct htmt_kernel *k, struct htmt_ops ops);

/* Count the atoms in front of each cell, block after block; `cells`: of the first block. */
void htmt__md_count_first(const struct htmt__md_plan *p, uint32_t block, uint32_t blocks,
                          void *cells, uint32_t *first);
#endif
