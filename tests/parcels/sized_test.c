/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Public structs that begin with their size: a program that was built for an older libhtmt, whose
 * structs are shorter, does what it did; one that was built for a newer one is refused.
 */
#include "tests/parcels/world.h"

/* A struct cut short, at the end of memory of its own, so that sanitizers see who reads on. */
#define CUT(given, bytes) cut(&(given), (bytes))
static void *cut(const void *given, size_t bytes)
{
    char *copy = malloc(bytes);
    memcpy(copy, given, bytes);
    memcpy(copy, &bytes, sizeof bytes);
    return copy;
}

#define UP_TO(type, member) (offsetof(type, member))

Test(sized, init_gives_zeros_and_the_size)
{
    static const struct htmt_put no_put;
    static const struct htmt_region no_region;
    static const struct htmt_type_desc no_type;
    static const struct htmt_options no_options;
    static const struct htmt_blocks_desc no_blocks;
    static const struct htmt_ranks no_ranks;
#define CHECK(name, none)                                                                          \
    do {                                                                                           \
        struct name d = name##_init();                                                             \
        cr_assert_eq(d.size, sizeof d);                                                            \
        d.size = 0;                                                                                \
        cr_assert_eq(memcmp(&d, &(none), sizeof d), 0);                                            \
    } while (0)
    CHECK(htmt_put, no_put);
    CHECK(htmt_region, no_region);
    CHECK(htmt_type_desc, no_type);
    CHECK(htmt_options, no_options);
    CHECK(htmt_blocks_desc, no_blocks);
    CHECK(htmt_ranks, no_ranks);
}

/* The same of size 0: the first layout. */
static void *first(const void *given, size_t bytes)
{
    char *copy = malloc(bytes);
    memcpy(copy, given, bytes);
    memset(copy, 0, sizeof bytes);
    return copy;
}

/* ---- an older program ------------------------------------------------------------------------ */

struct old {
    size_t options, type, region, put; /* bytes; 0: all, and the size is 0 */
    bool first_put;                    /* of the first layout, by size 0 */
    struct htmt_frame *from, *to;
};
struct old_args {
    const struct old *old;
};

static void increment(struct htmt_kernel *k)
{
    for (uint64_t i = 0; i < htmt_size(k, 0); i++)
        ((unsigned char *)htmt_bytes(k, 1))[i] = (unsigned char)(((char *)htmt_bytes(k, 0))[i] + 1);
}
static void move(struct htmt_context *c)
{
    const struct old *old = ((const struct old_args *)htmt_args(c))->old;
    struct htmt_put put = {.src = htmt_at(old->from, htmt_slice(c), 0),
                           .dst = htmt_at(old->to, htmt_slice(c), 64),
                           .bytes = 64};
    void *given = old->put         ? CUT(put, old->put)
                  : old->first_put ? first(&put, UP_TO(struct htmt_put, route))
                                   : NULL;
    put.route = 77; /* what is behind the first layout is not the program's */
    cr_assert_eq(htmt_put(c, given ? given : &put), 0);
    free(given);
}

static struct htmt_emulator *open_old(const struct old *old, struct htmt_machine *m)
{
    struct htmt_options o = {.machine = m, .threads = 1};
    void *given = old->options ? CUT(o, old->options) : NULL;
    struct htmt_emulator *e;
    cr_assert_eq(htmt_emulator_create(&e, given ? given : &o, NULL), 0);
    free(given);
    return e;
}

static struct htmt_type *type_of_old(const struct old *old, struct htmt_emulator *e)
{
    struct htmt_type_desc d = {.name = "old",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.control = move},
                               .execute = {.kernel = increment},
                               .args_bytes = 8};
    void *given = old->type ? CUT(d, old->type) : NULL;
    struct htmt_type *t;
    cr_assert_eq(htmt_type_create(e, given ? given : &d, &t), 0);
    free(given);
    return t;
}

/* Two regions, one behind the other. */
static void start_old(const struct old *old, struct htmt_emulator *e, struct htmt_type *t)
{
    struct htmt_region r[2] = {{.from = htmt_at(old->from, 0, 0), .bytes = 64},
                               {.to = htmt_at(old->to, 0, 0), .bytes = 64}};
    char *given = NULL;
    if (old->region) {
        given = malloc(2 * old->region);
        r[0].size = r[1].size = old->region;
        memcpy(given, &r[0], old->region);
        memcpy(given + old->region, &r[1], old->region);
    }
    struct htmt_parcel_desc p = {.type = t,
                                 .regions = given ? (const void *)given : r,
                                 .region_count = 2,
                                 .args = &(struct old_args){old}};
    cr_assert_eq(htmt_assemble(htmt_root(e), &p, NULL), 0, "%s", htmt_emulator_fault(e)->text);
    free(given);
}

static uint64_t play_old(struct old old)
{
    struct world_spec s = world_plain(1);
    struct htmt_machine *m = world_machine(&s);
    struct htmt_emulator *e = open_old(&old, m);
    unsigned char bytes[128];
    cr_assert_eq(htmt_frame_create(e, DRAM, 64, "from", &old.from), 0);
    cr_assert_eq(htmt_frame_create(e, DRAM, 128, "to", &old.to), 0);
    start_old(&old, e, type_of_old(&old, e));
    memset(bytes, 7, sizeof bytes);
    cr_assert_eq(htmt_frame_load(old.from, bytes, 64), 0);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_frame_gather(old.to, bytes, 128), 0);
    for (int i = 0; i < 128; i++)
        cr_assert_eq(bytes[i], i < 64 ? 8 : 7);
    uint64_t hash = htmt_history_hash(e);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
    return hash;
}

Test(sized, an_older_program_with_shorter_structs_has_the_same_history)
{
    const uint64_t hash = play_old((struct old){0});
    const size_t options[] = {UP_TO(struct htmt_options, watchdog),
                              UP_TO(struct htmt_options, observe),
                              UP_TO(struct htmt_options, clock), sizeof(struct htmt_options)};
    const size_t puts[] = {UP_TO(struct htmt_put, dst_pieces), UP_TO(struct htmt_put, on_sent),
                           UP_TO(struct htmt_put, route)};
    const size_t regions[] = {UP_TO(struct htmt_region, from_pieces),
                              UP_TO(struct htmt_region, in_words), sizeof(struct htmt_region)};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(play_old((struct old){.options = options[i] / 8 * 8}), hash, "%d", i);
        cr_assert_eq(play_old((struct old){.put = puts[i]}), hash, "%d", i);
        cr_assert_eq(play_old((struct old){.region = regions[i]}), hash, "%d", i);
    }
    cr_assert_eq(play_old((struct old){.put = sizeof(struct htmt_put)}), hash);
    cr_assert_eq(play_old((struct old){.first_put = true}), hash);
    cr_assert_eq(play_old((struct old){.type = UP_TO(struct htmt_type_desc, result_bytes)}), hash);
    cr_assert_eq(play_old((struct old){.type = sizeof(struct htmt_type_desc)}), hash);
}

/* ---- sizes that are refused ------------------------------------------------------------------ */

static struct {
    size_t put, later;
} wrong;

static void move_wrong(struct htmt_context *c)
{
    struct htmt_put put = {.size = wrong.put};
    cr_assert_eq(htmt_put(c, &put), HTMT_EINVAL);
}

static void expect_line(const char *line, const char *words)
{
    cr_assert_not_null(strstr(line, words), "no '%s' in: %s", words, line);
}

/* By the calls that the host makes. */
static void refuse_sizes(size_t newer, const char *words)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_fault fault = {0};
    struct htmt_emulator *e = NULL;
    struct htmt_type *t = NULL;
    struct htmt_options o = {.size = newer, .machine = w.m};
    struct htmt_type_desc d = {.size = newer, .name = "t", .home = "cram", .exec = "cram"};
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), HTMT_EINVAL);
    expect_line(fault.text, words);
    expect_line(fault.text, "struct htmt_options of ");
    cr_assert_eq(htmt_type_create(w.e, &d, &t), HTMT_EINVAL);
    expect_line(htmt_emulator_fault(w.e)->text, words);
    expect_line(htmt_emulator_fault(w.e)->text, "htmt_type_create(): struct htmt_type_desc of ");
    cr_assert_null(e);
    cr_assert_null(t);
    world_close(&w);
}

static void refuse_region(size_t first, size_t second, const char *words)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_type *t = TYPE(&w, .name = "t", .home = "cram", .exec = "cram");
    struct htmt_region r[2] = {{.size = first, .bytes = 8}, {.bytes = 8}};
    memcpy((char *)r + (first < sizeof *r ? first : sizeof *r), &second, sizeof second);
    struct htmt_parcel_desc p = {.type = t, .regions = r, .region_count = 2};
    cr_assert_eq(htmt_assemble(htmt_root(w.e), &p, NULL), HTMT_EINVAL);
    expect_line(htmt_emulator_fault(w.e)->text, words);
    world_close(&w);
}

static void refuse_put(size_t size, const char *words)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_type *t =
        TYPE(&w, .name = "t", .home = "cram", .exec = "cram", .execute = {.control = move_wrong});
    wrong.put = size;
    START(&w, .type = t);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    expect_line(htmt_emulator_fault(w.e)->text, words);
    expect_line(htmt_emulator_fault(w.e)->text, "htmt_put(): struct htmt_put of ");
    world_close(&w);
}

Test(sized, a_newer_program_is_refused_in_one_line)
{
    refuse_sizes(sizeof(struct htmt_options) + sizeof(struct htmt_type_desc),
                 "built for a newer libhtmt");
    refuse_put(sizeof(struct htmt_put) + 8, "built for a newer libhtmt");
    refuse_region(sizeof(struct htmt_region) + 8, 0, "built for a newer libhtmt");
}

Test(sized, sizes_that_no_version_had_are_refused)
{
    refuse_sizes(8, "begin with htmt_");
    refuse_sizes(101, "begin with htmt_");
    refuse_put(UP_TO(struct htmt_put, bytes), "begin with htmt_put_init()");
    refuse_put(sizeof(struct htmt_put) - 4, "begin with htmt_put_init()");
    refuse_region(24, 24, "begin with htmt_region_init()");
    refuse_region(80, 88, "region 1 has a size of 88 bytes, expected 80 as region 0");
}
