/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Percolation between the matrices and SRAM, steered by an activation in the DRAM of each slice.
 *
 * A product's transforms begin when the bundles of the product before have left DRAM, so they hide
 * behind it; its bundles follow when SRAM has no more use for those before.
 */
#include "apps/cannon/counts.h"
#include "apps/cannon/grid.h"

#include <stdlib.h>

struct activation {
    const htmt__cannon *p;
    uint64_t product; /* whose A and B are being transformed */
    uint64_t sum;     /* blocks of the large C that went down */
};

/* Arguments of every parcel that it sends out. */
struct order {
    const htmt__cannon *p;
    uint64_t words; /* that it accesses */
    uint64_t sum;
    struct htmt_slot done;
};

static void transform_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct order *o = args;
    (void)user;
    *ops = htmt__cannon_access_ops(o->p->plan.charges.accesses, o->words);
}

static void restore_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct order *o = args;
    (void)user;
    *ops = htmt__cannon_access_ops(o->p->plan.charges.accesses_c, o->words);
}

static void tell(struct htmt_context *c)
{
    htmt_signal(c, ((const struct order *)htmt_args(c))->done);
}

/* ---- where subblocks lie -------------------------------------------------------------------- */

/* Rows [first, end) of the subblocks of a row (A, C) or column (B) of blocks. */
struct strip {
    uint64_t line, first, end;
};

static struct strip strip_of(const htmt__cannon *p, uint64_t line, uint64_t part)
{
    uint64_t b = p->plan.b_c;
    return (struct strip){line, b * part / p->parts, b * (part + 1) / p->parts};
}

static uint64_t strips(const htmt__cannon *p)
{
    return p->plan.t * p->parts;
}

/* Subblock k of the strip, in the slice's share: of A (Amaral et al., eq. 2) in block (line, k), of
 * B in (k, line), of C in (line, k) of the large block of the product. */
static struct htmt_addr in_share(const htmt__cannon *p, enum htmt__cannon_operand which,
                                 struct htmt__cannon_product at, uint32_t slice, struct strip strip,
                                 uint64_t k)
{
    uint64_t t = p->plan.t, b = p->plan.b_c, side = p->plan.q * t * b, row, col;
    if (which == HTMT__B) {
        row = at.inner * t + k;
        col = at.col * t + strip.line;
    } else {
        row = at.row * t + strip.line;
        col = (which == HTMT__A ? at.inner : at.col) * t + k;
    }
    return htmt_in(p->share[which][slice], ((row * b + strip.first) * side + col * b) * HTMT_WORD);
}

static struct htmt_addr in_image(const htmt__cannon *p, enum htmt__cannon_operand which,
                                 uint32_t slice, struct strip strip, uint64_t k)
{
    uint64_t t = p->plan.t;
    uint64_t subblock = which == HTMT__B ? k * t + strip.line : strip.line * t + k;
    return htmt_at(p->image[which], slice,
                   subblock * p->bytes + strip.first * p->plan.b_c * HTMT_WORD);
}

/* ---- transforms ----------------------------------------------------------------------------- */

/* What moves from the home layer, if DRAM is not that, is the row of subblocks out of which the
 * slice's own is taken: s times as many words. */
static void region_of(const htmt__cannon *p, enum htmt__cannon_operand which,
                      struct htmt__cannon_product at, uint32_t slice, struct strip strip,
                      uint64_t k, struct htmt_region *r)
{
    uint64_t b = p->plan.b_c, rows = strip.end - strip.first, side = p->plan.q * p->plan.t * b;
    struct htmt_addr far = in_share(p, which, at, slice, strip, k);
    struct htmt_pieces pieces = {b * HTMT_WORD, rows, (int64_t)(side * HTMT_WORD)};
    *r = (struct htmt_region){.into = in_image(p, which, slice, strip, k),
                              .bytes = rows * b * HTMT_WORD};
    if (which == HTMT__C) {
        r->to = far;
        r->to_pieces = pieces;
    } else {
        r->from = far;
        r->from_pieces = pieces;
        for (uint32_t l = p->plan.home; l <= p->plan.outer; l++)
            r->in_words[l] = rows * b * p->plan.s;
    }
}

/* One parcel; `r` has room for its t regions. */
static void transform_strip(struct htmt_context *c, enum htmt__cannon_operand which,
                            struct htmt__cannon_product at, struct strip strip, struct order order,
                            struct htmt_region *r)
{
    const htmt__cannon *p = order.p;
    uint64_t t = p->plan.t, copies = which == HTMT__C ? 1 : p->plan.s + 1;
    uint32_t slice = htmt_slice(c);
    for (uint64_t k = 0; k < t; k++)
        region_of(p, which, at, slice, strip, k, &r[k]);
    order.words = t * (strip.end - strip.first) * p->plan.b_c * copies;
    struct htmt_parcel_desc d = {.type = p->transform[which],
                                 .slice = slice,
                                 .regions = r,
                                 .region_count = (uint32_t)t,
                                 .args = &order};
    if (which == HTMT__C)
        d.on_done = order.done;
    htmt_assemble(c, &d, NULL);
}

static void transform(struct htmt_context *c, enum htmt__cannon_operand which,
                      struct htmt__cannon_product at, struct order order)
{
    const htmt__cannon *p = order.p;
    struct htmt_region *r = malloc(p->plan.t * sizeof *r);
    for (uint64_t line = 0; line < p->plan.t && r; line++)
        for (uint64_t part = 0; part < p->parts; part++)
            transform_strip(c, which, at, strip_of(p, line, part), order, r);
    if (!r)
        htmt_fail(c, HTMT_ENOMEM, "no host memory for the regions of a transform");
    free(r);
}

static void transform_product(struct htmt_context *c, const struct activation *k)
{
    struct order o = {.p = k->p, .done = htmt_slot(c, HTMT__BUNDLE_UP)};
    struct htmt__cannon_product at = htmt__cannon_product(k->p, k->product);
    transform(c, HTMT__A, at, o);
    transform(c, HTMT__B, at, o);
}

static void transform_next(struct htmt_context *c)
{
    struct activation *k = htmt_args(c);
    if (++k->product < k->p->products)
        transform_product(c, k);
}

/* ---- bundles -------------------------------------------------------------------------------- */

static void bundle_up(struct htmt_context *c)
{
    const struct activation *k = htmt_args(c);
    const htmt__cannon *p = k->p;
    uint32_t slice = htmt_slice(c);
    struct order o = {.p = p, .done = htmt__cannon_spell(p, slice, HTMT__NEXT_PRODUCT)};
    for (uint32_t i = HTMT__A; i <= HTMT__B; i++) {
        struct htmt_region r = {.from = htmt_at(p->image[i], slice, 0),
                                .into = htmt_at(p->bundle[i], slice, 0),
                                .bytes = p->plan.t * p->plan.t * p->bytes,
                                .handover = true};
        htmt_assemble(c,
                      &(struct htmt_parcel_desc){.type = p->up,
                                                 .slice = slice,
                                                 .regions = &r,
                                                 .region_count = 1,
                                                 .args = &o,
                                                 .on_done = htmt_slot(c, HTMT__TRANSFORM)},
                      NULL);
    }
}

static void bundle_down(struct htmt_context *c)
{
    struct activation *k = htmt_args(c);
    const htmt__cannon *p = k->p;
    uint32_t slice = htmt_slice(c);
    struct htmt_region r = {.into = htmt_at(p->bundle[HTMT__C], slice, 0),
                            .to = htmt_at(p->image[HTMT__C], slice, 0),
                            .bytes = p->plan.t * p->plan.t * p->bytes,
                            .handover = true};
    struct order o = {.p = p, .sum = k->sum++, .done = htmt_slot(c, HTMT__BUNDLE_DOWN)};
    if (k->sum == p->plan.q * p->plan.q)
        htmt_retire(c, htmt_self(c));
    htmt_assemble(
        c,
        &(struct htmt_parcel_desc){
            .type = p->down, .slice = slice, .regions = &r, .region_count = 1, .args = &o},
        NULL);
}

/* C is in DRAM: it goes to its rows, and SRAM can take the next. */
static void gone_down(struct htmt_context *c)
{
    struct order o = *(const struct order *)htmt_args(c);
    uint64_t q = o.p->plan.q;
    if (o.sum + 1 == q * q)
        o.done = (struct htmt_slot){0};
    else
        htmt_signal(c, htmt__cannon_spell(o.p, htmt_slice(c), HTMT__NEXT_PRODUCT));
    transform(c, HTMT__C, htmt__cannon_product(o.p, o.sum * q), o);
}

static void start(struct htmt_context *c)
{
    const struct activation *k = htmt_args(c);
    uint32_t parcels = (uint32_t)strips(k->p);
    htmt_slot_set(c, HTMT__BUNDLE_UP, 2 * parcels, 2 * parcels + 1);
    htmt_slot_set(c, HTMT__TRANSFORM, 2, 2);
    htmt_slot_set(c, HTMT__BUNDLE_DOWN, 1, 1 + parcels);
    transform_product(c, k);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int create_transforms(htmt__cannon *p)
{
    static const char *const names[] = {"Transform A", "Transform B", "Transform C"};
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    int rc = 0;
    for (uint32_t i = 0; i < HTMT__MATRICES && !rc; i++) {
        struct htmt_type_desc d = {
            .name = names[i],
            .home = m->layer[p->plan.home].name,
            .exec = m->layer[p->plan.outer].name,
            .execute = {.cost = i == HTMT__C ? restore_cost : transform_cost},
            .footprint = HTMT_RESIDENT,
            .in_place = true,
            .args_bytes = sizeof(struct order)};
        if (i != HTMT__C)
            d.execute.control = tell;
        rc = htmt_type_create(p->e, &d, &p->transform[i]);
    }
    return rc;
}

static int create_bundles(htmt__cannon *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    struct htmt_type_desc up = {.name = "Bundle Up",
                                .home = m->layer[p->plan.outer].name,
                                .exec = m->layer[p->plan.middle].name,
                                .execute = {.control = tell},
                                .in_place = true,
                                .args_bytes = sizeof(struct order)};
    struct htmt_type_desc down = up;
    down.name = "Bundle Down";
    down.execute.control = NULL;
    down.retire.control = gone_down;
    int rc = htmt_type_create(p->e, &up, &p->up);
    return rc ? rc : htmt_type_create(p->e, &down, &p->down);
}

static int create_keeper(htmt__cannon *p)
{
    const struct htmt_stage fibers[HTMT__KEEPER_FIBERS] = {
        [HTMT__BUNDLE_UP - 1] = {.control = bundle_up},
        [HTMT__TRANSFORM - 1] = {.control = transform_next},
        [HTMT__BUNDLE_DOWN - 1] = {.control = bundle_down},
    };
    const char *outer = htmt_emulator_machine(p->e)->layer[p->plan.outer].name;
    struct htmt_type_desc d = {.name = "Percolation",
                               .home = outer,
                               .exec = outer,
                               .execute = {.control = start},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fibers,
                               .fiber_count = HTMT__KEEPER_FIBERS,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct activation)};
    return htmt_type_create(p->e, &d, &p->keeper);
}

int htmt__cannon_percolate_types(htmt__cannon *p)
{
    int rc = create_transforms(p);
    if (!rc)
        rc = create_bundles(p);
    return rc ? rc : create_keeper(p);
}

int htmt__cannon_percolate_start(htmt__cannon *p, uint32_t slice)
{
    struct activation k = {.p = p};
    return htmt_assemble(htmt_root(p->e),
                         &(struct htmt_parcel_desc){.type = p->keeper, .slice = slice, .args = &k},
                         &p->dram[slice]);
}
