/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of a node (mpp.h): its kernels, what they use, and what follows from what they find.
 *
 * Particles. A push sets those that left the box apart. Each goes first along the first axis on
 * which it lies outside: into the message down or up, or, where that is a later axis, into the list
 * of those in transit. What arrives along x is sorted together with that list: for y, for z, or it
 * stays here. After z all are at home. So a particle takes at most three messages, and a node talks
 * to six others only. One that moves by more than a whole box in a step is refused.
 *
 * The numbers that a message has are known to kernels only, so a phase of its own sends it, whose
 * control is steered: it reads what the kernel before has left. There the sorting is charged, too,
 * since nobody can know before it how much there will be. In a model run both follow from the deck.
 *
 * Sums have a fixed order and each node's particles a fixed one, whatever arrives first: the result
 * depends on neither host nor machine.
 */
#include "apps/lib/iterations.h"
#include "apps/lib/per_slice.h"
#include "apps/pic/lines.h"
#include "apps/pic/mpp.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct htmt__pic_mpp_plan plan;
typedef struct htmt__pic_mpp_node node;

struct site {
    HTMT_PER_SLICE uint64_t migrated;
    uint64_t taken[HTMT__PIC_SPECIES_MAX];
};

struct htmt__pic_mpp {
    struct htmt_emulator *e;
    plan plan;
    struct htmt__pic_deck deck;
    bool named;
    double charge[HTMT__PIC_SPECIES_MAX], mass[HTMT__PIC_SPECIES_MAX], background;
    struct htmt__pic_mode mode;
    struct htmt__pic_lines lines;
    node *node;
    struct site *site;
    struct htmt_frame *area[HTMT__PIC_MPP_AREAS];
    struct htmt_allreduce *sum;
    struct htmt__peers *peers;
};

typedef struct htmt__pic_mpp mpp;

/* Arguments of a node. */
struct activation {
    const mpp *p;
    uint32_t node;
    uint64_t step;
    uint64_t particles; /* in the node at the start of the step */
};

/* What a kernel that sorts leaves for the control behind it. */
struct sorted {
    uint64_t moved;       /* particles that it looked at */
    uint64_t out[2];      /* that leave downward, upward */
    uint64_t stay;        /* of all species in the node */
    uint64_t full, found; /* 0, or 1 + the list that was full, and how many it should hold */
    uint64_t far;         /* more than a box away */
};

/* ---- the areas ------------------------------------------------------------------------------ */

static const struct activation *kernel_of(struct htmt_kernel *k)
{
    const struct activation *m = htmt_kernel_args(k);
    htmt_constants(k, m->p, sizeof *m->p);
    htmt_constants(k, &m->p->node[m->node], sizeof *m->p->node);
    return m;
}

/* All of an area, or `parts` of its parts. */
static void use_parts(struct htmt_context *c, enum htmt__pic_mpp_area area, uint64_t first,
                      uint64_t parts, enum htmt_use use)
{
    const struct activation *m = htmt_args(c);
    const uint64_t part = m->p->plan.part[area] * HTMT_WORD;
    htmt_use(c, htmt_at(m->p->area[area], m->node, first * part), parts * part, use);
}

static void use(struct htmt_context *c, enum htmt__pic_mpp_area area, enum htmt_use how)
{
    const struct activation *m = htmt_args(c);
    use_parts(c, area, 0, m->p->plan.area[area] / m->p->plan.part[area], how);
}

/* The messages of a phase, behind its kernel. `words`: of the two with particles. */
static void send(struct htmt_context *c, struct htmt_slot done, enum htmt__pic_mpp_phase phase,
                 const uint64_t words[2])
{
    const struct activation *m = htmt_args(c);
    const mpp *p = m->p;
    struct htmt__pic_mpp_message s;
    for (uint32_t i = 0; htmt__pic_mpp_message(&p->plan, phase, m->node, i, &s); i++) {
        struct htmt_put put = htmt_put_init();
        put.src = htmt_at(p->area[s.from], m->node, s.from_word * HTMT_WORD);
        put.dst = htmt_at(p->area[s.into], s.to, s.into_word * HTMT_WORD);
        put.src_pieces = s.from_pieces;
        put.dst_pieces = s.into_pieces;
        put.bytes = (words ? words[i] : s.words) * HTMT_WORD;
        put.on_arrived = htmt_slot_in(done, s.to);
        htmt_put(c, &put);
    }
}

/* ---- charge --------------------------------------------------------------------------------- */

static void deposit_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const mpp *p = m->p;
    const struct htmt__pic_particle *q = htmt_used(k, 0);
    const uint64_t *count = htmt_used(k, 1);
    double *tile = htmt_used(k, 2);
    memset(tile, 0, htmt_used_size(k, 2));
    for (uint32_t s = 0; s < p->plan.problem.species; q += p->plan.room[s++])
        htmt__pic_deposit(q, count[s], &p->node[m->node].box, p->charge[s], tile);
}

static void deposit(struct htmt_context *c, struct htmt_slot done)
{
    const struct activation *m = htmt_args(c);
    if (m->p->named)
        htmt__iteration(c, "step", m->step, m->p->plan.steps);
    use(c, HTMT__PIC_MPP_PARTICLES, HTMT_READ);
    use(c, HTMT__PIC_MPP_COUNTS, HTMT_READ);
    use(c, HTMT__PIC_MPP_TILE, HTMT_WRITE);
    htmt_work(c);
    send(c, done, HTMT__PIC_MPP_DEPOSIT, NULL);
}

/* What node above sent down belongs to the last plane of the box, what the one below sent up to the
 * first. */
static void fold(const uint32_t n[3], unsigned axis, const double *above, const double *below,
                 double *tile)
{
    const uint64_t step[3] = {1, n[0] + 2, ((uint64_t)n[0] + 2) * (n[1] + 2)};
    const unsigned inner = axis == 0, outer = axis == 2 ? 1 : 2;
    for (uint32_t o = 0; o < n[outer] + 2; o++)
        for (uint32_t i = 0; i < n[inner] + 2; i++) {
            double *at = tile + o * step[outer] + i * step[inner];
            at[n[axis] * step[axis]] += *above++;
            at[step[axis]] += *below++;
        }
}

static void fold_axis(struct htmt_kernel *k, unsigned axis)
{
    const struct activation *m = kernel_of(k);
    const double *faces = htmt_used(k, 0);
    fold(m->p->node[m->node].box.n, axis, faces, faces + m->p->plan.part[HTMT__PIC_MPP_FACES],
         htmt_used(k, 1));
}

static void fold_x_kernel(struct htmt_kernel *k)
{
    fold_axis(k, 0);
}

static void fold_y_kernel(struct htmt_kernel *k)
{
    fold_axis(k, 1);
}

/* Then rho without guard points, with the background. */
static void fold_z_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const uint32_t *n = m->p->node[m->node].box.n;
    const double *tile = htmt_used(k, 1);
    double *rho = htmt_used(k, 2);
    fold_axis(k, 2);
    for (uint32_t z = 1; z <= n[2]; z++)
        for (uint32_t y = 1; y <= n[1]; y++) {
            const double *from = tile + ((uint64_t)z * (n[1] + 2) + y) * (n[0] + 2) + 1;
            for (uint32_t x = 0; x < n[0]; x++)
                *rho++ = *from++ + m->p->background;
        }
}

static void fold_and_send(struct htmt_context *c, struct htmt_slot done)
{
    const enum htmt__pic_mpp_phase phase = htmt__peers_phase(c);
    const unsigned axis = phase - HTMT__PIC_MPP_FOLD_X;
    use_parts(c, HTMT__PIC_MPP_FACES, axis % 2 * 2, 2, HTMT_READ);
    use(c, HTMT__PIC_MPP_TILE, HTMT_UPDATE);
    if (axis == 2)
        use(c, HTMT__PIC_MPP_RHO, HTMT_WRITE);
    htmt_work(c);
    send(c, done, phase, NULL);
}

/* ---- field ---------------------------------------------------------------------------------- */

static void rows_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const node *d = &m->p->node[m->node];
    htmt__pic_rows_forward(&m->p->lines, m->p->plan.problem.n[0],
                           (uint64_t)d->row_planes * d->box.n[1], htmt_used(k, 0), htmt_used(k, 1),
                           htmt_used(k, 2));
}

static void rows(struct htmt_context *c, struct htmt_slot done)
{
    use_parts(c, HTMT__PIC_MPP_LINES_X, 0, 1, HTMT_READ);
    use_parts(c, HTMT__PIC_MPP_MODES_X, 0, 1, HTMT_WRITE);
    use(c, HTMT__PIC_MPP_SCRATCH, HTMT_WRITE);
    htmt_work(c);
    send(c, done, HTMT__PIC_MPP_ROWS, NULL);
}

/* Plane by plane, so many components. */
static void transform_columns(struct htmt_kernel *k, uint32_t components, bool back)
{
    const struct activation *m = kernel_of(k);
    const node *d = &m->p->node[m->node];
    const uint32_t ny = m->p->plan.problem.n[1];
    for (uint32_t i = 0; i < components; i++) {
        double complex *at =
            (double complex *)htmt_used(k, 0) + i * m->p->plan.part[HTMT__PIC_MPP_MODES_Y] / 2;
        for (uint32_t z = 0; z < d->row_planes; z++, at += (uint64_t)ny * d->modes_x)
            htmt__pic_transform(&m->p->lines, ny, d->modes_x, back, at);
    }
}

static void columns_kernel(struct htmt_kernel *k)
{
    transform_columns(k, 1, false);
}

static void columns(struct htmt_context *c, struct htmt_slot done)
{
    use_parts(c, HTMT__PIC_MPP_MODES_Y, 0, 1, HTMT_UPDATE);
    htmt_work(c);
    send(c, done, HTMT__PIC_MPP_COLUMNS, NULL);
}

static void solve_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const node *d = &m->p->node[m->node];
    const uint64_t part = m->p->plan.part[HTMT__PIC_MPP_MODES_Z] / 2;
    const struct htmt__pic_columns all = {.width = d->modes_x * d->modes_y,
                                          .first_x = d->first_x,
                                          .modes_x = d->modes_x,
                                          .first_y = d->first_y};
    double complex *at = htmt_used(k, 0), *e[3] = {at, at + part, at + 2 * part};
    htmt__pic_solve(&m->p->lines, m->p->plan.problem.n, &all, e);
}

static void solve(struct htmt_context *c, struct htmt_slot done)
{
    use(c, HTMT__PIC_MPP_MODES_Z, HTMT_UPDATE);
    htmt_work(c);
    send(c, done, HTMT__PIC_MPP_SOLVE, NULL);
}

static void columns_back_kernel(struct htmt_kernel *k)
{
    transform_columns(k, 3, true);
}

static void columns_back(struct htmt_context *c, struct htmt_slot done)
{
    use(c, HTMT__PIC_MPP_MODES_Y, HTMT_UPDATE);
    htmt_work(c);
    send(c, done, HTMT__PIC_MPP_COLUMNS_BACK, NULL);
}

static void rows_back_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const plan *p = &m->p->plan;
    const node *d = &m->p->node[m->node];
    for (uint32_t i = 0; i < 3; i++)
        htmt__pic_rows_backward(
            &m->p->lines, p->problem.n[0], (uint64_t)d->row_planes * d->box.n[1],
            (const double complex *)htmt_used(k, 0) + i * p->part[HTMT__PIC_MPP_MODES_X] / 2,
            (double *)htmt_used(k, 1) + i * p->part[HTMT__PIC_MPP_LINES_X], htmt_used(k, 2));
}

static void rows_back(struct htmt_context *c, struct htmt_slot done)
{
    use(c, HTMT__PIC_MPP_MODES_X, HTMT_READ);
    use(c, HTMT__PIC_MPP_LINES_X, HTMT_WRITE);
    use(c, HTMT__PIC_MPP_SCRATCH, HTMT_WRITE);
    htmt_work(c);
    send(c, done, HTMT__PIC_MPP_ROWS_BACK, NULL);
}

/* Into the points of the field, and the field's part of the record. */
static void cut_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const mpp *p = m->p;
    const struct htmt__pic_box *box = &p->node[m->node].box;
    const uint32_t *n = box->n;
    const double *rho = htmt_used(k, 0), *e = htmt_used(k, 1);
    const uint64_t part = p->plan.part[HTMT__PIC_MPP_E];
    double *field = htmt_used(k, 2);
    struct htmt__pic_record *r = htmt_used(k, 3);
    *r = (struct htmt__pic_record){0};
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++, rho += n[0], e += n[0]) {
            const double *const of[3] = {e, e + part, e + 2 * part};
            const uint64_t point = ((uint64_t)(z + 1) * (n[1] + 2) + y + 1) * (n[0] + 2) + 1;
            double *to = field + HTMT__PIC_FIELD_WORDS * point;
            for (uint32_t x = 0; x < n[0]; x++)
                for (int a = 0; a < 3; a++)
                    *to++ = of[a][x];
            htmt__pic_measure_row(r, of, rho, n[0],
                                  (uint32_t[]){box->lo[0], box->lo[1] + y, box->lo[2] + z},
                                  &p->mode);
        }
    for (int i = 0; i < 2; i++)
        r->wave[i] *= 2 / (double)htmt__pic_deck_cells(&p->deck);
}

static void cut(struct htmt_context *c, struct htmt_slot done)
{
    (void)done;
    use(c, HTMT__PIC_MPP_RHO, HTMT_READ);
    use(c, HTMT__PIC_MPP_E, HTMT_READ);
    use(c, HTMT__PIC_MPP_FIELD, HTMT_WRITE);
    use(c, HTMT__PIC_MPP_SUM, HTMT_WRITE);
}

static void guard(struct htmt_context *c, struct htmt_slot done)
{
    send(c, done, htmt__peers_phase(c), NULL);
}

/* ---- particles ------------------------------------------------------------------------------ */

/* A list of particles by species, behind their numbers. */
struct list {
    uint64_t *count;
    struct htmt__pic_particle *at;
    uint64_t all;
};

static struct list list_of(void *words)
{
    uint64_t *count = words;
    struct list l = {count, (struct htmt__pic_particle *)(count + HTMT__PIC_MPP_HEAD), 0};
    return l;
}

/* Where particles go: the lists of an axis, those in transit, the node's own. */
struct places {
    const plan *p;
    const node *d;
    unsigned axis;
    struct list out[2], transit;
    struct htmt__pic_particle *own; /* of the species */
    uint64_t *count;                /* of all species */
    struct sorted *sorted;
};

static void begin_list(struct list *l)
{
    memset(l->count, 0, HTMT__PIC_MPP_HEAD * sizeof *l->count);
    l->all = 0;
}

static void append(const plan *p, struct list *l, uint32_t species,
                   const struct htmt__pic_particle *q, struct sorted *sorted)
{
    if (l->all < p->mail) {
        l->at[l->all++] = *q;
        l->count[species]++;
    } else if (!sorted->full) {
        sorted->full = 1 + HTMT__PIC_SPECIES_MAX;
        sorted->found = p->mail + 1;
    }
}

/* A particle of this species goes where it belongs, or a step on its way there. */
static void place(struct places *w, uint32_t species, const struct htmt__pic_particle *q)
{
    const double x[3] = {q->x, q->y, q->z};
    w->sorted->moved++;
    for (unsigned a = w->axis; a < 3; a++) {
        const uint32_t parts = w->p->p[a], here = w->d->at[a],
                       there = htmt__pic_part(w->p->problem.n[a], parts, (uint32_t)x[a]);
        if (there == here)
            continue;
        const bool up = there == (here + 1) % parts, down = here == (there + 1) % parts;
        w->sorted->far += !up && !down;
        append(w->p, a == w->axis ? &w->out[up] : &w->transit, species, q, w->sorted);
        return;
    }
    if (w->count[species] < w->p->room[species]) {
        w->own[w->count[species]++] = *q;
    } else if (!w->sorted->full) {
        w->sorted->full = 1 + species;
        w->sorted->found = w->p->room[species] + 1;
    }
}

static void count_sorted(const struct places *w)
{
    w->sorted->stay = 0;
    for (int i = 0; i < 2; i++)
        w->sorted->out[i] = w->axis < 3 ? w->out[i].all : 0;
    for (uint32_t s = 0; s < w->p->problem.species; s++)
        w->sorted->stay += w->count[s];
}

static struct htmt__pic_motion motion_of(const mpp *p, const struct htmt__pic_box *box, uint32_t s,
                                         bool first)
{
    const double dt = p->deck.dt, per_mass = p->charge[s] / p->mass[s];
    struct htmt__pic_motion m = {
        .before = first ? 0 : per_mass * dt / 2, .after = per_mass * dt / 2, .dt = dt};
    for (int a = 0; a < 3; a++) {
        m.n[a] = p->plan.problem.n[a];
        m.lo[a] = box->lo[a];
        m.hi[a] = box->lo[a] + box->n[a];
    }
    return m;
}

/* Uses: particles, their numbers, the field, the reports, the messages, transit, scratch. Those
 * that have left lie behind the others; placing one never writes to the node's own, but those that
 * the wrap round a box of one part has brought back. */
static void push_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const mpp *p = m->p;
    const node *d = &p->node[m->node];
    struct htmt__pic_pushed *report = htmt_used(k, 3);
    char *out = htmt_used(k, 4);
    struct places w = {.p = &p->plan,
                       .d = d,
                       .out = {list_of(out), list_of(out + p->plan.part[HTMT__PIC_MPP_OUT] * 8)},
                       .transit = list_of(htmt_used(k, 5)),
                       .own = htmt_used(k, 0),
                       .count = htmt_used(k, 1),
                       .sorted = htmt_kernel_result(k)};
    *w.sorted = (struct sorted){0};
    for (int i = 0; i < 2; i++)
        begin_list(&w.out[i]);
    begin_list(&w.transit);
    for (uint32_t s = 0; s < p->plan.problem.species; w.own += p->plan.room[s++]) {
        const struct htmt__pic_motion motion = motion_of(p, &d->box, s, m->step == 0);
        htmt__pic_push(w.own, w.count[s], htmt_used(k, 2), &d->box, &motion, htmt_used(k, 6),
                       &report[s]);
        const uint64_t all = w.count[s];
        w.count[s] = report[s].stay;
        for (uint64_t i = report[s].stay; i < all; i++) {
            const struct htmt__pic_particle q = w.own[i];
            place(&w, s, &q);
        }
    }
    count_sorted(&w);
}

static void push(struct htmt_context *c, struct htmt_slot done)
{
    (void)done;
    use(c, HTMT__PIC_MPP_PARTICLES, HTMT_UPDATE);
    use(c, HTMT__PIC_MPP_COUNTS, HTMT_UPDATE);
    use(c, HTMT__PIC_MPP_FIELD, HTMT_READ);
    use(c, HTMT__PIC_MPP_PUSHED, HTMT_WRITE);
    use(c, HTMT__PIC_MPP_OUT, HTMT_WRITE);
    use_parts(c, HTMT__PIC_MPP_TRANSIT, 0, 1, HTMT_WRITE);
    use(c, HTMT__PIC_MPP_SCRATCH, HTMT_WRITE);
}

/* Those of the list that has been read so far, of a species. */
static void place_list(struct places *w, struct list *from, uint32_t species)
{
    for (uint64_t i = 0; i < from->count[species]; i++)
        place(w, species, &from->at[from->all++]);
}

/* What came along the axis before, and what was in transit. Uses: particles, their numbers, what
 * came, transit, and unless all are at home the messages. */
static void sort_axis(struct htmt_kernel *k, unsigned axis)
{
    const struct activation *m = kernel_of(k);
    const plan *p = &m->p->plan;
    char *came = htmt_used(k, 2), *transit = htmt_used(k, 3), *out = axis < 3 ? htmt_used(k, 4) : 0;
    const uint64_t bytes = p->part[HTMT__PIC_MPP_TRANSIT] * HTMT_WORD; /* OUT's and IN's, too */
    const bool turn = axis % 2;
    struct list from[3] = {list_of(transit + !turn * bytes), list_of(came), list_of(came + bytes)};
    struct places w = {.p = p,
                       .d = &m->p->node[m->node],
                       .axis = axis,
                       .transit = list_of(transit + turn * bytes),
                       .own = htmt_used(k, 0),
                       .count = htmt_used(k, 1),
                       .sorted = htmt_kernel_result(k)};
    *w.sorted = (struct sorted){0};
    for (unsigned i = 0; i < 2 && out; i++) {
        w.out[i] = list_of(out + i * bytes);
        begin_list(&w.out[i]);
    }
    begin_list(&w.transit);
    for (uint32_t s = 0; s < p->problem.species; w.own += p->room[s++])
        for (int i = 0; i < 3; i++)
            place_list(&w, &from[i], s);
    count_sorted(&w);
}

static void sort_y_kernel(struct htmt_kernel *k)
{
    sort_axis(k, 1);
}

static void sort_z_kernel(struct htmt_kernel *k)
{
    sort_axis(k, 2);
}

/* And the particles' part of the record. */
static void settle_kernel(struct htmt_kernel *k)
{
    const struct activation *m = kernel_of(k);
    const struct htmt__pic_pushed *report = htmt_used(k, 4);
    struct htmt__pic_record *r = htmt_used(k, 5);
    sort_axis(k, 3);
    for (uint32_t s = 0; s < m->p->plan.problem.species; s++) {
        for (int a = 0; a < 3; a++) {
            r->kinetic += m->p->mass[s] / 2 * report[s].square[a];
            r->momentum[a] += m->p->mass[s] * report[s].velocity[a];
        }
        r->particles += (double)report[s].count;
    }
}

static void use_sorted(struct htmt_context *c, unsigned axis)
{
    use(c, HTMT__PIC_MPP_PARTICLES, HTMT_UPDATE);
    use(c, HTMT__PIC_MPP_COUNTS, HTMT_UPDATE);
    use_parts(c, HTMT__PIC_MPP_IN, (axis + 1) % 2 * 2, 2, HTMT_READ);
    use(c, HTMT__PIC_MPP_TRANSIT, HTMT_UPDATE);
    if (axis < 3)
        use(c, HTMT__PIC_MPP_OUT, HTMT_WRITE);
}

static void sort_y(struct htmt_context *c, struct htmt_slot done)
{
    (void)done;
    use_sorted(c, 1);
}

static void sort_z(struct htmt_context *c, struct htmt_slot done)
{
    (void)done;
    use_sorted(c, 2);
}

static void settle(struct htmt_context *c, struct htmt_slot done)
{
    (void)done;
    use_sorted(c, 3);
    use(c, HTMT__PIC_MPP_PUSHED, HTMT_READ);
    use(c, HTMT__PIC_MPP_SUM, HTMT_UPDATE);
}

/* ---- what follows from what was found ------------------------------------------------------- */

static void charge(struct htmt_context *c, enum htmt__pic_mpp_phase phase, uint64_t moved)
{
    const struct activation *m = htmt_args(c);
    const struct htmt_ops ops = htmt__pic_mpp_ops(&m->p->plan, &m->p->node[m->node], phase, moved);
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++)
        if (ops.n[k])
            htmt_charge(c, (enum htmt_op)k, ops.n[k]);
}

/* What the kernel before has left; of a model what the deck lets expect. */
static struct sorted found(struct htmt_context *c, enum htmt__pic_mpp_phase phase)
{
    struct activation *m = htmt_args(c);
    const plan *p = &m->p->plan;
    struct sorted s = {.stay = m->particles};
    if (!htmt_is_model(c)) {
        s = *(const struct sorted *)htmt_result(c);
    } else {
        s.moved = htmt__pic_mpp_expected(p, m->node, phase);
        if (phase != HTMT__PIC_MPP_RECORD)
            htmt__pic_mpp_leaving(p, m->node, (phase - HTMT__PIC_MPP_LEAVE_X) / 2, s.out);
    }
    if (s.far)
        htmt_fail(c, HTMT_ERANGE,
                  "step %" PRIu64 ": found %" PRIu64
                  " particles that move by more than the box of node %" PRIu32
                  ", expected none: fewer --slices, or a shorter step",
                  m->step, s.far, m->node);
    else if (s.full > HTMT__PIC_SPECIES_MAX)
        htmt_fail(c, HTMT_ECAPACITY,
                  "step %" PRIu64 ": found %" PRIu64 " particles or more that leave node %" PRIu32
                  " in one direction, expected at most %" PRIu64 ": --mail has room for more",
                  m->step, s.found, m->node, p->mail);
    else if (s.full)
        htmt_fail(c, HTMT_ECAPACITY,
                  "step %" PRIu64 ": found %" PRIu64 " particles or more of species %s in node "
                  "%" PRIu32 ", expected at most %" PRIu64 ", twice the mean",
                  m->step, s.found, m->p->deck.species[s.full - 1].name, m->node,
                  p->room[s.full - 1]);
    return s;
}

static void leave(struct htmt_context *c, struct htmt_slot done)
{
    const enum htmt__pic_mpp_phase phase = htmt__peers_phase(c);
    const struct activation *m = htmt_args(c);
    const struct sorted s = found(c, phase);
    const uint64_t words[2] = {HTMT__PIC_MPP_HEAD + HTMT__PIC_PARTICLE_WORDS * s.out[0],
                               HTMT__PIC_MPP_HEAD + HTMT__PIC_PARTICLE_WORDS * s.out[1]};
    if (s.far || s.full)
        return;
    m->p->site[m->node].migrated += s.out[0] + s.out[1];
    charge(c, phase, s.moved);
    send(c, done, phase, words);
}

static void record(struct htmt_context *c, struct htmt_slot done)
{
    struct activation *m = htmt_args(c);
    const struct sorted s = found(c, HTMT__PIC_MPP_RECORD);
    m->particles = s.stay;
    charge(c, HTMT__PIC_MPP_RECORD, s.moved);
    htmt_allreduce(c, m->p->sum, done);
}

static void keep_kernel(struct htmt_kernel *k)
{
    memcpy(htmt_used(k, 1), htmt_used(k, 0), sizeof(struct htmt__pic_record));
}

static void keep(struct htmt_context *c, struct htmt_slot done)
{
    struct activation *m = htmt_args(c);
    const uint64_t bytes = sizeof(struct htmt__pic_record);
    (void)done;
    use(c, HTMT__PIC_MPP_SUM, HTMT_READ);
    htmt_use(c, htmt_at(m->p->area[HTMT__PIC_MPP_SERIES], m->node, m->step * bytes), bytes,
             HTMT_WRITE);
    m->step++;
}

static uint32_t next(struct htmt_context *c, uint32_t over)
{
    const struct activation *m = htmt_args(c);
    if (over != HTMT__PIC_MPP_KEEP)
        return over + 1;
    return m->step < m->p->plan.steps ? HTMT__PIC_MPP_DEPOSIT : HTMT__PEERS_END;
}

/* ---- set-up --------------------------------------------------------------------------------- */

#define COST(name, phase)                                                                          \
    static void name(const void *args, const void *user, struct htmt_ops *ops)                     \
    {                                                                                              \
        const struct activation *m = args;                                                         \
        (void)user;                                                                                \
        *ops = htmt__pic_mpp_ops(&m->p->plan, &m->p->node[m->node], phase, m->particles);          \
    }
COST(deposit_cost, HTMT__PIC_MPP_DEPOSIT)
COST(fold_x_cost, HTMT__PIC_MPP_FOLD_X)
COST(fold_y_cost, HTMT__PIC_MPP_FOLD_Y)
COST(fold_z_cost, HTMT__PIC_MPP_FOLD_Z)
COST(rows_cost, HTMT__PIC_MPP_ROWS)
COST(columns_cost, HTMT__PIC_MPP_COLUMNS)
COST(solve_cost, HTMT__PIC_MPP_SOLVE)
COST(columns_back_cost, HTMT__PIC_MPP_COLUMNS_BACK)
COST(rows_back_cost, HTMT__PIC_MPP_ROWS_BACK)
COST(cut_cost, HTMT__PIC_MPP_CUT)
COST(push_cost, HTMT__PIC_MPP_PUSH)
COST(sort_cost, HTMT__PIC_MPP_SETTLE) /* charged behind it */
COST(keep_cost, HTMT__PIC_MPP_KEEP)

static const struct htmt__phase table[HTMT__PIC_MPP_PHASES] = {
    {"deposit", deposit_kernel, deposit_cost, .act = deposit},
    {"fold x", fold_x_kernel, fold_x_cost, .act = fold_and_send},
    {"fold y", fold_y_kernel, fold_y_cost, .act = fold_and_send},
    {"fold z", fold_z_kernel, fold_z_cost, .act = fold_and_send},
    {"rows", rows_kernel, rows_cost, .act = rows},
    {"columns", columns_kernel, columns_cost, .act = columns},
    {"solve", solve_kernel, solve_cost, .act = solve},
    {"columns back", columns_back_kernel, columns_back_cost, .act = columns_back},
    {"rows back", rows_back_kernel, rows_back_cost, .act = rows_back},
    {"cut", cut_kernel, cut_cost, .act = cut},
    {"guard x", .act = guard},
    {"guard y", .act = guard},
    {"guard z", .act = guard},
    {"push", push_kernel, push_cost, .act = push},
    {"leave x", .act = leave, .steered = true},
    {"sort y", sort_y_kernel, sort_cost, .act = sort_y},
    {"leave y", .act = leave, .steered = true},
    {"sort z", sort_z_kernel, sort_cost, .act = sort_z},
    {"leave z", .act = leave, .steered = true},
    {"settle", settle_kernel, sort_cost, .act = settle},
    {"record", .act = record, .steered = true},
    {"keep", keep_kernel, keep_cost, .act = keep},
};

static void add_records(void *into, const void *from, uint64_t bytes)
{
    double *to = into;
    const double *other = from;
    for (uint64_t i = 0; i < bytes / sizeof *to; i++)
        to[i] += other[i];
}

static int create_objects(mpp *p)
{
    static const char *const names[HTMT__PIC_MPP_AREAS] = {
        "particles", "numbers",    "charge tile", "faces",      "rho",     "E",
        "rows of x", "modes of x", "modes of y",  "modes of z", "scratch", "field tile",
        "leaving",   "arrived",    "in transit",  "pushed",     "record",  "series"};
    int rc = 0;
    for (int i = 0; i < HTMT__PIC_MPP_AREAS && !rc; i++)
        rc = htmt_frame_create(p->e, p->plan.place.layer, p->plan.area[i] * HTMT_WORD, names[i],
                               &p->area[i]);
    const struct htmt_allreduce_desc sum = {.frame = p->area[HTMT__PIC_MPP_SUM],
                                            .bytes = sizeof(struct htmt__pic_record),
                                            .combine = add_records,
                                            .ops = htmt__pic_add_ops(HTMT__PIC_RECORD_WORDS),
                                            .name = "record"};
    return rc ? rc : htmt_allreduce_create(p->e, &sum, &p->sum);
}

static void name_node(void *args, uint32_t number)
{
    struct activation *m = args;
    const plan *p = &m->p->plan;
    m->node = number;
    for (uint32_t s = 0; s < p->problem.species; s++)
        m->particles += m->p->site[number].taken[s];
}

static int create_peers(mpp *p)
{
    struct htmt__phase phases[HTMT__PIC_MPP_PHASES];
    const struct activation args = {.p = p};
    memcpy(phases, table, sizeof phases);
    for (int i = 0; i < HTMT__PIC_MPP_PHASES; i++) {
        const enum htmt__pic_mpp_phase phase = (enum htmt__pic_mpp_phase)i;
        phases[i].barrier = htmt__pic_mpp_has_barrier(phase);
        phases[i].awaited =
            phase == HTMT__PIC_MPP_RECORD ? 1 : htmt__pic_mpp_awaited(&p->plan, phase);
    }
    const struct htmt__peers_desc d = {.e = p->e,
                                       .type = "Plasma's Node",
                                       .place = p->plan.place,
                                       .phases = phases,
                                       .count = HTMT__PIC_MPP_PHASES,
                                       .first = HTMT__PIC_MPP_DEPOSIT,
                                       .next = next,
                                       .args = &args,
                                       .args_bytes = sizeof args,
                                       .result_bytes = sizeof(struct sorted),
                                       .each = name_node};
    return htmt__peers_create(&d, &p->peers);
}

static int create_lines(mpp *p, struct htmt_fault *fault)
{
    const uint32_t *n = p->plan.problem.n;
    int rc = 0;
    for (uint32_t i = 0; i < 2 * p->plan.nodes && !rc; i++) {
        const node *d = &p->node[i / 2];
        rc = htmt__pic_line_add(&p->lines, n[0], 1, i % 2, fault);
        if (!rc)
            rc = htmt__pic_line_add(&p->lines, n[1], d->modes_x, i % 2, fault);
        if (!rc)
            rc = htmt__pic_line_add(&p->lines, n[2], d->modes_x * d->modes_y, i % 2, fault);
    }
    return rc;
}

static uint32_t home_of(const plan *p, const struct htmt__pic_particle *q)
{
    const uint32_t i = htmt__pic_part(p->problem.n[0], p->p[0], (uint32_t)q->x),
                   j = htmt__pic_part(p->problem.n[1], p->p[1], (uint32_t)q->y),
                   k = htmt__pic_part(p->problem.n[2], p->p[2], (uint32_t)q->z);
    return (k * p->p[1] + j) * p->p[0] + i;
}

static void *bytes_of(const mpp *p, enum htmt__pic_mpp_area area, uint32_t number)
{
    return htmt_object_bytes(htmt_at(p->area[area], number, 0).object);
}

/* The particles of the start go to their nodes; a model run has the mean of them, or the numbers of
 * the captured run. */
static int fill(mpp *p, const struct htmt__pic_particles *from, struct htmt_fault *fault)
{
    uint64_t before = 0;
    for (uint32_t s = 0; s < p->plan.problem.species; before += p->plan.room[s++]) {
        for (uint32_t i = 0; i < p->plan.nodes && !from; i++)
            p->site[i].taken[s] = p->plan.problem.per_cell[s] * htmt__pic_cells(&p->node[i].box);
        for (uint64_t i = 0; from && i < from->of[s].count; i++) {
            const struct htmt__pic_particle *q = &from->of[s].at[i];
            const uint32_t home = home_of(&p->plan, q);
            struct htmt__pic_particle *own = bytes_of(p, HTMT__PIC_MPP_PARTICLES, home);
            const uint64_t place = p->site[home].taken[s]++;
            if (place >= p->plan.room[s])
                return htmt_fault_set(fault, HTMT_ECAPACITY,
                                      "node %" PRIu32 ": found %" PRIu64
                                      " particles or more of species %s, expected at most %" PRIu64
                                      ", twice the mean",
                                      home, place + 1, p->deck.species[s].name, p->plan.room[s]);
            own[before + place] = *q;
            ((uint64_t *)bytes_of(p, HTMT__PIC_MPP_COUNTS, home))[s]++;
        }
    }
    int rc = 0;
    for (uint32_t i = 0; i < p->plan.nodes && !rc; i++)
        rc = htmt_keep(p->e, p->site[i].taken, sizeof p->site[i].taken);
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(p->e)->text) : 0;
}

static int build(mpp *p, const struct htmt__pic_particles *particles, struct htmt_fault *fault)
{
    p->node = calloc(p->plan.nodes, sizeof *p->node);
    p->site = htmt_per_slice_create(p->plan.nodes, sizeof *p->site);
    if (!p->node || !p->site)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    for (uint32_t i = 0; i < p->plan.nodes; i++)
        p->node[i] = htmt__pic_mpp_node(&p->plan, i);
    int rc = create_objects(p);
    if (rc)
        return htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(p->e)->text);
    rc = fill(p, particles, fault);
    if (!rc && particles)
        rc = create_lines(p, fault);
    if (rc)
        return rc;
    rc = create_peers(p);
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(p->e)->text) : 0;
}

int htmt__pic_mpp_create(struct htmt_emulator *e, const plan *of, const struct htmt__pic_deck *deck,
                         const struct htmt__pic_particles *particles, bool named, mpp **program,
                         struct htmt_fault *fault)
{
    if (of->nodes != htmt_emulator_slices(e))
        return htmt_fault_set(fault, HTMT_EINVAL, "found %u slices, expected %" PRIu32,
                              htmt_emulator_slices(e), of->nodes);
    mpp *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->e = e;
    p->plan = *of;
    p->deck = *deck;
    p->named = named;
    p->background = htmt__pic_deck_background(deck);
    p->mode = htmt__pic_mode(deck);
    for (uint32_t s = 0; particles && s < particles->species; s++) {
        p->charge[s] = particles->of[s].charge;
        p->mass[s] = particles->of[s].mass;
    }
    int rc = build(p, particles, fault);
    if (rc)
        htmt__pic_mpp_destroy(&p);
    else
        *program = p;
    return rc;
}

void htmt__pic_mpp_destroy(mpp **program)
{
    mpp *p = *program;
    if (!p)
        return;
    htmt__peers_destroy(&p->peers);
    htmt__pic_line_destroy(&p->lines);
    free(p->node);
    free(p->site);
    free(p);
    *program = NULL;
}

/* ---- results -------------------------------------------------------------------------------- */

uint64_t htmt__pic_mpp_migrated(const mpp *p)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < p->plan.nodes; i++)
        all += p->site[i].migrated;
    return all;
}

void htmt__pic_mpp_records(const mpp *p, struct htmt__pic_record *record, uint64_t *steps)
{
    const struct htmt__pic_record *from = bytes_of(p, HTMT__PIC_MPP_SERIES, 0);
    *steps = 0;
    while (*steps < p->plan.steps && from[*steps].particles > 0)
        (*steps)++;
    memcpy(record, from, *steps * sizeof *record);
}

int htmt__pic_mpp_audit(const mpp *p, struct htmt_fault *fault)
{
    for (uint32_t s = 0; s < p->plan.problem.species; s++) {
        uint64_t taken = 0, left = 0;
        for (uint32_t i = 0; i < p->plan.nodes; i++) {
            taken += p->site[i].taken[s];
            left += ((const uint64_t *)bytes_of(p, HTMT__PIC_MPP_COUNTS, i))[s];
        }
        if (left != taken)
            return htmt_fault_set(fault, HTMT_EAUDIT,
                                  "species %" PRIu32 ": found %" PRIu64
                                  " particles at the end, expected %" PRIu64,
                                  s, left, taken);
    }
    return 0;
}

int htmt__pic_mpp_particles(const mpp *p, struct htmt__pic_particles *out, struct htmt_fault *fault)
{
    uint64_t before = 0;
    int rc = htmt__pic_mpp_audit(p, fault);
    for (uint32_t s = 0; s < out->species && !rc; before += p->plan.room[s++]) {
        struct htmt__pic_species *to = &out->of[s];
        to->count = 0;
        for (uint32_t i = 0; i < p->plan.nodes; i++) {
            const struct htmt__pic_particle *own = bytes_of(p, HTMT__PIC_MPP_PARTICLES, i);
            const uint64_t count = ((const uint64_t *)bytes_of(p, HTMT__PIC_MPP_COUNTS, i))[s];
            memcpy(to->at + to->count, own + before, count * sizeof *own);
            to->count += count;
        }
    }
    return rc;
}

void htmt__pic_mpp_fields(const mpp *p, struct htmt__pic_fields *f)
{
    for (uint32_t i = 0; i < p->plan.nodes; i++) {
        const struct htmt__pic_box *box = &p->node[i].box;
        for (uint64_t field = 0; field < HTMT__PIC_FIELDS; field++) {
            const double *from = field == HTMT__PIC_RHO
                                     ? bytes_of(p, HTMT__PIC_MPP_RHO, i)
                                     : (const double *)bytes_of(p, HTMT__PIC_MPP_E, i) +
                                           (field - HTMT__PIC_EX) * p->plan.part[HTMT__PIC_MPP_E];
            for (uint32_t z = 0; z < box->n[2]; z++)
                for (uint32_t y = 0; y < box->n[1]; y++, from += box->n[0]) {
                    const uint64_t plane = field * f->n[2] + box->lo[2] + z,
                                   row = plane * f->n[1] + box->lo[1] + y;
                    memcpy(f->at + row * f->n[0] + box->lo[0], from, box->n[0] * sizeof *from);
                }
        }
    }
}
