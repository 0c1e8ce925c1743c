/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tape: the operations of a kernel, one by one, as 64-bit entries. A writer fills a chunk and
 * hands it to its sink (memory, a file, a node model) when it is full, so a tape need not fit into
 * memory. What a basic block does apart from its accesses stands once, in the table of the program.
 *
 * An entry is kind (bits 60 to 63), width (52 to 59) and address (0 to 51).
 *
 * Blocks are numbered in the order of the code. A block's conditional branch was taken unless the
 * next BLOCK entry of the same function is the number behind it.
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_H

#include "runtime/base/operation.h"

#include <stdbool.h>
#include <stdint.h>

enum htmt__tape_kind {
    /* address: the number of the block in the program. Its accesses follow, in the order in which
     * they run. */
    HTMT__TAPE_BLOCK,
    /* an access of `width` bytes (1 to 255) at a *model* address */
    HTMT__TAPE_LOAD,
    HTMT__TAPE_STORE,
    /* an annotated operation; width: enum htmt_operation, address: type | count << 8 */
    HTMT__TAPE_OP,
    /* an annotated kernel comes to code at this model address; `width` instructions follow */
    HTMT__TAPE_CODE,
    /* an annotated branch; width: 1 when it was taken, address: its own */
    HTMT__TAPE_BRANCH,
    /* what follows works on region number `address`: for profiles and reports, optional */
    HTMT__TAPE_OBJECT,
    /* the end of one service, of which a tape may hold several; address: operations (flops, iops,
     * loads, stores) that a cost function says of it, 0: unknown */
    HTMT__TAPE_END,
    /* one instruction of `width` bytes at this address: of lackey's tapes alone */
    HTMT__TAPE_FETCH,
    /* before a BLOCK: the ranges of the arguments of its calls of functions
     * (runtime/base/library.h), four bits of the address each, the first call's the lowest. Of a
     * block with more than HTMT__TAPE_CALLS calls those of the last ones come first. Optional */
    HTMT__TAPE_RANGES,
    HTMT__TAPE_KINDS
};
#define HTMT__TAPE_CALLS       13u /* of an entry */
#define HTMT__TAPE_RANGES_MOST 4u  /* such entries of a block; further calls have no range */

#define HTMT__TAPE_ADDRESS ((UINT64_C(1) << 52) - 1)

static inline uint64_t htmt__tape_entry(enum htmt__tape_kind kind, unsigned width, uint64_t address)
{
    return (uint64_t)kind << 60 | (uint64_t)(width & 255) << 52 | (address & HTMT__TAPE_ADDRESS);
}
static inline enum htmt__tape_kind htmt__tape_kind(uint64_t entry)
{
    return (enum htmt__tape_kind)(entry >> 60);
}
static inline unsigned htmt__tape_width(uint64_t entry)
{
    return (unsigned)(entry >> 52) & 255;
}
static inline uint64_t htmt__tape_address(uint64_t entry)
{
    return entry & HTMT__TAPE_ADDRESS;
}

/* Whether steps of compiled code have the operation on operands of this type, a vector of 16 to 64
 * bytes or one of its lanes: htmt-cc makes no other, and `htmt host measure` has a row for each. */
bool htmt__tape_has(enum htmt_operation operation, enum htmt_type_of_operand type);

/* ---- the program ----------------------------------------------------------------------------- */

/* `n` operations of a kind in a block; where results are waited for, operation ==
 * HTMT_OPERATIONS: loads. */
struct htmt__tape_op {
    uint8_t operation, type; /* enum htmt_operation, enum htmt_type_of_operand */
    uint16_t n;
};

/* One step of a dependence that a loop carries from one repeat to the next: an operation, or a
 * load, whose time is the hit time of the first cache and whose miss the chain waits for. */
struct htmt__tape_link {
    uint8_t operation, type; /* operation == HTMT_OPERATIONS: a load */
    uint16_t access;         /* a load's: its number among the accesses of `block` */
    uint32_t block;
};

/* One such dependence, of which the longest binds: links[first .. first + n) */
struct htmt__tape_chain {
    uint32_t first, n;
};

/* What runs, in the order of the code, and whose results it needs: for processors that do not keep
 * to that order (window.c). The sources of a step are numbers of steps of the program, of which the
 * last one that ran counts; what is not among them was there before. */
struct htmt__tape_step {
    uint8_t operation, type;  /* enum htmt_operation, or enum htmt__tape_other_step */
    uint16_t n;               /* operations that need the same sources, not each other; of an
                               * operation on vectors also none: its sources are its result */
    uint32_t source, sources; /* sources[source .. source + sources) of the program */
};

/* Steps that are no operation. */
enum htmt__tape_other_step {
    HTMT__STEP_LOAD = HTMT_OPERATIONS, /* the block's accesses, in their order */
    HTMT__STEP_STORE,
    /* One of several values, by the block of the same function that ran before: pairs of sources,
     * such a block and the step whose value it is. It takes no time. */
    HTMT__STEP_CHOICE,
    HTMT__STEP_BRANCH, /* the end of the block, unless it falls through */
    HTMT__STEPS
};

/* The type of an access that a function by length makes, on no unit: its time is the function's. */
#define HTMT__STEP_COPIED  1u
#define HTMT__TAPE_KEPT    HTMT_CONSTANT /* of n 0: its source is stored, and loaded again */
#define HTMT__TAPE_NO_STEP UINT32_MAX    /* a choice: the value was there before */

enum htmt__tape_end { HTMT__END_FALL, HTMT__END_JUMP, HTMT__END_CONDITION, HTMT__END_RETURN };

struct htmt__tape_block {
    uint32_t function;      /* number of the function */
    uint32_t code;          /* model address of its first instruction in the image: 4 bytes each */
    uint32_t instructions;  /* all: operations, accesses, branch */
    uint32_t op, ops;       /* its operations: ops[op .. op + ops) */
    uint32_t wait, waits;   /* ops[wait .. wait + waits): summed over the block's operations, the
                               results that each waits for on the longest way from the start */
    uint32_t chain, chains; /* of the loop whose header it is: chains[chain .. chain + chains);
                               they hold for each repeat that enters it by the loop's back edge */
    uint32_t loop_end; /* header of a loop: the last block of it; a repeat that comes from a block
                          in [this, loop_end] came by the back edge. Else 0 */
    uint32_t step, steps; /* steps[step .. step + steps) */
    uint32_t compiled;    /* instructions of the object that a compiler makes of it, without hooks:
                             what a processor that reorders dispatches */
#define HTMT__TAPE_ADDS_MOST  31u /* of either kind; more count as so many */
#define HTMT__TAPE_INDEX_MOST 63u
    uint8_t adds, adds_index, index; /* of `compiled`: additions to memory, those with an index, and
                                        operations that read memory with an index and have a place
                                        of their own for the result; x86-64 */
    uint16_t accesses;               /* entries LOAD and STORE that follow */
    uint8_t end;                     /* enum htmt__tape_end */
    bool fused; /* the branch at its end is one operation with its comparison there */
#define HTMT__TAPE_FOLLOWS_MOST 4095
    int16_t follows; /* the block behind it in that code, less its own number; 0: not known */
};

struct htmt__tape_function {
    const char *name, *file;
    uint32_t line;
};

struct htmt__tape_program {
    const struct htmt__tape_block *blocks;
    const struct htmt__tape_op *ops;
    const struct htmt__tape_chain *chains;
    const struct htmt__tape_link *links;
    const struct htmt__tape_step *steps; /* NULL: not known */
    const uint32_t *sources;
    const struct htmt__tape_function *functions;
    uint32_t block_count, op_count, chain_count, link_count, step_count, source_count,
        function_count;
    uint64_t build; /* identity: a hash of all the tables */
    char name[8];   /* how the code was optimized: "O2", "O3" with vectors; "": it is annotated */
};

/* The identity of these tables, whatever stands in `build`. */
uint64_t htmt__tape_build(const struct htmt__tape_program *program);

/* ---- regions of the model's addresses -------------------------------------------------------- */

/* Model addresses, apart from the layer's own memory: */
#define HTMT__TAPE_IMAGE     (UINT64_C(1) << 44) /* code, constants, statics: offset in the image */
#define HTMT__TAPE_STACK     (UINT64_C(2) << 44) /* offset below the kernel's entry, grows upward */
#define HTMT__TAPE_ARGUMENTS (UINT64_C(3) << 44) /* arguments and result */

struct htmt__tape_region {
    char name[40];
    uint64_t at,
        bytes; /* model address; closures lowest free first, objects in order of creation */
};

/* ---- a tape in memory ------------------------------------------------------------------------ */

#define HTMT__TAPE_CHUNK 8192 /* entries */

/* Takes a full chunk, or the last one. Returns 0 or an error of runtime/base/error.h. */
typedef int htmt__tape_sink_fn(void *user, const uint64_t *entries, size_t n);

/* A thread's own. */
struct htmt__tape_writer {
    uint64_t *next, *end, *chunk;
    htmt__tape_sink_fn *sink;
    void *user;
    int code; /* of the first sink that failed; entries are dropped from then on */
};

int htmt__tape_open(struct htmt__tape_writer *w, htmt__tape_sink_fn *sink, void *user);
/* Hands on what the chunk holds, and begins it anew. */
void htmt__tape_flush(struct htmt__tape_writer *w);
/* Flushes, frees the chunk; returns `code`. */
int htmt__tape_close(struct htmt__tape_writer *w);

static inline void htmt__tape_put(struct htmt__tape_writer *w, uint64_t entry)
{
    *w->next++ = entry;
    if (__builtin_expect(w->next == w->end, 0))
        htmt__tape_flush(w);
}

/* All of a tape: program, regions, entries. */
struct htmt__tape;

/* `program` is the caller's and outlives the tape; NULL: the tape has no blocks. */
int htmt__tape_new(struct htmt__tape **tape, const struct htmt__tape_program *program);
void htmt__tape_free(struct htmt__tape *tape);
htmt__tape_sink_fn htmt__tape_append; /* `user` is the tape */
int htmt__tape_add_region(struct htmt__tape *tape, const struct htmt__tape_region *region);
/* The tape has a copy of that program from now on. Errors: HTMT_ENOMEM. */
int htmt__tape_keep_program(struct htmt__tape *tape, const struct htmt__tape_program *program);
/* NULL: none. */
const struct htmt__tape_program *htmt__tape_program(const struct htmt__tape *tape);
size_t htmt__tape_regions(const struct htmt__tape *tape, const struct htmt__tape_region **regions);
uint64_t htmt__tape_entries(const struct htmt__tape *tape);
/* Chunk number i, from 0; NULL behind the last. */
const uint64_t *htmt__tape_chunk(const struct htmt__tape *tape, size_t i, size_t *n);

/* Files: whole or not at all; *error gets one line (file, offset, found, expected). A half tape,
 * one of another version, or one whose program is not `build` (0: any) is refused. */
int htmt__tape_save(const struct htmt__tape *tape, const char *path, char *error, size_t size);
int htmt__tape_load(struct htmt__tape **tape, const char *path, uint64_t build, char *error,
                    size_t size);
/* Valgrind's lackey, --trace-mem=yes: accesses and instruction fetches, without operations. */
int htmt__tape_load_lackey(struct htmt__tape **tape, const char *path, char *error, size_t size);

#endif
