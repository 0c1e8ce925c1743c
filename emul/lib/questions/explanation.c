/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The path (parcels/path.h) is a chain of intervals from the end of the run back to its beginning,
 * each with a cause; their sum is the predicted time, exactly. Here it becomes a table, and is
 * compared with the closed form. If the closed form tells its own parts by cause, and counts the
 * same work, causes are subtracted one by one. Else only the sums can be: what the closed form
 * counts is work, and `beside` it; so clock - closed form = fill + queue + stall + blocked +
 * overhead + drain - beside.
 *
 * By hand: the clock says 120, the path has work 80, fill 15, queue 17 and drain 8. If the closed
 * form is 100 of work 80, fill 12 and drain 8, the 20 more are fill 3 and queue 17: pipelining as
 * foreseen, and a queue that it does not know. If all that it tells is 100, it counts 20 beside the
 * work, and the 20 more are 15 + 17 + 8 - 20. If its work is 90, it counts another thing than the
 * path does, perhaps another resource, and a comparison cause by cause would say nothing.
 */
#include "emul/lib/questions/explanation.h"

#include "emul/lib/questions/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void name_resource(const struct htmt_emulator *e, uint32_t index, char *name, size_t room)
{
    struct htmt_resource_report r;
    if (htmt_resource_at(e, index, &r) == 0)
        snprintf(name, room, "%s", r.name);
    else
        snprintf(name, room, "%s", HTMT__IN_FLIGHT);
}

static void take_part(const struct htmt_emulator *e, const struct htmt_path *path,
                      const struct htmt_path_part *part, struct htmt__cause *to)
{
    struct htmt_memory_report m;
    to->cause = htmt_path_cause_name(part->cause);
    if (part->cause == HTMT_PATH_STALL && htmt_memory_at(e, part->of, &m) == 0)
        snprintf(to->of, sizeof to->of, "%s", m.name);
    else if (part->cause == HTMT_PATH_QUEUE)
        name_resource(e, part->of, to->of, sizeof to->of);
    else if (part->cause == HTMT_PATH_BLOCKED)
        snprintf(to->of, sizeof to->of, "%s, slice %u to %u", part->port, part->source,
                 part->target);
    else if (part->cause == HTMT_PATH_WORK)
        name_resource(e, path->principal, to->of, sizeof to->of);
    snprintf(to->type, sizeof to->type, "%s", part->type);
    to->stage = htmt_stage_name(part->stage);
    name_resource(e, part->resource, to->used, sizeof to->used);
    if (part->place == HTMT_PATH_PAUSED)
        snprintf(to->used, sizeof to->used, "%s", HTMT__IN_PAUSE);
    else if (part->inside)
        snprintf(to->used, sizeof to->used, "%s, %s", HTMT__IN_FLIGHT, part->inside);
    to->intervals = part->count;
    to->time = part->time;
}

/* With the closed form; cause by cause if it has parts by cause and counts the same work. */
static void compare(struct htmt__explanation *x, const struct htmt_outcome *closed)
{
    double fs = closed ? closed->closed_form_s * (double)HTMT_SECOND : 0;
    htmt_wide all = 0;
    if (!(fs > 0) || fs >= (double)HTMT_TIME_MAX)
        return;
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++)
        all += closed->closed_form[i];
    x->has_closed_form = true;
    x->has_parts = all > 0 && closed->closed_form[HTMT_PATH_WORK] == x->sum[HTMT_PATH_WORK];
    /* The sum of the parts is exact to the femtosecond, unlike the seconds. */
    x->closed_form = x->has_parts ? (htmt_time)all : llround(fs);
    for (unsigned i = 0; i < HTMT_PATH_CAUSES && x->has_parts; i++)
        x->more[i] = (htmt_time)(x->sum[i] - closed->closed_form[i]);
    x->gap = x->predicted - x->closed_form;
    x->beside = x->closed_form - x->sum[HTMT_PATH_WORK];
}

int htmt__explanation_make(const struct htmt_emulator *e, const struct htmt_outcome *closed,
                           struct htmt__explanation *x)
{
    struct htmt_path path;
    *x = (struct htmt__explanation){0};
    int rc = htmt_path_find(e, &path);
    if (!rc && !(x->cause = calloc(path.count + 1, sizeof *x->cause)))
        rc = HTMT_ENOMEM;
    if (!rc) {
        x->made = true;
        x->predicted = path.total;
        x->intervals = path.length;
        for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++)
            x->sum[i] = htmt_path_sum(&path, (enum htmt_path_cause)i);
        if (path.principal != UINT32_MAX)
            name_resource(e, path.principal, x->principal, sizeof x->principal);
        for (; x->count < path.count; x->count++)
            take_part(e, &path, &path.part[x->count], &x->cause[x->count]);
        compare(x, closed);
    }
    htmt_path_clear(&path);
    return rc;
}

/* ---- shares ---------------------------------------------------------------------------------- */

/*
 * The rows of the path are by cause, and one reason is scattered over many of them: where a small
 * SRAM holds a run back, each phase that then goes by has a row of its own, and none of them is
 * large. So the rows are added up by what a user can change: a network, the processors of a layer,
 * a memory, a phase. Example: 20 rows of 2.5 % each, all stalls for SRAM, are one row of 50 %.
 */
static void add_share(struct htmt__explanation *x, const char *of, const char *name, htmt_time time)
{
    unsigned i = 0;
    while (i < x->shares &&
           (strcmp(x->share[i].of, of) != 0 || strcmp(x->share[i].name, name) != 0))
        i++;
    if (i == x->shares) {
        x->share[x->shares++] = (struct htmt__path_share){.of = of};
        snprintf(x->share[i].name, sizeof x->share[i].name, "%s", name);
    }
    x->share[i].time += time;
}

/* "vortex sram out" is a link of layer sram: the network is what comes before both. */
static void name_network(const struct htmt__resource *link, char *name, size_t room)
{
    size_t length = strlen(link->name), tail = strlen(link->layer_name) + 1;
    tail += strcmp(link->kind, "link out") == 0 ? strlen(" out") : strlen(" in");
    snprintf(name, room, "%.*s", (int)(length > tail ? length - tail : length), link->name);
}

static int by_time(const void *a, const void *b)
{
    static const char *const order[] = {"network", "layer", "memory", "phase"};
    const struct htmt__path_share *s = a, *t = b;
    unsigned i = 0, j = 0;
    while (strcmp(order[i], s->of) != 0)
        i++;
    while (strcmp(order[j], t->of) != 0)
        j++;
    if (i != j)
        return i < j ? -1 : 1;
    if (s->time != t->time)
        return s->time > t->time ? -1 : 1;
    return strcmp(s->name, t->name);
}

const char *htmt__cause_network(const struct htmt__cause *c)
{
    const size_t flying = strlen(HTMT__IN_FLIGHT);
    if (strncmp(c->used, HTMT__IN_FLIGHT, flying) != 0)
        return NULL;
    return c->used[flying] ? c->used + flying + strlen(", ") : "";
}

int htmt__explanation_share(struct htmt__explanation *x, const struct htmt__results *r)
{
    if (!x->made)
        return 0;
    x->share = calloc(3 * (size_t)x->count + 1, sizeof *x->share);
    if (!x->share)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < x->count; i++) {
        const struct htmt__cause *c = &x->cause[i];
        const char *network = htmt__cause_network(c);
        const struct htmt__resource *used = NULL;
        char name[sizeof x->share->name];
        for (unsigned k = 0; k < r->resource_count && !used; k++)
            if (strcmp(r->resource[k].name, c->used) == 0)
                used = &r->resource[k];
        if (network)
            add_share(x, "network", *network ? network : "none", c->time);
        else if (used && strcmp(used->kind, "bank") == 0)
            add_share(x, "layer", used->layer_name, c->time);
        else if (used)
            name_network(used, name, sizeof name), add_share(x, "network", name, c->time);
        if (strcmp(c->cause, htmt_path_cause_name(HTMT_PATH_STALL)) == 0)
            add_share(x, "memory", c->of, c->time);
        snprintf(name, sizeof name, "%s %s", c->type, c->stage);
        add_share(x, "phase", name, c->time);
    }
    qsort(x->share, x->shares, sizeof *x->share, by_time);
    return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

bool htmt__explanation_next(const struct htmt__explanation *x, unsigned *at,
                            struct htmt__cause *row)
{
    if (*at == x->count)
        return false;
    const struct htmt__cause *c = &x->cause[*at];
    unsigned before = *at, others = 1;
    while (before && strcmp(x->cause[before - 1].cause, c->cause) == 0)
        before--;
    *row = *c;
    if (++*at - before <= HTMT__CAUSES_SHOWN)
        return true;
    for (; *at < x->count && strcmp(x->cause[*at].cause, c->cause) == 0; ++*at, others++) {
        row->intervals += x->cause[*at].intervals;
        row->time += x->cause[*at].time;
    }
    if (others > 1) {
        row->of[0] = row->used[0] = '\0';
        row->stage = "others";
        snprintf(row->type, sizeof row->type, "%u", others);
    }
    return true;
}

void htmt__explanation_clear(struct htmt__explanation *x)
{
    free(x->cause);
    free(x->share);
    *x = (struct htmt__explanation){0};
}
