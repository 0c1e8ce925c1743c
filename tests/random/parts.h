/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Of random programs, within the files that make them: what a program has, and what its parcels
 * carry.
 */
#ifndef HTMT_TESTS_RANDOM_PARTS_H
#define HTMT_TESTS_RANDOM_PARTS_H

#include "tests/random/draw.h"
#include "tests/random/machine.h"
#include "tests/random/program.h"

enum {
    REGIONS = 4,
    SHAPES = 18,
    GATED = 6,
    POSTED = 5,
    SLICES_MAX = 40,
    FRAME_BYTES = 512,
    GIVEN_BYTES = 128,
    SUM_BYTES = 64
};

/* A type of parcels that percolate. */
struct shape {
    struct htmt_type *type;
    uint32_t home, exec;
    enum tally_of class;
    bool fills; /* a kernel writes all regions where it executes */
    bool fresh; /* no regions in resident objects */
};

/* A type of posts, or the control for quiet: where it runs, its arguments. */
struct posted {
    struct program *program;
    struct htmt_type *type;
    uint32_t layer, bytes;
};

/* Layers to which words go from a layer: of another slice, of the same one. */
struct reach {
    uint32_t far[RANDOM_LAYERS_MAX], far_count;
    uint32_t near[RANDOM_LAYERS_MAX], near_count;
};

struct program {
    const struct plan *plan;
    struct htmt_emulator *e;
    struct tally *tally; /* one for each slice */
    uint32_t slices, layers;
    struct reach reach[RANDOM_LAYERS_MAX];
    struct htmt_frame *frame[RANDOM_LAYERS_MAX], *given[RANDOM_LAYERS_MAX];
    struct shape shape[SHAPES];
    uint32_t allowed[SHAPES], allowed_count; /* shapes that this program uses */
    struct htmt_type *gated[GATED], *roamer[RANDOM_LAYERS_MAX], *keeper[RANDOM_LAYERS_MAX];
    struct htmt_type *holder, *child, *failing, *spinner;
    unsigned gates[GATED];
    uint32_t holder_layer, child_layer, failing_layer, generations;
    struct {
        struct htmt_type *type;
        uint32_t layer, turns, fan, far[3];
        bool too; /* each arrival enables two fibers */
    } ring;
    struct {
        struct htmt_type *type;
        uint32_t layer, bursts, each, turns;
        uint64_t capacity, record_bytes, seed;
        bool lazy;
        struct htmt_mailbox *box[SLICES_MAX];
    } mail;
    struct {
        struct htmt_type *type;
        struct htmt_frame *frame;
        struct htmt_allreduce *sum;
        uint32_t rounds;
    } all;
    struct {
        struct htmt_type *type;
        struct htmt_frame *frame, *news;
        struct htmt_tree *up, *down;
        struct htmt_slot heard[SLICES_MAX];
        uint32_t rounds;
    } tree;
    struct {
        struct htmt_type *type;
        struct htmt_barrier *barrier;
        uint32_t rounds;
    } meet;
    struct {
        struct posted of[POSTED], quiet;
        struct htmt_object *kept[SLICES_MAX];
        uint32_t rounds; /* after which nothing comes of quiet any more */
    } post;
};

/* Of every parcel. */
struct args {
    struct program *program;
    uint64_t seed;
    uint32_t depth, layer, round, left, shape;
    uint32_t locked, blank; /* regions that the kernel only reads, only writes, by bit */
    struct htmt_ref kept;
    struct htmt_slot report;
};

static inline const struct program *program_of(struct htmt_context *c)
{
    return ((const struct args *)htmt_args(c))->program;
}

static inline void tell(struct htmt_context *c, enum tally_of class)
{
    program_of(c)->tally[htmt_slice(c)].n[class]++;
}

static inline void finish(struct htmt_context *c)
{
    tell(c, CALL_RETIRE);
    htmt_retire(c, htmt_self(c));
}

/* ---- program.c ------------------------------------------------------------------------------- */

void program_check(const struct program *p, int code, const char *what);
/* A type with arguments. */
struct htmt_type *program_type(struct program *p, struct htmt_type_desc d);
/* One that executes `first` and then its fibers. */
struct htmt_type *program_caller(struct program *p, const char *name, uint32_t home, uint32_t exec,
                                 htmt_control_fn *first, const struct htmt_stage *fibers,
                                 uint32_t count);
const char *program_layer(const struct program *p, uint32_t layer);
/* A root parcel with one region, or none. */
struct htmt_ref program_root(struct program *p, const struct htmt_type *type, uint32_t slice,
                             const struct args *a, const struct htmt_region *r,
                             enum tally_of class);
/* Which slice a draw means, from here: as far away in all slices, so that they may be alike. */
uint32_t program_peer(const struct program *p, uint32_t here, uint64_t *seed);
struct htmt_addr program_place(const struct program *p, uint32_t layer, uint32_t slice,
                               uint64_t bytes, uint64_t *seed);

/* ---- percolating.c: parcels that percolate --------------------------------------------------- */

void percolating_create(struct program *p, uint64_t *seed);
/* Assembles one of a random allowed shape; by a control or with htmt_root(). */
void percolating_start(struct htmt_context *c, struct program *p, uint32_t slice, uint32_t depth,
                       uint64_t seed);
/* Region number `which` of a parcel of that shape. */
struct htmt_region percolating_region(struct program *p, const struct shape *s, uint32_t slice,
                                      uint32_t which, uint64_t *seed);
void percolating_visit(struct htmt_kernel *k); /* a kernel */
void percolating_cost(const void *args, const void *user, struct htmt_ops *ops);

/* ---- activations.c: activations of one slice ------------------------------------------------- */

void activations_create(struct program *p, uint64_t *seed);
void activations_start(struct program *p, uint32_t slice, uint64_t seed);
void activations_start_failing(struct program *p, uint64_t seed);

/* ---- meetings.c: activations of all slices, which wait for each other -------------------------
 */

void meetings_create(struct program *p, uint64_t *seed);
void meetings_start(struct program *p, uint64_t seed);

/* ---- posting.c: posts of all slices, in programs that have some -------------------------------
 */

void posting_create(struct program *p);
void posting_start(struct program *p);
uint64_t posting_kept(const struct program *p);

#endif
