/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The modelled machine: equal slices, each a chain of layers from the outermost (largest, slowest)
 * to the innermost, and the networks between them.
 *
 * A layer is a memory with, or without, processors inside it. A network attaches to some layers by
 * ports: `out` channels on which a slice's layer sends and `in` channels on which it receives.
 * HTMT: HRAM - DRAM (DPIM) - SRAM (SPIM) - CRAM (SPELL), joined by the holographic channel, the
 * Data Vortex (machine-wide), the RTI (inside a slice) and the CNET (machine-wide, SPELL to SPELL).
 *
 * The time of a move of n words in pieces of contiguous words (Hereld et al., section 2.3;
 * Amaral et al., eq. 3):
 *     startup + max(n * word time of the channel, accesses of the source, accesses of the target)
 * on the out channel, then `latency` that occupies nothing, then the in channels of the target.
 * The work of a processor (Hereld et al., W_X): f(t_class * N_class over all classes) with
 *     f = max + (1 - lambda) (sum - max).
 *
 * A struct htmt_machine is plain data that nobody changes after it was loaded; it may be shared by
 * any number of emulators and threads. Questions about a layer or network that it does not have, or
 * to no machine (NULL), are answered by -1, times and indices, or 0, counts and words.
 */
#ifndef HTMT_LAYERS_MACHINE_MACHINE_H
#define HTMT_LAYERS_MACHINE_MACHINE_H

#include "layers/file/figure.h"
#include "layers/ops.h"
#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_LAYERS_MAX   8
#define HTMT_NETWORKS_MAX 8
#define HTMT_CHANNELS_MAX 16
#define HTMT_INSIDE_MAX   16 /* 64-bit words of a model's own figures */

struct htmt_processor {
    char name[HTMT_NAME_MAX];                /* "DPIM"; empty: the layer has none */
    uint32_t count;                          /* per slice */
    struct htmt_ratio clock;                 /* Hz, for reports */
    struct htmt_ratio time[HTMT_OP_CLASSES]; /* fs an operation */
    struct htmt_ratio lambda; /* 0: classes add up; 1: the longest hides the others */
};

struct htmt_memory {
    char name[HTMT_NAME_MAX]; /* "DRAM" */
    uint64_t capacity;        /* words a slice, reserve included */
    uint64_t reserve;         /* words a slice kept for system and user code */
    struct htmt_ratio access; /* fs an access; zero: access times off */
    uint64_t access_words;    /* words one access reads or writes, >= 1 */
    uint32_t ports;           /* processors of the slice that it serves at once; 0: all */
};

/* Models of the inside of processors and networks; a program sees only whether there is one. */
struct htmt__processor_model;
struct htmt__network_model;
struct htmt__bank_machine;

struct htmt_layer {
    char name[HTMT_NAME_MAX]; /* "dram" */
    struct htmt_processor processor;
    struct htmt_memory memory;
    const struct htmt__processor_model *model; /* NULL: counted operations */
    uint64_t inside[HTMT_INSIDE_MAX];          /* figures of the model */
};

struct htmt_port {
    uint32_t out, in;                    /* channels a slice; in 0: receiving is not modelled;
                                            both 0: this layer is not on the network */
    struct htmt_ratio out_word, in_word; /* fs a word of one channel; zero: not modelled, the
                                            words of a move cost nothing there */
};

struct htmt_network {
    char name[HTMT_NAME_MAX];                /* "vortex" */
    bool machine_wide;                       /* joins slices; false: only the layers of one slice */
    htmt_time startup;                       /* fs, occupies the channel */
    htmt_time latency;                       /* fs, occupies nothing */
    struct htmt_port port[HTMT_LAYERS_MAX];  /* by layer index */
    const struct htmt__network_model *model; /* NULL: nothing inside but the latency */
    uint64_t inside[HTMT_INSIDE_MAX];        /* figures of the model */
};

struct htmt_machine {
    char name[64];
    char about[160]; /* the file's own line about itself; empty: none */
    char path[1024]; /* of the file, or of its base, that is not shipped; empty: all are */
    uint32_t slices;
    uint32_t layer_count, network_count;
    struct htmt_layer layer[HTMT_LAYERS_MAX]; /* 0 is the outermost */
    struct htmt_network network[HTMT_NETWORKS_MAX];
    uint32_t figure_count;
    struct htmt_figure *figure; /* in the order of the resolved dump */
    uint64_t hash;              /* FNV-1a 64 of the figures' keys and exact values, not of their
                                   spelling or source: equal hash, equal predictions */
    struct htmt__bank_machine *bank_machine; /* of a machine with a controller, else NULL */
};

/* Load by name (searched as NAME.yaml in the folders of `HTMT_MACHINE_PATH`, when it is not set
 * among the shipped machines) or by path (contains '/' or ends in .yaml). `set` holds `set_count`
 * strings "key=value" applied last. Any mistake is one line in *fault: file:line, what was found,
 * what was expected. Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE, HTMT_ENOMEM,
 * HTMT_EIO. On success the caller owns *machine and gives it to htmt_machine_destroy(). */
int htmt_machine_load(const char *name, const char *const *set, unsigned set_count,
                      struct htmt_machine **machine, struct htmt_fault *fault);

/* The same from text, for tests; `name` stands where the file's name would in messages. */
int htmt_machine_parse(const char *name, const char *text, struct htmt_machine **machine,
                       struct htmt_fault *fault);

/* Frees and clears *machine; NULL accepted. Emulators have copies of their own. */
void htmt_machine_destroy(struct htmt_machine **machine);

/* Index of the layer or network of that name, -1 when there is none. A layer is also found by the
 * name of its processor or memory, in any case ("SPELL", "cram"). */
int htmt_machine_layer(const struct htmt_machine *m, const char *name);
int htmt_machine_network(const struct htmt_machine *m, const char *name);

/* The network that carries words from layer `from` of a slice to layer `to` of the same
 * (`across` false) or another slice (true), -1 when none does. A network inside the slice is
 * preferred; then the first in the file. */
int htmt_machine_route(const struct htmt_machine *m, uint32_t from, uint32_t to, bool across);

/* Words of a layer's memory that data may take. */
uint64_t htmt_machine_room(const struct htmt_machine *m, uint32_t layer);

/* Processors of a layer that its memory serves at once. */
uint32_t htmt_machine_servers(const struct htmt_machine *m, uint32_t layer);

/* The layer whose processors serve this one: itself, or that which its `processor: as LAYER` names.
 * They serve all of these layers, one service after another. */
uint32_t htmt_machine_processors_of(const struct htmt_machine *m, uint32_t layer);

/* Time of ops on the processor of a layer, rounded once; -1: overflow or no processor there. A
 * layer with a model inside answers by it. */
htmt_time htmt_machine_work(const struct htmt_machine *m, uint32_t layer,
                            const struct htmt_ops *ops);

/* Time that a move of `words` words occupies one out (in) channel of the network between the two
 * layers; from_pieces and to_pieces say in how many equal contiguous pieces the words lie at either
 * end (0 counts as 1). -1: overflow. */
htmt_time htmt_machine_out_time(const struct htmt_machine *m, uint32_t network, uint32_t from,
                                uint32_t to, uint64_t words, uint64_t from_pieces,
                                uint64_t to_pieces);
htmt_time htmt_machine_in_time(const struct htmt_machine *m, uint32_t network, uint32_t to,
                               uint64_t words, uint64_t to_pieces);

/* Time from port to port of a message of that many words that meets nobody: the latency, or what
 * is inside the network; -1: overflow. */
htmt_time htmt_machine_crossing(const struct htmt_machine *m, uint32_t network, uint64_t words);

/* Hardware threads of a layer's processor that issue by turns; 0: its file has no `threads`. */
uint32_t htmt_machine_threads(const struct htmt_machine *m, uint32_t layer);

/* Instructions that an operation takes, by its row of the file's table `instructions`: "mul-i32".
 * Errors: HTMT_ENOENT, the table has no such row, or the machine no table: never zero. */
int htmt_machine_instructions(const struct htmt_machine *m, const char *operation,
                              struct htmt_ratio *count);

/* Resolved dump: every figure with its source, in the machine file's own syntax (it loads again to
 * the same machine). Errors: HTMT_EIO. */
int htmt_machine_dump(const struct htmt_machine *m, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
