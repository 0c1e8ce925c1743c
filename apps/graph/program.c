/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An action is a post to the slice of its object. If it is wanted and something follows, it posts a
 * diffusion to its own slice, and that one is a generator of actions, each computed when it can
 * leave.
 *
 *     action (wanted: is it better?)     set the value, post a diffusion
 *     diffuse (wanted: is it still so?)  for each ghost, each edge: post an action
 *
 * By levels an action only puts its vertex into a list of the slice. When all is quiet, each slice
 * whose list is not empty posts itself a release: one generator along the edges of all
 * vertices in the list, in the order in which they came. A slice needs one message for that,
 * however many vertices wait. The list is linked through the vertices. The release takes one vertex
 * after another out of it, with the value that this one has then; a vertex that is improved behind
 * that joins the list that is released next.
 *
 * PageRank counts its iterations by quiet. By levels a slice computes its vertices' ranks there,
 * and from them their scores, before anybody else's can come.
 *
 * A kept object has the slice's own figures and then its vertices; so all that changes lies in it.
 * Edges and where vertices live do not change: they are of the plan, and their words are reserved.
 */
#include "apps/graph/program.h"
#include "apps/lib/gather.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_ONE ((UINT32_C(1) << 31) - 1) /* the end of a list, by numbers in the slice */

struct slice {
    uint64_t quiets, actions; /* actions: true ones */
    uint64_t at, count; /* of the generator: message of the vertex that it is at, of how many */
    struct htmt__operon sends;
    uint32_t head, tail, left; /* of the list; of what is released */
    uint32_t first, vertices;  /* of the plan's members */
};

/* ---- what lies in a slice -------------------------------------------------------------------- */

static struct htmt__vertex *vertices_of(struct slice *s)
{
    return (struct htmt__vertex *)(s + 1);
}

/* Of pagerank by levels, behind the vertices. */
static double *scores_of(struct slice *s)
{
    return (double *)(vertices_of(s) + s->vertices);
}

/* Vertices of a slice, and which one has a number there. */
static uint32_t count_of(const struct htmt__graph_plan *p, uint32_t slice)
{
    return p->place.first_member[slice + 1] - p->place.first_member[slice];
}

static uint32_t number_of(const struct htmt__graph_plan *p, const struct slice *s, uint32_t local)
{
    return p->place.member[s->first + local];
}

static uint64_t bytes_of(const struct htmt__graph_plan *p, uint32_t slice)
{
    uint64_t each = sizeof(struct htmt__vertex);
    if (p->by_levels && p->program == HTMT__GRAPH_PAGERANK)
        each += sizeof(double);
    return sizeof(struct slice) + count_of(p, slice) * each;
}

static struct slice *slice_of(struct htmt_context *c, const struct htmt__graph_run *r)
{
    return htmt_kept(c, r->kept[htmt_slice(c)]);
}

/* NULL: a ghost. */
static struct htmt__vertex *vertex_of(const struct htmt__graph_plan *p, struct slice *s,
                                      uint32_t object)
{
    return object < p->place.vertices ? vertices_of(s) + p->place.local[object] : NULL;
}

static void post(struct htmt_context *c, const struct htmt__graph_run *r,
                 const struct htmt_type *type, const struct htmt__operon *m)
{
    htmt_post(c, type, r->plan->place.cell[m->object], m);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A vertex without edges has nothing to say. */
static void append(const struct htmt__graph_plan *p, struct slice *s, uint32_t local)
{
    struct htmt__vertex *v = vertices_of(s) + local;
    if (v->waits || !htmt__diffusion_count(&p->all, number_of(p, s, local)))
        return;
    v->waits = 1;
    v->next = NO_ONE;
    if (s->head == NO_ONE)
        s->head = local;
    else
        vertices_of(s)[s->tail].next = local & NO_ONE;
    s->tail = local;
}

/* What the vertex at the head of what is released says. */
static void take_first(const struct htmt__graph_plan *p, struct slice *s)
{
    const uint32_t local = s->left;
    struct htmt__vertex *v = vertices_of(s) + local;
    s->left = v->next;
    v->waits = 0;
    s->sends = (struct htmt__operon){.object = number_of(p, s, local), .value = v->value};
    if (p->program == HTMT__GRAPH_PAGERANK)
        s->sends.value = scores_of(s)[local];
    s->at = 0;
    s->count = htmt__diffusion_count(&p->all, s->sends.object);
}

static void next_released(struct htmt_context *c, uint64_t i)
{
    const struct htmt__graph_run *r = htmt_user(c);
    struct slice *s = slice_of(c, r);
    (void)i;
    while (s->at == s->count)
        take_first(r->plan, s);
    struct htmt__operon m = htmt__diffusion_next(&r->plan->all, &s->sends, s->at++);
    post(c, r, r->action, &m);
}

static void release(struct htmt_context *c)
{
    const struct htmt__graph_run *r = htmt_user(c);
    const struct htmt__graph_plan *p = r->plan;
    struct slice *s = slice_of(c, r);
    uint64_t all = 0;
    for (uint32_t local = s->head; local != NO_ONE; local = vertices_of(s)[local].next)
        all += htmt__diffusion_count(&p->all, number_of(p, s, local));
    s->left = s->head;
    s->head = NO_ONE;
    s->at = s->count = 0;
    htmt_each(c, all, next_released);
}

/* ---- actions and diffusions ------------------------------------------------------------------ */

static bool action_wanted(struct htmt_context *c)
{
    const struct htmt__graph_run *r = htmt_user(c);
    const struct htmt__operon *m = htmt_args(c);
    uint64_t charge = 0;
    bool wanted = htmt__action_wanted(&r->plan->all, vertex_of(r->plan, slice_of(c, r), m->object),
                                      m, &charge);
    if (charge)
        htmt_charge(c, HTMT_CYCLE, charge);
    return wanted;
}

static void action(struct htmt_context *c)
{
    const struct htmt__graph_run *r = htmt_user(c);
    const struct htmt__operon *m = htmt_args(c);
    struct slice *s = slice_of(c, r);
    struct htmt__operon out;
    uint64_t charge = 0;
    enum htmt__then then =
        htmt__action_work(&r->plan->all, vertex_of(r->plan, s, m->object), m, &out, &charge);
    if (charge)
        htmt_charge(c, HTMT_CYCLE, charge);
    s->actions++;
    if (then == HTMT__THEN_DIFFUSE)
        post(c, r, r->diffuse, &out);
    else if (then == HTMT__THEN_WAIT)
        append(r->plan, s, r->plan->place.local[m->object]);
}

static bool diffusion_wanted(struct htmt_context *c)
{
    const struct htmt__graph_run *r = htmt_user(c);
    const struct htmt__operon *m = htmt_args(c);
    uint64_t charge = 0;
    bool wanted = htmt__diffusion_wanted(&r->plan->all,
                                         vertex_of(r->plan, slice_of(c, r), m->object), m, &charge);
    if (charge)
        htmt_charge(c, HTMT_CYCLE, charge);
    return wanted;
}

static void next_diffused(struct htmt_context *c, uint64_t i)
{
    const struct htmt__graph_run *r = htmt_user(c);
    struct htmt__operon m = htmt__diffusion_next(&r->plan->all, htmt_args(c), i);
    post(c, r, r->action, &m);
}

static void diffuse(struct htmt_context *c)
{
    const struct htmt__graph_run *r = htmt_user(c);
    const struct htmt__operon *m = htmt_args(c);
    const uint64_t count = htmt__diffusion_count(&r->plan->all, m->object);
    if (count)
        htmt_each(c, count, next_diffused);
}

/* ---- quiet ----------------------------------------------------------------------------------- */

static void post_begins(struct htmt_context *c, const struct htmt__graph_run *r, uint32_t slice)
{
    const struct htmt__graph_plan *p = r->plan;
    for (uint32_t i = p->first_begin[slice]; i < p->first_begin[slice + 1]; i++)
        post(c, r, r->action, &(struct htmt__operon){p->begin[i], HTMT__NOBODY, 0});
}

/* Ranks out of sums, unless none have come yet; then, where another iteration follows, scores out
 * of them, and all vertices are in the list. */
static void rank_slice(const struct htmt__graph_plan *p, struct slice *s)
{
    for (uint32_t local = 0; local < s->vertices; local++) {
        struct htmt__vertex *v = vertices_of(s) + local;
        const uint32_t edges = p->out[number_of(p, s, local)];
        if (s->quiets)
            htmt__vertex_settle(&p->all, v);
        else
            v->value = 1.0 / p->place.vertices;
        if (s->quiets == p->iterations)
            continue;
        scores_of(s)[local] = edges ? v->value / edges : 0;
        v->value = 0;
        append(p, s, local);
    }
}

static void quiet(struct htmt_context *c)
{
    const struct htmt__graph_run *r = htmt_user(c);
    const struct htmt__graph_plan *p = r->plan;
    struct slice *s = slice_of(c, r);
    s->quiets++;
    if (p->program == HTMT__GRAPH_PAGERANK && !p->by_levels) {
        if (s->quiets < p->iterations)
            post_begins(c, r, htmt_slice(c));
        return;
    }
    if (p->program == HTMT__GRAPH_PAGERANK)
        rank_slice(p, s);
    if (s->head != NO_ONE)
        htmt_post(c, r->release, htmt_slice(c), NULL);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static void fill_slices(const struct htmt__graph_run *r)
{
    const struct htmt__graph_plan *p = r->plan;
    for (uint32_t i = 0; i < p->slices; i++) {
        struct slice *s = htmt_object_bytes(r->kept[i]);
        if (!s) /* another process plays it */
            continue;
        s->first = p->place.first_member[i];
        s->vertices = count_of(p, i);
        s->head = s->left = NO_ONE;
    }
    for (uint32_t v = 0; v < p->place.vertices; v++) {
        struct slice *s = htmt_object_bytes(r->kept[p->place.cell[v]]);
        const uint32_t local = p->place.local[v];
        if (!s)
            continue;
        htmt__vertex_begin(&p->all, vertices_of(s) + local);
        if (p->program == HTMT__GRAPH_TRIANGLES)
            append(p, s, local);
    }
    for (uint32_t i = 0; i < p->slices; i++) {
        struct slice *s = htmt_object_bytes(r->kept[i]);
        if (s && p->program == HTMT__GRAPH_PAGERANK && p->by_levels)
            rank_slice(p, s);
    }
}

static int create_objects(struct htmt_task *task, struct htmt__graph_run *r)
{
    const struct htmt__graph_plan *p = r->plan;
    uint64_t *edges = calloc(p->slices, sizeof *edges);
    struct htmt_object *held;
    int rc = 0;
    r->kept = calloc(p->slices, sizeof *r->kept);
    if (!edges || !r->kept) {
        free(edges);
        return HTMT_ENOMEM;
    }
    for (uint32_t o = 0; o < p->place.objects; o++)
        edges[p->place.cell[o]] += p->place.first[o + (size_t)1] - p->place.first[o];
    for (uint32_t i = 0; !rc && i < p->slices; i++) {
        const struct htmt_machine *m = htmt_task_machine(task);
        rc = htmt_object_create_kept(r->e, i, p->layer, bytes_of(p, i), "vertices", &r->kept[i]);
        if (!rc && edges[i]) /* a word each */
            rc = htmt_object_wrap(r->e, i, p->layer, &r->nothing, sizeof r->nothing, edges[i],
                                  "edges", &held);
        if (rc == HTMT_ECAPACITY)
            rc = htmt_task_refuse(task, HTMT_ERANGE,
                                  "slice %u: %u vertices and %" PRIu64 " edges take %" PRIu64
                                  " bytes, %s has %" PRIu64 " of them left",
                                  i, count_of(p, i), edges[i], bytes_of(p, i) + 8 * edges[i],
                                  m->layer[p->layer].memory.name,
                                  8 * htmt_machine_room(m, p->layer));
    }
    free(edges);
    return rc;
}

/* The queue of that name, where the machine's layer has one; NULL: it has but one queue. */
static const char *queue_of(const struct htmt__graph_run *r, const char *name)
{
    const struct htmt_machine *m = htmt_emulator_machine(r->e);
    char key[sizeof m->figure->key];
    snprintf(key, sizeof key, "layers.%s.processor.queues.%s.room", m->layer[r->plan->layer].name,
             name);
    for (uint32_t i = 0; i < m->figure_count; i++)
        if (strcmp(m->figure[i].key, key) == 0)
            return name;
    return NULL;
}

static int create_types(struct htmt__graph_run *r)
{
    const struct htmt__graph_plan *p = r->plan;
    const char *layer = htmt_emulator_machine(r->e)->layer[p->layer].name;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.home = d.exec = layer;
    d.user = r;
    d.args_bytes = sizeof(struct htmt__operon);
    d.name = "action";
    d.queue = queue_of(r, d.name);
    d.execute.control = action;
    d.wanted = action_wanted;
    int rc = htmt_type_create(r->e, &d, &r->action);
    d.name = "diffuse";
    d.queue = queue_of(r, d.name);
    d.execute.control = diffuse;
    d.wanted = diffusion_wanted;
    rc = rc ? rc : htmt_type_create(r->e, &d, &r->diffuse);
    d.name = "release";
    d.execute.control = release;
    d.wanted = NULL;
    d.args_bytes = 0;
    return rc ? rc : htmt_type_create(r->e, &d, &r->release);
}

/* Where vertices are in the list from the beginning; of slices of other processes, too. */
static bool lists_some(const struct htmt__graph_plan *p, uint32_t slice)
{
    for (uint32_t i = p->place.first_member[slice]; i < p->place.first_member[slice + 1]; i++)
        if (htmt__diffusion_count(&p->all, p->place.member[i]))
            return true;
    return false;
}

/* The first messages. */
static void begin(struct htmt__graph_run *r)
{
    const struct htmt__graph_plan *p = r->plan;
    struct htmt_context *c = htmt_root(r->e);
    if (p->program <= HTMT__GRAPH_SSSP) {
        post(c, r, r->action, &(struct htmt__operon){p->root, HTMT__NOBODY, 0});
        return;
    }
    for (uint32_t i = 0; i < p->slices; i++)
        if (!p->by_levels && p->program != HTMT__GRAPH_TRIANGLES) /* no list */
            post_begins(c, r, i);
        else if (lists_some(p, i))
            htmt_post(c, r->release, i, NULL);
}

int htmt__graph_create(struct htmt_task *task, const struct htmt__graph_plan *plan,
                       struct htmt_emulator *e, struct htmt__graph_run *r)
{
    *r = (struct htmt__graph_run){.plan = plan, .e = e};
    int rc = create_objects(task, r);
    rc = rc ? rc : create_types(r);
    if (!rc && (plan->program == HTMT__GRAPH_PAGERANK || plan->by_levels))
        rc = htmt_quiet(e, quiet, r);
    if (rc)
        return rc;
    fill_slices(r);
    begin(r);
    return htmt_emulator_fault(e)->code;
}

void htmt__graph_run_clear(struct htmt__graph_run *r)
{
    free(r->kept);
    r->kept = NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

int htmt__graph_gather(const struct htmt__graph_run *r, struct htmt__graph_results *results)
{
    const struct htmt__graph_plan *p = r->plan;
    const bool mine = htmt_gathers(r->e);
    const void *bytes = NULL;
    int rc = 0;
    *results = (struct htmt__graph_results){.rounds = 0};
    if (mine) {
        results->value = malloc(p->place.vertices * sizeof *results->value);
        results->actions = calloc(p->slices, sizeof *results->actions);
        if (!results->value || !results->actions)
            rc = HTMT_ENOMEM;
    }
    for (uint32_t i = 0; !rc && i < p->slices; i++) {
        rc = htmt_object_fetch(r->kept[i], &bytes);
        if (rc || !bytes || !mine)
            continue;
        const struct slice *s = bytes;
        const struct htmt__vertex *v = (const struct htmt__vertex *)(s + 1);
        results->actions[i] = s->actions;
        results->rounds = s->quiets > results->rounds ? s->quiets : results->rounds;
        for (uint32_t k = 0; k < s->vertices; k++)
            results->value[number_of(p, s, k)] = v[k];
    }
    return rc;
}

void htmt__graph_results_clear(struct htmt__graph_results *results)
{
    free(results->value);
    free(results->actions);
    results->value = NULL;
    results->actions = NULL;
}
