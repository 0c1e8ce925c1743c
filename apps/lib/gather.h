/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who has what in a run of several processes (parcels/ranks.h), for set-up, checks and outputs. The
 * host calls these; none suspends.
 */
#ifndef HTMT_APPS_LIB_GATHER_H
#define HTMT_APPS_LIB_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parcels/emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the first `slices` slices, those that this process plays. */
uint32_t htmt_slices_here(const struct htmt_emulator *e, uint32_t slices);
/* One process, or one of several that play all slices each: it has all results. */
bool htmt_has_all(const struct htmt_emulator *e);
/* What htmt_object_fetch() brings is for this process: it has all results, or is rank 0. */
bool htmt_gathers(const struct htmt_emulator *e);
/* A record of the process that plays slice 0, which is rank 0, to all. After the run, in all
 * processes alike. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt_tell_all(struct htmt_emulator *e, void *record, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
