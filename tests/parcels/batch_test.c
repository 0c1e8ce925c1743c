/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Parcels on neighbouring columns share a host job; what they leave, and when, is what they would
 * leave one by one, as in a checked emulator.
 */
#include "tests/parcels/world.h"

enum { ROWS = 9, COLUMNS = 40, DONE = 1 };

struct order {
    struct htmt_object *matrix;
    struct htmt_type *type;
    uint32_t piece, from, to, last; /* bytes of an element; columns */
    int64_t step;                   /* of a chain: from one column to the next */
};

/* The new column: running sums of the old one, plus its bytes' places. */
static void sum_up(struct htmt_kernel *k)
{
    const unsigned char *in = htmt_bytes(k, 0);
    unsigned char *out = htmt_bytes(k, 1), sum = 1;
    for (uint64_t i = 0; i < htmt_size(k, 1); i++)
        out[i] = sum = (unsigned char)(3u * sum + in[i] + (unsigned)i);
}

COST(cost, ops->n[HTMT_CYCLE] = 50)

static struct htmt_region column(const struct order *o, uint32_t number)
{
    return (struct htmt_region){
        .from = htmt_in(o->matrix, number * o->piece),
        .from_pieces = {.bytes = o->piece, .count = ROWS, .stride = COLUMNS * o->piece},
        .bytes = ROWS * o->piece};
}

static void send(struct htmt_context *c, const struct order *o, struct htmt_slot done)
{
    struct htmt_region in = column(o, o->from), to = column(o, o->to);
    struct htmt_region r[] = {in, {.to = to.from, .to_pieces = to.from_pieces, .bytes = to.bytes}};
    ASSEMBLE(c, NULL, .type = o->type, .slice = 0, .regions = r, .region_count = 2, .args = o,
             .on_done = done);
}

/* One after another: each reads when the one before has written. */
static void next_of_chain(struct htmt_context *c)
{
    struct order *o = htmt_args(c);
    if (o->to == o->last) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    o->from = (uint32_t)(o->from + o->step);
    o->to = (uint32_t)(o->to + o->step);
    send(c, o, htmt_slot(c, DONE));
}

struct outcome {
    unsigned char bytes[ROWS * COLUMNS * 16];
    htmt_time end;
    uint64_t hash, jobs;
};

static struct htmt_type *column_type(struct world *w)
{
    return TYPE(w, .name = "column", .home = "dram", .exec = "cram",
                .execute = {.kernel = sum_up, .cost = cost}, .in_place = true,
                .args_bytes = sizeof(struct order));
}

static struct htmt_type *chain_type(struct world *w)
{
    const struct htmt_stage fiber = {.control = next_of_chain, .count = 1, .reset = 1};
    return TYPE(w, .name = "chain", .home = "dram", .exec = "dram",
                .execute = {.control = next_of_chain}, .fibers = &fiber, .fiber_count = 1,
                .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct order));
}

static void start_all(struct world *w, struct order o, uint32_t shift)
{
    for (uint32_t i = 0; i + shift < COLUMNS; i++) {
        o.from = i;
        o.to = i + shift;
        send(htmt_root(w->e), &o, (struct htmt_slot){0});
    }
}

static void start_chain(struct world *w, struct order o, uint32_t shift)
{
    o.step = 1;
    o.from = UINT32_MAX;
    o.to = shift - 1;
    o.last = COLUMNS - 1;
    START(w, .type = chain_type(w), .args = &o);
}

static void run(uint32_t piece, uint32_t shift, bool chain, struct htmt_options options,
                struct outcome *out)
{
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, options);
    size_t bytes = ROWS * COLUMNS * (size_t)piece;
    struct order o = {.piece = piece, .matrix = world_object(&w, 0, DRAM, bytes, "matrix")};
    unsigned char *at = htmt_object_bytes(o.matrix);
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(i * 7 + i / 11);
    o.type = column_type(&w);
    (chain ? start_chain : start_all)(&w, o, shift);
    out->end = world_run_as(&w, HTMT_EORDER);
    out->hash = htmt_history_hash(w.e);
    memset(out->bytes, 0, sizeof out->bytes);
    memcpy(out->bytes, htmt_object_bytes(o.matrix), bytes);
    struct htmt_host_report host;
    htmt_host_report(w.e, &host);
    out->jobs = host.jobs;
    world_close(&w);
}

static void expect_as_one_by_one(uint32_t piece, uint32_t shift, bool chain)
{
    static struct outcome slow, fast;
    run(piece, shift, chain, (struct htmt_options){.threads = 1, .checked = true}, &slow);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        run(piece, shift, chain, (struct htmt_options){.threads = threads}, &fast);
        cr_expect_eq(fast.end, slow.end);
        cr_expect_eq(fast.hash, slow.hash);
        cr_expect_arr_eq(fast.bytes, slow.bytes, sizeof slow.bytes,
                         "%u bytes, shift %u, chain %d, %u threads", piece, shift, chain, threads);
    }
}

Test(batch, columns_become_what_they_become_one_by_one)
{
    static const uint32_t pieces[] = {3, 4, 8, 16};
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t shift = 0; shift < 3; shift++)
            expect_as_one_by_one(pieces[i], shift, false);
}

/* A batch gathers before it scatters, so who reads what one of the batch wrote is not of it. */
Test(batch, a_column_that_was_written_is_read_as_it_is_then)
{
    for (uint32_t piece = 8; piece <= 16; piece += 8)
        for (uint32_t shift = 1; shift < 20; shift += 3)
            expect_as_one_by_one(piece, shift, true);
}

Test(batch, sixteen_columns_are_one_job)
{
    static struct outcome out;
    run(16, 0, false, (struct htmt_options){.threads = 1}, &out);
    cr_expect_eq(out.jobs, (COLUMNS + 15) / 16);
    run(3, 0, false, (struct htmt_options){.threads = 1}, &out);
    cr_expect_eq(out.jobs, COLUMNS);
}

/* ---- who comes after a batch ----------------------------------------------------------------- */

struct reader {
    struct htmt_object *matrix, *copy;
    struct htmt_type *type;
};

KERNEL(copy_matrix, memcpy(htmt_bytes(k, 1), htmt_bytes(k, 0), htmt_size(k, 0)))

static void wait_for_columns(struct htmt_context *c)
{
    (void)c;
}

static void read_matrix(struct htmt_context *c)
{
    const struct reader *o = htmt_args(c);
    struct htmt_region r[] = {{.from = htmt_in(o->matrix, 0), .bytes = htmt_object_size(o->matrix)},
                              {.to = htmt_in(o->copy, 0), .bytes = htmt_object_size(o->copy)}};
    ASSEMBLE(c, NULL, .type = o->type, .regions = r, .region_count = 2);
    htmt_retire(c, htmt_self(c));
}

static struct htmt_ref start_reader(struct world *w, struct htmt_object *matrix,
                                    struct htmt_object *copy, uint32_t columns)
{
    const struct htmt_stage fiber = {.control = read_matrix, .count = columns};
    struct reader o = {.matrix = matrix, .copy = copy};
    struct htmt_ref ref;
    o.type = TYPE(w, .name = "copy", .home = "dram", .exec = "cram",
                  .execute = {.kernel = copy_matrix, .cost = cost}, .footprint = HTMT_RESIDENT);
    struct htmt_type *waits =
        TYPE(w, .name = "reader", .home = "dram", .exec = "dram",
             .execute = {.control = wait_for_columns}, .fibers = &fiber, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof o);
    cr_assert_eq(ASSEMBLE(htmt_root(w->e), &ref, .type = waits, .args = &o), 0);
    return ref;
}

/* Five columns do not fill a batch, so it is still open when the reader comes. */
Test(batch, who_reads_after_it_finds_all_that_it_wrote)
{
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct world_spec spec = world_plain(1);
        struct world w = OPEN(&spec, .threads = threads);
        size_t bytes = ROWS * COLUMNS * 16;
        struct order o = {.piece = 16, .matrix = world_object(&w, 0, DRAM, bytes, "matrix")};
        struct htmt_object *copy = world_object(&w, 0, DRAM, bytes, "copy");
        o.type = column_type(&w);
        struct htmt_ref reader = start_reader(&w, o.matrix, copy, 5);
        for (o.from = o.to = 0; o.to < 5; o.from = ++o.to)
            send(htmt_root(w.e), &o, htmt_slot_of(reader, DONE));
        world_run(&w);
        cr_expect_arr_eq(htmt_object_bytes(copy), htmt_object_bytes(o.matrix), bytes);
        cr_expect_neq(*(unsigned char *)htmt_object_bytes(copy), 0);
        world_close(&w);
    }
}

/* ---- who writes the same column -------------------------------------------------------------- */

static void spread(struct htmt_kernel *k)
{
    const unsigned char *in = htmt_bytes(k, 0);
    for (uint32_t r = 1; r < 3; r++)
        for (uint64_t i = 0; i < htmt_size(k, r); i++)
            ((unsigned char *)htmt_bytes(k, r))[i] = (unsigned char)(in[i] + 50 * r);
}

/* Each puts down its column and, some columns on, another one, which a later one writes over. */
static void spread_columns(uint32_t first, uint32_t second, struct htmt_options options,
                           struct outcome *out)
{
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, options);
    size_t bytes = ROWS * COLUMNS * 16;
    struct order from = {.piece = 16, .matrix = world_object(&w, 0, DRAM, bytes, "from")};
    struct order to = {.piece = 16, .matrix = world_object(&w, 0, DRAM, bytes, "to")};
    unsigned char *at = htmt_object_bytes(from.matrix);
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(i * 7 + i / 11);
    struct htmt_type *type = TYPE(&w, .name = "spread", .home = "dram", .exec = "cram",
                                  .execute = {.kernel = spread, .cost = cost}, .in_place = true);
    for (uint32_t i = 0; i + 3 < COLUMNS; i++) {
        struct htmt_region a = column(&to, i + first), b = column(&to, i + second);
        struct htmt_region r[] = {column(&from, i),
                                  {.to = a.from, .to_pieces = a.from_pieces, .bytes = a.bytes},
                                  {.to = b.from, .to_pieces = b.from_pieces, .bytes = b.bytes}};
        START(&w, .type = type, .regions = r, .region_count = 3);
    }
    world_run_as(&w, HTMT_EORDER);
    memcpy(out->bytes, htmt_object_bytes(to.matrix), bytes);
    world_close(&w);
}

Test(batch, of_those_who_write_a_column_the_last_one_leaves_it)
{
    static struct outcome slow, fast;
    for (uint32_t first = 0; first < 3; first++)
        for (uint32_t second = 0; second < 3; second++)
            for (uint32_t threads = 1; threads <= 2; threads++) {
                spread_columns(first, second, (struct htmt_options){.checked = true}, &slow);
                spread_columns(first, second, (struct htmt_options){.threads = threads}, &fast);
                cr_expect_arr_eq(fast.bytes, slow.bytes, sizeof slow.bytes,
                                 "columns %u and %u on, %u threads", first, second, threads);
            }
}

/* ---- pages that change hands ----------------------------------------------------------------- */

enum change { BROUGHT, PUT };

struct change_args {
    struct world_work work;
    struct htmt_put put;
};

KERNEL(set_five, memset(htmt_bytes(k, 0), 5, htmt_size(k, 0)))
CONTROL(put_over, htmt_put(c, &((const struct change_args *)htmt_args(c))->put))

/* At that time, from 1 ns on. */
static void write_column(struct world *w, struct htmt_object *matrix, uint32_t number, uint64_t ns)
{
    const struct order o = {.piece = 8, .matrix = matrix};
    static struct htmt_type *type; /* of both columns */
    struct htmt_region r = column(&o, number);
    r.to = r.from;
    r.to_pieces = r.from_pieces;
    r.from = (struct htmt_addr){0};
    struct world_work work = {.execute = ns};
    if (!number)
        type =
            TYPE(w, .name = "column", .home = "cram", .exec = "cram",
                 .execute = {.kernel = set_five, .cost = world_execute}, .args_bytes = sizeof work);
    START(w, .type = type, .args = &work, .regions = &r, .region_count = 1);
}

/* Between 10 and 1000 ns; a put arrives later. */
static void change_pages(struct world *w, enum change change, struct htmt_object *from,
                         struct htmt_object *to, uint64_t bytes)
{
    struct change_args a = {
        .put = {.src = htmt_in(from, 0), .dst = htmt_in(to, 0), .bytes = bytes, .handover = true}};
    struct htmt_region r = {.from = a.put.src, .into = a.put.dst, .bytes = bytes, .handover = true};
    struct htmt_type_desc bring = {.name = "bring", .home = "dram", .exec = "cram"};
    struct htmt_type_desc puts = {.name = "put",
                                  .home = "cram",
                                  .exec = "cram",
                                  .execute = {.control = put_over, .cost = world_execute},
                                  .args_bytes = sizeof a};
    a.work.execute = 100;
    if (change == PUT)
        START(w, .type = world_type(w, puts), .args = &a);
    else
        START(w, .type = world_type(w, bring), .regions = &r, .region_count = 1);
}

/* Two columns of an object whose pages change between them. Returns the object that has what lay
 * there first, or what came. */
static void change_between(enum change change, struct htmt_options options, unsigned char *own,
                           unsigned char *other)
{
    const size_t bytes = ROWS * COLUMNS * 8;
    struct world_spec spec = world_plain(1);
    spec.servers[CRAM] = 3;
    spec.network[RTI].latency_ns = change == PUT ? 3000 : 0;
    struct world w = world_open(&spec, options);
    struct htmt_object *matrix = world_object(&w, 0, CRAM, bytes, "matrix"),
                       *far = world_object(&w, 0, change == PUT ? SRAM : DRAM, bytes, "far");
    memset(htmt_object_bytes(far), 77, bytes);
    write_column(&w, matrix, 0, 10);
    write_column(&w, matrix, 1, 1000);
    change_pages(&w, change, change == PUT ? matrix : far, change == PUT ? far : matrix, bytes);
    world_run(&w);
    memcpy(own, htmt_object_bytes(matrix), bytes);
    memcpy(other, htmt_object_bytes(far), bytes);
    world_close(&w);
}

Test(batch, a_column_comes_where_the_matrix_lies_then)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        unsigned char own[ROWS * COLUMNS * 8], other[ROWS * COLUMNS * 8];
        const struct htmt_options options = {.threads = threads};
        change_between(BROUGHT, options, own, other);
        cr_expect_eq(own[0], 77, "%u threads: %u", threads, own[0]);
        cr_expect_eq(own[8], 5, "%u threads: %u", threads, own[8]);
        change_between(PUT, options, own, other);
        cr_expect_eq(other[0], 5, "%u threads: %u", threads, other[0]);
        cr_expect_eq(other[8], 0, "%u threads: %u", threads, other[8]);
        cr_expect_eq(own[8], 5, "%u threads: %u", threads, own[8]);
    }
}
