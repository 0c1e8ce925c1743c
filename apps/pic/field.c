/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From rho to the field: transforms of lines as parcels, transposes as puts.
 *
 * Layouts of a slice (j, k), complex, three components each:
 *   spectrum[0]  whole in x:  [own z][own y][modes of x]
 *   spectrum[1]  whole in y:  [own z][y][j-th part of the modes of x]
 *   spectrum[2]  whole in z:  [z][k-th part of the modes of y][j-th part of the modes of x]
 * The first transpose is among the slices of equal k, the second among those of equal j. The
 * forward transforms use component 0 only. Returning tiles cannot overwrite tiles that have not
 * left yet: a tile from a slice takes the place of the tile that this slice received from here
 * before.
 */
#include "apps/pic/coordinator.h"
#include "runtime/base/wide.h"

#include <math.h>
#include <string.h>

#define COMPLEX sizeof(double complex)

/* ---- where things lie ----------------------------------------------------------------------- */

static uint64_t x_cells(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return (uint64_t)s->box.n[2] * s->box.n[1] * p->plan.modes;
}

static uint64_t y_cells(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return (uint64_t)s->box.n[2] * p->plan.problem.n[1] * s->modes_x;
}

static uint64_t z_cells(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return (uint64_t)p->plan.problem.n[2] * s->modes_y * s->modes_x;
}

static struct htmt_addr x_at(const htmt__pic *p, uint32_t slice, uint32_t component, uint64_t cell)
{
    return htmt_at(p->spectrum[0], slice,
                   (component * x_cells(p, &p->site[slice]) + cell) * COMPLEX);
}

static struct htmt_addr y_at(const htmt__pic *p, uint32_t slice, uint32_t component, uint64_t cell)
{
    return htmt_at(p->spectrum[1], slice,
                   (component * y_cells(p, &p->site[slice]) + cell) * COMPLEX);
}

static struct htmt_addr z_at(const htmt__pic *p, uint32_t slice, uint32_t component, uint64_t cell)
{
    return htmt_at(p->spectrum[2], slice,
                   (component * z_cells(p, &p->site[slice]) + cell) * COMPLEX);
}

/* ---- x -------------------------------------------------------------------------------------- */

static uint64_t piece_of(uint64_t lines, uint64_t each, uint64_t i)
{
    uint64_t left = lines - i * each;
    return left < each ? left : each;
}

/* A parcel has rows of one plane of z. */
static uint64_t count_x(const htmt__pic *p, const struct htmt__pic_site *s)
{
    (void)p;
    return (uint64_t)s->box.n[2] * s->pieces_x;
}

static struct htmt__pic_work x_work(const htmt__pic *p, const struct htmt__pic_site *s,
                                    uint64_t index, uint64_t *z, uint64_t *y)
{
    uint64_t piece = index % s->pieces_x;
    *z = index / s->pieces_x;
    *y = piece * p->plan.rows_x;
    return (struct htmt__pic_work){.p = p, .count = piece_of(s->box.n[1], p->plan.rows_x, piece)};
}

static bool make_x(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                   uint64_t index)
{
    const uint32_t slice = s->slice, nx = s->box.n[0], ny = s->box.n[1];
    uint64_t y, z;
    struct htmt__pic_work work = x_work(p, s, index, &z, &y);
    struct htmt_region r[3] = {
        {.from = htmt_at(p->rho, slice, ((z + 1) * (ny + 2) + y + 1) * nx * sizeof(double)),
         .bytes = work.count * nx * sizeof(double),
         .read_only = true},
        {.to = x_at(p, slice, 0, (z * ny + y) * p->plan.modes),
         .bytes = work.count * p->plan.modes * COMPLEX,
         .filled = true},
        {.bytes = nx * COMPLEX}};
    htmt__pic_assemble(c, s, HTMT__PIC_X_PARCEL, &work, r, 3);
    return true;
}

/* The spectra of two real rows a and b from the spectrum Z of a + i b:
 *     A_k = (Z_k + conj Z_-k) / 2,   B_k = (Z_k - conj Z_-k) / (2 i). */
static void take_apart(const double complex *z, uint32_t n, double complex *a, double complex *b)
{
    for (uint32_t k = 0; k < n / 2 + 1; k++) {
        double complex there = z[k], back = conj(z[k ? n - k : 0]);
        a[k] = 0.5 * (there + back);
        if (b)
            b[k] = CMPLX(0.5 * (cimag(there) - cimag(back)), 0.5 * (creal(back) - creal(there)));
    }
}

static void x_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const uint32_t nx = w->p->plan.problem.n[0], modes = w->p->plan.modes;
    const double *rho = htmt_bytes(k, 0);
    double complex *out = htmt_bytes(k, 1), *pair = htmt_bytes(k, 2);
    for (uint64_t i = 0; i < w->count; i += 2) {
        bool two = i + 1 < w->count;
        for (uint32_t x = 0; x < nx; x++)
            pair[x] = CMPLX(rho[i * nx + x], two ? rho[(i + 1) * nx + x] : 0);
        htmt__pic_transform(w->p, nx, 1, false, pair);
        take_apart(pair, nx, out + i * modes, two ? out + (i + 1) * modes : NULL);
    }
}

static void x_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__pic_work *w = args;
    *ops = htmt__pic_x_ops(w->p->plan.problem.n[0], w->count, user != NULL);
}

static uint64_t count_x_back(const htmt__pic *p, const struct htmt__pic_site *s)
{
    return 3 * count_x(p, s);
}

/* The field is field[z][y][component][x], with guard rows and planes as rho. */
static bool make_x_back(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                        uint64_t index)
{
    const uint32_t slice = s->slice, nx = s->box.n[0], ny = s->box.n[1];
    uint32_t component = (uint32_t)(index % 3);
    uint64_t y, z, row = (uint64_t)nx * sizeof(double);
    struct htmt__pic_work work = x_work(p, s, index / 3, &z, &y);
    struct htmt_region r[3] = {
        {.from = x_at(p, slice, component, (z * ny + y) * p->plan.modes),
         .bytes = work.count * p->plan.modes * COMPLEX,
         .read_only = true},
        {.to = htmt_at(p->field, slice,
                       (((z + 1) * (ny + 2) + y + 1) * HTMT__PIC_FIELD_WORDS + component) * row),
         .to_pieces = {row, work.count, (int64_t)(HTMT__PIC_FIELD_WORDS * row)},
         .bytes = work.count * row,
         .filled = true},
        {.bytes = nx * COMPLEX}};
    htmt__pic_assemble(c, s, HTMT__PIC_X_BACK_PARCEL, &work, r, 3);
    return true;
}

/* Z_k = A_k + i B_k, with A and B continued as spectra of real rows. */
static void put_together(const double complex *a, const double complex *b, uint32_t n,
                         double complex *z)
{
    for (uint32_t k = 0; k < n / 2 + 1; k++) {
        double complex other = b ? b[k] : 0;
        z[k] = CMPLX(creal(a[k]) - cimag(other), cimag(a[k]) + creal(other));
        if (k && n - k > k)
            z[n - k] = CMPLX(creal(a[k]) + cimag(other), creal(other) - cimag(a[k]));
    }
}

static void x_back_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const uint32_t nx = w->p->plan.problem.n[0], modes = w->p->plan.modes;
    const double complex *in = htmt_bytes(k, 0);
    double *field = htmt_bytes(k, 1);
    double complex *pair = htmt_bytes(k, 2);
    for (uint64_t i = 0; i < w->count; i += 2) {
        bool two = i + 1 < w->count;
        put_together(in + i * modes, two ? in + (i + 1) * modes : NULL, nx, pair);
        htmt__pic_transform(w->p, nx, 1, true, pair);
        for (uint32_t x = 0; x < nx; x++)
            field[i * nx + x] = creal(pair[x]);
        for (uint32_t x = 0; x < nx && two; x++)
            field[(i + 1) * nx + x] = cimag(pair[x]);
    }
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
    struct htmt_addr at = y_at(p, s->slice, component, z * ny * s->modes_x + first);
    struct htmt_pieces pieces = {work.count * COMPLEX, ny, (int64_t)(s->modes_x * COMPLEX)};
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
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    htmt__pic_transform(w->p, w->p->plan.problem.n[1], (uint32_t)w->count, false, htmt_bytes(k, 0));
}

static void y_back_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    htmt__pic_transform(w->p, w->p->plan.problem.n[1], (uint32_t)w->count, true, htmt_bytes(k, 0));
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

static bool make_solve(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                       uint64_t index)
{
    const uint32_t nz = p->plan.problem.n[2], slice = s->slice;
    uint64_t columns = columns_of_z(s), first = index * p->plan.columns_z;
    struct htmt__pic_work work = {
        .p = p, .count = piece_of(columns, p->plan.columns_z, index), .from = first};
    struct htmt_pieces pieces = {work.count * COMPLEX, nz, (int64_t)(columns * COMPLEX)};
    struct htmt_region r[3];
    for (uint32_t i = 0; i < 3; i++)
        r[i] = (struct htmt_region){.to = z_at(p, slice, i, first),
                                    .to_pieces = pieces,
                                    .bytes = work.count * nz * COMPLEX,
                                    .filled = i != 0};
    r[0].from = r[0].to;
    r[0].from_pieces = pieces;
    htmt__pic_assemble(c, s, HTMT__PIC_SOLVE_PARCEL, &work, r, 3);
    return true;
}

/* Wave number of mode i of n. With `derive` it is that of the derivative, which has no Nyquist
 * component. */
static double wave_number(uint32_t i, uint32_t n, bool derive)
{
    double mode = 2 * i > n ? (double)i - n : i;
    return derive && 2 * i == n ? 0 : 2 * M_PI * mode / n;
}

struct mode {
    double square; /* kx^2 + ky^2 */
    double k[2];   /* of the derivative */
};

static struct mode mode_of(const htmt__pic *p, const struct htmt__pic_site *s, uint64_t column)
{
    const uint32_t *n = p->plan.problem.n;
    uint32_t x = s->first_x + (uint32_t)(column % s->modes_x);
    uint32_t y = s->first_y + (uint32_t)(column / s->modes_x);
    double kx = wave_number(x, n[0], false), ky = wave_number(y, n[1], false);
    return (struct mode){kx * kx + ky * ky,
                         {wave_number(x, n[0], true), wave_number(y, n[1], true)}};
}

/* E = -ik rho / k^2 and 1 / cells, which the transforms leave out. */
static void derive(double complex *e[3], uint64_t i, const struct mode *m, double kz, double dz,
                   double cells)
{
    double square = m->square + kz * kz;
    double scale = square > 0 ? 1 / (square * cells) : 0;
    double complex phi = e[0][i] * scale, turned = CMPLX(cimag(phi), -creal(phi)); /* -i phi */
    e[0][i] = m->k[0] * turned;
    e[1][i] = m->k[1] * turned;
    e[2][i] = dz * turned;
}

static void solve_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const htmt__pic *p = w->p;
    const uint32_t *n = p->plan.problem.n, slice = htmt_kernel_slice(k);
    const uint32_t width = (uint32_t)w->count;
    const double cells = (double)n[0] * n[1] * n[2];
    double complex *e[3] = {htmt_bytes(k, 0), htmt_bytes(k, 1), htmt_bytes(k, 2)};
    htmt__pic_transform(p, n[2], width, false, e[0]);
    for (uint32_t column = 0; column < width; column++) {
        struct mode m = mode_of(p, &p->site[slice], w->from + column);
        for (uint32_t z = 0; z < n[2]; z++)
            derive(e, (uint64_t)z * width + column, &m, wave_number(z, n[2], false),
                   wave_number(z, n[2], true), cells);
    }
    for (int i = 0; i < 3; i++)
        htmt__pic_transform(p, n[2], width, true, e[i]);
}

static void solve_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__pic_work *w = args;
    (void)user;
    *ops = htmt__pic_solve_ops(w->p->plan.problem.n[2], w->count);
}

/* ---- transposes ----------------------------------------------------------------------------- */

static void put(struct htmt_context *c, const htmt__pic *p, struct htmt_addr dst,
                struct htmt_pieces dst_pieces, struct htmt_addr src, struct htmt_pieces src_pieces,
                uint32_t to, uint32_t fiber)
{
    htmt_put(c, &(struct htmt_put){.dst = dst,
                                   .dst_pieces = dst_pieces,
                                   .src = src,
                                   .src_pieces = src_pieces,
                                   .bytes = src_pieces.bytes * src_pieces.count,
                                   .on_arrived = htmt__pic_coordinator(p, to, fiber)});
}

/* The tile that slice x (whole in x) and slice y (whole in y) share: the own y of the first times
 * the own modes of x of the second. */
struct ends {
    struct htmt_addr at;
    struct htmt_pieces pieces;
};

static struct ends tile_in_x(const htmt__pic *p, uint32_t x, uint32_t y, uint32_t component)
{
    const struct htmt__pic_box *box = &p->site[x].box;
    return (struct ends){x_at(p, x, component, p->site[y].first_x),
                         {p->site[y].modes_x * COMPLEX, (uint64_t)box->n[1] * box->n[2],
                          (int64_t)(p->plan.modes * COMPLEX)}};
}

static struct ends tile_in_y(const htmt__pic *p, uint32_t x, uint32_t y, uint32_t component)
{
    const struct htmt__pic_box *box = &p->site[x].box;
    uint64_t row = p->site[y].modes_x * COMPLEX;
    return (struct ends){y_at(p, y, component, (uint64_t)box->lo[1] * p->site[y].modes_x),
                         {box->n[1] * row, box->n[2], (int64_t)(p->plan.problem.n[1] * row)}};
}

/* The tile that slices y and z share: the own z of the first times the own modes of y of the
 * second. */
static struct ends tile_out_of_y(const htmt__pic *p, uint32_t y, uint32_t z, uint32_t component)
{
    const struct htmt__pic_site *s = &p->site[y];
    uint64_t row = s->modes_x * COMPLEX;
    return (struct ends){
        y_at(p, y, component, (uint64_t)p->site[z].first_y * s->modes_x),
        {p->site[z].modes_y * row, s->box.n[2], (int64_t)(p->plan.problem.n[1] * row)}};
}

static struct ends tile_in_z(const htmt__pic *p, uint32_t y, uint32_t z, uint32_t component)
{
    const struct htmt__pic_box *box = &p->site[y].box;
    uint64_t columns = columns_of_z(&p->site[z]);
    return (struct ends){z_at(p, z, component, box->lo[2] * columns),
                         {box->n[2] * columns * COMPLEX, 1, 0}};
}

/* To that slice. `put` is for one tile after another: of the one before it has nothing else. */
static void move(struct htmt_context *c, const htmt__pic *p, struct htmt_put *put, struct ends from,
                 struct ends to, uint32_t slice, uint32_t fiber)
{
    put->src = from.at;
    put->src_pieces = from.pieces;
    put->dst = to.at;
    put->dst_pieces = to.pieces;
    put->bytes = from.pieces.bytes * from.pieces.count;
    put->on_arrived = htmt__pic_coordinator(p, slice, fiber);
    htmt_put(c, put);
}

/* The slice i further in the row of equal k, or in the column of equal j. Each slice begins with
 * itself and goes on one by one, so that no two slices send to the same slice at one time. */
static uint32_t along_y(const htmt__pic *p, uint32_t slice, uint32_t i)
{
    const struct htmt__pic_site *s = &p->site[slice];
    uint32_t j = s->j + i;
    return s->k * p->plan.py + (j < p->plan.py ? j : j - p->plan.py);
}

static uint32_t along_z(const htmt__pic *p, uint32_t slice, uint32_t i)
{
    const struct htmt__pic_site *s = &p->site[slice];
    uint32_t k = s->k + i;
    return (k < p->plan.pz ? k : k - p->plan.pz) * p->plan.py + s->j;
}

static const struct htmt__pic_phase *after_x(struct htmt_context *c, const htmt__pic *p)
{
    struct htmt_put put = {0};
    uint32_t here = htmt_slice(c);
    for (uint32_t i = 0; i < p->plan.py; i++) {
        uint32_t to = along_y(p, here, i);
        move(c, p, &put, tile_in_x(p, here, to, 0), tile_in_y(p, here, to, 0), to, HTMT__PIC_Y);
    }
    return NULL;
}

static const struct htmt__pic_phase *after_y(struct htmt_context *c, const htmt__pic *p)
{
    struct htmt_put put = {0};
    uint32_t here = htmt_slice(c);
    for (uint32_t i = 0; i < p->plan.pz; i++) {
        uint32_t to = along_z(p, here, i);
        move(c, p, &put, tile_out_of_y(p, here, to, 0), tile_in_z(p, here, to, 0), to,
             HTMT__PIC_SOLVE);
    }
    return NULL;
}

static const struct htmt__pic_phase *after_solve(struct htmt_context *c, const htmt__pic *p)
{
    struct htmt_put put = {0};
    uint32_t here = htmt_slice(c);
    for (uint32_t i = 0; i < 3 * p->plan.pz; i++) {
        uint32_t to = along_z(p, here, i / 3), e = i % 3;
        move(c, p, &put, tile_in_z(p, to, here, e), tile_out_of_y(p, to, here, e), to,
             HTMT__PIC_Y_BACK);
    }
    return NULL;
}

static const struct htmt__pic_phase *after_y_back(struct htmt_context *c, const htmt__pic *p)
{
    struct htmt_put put = {0};
    uint32_t here = htmt_slice(c);
    for (uint32_t i = 0; i < 3 * p->plan.py; i++) {
        uint32_t to = along_y(p, here, i / 3), e = i % 3;
        move(c, p, &put, tile_in_y(p, to, here, e), tile_in_x(p, to, here, e), to,
             HTMT__PIC_X_BACK);
    }
    return NULL;
}

/* ---- guard points of the field -------------------------------------------------------------- */

/* Own rows on the neighbour's side go to the neighbour's guard rows on the other side. */
static void send_guard(struct htmt_context *c, const htmt__pic *p, int dy, int dz)
{
    const uint32_t here = htmt_slice(c), to = htmt__pic_beside(p, here, dy, dz);
    const uint32_t *n = p->site[here].box.n, *m = p->site[to].box.n;
    uint64_t row = (uint64_t)n[0] * HTMT__PIC_FIELD_WORDS * sizeof(double);
    uint64_t plane = row * (n[1] + 2), to_plane = row * (m[1] + 2);
    uint64_t y = dy > 0 ? n[1] : 1, z = dz > 0 ? n[2] : 1;
    uint64_t to_y = dy > 0 ? 0 : dy < 0 ? m[1] + 1 : 1, to_z = dz > 0 ? 0 : dz < 0 ? m[2] + 1 : 1;
    uint64_t rows = dy ? 1 : n[1], planes = dz ? 1 : n[2];
    put(c, p, htmt_at(p->field, to, to_z * to_plane + to_y * row),
        (struct htmt_pieces){rows * row, planes, (int64_t)to_plane},
        htmt_at(p->field, here, z * plane + y * row),
        (struct htmt_pieces){rows * row, planes, (int64_t)plane}, to, HTMT__PIC_CUT);
}

static const struct htmt__pic_phase *after_x_back(struct htmt_context *c, const htmt__pic *p)
{
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            if (dy || dz)
                send_guard(c, p, dy, dz);
    htmt_signal(c, htmt_slot(c, HTMT__PIC_CUT));
    return NULL;
}

/* ---- set-up --------------------------------------------------------------------------------- */

const struct htmt__pic_phase htmt__pic_x_phase = {"X", count_x, make_x, after_x};
const struct htmt__pic_phase htmt__pic_y_phase = {"Y", count_y, make_y, after_y};
const struct htmt__pic_phase htmt__pic_solve_phase = {"Solve", count_solve, make_solve,
                                                      after_solve};
const struct htmt__pic_phase htmt__pic_y_back_phase = {"Y back", count_y_back, make_y_back,
                                                       after_y_back};
const struct htmt__pic_phase htmt__pic_x_back_phase = {"X back", count_x_back, make_x_back,
                                                       after_x_back};

static int create(htmt__pic *p, enum htmt__pic_kind kind, const char *name, htmt_kernel_fn *kernel,
                  htmt_cost_fn *cost, const void *user)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    struct htmt_type_desc d = {.name = name,
                               .home = m->layer[p->plan.outer].name,
                               .exec = m->layer[p->plan.inner].name,
                               .execute = {.kernel = kernel, .cost = cost},
                               .in_place = true,
                               .args_bytes = sizeof(struct htmt__pic_work),
                               .user = user};
    return htmt_type_create(p->e, &d, &p->type[kind]);
}

int htmt__pic_field_types(htmt__pic *p)
{
    int rc = create(p, HTMT__PIC_X_PARCEL, "X", x_kernel, x_cost, NULL);
    if (!rc)
        rc = create(p, HTMT__PIC_Y_PARCEL, "Y", y_kernel, y_cost, NULL);
    if (!rc)
        rc = create(p, HTMT__PIC_SOLVE_PARCEL, "Solve", solve_kernel, solve_cost, NULL);
    if (!rc)
        rc = create(p, HTMT__PIC_Y_BACK_PARCEL, "Y back", y_back_kernel, y_cost, NULL);
    if (!rc) /* any user data means: backward */
        rc = create(p, HTMT__PIC_X_BACK_PARCEL, "X back", x_back_kernel, x_cost, p);
    return rc;
}
