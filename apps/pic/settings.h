/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a user asks of the plasma: the options, read and checked.
 */
#ifndef HTMT_APPS_PIC_SETTINGS_H
#define HTMT_APPS_PIC_SETTINGS_H

#include "apps/lib/app.h"
#include "apps/pic/closed_form.h"
#include "apps/pic/io/deck.h"

enum htmt__pic_phases {
    HTMT__PIC_ALL,
    HTMT__PIC_PUSH_ONLY,  /* push parcels, nothing returns: Table 6 of the paper */
    HTMT__PIC_PUSH_EJECT, /* and as many words return */
    HTMT__PIC_PHASE_SETS
};

struct htmt__pic_settings {
    enum htmt__pic_phases phases;
    bool check;
    struct htmt__pic_deck deck;
    struct htmt__pic_problem problem;
    uint64_t steps; /* of the deck or, of push parcels alone, of a typical run */
    const char *out_records, *out_fields, *out_particles; /* NULL: not given */
    const char *plot_energies, *plot_phase_space;
};

extern const struct htmt_app_option htmt__pic_options[];
extern const struct htmt_paper_figure htmt__pic_paper_figures[]; /* ends with a NULL row */

/* Options before deck and cost file. Errors: HTMT_EUSAGE, HTMT_ERANGE; those of the deck and of the
 * cost file. */
int htmt__pic_settings_read(const struct htmt_request *r, struct htmt__pic_settings *s,
                            struct htmt_fault *fault);

/* As many slices as leave each at least two cells along y and z; of push parcels alone all. */
uint32_t htmt__pic_slices(const struct htmt_request *r);

/* The plan, and its closed form. Errors: as htmt__pic_plan(), htmt__pic_predict(). */
int htmt__pic_settings_plan(const struct htmt_machine *m, const struct htmt__pic_settings *s,
                            struct htmt__pic_prediction *prediction, struct htmt_fault *fault);

/* "two-stream: 32 x 4 x 4 cells, ...; 2 x 2 slices, blocks of 10^3" */
void htmt__pic_describe(const struct htmt__pic_settings *s, const struct htmt__pic_plan *plan,
                        char *text, size_t room);

#endif
