/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chase follows pointers from line to line in an order that no prefetcher knows. Streams read
 * every word of their lines, as kernels do, with more sums at once than a chain of additions could
 * hold up; those that come out of l1 faster than they compute read a word of each line.
 */
#include "emul/host/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE (UINT64_C(2) << 20)
#define WORD      sizeof(double)
#define CHASED    20000 /* lines of a sample, at least */
#define BYTES_MOST (UINT64_C(192) << 20)

struct place {
    char *bytes;      /* of pages as large as the host has them */
    uint64_t n;       /* bytes of a loop's array; streams lie one after another */
    uint32_t line;
    unsigned streams;
    void **at; /* of the chase */
};

/* ---- loops ----------------------------------------------------------------------------------- */

/* A ring of all lines: Sattolo's permutation. */
static int make_ring(struct place *p)
{
    uint64_t lines = p->n / p->line, state = 7;
    uint32_t *next = malloc(lines * sizeof *next);
    if (!next)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < lines; i++)
        next[i] = i;
    for (uint64_t i = lines - 1; i > 0; i--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t k = (state >> 33) % i;
        uint32_t kept = next[i];
        next[i] = next[k];
        next[k] = kept;
    }
    for (uint64_t i = 0; i < lines; i++)
        *(void **)(p->bytes + i * p->line) = p->bytes + (uint64_t)next[i] * p->line;
    free(next);
    p->at = (void **)p->bytes;
    return 0;
}

static void chase(void *user, uint64_t n)
{
    struct place *p = user;
    void **at = p->at;
    for (uint64_t i = 0; i < n; i++)
        at = *at;
    __asm__ volatile("" : "+r"(at));
    p->at = at;
}

/* A turn is a word of each stream; two sums of each. */
static void read_streams(void *user, uint64_t n)
{
    const struct place *p = user;
    const double *a = (const double *)p->bytes, *b = (const double *)(p->bytes + p->n),
                 *c = (const double *)(p->bytes + 2 * p->n);
    double s = 0, t = 0, u = 0, v = 0;
    for (uint64_t i = 0; i < n; i += 4)
        switch (p->streams) {
        case 1:
            s += a[i];
            t += a[i + 1];
            u += a[i + 2];
            v += a[i + 3];
            break;
        case 2:
            s += a[i];
            t += a[i + 1];
            u += a[i + 2];
            v += a[i + 3];
            s += b[i];
            t += b[i + 1];
            u += b[i + 2];
            v += b[i + 3];
            break;
        default:
            s += a[i];
            t += a[i + 1];
            u += a[i + 2];
            v += a[i + 3];
            s += b[i];
            t += b[i + 1];
            u += b[i + 2];
            v += b[i + 3];
            s += c[i];
            t += c[i + 1];
            u += c[i + 2];
            v += c[i + 3];
        }
    s += t + u + v;
    __asm__ volatile("" ::"m"(s));
}

/* A word of each line; a turn is a word as above. */
static void read_lines(void *user, uint64_t n)
{
    const struct place *p = user;
    for (uint64_t i = 0; i < n * WORD; i += p->line)
        for (unsigned k = 0; k < p->streams; k++) {
            uint64_t v = *(const volatile uint64_t *)(p->bytes + k * p->n + i);
            (void)v;
        }
}

static void write_stream(void *user, uint64_t n)
{
    const struct place *p = user;
    double *a = (double *)p->bytes, v = 1;
    for (uint64_t i = 0; i < n; i++) {
        __asm__ volatile("" : "+m"(v));
        a[i] = 1;
    }
}

/* Every word of one stream, doubled, to the other. */
static void copy_stream(void *user, uint64_t n)
{
    const struct place *p = user;
    const double *from = (const double *)p->bytes;
    double *to = (double *)(p->bytes + p->n);
    for (uint64_t i = 0; i < n; i++) {
        double v = from[i];
        __asm__ volatile("" ::: "memory");
        to[i] = v + v;
    }
}

/* ---- a level --------------------------------------------------------------------------------- */

#define SAMPLES 24

static struct htmt__host_figure lines_of(struct htmt__host_clock *clock, htmt__host_loop_fn *loop,
                                         struct place *p)
{
    struct htmt__host_figure word =
        htmt__host_samples(clock, loop, p, p->n / WORD, SAMPLES);
    return htmt__host_part_of(word, (double)WORD * p->streams / p->line);
}

static int measure_latency(struct htmt__host_clock *clock, struct place *p, uint64_t bytes,
                           struct htmt__host_figure *latency)
{
    p->n = bytes;
    int rc = make_ring(p);
    uint64_t lines = bytes / p->line;
    if (!rc) {
        chase(p, lines < 10 * CHASED ? lines : 10 * CHASED);
        *latency = htmt__host_samples(clock, chase, p, CHASED, SAMPLES);
    }
    return rc;
}

/* Near caches give lines faster than all their words can be added up. */
static void measure_streams(struct htmt__host_clock *clock, struct place *p, uint64_t bytes,
                            bool near, struct htmt__host_level *level)
{
    for (unsigned k = 0; k < HTMT__HOST_STREAMS; k++) {
        p->streams = k + 1;
        p->n = bytes / (k + 1) / p->line / 8 * p->line * 8;
        level->read[k] = lines_of(clock, near ? read_lines : read_streams, p);
    }
    p->streams = 1;
    p->n = bytes / p->line * p->line;
    level->write = lines_of(clock, write_stream, p);
    p->n = bytes / 2 / p->line * p->line;
    level->copy = lines_of(clock, copy_stream, p);
    level->bytes = bytes;
}

/* Well inside a cache and well beyond the one before; of memory, well beyond the last cache. */
static uint64_t bytes_of(const struct htmt__host_topology *t, unsigned level)
{
    if (level >= t->caches) {
        uint64_t bytes = 4 * t->cache[t->caches - 1].bytes;
        return bytes < BYTES_MOST ? bytes : BYTES_MOST;
    }
    uint64_t below = level ? t->cache[level - 1].bytes : 0, own = t->cache[level].bytes;
    return own / 2 > 2 * below ? (level == 2 ? own / 4 : own / 2) : (own + below) / 2;
}

static void *take_pages(uint64_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

int htmt__host_memory(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                      htmt__host_progress_fn *progress, void *user, struct htmt_fault *fault)
{
    static const char *const names[] = {"l1", "l2", "l3", "memory"};
    const struct htmt__host_topology *t = &f->topology;
    uint64_t bytes = bytes_of(t, t->caches) + HUGE_PAGE;
    struct place p = {.line = t->cache[0].line, .bytes = take_pages(bytes)};
    int rc = p.bytes ? 0 : HTMT_ENOMEM;
    for (f->levels = 0; f->levels <= t->caches && !rc; f->levels++) {
        struct htmt__host_level *level = &f->level[f->levels];
        uint64_t size = bytes_of(t, f->levels);
        if (progress)
            progress(user, names[f->levels == t->caches ? 3 : f->levels]);
        rc = measure_latency(clock, &p, size, &level->latency);
        if (!rc)
            measure_streams(clock, &p, size, f->levels < t->caches, level);
    }
    if (p.bytes)
        munmap(p.bytes, bytes);
    return rc ? htmt_fault_set(fault, rc, "no memory for arrays of %.0f MiB", 0x1p-20 * (double)bytes)
              : 0;
}
