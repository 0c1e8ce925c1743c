/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of execution of an application: parcels through the layers (htmt), equal nodes that
 * pass messages (mpp), or one processor (serial). Hereld et al., section 5, ask for all three of
 * each application. An application with the row HTMT_EXECUTION_OPTION reads it in its step plan,
 * and its step tell goes one of three ways; apps/APP/mpp.c and apps/APP/serial.c are the other two.
 *
 * Serial. One processor, fed by the memory outside its own:
 *
 *     T = f(compute, memory),     f = max + (1 - lambda) min, lambda being the processor's,
 *     compute = sum of n_k t_k over the classes of operations,
 *     memory = (words in) / rate + (words out) / rate.
 *
 * The words follow from how the application blocks its data for the capacity of the inner memory.
 * By hand: 10 flop of 1 ns, 3 words of 2 ns and lambda 0.5 take max(10, 6) + 0.5 * 6 = 13 ns. With
 * one layer there is no traffic: T is the sum of n_k t_k. Times that a machine gives once for each
 * move, start-up and latency, are not part of it: blocks are fetched ahead.
 *
 * Message passing. p nodes of one memory, a process of one processor on each. What a message costs
 * is the machine's: its start-up and words occupy the sender (apps/lib/move.h), its latency
 * nothing.
 *
 * Data that the memory does not hold are a warning, not a refusal: the time is as if it held them.
 */
#ifndef HTMT_APPS_LIB_EXECUTION_H
#define HTMT_APPS_LIB_EXECUTION_H

#include "apps/lib/servers.h"
#include "apps/lib/steps.h"
#include "apps/lib/term_tree.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum htmt_execution { HTMT_EXECUTION_HTMT, HTMT_EXECUTION_MPP, HTMT_EXECUTION_SERIAL };

/* No fallback: run records list the option where it was given. */
#define HTMT_EXECUTION_NAME "execution"

/* Formula of the time of a service whose classes of operations take these times: a processor hides
 * `overlap` of all but the longest (struct htmt_processor). */
#define HTMT_EXECUTION_WORK(flop, iop, load, store, cycle)                                         \
    "overlap * max(" flop ", " iop ", " load ", " store ", " cycle ") + (1 - overlap) * (" flop    \
    " + " iop " + " load " + " store " + " cycle ")"

#define HTMT_EXECUTION_OPTION                                                                      \
    {                                                                                              \
        HTMT_EXECUTION_NAME, "MODEL", NULL,                                                        \
            "htmt: parcels through the layers; mpp: nodes of one memory that pass messages; "      \
            "serial: one processor; default: htmt"                                                 \
    }

/* What was asked for, HTMT_EXECUTION_HTMT also where that is wrong: for htmt_app.slices, which
 * gives all of the machine for mpp and 1 for serial. */
enum htmt_execution htmt_execution_asked(const struct htmt_request *r);
/* Why these are fewer than the machine has, in place of htmt_app.slices_why; NULL for htmt. */
const char *htmt_execution_slices_why(const char *model);

/* What an application offers beside htmt: a closed form; to play it on the clock. */
#define HTMT_EXECUTION_FORM(e)  (1u << (e))
#define HTMT_EXECUTION_CLOCK(e) (1u << (8 + (e)))

/* The same for the step plan. Errors: HTMT_EUSAGE (unknown, not offered, or a machine that cannot
 * do it). */
int htmt_execution_read(struct htmt_task *t, unsigned offers, enum htmt_execution *execution);

/* ---- one processor -------------------------------------------------------------------------- */

/* Of a machine: the innermost layer with a processor, that layer's memory, and the layer outside.
 * Of mpp: a node; there is no layer outside. */
struct htmt_execution_place {
    struct htmt_servers servers; /* SPELL: the processor; ACROSS: to another node */
    uint32_t layer;
    uint64_t room;             /* words of the inner memory; with one layer, of that */
    bool feeds;                /* there is a layer outside, with */
    uint64_t holds;            /* so many words, */
    struct htmt_ratio in, out; /* and fs a word inward and outward: of the channel, or of the
                                  accesses of either memory, whichever is more */
};
struct htmt_execution_place htmt_execution_place(const struct htmt_machine *m,
                                                 enum htmt_execution execution);

/* Values for texts of rows: "t flop", "t iop", "t load", "t store", "t cycle", of an operation;
 * "t in", "t out", of a word, 0 without a layer outside; "overlap", lambda. */
void htmt_execution_times(struct htmt_term_tree *tree, const struct htmt_execution_place *place);

/* ---- the two forms -------------------------------------------------------------------------- */

/* What an application knows of its serial program, or of its program for nodes. Both have the rows
 * "data", the words that a memory must hold (of mpp: of the fullest node), and "flop", of the
 * problem. Values: `of`, those of htmt_execution_times(), "room" and "nodes". */
struct htmt_execution_form {
    const struct htmt_term_row *rows[4]; /* up to a NULL */
    const struct htmt_term_count *of;
    size_t count;
};

/* Rows of a serial form: "iop", "load", "store" and "cycle", where there are such operations, and
 * "words in" and "words out", as if there were a layer outside. The rows of T, compute and memory
 * come before them. */
int htmt_serial_tell(struct htmt_task *t, const struct htmt_execution_form *form,
                     struct htmt_prediction *out);

/* Rows of a form of mpp: "T", in whole femtoseconds, and its two parts, "compute" and "network". A
 * row may be served by the servers HTMT_SERVE_ACROSS and HTMT_SERVE_SPELL. */
int htmt_mpp_tell(struct htmt_task *t, const struct htmt_execution_form *form,
                  struct htmt_prediction *out);

/* Both tell rows, total, flops, parts, and the warning. Errors: those of the tree; HTMT_ECAPACITY
 * instead of the warning, where htmt_request_plan_only(). */

/* ---- parts and memories --------------------------------------------------------------------- */

/* Of times that were told, names up to a NULL, the longest; the first where none was. A point of a
 * study asks it, so letters are looked at before strcmp() is called. */
static inline const char *htmt__largest_term(struct htmt_prediction *p, const char *const *names)
{
    const char *largest = *names;
    const struct htmt_term *t;
    double most = -1;
    for (unsigned i = 0; (t = htmt_prediction_term_at(p, i)); i++) {
        if (!(t->value > most) || t->unit[0] != 's' || t->unit[1])
            continue;
        for (const char *const *name = names; *name; name++)
            if (t->name[0] == **name && strcmp(t->name, *name) == 0) {
                most = t->value;
                largest = *name;
            }
    }
    return largest;
}

/* Data that do not fit: "memory NODE: found ... words of `what`, expected at most ...", as a
 * warning; HTMT_EFORMAT with --strict, HTMT_ECAPACITY where htmt_request_plan_only(). */
int htmt_execution_fits(struct htmt_task *t, const char *memory, const char *what, htmt_wide words,
                        uint64_t room);

#ifdef __cplusplus
}
#endif

#endif
