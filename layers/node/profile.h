/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A profile: what the operations of a kernel are like, without the operations. It has the blocks of
 * the code with their operations and chains, the loop lengths and branches (which block follows
 * which, as patterns), the strides of each access in its region, and the stack distances of the
 * accesses that have no strides. A person may edit the file (docs/profiles.md), for extreme loads;
 * a generator (layers/node/generator.h) makes operations of it.
 */
#ifndef HTMT_LAYERS_NODE_PROFILE_H
#define HTMT_LAYERS_NODE_PROFILE_H

#include "layers/node/pattern.h"
#include "layers/node/tape/tape.h"
#include "runtime/base/error.h"

#define HTMT__PROFILE_LINE     64   /* bytes: of stack distances */
#define HTMT__PROFILE_SETS     64   /* of which a region may use a part */
#define HTMT__PROFILE_CLASSES  40   /* of distances: cold, 0, 1, 2 to 3, 4 to 7 ... */
#define HTMT__PROFILE_ACCESSES 255  /* of a block */
#define HTMT__PROFILE_BLOCKS   4096 /* different ones */

struct htmt__profile_region {
    char name[40];
    uint64_t at, bytes;
    uint32_t sets; /* different sets of 64 that its lines lie in */
    uint64_t distances[HTMT__PROFILE_CLASSES];
};

struct htmt__profile_access {
    bool store;
    uint8_t width;
    uint32_t region;
    int beside;                   /* an earlier access of the block; -1: its own last address */
    uint64_t from;                /* offset of the first one in the region */
    uint64_t low, bytes;          /* where its strides keep it: offset in the region, and bytes */
    struct htmt__pattern strides; /* from its last address, or from the one it is beside */
};

struct htmt__profile_block {
    uint32_t number; /* of the compiled program, whose tables have the rest; annotated: none */
    bool annotated;
    uint64_t code; /* an annotated block's; HTMT__TAPE_ADDRESS: none */
    uint8_t instructions, fetches;
    uint64_t branch;                                     /* its address; HTMT__TAPE_ADDRESS: none */
    uint64_t count[HTMT_OPERATIONS][HTMT_OPERAND_TYPES]; /* an annotated block's operations */
    struct htmt__profile_access *access;
    uint32_t accesses;
    struct htmt__pattern next, taken;
};

struct htmt__profile {
    char kernel[64];
    uint64_t services; /* of the trace that it was read from */
    uint64_t counts;   /* operations that a service counts (flops, iops, loads, stores); 0: any */
    char *file;        /* that it was read from; NULL: measured */
    uint32_t first;    /* the block with which a service begins */
    struct htmt__profile_region *region;
    uint32_t regions;
    struct htmt__profile_block *block;
    uint32_t blocks;
    struct htmt__tape_program *program; /* of the compiled blocks, its own; NULL: none */
};

void htmt__profile_free(struct htmt__profile *profile);
/* Whether seeds make different operations of it: a mixture or distances are in it. */
bool htmt__profile_varies(const struct htmt__profile *profile);

/* Of a stack distance: class 0 is cold, 1 is distance 0, class n holds 2^(n-2) to 2^(n-1) - 1. */
unsigned htmt__profile_class(uint64_t distance);

/* Of a tape. Errors: HTMT_ENOMEM, HTMT_EINVAL (a tape without operations), HTMT_ERANGE (more than
 * HTMT__PROFILE_BLOCKS different blocks), with a line. */
int htmt__profile_measure(struct htmt__profile **profile, const struct htmt__tape *tape,
                          const char *kernel, struct htmt_fault *fault);

/* Of a file. Errors: those of htmt_schema_open() and htmt_schema_read(). */
int htmt__profile_load(struct htmt__profile **profile, const char *path, struct htmt_fault *fault);
int htmt__profile_parse(struct htmt__profile **profile, const char *name, const char *text,
                        struct htmt_fault *fault);
void htmt__profile_write(const struct htmt__profile *profile, FILE *out);

#endif
