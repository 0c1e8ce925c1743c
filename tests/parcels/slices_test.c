/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An event touches one slice: in a checked run the state of the others is unreadable.
 */
#include "tests/parcels/world.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLICES 3u

/* Two parcels on each slice's SPELL. The first leaves where its arguments are; the second of slice
 * 0 may write there, of another slice. */
struct args {
    struct args **here, **write; /* NULL: neither */
    uint64_t count;
};

COST(cost, *ops = (struct htmt_ops){.n[HTMT_CYCLE] = 100})

static void control(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    if (a->here)
        *a->here = a;
    if (a->write)
        (*a->write)->count++;
}

static htmt_time play(bool checked, enum htmt_clock clock, bool crime, uint64_t *hash)
{
    struct htmt_options o = {.mode = HTMT_MODEL, .checked = checked, .clock = clock};
    struct args *where[SLICES];
    struct world_spec s = world_plain(SLICES);
    struct world w = world_open(&s, o);
    struct htmt_type *type = TYPE(&w, .name = "pair", .home = "cram", .exec = "cram",
                                  .execute = {.cost = cost, .control = control},
                                  .footprint = HTMT_RESIDENT, .args_bytes = sizeof(struct args));
    for (uint32_t i = 0; i < SLICES; i++) {
        struct args first = {.here = &where[i]};
        struct args second = {.write = crime && !i ? &where[1] : NULL};
        START(&w, .type = type, .slice = i, .args = &first);
        START(&w, .type = type, .slice = i, .args = &second);
    }
    htmt_time time = world_run(&w);
    *hash = htmt_history_hash(w.e);
    world_close(&w);
    return time;
}

/* Status of a child: a segmentation fault under a sanitizer is an exit by its own hand. */
static bool dies(bool checked, enum htmt_clock clock, bool crime)
{
    int status;
    pid_t child = fork();
    if (!child) {
        uint64_t hash;
        signal(SIGSEGV, SIG_DFL);
        play(checked, clock, crime, &hash);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static const enum htmt_clock clocks[] = {HTMT_CLOCK_SEQUENTIAL, HTMT_CLOCK_WINDOWS};

Test(slices, a_control_that_writes_arguments_of_another_slice_ends_a_checked_run)
{
    for (int i = 0; i < 2; i++) {
        cr_assert(dies(true, clocks[i], true));
        cr_assert_not(dies(true, clocks[i], false));
        cr_assert_not(dies(false, clocks[i], true));
    }
}

Test(slices, a_checked_run_has_the_same_history)
{
    uint64_t plain, checked;
    htmt_time time = play(false, HTMT_CLOCK_SEQUENTIAL, false, &plain);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(play(true, clocks[i], false, &checked), time);
        cr_assert_eq(plain, checked);
    }
}
