/* SPDX-License-Identifier: BSD-3-Clause */
/* Class: unit threads. */
#include "runtime/host/host.h"

#include "runtime/base/fnv.h"
#include "runtime/base/pages.h"
#include "runtime/host/arena.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CELLS    12
#define WORDS    9
#define PROGRAMS 12
#define STEPS    400

/* -1: never; n: the n-th call from now fails, and only that one. */
static atomic_int fail_in = -1;

bool htmt__fault_hook(void)
{
    return atomic_load(&fail_in) >= 0 && atomic_fetch_sub(&fail_in, 1) == 0;
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct htmt__host *open_host(struct htmt__host_options o)
{
    struct htmt__host *host = NULL;
    if (!o.pools)
        o.pools = 3;
    cr_assert_eq(htmt__host_create(&host, &o), 0);
    return host;
}

/* Every written word becomes a function of all words read and of the step that does not commute,
 * so any other order gives other bytes. Of several parts each writes some of the words. */
struct mix {
    uint64_t *read[3], *written[2];
    unsigned reads, writes, part, parts;
    uint64_t step, sum;
};

static void mix(void *payload)
{
    struct mix *m = payload;
    uint64_t h = m->step;
    for (unsigned r = 0; r < m->reads; r++)
        for (unsigned i = 0; i < WORDS; i++)
            h = (h ^ m->read[r][i]) * HTMT__HASH_PRIME;
    for (unsigned w = 0; w < m->writes; w++)
        for (unsigned i = m->part; i < WORDS; i += m->parts)
            m->written[w][i] = m->written[w][i] * 31 + h * (w * WORDS + i + 1);
    m->sum = h;
}

static void choose(uint64_t *random, unsigned cells[5])
{
    for (unsigned i = 0; i < 5; i++) {
    again:
        cells[i] = (unsigned)(draw(random) % CELLS);
        for (unsigned j = 0; j < i; j++)
            if (cells[j] == cells[i])
                goto again;
    }
}

/* What the program leaves, computed with no host at all. */
static uint64_t plain(uint64_t seed, uint64_t cell[CELLS][WORDS])
{
    uint64_t random = seed, sums = 0;
    memset(cell, 0, CELLS * sizeof *cell);
    for (uint64_t step = 0; step < STEPS; step++) {
        unsigned c[5];
        choose(&random, c);
        struct mix m = {.read = {cell[c[0]], cell[c[1]], cell[c[2]]},
                        .written = {cell[c[3]], cell[c[4]]}};
        m.reads = (unsigned)(draw(&random) % 4);
        m.writes = (unsigned)(draw(&random) % 3);
        m.parts = 1;
        m.step = step;
        mix(&m);
        sums = sums * 3 + m.sum;
    }
    return sums;
}

/* false: some job is in the way. */
static bool mix_at_once(struct htmt__host *host, struct htmt__storage **cell, const unsigned c[5],
                        struct mix *m)
{
    static const struct htmt__extent all = {0};
    bool may = true;
    for (unsigned i = 0; i < m->reads; i++)
        may &= htmt__storage_free(host, cell[c[i]], HTMT__READ, &all);
    for (unsigned i = 0; i < m->writes; i++)
        may &= htmt__storage_free(host, cell[c[3 + i]], HTMT__WRITE, &all);
    if (!may)
        return false;
    for (unsigned i = 0; i < 3; i++)
        m->read[i] = htmt__storage_bytes(cell[c[i]]);
    for (unsigned i = 0; i < 2; i++)
        m->written[i] = htmt__storage_bytes(cell[c[3 + i]]);
    mix(m);
    return true;
}

/* One step in seven is done by this thread if nothing is in the way: *kept is NULL then. */
static void issue_mix(struct htmt__host *host, struct htmt__storage **cell, uint64_t *random,
                      uint64_t step, struct htmt__job **kept, uint64_t *sum)
{
    unsigned c[5];
    choose(random, c);
    unsigned reads = (unsigned)(draw(random) % 4), writes = (unsigned)(draw(random) % 3);
    struct mix now = {.reads = reads, .writes = writes, .parts = 1, .step = step};
    *kept = NULL;
    if (step % 7 == 3 && mix_at_once(host, cell, c, &now)) {
        *sum = now.sum;
        return;
    }
    unsigned parts = step % 5 < 2 ? 1 + (unsigned)step % 7 : 1;
    struct htmt__job *job = htmt__job_create_parts(
        host, (unsigned)step % 3, mix, parts * sizeof(struct mix), 5, parts, sizeof(struct mix));
    cr_assert_not_null(job);
    struct mix *m = htmt__job_payload(job);
    *m = (struct mix){.reads = reads, .writes = writes, .parts = parts, .step = step};
    for (unsigned i = 0; i < reads; i++)
        htmt__job_use(job, cell[c[i]], HTMT__READ);
    for (unsigned i = 0; i < writes; i++)
        htmt__job_use(job, cell[c[3 + i]], step % 2 ? HTMT__WRITE : HTMT__READ | HTMT__WRITE);
    for (unsigned i = 0; i < 3; i++)
        m->read[i] = htmt__storage_bytes(cell[c[i]]);
    for (unsigned i = 0; i < 2; i++)
        m->written[i] = htmt__storage_bytes(cell[c[3 + i]]);
    for (unsigned i = 1; i < parts; i++) {
        m[i] = *m;
        m[i].part = i;
    }
    htmt__host_issue(host, job, true);
    *kept = job;
}

static uint64_t on_host(struct htmt__host *host, uint64_t seed, uint64_t out[CELLS][WORDS])
{
    struct htmt__storage *cell[CELLS];
    static struct htmt__job *kept[STEPS];
    static uint64_t sum[STEPS];
    uint64_t random = seed, sums = 0;
    for (unsigned i = 0; i < CELLS; i++)
        cr_assert_not_null(cell[i] = htmt__storage_create(host, sizeof out[i], true, i % 2));
    for (uint64_t step = 0; step < STEPS; step++)
        issue_mix(host, cell, &random, step, &kept[step], &sum[step]);
    for (uint64_t step = 0; step < STEPS; step++) {
        if (kept[step]) {
            htmt__job_wait(host, kept[step]);
            sum[step] = ((struct mix *)htmt__job_payload(kept[step]))->sum;
            htmt__job_release(host, kept[step]);
        }
        sums = sums * 3 + sum[step];
    }
    for (unsigned i = 0; i < CELLS; i++) {
        htmt__storage_sync(host, cell[i], HTMT__READ);
        memcpy(out[i], htmt__storage_bytes(cell[i]), sizeof out[i]);
        htmt__storage_drop(host, cell[i]);
    }
    return sums;
}

static void check_programs(struct htmt__host_options o)
{
    static uint64_t expected[CELLS][WORDS], found[CELLS][WORDS];
    struct htmt__host *host = open_host(o);
    for (uint64_t seed = 1; seed <= (o.delay_seed ? 2 : PROGRAMS); seed++) {
        uint64_t sums = plain(seed, expected);
        cr_assert_eq(on_host(host, seed, found), sums, "seed %lu", seed);
        cr_assert_arr_eq(found, expected, sizeof found, "seed %lu", seed);
    }
    htmt__host_destroy(&host);
    cr_assert_null(host);
}

Test(host, any_number_of_workers_gives_the_bytes_of_the_plain_loop)
{
    static const unsigned workers[] = {0, 1, 2, 7};
    for (unsigned i = 0; i < 4; i++) {
        check_programs((struct htmt__host_options){.workers = workers[i]});
        check_programs((struct htmt__host_options){.workers = workers[i], .delay_seed = 5 + i});
        check_programs((struct htmt__host_options){.workers = workers[i], .checked = true});
    }
}

Test(host, workers_of_one_pool_serve_the_pools_without)
{
    check_programs((struct htmt__host_options){.pool_workers = {0, 2, 0}});
    check_programs((struct htmt__host_options){.pool_workers = {1, 1, 2}, .delay_seed = 3});
    struct htmt__host *host = open_host((struct htmt__host_options){.pool_workers = {1, 0, 2}});
    struct htmt__host_counts counts;
    htmt__host_counts(host, &counts);
    cr_assert_eq(counts.workers, 3);
    htmt__host_destroy(&host);
}

Test(host, few_jobs_outstanding_change_nothing)
{
    check_programs((struct htmt__host_options){.workers = 2, .jobs = 1});
    check_programs((struct htmt__host_options){.workers = 2, .jobs = 3});
}

Test(host, two_hosts_in_one_process_do_not_meet)
{
    static uint64_t expected[CELLS][WORDS], found[2][CELLS][WORDS];
    struct htmt__host *a = open_host((struct htmt__host_options){.workers = 2});
    struct htmt__host *b = open_host((struct htmt__host_options){.workers = 1, .checked = true});
    uint64_t sums = plain(77, expected);
    cr_assert_eq(on_host(a, 77, found[0]), sums);
    cr_assert_eq(on_host(b, 77, found[1]), sums);
    cr_assert_arr_eq(found[0], found[1], sizeof expected);
    htmt__host_destroy(&a);
    cr_assert_eq(on_host(b, 77, found[1]), sums, "b outlives a");
    htmt__host_destroy(&b);
}

struct gauge {
    atomic_uint *running, *most, *open;
};

/* Counts how many of these run at once; waits until the gate opens. */
static void hold(void *payload)
{
    struct gauge *g = payload;
    unsigned now = atomic_fetch_add(g->running, 1) + 1, most = atomic_load(g->most);
    while (now > most && !atomic_compare_exchange_weak(g->most, &most, now))
        ;
    while (!atomic_load(g->open))
        usleep(50);
    atomic_fetch_sub(g->running, 1);
}

static void issue_hold(struct htmt__host *host, struct gauge gauge, struct htmt__storage *storage,
                       unsigned use)
{
    struct htmt__job *job = htmt__job_create(host, 0, hold, sizeof gauge, 1);
    cr_assert_not_null(job);
    *(struct gauge *)htmt__job_payload(job) = gauge;
    if (storage)
        htmt__job_use(job, storage, use);
    htmt__host_issue(host, job, false);
}

static void open_after_20ms(void *payload)
{
    usleep(20000);
    atomic_store(*(atomic_uint **)payload, 1);
}

Test(host, readers_run_together)
{
    atomic_uint running = 0, most = 0, open = 0;
    struct gauge gauge = {&running, &most, &open};
    struct htmt__host *host = open_host((struct htmt__host_options){.workers = 4});
    struct htmt__storage *s = htmt__storage_create(host, 8, true, false);
    for (unsigned i = 0; i < 4; i++)
        issue_hold(host, gauge, s, HTMT__READ);
    for (unsigned i = 0; i < 10000 && atomic_load(&running) < 4; i++)
        usleep(1000);
    cr_assert_eq(atomic_load(&running), 4);
    atomic_store(&open, 1);
    htmt__host_destroy(&host);
}

/* Three threads, that of the clock among them: no part can end before all have begun. */
static void meet(void *payload)
{
    struct gauge *g = payload;
    atomic_fetch_add(g->running, 1);
    for (unsigned i = 0; i < 20000 && atomic_load(g->running) < 3; i++)
        usleep(500);
    if (atomic_load(g->running) == 3)
        atomic_fetch_add(g->most, 1);
}

Test(host, the_parts_of_a_job_run_together_and_it_is_done_when_all_are)
{
    atomic_uint running = 0, met = 0;
    struct host_part {
        struct gauge gauge;
        char gap[24];
    } * part;
    struct htmt__host *host = open_host((struct htmt__host_options){.workers = 2});
    struct htmt__job *job =
        htmt__job_create_parts(host, 0, meet, 3 * sizeof *part, 0, 3, sizeof *part);
    part = htmt__job_payload(job);
    for (unsigned i = 0; i < 3; i++)
        part[i].gauge = (struct gauge){&running, &met, NULL};
    htmt__host_issue(host, job, true);
    htmt__job_wait(host, job);
    cr_assert_eq(atomic_load(&met), 3);
    htmt__job_release(host, job);
    htmt__host_destroy(&host);
}

Test(host, no_more_jobs_are_outstanding_than_allowed)
{
    atomic_uint running = 0, most = 0, open = 0;
    struct gauge gauge = {&running, &most, &open};
    struct htmt__host *host = open_host((struct htmt__host_options){.workers = 4, .jobs = 2});
    struct htmt__job *opener = htmt__job_create(host, 1, open_after_20ms, sizeof(void *), 0);
    *(atomic_uint **)htmt__job_payload(opener) = &open;
    htmt__host_issue(host, opener, false);
    for (unsigned i = 0; i < 50; i++)
        issue_hold(host, gauge, NULL, 0);
    htmt__host_drain(host);
    cr_assert_leq(atomic_load(&most), 2);
    htmt__host_destroy(&host);
}

static void count_up(void *payload)
{
    atomic_fetch_add(*(atomic_uint **)payload, 1);
}

/* The only worker is held fast; of what lies in the queues, the inner pool's first, the clock runs
 * what it waits for and nothing else. */
Test(host, who_waits_runs_what_it_waits_for_before_anything_else)
{
    atomic_uint running = 0, most = 0, open = 0, chain = 0, others = 0;
    struct htmt__host *host = open_host((struct htmt__host_options){.workers = 1});
    struct htmt__storage *s = htmt__storage_create(host, 8, true, false);
    issue_hold(host, (struct gauge){&running, &most, &open}, NULL, 0);
    while (!atomic_load(&running))
        usleep(50);
    struct htmt__job *job = NULL;
    for (unsigned i = 0; i < 40; i++) {
        bool awaited = i % 4 == 3;
        job = htmt__job_create(host, awaited ? 0 : 2, count_up, sizeof(atomic_uint *), 1);
        *(atomic_uint **)htmt__job_payload(job) = awaited ? &chain : &others;
        if (awaited)
            htmt__job_use(job, s, HTMT__WRITE);
        htmt__host_issue(host, job, i == 39);
    }
    htmt__job_wait(host, job);
    cr_assert_eq(atomic_load(&chain), 10);
    cr_assert_eq(atomic_load(&others), 0);
    htmt__job_release(host, job);
    atomic_store(&open, 1);
    htmt__host_drain(host);
    cr_assert_eq(atomic_load(&others), 30);
    htmt__host_destroy(&host);
}

static void touch(void *payload)
{
    char *bytes = *(char **)payload;
    bytes[0] = 1;
    usleep(20);
}

/* Each step hands a block of 64 KiB to a job and drops it: the clock may be ahead by the bound and
 * one block. */
Test(host, dropped_transient_memory_stays_near_its_bound)
{
    size_t bound = 1 << 20, block = 1 << 16;
    struct htmt__host *host =
        open_host((struct htmt__host_options){.workers = 1, .transient_bytes = bound});
    for (unsigned i = 0; i < 2000; i++) {
        struct htmt__storage *s = htmt__storage_create(host, block, false, true);
        struct htmt__job *job = htmt__job_create(host, 0, touch, sizeof(char *), 1);
        *(char **)htmt__job_payload(job) = htmt__storage_bytes(s);
        htmt__job_use(job, s, HTMT__WRITE);
        htmt__host_issue(host, job, false);
        htmt__storage_drop(host, s);
    }
    struct htmt__host_counts counts;
    htmt__host_counts(host, &counts);
    cr_assert_geq(counts.transient_peak, block);
    cr_assert_leq(counts.transient_peak, bound + 2 * block);
    cr_assert_eq(counts.jobs, 2000);
    cr_assert_eq(counts.per_pool[0], 2000);
    htmt__host_destroy(&host);
}

struct late {
    const uint64_t *from;
    uint64_t *to;
    atomic_uint *open;
};

static void copy_late(void *payload)
{
    struct late *l = payload;
    while (!atomic_load(l->open))
        usleep(50);
    memcpy(l->to, l->from, 4096);
}

Test(host, a_storage_dropped_in_use_lives_until_its_job_has_run)
{
    atomic_uint open = 0;
    uint64_t out[512] = {0};
    struct htmt__host *host = open_host((struct htmt__host_options){.workers = 1});
    struct htmt__storage *from = htmt__storage_create(host, 4096, true, true);
    struct htmt__storage *to = htmt__storage_wrap(host, out, sizeof out);
    memset(htmt__storage_bytes(from), 0x5a, 4096);
    struct htmt__job *job = htmt__job_create(host, 0, copy_late, sizeof(struct late), 2);
    *(struct late *)htmt__job_payload(job) = (struct late){htmt__storage_bytes(from), out, &open};
    htmt__job_use(job, from, HTMT__READ);
    htmt__job_use(job, to, HTMT__WRITE);
    htmt__host_issue(host, job, false);
    htmt__storage_drop(host, from);
    /* Had its bytes been free, the same size would get them again. */
    struct htmt__storage *other = htmt__storage_create(host, 4096, false, true);
    memset(htmt__storage_bytes(other), 0, 4096);
    atomic_store(&open, 1);
    htmt__storage_sync(host, to, HTMT__READ);
    cr_assert_eq(out[0], UINT64_C(0x5a5a5a5a5a5a5a5a));
    cr_assert_eq(out[511], UINT64_C(0x5a5a5a5a5a5a5a5a));
    htmt__host_destroy(&host);
}

Test(host, a_part_is_free_while_no_job_has_yet_to_touch_it_that_way)
{
    uint64_t from[512] = {1}, to[1024] = {0};
    const struct htmt__extent first = htmt__extent_run(0, 4096), rest = htmt__extent_run(4096, 8);
    struct htmt__host *host = open_host((struct htmt__host_options){.workers = 1});
    struct htmt__storage *src = htmt__storage_wrap(host, from, sizeof from);
    struct htmt__storage *dst = htmt__storage_wrap(host, to, sizeof to);
    atomic_uint open = 0;
    struct htmt__job *job = htmt__job_create(host, 0, copy_late, sizeof(struct late), 2);
    *(struct late *)htmt__job_payload(job) = (struct late){from, to, &open};
    htmt__job_use_part(job, src, HTMT__READ, first);
    htmt__job_use_part(job, dst, HTMT__WRITE, first);
    htmt__host_issue(host, job, false);
    cr_expect(htmt__storage_free(host, src, HTMT__READ, &first));
    cr_expect_not(htmt__storage_free(host, src, HTMT__WRITE, &first));
    cr_expect_not(htmt__storage_free(host, dst, HTMT__READ, &first));
    cr_expect(htmt__storage_free(host, dst, HTMT__WRITE, &rest));
    atomic_store(&open, 1);
    htmt__host_drain(host);
    cr_expect(htmt__storage_free(host, dst, HTMT__WRITE, &first));
    cr_expect_eq(to[0], 1);
    htmt__storage_drop(host, src);
    htmt__storage_drop(host, dst);
    htmt__host_destroy(&host);
}

Test(host, nobody_else_takes_a_job_of_a_plain_host_without_workers)
{
    const struct htmt__host_options o[] = {
        {.workers = 0}, {.workers = 1}, {.checked = true}, {.delay_seed = 1}};
    for (unsigned i = 0; i < 4; i++) {
        struct htmt__host *host = open_host(o[i]);
        cr_expect_eq(htmt__host_direct(host), i == 0, "case %u", i);
        htmt__host_destroy(&host);
    }
}

Test(host, freed_bytes_are_used_again_and_cleared_when_asked)
{
    struct htmt__host *host = open_host((struct htmt__host_options){0});
    struct htmt__storage *s = htmt__storage_create(host, 3 << 20, false, false);
    unsigned char *bytes = htmt__storage_bytes(s);
    memset(bytes, 0xff, 3 << 20);
    htmt__storage_drop(host, s);
    s = htmt__storage_create(host, (3 << 20) - 100, true, false);
    cr_assert_eq(htmt__storage_bytes(s), (void *)bytes);
    for (size_t i = 0; i < htmt__storage_size(s); i++)
        cr_assert_eq(bytes[i], 0);
    htmt__host_destroy(&host);
}

Test(host, storages_are_aligned_and_as_large_as_asked)
{
    struct htmt__host *host = open_host((struct htmt__host_options){0});
    for (size_t size = 0; size < 5000; size = size + 1 + size / 7) {
        struct htmt__storage *s = htmt__storage_create(host, size, false, false);
        cr_assert_eq((uintptr_t)htmt__storage_bytes(s) % 64, 0);
        cr_assert_eq(htmt__storage_size(s), size);
        memset(htmt__storage_bytes(s), 1, size);
    }
    cr_assert_null(htmt__storage_create(host, SIZE_MAX - 5, false, false));
#if !HTMT__PLAIN_PAGES /* the sanitizers abort on sizes that no machine has */
    cr_assert_null(htmt__storage_create(host, SIZE_MAX / 8, false, false));
#endif
    htmt__host_destroy(&host);
}

static void nothing(void *payload)
{
    (void)payload;
}

Test(host, starts_and_stops_a_thousand_times)
{
    for (unsigned i = 0; i < 1000; i++) {
        struct htmt__host *host = open_host((struct htmt__host_options){.workers = i % 4});
        for (unsigned j = 0; j < i % 3; j++) {
            struct htmt__job *job = htmt__job_create(host, 0, nothing, 0, 0);
            htmt__host_issue(host, job, false);
        }
        htmt__host_destroy(&host);
    }
}

Test(host, wrong_options_are_refused)
{
    struct htmt__host *host = NULL;
    struct htmt__host_options none = {0}, many = {.pools = HTMT_POOLS_MAX + 1},
                              crowd = {.pools = 1, .workers = UINT32_MAX},
                              wrap = {.pools = 2, .pool_workers = {UINT32_MAX, 2}};
    cr_assert_eq(htmt__host_create(&host, &none), HTMT_EINVAL);
    cr_assert_eq(htmt__host_create(&host, &many), HTMT_EINVAL);
    cr_assert_eq(htmt__host_create(&host, &crowd), HTMT_EINVAL);
    cr_assert_eq(htmt__host_create(&host, &wrap), HTMT_EINVAL);
    cr_assert_null(host);
    htmt__host_destroy(&host);
}

/* The n-th allocation or thread start fails, for every n until a start needs no more. */
Test(host, every_failing_step_of_a_start_is_undone)
{
    struct htmt__host_options o = {.pools = 3, .workers = 3};
    struct htmt__host *host = NULL;
    int code = -1, n = 0;
    for (; code; n++) {
        cr_assert_lt(n, 100);
        atomic_store(&fail_in, n);
        code = htmt__host_create(&host, &o);
        cr_assert(!code || code == HTMT_ENOMEM || code == HTMT_ESYSTEM);
        cr_assert_eq(!code, !!host);
    }
    atomic_store(&fail_in, -1);
    cr_assert_geq(n, 10, "three threads, three groups of workers, two records, a gate, an arena");
    htmt__host_destroy(&host);
}

Test(host, out_of_memory_is_reported_and_leaves_the_host_usable)
{
    struct htmt__host *host = open_host((struct htmt__host_options){.workers = 1});
    int n;
    for (n = 0; n < 2; n++) {
        atomic_store(&fail_in, n);
        cr_assert_null(htmt__storage_create(host, 100, false, false));
    }
    cr_assert_not_null(htmt__storage_wrap(host, &n, 1), "takes the record that was left over");
    atomic_store(&fail_in, 0);
    cr_assert_null(htmt__storage_wrap(host, &n, 1));
    atomic_store(&fail_in, 0);
    cr_assert_null(htmt__job_create(host, 0, nothing, 8, 1));
    cr_assert_null(htmt__job_create(host, 3, nothing, 8, 1), "no such pool");
    atomic_store(&fail_in, -1);
    cr_assert_not_null(htmt__storage_create(host, 100, false, false));
    static uint64_t expected[CELLS][WORDS], found[CELLS][WORDS];
    cr_assert_eq(on_host(host, 5, found), plain(5, expected));
    htmt__host_destroy(&host);
}

/* Checked hosts: the child should die of the access, not return. */

static void write_there(void *payload)
{
    **(volatile char **)payload = 1;
}

static void read_there(void *payload)
{
    (void)**(volatile char **)payload;
}

/* How a child ends that runs `run` on a storage which its job declared as `use` (0: not at all). */
static int end_of(unsigned workers, void (*run)(void *), unsigned use)
{
    pid_t child = fork();
    if (!child) {
        struct htmt__host *host =
            open_host((struct htmt__host_options){.workers = workers, .checked = true});
        signal(SIGSEGV, SIG_DFL);
        struct htmt__storage *s = htmt__storage_create(host, 100, true, false);
        struct htmt__job *job = htmt__job_create(host, 0, run, sizeof(char *), 1);
        *(char **)htmt__job_payload(job) = htmt__storage_bytes(s);
        if (use)
            htmt__job_use(job, s, use);
        htmt__host_issue(host, job, false);
        htmt__host_destroy(&host);
        _exit(0);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

Test(host, a_checked_host_catches_undeclared_accesses)
{
    for (unsigned workers = 0; workers < 2; workers++) {
        cr_assert_eq(end_of(workers, read_there, 0), SIGSEGV);
        cr_assert_eq(end_of(workers, write_there, 0), SIGSEGV);
        cr_assert_eq(end_of(workers, write_there, HTMT__READ), SIGSEGV);
        cr_assert_eq(end_of(workers, read_there, HTMT__READ), 0);
        cr_assert_eq(end_of(workers, write_there, HTMT__WRITE), 0);
    }
}

/* The clock may look from the sync to the next issue. */
static int end_of_look(bool issue_between)
{
    pid_t child = fork();
    if (!child) {
        struct htmt__host *host = open_host((struct htmt__host_options){.checked = true});
        signal(SIGSEGV, SIG_DFL);
        struct htmt__storage *s = htmt__storage_create(host, 100, true, false);
        void *bytes = htmt__storage_bytes(s);
        htmt__storage_sync(host, s, HTMT__READ);
        if (issue_between)
            htmt__host_issue(host, htmt__job_create(host, 0, nothing, 0, 0), false);
        read_there(&bytes);
        _exit(0);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

Test(host, a_synced_storage_is_readable_until_the_next_issue)
{
    cr_assert_eq(end_of_look(false), 0);
    cr_assert_eq(end_of_look(true), SIGSEGV);
}

/* Each of them, also the first. */
Test(host, no_storage_of_a_job_is_open_behind_it)
{
    for (int look = 0; look < 3; look++) {
        pid_t child = fork();
        if (!child) {
            struct htmt__host *host = open_host((struct htmt__host_options){.checked = true});
            signal(SIGSEGV, SIG_DFL);
            struct htmt__job *job = htmt__job_create(host, 0, nothing, 0, 3);
            void *bytes[3];
            for (int i = 0; i < 3; i++) {
                struct htmt__storage *s = htmt__storage_create(host, 100, true, false);
                bytes[i] = htmt__storage_bytes(s);
                htmt__job_use(job, s, HTMT__WRITE);
            }
            htmt__host_issue(host, job, false);
            htmt__host_drain(host);
            read_there(&bytes[look]);
            _exit(0);
        }
        int status = 0;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "storage %d", look);
    }
}
