/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations that a kernel counts.
 */
#ifndef HTMT_LAYERS_OPS_H
#define HTMT_LAYERS_OPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_WORD 8 /* bytes of a word */

/* Classes of operations. A cycle is one of the processor's clock; what the others cost stands in
 * the machine file. */
enum htmt_op { HTMT_CYCLE, HTMT_FLOP, HTMT_IOP, HTMT_LOAD, HTMT_STORE, HTMT_OP_CLASSES };

struct htmt_ops {
    uint64_t n[HTMT_OP_CLASSES];
};

#ifdef __cplusplus
}
#endif

#endif
