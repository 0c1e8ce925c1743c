/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program: what both methods share.
 *
 * Leapfrog. A step kicks by half of dt, drifts, finds forces, and kicks by the other half. The
 * second kick of a step and the first one of the next have the same forces, so one parcel of a DPIM
 * does for its bodies all that lies between two evaluations of forces: kick (end of a step), sums,
 * kick and drift (begin of the next). Evaluation 0 comes before the first step, and what ends
 * evaluation `steps` only kicks and sums. So
 *
 *     move 0: sums of places; forces 0; move 1; forces 1; .. ; move steps + 1.
 *
 * Move e + 1 finds the sums at time e dt: energies, momenta, work. They are added over DPIMs, then
 * over slices by an all-reduce, which is also the barrier behind which forces begin: a slice sees
 * no sources of the step before.
 */
#include "apps/nbody/parts.h"

#include "apps/lib/gather.h"
#include "apps/lib/iterations.h"

#include "parcels/replies.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SUM_BYTES (HTMT__NBODY_SUMS * sizeof(double))

typedef struct htmt__nbody_program program;
typedef struct htmt__nbody_lead lead;

/* Of a parcel that moves bodies. */
struct order {
    const program *p;
    uint32_t evaluation;
    uint64_t first, count;
    uint32_t groups; /* of the tree */
};

static void combine(void *into, const void *from, uint64_t bytes)
{
    double *a = into;
    const double *b = from;
    (void)bytes;
    for (unsigned i = 0; i < HTMT__NBODY_SUMS; i++)
        a[i] = i < HTMT__NBODY_ADDED ? a[i] + b[i] : a[i] > b[i] ? a[i] : b[i];
}

/* ---- move ----------------------------------------------------------------------------------- */

static void kick(struct htmt__nbody_body *b, const double *pull, double h)
{
    for (unsigned c = 0; c < 3; c++)
        b->v[c] += h * pull[c];
}

static void add_body(const struct htmt__nbody_body *b, const double *pull, double *sum)
{
    const double *x = b->x, *v = b->v, m = b->m;
    sum[HTMT__NBODY_KINETIC] += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    sum[HTMT__NBODY_POTENTIAL] += 0.5 * m * pull[3];
    for (unsigned c = 0; c < 3; c++) {
        const unsigned d = (c + 1) % 3, e = (c + 2) % 3;
        sum[HTMT__NBODY_MOMENTUM + c] += m * v[c];
        sum[HTMT__NBODY_SPIN + c] += m * (x[d] * v[e] - x[e] * v[d]);
    }
    sum[HTMT__NBODY_WORK] += b->work;
}

/* Direct: all bodies pull each one. Tree: what the list of its group had. */
static void note_work(const struct order *o, struct htmt__nbody_body *b,
                      const struct htmt__nbody_group *group, double *sum)
{
    const struct htmt__nbody_plan *plan = &o->p->plan;
    uint32_t least = 0, end = o->groups;
    if (!plan->tree) {
        for (uint64_t i = 0; i < o->count; i++)
            b[i].work = (double)htmt__nbody_list_flop(plan, 1, plan->bodies, 0);
        sum[HTMT__NBODY_ENTRIES] += (double)plan->bodies * (double)o->count;
        return;
    }
    while (least + 1 < end) { /* the group of the first body */
        const uint32_t middle = (least + end) / 2;
        if (group[middle].first <= o->first)
            least = middle;
        else
            end = middle;
    }
    for (uint64_t i = 0; i < o->count; i++) {
        const struct htmt__nbody_group *g = &group[least];
        b[i].work = (double)htmt__nbody_list_flop(plan, 1, g->bodies, g->cells);
        sum[HTMT__NBODY_ENTRIES] += (double)g->bodies + g->cells;
        least += o->first + i + 1 == g->first + g->count;
    }
}

static void move_kernel(struct htmt_kernel *k)
{
    const struct order *o = htmt_kernel_args(k);
    const struct htmt__nbody_plan *plan = &o->p->plan;
    struct htmt__nbody_body *b = htmt_bytes(k, 0);
    const double *pull = htmt_bytes(k, 1);
    double *sum = htmt_bytes(k, 2), far = 0, *own = plan->tree ? NULL : htmt_bytes(k, 3);
    const bool ends = o->evaluation > 1, drifts = o->evaluation && o->evaluation <= plan->steps;
    htmt_constants(k, o->p, sizeof *o->p);
    memset(sum, 0, SUM_BYTES);
    if (o->evaluation)
        note_work(o, b, plan->tree ? htmt_bytes(k, 3) : NULL, sum);
    for (uint64_t i = 0; i < o->count; i++, b++, pull += HTMT__NBODY_PULL_WORDS) {
        if (ends)
            kick(b, pull, plan->dt / 2);
        if (o->evaluation)
            add_body(b, pull, sum);
        if (drifts) {
            kick(b, pull, plan->dt / 2);
            for (unsigned c = 0; c < 3; c++)
                b->x[c] += plan->dt * b->v[c];
        }
        for (unsigned c = 0; c < 3; c++)
            far = fmax(far, fabs(b->x[c]));
        if (own)
            memcpy(own + HTMT__NBODY_SOURCE_WORDS * i, b, HTMT__NBODY_SOURCE_BYTES);
    }
    sum[HTMT__NBODY_FAR] = far;
}

static void move_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct order *o = args;
    *ops = htmt__nbody_move_ops(user, o->count, o->evaluation);
}

/* A parcel for each chunk of the slice's bodies. */
static void move(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    const program *p = l->p;
    const uint32_t me = htmt_slice(c), chunk = p->plan.chunk;
    const struct htmt__nbody_mine *mine = &p->mine[me];
    const uint64_t count = mine->count;
    struct order o = {.p = p, .evaluation = l->evaluation, .groups = mine->groups};
    if (p->named)
        htmt__iteration(c, "step", l->evaluation, (uint64_t)p->plan.steps + 2);
    l->parts = htmt_ceil_div(count, chunk);
    htmt__nbody_await(c, HTMT__NBODY_MOVED, l->parts);
    for (uint64_t i = 0; o.first < count; o.first += chunk, i++) {
        o.count = htmt_least(chunk, count - o.first);
        const struct htmt_addr groups =
            p->plan.tree ? htmt_at(p->low_groups, me, 0) : (struct htmt_addr){0};
        const struct htmt_region r[] = {
            {.into = htmt_at(p->body[mine->which], me, o.first * HTMT__NBODY_BODY_BYTES),
             .bytes = o.count * HTMT__NBODY_BODY_BYTES},
            {.into = htmt_at(p->pull, me, o.first * HTMT__NBODY_PULL_BYTES),
             .bytes = o.count * HTMT__NBODY_PULL_BYTES,
             .read_only = true},
            {.into = htmt_at(p->partial, me, i * SUM_BYTES), .bytes = SUM_BYTES},
            p->plan.tree
                ? htmt__nbody_resident(groups, htmt_object_size(groups.object), true)
                : htmt__nbody_resident(htmt_at(p->own, me, o.first * HTMT__NBODY_SOURCE_BYTES),
                                       o.count * HTMT__NBODY_SOURCE_BYTES, false)};
        htmt_assemble(c,
                      &(struct htmt_parcel_desc){.type = p->move,
                                                 .slice = me,
                                                 .regions = r,
                                                 .region_count = 4,
                                                 .args = &o,
                                                 .on_done = htmt_slot(c, HTMT__NBODY_MOVED)},
                      NULL);
    }
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void sum_kernel(struct htmt_kernel *k)
{
    double *totals = htmt_used(k, 0);
    const uint64_t parts = htmt_used_size(k, 1) / SUM_BYTES;
    const double *part = parts ? htmt_used(k, 1) : NULL; /* NULL: no bodies */
    memset(totals, 0, SUM_BYTES);
    for (uint64_t i = 0; i < parts; i++, part += HTMT__NBODY_SUMS)
        combine(totals, part, SUM_BYTES);
    totals[HTMT__NBODY_WORST] = totals[HTMT__NBODY_WORK];
}

static void sum_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const lead *l = args;
    (void)user;
    *ops = htmt__nbody_sum_ops(l->parts);
}

static void moved(struct htmt_context *c)
{
    const lead *l = htmt_args(c);
    const program *p = l->p;
    htmt_use(c, htmt_at(p->totals, htmt_slice(c), 0), SUM_BYTES, HTMT_WRITE);
    if (l->parts)
        htmt_use(c, htmt_at(p->partial, htmt_slice(c), 0), l->parts * SUM_BYTES, HTMT_READ);
    htmt_work(c);
    htmt_allreduce(c, p->sum, htmt_slot(c, HTMT__NBODY_TOTALS));
}

static void totals_kernel(struct htmt_kernel *k)
{
    if (htmt_used_size(k, 1))
        memcpy(htmt_used(k, 1), htmt_used(k, 0), SUM_BYTES);
}

static void totals_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_LOAD] = ops->n[HTMT_STORE] = HTMT__NBODY_SUMS;
}

static void totals(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    const program *p = l->p;
    const uint32_t me = htmt_slice(c);
    htmt_use(c, htmt_at(p->totals, me, 0), SUM_BYTES, HTMT_READ);
    if (l->evaluation)
        htmt_use(c, htmt_at(p->history, me, (l->evaluation - 1) * SUM_BYTES), SUM_BYTES,
                 HTMT_WRITE);
    htmt_work(c);
    if (l->evaluation > p->plan.steps)
        htmt_retire(c, htmt_self(c));
    else if (p->plan.tree)
        htmt__nbody_tree_begin(c);
    else
        htmt__nbody_direct_begin(c);
}

static void forces_done(struct htmt_context *c)
{
    lead *l = htmt_args(c);
    l->evaluation++;
    move(c);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int create_types(program *p)
{
    const char *const dram = htmt_emulator_machine(p->e)->layer[p->plan.dram].name;
    struct htmt_stage fibers[HTMT__NBODY_FIBERS] = {
        [HTMT__NBODY_MOVED - 1] = {.kernel = sum_kernel, .cost = sum_cost, .control = moved},
        [HTMT__NBODY_TOTALS - 1] = {.kernel = totals_kernel,
                                    .cost = totals_cost,
                                    .control = totals,
                                    .count = 1,
                                    .reset = 1}};
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Move";
    d.home = d.exec = dram;
    d.execute = (struct htmt_stage){.kernel = move_kernel, .cost = move_cost};
    d.footprint = HTMT_RESIDENT;
    d.args_bytes = sizeof(struct order);
    d.user = &p->plan;
    d.sends = HTMT_SENDS_NOWHERE;
    int rc = htmt_type_create(p->e, &d, &p->move);
    if (p->plan.tree) {
        htmt__nbody_exchange_fibers(fibers, p->plan.slices);
        htmt__nbody_lists_fibers(fibers, p->plan.slices, p->done);
    } else
        htmt__nbody_direct_fibers(fibers);
    d = htmt_type_desc_init();
    d.name = "Lead";
    d.home = d.exec = dram;
    d.execute.control = move;
    d.fibers = fibers;
    d.fiber_count =
        p->plan.tree ? HTMT__NBODY_FIBERS - 1 : HTMT__NBODY_RING + HTMT__NBODY_RING_FIBERS - 1;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.args_bytes = sizeof(lead);
    return rc ? rc : htmt_type_create(p->e, &d, &p->lead);
}

static int create_objects(program *p)
{
    const uint64_t n = p->plan.most, parts = htmt_ceil_div(n, p->plan.chunk);
    const struct htmt__nbody_frame_row frames[] = {
        {n * HTMT__NBODY_BODY_BYTES, "bodies", &p->body[0], false},
        {n * HTMT__NBODY_PULL_BYTES, "pulls", &p->pull, false},
        {p->plan.tree ? HTMT_WORD : n * HTMT__NBODY_SOURCE_BYTES, "sources", &p->own, false},
        {parts * SUM_BYTES, "sums of DPIMs", &p->partial, false},
        {SUM_BYTES, "sums", &p->totals, false},
        {(p->plan.steps + 1) * SUM_BYTES, "history", &p->history, false}};
    const int rc = htmt__nbody_frames(p, p->plan.dram, frames, sizeof frames / sizeof *frames);
    const struct htmt_allreduce_desc sum = {.frame = p->totals,
                                            .bytes = SUM_BYTES,
                                            .combine = combine,
                                            .ops = htmt__nbody_sum_ops(1),
                                            .name = "sums"};
    return rc ? rc : htmt_allreduce_create(p->e, &sum, &p->sum);
}

/* The rows of each slice lie side by side; a slice without bodies has none. */
static void hand_out_lists(program *p)
{
    for (uint32_t i = 0; i < p->plan.slices; i++)
        p->mine[i].lists = p->plan.lists;
    for (uint64_t i = p->plan.list_count; i-- > 0;) {
        struct htmt__nbody_mine *mine = &p->mine[p->plan.lists[i].slice];
        mine->lists = &p->plan.lists[i];
        mine->groups++;
    }
}

static int start(program *p, const struct htmt__nbody_body *body)
{
    lead l = {.p = p};
    int rc = 0;
    if (p->blind)
        hand_out_lists(p);
    for (uint32_t i = 0; !rc && i < htmt_emulator_slices(p->e); i++) {
        void *bytes = htmt_object_bytes(htmt_at(p->body[0], i, 0).object);
        p->mine[i].count = l.count = htmt__nbody_share(&p->plan, i);
        if (body && bytes)
            memcpy(bytes, body + htmt__nbody_first(&p->plan, i), l.count * sizeof *body);
        rc = htmt_assemble(htmt_root(p->e),
                           &(struct htmt_parcel_desc){.type = p->lead, .slice = i, .args = &l},
                           NULL);
    }
    return rc;
}

int htmt__nbody_program_create(struct htmt_emulator *e, const struct htmt__nbody_plan *plan,
                               const struct htmt__nbody_body *body, bool named,
                               struct htmt__nbody_program **out)
{
    program *p = calloc(1, sizeof *p);
    if (!p)
        return HTMT_ENOMEM;
    *out = p;
    p->e = e;
    p->plan = *plan;
    p->named = named;
    p->done = forces_done;
    p->blind = !body && !htmt_is_captured(e);
    if (plan->tree)
        p->estimate = htmt__nbody_estimate_of(plan);
    p->mine = htmt_per_slice_create(htmt_emulator_slices(e), sizeof *p->mine);
    int rc = p->mine ? 0 : HTMT_ENOMEM;
    rc = rc ? rc : create_objects(p);
    if (!rc && !plan->tree)
        rc = htmt__nbody_direct_create(p);
    if (!rc && plan->tree)
        rc = htmt__nbody_exchange_create(p);
    if (!rc && plan->tree)
        rc = htmt__nbody_lists_create(p);
    rc = rc ? rc : create_types(p);
    return rc ? rc : start(p, body);
}

void htmt__nbody_program_destroy(struct htmt__nbody_program **out)
{
    program *p = *out;
    if (!p)
        return;
    for (uint32_t i = 0; p->mine && i < htmt_emulator_slices(p->e); i++)
        free(p->mine[i].parcel);
    free(p->mine);
    free(p->mail);
    free(p);
    *out = NULL;
}

/* ---- results -------------------------------------------------------------------------------- */

int htmt__nbody_program_gather(struct htmt__nbody_program *p, struct htmt__nbody_body *body,
                               double *pull)
{
    const uint32_t slices = htmt_emulator_slices(p->e);
    int rc =
        htmt_slices_share(p->e, p->mine, offsetof(struct htmt__nbody_mine, next), sizeof *p->mine);
    for (uint32_t i = 0; !rc && i < slices; i++) {
        const struct htmt__nbody_mine *mine = &p->mine[i];
        const void *bytes = NULL;
        uint64_t *id = calloc(mine->count + 1, sizeof *id);
        rc = id ? htmt_object_fetch(htmt_at(p->body[mine->which], i, 0).object, &bytes)
                : HTMT_ENOMEM;
        const struct htmt__nbody_body *b = bytes;
        for (uint64_t n = 0; !rc && b && n < mine->count; n++) {
            id[n] = b[n].id;
            body[b[n].id] = b[n];
        }
        rc = rc ? rc : htmt_object_fetch(htmt_at(p->pull, i, 0).object, &bytes);
        for (uint64_t n = 0; !rc && bytes && n < mine->count; n++)
            memcpy(pull + HTMT__NBODY_PULL_WORDS * id[n],
                   (const double *)bytes + HTMT__NBODY_PULL_WORDS * n, HTMT__NBODY_PULL_BYTES);
        free(id);
    }
    return rc;
}

int htmt__nbody_program_lists(const struct htmt__nbody_program *p, struct htmt__nbody_lengths **out,
                              uint64_t *count)
{
    const uint32_t slices = htmt_emulator_slices(p->e);
    uint64_t all = 0, at = 0;
    for (uint32_t i = 0; i < slices; i++)
        all += p->mine[i].groups;
    struct htmt__nbody_lengths *lists = calloc(all + 1, sizeof *lists);
    int rc = lists ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; !rc && i < slices; i++) {
        const void *bytes = NULL;
        rc = htmt_object_fetch(htmt_at(p->low_groups, i, 0).object, &bytes);
        const struct htmt__nbody_group *g = bytes;
        for (uint32_t n = 0; !rc && g && n < p->mine[i].groups; n++, g++)
            lists[at++] = (struct htmt__nbody_lengths){(int32_t)i, (int32_t)g->count,
                                                       (int32_t)g->bodies, (int32_t)g->cells};
    }
    if (rc) {
        free(lists);
        return rc;
    }
    *out = lists;
    *count = all;
    return 0;
}

int htmt__nbody_program_history(const struct htmt__nbody_program *p, double *sums)
{
    const void *bytes = NULL;
    int rc = htmt_object_fetch(htmt_at(p->history, 0, 0).object, &bytes);
    if (!rc && bytes)
        memcpy(sums, bytes, (p->plan.steps + 1) * SUM_BYTES);
    return rc;
}
