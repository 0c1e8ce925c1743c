/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/micro/plan.h"
#include "apps/lib/request.h"
#include "apps/lib/tasklets.h"

#include <inttypes.h>
#include <string.h>

/* Instructions: of a copied word, of a block, at the end of a repetition. */
enum { A_WORD = 5, A_BLOCK = 5, A_REPETITION = 4 };

enum way { BOTH, TO, FROM };

#define COPIED        64u   /* bytes of a block of copy, in the bank */
#define COPIED_STRIDE 64u   /* words from block to block */
#define STREAMED      1024u /* bytes of a block of stream */
#define WORDS_MOST    (UINT64_C(1) << 32)

const char *const htmt__micro_names[] = {"copy",    "operation", "stream", "random",
                                         "strided", "host",      "launch", NULL};

const struct htmt_app_option htmt__micro_options[] = {
    {"program", "NAME", NULL,
     "copy, operation, stream, random, strided, host or launch; also as the word behind micro"},
    {"level", "LAYER", "mram",
     "of copy: the bank (blocks by DMA), or the scratch memory; of host: the slices' end"},
    {"dpus", "N", NULL, "slices of the machine that take part; 1, or as --slices"},
    HTMT_TASKLETS_OPTIONS,
    {"words", "N", "1024", "of 4 bytes, of a slice; of random and strided accesses of 8 bytes"},
    {"repetitions", "N", "1", "of all of it"},
    {"operation", "NAME", "add-i32", "of operation: a row of the machine's table of instructions"},
    {"check", "KIND", "exact", "exact: compare every byte that comes back; or none"},
    {"stride", "N", "16", "of strided: 8-byte numbers from one to the next"},
    {"mode", "NAME", "parallel", "of transfers: serial, parallel or broadcast"},
    {"way", "NAME", "both", "of host: to the slices, from them, or both"},
    {NULL, NULL, NULL, NULL}};

/* ---- the machine ----------------------------------------------------------------------------- */

static int find_layers(struct htmt_task *task, struct htmt__micro_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    p->slices = m->slices;
    p->scratch = htmt_tasklets_layer(m);
    if (p->scratch < 2)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "machine %s: found no processors of several threads, expected a "
                                "machine with a host, banks and scratch memories",
                                m->name);
    p->bank = p->scratch - 1;
    return 0;
}

static int read_counts(struct htmt_task *task, struct htmt__micro_plan *p)
{
    int rc = htmt_tasklets_read(task, p->scratch, UINT32_MAX, &p->tasklets);
    rc = rc ? rc : htmt_tasklets_check_slices(task);
    rc = rc ? rc : htmt_task_whole(task, "words", 0, WORDS_MOST, &p->words);
    rc = rc ? rc : htmt_task_whole(task, "repetitions", 1, UINT32_MAX, &p->repetitions);
    return rc ? rc : htmt_task_whole(task, "stride", 1, UINT32_MAX, &p->stride);
}

/* ---- programs -------------------------------------------------------------------------------- */

static uint64_t up(uint64_t bytes)
{
    return (bytes + HTMT_WORD - 1) / HTMT_WORD * HTMT_WORD;
}

static int instructions_of(struct htmt_task *task, struct htmt__micro_plan *p, const char *name,
                           uint64_t *sum)
{
    struct htmt_ratio each;
    if (htmt_machine_instructions(htmt_task_machine(task), name, &each))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "machine %s: found no row '%s' in its table of instructions",
                                htmt_task_machine(task)->name, name);
    p->operation[p->operations++] = name;
    *sum += (uint64_t)htmt_charge_time(each, 1024);
    return 0;
}

/* A loop over numbers in scratch memory, 1024 a block: load, operation, store, two indices, branch.
 */
static int plan_operation(struct htmt_task *task, struct htmt__micro_plan *p)
{
    const char *const all[] = {
        "load", htmt_task_value(task, "operation"), "store", "add-i32", "add-i32", "branch", NULL};
    int rc = 0;
    for (unsigned i = 0; all[i] && !rc; i++)
        rc = instructions_of(task, p, all[i], &p->block_issue);
    p->blocks = (p->words + 1023) / 1024;
    return rc;
}

static void plan_copy(struct htmt__micro_plan *p)
{
    if (!p->in_bank) {
        p->heap_bytes = 2 * p->array_bytes;
        p->blocks = p->words;
        p->block_issue = A_WORD;
        p->end_issue = A_REPETITION;
        return;
    }
    p->blocks = (p->words + COPIED_STRIDE - 1) / COPIED_STRIDE;
    p->array_bytes = p->blocks * COPIED_STRIDE * HTMT__MICRO_WORD;
    p->block_bytes = COPIED;
    p->block_issue = A_BLOCK;
    p->end_issue = A_REPETITION;
}

static int plan_accesses(struct htmt_task *task, struct htmt__micro_plan *p)
{
    uint64_t sum = 0;
    int rc = instructions_of(task, p, "load", &sum);
    rc = rc ? rc : instructions_of(task, p, "add-i64", &sum);
    rc = rc ? rc : instructions_of(task, p, "store", &sum);
    p->blocks = p->words;
    p->block_bytes = HTMT_WORD;
    p->block_issue = (sum + 512) / 1024;
    p->array_bytes = p->words * HTMT_WORD * (p->kind == HTMT__MICRO_STRIDED ? p->stride : 1);
    return rc;
}

static int plan_kind(struct htmt_task *task, struct htmt__micro_plan *p)
{
    p->launches = p->kind != HTMT__MICRO_HOST;
    p->array_bytes = up(p->words * HTMT__MICRO_WORD);
    p->arrays = 2;
    switch (p->kind) {
    case HTMT__MICRO_COPY:
        plan_copy(p);
        return 0;
    case HTMT__MICRO_OPERATION:
        return plan_operation(task, p);
    case HTMT__MICRO_STREAM:
        p->array_bytes = (p->array_bytes + STREAMED - 1) / STREAMED * STREAMED;
        p->blocks = p->array_bytes / STREAMED;
        p->block_bytes = STREAMED;
        return 0;
    case HTMT__MICRO_RANDOM:
    case HTMT__MICRO_STRIDED:
        return plan_accesses(task, p);
    default:
        return 0;
    }
}

/* What is transferred, and what lies in scratch memory. */
static void plan_memory(struct htmt__micro_plan *p, enum way way)
{
    if (p->kind == HTMT__MICRO_HOST) {
        p->arrays = 1;
        p->pushes = way != FROM;
        p->pulls = way != TO;
        return;
    }
    p->pushes = p->pulls = p->block_bytes > 0;
    p->scratch_bytes = p->block_bytes ? p->block_bytes : HTMT_WORD;
    if (p->heap_bytes < p->scratch_bytes * p->tasklets)
        p->heap_bytes = p->scratch_bytes * p->tasklets;
}

static int check_room(struct htmt_task *task, const char *option, const char *what, uint64_t bytes,
                      uint32_t layer)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint64_t room = htmt_machine_room(m, layer) * HTMT_WORD;
    return bytes <= room ? 0
                         : htmt_task_refuse(task, HTMT_EUSAGE,
                                            "--%s: %s take %" PRIu64 " bytes of %s, which has "
                                            "%" PRIu64,
                                            option, what, bytes, m->layer[layer].memory.name, room);
}

static int check_fit(struct htmt_task *task, const struct htmt__micro_plan *p)
{
    const bool loop = p->kind == HTMT__MICRO_COPY && !p->in_bank;
    int rc =
        check_room(task, loop ? "words" : "tasklets",
                   loop ? "both arrays" : "buffers of all tasklets", p->heap_bytes, p->scratch);
    if (!rc && (p->pushes || p->pulls))
        rc = check_room(task, "words", "arrays", p->arrays * p->array_bytes, htmt__micro_layer(p));
    return rc;
}

int htmt__micro_plan(struct htmt_task *task, struct htmt__micro_plan *p)
{
    static const char *const modes[] = {"serial", "parallel", "broadcast", NULL}, *const ways[] = {
                                                                                      "both", "to",
                                                                                      "from", NULL};
    const struct htmt_request *r = htmt_task_request(task);
    unsigned kind = 0, mode = 0, way = 0;
    p->seed = htmt_request_seed(r);
    if (!htmt_task_value(task, "program"))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--program: expected copy, operation, stream, "
                                "random, strided, host or launch");
    int rc = htmt_request_choice(r, "program", htmt__micro_names, &kind, htmt_task_fault(task));
    rc = rc ? rc : htmt_request_choice(r, "mode", modes, &mode, htmt_task_fault(task));
    rc = rc ? rc : htmt_request_choice(r, "way", ways, &way, htmt_task_fault(task));
    rc = rc ? rc : find_layers(task, p);
    rc = rc ? rc : read_counts(task, p);
    if (rc)
        return rc;
    int level = htmt_machine_layer(htmt_task_machine(task), htmt_task_value(task, "level"));
    if (level != (int)p->bank && level != (int)p->scratch)
        return htmt_task_refuse(task, HTMT_EUSAGE, "--level: found '%s', expected %s or %s",
                                htmt_task_value(task, "level"),
                                htmt_task_machine(task)->layer[p->bank].name,
                                htmt_task_machine(task)->layer[p->scratch].name);
    p->kind = (enum htmt__micro_kind)kind;
    p->mode = (enum htmt_host_mode)mode;
    p->in_bank = level == (int)p->bank;
    rc = plan_kind(task, p);
    plan_memory(p, (enum way)way);
    return rc ? rc : check_fit(task, p);
}

bool htmt__micro_counts(const void *plan, const char *operation)
{
    const struct htmt__micro_plan *p = plan;
    for (unsigned i = 0; i < p->operations; i++)
        if (strcmp(p->operation[i], operation) == 0)
            return true;
    return false;
}

uint32_t htmt__micro_layer(const struct htmt__micro_plan *p)
{
    return p->kind == HTMT__MICRO_HOST && !p->in_bank ? p->scratch : p->bank;
}

/* Of random a permutation: each number of a row of a power of two that is there, once. */
static uint64_t shuffle(const struct htmt__micro_plan *p, uint64_t i)
{
    uint64_t room = 1;
    while (room < p->blocks)
        room *= 2;
    do
        i = (i * UINT64_C(2654435769) + (p->seed | 1)) & (room - 1);
    while (i >= p->blocks);
    return i;
}

uint64_t htmt__micro_place(const struct htmt__micro_plan *p, uint64_t block)
{
    switch (p->kind) {
    case HTMT__MICRO_COPY:
        return block * COPIED_STRIDE * HTMT__MICRO_WORD;
    case HTMT__MICRO_STREAM:
        return block * STREAMED;
    case HTMT__MICRO_RANDOM:
        return shuffle(p, block) * HTMT_WORD;
    case HTMT__MICRO_STRIDED:
        return block * p->stride * HTMT_WORD;
    default:
        return 0;
    }
}
