/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What turns figures into plain data: one row after another, in the order of the dump.
 */
#ifndef HTMT_LAYERS_MACHINE_BUILDER_H
#define HTMT_LAYERS_MACHINE_BUILDER_H

#include "layers/machine/parts.h"

struct htmt__builder {
    const struct htmt__figures *from;
    const char *file;
    struct htmt_machine *machine;
    struct htmt_fault *fault;
    const struct htmt_ratio *cycle; /* of the processor at hand; NULL: none has a clock */
};

/* A figure more in the machine, and its text or its exact value into the hash of the last one. */
void htmt__build_keep(struct htmt__builder *b, const struct htmt_figure *figure);
void htmt__build_absorb(struct htmt__builder *b, const char *text);
void htmt__build_absorb_ratio(struct htmt__builder *b, struct htmt_ratio value);

/* Where a message about a missing key points: the first figure of the same group, else of the
 * group around it, else the top of the file. Returns HTMT_EFORMAT. */
int htmt__build_refuse_missing(struct htmt__builder *b, const char *key);

/* The figure `prefix`.`row->key` into the struct at `base`; rows without a size are left out.
 * Errors: HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE. */
int htmt__build_row(struct htmt__builder *b, const struct htmt_schema_row *row, const char *prefix,
                    void *base);
int htmt__build_group(struct htmt__builder *b, const struct htmt_schema_row *rows,
                      const char *prefix, void *base);

/* A machine with a controller (layers/bank/controller.h). Of a layer: whether it is the controller
 * or has threads, *done; its processor is then built. Once the layers are there: whether they are
 * those of such a machine. Of a network: whether it is the DMA engine or the bus, *done; it is then
 * built. At last, that the machine is whole and has kept every figure. Errors: as above, and
 * HTMT_ENOMEM. */
int htmt__build_controller_processor(struct htmt__builder *b, const char *of, uint32_t layer,
                                     bool *done);
int htmt__build_controller(struct htmt__builder *b);
int htmt__build_controller_network(struct htmt__builder *b, const char *of, uint32_t network,
                                   bool *done);
int htmt__build_controller_end(struct htmt__builder *b);

/* The model of a network whose name is the figure `model`, "fabric", with its topology
 * (docs/networks.md); `of`: "networks.NAME". Errors: as above, and HTMT_ENOMEM, HTMT_ENOENT. */
int htmt__build_fabric(struct htmt__builder *b, const char *of, struct htmt_network *network);

/* The figures of a processor's inside, which the layer then owns; `model` is "node". Errors: as
 * above. */
int htmt__build_node(struct htmt__builder *b, const char *of, const struct htmt_figure *model,
                     struct htmt_layer *layer);

#endif
