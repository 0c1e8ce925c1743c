/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply by messages.
 *
 * Node (i, j) of s x s has a block of each matrix: A(i, j), B(i, j) and, at the end, C(i, j). C(i,
 * j) is the sum over k of A(i, k) B(k, j), so in step n the node multiplies A(i, i + j + n) and B(i
 * + j + n, j) (mod s), whose inner indices agree; all nodes of a row then use another block of A,
 * and each block is in one node at a time. (multiply.c tells the same of subblocks in CRAM.)
 *
 *     skew    A(i, j) goes to node (i, j - i), B(i, j) to (i - j, j): step 0 has its blocks
 *     step n  multiply; A goes to the left neighbour, B to the upper one, for step n + 1
 *     barrier behind the skew and each step but the last, which sends nothing
 *
 * By hand, s = 2: node (0, 1) has A01 and B01. The skew leaves A01 where it is and brings B11 from
 * node (1, 1): it multiplies A01 B11. The shift brings A00 from the right (around the edge) and B01
 * from below: C01 = A01 B11 + A00 B01.
 *
 * A node keeps its blocks of A and B as they were, and has two buffers for each: step n multiplies
 * out of buffer n % 2, and what arrives for step n + 1 goes to the other one. That one is free:
 * step n - 1, which multiplied and sent out of it, is over everywhere behind its barrier. Blocks
 * that are stored skewed are used and sent from where they lie in step 0. So a node holds 3 blocks,
 * 5 with one shift, 7 with more.
 *
 * What it takes. With c for the product of two blocks, x for a shift of 2 b^2 words from the first
 * start-up to the last word there, and s - 1 shifts:
 *
 *     overlapped   (s - 1) (max(c, x) + barrier) + c     puts leave when the product begins
 *     in turn      s c + (s - 1) (x + barrier)           puts leave when it has ended
 *
 * and the skew before, which is a shift and its barrier: the node with most to send has both blocks
 * to send. A barrier has no words; with latency and start-up 0 it takes no time
 * (apps/peers/peers.c). All nodes do the same at the same time, so that is what the clock says, to
 * the femtosecond, where messages of different nodes do not meet inside the network.
 */
#include "apps/cannon/mpp.h"

#include "apps/cannon/grid.h"
#include "apps/lib/iterations.h"
#include "apps/lib/term_tree.h"
#include "apps/peers/peers.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct htmt__cannon_plan plan;
typedef struct htmt__cannon_mpp mpp;

/* ---- plan ----------------------------------------------------------------------------------- */

static uint64_t side_of(uint32_t slices)
{
    uint64_t side = 1;
    while ((side + 1) * (side + 1) <= slices)
        side++;
    return side;
}

/* Whether blocks lie elsewhere than step 0 wants them. */
static bool has_skew(const plan *p, const mpp *how)
{
    return p->s > 1 && !how->skewed;
}

/* Buffers of A, and of B. */
static unsigned buffers_of(const plan *p, const mpp *how)
{
    const uint64_t needed = p->s - 1 + has_skew(p, how);
    return needed < 2 ? (unsigned)needed : 2;
}

int htmt__cannon_mpp_plan(const struct htmt_machine *m, const struct htmt__cannon_problem *problem,
                          const mpp *how, plan *out, struct htmt_fault *fault)
{
    plan p = {.problem = *problem, .charges = HTMT__CANNON_OWN_CHARGES, .s = side_of(m->slices)};
    const struct htmt__peer_place place = htmt__peer_place(m);
    const uint64_t longest = htmt__cannon_longest(problem);
    if (!problem->rows || !problem->inner || !problem->cols || longest > UINT64_C(1) << 31)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "found a product of %" PRIu64 " x %" PRIu64 " x %" PRIu64
                              ", expected sizes from 1 to %" PRIu64,
                              problem->rows, problem->inner, problem->cols, UINT64_C(1) << 31);
    if (p.s * p.s != m->slices)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found %" PRIu32 " nodes, expected a square number, for instance "
                              "%" PRIu64 ": Cannon's shifts go round a square",
                              m->slices, p.s * p.s);
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++) {
        const uint64_t n = htmt__cannon_length(problem, (enum htmt__cannon_dimension)d);
        p.of[d] = (struct htmt__cannon_extent){1, 1, p.s, htmt_ceil_div(n, p.s)};
    }
    p.q = p.t = p.t_most = 1;
    p.b_c = p.b_c_most = htmt_ceil_div(longest, p.s);
    p.dimension = p.b_c * p.s;
    p.inner = p.middle = p.outer = p.home = place.layer;
    p.exchange = p.up = p.down = place.network;
    p.inner_words = buffers_of(&p, how) *
                        (htmt__cannon_subblock(&p, HTMT__A) + htmt__cannon_subblock(&p, HTMT__B)) +
                    (p.s > 1);
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        p.home_words += htmt__cannon_subblock(&p, i);
    *out = p;
    return 0;
}

uint64_t htmt__cannon_mpp_words(const plan *p)
{
    return p->home_words + p->inner_words;
}

int htmt__cannon_mpp_fits(const struct htmt_machine *m, const plan *p, struct htmt_fault *fault)
{
    const uint64_t words = htmt__cannon_mpp_words(p), room = htmt_machine_room(m, p->home);
    if (words <= room)
        return 0;
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%" PRIu64 " x %" PRIu64 " nodes: found blocks of %" PRIu64 " x %" PRIu64
                          " and %" PRIu64 " x %" PRIu64 " that take %" PRIu64
                          " words, expected at most the %" PRIu64 " of a node's memory",
                          p->s, p->s, p->of[0].b, p->of[1].b, p->of[1].b, p->of[2].b, words, room);
}

struct htmt__cannon_spread htmt__cannon_mpp_spread(const plan *p, const mpp *how,
                                                   enum htmt__cannon_operand which)
{
    struct htmt__cannon_spread m = htmt__cannon_program_spread(p, which);
    if (!how->skewed)
        m.which = HTMT__C; /* which is not skewed */
    return m;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Where a block of A (0) or B (1) of a node goes: so many places to the left, or up. */
static uint32_t towards(uint64_t s, uint32_t node, unsigned which, uint64_t places)
{
    const uint64_t i = node / s, j = node % s;
    return (uint32_t)(which == HTMT__A ? i * s + (j + s - places) % s
                                       : (i + s - places) % s * s + j);
}

/* By how many places the skew moves it. */
static uint64_t skew_of(uint64_t s, uint32_t node, unsigned which)
{
    return which == HTMT__A ? node / s : node % s;
}

/* ---- closed form ---------------------------------------------------------------------------- */

static bool shift_sends(const void *user, uint32_t node, uint32_t i, struct htmt__sent *sent)
{
    const plan *p = user;
    if (i < 2)
        *sent = (struct htmt__sent){towards(p->s, node, i, 1), htmt__cannon_subblock(p, i)};
    return i < 2;
}

static bool skew_sends(const void *user, uint32_t node, uint32_t i, struct htmt__sent *sent)
{
    const plan *p = user;
    if (i < 2)
        *sent = (struct htmt__sent){towards(p->s, node, i, skew_of(p->s, node, i)),
                                    htmt__cannon_subblock(p, i)};
    return i < 2;
}

static const struct htmt_term_row rows[] = {
    HTMT_ROW(0, "s", "T, overlapped", "skew + (s - 1) * (max(c, x) + barrier) + c",
             "all, shifts beside the products"),
    HTMT_ROW(0, "s", "T, in turn", "skew + s * c + (s - 1) * (x + barrier)",
             "all, shifts behind the products"),
    HTMT_ROW(1, "s", "skew", "min(s - 1, 1) * plain * (first places + barrier)",
             "A and B to where step 0 wants them"),
    HTMT_ROW_COMPUTED(2, "s", "first places", "htmt__peers_exchange",
                      "at most two blocks from a node"),
    HTMT_ROW_COMPUTED(1, "s", "c", "htmt_machine_work", "product of two blocks"),
    HTMT_ROW_COMPUTED(1, "s", "x", "htmt__peers_exchange",
                      "shift: a block of A to the left, one of B up"),
    HTMT_ROW_COMPUTED(1, "s", "barrier", "htmt__peers_barrier", "of all nodes, without words"),
    HTMT_ROW(0, "s", "saved by overlap", "'T, in turn' - 'T, overlapped'",
             "what the schedules differ by"),
    HTMT_ROW(0, "flop", "flop", "2 * rows * inner * cols", "of the problem"),
    HTMT_ROW(0, "flop", "flop, padded", "2 * s * b_m * s * b_k * s * b_n",
             "of the multiplied blocks"),
    HTMT_ROW_QUOTIENT("flop/s", "rate, overlapped", "flop / 'T, overlapped'", "of the problem"),
    HTMT_ROW_QUOTIENT("flop/s", "rate, in turn", "flop / 'T, in turn'", "of the problem"),
    HTMT_ROW_QUOTIENT("%", "share of peak, overlapped", "s * c / 'T, overlapped'",
                      "processors that multiply"),
    HTMT_ROW_QUOTIENT("1", "c over x", "c / x", "above 1 shifts hide"),
    HTMT_ROW(0, "words", "words sent", "plain * min(s - 1, 1) * shift + (s - 1) * shift",
             "by a node, at most"),
    HTMT_ROW(1, "words", "shift", "b_m * b_k + b_k * b_n", "2 b^2 of squares"),
    HTMT_ROW(0, "words", "memory", "b_m * b_n + (1 + buffers) * shift + min(s - 1, 1)",
             "data of a node"),
    HTMT_ROW_QUOTIENT("%", "memory use", "memory / capacity", "data"),
    HTMT_ROWS_END};

static int evaluate(const struct htmt_machine *m, const plan *p, const mpp *how,
                    struct htmt_term_tree **out, struct htmt_fault *fault)
{
    const struct htmt__peer_place place = {p->home, p->exchange};
    const struct htmt_ops ops = htmt__cannon_block_ops(p);
    const bool alone = p->s == 1;
    const htmt_time c = htmt_machine_work(m, p->home, &ops),
                    x = alone ? 0 : htmt__peers_exchange(m, place, shift_sends, p),
                    first = has_skew(p, how) ? htmt__peers_exchange(m, place, skew_sends, p) : 0,
                    barrier = alone ? 0 : htmt__peers_barrier(m, place);
    const struct htmt_term_count counts[] = {{"s", p->s},
                                             {"plain", !how->skewed},
                                             {"buffers", buffers_of(p, how)},
                                             {"b_m", p->of[HTMT__CANNON_M].b},
                                             {"b_k", p->of[HTMT__CANNON_K].b},
                                             {"b_n", p->of[HTMT__CANNON_N].b},
                                             {"rows", p->problem.rows},
                                             {"inner", p->problem.inner},
                                             {"cols", p->problem.cols}};
    if (c < 0 || x < 0 || first < 0 || barrier < 0)
        return htmt_fault_set(fault, HTMT_EOVERFLOW, "the time of a step overflows");
    int rc = htmt_term_tree_create(p, out, fault);
    if (rc)
        return rc;
    htmt_term_tree_add(*out, NULL, 0, rows);
    htmt_term_tree_set_counts(*out, counts, sizeof counts / sizeof *counts);
    htmt_term_tree_set(*out, NULL, "capacity", "words",
                       htmt_exact_whole(m->layer[p->home].memory.capacity));
    htmt_term_tree_set_time(*out, NULL, "c", c);
    htmt_term_tree_set_time(*out, NULL, "x", x);
    htmt_term_tree_set_time(*out, NULL, "first places", first);
    htmt_term_tree_set_time(*out, NULL, "barrier", barrier);
    rc = htmt_term_tree_evaluate(*out, fault);
    if (rc)
        htmt_term_tree_destroy(out);
    return rc;
}

int htmt__cannon_mpp_predict(const struct htmt_machine *m, const plan *p, const mpp *how,
                             struct htmt__cannon_mpp_times *times, struct htmt_fault *fault)
{
    struct htmt_term_tree *t;
    int rc = evaluate(m, p, how, &t, fault);
    if (rc)
        return rc;
    *times = (struct htmt__cannon_mpp_times){
        .c = (htmt_time)htmt_term_tree_whole(t, "c"),
        .x = (htmt_time)htmt_term_tree_whole(t, "x"),
        .skew = (htmt_time)htmt_term_tree_whole(t, "skew"),
        .barrier = (htmt_time)htmt_term_tree_whole(t, "barrier"),
        .total = htmt_term_tree_whole(t, how->in_turn ? "T, in turn" : "T, overlapped"),
        .flops = (htmt_uwide)htmt_term_tree_whole(t, "flop")};
    htmt_term_tree_destroy(&t);
    return 0;
}

int htmt__cannon_mpp_tell(const struct htmt_machine *m, const plan *p, const mpp *how,
                          const struct htmt__cannon_mpp_times *times, struct htmt_prediction *out,
                          struct htmt_fault *fault)
{
    struct htmt_term_tree *t;
    const unsigned first = htmt_prediction_count(out);
    int rc = evaluate(m, p, how, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_tell(t, out);
    struct htmt_term *top = htmt_prediction_term_at(out, first);
    snprintf(top->inputs, sizeof top->inputs,
             "s = %" PRIu64 ", b = %" PRIu64 ", %" PRIu64 ", %" PRIu64, p->s, p->of[0].b,
             p->of[1].b, p->of[2].b);
    const double total = 1e-15 * (double)times->total,
                 compute = 1e-15 * (double)((htmt_wide)p->s * times->c);
    htmt_prediction_total_fs(out, times->total);
    htmt_prediction_flops(out, (double)times->flops);
    htmt_prediction_part(out, HTMT_PART_COMPUTE, compute, "s * c");
    htmt_prediction_part(out, HTMT_PART_NETWORK, total - compute, "x");
    htmt_term_tree_destroy(&t);
    return 0;
}

/* ---- program -------------------------------------------------------------------------------- */

enum phase { SKEW, STEP, LAST, PHASES };

struct activation {
    const htmt__cannon *p;
    mpp how;
    bool fresh; /* what is in C does not count */
    uint64_t step;
};

/* Where the data of a step lie. */
static struct htmt_addr data_of(const struct activation *m, uint32_t node, unsigned which,
                                uint64_t step)
{
    return step || has_skew(&m->p->plan, &m->how) ? htmt_at(m->p->buffer[which][step % 2], node, 0)
                                                  : htmt_in(m->p->share[which][node], 0);
}

static void send(struct htmt_context *c, const struct activation *m, struct htmt_slot done,
                 unsigned which, struct htmt_addr from, uint64_t places, uint64_t step)
{
    static const char *const names[] = {"block of A", "block of B"};
    const uint32_t to = towards(m->p->plan.s, htmt_slice(c), which, places);
    struct htmt_put put = htmt_put_init();
    put.src = from;
    put.dst = data_of(m, to, which, step);
    put.bytes = m->p->bytes[which];
    put.on_arrived = htmt_slot_in(done, to);
    put.name = names[which];
    htmt_put(c, &put);
}

static void skew(struct htmt_context *c, struct htmt_slot done)
{
    const struct activation *m = htmt_args(c);
    const uint32_t node = htmt_slice(c);
    if (m->p->named)
        htmt_section(c, "skew");
    for (unsigned i = 0; i < 2; i++)
        send(c, m, done, i, htmt_in(m->p->share[i][node], 0), skew_of(m->p->plan.s, node, i), 0);
}

static void step(struct htmt_context *c, struct htmt_slot done)
{
    struct activation *m = htmt_args(c);
    const htmt__cannon *p = m->p;
    const uint32_t node = htmt_slice(c);
    if (p->named)
        htmt__iteration(c, "step", m->step, p->plan.s);
    m->fresh = !m->step;
    for (unsigned i = 0; i < 2; i++)
        htmt_use(c, data_of(m, node, i, m->step), p->bytes[i], HTMT_READ);
    htmt_use(c, htmt_in(p->share[HTMT__C][node], 0), p->bytes[HTMT__C],
             m->fresh ? HTMT_WRITE : HTMT_UPDATE);
    if (m->how.in_turn)
        htmt_work(c);
    for (unsigned i = 0; i < 2 && m->step + 1 < p->plan.s; i++)
        send(c, m, done, i, data_of(m, node, i, m->step), 1, m->step + 1);
    if (!m->how.in_turn)
        htmt_work(c);
    m->step++;
}

static uint32_t next(struct htmt_context *c, uint32_t over)
{
    const struct activation *m = htmt_args(c);
    return over == LAST ? HTMT__PEERS_END : m->step + 1 < m->p->plan.s ? STEP : LAST;
}

static void product_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__cannon_block_ops(&((const struct activation *)args)->p->plan);
}

static void product_kernel(struct htmt_kernel *k)
{
    const struct activation *m = htmt_kernel_args(k);
    htmt_constants(k, m->p, sizeof *m->p);
    htmt__cannon_block_product(k, &m->p->plan, m->fresh);
}

static int create_objects(htmt__cannon *p, const mpp *how, const struct htmt__cannon_data *data)
{
    static const char *const matrices[] = {"matrix A", "matrix B", "matrix C"};
    static const char *const buffers[] = {"buffer A", "buffer B"};
    int rc = 0;
    for (uint32_t n = 0; n < HTMT__MATRICES * p->slices && !rc; n++) {
        const uint32_t i = n / p->slices, slice = n % p->slices;
        double *at = data->matrix ? data->matrix[i].share[slice] : NULL;
        rc = htmt_object_wrap(p->e, slice, p->plan.home, at, p->bytes[i], p->bytes[i] / HTMT_WORD,
                              matrices[i], &p->share[i][slice]);
    }
    for (unsigned n = 0; n < 2 * buffers_of(&p->plan, how) && !rc; n++) {
        const bool only = buffers_of(&p->plan, how) == 1; /* then it is that of step 1 */
        rc = htmt_frame_create(p->e, p->plan.home, p->bytes[n % 2], buffers[n % 2],
                               &p->buffer[n % 2][only ? 1 : n / 2]);
    }
    return rc;
}

static int create_nodes(htmt__cannon *p, const mpp *how)
{
    const struct htmt__phase phases[PHASES] = {
        [SKEW] = {.name = "skew", .act = skew, .awaited = 2, .barrier = true},
        [STEP] = {.name = "step",
                  .kernel = product_kernel,
                  .cost = product_cost,
                  .constant = true,
                  .act = step,
                  .awaited = 2,
                  .barrier = true},
        [LAST] = {.name = "last step",
                  .kernel = product_kernel,
                  .cost = product_cost,
                  .constant = true,
                  .act = step}};
    const struct activation args = {.p = p, .how = *how};
    const struct htmt__peers_desc d = {.e = p->e,
                                       .type = "Cannon's Node",
                                       .place = {p->plan.home, p->plan.exchange},
                                       .phases = phases,
                                       .count = PHASES,
                                       .first = has_skew(&p->plan, how) ? SKEW
                                                : p->plan.s > 1         ? STEP
                                                                        : LAST,
                                       .next = next,
                                       .args = &args,
                                       .args_bytes = sizeof args};
    return htmt__peers_create(&d, &p->nodes);
}

int htmt__cannon_mpp_create(struct htmt_emulator *e, const plan *of, const mpp *how,
                            const struct htmt__cannon_data *data, htmt__cannon **program,
                            struct htmt_fault *fault)
{
    if (htmt__cannon_spells(of) != htmt_emulator_slices(e))
        return htmt_fault_set(fault, HTMT_EINVAL, "found %u slices, expected %" PRIu32,
                              htmt_emulator_slices(e), htmt__cannon_spells(of));
    htmt__cannon *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    int rc = 0;
    p->e = e;
    p->plan = *of;
    p->slices = htmt__cannon_spells(of);
    p->named = data->named;
    p->c = data->matrix ? &data->matrix[HTMT__C] : NULL;
    for (unsigned i = 0; i < HTMT__MATRICES; i++) {
        p->bytes[i] = htmt__cannon_subblock(of, i) * HTMT_WORD;
        p->share[i] = calloc(p->slices, sizeof(struct htmt_object *));
        rc = p->share[i] ? rc : HTMT_ENOMEM;
    }
    rc = rc ? rc : create_objects(p, how, data);
    rc = rc ? rc : create_nodes(p, how);
    if (rc) {
        const struct htmt_fault *why = htmt_emulator_fault(e);
        htmt_fault_set(fault, rc, "%s", why->code ? why->text : "no host memory for the program");
        htmt__cannon_program_destroy(&p);
    } else {
        *program = p;
    }
    return rc;
}
