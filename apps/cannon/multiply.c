/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Block Multiply: what the SPELL of a slice does, and the systolic exchange of subblocks.
 *
 * On an s x s grid, a block product multiplies s pairs of subblocks on each SPELL. Cannon's
 * arrangement gives SPELL (i, j) the subblocks A(i, i + j) and B(i + j, j) at first, and after each
 * step all of A moves one to the left and all of B one up (mod s). So in step n SPELL (i, j) has
 * A(i, i + j + n) and B(i + j + n, j), whose inner indices agree, and after s steps it has summed
 * over all of them. For s = 2, SPELL (0, 1) first multiplies A01 B11, then gets A00 from the right
 * (around the edge) and B01 from below, and has C01 = A01 B11 + A00 B01. Each SPELL keeps three
 * subblocks of A and three of B, and no memory holds a whole row or column.
 *
 * The data of step n lie in buffers n % 3. While step n computes, they move on: A to buffer
 * (n + 1) % 3 of the left neighbour, B to that of the upper one, there to be the data of step n
 * + 1. The first step of a block product has its data from SRAM instead, and the last sends
 * nothing.
 *
 * When may a neighbour's buffer be written? The one that takes the data of step n + 1 held those
 * of step n - 2, so it is free when the neighbour begins its step n - 1: then step n - 2 is
 * computed and its puts have been sent. In that moment the neighbour signals (a credit of one word
 * over the exchange network) the two who send to it. The credit that step n needs is therefore
 * under way for all of step n - 1 and costs no time unless a step is shorter than that word. With
 * two buffers it would cost its time in every step. The pair of a block product is asked for at the
 * same point, so it has two steps to hide behind.
 *
 * Step n waits for: the step before, in which C was updated; its data; its own puts of the step
 * before; the credits for its own puts. All of these count down the slot of buffer n % 3, armed
 * for step n at the start of step n - 3. No signal for it can come before that: a put of a
 * neighbour's step n - 1 follows the credit that was given at the start of step n - 2 here; and a
 * neighbour gives credit at the start of its step n - 1, which takes data that left here in step
 * n - 2, or, as the first of a block product, follows a step that took data that left in n - 3.
 *
 *     step of a block product    first    middle    last
 *     step before                1        1         1
 *     data that arrive           1 pair   2 puts    2 puts
 *     puts of the step before    -        2         2
 *     credits                    2        2         -
 *
 * s = 1: no neighbours, every step is a block product. On a grid that is not square, subblocks come
 * another way (panels.c), in steps that are the same otherwise.
 */
#include "apps/cannon/grid.h"
#include "apps/lib/iterations.h"

#include <cblas.h>

struct activation {
    const htmt__cannon *p;
    struct htmt__cannon_site *here;
    bool fresh; /* the step that runs begins a subblock of C: what is there does not count */
    struct htmt_ref pair[HTMT__CANNON_BUFFERS]; /* asked for, by buffer */
};

/* ---- order of the work ---------------------------------------------------------------------- */

static uint32_t buffer_after(uint32_t buffer)
{
    return buffer + 1 < HTMT__CANNON_BUFFERS ? buffer + 1 : 0;
}

/* The fiber of the step whose data lie in the buffer. */
static uint32_t fiber_of(uint32_t buffer)
{
    return HTMT__STEP + buffer;
}

static uint64_t total(const htmt__cannon *p)
{
    return p->products * p->steps;
}

/* Round of the step that is `later` after one of that round. */
static uint64_t round_after(const htmt__cannon *p, uint64_t round, uint64_t later)
{
    round += later;
    return round < p->plan.s ? round : round % p->plan.s;
}

/* Whether a step of that round sends its data on. */
static bool sends(const htmt__cannon *p, uint64_t round)
{
    return round < p->sending;
}

/* C of the step continues that of an earlier product. */
static bool resumes(const htmt__cannon *p, uint64_t step)
{
    return htmt__cannon_product(p, step / p->steps).inner != 0;
}

static uint32_t neighbour(const htmt__cannon *p, uint32_t slice, uint32_t down, uint32_t right)
{
    uint32_t s = (uint32_t)p->plan.s;
    return (slice / s + down) % s * s + (slice % s + right) % s;
}

/* Signals that a step of that round waits for, as in the table above; the first of all gets no
 * credits. */
static uint32_t expected(const htmt__cannon *p, uint64_t round, bool first)
{
    uint32_t before = 1, credits = sends(p, round) && !first ? 2 : 0;
    uint32_t data = round ? 2 + 2 : 1;
    return before + data + credits;
}

/* Signals before product `number` may begin: its two bundles; C of the product before has left;
 * and if that was the last of its sum, the bundle of C has gone down. */
static uint32_t product_expected(const htmt__cannon *p, uint64_t number)
{
    return number ? 3 + (htmt__cannon_product(p, number).inner == 0) : 2;
}

/* A slot of this SPELL. */
static struct htmt_slot own(const struct activation *m, uint32_t fiber)
{
    return htmt__cannon_spell(m->p, m->here->slice, fiber);
}

/* ---- subblocks in and out ------------------------------------------------------------------- */

/* The pair of a block product's first step, out of the bundles. It tells when it is here, and is
 * let go when the step begins. */
static void inject(struct htmt_context *c, struct activation *m, uint64_t step)
{
    const htmt__cannon *p = m->p;
    uint32_t x = (uint32_t)(step % HTMT__CANNON_BUFFERS);
    if (p->panels) {
        htmt__cannon_panel_ask(c, p, m->here, step);
        return;
    }
    uint64_t at[2];
    htmt__cannon_in_bundle(p, step, at);
    struct htmt_region r[2] = {{.bytes = p->bytes[HTMT__A]}, {.bytes = p->bytes[HTMT__B]}};
    for (uint32_t i = 0; i < 2; i++) {
        r[i].from = htmt_at(p->bundle[i], m->here->slice, at[i] * p->bytes[i]);
        r[i].into = m->here->buffer[i][x];
    }
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = p->pair,
                                             .slice = m->here->slice,
                                             .regions = r,
                                             .region_count = 2,
                                             .on_ready = own(m, fiber_of(x))},
                  &m->pair[x]);
}

/* The place in the bundle of C of the subblock that the step adds to. */
static struct htmt_addr sum_in_bundle(const struct activation *m,
                                      const struct htmt__cannon_place *at)
{
    const htmt__cannon *p = m->p;
    return htmt_at(p->bundle[HTMT__C], m->here->slice,
                   at->in_product / p->sum_steps * p->bytes[HTMT__C]);
}

/* ---- a step --------------------------------------------------------------------------------- */

static void multiply_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__cannon_block_ops(&((const struct activation *)args)->p->plan);
}

#ifdef HTMT_RECORDED
/* A library cannot be recorded: row i of C and element k of row i of A meet row k of B. */
static inline void multiply(const double *a, const double *b, double *c, uint64_t rows,
                            uint64_t inner, uint64_t cols, bool fresh)
{
    for (uint64_t i = 0; i < rows && fresh; i++)
        for (uint64_t j = 0; j < cols; j++)
            c[i * cols + j] = 0;
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t k = 0; k < inner; k++) {
            const double x = a[i * inner + k];
            for (uint64_t j = 0; j < cols; j++)
                c[i * cols + j] += x * b[k * cols + j];
        }
}
#else
static inline void multiply(const double *a, const double *b, double *c, uint64_t rows,
                            uint64_t inner, uint64_t cols, bool fresh)
{
    const int m = (int)rows, k = (int)inner, n = (int)cols;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, fresh ? 0 : 1, c,
                n);
}
#endif

/* C = A B + C, or A B when C is fresh, of square subblocks, row after row; on one thread. Recorded
 * operations are timed one by one, so squares have a kernel without the sizes of others. */
static void square_kernel(struct htmt_kernel *k)
{
    const struct activation *m = htmt_kernel_args(k);
    htmt_constants(k, m->p, sizeof *m->p);
    uint64_t side = m->p->plan.b_c;
    multiply(htmt_used(k, 0), htmt_used(k, 1), htmt_used(k, 2), side, side, side, m->fresh);
    if (!m->p->plan.charges.from_file)
        htmt_count(k, HTMT_FLOP, 2 * side * side * side);
}

void htmt__cannon_block_product(struct htmt_kernel *k, const struct htmt__cannon_plan *plan,
                                bool fresh)
{
    const struct htmt__cannon_extent *of = plan->of;
    const uint64_t rows = of[HTMT__CANNON_M].b, inner = of[HTMT__CANNON_K].b,
                   cols = of[HTMT__CANNON_N].b;
    multiply(htmt_used(k, 0), htmt_used(k, 1), htmt_used(k, 2), rows, inner, cols, fresh);
    if (!plan->charges.from_file)
        htmt_count(k, HTMT_FLOP, 2 * rows * inner * cols);
}

static void rectangle_kernel(struct htmt_kernel *k)
{
    const struct activation *m = htmt_kernel_args(k);
    htmt_constants(k, m->p, sizeof *m->p);
    htmt__cannon_block_product(k, &m->p->plan, m->fresh);
}

/* At the start of step n: the buffers of step n - 1 will take the data of step n + 2. */
static void make_room(struct htmt_context *c, struct activation *m,
                      const struct htmt__cannon_place *at)
{
    const htmt__cannon *p = m->p;
    const struct htmt__cannon_site *here = m->here;
    uint32_t fiber = fiber_of(buffer_after(at->buffer));
    if (at->step + 2 >= total(p))
        return;
    if (p->panels) {
        htmt__cannon_panel_credit(c, p, here, at->step + 2);
        if (at->in_product + 2 < p->steps)
            inject(c, m, at->step + 2);
    } else if (round_after(p, at->round, 2)) {
        htmt_signal(c, htmt__cannon_spell(p, here->right, fiber));
        htmt_signal(c, htmt__cannon_spell(p, here->down, fiber));
    } else if (!p->paper && at->in_product + 2 < p->steps) {
        inject(c, m, at->step + 2);
    }
}

/* After the last step of a subblock of C: it goes to SRAM. What follows waits until it has left;
 * where a later product resumes the sum, until it is there, since nothing else orders the two. */
static void finish_sum(struct htmt_context *c, const struct activation *m,
                       const struct htmt__cannon_place *at)
{
    const htmt__cannon *p = m->p;
    bool ends_product = at->in_product + 1 == p->steps, ends_all = at->step + 1 == total(p);
    bool last =
        htmt__cannon_product(p, at->step / p->steps).inner + 1 == p->plan.of[HTMT__CANNON_K].q;
    struct htmt_put put = {
        .src = m->here->sum, .dst = sum_in_bundle(m, at), .bytes = p->bytes[HTMT__C]};
    if (!ends_all)
        *(last ? &put.on_sent : &put.on_arrived) =
            own(m, ends_product ? HTMT__NEXT_PRODUCT : HTMT__NEXT_BLOCK);
    if (ends_product && last)
        put.on_arrived = htmt__cannon_dram(p, m->here->slice, HTMT__BUNDLE_DOWN);
    htmt_put(c, &put);
    if (ends_all)
        htmt_retire(c, htmt_self(c));
}

static void step(struct htmt_context *c)
{
    struct activation *m = htmt_args(c);
    const htmt__cannon *p = m->p;
    struct htmt__cannon_site *here = m->here;
    const struct htmt__cannon_place at = here->next;
    uint64_t round = at.round + 1, in_sum = at.in_sum + 1, in_product = at.in_product + 1;
    here->next = (struct htmt__cannon_place){.step = at.step + 1,
                                             .round = round < p->plan.s ? round : 0,
                                             .in_sum = in_sum < p->sum_steps ? in_sum : 0,
                                             .in_product = in_product < p->steps ? in_product : 0,
                                             .buffer = buffer_after(at.buffer)};
    if (p->named && !at.round)
        htmt__iteration(c, "block product", at.step / p->plan.s, total(p) / p->plan.s);
    m->fresh = at.in_sum == 0 && !resumes(p, at.step);
    uint64_t armed = round_after(p, at.round, HTMT__CANNON_BUFFERS);
    htmt_slot_set(c, fiber_of(at.buffer),
                  p->panels
                      ? htmt__cannon_panel_expected(p, here->slice, at.step + HTMT__CANNON_BUFFERS)
                      : expected(p, armed, false),
                  0);
    htmt_use(c, here->buffer[HTMT__A][at.buffer], p->bytes[HTMT__A], HTMT_READ);
    htmt_use(c, here->buffer[HTMT__B][at.buffer], p->bytes[HTMT__B], HTMT_READ);
    htmt_use(c, here->sum, p->bytes[HTMT__C], m->fresh ? HTMT_WRITE : HTMT_UPDATE);
    if (!at.round && !p->panels)
        htmt_execute(c, m->pair[at.buffer]);
    if (sends(p, at.round)) {
        htmt_put(c, &here->send[HTMT__A][at.buffer]);
        htmt_put(c, &here->send[HTMT__B][at.buffer]);
    }
    make_room(c, m, &at);
    /* The last pair of a product, or panel, is in CRAM: SRAM can take the bundles of the next. */
    if (at.in_product == p->steps - p->left && at.step + p->left < total(p))
        htmt_signal(c, htmt__cannon_dram(p, here->slice, HTMT__BUNDLE_UP));
    htmt_work(c);
    if (in_sum == p->sum_steps) {
        finish_sum(c, m, &at);
        return;
    }
    htmt_signal(c, own(m, fiber_of(here->next.buffer)));
    if (p->paper && here->next.round == 0)
        inject(c, m, here->next.step);
}

/* ---- between blocks of C, and products ------------------------------------------------------ */

/* The next subblock of C begins at once, or when what was summed of it is back from SRAM. */
static void begin_sum(struct htmt_context *c, const struct activation *m)
{
    const struct htmt__cannon_place *next = &m->here->next;
    struct htmt_slot slot = own(m, fiber_of(next->buffer));
    if (resumes(m->p, next->step))
        htmt_put(c, &(struct htmt_put){.src = sum_in_bundle(m, next),
                                       .dst = m->here->sum,
                                       .bytes = m->p->bytes[HTMT__C],
                                       .on_arrived = slot});
    else
        htmt_signal(c, slot);
}

static void send_panel(struct htmt_context *c)
{
    const struct activation *m = htmt_args(c);
    htmt__cannon_panel_send(c, m->p, m->here);
}

/* C has left. */
static void next_block(struct htmt_context *c)
{
    struct activation *m = htmt_args(c);
    if (m->p->paper)
        inject(c, m, m->here->next.step);
    begin_sum(c, m);
}

static void next_product(struct htmt_context *c)
{
    struct activation *m = htmt_args(c);
    const htmt__cannon *p = m->p;
    uint64_t step = m->here->next.step;
    htmt_slot_set(c, HTMT__NEXT_PRODUCT, product_expected(p, step / p->steps + 1), 0);
    inject(c, m, step);
    if ((p->plan.s == 1 || p->panels) && !p->paper && p->steps > 1)
        inject(c, m, step + 1);
    begin_sum(c, m);
}

static void start(struct htmt_context *c)
{
    const struct activation *m = htmt_args(c);
    if (m->p->panels)
        htmt__cannon_panel_start(c, m->p, m->here->slice);
    for (uint32_t n = 0; n < HTMT__CANNON_BUFFERS && !m->p->panels; n++)
        htmt_slot_set(c, fiber_of(n), expected(m->p, round_after(m->p, 0, n), n == 0), 0);
    htmt_slot_set(c, HTMT__NEXT_BLOCK, 1, 1);
    htmt_slot_set(c, HTMT__NEXT_PRODUCT, product_expected(m->p, 0), 0);
}

/* ---- set-up --------------------------------------------------------------------------------- */

int htmt__cannon_multiply_types(htmt__cannon *p)
{
    const struct htmt_machine *m = htmt_emulator_machine(p->e);
    const char *inner = m->layer[p->plan.inner].name;
    const struct htmt_type_desc pair = {.name = "Subblock Pair",
                                        .home = m->layer[p->plan.middle].name,
                                        .exec = inner,
                                        .gates = HTMT_GATE(HTMT_EXECUTE),
                                        .departures = HTMT_DEPARTS_RESIDENT,
                                        .in_place = true};
    struct htmt_stage fibers[HTMT__PANEL_FIBERS];
    const bool square = htmt__cannon_is_square(&p->plan);
    for (uint32_t x = 0; x < HTMT__CANNON_BUFFERS; x++)
        fibers[HTMT__STEP - 1 + x] =
            (struct htmt_stage){.kernel = square ? square_kernel : rectangle_kernel,
                                .cost = multiply_cost,
                                .control = step,
                                .constant = true};
    fibers[HTMT__NEXT_BLOCK - 1] = (struct htmt_stage){.control = next_block};
    fibers[HTMT__NEXT_PRODUCT - 1] = (struct htmt_stage){.control = next_product};
    for (uint32_t n = HTMT__PANEL; n <= HTMT__PANEL_FIBERS; n++)
        fibers[n - 1] = (struct htmt_stage){.control = send_panel};
    static const char *const names[HTMT__PANEL_FIBERS] = {[HTMT__STEP - 1] = "step in buffer 0",
                                                          [HTMT__STEP] = "step in buffer 1",
                                                          [HTMT__STEP + 1] = "step in buffer 2",
                                                          [HTMT__NEXT_BLOCK - 1] = "next block",
                                                          [HTMT__NEXT_PRODUCT - 1] =
                                                              "next product"};
    const struct htmt_type_desc multiply = {
        .size = sizeof multiply,
        .name = "Block Multiply",
        .home = inner,
        .exec = inner,
        .execute = {.control = start},
        .footprint = HTMT_RESIDENT,
        .fibers = fibers,
        .fiber_count = p->panels ? HTMT__PANEL_FIBERS : HTMT__SPELL_FIBERS,
        .fiber_names = names,
        .gates = HTMT_GATE(HTMT_RETIRE),
        .departures = HTMT_DEPARTS_RESIDENT | HTMT_DEPARTS_OPEN | HTMT_DEPARTS_EXCHANGE,
        .args_bytes = sizeof(struct activation)};
    int rc = p->panels ? 0 : htmt_type_create(p->e, &pair, &p->pair);
    return rc ? rc : htmt_type_create(p->e, &multiply, &p->multiply);
}

/* Puts out of each buffer, to the buffer of the next step there, whose number is the same as here.
 */
void htmt__cannon_multiply_join(htmt__cannon *p, uint32_t slice)
{
    const uint32_t s = (uint32_t)p->plan.s;
    if (p->panels)
        return;
    const uint32_t to[2] = {
        [HTMT__A] = neighbour(p, slice, 0, s - 1), [HTMT__B] = neighbour(p, slice, s - 1, 0)};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t x = 0; x < HTMT__CANNON_BUFFERS; x++) {
            uint32_t next = buffer_after(x), fiber = fiber_of(next);
            p->site[slice].send[i][x] =
                (struct htmt_put){.src = p->site[slice].buffer[i][x],
                                  .dst = htmt_at(p->buffer[i][next], to[i], 0),
                                  .bytes = p->bytes[i],
                                  .on_sent = htmt__cannon_spell(p, slice, fiber),
                                  .on_arrived = htmt__cannon_spell(p, to[i], fiber),
                                  .handover = true};
        }
}

int htmt__cannon_multiply_start(htmt__cannon *p, uint32_t slice)
{
    struct htmt__cannon_site *here = &p->site[slice];
    struct activation m = {.p = p, .here = here};
    here->slice = slice;
    here->right = neighbour(p, slice, 0, 1);
    here->down = neighbour(p, slice, 1, 0);
    here->sum = htmt_at(p->sum, slice, 0);
    for (uint32_t x = 0; x < HTMT__CANNON_BUFFERS; x++)
        for (uint32_t i = 0; i < 2; i++)
            here->buffer[i][x] = htmt_at(p->buffer[i][x], slice, 0);
    return htmt_assemble(
        htmt_root(p->e),
        &(struct htmt_parcel_desc){.type = p->multiply, .slice = slice, .args = &m},
        &p->spell[slice]);
}
