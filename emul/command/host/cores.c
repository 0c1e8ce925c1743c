/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory by several cores. Streams of all lines that they read, or read and write, run on 1, 2, 4,
 * .. and all processors of the process at once, each on data of its own: out of the last cache, in
 * sets that fit it together, and out of memory. What one of them takes a line grows once all
 * together want more than the cache or the memory has. By hand, a memory that gives a line every 2
 * ns, and a core that alone gets one every 5 ns: two cores take 5 ns each, four 8 ns.
 *
 * Whether two processors share a core. A loop of instructions that do nothing is bound by the front
 * of the core, which two threads of one core take in turns: beside another such loop it takes twice
 * as long. On cores of their own both take what they take alone. By hand 1000 turns in 43 us alone,
 * in 43.1 beside processor 1 and in 86 beside processor 2: 0 and 2 are of one core. The system may
 * say so as well, and where it says otherwise that is told; a virtual machine may be told anything.
 */
#include "emul/command/host/together.h"
#include "runtime/base/by_size.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define ROUNDS     6
#define PAUSE      150e6 /* ns between them: others disturb for longer than a sample lasts */
#define SAMPLES    3
#define SECONDS    3e-3
#define FAR_PIECE  (UINT64_C(1) << 20) /* bytes of memory in a piece */
#define UNIT_TURNS 2000                /* of the loop of pairs: some 90 us */
#define SHARED     1.4                 /* times as long beside another one */
#define PAIRS_MOST 128                 /* that are tried */
#define STREAMS    2

/* ---- streams --------------------------------------------------------------------------------- */

struct stream {
    char *bytes;
    uint64_t room, at; /* of each of the streams; where the next piece begins */
    uint32_t line;
    bool write;
};

/* A turn is a line. A line is read, or read and written, by one word, so nothing but lines is what
 * binds. */
static void touch(void *user, uint64_t n)
{
    struct stream *s = user;
    const uint64_t step = s->line / sizeof(uint64_t);
    for (uint64_t done = 0; done < n; done += 8 * STREAMS) {
        for (unsigned k = 0; k < STREAMS; k++) {
            volatile uint64_t *at = (volatile uint64_t *)(s->bytes + k * s->room + s->at);
            for (unsigned j = 0; j < 8; j++, at += step)
                if (s->write)
                    *at = *at;
                else
                    (void)*at;
        }
        s->at = s->at + 16 * s->line <= s->room ? s->at + 8 * s->line : 0;
    }
}

/* A round of a figure: its fastest sample. */
static int measure(struct htmt__host_clock *clock, struct htmt__host_crowd *crowd, unsigned threads,
                   const char *name, htmt__host_loop_fn *run, void *const *user, uint64_t turns,
                   struct htmt__host_figure *f)
{
    double sample[SAMPLES], least = 0;
    unsigned taken = 0;
    for (unsigned i = 0; i < 2 * SAMPLES && taken < SAMPLES; i++) {
        struct htmt__host_together t;
        if (clock->told) {
            const double ns = clock->told(clock->user, name, turns, &t.cycle);
            t.still = ns >= 0;
            t.cycles = (t.still ? ns : -ns) / (double)turns / t.cycle;
        } else {
            const int rc = htmt__host_run_together(crowd, threads, run, user, turns, SECONDS, &t);
            if (rc)
                return rc;
            t.still = t.still || (crowd->cores && threads > crowd->cores); /* nor can it be */
        }
        least = least > 0 && least < t.cycles ? least : t.cycles;
        if (t.still)
            sample[taken++] = t.cycles;
    }
    qsort(sample, taken, sizeof *sample, htmt__by_size);
    htmt__host_keep(f, taken
                           ? (struct htmt__host_figure){.value = sample[0],
                                                        .spread = sample[taken / 2] / sample[0] - 1,
                                                        .taken = taken,
                                                        .rounds = 1,
                                                        .low = {sample[0]}}
                           : (struct htmt__host_figure){.value = least});
    return 0;
}

/* Bytes of each processor's set in the last cache; 0: together they do not fit beside what the
 * caches before it hold. */
static uint64_t bytes_in_cache(const struct htmt__host_figures *f, unsigned threads)
{
    const struct htmt__host_topology *t = &f->topology;
    if (t->caches < 2)
        return 0;
    const uint64_t below = t->cache[t->caches - 2].bytes, own = t->cache[t->caches - 1].bytes;
    const unsigned together = t->sharing && t->sharing < threads ? t->sharing : threads;
    const double room = (f->share.whole > 0 ? f->share.whole : (double)own) / 2 / together;
    const uint64_t bytes = room < 8 * (double)below ? (uint64_t)room : 8 * below;
    return bytes < 3 * below ? 0 : bytes;
}

/* All figures of a number of processors. */
static int measure_step(struct htmt__host_clock *clock, struct htmt__host_crowd *crowd,
                        const struct htmt__host_figures *f, char *bytes, uint64_t room,
                        struct htmt__host_step *step)
{
    struct stream *stream = calloc(step->cpus, sizeof *stream);
    void **user = calloc(step->cpus, sizeof *user);
    const uint32_t line = f->topology.cache[0].line;
    const uint64_t near = bytes_in_cache(f, step->cpus);
    int rc = stream && user ? 0 : HTMT_ENOMEM;
    for (int far = near ? 0 : 1; far < 2 && !rc; far++) {
        const uint64_t each = (far ? room / step->cpus : near) / STREAMS / line / 8 * line * 8;
        const uint64_t turns = (far ? FAR_PIECE / line : STREAMS * each / line);
        for (int write = 0; write < 2 && !rc; write++) {
            char name[48];
            for (unsigned i = 0; i < step->cpus; i++) {
                stream[i] =
                    (struct stream){bytes + (bytes ? i * (room / step->cpus / line * line) : 0),
                                    each, 0, line, write};
                user[i] = &stream[i];
            }
            snprintf(name, sizeof name, "cores %u %s %s", step->cpus, far ? "memory" : "cache",
                     write ? "write" : "read");
            rc = measure(clock, crowd, step->cpus, name, touch, user, turns,
                         write ? &step->write[far] : &step->read[far]);
        }
    }
    free(stream);
    free(user);
    return rc;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void do_nothing(void *user, uint64_t n)
{
    (void)user;
    for (uint64_t i = 0; i < n; i++)
        __asm__ volatile(".rept 256\n\tnop\n\t.endr");
}

/* What the system says: -1: nothing. */
static int siblings_by_system(int a, int b)
{
    char path[96], text[256] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", a);
    FILE *file = fopen(path, "r");
    const bool got = file && fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    int found = 0;
    for (char *at = text; got && *at;) {
        const long from = strtol(at, &at, 10), to = *at == '-' ? strtol(at + 1, &at, 10) : from;
        found |= b >= from && b <= to;
        at += *at != '\0';
    }
    return got ? found : -1;
}

/* One beside the other, and alone. */
static int measure_pair(struct htmt__host_clock *clock, struct htmt__host_crowd *two,
                        struct htmt__host_pair *p)
{
    void *const nobody[2] = {NULL, NULL};
    char name[48];
    two->cpu[0] = p->cpu[0];
    two->cpu[1] = p->cpu[1];
    snprintf(name, sizeof name, "alone %d", p->cpu[0]);
    const int rc = measure(clock, two, 1, name, do_nothing, nobody, UNIT_TURNS, &p->alone);
    snprintf(name, sizeof name, "beside %d %d", p->cpu[0], p->cpu[1]);
    return rc ? rc : measure(clock, two, 2, name, do_nothing, nobody, UNIT_TURNS, &p->beside);
}

/* Of many processors only those pairs are tried that the system calls siblings, and neighbours. */
static int measure_pairs(struct htmt__host_clock *clock, const struct htmt__host_crowd *crowd,
                         struct htmt__host_pair *pair, unsigned *pairs)
{
    const bool all = crowd->cpus * (crowd->cpus - 1) / 2 <= PAIRS_MOST;
    struct htmt__host_crowd *two = calloc(1, sizeof *two);
    unsigned count = 0;
    int rc = two ? 0 : HTMT_ENOMEM;
    for (unsigned a = 0; a < crowd->cpus; a++)
        for (unsigned b = a + 1; b < crowd->cpus && count < PAIRS_MOST && !rc; b++) {
            struct htmt__host_pair *p = &pair[count];
            const int told = clock->told ? -1 : siblings_by_system(crowd->cpu[a], crowd->cpu[b]);
            if (!all && b != a + 1 && told != 1)
                continue;
            p->cpu[0] = crowd->cpu[a];
            p->cpu[1] = crowd->cpu[b];
            p->system = told;
            rc = measure_pair(clock, two, p);
            count++;
        }
    free(two);
    *pairs = count;
    return rc;
}

/* The least time counts: a core beside which others ran looks as if it were shared. */
static bool shares(const struct htmt__host_pair *p)
{
    return p->beside.value > SHARED * p->alone.value;
}

/* Processors of a core, at most, and whether the system says otherwise of any pair. */
static void derive_threads(struct htmt__host_cores *c, const struct htmt__host_crowd *crowd,
                           const struct htmt__host_pair *pair, unsigned pairs)
{
    c->threads = 1;
    for (unsigned a = 0; a < crowd->cpus; a++) {
        unsigned own = 1;
        for (unsigned i = 0; i < pairs; i++)
            own += shares(&pair[i]) &&
                   (pair[i].cpu[0] == crowd->cpu[a] || pair[i].cpu[1] == crowd->cpu[a]);
        c->threads = own > c->threads ? own : c->threads;
    }
    for (unsigned i = 0; i < pairs; i++) {
        const int found = shares(&pair[i]);
        c->confirmed += pair[i].system == found;
        if (pair[i].system < 0 || pair[i].system == found || c->differ)
            continue;
        c->differ = true;
        c->pair[0] = pair[i].cpu[0];
        c->pair[1] = pair[i].cpu[1];
    }
}

/* Who shares no core with those before it comes first: N cores are what N processors should be. */
static void order_crowd(struct htmt__host_crowd *crowd, const struct htmt__host_pair *pair,
                        unsigned pairs)
{
    int later[HTMT__HOST_CPUS];
    unsigned first = 0, rest = 0;
    for (unsigned a = 0; a < crowd->cpus; a++) {
        bool beside = false;
        for (unsigned i = 0; i < pairs; i++)
            for (unsigned k = 0; k < first; k++)
                beside |= shares(&pair[i]) && pair[i].cpu[0] == crowd->cpu[k] &&
                          pair[i].cpu[1] == crowd->cpu[a];
        if (beside)
            later[rest++] = crowd->cpu[a];
        else
            crowd->cpu[first++] = crowd->cpu[a];
    }
    crowd->cores = first;
    memcpy(crowd->cpu + first, later, rest * sizeof *later);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void plan_steps(struct htmt__host_cores *c, unsigned cpus)
{
    for (unsigned n = 1; n <= cpus && c->steps + 1 < HTMT__HOST_STEPS; n *= 2)
        c->step[c->steps++].cpus = n;
    if (c->step[c->steps - 1].cpus != cpus)
        c->step[c->steps++].cpus = cpus;
}

int htmt__host_cores(struct htmt__host_clock *clock, struct htmt__host_crowd *crowd,
                     struct htmt__host_figures *f, htmt__host_progress_fn *progress, void *user)
{
    const uint64_t room = clock->told ? UINT64_C(1) << 24 : htmt__host_bytes_beyond(&f->topology);
    struct htmt__host_pair *pair = calloc(PAIRS_MOST, sizeof *pair);
    char *bytes =
        clock->told ? NULL
                    : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct htmt__host_crowd *found = malloc(sizeof *found);
    struct htmt__host_cores *c = &f->cores;
    unsigned pairs = 0;
    int rc = pair && found && bytes != MAP_FAILED ? 0 : HTMT_ENOMEM;
    if (found)
        *found = *crowd;
    *c = (struct htmt__host_cores){.steps = 0};
    if (!rc && bytes) {
        madvise(bytes, room, MADV_HUGEPAGE);
        memset(bytes, 1, room);
    }
    plan_steps(c, crowd->cpus);
    for (unsigned round = 0; round < ROUNDS && !rc; round++) {
        if (progress)
            progress(user, "cores");
        rc = measure_pairs(clock, found, pair, &pairs);
        if (!round && !rc)
            order_crowd(crowd, pair, pairs);
        for (unsigned i = 0; i < c->steps && !rc; i++)
            rc = measure_step(clock, crowd, f, bytes, room, &c->step[i]);
        if (!clock->told)
            nanosleep(&(struct timespec){.tv_nsec = (long)PAUSE}, NULL);
    }
    if (rc)
        c->steps = 0;
    else
        derive_threads(c, crowd, pair, pairs);
    if (bytes && bytes != MAP_FAILED)
        munmap(bytes, room);
    free(found);
    free(pair);
    return rc;
}
