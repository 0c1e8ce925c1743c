/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of SAR focusing, read and checked, and what follows from them.
 */
#ifndef HTMT_APPS_SAR_SETTINGS_H
#define HTMT_APPS_SAR_SETTINGS_H

#include "apps/lib/request.h"
#include "apps/sar/closed_form.h"
#include "apps/sar/input.h"
#include "apps/sar/io/picture.h"

struct htmt__sar_settings {
    const char *params, *raw, *out, *png; /* NULL: not given */
    uint32_t lines, samples;              /* of the scene made instead; 0: not given */
    uint32_t patches, patch_lines;        /* 0: by the data */
    enum htmt__sar_rcmc rcmc;
    enum htmt__sar_lengths lengths;
    bool single, keep_edges, check;
    struct htmt__sar_looks looks;
    double incidence; /* rad; 0: not given */
};

extern const struct htmt_app_option htmt__sar_options[];
extern const struct htmt_paper_figure htmt__sar_paper_figures[]; /* ends with a NULL row */
extern const struct htmt_app_verb htmt__sar_verbs[]; /* `htmt scene sar`; ends with a NULL name */

/* Errors: HTMT_EUSAGE, HTMT_ERANGE; those of checks of output files. */
int htmt__sar_settings_read(const struct htmt_request *r, struct htmt__sar_settings *s,
                            struct htmt_fault *fault);

/* The input: with data if `data`, otherwise the radar alone. The caller gives *in to
 * htmt__sar_input_destroy(). Errors: those of the input functions. */
int htmt__sar_settings_input(const struct htmt_request *r, const struct htmt__sar_settings *s,
                             bool data, struct htmt__sar_input *in, struct htmt_fault *fault);

/* The file also gives the words of a raw and of a formatted point. Here data and precision decide
 * them, so a file that counts otherwise is refused, with file and line. `format` of a model without
 * data is HTMT__SAR_U8. Errors: those of htmt_costs_load(), HTMT_ERANGE. */
int htmt__sar_costs_read(const struct htmt_request *r, bool single, enum htmt__sar_format format,
                         struct htmt__sar_costs *costs, struct htmt_fault *fault);

/* Slices without --slices: at most one a patch. All of the machine where the request is wrong. */
uint32_t htmt__sar_slices(const struct htmt_request *r);
#define HTMT__SAR_SLICES_WHY "each focuses at least one patch"

/* Errors: those of the plan, the cost file and the decomposition. Without a machine it is
 * undivided. */
int htmt__sar_settings_decompose(const struct htmt_request *r, const struct htmt_machine *m,
                                 const struct htmt__sar_settings *s,
                                 const struct htmt__sar_input *in,
                                 struct htmt__sar_decomposition *decomposition,
                                 struct htmt__sar_costs *costs, struct htmt_fault *fault);

/* With an angle of incidence: the columns of a pixel of the picture. */
void htmt__sar_settings_looks(const struct htmt__sar_radar *radar, struct htmt__sar_settings *s);

/* "512 x 1,024 points (scene of 5 points), 1 patch: image 309 x 700; ..." */
void htmt__sar_describe(const struct htmt__sar_decomposition *decomposition,
                        const struct htmt__sar_input *in, char *text, size_t room);

#endif
