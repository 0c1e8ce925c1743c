/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipeline of a parcel, the phases of a step, and their sums.
 */
#include "apps/pic/closed_form.h"

#include "apps/pic/counts.h"

typedef struct htmt__pic_prediction prediction;
typedef struct htmt__pic_pipeline pipeline;

/* The words and the operations of a parcel of a phase. */
struct load {
    uint64_t in, out; /* words */
    struct htmt_ops assembly, dispatch, execute;
};

/* ---- pipeline ------------------------------------------------------------------------------- */

static htmt_wide longest(const htmt_wide *of, size_t count)
{
    htmt_wide most = 0;
    for (size_t i = 0; i < count; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

static htmt_wide share(htmt_wide time, uint64_t among)
{
    return (time + among / 2) / among;
}

/* A move without contention. No words: no move. */
static int move_time(const struct htmt_machine *m, uint32_t from, uint32_t to, bool across,
                     uint64_t words, struct htmt__pic_move *move)
{
    int network = htmt_machine_route(m, from, to, across);
    *move = (struct htmt__pic_move){0, 0, 0};
    if (!words || network < 0)
        return 0;
    uint32_t n = (uint32_t)network;
    htmt_time out = htmt_machine_out_time(m, n, from, to, words, 1, 1);
    htmt_time in = htmt_machine_in_time(m, n, to, words, 1);
    htmt_wide ends[] = {share(out, m->network[n].port[from].out),
                        share(in, m->network[n].port[to].in ? m->network[n].port[to].in : 1)};
    *move = (struct htmt__pic_move){out > in ? out : in, m->network[n].latency, longest(ends, 2)};
    return out < 0 || in < 0 ? HTMT_EOVERFLOW : 0;
}

static int moves(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                 const struct load *load, pipeline *out)
{
    int rc = move_time(m, p->outer, p->middle, false, load->in, &out->gather);
    if (!rc)
        rc = move_time(m, p->middle, p->inner, false, load->in, &out->inject);
    if (!rc)
        rc = move_time(m, p->inner, p->middle, false, load->out, &out->eject);
    return rc ? rc : move_time(m, p->middle, p->outer, false, load->out, &out->scatter);
}

static htmt_wide length(const struct htmt__pic_move *move)
{
    return (htmt_wide)move->busy + move->latency;
}

static void compose(pipeline *l)
{
    l->loop = length(&l->inject) + l->execute + length(&l->eject);
    l->assemblies = share(l->assembly, l->dpims);
    l->dispatches = share(l->dispatch, l->spims);
    l->loops = share(l->loop, l->buffers);
    htmt_wide each[] = {l->assemblies, l->gather.apart, l->dispatches,    l->inject.apart,
                        l->execute,    l->eject.apart,  l->scatter.apart, l->loops};
    l->period = longest(each, sizeof each / sizeof *each);
    l->first = l->assembly + length(&l->gather) + l->dispatch + l->loop + length(&l->scatter);
}

static int lay_pipeline(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                        const struct load *load, pipeline *out)
{
    uint64_t space = load->in + load->out, room = htmt_machine_room(m, p->inner);
    *out = (pipeline){.words = load->in,
                      .dpims = htmt_machine_servers(m, p->outer),
                      .spims = htmt_machine_servers(m, p->middle),
                      .buffers = space && room > space ? room / space : 1,
                      .assembly = htmt_machine_work(m, p->outer, &load->assembly),
                      .dispatch = htmt_machine_work(m, p->middle, &load->dispatch),
                      .execute = htmt_machine_work(m, p->inner, &load->execute)};
    int rc = moves(m, p, load, out);
    if (rc || out->assembly < 0 || out->dispatch < 0 || out->execute < 0)
        return HTMT_EOVERFLOW;
    compose(out);
    return 0;
}

static htmt_wide pipeline_time(const pipeline *l, uint64_t parcels)
{
    return parcels ? l->first + (htmt_wide)(parcels - 1) * l->period : 0;
}

/* ---- push parcels --------------------------------------------------------------------------- */

/* Mean number of particles of a species in a full block. */
static uint64_t particles_of(const struct htmt__pic_plan *p, uint32_t species)
{
    uint64_t edge = p->edge, cells = edge * edge * edge;
    if (p->problem.n[0])
        cells = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    uint64_t mean = p->problem.per_cell[species] * cells;
    return p->problem.n[0] && mean > p->room ? p->room : mean;
}

static uint32_t most_crowded(const struct htmt__pic_plan *p)
{
    uint32_t most = 0;
    for (uint32_t s = 1; s < p->problem.species; s++)
        if (p->problem.per_cell[s] > p->problem.per_cell[most])
            most = s;
    return most;
}

static struct load push_load(const struct htmt__pic_plan *p, uint32_t species)
{
    const struct htmt__pic_charges *c = &p->problem.charges;
    uint64_t count = particles_of(p, species), in = p->parcel_words;
    uint64_t out = HTMT__PIC_PARTICLE_WORDS * count + HTMT__PIC_REPORT_WORDS;
    if (p->problem.n[0])
        in = c->code + htmt__pic_field_words(c, p->block[0], p->block[1], p->block[2]) +
             HTMT__PIC_PARTICLE_WORDS * count;
    else
        out = p->problem.eject ? in : 0;
    return (struct load){.in = in,
                         .out = out,
                         .assembly = htmt__pic_assembly_ops(c),
                         .dispatch = htmt__pic_dispatch_ops(c),
                         .execute = htmt__pic_push_ops(c, count)};
}

/* Results use the space of the inputs, so a parcel takes the words that went up. */
static int lay_push_of(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                       uint32_t species, pipeline *out)
{
    struct load load = push_load(p, species);
    int rc = lay_pipeline(m, p, &load, out);
    uint64_t fit = htmt_machine_room(m, p->inner) / (load.in ? load.in : 1);
    out->buffers = p->problem.n[0] && fit ? fit : p->buffers;
    if (!rc)
        compose(out);
    return rc;
}

static int lay_push(const struct htmt_machine *m, prediction *p)
{
    return lay_push_of(m, &p->plan, most_crowded(&p->plan), &p->push);
}

/* ---- a problem without cells ---------------------------------------------------------------- */

static void predict_alone(prediction *p)
{
    const uint64_t n = p->plan.parcels;
    p->total = p->step = pipeline_time(&p->push, n);
    p->flops =
        (double)p->plan.problem.charges.flop * (double)p->particles * (double)n * p->plan.slices;
}

/* ---- a problem with cells: phases ----------------------------------------------------------- */

static int phase(const struct htmt_machine *m, const struct htmt__pic_plan *p, struct load load,
                 uint64_t parcels, htmt_wide *time)
{
    pipeline l;
    int rc = lay_pipeline(m, p, &load, &l);
    *time = rc ? 0 : pipeline_time(&l, parcels);
    return rc;
}

/* Equal parcels on DPIMs: rounds of one parcel for each DPIM. */
static int rounds(const struct htmt_machine *m, const struct htmt__pic_plan *p, struct htmt_ops ops,
                  uint64_t parcels, htmt_wide *time)
{
    uint64_t dpims = htmt_machine_servers(m, p->outer);
    htmt_time each = htmt_machine_work(m, p->outer, &ops);
    *time = (htmt_wide)((parcels + dpims - 1) / dpims) * each;
    return each < 0 ? HTMT_EOVERFLOW : 0;
}

/* Time for `words` words that leave a slice for others. */
static int exchange(const struct htmt_machine *m, const struct htmt__pic_plan *p, uint64_t words,
                    htmt_wide *time)
{
    struct htmt__pic_move move = {0, 0, 0};
    int rc = p->slices > 1 ? move_time(m, p->outer, p->outer, true, words, &move) : 0;
    *time = length(&move);
    return rc;
}

static uint64_t lines(uint64_t all, uint64_t each)
{
    return (all + each - 1) / each;
}

/* Words of the guard points, with one number a point. */
static uint64_t guard_words(const struct htmt__pic_plan *p)
{
    uint64_t y = p->py > 1 ? 2ul * p->largest[2] : 0, z = p->pz > 1 ? 2ul * p->largest[1] : 0;
    return p->slices > 1 ? (y + z + 4) * p->largest[0] : 0;
}

static int deposit_of(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                      uint32_t species, pipeline *out)
{
    uint64_t count = particles_of(p, species);
    struct load load = {.in = HTMT__PIC_POSITION_WORDS * count,
                        .out = htmt__pic_points(p->block),
                        .execute = htmt__pic_deposit_ops(count)};
    return lay_pipeline(m, p, &load, out);
}

/* Parcels of all species of a slice, one pipeline after the other without draining between. */
static int of_species(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                      int (*lay)(const struct htmt_machine *, const struct htmt__pic_plan *,
                                 uint32_t, pipeline *),
                      htmt_wide *time)
{
    htmt_wide first = 0, periods = 0, least = 0;
    int rc = 0;
    for (uint32_t s = 0; s < p->problem.species && !rc; s++) {
        pipeline l;
        rc = lay(m, p, s, &l);
        if (rc)
            break;
        first = l.first > first ? l.first : first;
        least = !s || l.period < least ? l.period : least;
        periods += (htmt_wide)p->blocks * l.period;
    }
    *time = first + periods - least;
    return rc;
}

static int predict_charge(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                          struct htmt__pic_step *t)
{
    uint64_t points = htmt__pic_points(p->block);
    uint64_t tiles = p->problem.species * p->blocks * points, row = p->largest[0];
    int rc = of_species(m, p, deposit_of, &t->deposit);
    if (!rc)
        rc = rounds(m, p, htmt__pic_add_ops(tiles / (p->largest[2] + 2)), p->largest[2] + 2,
                    &t->sum);
    if (!rc)
        rc = exchange(m, p, guard_words(p), &t->guard);
    if (!rc)
        rc = rounds(m, p, htmt__pic_add_ops(row * 2 * (p->largest[1] + p->largest[2] + 2)), 1,
                    &t->fold);
    return rc;
}

static int predict_lines(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                         struct htmt__pic_step *t)
{
    const uint32_t *n = p->problem.n, *l = p->largest;
    const uint64_t modes = 2ul * p->modes;
    const uint64_t x_parcels = l[2] * lines(l[1], p->rows_x);
    const uint64_t y_parcels = l[2] * lines(p->modes_x, p->columns_y);
    const uint64_t z_parcels = lines((uint64_t)p->modes_x * p->modes_y, p->columns_z);
    const uint64_t y_words = 2ul * n[1] * p->columns_y, z_words = 2ul * n[2] * p->columns_z;
    struct load x = {.in = (uint64_t)n[0] * p->rows_x,
                     .out = modes * p->rows_x,
                     .execute = htmt__pic_x_ops(n[0], p->rows_x, false)};
    struct load back = {
        .in = x.out, .out = x.in, .execute = htmt__pic_x_ops(n[0], p->rows_x, true)};
    struct load y = {.in = y_words, .out = y_words, .execute = htmt__pic_y_ops(n[1], p->columns_y)};
    struct load z = {
        .in = z_words, .out = 3 * z_words, .execute = htmt__pic_solve_ops(n[2], p->columns_z)};
    int rc = phase(m, p, x, x_parcels, &t->x);
    if (!rc)
        rc = phase(m, p, y, y_parcels, &t->y);
    if (!rc)
        rc = phase(m, p, z, z_parcels, &t->solve);
    if (!rc)
        rc = phase(m, p, y, 3 * y_parcels, &t->y_back);
    return rc ? rc : phase(m, p, back, 3 * x_parcels, &t->x_back);
}

static int predict_transposes(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                              struct htmt__pic_step *t)
{
    const uint32_t *l = p->largest;
    const uint64_t in_x = 2ul * l[1] * l[2] * p->modes * (p->py - 1) / p->py;
    const uint64_t in_y = 2ul * p->problem.n[1] * l[2] * p->modes_x * (p->pz - 1) / p->pz;
    int rc = exchange(m, p, in_x, &t->to_y);
    if (!rc)
        rc = exchange(m, p, in_y, &t->to_z);
    if (!rc)
        rc = exchange(m, p, 3 * in_y, &t->from_z);
    if (!rc)
        rc = exchange(m, p, 3 * in_x, &t->from_y);
    return rc ? rc : exchange(m, p, HTMT__PIC_FIELD_WORDS * guard_words(p), &t->field_guard);
}

/* Records of bundles and blocks on one DPIM; then the rounds of exchange and addition: the
 * logarithm of the slices to base 2, rounded down. Slices beyond the last power of two add one
 * round and a way back. */
static int predict_record(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                          struct htmt__pic_step *t)
{
    htmt_wide series = 0, way = 0, add = 0;
    uint32_t levels = 0;
    bool beyond = p->slices & (p->slices - 1);
    while (p->slices >> (levels + 1))
        levels++;
    int rc = rounds(m, p, htmt__pic_record_ops(p), 1, &t->record);
    if (!rc)
        rc = exchange(m, p, HTMT__PIC_RECORD_WORDS, &way);
    if (!rc)
        rc = rounds(m, p, htmt__pic_add_ops(HTMT__PIC_RECORD_WORDS), 1, &add);
    if (!rc)
        rc = rounds(m, p, htmt__pic_series_ops(), 1, &series);
    t->record += (levels + beyond) * (way + add) + beyond * way + series;
    return rc;
}

/* Particles of a block that leave the block; particles of a slice that leave the slice. */
static double leaving(const struct htmt__pic_plan *p, uint32_t species, const uint32_t n[3],
                      bool whole[3])
{
    double count = (double)p->problem.per_cell[species] * n[0] * n[1] * n[2], sum = 0;
    for (int a = 0; a < 3; a++)
        sum += whole[a] ? 0 : count * p->problem.flux[species][a] / n[a];
    return sum;
}

/* Sort the bundles, send particles to other slices (request, grant, message), and take them into
 * bundles. */
static int predict_migration(const struct htmt_machine *m, const struct htmt__pic_plan *p,
                             struct htmt__pic_step *t)
{
    bool inside[3] = {false, false, false}, outside[3] = {true, p->py == 1, p->pz == 1};
    double from_blocks = 0, from_slice = 0;
    struct htmt__pic_move ask = {0, 0, 0};
    for (uint32_t s = 0; s < p->problem.species; s++) {
        from_blocks += leaving(p, s, p->block, inside);
        from_slice += leaving(p, s, p->largest, outside);
    }
    uint64_t team = (uint64_t)(from_blocks * p->blocks / p->teams + 0.5);
    uint64_t bundle = (uint64_t)(from_blocks / p->problem.species + 0.5);
    uint64_t words = (uint64_t)(HTMT__PIC_PARTICLE_WORDS * from_slice + 0.5);
    int rc = rounds(m, p, htmt__pic_sort_ops(bundle), p->parcels, &t->sort);
    if (!rc)
        rc = rounds(m, p, htmt__pic_settle_ops(team), p->teams, &t->settle);
    if (!rc)
        rc = exchange(m, p, words, &t->mail);
    if (!rc && t->mail)
        rc = move_time(m, p->outer, p->outer, true, 1, &ask);
    t->mail += 2 * length(&ask);
    return rc;
}

static int predict_phases(const struct htmt_machine *m, prediction *p, struct htmt__pic_step *t)
{
    const struct htmt__pic_plan *plan = &p->plan;
    uint64_t cells = (uint64_t)plan->block[0] * plan->block[1] * plan->block[2];
    struct htmt_ops cut = htmt__pic_cut_ops(htmt__pic_points(plan->block), cells);
    int rc = predict_charge(m, plan, t);
    if (!rc)
        rc = predict_lines(m, plan, t);
    if (!rc)
        rc = predict_transposes(m, plan, t);
    if (!rc)
        rc = rounds(m, plan, cut, plan->blocks, &t->cut);
    if (!rc)
        rc = of_species(m, plan, lay_push_of, &t->push);
    if (!rc)
        rc = predict_migration(m, plan, t);
    return rc ? rc : predict_record(m, plan, t);
}

static htmt_wide step_of(const struct htmt__pic_step *t)
{
    return t->deposit + t->sum + t->guard + t->fold + t->x + t->to_y + t->y + t->to_z + t->solve +
           t->from_z + t->y_back + t->from_y + t->x_back + t->field_guard + t->cut + t->push +
           t->sort + t->mail + t->settle + t->record;
}

static double step_flops(const struct htmt__pic_plan *p)
{
    const uint32_t *n = p->problem.n;
    const double cells = (double)n[0] * n[1] * n[2];
    double particles = 0, lines_flop = 0;
    for (uint32_t s = 0; s < p->problem.species; s++)
        particles += cells * (double)p->problem.per_cell[s];
    for (int a = 0; a < 3; a++) /* once forward, three times back, for half the modes */
        lines_flop += 4 * cells / n[a] / 2 * (double)htmt__pic_fft_flop(n[a]);
    return particles * (double)(p->problem.charges.flop + HTMT__PIC_DEPOSIT_FLOP) + lines_flop;
}

static int predict_cells(const struct htmt_machine *m, prediction *p)
{
    int rc = predict_phases(m, p, &p->phases);
    p->step = step_of(&p->phases);
    p->total = (htmt_wide)p->steps * p->step;
    p->flops = (double)p->steps * step_flops(&p->plan);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

int htmt__pic_predict(const struct htmt_machine *m, const struct htmt__pic_plan *plan,
                      uint64_t steps, struct htmt__pic_prediction *out, struct htmt_fault *fault)
{
    prediction p = {.plan = *plan, .steps = steps, .particles = particles_of(plan, 0)};
    int rc = lay_push(m, &p);
    if (!rc && plan->problem.n[0])
        rc = predict_cells(m, &p);
    else if (!rc)
        predict_alone(&p);
    if (rc)
        return htmt_fault_set(fault, rc, "machine %s: a phase of the plasma takes more than 9223 s",
                              m->name);
    *out = p;
    return 0;
}

/* ---- by cause ------------------------------------------------------------------------------- */

void htmt__pic_causes(const prediction *p, htmt_wide part[HTMT_PATH_CAUSES])
{
    const pipeline *l = &p->push;
    const htmt_wide n = (htmt_wide)p->plan.parcels;
    if (p->plan.problem.n[0] || (l->period != l->execute && l->period != l->loops))
        return;
    part[HTMT_PATH_WORK] = n * l->execute;
    part[HTMT_PATH_FILL] = l->assembly + length(&l->gather) + l->dispatch + length(&l->inject);
    part[HTMT_PATH_STALL] = (n - 1) * (l->period - l->execute);
    part[HTMT_PATH_DRAIN] = length(&l->eject) + length(&l->scatter);
}
