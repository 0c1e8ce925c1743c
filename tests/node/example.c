/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/node/example.h"

#include <criterion/criterion.h>

struct htmt_ratio cycles(uint64_t n)
{
    return (struct htmt_ratio){n * (uint64_t)CYCLE, 1};
}

void set_unit(struct htmt__node_figures *f, enum htmt_operation operation,
              enum htmt_type_of_operand type, uint64_t latency, uint64_t every)
{
    f->unit[operation][type] =
        (struct htmt__node_unit){.given = true, .latency = cycles(latency), .every = cycles(every)};
}

struct htmt__node_figures example(uint32_t ways, uint32_t banks)
{
    struct htmt__node_figures f = {
        .overlap = {0, 1},
        .l1 = {.kind = HTMT__NODE_CACHE,
               .size = 1024,
               .line = 32,
               .ways = ways,
               .split = true,
               .hit = cycles(1),
               .every = cycles(1),
               .store_every = cycles(1)},
        .bus = {.width = 8, .cycle = cycles(1), .arbitration = cycles(1)},
        .dram = {.given = true,
                 .banks = banks,
                 .page = 1024,
                 .interleave = 65536,
                 .hit = cycles(4),
                 .miss = cycles(10)},
        .outstanding = 1};
    set_unit(&f, HTMT_MUL, HTMT_F64, 4, 4);
    set_unit(&f, HTMT_ADD, HTMT_F64, 3, 3);
    return f;
}

void put(struct entries *e, enum htmt__tape_kind kind, unsigned width, uint64_t address)
{
    cr_assert_lt(e->n, sizeof e->at / sizeof *e->at);
    e->at[e->n++] = htmt__tape_entry(kind, width, address);
}

void put_op(struct entries *e, enum htmt_operation operation, enum htmt_type_of_operand type)
{
    put(e, HTMT__TAPE_OP, operation, (uint64_t)type | 1 << 8);
}

void put_ddot(struct entries *e, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        put(e, HTMT__TAPE_LOAD, 8, 8 * i);
        put(e, HTMT__TAPE_LOAD, 8, 0x10000 + 8 * i);
        put_op(e, HTMT_MUL, HTMT_F64);
        put_op(e, HTMT_ADD, HTMT_F64);
    }
}

int64_t service(struct htmt__node *node, const struct entries *e, size_t chunk, bool warm,
                struct htmt__node_account *account)
{
    htmt__node_start(node, warm);
    for (size_t i = 0; i < e->n; i += chunk) {
        size_t n = e->n - i < chunk ? e->n - i : chunk;
        cr_assert_eq(htmt__node_play(node, e->at + i, n), 0);
    }
    htmt_time time = htmt__node_finish(node, account);
    cr_assert_geq(time, 0);
    cr_assert_eq(time % CYCLE, 0, "%lld fs", (long long)time);
    return time / CYCLE;
}

int64_t cycles_of(const struct htmt__node_figures *f, const struct htmt__tape_program *program,
                  const struct entries *e, struct htmt__node_account *account)
{
    struct htmt__node *node;
    char key[80], why[80];
    cr_assert(htmt__node_figures_good(f, key, why, sizeof why), "%s: %s", key, why);
    cr_assert_eq(htmt__node_new(&node, f, program), 0);
    int64_t length = service(node, e, HTMT__TAPE_CHUNK, false, account);
    htmt__node_free(node);
    return length;
}
