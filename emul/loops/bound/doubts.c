/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a bound does not know, in words. Traffic is counted loop by loop, of words; some things can
 * make it more or less than what moves, and the nest file or the rule cannot tell by how much:
 *
 * - A loop begins with an empty memory. Two loops share an array; if the words between its use in
 * the one and in the other fit, the second finds some of it. Between the last words of one and the
 * first of the other lies at least what the lesser of both touches, and all loops between: so much
 * is asked to fit, around the turns of a repeat as well. jacobi: b = f(a), a = f(b), a hundred
 * times, with both arrays in the memory, moves them once, not 200 times.
 *
 * - An array under several subscript maps counts once for each (nest/maps.c).
 *
 * - A line counts as full where subscripts name several loops (nest/lines.c does not know in which
 * order its words come), unless the program was played. How far apart members of structs and
 * components lie may be missing in a nest file.
 *
 * - A reference that a branch on data takes in a part of the iterations (x1/4) moves its words as
 * if it were taken in all: a quarter of the iterations may touch each word, or each line, of a row.
 *
 * Runs are compared until what lies between no longer fits, so the cost is that of a few
 * neighbours.
 */
#include "emul/loops/bound/doubts.h"

#include "emul/loops/nest/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 };

/* Names, the first few of them written out. */
struct names {
    bool *seen; /* of each array of the file */
    unsigned count;
    char text[HTMT__BOUND_DOUBT / 2];
};

struct doubting {
    const struct htmt__bounds *b;
    htmt_wide capacity; /* bytes of the innermost memory */
    struct htmt__bound_doubts *to;
};

static int open_names(const struct doubting *d, struct names *n)
{
    *n = (struct names){.seen = calloc(d->b->program->file->arrays + 1, sizeof *n->seen)};
    return n->seen ? 0 : HTMT_ENOMEM;
}

static void name_array(const struct doubting *d, struct names *n, unsigned array, const char *loop)
{
    size_t at = strlen(n->text), room = sizeof n->text - at;
    if (n->seen[array])
        return;
    n->seen[array] = true;
    if (n->count++ < NAMED)
        snprintf(n->text + at, room, "%s%.60s%s%.60s%s", at ? ", " : "",
                 d->b->program->file->array[array].name, loop ? " (" : "", loop ? loop : "",
                 loop ? ")" : "");
    else if (n->count == NAMED + 1)
        snprintf(n->text + at, room, " and others");
}

/* The line, if something was named. */
static void close_names(struct doubting *d, struct names *n, const char *before, const char *behind)
{
    if (n->count)
        snprintf(d->to->text[d->to->count++], HTMT__BOUND_DOUBT, "%s%s%s", before, n->text, behind);
    free(n->seen);
}

/* ---- between loops -----------------------------------------------------------------------------
 */

static bool touches(const struct htmt__nest_plan *plan, unsigned array)
{
    for (unsigned i = 0; i < plan->streams; i++)
        if (plan->stream[i].array == array)
            return true;
    return false;
}

/* Bytes that a loop touches. */
static int count_bytes(const struct htmt__bound_loop *loop, const struct htmt__bounds *b,
                       htmt_wide *bytes)
{
    static const int64_t whole[HTMT__NEST_DEPTH];
    const htmt_wide all = HTMT__NEST_ALL;
    struct htmt__nest_moved moved;
    htmt_wide full;
    int rc =
        htmt__nest_blocks_move(loop->run->plan, &b->request.keeping, whole, &all, 1, &moved, &full);
    *bytes = rc ? 0 : moved.read * (htmt_wide)loop->run->plan->unit;
    return rc;
}

/* The loop that runs after loop i, in most rounds; the number of loops: none. Behind the last one
 * of a repeat that is the first one of it: of repeats in each other, of the inner one. */
static unsigned next_of(const struct htmt__bounds *b, unsigned i)
{
    const struct htmt__nest_program *p = b->program;
    const unsigned run = (unsigned)(b->loop[i].run - p->run);
    unsigned next = i + 1, r = 0;
    while (r < p->repeats && (run < p->repeat[r].first || run > p->repeat[r].last))
        r++;
    if (r == p->repeats ||
        (next < b->loops && (unsigned)(b->loop[next].run - p->run) <= p->repeat[r].last))
        return next;
    while (next && (unsigned)(b->loop[next - 1].run - p->run) >= p->repeat[r].first)
        next--;
    return next;
}

static int doubt_loops(struct doubting *d)
{
    const struct htmt__bounds *b = d->b;
    struct names n;
    htmt_wide *bytes = calloc(b->loops + 1, sizeof *bytes);
    int rc = bytes ? open_names(d, &n) : HTMT_ENOMEM;
    if (rc) {
        free(bytes);
        return rc;
    }
    for (unsigned i = 0; i < b->loops && !rc; i++)
        rc = count_bytes(&b->loop[i], b, &bytes[i]);
    for (unsigned i = 0; i < b->loops && !rc; i++) {
        htmt_wide between = 0;
        unsigned turns = 0;
        for (unsigned j = next_of(b, i); j < b->loops && between <= d->capacity && turns < b->loops;
             j = next_of(b, j), turns++) {
            const struct htmt__nest_plan *of = b->loop[i].run->plan, *again = b->loop[j].run->plan;
            const bool stays = between + (bytes[i] < bytes[j] ? bytes[i] : bytes[j]) <= d->capacity;
            for (unsigned k = 0; k < of->streams && stays; k++)
                if (touches(again, of->stream[k].array))
                    name_array(d, &n, of->stream[k].array, NULL);
            between += bytes[j];
        }
    }
    close_names(d, &n,
                "each loop begins with an empty memory; what stays there from one to the next of ",
                " is not counted, and less may move");
    free(bytes);
    return rc;
}

/* ---- maps --------------------------------------------------------------------------------------
 */

static int doubt_maps(struct doubting *d)
{
    struct names n;
    int rc = open_names(d, &n);
    for (unsigned i = 0; i < d->b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &d->b->loop[i];
        struct htmt__nest_plan *plan = loop->run->plan;
        unsigned array = 0;
        bool several = false;
        if (d->capacity >= loop->full * (htmt_wide)plan->unit)
            continue;
        rc = htmt__nest_maps_find(plan, plan->extent, &several, &array);
        if (!rc && several)
            name_array(d, &n, array, loop->run->name);
    }
    if (rc)
        n.count = 0;
    close_names(d, &n, "several subscripts name the same words of ",
                "; below what the loop touches they count apart, and less may move");
    return rc;
}

/* ---- lines -------------------------------------------------------------------------------------
 */

/* Whether the file says where the words of a stream lie, or that does not matter: no members, and
 * all components. */
static bool is_close(const struct htmt__bounds *b, const struct htmt__nest_plan *plan, unsigned i)
{
    const unsigned array = plan->stream[i].array;
    const struct htmt__nest_array *a = &b->program->file->array[array];
    htmt_wide named = 0;
    for (unsigned k = 0; k < plan->streams; k++)
        named += plan->stream[k].array == array &&
                 (!k || plan->stream[k - 1].array != array ||
                  plan->stream[k - 1].component != plan->stream[k].component);
    return (*a->record || !strchr(a->name, '.')) &&
           (a->placed || named >= b->program->components[array]);
}

static int doubt_lines(struct doubting *d)
{
    const struct htmt__bounds *b = d->b;
    struct names lost, apart;
    int rc = open_names(d, &lost);
    if (rc)
        return rc;
    rc = open_names(d, &apart);
    for (unsigned i = 0; i < b->loops; i++) {
        const struct htmt__bound_loop *loop = &b->loop[i];
        const struct htmt__nest_plan *plan = loop->run->plan;
        for (unsigned k = 0; k < plan->streams && plan->line > 1; k++) {
            const struct htmt__nest_stream *s = &plan->stream[k];
            if (plan->pattern[s->pattern].coupled && !b->whole)
                name_array(d, &lost, s->array, loop->run->name);
            else if (!is_close(b, plan, k))
                name_array(d, &apart, s->array, NULL);
        }
    }
    close_names(d, &lost, "lines count as full; more may move of ",
                ", whose subscripts name several loops");
    close_names(d, &apart, "the file does not say how far apart words of ",
                " lie; they are taken to lie one behind the other, and more may move");
    return rc;
}

/* Blocks that were not played. */
static void doubt_blocks(struct doubting *d)
{
    for (unsigned i = 0; i < d->b->loops; i++)
        for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
            if (d->b->loop[i].block[l]) {
                snprintf(d->to->text[d->to->count++], HTMT__BOUND_DOUBT,
                         "each block begins with an empty memory; what an earlier one left there "
                         "is not counted, and less may move");
                return;
            }
}

static bool is_part(const struct htmt__nest_number *n)
{
    return n->num > 0 && n->num < n->den;
}

/* Which iterations a branch on data takes is not known, and a part of them may touch all words. */
static int doubt_parts(struct doubting *d)
{
    struct names parts;
    int rc = open_names(d, &parts);
    for (unsigned i = 0; i < d->b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &d->b->loop[i];
        const struct htmt__nest_plan *plan = loop->run->plan;
        for (unsigned k = 0; k < plan->streams; k++) {
            const struct htmt__nest_stream *s = &plan->stream[k];
            if (is_part(&s->stores) || (is_part(&s->loads) && !s->stores.num))
                name_array(d, &parts, s->array, loop->run->name);
        }
    }
    if (!rc)
        close_names(d, &parts, "a part of the iterations touches ",
                    "; traffic is that of all of them, and less may move");
    return rc;
}

int htmt__bound_doubts(const struct htmt__bounds *bound, struct htmt__bound_doubts *doubts)
{
    struct doubting d = {.b = bound, .to = doubts};
    doubts->count = 0;
    if (!bound->loops || !bound->rates->links)
        return 0;
    d.capacity = HTMT_WORD * (bound->request.capacity >= 0 ? bound->request.capacity
                                                           : bound->rates->link[0].capacity);
    int rc = bound->whole || bound->request.order == HTMT__BOUND_BLOCKS ? 0 : doubt_loops(&d);
    if (!bound->whole && bound->request.order != HTMT__BOUND_BLOCKS)
        doubt_blocks(&d);
    if (!rc && !bound->whole)
        rc = doubt_maps(&d);
    if (!rc)
        rc = doubt_parts(&d);
    return rc ? rc : doubt_lines(&d);
}
