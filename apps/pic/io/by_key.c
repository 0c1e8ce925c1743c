/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sort by counting goes through all things twice: it counts those of each key, and then knows
 * where each thing goes. To do both on several threads, the things are cut into ranges. A range
 * counts its own things. Then the rows of all ranges are summed, key by key and within a key range
 * by range, and each range knows where its first thing of each key goes. So no two threads write to
 * one place, and things of one key lie in the order of their numbers however they were cut. By
 * hand: keys 1 0 1 | 0 0 1 in two ranges have the rows 1 2 | 2 1. Key 0 has places 0 to 2, the
 * first range from 0 on, the second from 1; key 1 has 3 to 5, the ranges from 3 and from 5 on.
 *
 * Particles at the start need not be there to be sorted: they are functions of their numbers. A
 * range makes the positions of its particles, counts their keys and forgets them, and then makes
 * the particles again, each right where it begins. That costs the positions once more, 3 ns of
 * some 20, and saves a copy of all particles.
 */
#include "apps/pic/io/by_key.h"

#include "apps/lib/host_parts.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define RANGES_A_THREAD 2 /* so that a thread that the host delays does not hold up half of all */

int htmt__pic_by_key_create(struct htmt__pic_by_key *by, unsigned threads, uint32_t keys,
                            uint64_t count, struct htmt_fault *fault)
{
    const uint64_t most = 1 + count / keys / 2, wanted = (uint64_t)RANGES_A_THREAD * threads;
    const uint64_t ranges = threads < 2 ? 1 : wanted < most ? wanted : most;
    *by = (struct htmt__pic_by_key){.threads = threads,
                                    .keys = keys,
                                    .ranges = (uint32_t)ranges,
                                    .count = count,
                                    .row = malloc(ranges * keys * sizeof *by->row)};
    return by->row ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to sort particles");
}

void htmt__pic_by_key_destroy(struct htmt__pic_by_key *by)
{
    free(by->row);
    by->row = NULL;
}

void htmt__pic_by_key_sum(struct htmt__pic_by_key *by, uint32_t *first)
{
    uint32_t place = 0;
    for (uint32_t key = 0; key < by->keys; key++) {
        first[key] = place;
        for (uint32_t range = 0; range < by->ranges; range++) {
            uint32_t *at = htmt__pic_by_key_row(by, range) + key, count = *at;
            *at = place;
            place += count;
        }
    }
    first[by->keys] = place;
}

/* ---- things that are there ------------------------------------------------------------------ */

struct ordering {
    struct htmt__pic_by_key *by;
    const uint32_t *key;
    uint32_t *order;
};

static void count_keys(void *user, uint32_t range)
{
    const struct ordering *o = user;
    const uint64_t end = htmt__pic_by_key_first(o->by, range + 1);
    uint32_t *row = htmt__pic_by_key_row(o->by, range);
    memset(row, 0, o->by->keys * sizeof *row);
    for (uint64_t i = htmt__pic_by_key_first(o->by, range); i < end; i++)
        row[o->key[i]]++;
}

static void order_things(void *user, uint32_t range)
{
    const struct ordering *o = user;
    const uint64_t end = htmt__pic_by_key_first(o->by, range + 1);
    uint32_t *row = htmt__pic_by_key_row(o->by, range);
    for (uint64_t i = htmt__pic_by_key_first(o->by, range); i < end; i++)
        o->order[row[o->key[i]]++] = (uint32_t)i;
}

void htmt__pic_by_key_order(struct htmt__pic_by_key *by, const uint32_t *key, uint32_t *first,
                            uint32_t *order)
{
    struct ordering o = {by, key, order};
    htmt_host_parts(by->threads, by->ranges, count_keys, &o);
    htmt__pic_by_key_sum(by, first);
    htmt_host_parts(by->threads, by->ranges, order_things, &o);
}

/* ---- particles of the start ----------------------------------------------------------------- */

struct begin {
    const struct htmt__pic_birth *birth;
    const struct htmt__pic_target *to;
    struct htmt__pic_by_key by;
    const uint32_t *first;
    struct htmt__pic_species *late; /* of each range */
    atomic_bool starved;
};

/* The next batch of numbers below `end`, and its particles' positions: those with a key, which are
 * moved to the front. */
static uint32_t next_batch(const struct begin *b, uint64_t *next, uint64_t end,
                           uint64_t number[HTMT__PIC_BATCH],
                           struct htmt__pic_particle q[HTMT__PIC_BATCH],
                           uint32_t key[HTMT__PIC_BATCH])
{
    uint32_t count = 0, kept = 0;
    for (; count < HTMT__PIC_BATCH && *next < end; count++)
        number[count] = (*next)++;
    htmt__pic_place(b->birth, number, count, q);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = b->to->key(b->to->user, &q[i]);
        if (k == HTMT__PIC_NO_KEY)
            continue;
        number[kept] = number[i];
        q[kept] = q[i];
        key[kept++] = k;
    }
    return kept;
}

static void count_begin(void *user, uint32_t range)
{
    struct begin *b = user;
    const uint64_t end = htmt__pic_by_key_first(&b->by, range + 1);
    uint32_t *row = htmt__pic_by_key_row(&b->by, range), key[HTMT__PIC_BATCH];
    struct htmt__pic_particle q[HTMT__PIC_BATCH];
    uint64_t number[HTMT__PIC_BATCH];
    memset(row, 0, b->by.keys * sizeof *row);
    for (uint64_t next = htmt__pic_by_key_first(&b->by, range); next < end;) {
        const uint32_t kept = next_batch(b, &next, end, number, q, key);
        for (uint32_t i = 0; i < kept; i++)
            row[key[i]]++;
    }
}

/* Room doubles. */
static void keep_late(struct begin *b, struct htmt__pic_species *late,
                      const struct htmt__pic_particle *q)
{
    if (!(late->count & (late->count - 1))) {
        struct htmt__pic_particle *more =
            realloc(late->at, (late->count ? 2 * late->count : 1) * sizeof *more);
        if (!more) {
            atomic_store(&b->starved, true);
            return;
        }
        late->at = more;
    }
    late->at[late->count++] = *q;
}

/* The places of a batch lie anywhere in memory: they are fetched while velocities are computed. */
static void make_begin(void *user, uint32_t range)
{
    struct begin *b = user;
    const uint64_t end = htmt__pic_by_key_first(&b->by, range + 1);
    uint32_t *row = htmt__pic_by_key_row(&b->by, range), key[HTMT__PIC_BATCH];
    struct htmt__pic_particle q[HTMT__PIC_BATCH], *at[HTMT__PIC_BATCH];
    uint64_t number[HTMT__PIC_BATCH];
    for (uint64_t next = htmt__pic_by_key_first(&b->by, range);
         next < end && !atomic_load(&b->starved);) {
        const uint32_t kept = next_batch(b, &next, end, number, q, key);
        for (uint32_t i = 0; i < kept; i++) {
            const uint32_t place = row[key[i]]++;
            at[i] = b->to->slot(b->to->user, key[i], place, place - b->first[key[i]]);
            if (at[i]) {
                __builtin_prefetch(&at[i]->x, 1);
                __builtin_prefetch(&at[i]->vz, 1);
            }
        }
        htmt__pic_set_off(b->birth, number, kept, q);
        for (uint32_t i = 0; i < kept; i++)
            if (at[i])
                *at[i] = q[i];
            else
                keep_late(b, &b->late[range], &q[i]);
    }
}

/* The late ones of all ranges, in the order of their numbers. */
static int gather_late(const struct begin *b, struct htmt__pic_species *late)
{
    *late = (struct htmt__pic_species){0};
    for (uint32_t i = 0; i < b->by.ranges; i++)
        late->count += b->late[i].count;
    if (!late->count)
        return 0;
    struct htmt__pic_particle *to = late->at = malloc(late->count * sizeof *to);
    for (uint32_t i = 0; i < b->by.ranges && to; i++) {
        if (b->late[i].count)
            memcpy(to, b->late[i].at, b->late[i].count * sizeof *to);
        to += b->late[i].count;
    }
    return to ? 0 : HTMT_ENOMEM;
}

int htmt__pic_start_at(const struct htmt__pic_birth *birth, unsigned threads,
                       const struct htmt__pic_target *to, uint32_t *first,
                       struct htmt__pic_species *late, struct htmt_fault *fault)
{
    struct begin b = {.birth = birth, .to = to, .first = first};
    int rc = htmt__pic_by_key_create(&b.by, threads, to->keys,
                                     htmt__pic_deck_count(birth->deck, birth->species), fault);
    if (rc)
        return rc;
    if ((b.late = calloc(b.by.ranges, sizeof *b.late))) {
        htmt_host_parts(threads, b.by.ranges, count_begin, &b);
        htmt__pic_by_key_sum(&b.by, first);
        htmt_host_parts(threads, b.by.ranges, make_begin, &b);
    }
    if (!b.late || atomic_load(&b.starved) || gather_late(&b, late))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the first particles");
    for (uint32_t i = 0; i < b.by.ranges && b.late; i++)
        free(b.late[i].at);
    free(b.late);
    htmt__pic_by_key_destroy(&b.by);
    return rc;
}

/* ---- by cell -------------------------------------------------------------------------------- */

struct cells {
    const struct htmt__pic_deck *deck;
    struct htmt__pic_particle *at;
};

static uint32_t cell_key(const void *user, const struct htmt__pic_particle *q)
{
    const uint32_t *n = ((const struct cells *)user)->deck->n;
    return ((uint32_t)q->z * n[1] + (uint32_t)q->y) * n[0] + (uint32_t)q->x;
}

static struct htmt__pic_particle *cell_slot(const void *user, uint32_t key, uint64_t place,
                                            uint64_t before)
{
    (void)key;
    (void)before;
    return ((const struct cells *)user)->at + place;
}

int htmt__pic_start_by_cell(const struct htmt__pic_deck *deck, uint64_t seed, unsigned threads,
                            struct htmt__pic_particles *out, struct htmt_fault *fault)
{
    const uint32_t cells = (uint32_t)htmt__pic_deck_cells(deck);
    struct htmt__pic_particles p = {0};
    uint32_t *first = malloc(((size_t)cells + 1) * sizeof *first);
    int rc = first ? htmt__pic_particles_create(deck, &p, fault)
                   : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to sort particles");
    for (uint32_t s = 0; s < p.species && !rc; s++) {
        const struct cells user = {deck, p.of[s].at};
        const struct htmt__pic_target to = {&user, cells, cell_key, cell_slot};
        const struct htmt__pic_birth birth = {deck, seed, s};
        struct htmt__pic_species late;
        rc = htmt__pic_start_at(&birth, threads, &to, first, &late, fault);
    }
    free(first);
    if (rc)
        htmt__pic_particles_destroy(&p);
    else
        *out = p;
    return rc;
}
