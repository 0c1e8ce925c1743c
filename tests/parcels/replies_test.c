/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Captured runs: a model run that plays one is that run, and files that are not its own are
 * refused.
 */
#include "tests/files/place.h"
#include "tests/parcels/program.h"
#include "tests/runtime/share.h"

#include <endian.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <unistd.h>

static struct htmt_replies replies_of(const char *capture, const char *captured, const char *about)
{
    struct htmt_replies r = htmt_replies_init();
    r.capture = capture;
    r.captured = captured;
    r.about = about;
    return r;
}

static void own_path(char path[64])
{
    snprintf(path, 64, "/tmp/replies_test.%ld", (long)getpid());
}

/* ---- random programs ------------------------------------------------------------------------- */

/* Everything but the bytes. */
static bool same(const struct program_outcome *a, const struct program_outcome *b)
{
    return a->predicted == b->predicted && a->hash == b->hash && a->events == b->events &&
           a->parcels == b->parcels;
}

static struct program_outcome play(uint64_t seed, const struct htmt_replies *r,
                                   struct htmt_options o)
{
    struct program p;
    o.replies = r;
    o.mode = r && r->captured ? HTMT_MODEL : HTMT_RUN;
    program_open(&p, seed, false, 40, o);
    int rc = htmt_emulator_run(p.w.e);
    cr_assert(!rc || (o.checked && rc == HTMT_ELEFT), "seed %u: %s", (unsigned)seed,
              htmt_emulator_fault(p.w.e)->text);
    return program_close(&p);
}

Test(replies, a_model_run_that_plays_a_run_has_its_events, .timeout = 60)
{
    char path[64];
    own_path(path);
    for (uint64_t seed = 1; seed <= 25; seed++) {
        struct htmt_replies write = replies_of(path, NULL, "a"), read = replies_of(NULL, path, "a");
        struct program_outcome plain = play(seed, NULL, (struct htmt_options){.threads = 1});
        struct program_outcome run = play(seed, &write, (struct htmt_options){.threads = 1});
        struct program_outcome model = play(seed, &read, (struct htmt_options){.threads = 1});
        struct program_outcome checked = play(seed, &read, (struct htmt_options){.checked = true});
        cr_assert(same(&plain, &run) && plain.bytes == run.bytes, "seed %u", (unsigned)seed);
        cr_assert(same(&run, &model), "seed %u", (unsigned)seed);
        cr_assert(same(&run, &checked), "seed %u", (unsigned)seed);
    }
    unlink(path);
}

Test(replies, the_file_does_not_depend_on_the_host, .timeout = 60)
{
    char path[64];
    own_path(path);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct htmt_replies write = replies_of(path, NULL, NULL);
        const struct htmt_options hosts[] = {
            {.threads = 3, .delay_seed = seed},
            {.threads = 2, .clock_threads = 2, .clock = HTMT_CLOCK_WINDOWS},
            {.threads = 3, .run_ahead_bytes = 1}};
        play(seed, &write, (struct htmt_options){.threads = 1});
        size_t size, again;
        char *one = file_content(path, &size);
        for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
            play(seed, &write, hosts[i]);
            char *other = file_content(path, &again);
            cr_assert(again == size && !memcmp(one, other, size), "seed %u, host %u",
                      (unsigned)seed, (unsigned)i);
            free(other);
        }
        free(one);
    }
    unlink(path);
}

/* ---- lanes ----------------------------------------------------------------------------------
 *
 * Work goes to the lane that is free first. How long a piece takes, and how many steps it has,
 * only its kernel knows. Slices have lanes that begin at different times, so that another machine
 * deals otherwise. */

enum { PIECES = 24, LANES = 3, STEP = 1 };

struct lanes {
    struct world w;
    struct htmt_type *lane, *step;
    struct htmt_object *data;
    uint32_t next, dealt[PIECES];
    uint64_t weight[PIECES]; /* of the input */
    bool named;
    uint32_t slower;        /* of the start of a lane, in cycles; not kept */
    double larger, smaller; /* d ln T / d ln clock of the lanes */
};

struct lane {
    struct lanes *t;
    uint32_t number, piece, steps;
};

static uint64_t steps_of(uint64_t weight)
{
    return 1 + weight % 4;
}

static void lane_next(struct htmt_context *c)
{
    struct lane *l = htmt_args(c);
    const uint64_t *left = htmt_result(c);
    if (l->steps && (!left || *left)) {
        htmt_signal(c, htmt_slot(c, STEP));
        return;
    }
    if (l->t->next == PIECES) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    l->piece = l->t->next++;
    l->t->dealt[l->piece] = l->number;
    l->steps = 0;
    if (l->t->named)
        htmt_item(c, l->piece);
    htmt_signal(c, htmt_slot(c, STEP));
}

/* A step of its piece, whose weight is in the data: the clock awaits how much it counts. */
static void lane_kernel(struct htmt_kernel *k)
{
    const struct lane *l = htmt_kernel_args(k);
    const uint64_t *weight = htmt_used(k, 0);
    *(uint64_t *)htmt_kernel_result(k) = l->steps < steps_of(weight[l->piece]);
    htmt_count(k, HTMT_CYCLE, weight[l->piece] % 50 + 10 * l->steps);
}

static void lane_step(struct htmt_context *c)
{
    struct lane *l = htmt_args(c);
    l->steps++;
    htmt_use(c, htmt_in(l->t->data, 0), sizeof l->t->weight, HTMT_READ);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, STEP + 1));
}

static void lane_begin(struct htmt_context *c)
{
    const struct lane *l = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, 7 * l->number + l->t->slower);
    htmt_signal(c, htmt_slot(c, STEP + 1));
}

static void lanes_open(struct lanes *t, const struct htmt_replies *r, unsigned servers,
                       unsigned mhz, unsigned lanes)
{
    struct world_spec s = world_plain(1);
    struct htmt_options o = {.threads = 1, .replies = r, .slopes = true};
    o.mode = r && r->captured ? HTMT_MODEL : HTMT_RUN;
    s.servers[DRAM] = servers;
    s.mhz[DRAM] = mhz;
    t->w = world_open(&s, o);
    for (uint32_t i = 0; i < PIECES && o.mode == HTMT_RUN; i++)
        t->weight[i] = (uint64_t)i * i * 7 + 3;
    cr_assert_eq(htmt_keep(t->w.e, t->weight, sizeof t->weight), 0);
    cr_assert_eq(htmt_object_create(t->w.e, 0, DRAM, sizeof t->weight, "weights", &t->data), 0);
    if (htmt_object_bytes(t->data))
        memcpy(htmt_object_bytes(t->data), t->weight, sizeof t->weight);
    const struct htmt_stage fibers[] = {
        {.kernel = lane_kernel, .control = lane_step, .count = 1, .reset = 1},
        {.control = lane_next, .steered = true, .count = 1, .reset = 1}};
    struct htmt_type_desc d = {.name = "lane", .home = "dram", .exec = "dram", .fibers = fibers};
    d.execute.control = lane_begin;
    d.footprint = HTMT_RESIDENT;
    d.fiber_count = 2;
    d.args_bytes = sizeof(struct lane);
    d.result_bytes = sizeof(uint64_t);
    cr_assert_eq(htmt_type_create(t->w.e, &d, &t->lane), 0);
    for (uint32_t i = 0; i < lanes; i++) {
        struct lane l = {.t = t, .number = i};
        cr_assert_eq(htmt_assemble(htmt_root(t->w.e),
                                   &(struct htmt_parcel_desc){.type = t->lane, .args = &l}, NULL),
                     0);
    }
}

/* The run on this machine, or what plays `r` there. Returns the code, with its line in *fault. */
static int lanes_play(struct lanes *t, bool named, const struct htmt_replies *r, unsigned servers,
                      unsigned mhz, unsigned lanes, struct htmt_fault *fault, uint64_t *hash)
{
    *t = (struct lanes){.named = named, .slower = t->slower};
    lanes_open(t, r, servers, mhz, lanes);
    int rc = htmt_emulator_run(t->w.e);
    *fault = *htmt_emulator_fault(t->w.e);
    *hash = htmt_history_hash(t->w.e);
    if (!rc) {
        struct world_spec s = world_plain(1);
        s.servers[DRAM] = servers;
        s.mhz[DRAM] = 2 * mhz;
        struct htmt_machine *toward = world_machine(&s);
        cr_assert_eq(htmt_slope_find(t->w.e, toward, 2, &t->larger, &t->smaller, NULL), 0);
        htmt_machine_destroy(&toward);
    }
    world_close(&t->w);
    return rc;
}

Test(replies, named_work_is_found_whoever_does_it, .timeout = 60)
{
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, NULL), read = replies_of(NULL, path, NULL);
    struct htmt_fault fault;
    struct lanes first = {0}, run = {0}, model = {0};
    uint64_t hash, of_run, of_model;
    unsigned otherwise = 0;
    cr_assert_eq(lanes_play(&first, true, &write, LANES, 1000, LANES, &fault, &hash), 0);
    for (unsigned servers = 1; servers <= LANES; servers++)
        for (unsigned mhz = 100; mhz <= 10000; mhz *= 10) {
            cr_assert_eq(lanes_play(&run, true, NULL, servers, mhz, LANES, &fault, &of_run), 0);
            cr_assert_eq(lanes_play(&model, true, &read, servers, mhz, LANES, &fault, &of_model), 0,
                         "%s", fault.text);
            cr_assert_eq(of_run, of_model, "%u servers of %u MHz", servers, mhz);
            cr_assert(!memcmp(run.dealt, model.dealt, sizeof run.dealt));
            cr_assert(run.larger == model.larger && run.smaller == model.smaller);
            cr_assert_float_eq(model.larger, -1, 1e-9, "it has nothing but clocks");
            otherwise += memcmp(first.dealt, run.dealt, sizeof run.dealt) != 0;
        }
    cr_assert_gt(otherwise, 0, "no machine deals the pieces otherwise");
    unlink(path);
}

Test(replies, what_the_program_keeps_comes_back, .timeout = 60)
{
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, NULL), read = replies_of(NULL, path, NULL);
    struct htmt_fault fault;
    struct lanes run = {0}, model = {0};
    uint64_t hash;
    cr_assert_eq(lanes_play(&run, false, &write, 2, 1000, LANES, &fault, &hash), 0);
    cr_assert_eq(lanes_play(&model, false, &read, 2, 1000, LANES, &fault, &hash), 0);
    cr_assert(!memcmp(run.weight, model.weight, sizeof run.weight));
    cr_assert_eq(model.weight[2], 31);
    unlink(path);
}

/* ---- an item at the instant of a kernel -------------------------------------------------------
 */

static void pair_begin(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, 1));
    htmt_signal(c, htmt_slot(c, 2));
    htmt_slot_set(c, 3, 2, 0);
}

static void pair_kernel(struct htmt_kernel *k)
{
    htmt_count(k, HTMT_CYCLE, 17);
}

static void pair_computes(struct htmt_context *c)
{
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, 3));
}

static void pair_names(struct htmt_context *c)
{
    htmt_item(c, 5);
    htmt_signal(c, htmt_slot(c, 3));
}

static void pair_ends(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

/* With two servers the item is named while the kernel is under way, with one behind it. */
static htmt_time pair_play(const struct htmt_replies *r, unsigned servers)
{
    struct world_spec s = world_plain(1);
    struct htmt_options o = {.threads = 1, .replies = r};
    o.mode = r && r->captured ? HTMT_MODEL : HTMT_RUN;
    s.servers[DRAM] = servers;
    struct world w = world_open(&s, o);
    struct htmt_type *type = NULL;
    const struct htmt_stage fibers[] = {
        {.kernel = pair_kernel, .control = pair_computes, .count = 1},
        {.control = pair_names, .count = 1},
        {.control = pair_ends}};
    struct htmt_type_desc d = {.name = "pair", .home = "dram", .exec = "dram", .fibers = fibers};
    d.execute.control = pair_begin;
    d.footprint = HTMT_RESIDENT;
    d.fiber_count = 3;
    cr_assert_eq(htmt_type_create(w.e, &d, &type), 0);
    START(&w, .type = type);
    cr_assert_eq(htmt_emulator_run(w.e), 0, "%s", htmt_emulator_fault(w.e)->text);
    htmt_time predicted = htmt_predicted(w.e);
    world_close(&w);
    return predicted;
}

Test(replies, an_item_does_not_rename_a_reply_that_is_under_way)
{
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, NULL), read = replies_of(NULL, path, NULL);
    for (unsigned servers = 1; servers <= 2; servers++) {
        htmt_time run = pair_play(&write, servers);
        cr_assert_eq(run, 17 * NS);
        for (unsigned other = 1; other <= 2; other++)
            cr_assert_eq(pair_play(&read, other), run);
    }
    unlink(path);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(const struct htmt_replies *r, const char *line)
{
    struct world_spec s = world_plain(1);
    struct htmt_machine *m = world_machine(&s);
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    struct htmt_options o = {.machine = m, .mode = HTMT_MODEL, .replies = r};
    int rc = htmt_emulator_create(&e, &o, &fault);
    cr_assert(rc == HTMT_EFORMAT || rc == HTMT_ENOENT, "%d: %s", rc, fault.text);
    cr_assert(strstr(fault.text, line), "'%s' is not in: %s", line, fault.text);
    cr_assert_null(e);
    htmt_machine_destroy(&m);
}

Test(replies, another_plan_ends_a_model_run_with_a_line, .timeout = 60)
{
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, "volume\n--slices 4"),
                        read = replies_of(NULL, path, "volume\n--slices 4"),
                        other = replies_of(NULL, path, "volume\n--slices 8");
    struct htmt_fault fault;
    struct lanes t = {0};
    uint64_t hash;
    cr_assert_eq(lanes_play(&t, true, &write, LANES, 1000, LANES, &fault, &hash), 0);
    cr_assert_eq(lanes_play(&t, true, &read, LANES, 1000, LANES - 1, &fault, &hash), HTMT_EFORMAT);
    cr_assert(strstr(fault.text, "another plan"), "%s", fault.text);
    cr_assert_eq(lanes_play(&t, false, &read, LANES, 1000, LANES, &fault, &hash), HTMT_EFORMAT);
    cr_assert(strstr(fault.text, "no reply for fiber"), "%s", fault.text);
    t.slower = 1;
    cr_assert_eq(lanes_play(&t, true, &read, LANES, 1000, LANES, &fault, &hash), HTMT_EFORMAT);
    cr_assert(strstr(fault.text, "on the machine of the run"), "%s", fault.text);
    refused(&other, "a captured run of '--slices 4', expected '--slices 8'");
    unlink(path);
}

Test(replies, damaged_files_are_refused, .timeout = 60)
{
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, "a"), read = replies_of(NULL, path, "a");
    struct htmt_fault fault;
    size_t size;
    struct lanes t = {0};
    uint64_t hash;
    cr_assert_eq(lanes_play(&t, true, &write, LANES, 1000, LANES, &fault, &hash), 0);
    char *bytes = file_content(path, &size);
    for (size_t i = 0; i < 2 * size; i += only_memory() ? 7 : 1) {
        const bool cut = i >= size;
        bytes[i % size] ^= cut ? 0 : 1;
        file_write(path, bytes, cut ? i % size : size);
        bytes[i % size] ^= cut ? 0 : 1;
        refused(&read, "replies_test");
    }
    free(bytes);
    unlink(path);
    refused(&read, "replies_test");
}

/* The file with another trailer: one bit of a number of it changed, with the CRC of that. */
static void change_end(const char *path, size_t at, bool earlier)
{
    size_t size;
    char *bytes = file_content(path, &size), *end = bytes + size - 64;
    end[at] ^= 1;
    const uint32_t crc = htole32(libdeflate_crc32(0, end, 48)), complement = earlier ? 0 : ~crc;
    memcpy(end + 48, &crc, sizeof crc);
    memcpy(end + 52, &complement, sizeof complement);
    file_write(path, bytes, size);
    free(bytes);
}

/* Four bytes of it such that the CRC-32 of all is 0xffffffff. The CRC of bytes is linear: each bit
 * that is changed changes the same bits of it, whatever the others are. So 32 equations are solved,
 * row by row. */
static void make_crc_all_ones(char end[48], size_t at)
{
    uint32_t changes[32], bits[32], wanted = ~libdeflate_crc32(0, end, 48), change = 0;
    for (unsigned i = 0; i < 32; i++) {
        end[at + i / 8] ^= (char)(1u << i % 8);
        changes[i] = libdeflate_crc32(0, end, 48) ^ ~wanted;
        end[at + i / 8] ^= (char)(1u << i % 8);
        bits[i] = UINT32_C(1) << i;
    }
    for (unsigned bit = 0, row = 0; bit < 32; bit++) {
        unsigned pivot = row;
        while (pivot < 32 && !(changes[pivot] >> bit & 1))
            pivot++;
        cr_assert_lt(pivot, 32);
        const uint32_t c = changes[pivot], b = bits[pivot];
        changes[pivot] = changes[row];
        bits[pivot] = bits[row];
        changes[row] = c;
        bits[row++] = b;
        for (unsigned i = row; i < 32; i++)
            if (changes[i] >> bit & 1) {
                changes[i] ^= c;
                bits[i] ^= b;
            }
        if (wanted >> bit & 1) {
            wanted ^= c;
            change ^= b;
        }
    }
    for (unsigned i = 0; i < 32; i++)
        end[at + i / 8] ^= (char)((change >> i & 1) << i % 8);
    cr_assert_eq(libdeflate_crc32(0, end, 48), UINT32_MAX);
}

/* Its complement would be 0, as in files of earlier versions: there is 1. The history is compared.
 */
Test(replies, a_file_whose_crc_has_all_bits_is_none_of_an_earlier_version)
{
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, "a"), read = replies_of(NULL, path, "a");
    struct htmt_fault fault;
    struct lanes t = {0};
    uint64_t hash;
    for (uint32_t complement = 0; complement < 3; complement++) {
        const uint32_t crc = UINT32_MAX, as_stored = htole32(complement);
        size_t size;
        cr_assert_eq(lanes_play(&t, true, &write, LANES, 1000, LANES, &fault, &hash), 0);
        char *bytes = file_content(path, &size), *end = bytes + size - 64;
        make_crc_all_ones(end, 24); /* of the history */
        memcpy(end + 48, &crc, sizeof crc);
        memcpy(end + 52, &as_stored, sizeof as_stored);
        file_write(path, bytes, size);
        free(bytes);
        if (complement > 1) {
            refused(&read, "replies_test");
            continue;
        }
        cr_expect_eq(lanes_play(&t, true, &read, LANES, 1000, LANES, &fault, &hash),
                     complement ? HTMT_EFORMAT : 0, "%u: %s", complement, fault.text);
        cr_expect(!complement || strstr(fault.text, "on the machine of the run"), "%s", fault.text);
    }
    unlink(path);
}

/* They have another hash of the history, and 0 behind the CRC. */
Test(replies, of_files_of_earlier_versions_the_time_alone_is_compared)
{
    enum { PREDICTED = 16, HISTORY = 24 };
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, "a"), read = replies_of(NULL, path, "a");
    for (size_t at = PREDICTED; at <= HISTORY; at += HISTORY - PREDICTED)
        for (unsigned earlier = 0; earlier < 2; earlier++) {
            const bool fits = earlier && at == HISTORY;
            struct htmt_fault fault;
            struct lanes t = {0};
            uint64_t hash;
            cr_assert_eq(lanes_play(&t, true, &write, LANES, 1000, LANES, &fault, &hash), 0);
            change_end(path, at, earlier);
            cr_assert_eq(lanes_play(&t, true, &read, LANES, 1000, LANES, &fault, &hash),
                         fits ? 0 : HTMT_EFORMAT, "number at %u: %s", (unsigned)at, fault.text);
            cr_assert(fits || strstr(fault.text, "on the machine of the run"), "%s", fault.text);
        }
    unlink(path);
}

Test(replies, a_run_that_fails_leaves_no_file)
{
    char path[64];
    own_path(path);
    struct htmt_replies write = replies_of(path, NULL, NULL);
    struct program p;
    program_open(&p, 3, false, 40, (struct htmt_options){.threads = 1, .replies = &write});
    p.failing = 3;
    cr_assert_neq(htmt_emulator_run(p.w.e), 0);
    program_close(&p);
    cr_assert(access(path, F_OK) && errno == ENOENT);
}

Test(replies, a_full_disk_ends_the_run_with_a_line)
{
    struct htmt_replies write = replies_of("/dev/full", NULL, NULL);
    struct htmt_fault fault;
    struct lanes t = {0};
    uint64_t hash;
    cr_assert_eq(lanes_play(&t, true, &write, LANES, 1000, LANES, &fault, &hash), HTMT_EIO, "%s",
                 fault.text);
    cr_assert(strstr(fault.text, "/dev/full"), "%s", fault.text);
}
