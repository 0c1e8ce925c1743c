/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What htmt-cc leaves beside the code of a C file: the tables of its blocks, for the recorder. Each
 * unit names itself to htmt__rec_register() before main().
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_UNIT_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_UNIT_H

#include <stdint.h>

#define HTMT__TAPE_UNIT_VERSION 8u

/* A call of a function of another file; `function` is the number of the caller. */
struct htmt__tape_call {
    const void *callee; /* NULL: the program has none of that name */
    const char *name;
    uint32_t function, line;
};

struct htmt__tape_place {
    uint32_t block, line, file;
};

struct htmt__tape_head {
    uint32_t version;
    /* As in struct htmt__tape_counts. */
    uint32_t blocks, ops, chains, links, steps, sources, functions, text;
    uint32_t places;
    uint32_t code; /* bytes of instructions */
};

struct htmt__tape_unit {
    struct htmt__tape_unit *next;
    const struct htmt__tape_head *head;
    const uint32_t *tables;                /* htmt__tape_pack(), then the names */
    const struct htmt__tape_place *places; /* of accesses, in the order of the blocks */
    const void *const *functions;          /* their code */
    const struct htmt__tape_call *calls;   /* up to one without a name */
    uint64_t *entries; /* of each block: its BLOCK entry, once the program numbered it; 0 before */
    const char *const *files; /* of places; the first is the source */
    const char *tape;         /* "O2", "O3": how the code was optimized */
};

void htmt__rec_register(struct htmt__tape_unit *unit);

#endif
