/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma by messages: who has what, who sends what to whom, and how long that takes.
 *
 * Guard points by six messages. A node's points touch 26 boxes, but six messages are enough: first
 * along x, with the guard points of y and z that lie beside the face; then along y, with what x has
 * brought; then z. By hand, in a plane: charge on the guard point left of and below node (1, 1)
 * belongs to node (0, 0). It goes left with the face of x and is then node (0, 1)'s own guard point
 * below, from where it goes down with the face of y. Particles that leave over an edge take the
 * same way.
 *
 * Transposes. A transform along an axis wants whole lines. Nodes of equal j and k divide the planes
 * of z of their row of boxes and bring the rows of x together (px messages each); then as field.c
 * has it: columns of y among the py nodes of equal i and k, columns of z among the px pz nodes of
 * equal j; and three components the same ways back. Each node begins with itself, which costs
 * nothing, and goes on one by one, so that at any time it receives from one other node alone.
 *
 * The time of a step is the sum of its phases. A phase is the work of the node with the largest
 * box, its messages and, where there were any, a barrier. So where boxes are equal a model run
 * takes that time to the femtosecond, unless messages of different nodes meet inside the network.
 */
#include "apps/pic/mpp.h"

#include "apps/lib/term_tree.h"
#include "apps/pic/closed_form.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct htmt__pic_mpp_plan plan;
typedef struct htmt__pic_mpp_node node;
typedef struct htmt__pic_mpp_message message;

/* ---- geometry ------------------------------------------------------------------------------- */

static uint32_t part_most(uint32_t n, uint32_t m)
{
    return (n + m - 1) / m;
}

/* Each node has cells, rows, columns of y and columns of z. */
static bool can_divide(const uint32_t n[3], const uint32_t p[3])
{
    const uint32_t rows = p[0] * p[2];
    return p[0] <= n[0] && p[1] <= n[1] && p[1] <= n[0] / 2 + 1 && rows <= n[2] && rows <= n[1];
}

/* Points on the faces between a box and others. */
static double surface(const uint32_t n[3], const uint32_t p[3])
{
    const double side[3] = {(double)n[0] / p[0], (double)n[1] / p[1], (double)n[2] / p[2]};
    double sum = 0;
    for (int a = 0; a < 3; a++)
        sum += p[a] > 1 ? side[(a + 1) % 3] * side[(a + 2) % 3] : 0;
    return sum;
}

static uint64_t largest_box(const uint32_t n[3], const uint32_t p[3])
{
    return (uint64_t)part_most(n[0], p[0]) * part_most(n[1], p[1]) * part_most(n[2], p[2]);
}

/* The grid whose largest box is smallest, since all wait for that; of several the one with the
 * least surface, and of these the first one, with fewest nodes along x. */
static bool divide(const uint32_t n[3], uint32_t nodes, uint32_t best[3])
{
    bool found = false;
    for (uint32_t x = 1; x <= nodes; x++)
        for (uint32_t y = 1; nodes % x == 0 && y <= nodes / x; y++) {
            const uint32_t p[3] = {x, y, nodes / x / y};
            if (nodes / x % y || !can_divide(n, p))
                continue;
            const uint64_t box = largest_box(n, p), least = found ? largest_box(n, best) : 0;
            if (found && (box > least || (box == least && surface(n, p) >= surface(n, best))))
                continue;
            memcpy(best, p, sizeof p);
            found = true;
        }
    return found;
}

uint32_t htmt__pic_mpp_nodes(const uint32_t n[3], uint32_t most)
{
    uint32_t p[3];
    while (most > 1 && !divide(n, most, p))
        most--;
    return most;
}

node htmt__pic_mpp_node(const plan *p, uint32_t number)
{
    const uint32_t *n = p->problem.n;
    node d = {.at = {number % p->p[0], number / p->p[0] % p->p[1], number / p->p[0] / p->p[1]}};
    for (int a = 0; a < 3; a++) {
        d.box.lo[a] = htmt__pic_first(n[a], p->p[a], d.at[a]);
        d.box.n[a] = htmt__pic_first(n[a], p->p[a], d.at[a] + 1) - d.box.lo[a];
    }
    const uint32_t row = d.at[2] * p->p[0] + d.at[0], rows = p->p[0] * p->p[2];
    d.row_z = htmt__pic_first(n[2], rows, row);
    d.row_planes = htmt__pic_first(n[2], rows, row + 1) - d.row_z;
    d.first_x = htmt__pic_first(p->modes, p->p[1], d.at[1]);
    d.modes_x = htmt__pic_first(p->modes, p->p[1], d.at[1] + 1) - d.first_x;
    d.first_y = htmt__pic_first(n[1], rows, row);
    d.modes_y = htmt__pic_first(n[1], rows, row + 1) - d.first_y;
    return d;
}

static uint32_t number_of(const plan *p, const uint32_t at[3])
{
    return (at[2] * p->p[1] + at[1]) * p->p[0] + at[0];
}

/* ---- plan ----------------------------------------------------------------------------------- */

static void size_areas(plan *p)
{
    const uint32_t *n = p->problem.n, *l = p->largest, rows = p->p[0] * p->p[2];
    const uint64_t points = htmt__pic_points(l), cells = (uint64_t)l[0] * l[1] * l[2],
                   planes = part_most(n[2], rows), modes_x = part_most(p->modes, p->p[1]);
    const uint64_t box[] = {l[0] + 2, l[1] + 2, l[2] + 2};
    uint64_t particles = 0, most = 0, *part = p->part;
    for (uint32_t s = 0; s < p->problem.species; s++) {
        particles += p->room[s];
        most = htmt_most(most, p->room[s]);
    }
    static const uint64_t parts[HTMT__PIC_MPP_AREAS] = {
        [HTMT__PIC_MPP_FACES] = 4,   [HTMT__PIC_MPP_E] = 3,       [HTMT__PIC_MPP_LINES_X] = 3,
        [HTMT__PIC_MPP_MODES_X] = 3, [HTMT__PIC_MPP_MODES_Y] = 3, [HTMT__PIC_MPP_MODES_Z] = 3,
        [HTMT__PIC_MPP_OUT] = 2,     [HTMT__PIC_MPP_IN] = 4,      [HTMT__PIC_MPP_TRANSIT] = 2};
    part[HTMT__PIC_MPP_PARTICLES] = HTMT__PIC_PARTICLE_WORDS * particles;
    part[HTMT__PIC_MPP_COUNTS] = HTMT__PIC_SPECIES_MAX;
    part[HTMT__PIC_MPP_TILE] = points;
    part[HTMT__PIC_MPP_FACES] =
        htmt_most(box[1] * box[2], htmt_most(box[0] * box[2], box[0] * box[1]));
    part[HTMT__PIC_MPP_RHO] = part[HTMT__PIC_MPP_E] = cells;
    part[HTMT__PIC_MPP_LINES_X] = planes * l[1] * n[0];
    part[HTMT__PIC_MPP_MODES_X] = 2 * planes * l[1] * p->modes;
    part[HTMT__PIC_MPP_MODES_Y] = 2 * planes * n[1] * modes_x;
    part[HTMT__PIC_MPP_MODES_Z] = 2 * (uint64_t)n[2] * part_most(n[1], rows) * modes_x;
    part[HTMT__PIC_MPP_SCRATCH] = htmt_most(2 * (uint64_t)n[0], (most + 63) / 64);
    part[HTMT__PIC_MPP_FIELD] = HTMT__PIC_FIELD_WORDS * points;
    part[HTMT__PIC_MPP_OUT] = part[HTMT__PIC_MPP_IN] = part[HTMT__PIC_MPP_TRANSIT] =
        HTMT__PIC_MPP_HEAD + HTMT__PIC_PARTICLE_WORDS * p->mail;
    part[HTMT__PIC_MPP_PUSHED] = sizeof(struct htmt__pic_pushed) / HTMT_WORD * p->problem.species;
    part[HTMT__PIC_MPP_SUM] = HTMT__PIC_RECORD_WORDS;
    part[HTMT__PIC_MPP_SERIES] = HTMT__PIC_RECORD_WORDS * p->steps;
    p->words = p->nodes > 1; /* of barriers */
    for (int i = 0; i < HTMT__PIC_MPP_AREAS; i++) {
        p->area[i] = part[i] * (parts[i] ? parts[i] : 1);
        p->words += p->area[i];
    }
}

int htmt__pic_mpp_plan(const struct htmt_machine *m, const struct htmt__pic_problem *problem,
                       const struct htmt__pic_deck *deck, plan *out, struct htmt_fault *fault)
{
    const uint32_t *n = problem->n;
    plan p = {.problem = *problem,
              .steps = deck->steps,
              .nodes = m->slices,
              .modes = n[0] / 2 + 1,
              .place = htmt__peer_place(m)};
    uint64_t all = 0;
    if (!divide(n, m->slices, p.p))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found %" PRIu32 " nodes for %" PRIu32 " x %" PRIu32 " x %" PRIu32
                              " cells, expected a number of which each has cells, rows and columns,"
                              " for instance %" PRIu32,
                              m->slices, n[0], n[1], n[2], htmt__pic_mpp_nodes(n, m->slices));
    for (int a = 0; a < 3; a++)
        p.largest[a] = part_most(n[a], p.p[a]);
    for (uint32_t s = 0; s < problem->species; s++) {
        const uint64_t mean = problem->per_cell[s] * p.largest[0] * p.largest[1] * p.largest[2];
        p.room[s] = 2 * mean + 64;
        all += mean;
        for (int face = 0; face < 6; face++)
            p.flux[s][face] = htmt__pic_flux(deck, s, face / 2, face % 2 ? 1 : -1);
    }
    p.mail = problem->mail ? problem->mail : all / 2 + 64;
    size_areas(&p);
    *out = p;
    return 0;
}

int htmt__pic_mpp_fits(const struct htmt_machine *m, const plan *p, struct htmt_fault *fault)
{
    const uint64_t room = htmt_machine_room(m, p->place.layer);
    if (p->words <= room)
        return 0;
    return htmt_fault_set(
        fault, HTMT_ECAPACITY,
        "boxes of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " cells: found particles of %" PRIu64
        " words and fields of %" PRIu64 ", expected at most the %" PRIu64 " of a node's memory",
        p->largest[0], p->largest[1], p->largest[2], p->part[HTMT__PIC_MPP_PARTICLES],
        p->words - p->part[HTMT__PIC_MPP_PARTICLES], room);
}

void htmt__pic_mpp_describe(const struct htmt__pic_deck *deck, const plan *p, char *text,
                            size_t room)
{
    htmt__pic_deck_describe(deck, text, room);
    const size_t used = strlen(text);
    snprintf(text + used, room - used,
             "; %" PRIu32 " x %" PRIu32 " x %" PRIu32 " nodes, boxes of %" PRIu32 " x %" PRIu32
             " x %" PRIu32 "%s%s",
             p->p[0], p->p[1], p->p[2], p->largest[0], p->largest[1], p->largest[2],
             *deck->path ? "; deck " : "", deck->path);
}

/* ---- messages ------------------------------------------------------------------------------- */

static struct htmt_pieces pieces(uint64_t words, uint64_t count, uint64_t stride)
{
    return count > 1 ? (struct htmt_pieces){.bytes = words * HTMT_WORD,
                                            .count = count,
                                            .stride = (int64_t)(stride * HTMT_WORD)}
                     : (struct htmt_pieces){0};
}

/* The node that lies next to it along an axis, downward or upward. */
static uint32_t beside(const plan *p, const node *d, unsigned axis, bool up)
{
    uint32_t at[3] = {d->at[0], d->at[1], d->at[2]};
    at[axis] = (at[axis] + (up ? 1 : p->p[axis] - 1)) % p->p[axis];
    return number_of(p, at);
}

/* A plane of points across an axis, in an array of `numbers` a point with guard points: plane
 * `where`. Planes of x are points far apart, those of y rows, those of z one piece. */
static struct htmt_pieces plane_of(const uint32_t n[3], unsigned axis, uint32_t where,
                                   uint32_t numbers, uint64_t *first, uint64_t *words)
{
    const uint64_t row = (uint64_t)numbers * (n[0] + 2), plane = row * (n[1] + 2);
    const uint64_t step = axis == 0 ? numbers : axis == 1 ? row : plane, planes = n[2] + 2;
    const uint64_t count = axis == 0 ? (n[1] + 2) * planes : axis == 1 ? planes : 1;
    *first = where * step;
    *words = step * count;
    return pieces(step, count, axis == 0 ? row : plane);
}

/* Charge on guard points: to the faces of the node on their side. */
static void send_charge(const plan *p, const node *d, unsigned axis, uint32_t i, message *s)
{
    const uint32_t *n = d->box.n;
    s->to = beside(p, d, axis, i == 1);
    s->from = HTMT__PIC_MPP_TILE;
    s->into = HTMT__PIC_MPP_FACES;
    s->from_pieces = plane_of(n, axis, i ? n[axis] + 1 : 0, 1, &s->from_word, &s->words);
    s->into_word = (axis % 2 * 2 + i) * p->part[HTMT__PIC_MPP_FACES];
}

/* The field on points beside a face: to the guard points of the node behind it. */
static void send_field(const plan *p, const node *d, unsigned axis, uint32_t i, message *s)
{
    s->to = beside(p, d, axis, i == 1);
    const node there = htmt__pic_mpp_node(p, s->to);
    const uint32_t *n = d->box.n, *m = there.box.n;
    s->from = s->into = HTMT__PIC_MPP_FIELD;
    s->from_pieces =
        plane_of(n, axis, i ? n[axis] : 1, HTMT__PIC_FIELD_WORDS, &s->from_word, &s->words);
    s->into_pieces =
        plane_of(m, axis, i ? 0 : m[axis] + 1, HTMT__PIC_FIELD_WORDS, &s->into_word, &s->words);
}

/* Whose lines the tiles of a transpose make whole. */
enum lines { OF_X, OF_Y, OF_Z };

/* A tile that nodes a and b share: as a has it, whole in the axis before (of x: a box), and as b
 * has it, whole in this one. */
static void tile_of(const plan *p, enum lines lines, const node *a, const node *b,
                    uint32_t component, message *s)
{
    const uint32_t *n = p->problem.n;
    const uint64_t ny = a->box.n[1], nx = a->box.n[0], row_x = 2 * (uint64_t)p->modes,
                   mode = 2 * (uint64_t)b->modes_x;
    if (lines == OF_X) {
        s->from = HTMT__PIC_MPP_RHO;
        s->into = HTMT__PIC_MPP_LINES_X;
        s->words = b->row_planes * ny * nx;
        s->from_word = (b->row_z - a->box.lo[2]) * ny * nx;
        s->into_word = a->box.lo[0];
        s->into_pieces = pieces(nx, b->row_planes * ny, n[0]);
    } else if (lines == OF_Y) {
        s->from = HTMT__PIC_MPP_MODES_X;
        s->into = HTMT__PIC_MPP_MODES_Y;
        s->words = a->row_planes * ny * mode;
        s->from_word = 2 * (uint64_t)b->first_x;
        s->from_pieces = pieces(mode, a->row_planes * ny, row_x);
        s->into_word = a->box.lo[1] * mode;
        s->into_pieces = pieces(ny * mode, a->row_planes, n[1] * mode);
    } else {
        s->from = HTMT__PIC_MPP_MODES_Y;
        s->into = HTMT__PIC_MPP_MODES_Z;
        s->words = (uint64_t)a->row_planes * b->modes_y * mode;
        s->from_word = b->first_y * mode;
        s->from_pieces = pieces(b->modes_y * mode, a->row_planes, n[1] * mode);
        s->into_word = (uint64_t)a->row_z * b->modes_y * mode;
    }
    s->from_word += component * p->part[s->from];
    s->into_word += component * p->part[s->into];
}

/* Back a tile goes from b to a; components of the field do not go to rho, but to E. */
static void turn_back(message *s)
{
    const message there = *s;
    s->from = there.into;
    s->into = there.from == HTMT__PIC_MPP_RHO ? HTMT__PIC_MPP_E : there.from;
    s->from_word = there.into_word;
    s->into_word = there.from_word;
    s->from_pieces = there.into_pieces;
    s->into_pieces = there.from_pieces;
}

static uint32_t partners(const plan *p, enum lines lines)
{
    return lines == OF_X ? p->p[0] : lines == OF_Y ? p->p[1] : p->p[0] * p->p[2];
}

/* Tile i: partners in their order from the node itself on, three components of each back. */
static bool transpose(const plan *p, const node *d, uint32_t here, enum lines lines, bool back,
                      uint32_t i, message *s)
{
    const uint32_t count = partners(p, lines), each = back ? 3 : 1, step = i / each;
    uint32_t at[3] = {d->at[0], d->at[1], d->at[2]};
    if (step >= count)
        return false;
    if (lines == OF_X) {
        at[0] = (at[0] + step) % count;
    } else if (lines == OF_Y) {
        at[1] = (at[1] + step) % count;
    } else {
        const uint32_t row = (at[2] * p->p[0] + at[0] + step) % count;
        at[0] = row % p->p[0];
        at[2] = row / p->p[0];
    }
    s->to = number_of(p, at);
    const node there = s->to == here ? *d : htmt__pic_mpp_node(p, s->to);
    tile_of(p, lines, back ? &there : d, back ? d : &there, i % each, s);
    if (back)
        turn_back(s);
    return true;
}

void htmt__pic_mpp_leaving(const plan *p, uint32_t number, uint32_t axis, uint64_t out[2])
{
    const node d = htmt__pic_mpp_node(p, number);
    const double area = (double)htmt__pic_cells(&d.box) / d.box.n[axis];
    for (int up = 0; up < 2; up++) {
        double count = 0;
        for (uint32_t s = 0; s < p->problem.species && p->p[axis] > 1; s++)
            count += area * (double)p->problem.per_cell[s] * p->flux[s][2 * axis + (uint32_t)up];
        out[up] = htmt_least((uint64_t)(count + 0.5), p->mail);
    }
}

bool htmt__pic_mpp_message(const plan *p, enum htmt__pic_mpp_phase phase, uint32_t here, uint32_t i,
                           message *s)
{
    const node d = htmt__pic_mpp_node(p, here);
    *s = (message){.to = here};
    switch (phase) {
    case HTMT__PIC_MPP_DEPOSIT:
    case HTMT__PIC_MPP_FOLD_X:
    case HTMT__PIC_MPP_FOLD_Y:
        if (i < 2)
            send_charge(p, &d, phase - HTMT__PIC_MPP_DEPOSIT, i, s);
        return i < 2;
    case HTMT__PIC_MPP_FOLD_Z:
        return transpose(p, &d, here, OF_X, false, i, s);
    case HTMT__PIC_MPP_ROWS:
        return transpose(p, &d, here, OF_Y, false, i, s);
    case HTMT__PIC_MPP_COLUMNS:
        return transpose(p, &d, here, OF_Z, false, i, s);
    case HTMT__PIC_MPP_SOLVE:
        return transpose(p, &d, here, OF_Z, true, i, s);
    case HTMT__PIC_MPP_COLUMNS_BACK:
        return transpose(p, &d, here, OF_Y, true, i, s);
    case HTMT__PIC_MPP_ROWS_BACK:
        return transpose(p, &d, here, OF_X, true, i, s);
    case HTMT__PIC_MPP_GUARD_X:
    case HTMT__PIC_MPP_GUARD_Y:
    case HTMT__PIC_MPP_GUARD_Z:
        if (i < 2)
            send_field(p, &d, phase - HTMT__PIC_MPP_GUARD_X, i, s);
        return i < 2;
    case HTMT__PIC_MPP_LEAVE_X:
    case HTMT__PIC_MPP_LEAVE_Y:
    case HTMT__PIC_MPP_LEAVE_Z: {
        const uint32_t axis = (phase - HTMT__PIC_MPP_LEAVE_X) / 2;
        uint64_t leaving[2];
        htmt__pic_mpp_leaving(p, here, axis, leaving);
        s->to = beside(p, &d, axis, i == 1);
        s->from = HTMT__PIC_MPP_OUT;
        s->into = HTMT__PIC_MPP_IN;
        s->from_word = i * p->part[s->from];
        s->into_word = (axis % 2 * 2 + i) * p->part[s->into];
        s->words = HTMT__PIC_MPP_HEAD + HTMT__PIC_PARTICLE_WORDS * leaving[i & 1];
        return i < 2;
    }
    default:
        return false;
    }
}

uint32_t htmt__pic_mpp_awaited(const plan *p, enum htmt__pic_mpp_phase phase)
{
    message s;
    uint32_t count = 0;
    while (htmt__pic_mpp_message(p, phase, 0, count, &s))
        count++;
    return count;
}

/* ---- work ----------------------------------------------------------------------------------- */

static void add(struct htmt_ops *into, struct htmt_ops ops, uint64_t times)
{
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++)
        into->n[k] += times * ops.n[k];
}

struct htmt_ops htmt__pic_mpp_ops(const plan *p, const node *d, enum htmt__pic_mpp_phase phase,
                                  uint64_t particles)
{
    const uint32_t *n = p->problem.n;
    const uint64_t cells = htmt__pic_cells(&d->box), rows = (uint64_t)d->row_planes * d->box.n[1],
                   columns = (uint64_t)d->row_planes * d->modes_x;
    struct htmt_ops ops = {.n = {0}};
    uint64_t first, face;
    switch (phase) {
    case HTMT__PIC_MPP_DEPOSIT:
        return htmt__pic_deposit_ops(particles);
    case HTMT__PIC_MPP_FOLD_X:
    case HTMT__PIC_MPP_FOLD_Y:
    case HTMT__PIC_MPP_FOLD_Z: /* two faces; behind the last the background's charge, to rho */
        plane_of(d->box.n, phase - HTMT__PIC_MPP_FOLD_X, 0, 1, &first, &face);
        add(&ops, htmt__pic_add_ops(1), 2 * face);
        if (phase == HTMT__PIC_MPP_FOLD_Z)
            add(&ops, (struct htmt_ops){.n = {[HTMT_FLOP] = 1, [HTMT_LOAD] = 1, [HTMT_STORE] = 1}},
                cells);
        return ops;
    case HTMT__PIC_MPP_ROWS:
        return htmt__pic_x_ops(n[0], rows, false);
    case HTMT__PIC_MPP_COLUMNS:
        return htmt__pic_y_ops(n[1], columns);
    case HTMT__PIC_MPP_SOLVE:
        return htmt__pic_solve_ops(n[2], (uint64_t)d->modes_x * d->modes_y);
    case HTMT__PIC_MPP_COLUMNS_BACK:
        return htmt__pic_y_ops(n[1], 3 * columns);
    case HTMT__PIC_MPP_ROWS_BACK:
        add(&ops, htmt__pic_x_ops(n[0], rows, true), 3);
        return ops;
    case HTMT__PIC_MPP_CUT:
        return htmt__pic_cut_ops(cells, cells);
    case HTMT__PIC_MPP_PUSH:
        return htmt__pic_push_ops(&p->problem.charges, particles);
    case HTMT__PIC_MPP_LEAVE_X: /* behind the push, which found them */
        return htmt__pic_sort_ops(particles);
    case HTMT__PIC_MPP_LEAVE_Y:
    case HTMT__PIC_MPP_LEAVE_Z:
        return htmt__pic_settle_ops(particles);
    case HTMT__PIC_MPP_RECORD: /* behind the last that settle */
        add(&ops, htmt__pic_settle_ops(particles), 1);
        add(&ops, htmt__pic_reports_ops(p->problem.species), 1);
        return ops;
    case HTMT__PIC_MPP_KEEP:
        return htmt__pic_series_ops();
    default: /* messages alone, or kernels that the phase behind them charges */
        return ops;
    }
}

uint64_t htmt__pic_mpp_expected(const plan *p, uint32_t number, enum htmt__pic_mpp_phase phase)
{
    const node d = htmt__pic_mpp_node(p, number);
    uint64_t all = 0, moved[3], leaving[2];
    for (uint32_t a = 0; a < 3; a++) {
        htmt__pic_mpp_leaving(p, number, a, leaving);
        moved[a] = leaving[0] + leaving[1];
    }
    for (uint32_t s = 0; s < p->problem.species; s++)
        all += p->problem.per_cell[s] * htmt__pic_cells(&d.box);
    return phase == HTMT__PIC_MPP_LEAVE_X || phase == HTMT__PIC_MPP_LEAVE_Y
               ? moved[0] + moved[1] + moved[2]
           : phase == HTMT__PIC_MPP_LEAVE_Z ? moved[1] + moved[2]
           : phase == HTMT__PIC_MPP_RECORD  ? moved[2]
                                            : all;
}

/* ---- closed form ---------------------------------------------------------------------------- */

struct sends {
    const plan *p;
    enum htmt__pic_mpp_phase phase;
};

static bool phase_sends(const void *user, uint32_t here, uint32_t i, struct htmt__sent *sent)
{
    const struct sends *w = user;
    message s;
    if (!htmt__pic_mpp_message(w->p, w->phase, here, i, &s))
        return false;
    *sent = (struct htmt__sent){s.to, s.words};
    return true;
}

static bool record_sends(const void *user, uint32_t here, uint32_t i, struct htmt__sent *sent)
{
    const plan *p = user;
    *sent = (struct htmt__sent){(here + 1) % p->nodes, HTMT__PIC_RECORD_WORDS};
    return i == 0;
}

/* An all-reduce of the record: log2 nodes rounds, each a message and an addition; where the nodes
 * are no power of two a message and an addition before, and a message behind. */
static htmt_time reduce(const struct htmt_machine *m, const plan *p)
{
    const struct htmt_ops ops = htmt__pic_add_ops(HTMT__PIC_RECORD_WORDS);
    const htmt_time fold = htmt_machine_work(m, p->place.layer, &ops),
                    sent = p->nodes > 1 ? htmt__peers_exchange(m, p->place, record_sends, p) : 0;
    uint32_t rounds = 0;
    while (p->nodes >> (rounds + 1))
        rounds++;
    const bool power = !(p->nodes & (p->nodes - 1));
    if (fold < 0 || sent < 0 || fold > INT64_MAX / 64 || sent > INT64_MAX / 64)
        return -1;
    return rounds * (fold + sent) + (power ? 0 : fold + 2 * sent);
}

/* Kernels overlap their operations as the processor can; what a control charges comes one class
 * after the other. */
static htmt_time work_of(const struct htmt_machine *m, const plan *p, const struct htmt_ops *ops,
                         enum htmt__pic_mpp_phase phase)
{
    htmt_time sum = 0;
    if (phase < HTMT__PIC_MPP_LEAVE_X || phase == HTMT__PIC_MPP_KEEP)
        return htmt_machine_work(m, p->place.layer, ops);
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++) {
        struct htmt_ops one = {.n = {0}};
        one.n[k] = ops->n[k];
        const htmt_time time = htmt_machine_work(m, p->place.layer, &one);
        if (time < 0 || __builtin_add_overflow(sum, time, &sum))
            return -1;
    }
    return sum;
}

int htmt__pic_mpp_predict(const struct htmt_machine *m, const plan *p,
                          struct htmt__pic_mpp_prediction *out, struct htmt_fault *fault)
{
    struct htmt__pic_mpp_prediction r = {.plan = *p};
    const uint32_t last = p->nodes - 1; /* which has the largest box */
    const node d = htmt__pic_mpp_node(p, last);
    htmt_wide step = 0;
    r.barrier = htmt__peers_barrier(m, p->place);
    for (int i = 0; i < HTMT__PIC_MPP_PHASES; i++) {
        const struct sends sends = {p, (enum htmt__pic_mpp_phase)i};
        const struct htmt_ops ops =
            htmt__pic_mpp_ops(p, &d, sends.phase, htmt__pic_mpp_expected(p, last, sends.phase));
        r.work[i] = work_of(m, p, &ops, sends.phase);
        r.sent[i] = i == HTMT__PIC_MPP_RECORD
                        ? reduce(m, p)
                        : htmt__peers_exchange(m, p->place, phase_sends, &sends);
        if (r.work[i] < 0 || r.sent[i] < 0 || r.barrier < 0)
            return htmt_fault_set(fault, HTMT_EOVERFLOW, "the time of a phase overflows");
        if (htmt__pic_mpp_has_barrier(sends.phase))
            r.sent[i] += r.barrier;
        step += r.work[i] + r.sent[i];
    }
    r.total = step * (htmt_wide)p->steps;
    r.flops = htmt__pic_flops(&p->problem, p->steps);
    *out = r;
    return 0;
}

static const struct htmt_term_row rows[] = {
    HTMT_ROW(0, "s", "T", "steps * step", "all steps"),
    HTMT_ROW(1, "s", "step",
             "deposit + guards of charge + transforms + transposes + cut + guards of the field + "
             "push + migration + record",
             "of a node with the largest box"),
    HTMT_ROW_COMPUTED(2, "s", "deposit", "htmt_machine_work", "charge of the particles"),
    HTMT_ROW_COMPUTED(2, "s", "guards of charge", "htmt__peers_exchange",
                      "to six neighbours, added there; with barriers"),
    HTMT_ROW_COMPUTED(2, "s", "transforms", "htmt_machine_work",
                      "rows and columns, there and back"),
    HTMT_ROW_COMPUTED(2, "s", "transposes", "htmt__peers_exchange",
                      "three there, three back; with barriers"),
    HTMT_ROW_COMPUTED(2, "s", "cut", "htmt_machine_work", "the field's energy, and its points"),
    HTMT_ROW_COMPUTED(2, "s", "guards of the field", "htmt__peers_exchange",
                      "to six neighbours; with barriers"),
    HTMT_ROW_COMPUTED(2, "s", "push", "htmt_machine_work", "all particles"),
    HTMT_ROW_COMPUTED(2, "s", "migration", "htmt__peers_exchange",
                      "along x, y and z; with barriers"),
    HTMT_ROW_COMPUTED(2, "s", "record", "htmt__peers_exchange", "an all-reduce"),
    HTMT_ROW_COMPUTED(0, "s", "barrier", "htmt__peers_barrier",
                      "of all nodes; in the rows above 16 times a step"),
    HTMT_ROW_QUOTIENT("%", "share of compute", "(deposit + transforms + cut + push) / step",
                      "beside messages"),
    HTMT_ROW(0, "words", "memory", "words", "data of a node"),
    HTMT_ROW_QUOTIENT("%", "memory use", "memory / capacity", "data"),
    HTMT_ROWS_END};

/* Sum of the work, or of the messages, of phases. */
static htmt_wide sum(const htmt_time of[], int first, int last)
{
    htmt_wide all = 0;
    for (int i = first; i <= last; i++)
        all += of[i];
    return all;
}

int htmt__pic_mpp_tell(const struct htmt_machine *m, const struct htmt__pic_mpp_prediction *of,
                       struct htmt_prediction *out, struct htmt_fault *fault)
{
    enum {
        FIRST = HTMT__PIC_MPP_DEPOSIT,
        FOLDED = HTMT__PIC_MPP_FOLD_Z,
        BACK = HTMT__PIC_MPP_ROWS_BACK,
        CUT = HTMT__PIC_MPP_CUT,
        LEFT = HTMT__PIC_MPP_LEAVE_X,
        SETTLED = HTMT__PIC_MPP_SETTLE,
        LAST = HTMT__PIC_MPP_PHASES - 1
    };
    const plan *p = &of->plan;
    const htmt_time *work = of->work, *sent = of->sent;
    const struct {
        const char *name;
        htmt_wide fs;
    } times[] = {{"deposit", work[FIRST]},
                 {"guards of charge", sum(work, FIRST + 1, FOLDED) + sum(sent, FIRST, FOLDED - 1)},
                 {"transforms", sum(work, FOLDED + 1, BACK)},
                 {"transposes", sum(sent, FOLDED, BACK)},
                 {"cut", work[CUT]},
                 {"guards of the field", sum(sent, CUT, LEFT - 1)},
                 {"push", work[HTMT__PIC_MPP_PUSH]},
                 {"migration", sum(work, LEFT, SETTLED) + sum(sent, LEFT, SETTLED)},
                 {"record", sum(work, SETTLED + 1, LAST) + sum(sent, SETTLED + 1, LAST)},
                 {"barrier", of->barrier}};
    struct htmt_term_tree *t;
    const unsigned top = htmt_prediction_count(out);
    int rc = htmt_term_tree_create(p, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_add(t, NULL, 0, rows);
    htmt_term_tree_set_count(t, NULL, "steps", p->steps);
    htmt_term_tree_set(t, NULL, "words", "words", htmt_exact_whole(p->words));
    htmt_term_tree_set(t, NULL, "capacity", "words",
                       htmt_exact_whole(m->layer[p->place.layer].memory.capacity));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        htmt_term_tree_set_time(t, NULL, times[i].name, times[i].fs);
    rc = htmt_term_tree_evaluate(t, fault);
    if (!rc) {
        const double steps = 1e-15 * (double)p->steps,
                     compute = steps * (double)sum(work, FIRST, LAST),
                     network = steps * (double)sum(sent, FIRST, LAST);
        htmt_prediction_total_fs(out, of->total);
        htmt_prediction_flops(out, of->flops);
        htmt_prediction_part(out, HTMT_PART_COMPUTE, compute, "push");
        htmt_prediction_part(out, HTMT_PART_NETWORK, network, "transposes");
        htmt_term_tree_tell(t, out);
        snprintf(htmt_prediction_term_at(out, top)->inputs, sizeof(((struct htmt_term *)0)->inputs),
                 "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " nodes, boxes of %" PRIu32 " x %" PRIu32
                 " x %" PRIu32,
                 p->p[0], p->p[1], p->p[2], p->largest[0], p->largest[1], p->largest[2]);
    }
    htmt_term_tree_destroy(&t);
    return rc;
}
