/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Parcels whose gather, kernel and scatter run as one job leave the same bytes and the same history
 * as those that are served step by step (as a checked emulator does), however they conflict. So do
 * parcels whose kernels read in place what they only read.
 */
#include "tests/parcels/world.h"
#include "tests/runtime/draw.h"
#include "tests/runtime/share.h"

enum { OBJECTS = 64, BYTES = 600, PARCELS = 60, REGIONS = 3 };

struct args {
    uint64_t salt;
};

/* Every byte that it may write depends on all that it sees. */
static void stir(struct htmt_kernel *k)
{
    uint64_t h = ((const struct args *)htmt_kernel_args(k))->salt;
    const unsigned char *in = htmt_bytes(k, 0);
    for (uint64_t i = 0; i < htmt_size(k, 0); i++)
        h = h * 31 + in[i];
    for (uint32_t r = 1; r < REGIONS; r++) {
        unsigned char *b = htmt_bytes(k, r);
        for (uint64_t i = 0; i < htmt_size(k, r); i++) {
            h = h * 31 + b[i];
            b[i] = (unsigned char)(h >> 24);
        }
    }
}

COST(cost, ops->n[HTMT_CYCLE] = 10 + ((const struct args *)args)->salt % 500)

static void stir_and_count(struct htmt_kernel *k)
{
    stir(k);
    htmt_count(k, HTMT_CYCLE, 10 + ((const struct args *)htmt_kernel_args(k))->salt % 500);
}

static struct htmt_pieces pieces(uint64_t *seed, uint64_t bytes)
{
    uint64_t each = 1 + draw(seed) % bytes;
    uint64_t count = (bytes + each - 1) / each;
    if (draw(seed) % 2 || each * count > BYTES / 2)
        return (struct htmt_pieces){0};
    struct htmt_pieces p = {
        .bytes = each, .count = count, .stride = (int64_t)(each + draw(seed) % 3)};
    if (count > 1 && draw(seed) % 3 == 0) {
        p.planes = 2;
        p.count = (count + 1) / 2;
        p.plane_stride = (int64_t)((p.count - 1) * (uint64_t)p.stride + each + draw(seed) % 5);
    }
    return p;
}

static uint64_t span(struct htmt_pieces p, uint64_t bytes)
{
    return p.count ? (p.planes > 1) * (uint64_t)p.plane_stride +
                         (p.count - 1) * (uint64_t)p.stride + p.bytes
                   : bytes;
}

/* Even seeds crowd into few objects, so that parcels conflict; odd ones spread. */
static struct htmt_addr somewhere(uint64_t *seed, struct htmt_object **o, unsigned objects,
                                  struct htmt_pieces p, uint64_t bytes)
{
    struct htmt_object *object = o[draw(seed) % objects];
    return htmt_in(object, draw(seed) % (BYTES - span(p, bytes) + 1));
}

/* 0: read only, 1: comes and goes, often to where it came from, 2: output; what is read only may
 * alias what others write. */
static void make_regions(uint64_t *seed, struct htmt_object **o, unsigned objects, bool in_one,
                         struct htmt_region *r)
{
    memset(r, 0, REGIONS * sizeof *r);
    for (int i = 0; i < REGIONS; i++) {
        r[i].bytes = 1 + draw(seed) % 100;
        r[i].from_pieces = in_one ? (struct htmt_pieces){0} : pieces(seed, r[i].bytes);
        r[i].to_pieces = in_one ? (struct htmt_pieces){0} : pieces(seed, r[i].bytes);
        if (i < 2)
            r[i].from = somewhere(seed, o, objects, r[i].from_pieces, r[i].bytes);
        if (i > 0)
            r[i].to = somewhere(seed, o, objects, r[i].to_pieces, r[i].bytes);
    }
    r[0].read_only = draw(seed) % 2;
    if (draw(seed) % 2) {
        r[1].from_pieces = r[1].to_pieces = (struct htmt_pieces){0};
        r[1].from = r[1].to = somewhere(seed, o, objects, r[1].to_pieces, r[1].bytes);
    }
    if (draw(seed) % 4 == 0)
        r[1].in_words[CRAM] = 40;
}

struct outcome {
    unsigned char bytes[OBJECTS][BYTES];
    uint64_t hash;
    htmt_time end;
};

enum regions {
    IN_PIECES,
    IN_ONE,  /* piece each */
    AWAITED, /* in pieces, and the kernel alone knows what it takes */
    SPREAD,  /* in one piece each, from all layers on the way */
};

static void run(uint64_t seed, enum regions regions, struct htmt_options options,
                struct outcome *out)
{
    const bool awaited = regions == AWAITED;
    const unsigned objects = seed % 2 ? OBJECTS : 4;
    struct world_spec spec = world_plain(1);
    spec.servers[DRAM] = spec.servers[SRAM] = 3;
    spec.servers[CRAM] = 2;
    struct world w = world_open(&spec, options);
    struct htmt_object *o[OBJECTS];
    struct htmt_type *t =
        TYPE(&w, .name = "stir", .home = "dram", .exec = "cram", .assemble = {.cost = cost},
             .dispatch = {.cost = cost},
             .execute = {.kernel = awaited ? stir_and_count : stir, .cost = awaited ? NULL : cost},
             .retire = {.cost = cost}, .args_bytes = sizeof(struct args));
    for (unsigned i = 0; i < OBJECTS; i++) {
        o[i] = world_object(&w, 0, regions == SPREAD ? i % LAYERS : DRAM, BYTES, "object");
        unsigned char *b = htmt_object_bytes(o[i]);
        for (unsigned k = 0; k < BYTES; k++)
            b[k] = (unsigned char)(17 * k + i);
    }
    for (unsigned i = 0; i < PARCELS; i++) {
        struct htmt_region r[REGIONS];
        struct args a = {draw(&seed)};
        make_regions(&seed, o, objects, regions == IN_ONE || regions == SPREAD, r);
        START(&w, .type = t, .args = &a, .regions = r, .region_count = REGIONS);
    }
    out->end = world_run_as(&w, HTMT_EORDER);
    out->hash = htmt_history_hash(w.e);
    for (unsigned i = 0; i < OBJECTS; i++)
        memcpy(out->bytes[i], htmt_object_bytes(o[i]), BYTES);
    world_close(&w);
}

static void compare_runs(enum regions regions)
{
    for (uint64_t seed = 1; seed <= 40; seed += only_memory() ? 7 : 1) {
        struct outcome slow, fast;
        run(seed, regions, (struct htmt_options){.threads = 1, .checked = true}, &slow);
        for (uint32_t threads = 1; threads <= 3; threads++) {
            struct htmt_options o = {.threads = threads, .delay_seed = seed % 8 == 0 ? seed : 0};
            run(seed, regions, o, &fast);
            cr_assert_eq(fast.end, slow.end);
            cr_assert_eq(fast.hash, slow.hash);
            cr_assert_arr_eq(fast.bytes, slow.bytes, sizeof slow.bytes, "seed %d, %u threads",
                             (int)seed, threads);
        }
    }
}

Test(fused, conflicting_parcels_leave_the_bytes_of_step_by_step)
{
    compare_runs(IN_PIECES);
}

Test(fused, parcels_of_few_bytes_leave_the_bytes_of_step_by_step)
{
    compare_runs(IN_ONE);
}

Test(fused, parcels_that_take_from_several_layers_leave_the_bytes_of_step_by_step)
{
    compare_runs(SPREAD);
}

Test(fused, what_kernels_read_in_place_is_what_it_was_when_it_was_gathered)
{
    compare_runs(AWAITED);
}

Test(fused, parcels_that_do_not_conflict_are_one_job_each)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .threads = 1);
    struct args a = {5};
    struct htmt_type *t =
        TYPE(&w, .name = "stir", .home = "dram", .exec = "cram",
             .execute = {.kernel = stir, .cost = cost}, .args_bytes = sizeof(struct args));
    for (unsigned i = 0; i < 7; i++) {
        struct htmt_object *o = world_object(&w, 0, DRAM, 64, "own");
        struct htmt_region r[] = {{.from = htmt_in(o, 0), .bytes = 16},
                                  {.from = htmt_in(o, 16), .to = htmt_in(o, 16), .bytes = 16},
                                  {.to = htmt_in(o, 32), .bytes = 16}};
        START(&w, .type = t, .args = &a, .regions = r, .region_count = REGIONS);
    }
    world_run(&w);
    struct htmt_host_report host;
    htmt_host_report(w.e, &host);
    cr_assert_eq(host.jobs, 7);
    world_close(&w);
}

static void add_one(struct htmt_kernel *k)
{
    const unsigned char *in = htmt_bytes(k, 0);
    unsigned char *out = htmt_bytes(k, 1);
    for (uint64_t i = 0; i < htmt_size(k, 1); i++)
        out[i] = (unsigned char)(in[i] + 1);
}

/* The first parcel takes its bytes at 10 ns and computes for long; the second changes the source
 * meanwhile. The first has computed on what it took. */
Test(fused, what_was_taken_is_not_what_came_later)
{
    struct world_spec spec = world_plain(1);
    spec.servers[CRAM] = 2;
    struct world w = OPEN(&spec, .threads = 2);
    struct htmt_object *a = world_object(&w, 0, DRAM, 8, "a"),
                       *b = world_object(&w, 0, DRAM, 8, "b");
    memset(htmt_object_bytes(a), 10, 8);
    struct args longer = {499}, shorter = {0};
    struct htmt_type_desc d = {.name = "add",
                               .home = "dram",
                               .exec = "cram",
                               .execute = {.kernel = add_one, .cost = cost},
                               .args_bytes = sizeof(struct args)};
    struct htmt_type *t = world_type(&w, d);
    struct htmt_region to_b[] = {{.from = htmt_in(a, 0), .bytes = 8, .read_only = true},
                                 {.to = htmt_in(b, 0), .bytes = 8}};
    struct htmt_region to_a[] = {{.from = htmt_in(a, 0), .bytes = 8, .read_only = true},
                                 {.to = htmt_in(a, 0), .bytes = 8}};
    START(&w, .type = t, .args = &longer, .regions = to_b, .region_count = 2);
    START(&w, .type = t, .args = &shorter, .regions = to_a, .region_count = 2);
    world_run(&w);
    const unsigned char *x = htmt_object_bytes(a), *y = htmt_object_bytes(b);
    cr_assert_eq(x[0], 11);
    cr_assert_eq(y[0], 11, "b is %u: the first parcel saw the second's bytes", y[0]);
    world_close(&w);
}

/* ---- who writes over a source that was taken --------------------------------------------------
 */

struct writer {
    struct htmt_object *source, *other;
};

static void put_over(struct htmt_context *c)
{
    const struct writer *w = htmt_args(c);
    PUT(c, .dst = htmt_in(w->source, 0), .src = htmt_in(w->other, 0), .bytes = 8);
}

static void use_source(struct htmt_context *c)
{
    htmt_use(c, htmt_in(((const struct writer *)htmt_args(c))->source, 0), 8, HTMT_WRITE);
}

KERNEL(set_used, memset(htmt_used(k, 0), 77, htmt_used_size(k, 0)))

static void nothing(struct htmt_context *c)
{
    (void)c;
}

CONTROL(wait_100_ns, htmt_charge(c, HTMT_CYCLE, 100))

/* Each writes 77 over the source when the one processor that it needs is free: after 100 ns. */
static void start_writer(struct world *w, unsigned which, struct htmt_object *source)
{
    struct htmt_object *far = world_object(w, 0, DRAM, 8, "far"),
                       *other = world_object(w, 0, SRAM, 8, "other");
    const struct writer args = {source, other};
    struct htmt_region r = {.from = htmt_in(far, 0), .into = htmt_in(source, 0), .bytes = 8};
    struct htmt_type_desc d = {.name = "writer",
                               .home = which == 2 ? "dram" : "sram",
                               .exec = "sram",
                               .footprint = HTMT_RESIDENT,
                               .in_place = true,
                               .args_bytes = sizeof args};
    const struct htmt_stage stage[] = {
        {.control = put_over}, {.control = use_source, .kernel = set_used}, {.control = nothing}};
    struct htmt_type_desc wait = {
        .name = "wait", .home = d.home, .exec = d.home, .execute = {.control = wait_100_ns}};
    *(which == 2 ? &d.assemble : &d.execute) = stage[which];
    memset(htmt_object_bytes(far), 77, 8);
    memset(htmt_object_bytes(other), 77, 8);
    START(w, .type = world_type(w, wait));
    START(w, .type = world_type(w, d), .args = &args, .regions = &r, .region_count = which == 2);
}

static void add_step(struct htmt_kernel *k)
{
    const unsigned char *in = htmt_bytes(k, 0);
    unsigned char *out = htmt_bytes(k, 1);
    for (uint64_t i = 0; i < htmt_size(k, 1); i++)
        out[i] = (unsigned char)(in[i] + ((const struct args *)htmt_kernel_args(k))->salt / 499);
}

/* Too late for the kernel of this service. */
CONTROL(double_step, ((struct args *)htmt_args(c))->salt *= 2)

Test(fused, whoever_writes_over_a_source_lets_its_readers_go_first)
{
    struct world_spec spec = world_plain(1);
    spec.servers[CRAM] = 2;
    for (unsigned which = 0; which < 3; which++) {
        struct world w = OPEN(&spec, .threads = 1);
        struct htmt_object *a = world_object(&w, 0, SRAM, 8, "a"),
                           *b = world_object(&w, 0, SRAM, 8, "b");
        struct args longer = {499};
        memset(htmt_object_bytes(a), 10, 8);
        struct htmt_type *t =
            TYPE(&w, .name = "add", .home = "sram", .exec = "cram",
                 .execute = {.kernel = add_step, .cost = cost, .control = double_step},
                 .args_bytes = sizeof longer);
        struct htmt_region r[] = {{.from = htmt_in(a, 0), .bytes = 8, .read_only = true},
                                  {.to = htmt_in(b, 0), .bytes = 8}};
        START(&w, .type = t, .args = &longer, .regions = r, .region_count = 2);
        start_writer(&w, which, a);
        world_run(&w);
        const unsigned char *x = htmt_object_bytes(a), *y = htmt_object_bytes(b);
        cr_assert_eq(x[7], 77, "writer %u left %u", which, x[7]);
        cr_assert_eq(y[7], 11, "writer %u came first: b is %u", which, y[7]);
        world_close(&w);
    }
}

KERNEL(set_bytes, memset(htmt_bytes(k, 0), 7, htmt_size(k, 0)))

/* An output that a kernel writes in part only is zeros elsewhere. */
KERNEL(set_first, *(char *)htmt_bytes(k, 0) = 7)

Test(fused, outputs_in_place_are_cleared_unless_filled)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .threads = 1);
    struct htmt_object *o = world_object(&w, 0, DRAM, 16, "o");
    struct args a = {0};
    htmt_kernel_fn *kernels[] = {set_bytes, set_first};
    memset(htmt_object_bytes(o), 99, 16);
    for (unsigned i = 0; i < 2; i++) {
        struct htmt_type *t = TYPE(&w, .name = i ? "set first" : "set", .home = "dram",
                                   .exec = "cram", .execute = {.kernel = kernels[i], .cost = cost},
                                   .args_bytes = sizeof(struct args));
        struct htmt_region r = {.to = htmt_in(o, 8 * i), .bytes = 8, .filled = i == 0};
        START(&w, .type = t, .args = &a, .regions = &r, .region_count = 1);
    }
    world_run(&w);
    const unsigned char *b = htmt_object_bytes(o);
    for (unsigned i = 0; i < 16; i++)
        cr_assert_eq(b[i], i < 9 ? 7 : 0, "byte %u is %u", i, b[i]);
    world_close(&w);
}

/* Charged the same, but the host swaps pages: what leaves is what the other had. */
Test(fused, resident_objects_hand_over_their_pages)
{
    struct world_spec spec = world_plain(1);
    htmt_time end[2];
    for (unsigned hand = 0; hand < 2; hand++) {
        struct world w = OPEN(&spec, .threads = 2);
        struct htmt_object *from = world_object(&w, 0, DRAM, 4096, "from");
        struct htmt_object *into = world_object(&w, 0, CRAM, 4096, "into");
        memset(htmt_object_bytes(from), 5, 4096);
        const void *pages = htmt_object_bytes(from);
        struct htmt_type *t = TYPE(&w, .name = "bring", .home = "dram", .exec = "cram");
        struct htmt_region r = {
            .from = htmt_in(from, 0), .into = htmt_in(into, 0), .bytes = 4096, .handover = hand};
        START(&w, .type = t, .regions = &r, .region_count = 1);
        end[hand] = world_run(&w);
        const unsigned char *b = htmt_object_bytes(into);
        cr_assert(b[0] == 5 && b[4095] == 5);
        cr_assert_eq(b == pages, hand);
        world_close(&w);
    }
    cr_assert_eq(end[0], end[1]);
}

KERNEL(count_wrong, htmt_count(k, HTMT_CYCLE, 1))

Test(fused, a_kernel_without_results_runs_all_the_same)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .threads = 1);
    struct args a = {0};
    struct htmt_region r = {.from = htmt_in(world_object(&w, 0, DRAM, 8, "o"), 0), .bytes = 8};
    struct htmt_type *t =
        TYPE(&w, .name = "count", .home = "dram", .exec = "cram",
             .execute = {.kernel = count_wrong, .cost = cost}, .args_bytes = sizeof a);
    START(&w, .type = t, .args = &a, .regions = &r, .region_count = 1);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ECOST);
    world_close(&w);
}

/* ---- two regions that are only read, of which one joins later -----------------------------------
 */

/* They come one after the other; a word of one is overwritten before the other one comes, a word of
 * the other one later. */
struct overwrite {
    struct world_work work;
    struct htmt_addr old, new;
};

static void overwrite(struct htmt_context *c)
{
    const struct overwrite *o = htmt_args(c);
    PUT(c, .src = o->new, .dst = o->old, .bytes = 8);
}

static void overwrite_at(struct world *w, const char *layer, uint64_t cycles, struct htmt_object *o)
{
    struct overwrite a = {{.execute = cycles}, htmt_in(o, 0), htmt_in(o, 8)};
    struct htmt_type_desc d = {.name = layer,
                               .home = layer,
                               .exec = layer,
                               .execute = {.cost = world_execute, .control = overwrite},
                               .args_bytes = sizeof a};
    START(w, .type = world_type(w, d), .args = &a);
}

static void both(struct htmt_kernel *k)
{
    uint64_t *out = htmt_bytes(k, 0);
    out[0] = *(uint64_t *)htmt_bytes(k, 1);
    out[1] = *(uint64_t *)htmt_bytes(k, 2);
    htmt_count(k, HTMT_CYCLE, 1);
}

static struct htmt_object *pair(struct world *w, uint32_t layer, uint64_t first)
{
    struct htmt_object *o = world_object(w, 0, layer, 16, "pair");
    uint64_t *bytes = htmt_object_bytes(o);
    bytes[0] = first;
    bytes[1] = 99;
    return o;
}

/* Gather and inject take 100 ns each, execute 200. */
Test(fused, a_region_read_in_place_keeps_its_bytes_when_another_joins_later)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .threads = 1);
    struct htmt_object *outer = pair(&w, DRAM, 5), *inner = pair(&w, SRAM, 7),
                       *out = world_object(&w, 0, DRAM, 800, "out");
    struct world_work work = {.execute = 200};
    struct htmt_region r[3] = {{.from = htmt_in(out, 0), .to = htmt_in(out, 0), .bytes = 800},
                               {.from = htmt_in(outer, 0), .bytes = 8, .read_only = true},
                               {.from = htmt_in(inner, 0), .bytes = 8, .read_only = true}};
    struct htmt_type_desc d = {.name = "both",
                               .home = "dram",
                               .exec = "cram",
                               .execute = {.cost = world_execute},
                               .retire = {.kernel = both},
                               .args_bytes = sizeof work};
    START(&w, .type = world_type(&w, d), .args = &work, .regions = r, .region_count = 3);
    overwrite_at(&w, "dram", 150, outer);
    overwrite_at(&w, "sram", 250, inner);
    world_run(&w);
    const uint64_t *found = htmt_object_bytes(out);
    cr_assert_eq(found[0], 5, "%llu", (unsigned long long)found[0]);
    cr_assert_eq(found[1], 7, "%llu", (unsigned long long)found[1]);
    world_close(&w);
}

/* ---- once each --------------------------------------------------------------------------------
 */

static void add_first(struct htmt_kernel *k)
{
    *(uint64_t *)htmt_bytes(k, 1) += *(uint64_t *)htmt_bytes(k, 0);
    ++*(uint64_t *)htmt_bytes(k, 2);
}

/* A closure of few bytes: what it took from DRAM, until 100 ns, is overwritten before the other
 * region joins in SRAM, and that one while the kernel's service lasts. */
static uint64_t add_while_overwritten(struct htmt_options options, uint64_t *count)
{
    struct world_spec spec = world_plain(1);
    spec.servers[DRAM] = 2;
    struct world w = world_open(&spec, options);
    struct htmt_object *outer = pair(&w, DRAM, 5), *inner = pair(&w, SRAM, 7),
                       *out = world_object(&w, 0, DRAM, 16, "out");
    struct world_work work = {.assemble = 100, .execute = 500};
    struct htmt_region r[3] = {
        {.from = htmt_in(inner, 0), .bytes = 8, .read_only = true},
        {.from = htmt_in(outer, 0), .to = htmt_in(out, 0), .bytes = 8},
        {.from = htmt_in(out, 8), .to = htmt_in(out, 8), .bytes = 8},
    };
    struct htmt_type_desc d = {.name = "add",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = world_assemble},
                               .execute = {.cost = world_execute, .kernel = add_first},
                               .args_bytes = sizeof work};
    START(&w, .type = world_type(&w, d), .args = &work, .regions = r, .region_count = 3);
    overwrite_at(&w, "dram", 50, outer);
    overwrite_at(&w, "sram", 300, inner);
    world_run_as(&w, HTMT_EORDER);
    const uint64_t *found = htmt_object_bytes(out);
    uint64_t sum = found[0];
    *count = found[1];
    world_close(&w);
    return sum;
}

Test(fused, a_kernel_runs_once_though_one_region_was_overwritten_before_it_and_one_after)
{
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (unsigned checked = 0; checked < 2; checked++) {
            uint64_t count,
                sum = add_while_overwritten(
                    (struct htmt_options){.threads = threads, .checked = checked}, &count);
            cr_expect_eq(sum, 12, "%u threads: %llu", threads, (unsigned long long)sum);
            cr_expect_eq(count, 1, "%u threads: %llu times", threads, (unsigned long long)count);
        }
}

/* ---- in place ---------------------------------------------------------------------------------
 */

static void add_five(struct htmt_kernel *k)
{
    unsigned char *b = htmt_bytes(k, 0);
    for (uint64_t i = 0; i < htmt_size(k, 0); i++)
        b[i] = (unsigned char)(b[i] + 5);
}

/* While the parcel computes on its bytes, the object that they came from and go to gets other
 * pages: words move at 1 ns each, twice, and it computes for longer. */
static void work_while_pages_change(uint64_t bytes, struct htmt_options options,
                                    unsigned char *last)
{
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, options);
    struct htmt_object *from = world_object(&w, 0, DRAM, bytes, "from"),
                       *into = world_object(&w, 0, CRAM, bytes, "into");
    struct world_work work = {.execute = bytes};
    memset(htmt_object_bytes(from), 77, bytes);
    memset(htmt_object_bytes(into), 10, bytes);
    struct htmt_type *bring = TYPE(&w, .name = "bring", .home = "dram", .exec = "cram");
    struct htmt_type *add =
        TYPE(&w, .name = "add", .home = "cram", .exec = "cram",
             .execute = {.kernel = add_five, .cost = world_execute}, .args_bytes = sizeof work);
    struct htmt_region r = {
        .from = htmt_in(from, 0), .into = htmt_in(into, 0), .bytes = bytes, .handover = true};
    struct htmt_region own = {.from = htmt_in(into, 0), .to = htmt_in(into, 0), .bytes = bytes / 2};
    START(&w, .type = add, .args = &work, .regions = &own, .region_count = 1);
    START(&w, .type = bring, .regions = &r, .region_count = 1);
    world_run(&w);
    memcpy(last, htmt_object_bytes(into), bytes);
    world_close(&w);
}

Test(fused, what_works_in_place_puts_down_where_the_object_lies_then)
{
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (uint64_t bytes = 800; bytes <= 3200; bytes *= 4) {
            unsigned char last[3200];
            work_while_pages_change(bytes, (struct htmt_options){.threads = threads}, last);
            cr_expect_eq(last[0], 15, "%u threads: %u", threads, last[0]);
            cr_expect_eq(last[bytes / 2], 77, "%u threads: %u", threads, last[bytes / 2]);
        }
}

/* Its output goes where a resident region of it lies, or beside it. */
static void step_resident(uint64_t apart, struct htmt_options options, unsigned char *last)
{
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, options);
    struct htmt_object *o = world_object(&w, 0, CRAM, 24, "o");
    struct args a = {0};
    memset(htmt_object_bytes(o), 10, 24);
    struct htmt_type *t =
        TYPE(&w, .name = "add", .home = "dram", .exec = "cram",
             .execute = {.kernel = add_one, .cost = cost}, .args_bytes = sizeof a);
    struct htmt_region r[] = {{.into = htmt_in(o, 0), .bytes = 16, .read_only = true},
                              {.to = htmt_in(o, apart), .bytes = 8}};
    START(&w, .type = t, .args = &a, .regions = r, .region_count = 2);
    world_run(&w);
    memcpy(last, htmt_object_bytes(o), 24);
    world_close(&w);
}

Test(fused, an_output_over_a_resident_region_is_not_there_before_the_kernel_ends)
{
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (uint64_t apart = 0; apart <= 16; apart += 4) {
            unsigned char slow[24], fast[24];
            step_resident(apart, (struct htmt_options){.checked = true}, slow);
            step_resident(apart, (struct htmt_options){.threads = threads}, fast);
            cr_expect_eq(slow[apart], 11);
            cr_expect_arr_eq(fast, slow, 24, "%u threads, %u bytes apart: %u", threads,
                             (unsigned)apart, fast[apart]);
        }
}
