/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/command/host: measures the computer that the command runs on, as the inside of a
 * processor; of emul it includes plugin and below.
 *
 * Every figure comes from loops of its own (operations, pointer chases, streams, branches), never
 * from a kernel that the model is judged by. A loop runs many short times, between two looks at the
 * clock of the core; the fastest time counts, and what lies above it is the spread.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_HOST_H
#define HTMT_EMUL_COMMAND_HOST_HOST_H

#include "emul/command/host/topology.h"
#include "emul/lib/questions/interval.h"
#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* A measured figure. Samples come in rounds, seconds apart; the fastest one of the second fastest
 * round counts. */
#define HTMT__HOST_AGREE 3 /* rounds */
struct htmt__host_figure {
    double value;    /* cycles, or ns where the name says so */
    double spread;   /* (middle sample - fastest) / fastest, of one of the fastest rounds */
    unsigned taken;  /* samples of a still core, of the last round with some */
    unsigned rounds; /* that are in low[], HTMT__HOST_AGREE or more: all */
    int own;         /* the core's own rate as it was known then (host_clock.h) */
    double low[HTMT__HOST_AGREE]; /* the fastest of the rounds, in order */
    bool disturbed; /* not so many rounds, or the last two of low[] are more than 5 % apart */
};

/* Of an operation on a type. */
struct htmt__host_rate {
    const char *name; /* "add-f64" */
    struct htmt__host_figure latency, every;
    struct htmt__host_figure onward; /* latency to operations of other units; 0: not measured */
    unsigned units;                  /* the same number: they share units; 0: nobody else's */
    unsigned within;                 /* number of the units that these are a part of; 0: none */
    double instructions, places;     /* of a function of the C library: all of them, by count, and
                                        those that wait for its argument; 0: not measured */
};

/* Of a function of numbers, calls whose argument is in one range. */
struct htmt__host_call {
    struct htmt__host_figure latency, every; /* 0: it has no such argument */
    double instructions, places;
    bool own; /* they differ from those of all calls */
};

#define HTMT__HOST_RATES     384
#define HTMT__HOST_FUNCTIONS 80 /* of numbers */
#define HTMT__HOST_WIDTHS    3  /* of vectors: 16, 32, 64 bytes */
#define HTMT__HOST_LEVELS    4  /* l1, l2, l3, memory */
#define HTMT__HOST_STREAMS   3
#define HTMT__HOST_ROWS      7  /* of outcomes that a predictor may know */
#define HTMT__HOST_HALVES    3  /* of lines, those that are multiples of 2, 4 and 8 */
#define HTMT__HOST_AMONG     4  /* stores, one of them to a line that is not in l1 */
#define HTMT__HOST_NESTS     15 /* loops that a predictor may know */

/* Of a cache or the memory behind the last; cycles. */
struct htmt__host_level {
    struct htmt__host_figure latency;                  /* of a load */
    struct htmt__host_figure read[HTMT__HOST_STREAMS]; /* a line, of so many streams + 1 */
    struct htmt__host_figure write;                    /* a line; of memory */
    /* Of caches; `read` is a word of each line there. */
    struct htmt__host_figure words[HTMT__HOST_STREAMS]; /* all words of a line */
    struct htmt__host_figure touch, update; /* a word written, all words loaded twice and written */
    struct htmt__host_figure back;          /* a dirty line; beyond the first */
    struct htmt__host_figure apart;         /* a line, of CHASES chases at once */
    /* Of caches beyond the first: a line of CHASES chases through lines an odd number apart, 2, 4
     * and 8 times as many; of the last, a store to such a line. */
    struct htmt__host_figure banks[HTMT__HOST_HALVES + 1], stores;
    struct htmt__host_figure behind; /* such a store and three to lines of l1; beyond the first */
    uint64_t bytes;                  /* of the loops that measured it */
};

/* Translations of addresses: pages that two levels hold, and cycles. */
struct htmt__host_tlb {
    uint64_t page;                       /* bytes, of what malloc() gives; 0: not measured */
    unsigned entries, second;            /* 0: as many as were tried */
    struct htmt__host_figure late, walk; /* more of an access that the first, the second misses */
    struct htmt__host_figure every;      /* of many walks at once; 0: not measured */
    unsigned tables;                     /* lines that a walk reads one after the other */
    bool hashed; /* sets of the second are not those of a page's last bits */
};

#define HTMT__HOST_JUMP_UNITS 64u /* the number of the units of branches */

/* What the process has of the last cache. Of a set of `whole` bytes, which is streamed again and
 * again, all lines stay there, of one of `none` none does. 0: it has all of the cache. */
struct htmt__host_share {
    double whole, none;
    bool disturbed; /* two looks do not agree */
};

/* Memory while several processors use it at once, each on data of its own; cycles a line of one of
 * them. */
#define HTMT__HOST_STEPS 10 /* numbers of processors: 1, 2, 4, .. 128, all */
struct htmt__host_step {
    unsigned cpus;
    struct htmt__host_figure read[2], write[2]; /* the last cache (0: not measured), memory */
};
struct htmt__host_cores {
    unsigned steps; /* 0: not measured */
    struct htmt__host_step step[HTMT__HOST_STEPS];
    unsigned threads;   /* processors of one core, at most, by pairs */
    unsigned confirmed; /* pairs of which the system says the same */
    bool differ;        /* it says otherwise of this pair: */
    int pair[2];
};
/* Two processors: a loop of one alone, and beside the other one's. */
struct htmt__host_pair {
    int cpu[2], system; /* system: whether they are of one core; -1: it says nothing */
    struct htmt__host_figure alone, beside;
};
struct htmt__host_crowd; /* together.h */

struct htmt__host_figures {
    struct htmt__host_topology topology;
    struct htmt__host_figure cycle;  /* ns */
    struct htmt__host_figure issue;  /* instructions a cycle */
    struct htmt__host_figure branch; /* taken against the prediction */
    struct htmt__host_figure steady; /* a turn of that loop without such branches */
    struct htmt__host_figure load, store;
    struct htmt__host_figure flop; /* half of an addition and a product of reals side by side */
    struct htmt__host_figure wide[HTMT__HOST_WIDTHS], wide_store[HTMT__HOST_WIDTHS]; /* 0: none */
    struct htmt__host_figure across, across_store; /* accesses of two lines; 0: not measured */
    struct htmt__host_figure store_apart;          /* a store, in two lines in turns */
    /* A branch that is not taken; one that is; one behind a comparison of reals, and another. */
    struct htmt__host_figure jump, jump_taken, jump_compare, jump_shift;
    /* Instructions that come at once, none of them behind a jump (0: no bound was found); an
     * access, a branch or an operation of reals beside many others. */
    struct htmt__host_figure group, beside;
    /* More issue of an addition to memory, one with an index, a comparison with a word that has an
     * index, than an instruction has. */
    struct htmt__host_figure unfused_add, unfused_add_index, unfused_index;
    struct htmt__host_figure fill, spill; /* what a line that comes, a dirty one that goes, adds */
    struct htmt__host_figure window;      /* operations that wait at once, by Little's law */
    /* Under way at once: instructions; operations that wait; loads; stores. 0: no bound was found.
     */
    struct htmt__host_figure reorder, waiting, loads, stores;
    struct htmt__host_figure forward, forward_part;  /* from a store's data to a load */
    struct htmt__host_figure nest[HTMT__HOST_NESTS]; /* a turn of a loop of so many turns */
    struct htmt__host_figure row[HTMT__HOST_ROWS];   /* an outcome of a row of so many */
    struct htmt__host_figure outcomes; /* of the longest row that is remembered; 0: none */
    struct htmt__host_figure reach; /* turns of the longest loop whose end is foreseen; 0: none */
    struct htmt__host_tlb tlb;
    struct htmt__host_share share;
    struct htmt__host_cores cores;
    struct htmt__calibration calibration; /* of `tried` loops; 0: none were */
    bool calibrated[HTMT__NODE_BOUNDS];
    unsigned tried;
    unsigned rates, levels;
    struct htmt__host_rate rate[HTMT__HOST_RATES];
    unsigned functions, first_function; /* rates of functions of numbers, from the first one on */
    struct htmt__host_call call[HTMT__HOST_FUNCTIONS][HTMT__LIBRARY_RANGES];
    struct htmt__host_level level[HTMT__HOST_LEVELS];
};

/* Who hears of the progress: "add-f64"; may be NULL. */
typedef void htmt__host_progress_fn(void *user, const char *what);

#define HTMT__HOST_REPEATS_MOST 100

/* All of it, `repeats` times in a row of some seconds each, and memory by the processors of `crowd`
 * (NULL: not), which leaves no figures where threads cannot be pinned. Errors: HTMT_ENOMEM,
 * HTMT_ESYSTEM (topology.so is missing, or finds no cache). */
int htmt__host_measure(struct htmt__host_figures *figures, unsigned repeats,
                       struct htmt__host_crowd *crowd, htmt__host_progress_fn *progress, void *user,
                       struct htmt_fault *fault);

struct htmt__command;

/* Tries the machine file of these figures: predicts loops with it and times them. Fills
 * calibration, calibrated and tried. Without htmt-cc nothing is tried. */
void htmt__host_calibrate(struct htmt__command *program, struct htmt__host_figures *figures,
                          const char *machine);

/* The names of what it measures, from 0 on: "add-f64"; NULL behind the last one. */
const char *htmt__host_row(unsigned i);
/* A machine file with these figures. Errors: those of runtime/base/whole_file.h. */
int htmt__host_write(const struct htmt__host_figures *figures, const char *path,
                     struct htmt_fault *fault);

#endif
