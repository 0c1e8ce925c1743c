/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which arrays each nest reads and writes, and which lie in memory meanwhile. A component lives
 * from the first run that touches it to the last; from the start if it is live on entry, to the end
 * if on exit. A repeat makes more live: what its first round reads before it writes must survive
 * from the end of a round to the next, so it lives in all runs of the repeat. In "repeat: a, b, c"
 * with u read by a and written by c, u lives in b, too: R L W. If a writes u and c reads it, W L R,
 * u need not outlive c. That is asked of each repeat by itself: in "repeat: a, repeat: b, c" with u
 * written by a and read by b, each outer round begins with a write, but each inner one with a read,
 * so u lives in c: W R L. Components with the same marks share a row.
 */
#include "emul/loops/nest/program.h"

#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

const char *htmt__nest_mark_name(enum htmt__nest_mark mark)
{
    static const char *const names[] = {
        [HTMT__NEST_ABSENT] = "", [HTMT__NEST_LIVE] = "L", [HTMT__NEST_R] = "R",
        [HTMT__NEST_W] = "W",     [HTMT__NEST_RW] = "RW",  [HTMT__NEST_WR] = "WR"};
    return names[mark];
}

/* An array may have several streams in a nest; what is written and read is both. */
static enum htmt__nest_mark join_marks(enum htmt__nest_mark a, enum htmt__nest_mark b)
{
    if (a <= HTMT__NEST_LIVE || a == b)
        return b;
    return a == HTMT__NEST_R || a == HTMT__NEST_RW ? HTMT__NEST_RW
           : b == HTMT__NEST_W                     ? a
                                                   : HTMT__NEST_WR;
}

/* ---- one component -----------------------------------------------------------------------------
 */

/* Marks of all runs for one component of an array. */
static void mark_component(const struct htmt__nest_program *p, unsigned array, htmt_wide component,
                           unsigned char *mark)
{
    memset(mark, HTMT__NEST_ABSENT, p->runs);
    for (unsigned i = 0; i < p->runs; i++) {
        const struct htmt__nest_run *run = &p->run[i];
        for (unsigned k = 0; run->plan && k < run->plan->streams; k++) {
            const struct htmt__nest_stream *s = &run->plan->stream[k];
            const enum htmt__nest_mark touch = s->touch == HTMT__NEST_READS    ? HTMT__NEST_R
                                               : s->touch == HTMT__NEST_WRITES ? HTMT__NEST_W
                                               : s->written_first              ? HTMT__NEST_WR
                                                                               : HTMT__NEST_RW;
            if (s->array == array && s->component == component)
                mark[i] = (unsigned char)join_marks(mark[i], touch);
        }
        for (unsigned k = 0; k < run->parts; k++)
            if (run->part[k].array == array && component >= run->part[k].first &&
                component < run->part[k].first + run->part[k].count)
                mark[i] = HTMT__NEST_RW;
    }
}

/* Marks the runs in which the component lives untouched. */
static void mark_living(const struct htmt__nest_program *p, unsigned array, unsigned char *mark)
{
    const struct htmt__nest_array *a = &p->file->array[array];
    unsigned first = p->runs, last = 0;
    for (unsigned i = 0; i < p->runs; i++)
        if (mark[i] > HTMT__NEST_LIVE) {
            first = i < first ? i : first;
            last = i;
        }
    for (unsigned k = 0; k < p->repeats; k++) {
        const struct htmt__nest_rounds *r = &p->repeat[k];
        unsigned touched = r->first;
        if (r->loop)
            continue; /* its nests take turns, but each word's uses keep their order */
        while (touched < r->last && mark[touched] <= HTMT__NEST_LIVE)
            touched++;
        /* The first touch of a round is a read: it lives all through the repeat. */
        if (mark[touched] == HTMT__NEST_R || mark[touched] == HTMT__NEST_RW) {
            first = r->first < first ? r->first : first;
            last = r->last > last ? r->last : last;
        }
    }
    if (first == p->runs && !(a->entry && a->exit))
        return;
    if (a->entry)
        first = 0;
    if (a->exit)
        last = p->runs - 1;
    for (unsigned i = first; i <= last && i < p->runs; i++)
        if (mark[i] == HTMT__NEST_ABSENT)
            mark[i] = HTMT__NEST_LIVE;
}

/* ---- rows --------------------------------------------------------------------------------------
 */

/* Components one after another that have the same marks share a row. */
static int add_array(const struct htmt__nest_program *p, struct htmt__nest_occupancy *o,
                     unsigned array, unsigned char *mark)
{
    const unsigned rows = o->rows;
    for (htmt_wide c = 0; c < p->components[array]; c++) {
        mark_component(p, array, c, mark);
        mark_living(p, array, mark);
        if (o->rows == rows || memcmp(o->row[o->rows - 1].mark, mark, o->runs) != 0) {
            if (!htmt__array_fits(&o->row, &o->row_room, o->rows + 1, sizeof *o->row))
                return HTMT_ENOMEM;
            struct htmt__nest_row *row = &o->row[o->rows];
            *row = (struct htmt__nest_row){.array = array, .first = c, .mark = malloc(o->runs + 1)};
            if (!row->mark)
                return HTMT_ENOMEM;
            memcpy(row->mark, mark, o->runs);
            o->rows++;
        }
        o->row[o->rows - 1].count++;
    }
    return 0;
}

int htmt__nest_occupancy_make(const struct htmt__nest_program *program,
                              struct htmt__nest_occupancy *occupancy)
{
    unsigned char *mark = malloc(program->runs + 1);
    int rc = mark ? 0 : HTMT_ENOMEM;
    *occupancy = (struct htmt__nest_occupancy){
        .runs = program->runs, .resident = calloc(program->runs + 1, sizeof(htmt_wide))};
    if (!occupancy->resident)
        rc = HTMT_ENOMEM;
    for (unsigned i = 0; i < program->file->arrays && !rc; i++)
        if (!program->file->array[i].formal)
            rc = add_array(program, occupancy, i, mark);
    for (unsigned k = 0; k < occupancy->rows && !rc; k++) {
        struct htmt__nest_row *row = &occupancy->row[k];
        for (unsigned i = 0; i < occupancy->runs; i++) {
            enum htmt__nest_mark touch = row->mark[i];
            row->reads += touch == HTMT__NEST_R || touch == HTMT__NEST_RW ? row->count : 0;
            row->writes += touch >= HTMT__NEST_W ? row->count : 0;
            row->live += touch == HTMT__NEST_LIVE ? row->count : 0;
            occupancy->resident[i] += touch != HTMT__NEST_ABSENT ? row->count : 0;
        }
    }
    free(mark);
    if (rc)
        htmt__nest_occupancy_clear(occupancy);
    return rc;
}

void htmt__nest_occupancy_clear(struct htmt__nest_occupancy *occupancy)
{
    for (unsigned i = 0; i < occupancy->rows; i++)
        free(occupancy->row[i].mark);
    free(occupancy->row);
    free(occupancy->resident);
    *occupancy = (struct htmt__nest_occupancy){0};
}
