/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shapes that `htmt host compare --kernels shapes` plays are recorded when htmt is built, with
 * the flags of that day. With --flags their source, which this program has in it, is compiled now:
 * each shape and size is a call that `htmt host predict --against-clock` makes. Calls follow each
 * other on arrays that stay in the caches, as turns of the other comparison do.
 */
#include "emul/command/host/shapes.h"

#include "emul/command/host/predict.h"
#include "layers/file/folders.h"
#include "layers/file/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES 3 /* in the first cache, the second one, beyond */

static const char text[] = {
#include <compile/shapes.inc>
};

static const struct {
    const char *name, *arrays;
    unsigned n[SIZES];
} shapes[] = {{"gemm", "c[n*n], a[n*n], b[n*n]", {32, 80, 200}},
              {"bicg", "s[n], q[n], a[n*n], p[n], r[n]", {48, 308, 2000}},
              {"solve", "x[n], a[n*n], b[n]", {48, 308, 2000}},
              {"factor", "l[n*n], a[n*n]", {32, 80, 200}},
              {"stencil1", "a[n], b[n]", {1000, 31624, 1000000}},
              {"stencil2", "a[n*n]", {48, 240, 1200}},
              {"stencil3", "b[n*n*n], a[n*n*n]", {12, 36, 120}},
              {"correlate", "c[n*n], mean[n], spread[n], x[n*n], a[n*n]", {32, 80, 200}},
              {"filter", "y[n], z[n], x[n]", {1000, 31624, 1000000}},
              {"total", "q[1], s[n], a[n]", {1000, 31624, 1000000}}};

/* The source in a folder of its own. */
static int write_source(char *folder, char *source, size_t room, struct htmt_fault *fault)
{
    *source = '\0';
    const int rc = htmt__folder_temporary(folder, room, fault);
    if (rc)
        return rc;
    snprintf(source, room + 16, "%s/shapes.c", folder);
    FILE *out = fopen(source, "w");
    if (out) {
        fputs("#define APART __attribute__((noinline))\n", out);
        fwrite(text, 1, sizeof text - 1, out);
    }
    return out && !fclose(out)
               ? 0
               : htmt_fault_set(fault, HTMT_ESYSTEM, "%s: %s", source, strerror(errno));
}

static int compare_one(struct htmt__command *program, const struct htmt__predict_options *o,
                       unsigned n, struct htmt__against_clock *a, struct htmt_fault *fault)
{
    struct htmt__against_kernel *k = &a->kernel[a->kernels - 1];
    struct htmt__predicted p;
    int rc = htmt__predict(program, o, &p, fault);
    if (rc)
        return rc;
    struct htmt__against_size *s = &k->size[k->sizes++];
    *s = (struct htmt__against_size){.n = n,
                                     .model = p.next,
                                     .clock = p.clock,
                                     .spread = 100 * p.spread,
                                     .free = p.free,
                                     .error = 100 * (p.next / p.clock - 1),
                                     .low = p.expected.low,
                                     .high = p.expected.high};
    htmt__against_add(a, k, p.hertz);
    a->disturbed = p.disturbed;
    a->clock = a->hz = p.own_hertz;
    return 0;
}

/* The source has no name that anybody knows. */
static void name_source(const char *source, struct htmt_fault *fault)
{
    static const char name[] = "shapes";
    char *at = strstr(fault->text, source);
    if (!at)
        return;
    memmove(at + strlen(name), at + strlen(source), strlen(at + strlen(source)) + 1);
    memcpy(at, name, strlen(name));
}

int htmt__host_shapes(struct htmt__command *program, const char *machine, const char *flags,
                      unsigned sizes, htmt__against_progress_fn *progress, void *user,
                      struct htmt__against_clock *a, struct htmt_fault *fault)
{
    char folder[HTMT_PATH_MAX], source[HTMT_PATH_MAX + 16], call[120];
    const struct htmt__predict_options o = {
        .source = source, .call = call, .machine = machine, .flags = flags, .clock = true};
    *a = (struct htmt__against_clock){.kernels = 0};
    snprintf(a->machine, sizeof a->machine, "%s", machine);
    int rc = write_source(folder, source, sizeof folder, fault);
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes && !rc; i++) {
        if (progress)
            progress(user, shapes[i].name);
        struct htmt__against_kernel *k = &a->kernel[a->kernels++];
        *k = (struct htmt__against_kernel){.name = shapes[i].name};
        for (unsigned j = 0; j < sizes && j < SIZES && !rc; j++) {
            snprintf(call, sizeof call, "%s(n=%u, %s)", shapes[i].name, shapes[i].n[j],
                     shapes[i].arrays);
            rc = compare_one(program, &o, shapes[i].n[j], a, fault);
        }
    }
    if (rc && *source)
        name_source(source, fault);
    if (*source)
        unlink(source);
    rmdir(folder);
    return rc;
}
