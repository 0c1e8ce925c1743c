/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A microbenchmark is a loop over blocks: bring a block into scratch memory, work on it, send it
 * back. What differs is the size of a block, where it lies, and how many instructions it takes, and
 * that is what a plan has. For stream a block is 1024 bytes behind the one before; for random and
 * strided it is one number at a place of its own, so the start-up of a transfer is paid for each.
 *
 * Instructions of a block are those of the loop that the benchmark's source compiles to, counted by
 * the machine's table; sums are taken over 1024 elements, since a row may be a fraction of an
 * instruction.
 */
#include "apps/micro/plan.h"
#include "apps/lib/request.h"
#include "apps/lib/tasklets.h"
#include "layers/machine/banks.h"

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

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The instructions of 1024 times the operation are added to *sum. */
static int add_operation(struct htmt_task *task, struct htmt__micro_plan *p, const char *name,
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

/* The blocks of a slice with their instructions, what is transferred, and what lies in scratch
 * memory: a buffer of each tasklet, or both arrays of a copy within it. */
static int plan_blocks(struct htmt_task *task, enum way way, struct htmt__micro_plan *p)
{
    const char *const operation[] = {
        "load", htmt_task_value(task, "operation"), "store", "add-i32", "add-i32", "branch", NULL};
    uint64_t sum = 0;
    int rc = 0;
    p->launches = p->kind != HTMT__MICRO_HOST;
    p->array_bytes = (p->words * HTMT__MICRO_WORD + HTMT_WORD - 1) / HTMT_WORD * HTMT_WORD;
    p->arrays = 2;
    switch (p->kind) {
    case HTMT__MICRO_COPY:
        p->end_issue = A_REPETITION;
        p->blocks = p->in_bank ? (p->words + COPIED_STRIDE - 1) / COPIED_STRIDE : p->words;
        p->block_issue = p->in_bank ? A_BLOCK : A_WORD;
        if (p->in_bank) {
            p->array_bytes = p->blocks * COPIED_STRIDE * HTMT__MICRO_WORD;
            p->block_bytes = COPIED;
        } else { /* from one half of the scratch memory's heap to the other */
            p->heap_bytes = 2 * p->array_bytes;
        }
        break;
    case HTMT__MICRO_OPERATION: /* in scratch memory, 1024 numbers a block, with two indices */
        for (unsigned i = 0; operation[i] && !rc; i++)
            rc = add_operation(task, p, operation[i], &p->block_issue);
        p->blocks = (p->words + 1023) / 1024;
        break;
    case HTMT__MICRO_STREAM:
        p->array_bytes = (p->array_bytes + STREAMED - 1) / STREAMED * STREAMED;
        p->blocks = p->array_bytes / STREAMED;
        p->block_bytes = STREAMED;
        break;
    case HTMT__MICRO_RANDOM:
    case HTMT__MICRO_STRIDED: /* a number a block */
        rc = add_operation(task, p, "load", &sum);
        rc = rc ? rc : add_operation(task, p, "add-i64", &sum);
        rc = rc ? rc : add_operation(task, p, "store", &sum);
        p->blocks = p->words;
        p->block_bytes = HTMT_WORD;
        p->block_issue = (sum + 512) / 1024;
        p->array_bytes = p->words * HTMT_WORD * (p->kind == HTMT__MICRO_STRIDED ? p->stride : 1);
        break;
    case HTMT__MICRO_HOST:
        p->arrays = 1;
        p->pushes = way != FROM;
        p->pulls = way != TO;
        return 0;
    default:
        break;
    }
    p->pushes = p->pulls = p->block_bytes > 0;
    p->scratch_bytes = p->block_bytes ? p->block_bytes : HTMT_WORD;
    if (p->heap_bytes < p->scratch_bytes * p->tasklets)
        p->heap_bytes = p->scratch_bytes * p->tasklets;
    return rc;
}

uint32_t htmt__micro_layer(const struct htmt__micro_plan *p)
{
    return p->kind == HTMT__MICRO_HOST && !p->in_bank ? p->scratch : p->bank;
}

/* Of random: block number `block` of a permutation. In a row of a power of two the step is a
 * bijection, since it multiplies by an odd number, adds, and cuts off. Blocks are the row's first
 * numbers; who lands behind them steps on. So following a number until it is a block again maps
 * blocks to blocks, and two never to the same one. The row is less than twice the blocks: few steps
 * are needed. With 5 blocks and seed 1 the row is 8, in which the step adds 1: blocks 0 to 3 go to
 * 1 to 4, and block 4 passes 5, 6 and 7 and comes to 0. */
uint64_t htmt__micro_place(const struct htmt__micro_plan *p, uint64_t block)
{
    uint64_t room = 1;
    switch (p->kind) {
    case HTMT__MICRO_COPY:
        return block * COPIED_STRIDE * HTMT__MICRO_WORD;
    case HTMT__MICRO_STREAM:
        return block * STREAMED;
    case HTMT__MICRO_RANDOM:
        while (room < p->blocks)
            room *= 2;
        do
            block = (block * UINT64_C(2654435769) + (p->seed | 1)) & (room - 1);
        while (block >= p->blocks);
        return block * HTMT_WORD;
    case HTMT__MICRO_STRIDED:
        return block * p->stride * HTMT_WORD;
    default:
        return 0;
    }
}

/* ---- options --------------------------------------------------------------------------------- */

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

int htmt__micro_plan(struct htmt_task *task, struct htmt__micro_plan *p)
{
    static const char *const modes[] = {"serial", "parallel", "broadcast", NULL};
    static const char *const ways[] = {"both", "to", "from", NULL};
    const struct htmt_request *r = htmt_task_request(task);
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    unsigned kind = 0, mode = 0, way = 0;
    p->seed = htmt_request_seed(r);
    if (!htmt_task_value(task, "program"))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--program: expected copy, operation, stream, "
                                "random, strided, host or launch");
    int rc = htmt_request_choice(r, "program", htmt__micro_names, &kind, fault);
    rc = rc ? rc : htmt_request_choice(r, "mode", modes, &mode, fault);
    rc = rc ? rc : htmt_request_choice(r, "way", ways, &way, fault);
    if (rc)
        return rc;
    p->slices = m->slices;
    p->scratch = htmt_tasklets_layer(m);
    if (p->scratch < 2)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "machine %s: found no processors of several threads, expected a "
                                "machine with a host, banks and scratch memories",
                                m->name);
    p->bank = p->scratch - 1;
    rc = htmt_tasklets_read(task, p->scratch, UINT32_MAX, &p->tasklets);
    rc = rc ? rc : htmt_tasklets_check_slices(task);
    rc = rc ? rc : htmt_task_whole(task, "words", 0, WORDS_MOST, &p->words);
    rc = rc ? rc : htmt_task_whole(task, "repetitions", 1, UINT32_MAX, &p->repetitions);
    rc = rc ? rc : htmt_task_whole(task, "stride", 1, UINT32_MAX, &p->stride);
    if (rc)
        return rc;
    const char *level = htmt_task_value(task, "level");
    const int layer = htmt_machine_layer(m, level);
    if (layer != (int)p->bank && layer != (int)p->scratch)
        return htmt_task_refuse(task, HTMT_EUSAGE, "--level: found '%s', expected %s or %s", level,
                                m->layer[p->bank].name, m->layer[p->scratch].name);
    p->kind = (enum htmt__micro_kind)kind;
    p->mode = (enum htmt_host_mode)mode;
    p->in_bank = layer == (int)p->bank;
    rc = plan_blocks(task, (enum way)way, p);
    if (rc)
        return rc;

    const bool loop = p->kind == HTMT__MICRO_COPY && !p->in_bank;
    rc = check_room(task, loop ? "words" : "tasklets",
                    loop ? "both arrays" : "buffers of all tasklets", p->heap_bytes, p->scratch);
    if (!rc && (p->pushes || p->pulls))
        rc = check_room(task, "words", "arrays", p->arrays * p->array_bytes, htmt__micro_layer(p));
    return rc;
}

bool htmt__micro_counts(const void *plan, const char *operation)
{
    const struct htmt__micro_plan *p = plan;
    for (unsigned i = 0; i < p->operations; i++)
        if (strcmp(p->operation[i], operation) == 0)
            return true;
    return false;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static int check_transfer(struct htmt_task *task, const struct htmt__micro_plan *p, bool push,
                          struct htmt_fault *fault)
{
    const bool broadcast = p->mode == HTMT_BROADCAST;
    const struct htmt_bank_transfer use = {.push = push,
                                           .to_scratch = htmt__micro_layer(p) == p->scratch,
                                           .mode = broadcast && !push ? HTMT_PARALLEL : p->mode,
                                           .slices = p->slices,
                                           .bytes = p->array_bytes};
    return use.bytes ? htmt_machine_transfer_check(htmt_task_machine(task), &use, fault) : 0;
}

int htmt__micro_limits(struct htmt_task *task, const struct htmt__micro_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault fault = {0};
    /* The host has the arrays of all slices (program.c). */
    const htmt_uwide room = (htmt_uwide)htmt_machine_room(m, p->host) * HTMT_WORD,
                     all = (htmt_uwide)p->array_bytes * p->slices * (p->pushes + p->pulls);
    if (all > room)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--words: arrays of all slices take %.6g bytes of %s, expected at "
                                "most %.6g",
                                (double)all, m->layer[p->host].memory.name, (double)room);
    int rc = 0;
    if (p->block_bytes)
        rc = htmt_machine_copy_check(m, p->block_bytes, p->block_bytes, &fault);
    if (!rc && p->pushes)
        rc = check_transfer(task, p, true, &fault);
    if (!rc && p->launches)
        rc = htmt_machine_launch_check(m, p->slices, &fault);
    if (!rc && p->pulls)
        rc = check_transfer(task, p, false, &fault);
    return rc ? htmt_task_refuse(task, fault.code, "%s: %s", htmt__micro_names[p->kind], fault.text)
              : 0;
}
