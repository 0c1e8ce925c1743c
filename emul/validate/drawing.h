/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plots of validations are drawn by plot.so.
 */
#ifndef HTMT_EMUL_VALIDATE_DRAWING_H
#define HTMT_EMUL_VALIDATE_DRAWING_H

#include "apps/formats/plot.h"
#include "emul/lib/plugin/plugin.h"

/* Errors: HTMT_ESYSTEM (the command lacks plot.so). */
static inline int htmt__find_drawing(const struct htmt__plot_part **drawing,
                                     struct htmt_fault *fault)
{
    void *part;
    int rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    if (!rc)
        *drawing = part;
    return rc;
}

static inline int htmt__check_drawing(const char *path, struct htmt_fault *fault)
{
    const struct htmt__plot_part *drawing;
    int rc = htmt__find_drawing(&drawing, fault);
    return rc ? rc : drawing->check(path, fault);
}

#endif
