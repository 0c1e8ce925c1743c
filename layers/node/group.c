/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/combine.h"
#include "layers/node/ticks.h"
#include "runtime/base/error.h"

#include <stdio.h>

static htmt_time sum_of(htmt_time a, htmt_time b)
{
    return a + b < HTMT__TICKS_MOST ? a + b : HTMT__TICKS_MOST;
}

static void clear_units(struct htmt__node *n)
{
    while (n->busy_count)
        *n->busy[--n->busy_count] = 0;
}

void htmt__node_end_group(struct htmt__node *n, htmt_time branch)
{
    uint64_t accesses = n->sum.loads + n->sum.stores - n->group_accesses;
    n->group_accesses += accesses;
    if (!n->group_fetched)
        n->group.instructions += accesses;
    n->group_fetched = false;
    if (!n->group.instructions && n->t == n->start && !branch)
        return;
    n->group.issue =
        sum_of(htmt__ticks(n->figures->issue, n->group.instructions, n->scale), n->group.code);
    htmt__node_close(n, &n->group, branch);
    clear_units(n);
    n->group = (struct htmt__node_work){0};
}

int htmt__node_add_operation(struct htmt__node *n, uint64_t entry)
{
    unsigned operation = htmt__tape_width(entry), type = htmt__tape_address(entry) & 255;
    uint64_t count = htmt__tape_address(entry) >> 8;
    if (operation >= HTMT_OPERATIONS || type >= HTMT_OPERAND_TYPES)
        return HTMT_EFORMAT;
    if (!htmt__node_given(n, operation, type)) {
        snprintf(n->unknown, sizeof n->unknown, "%s-%s", htmt_operation_name(operation),
                 htmt_operand_name(type));
        return HTMT_EINVAL;
    }
    htmt_time time = htmt__node_units(n, operation, type, count);
    if (htmt__node_is_code(n, operation)) {
        n->group.code = sum_of(n->group.code, time);
        n->group.instructions += count;
        return n->group.code < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
    }
    htmt_time *unit = &n->unit_time[operation][type];
    if (!*unit && time)
        n->busy[n->busy_count++] = unit;
    *unit = sum_of(*unit, time);
    n->group.units = sum_of(n->group.units, time);
    n->group.units_max = *unit > n->group.units_max ? *unit : n->group.units_max;
    n->group.instructions += count;
    return n->group.units < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
}

void htmt__node_add_branch(struct htmt__node *n, uint64_t entry)
{
    bool right =
        htmt__node_guess(n, htmt__tape_address(entry) >> 2, htmt__tape_width(entry) != 0, true);
    n->sum.branches_missed += !right;
    n->group.instructions++;
    htmt__node_end_group(n, n->figures->predictor == HTMT__NODE_NO_PREDICTOR || !right ? n->branch
                                                                                       : 0);
}

void htmt__node_drop_group(struct htmt__node *n)
{
    clear_units(n);
    n->group = (struct htmt__node_work){0};
    n->group_accesses = 0;
    n->group_fetched = false;
}
