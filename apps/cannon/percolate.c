/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Percolation between the matrices and SRAM, steered by an activation in the DRAM of each slice.
 *
 * A product multiplies a bundle of A by one of B, t_m x t_k by t_k x t_n subblocks. In the matrices
 * these subblocks lie apart, as pieces of long rows. The DPIMs first rearrange them into an image
 * of the bundle in DRAM (transform), one parcel for each strip of rows of a row of blocks; then the
 * image goes to SRAM in one piece (bundle up), a subblock at a time to CRAM, and the sum C takes
 * the same path back (bundle down, transform C).
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
 * q_k products that belong to one block of C follow each other (q = 2: A00 B00, A01 B10, A00 B01
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
 * slice's own is taken: as many times as many words as the grid has columns. */
static struct htmt_region region_of(const htmt__cannon *p, enum htmt__cannon_operand which,
                                    struct htmt__cannon_product at, uint32_t slice,
                                    struct strip strip, uint64_t k)
{
    const struct htmt__cannon_extent *down = htmt__cannon_down(&p->plan, which),
                                     *across = htmt__cannon_across(&p->plan, which);
    const uint64_t rows = strip.end - strip.first, b = across->b,
                   pitch = htmt__cannon_share_cols(&p->plan, which),
                   in_row = htmt__cannon_cols(&p->plan, which);
    uint64_t row, col;
    if (which == HTMT__B) {
        row = k;
        col = strip.line;
    } else {
        row = strip.line;
        col = k;
    }
    const uint64_t subblock = row * in_row + col;
    row += (which == HTMT__B ? at.inner : at.row) * htmt__cannon_rows(&p->plan, which);
    col += (which == HTMT__A ? at.inner : at.col) * in_row;
    struct htmt_addr far = htmt_in(p->share[which][slice],
                                   ((row * down->b + strip.first) * pitch + col * b) * HTMT_WORD);
    struct htmt_pieces pieces = {
        .bytes = b * HTMT_WORD, .count = rows, .stride = (int64_t)(pitch * HTMT_WORD)};
    struct htmt_region r = {.into =
                                htmt_at(p->image[which], slice,
                                        subblock * p->bytes[which] + strip.first * b * HTMT_WORD),
                            .bytes = rows * b * HTMT_WORD};
    if (which == HTMT__C) {
        r.to = far;
        r.to_pieces = pieces;
        return r;
    }
    r.from = far;
    r.from_pieces = pieces;
    for (uint32_t l = p->plan.home; l <= p->plan.outer; l++)
        r.in_words[l] = rows * b * p->plan.of[HTMT__CANNON_N].s;
    return r;
}

/* All subblocks of a bundle: lines of blocks, each in as many strips as there are parts, each strip
 * in groups of subblocks; a parcel for each group, with a region for each of its subblocks. */
static void transform(struct htmt_context *c, enum htmt__cannon_operand which,
                      struct htmt__cannon_product at, struct order order)
{
    const htmt__cannon *p = order.p;
    const uint64_t b = htmt__cannon_down(&p->plan, which)->b, parts = p->parts[which],
                   copies = which == HTMT__C ? 1 : p->plan.of[HTMT__CANNON_N].s + 1,
                   t = which == HTMT__B ? htmt__cannon_rows(&p->plan, which)
                                        : htmt__cannon_cols(&p->plan, which);
    const uint32_t slice = htmt_slice(c);
    struct htmt_region *r = malloc(t * sizeof *r);
    const uint64_t groups = p->groups[which];
    for (uint64_t n = 0; n < p->lines[which] * parts * groups && r; n++) {
        const uint64_t part = n / groups % parts, first = t * (n % groups) / groups,
                       end = t * (n % groups + 1) / groups;
        struct strip strip = {n / groups / parts, b * part / parts, b * (part + 1) / parts};
        for (uint64_t k = first; k < end; k++)
            r[k - first] = region_of(p, which, at, slice, strip, k);
        order.words = (end - first) * (strip.end - strip.first) *
                      htmt__cannon_across(&p->plan, which)->b * copies;
        struct htmt_parcel_desc d = {.type = p->transform[which],
                                     .slice = slice,
                                     .regions = r,
                                     .region_count = (uint32_t)(end - first),
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
                                .bytes = htmt__cannon_bundle(&p->plan, i) * HTMT_WORD,
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

/* Blocks of the large C: so many bundles go down. */
static uint64_t sums(const htmt__cannon *p)
{
    return p->plan.of[HTMT__CANNON_M].q * p->plan.of[HTMT__CANNON_N].q;
}

static void bundle_down(struct htmt_context *c)
{
    struct activation *k = htmt_args(c);
    const htmt__cannon *p = k->p;
    uint32_t slice = htmt_slice(c);
    struct htmt_region r = {.into = htmt_at(p->bundle[HTMT__C], slice, 0),
                            .to = htmt_at(p->image[HTMT__C], slice, 0),
                            .bytes = htmt__cannon_bundle(&p->plan, HTMT__C) * HTMT_WORD,
                            .handover = true};
    struct order o = {.p = p, .sum = k->sum++, .done = htmt_slot(c, HTMT__BUNDLE_DOWN)};
    if (k->sum == sums(p))
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
    if (o.sum + 1 == sums(o.p))
        o.done = (struct htmt_slot){0};
    else
        htmt_signal(c, htmt__cannon_spell(o.p, htmt_slice(c), HTMT__NEXT_PRODUCT));
    transform(c, HTMT__C, htmt__cannon_product(o.p, o.sum * o.p->plan.of[HTMT__CANNON_K].q), o);
}

static void start(struct htmt_context *c)
{
    const struct activation *k = htmt_args(c);
    const htmt__cannon *p = k->p;
    uint32_t parcels[HTMT__MATRICES]; /* of a transform */
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        parcels[i] = (uint32_t)(p->lines[i] * p->parts[i] * p->groups[i]);
    const uint32_t both = parcels[HTMT__A] + parcels[HTMT__B];
    htmt_slot_set(c, HTMT__BUNDLE_UP, both, both + 1);
    htmt_slot_set(c, HTMT__TRANSFORM, 2, 2);
    htmt_slot_set(c, HTMT__BUNDLE_DOWN, 1, 1 + parcels[HTMT__C]);
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
    static const char *const names[HTMT__KEEPER_FIBERS] = {[HTMT__BUNDLE_UP - 1] = "bundle up",
                                                           [HTMT__TRANSFORM - 1] = "transform",
                                                           [HTMT__BUNDLE_DOWN - 1] = "bundle down"};
    struct htmt_type_desc d = {.size = sizeof d,
                               .name = "Percolation",
                               .home = outer,
                               .exec = outer,
                               .execute = {.control = start},
                               .footprint = HTMT_RESIDENT,
                               .fibers = fibers,
                               .fiber_count = HTMT__KEEPER_FIBERS,
                               .fiber_names = names,
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
