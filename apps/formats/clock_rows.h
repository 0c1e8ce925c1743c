/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the model and the clock of the host say of kernels, as comma-separated values: a file of the
 * application kernels has one kernel, that of `htmt validate` several.
 */
#ifndef HTMT_APPS_FORMATS_CLOCK_ROWS_H
#define HTMT_APPS_FORMATS_CLOCK_ROWS_H

#include <stdio.h>

/* ns of a turn over n elements, and percent. */
struct htmt__clock_row {
    const char *kernel;
    double n, model, plain, spread, error;
    unsigned free; /* samples that found the core free */
};

static inline void htmt__clock_rows_head(FILE *out)
{
    fputs("kernel,n,model_ns,plain_ns,plain_spread_percent,error_percent,free_samples\n", out);
}

static inline void htmt__clock_rows_put(FILE *out, const struct htmt__clock_row *r)
{
    fprintf(out, "%s,%.0f,%.6g,%.6g,%.3g,%.4g,%u\n", r->kernel, r->n, r->model, r->plain, r->spread,
            r->error, r->free);
}

#endif
