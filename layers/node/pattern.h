/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Patterns: sequences of whole numbers as nested loops, as strides of an access and repeats of a
 * loop are. "(8 x 63, -504) x 15, 8 x 63" are 63 times 8, then -504, fifteen times, then 63
 * times 8. A sequence without such loops is a mixture: how often each of its parts came, in no
 * order but for the last one, which stays last ("mixed: 8 x 7 @ 20, 16 @ 4, -64"). A number that is
 * none of the many that a pattern keeps is `far`.
 *
 * Every part comes as often as the pattern says, in an order that follows from the seed; then the
 * pattern begins anew. Blocks whose successors are mixed so, each with its last one last, run as
 * often as they did: the last ones are a tree that leads to the end (theorem BEST on circuits).
 */
#ifndef HTMT_LAYERS_NODE_PATTERN_H
#define HTMT_LAYERS_NODE_PATTERN_H

#include "runtime/base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HTMT__PATTERN_FAR   INT64_MIN       /* "far" */
#define HTMT__PATTERN_END   (INT64_MIN + 1) /* "end" */
#define HTMT__PATTERN_DEPTH 12              /* loops within each other */

/* A number, or the terms of a body, so many times; a mixture has it `often`. */
struct htmt__term {
    int64_t what;
    uint64_t times, often;
    bool body;
};

struct htmt__terms {
    struct htmt__term *at;
    size_t room;
    uint32_t n;
};

struct htmt__loop_body {
    uint32_t first, n; /* terms of the pool */
    uint32_t depth;
};

struct htmt__pattern {
    struct htmt__terms top, pool, bag;
    struct htmt__loop_body *body;
    size_t body_room;
    uint32_t bodies;
    bool mixed;
};

/* An empty pattern is all zeros. */
void htmt__pattern_fini(struct htmt__pattern *pattern);
/* The next number of a sequence. Errors: HTMT_ENOMEM. */
int htmt__pattern_put(struct htmt__pattern *pattern, int64_t number);
/* The sequence is over. Errors: HTMT_ENOMEM. */
int htmt__pattern_close(struct htmt__pattern *pattern);

/* Numbers of the whole sequence, and how many of them are `number`; UINT64_MAX: at least so many.
 */
uint64_t htmt__pattern_length(const struct htmt__pattern *pattern);
uint64_t htmt__pattern_count(const struct htmt__pattern *pattern, int64_t number);

/* false: `why` says what was found and expected; code is HTMT_EFORMAT or HTMT_ENOMEM. */
int htmt__pattern_read(struct htmt__pattern *pattern, const char *text, char *why, size_t room);
void htmt__pattern_write(const struct htmt__pattern *pattern, FILE *out);

/* ---- playing --------------------------------------------------------------------------------- */

struct htmt__pattern_place {
    uint32_t at, end; /* terms of a list */
    uint64_t left;    /* repeats of the term */
};

/* Plays a pattern, which outlives it. */
struct htmt__player {
    const struct htmt__pattern *pattern;
    uint64_t *deck; /* of a mixture: how often each term is still to come */
    uint64_t cards;
    uint64_t seed;
    struct htmt__pattern_place place[HTMT__PATTERN_DEPTH + 1];
    unsigned depth;
};

/* Errors: HTMT_ENOMEM, HTMT_EINVAL (an empty pattern). */
int htmt__player_init(struct htmt__player *player, const struct htmt__pattern *pattern,
                      uint64_t seed);
void htmt__player_fini(struct htmt__player *player);
int64_t htmt__player_next(struct htmt__player *player);

#endif
