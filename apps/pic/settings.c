/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of the plasma. What overrides what: an option the deck, or, for push parcels alone,
 * the cost file; the cost file the program's own counts of the push, and for push parcels alone the
 * deck. Output files are claimed here, those of snapshots, too, so that no run ends without a place
 * for its results.
 */
#include "apps/pic/settings.h"

#include "apps/formats/plot.h"
#include "apps/lib/execution.h"
#include "apps/lib/request.h"
#include "apps/pic/io/output.h"
#include "apps/pic/mpp.h"
#include "layers/file/costs.h"
#include "runtime/base/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct htmt_app_option htmt__pic_options[] = {
    {"deck", "FILE", NULL, "the plasma, a YAML deck (docs/pic.md)"},
    {"case", "NAME", NULL,
     "a shipped deck: langmuir, two-stream, landau or thermal; default: langmuir"},
    {"cells", "NX,NY,NZ", NULL, "cells of the box; default: the deck's"},
    {"steps", "N", NULL, "number of time steps; default: the deck's"},
    {"phases", "SET", "all",
     "all: whole steps; push: the push parcels of one step without results, as in Table 6 of "
     "Hereld et al.; push-eject: the same, and the particles return. The last two work with model "
     "and predict only"},
    {"ng", "N", NULL,
     "largest edge of a parcel's block of cells; default: the edge that fits CRAM"},
    {"double-buffer", NULL, NULL, "choose the largest edge for which CRAM holds two parcels"},
    {"parcels", "N", NULL,
     "push parcels a slice, without --phases all; default: the number that DRAM holds"},
    {"mail", "N", NULL,
     "particles of a species that a team's mailbox holds in one step; default: half of what the "
     "team's bundles hold"},
    {"check", "KIND", "full", "full: compare every particle with the serial program; or none"},
    {"out-records", "FILE", NULL, "write energies, momentum, charge of each step, .csv or .npy"},
    {"out-fields", "FILE", NULL, "write rho and E of the last step, .npy"},
    {"out-particles", "FILE", NULL, "write the particles at the end, .npy"},
    {"every", "N", NULL,
     "write fields, particles and phase space every N steps, too, into files with the number of "
     "steps before the ending: fields.npy, fields-020.npy, fields-040.npy"},
    {"plot-energies", "FILE", NULL,
     "plot energies against time, with theory, and the change of the total, .svg, .png or .pdf"},
    {"plot-phase-space", "FILE", NULL, "plot vx against x at the end, .svg, .png or .pdf"},
    HTMT_EXECUTION_OPTION,
    {NULL, NULL, NULL, NULL},
};

/* ---- cost files ----------------------------------------------------------------------------- */

#define MANY (UINT64_C(1) << 40)

static const struct htmt_schema_row keys[] = {
    {"problem.particles-per-cell", HTMT_UNIT_COUNT, .least = 1, .most = 1 << 20},
    {"problem.cells-edge", HTMT_UNIT_COUNT, .least = 1, .most = 1024},
    {"problem.time-steps", HTMT_UNIT_COUNT, .least = 1, .most = MANY},
    {"push.flop", HTMT_UNIT_OPERATIONS, .least = 1, .most = 1 << 20},
    {.key = "push.useful", .kind = HTMT_UNIT_SHARE},
    {"push.field-guard", HTMT_UNIT_COUNT, .least = 0, .most = 16},
    {"push.words-point", HTMT_UNIT_SIZE, .least = HTMT__PIC_FIELD_WORDS,
     .most = HTMT__PIC_FIELD_WORDS},
    {"push.words-particle", HTMT_UNIT_SIZE, .least = HTMT__PIC_PARTICLE_WORDS,
     .most = HTMT__PIC_PARTICLE_WORDS},
    {"push.code", HTMT_UNIT_SIZE, .least = 0, .most = MANY},
    {"push.assembly", HTMT_UNIT_CYCLES, .least = 0, .most = MANY},
    {"push.dispatch", HTMT_UNIT_CYCLES, .least = 0, .most = MANY},
    {.key = NULL},
};

int htmt__pic_costs_read(const struct htmt_request *r, struct htmt__pic_costs *out,
                         struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(htmt_request_costs(r), "pic", keys, set, count, &c, fault);
    if (!rc) {
        struct htmt_ratio useful = htmt_costs_ratio(c, "push.useful");
        if (!useful.num || useful.num > useful.den)
            rc = htmt_costs_refuse(c, "push.useful", "more than 0 up to 1", fault);
    }
    if (!rc)
        *out =
            (struct htmt__pic_costs){.per_cell = htmt_costs_whole(c, "problem.particles-per-cell"),
                                     .edge = (uint32_t)htmt_costs_whole(c, "problem.cells-edge"),
                                     .steps = htmt_costs_whole(c, "problem.time-steps"),
                                     .charges = {.flop = htmt_costs_whole(c, "push.flop"),
                                                 .useful = htmt_costs_ratio(c, "push.useful"),
                                                 .guard = htmt_costs_whole(c, "push.field-guard"),
                                                 .code = htmt_costs_whole(c, "push.code"),
                                                 .assembly = htmt_costs_whole(c, "push.assembly"),
                                                 .dispatch = htmt_costs_whole(c, "push.dispatch"),
                                                 .from_file = true}};
    htmt_costs_destroy(&c);
    return rc;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int read_choices(const struct htmt_request *r, struct htmt__pic_settings *s,
                        struct htmt_fault *fault)
{
    static const char *const phases[] = {"all", "push", "push-eject", NULL};
    static const char *const checks[] = {"full", "none", NULL};
    unsigned phase = 0, check = 0;
    int rc = htmt_request_choice(r, "phases", phases, &phase, fault);
    if (!rc)
        rc = htmt_request_choice(r, "check", checks, &check, fault);
    s->phases = (enum htmt__pic_phases)phase;
    s->check = check == 0;
    if (rc)
        return rc;
    if (htmt_request_value(r, "deck") && htmt_request_value(r, "case"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--deck with --case: expected one of them");
    if (s->phases == HTMT__PIC_ALL && htmt_request_value(r, "parcels"))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--parcels: found --phases all, expected push or push-eject; the "
                              "cells of a deck tell how many");
    return 0;
}

/* The deck, with the box and the steps of options. The box must hold the deck's wave, and not too
 * many particles. */
static int read_deck(const struct htmt_request *r, struct htmt__pic_deck *d,
                     struct htmt_fault *fault)
{
    const char *file = htmt_request_value(r, "deck"), *name = htmt_request_value(r, "case");
    int rc = htmt__pic_deck_read(file ? file : name ? name : "langmuir", d, fault);
    if (rc)
        return rc;
    double n[3] = {d->n[0], d->n[1], d->n[2]};
    rc = htmt_request_reals(r, "cells", 3, n, fault);
    for (int a = 0; a < 3 && !rc; a++) {
        if (!(n[a] >= 1 && n[a] <= HTMT__PIC_CELLS_MOST) || n[a] != (uint32_t)n[a])
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "--cells: found %s, expected whole numbers from 1 to %d",
                                  htmt_request_value(r, "cells"), HTMT__PIC_CELLS_MOST);
        d->n[a] = (uint32_t)n[a];
    }
    if (rc)
        return rc;
    int axis = htmt__pic_deck_coarse(d);
    if (axis >= 0)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--cells: found %" PRIu32 " cells for mode %" PRId32
                              " of deck %s, expected at least %d",
                              d->n[axis], d->mode[axis], d->name, 2 * abs(d->mode[axis]));
    if (htmt__pic_deck_particles_real(d) > (double)HTMT__PIC_PARTICLES_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--cells: found %.6g particles, expected at most %" PRIu64,
                              htmt__pic_deck_particles_real(d), HTMT__PIC_PARTICLES_MOST);
    return htmt_request_whole(r, "steps", 1, HTMT__PIC_STEPS_MOST, &d->steps, fault);
}

/* The charges of the file; of push parcels alone its typical problem, too. */
static int read_costs(const struct htmt_request *r, struct htmt__pic_settings *s,
                      struct htmt_fault *fault)
{
    struct htmt__pic_costs costs;
    int rc = htmt_request_costs(r) ? htmt__pic_costs_read(r, &costs, fault) : 0;
    if (rc || !htmt_request_costs(r))
        return rc;
    s->problem.charges = costs.charges;
    if (s->phases == HTMT__PIC_ALL)
        return 0;
    s->problem.species = 1;
    s->problem.per_cell[0] = costs.per_cell;
    s->problem.edge = s->problem.double_buffer ? 0 : costs.edge;
    s->steps = costs.steps;
    return htmt_request_whole(r, "steps", 1, HTMT__PIC_STEPS_MOST, &s->steps, fault);
}

static int read_outputs(const struct htmt_request *r, struct htmt__pic_settings *s,
                        struct htmt_fault *fault)
{
    const struct {
        const char *name, **path;
        int (*check)(const char *path, struct htmt_fault *fault);
    } outputs[] = {{"out-records", &s->out_records, htmt__pic_records_check},
                   {"out-fields", &s->out_fields, htmt__pic_npy_check},
                   {"out-particles", &s->out_particles, htmt__pic_npy_check},
                   {"plot-energies", &s->plot_energies, htmt__plot_check},
                   {"plot-phase-space", &s->plot_phase_space, htmt__plot_check}};
    int rc = 0;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && !rc; i++) {
        const char *path = *outputs[i].path = htmt_request_value(r, outputs[i].name);
        if (path)
            rc = outputs[i].check(path, fault);
    }
    return rc;
}

/* Check and claim the files of every snapshot before the work begins. */
static int read_every(const struct htmt_request *r, struct htmt__pic_settings *s,
                      struct htmt_fault *fault)
{
    int rc = htmt_request_whole(r, "every", 1, s->steps, &s->every, fault);
    if (rc || !s->every)
        return rc;
    const struct {
        const char *option, *path;
    } files[] = {{"--out-fields", s->out_fields},
                 {"--out-particles", s->out_particles},
                 {"--plot-phase-space", s->plot_phase_space}};
    if (!s->out_fields && !s->out_particles && !s->plot_phase_space)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--every: found no file for snapshots, expected --out-fields, "
                              "--out-particles or --plot-phase-space");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (uint64_t n = s->every; files[i].path && !rc && n <= s->steps; n += s->every) {
            char name[HTMT__PIC_PATH_MAX];
            if ((rc = htmt__pic_snapshot_path(files[i].path, &s->deck, n, name)))
                return htmt_fault_set(fault, rc, "%s: the name is too long for a snapshot",
                                      files[i].option);
            rc = htmt_output_claim(files[i].option, name, fault);
        }
    return rc;
}

int htmt__pic_settings_read(const struct htmt_request *r, struct htmt__pic_settings *out,
                            struct htmt_fault *fault)
{
    struct htmt__pic_settings s = {.problem = {.charges = htmt__pic_own_charges}};
    int rc = read_choices(r, &s, fault);
    s.problem.double_buffer = htmt_request_value(r, "double-buffer") != NULL;
    s.problem.eject = s.phases == HTMT__PIC_PUSH_EJECT;
    const bool all = s.phases == HTMT__PIC_ALL;
    if (!rc && (all || !htmt_request_costs(r))) {
        rc = read_deck(r, &s.deck, fault);
        s.steps = s.deck.steps;
        s.problem.species = all ? s.deck.species_count : 1; /* push parcels alone: the first */
        for (uint32_t i = 0; i < s.problem.species; i++) {
            const uint32_t *n = s.deck.species[i].per_cell;
            s.problem.per_cell[i] = (uint64_t)n[0] * n[1] * n[2];
            for (int a = 0; a < 3; a++)
                s.problem.flux[i][a] =
                    htmt__pic_flux(&s.deck, i, a, 1) + htmt__pic_flux(&s.deck, i, a, -1);
        }
        for (int a = 0; a < 3 && all; a++)
            s.problem.n[a] = s.deck.n[a];
    }
    if (!rc)
        rc = read_costs(r, &s, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "ng", 1, 1024, &s.problem.edge, fault);
    if (!rc)
        rc = htmt_request_whole(r, "parcels", 1, UINT32_MAX, &s.problem.parcels, fault);
    if (!rc)
        rc = htmt_request_whole(r, "mail", 1, HTMT__PIC_PARTICLES_MOST, &s.problem.mail, fault);
    if (!rc)
        rc = read_outputs(r, &s, fault);
    if (!rc)
        rc = read_every(r, &s, fault);
    if (!rc)
        *out = s;
    return rc;
}

/* ---- what follows --------------------------------------------------------------------------- */

#define THIN 2 /* cells */

/* The most slices that form pencils, as htmt__pic_plan() divides them, with at least two cells. */
uint32_t htmt__pic_slices(const struct htmt_request *r)
{
    struct htmt__pic_settings s;
    uint32_t slices = htmt_request_machine(r)->slices;
    if (htmt_execution_asked(r) == HTMT_EXECUTION_SERIAL)
        return 1;
    if (htmt__pic_settings_read(r, &s, NULL) || s.phases != HTMT__PIC_ALL)
        return slices;
    if (htmt_execution_asked(r) == HTMT_EXECUTION_MPP)
        return htmt__pic_mpp_nodes(s.problem.n, slices);
    for (;; slices--) {
        const uint32_t *n = s.problem.n, modes = n[0] / 2 + 1;
        uint32_t py = 1;
        for (uint32_t d = 1; d <= slices / d; d++)
            if (slices % d == 0)
                py = d;
        const uint32_t pz = slices / py;
        if (slices == 1 || (py * THIN <= n[1] && pz * THIN <= n[2] && py <= modes && pz <= n[1]))
            return slices;
    }
}

int htmt__pic_settings_plan(const struct htmt_machine *m, const struct htmt__pic_settings *s,
                            struct htmt__pic_prediction *prediction, struct htmt_fault *fault)
{
    struct htmt__pic_plan plan;
    int rc = htmt__pic_plan(m, &s->problem, &plan, fault);
    return rc ? rc : htmt__pic_predict(m, &plan, s->steps, prediction, fault);
}

void htmt__pic_describe(const struct htmt__pic_settings *s, const struct htmt__pic_plan *plan,
                        char *text, size_t room)
{
    if (s->phases == HTMT__PIC_ALL) {
        htmt__pic_deck_describe(&s->deck, text, room);
        size_t used = strlen(text);
        snprintf(text + used, room - used,
                 "; %" PRIu32 " x %" PRIu32 " slices, blocks of %" PRIu32 " x %" PRIu32
                 " x %" PRIu32,
                 plan->py, plan->pz, plan->block[0], plan->block[1], plan->block[2]);
        used = strlen(text);
        if (*s->deck.path)
            snprintf(text + used, room - used, "; deck %s", s->deck.path);
        return;
    }
    snprintf(text, room,
             "%" PRIu64 " push parcels a slice, of %" PRIu32 "^3 cells with %" PRIu64
             " particles each, %" PRIu64 " words%s",
             plan->parcels, plan->edge, plan->problem.per_cell[0], plan->parcel_words,
             plan->problem.eject ? ", as many back" : ", nothing back");
}
