/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * What a stage declared is what it may touch and what it may cost.
 */
#include "tests/parcels/world.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct peek {
    unsigned char *at;  /* what the kernel reads without having said so */
    unsigned char *put; /* and what it writes */
    uint64_t count;
};

static void peek(struct htmt_kernel *k)
{
    const struct peek *p = htmt_kernel_args(k);
    unsigned char *mine = htmt_bytes(k, 0);
    if (p->at)
        mine[0] = *(volatile unsigned char *)p->at;
    if (p->put)
        *(volatile unsigned char *)p->put = 1;
    htmt_count(k, HTMT_CYCLE, p->count);
}

enum crime { NONE, READ_OTHER, READ_SOURCE, WRITE_SOURCE, WRITE_READ_ONLY };

/* In a child: a segmentation fault under a sanitizer is an exit by its own hand. */
static void commit(enum crime crime, bool checked, unsigned threads)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = threads, .checked = checked);
    struct htmt_object *source = world_object(&w, 0, DRAM, 64, "source");
    struct htmt_object *other = world_object(&w, 0, CRAM, 64, "other");
    struct htmt_object *resident = world_object(&w, 0, CRAM, 64, "resident");
    struct peek p = {.at = NULL};
    if (crime == READ_OTHER)
        p.at = htmt_object_bytes(other);
    if (crime == READ_SOURCE)
        p.at = htmt_object_bytes(source);
    if (crime == WRITE_SOURCE)
        p.put = htmt_object_bytes(source);
    if (crime == WRITE_READ_ONLY)
        p.put = htmt_object_bytes(resident);
    struct htmt_region r[] = {{.from = htmt_in(source, 0), .bytes = 64},
                              {.into = htmt_in(resident, 0), .bytes = 64, .read_only = true}};
    struct htmt_type *t = TYPE(&w, .name = "peek", .home = "dram", .exec = "cram",
                               .execute = {.kernel = peek}, .args_bytes = sizeof p);
    START(&w, .type = t, .args = &p, .regions = r, .region_count = 2);
    if (htmt_emulator_run(w.e))
        _exit(2);
    world_close(&w);
    _exit(0);
}

static bool survives(enum crime crime, bool checked, unsigned threads)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        signal(SIGSEGV, SIG_DFL);
        commit(crime, checked, threads);
    }
    cr_assert_gt(child, 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 2, "the run failed by itself");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Test(footprint, the_checked_mode_catches_what_a_kernel_did_not_declare)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        for (enum crime crime = READ_OTHER; crime <= WRITE_READ_ONLY; crime++)
            cr_assert_not(survives(crime, true, threads), "crime %d, %u threads", (int)crime,
                          threads);
        cr_assert(survives(NONE, true, threads));
        cr_assert(survives(READ_OTHER, false, threads));
    }
}

/* ---- costs ----------------------------------------------------------------------------------- */

COST(seven, ops->n[HTMT_CYCLE] = 7)

static int run_counted(uint64_t count, bool steered, unsigned threads)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = threads);
    struct peek p = {.count = count};
    struct htmt_region r = {.bytes = 8};
    struct htmt_type *t = TYPE(&w, .name = "liar", .home = "sram", .exec = "cram",
                               .execute = {.kernel = peek, .cost = seven, .steered = steered},
                               .args_bytes = sizeof p);
    for (int i = 0; i < 3; i++)
        START(&w, .type = t, .args = &p, .regions = &r, .region_count = 1);
    int rc = htmt_emulator_run(w.e);
    if (rc == HTMT_ECOST)
        cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text,
                                  "type liar, slice 0, execute: the kernel counted 8 cycles"));
    world_close(&w);
    return rc;
}

Test(footprint, a_kernel_and_its_cost_function_must_agree)
{
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int steered = 0; steered < 2; steered++) {
            cr_assert_eq(run_counted(7, steered, threads), 0);
            cr_assert_eq(run_counted(8, steered, threads), HTMT_ECOST);
            cr_assert_eq(run_counted(0, steered, threads), 0); /* no counts: it trusts */
        }
}

KERNEL(break_promise, *(char *)htmt_bytes(k, 0) = 1)

Test(footprint, a_checked_run_names_the_kernel_that_wrote_what_it_only_reads)
{
    for (unsigned checked = 0; checked < 2; checked++) {
        struct world_spec spec = world_plain(1);
        struct world w = OPEN(&spec, .checked = checked);
        struct htmt_object *o = world_object(&w, 0, DRAM, 16, "source");
        struct htmt_type *t = TYPE(&w, .name = "liar", .home = "dram", .exec = "cram",
                                   .execute = {.kernel = break_promise});
        struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 16, .read_only = checked};
        START(&w, .type = t, .regions = &r, .region_count = 1);
        cr_assert_eq(htmt_emulator_run(w.e), checked ? HTMT_EINVAL : 0);
        if (checked)
            cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, "liar"));
        world_close(&w);
    }
}
