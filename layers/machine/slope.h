/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: charges as counts, and how they change with figures of a machine. A charge is
 * what machine.c asks a machine for: the time of some operations, of a move over a channel, of a
 * latency.
 */
#ifndef HTMT_LAYERS_MACHINE_SLOPE_H
#define HTMT_LAYERS_MACHINE_SLOPE_H

#include "layers/machine/machine.h"

enum htmt__charge_kind {
    HTMT__CHARGE_WORK, /* htmt_machine_work(): of the layer, counts of operations */
    HTMT__CHARGE_OUT,  /* htmt_machine_out_time(): words, accesses at the source, at the target */
    HTMT__CHARGE_IN,   /* htmt_machine_in_time(): words, 0, accesses at the target */
    HTMT__CHARGE_STARTUP, /* of the network */
    HTMT__CHARGE_LATENCY, /* of the network */
    HTMT__CHARGE_LEAD,    /* both */
    HTMT__CHARGE_FIXED,   /* the program said how long; no figure changes it */
    HTMT__CHARGE_UNKNOWN, /* a model's, or more than one charge: nothing is known of it */
};

/* Without padding: equal charges are equal bytes. */
struct htmt__charge {
    uint32_t kind, of; /* enum htmt__charge_kind; the layer, or the network */
    uint32_t from, to; /* layers of a move; UNKNOWN: whatever its maker wants to know */
    uint64_t n[HTMT_OP_CLASSES];
};

struct htmt__charge htmt__charge_out(const struct htmt_machine *m, uint32_t network, uint32_t from,
                                     uint32_t to, uint64_t words, uint64_t from_pieces,
                                     uint64_t to_pieces);
struct htmt__charge htmt__charge_in(const struct htmt_machine *m, uint32_t network, uint32_t to,
                                    uint64_t words, uint64_t to_pieces);

/* d ln f / d ln p of each figure f of a machine: p is what is changed. */
struct htmt__exponents {
    struct {
        double time[HTMT_OP_CLASSES], lambda, access;
    } layer[HTMT_LAYERS_MAX];
    struct {
        double startup, latency, out_word[HTMT_LAYERS_MAX], in_word[HTMT_LAYERS_MAX];
    } network[HTMT_NETWORKS_MAX];
};

/* Those that lead from `m` to `toward`, in which p is `factor` times as large. Errors: HTMT_ENOENT:
 * they differ in what is no figure of time, or something that takes no time in one of them does in
 * the other. */
int htmt__exponents_find(const struct htmt_machine *m, const struct htmt_machine *toward,
                         double factor, struct htmt__exponents *x, struct htmt_fault *fault);

/* The charge, not rounded; FIXED, UNKNOWN: 0. */
double htmt__charge_value(const struct htmt_machine *m, const struct htmt__charge *charge);
/* How fast it grows when ln p does (sign 1) or falls (sign -1): where arms of a maximum are equal
 * that of the fastest. */
double htmt__charge_slope(const struct htmt_machine *m, const struct htmt__exponents *x,
                          const struct htmt__charge *charge, double sign);

#endif
