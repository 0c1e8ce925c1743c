/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The programs: what their passes read and write, and the kernels.
 *
 *     va        adds block by block; nobody needs anybody
 *     gemv      a block is a piece of a row; sums of two rows, a word, are written together
 *     red       each tasklet sums its blocks, tasklet 0 the tasklets, the host the slices
 *     hst-s     the same with 256 counters each
 *     sel, uni  a block keeps some elements; where they go is known (kept()), and a handshake from
 *               each block to the next one makes the tasklets take turns, as PrIM's programs do
 *     scan-ssa  a block is summed up alone, then in its turn what all before it sum up to is added;
 *               the host scans the slices' sums, and a second launch adds each slice's offset
 *     scan-rss  sums the slice first, and scans in the second launch, from the offset on
 *
 * In a turn, and behind the barrier, no other tasklet of the slice computes: the shared word needs
 * no lock. A slice of scan-ssa with the blocks 1 2, 3 4: alone 1 3, 3 7; in turn 1 3, then 6 10.
 */
#include "apps/prim/program.h"

#include <string.h>

typedef const struct htmt__prim_plan plan;

/* ---- what a kernel sees ---------------------------------------------------------------------- */

struct view {
    const struct htmt__prim_tasklet *t;
    unsigned char *area;
    void *buffer[2], *private;
    bool first; /* block of the tasklet */
};

static struct view view_of(plan *p, struct htmt_kernel *k)
{
    const struct htmt__prim_tasklet *t = htmt_kernel_args(k);
    unsigned char *area = htmt_used(k, 0);
    return (struct view){.t = t,
                         .area = area,
                         .buffer = {area + p->at.buffer[0], area + p->at.buffer[1]},
                         .private = area + p->at.private,
                         .first = t->block == (uint64_t)t->tasklet * p->in_group};
}

/* What a tasklet keeps, in a kernel that uses the scratch bytes of all. */
static void *kept_by(plan *p, struct htmt_kernel *k, uint32_t tasklet)
{
    return (unsigned char *)htmt_used(k, 0) + tasklet * p->at.scratch_bytes + p->at.private;
}

/* ---- va, gemv -------------------------------------------------------------------------------- */

static void add(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    uint32_t *a = v.buffer[0];
    const uint32_t *b = v.buffer[1];
    for (uint64_t i = 0; i < v.t->count; i++)
        a[i] += b[i];
}

/* Sums of the rows of a pair; they are written when the second one is done. */
static void multiply(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    const uint32_t *a = v.buffer[0], *x = v.buffer[1];
    uint32_t *y = v.private, sum = 0;
    const uint64_t row = v.t->first / p->columns % 2, column = v.t->first % p->columns;
    for (uint64_t i = 0; i < v.t->count; i++)
        sum += a[i] * x[i];
    y[row] = column ? y[row] + sum : sum;
}

/* ---- red ------------------------------------------------------------------------------------- */

static void reduce(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    const uint64_t *a = v.buffer[0];
    uint64_t *sum = v.private, all = v.first ? 0 : *sum;
    for (uint64_t i = 0; i < v.t->count; i++)
        all += a[i];
    *sum = all;
}

static void sum_tasklets(plan *p, struct htmt_kernel *k)
{
    uint64_t *sum = kept_by(p, k, 0);
    for (uint32_t t = 1; t < p->tasklets; t++)
        *sum += *(const uint64_t *)kept_by(p, k, t);
}

static void sum_slices(plan *p, struct htmt_kernel *k)
{
    uint64_t *result = htmt_used(k, 0);
    for (uint32_t i = 1; i < p->slices; i++)
        result[0] += result[i];
}

/* ---- sel, uni -------------------------------------------------------------------------------- */

/* The even ones; every second number of the whole input is. */
static uint64_t kept_even(plan *p, uint32_t slice, uint64_t first, uint64_t end)
{
    uint64_t from = slice * p->each;
    return (from + end + 1) / 2 - (from + first + 1) / 2;
}

/* Where a block is written, and how much, was computed without its elements. */
static void check_kept(plan *p, struct htmt_kernel *k, const struct htmt__prim_tasklet *t,
                       uint64_t n)
{
    uint64_t known = p->program->kept(p, htmt_kernel_slice(k), t->first, t->first + t->count);
    if (n != known)
        htmt_kernel_fail(k, HTMT_EINVAL, "a block keeps %llu elements, %llu were known",
                         (unsigned long long)n, (unsigned long long)known);
}

static void select_even(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    uint64_t *a = v.buffer[0], n = 0;
    for (uint64_t i = 0; i < v.t->count; i++)
        if (a[i] % 2 == 0)
            a[n++] = a[i];
    check_kept(p, k, v.t, n);
}

static void no_turn(plan *p, struct htmt_kernel *k)
{
    (void)p, (void)k;
}

/* Of each run of equals the first: at even places of the whole input, and where a part begins. */
static uint64_t kept_first(plan *p, uint32_t slice, uint64_t first, uint64_t end)
{
    uint64_t from = slice * p->each, even = (from + end + 1) / 2 - (from + first + 1) / 2;
    return even + (first == 0 && end > 0 && from % 2);
}

/* What equals its neighbour goes; whether the first of a block does, its turn finds out. */
static void unique(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    uint64_t *a = v.buffer[0], n = 0, *kept = v.private;
    for (uint64_t i = 0; i < v.t->count; i++)
        if (i == 0 || a[i] != a[i - 1])
            a[n++] = a[i];
    *kept = n;
}

static void unique_turn(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    uint64_t *a = v.buffer[0], n = *(uint64_t *)v.private;
    uint64_t *last = (uint64_t *)htmt_used(k, 1), end = a[n - 1];
    if (v.t->block && a[0] == *last)
        memmove(a, a + 1, --n * sizeof *a);
    *last = end;
    check_kept(p, k, v.t, n);
}

/* Parts close up; of uni the first element of a part goes if it ends the part before. */
static void close_up(plan *p, struct htmt_kernel *k)
{
    const bool uni = p->program->kept == kept_first;
    uint64_t *out = htmt_used(k, 0), n = 0;
    for (uint32_t i = 0; i < p->slices; i++) {
        const uint64_t *part = out + i * p->each;
        uint64_t count = p->program->kept(p, i, 0, htmt__prim_elements(p, i));
        uint64_t first = uni && n && count && part[0] == out[n - 1];
        memmove(out + n, part + first, (count - first) * sizeof *out);
        n += count - first;
    }
}

/* ---- scans ----------------------------------------------------------------------------------- */

static void scan_block(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    uint64_t *a = v.buffer[0];
    for (uint64_t i = 1; i < v.t->count; i++)
        a[i] += a[i - 1];
}

/* What came before is added; of scan-rss block 0 begins with the slice's offset. */
static void scan_turn(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    uint64_t *a = v.buffer[0], *sum = (uint64_t *)htmt_used(k, 1);
    if (!v.t->block)
        *sum = p->program->pass[v.t->pass].offset ? *(uint64_t *)v.private : 0;
    for (uint64_t i = 0; i < v.t->count; i++)
        a[i] += *sum;
    *sum = a[v.t->count - 1];
}

static void leave_sum(plan *p, struct htmt_kernel *k)
{
    uint64_t *sum = kept_by(p, k, 0);
    *sum = htmt__prim_elements(p, htmt_kernel_slice(k)) ? *(uint64_t *)htmt_used(k, 1) : 0;
}

static void add_offset(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    uint64_t *a = v.buffer[0];
    for (uint64_t i = 0; i < v.t->count; i++)
        a[i] += *(const uint64_t *)v.private;
}

/* What slices have before each of them. */
static void scan_slices(plan *p, struct htmt_kernel *k)
{
    uint64_t *result = htmt_used(k, 0), before = 0;
    for (uint32_t i = 0; i < p->slices; i++) {
        uint64_t own = result[i];
        result[i] = before;
        before += own;
    }
}

/* ---- hst-s ----------------------------------------------------------------------------------- */

#define BIN_SHIFT 24 /* the upper 8 bits of 32 */

static void count_bins(plan *p, struct htmt_kernel *k)
{
    const struct view v = view_of(p, k);
    const uint32_t *a = v.buffer[0];
    uint32_t *bin = v.private;
    if (v.first)
        memset(bin, 0, HTMT__PRIM_BINS * sizeof *bin);
    for (uint64_t i = 0; i < v.t->count; i++)
        bin[a[i] >> BIN_SHIFT]++;
}

static void sum_bins(plan *p, struct htmt_kernel *k)
{
    uint32_t *sum = kept_by(p, k, 0);
    for (uint32_t t = 1; t < p->tasklets; t++) {
        const uint32_t *bin = kept_by(p, k, t);
        for (unsigned i = 0; i < HTMT__PRIM_BINS; i++)
            sum[i] += bin[i];
    }
}

static void sum_histograms(plan *p, struct htmt_kernel *k)
{
    uint32_t *result = htmt_used(k, 0);
    for (uint32_t s = 1; s < p->slices; s++)
        for (unsigned i = 0; i < HTMT__PRIM_BINS; i++)
            result[i] += result[s * HTMT__PRIM_BINS + i];
}

/* ---- the table ------------------------------------------------------------------------------- */

#define TO     HTMT__PRIM_PUSH_FIRST
#define LAUNCH HTMT__PRIM_LAUNCH
#define RESULT HTMT__PRIM_PULL_RESULT
#define MERGE  HTMT__PRIM_MERGE
#define OUT    HTMT__PRIM_PULL_OUT

const struct htmt__prim_program htmt__prim_programs[] = {
    {.name = "va",
     .summary = "vector addition",
     .bytes = 4,
     .passes = 1,
     .pass = {{.reads = 2,
               .writes = true,
               .share = 1,
               .shares = 1,
               .compute = add,
               .op = {"load", "load", "add-i32", "store", "branch"}}},
     .step = {TO, HTMT__PRIM_PUSH_SECOND, LAUNCH, OUT}},
    {.name = "gemv",
     .summary = "matrix times vector",
     .bytes = 4,
     .private_bytes = 8,
     .rows = true,
     .passes = 1,
     .pass = {{.reads = 2,
               .writes = true,
               .share = 1,
               .shares = 1,
               .compute = multiply,
               .op = {"load", "load", "mul-i32", "add-i32", "branch"}}},
     .step = {TO, HTMT__PRIM_BROADCAST_SECOND, LAUNCH, OUT}},
    {.name = "red",
     .summary = "sum of all elements",
     .bytes = 8,
     .private_bytes = 8,
     .result_bytes = 8,
     .passes = 1,
     .pass = {{.reads = 1,
               .result = true,
               .share = 1,
               .shares = 1,
               .compute = reduce,
               .finish = sum_tasklets,
               .op = {"load", "add-i64", "branch"}}},
     .step = {TO, LAUNCH, RESULT, MERGE},
     .merge = sum_slices},
    {.name = "sel",
     .summary = "selection of even elements",
     .bytes = 8,
     .passes = 1,
     .pass = {{.reads = 1,
               .writes = true,
               .in_turn = true,
               .share = 1,
               .shares = 1,
               .compute = select_even,
               .turn = no_turn,
               .op = {"load", "logic-i64", "compare-i64", "store", "branch"}}},
     .step = {TO, LAUNCH, OUT, MERGE},
     .merge = close_up,
     .kept = kept_even},
    {.name = "uni",
     .summary = "elements that differ from the one before",
     .bytes = 8,
     .private_bytes = 8,
     .passes = 1,
     .pass = {{.reads = 1,
               .writes = true,
               .in_turn = true,
               .share = 1,
               .shares = 1,
               .compute = unique,
               .turn = unique_turn,
               .op = {"load", "compare-i64", "store", "branch"}}},
     .step = {TO, LAUNCH, OUT, MERGE},
     .merge = close_up,
     .kept = kept_first},
    {.name = "scan-ssa",
     .summary = "prefix sums: scan, scan of the slices, add",
     .bytes = 8,
     .private_bytes = 8,
     .result_bytes = 8,
     .passes = 2,
     .pass = {{.reads = 1,
               .writes = true,
               .in_turn = true,
               .result = true,
               .share = 1,
               .shares = 2,
               .compute = scan_block,
               .turn = scan_turn,
               .finish = leave_sum,
               .op = {"load", "add-i64", "store", "branch"}},
              {.reads = 1,
               .again = true,
               .writes = true,
               .offset = true,
               .share = 1,
               .shares = 2,
               .compute = add_offset,
               .op = {"load", "add-i64", "store", "branch"}}},
     .step = {TO, LAUNCH, RESULT, MERGE, HTMT__PRIM_PUSH_OFFSET, HTMT__PRIM_LAUNCH_AGAIN, OUT},
     .merge = scan_slices},
    {.name = "scan-rss",
     .summary = "prefix sums: reduction, scan of the slices, scan",
     .bytes = 8,
     .private_bytes = 8,
     .result_bytes = 8,
     .passes = 2,
     .pass = {{.reads = 1,
               .result = true,
               .share = 1,
               .shares = 3,
               .compute = reduce,
               .finish = sum_tasklets,
               .op = {"load", "add-i64", "branch"}},
              {.reads = 1,
               .writes = true,
               .in_turn = true,
               .offset = true,
               .share = 2,
               .shares = 3,
               .compute = scan_block,
               .turn = scan_turn,
               .op = {"load", "add-i64", "store", "branch"}}},
     .step = {TO, LAUNCH, RESULT, MERGE, HTMT__PRIM_PUSH_OFFSET, HTMT__PRIM_LAUNCH_AGAIN, OUT},
     .merge = scan_slices},
    {.name = "hst-s",
     .summary = "histogram of 256 bins, one of each tasklet",
     .bytes = 4,
     .private_bytes = HTMT__PRIM_BINS * 4,
     .result_bytes = HTMT__PRIM_BINS * 4,
     .passes = 1,
     .pass = {{.reads = 1,
               .result = true,
               .share = 1,
               .shares = 1,
               .compute = count_bins,
               .finish = sum_bins,
               .op = {"load", "logic-i32", "load", "add-i32", "store", "branch"}}},
     .step = {TO, LAUNCH, RESULT, MERGE},
     .merge = sum_histograms},
    {.name = NULL}};
