/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The levels of the TLB, by chases of one line a page.
 *
 * A chase through k pages, a line of each, misses a level that holds fewer. The lines themselves
 * are in the caches, so a chase of as many lines that lie side by side takes what caches take, and
 * what the first one takes more is of the pages. Lines of neighbour pages have other places in
 * their pages, so that both chases use as many sets of the first cache.
 *
 * Over k that is a staircase. Its first flat part above zero is `late`, its second one `late` +
 * `walk`; a level holds the most pages that stay below half of its step. By hand: 0.1 cycles of 96
 * pages, 5.9 of 112, 6.9 of 128 to 512, 20 of 2048, 40 of 2560, 42.5 of 3072: the first level
 * holds 96 pages, late 6.9; the second one 2048, walk 35.6, as 20 is less than 6.9 + 35.6 / 2.
 *
 * What walks take depends on where the page tables are, 8 bytes a page. So they are measured by
 * lines APART pages from each other, as rows of 16 KiB are, in half as many pages more as the
 * second level holds: a chase takes `walk` each, and loads that wait for nothing `every`. The more
 * of them wait for walks, the longer these take: 25 to 29 cycles with four to seven instructions a
 * turn, 24 to 27 with a dozen, 18 with two dozen. A dozen is what `every` is measured with: loops
 * of columns have six, gathers at random as many for each walk, since half of their pages are
 * known.
 *
 * A line of the tables that is not in l2 comes from the cache behind it. One after the other, if
 * there are several: a virtual machine has tables of its own and of its host. How many, `tables`,
 * says a chase behind a stream that has pushed everything out of l2, where each page has a line of
 * the tables for itself, against one that needs few pages. By hand, lines of the last cache 82
 * cycles beyond l2, a chase of 338 cycles against one of 97: 241 more, of which late and walk are
 * 62; the others are 2.2 lines.
 *
 * Where sets of the second level are numbered by the last bits of a page alone, pages 64 apart have
 * one of its sets in 64, and a chase of as many as half of it holds walks for each. Else the index
 * is `hashed`.
 *
 * Which pages. Kernels get theirs from malloc(): of the base size, unless the system makes large
 * ones by itself ("always" in transparent_hugepage/enabled). It may say so and a virtual machine
 * have large pages that its host keeps in small ones, which the TLB then holds. So pages of the
 * base size are tried first, in memory as malloc() has it, and large ones where no level was found
 * by them.
 */
#include "emul/command/host/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS      4
#define SAMPLES     3
#define STEPS_MOST  64
#define LINES_LEAST 1024 /* of a sample */
#define LINES_MOST  4096
#define ROOM        (UINT64_C(512) << 20) /* of large pages, and of APART_SET small ones */
#define TABLES_MOST 4
/* Instructions between two loads, with those of the loop a dozen. */
#define BESIDE_LOAD "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop"
#define SEEN        1.0   /* cycles: less is no step */
#define APART       4u    /* pages, of rows whose walks are measured */
#define APART_TABLE 8u    /* that have no line of the tables together */
#define APART_SET   64u   /* that have few sets */
#define FAR         1024u /* pages of either */
#define NEAR_LINES  4u    /* from line to line of a chase in few pages */
#define FLAT        1.07  /* of a part of the staircase, from k to k */

static const unsigned steps[] = {16,   24,   32,   40,   48,   56,   64,   72,   80,   96,  112,
                                 128,  160,  192,  256,  320,  384,  512,  640,  768,  896, 1024,
                                 1280, 1536, 1792, 2048, 2560, 3072, 4096, 5120, 6144, 8192};
#define STEPS (sizeof steps / sizeof *steps)

struct pages {
    struct htmt__host_chases chases; /* first, for their loops */
    char *bytes;
    uint64_t page;
    uint32_t line;
    unsigned k, apart, next; /* apart: pages from line to line, 0: side by side */
    const char *out;         /* what a stream reads to push all out of the second cache */
    uint64_t out_bytes;
};

/* Line i of the ring. */
static char *line_of(const struct pages *p, uint64_t i)
{
    return p->apart ? p->bytes + i * p->apart * p->page + i % (4096 / p->line) * p->line
                    : p->bytes + i * p->line;
}

/* Lines in the order of their pages, a line further in each; none waits for another. */
static void load_among(void *user, uint64_t n)
{
    struct pages *p = user;
    const uint64_t step = p->apart * p->page + p->line;
    while (n > 0) {
        const uint64_t left = p->k - p->next, some = n < left ? n : left;
        const char *at = p->bytes + p->next * step, *end = at + some * step;
        for (; at < end; at += step) {
            (void)*(const volatile uint64_t *)at;
            __asm__ volatile(BESIDE_LOAD);
        }
        n -= some;
        p->next = (p->next + (unsigned)some) % p->k;
    }
}

static void push_out(void *user)
{
    const struct pages *p = user;
    for (uint64_t i = 0; i < p->out_bytes; i += p->line)
        (void)*(const volatile char *)(p->out + i);
}

/* A ring of all lines in an order that no prefetcher knows; chases begin evenly apart in it. */
static void make_ring(struct pages *p, uint32_t *order)
{
    uint64_t state = 7;
    for (uint32_t i = 0; i < p->k; i++)
        order[i] = i;
    htmt__host_mix(order, p->k, &state);
    for (uint32_t i = 0; i < p->k; i++)
        *(void **)line_of(p, order[i]) = line_of(p, order[(i + 1) % p->k]);
    for (unsigned c = 0; c < HTMT__HOST_CHASES; c++)
        p->chases.at[c] = (void **)line_of(p, order[(uint64_t)c * p->k / HTMT__HOST_CHASES]);
}

/* A round of one chase; the lines of both rings are in the caches, and their pages where they may
 * be, since the ring was just made and is passed once before. */
static void measure(struct htmt__host_clock *clock, struct pages *p, uint32_t *order,
                    htmt__host_loop_fn *run, const char *what, struct htmt__host_figure *f)
{
    char name[48];
    const uint64_t n = p->k < LINES_LEAST ? LINES_LEAST : p->k < LINES_MOST ? p->k : LINES_MOST;
    snprintf(name, sizeof name, "pages %u %s", p->k, what);
    const struct htmt__host_loop loop = {name, run, p, p->out ? push_out : NULL};
    if (!clock->told) {
        make_ring(p, order);
        htmt__host_chase(p, 2 * p->k);
    }
    htmt__host_keep(f, htmt__host_samples(clock, &loop, n, SAMPLES));
}

/* The first k from `i` on behind which the staircase stays flat above `above`; STEPS: none. */
static unsigned find_flat(const double *more, unsigned i, unsigned count, double above)
{
    for (; i + 1 < count; i++)
        if (more[i] > above && more[i + 1] > above && more[i + 1] < FLAT * more[i])
            return i + 1;
    return STEPS;
}

/* The most pages below half of a step that ends at steps[flat]. */
static unsigned held_below(const double *more, unsigned flat, double half)
{
    while (flat > 0 && more[flat] > half)
        flat--;
    return steps[flat];
}

/* What the staircase says. */
static void read_steps(const struct htmt__host_figure *page, const struct htmt__host_figure *packed,
                       unsigned count, struct htmt__host_tlb *t)
{
    double more[STEPS];
    for (unsigned i = 0; i < count; i++)
        more[i] = page[i].value - packed[i].value;
    const unsigned first = find_flat(more, 0, count, SEEN);
    if (first == STEPS)
        return;
    t->late = page[first];
    t->late.value = more[first];
    t->entries = held_below(more, first, more[first] / 2);
    const unsigned second = find_flat(more, first, count, 1.5 * more[first] + SEEN);
    if (second == STEPS)
        return;
    t->walk = page[second];
    t->walk.value = more[second] - more[first];
    t->second = held_below(more, second, more[first] + t->walk.value / 2);
}

static bool marked(const struct htmt__host_figure *page, const struct htmt__host_figure *packed,
                   unsigned count)
{
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= page[i].disturbed || packed[i].disturbed;
    return any;
}

/* What walks are told by, beside the staircase. */
struct walks {
    struct htmt__host_figure chase, among; /* APART pages from each other */
    struct htmt__host_figure few, far;     /* behind a stream: in few pages; APART_TABLE apart */
    struct htmt__host_figure sets;         /* APART_SET apart */
};

static void measure_walks(struct htmt__host_clock *clock, struct pages *p, uint32_t *order,
                          unsigned pages, struct walks *w)
{
    p->k = pages;
    p->apart = APART;
    measure(clock, p, order, htmt__host_chase, "walk", &w->chase);
    measure(clock, p, order, load_among, "among", &w->among);
    p->k = FAR;
    p->apart = APART_SET;
    measure(clock, p, order, htmt__host_chase, "sets", &w->sets);
    struct pages far = *p;
    far.out = p->bytes + FAR * APART_TABLE * p->page;
    far.apart = APART_TABLE;
    measure(clock, &far, order, htmt__host_chase, "far", &w->far);
    far.apart = 0;
    far.line = NEAR_LINES * p->line;
    measure(clock, &far, order, htmt__host_chase, "few", &w->few);
}

static void read_walks(const struct walks *w, struct htmt__host_figure packed,
                       struct htmt__host_tlb *t)
{
    const double late = t->late.value, line = w->few.value - packed.value;
    const double step = t->walk.value;
    t->every = w->among;
    t->walk = htmt__host_less(w->chase, packed);
    t->walk.value = w->chase.value - packed.value - late;
    if (t->walk.value <= 0) /* others had the core */
        t->walk.value = step;
    t->hashed = t->second >= FAR && w->sets.value < packed.value + late + step / 2;
    const double more = w->far.value - w->few.value - late - t->walk.value;
    t->tables = line > 0 && more > line / 2 ? (unsigned)(more / line + 0.5) : 0;
    t->tables = t->tables < TABLES_MOST ? t->tables : TABLES_MOST;
}

static void measure_pages(struct htmt__host_clock *clock, struct pages *p, uint32_t *order,
                          uint64_t room, struct htmt__host_tlb *t)
{
    struct htmt__host_figure page[STEPS] = {{0}}, packed[STEPS] = {{0}};
    unsigned count = 0;
    while (count < STEPS && steps[count] * p->page <= room)
        count++;
    for (unsigned round = 0; htmt__host_again(clock, round, ROUNDS, marked(page, packed, count));
         round++) {
        for (unsigned i = 0; i < count; i++) {
            if (round >= ROUNDS && !page[i].disturbed && !packed[i].disturbed)
                continue;
            p->k = steps[i];
            p->apart = 0;
            measure(clock, p, order, htmt__host_chase, "packed", &packed[i]);
            p->apart = 1;
            measure(clock, p, order, htmt__host_chase, "chase", &page[i]);
        }
    }
    *t = (struct htmt__host_tlb){.page = p->page};
    read_steps(page, packed, count, t);
    unsigned more = 0; /* pages, well beyond the second level */
    while (more < count && 2 * steps[more] < 3 * t->second)
        more++;
    if (p->out_bytes == 0 || t->second == 0 || more == count)
        return;
    struct walks walks = {.chase = {.value = 0}};
    const struct htmt__host_figure *const all[] = {&walks.chase, &walks.among, &walks.few,
                                                   &walks.far, &walks.sets};
    bool disturbed = false;
    for (unsigned round = 0; htmt__host_again(clock, round, ROUNDS, disturbed); round++) {
        measure_walks(clock, p, order, steps[more], &walks);
        disturbed = false;
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            disturbed |= all[i]->disturbed;
    }
    read_walks(&walks, packed[more], t);
}

/* The size of pages that the system makes by itself; 0: none larger than the base size. */
static uint64_t large_page(void)
{
    char text[80] = "";
    unsigned long long bytes = 0;
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    const bool always = file && fgets(text, sizeof text, file) && strstr(text, "[always]");
    if (file)
        fclose(file);
    file = always ? fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "r") : NULL;
    if (file && fscanf(file, "%llu", &bytes) != 1)
        bytes = 0;
    if (file)
        fclose(file);
    return bytes;
}

int htmt__host_pages(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                     htmt__host_progress_fn *progress, void *user)
{
    const long base = sysconf(_SC_PAGESIZE);
    const uint64_t small = base > 4096 ? (uint64_t)base : 4096;
    const uint64_t large = clock->told ? 0 : large_page();
    const struct htmt__host_topology *t = &f->topology;
    struct pages p = {.line = t->cache[0].line, .page = small};
    p.out_bytes = 4 * t->cache[t->caches > 1 ? 1 : 0].bytes;
    const uint64_t used = FAR * APART_TABLE * small + p.out_bytes;
    const uint64_t all[] = {ROOM, used, FAR * APART_SET * small + LINES_MOST,
                            steps[STEPS - 1] * (APART * small + p.line)};
    uint64_t room = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        room = all[i] > room ? all[i] : room;
    uint32_t *order = malloc(steps[STEPS - 1] * sizeof *order);
    if (!order)
        return HTMT_ENOMEM;
    p.bytes = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p.bytes == MAP_FAILED) {
        free(order);
        return HTMT_ENOMEM;
    }
    if (progress)
        progress(user, "pages");
    if (!clock->told)
        memset(p.bytes, 1, used); /* its pages lie one behind the other, as arrays' do */
    measure_pages(clock, &p, order, steps[STEPS - 1] * small, &f->tlb);
    if (!f->tlb.entries && large) {
        p.page = large;
        p.out_bytes = 0;
        measure_pages(clock, &p, order, room, &f->tlb);
    }
    munmap(p.bytes, room);
    free(order);
    return 0;
}
