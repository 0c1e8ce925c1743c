/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arenas with jemalloc in the process, as the command has it.
 */
#include "tests/runtime/arenas.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

Test(arena, the_allocator_is_the_one_that_the_process_has)
{
    enum htmt__heap wanted = HTMT__PLAIN_PAGES ? HTMT__HEAP_PLAIN : HTMT__HEAP_JEMALLOC;
    struct htmt__arena a = arenas_open();
    cr_assert_eq(htmt__arena_heap(), wanted);
    cr_assert_eq(!!htmt__arena_version(), wanted == HTMT__HEAP_JEMALLOC);
    cr_assert_eq(!!a.pool, wanted == HTMT__HEAP_POOLS);
    htmt__arena_destroy(&a);
}

Test(arena, blocks_are_aligned_and_keep_their_bytes)
{
    for (size_t alignment = 64; alignment <= 4096; alignment *= 8)
        arenas_align_and_keep(alignment);
}

Test(arena, zeroed_blocks_are_zero_also_where_others_were_before)
{
    arenas_zero();
}

Test(arena, two_arenas_side_by_side_share_nothing)
{
    arenas_apart();
}

Test(arena, arenas_of_several_threads_come_and_go)
{
    arenas_of_threads();
}

Test(arena, an_injected_fault_is_no_memory_once)
{
    arenas_injected();
}

#if !HTMT__PLAIN_PAGES
Test(arena, the_end_of_memory_is_null_and_freed_bytes_can_be_had_again)
{
    arenas_end();
}

Test(arena, all_pages_go_back_at_the_end)
{
    arenas_go_back();
}

Test(arena, arenas_that_are_gone_leave_nothing_behind)
{
    arenas_leave_nothing();
}

/* An arena that goes, and another one that maps its pages in the hole at that moment. The calls of
 * the system are this program's own, so that the kernel has no say in who gets which address. */
static struct {
    bool wanted; /* the next large munmap() makes the hole */
    char *at;    /* of the hole; NULL: none, or it has been filled */
    size_t size;
    bool no_note; /* there is no page to be had */
    sem_t made, seen;
    struct htmt__arena other;
    char *block[ARENAS_EACH];
} hole;

int munmap(void *at, size_t size)
{
    int rc = (int)syscall(SYS_munmap, at, size);
    if (rc || !hole.wanted || size < 3 * MIB)
        return rc;
    hole.wanted = false;
    hole.at = at;
    hole.size = size;
    sem_post(&hole.made);
    sem_wait(&hole.seen);
    return 0;
}

/* The first large mapping ends where the hole ends. */
void *mmap(void *at, size_t size, int access, int flags, int file, off_t offset)
{
    if (hole.no_note && size <= 4 * KIB) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    if (hole.at && !at && size >= MIB && size <= hole.size) {
        at = hole.at + hole.size - size;
        flags |= MAP_FIXED_NOREPLACE;
        hole.at = NULL;
    }
    return (void *)syscall(SYS_mmap, at, size, access, flags, file, offset);
}

/* Another thread does it: jemalloc has the first arena's locks in this one. */
static void *fill_the_hole(void *unused)
{
    (void)unused;
    void *volatile first = malloc(64); /* now the heap has what it needs for a thread */
    free(first);
    sem_post(&hole.seen);
    sem_wait(&hole.made);
    for (size_t k = 0; k < ARENAS_EACH; k++) {
        hole.block[k] = htmt__arena_alloc(&hole.other, 64, 64 * KIB, true);
        if (hole.block[k])
            memset(hole.block[k], 1, 64 * KIB);
    }
    sem_post(&hole.seen);
    return NULL;
}

/* Returns which step failed; 0: none. */
static int go_while_another_maps(void)
{
    struct htmt__arena a = arenas_open();
    hole.other = arenas_open();
    char *bytes = htmt__arena_alloc(&a, 64, 3 * MIB, false);
    htmt__arena_free(&a, bytes, 64, 3 * MIB);
    pthread_t filler;
    if (!bytes || sem_init(&hole.made, 0, 0) || sem_init(&hole.seen, 0, 0) ||
        pthread_create(&filler, NULL, fill_the_hole, NULL))
        return 1;
    sem_wait(&hole.seen);
    hole.wanted = true;
    htmt__arena_destroy(&a);
    if (hole.wanted || hole.at)
        return 2;
    pthread_join(filler, NULL);
    if (hole.block[0] < bytes - MIB || hole.block[0] >= bytes + 4 * MIB)
        return 3;
    for (size_t k = 0; k < ARENAS_EACH; k++) {
        if (!hole.block[k] || !arenas_all((unsigned char *)hole.block[k], 64 * KIB, 1))
            return 4;
        htmt__arena_free(&hole.other, hole.block[k], 64, 64 * KIB);
    }
    htmt__arena_destroy(&hole.other);
    return 0;
}

/* In a process of its own. If pieces of an arena go while jemalloc has others of the same mapping,
 * the other arena takes these for its own, and a signal ends the process. */
Test(arena, pages_of_another_in_the_place_of_one_that_goes_stay_apart)
{
    int status;
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        alarm(60);
        _exit(go_while_another_maps());
    }
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
    cr_assert_eq(WEXITSTATUS(status), 0, "step %d", WEXITSTATUS(status));
}

/* More mappings than one page has notes of: at the end of memory each is as small as it can be. */
Test(arena, thousands_of_mappings_go_back)
{
    arenas_pass(1);
    struct arenas_process before = arenas_process();
    struct htmt__arena a = arenas_open();
    arenas_limit(64 * MIB);
    size_t pieces = arenas_exhaust(&a, 4 * KIB);
    arenas_limit(0);
    htmt__arena_destroy(&a);
    struct arenas_process after = arenas_process();
    cr_assert_gt(pieces, 8000);
    cr_assert_lt(after.addresses, before.addresses + 16 * MIB, "%zu MiB more",
                 (after.addresses - before.addresses) / MIB);
}

Test(arena, what_cannot_be_noted_is_no_memory)
{
    struct htmt__arena a, b = arenas_open();
    size_t before = arenas_process().addresses;
    hole.no_note = true;
    int rc = htmt__arena_create(&a);
    hole.no_note = false;
    cr_assert_eq(rc, HTMT_ENOMEM);
    cr_assert_lt(arenas_process().addresses, before + 2 * MIB);
    htmt__arena_destroy(&b);
}
#endif
