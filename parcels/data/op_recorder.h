/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: a kernel's operations, one by one, through the inside of its processor
 * (layers/node/node.h), on the thread that runs the kernel. What is played has model addresses
 * alone, so a service's time does not depend on the host.
 *
 *   regions and uses   the layer's memory: an object's own address; of a closure, that of its
 *                      regions one after another, above all objects
 *   arguments, result  HTMT__TAPE_ARGUMENTS
 *   the stack          the kernel's entry is HTMT__TAPE_STACK + HTMT__RECORDER_STACK
 *   image              code, constants and statics: offset in the program or plug-in
 *   htmt_constants()   behind the images
 *
 * An access of anything else ends the run, with its place.
 *
 * Caches that stay (`caches: warm`) belong to a processor, and what a service finds in them depends
 * on the services before it. Where the run has one such processor, its kernels run when their turn
 * has come, one after another, and play on its one node: no tape has to wait in memory. In the
 * memories of different layers, which that processor has all, objects have different addresses.
 */
#ifndef HTMT_PARCELS_DATA_OP_RECORDER_H
#define HTMT_PARCELS_DATA_OP_RECORDER_H

#include "layers/node/tape/tape.h"
#include "parcels/data/data.h"

#define HTMT__RECORDER_STACK    (UINT64_C(16) << 20)
#define HTMT__RECORDER_CLOSURES (UINT64_C(1) << 42) /* fresh regions of closures */
#define HTMT__RECORDER_LAYER    (HTMT__RECORDER_CLOSURES / HTMT_LAYERS_MAX)

struct htmt__op_recorder;
struct htmt__op_recording;

/* Of a run. `cold`: caches are, at each service. Errors: HTMT_ENOMEM. */
int htmt__op_recorder_create(struct htmt__op_recorder **recorder,
                             const struct htmt_machine *machine, uint32_t slices,
                             const struct htmt_operations *operations, bool cold);
/* Whether kernels of the layer run in turn. Then its objects begin at so many HTMT__RECORDER_LAYER.
 */
bool htmt__op_recorder_in_turn(const struct htmt__op_recorder *recorder, uint32_t layer);
void htmt__op_recorder_destroy(struct htmt__op_recorder *recorder);

/* Runs all parts of the kernel and says in *timed what they took. Where nobody wants to know, it
 * runs none of them. What is wrong with the kernel comes to *fault. */
void htmt__op_recorder_run(struct htmt__op_recorder *recorder, struct htmt_kernel *k,
                           struct htmt__timed *timed, struct htmt_fault *fault);
/* Constants of the program that the kernel reads. */
void htmt__op_recorder_constants(struct htmt__op_recording *rec, const void *at, uint64_t bytes);

#endif
