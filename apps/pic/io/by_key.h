/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorting by counting, on several threads: things with a key below `keys` each, such as particles
 * and their cells. Things of one key keep their order, so the result is the same for any number of
 * threads.
 */
#ifndef HTMT_APPS_PIC_IO_BY_KEY_H
#define HTMT_APPS_PIC_IO_BY_KEY_H

#include "apps/pic/io/deck.h"

/* Things 0 to count - 1 in ranges, one after another, each of which a thread counts and then moves
 * by itself. row[range x keys + key] is first the number of things with this key in the range;
 * htmt__pic_by_key_sum() makes it the place where the first of them goes. */
struct htmt__pic_by_key {
    unsigned threads;
    uint32_t keys, ranges;
    uint64_t count;
    uint32_t *row;
};

#define HTMT__PIC_NO_KEY UINT32_MAX /* of a thing that is left out */

/* The rows of all ranges together take at most 4 bytes a key and 2 bytes a thing. Errors:
 * HTMT_ENOMEM. */
int htmt__pic_by_key_create(struct htmt__pic_by_key *by, unsigned threads, uint32_t keys,
                            uint64_t count, struct htmt_fault *fault);
void htmt__pic_by_key_destroy(struct htmt__pic_by_key *by); /* once more accepted */

/* The first thing of a range; that of the range after the last is the number of things. */
static inline uint64_t htmt__pic_by_key_first(const struct htmt__pic_by_key *by, uint32_t range)
{
    return by->count * range / by->ranges;
}

static inline uint32_t *htmt__pic_by_key_row(const struct htmt__pic_by_key *by, uint32_t range)
{
    return by->row + (size_t)range * by->keys;
}

/* From counts to places. first[key] becomes the place of the first thing with this key, and
 * first[keys] the number of things that have one. */
void htmt__pic_by_key_sum(struct htmt__pic_by_key *by, uint32_t *first);

/* order[place] = thing, for things whose keys are given, none left out; first as above. */
void htmt__pic_by_key_order(struct htmt__pic_by_key *by, const uint32_t *key, uint32_t *first,
                            uint32_t *order);

/* Where the particles of a species begin. Its functions are called on any thread. */
struct htmt__pic_target {
    const void *user;
    uint32_t keys;
    /* Of a particle that has its position; HTMT__PIC_NO_KEY: it is not made. */
    uint32_t (*key)(const void *user, const struct htmt__pic_particle *at);
    /* Where the one goes that has this place among all, and so many of its key before it. NULL:
     * there is no room, and it goes to `late`. */
    struct htmt__pic_particle *(*slot)(const void *user, uint32_t key, uint64_t place,
                                       uint64_t before);
};

/* Make the particles of a species right where they begin: a copy of all is never in memory. All
 * positions are computed twice, first to be counted, and the velocities of those that are made.
 * first: room for keys + 1 places; it is filled before the first slot is asked for. `late` gets
 * the particles without a slot, for the caller to free. Errors: HTMT_ENOMEM. */
int htmt__pic_start_at(const struct htmt__pic_birth *birth, unsigned threads,
                       const struct htmt__pic_target *to, uint32_t *first,
                       struct htmt__pic_species *late, struct htmt_fault *fault);

/* The particles of the start in the order of their cells, and in one cell in that of their numbers.
 * Errors and ownership as of htmt__pic_start(). */
int htmt__pic_start_by_cell(const struct htmt__pic_deck *deck, uint64_t seed, unsigned threads,
                            struct htmt__pic_particles *p, struct htmt_fault *fault);

#endif
