/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan follows from the options and the machine alone: which layers take part, what part of the
 * input a slice has, and where everything lies in its bank and in its scratch memory. Example: red
 * of 1000 numbers of 8 bytes on 3 slices: parts of 334, 334 and 332; blocks of 128, so that a slice
 * has 3, the last one of 78 or 76.
 */
#include "apps/prim/plan.h"
#include "apps/lib/request.h"
#include "apps/lib/tasklets.h"
#include "layers/machine/banks.h"

#include <inttypes.h>
#include <string.h>

#define SIZE_MOST (UINT64_C(1) << 40)

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Parts are whole words, and of a matrix whole pairs of rows: a bank is written by words, and a sum
 * of 32 bits is half of one. In the bank the inputs, the output, the slice's result and its offset
 * follow each other; in scratch memory each tasklet has a buffer of each input, and what it keeps.
 */
static void lay_out(struct htmt__prim_plan *p)
{
    const struct htmt__prim_program *g = p->program;
    const uint64_t word = HTMT_WORD / g->bytes;
    p->each = (p->size + p->slices - 1) / p->slices;
    p->each = (p->each + word - 1) / word * word;
    p->in_block = HTMT__PRIM_BLOCK / g->bytes;
    p->in_group = 1;
    p->in_bytes = p->each * p->columns * g->bytes;
    p->out_bytes = p->each * g->bytes;
    p->second_bytes = p->in_bytes;
    if (g->rows) {
        uint64_t chunks = (p->columns + p->in_block - 1) / p->in_block;
        p->in_group = (uint32_t)(word * chunks);
        p->second_bytes = p->columns * g->bytes;
    }

    struct htmt__prim_places *at = &p->at;
    const unsigned reads = g->pass[0].reads;
    const bool writes = g->pass[0].writes || g->pass[g->passes - 1].writes;
    at->in[0] = 0;
    at->in[1] = p->in_bytes;
    at->out = at->in[1] + (reads > 1 ? p->second_bytes : 0);
    at->result = at->out + (writes ? p->out_bytes : 0);
    at->offset = at->result + g->result_bytes;
    at->bank_bytes = at->offset + HTMT_WORD;
    at->buffer[0] = 0;
    at->buffer[1] = HTMT__PRIM_BLOCK;
    at->private = reads * HTMT__PRIM_BLOCK;
    at->scratch_bytes =
        at->private + ((uint64_t)g->private_bytes + HTMT_WORD - 1) / HTMT_WORD * HTMT_WORD;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static int check_fit(struct htmt_task *task, const struct htmt__prim_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint64_t bank = htmt_machine_room(m, p->bank) * HTMT_WORD,
                   scratch = htmt_machine_room(m, p->scratch) * HTMT_WORD;
    const uint64_t heap = p->tasklets * p->at.scratch_bytes + HTMT_WORD,
                   stacks = p->hosted ? p->tasklets * p->stack : 0;
    if (heap + stacks > scratch)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--tasklets: heap and stacks of %u tasklets take %" PRIu64
                                " + %" PRIu64 " bytes of %s, which has %" PRIu64,
                                p->tasklets, heap, stacks, m->layer[p->scratch].memory.name,
                                scratch);
    if (p->hosted && htmt_machine_code_bytes(m) && p->code > htmt_machine_code_bytes(m))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--code: found %" PRIu64 " bytes, expected at most the %" PRIu64
                                " of the code memory of a %s",
                                p->code, htmt_machine_code_bytes(m),
                                m->layer[p->scratch].processor.name);
    if (p->at.bank_bytes > bank)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--size: a part takes %" PRIu64 " bytes of %s, which has %" PRIu64,
                                p->at.bank_bytes, m->layer[p->bank].memory.name, bank);
    return 0;
}

static int read_options(struct htmt_task *task, struct htmt__prim_plan *p)
{
    static const char *const modes[] = {"serial", "parallel", NULL};
    unsigned mode = 0;
    p->columns = 1;
    int rc = htmt_task_whole(task, "size", 1, SIZE_MOST, &p->size);
    if (!rc && p->program->rows)
        rc = htmt_task_whole(task, "columns", 2, UINT32_MAX, &p->columns);
    if (!rc && p->program->rows && p->columns * p->program->bytes % HTMT_WORD)
        rc = htmt_task_refuse(task, HTMT_EUSAGE,
                              "--columns: found %" PRIu64 ", expected an even number", p->columns);
    if (!rc)
        rc = htmt_request_choice(htmt_task_request(task), "fetch", modes, &mode,
                                 htmt_task_fault(task));
    p->serial = mode == 0;
    rc = rc ? rc : htmt_task_whole(task, "code", 0, UINT32_MAX, &p->code);
    return rc ? rc : htmt_task_whole(task, "stack", 0, UINT32_MAX, &p->stack);
}

int htmt__prim_plan(struct htmt_task *task, struct htmt__prim_plan *p)
{
    const char *name = htmt_task_value(task, "program");
    char names[200] = "";
    p->slices = htmt_task_machine(task)->slices;
    p->seed = htmt_request_seed(htmt_task_request(task));
    for (const struct htmt__prim_program *g = htmt__prim_programs; g->name; g++) {
        if (name && strcmp(name, g->name) == 0)
            p->program = g;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", g->name);
    }
    if (!p->program)
        return htmt_task_refuse(task, HTMT_EUSAGE, "--program: found '%s', expected %s",
                                name ? name : "", names);
    /* A machine whose processors have threads has a host, a bank and a scratch layer; of others the
     * three innermost layers serve. */
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint32_t threads = htmt_tasklets_layer(m);
    p->hosted = threads != 0;
    p->scratch = threads ? threads : m->layer_count - 1;
    if (p->scratch < 2)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "machine %s: found %u layers, expected an outer one, a bank and a "
                                "scratch memory",
                                m->name, m->layer_count);
    p->bank = p->scratch - 1;
    p->outer = p->hosted ? 0 : p->scratch - 2;
    int rc = htmt_tasklets_read(task, p->scratch, HTMT__PRIM_TASKLETS, &p->tasklets);
    rc = rc ? rc : read_options(task, p);
    if (rc)
        return rc;
    lay_out(p);
    rc = check_fit(task, p);
    return rc ? rc : htmt__prim_costs(task, p);
}
