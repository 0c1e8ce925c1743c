/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lane, in SRAM: it steers one bundle of rays after another.
 *
 * A bundle visits its subcubes in the order of its list, front to back. A ray ends early when it
 * has become opaque, and which rays live is only known when a subcube has returned. A lane that
 * waited for that before it asked for the next subcube would leave the SPELL idle; one that asked
 * for all would fetch subcubes that no ray needs. So a lane speculates by one:
 *
 *  - one subcube is under way: dispatched to the SPELL, or on the path there or back;
 *  - the next one that a ray may need is ahead: gathered to SRAM, where it waits for its dispatch,
 * or still coming from the slice that owns it.
 *
 * When the first returns, its SPIM has written the patches (8 x 8 of the bundle's pixels) that
 * still have a living ray into the bundle's table. Then the lane looks (PICK): does the one ahead
 * have living patches? If so, it is dispatched, otherwise discarded; in both cases the next visit
 * with living patches, which may skip many, becomes the one ahead. A lane looks only when nothing
 * is under way, so nothing else uses the table meanwhile.
 *
 * For example, with the visits a b c d and all rays ending in a:
 *
 *     first look     a found, ahead; nothing is under way, so look again at once
 *     second look    a dispatched; b found, ahead, gathered while a is cast
 *     a returns      no living ray: b discarded, neither c nor d found; composite
 *
 * A subcube that is wanted but still coming is dispatched by the look that its arrival causes.
 */
#include "apps/volume/shared.h"

#include <stdlib.h>

struct lane {
    const htmt__volume_shared *t;
    uint32_t number, frame;
    struct htmt__volume_tile tile, next_tile; /* of the bundle, of the next one */
    struct htmt_ref next;          /* the set-up of the next bundle; none: there is no more */
    uint32_t staging;              /* the bundle's */
    uint32_t visits;               /* of the bundle */
    uint32_t cursor;               /* the first visit that the lane has not inspected */
    uint32_t ahead;                /* visit that is ahead; `visits`: none */
    bool coming;                   /* the subcube ahead has not arrived from its slice */
    bool wanted;                   /* dispatch the subcube at its arrival */
    bool fresh;                    /* the table belongs to the bundle before */
    struct htmt_ref waiting;       /* the one ahead */
    uint32_t guest;                /* guest buffer for the next subcube */
    struct htmt__volume_part sent; /* dispatched subcubes of the bundle */
    struct htmt__volume_subcube_args cast; /* of the one ahead */
};

/* ---- bundles -------------------------------------------------------------------------------- */

/* The DPIMs prepare the next bundle of the slice while the lane is busy with this one, but only
 * after each lane has had its first. */
static void order_next(struct htmt_context *c, struct lane *l)
{
    const htmt__volume_shared *t = l->t;
    struct htmt__volume_slice *own = htmt__volume_slice(c, t);
    uint32_t slice = htmt_slice(c), bundle = own->next;
    l->next = (struct htmt_ref){0};
    while (bundle < t->plan.bundles && htmt__volume_bundle_owner(&t->plan, bundle) != slice)
        bundle++;
    own->next = bundle + 1;
    if (bundle >= t->plan.bundles)
        return;
    l->next_tile = htmt__volume_tiling_at(&t->plan.tiling, bundle);
    struct htmt__volume_visit_list_args args = {.t = t,
                                                .tile = l->next_tile,
                                                .lane = l->number,
                                                .staging = !l->staging,
                                                .frame = l->frame,
                                                .ready = htmt_slot(c, HTMT__PICK)};
    htmt_next_item(c, htmt__volume_bundle_number(t, l->frame, &l->next_tile));
    htmt__volume_assemble_visit_list(c, &args, &l->next);
}

/* The table and the lists in SRAM are free, so the DPIMs may send. Without a bundle the lane's
 * frame ends. */
static void take_bundle(struct htmt_context *c)
{
    struct lane *l = htmt_args(c);
    if (htmt_ref_none(l->next)) {
        htmt_signal(c, htmt__volume_coordinator(l->t, htmt_slice(c), HTMT__IDLE));
        if (++l->frame == l->t->frames)
            htmt_retire(c, htmt_self(c));
        return;
    }
    htmt__volume_slice(c, l->t)->did.bundles++;
    l->tile = l->next_tile;
    l->staging = !l->staging;
    l->fresh = true;
    l->cursor = 0;
    l->sent = (struct htmt__volume_part){0};
    htmt_slot_set(c, HTMT__PICK, l->t->plan.problem.rays_in_dram ? 2 : 3, 1);
    htmt_signal(c, htmt_slot_of(l->next, HTMT__SEND));
}

static void begin_frame(struct htmt_context *c)
{
    order_next(c, htmt_args(c));
    take_bundle(c);
}

/* Which lane has a bundle, and how often it looks while a subcube is coming, depends on the
 * machine. What it finds does not: that follows from the bundle and the visit. */
static uint64_t item_of(const struct lane *l, uint32_t visit)
{
    return htmt__volume_bundle_number(l->t, l->frame, &l->tile) * (l->t->most + 2) + visit;
}

/* ---- looking -------------------------------------------------------------------------------- */

struct found {
    uint32_t visits;
    uint32_t index;                  /* of the next one; `visits`: none */
    bool wanted;                     /* the subcube ahead has living rays */
    struct htmt__volume_visit visit; /* visits with living patches only */
};

static bool has_ahead(const struct lane *l, uint32_t visits)
{
    return !l->fresh && l->ahead < visits;
}

/* Pass over visits whose patches have no living ray. */
static void pick_kernel(struct htmt_kernel *k)
{
    const struct lane *l = htmt_kernel_args(k);
    const struct htmt__volume_visit_list *list = htmt_used(k, 0);
    htmt_constants(k, l->t, sizeof *l->t);
    uint32_t visits = (uint32_t)list->count;
    struct htmt__volume_ledger *ledger = htmt_used(k, 1);
    struct found *f = htmt_kernel_result(k);
    bool ahead = has_ahead(l, visits);
    if (l->fresh)
        ledger->alive = ~UINT64_C(0);
    *f = (struct found){.visits = visits, .index = l->cursor};
    f->wanted = ahead && (list->visit[l->ahead].patches & ledger->alive);
    while (f->index < visits && !(list->visit[f->index].patches & ledger->alive))
        f->index++;
    if (f->index < visits) {
        f->visit = list->visit[f->index];
        f->visit.patches &= ledger->alive;
    }
    struct htmt_ops ops = htmt__volume_pick_ops(&l->t->plan, 1u + ahead + f->index - l->cursor);
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        htmt_count(k, (enum htmt_op)i, ops.n[i]);
}

/* In a model run the lane passes over no visit. */
static void pick_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct lane *l = args;
    (void)user;
    *ops = htmt__volume_pick_ops(&l->t->plan, 1u + has_ahead(l, l->visits));
}

static void pick(struct htmt_context *c)
{
    const struct lane *l = htmt_args(c);
    const struct htmt__volume_lane_frames *f = &l->t->lane[l->number];
    uint32_t slice = htmt_slice(c);
    htmt_item(c, item_of(l, l->fresh ? 0 : l->ahead + 1));
    htmt_use(c, htmt_at(f->list, slice, 0), htmt__volume_list_bytes(l->t), HTMT_READ);
    htmt_use(c, htmt_at(f->ledger, slice, 0), sizeof(struct htmt__volume_ledger), HTMT_UPDATE);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, HTMT__STEER));
}

/* ---- percolation ---------------------------------------------------------------------------- */

/* With one slice the subcube goes up from where it is stored. With several it first moves into one
 * of two buffers; the other one may hold the subcube that is under way. The lane requests its own
 * slice's subcubes like any other. */
static void percolate(struct htmt_context *c, struct lane *l, const struct htmt__volume_visit *v)
{
    const htmt__volume_shared *t = l->t;
    l->cast = (struct htmt__volume_subcube_args){
        .t = t,
        .subcube = htmt__volume_subcube_at(&t->plan.subcubes, v->subcube),
        .box = htmt__volume_patches_box(&t->plan.tiling, &l->tile, v->patches),
        .lane = l->number,
        .staging = l->staging,
        .back = htmt_slot(c, HTMT__PICK),
        .rays = v->rays,
        .samples = v->samples};
    struct htmt__volume_home home = htmt__volume_home(&t->plan, v->subcube);
    struct htmt_addr stored =
        htmt_in(t->volume[home.slice], home.place * htmt__volume_subcube_stride(&t->plan.subcubes));
    if (t->slices == 1) {
        htmt_next_item(c, item_of(l, l->ahead));
        htmt__volume_assemble_subcube(c, &l->cast, stored, &l->waiting);
        return;
    }
    uint64_t words = htmt__volume_voxel_words(&t->plan, &l->cast.subcube);
    uint32_t owner = t->work.folded ? 0 : home.slice;
    uint64_t **asked = &htmt__volume_slice(c, t)->asked[owner / HTMT__VOLUME_ASKED];
    l->guest = !l->guest;
    l->coming = true;
    if (!*asked)
        *asked = calloc(HTMT__VOLUME_ASKED, sizeof **asked);
    if (*asked)
        (*asked)[owner % HTMT__VOLUME_ASKED] += words;
    else
        htmt_fail(c, HTMT_ENOMEM, "no host memory to count what is asked for");
    htmt_put(c, &(struct htmt_put){
                    .dst = htmt_at(t->lane[l->number].guest[l->guest], htmt_slice(c), 0),
                    .src = stored,
                    .bytes = htmt__volume_subcube_bytes(&t->plan.subcubes, &l->cast.subcube),
                    .words = words,
                    .on_arrived = htmt_slot(c, HTMT__FETCHED),
                    .ask = true});
}

static void fetched(struct htmt_context *c)
{
    struct lane *l = htmt_args(c);
    l->coming = false;
    struct htmt_frame *guest = l->t->lane[l->number].guest[l->guest];
    htmt_next_item(c, item_of(l, l->ahead));
    htmt__volume_assemble_subcube(c, &l->cast, htmt_at(guest, htmt_slice(c), 0), &l->waiting);
    if (l->wanted)
        htmt_signal(c, htmt_slot(c, HTMT__PICK));
}

/* ---- steering ------------------------------------------------------------------------------- */

static void composite(struct htmt_context *c, struct lane *l)
{
    struct htmt__volume_slice *own = htmt__volume_slice(c, l->t);
    own->did.visits += l->visits;
    htmt__volume_keep_longest(&own->did.longest,
                              &(struct htmt__volume_longest){
                                  l->sent, htmt__volume_bundle_number(l->t, l->frame, &l->tile)});
    htmt__volume_part_add(&own->did.share, &l->sent);
    htmt__volume_assemble_composite(c, l->t, l->number, &l->tile, l->frame, l->sent.parcels,
                                    htmt_slot(c, HTMT__OUT));
}

/* No subcube is under way. The subcube ahead is dispatched or discarded. The one just found is now
 * ahead; it is dispatched as soon as possible if the other was not. */
static void steer(struct htmt_context *c)
{
    struct lane *l = htmt_args(c);
    struct found f;
    if (l->t->model) { /* without data all rays live */
        const struct htmt__volume_visit_list *list =
            htmt__volume_model_list(l->t, htmt_slice(c), l->number, l->staging);
        f = (struct found){
            .visits = (uint32_t)list->count, .index = l->cursor, .wanted = !l->fresh};
        if (f.index < f.visits)
            f.visit = list->visit[f.index];
    } else {
        f = *(const struct found *)htmt_result(c);
    }
    bool ahead = has_ahead(l, f.visits);
    l->visits = f.visits;
    l->wanted = ahead && l->coming;
    if (l->wanted)
        return; /* look again when the subcube has arrived */
    if (l->fresh)
        order_next(c, l);
    if (ahead && f.wanted) { /* it is under way from now on */
        const struct htmt__volume_part one = {
            .parcels = 1,
            .voxels = htmt__volume_subcube_voxels(&l->cast.subcube),
            .rays = (uint64_t)l->cast.box.width * l->cast.box.height,
            .samples = l->t->model ? htmt__volume_assumed(l->t, &l->cast) : 0};
        htmt_dispatch(c, l->waiting);
        htmt__volume_part_add(&l->sent, &one);
    } else if (ahead) {
        htmt_discard(c, l->waiting);
        htmt__volume_slice(c, l->t)->did.discarded++;
    }
    l->fresh = false;
    l->ahead = l->cursor = f.index;
    if (f.index < f.visits) {
        l->cursor++;
        percolate(c, l, &f.visit);
    }
    if (ahead && f.wanted)
        return;
    if (l->ahead == l->visits)
        composite(c, l);
    else if (l->coming)
        l->wanted = true;
    else
        htmt_signal(c, htmt_slot(c, HTMT__PICK));
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* The lane waits for its first frame. */
static void start(struct htmt_context *c)
{
    (void)c;
}

int htmt__volume_lane_type(htmt__volume_shared *t)
{
    const struct htmt_stage fibers[HTMT__LANE_FIBERS] = {
        [HTMT__FRAME - 1] = {.control = begin_frame, .count = 1, .reset = 1},
        [HTMT__PICK - 1] = {.kernel = pick_kernel,
                            .cost = t->model ? pick_cost : NULL,
                            .control = pick,
                            .count = 1,
                            .reset = 1},
        [HTMT__STEER - 1] = {.control = steer, .steered = true, .count = 1, .reset = 1},
        [HTMT__FETCHED - 1] = {.control = fetched, .count = 1, .reset = 1},
        [HTMT__OUT - 1] = {.control = take_bundle, .count = 1, .reset = 1},
    };
    const char *middle = htmt_emulator_machine(t->e)->layer[t->plan.middle].name;
    static const char *const names[HTMT__LANE_FIBERS] = {[HTMT__FRAME - 1] = "frame",
                                                         [HTMT__PICK - 1] = "pick",
                                                         [HTMT__STEER - 1] = "steer",
                                                         [HTMT__FETCHED - 1] = "fetched",
                                                         [HTMT__OUT - 1] = "out"};
    struct htmt_type_desc d = {.size = sizeof d,
                               .name = "Lane",
                               .home = middle,
                               .exec = middle,
                               .execute = {.control = start},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fibers,
                               .fiber_count = HTMT__LANE_FIBERS,
                               .fiber_names = names,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct lane),
                               .result_bytes = sizeof(struct found)};
    return htmt_type_create(t->e, &d, &t->keeper);
}

int htmt__volume_lane_start(htmt__volume_shared *t, uint32_t slice, uint32_t number)
{
    struct lane l = {.t = t, .number = number};
    return htmt_assemble(htmt_root(t->e),
                         &(struct htmt_parcel_desc){.type = t->keeper, .slice = slice, .args = &l},
                         &t->lanes_at[slice * t->lanes + number]);
}
