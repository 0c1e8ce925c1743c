/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From rho to the field: transforms of lines as parcels, transposes as puts.
 *
 * The idea. On the periodic box the field is E_k = -ik rho_k / k^2. A transform along an axis wants
 * whole lines of that axis in one place, but a slice owns only a pencil: all of x, the j-th part of
 * y and the k-th part of z. So the slices transform what they have whole, exchange tiles, and
 * transform the next axis:
 *
 *     spectrum[0]  whole in x:  [own z][own y][modes of x]
 *     spectrum[1]  whole in y:  [own z][y][j-th part of the modes of x]
 *     spectrum[2]  whole in z:  [z][k-th part of the modes of y][j-th part of the modes of x]
 *
 * The first transpose is among the py slices of equal k (a row of slices), the second among the pz
 * slices of equal j (a column). A parcel carries some lines up to the SPELL. The parcel of a column
 * of z does the whole rest there: forward transform, three components of the field, three backward
 * transforms. Then three components take the same way back. Rho is real, so a row of nx points has
 * only nx / 2 + 1 modes, and two rows make one complex transform.
 *
 * Why no tile is lost. Returning tiles arrive while other tiles may not have left yet. The tile
 * that slice b returns to slice a in component 0 takes the place in a of the tile that a sent to b.
 * That one has left: b returns it only after it received it. Nothing else is in components 1 and 2.
 *
 * What it costs. A component crosses the network twice on its way to z and three components twice
 * on their way back: eight crossings of each mode, of which the share 1 / py or 1 / pz stays in its
 * slice. A slice begins each transpose with itself and goes on one by one, so that at any time
 * every slice receives from one other slice only.
 *
 * Example. 8 x 8 x 8 cells on 2 x 2 slices: 5 modes of x. Slice 1 (j = 1, k = 0) has y = 4..7 and
 * z = 0..3. After X it has 4 x 4 rows of 5 modes. Of each row slice 0 gets modes 0 and 1, and slice
 * 1 keeps 2, 3 and 4. After the first transpose slice 1 has 4 planes of 8 rows of 3 modes, after
 * the second one (with slice 3) 8 planes of 4 rows of 3 modes, that is 12 columns of z.
 */
#include "apps/pic/coordinator.h"
#include "runtime/base/wide.h"

#include <string.h>

#define COMPLEX sizeof(double complex)

static struct htmt_addr spectrum_at(const htmt__pic *p, int layout, uint32_t slice,
                                    uint32_t component, uint64_t cell)
{
    uint64_t cells = htmt__pic_spectrum_cells(p, &p->site[slice], layout);
    return htmt_at(p->spectrum[layout], slice, (component * cells + cell) * COMPLEX);
}

/* Lines of piece i when `lines` lines are cut into pieces of `each`. */
static uint64_t piece_of(uint64_t lines, uint64_t each, uint64_t i)
{
    uint64_t left = lines - i * each;
    return left < each ? left : each;
}

/* ---- transforms of lines -------------------------------------------------------------------- */

int htmt__pic_line_add(struct htmt__pic_lines *l, uint32_t length, uint32_t width, bool backward,
                       struct htmt_fault *fault)
{
    struct htmt__fft_shape shape = {
        .length = length, .count = width, .stride = width, .distance = 1, .backward = backward};
    if (!width || htmt__pic_line(l, length, width, backward))
        return 0;
    struct htmt__pic_line *line = &l->of[l->count];
    *line = (struct htmt__pic_line){length, width, backward, NULL, 0};
    int rc = htmt__fft_create(&shape, &line->fft, fault);
    line->bytes = rc ? 0 : htmt__fft_bytes(line->fft);
    l->count += !rc;
    return rc;
}

/* For parcels of `each` columns out of `columns`; the last has what is left. */
static int add_columns(htmt__pic *p, uint32_t length, uint64_t columns, uint32_t each,
                       struct htmt_fault *fault)
{
    int rc = 0;
    for (int back = 0; back < 2 && !rc; back++) {
        rc = htmt__pic_line_add(&p->lines, length, columns < each ? 0 : each, back, fault);
        if (!rc)
            rc = htmt__pic_line_add(&p->lines, length, (uint32_t)(columns % each), back, fault);
    }
    return rc;
}

int htmt__pic_lines_create(htmt__pic *p, struct htmt_fault *fault)
{
    const uint32_t *n = p->plan.problem.n;
    int rc = add_columns(p, n[0], 1, 1, fault);
    for (uint32_t i = 0; i < p->plan.slices && !rc; i++) {
        const struct htmt__pic_site *s = &p->site[i];
        rc = add_columns(p, n[1], s->modes_x, p->plan.columns_y, fault);
        if (!rc)
            rc = add_columns(p, n[2], (uint64_t)s->modes_x * s->modes_y, p->plan.columns_z, fault);
    }
    return rc;
}

void htmt__pic_line_destroy(struct htmt__pic_lines *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        htmt__fft_destroy(&l->of[i].fft);
}

/* ---- x -------------------------------------------------------------------------------------- */

/* A parcel has rows of one plane of z. */
static uint64_t count_x(const htmt__pic *p, const struct htmt__pic_site *s)
{
    (void)p;
    return (uint64_t)s->box.n[2] * s->pieces_x;
}

static uint64_t count_x_back(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return 3 * count_x(p, s);
}

/* Rows of rho up, rows of modes down; or, back, rows of modes of a component up, rows of the field
 * down. The field is field[z][y][component][x], with guard rows and planes as rho has them. */
static void assemble_x(struct htmt_context *c, const htmt__pic *p, const struct htmt__pic_site *s,
                       bool back, uint32_t component, uint64_t index)
{
    const uint32_t slice = s->slice, nx = s->box.n[0], ny = s->box.n[1];
    const uint64_t z = index / s->pieces_x, piece = index % s->pieces_x, y = piece * p->plan.rows_x;
    const uint64_t row = (uint64_t)nx * sizeof(double);
    const uint64_t in_rho = (z + 1) * (ny + 2) + y + 1; /* number of the first row */
    struct htmt__pic_work work = {.p = p, .count = piece_of(s->box.n[1], p->plan.rows_x, piece)};
    struct htmt_addr modes = spectrum_at(p, 0, slice, component, (z * ny + y) * p->plan.modes);
    struct htmt_region r[3] = {{.read_only = true}, {.filled = true}, {.bytes = nx * COMPLEX}};
    r[back ? 0 : 1].bytes = work.count * p->plan.modes * COMPLEX;
    r[back ? 1 : 0].bytes = work.count * row;
    r[0].from = back ? modes : htmt_at(p->rho, slice, in_rho * row);
    r[1].to = modes;
    if (back) {
        r[1].to = htmt_at(p->field, slice, (in_rho * HTMT__PIC_FIELD_WORDS + component) * row);
        r[1].to_pieces = (struct htmt_pieces){
            .bytes = row, .count = work.count, .stride = (int64_t)(HTMT__PIC_FIELD_WORDS * row)};
    }
    htmt__pic_assemble(c, s, back ? HTMT__PIC_X_BACK_PARCEL : HTMT__PIC_X_PARCEL, &work, r, 3);
}

static bool make_x(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                   uint64_t index)
{
    assemble_x(c, p, s, false, 0, index);
    return true;
}

static bool make_x_back(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                        uint64_t index)
{
    assemble_x(c, p, s, true, (uint32_t)(index % 3), index / 3);
    return true;
}

/* What a kernel with transforms reads beside its closure. */
static const struct htmt__pic_work *work_of(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const struct htmt__pic_lines *l = &w->p->lines;
    htmt__pic_constants(k, w->p);
    for (uint32_t i = 0; i < l->count; i++)
        htmt_constants(k, l->of[i].fft, l->of[i].bytes);
    return w;
}

static void x_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = work_of(k);
    htmt__pic_rows_forward(&w->p->lines, w->p->plan.problem.n[0], w->count, htmt_bytes(k, 0),
                           htmt_bytes(k, 1), htmt_bytes(k, 2));
}

static void x_back_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = work_of(k);
    htmt__pic_rows_backward(&w->p->lines, w->p->plan.problem.n[0], w->count, htmt_bytes(k, 0),
                            htmt_bytes(k, 1), htmt_bytes(k, 2));
}

/* With user data: back. */
static void x_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__pic_work *w = args;
    *ops = htmt__pic_x_ops(w->p->plan.problem.n[0], w->count, user != NULL);
}

/* ---- y -------------------------------------------------------------------------------------- */

/* A parcel has columns of one plane of z. */
static uint64_t count_y(const htmt__pic *p, const struct htmt__pic_site *s)
{
    (void)p;
    return (uint64_t)s->box.n[2] * s->pieces_y;
}

static uint64_t count_y_back(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return 3 * count_y(p, s);
}

static void assemble_y(struct htmt_context *c, const htmt__pic *p, const struct htmt__pic_site *s,
                       enum htmt__pic_kind kind, uint32_t component, uint64_t index)
{
    const uint32_t ny = p->plan.problem.n[1];
    uint64_t z = index / s->pieces_y, piece = index % s->pieces_y;
    uint64_t first = piece * p->plan.columns_y;
    struct htmt__pic_work work = {.p = p, .count = piece_of(s->modes_x, p->plan.columns_y, piece)};
    struct htmt_addr at = spectrum_at(p, 1, s->slice, component, z * ny * s->modes_x + first);
    struct htmt_pieces pieces = {
        .bytes = work.count * COMPLEX, .count = ny, .stride = (int64_t)(s->modes_x * COMPLEX)};
    if (work.count == s->modes_x)
        pieces = (struct htmt_pieces){0};
    struct htmt_region r = {.from = at,
                            .to = at,
                            .from_pieces = pieces,
                            .to_pieces = pieces,
                            .bytes = work.count * ny * COMPLEX};
    htmt__pic_assemble(c, s, kind, &work, &r, 1);
}

static bool make_y(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                   uint64_t index)
{
    assemble_y(c, p, s, HTMT__PIC_Y_PARCEL, 0, index);
    return true;
}

static bool make_y_back(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                        uint64_t index)
{
    assemble_y(c, p, s, HTMT__PIC_Y_BACK_PARCEL, (uint32_t)(index % 3), index / 3);
    return true;
}

static void y_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = work_of(k);
    htmt__pic_transform(&w->p->lines, w->p->plan.problem.n[1], (uint32_t)w->count, false,
                        htmt_bytes(k, 0));
}

static void y_back_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = work_of(k);
    htmt__pic_transform(&w->p->lines, w->p->plan.problem.n[1], (uint32_t)w->count, true,
                        htmt_bytes(k, 0));
}

static void y_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__pic_work *w = args;
    (void)user;
    *ops = htmt__pic_y_ops(w->p->plan.problem.n[1], w->count);
}

/* ---- z -------------------------------------------------------------------------------------- */

static uint64_t columns_of_z(const struct htmt__pic_site *s)
{
    return (uint64_t)s->modes_x * s->modes_y;
}

static uint64_t count_solve(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return htmt_ceil_div(columns_of_z(s), p->plan.columns_z);
}

/* Columns of rho up, the same columns of three components down. */
static bool make_solve(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                       uint64_t index)
{
    const uint32_t nz = p->plan.problem.n[2];
    uint64_t columns = columns_of_z(s), first = index * p->plan.columns_z;
    struct htmt__pic_work work = {
        .p = p, .count = piece_of(columns, p->plan.columns_z, index), .from = first};
    struct htmt_pieces pieces = {
        .bytes = work.count * COMPLEX, .count = nz, .stride = (int64_t)(columns * COMPLEX)};
    struct htmt_region r[3];
    for (uint32_t i = 0; i < 3; i++)
        r[i] = (struct htmt_region){.to = spectrum_at(p, 2, s->slice, i, first),
                                    .to_pieces = pieces,
                                    .bytes = work.count * nz * COMPLEX,
                                    .filled = i != 0};
    r[0].from = r[0].to;
    r[0].from_pieces = pieces;
    htmt__pic_assemble(c, s, HTMT__PIC_SOLVE_PARCEL, &work, r, 3);
    return true;
}

static void solve_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = work_of(k);
    const struct htmt__pic_site *s = &w->p->site[htmt_kernel_slice(k)];
    const struct htmt__pic_columns columns = {.width = (uint32_t)w->count,
                                              .from = w->from,
                                              .first_x = s->first_x,
                                              .modes_x = s->modes_x,
                                              .first_y = s->first_y};
    double complex *e[3] = {htmt_bytes(k, 0), htmt_bytes(k, 1), htmt_bytes(k, 2)};
    htmt__pic_solve(&w->p->lines, w->p->plan.problem.n, &columns, e);
}

static void solve_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__pic_work *w = args;
    (void)user;
    *ops = htmt__pic_solve_ops(w->p->plan.problem.n[2], w->count);
}

/* ---- transposes ----------------------------------------------------------------------------- */

/* Where a tile lies in a slice. */
struct ends {
    struct htmt_addr at;
    struct htmt_pieces pieces;
};

/* The two places of a tile that slices a and b share. Along a row of slices it lies whole in x in a
 * (own y of a, own modes of x of b) and whole in y in b; along a column of slices whole in y in a
 * (own z of a, own modes of y of b) and whole in z in b. */
static inline void tile_of(const htmt__pic *p, bool column, uint32_t a, uint32_t b,
                           uint32_t component, struct ends *in_a, struct ends *in_b)
{
    const struct htmt__pic_site *sa = &p->site[a], *sb = &p->site[b];
    const struct htmt__pic_box *box = &sa->box;
    const uint64_t row = (column ? sa : sb)->modes_x * COMPLEX, whole = p->plan.problem.n[1] * row;
    if (column) {
        uint64_t columns = columns_of_z(sb);
        in_a->at = spectrum_at(p, 1, a, component, (uint64_t)sb->first_y * sa->modes_x);
        in_a->pieces = (struct htmt_pieces){
            .bytes = sb->modes_y * row, .count = box->n[2], .stride = (int64_t)whole};
        in_b->at = spectrum_at(p, 2, b, component, box->lo[2] * columns);
        in_b->pieces =
            (struct htmt_pieces){.bytes = box->n[2] * columns * COMPLEX, .count = 1, .stride = 0};
    } else {
        in_a->at = spectrum_at(p, 0, a, component, sb->first_x);
        in_a->pieces = (struct htmt_pieces){.bytes = row,
                                            .count = (uint64_t)box->n[1] * box->n[2],
                                            .stride = (int64_t)(p->plan.modes * COMPLEX)};
        in_b->at = spectrum_at(p, 1, b, component, (uint64_t)box->lo[1] * sb->modes_x);
        in_b->pieces = (struct htmt_pieces){
            .bytes = box->n[1] * row, .count = box->n[2], .stride = (int64_t)whole};
    }
}

/* Put this slice's tiles to the slices of its row or column, one component there, three back. The
 * slice begins with itself and goes on one by one. */
static inline __attribute__((always_inline)) void transpose(struct htmt_context *c,
                                                            const htmt__pic *p, const bool column,
                                                            const bool back, uint32_t fiber)
{
    const uint32_t here = htmt_slice(c), py = p->plan.py, pz = p->plan.pz;
    const uint32_t j = p->site[here].j, k = p->site[here].k, partners = column ? pz : py;
    struct htmt_put put = {0};
    for (uint32_t i = 0, place = column ? k : j; i < partners; i++, place++) {
        if (place == partners)
            place = 0;
        const uint32_t to = column ? place * py + j : k * py + place;
        for (uint32_t component = 0; component < (back ? 3 : 1); component++) {
            struct ends near, far;
            if (back)
                tile_of(p, column, to, here, component, &far, &near);
            else
                tile_of(p, column, here, to, component, &near, &far);
            put.dst = far.at;
            put.dst_pieces = far.pieces;
            put.src = near.at;
            put.src_pieces = near.pieces;
            put.bytes = near.pieces.bytes * near.pieces.count;
            put.on_arrived = htmt__pic_coordinator(p, to, fiber);
            htmt_put(c, &put);
        }
    }
}

static const struct htmt__pic_phase *after_x(struct htmt_context *c, const htmt__pic *p)
{
    transpose(c, p, false, false, HTMT__PIC_Y);
    return NULL;
}

static const struct htmt__pic_phase *after_y(struct htmt_context *c, const htmt__pic *p)
{
    transpose(c, p, true, false, HTMT__PIC_SOLVE);
    return NULL;
}

static const struct htmt__pic_phase *after_solve(struct htmt_context *c, const htmt__pic *p)
{
    transpose(c, p, true, true, HTMT__PIC_Y_BACK);
    return NULL;
}

static const struct htmt__pic_phase *after_y_back(struct htmt_context *c, const htmt__pic *p)
{
    transpose(c, p, false, true, HTMT__PIC_X_BACK);
    return NULL;
}

/* The guard points of the field: own rows on a neighbour's side go to the neighbour's guard rows on
 * the other side. */
static const struct htmt__pic_phase *after_x_back(struct htmt_context *c, const htmt__pic *p)
{
    const uint32_t here = htmt_slice(c), *n = p->site[here].box.n;
    const uint64_t row = (uint64_t)n[0] * HTMT__PIC_FIELD_WORDS * sizeof(double);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            if (!dy && !dz)
                continue;
            const uint32_t to = htmt__pic_beside(p, here, dy, dz), *m = p->site[to].box.n;
            uint64_t plane = row * (n[1] + 2), to_plane = row * (m[1] + 2);
            uint64_t y = dy > 0 ? n[1] : 1, to_y = dy > 0 ? 0 : dy < 0 ? m[1] + 1 : 1;
            uint64_t z = dz > 0 ? n[2] : 1, to_z = dz > 0 ? 0 : dz < 0 ? m[2] + 1 : 1;
            uint64_t rows = dy ? 1 : n[1], planes = dz ? 1 : n[2];
            htmt_put(
                c,
                &(struct htmt_put){
                    .dst = htmt_at(p->field, to, to_z * to_plane + to_y * row),
                    .dst_pieces = {.bytes = rows * row,
                                   .count = planes,
                                   .stride = (int64_t)to_plane},
                    .src = htmt_at(p->field, here, z * plane + y * row),
                    .src_pieces = {.bytes = rows * row, .count = planes, .stride = (int64_t)plane},
                    .bytes = rows * row * planes,
                    .on_arrived = htmt__pic_coordinator(p, to, HTMT__PIC_CUT)});
        }
    htmt_signal(c, htmt_slot(c, HTMT__PIC_CUT));
    return NULL;
}

/* ---- phases --------------------------------------------------------------------------------- */

const struct htmt__pic_phase htmt__pic_x_phase = {
    .count = count_x, .make = make_x, .sequel = after_x};
const struct htmt__pic_phase htmt__pic_y_phase = {
    .count = count_y, .make = make_y, .sequel = after_y};
const struct htmt__pic_phase htmt__pic_solve_phase = {
    .count = count_solve, .make = make_solve, .sequel = after_solve};
const struct htmt__pic_phase htmt__pic_y_back_phase = {
    .count = count_y_back, .make = make_y_back, .sequel = after_y_back};
const struct htmt__pic_phase htmt__pic_x_back_phase = {
    .count = count_x_back, .make = make_x_back, .sequel = after_x_back};

int htmt__pic_field_types(htmt__pic *p)
{
    struct {
        enum htmt__pic_kind kind;
        struct htmt_type_desc d;
    } types[] = {
        {HTMT__PIC_X_PARCEL, {.name = "X", .execute = {.kernel = x_kernel, .cost = x_cost}}},
        {HTMT__PIC_Y_PARCEL, {.name = "Y", .execute = {.kernel = y_kernel, .cost = y_cost}}},
        {HTMT__PIC_SOLVE_PARCEL,
         {.name = "Solve", .execute = {.kernel = solve_kernel, .cost = solve_cost}}},
        {HTMT__PIC_Y_BACK_PARCEL,
         {.name = "Y back", .execute = {.kernel = y_back_kernel, .cost = y_cost}}},
        {HTMT__PIC_X_BACK_PARCEL,
         {.name = "X back", .execute = {.kernel = x_back_kernel, .cost = x_cost}, .user = p}},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types && !rc; i++) {
        types[i].d.sends = HTMT_SENDS_NOWHERE;
        rc = htmt__pic_type(p, types[i].kind, true, types[i].d);
    }
    return rc;
}
