/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a job of the host costs: create, declare one storage, issue, run; on the clock's
 * thread alone and with one worker. No two jobs that are outstanding touch one storage.
 *
 *   jobs-empty   a job adds one to a word
 *   jobs-5us     a job of about 5 us, beside the same in a plain loop on 1 and 2 threads
 */
#include "bench/clock.h"
#include "runtime/host/host.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define STORAGES   1024u /* more than jobs may be issued and unfinished */
#define EMPTY_JOBS 300000u
#define LONG_JOBS  20000u
#define STEPS      4000u /* 4 or 5 cycles each: about 5 us */
#define TURNS      3

struct word {
    _Alignas(64) uint64_t x;
};

static void add_one(void *word)
{
    ((struct word *)word)->x++;
}

/* A chain that no compiler shortens: Knuth's linear congruential generator. */
static void churn(void *word)
{
    uint64_t x = ((struct word *)word)->x;
    for (unsigned i = 0; i < STEPS; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ volatile("" : "+r"(x));
    }
    ((struct word *)word)->x = x;
}

struct bench {
    const char *group;
    void (*run)(void *word);
    unsigned jobs;
    struct word word[STORAGES];
};

/* ---- jobs ----------------------------------------------------------------------------------- */

struct payload {
    void (*run)(void *word);
    void *word;
};

static void run_payload(void *payload)
{
    const struct payload *p = payload;
    p->run(p->word);
}

static void issue(struct htmt__host *host, const struct bench *b, struct htmt__storage *s)
{
    struct htmt__job *job = htmt__job_create(host, 0, run_payload, sizeof(struct payload), 1);
    if (!job)
        bench_fail("out of memory");
    *(struct payload *)htmt__job_payload(job) = (struct payload){b->run, htmt__storage_bytes(s)};
    htmt__job_use(job, s, HTMT__READ | HTMT__WRITE);
    htmt__host_issue(host, job, false);
}

static double with_host(struct bench *b, unsigned threads)
{
    struct htmt__host_options o = {.pools = 1, .workers = threads - 1};
    struct htmt__storage *s[STORAGES];
    struct htmt__host *host = NULL;
    if (htmt__host_create(&host, &o))
        bench_fail("no host");
    for (unsigned i = 0; i < STORAGES; i++)
        if (!(s[i] = htmt__storage_wrap(host, &b->word[i], sizeof b->word[i])))
            bench_fail("out of memory");
    double begin = bench_now();
    for (unsigned i = 0; i < b->jobs; i++)
        issue(host, b, s[i % STORAGES]);
    htmt__host_drain(host);
    double seconds = bench_now() - begin;
    htmt__host_destroy(&host);
    return seconds;
}

/* ---- the plain loop ------------------------------------------------------------------------- */

struct share {
    struct bench *b;
    unsigned first, threads;
};

static void *plain_share(void *argument)
{
    const struct share *s = argument;
    for (unsigned i = s->first; i < s->b->jobs; i += s->threads)
        s->b->run(&s->b->word[i % STORAGES]);
    return NULL;
}

static double plain(struct bench *b, unsigned threads)
{
    struct share mine = {b, 0, threads}, other = {b, 1, threads};
    pthread_t thread;
    double begin = bench_now();
    if (threads > 1 && pthread_create(&thread, NULL, plain_share, &other) != 0)
        bench_fail("pthread_create");
    plain_share(&mine);
    if (threads > 1 && pthread_join(thread, NULL) != 0)
        bench_fail("pthread_join");
    return bench_now() - begin;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static void measure(struct bench *b, const char *how, double (*run)(struct bench *, unsigned),
                    unsigned threads)
{
    char name[64];
    uint64_t work = b->jobs;
    memset(b->word, 0, sizeof b->word);
    double seconds = run(b, threads);
    for (unsigned i = 0; i < STORAGES; i++)
        work = work * 31 + b->word[i].x;
    snprintf(name, sizeof name, "%s_%u", how, threads);
    bench_report(b->group, name, 1e9 * seconds / b->jobs, "ns", work);
}

int main(void)
{
    struct bench empty = {"jobs-empty", add_one, EMPTY_JOBS, {{0}}};
    struct bench five = {"jobs-5us", churn, LONG_JOBS, {{0}}};
    for (int turn = 0; turn < TURNS; turn++) {
        measure(&empty, "host", with_host, 1);
        measure(&empty, "host", with_host, 2);
        for (unsigned threads = 1; threads <= 2; threads++) {
            measure(&five, "plain", plain, threads);
            measure(&five, "host", with_host, threads);
        }
    }
    return 0;
}
