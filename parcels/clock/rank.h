/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a run in several processes, its ranks (parcels/ranks.h). Each rank makes the
 * same set-up and plays some of the partitions. What goes to partitions of other ranks goes at the
 * end of a window, in one exchange; it names slots, mailboxes and collectives by their numbers.
 * When the run is over each rank has what all have counted.
 *
 * A message belongs to the slice that made it, so in another rank it stands at the same place of
 * the same slice, which is not played there.
 */
#ifndef HTMT_PARCELS_CLOCK_RANK_H
#define HTMT_PARCELS_CLOCK_RANK_H

#include "parcels/clock/window.h"
#include "parcels/ranks.h"

/* Bytes that go to another process, and those that came. All processes of a run are the same
 * program on the same kind of processor, so structures go as they are, without their pointers. */
struct htmt__buffer {
    char *at;
    size_t size, room;
    bool lacking; /* no host memory for some of them */
};

struct htmt__cursor {
    const char *at, *end;
    bool broken; /* more was asked for than is there */
};

void htmt__buffer_add(struct htmt__buffer *b, const void *bytes, size_t size);
/* 0 where there is no more. */
void htmt__cursor_take(struct htmt__cursor *c, void *bytes, size_t size);
void htmt__buffer_fini(struct htmt__buffer *b);

/* What each rank tells all others at the end of a window. */
struct htmt__rank_word {
    htmt_time next; /* event of its partitions; HTMT_TIME_MAX: none */
    htmt_time now;  /* the last instant of them */
    bool failed;    /* a fault follows */
    bool came;      /* something has come of the last round of htmt_quiet() */
};

struct htmt__rank {
    const struct htmt_ranks *ranks;
    struct htmt__buffer *out;     /* for each rank */
    struct htmt_bytes *to, *from; /* of each exchange */
    struct htmt__rank_word *word; /* of each rank */
    struct htmt__buffer fetched;  /* the bytes of another rank's object */
    struct htmt_object **object;  /* by number */
    struct htmt_mailbox **mailbox;
    struct htmt__collective **collective; /* by number */
    struct htmt_fault fault;              /* the first one of all; code 0: none */
    struct htmt__failure failure;
    struct htmt__store_class store_class[HTMT_LAYERS_MAX]; /* of the set-up, which all ranks have */
    uint64_t parcels;
    bool lost; /* the others: there is no further exchange */
    struct htmt__buffer
        stuck; /* what all ranks tell of a deadlock (struct htmt__stuck_operations) */
};

/* What a rank's slices spent in sections, for the other ranks; from one of them. */
struct htmt__section_operations {
    void (*tell)(const struct htmt_emulator *e, struct htmt__buffer *b);
    int (*hear)(struct htmt_emulator *e, struct htmt__cursor *c); /* errors: HTMT_ENOMEM */
};

/* Who of a rank's slices waits, and for whom, in a run that cannot go on: what all ranks tell, one
 * after another, is as if one had told it. */
struct htmt__stuck_operations {
    void (*tell)(const struct htmt_emulator *e, struct htmt__buffer *b);
};

static inline uint32_t htmt__rank_count(const struct htmt_options *o)
{
    return o->ranks && o->ranks->count ? o->ranks->count : 1;
}
/* The rank that plays a partition: neighbours together, as evenly as can be. Rank 0 plays partition
 * 0 in any case, thus slice 0 and the controller's place, so that what only these know is known
 * where results are told. Where there are more ranks than partitions, some of the others play
 * nothing: of 4 ranks and 2 partitions, ranks 1 and 3. */
static inline uint32_t htmt__rank_of(const struct htmt__windows *w, uint32_t partition)
{
    return (uint32_t)((uint64_t)partition * w->ranks / w->partitions);
}
/* This process plays the slice. */
static inline bool htmt__rank_plays(const struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__windows *w = e->windows;
    return slice < e->played &&
           (!w || (w->partition_of[slice] >= w->first && w->partition_of[slice] < w->end));
}
/* The first partition that a rank plays: those of the next one follow. */
static inline uint32_t htmt__rank_first(const struct htmt__windows *w, uint32_t rank)
{
    return (uint32_t)(((uint64_t)rank * w->partitions + w->ranks - 1) / w->ranks);
}

/* At the begin of the run. Errors (latched): HTMT_ENOMEM. */
int htmt__rank_create(struct htmt_emulator *e);
void htmt__rank_destroy(struct htmt__rank *r);

/* All ranks call these in step. */

/* One exchange. `htmt__rank_turn_begin` empties r->out and puts this rank's word there; what is
 * added behind it goes to that rank with `htmt__rank_turn_end`. Then all words are known, and
 * cursor[i] stands behind that of rank i. Errors (latched): HTMT_ENOMEM, HTMT_ESYSTEM. */
void htmt__rank_turn_begin(struct htmt__rank *r, const struct htmt__rank_word *own,
                           const struct htmt_fault *fault, struct htmt__failure failure);
int htmt__rank_turn_end(struct htmt_emulator *e, struct htmt__cursor *cursor);
/* The set-ups are the same. Errors (latched): HTMT_EINVAL: they are not; HTMT_ESYSTEM. */
int htmt__rank_compare(struct htmt_emulator *e);
/* The end of a window: what was put down for other ranks goes there, what they put down for this
 * one comes. `own`: what this rank tells; NULL fault: it has not failed. r->word has what all tell,
 * r->fault the first failure of all. Errors (latched): HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__rank_exchange(struct htmt_emulator *e, const struct htmt__rank_word *own,
                        const struct htmt_fault *fault, struct htmt__failure failure);
/* After the run: the bytes of the object, in rank 0 or in all, until the next call; elsewhere
 * *bytes is NULL. Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
int htmt__rank_fetch(struct htmt_emulator *e, struct htmt_object *o, bool for_all,
                     const void **bytes);
/* The run is over, and what this process counted is the whole's. Errors (latched): HTMT_ENOMEM,
 * HTMT_ESYSTEM. */
int htmt__rank_gather(struct htmt_emulator *e);
/* All ranks have found that the run cannot go on: r->stuck. An error leaves r->lost. */
void htmt__rank_gather_stuck(struct htmt_emulator *e);

#endif
