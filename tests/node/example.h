/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inside that docs/nodes.md works by hand: a cycle of 10 ns, and what depends on it.
 */
#ifndef HTMT_TESTS_NODE_EXAMPLE_H
#define HTMT_TESTS_NODE_EXAMPLE_H

#include "layers/node/figures.h"
#include "layers/node/node.h"

#define CYCLE INT64_C(10000000)

struct htmt_ratio cycles(uint64_t n);
/* Load 1, mul 4, add 3; l1 of 1 KiB, lru, lines of 32 B; bus of 8 B at the clock, arbitration 1;
 * DRAM hit 4, miss 10, pages of 1 KiB; banks by address bit 16. */
struct htmt__node_figures example(uint32_t ways, uint32_t banks);
void set_unit(struct htmt__node_figures *f, enum htmt_operation operation,
              enum htmt_type_of_operand type, uint64_t latency, uint64_t every);

/* Tape entries, one after the other. */
struct entries {
    uint64_t at[65536];
    size_t n;
};

void put(struct entries *e, enum htmt__tape_kind kind, unsigned width, uint64_t address);
void put_op(struct entries *e, enum htmt_operation operation, enum htmt_type_of_operand type);
/* x at 0, y at 0x10000. */
void put_ddot(struct entries *e, uint64_t n);
/* Cycles of the service; it plays in chunks of `chunk` entries. */
int64_t service(struct htmt__node *node, const struct entries *e, size_t chunk, bool warm,
                struct htmt__node_account *account);
/* Of a new node. */
int64_t cycles_of(const struct htmt__node_figures *f, const struct htmt__tape_program *program,
                  const struct entries *e, struct htmt__node_account *account);

#endif
