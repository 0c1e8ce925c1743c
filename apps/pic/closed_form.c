/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The phases of a step as rows: their texts are evaluated and printed.
 */
#include "apps/pic/closed_form.h"

#include "apps/pic/counts.h"
#include "apps/pic/predict.h"

typedef struct htmt__pic_prediction prediction;
typedef struct htmt__pic_plan plan;
typedef struct htmt_term_tree tree;

/* A tree that is being made. */
struct form {
    struct htmt__pic_machine w;
    uint64_t steps;
    tree *t;
    bool overflow; /* of a service */
};

/* Words to another slice; one slice sends none. */
static htmt_time exchange(const void *user, unsigned server, uint64_t words)
{
    const struct htmt__pic_machine *w = user;
    return w->p->slices > 1 ? htmt_move_length(user, server, words) : 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Parcels that follow each other through a pipeline; those of all species, without draining
 * between; parcels on DPIMs, in rounds of as many as there are. */
#define PIPELINE(name) "'" name ", first' + ('" name ", parcels' - 1) * '" name ", period'"
#define OF_ALL_SPECIES(name)                                                                       \
    "'" name ", first' + blocks * '" name ", periods' - '" name ", least period'"
#define ROUNDS(parcels, one) "ceil(" parcels " / DPIMs) * " one
#define SENT(depth, name, words, meaning)                                                          \
    HTMT_ROW_SERVED(depth, name, words, "words to another slice", exchange, HTMT_SERVE_ACROSS,     \
                    meaning)
#define TIME(depth, name, text, meaning) HTMT_ROW(depth, "s", name, text, meaning)
#define PART(name, text)                 HTMT_ROW_PART("1", name, text)
#define COMPUTED(name, by)               HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", name, by, "a part")

static const struct htmt_term_row phases[] = {
    TIME(0, "T", "steps * step", "all steps"),
    TIME(1, "step",
         "Deposit + Sum + guard points of rho + field solve + guard points of the field + Cut + "
         "Push + migration + record",
         "all phases, one after another"),
    TIME(2, "Deposit", OF_ALL_SPECIES("Deposit"), "charge of the particles"),
    TIME(2, "Sum", ROUNDS("(l_z + 2)", "sum of a layer"), "tiles to rho"),
    TIME(2, "guard points of rho", "guard sent + guard added", "to eight slices, and added there"),
    TIME(2, "field solve",
         "X + transpose to y + Y + transpose to z + Solve + transpose from z + Y back + transpose "
         "from y + X back",
         "transforms and transposes"),
    TIME(3, "X", PIPELINE("X"), "rows of x"),
    SENT(3, "transpose to y", "y words", "one component"),
    TIME(3, "Y", PIPELINE("Y"), "columns of y"),
    SENT(3, "transpose to z", "z words", "one component"),
    TIME(3, "Solve", PIPELINE("Solve"), "columns of z, field, and back"),
    SENT(3, "transpose from z", "3 * z words", "three components"),
    TIME(3, "Y back", PIPELINE("Y back"), "columns of y"),
    SENT(3, "transpose from y", "3 * y words", "three components"),
    TIME(3, "X back", PIPELINE("X back"), "rows of x"),
    SENT(2, "guard points of the field", "words a point * guard words", "to eight slices"),
    TIME(2, "Cut", ROUNDS("blocks", "cut of a block"), "tiles of the field"),
    TIME(2, "Push", OF_ALL_SPECIES("Push"), "stages of the most crowded species below"),
    HTMT_ROWS_END};

static const struct htmt_term_row rest_of_step[] = {
    TIME(2, "migration", "Sort + mail + Settle", "of as many as the deck's velocities let expect"),
    TIME(3, "Sort", ROUNDS("n", "sort of a bundle"), "bundles, by where particles belong"),
    TIME(3, "mail", "migrants sent + 2 * min(migrants sent, 1) * word sent", "to other slices"),
    TIME(3, "Settle", ROUNDS("teams", "settling of a team"), "arrivals into bundles"),
    TIME(2, "record",
         "sum of records + (levels + beyond) * (record sent + record added) + beyond * record "
         "sent + record written",
         "energies and momenta of all slices"),
    HTMT_ROWS_END};

static const struct htmt_term_row parts[] = {
    PART("guard words",
         "(2 * min(py - 1, 1) * l_z + 2 * min(pz - 1, 1) * l_y + 4) * l_x * min(slices - 1, 1)"),
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "words", "y words", "2 * l_y * l_z * modes * (py - 1) / py",
                     HTMT_TERM_DOWN, "a part"),
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "words", "z words",
                     "2 * n_y * l_z * modes_x * (pz - 1) / pz", HTMT_TERM_DOWN, "a part"),
    SENT(HTMT_TERM_HIDDEN, "guard sent", "guard words", "guard points of rho"),
    SENT(HTMT_TERM_HIDDEN, "migrants sent", "migrating words", "particles"),
    HTMT_ROW_SERVED(HTMT_TERM_HIDDEN, "word sent", "1", "words to another slice", htmt_move_length,
                    HTMT_SERVE_ACROSS, "that asks, or grants"),
    SENT(HTMT_TERM_HIDDEN, "record sent", "record words", "a record"),
    COMPUTED("sum of a layer", "htmt__pic_add_ops"),
    COMPUTED("guard added", "htmt__pic_add_ops"),
    COMPUTED("cut of a block", "htmt__pic_cut_ops"),
    COMPUTED("sort of a bundle", "htmt__pic_sort_ops"),
    COMPUTED("settling of a team", "htmt__pic_settle_ops"),
    COMPUTED("sum of records", "htmt__pic_record_ops"),
    COMPUTED("record added", "htmt__pic_add_ops"),
    COMPUTED("record written", "htmt__pic_series_ops"),
    HTMT_ROWS_END};

/* Of a phase of transforms. */
#define TRANSFORM(parcels, in, out)                                                                \
    {                                                                                              \
        PART("parcels", parcels), PART("words in", in), PART("words out", out), HTMT_ROWS_END      \
    }
static const struct htmt_term_row x_rows[] =
    TRANSFORM("l_z * ceil(l_y / rows_x)", "n_x * rows_x", "2 * modes * rows_x"),
                                  x_back_rows[] = TRANSFORM("3 * l_z * ceil(l_y / rows_x)",
                                                            "2 * modes * rows_x", "n_x * rows_x"),
                                  y_rows[] =
                                      TRANSFORM("l_z * ceil(modes_x / columns_y)",
                                                "2 * n_y * columns_y", "2 * n_y * columns_y"),
                                  y_back_rows[] =
                                      TRANSFORM("3 * l_z * ceil(modes_x / columns_y)",
                                                "2 * n_y * columns_y", "2 * n_y * columns_y"),
                                  solve_rows[] =
                                      TRANSFORM("ceil(modes_x * modes_y / columns_z)",
                                                "2 * n_z * columns_z", "3 * 2 * n_z * columns_z");

/* Parcels of which CRAM holds some beside one another: results leave the space that they came in,
 * so a push parcel takes what went up. */
static const struct htmt_term_row own_buffers[] = {HTMT_ROW_ROUNDED(
                                                       HTMT_TERM_HIDDEN, "1", "buffers",
                                                       "CRAM words / words in", HTMT_TERM_DOWN,
                                                       "parcels that fit CRAM"),
                                                   HTMT_ROWS_END},
                                  mean_buffers[] = {HTMT_ROW_PART("1", "buffers", "CRAM room"),
                                                    HTMT_ROWS_END};

/* ---- push parcels --------------------------------------------------------------------------- */

/* The mean of a species in a full block. */
static uint64_t particles_of(const plan *p, uint32_t species)
{
    uint64_t edge = p->edge, cells = edge * edge * edge;
    if (p->problem.n[0])
        cells = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    uint64_t mean = p->problem.per_cell[species] * cells;
    return p->problem.n[0] && mean > p->room ? p->room : mean;
}

static uint32_t most_crowded(const plan *p)
{
    uint32_t most = 0;
    for (uint32_t s = 1; s < p->problem.species; s++)
        if (p->problem.per_cell[s] > p->problem.per_cell[most])
            most = s;
    return most;
}

static htmt_time work(struct form *f, uint32_t layer, struct htmt_ops ops)
{
    htmt_time time = htmt_machine_work(f->w.servers.m, layer, &ops);
    f->overflow |= time < 0;
    return time;
}

static struct htmt__pic_load push_load(struct form *f, uint32_t species)
{
    const plan *p = f->w.p;
    const struct htmt__pic_charges *c = &p->problem.charges;
    uint64_t count = particles_of(p, species), in = p->parcel_words;
    uint64_t out = HTMT__PIC_PARTICLE_WORDS * count + HTMT__PIC_REPORT_WORDS;
    if (p->problem.n[0])
        in = c->code + htmt__pic_field_words(c, p->block[0], p->block[1], p->block[2]) +
             HTMT__PIC_PARTICLE_WORDS * count;
    else
        out = p->problem.eject ? in : 0;
    return (struct htmt__pic_load){in, out, c->assembly, c->dispatch,
                                   work(f, p->inner, htmt__pic_push_ops(c, count))};
}

static struct htmt__pic_load deposit_load(struct form *f, uint32_t species)
{
    const plan *p = f->w.p;
    uint64_t count = particles_of(p, species);
    return (struct htmt__pic_load){.in = HTMT__PIC_POSITION_WORDS * count,
                                   .out = htmt__pic_points(p->block),
                                   .execute = work(f, p->inner, htmt__pic_deposit_ops(count))};
}

static const struct htmt_term_row *push_buffers(const struct form *f, uint64_t words)
{
    bool fits = htmt_machine_room(f->w.servers.m, f->w.p->inner) >= words;
    return f->w.p->problem.n[0] && fits ? own_buffers : mean_buffers;
}

/* ---- all species ---------------------------------------------------------------------------- */

struct sums {
    htmt_wide first, periods, least;
};

static int lay(struct form *f, const struct htmt__pic_load *load,
               const struct htmt_term_row *buffers, struct sums *sums, struct htmt_fault *fault)
{
    tree *t;
    int rc = htmt_term_tree_create(&f->w, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_add(t, NULL, 0, htmt__pic_stages);
    htmt_term_tree_add(t, NULL, 0, buffers);
    htmt__pic_pipeline_set(&f->w, t);
    htmt__pic_load_set(t, NULL, load);
    htmt_term_tree_set_count(t, NULL, "CRAM room", f->w.p->buffers);
    rc = htmt_term_tree_evaluate(t, fault);
    if (!rc) {
        htmt_wide first = htmt_term_tree_whole(t, "first");
        htmt_wide period = htmt_term_tree_whole(t, "period");
        sums->first = first > sums->first ? first : sums->first;
        sums->least = !sums->periods || period < sums->least ? period : sums->least;
        sums->periods += period;
    }
    htmt_term_tree_destroy(&t);
    return rc;
}

static int of_species(struct form *f, const char *scope, bool push, struct htmt_fault *fault)
{
    struct sums sums = {0};
    int rc = 0;
    for (uint32_t s = 0; s < f->w.p->problem.species && !rc; s++) {
        struct htmt__pic_load load = push ? push_load(f, s) : deposit_load(f, s);
        rc = lay(f, &load, push ? push_buffers(f, load.in) : htmt__pic_buffers, &sums, fault);
    }
    htmt_term_tree_set_time(f->t, scope, "first", sums.first);
    htmt_term_tree_set_time(f->t, scope, "periods", sums.periods);
    htmt_term_tree_set_time(f->t, scope, "least period", sums.least);
    return rc;
}

/* ---- a problem with cells ------------------------------------------------------------------- */

static void set_geometry(const struct form *f)
{
    const plan *p = f->w.p;
    uint32_t levels = 0;
    while (p->slices >> (levels + 1))
        levels++;
    const struct htmt_term_count of[] = {
        {"steps", f->steps},
        {"n_x", p->problem.n[0]},
        {"n_y", p->problem.n[1]},
        {"n_z", p->problem.n[2]},
        {"l_x", p->largest[0]},
        {"l_y", p->largest[1]},
        {"l_z", p->largest[2]},
        {"modes", p->modes},
        {"modes_x", p->modes_x},
        {"modes_y", p->modes_y},
        {"rows_x", p->rows_x},
        {"columns_y", p->columns_y},
        {"columns_z", p->columns_z},
        {"py", p->py},
        {"pz", p->pz},
        {"blocks", p->blocks},
        {"teams", p->teams},
        {"record words", HTMT__PIC_RECORD_WORDS},
        {"levels", levels},
        {"beyond", (p->slices & (p->slices - 1)) != 0}, /* slices beyond a power of two */
    };
    htmt_term_tree_set_counts(f->t, of, sizeof of / sizeof *of);
}

static void set_work(struct form *f, const char *name, struct htmt_ops ops)
{
    htmt_term_tree_set_time(f->t, NULL, name, work(f, f->w.p->outer, ops));
}

/* Of the particles of a block, those that leave it; of a slice, those that leave it. */
static double leaving(const plan *p, uint32_t species, const uint32_t n[3], const bool whole[3])
{
    double count = (double)p->problem.per_cell[species] * n[0] * n[1] * n[2], sum = 0;
    for (int a = 0; a < 3; a++)
        sum += whole[a] ? 0 : count * p->problem.flux[species][a] / n[a];
    return sum;
}

/* Bundles are sorted, particles go to other slices (asked for, granted, sent), teams take them in.
 */
static void set_migration(struct form *f)
{
    const plan *p = f->w.p;
    const bool inside[3] = {false, false, false}, outside[3] = {true, p->py == 1, p->pz == 1};
    double from_blocks = 0, from_slice = 0;
    for (uint32_t s = 0; s < p->problem.species; s++) {
        from_blocks += leaving(p, s, p->block, inside);
        from_slice += leaving(p, s, p->largest, outside);
    }
    uint64_t team = (uint64_t)(from_blocks * p->blocks / p->teams + 0.5);
    uint64_t bundle = (uint64_t)(from_blocks / p->problem.species + 0.5);
    uint64_t words = (uint64_t)(HTMT__PIC_PARTICLE_WORDS * from_slice + 0.5);
    set_work(f, "sort of a bundle", htmt__pic_sort_ops(bundle));
    set_work(f, "settling of a team", htmt__pic_settle_ops(team));
    htmt_term_tree_set_count(f->t, NULL, "migrating words", words);
}

static void set_dpims(struct form *f)
{
    const plan *p = f->w.p;
    const uint32_t *l = p->largest;
    uint64_t points = htmt__pic_points(p->block);
    uint64_t cells = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    uint64_t tiles = p->problem.species * p->blocks * points;
    set_work(f, "sum of a layer", htmt__pic_add_ops(tiles / (l[2] + 2)));
    set_work(f, "guard added", htmt__pic_add_ops((uint64_t)l[0] * 2 * (l[1] + l[2] + 2)));
    set_work(f, "cut of a block", htmt__pic_cut_ops(points, cells));
    set_work(f, "sum of records", htmt__pic_record_ops(p));
    set_work(f, "record added", htmt__pic_add_ops(HTMT__PIC_RECORD_WORDS));
    set_work(f, "record written", htmt__pic_series_ops());
    set_migration(f);
}

static void add_transform(struct form *f, const char *scope, const struct htmt_term_row *rows,
                          struct htmt_ops execute)
{
    htmt_term_tree_add(f->t, scope, 0, rows);
    htmt_term_tree_add(f->t, scope, HTMT_TERM_HIDDEN, htmt__pic_stages);
    htmt_term_tree_add(f->t, scope, 0, htmt__pic_buffers);
    htmt_term_tree_set_count(f->t, scope, "assembly cycles", 0);
    htmt_term_tree_set_count(f->t, scope, "dispatch cycles", 0);
    htmt_term_tree_set_time(f->t, scope, "execute", work(f, f->w.p->inner, execute));
}

static void add_transforms(struct form *f)
{
    const plan *p = f->w.p;
    const uint32_t *n = p->problem.n;
    add_transform(f, "X", x_rows, htmt__pic_x_ops(n[0], p->rows_x, false));
    add_transform(f, "Y", y_rows, htmt__pic_y_ops(n[1], p->columns_y));
    add_transform(f, "Solve", solve_rows, htmt__pic_solve_ops(n[2], p->columns_z));
    add_transform(f, "Y back", y_back_rows, htmt__pic_y_ops(n[1], p->columns_y));
    add_transform(f, "X back", x_back_rows, htmt__pic_x_ops(n[0], p->rows_x, true));
}

static int add_step(struct form *f, struct htmt_fault *fault)
{
    htmt_term_tree_add(f->t, NULL, 0, phases);
    htmt_term_tree_add(f->t, NULL, 3, htmt__pic_stages);
    htmt_term_tree_add(f->t, NULL, 0, rest_of_step);
    htmt_term_tree_add(f->t, NULL, 0, parts);
    set_geometry(f);
    set_dpims(f);
    add_transforms(f);
    int rc = of_species(f, "Deposit", false, fault);
    return rc ? rc : of_species(f, "Push", true, fault);
}

static double step_flops(const plan *p)
{
    const uint32_t *n = p->problem.n;
    const double cells = (double)n[0] * n[1] * n[2];
    double particles = 0, lines_flop = 0;
    for (uint32_t s = 0; s < p->problem.species; s++)
        particles += cells * (double)p->problem.per_cell[s];
    for (int a = 0; a < 3; a++) /* once there, three times back, of half the modes */
        lines_flop += 4 * cells / n[a] / 2 * (double)htmt__pic_fft_flop(n[a]);
    return particles * (double)(p->problem.charges.flop + HTMT__PIC_DEPOSIT_FLOP) + lines_flop;
}

static double flops_of(const plan *p, uint64_t steps)
{
    if (p->problem.n[0])
        return (double)steps * step_flops(p);
    return (double)p->problem.charges.flop * (double)particles_of(p, 0) * (double)p->parcels *
           p->slices;
}

/* ---- all ------------------------------------------------------------------------------------ */

static struct htmt_servers servers(const struct htmt_machine *m, const plan *p)
{
    return htmt_servers(m, p->outer, p->middle, p->inner, p->outer);
}

static int add_all(struct form *f, struct htmt_fault *fault)
{
    const plan *p = f->w.p;
    struct htmt__pic_load load = push_load(f, most_crowded(p));
    int rc = 0;
    htmt__pic_pipeline_set(&f->w, f->t);
    if (p->problem.n[0])
        rc = add_step(f, fault);
    else
        htmt__pic_add_alone(f->t, f->steps);
    htmt_term_tree_add(f->t, NULL, 0, push_buffers(f, load.in));
    htmt__pic_load_set(f->t, NULL, &load);
    htmt__pic_add_shared(&f->w, f->t, p->problem.n[0] != 0);
    return rc;
}

static int evaluate(struct form *f, struct htmt_fault *fault)
{
    int rc = htmt_term_tree_create(&f->w, &f->t, fault);
    if (rc)
        return rc;
    rc = add_all(f, fault);
    if (!rc && f->overflow)
        rc = HTMT_EOVERFLOW;
    if (!rc)
        rc = htmt_term_tree_evaluate(f->t, fault);
    if (rc)
        htmt_term_tree_destroy(&f->t);
    return rc == HTMT_EOVERFLOW
               ? htmt_fault_set(fault, rc,
                                "machine %s: a phase of the plasma takes more than "
                                "9223 s",
                                f->w.servers.m->name)
               : rc;
}

static void take(const tree *t, prediction *p)
{
    p->push = (struct htmt__pic_pipeline){
        .inject = htmt_term_tree_whole(t, "inject"),
        .execute = htmt_term_tree_whole(t, "execute"),
        .eject = htmt_term_tree_whole(t, "eject"),
        .loop = htmt_term_tree_whole(t, "CRAM loop"),
        .loops = htmt_term_tree_whole(t, "CRAM loop, shared"),
        .period = htmt_term_tree_whole(t, "period"),
        .buffers = (uint64_t)htmt_term_tree_whole(t, "buffers"),
    };
    p->total = htmt_term_tree_whole(t, "T");
    if (p->plan.problem.n[0])
        return;
    p->work = htmt_term_tree_whole(t, "work");
    p->fill = htmt_term_tree_whole(t, "fill");
    p->stall = htmt_term_tree_whole(t, "stall");
    p->drain = htmt_term_tree_whole(t, "drain");
}

int htmt__pic_predict(const struct htmt_machine *m, const plan *of, uint64_t steps, prediction *out,
                      struct htmt_fault *fault)
{
    struct form f = {.w = {servers(m, of), of}, .steps = steps};
    int rc = evaluate(&f, fault);
    if (rc)
        return rc;
    *out = (prediction){.plan = *of, .steps = steps, .flops = flops_of(of, steps)};
    take(f.t, out);
    htmt_term_tree_destroy(&f.t);
    return 0;
}

int htmt__pic_tell(const struct htmt_machine *m, const prediction *p, struct htmt_prediction *out,
                   struct htmt_fault *fault)
{
    struct form f = {.w = {servers(m, &p->plan), &p->plan}, .steps = p->steps};
    unsigned first = htmt_prediction_count(out);
    int rc = evaluate(&f, fault);
    if (rc)
        return rc;
    htmt_term_tree_tell(f.t, out);
    htmt__pic_name_inputs(&p->plan, p->steps, htmt_prediction_term_at(out, first));
    htmt_term_tree_destroy(&f.t);
    return 0;
}

void htmt__pic_causes(const prediction *p, htmt_wide part[HTMT_PATH_CAUSES])
{
    const struct htmt__pic_pipeline *l = &p->push;
    if (p->plan.problem.n[0] || (l->period != l->execute && l->period != l->loops))
        return;
    part[HTMT_PATH_WORK] = p->work;
    part[HTMT_PATH_FILL] = p->fill;
    part[HTMT_PATH_STALL] = p->stall;
    part[HTMT_PATH_DRAIN] = p->drain;
}
