/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of the plasma, read and checked.
 */
#ifndef HTMT_APPS_PIC_SETTINGS_H
#define HTMT_APPS_PIC_SETTINGS_H

#include "apps/lib/request.h"
#include "apps/pic/closed_form.h"
#include "apps/pic/io/deck.h"

enum htmt__pic_phases {
    HTMT__PIC_ALL,
    HTMT__PIC_PUSH_ONLY,  /* push parcels without results: Table 6 of the paper */
    HTMT__PIC_PUSH_EJECT, /* the same, and the particles return */
    HTMT__PIC_PHASE_SETS
};

struct htmt__pic_settings {
    enum htmt__pic_phases phases;
    bool check;
    struct htmt__pic_deck deck;
    struct htmt__pic_problem problem;
    uint64_t steps; /* steps of the deck or, for push parcels alone, of a typical run */
    const char *out_records, *out_fields, *out_particles; /* NULL: not given */
    const char *plot_energies, *plot_phase_space;
    uint64_t every; /* steps between snapshots; 0: none */
};

/* Counts of a paper for the push, and the problem they belong to. */
struct htmt__pic_costs {
    uint64_t per_cell, steps;
    uint32_t edge;
    struct htmt__pic_charges charges;
};

/* The file also gives the words of a point and of a particle. These are fixed in the program, so
 * other numbers are refused, with file and line. Errors: those of htmt_costs_load(), HTMT_ERANGE.
 */
int htmt__pic_costs_read(const struct htmt_request *r, struct htmt__pic_costs *costs,
                         struct htmt_fault *fault);

extern const struct htmt_app_option htmt__pic_options[];
extern const struct htmt_paper_figure htmt__pic_paper_figures[]; /* ends with a NULL row */

/* Options override the deck and the cost file. Errors: HTMT_EUSAGE, HTMT_ERANGE; those of the deck
 * and of the cost file. */
int htmt__pic_settings_read(const struct htmt_request *r, struct htmt__pic_settings *s,
                            struct htmt_fault *fault);

/* The largest number of slices that leaves each at least two cells along y and z; all slices for
 * push parcels alone. */
uint32_t htmt__pic_slices(const struct htmt_request *r);
#define HTMT__PIC_SLICES_WHY "each has at least two cells along y and z"

/* The plan, and its closed form. Errors: as htmt__pic_plan(), htmt__pic_predict(). */
int htmt__pic_settings_plan(const struct htmt_machine *m, const struct htmt__pic_settings *s,
                            struct htmt__pic_prediction *prediction, struct htmt_fault *fault);

/* "two-stream: 32 x 4 x 4 cells, ...; 2 x 2 slices, blocks of 10^3" */
void htmt__pic_describe(const struct htmt__pic_settings *s, const struct htmt__pic_plan *plan,
                        char *text, size_t room);

#endif
