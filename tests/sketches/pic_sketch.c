/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A particle-in-cell step (Hereld et al., section 3.2.3): deposit, guard cells of the charge, field
 * by a row pass, a transpose, a column pass and a transpose back, guard cells of the field, push,
 * migration, energy. A slice owns the particles in its rows; the coordinator in its DRAM leads a
 * step.
 */
#include "tests/sketches/sketch.h"

#include <math.h>
#include <string.h>

/* Fibers of a coordinator, each enabled when what it works on has come. */
enum { DEPOSIT = 1, ROWS, COLUMNS, GUARD, PUSH, SORT, LEAVE, TAKE, NEXT, FIBERS = NEXT };

struct plasma { /* shared by all slices; written before the run only */
    uint32_t slices, nx, ny, rows, columns, steps; /* rows, columns: of one slice */
    double dt;
    uint64_t room;                        /* particles a slice has room for */
    struct htmt_frame *crowd, *up, *down; /* particles of a slice; those that leave it */
    struct htmt_frame *charge, *charge_guard, *turned, *field; /* charge, field: rows + 1 */
    struct htmt_frame *energy;
    struct htmt_mailbox *mail[SKETCH_SLICES];
    struct htmt_allreduce *sum;
    struct htmt_type *coordinator, *push;
    struct htmt_ref at[SKETCH_SLICES];
};

struct coordinator {
    const struct plasma *p;
    uint32_t step;
    uint64_t count; /* particles */
};

struct crowd {
    uint64_t count;
    struct pic_particle particle[];
};

struct leavers {
    uint64_t up, down;
};

static struct htmt_slot slot_of(const struct plasma *p, uint32_t slice, uint32_t fiber)
{
    return htmt_slot_of(p->at[slice], fiber);
}

static void use(struct htmt_context *c, const struct htmt_frame *frame, enum htmt_use how)
{
    struct htmt_addr all = htmt_at(frame, htmt_slice(c), 0);
    htmt_use(c, all, htmt_object_size(all.object), how);
}

static const struct plasma *plasma_of(const struct htmt_kernel *k)
{
    return ((const struct coordinator *)htmt_kernel_args(k))->p;
}

/* Each particle gives its cell and the one above their shares. */
static void deposit_kernel(struct htmt_kernel *k)
{
    const struct plasma *p = plasma_of(k);
    const struct crowd *crowd = htmt_used(k, 0);
    double *charge = htmt_used(k, 1), first = (double)htmt_kernel_slice(k) * p->rows;
    memset(charge, 0, htmt_used_size(k, 1));
    for (uint64_t i = 0; i < crowd->count; i++) {
        double y = crowd->particle[i].y - first, share = y - floor(y);
        uint64_t cell = (uint64_t)y * p->nx + (uint64_t)crowd->particle[i].x;
        charge[cell] += 1 - share;
        charge[cell + p->nx] += share;
    }
    htmt_count(k, HTMT_FLOP, 5 * crowd->count);
}

static void smooth(double *line, uint32_t n, uint32_t stride)
{
    double first = line[0], before = line[(uint64_t)(n - 1) * stride];
    for (uint32_t i = 0; i < n; i++) {
        double here = line[i * stride], after = i + 1 < n ? line[(i + 1) * stride] : first;
        line[i * stride] = (before + 2 * here + after) / 4;
        before = here;
    }
}

static void rows_kernel(struct htmt_kernel *k)
{
    const struct plasma *p = plasma_of(k);
    const double *guard = htmt_used(k, 0);
    double *charge = htmt_used(k, 1);
    for (uint32_t x = 0; x < p->nx; x++)
        charge[x] += guard[x];
    for (uint32_t y = 0; y < p->rows; y++)
        smooth(charge + (uint64_t)y * p->nx, p->nx, 1);
    htmt_count(k, HTMT_FLOP, (uint64_t)p->nx * (4 * (uint64_t)p->rows + 1));
}

static void columns_kernel(struct htmt_kernel *k)
{
    const struct plasma *p = plasma_of(k);
    double *turned = htmt_used(k, 0);
    for (uint32_t x = 0; x < p->columns; x++)
        smooth(turned + x, p->ny, p->columns);
    htmt_count(k, HTMT_FLOP, 4 * (uint64_t)p->columns * p->ny);
}

static void push_kernel(struct htmt_kernel *k)
{
    const struct plasma *p = plasma_of(k);
    struct crowd *crowd = htmt_bytes(k, 0);
    const double *field = htmt_bytes(k, 1);
    double *energy = htmt_bytes(k, 2), first = (double)htmt_kernel_slice(k) * p->rows, sum = 0;
    for (uint64_t i = 0; i < crowd->count; i++) {
        struct pic_particle *q = &crowd->particle[i];
        const double *cell = field + (uint64_t)(q->y - first) * p->nx + (uint64_t)q->x;
        q->vy += p->dt * (cell[p->nx] - cell[0]);
        q->x = fmod(q->x + p->dt * q->vx + p->nx, p->nx);
        q->y += p->dt * q->vy;
        sum += (q->vx * q->vx + q->vy * q->vy) / 2;
    }
    *energy = sum;
    htmt_count(k, HTMT_FLOP, 15 * crowd->count);
}

/* Those that stay close ranks; the others are packed for the neighbours and made periodic. */
static void sort_kernel(struct htmt_kernel *k)
{
    const struct plasma *p = plasma_of(k);
    struct crowd *crowd = htmt_used(k, 0);
    struct pic_particle *up = htmt_used(k, 1), *down = htmt_used(k, 2);
    struct leavers *left = htmt_kernel_result(k);
    double first = (double)htmt_kernel_slice(k) * p->rows;
    uint64_t stay = 0, count = crowd->count;
    *left = (struct leavers){0, 0};
    for (uint64_t i = 0; i < count; i++) {
        struct pic_particle q = crowd->particle[i];
        double y = q.y;
        q.y = fmod(y + p->ny, p->ny);
        if (y < first)
            down[left->down++] = q;
        else if (y >= first + p->rows)
            up[left->up++] = q;
        else
            crowd->particle[stay++] = q;
    }
    crowd->count = stay;
    htmt_count(k, HTMT_LOAD, sizeof(struct pic_particle) / HTMT_WORD * count);
}

static void take_kernel(struct htmt_kernel *k)
{
    struct crowd *crowd = htmt_used(k, 0);
    uint64_t bytes = htmt_used_size(k, 1); /* 0: nobody came */
    if (bytes)
        memcpy(crowd->particle + crowd->count, htmt_used(k, 1), bytes);
    crowd->count += bytes / sizeof *crowd->particle;
    htmt_count(k, HTMT_STORE, bytes / HTMT_WORD);
}

/* The coordinator's first fiber, and again in every step. Charge that fell beyond the last row
 * belongs to the next slice. */
static void deposit(struct htmt_context *c)
{
    const struct plasma *p = ((struct coordinator *)htmt_args(c))->p;
    uint32_t slice = htmt_slice(c), next = (slice + 1) % p->slices;
    use(c, p->crowd, HTMT_READ);
    use(c, p->charge, HTMT_WRITE);
    htmt_work(c);
    htmt_put(c, &(struct htmt_put){.dst = htmt_at(p->charge_guard, next, 0),
                                   .src = htmt_at(p->charge, slice, 8ul * p->rows * p->nx),
                                   .bytes = 8ul * p->nx,
                                   .on_arrived = slot_of(p, next, ROWS)});
    htmt_signal(c, htmt_slot(c, ROWS));
}

/* Enabled when deposited and the guard row of the slice below has come. Transpose: to each slice
 * its columns of these rows. The row behind them may still be on its way to the slice above. */
static void rows(struct htmt_context *c)
{
    const struct plasma *p = ((struct coordinator *)htmt_args(c))->p;
    uint32_t slice = htmt_slice(c);
    uint64_t width = 8ul * p->columns, tile = width * p->rows;
    use(c, p->charge_guard, HTMT_READ);
    htmt_use(c, htmt_at(p->charge, slice, 0), width * p->slices * p->rows, HTMT_UPDATE);
    htmt_work(c);
    for (uint32_t to = 0; to < p->slices; to++)
        htmt_put(c,
                 &(struct htmt_put){
                     .dst = htmt_at(p->turned, to, tile * slice),
                     .src = htmt_at(p->charge, slice, width * to),
                     .src_pieces = {.bytes = width, .count = p->rows, .stride = 8 * (int64_t)p->nx},
                     .bytes = tile,
                     .on_arrived = slot_of(p, to, COLUMNS)});
}

/* Enabled when a tile of every slice has come. And back. */
static void columns(struct htmt_context *c)
{
    const struct plasma *p = ((struct coordinator *)htmt_args(c))->p;
    uint32_t slice = htmt_slice(c);
    uint64_t width = 8ul * p->columns, tile = width * p->rows;
    use(c, p->turned, HTMT_UPDATE);
    htmt_work(c);
    for (uint32_t to = 0; to < p->slices; to++)
        htmt_put(c,
                 &(struct htmt_put){
                     .dst = htmt_at(p->field, to, width * slice),
                     .dst_pieces = {.bytes = width, .count = p->rows, .stride = 8 * (int64_t)p->nx},
                     .src = htmt_at(p->turned, slice, tile * to),
                     .bytes = tile,
                     .on_arrived = slot_of(p, to, GUARD)});
}

/* Enabled when the rows of the field are back; the slice below needs the first of them. */
static void guard(struct htmt_context *c)
{
    const struct plasma *p = ((struct coordinator *)htmt_args(c))->p;
    uint32_t slice = htmt_slice(c), below = (slice + p->slices - 1) % p->slices;
    htmt_put(c, &(struct htmt_put){.dst = htmt_at(p->field, below, 8ul * p->rows * p->nx),
                                   .src = htmt_at(p->field, slice, 0),
                                   .bytes = 8ul * p->nx,
                                   .on_arrived = slot_of(p, below, PUSH)});
    htmt_signal(c, htmt_slot(c, PUSH));
}

/* The parcel that goes up to the SPELL: particles with their field. */
static void push(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    const struct plasma *p = d->p;
    uint32_t slice = htmt_slice(c);
    struct htmt_addr crowd = htmt_at(p->crowd, slice, 0);
    struct htmt_region r[] = {
        {.from = crowd,
         .to = crowd,
         .bytes = sizeof(struct crowd) + d->count * sizeof(struct pic_particle)},
        {.from = htmt_at(p->field, slice, 0), .bytes = 8ul * (p->rows + 1) * p->nx},
        {.to = htmt_at(p->energy, slice, 0), .bytes = 8}};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->push,
                                             .slice = slice,
                                             .regions = r,
                                             .region_count = 3,
                                             .args = d,
                                             .on_done = htmt_slot(c, SORT)},
                  NULL);
}

/* Enabled when the particles are back in DRAM. */
static void sort(struct htmt_context *c)
{
    const struct plasma *p = ((struct coordinator *)htmt_args(c))->p;
    use(c, p->crowd, HTMT_UPDATE);
    use(c, p->up, HTMT_WRITE);
    use(c, p->down, HTMT_WRITE);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, LEAVE));
}

/* Steered by what the sorting kernel found. A model run lets nobody leave. */
static void leave(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    const struct plasma *p = d->p;
    uint32_t slice = htmt_slice(c), above = (slice + 1) % p->slices;
    uint32_t below = (slice + p->slices - 1) % p->slices;
    const struct leavers none = {0, 0}, *left = htmt_is_model(c) ? &none : htmt_result(c);
    htmt_send(c, p->mail[above], htmt_at(p->up, slice, 0), left->up, htmt_slot(c, TAKE),
              slot_of(p, above, TAKE));
    htmt_send(c, p->mail[below], htmt_at(p->down, slice, 0), left->down, htmt_slot(c, TAKE),
              slot_of(p, below, TAKE));
    d->count -= left->up + left->down;
}

/* Enabled when both own sendings have left and both neighbours' have come. */
static void take(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    const struct plasma *p = d->p;
    uint32_t slice = htmt_slice(c);
    use(c, p->crowd, HTMT_UPDATE);
    d->count += htmt_take(c, p->mail[slice]);
    htmt_work(c);
    htmt_allreduce(c, p->sum, htmt_slot(c, NEXT));
}

/* Every slice has the energy of all: so their step is over, too. */
static void next(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    if (++d->step == d->p->steps)
        htmt_retire(c, htmt_self(c));
    else
        htmt_signal(c, htmt_slot(c, DEPOSIT));
}

static void sum_doubles(void *into, const void *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes / 8; i++)
        ((double *)into)[i] += ((const double *)from)[i];
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int types(struct htmt_emulator *e, struct plasma *p)
{
    const uint32_t all = p->slices;
    const struct htmt_stage fibers[FIBERS] = {
        [ROWS - 1] = {.kernel = rows_kernel, .control = rows, .count = 2, .reset = 2},
        [COLUMNS - 1] = {.kernel = columns_kernel, .control = columns, .count = all, .reset = all},
        [GUARD - 1] = {.control = guard, .count = all, .reset = all},
        [PUSH - 1] = {.control = push, .count = 2, .reset = 2},
        [SORT - 1] = {.kernel = sort_kernel, .control = sort, .count = 1, .reset = 1},
        [LEAVE - 1] = {.control = leave, .steered = true, .count = 1, .reset = 1},
        [TAKE - 1] = {.kernel = take_kernel, .control = take, .count = 4, .reset = 4},
        [NEXT - 1] = {.control = next, .count = 1, .reset = 1},
        [DEPOSIT - 1] = {.kernel = deposit_kernel, .control = deposit, .count = 1, .reset = 1}};
    int rc = htmt_type_create(
        e,
        &(struct htmt_type_desc){.name = "desk",
                                 .home = "dram",
                                 .exec = "dram",
                                 .execute = {.kernel = deposit_kernel, .control = deposit},
                                 .footprint = HTMT_RESIDENT,
                                 .fibers = fibers,
                                 .fiber_count = FIBERS,
                                 .args_bytes = sizeof(struct coordinator),
                                 .result_bytes = sizeof(struct leavers)},
        &p->coordinator);
    return rc ? rc
              : htmt_type_create(e,
                                 &(struct htmt_type_desc){.name = "push",
                                                          .home = "dram",
                                                          .exec = "cram",
                                                          .execute = {.kernel = push_kernel},
                                                          .args_bytes = sizeof(struct coordinator)},
                                 &p->push);
}

static int frames(struct htmt_emulator *e, struct plasma *p)
{
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    uint64_t particles = p->room * sizeof(struct pic_particle), row = 8ul * p->nx;
    const struct {
        struct htmt_frame **frame;
        uint64_t bytes;
        const char *name;
    } f[] = {{&p->crowd, sizeof(struct crowd) + particles, "particles"},
             {&p->up, particles, "leaving up"},
             {&p->down, particles, "leaving down"},
             {&p->charge, row * (p->rows + 1), "charge"},
             {&p->charge_guard, row, "charge guard"},
             {&p->turned, row * p->rows, "columns"},
             {&p->field, row * (p->rows + 1), "field"},
             {&p->energy, 8, "energy"}};
    int rc = 0;
    for (uint32_t i = 0; i < sizeof f / sizeof *f && !rc; i++)
        rc = htmt_frame_create(e, dram, f[i].bytes, f[i].name, f[i].frame);
    for (uint32_t i = 0; i < p->slices && !rc; i++)
        rc = htmt_mailbox_create(e, i, dram, sizeof(struct pic_particle), p->room, "mail",
                                 &p->mail[i]);
    return rc;
}

static int sum(struct htmt_emulator *e, struct plasma *p)
{
    return htmt_allreduce_create(e,
                                 &(struct htmt_allreduce_desc){.frame = p->energy,
                                                               .bytes = 8,
                                                               .combine = sum_doubles,
                                                               .ops = {{[HTMT_FLOP] = 1}},
                                                               .name = "energy"},
                                 &p->sum);
}

static int roots(struct htmt_emulator *e, struct plasma *p, const struct pic_problem *problem)
{
    uint64_t count[SKETCH_SLICES] = {0};
    int rc = 0;
    for (uint64_t i = 0; i < problem->count; i++) {
        uint32_t slice = (uint32_t)(problem->particle[i].y / p->rows);
        struct crowd *crowd = htmt_object_bytes(htmt_at(p->crowd, slice, 0).object);
        if (crowd)
            crowd->particle[crowd->count++] = problem->particle[i];
        count[slice]++;
    }
    for (uint32_t i = 0; i < p->slices && !rc; i++)
        rc = htmt_assemble(
            htmt_root(e),
            &(struct htmt_parcel_desc){.type = p->coordinator,
                                       .slice = i,
                                       .args = &(struct coordinator){.p = p, .count = count[i]}},
            &p->at[i]);
    return rc;
}

static void copy_out(const struct plasma *p, struct pic_problem *problem)
{
    const double *energy = htmt_object_bytes(htmt_at(p->energy, 0, 0).object);
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->slices; i++) {
        const struct crowd *crowd = htmt_object_bytes(htmt_at(p->crowd, i, 0).object);
        for (uint64_t n = 0; crowd && n < crowd->count && count < problem->count; n++)
            problem->particle[count++] = crowd->particle[n];
    }
    problem->count = energy ? count : problem->count;
    problem->energy = energy ? *energy : 0;
}

int pic_sketch(struct htmt_emulator *e, struct pic_problem *problem)
{
    struct plasma p = {.slices = htmt_emulator_slices(e),
                       .nx = problem->nx,
                       .ny = problem->ny,
                       .steps = problem->steps,
                       .dt = problem->dt,
                       .room = problem->count};
    if (p.slices > SKETCH_SLICES || p.nx % p.slices || p.ny % p.slices)
        return HTMT_EINVAL;
    p.rows = p.ny / p.slices;
    p.columns = p.nx / p.slices;
    int rc = types(e, &p);
    rc = rc ? rc : frames(e, &p);
    rc = rc ? rc : sum(e, &p);
    rc = rc ? rc : roots(e, &p, problem);
    rc = rc ? rc : htmt_emulator_run(e);
    if (!rc)
        copy_out(&p, problem);
    return rc;
}
