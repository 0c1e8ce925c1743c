/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of operations that are measured: loops of each, as a chain and apart (operations.c), and
 * those of vectors (vectors.c).
 */
#ifndef HTMT_EMUL_COMMAND_HOST_ROWS_H
#define HTMT_EMUL_COMMAND_HOST_ROWS_H

#include "emul/command/host/sample.h"

struct htmt__host_row {
    const char *name;
    htmt__host_loop_fn *chain; /* NULL: the latency is that of the other */
    htmt__host_loop_fn *apart;
    const char *beside;  /* whose latency the chain has, too; NULL: none. Rows above it */
    unsigned operations; /* in a turn */
};

/* Rows of vectors that this processor has, from 0 on; NULL behind the last. The names of all. */
const struct htmt__host_row *htmt__host_vector_row(unsigned i);
const char *htmt__host_vector_name(unsigned i);
unsigned htmt__host_vector_names(void);
/* The row of that name for a processor whose multiplications are fused with additions; NULL: of
 * others. */
const struct htmt__host_row *htmt__host_fused_row(const char *name);
/* Loads and stores of vectors: fills wide and wide_store. */
void htmt__host_vector_accesses(struct htmt__host_clock *clock, struct htmt__host_figures *figures,
                                unsigned round);
/* What a gather takes beside a load of the first cache. */
void htmt__host_vector_gathers(struct htmt__host_figures *figures);

#define EIGHT(STEP, OP, where)                                                                     \
    STEP(OP, where, v0)                                                                            \
    STEP(OP, where, v1)                                                                            \
    STEP(OP, where, v2)                                                                            \
    STEP(OP, where, v3)                                                                            \
    STEP(OP, where, v4)                                                                            \
    STEP(OP, where, v5)                                                                            \
    STEP(OP, where, v6)                                                                            \
    STEP(OP, where, v7)
#define STEP_OF(OP, where, v)                                                                      \
    v = OP(v);                                                                                     \
    KEEP(where, v);
#define CHAINED(OP, where, v) STEP_OF(OP, where, v0)

/* Eight apart, so many times in a turn: its own count and branch do not show. */
#define TIMES 4
#define MANY(STEP, OP, where)                                                                      \
    EIGHT(STEP, OP, where) EIGHT(STEP, OP, where) EIGHT(STEP, OP, where) EIGHT(STEP, OP, where)
#define LOOPS_ON(target, name, type, where, first, second, OP)                                     \
    LOOPS_IN(target, name, type, where, first, second, STEP_OF, OP)
/* Apart by STEP: an operation of which eight fill the latency just so loses slots of its units
 * where one is late, so it takes ANEW: none waits for the turn before. */
#define ANEW(OP, where, v)                                                                         \
    KEEP(where, c);                                                                                \
    v = OP(c);                                                                                     \
    KEEP(where, v);
#define LOOPS_IN(target, name, type, where, first, second, STEP, OP)                               \
    target static void name##_chain(void *user, uint64_t n)                                        \
    {                                                                                              \
        type v0 = (type)(first), c = (type)(second);                                               \
        (void)user;                                                                                \
        KEEP(where, v0);                                                                           \
        KEEP(where, c);                                                                            \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            MANY(CHAINED, OP, where)                                                               \
        }                                                                                          \
    }                                                                                              \
    target static void name##_apart(void *user, uint64_t n)                                        \
    {                                                                                              \
        type v0 = (type)(first), v1 = v0, v2 = v0, v3 = v0, v4 = v0, v5 = v0, v6 = v0, v7 = v0;    \
        type c = (type)(second);                                                                   \
        (void)user;                                                                                \
        KEEP(where, c);                                                                            \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            MANY(STEP, OP, where)                                                                  \
        }                                                                                          \
    }

#define ADD(v)     (v + c)
#define SUB(v)     (v - c)
#define MUL(v)     (v * c)
#define DIV(v)     (c / v)
#define FMA(v)     (v * c + c)
#define LOGIC(v)   (v ^ c)
#define NEGATED(v) (-v)
#define SHIFTED(v) (v >> 3)

#endif
