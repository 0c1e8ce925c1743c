/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply on one processor: no grid, so a blocked product. With blocks of C that stay,
 * all of A is read once for each column of blocks, and all of B once for each row of them.
 *
 * By hand: 4 x 4 matrices and room for three blocks of 2 x 2: A is read twice, B twice, C written
 * once. 64 words come in and 16 go out, for 128 flop.
 */
#include "apps/cannon/closed_form.h"

#include "apps/lib/execution.h"

#include <inttypes.h>
#include <math.h>

static const struct htmt_term_row rows[] = {
    HTMT_ROW(2, "words", "words in",
             "rows * inner * ceil(cols / block) + inner * cols * ceil(rows / block)",
             "A for each column of blocks, B for each row"),
    HTMT_ROW(2, "words", "words out", "rows * cols", "C"),
    HTMT_ROW_COMPUTED(3, "1", "block", "floor(sqrt(room / 3))",
                      "side of a block: three lie in the inner memory"),
    HTMT_ROW(0, "words", "data", "rows * inner + inner * cols + rows * cols", "A, B and C"),
    HTMT_ROW(0, "flop", "flop", "multiply.flop * rows * inner * cols", "of the problem"),
    HTMT_ROWS_END};

int htmt__cannon_serial(struct htmt_task *task, const struct htmt__cannon_problem *o,
                        const struct htmt__cannon_charges *charges, struct htmt_prediction *out)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt_execution_place place = htmt_execution_place(m, HTMT_EXECUTION_SERIAL);
    uint64_t block = (uint64_t)sqrt((double)(place.room / 3));
    while (block * block > place.room / 3) /* sqrt() rounded up */
        block--;
    if (!block)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "memory %s: found %" PRIu64 " words, expected room for 3 elements",
                                m->layer[place.layer].memory.name, place.room);
    const struct htmt_term_count of[] = {{"rows", o->rows},
                                         {"inner", o->inner},
                                         {"cols", o->cols},
                                         {"block", block},
                                         {"multiply.flop", charges->flop}};
    htmt_task_problem(task,
                      "C = A B, %" PRIu64 " x %" PRIu64 " x %" PRIu64
                      " on one processor, blocks of "
                      "%" PRIu64,
                      o->rows, o->inner, o->cols, block);
    const struct htmt_execution_form form = {{rows}, of, sizeof of / sizeof *of};
    return htmt_serial_tell(task, &form, out);
}
