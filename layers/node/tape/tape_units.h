/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorded part of a program: the units that htmt-cc compiled, as one program of blocks, and
 * which of their functions can be recorded whole: those that call recorded functions alone.
 *
 * Units name themselves before main() or when a plug-in is loaded, so the list of units is a global
 * variable, one of the few (docs/architecture.md).
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_UNITS_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_UNITS_H

#include "layers/node/tape/tape_unit.h"

#include "layers/node/tape/tape.h"

/* Blocks of no unit, whose numbers come first: 16 bytes of a copy (a load, a store), of filling
 * memory (a store), of a string that is read (a load), of two that are compared (two loads). */
enum htmt__tape_own {
    HTMT__TAPE_COPY,
    HTMT__TAPE_FILL,
    HTMT__TAPE_SCAN,
    HTMT__TAPE_COMPARE,
    HTMT__TAPE_ORDER,
    HTMT__TAPE_OWN_BLOCKS
};

/* Addresses of the host that hold code, constants and statics of recorded units. */
struct htmt__tape_image {
    uintptr_t at;
    uint64_t bytes;
};

struct htmt__tape_units;

/* The tape for which htmt-cc compiled this program's kernels: "O2", "O3"; NULL: it compiled none.
 */
const char *htmt__tape_units_tape(void);
/* Of the units that there are now. Errors: HTMT_ENOMEM. */
int htmt__tape_units_create(struct htmt__tape_units **units);
void htmt__tape_units_destroy(struct htmt__tape_units *units);
const struct htmt__tape_program *htmt__tape_units_program(const struct htmt__tape_units *units);
size_t htmt__tape_units_images(const struct htmt__tape_units *units,
                               const struct htmt__tape_image **images);

enum htmt__tape_recorded {
    HTMT__TAPE_UNKNOWN, /* the function was not compiled by htmt-cc */
    HTMT__TAPE_PARTLY,  /* it calls functions that were not */
    HTMT__TAPE_WHOLE
};
/* *why gets the reason, "FILE:LINE: calls NAME, which is not recorded" of the first such call; it
 * lasts as long as the units. NULL: it is recorded whole. */
enum htmt__tape_recorded htmt__tape_units_knows(const struct htmt__tape_units *units,
                                                const void *function, const char **why);
/* "FILE:LINE" of access number `access` of a block; access UINT32_MAX: of its function. */
void htmt__tape_units_place(const struct htmt__tape_units *units, uint32_t block, uint32_t access,
                            char *text, size_t size);

#endif
