/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Captured runs. What a program does beyond its plan follows from what its kernels reply: the
 * operations that they counted, where no cost function says them, and the results that steered
 * controls look at. A run writes these replies into a file. A model run that has the file plays the
 * same controls with them and runs no kernel: it is the run, on this machine and on others.
 *
 *     struct htmt_replies replies = htmt_replies_init();
 *     replies.capture = "head.rec";
 *     options.replies = &replies;                        of a run; and then of a model run:
 *     replies.captured = "head.rec";
 *
 * A program that decides by nothing else than its arguments and htmt_result() need do nothing for
 * it. It tells htmt_keep() what it takes from its input beside, and htmt_item() which work is done
 * where that follows from who comes first.
 *
 * The file appears when htmt_emulator_run() ends well, whole or not at all. A model run that asks
 * for a reply that the file lacks ends with HTMT_EFORMAT, as one does that has another plan or
 * leaves replies over. Slices are played in one order, whatever clock is asked for.
 */
#ifndef HTMT_PARCELS_REPLIES_H
#define HTMT_PARCELS_REPLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct htmt_emulator;
struct htmt_context;

struct htmt_replies {
    size_t size;          /* htmt_replies_init(), or 0 */
    const char *capture;  /* file to be written, of a run; NULL: none */
    const char *captured; /* file to be played, of a model run; NULL: none */
    const char *about;    /* lines that a file and who plays it must have in common: program, input;
                             NULL: none */
};

/* Zeros and the size. */
static inline struct htmt_replies htmt_replies_init(void)
{
    struct htmt_replies d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

/* Whether it is a model run that plays a captured one: there are no bytes, but results. */
bool htmt_is_captured(const struct htmt_emulator *e);

/* What the program found in its input before the run and decides by: a captured run keeps the
 * bytes, a model run that plays it gets them into `table`, and otherwise nothing happens. The calls
 * come in one order, with the same numbers of bytes. From: the host, before the run. Errors:
 * HTMT_EFORMAT (the file has other bytes), HTMT_EINVAL, HTMT_EIO, HTMT_ENOMEM. */
int htmt_keep(struct htmt_emulator *e, void *table, size_t bytes);

/* Replies are found by lineage: who assembled the parcel, in which stage or fiber, as which of its
 * children, and so on up to the roots. That names a service on every machine as long as controls
 * assemble in an order of their own. Where work goes to whoever comes first, as bundles of rays do
 * to the lanes of a slice, the program says which work it is:
 *
 * - htmt_item(): from this control on the parcel does item `item`;
 * - htmt_next_item(): so does the next parcel that this control assembles, as a child of nobody.
 *
 * A number stands for work of its slice and type whose kernels reply the same, whoever does it and
 * how often. From: a control. Without a file nothing happens. */
void htmt_item(struct htmt_context *c, uint64_t item);
void htmt_next_item(struct htmt_context *c, uint64_t item);

#ifdef __cplusplus
}
#endif

#endif
