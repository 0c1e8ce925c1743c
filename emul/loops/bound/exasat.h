/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds of loops by the rule of the spreadsheets that the authors of ExaSAT publish beside their
 * paper, which gives the tables and figures of that paper; docs/loops.md compares it with the exact
 * one of bound.h. Everything of one loop is exact: ratios of whole numbers.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_EXASAT_H
#define HTMT_EMUL_LOOPS_BOUND_EXASAT_H

#include "emul/loops/bound/search.h"

#include <jansson.h>
#include <stdio.h>

/* Loops and axes of arrays by the word that moves fastest: x is the innermost loop. */
enum { HTMT__EXASAT_X, HTMT__EXASAT_Y, HTMT__EXASAT_Z, HTMT__EXASAT_AXES };

/* What a block uses again: all its words, those of a plane, of a row, or of one cell. */
enum htmt__exasat_level {
    HTMT__EXASAT_PLANE,
    HTMT__EXASAT_PENCIL,
    HTMT__EXASAT_INNER,
    HTMT__EXASAT_CELL,
    HTMT__EXASAT_LEVELS
};

enum htmt__exasat_kind {
    HTMT__EXASAT_READ,       /* never written */
    HTMT__EXASAT_WRITE,      /* its first reference is a write */
    HTMT__EXASAT_READ_WRITE, /* read, written later */
    HTMT__EXASAT_KINDS
};

/* Arrays of a loop that are alike in kind and offsets; components count each. */
struct htmt__exasat_group {
    enum htmt__exasat_kind kind;
    unsigned pattern; /* of the plan */
    htmt_wide copies;
    htmt_wide ghost[HTMT__EXASAT_AXES]; /* cells beyond a block, both sides */
    bool star;                          /* no offset leaves the centre on two axes */
    htmt_wide planes, pencils, cells;   /* different z offsets; y and z; all three */
    htmt_wide depth;                    /* from the smallest z offset to the largest */
    htmt_wide breadth;                  /* the same along y, summed over the planes */
};

struct htmt__exasat_loop {
    const struct htmt__nest_run *run;
    htmt_wide extent[HTMT__EXASAT_AXES]; /* iterations; 1 where the nest has no such loop */
    unsigned groups;
    struct htmt__exasat_group *group;
    htmt_wide gap_y, gap_z; /* the largest between neighbouring offsets of an array that is read */
    htmt_wide arrays[HTMT__EXASAT_KINDS];
    uint64_t integers, reals; /* state variables, words of tables counted */
};

/* A program of nests as the rule sees it. */
struct htmt__exasat {
    const struct htmt__nest_program *program;
    htmt_wide box[HTMT__EXASAT_AXES]; /* the fewest iterations of any loop */
    unsigned loops;
    struct htmt__exasat_loop *loop;
    htmt_wide message_bytes, messages; /* of one exchange with the neighbours */
};

/* On success the caller clears *rule. Errors: HTMT_EUSAGE (a nest that the rule does not know: the
 * message names it), HTMT_ENOMEM. */
int htmt__exasat_make(const struct htmt__nest_program *program, struct htmt__exasat *rule,
                      struct htmt_fault *fault);
void htmt__exasat_clear(struct htmt__exasat *rule);

/* ---- bounds ------------------------------------------------------------------------------------
 */

struct htmt__exasat_request {
    int64_t block[HTMT__EXASAT_AXES]; /* 0: the box */
    htmt_wide cache;                  /* bytes that a group of threads shares */
    htmt_wide line;                   /* words */
    htmt_wide write_cost;             /* bytes of memory for a word that is written first */
    bool bypass;                      /* written arrays need no room ("Streaming Writes") */
    struct htmt__nest_number divide, function; /* flop */
    struct htmt_ratio flop;                    /* fs, of one processor */
    uint64_t processors;
    struct htmt_ratio word;                          /* fs between memory and cache */
    struct htmt_ratio message_word, message_latency; /* fs */
};

/* The defaults of the sheets on a machine: all of the box one block, 16 bytes a written word. */
void htmt__exasat_request_of(const struct htmt__bound_rates *rates,
                             struct htmt__exasat_request *request);

/* Of a group of arrays and a block: words of one array, bytes of all. */
struct htmt__exasat_words {
    htmt_wide row, plane, volume;
    htmt_wide moved[HTMT__EXASAT_LEVELS], set[HTMT__EXASAT_LEVELS]; /* as below */
};

void htmt__exasat_group_words(const struct htmt__exasat *rule, const struct htmt__exasat_loop *loop,
                              const struct htmt__exasat_group *group,
                              const struct htmt__exasat_request *request,
                              struct htmt__exasat_words *words);

struct htmt__exasat_bound {
    htmt_wide set[HTMT__EXASAT_LEVELS]; /* bytes that keep planes, pencils, (unused), cells */
    htmt_wide working;                  /* the smallest that moves no more than the largest */
    enum htmt__exasat_level level;      /* that fits */
    struct htmt__nest_number bytes, operations, work; /* traffic; flop, unweighted and weighted */
    htmt_wide compute_fs, memory_fs, fs;
};

/* Errors: HTMT_EOVERFLOW. */
int htmt__exasat_bound(const struct htmt__exasat *rule, const struct htmt__exasat_loop *loop,
                       const struct htmt__exasat_request *request,
                       struct htmt__exasat_bound *bound);

/* Sums over all loops with repeats, in *total: `working` is the largest. `each` has room for all
 * loops, or is NULL. */
int htmt__exasat_sum(const struct htmt__exasat *rule, const struct htmt__exasat_request *request,
                     struct htmt__exasat_bound *each, struct htmt__exasat_bound *total);

/* Puts the block of least traffic into the request, of powers of two and the whole box, with whole
 * columns along z, rows of a line or more, and no more rows than a row has cells. */
int htmt__exasat_best_block(const struct htmt__exasat *rule, struct htmt__exasat_request *request);

/* Sums at capacities from the first to the last, in bytes, four to each doubling. `search`: the
 * best block at each, else the request's. */
int htmt__exasat_curve(const struct htmt__exasat *rule, const struct htmt__exasat_request *request,
                       bool search, htmt_wide first, htmt_wide last,
                       struct htmt__bound_point point[HTMT__BOUND_POINTS], unsigned *points);

/* The messages of an exchange, one after the other. */
int htmt__exasat_message_time(const struct htmt__exasat *rule,
                              const struct htmt__exasat_request *request, htmt_wide *fs);

/* ---- state, arrays -----------------------------------------------------------------------------
 */

/* References of one iteration: to state variables in registers and beyond them, and to streamed
 * words, of which one that has a register counts once. */
struct htmt__exasat_registers {
    struct htmt__nest_number hits, misses, streamed;
};

/* `count` registers; 0: as many as there are variables. Errors: HTMT_ENOMEM, HTMT_EOVERFLOW. */
int htmt__exasat_registers(const struct htmt__exasat_loop *loop, uint64_t count,
                           struct htmt__exasat_registers *registers);

/* References to the state variable that is the `rank`-th most used; 0: there are not so many. */
int htmt__exasat_uses(const struct htmt__exasat_loop *loop, uint64_t rank,
                      struct htmt__nest_number *uses);

/* Loops that write the components of a row, once for each, as a share of all that write any array,
 * among the runs whose names begin with `procedure`. */
struct htmt__exasat_writes {
    htmt_wide all, arrays; /* writes; components that such runs touch */
    htmt_wide once;        /* of these, components that at most one run writes */
};
htmt_wide htmt__exasat_row_writes(const struct htmt__exasat *rule, const struct htmt__nest_row *row,
                                  const char *procedure, bool *touched);
void htmt__exasat_count_writes(const struct htmt__exasat *rule,
                               const struct htmt__nest_occupancy *occupancy, const char *procedure,
                               struct htmt__exasat_writes *writes);

/* ---- reports -----------------------------------------------------------------------------------
 */

struct htmt__exasat_report {
    const char *path; /* of the nest file */
    const struct htmt__exasat *rule;
    const struct htmt__bound_rates *rates;
    const struct htmt__exasat_request *request;
    const struct htmt__exasat_bound *each, *total;
    uint64_t registers; /* 0: all */
    double write_rate;  /* arrays below it are counted; negative: not asked */
};

const char *htmt__exasat_level_name(enum htmt__exasat_level level);

/* Errors: HTMT_ENOMEM; those of `out` stay in its ferror(). */
int htmt__exasat_print(const struct htmt__exasat_report *report, FILE *out);
/* A line for each loop, then the sums. Errors: those of runtime/base/whole_file.h. */
int htmt__exasat_csv(const struct htmt__exasat_report *report, const char *path,
                     struct htmt_fault *fault);
/* A workbook: parameters are cells, and all that follows from them formulas. Errors: as above. */
int htmt__exasat_sheet(const struct htmt__exasat_report *report, const char *path,
                       struct htmt_fault *fault);
/* NULL: out of memory. The caller gives the object to json_decref(). */
json_t *htmt__exasat_json(const struct htmt__exasat_report *report);

#endif
