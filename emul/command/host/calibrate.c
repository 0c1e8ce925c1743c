/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far the model is off on the host that was measured, beside its figures. They have spreads,
 * but the model leaves things out (decoders, alignment, how units are given out), and how much that
 * matters differs by processor and by what bounds a loop. So the file is tried as
 * `htmt host predict --against-clock` uses it: the loops of tried_loops.h are compiled together,
 * predicted and timed, and what their ratios tell of each bound goes into the file
 * (emul/lib/questions/interval.h). A loop counts where two rounds of samples agree, or, on a host
 * so busy that this is half of them at most, where a sample found the core free. The clock counts
 * cycles, since it may have another rate by then.
 */
#include "emul/command/host/host.h"
#include "emul/command/host/predict.h"
#include "layers/file/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char source[] = {
#include <compile/tried_loops.inc>
};

static const char *const calls[] = {
    "horner(n=500, x=0.4, a[n])",
    "fraction(n=200, a[n])",
    "checksum(n=600, a[n])",
    "ring(n=600, t[16], a[n])",
    "running(n=700, a[n])",
    "moments(n=500, a[n], t[2])",
    "quotient(n=400, a[n], b[n])",
    "contrast(n=400, a[n], b[n], c[n])",
    "series(n=500, a[n], b[n])",
    "scramble(n=700, a[n], b[n])",
    "grey(n=600, r[n], g[n], b[n], y[n])",
    "turn(n=600, x[n], y[n], u[n], v[n])",
    "clamp(n=700, a[n], b[n])",
    "negate(n=800, a[n])",
    "present(n=900, a[n])",
    "highest(n=900, a[n])",
    "level(n=900, a[n])",
    "cap(n=900, a[n])",
    "fold(n=800, a[n], b[n])",
    "mesh(n=600, x[n], y[n], b[2*n])",
    "rank_one(n=50, m=70, a[n*m], x[n], y[m])",
    "lengths(n=60, m=90, a[n*m], t[n])",
    "exchange_rows(n=40, m=100, a[n*m])",
    "integral(n=30, m=90, v[n*m], s[n*m])",
    "polynomials(n=150, m=12, x[n], c[m], y[n])",
    "distances(n=50, p[3*n], d[n*n])",
    "smooth_band(n=400, b[7*n], x[n], y[n])",
    "products(n=500, a[2*n], b[2*n], c[2*n])",
    "transpose(n=40, a[n*n], t[n*n])",
    "widths(n=900, a[n], b[n])",
    "pairs(n=50, a[n], b[n])",
    "scale(n=40000, a[n], b[n])",
    "every_line(n=8000, a[8*n])",
    "every_line(n=60000, a[8*n])",
    "mark_lines(n=8000, a[8*n])",
    "mark_lines(n=60000, a[8*n])",
    "walk(n=2000, m=32768, t[m])",
    "walk(n=2000, m=1048576, t[m])",
    "draw(n=4000, m=32768, t[m])",
    "draw(n=4000, m=1048576, t[m])",
    "sieve(n=1500, p[n])",
    "insertion(n=60, a[n])",
    "euclid(n=80)",
    "coin(n=600, a[n], b[64])",
    "toss(n=600, a[n], b[64], drawn[1])",
    "spans(n=400, a[8], drawn[1])",
    "heap(n=300, a[n], drawn[1])",
    "squash(n=200, a[n], b[n])",
    "angles(n=200, a[n], b[n], c[n])",
};
#define LOOPS (sizeof calls / sizeof *calls)

/* The text of the loops as a file that goes with the command. */
static bool write_source(char path[HTMT_PATH_MAX])
{
    const char *home = getenv("TMPDIR");
    snprintf(path, HTMT_PATH_MAX, "%s/htmt-XXXXXX.c", home && *home ? home : "/tmp");
    const int at = mkstemps(path, 2);
    FILE *out = at < 0 ? NULL : fdopen(at, "w");
    if (!out)
        return false;
    const bool whole = fwrite(source, 1, sizeof source - 1, out) == sizeof source - 1;
    return !fclose(out) && whole;
}

void htmt__host_calibrate(struct htmt__command *program, struct htmt__host_figures *f,
                          const char *machine)
{
    char path[HTMT_PATH_MAX] = "";
    const struct htmt__predict_options o = {
        .source = path, .machine = machine, .flags = "-O2", .clock = true};
    struct htmt__predicted *predicted = calloc(LOOPS, sizeof *predicted);
    struct htmt__tried tried[LOOPS];
    struct htmt_fault fault = {0};
    const bool done = predicted && write_source(path) &&
                      !htmt__predict_calls(program, &o, calls, LOOPS, false, predicted, &fault);
    unlink(path);
    unsigned agree = 0;
    for (unsigned i = 0; i < LOOPS && done; i++)
        agree += predicted[i].free && predicted[i].agree > 1;
    for (unsigned i = 0; i < LOOPS && done; i++) {
        const struct htmt__predicted *p = &predicted[i];
        const bool counts = p->free && p->next > 0 && (p->agree > 1 || 2 * agree < LOOPS);
        tried[i] = (struct htmt__tried){counts ? p->clock / p->next : 0, p->shares};
        f->tried += counts;
    }
    if (done)
        htmt__calibrate(tried, LOOPS, &f->calibration, f->calibrated);
    free(predicted);
}
