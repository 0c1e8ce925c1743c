/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Migration by mail: records that belong elsewhere go to the mailbox of their new place.
 *
 * A place is a slice and one of its boxes: a mailbox of the application, say one for each block. A
 * kernel finds where each record belongs and puts records of one place side by side, a run. Its
 * steered control sends each run as one message. The kernel tells the runs in its result, which is
 * of fixed size and has room for HTMT__RUNS of them; records beyond wait for another kernel.
 *
 *     struct htmt__runs *s = htmt_kernel_result(k);
 *     for (i = 0; i < count; i++)
 *         run[i] = htmt__runs_add(s, slice, box);        the place of record i
 *     htmt__runs_sort(records, sizeof *records, count, run, s);
 *
 * By hand: six records that belong to A B A A B A. htmt__runs_add() gives A the run 0 and B the run
 * 1 and counts 4 and 2. htmt__runs_sort() moves records until their order is A A A A B B; records
 * that found no room (HTMT__RUNS) come behind. Each record moves once.
 *
 * A mailbox that is emptied when all have arrived makes the sender wait for ever if it is too
 * small. So sends are noted, and htmt__flights_overfull() names such a mailbox when a run has ended
 * in a deadlock.
 */
#ifndef HTMT_APPS_LIB_MIGRATE_H
#define HTMT_APPS_LIB_MIGRATE_H

#include "parcels/control.h"
#include "parcels/emulator.h"
#include "parcels/message.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Most runs of one kernel: they must fit the message from a kernel to its control. */
#define HTMT__RUNS 20

struct htmt__run {
    uint32_t slice, box, count;
};

struct htmt__runs {
    uint32_t runs, count, more, nowhere; /* records: in the runs; still to be sorted; with a place
                                            that is not a number */
    struct htmt__run run[HTMT__RUNS];
};

/* One record more belongs there. Its run, or HTMT__RUNS: there is no room for one more run. */
static inline uint32_t htmt__runs_add(struct htmt__runs *s, uint32_t slice, uint32_t box)
{
    uint32_t r = s->runs;
    while (r > 0 && (s->run[r - 1].slice != slice || s->run[r - 1].box != box))
        r--;
    if (r > 0)
        r--;
    else if (s->runs < HTMT__RUNS)
        s->run[r = s->runs++] = (struct htmt__run){slice, box, 0};
    else
        return HTMT__RUNS;
    s->run[r].count++;
    return r;
}

#define HTMT__RUNS_RECORD_MOST 128 /* bytes */

/* Sort in place: move each record of `bytes` bytes, at most HTMT__RUNS_RECORD_MOST, to the next
 * free place of its run, run[i] of record i. Sets s->count and s->more first. */
static inline void htmt__runs_sort(void *records, size_t bytes, uint64_t count, uint64_t *run,
                                   struct htmt__runs *s)
{
    uint64_t next[HTMT__RUNS + 1], end[HTMT__RUNS + 1], at = 0;
    char *record = records, other[HTMT__RUNS_RECORD_MOST];
    for (uint32_t i = 0; i < s->runs; i++)
        s->count += s->run[i].count;
    s->more = (uint32_t)count - s->count;
    for (uint32_t i = 0; i <= HTMT__RUNS; i++) {
        next[i] = at;
        at += i < s->runs ? s->run[i].count : i == HTMT__RUNS ? s->more : 0;
        end[i] = at;
    }
    for (uint32_t i = 0; i <= HTMT__RUNS; i++)
        while (next[i] < end[i]) {
            uint64_t here = next[i], r = run[here];
            uint64_t there = next[r]++;
            if (here == there)
                continue;
            uint64_t other_run = run[there];
            memcpy(other, record + there * bytes, bytes);
            memcpy(record + there * bytes, record + here * bytes, bytes);
            memcpy(record + here * bytes, other, bytes);
            run[there] = r;
            run[here] = other_run;
        }
}

/* ---- under way ------------------------------------------------------------------------------ */

/* Messages that a slice has sent since it last cleared `count`. All zero: none. */
struct htmt__flights {
    struct htmt__run *flight;
    uint64_t count, room;
};

/* Send a run whose first record lies at `from`, and note it. When folded, slice 0 receives what it
 * sends to others. Ends the run without host memory. */
static inline void htmt__flights_send(struct htmt_context *c, struct htmt__flights *f,
                                      const struct htmt__run *run, struct htmt_mailbox *to,
                                      struct htmt_addr from, struct htmt_slot arrived)
{
    if (f->count == f->room) {
        uint64_t room = 2 * f->room + 64;
        struct htmt__run *more = realloc(f->flight, room * sizeof *more);
        if (more) {
            f->flight = more;
            f->room = room;
        } else {
            htmt_fail(c, HTMT_ENOMEM, "no host memory for the records under way");
        }
    }
    if (f->count < f->room)
        f->flight[f->count++] = (struct htmt__run){
            run->slice < htmt_emulator_played(htmt_emulator_of(c)) ? run->slice : 0, run->box,
            run->count};
    htmt_send(c, to, from, run->count, (struct htmt_slot){0}, arrived);
}

/* After a run that failed, in all ranks alike: the first of the slices' `boxes` mailboxes, which
 * hold `room` records each, to which more is under way. Slice i has its flights `stride` bytes
 * behind those of slice i - 1. *run has slice, box, and *bound the records. False: there is none,
 * no memory, or other ranks are gone. */
static inline bool htmt__flights_overfull(struct htmt_emulator *e,
                                          const struct htmt__flights *first, size_t stride,
                                          uint32_t boxes, uint64_t room, struct htmt__run *run,
                                          uint64_t *bound)
{
    const uint32_t played = htmt_emulator_played(e);
    uint64_t *row = calloc((uint64_t)played * boxes + 1, sizeof *row);
    const size_t bytes = boxes * sizeof *row; /* of a slice: what it has sent to each mailbox */
    bool lost = !row, found = false;
    for (uint32_t to = 0; to < played && !lost && !found; to++) {
        memset(row, 0, played * bytes);
        for (uint32_t i = 0; i < played; i++) {
            const struct htmt__flights *of =
                (const struct htmt__flights *)(const void *)((const char *)first + i * stride);
            for (uint64_t n = 0; n < of->count; n++)
                if (of->flight[n].slice == to)
                    row[(uint64_t)i * boxes + of->flight[n].box] += of->flight[n].count;
        }
        lost = htmt_slices_share(e, row, bytes, bytes);
        for (uint32_t b = 0; b < boxes && !lost && !found; b++) {
            *bound = 0;
            for (uint32_t i = 0; i < played; i++)
                *bound += row[(uint64_t)i * boxes + b];
            found = *bound > room;
            *run = (struct htmt__run){to, b, 0};
        }
    }
    free(row);
    return found;
}

#endif
