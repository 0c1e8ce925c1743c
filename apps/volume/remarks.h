/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a report says of the volume and of the picture, and reasons to doubt them.
 */
#ifndef HTMT_APPS_VOLUME_REMARKS_H
#define HTMT_APPS_VOLUME_REMARKS_H

#include "apps/lib/steps.h"
#include "apps/volume/program.h"
#include "apps/volume/settings.h"

/* Warn of a file whose geometry is missing or contradicts itself, and of rounded values. */
void htmt__volume_doubt_input(const struct htmt__volume_settings *s,
                              const struct htmt__volume_input *in, struct htmt_warnings *warnings);

/* Notes and figures: file, type, range, window, spacing, orientation. */
void htmt__volume_remark_input(const struct htmt__volume_settings *s,
                               const struct htmt__volume_input *in, struct htmt_task *task);

struct htmt__volume_picture {
    const struct htmt__volume_input *input;
    const struct htmt__volume_tally *tally;
    const float *image; /* all frames */
    size_t pixels;
    unsigned channels;
};

/* Figures of the picture, and a warning with the reason if it is black or the same everywhere. */
void htmt__volume_remark_picture(const struct htmt__volume_picture *p, struct htmt_task *task);

#endif
