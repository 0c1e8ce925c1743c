/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a machine has whose slices are memory banks with processors, joined by nothing but their
 * controller: the controller's layer, the bank and the scratch layer of a slice, the issue port,
 * the DMA engine, the controller's bus and the table of instructions. A machine whose file has a
 * layer of `scope: machine` has all of it; other machines have none (NULL). Machine files and the
 * public API call the controller the machine's host.
 *
 * The controller is a place of its own, numbered `slices`: its layer exists there and in no slice,
 * and the slices' layers do not exist there.
 */
#ifndef HTMT_LAYERS_BANK_CONTROLLER_H
#define HTMT_LAYERS_BANK_CONTROLLER_H

#include "layers/bank/dma_engine.h"
#include "layers/bank/issue_port.h"
#include "layers/file/curve.h"
#include "layers/machine/machine.h"

/* How a transfer between the controller and slices goes: one slice after another, all at once with
 * equal sizes, or the same bytes to all. */
enum htmt__bus_mode { HTMT__SERIAL, HTMT__PARALLEL, HTMT__BROADCAST, HTMT__BUS_MODES };
enum htmt__bus_end { HTMT__TO_BANK, HTMT__TO_SCRATCH, HTMT__BUS_ENDS };
enum htmt__bus_way { HTMT__TO_SLICES, HTMT__FROM_SLICES, HTMT__BUS_WAYS };

struct htmt__bus_transfer {
    struct htmt_curve start; /* fs; empty: none */
    struct htmt_curve rate;  /* B/s of all slices together */
    struct htmt_curve time;  /* fs, in place of start and rate; empty, and rate too: there is no
                                such transfer */
};

struct htmt__bus {
    uint32_t group; /* slices of a rank */
    struct htmt__bus_transfer transfer[HTMT__BUS_ENDS][HTMT__BUS_MODES][HTMT__BUS_WAYS];
    struct htmt_curve launch;       /* fs, by processors or ranks */
    struct htmt_curve first_launch; /* fs that the first launch of a run takes besides; empty: 0 */
};

struct htmt__instruction_row {
    char name[HTMT_NAME_MAX]; /* "mul-i32" */
    struct htmt_ratio count;  /* instructions an operation */
};

struct htmt__bank_machine {
    uint32_t controller, bank, scratch; /* layers */
    uint32_t dma, bus;                  /* networks */
    struct htmt__issue_figures issue;
    struct htmt__dma_figures engine;
    struct htmt__bus figures;
    uint32_t instruction_count;
    size_t instruction_room;                   /* rows that fit without growing */
    struct htmt__instruction_row *instruction; /* owned */
};

/* A copy of its own; frees and clears *h, NULL accepted. Errors: HTMT_ENOMEM. */
int htmt__bank_machine_copy(const struct htmt__bank_machine *h, struct htmt__bank_machine **copy);
void htmt__bank_machine_destroy(struct htmt__bank_machine **h);

/* NULL: the machine has no controller. */
const struct htmt__bank_machine *htmt__bank_machine_of(const struct htmt_machine *m);
const struct htmt_layer *htmt__machine_controller(const struct htmt_machine *m);

/* Slices of a rank are neighbours: ranks that the first `slices` slices take. */
uint32_t htmt__bus_ranks(const struct htmt__bus *bus, uint32_t slices);

/* Time of a transfer of `bytes` a slice between the controller and `slices` slices:
 *
 *     start(ranks) + slices * bytes / rate(slices, bytes)
 *
 * or what the curve `time` has for it. Each curve is by any of `processors`, `ranks` and `bytes`.
 * *held as in htmt__curve_at(). Serial: of one of `slices` transfers that follow each other, which
 * moves its own bytes alone; they add up.
 * -1: overflow; -2: no such transfer in the file; -3: outside a curve that refuses. */
htmt_time htmt__bus_time(const struct htmt__bus *bus, enum htmt__bus_end end,
                         enum htmt__bus_mode mode, enum htmt__bus_way way, uint32_t slices,
                         uint64_t bytes, bool *held);

/* Time from a launch to the first instruction on `slices` slices; `first`: of a run. Errors: as
 * above. */
htmt_time htmt__bus_launch(const struct htmt__bus *bus, uint32_t slices, bool first, bool *held);

#endif
