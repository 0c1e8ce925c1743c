/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A move that meets no other, as the closed forms count it: the receiving channel works while the
 * sending one does.
 */
#ifndef HTMT_APPS_LIB_MOVE_H
#define HTMT_APPS_LIB_MOVE_H

#include "layers/machine/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In how many pieces the words lie at either end, as in htmt_machine_out_time(). */
struct htmt_move_path {
    uint32_t network, from, to; /* from, to: layers */
    uint64_t from_pieces, to_pieces;
};

struct htmt_move {
    htmt_time out, in;                  /* of a channel at either end */
    htmt_time busy;                     /* the longer of both */
    htmt_time latency;                  /* occupies nothing */
    htmt_time length;                   /* busy and latency */
    uint32_t out_channels, in_channels; /* at least 1 */
};

/* Of no words no time. Errors: HTMT_EOVERFLOW; then all times are -1. */
int htmt_move(const struct htmt_machine *m, struct htmt_move_path path, uint64_t words,
              struct htmt_move *move);

#ifdef __cplusplus
}
#endif

#endif
