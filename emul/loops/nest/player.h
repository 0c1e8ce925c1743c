/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of playing a program: the memories, its references as places in them, and its iterations in
 * their order.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_PLAYER_H
#define HTMT_EMUL_LOOPS_NEST_PLAYER_H

#include "emul/loops/nest/layout.h"
#include "emul/loops/nest/stream.h"

#define HTMT__PLAYER_NONE UINT32_MAX

struct htmt__player_node {
    uint32_t before, behind; /* touched later, earlier */
    uint8_t level, strange;  /* the smallest memory that holds it; it is strange from here on */
    uint16_t dirty;          /* a bit for each memory */
};

struct htmt__player_memory {
    uint32_t capacity, edge; /* HTMT__PLAYER_NONE: it has room */
};

struct htmt__player_memories {
    unsigned count;
    struct htmt__player_memory at[HTMT__STREAM_CAPACITIES]; /* by capacity, ascending */
    uint32_t first, last, held;
    struct htmt__player_node *node;
};

/* A unit that the body names, from the first one of all: at + sum of by[l] * variable. */
struct htmt__player_place {
    int64_t at, by[HTMT__NEST_DEPTH];
    bool write, around; /* it goes around the memories */
    unsigned array;
};

struct htmt__player_body {
    bool around; /* some places do */
    const struct htmt__nest_body *of;
    unsigned places;
    struct htmt__player_place *place;
};

struct htmt__player_count {
    htmt_wide read, written;
    htmt_wide unsure[2]; /* sampled: words that perhaps come in, perhaps are written back */
};

struct htmt__player {
    const struct htmt__nest_program *program;
    const struct htmt__stream_request *request;
    struct htmt__player_memories m;
    unsigned order[HTMT__STREAM_CAPACITIES]; /* of the request, by capacity */
    int64_t unit;                            /* bytes, of which all words are multiples */
    unsigned shift;                          /* a node has so many units, as a power of two */
    int64_t units;                           /* of all arrays */
    bool cut;                                /* some loop has blocks */
    bool sampling;
    bool known; /* sampled: a memory that is not full lacks nothing that it would hold */
    struct htmt__player_walk *walk;      /* of past.c; NULL: not asked yet */
    struct htmt__nest_layout *array;     /* in units */
    struct htmt__player_body **body;     /* of each run */
    int64_t *now;                        /* of each place of a body */
    unsigned places;                     /* of the largest body */
    struct htmt__player_count *count;    /* [run][memory], nodes */
    struct htmt__player_count *counting; /* of the run that is played; NULL: none */
    uint32_t *stamp[2];           /* of nodes: when they were last read, or written, around */
    uint32_t now_around;          /* iterations of bodies with such places */
    int64_t at[HTMT__NEST_DEPTH]; /* variables of loops */
    int64_t from[HTMT__NEST_DEPTH], to[HTMT__NEST_DEPTH];                /* of the block */
    int64_t first_block[HTMT__NEST_DEPTH], last_block[HTMT__NEST_DEPTH]; /* that are played */
};

/* Values of a loop, in the order in which it takes them. */
struct htmt__player_range {
    int64_t low, high, step;
    bool down;
};

/* Lays out arrays and makes memories and places; the caller clears *player, also on failure.
 * Errors: HTMT_ERANGE (more words than may be played, or iterations that bounds do not tell),
 * HTMT_ENOMEM.
 */
int htmt__player_make(const struct htmt__nest_program *program,
                      const struct htmt__stream_request *request, struct htmt__player *player);
void htmt__player_clear(struct htmt__player *player);

/* For htmt__player_make() (player_places.c): where arrays lie and bodies touch them. Errors:
 * HTMT_ERANGE, HTMT_ENOMEM. */
int htmt__player_place(struct htmt__player *player);

/* Touches of one turn of a run. */
htmt_wide htmt__player_touches(const struct htmt__nest_program *program, unsigned run);

/* The outermost repeat or loop before `rounds` that begins with run `first`; `rounds`: none. */
unsigned htmt__player_rounds(const struct htmt__nest_program *program, unsigned first,
                             unsigned rounds);

/* Plays runs `first` to `last`, but for the repeats and loops from `rounds` on, in which they
 * stand; `loops` loops around stand at player->at. Errors: HTMT_ENOMEM. */
int htmt__player_run(struct htmt__player *player, unsigned first, unsigned last, unsigned rounds,
                     unsigned loops);

/* Values of the loop at depth `loops` over all nests of these runs; false: none. */
bool htmt__player_range(const struct htmt__player *player, unsigned first, unsigned last,
                        unsigned loops, struct htmt__player_range *range);

/* The first and last value of a loop of a body where the loops outside stand, and how many. */
int64_t htmt__player_values(const struct htmt__player *player, const struct htmt__nest_body *body,
                            unsigned loop, int64_t *low, int64_t *high);

bool htmt__player_holds(const struct htmt__player *player, const struct htmt__nest_body *body,
                        unsigned loops);

/* Nodes that a procedure whose body was not seen may touch of a part. */
void htmt__player_unknown(const struct htmt__player *player, const struct htmt__nest_sent *part,
                          int64_t *first, int64_t *last);

/* What ran before, the last of it first: runs `first` to `last` but for the repeats and loops from
 * `rounds` on, inside of `loops` loops that stand at player->at (with blocks: at the blocks that
 * are played); values low..high of the next loop, or blocks low..high of loop `cut` (-1: none). */
struct htmt__player_past {
    const struct htmt__player_past *outer;
    unsigned first, last, rounds, loops;
    int cut;
    int64_t low, high;
};

/* Memories hold what they would hold behind all of that; if the walk back takes more than *most
 * touches, what was touched last (past.c). *most becomes what is left of them. The caller
 * destroys player->walk, also on failure. Errors: HTMT_ENOMEM. */
int htmt__player_restore(struct htmt__player *player, const struct htmt__player_past *past,
                         uint64_t *most);
void htmt__player_walk_destroy(struct htmt__player_walk *walk);

/* All memories empty. */
void htmt__player_empty(struct htmt__player *player);

#endif
