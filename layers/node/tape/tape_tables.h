/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside tapes: the tables of a program as 32-bit words, the same for every host. Their hash is the
 * program's identity.
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_TABLES_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_TABLES_H

#include "layers/node/tape/tape.h"

/* How many there are of each. */
struct htmt__tape_counts {
    uint32_t blocks, ops, chains, links, steps, sources, functions;
    uint32_t text; /* bytes of names, a multiple of 8 */
};

struct htmt__tape_counts htmt__tape_count(const struct htmt__tape_program *program);
/* Words of all tables but the names: an even number. */
uint64_t htmt__tape_words(const struct htmt__tape_counts *n);
/* Into so many words, which are zeros, and `text` bytes behind them. */
void htmt__tape_pack(const struct htmt__tape_program *program, uint32_t *words, char *text);
/* One allocation: the program, its tables, its names. NULL: no memory. */
struct htmt__tape_program *htmt__tape_unpack(const struct htmt__tape_counts *n,
                                             const uint32_t *words, const char *text);
/* The same of a program; its name, too. */
struct htmt__tape_program *htmt__tape_copy(const struct htmt__tape_program *program);
/* NULL, or what is wrong: a number beyond its table. */
const char *htmt__tape_check(const struct htmt__tape_program *program);

/* FNV-1a by 64-bit words. */
uint64_t htmt__tape_hash(uint64_t hash, const void *bytes, uint64_t count);

#endif
