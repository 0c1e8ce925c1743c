/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Percolation between the matrices and SRAM, steered by an activation in the DRAM of each slice.
 *
 * A product multiplies a bundle of A by one of B, t x t subblocks each. In the matrices these
 * subblocks lie apart, as pieces of long rows. The DPIMs first rearrange them into an image of the
 * bundle in DRAM (transform), one parcel for each strip of rows of a row of blocks; then the image
 * goes to SRAM in one piece (bundle up), a subblock at a time to CRAM, and the sum C takes the same
 * path back (bundle down, transform C).
 *
 * There is one image and one bundle of each operand, and three signals keep them apart:
 *
 *     BUNDLE_UP     all transforms of A and B are done, and SRAM has no more use for the bundles of
 *                   the product before: its last pair is in CRAM
 *     TRANSFORM     both bundles have left DRAM, so the images may be overwritten
 *     BUNDLE_DOWN   C is complete in SRAM, and the transform of the C before has emptied its image
 *
 * So the transforms of product n + 1 run while product n is multiplied, and hide behind it:
 *
 *     DRAM   transform 0 | transform 1           | transform 2
 *     SRAM               | up 0 |                | up 1 |
 *     CRAM                      | multiply 0     |      | multiply 1
 *
 * q products that belong to one block of C follow each other (q = 2: A00 B00, A01 B10, A00 B01
 * ...); C goes down after the last of them.
 */
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

/* ---- transforms ----------------------------------------------------------------------------- */

/* Rows [first, end) of the subblocks of a row (A, C) or column (B) of blocks. */
struct strip {
    uint64_t line, first, end;
};

/* Of subblock k of a strip: its place in the slice's share of the matrix, where its rows lie apart,
 * and in the image, where they follow each other. A (Amaral et al., eq. 2) has block (line, k) of
 * the large block that the product multiplies, B has (k, line), and C has (line, k) of its own.
 *
 * What moves from the home layer, if DRAM is not that, is the row of subblocks out of which the
 * slice's own is taken: s times as many words. */
static struct htmt_region region_of(const htmt__cannon *p, enum htmt__cannon_operand which,
                                    struct htmt__cannon_product at, uint32_t slice,
                                    struct strip strip, uint64_t k)
{
    uint64_t t = p->plan.t, b = p->plan.b_c, rows = strip.end - strip.first;
    uint64_t side = p->plan.q * t * b, row, col, subblock;
    if (which == HTMT__B) {
        row = at.inner * t + k;
        col = at.col * t + strip.line;
        subblock = k * t + strip.line;
    } else {
        row = at.row * t + strip.line;
        col = (which == HTMT__A ? at.inner : at.col) * t + k;
        subblock = strip.line * t + k;
    }
    struct htmt_addr far =
        htmt_in(p->share[which][slice], ((row * b + strip.first) * side + col * b) * HTMT_WORD);
    struct htmt_pieces pieces = {b * HTMT_WORD, rows, (int64_t)(side * HTMT_WORD)};
    struct htmt_region r = {
        .into = htmt_at(p->image[which], slice, subblock * p->bytes + strip.first * b * HTMT_WORD),
        .bytes = rows * b * HTMT_WORD};
    if (which == HTMT__C) {
        r.to = far;
        r.to_pieces = pieces;
        return r;
    }
    r.from = far;
    r.from_pieces = pieces;
    for (uint32_t l = p->plan.home; l <= p->plan.outer; l++)
        r.in_words[l] = rows * b * p->plan.s;
    return r;
}

/* All subblocks of a bundle: t lines of blocks, each in as many strips as there are parts; a parcel
 * of t regions for each strip. */
static void transform(struct htmt_context *c, enum htmt__cannon_operand which,
                      struct htmt__cannon_product at, struct order order)
{
    const htmt__cannon *p = order.p;
    const uint64_t b = p->plan.b_c, t = p->plan.t, copies = which == HTMT__C ? 1 : p->plan.s + 1;
    const uint32_t slice = htmt_slice(c);
    struct htmt_region *r = malloc(t * sizeof *r);
    for (uint64_t n = 0; n < t * p->parts && r; n++) {
        uint64_t part = n % p->parts;
        struct strip strip = {n / p->parts, b * part / p->parts, b * (part + 1) / p->parts};
        for (uint64_t k = 0; k < t; k++)
            r[k] = region_of(p, which, at, slice, strip, k);
        order.words = t * (strip.end - strip.first) * b * copies;
        struct htmt_parcel_desc d = {.type = p->transform[which],
                                     .slice = slice,
                                     .regions = r,
                                     .region_count = (uint32_t)t,
                                     .args = &order};
        if (which == HTMT__C)
            d.on_done = order.done;
        htmt_assemble(c, &d, NULL);
    }
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
    uint32_t parcels = (uint32_t)(k->p->plan.t * k->p->parts); /* of a transform */
    htmt_slot_set(c, HTMT__BUNDLE_UP, 2 * parcels, 2 * parcels + 1);
    htmt_slot_set(c, HTMT__TRANSFORM, 2, 2);
    htmt_slot_set(c, HTMT__BUNDLE_DOWN, 1, 1 + parcels);
    transform_product(c, k);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int create_parcels(htmt__cannon *p)
{
    static const char *const names[] = {"Transform A", "Transform B", "Transform C"};
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    const char *outer = m->layer[p->plan.outer].name;
    int rc = 0;
    for (uint32_t i = 0; i < HTMT__MATRICES && !rc; i++) {
        struct htmt_type_desc d = {
            .name = names[i],
            .home = m->layer[p->plan.home].name,
            .exec = outer,
            .execute = {.cost = i == HTMT__C ? restore_cost : transform_cost},
            .footprint = HTMT_RESIDENT,
            .in_place = true,
            .args_bytes = sizeof(struct order)};
        if (i != HTMT__C)
            d.execute.control = tell;
        rc = htmt_type_create(p->e, &d, &p->transform[i]);
    }
    struct htmt_type_desc up = {.name = "Bundle Up",
                                .home = outer,
                                .exec = m->layer[p->plan.middle].name,
                                .execute = {.control = tell},
                                .in_place = true,
                                .args_bytes = sizeof(struct order)};
    struct htmt_type_desc down = up;
    down.name = "Bundle Down";
    down.execute.control = NULL;
    down.retire.control = gone_down;
    if (!rc)
        rc = htmt_type_create(p->e, &up, &p->up);
    return rc ? rc : htmt_type_create(p->e, &down, &p->down);
}

int htmt__cannon_percolate_types(htmt__cannon *p)
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
    int rc = create_parcels(p);
    return rc ? rc : htmt_type_create(p->e, &d, &p->keeper);
}

int htmt__cannon_percolate_start(htmt__cannon *p, uint32_t slice)
{
    struct activation k = {.p = p};
    return htmt_assemble(htmt_root(p->e),
                         &(struct htmt_parcel_desc){.type = p->keeper, .slice = slice, .args = &k},
                         &p->dram[slice]);
}
