/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tape becomes a profile, block by block. The entries of a block are collected until the next one
 * begins; blocks with the same entries, but for addresses and the way of their branch, are one.
 * Each access has a pattern of strides from its own last address, and patterns of offsets from the
 * accesses before it in the same region; the simplest one stays.
 *
 * Why the second kind: of a[i] and b[index[i]], the loads of index[] and a[] have strides of their
 * own, while x->next and x->value lie 8 bytes apart wherever x is. Seen from its own last address
 * the second of these is a mixture, seen from the first one it is the constant 8.
 *
 * How simple a pattern is, effort() says: its terms, much more if it is a mixture, and most if many
 * of its numbers are `far`, which are those that no pattern keeps. What stays far is described by
 * stack distances instead: how many other lines the region touched since this one. By hand, an
 * access of 10,000 services whose strides are 8 nine times of ten and else go anywhere: a mixture
 * of "8" and "far", and the distances of the region say how far.
 */
#include "layers/node/distance.h"
#include "layers/node/profile.h"
#include "layers/node/tape/tape_tables.h"

#include "runtime/base/fnv.h"
#include "runtime/base/ratio.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOGETHER HTMT__PROFILE_ACCESSES /* entries of a block */
#define BESIDE   4                      /* accesses before it that one is compared with */
#define AREAS    256                    /* of addresses outside regions: 2^44 bytes each */
#define SLOTS    (4 * HTMT__PROFILE_BLOCKS)
#define NONE     UINT32_MAX

/* What is known so far of one access of a block: its last, least and greatest address, its strides,
 * its offsets from up to BESIDE accesses before it, and its stack distances. */
struct slot {
    uint64_t last, low, high;
    bool met;
    struct htmt__pattern own, beside[BESIDE];
    int other[BESIDE];
    uint64_t distances[HTMT__PROFILE_CLASSES];
};

struct known {
    uint64_t signature; /* 0: free */
    uint32_t block;
};

struct measure {
    struct htmt__profile *p;
    struct known known[SLOTS];
    struct slot *slot[HTMT__PROFILE_BLOCKS];
    struct htmt__distance **distance; /* of each region */
    uint64_t *sets;                   /* of each region, a bit each */
    uint64_t entry[TOGETHER];
    uint32_t entries;
    uint32_t before; /* the block that ran last; NONE: a service begins */
    uint64_t low[AREAS], high[AREAS];
    htmt_uwide counts; /* of the services that say it */
    uint64_t counted;  /* such services */
    struct htmt_fault *fault;
};

/* ---- regions --------------------------------------------------------------------------------- */

static bool is_access(uint64_t entry)
{
    return htmt__tape_kind(entry) == HTMT__TAPE_LOAD || htmt__tape_kind(entry) == HTMT__TAPE_STORE;
}

static uint32_t region_of(const struct htmt__profile *p, uint64_t address)
{
    for (uint32_t i = 0; i < p->regions; i++)
        if (address - p->region[i].at < p->region[i].bytes)
            return i;
    return NONE;
}

/* Those of the tape, where a name that comes again gets a number; then, of the accesses outside
 * them, one for each area of 2^44 bytes, as large as they reach; and one that is everywhere, for
 * accesses that go from region to region. */
static int make_regions(struct measure *m, const struct htmt__tape *tape)
{
    static const char *const names[] = {"memory", "image", "stack", "arguments"};
    const struct htmt__tape_region *given;
    const size_t count = htmt__tape_regions(tape, &given);
    struct htmt__profile *p = m->p;
    const uint64_t *entries;
    size_t n;
    p->region = calloc(count + AREAS + 1, sizeof *p->region);
    if (!p->region)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct htmt__profile_region *r = &p->region[i];
        const size_t length = strlen(given[i].name);
        uint32_t twins = 0;
        for (size_t k = 0; k < i; k++) {
            const char *other = p->region[k].name;
            twins += strncmp(other, given[i].name, length) == 0 &&
                     (!other[length] || other[length] == '#');
        }
        snprintf(r->name, sizeof r->name, "%.28s", given[i].name);
        if (twins)
            snprintf(r->name + strlen(r->name), sizeof r->name - strlen(r->name), "#%" PRIu32,
                     twins + 1);
        r->at = given[i].at;
        r->bytes = given[i].bytes;
        p->regions++;
    }
    for (size_t c = 0; (entries = htmt__tape_chunk(tape, c, &n)); c++)
        for (size_t i = 0; i < n; i++) {
            const uint64_t at = htmt__tape_address(entries[i]), area = at >> 44;
            if (!is_access(entries[i]) || region_of(p, at) != NONE)
                continue;
            if (!m->high[area] || at < m->low[area])
                m->low[area] = at;
            if (at + htmt__tape_width(entries[i]) > m->high[area])
                m->high[area] = at + htmt__tape_width(entries[i]);
        }
    for (uint32_t area = 0; area < AREAS; area++) {
        if (!m->high[area])
            continue;
        struct htmt__profile_region *r = &p->region[p->regions++];
        if (area < sizeof names / sizeof names[0])
            snprintf(r->name, sizeof r->name, "%s", names[area]);
        else
            snprintf(r->name, sizeof r->name, "area%" PRIu32, area);
        r->at = m->low[area] & ~(uint64_t)(HTMT__PROFILE_LINE - 1);
        r->bytes = m->high[area] - r->at;
    }
    p->region[p->regions++] =
        (struct htmt__profile_region){.name = "everywhere", .bytes = HTMT__TAPE_ADDRESS - 1};
    return 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The entries of the first time that a block runs, for what all times have in common. */
static int make_block(struct measure *m, uint32_t number)
{
    struct htmt__profile_block *b = &m->p->block[number];
    uint32_t accesses = 0;
    for (uint32_t i = 0; i < m->entries; i++)
        accesses += is_access(m->entry[i]);
    *b = (struct htmt__profile_block){
        .annotated = true, .code = HTMT__TAPE_ADDRESS, .branch = HTMT__TAPE_ADDRESS};
    m->p->blocks = number + 1;
    b->access = calloc(accesses + 1, sizeof *b->access);
    m->slot[number] = calloc(accesses + 1, sizeof *m->slot[number]);
    if (!b->access || !m->slot[number])
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < m->entries; i++) {
        const enum htmt__tape_kind kind = htmt__tape_kind(m->entry[i]);
        const uint64_t address = htmt__tape_address(m->entry[i]);
        const unsigned width = htmt__tape_width(m->entry[i]);
        switch (kind) {
        case HTMT__TAPE_BLOCK:
            b->number = (uint32_t)address;
            b->annotated = false;
            break;
        case HTMT__TAPE_OP:
            b->count[width][address & 255] += address >> 8;
            break;
        case HTMT__TAPE_CODE:
            b->instructions = (uint8_t)width;
            b->code = address;
            break;
        case HTMT__TAPE_FETCH:
            b->fetches = (uint8_t)width;
            b->code = address;
            break;
        case HTMT__TAPE_BRANCH:
            b->branch = address;
            break;
        default:
            b->access[b->accesses++] = (struct htmt__profile_access){
                .store = kind == HTMT__TAPE_STORE, .width = (uint8_t)width, .beside = -1};
        }
    }
    return 0;
}

/* The block with these entries; a new one where there is none. Its signature is a hash of
 * everything but addresses of accesses and the way of a branch, and never 0; the table has open
 * addressing. */
static int find_block(struct measure *m, uint32_t *block)
{
    uint64_t hash = HTMT__HASH_BASIS;
    for (uint32_t k = 0; k < m->entries; k++) {
        uint64_t entry = m->entry[k];
        if (is_access(entry))
            entry &= ~HTMT__TAPE_ADDRESS;
        else if (htmt__tape_kind(entry) == HTMT__TAPE_BRANCH)
            entry = htmt__tape_entry(HTMT__TAPE_BRANCH, 0, htmt__tape_address(entry));
        htmt__hash_u64(&hash, entry);
    }
    const uint64_t signature = hash ? hash : 1;
    uint64_t i = signature % SLOTS;
    while (m->known[i].signature && m->known[i].signature != signature)
        i = (i + 1) % SLOTS;
    *block = m->known[i].block;
    if (m->known[i].signature)
        return 0;
    if (m->p->blocks == HTMT__PROFILE_BLOCKS)
        return htmt_fault_set(m->fault, HTMT_ERANGE,
                              "the tape has more than %d different blocks: too many for a profile",
                              HTMT__PROFILE_BLOCKS);
    *block = m->p->blocks;
    m->known[i] = (struct known){signature, *block};
    return make_block(m, *block);
}

/* Access number n of the block, whose addresses up to there are in `at`: its stride, its offsets
 * from the accesses before it, and its stack distance. */
static int take_access(struct measure *m, uint32_t block, uint32_t n, const uint64_t *at)
{
    struct slot *slot = &m->slot[block][n];
    struct htmt__profile_access *all = m->p->block[block].access, *access = &all[n];
    uint64_t found;
    int k = 0, rc = 0;
    if (!slot->met) {
        access->region = region_of(m->p, at[n]);
        access->from = at[n] - m->p->region[access->region].at;
        slot->low = slot->high = at[n];
    } else
        rc = htmt__pattern_put(&slot->own, (int64_t)(at[n] - slot->last));
    slot->low = at[n] < slot->low ? at[n] : slot->low;
    slot->high = at[n] > slot->high ? at[n] : slot->high;
    slot->last = at[n];
    slot->met = true;
    for (uint32_t i = n; i-- > 0 && k < BESIDE && !rc;)
        if (all[i].region == access->region) {
            slot->other[k] = (int)i;
            rc = htmt__pattern_put(&slot->beside[k++], (int64_t)(at[n] - at[i]));
        }
    if (!rc)
        rc = htmt__distance_touch(m->distance[access->region], at[n], &found);
    if (rc)
        return rc;
    slot->distances[htmt__profile_class(found)]++;
    m->sets[access->region] |= UINT64_C(1) << at[n] / HTMT__PROFILE_LINE % HTMT__PROFILE_SETS;
    return 0;
}

/* ---- the tape -------------------------------------------------------------------------------- */

/* What was collected is a block. */
static int end_block(struct measure *m)
{
    uint64_t at[TOGETHER];
    uint32_t block, n = 0;
    int rc = m->entries ? find_block(m, &block) : 0;
    if (rc || !m->entries)
        return rc;
    for (uint32_t i = 0; i < m->entries && !rc; i++)
        if (is_access(m->entry[i])) {
            at[n] = htmt__tape_address(m->entry[i]);
            rc = take_access(m, block, n++, at);
        } else if (htmt__tape_kind(m->entry[i]) == HTMT__TAPE_BRANCH)
            rc = htmt__pattern_put(&m->p->block[block].taken, htmt__tape_width(m->entry[i]) != 0);
    if (!rc && m->before != NONE)
        rc = htmt__pattern_put(&m->p->block[m->before].next, block);
    else if (!m->p->services)
        m->p->first = block;
    m->before = block;
    m->entries = 0;
    return rc;
}

/* `counts`: what it counted; 0: unknown. */
static int end_service(struct measure *m, uint64_t counts)
{
    int rc = end_block(m);
    if (rc || m->before == NONE)
        return rc;
    rc = htmt__pattern_put(&m->p->block[m->before].next, HTMT__PATTERN_END);
    m->before = NONE;
    m->p->services++;
    m->counts += counts;
    m->counted += counts != 0;
    for (uint32_t i = 0; i < m->p->regions; i++)
        htmt__distance_start(m->distance[i]);
    return rc;
}

/* A block begins with BLOCK, CODE or FETCH, and ends before the next of them, with its branch, or
 * when it is too long. */
static int take(struct measure *m, uint64_t entry)
{
    const enum htmt__tape_kind kind = htmt__tape_kind(entry);
    int rc = 0;
    if (kind == HTMT__TAPE_OBJECT || kind == HTMT__TAPE_RANGES)
        return 0;
    if (kind == HTMT__TAPE_END)
        return end_service(m, htmt__tape_address(entry));
    if (kind == HTMT__TAPE_BLOCK || kind == HTMT__TAPE_CODE || kind == HTMT__TAPE_FETCH ||
        m->entries == TOGETHER)
        rc = end_block(m);
    if (rc)
        return rc;
    m->entry[m->entries++] = entry;
    return kind == HTMT__TAPE_BRANCH ? end_block(m) : 0;
}

/* ---- the simplest pattern of each access ----------------------------------------------------- */

/* How much there is to say: terms, and far more where no order or no number is kept. */
static uint64_t effort(const struct htmt__pattern *p)
{
    const uint64_t far = htmt__pattern_count(p, HTMT__PATTERN_FAR);
    const uint64_t of = htmt__pattern_length(p);
    const uint64_t strangeness = of ? far * 1000 / of : 0;
    return p->top.n + p->pool.n + (p->mixed ? 1000 : 0) + strangeness * 1000;
}

/* The access keeps the pattern of less effort, its own before all others. */
static void consider(struct htmt__profile_access *access, struct htmt__pattern *pattern, int beside)
{
    if (beside >= 0 && effort(pattern) >= effort(&access->strides))
        return;
    htmt__pattern_fini(&access->strides);
    access->strides = *pattern;
    access->beside = beside;
    *pattern = (struct htmt__pattern){0};
}

/* The access gets the simplest of its patterns. If it went from region to region, it has all the
 * memory; if it is far from regular most of the time, it is so always. */
static int settle(struct measure *m, struct htmt__profile_access *access, struct slot *slot)
{
    const struct htmt__profile_region *own = &m->p->region[access->region];
    int rc = htmt__pattern_close(&slot->own);
    if (slot->low < own->at || slot->high - own->at >= own->bytes ||
        own->bytes - (slot->high - own->at) < access->width) {
        access->from += own->at;
        access->region = m->p->regions - 1;
        m->sets[access->region] = UINT64_MAX;
    }
    struct htmt__profile_region *region = &m->p->region[access->region];
    access->low = slot->low - region->at;
    access->bytes = slot->high - slot->low + access->width;
    if (!rc)
        consider(access, &slot->own, -1);
    for (int k = 0; k < BESIDE && !rc; k++)
        if (slot->beside[k].top.n) {
            rc = htmt__pattern_close(&slot->beside[k]);
            if (!rc)
                consider(access, &slot->beside[k], slot->other[k]);
        }
    const uint64_t length = htmt__pattern_length(&access->strides);
    const uint64_t far = htmt__pattern_count(&access->strides, HTMT__PATTERN_FAR);
    if (rc || !far)
        return rc;
    for (int i = 0; i < HTMT__PROFILE_CLASSES; i++)
        region->distances[i] += slot->distances[i];
    if (far <= length / 2)
        return 0;
    htmt__pattern_fini(&access->strides);
    access->beside = -1;
    rc = htmt__pattern_put(&access->strides, HTMT__PATTERN_FAR);
    if (!rc)
        access->strides.top.at[0].times = length;
    return rc;
}

/* A region without accesses that are far has the distances of all. */
static void settle_regions(struct measure *m)
{
    bool *all = calloc(m->p->regions + 1, sizeof *all);
    for (uint32_t r = 0; r < m->p->regions && all; r++) {
        uint64_t sum = 0;
        for (int i = 0; i < HTMT__PROFILE_CLASSES; i++)
            sum += m->p->region[r].distances[i];
        m->p->region[r].sets = (uint32_t)__builtin_popcountll(m->sets[r]);
        all[r] = !sum;
    }
    for (uint32_t b = 0; b < m->p->blocks && all; b++)
        for (uint32_t i = 0; i < m->p->block[b].accesses; i++) {
            struct htmt__profile_region *r = &m->p->region[m->p->block[b].access[i].region];
            for (int c = 0; c < HTMT__PROFILE_CLASSES && all[r - m->p->region]; c++)
                r->distances[c] += m->slot[b][i].distances[c];
        }
    free(all);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* One pass over the entries collects what each access did; then each keeps its simplest pattern. */
static int measure_tape(struct measure *m, const struct htmt__tape *tape)
{
    const struct htmt__tape_program *program = htmt__tape_program(tape);
    struct htmt__profile *p = m->p;
    const uint64_t *entries;
    size_t n;
    int rc = 0;
    if (program && !(p->program = htmt__tape_copy(program)))
        rc = HTMT_ENOMEM;
    if (!rc)
        rc = make_regions(m, tape);
    if (rc)
        return rc;
    m->distance = calloc(p->regions + 1, sizeof(struct htmt__distance *));
    m->sets = calloc(p->regions + 1, sizeof *m->sets);
    if (!m->distance || !m->sets)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < p->regions && !rc; i++)
        rc = htmt__distance_new(&m->distance[i], HTMT__PROFILE_LINE);
    for (size_t c = 0; !rc && (entries = htmt__tape_chunk(tape, c, &n)); c++)
        for (size_t i = 0; i < n && !rc; i++)
            rc = take(m, entries[i]);
    if (!rc)
        rc = end_service(m, 0);
    if (!rc && !p->blocks)
        rc = htmt_fault_set(m->fault, HTMT_EINVAL, "the tape has no operations");
    for (uint32_t b = 0; b < p->blocks && !rc; b++) {
        rc = htmt__pattern_close(&p->block[b].next);
        if (!rc)
            rc = htmt__pattern_close(&p->block[b].taken);
        for (uint32_t i = 0; i < p->block[b].accesses && !rc; i++)
            rc = settle(m, &p->block[b].access[i], &m->slot[b][i]);
    }
    if (!rc)
        settle_regions(m);
    if (m->counted && m->counted == p->services)
        p->counts = (uint64_t)((m->counts + m->counted / 2) / m->counted);
    return rc;
}

int htmt__profile_measure(struct htmt__profile **profile, const struct htmt__tape *tape,
                          const char *kernel, struct htmt_fault *fault)
{
    struct measure *m = calloc(1, sizeof *m);
    struct htmt__profile *p = calloc(1, sizeof *p);
    int rc = HTMT_ENOMEM;
    if (p)
        p->block = calloc(HTMT__PROFILE_BLOCKS, sizeof *p->block);
    if (!m || !p || !p->block)
        goto out;
    m->p = p;
    m->before = NONE;
    m->fault = fault;
    snprintf(p->kernel, sizeof p->kernel, "%s", kernel);
    rc = measure_tape(m, tape);
    for (uint32_t b = 0; b < p->blocks; b++) {
        for (uint32_t i = 0; m->slot[b] && i < p->block[b].accesses; i++) {
            htmt__pattern_fini(&m->slot[b][i].own);
            for (int k = 0; k < BESIDE; k++)
                htmt__pattern_fini(&m->slot[b][i].beside[k]);
        }
        free(m->slot[b]);
    }
    for (uint32_t i = 0; m->distance && i < p->regions; i++)
        htmt__distance_free(m->distance[i]);
    free(m->distance);
    free(m->sets);
out:
    free(m);
    if (rc)
        htmt__profile_free(p);
    else
        *profile = p;
    return rc ? htmt_fault_set(fault, rc, "no host memory for a profile") : 0;
}
