/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of the application kernels on this host: what the node model says of a machine, and
 * what the clock says.
 */
#ifndef HTMT_EMUL_VALIDATE_AGAINST_CLOCK_H
#define HTMT_EMUL_VALIDATE_AGAINST_CLOCK_H

#include "apps/lib/app.h"
#include "emul/lib/text/disturbed.h"
#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdio.h>

#define HTMT__AGAINST_KERNELS 17
#define HTMT__AGAINST_ROWS    (HTMT__AGAINST_KERNELS + 4) /* applications beside them */
#define HTMT__AGAINST_SIZES   32

/* ns of a turn over N elements, and percent. From `low` to `high` the clock is expected: the model
 * with each figure as fast and as slow as its samples were, wider by what the model itself is off
 * (docs/host.md). */
struct htmt__against_size {
    double n, model, clock, spread, error, low, high;
    unsigned free; /* samples that found the core free */
};
#define HTMT__AGAINST_FREE 3 /* of fewer the clock may be too slow: the row is marked */

struct htmt__against_kernel {
    const char *name;
    unsigned sizes;
    struct htmt__against_size size[HTMT__AGAINST_SIZES];
    double mean, worst; /* %: of the errors' magnitudes */
};

struct htmt__against_clock {
    char machine[64];                 /* its name */
    double hz;                        /* its clock */
    struct htmt__disturbed disturbed; /* figures of it */
    double clock, slowest, fastest;   /* Hz: the machine's; this host's, of the kernels */
    unsigned kernels;
    struct htmt__against_kernel kernel[HTMT__AGAINST_ROWS];
};

struct htmt__against_options {
    const char *machine; /* a name or a file */
    const char *sets; /* "mermaid,shapes": of kernels; NULL: those that Mermaid's authors had, or */
    bool all;         /* all seven of linear algebra and the like */
    const char *n;    /* "64..256"; NULL: of each kernel its own, from l1 to memory */
    const char *sizes; /* how many; NULL: 8, of a shape 3 */
};

/* Who hears which kernel is run; may be NULL. */
typedef void htmt__against_progress_fn(void *user, const char *what);

/* Runs each kernel and measures it, for some seconds a kernel on an idle host. The program must
 * record kernels. Errors: those of the application, HTMT_ESYSTEM, HTMT_EWRONG. */
int htmt__against_clock(const struct htmt_app *kernels, const struct htmt__against_options *options,
                        htmt__against_progress_fn *progress, void *user,
                        struct htmt__against_clock *against, struct htmt_fault *fault);

/* The last size of the kernel counts for its means, and Hz for the clocks of this host. */
void htmt__against_add(struct htmt__against_clock *against, struct htmt__against_kernel *kernel,
                       double hertz);

/* Of all sizes: the mean of the errors' magnitudes, their median and the worst; the part of sizes
 * whose clock lies between low and high, and the median of half of that, as a part of the model; %.
 */
struct htmt__against_sum {
    unsigned sizes;
    double mean, median, worst, held, width;
};
struct htmt__against_sum htmt__against_sum(const struct htmt__against_clock *against);

/* What of the machine is disturbed, a line for each size, one for each kernel, and one for all. */
void htmt__against_print(const struct htmt__against_clock *against, FILE *out);
/* Errors: those of runtime/base/whole_file.h, of apps/formats/plot.h. */
int htmt__against_csv(const struct htmt__against_clock *against, const char *path,
                      struct htmt_fault *fault);
int htmt__against_json(const struct htmt__against_clock *against, const char *path,
                       struct htmt_fault *fault);
int htmt__against_plot_check(const char *path, struct htmt_fault *fault);
int htmt__against_plot(const struct htmt__against_clock *against, const char *path,
                       struct htmt_fault *fault);

#endif
