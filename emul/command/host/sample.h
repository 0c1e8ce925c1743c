/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times of loops on a host that others use, too: many short samples, each between two looks at the
 * core (apps/lib/host_clock.h), in cycles of the clock that these looks showed.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_SAMPLE_H
#define HTMT_EMUL_COMMAND_HOST_SAMPLE_H

#include "apps/lib/host_clock.h"
#include "emul/command/host/host.h"

/* A loop of n turns. */
typedef void htmt__host_loop_fn(void *user, uint64_t n);

#define HTMT__HOST_CLOCKS 512 /* that are kept, of all still samples */

/* Tests have a clock of their own: `told` says what a loop takes, by its name and turns, in ns;
 * below 0: its core was not still. *cycle is what looks beside the sample would show, in ns. */
struct htmt__host_clock {
    struct htmt_host_core core;
    double patience; /* seconds that all samples together may still wait for a still core */
    double more;     /* seconds that rounds beyond the least of their phases may still take */
    double begun;    /* when the last of those was asked for */
    double cycle[HTMT__HOST_CLOCKS]; /* ns: of every `stride`-th still sample */
    unsigned cycles, stride, passed;
    double (*told)(void *user, const char *name, uint64_t n, double *cycle);
    void *user;
};

void htmt__host_clock_start(struct htmt__host_clock *clock);
/* Another measurement begins: it may wait as long as the first one. */
void htmt__host_clock_restart(struct htmt__host_clock *clock);
/* ns: the middle one of the cycles of all still samples; of the last look where there is none. */
double htmt__host_cycle(const struct htmt__host_clock *clock);

/* What is measured: a loop, its name for a clock of a test, and what runs before each sample. */
struct htmt__host_loop {
    const char *name;
    htmt__host_loop_fn *run;
    void *user;
    void (*prepare)(void *user); /* NULL: nothing */
};

/* Whether a phase that made `round` rounds makes another one: `least` in any case, then while there
 * are figures that are marked, and time. Of these others get a while, so they lie apart; in them
 * what is marked is measured again, and nothing else needs to be. */
bool htmt__host_again(struct htmt__host_clock *clock, unsigned round, unsigned least, bool marked);

/* Cycles of a turn; a sample takes about `least` ns, or a turn. */
struct htmt__host_figure htmt__host_sample(struct htmt__host_clock *clock,
                                           const struct htmt__host_loop *loop, double least);
/* `samples` of n turns each. */
struct htmt__host_figure htmt__host_samples(struct htmt__host_clock *clock,
                                            const struct htmt__host_loop *loop, uint64_t n,
                                            unsigned samples);

/* a - b, a / by: with the larger spread, disturbed as one of them is. */
struct htmt__host_figure htmt__host_less(struct htmt__host_figure a, struct htmt__host_figure b);
struct htmt__host_figure htmt__host_part_of(struct htmt__host_figure a, double by);
/* *best becomes what it and the samples of another round say together. */
void htmt__host_keep(struct htmt__host_figure *best, struct htmt__host_figure round);
/* Whether more rounds would tell little: enough agree within 1 %. */
bool htmt__host_settled(const struct htmt__host_clock *clock,
                        const struct htmt__host_figure *figure);

/* Latency and throughput of operations, of the branch and of the issue: fills rate, branch, load
 * and store. */
void htmt__host_operations(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                           htmt__host_progress_fn *progress, void *user);
/* Functions of the C library: adds rates; needs that of fma. */
void htmt__host_library(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                        htmt__host_progress_fn *progress, void *user);
/* What its chains have beside the functions goes, and ranges are told apart; needs `onward`. */
void htmt__host_library_ranges(struct htmt__host_figures *figures);
const char *htmt__host_library_row(unsigned i); /* NULL behind the last one */
/* What the processor keeps under way, and what it makes of memory in between: fills issue, reorder,
 * waiting, loads, stores, forward and forward_part; needs the rates. */
void htmt__host_core(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                     htmt__host_progress_fn *progress, void *user);
/* What it makes of instructions, which kinds begin at once, and instructions of functions: fills
 * group, beside, unfused_add, unfused_add_index, unfused_index and `instructions` of the rates;
 * needs these and issue. */
void htmt__host_instructions(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                             htmt__host_progress_fn *progress, void *user);
/* Which operations share units, and what a result costs on its way to other units: fills `units`
 * and `onward` of the rates. */
void htmt__host_pairs(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                      htmt__host_progress_fn *progress, void *user);
/* Figures that cannot be: of zero, of a level that is faster than the one before. They become
 * disturbed. */
void htmt__host_judge(struct htmt__host_figures *figures);
/* *all becomes what it and another measurement of this host say together. */
void htmt__host_merge(struct htmt__host_figures *all, const struct htmt__host_figures *again);
/* All of it but the topology, which is there, by this clock. Errors: HTMT_ENOMEM. */
int htmt__host_measure_by(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                          htmt__host_progress_fn *progress, void *user, struct htmt_fault *fault);
/* The rate of that name; NULL: none. */
struct htmt__host_rate *htmt__host_rate_of(struct htmt__host_figures *figures, const char *name);
/* What translations of addresses cost: fills tlb. Errors: HTMT_ENOMEM. */
int htmt__host_pages(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                     htmt__host_progress_fn *progress, void *user);
/* Latency of the levels of memory by pointer chases, their throughput by streams: fills level.
 * Errors: HTMT_ENOMEM. */
int htmt__host_memory(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                      htmt__host_progress_fn *progress, void *user, struct htmt_fault *fault);
/* A line, of the one to three streams that take least. */
struct htmt__host_figure htmt__host_fastest(const struct htmt__host_level *level);
/* A line of memory, of two and three streams. */
struct htmt__host_figure htmt__host_of_memory(const struct htmt__host_level *memory);
/* Bytes of arrays beyond the last cache: four times as large, or what of it leaves as much to
 * others. */
uint64_t htmt__host_bytes_beyond(const struct htmt__host_topology *topology);
/* Memory by several processors, which come into an order in which those of other cores are first;
 * whether two share a core: fills `cores`; needs the share. Errors: HTMT_ENOMEM, HTMT_ESYSTEM
 * (threads cannot be pinned). */
int htmt__host_cores(struct htmt__host_clock *clock, struct htmt__host_crowd *crowd,
                     struct htmt__host_figures *figures, htmt__host_progress_fn *progress,
                     void *user);
/* Whether the host has room for its arrays. Errors: HTMT_EHOSTFIT. */
int htmt__host_memory_fits(const struct htmt__host_topology *topology, struct htmt_fault *fault);

/* Chases of pointers, each from where it is: one alone, or a step of every one in turns, n in all.
 */
#define HTMT__HOST_CHASES 16
struct htmt__host_chases {
    void **at[HTMT__HOST_CHASES];
};
void htmt__host_chase(void *chases, uint64_t n);
void htmt__host_chase_apart(void *chases, uint64_t n);
/* An order of `count` that no prefetcher knows: Fisher and Yates. */
void htmt__host_mix(uint32_t *order, uint64_t count, uint64_t *state);

/* A value that the compiler must have in a register, REAL or WHOLE, and about which it knows
 * nothing behind this place: so loops are as they are written, and results are not computed before.
 */
#if defined __x86_64__
#define REAL "x"
#elif defined __aarch64__
#define REAL "w"
#else
#define REAL "m"
#endif
#define WHOLE          "r"
#define KEEP(where, v) __asm__ volatile("" : "+" where(v))

/* c if it is not 7, else v; `text` has one CHOOSE or more, behind one condition, which waits for
 * nothing. CHOOSE_TWO: the condition is one of two flags. */
#if defined __x86_64__
#define CONDITION  "cmp $7, %1\n\t" /* behind a test choices wait half a cycle longer */
#define CHOOSE     "cmovne %1, %0\n\t"
#define CHOOSE_TWO "cmova %1, %0\n\t"
#elif defined __aarch64__
#define CONDITION  "cmp %1, #7\n\t"
#define CHOOSE     "csel %0, %1, %0, ne\n\t"
#define CHOOSE_TWO CHOOSE
#endif
#ifdef CONDITION
#define CHOSEN(text, v, c)                                                                         \
    __extension__({                                                                                \
        __typeof__(v) to_ = v;                                                                     \
        __asm__(CONDITION text : "+r"(to_) : "r"(c) : "cc");                                       \
        to_;                                                                                       \
    })
#endif

#endif
