/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as rows: their texts are evaluated and printed. First come the rows of the
 * pipeline, of a step, of push parcels alone, and of both; then the values that the rows name.
 *
 * The machine's and the plan's figures are set as values; what needs a table of the machine (a
 * move, a service) is computed by a function and set, too. All else is text, so the line that
 * `predict` prints is the formula that was evaluated. Values of a row are set after the row was
 * added.
 *
 * Example by hand: parcels with assembly 10, gather 4, inject 2 and execute 5, nothing back, 8
 * DPIMs, and room for two parcels in CRAM. The first takes 10 + 4 + 2 + 5 = 21. Assembly shared by
 * the DPIMs is 10 / 8 = 1.25, the loop of a place in CRAM (2 + 5) / 2 = 3.5, so the SPELL with 5 is
 * the period. 100 parcels take 21 + 99 * 5 = 516. With room for one parcel the loop is 7 and the
 * SPELL waits.
 *
 * A step has several species. Their parcels follow each other without draining between: the longest
 * first parcel, then a period for each parcel of each species, less one. Whose period the first
 * parcel's is depends on which species comes first, so the least is taken off: too long by the
 * difference of two periods at most. Ten blocks of two species with first parcels of 20 and 18 and
 * periods of 5 and 3 take 20 + 10 * (5 + 3) - 3 = 97.
 *
 * A transpose sends a slice's complex numbers, two words each, to the slices of its row or column
 * of the process grid; a share 1 / p of them is its own already. With 64 cells along x there are 33
 * modes; l_y = l_z = 16 and p_y = 4 give 2 * 16 * 16 * 33 * 3 / 4 = 12,672 words.
 */
#include "apps/pic/closed_form.h"

#include "apps/lib/execution.h"
#include "apps/pic/counts.h"

#include <inttypes.h>

typedef struct htmt__pic_prediction prediction;
typedef struct htmt__pic_plan plan;
typedef struct htmt_term_tree tree;

/* The user of the services. */
struct machine {
    struct htmt_servers servers;
    const plan *p;
};

/* A tree that is being made. */
struct form {
    struct machine w;
    uint64_t steps;
    tree *t;
    bool overflow; /* of a service */
};

#define TIME(depth, name, text, meaning) HTMT_ROW(depth, "s", name, text, meaning)
#define USE(name, text, meaning)         HTMT_ROW_QUOTIENT("%", name, text, meaning)
#define RATE(name, text, meaning)        HTMT_ROW_QUOTIENT("1/s", name, text, meaning)
#define NUMBER(name, text, meaning)      HTMT_ROW(0, "1", name, text, meaning)
#define WHOLE(depth, name, text, meaning)                                                          \
    HTMT_ROW_ROUNDED(depth, "1", name, text, HTMT_TERM_DOWN, meaning)
#define PARTICLES "N_P * N_G * N_G * N_G"
#define FIRST     "of the first parcel"

/* ---- the pipeline of a phase ---------------------------------------------------------------- */

#define APART(name, text, by, server)                                                              \
    HTMT_ROW_SERVED(HTMT_TERM_HIDDEN, name, text, by, htmt_move_apart, server, "over all channels")

/* Stages of one parcel, the first parcel, the period. They need, of their scope, the values "words
 * in", "words out", "assembly cycles", "dispatch cycles", "execute" and "buffers"; of the tree
 * those of set_pipeline(). */
static const struct htmt_term_row stages[] = {
    HTMT_ROW(0, "s", "first",
             "assembly + gather + dispatch + inject + execute + eject + scatter + latency",
             "the first parcel"),
    HTMT_ROW_SERVED(1, "assembly", "assembly cycles", "cycles of a DPIM", htmt_serve_cycles,
                    HTMT_SERVE_DPIM, "of a push parcel, on a DPIM"),
    HTMT_ROW_SERVED(1, "gather", "words in", "words, DRAM to SRAM", htmt_move_busy,
                    HTMT_SERVE_D_TO_S, "D to S, of a push parcel"),
    HTMT_ROW_SERVED(1, "dispatch", "dispatch cycles", "cycles of a SPIM", htmt_serve_cycles,
                    HTMT_SERVE_SPIM, "of a push parcel, on a SPIM"),
    HTMT_ROW_SERVED(1, "inject", "words in", "words, SRAM to CRAM", htmt_move_busy,
                    HTMT_SERVE_S_TO_C, "S to C, of a push parcel"),
    HTMT_ROW_COMPUTED(1, "s", "execute", "htmt_machine_work", "push on the SPELL"),
    HTMT_ROW_SERVED(1, "eject", "words out", "words, CRAM to SRAM", htmt_move_busy,
                    HTMT_SERVE_C_TO_S, "C to S"),
    HTMT_ROW_SERVED(1, "scatter", "words out", "words, SRAM to DRAM", htmt_move_busy,
                    HTMT_SERVE_S_TO_D, "S to D"),
    HTMT_ROW(0, "s", "period",
             "max('assembly, shared', gather apart, 'dispatch, shared', inject apart, execute, "
             "eject apart, scatter apart, 'CRAM loop, shared')",
             "from one parcel to the next"),
    HTMT_ROW_ROUNDED(1, "s", "assembly, shared", "assembly / DPIMs", HTMT_TERM_HALF_UP,
                     "by the DPIMs of a slice"),
    HTMT_ROW_ROUNDED(1, "s", "dispatch, shared", "dispatch / SPIMs", HTMT_TERM_HALF_UP,
                     "by the SPIMs of a slice"),
    HTMT_ROW_ROUNDED(1, "s", "CRAM loop, shared", "CRAM loop / buffers", HTMT_TERM_HALF_UP,
                     "a place in CRAM, by the parcels that fit"),
    HTMT_ROW_PART("s", "CRAM loop", "inject + inject latency + execute + eject + eject latency"),
    APART("gather apart", "words in", "words, DRAM to SRAM, channels shared", HTMT_SERVE_D_TO_S),
    APART("inject apart", "words in", "words, SRAM to CRAM, channels shared", HTMT_SERVE_S_TO_C),
    APART("eject apart", "words out", "words, CRAM to SRAM, channels shared", HTMT_SERVE_C_TO_S),
    APART("scatter apart", "words out", "words, SRAM to DRAM, channels shared", HTMT_SERVE_S_TO_D),
    HTMT_ROW_PART("s", "latency",
                  "gather latency + inject latency + eject latency + scatter latency"),
    HTMT_ROW_PART("s", "gather latency", "min(words in, 1) * D to S latency"),
    HTMT_ROW_PART("s", "inject latency", "min(words in, 1) * S to C latency"),
    HTMT_ROW_PART("s", "eject latency", "min(words out, 1) * C to S latency"),
    HTMT_ROW_PART("s", "scatter latency", "min(words out, 1) * S to D latency"),
    HTMT_ROWS_END};

/* Parcels of which words in and words out stay in CRAM. */
static const struct htmt_term_row buffers[] = {
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "1", "buffers",
                     "max(1, CRAM words / max(1, words in + words out))", HTMT_TERM_DOWN,
                     "parcels that fit CRAM"),
    HTMT_ROWS_END};

/* ---- a step --------------------------------------------------------------------------------- */

/* Words to another slice; one slice sends none. */
static htmt_time exchange(const void *user, unsigned server, uint64_t words)
{
    const struct machine *w = user;
    return w->p->slices > 1 ? htmt_move_length(user, server, words) : 0;
}

/* Parcels that follow each other through a pipeline; those of all species, without draining
 * between; parcels on DPIMs, in rounds of as many as there are. */
#define PIPELINE(name) "'" name ", first' + ('" name ", parcels' - 1) * '" name ", period'"
#define OF_ALL_SPECIES(name)                                                                       \
    "'" name ", first' + blocks * '" name ", periods' - '" name ", least period'"
#define ROUNDS(parcels, one) "ceil(" parcels " / DPIMs) * " one
#define SENT(depth, name, words, meaning)                                                          \
    HTMT_ROW_SERVED(depth, name, words, "words to another slice", exchange, HTMT_SERVE_ACROSS,     \
                    meaning)
#define PART(name, text)   HTMT_ROW_PART("1", name, text)
#define COMPUTED(name, by) HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", name, by, "a part")

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
    TRANSFORM("l_z * ceil(l_y / rows_x)", "n_x * rows_x", "2 * modes * rows_x");
static const struct htmt_term_row x_back_rows[] =
    TRANSFORM("3 * l_z * ceil(l_y / rows_x)", "2 * modes * rows_x", "n_x * rows_x");
static const struct htmt_term_row y_rows[] =
    TRANSFORM("l_z * ceil(modes_x / columns_y)", "2 * n_y * columns_y", "2 * n_y * columns_y");
static const struct htmt_term_row y_back_rows[] =
    TRANSFORM("3 * l_z * ceil(modes_x / columns_y)", "2 * n_y * columns_y", "2 * n_y * columns_y");
static const struct htmt_term_row solve_rows[] = TRANSFORM(
    "ceil(modes_x * modes_y / columns_z)", "2 * n_z * columns_z", "3 * 2 * n_z * columns_z");

/* Parcels of which CRAM holds some beside one another: results leave the space that they came in,
 * so a push parcel takes what went up. */
static const struct htmt_term_row own_buffers[] = {
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "1", "buffers", "CRAM words / words in", HTMT_TERM_DOWN,
                     "parcels that fit CRAM"),
    HTMT_ROWS_END};
static const struct htmt_term_row mean_buffers[] = {HTMT_ROW_PART("1", "buffers", "CRAM room"),
                                                    HTMT_ROWS_END};

/* ---- push parcels alone --------------------------------------------------------------------- */

static const struct htmt_term_row total[] = {
    TIME(0, "T", "first + (n - 1) * period", "n push parcels on every slice"), HTMT_ROWS_END};
static const struct htmt_term_row ends[] = {
    TIME(0, "iteration", "n * period", "n parcels without filling the pipeline"),
    TIME(0, "run", "steps * iteration", "a typical run"),
    TIME(0, "end of assembly", "assembly", "of the first parcel (Figure 4)"),
    TIME(0, "end of gather", "end of assembly + gather + gather latency", FIRST),
    TIME(0, "end of dispatch", "end of gather + dispatch", FIRST),
    TIME(0, "end of inject", "end of dispatch + inject + inject latency", FIRST),
    TIME(0, "end of execute", "end of inject + execute", FIRST),
    HTMT_ROW_PART("s", "work", "n * execute"),
    HTMT_ROW_PART("s", "fill", "end of inject"),
    HTMT_ROW_PART("s", "stall", "(n - 1) * (period - execute)"),
    HTMT_ROW_PART("s", "drain", "eject + eject latency + scatter + scatter latency"),
    HTMT_ROWS_END};

static const struct htmt_term_row rates[] = {
    RATE("parcel rate, slice", "1 / period", "one slice"),
    RATE("parcel rate", "slices / period", "all slices"),
    RATE("particle rate, slice", PARTICLES " / period", "one slice"),
    RATE("particle rate", "slices * " PARTICLES " / period", "all slices"),
    HTMT_ROW_QUOTIENT("flop/s", "flop rate", "slices * push.flop * " PARTICLES " / period",
                      "all slices"),
    HTMT_ROWS_END};

static const struct htmt_term_row capacity[] = {
    WHOLE(0, "parcels in DRAM, slice", "DRAM words / parcel words", "one slice"),
    NUMBER("parcels in DRAM", "slices * 'parcels in DRAM, slice'", "all slices"),
    NUMBER("particles in DRAM", "parcels in DRAM * " PARTICLES, "all slices"),
    NUMBER("points in DRAM, slice", "'parcels in DRAM, slice' * N_G * N_G * N_G", "one slice"),
    NUMBER("points in DRAM", "slices * 'points in DRAM, slice'", "all slices"),
    USE("CRAM use", "(parcel words - push.code) / CRAM capacity", "a parcel without its code"),
    USE("SRAM use", "parcels in SRAM * parcel words / SRAM capacity", "full of waiting parcels"),
    USE("DRAM use", "'parcels in DRAM, slice' * parcel words / DRAM capacity", "full of parcels"),
    WHOLE(HTMT_TERM_HIDDEN, "parcels in SRAM", "SRAM words / parcel words", "one slice"),
    HTMT_ROWS_END};

/* ---- both ----------------------------------------------------------------------------------- */

static const struct htmt_term_row uses[] = {
    USE("DPIM use", "'assembly, shared' / period", "assembly"),
    USE("vortex use", "gather apart / period", "gather"),
    USE("SPIM use", "'dispatch, shared' / period", "dispatch"),
    USE("RTI use", "inject apart / period", "inject"),
    USE("SPELL use", "execute / period", "execute"),
    HTMT_ROWS_END};

static const struct htmt_term_row largest_edge[] = {
    HTMT_ROW_COMPUTED(0, "1", "largest N_G", "htmt__pic_plan",
                      "cells a side of a parcel that fits CRAM"),
    HTMT_ROWS_END};

/* Of a whole step also what a parcel reports, and a bit for each particle that leaves. */
#define WORDS                                                                                      \
    "push.code + words a point * points a side * points a side * points a side + words a "         \
    "particle * particles"
static const struct htmt_term_row alone_words[] = {
    HTMT_ROW(0, "words", "parcel words", WORDS, "code, field, particles"), HTMT_ROWS_END};
static const struct htmt_term_row cell_words[] = {
    HTMT_ROW(0, "words", "parcel words", WORDS " + words a report + ceil(particles / 64)",
             "code, field, particles"),
    HTMT_ROWS_END};

static const struct htmt_term_row sizes[] = {
    WHOLE(0, "CRAM room", "CRAM words / parcel words", "parcels that fit CRAM"),
    WHOLE(0, "CRAM room, code resident", "(CRAM words - push.code) / (parcel words - push.code)",
          "parcels that fit when code stays there"),
    HTMT_ROW_PART("1", "points a side", "N_G + guard"),
    HTMT_ROW_PART("1", "particles", "N_P of most * N_G * N_G * N_G"), HTMT_ROWS_END};

/* ---- parcels of particles ------------------------------------------------------------------- */

/* What a parcel of some phase moves and does. */
struct load {
    uint64_t in, out;            /* words */
    uint64_t assembly, dispatch; /* cycles */
    htmt_time execute;
};

static htmt_time work(struct form *f, uint32_t layer, struct htmt_ops ops)
{
    htmt_time time = htmt_machine_work(f->w.servers.m, layer, &ops);
    f->overflow |= time < 0;
    return time;
}

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

static struct load push_load(struct form *f, uint32_t species)
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
    return (struct load){in, out, c->assembly, c->dispatch,
                         work(f, p->inner, htmt__pic_push_ops(c, count))};
}

static struct load deposit_load(struct form *f, uint32_t species)
{
    const plan *p = f->w.p;
    uint64_t count = particles_of(p, species);
    return (struct load){.in = HTMT__PIC_POSITION_WORDS * count,
                         .out = htmt__pic_points(p->block),
                         .execute = work(f, p->inner, htmt__pic_deposit_ops(count))};
}

static const struct htmt_term_row *push_buffers(const struct form *f, uint64_t words)
{
    bool fits = htmt_machine_room(f->w.servers.m, f->w.p->inner) >= words;
    return f->w.p->problem.n[0] && fits ? own_buffers : mean_buffers;
}

static void set_pipeline(const struct machine *w, tree *t)
{
    const struct htmt_machine *m = w->servers.m;
    const struct htmt_term_count of[] = {
        {"DPIMs", htmt_machine_servers(m, w->p->outer)},
        {"SPIMs", htmt_machine_servers(m, w->p->middle)},
        {"CRAM words", htmt_machine_room(m, w->p->inner)},
    };
    const struct {
        const char *name;
        enum htmt_server server;
    } latencies[] = {{"D to S latency", HTMT_SERVE_D_TO_S},
                     {"S to C latency", HTMT_SERVE_S_TO_C},
                     {"C to S latency", HTMT_SERVE_C_TO_S},
                     {"S to D latency", HTMT_SERVE_S_TO_D}};
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        htmt_term_tree_set_time(t, NULL, latencies[i].name,
                                htmt_servers_move(&w->servers, latencies[i].server, 1).latency);
}

static void set_load(tree *t, const char *scope, const struct load *load)
{
    htmt_term_tree_set_count(t, scope, "words in", load->in);
    htmt_term_tree_set_count(t, scope, "words out", load->out);
    htmt_term_tree_set_count(t, scope, "assembly cycles", load->assembly);
    htmt_term_tree_set_count(t, scope, "dispatch cycles", load->dispatch);
    htmt_term_tree_set_time(t, scope, "execute", load->execute);
}

/* ---- values of a step ----------------------------------------------------------------------- */

/* The values of a phase of all species: a tree of its own for each gives the first parcel and the
 * period. The longest first parcel counts, the sum of the periods, and the least of them. */
static int of_species(struct form *f, const char *scope, bool push, struct htmt_fault *fault)
{
    htmt_wide longest = 0, periods = 0, least = 0;
    int rc = 0;
    for (uint32_t s = 0; s < f->w.p->problem.species && !rc; s++) {
        struct load load = push ? push_load(f, s) : deposit_load(f, s);
        tree *t;
        if ((rc = htmt_term_tree_create(&f->w, &t, fault)))
            break;
        htmt_term_tree_add(t, NULL, 0, stages);
        htmt_term_tree_add(t, NULL, 0, push ? push_buffers(f, load.in) : buffers);
        set_pipeline(&f->w, t);
        set_load(t, NULL, &load);
        htmt_term_tree_set_count(t, NULL, "CRAM room", f->w.p->buffers);
        rc = htmt_term_tree_evaluate(t, fault);
        if (!rc) {
            htmt_wide first = htmt_term_tree_whole(t, "first");
            htmt_wide period = htmt_term_tree_whole(t, "period");
            longest = first > longest ? first : longest;
            least = !periods || period < least ? period : least;
            periods += period;
        }
        htmt_term_tree_destroy(&t);
    }
    htmt_term_tree_set_time(f->t, scope, "first", longest);
    htmt_term_tree_set_time(f->t, scope, "periods", periods);
    htmt_term_tree_set_time(f->t, scope, "least period", least);
    return rc;
}

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

/* Particles that leave a box in a step, along the axes that it does not fill. */
static double leaving(const plan *p, uint32_t species, const uint32_t n[3], const bool whole[3])
{
    double count = (double)p->problem.per_cell[species] * n[0] * n[1] * n[2], sum = 0;
    for (int a = 0; a < 3; a++)
        sum += whole[a] ? 0 : count * p->problem.flux[species][a] / n[a];
    return sum;
}

/* Work on DPIMs. Bundles are sorted, particles go to other slices (asked for, granted, sent), teams
 * take them in. */
static void set_dpims(struct form *f)
{
    const plan *p = f->w.p;
    const uint32_t *l = p->largest;
    const bool inside[3] = {false, false, false}, outside[3] = {true, p->py == 1, p->pz == 1};
    uint64_t points = htmt__pic_points(p->block);
    uint64_t cells = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    uint64_t tiles = p->problem.species * p->blocks * points;
    double from_blocks = 0, from_slice = 0;
    for (uint32_t s = 0; s < p->problem.species; s++) {
        from_blocks += leaving(p, s, p->block, inside);
        from_slice += leaving(p, s, p->largest, outside);
    }
    uint64_t team = (uint64_t)(from_blocks * p->blocks / p->teams + 0.5);
    uint64_t bundle = (uint64_t)(from_blocks / p->problem.species + 0.5);
    const struct {
        const char *name;
        struct htmt_ops ops;
    } works[] = {
        {"sum of a layer", htmt__pic_add_ops(tiles / (l[2] + 2))},
        {"guard added", htmt__pic_add_ops((uint64_t)l[0] * 2 * (l[1] + l[2] + 2))},
        {"cut of a block", htmt__pic_cut_ops(points, cells)},
        {"sum of records", htmt__pic_record_ops(p)},
        {"record added", htmt__pic_add_ops(HTMT__PIC_RECORD_WORDS)},
        {"record written", htmt__pic_series_ops()},
        {"sort of a bundle", htmt__pic_sort_ops(bundle)},
        {"settling of a team", htmt__pic_settle_ops(team)},
    };
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        htmt_term_tree_set_time(f->t, NULL, works[i].name, work(f, p->outer, works[i].ops));
    htmt_term_tree_set_count(f->t, NULL, "migrating words",
                             (uint64_t)(HTMT__PIC_PARTICLE_WORDS * from_slice + 0.5));
}

static int add_step(struct form *f, struct htmt_fault *fault)
{
    const plan *p = f->w.p;
    const uint32_t *n = p->problem.n;
    const struct {
        const char *scope;
        const struct htmt_term_row *rows;
        struct htmt_ops execute;
    } transforms[] = {
        {"X", x_rows, htmt__pic_x_ops(n[0], p->rows_x, false)},
        {"Y", y_rows, htmt__pic_y_ops(n[1], p->columns_y)},
        {"Solve", solve_rows, htmt__pic_solve_ops(n[2], p->columns_z)},
        {"Y back", y_back_rows, htmt__pic_y_ops(n[1], p->columns_y)},
        {"X back", x_back_rows, htmt__pic_x_ops(n[0], p->rows_x, true)},
    };
    htmt_term_tree_add(f->t, NULL, 0, phases);
    htmt_term_tree_add(f->t, NULL, 3, stages);
    htmt_term_tree_add(f->t, NULL, 0, rest_of_step);
    htmt_term_tree_add(f->t, NULL, 0, parts);
    set_geometry(f);
    set_dpims(f);
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++) {
        const char *scope = transforms[i].scope;
        htmt_term_tree_add(f->t, scope, 0, transforms[i].rows);
        htmt_term_tree_add(f->t, scope, HTMT_TERM_HIDDEN, stages);
        htmt_term_tree_add(f->t, scope, 0, buffers);
        htmt_term_tree_set_count(f->t, scope, "assembly cycles", 0);
        htmt_term_tree_set_count(f->t, scope, "dispatch cycles", 0);
        htmt_term_tree_set_time(f->t, scope, "execute", work(f, p->inner, transforms[i].execute));
    }
    int rc = of_species(f, "Deposit", false, fault);
    return rc ? rc : of_species(f, "Push", true, fault);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void set_memory(const struct machine *w, tree *t, const char *words, const char *has,
                       uint32_t layer)
{
    if (words)
        htmt_term_tree_set(t, NULL, words, "words",
                           htmt_exact_whole(htmt_machine_room(w->servers.m, layer)));
    htmt_term_tree_set(t, NULL, has, "words",
                       htmt_exact_whole(w->servers.m->layer[layer].memory.capacity));
}

static void add_shared(const struct machine *w, tree *t)
{
    const plan *p = w->p;
    const struct htmt__pic_charges *c = &p->problem.charges;
    const bool cells = p->problem.n[0] != 0;
    const struct htmt_term_count of[] = {
        {"n", p->parcels},
        {"slices", p->slices},
        {"N_P", p->problem.per_cell[0]},
        {"N_P of most", p->problem.per_cell[most_crowded(p)]},
        {"N_G", p->edge},
        {"guard", c->guard},
        {"push.code", c->code},
        {"push.flop", c->flop},
        {"words a point", HTMT__PIC_FIELD_WORDS},
        {"words a particle", HTMT__PIC_PARTICLE_WORDS},
        {"words a report", HTMT__PIC_REPORT_WORDS},
        {"largest N_G", p->edge_most},
    };
    htmt_term_tree_add(t, NULL, 0, uses);
    if (!cells)
        htmt_term_tree_add(t, NULL, 0, rates);
    htmt_term_tree_add(t, NULL, 0, largest_edge);
    htmt_term_tree_add(t, NULL, 0, cells ? cell_words : alone_words);
    htmt_term_tree_add(t, NULL, 0, sizes);
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
    if (cells)
        return;
    htmt_term_tree_add(t, NULL, 0, capacity);
    set_memory(w, t, "DRAM words", "DRAM capacity", p->outer);
    set_memory(w, t, "SRAM words", "SRAM capacity", p->middle);
    set_memory(w, t, NULL, "CRAM capacity", p->inner);
}

/* Make and evaluate the tree of a plan; the caller destroys it. */
static int evaluate(const struct htmt_machine *m, const plan *p, uint64_t steps, tree **out,
                    struct htmt_fault *fault)
{
    struct form f = {.w = {htmt_servers(m, p->outer, p->middle, p->inner, p->outer), p},
                     .steps = steps};
    int rc = htmt_term_tree_create(&f.w, &f.t, fault);
    if (rc)
        return rc;
    struct load load = push_load(&f, most_crowded(p));
    set_pipeline(&f.w, f.t);
    if (p->problem.n[0]) {
        rc = add_step(&f, fault);
    } else {
        htmt_term_tree_add(f.t, NULL, 0, total);
        htmt_term_tree_add(f.t, NULL, 1, stages);
        htmt_term_tree_add(f.t, NULL, 0, ends);
        htmt_term_tree_set_count(f.t, NULL, "steps", steps);
    }
    htmt_term_tree_add(f.t, NULL, 0, push_buffers(&f, load.in));
    set_load(f.t, NULL, &load);
    add_shared(&f.w, f.t);
    if (!rc && f.overflow)
        rc = HTMT_EOVERFLOW;
    if (!rc)
        rc = htmt_term_tree_evaluate(f.t, fault);
    if (rc)
        htmt_term_tree_destroy(&f.t);
    *out = f.t;
    return rc == HTMT_EOVERFLOW
               ? htmt_fault_set(fault, rc,
                                "machine %s: a phase of the plasma takes more than "
                                "9223 s",
                                m->name)
               : rc;
}

/* The transforms go once there and three times back, of half the modes. */
double htmt__pic_flops(const struct htmt__pic_problem *o, uint64_t steps)
{
    const double cells = (double)o->n[0] * o->n[1] * o->n[2];
    double particles = 0, lines_flop = 0;
    for (uint32_t s = 0; s < o->species; s++)
        particles += cells * (double)o->per_cell[s];
    for (int a = 0; a < 3; a++)
        lines_flop += 4 * cells / o->n[a] / 2 * (double)htmt__pic_fft_flop(o->n[a]);
    return (double)steps *
           (particles * (double)(o->charges.flop + HTMT__PIC_DEPOSIT_FLOP) + lines_flop);
}

/* Of all steps and slices. */
static double flops_of(const plan *p, uint64_t steps)
{
    if (p->problem.n[0])
        return htmt__pic_flops(&p->problem, steps);
    return (double)p->problem.charges.flop * (double)particles_of(p, 0) * (double)p->parcels *
           p->slices;
}

int htmt__pic_predict(const struct htmt_machine *m, const plan *of, uint64_t steps, prediction *out,
                      struct htmt_fault *fault)
{
    tree *t;
    int rc = evaluate(m, of, steps, &t, fault);
    if (rc)
        return rc;
    *out = (prediction){.plan = *of, .steps = steps, .flops = flops_of(of, steps)};
    out->push = (struct htmt__pic_pipeline){
        .inject = htmt_term_tree_whole(t, "inject"),
        .execute = htmt_term_tree_whole(t, "execute"),
        .eject = htmt_term_tree_whole(t, "eject"),
        .loop = htmt_term_tree_whole(t, "CRAM loop"),
        .loops = htmt_term_tree_whole(t, "CRAM loop, shared"),
        .period = htmt_term_tree_whole(t, "period"),
        .buffers = (uint64_t)htmt_term_tree_whole(t, "buffers"),
    };
    out->total = htmt_term_tree_whole(t, "T");
    if (!of->problem.n[0]) {
        out->work = htmt_term_tree_whole(t, "work");
        out->fill = htmt_term_tree_whole(t, "fill");
        out->stall = htmt_term_tree_whole(t, "stall");
        out->drain = htmt_term_tree_whole(t, "drain");
    }
    htmt_term_tree_destroy(&t);
    return 0;
}

static double seconds(const tree *t, const char *name)
{
    return 1e-15 * (double)htmt_exact_value(htmt_term_tree_value(t, name));
}

/* Of whole steps: what SPELLs and DPIMs of the fullest slice compute; what goes to other slices. */
static void tell_parts(struct form *f, const tree *t, const prediction *p,
                       struct htmt_prediction *out)
{
    static const char *const works[] = {"Push", "Deposit", "Sum", "Cut", "Sort", "Settle", NULL};
    static const char *const moves[] = {"gather", "inject", "eject", "scatter", NULL};
    static const char *const lines[][2] = {{"X, parcels", "X, execute"},
                                           {"Y, parcels", "Y, execute"},
                                           {"Solve, parcels", "Solve, execute"},
                                           {"Y back, parcels", "Y back, execute"},
                                           {"X back, parcels", "X back, execute"}};
    static const char *const sent[] = {
        "guard points of rho", "guard points of the field", "transpose to y", "transpose to z",
        "transpose from z",    "transpose from y",          "mail",           NULL};
    const bool whole = p->plan.problem.n[0] != 0;
    const char *const names[HTMT_PARTS] = {whole ? htmt__largest_term(out, works) : "execute",
                                           htmt__largest_term(out, moves),
                                           htmt__largest_term(out, sent)};
    double compute = 0, network = 0;
    if (!whole) {
        htmt_prediction_parts(out, 1e-15 * (double)p->work, 0, names);
        return;
    }
    for (uint32_t s = 0; s < p->plan.problem.species; s++)
        compute += 1e-15 * (double)p->plan.blocks *
                   (double)(push_load(f, s).execute + deposit_load(f, s).execute);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        compute += (double)htmt_exact_value(htmt_term_tree_value(t, lines[i][0])) *
                   seconds(t, lines[i][1]);
    for (size_t i = 2; works[i]; i++) /* on DPIMs */
        compute += seconds(t, works[i]);
    for (size_t i = 0; sent[i]; i++)
        network += seconds(t, sent[i]);
    htmt_prediction_parts(out, (double)p->steps * compute, (double)p->steps * network, names);
}

int htmt__pic_tell(const struct htmt_machine *m, const prediction *p, struct htmt_prediction *out,
                   struct htmt_fault *fault)
{
    const struct htmt__pic_problem *o = &p->plan.problem;
    unsigned first = htmt_prediction_count(out);
    tree *t;
    int rc = evaluate(m, &p->plan, p->steps, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_tell(t, out);
    struct form f = {
        .w = {htmt_servers(m, p->plan.outer, p->plan.middle, p->plan.inner, p->plan.outer),
              &p->plan}};
    tell_parts(&f, t, p, out);
    htmt_term_tree_destroy(&t);
    struct htmt_term *line = htmt_prediction_term_at(out, first);
    if (o->n[0])
        snprintf(line->inputs, sizeof line->inputs,
                 "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " cells, N_G = %" PRIu32 ", n = %" PRIu64
                 " push parcels on the fullest slice, %" PRIu64 " steps",
                 o->n[0], o->n[1], o->n[2], p->plan.edge, p->plan.parcels, p->steps);
    else
        snprintf(line->inputs, sizeof line->inputs,
                 "N_P = %" PRIu64 ", N_G = %" PRIu32 ", n = %" PRIu64
                 " parcels a slice, flop = %" PRIu64 "%s",
                 o->per_cell[0], p->plan.edge, p->plan.parcels, o->charges.flop,
                 o->charges.from_file ? ", useful by cost file" : "");
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
