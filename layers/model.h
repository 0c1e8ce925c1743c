/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Models of processors and networks, as const tables. A machine file names a model under `inside`;
 * without it a processor has counted operations and a network is its ports. A new model is a new
 * file in layers/node/ or layers/network/ and one row in layers/machine/models.c
 * (docs/extending.md).
 *
 * A model has figures of its own: rows whose offsets point into a struct of the model's, which lies
 * in the layer's or network's `inside` (128 bytes). A row may be of any exact kind (layers/file/
 * units.h) but HTMT_UNIT_FREQUENCY; cycles of HTMT_UNIT_OPERATION are the layer's processor's. Its
 * functions are pure: time is integer femtoseconds, and nothing but the arguments and the state of
 * the place may reach what they return.
 */
#ifndef HTMT_LAYERS_MODEL_H
#define HTMT_LAYERS_MODEL_H

#include "layers/file/schema.h"
#include "layers/ops.h"
#include "runtime/base/ratio.h"

/* The first row of every model: its name, which the reader looks up. */
#define HTMT__MODEL_NAME                                                                           \
    {                                                                                              \
        .key = "model", .kind = HTMT_SCHEMA_TEXT                                                   \
    }

/* ---- processors ------------------------------------------------------------------------------ */

/* What a kernel, or its cost function, reported. */
struct htmt__kernel_report {
    const struct htmt_ops *ops;
};

struct htmt__processor_model {
    const char *name;
    const struct htmt_schema_row *rows;
    bool
        of_counts; /* the time is a function of the counts alone: the emulator remembers the last */
    /* Time of a service; -1: overflow. NULL: that of counted operations. */
    htmt_time (*work)(const void *inside, const struct htmt__kernel_report *report);
};

/* ---- networks -------------------------------------------------------------------------------- */

/* One message inside a network, between the out port of its source and the in port of its target.
 * Slices are numbers; `state` belongs to `slice`, at whose place the message is. */
struct htmt__crossing {
    const void *inside;
    void *state;
    uint32_t source, target, slice, slices;
    uint64_t words;
    htmt_time now, latency;
};

/* Where the head of the message is next, and when: at a place of another slice after `latency` at
 * the earliest, since slices are played apart for that long. */
struct htmt__place {
    htmt_time at; /* -1: overflow */
    uint32_t slice;
    bool there; /* at the target's port */
};

struct htmt__network_model {
    const char *name;
    const struct htmt_schema_row *rows;
    size_t state_bytes; /* of each slice's place: zeros at first */
    bool symmetric;     /* slices that do the same meet the same inside: it may be folded */
    /* The head has left its out port. */
    struct htmt__place (*send)(const struct htmt__crossing *c);
    /* It has come to a place; each such event is the place's slice's alone, keyed by its message.
     */
    struct htmt__place (*arrive)(const struct htmt__crossing *c);
    /* The head has come out at the target's port, where the last word follows; NULL: nothing to
     * release. */
    void (*release)(const struct htmt__crossing *c);
    /* The run is over: accounts of a place up to `now`; NULL: it keeps none. */
    void (*settle)(void *state, htmt_time now);
    /* What a message waits for inside, in a word or two: "hub". NULL: the network's name. */
    const char *explain;
    /* Time from port to port of a message that meets nobody, latency included. */
    htmt_time (*alone)(const void *inside, htmt_time latency, uint64_t words);
};

/* ---- the tables ------------------------------------------------------------------------------ */

/* NULL: there is none of that name; *names gets the names that there are, NULL at the end. */
const struct htmt__processor_model *htmt__processor_model(const char *name,
                                                          const char *names[static 16]);
const struct htmt__network_model *htmt__network_model(const char *name,
                                                      const char *names[static 16]);

#endif
