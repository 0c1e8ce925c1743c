/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/pgm.h"

#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct scale {
    double least, largest;
};

static struct scale scale_of(const double *values, uint64_t count)
{
    struct scale s = {INFINITY, -INFINITY};
    for (uint64_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            s.least = fmin(s.least, values[i]);
            s.largest = fmax(s.largest, values[i]);
        }
    return s;
}

/* Halves first: the difference of two finite numbers may not be finite. */
static int grey(const struct scale *s, double value)
{
    if (!isfinite(value) || !(s->largest > s->least))
        return 0;
    return (int)lround(255 * ((value / 2 - s->least / 2) / (s->largest / 2 - s->least / 2)));
}

int htmt_pgm_write(const char *path, const double *values, uint32_t width, uint32_t height,
                   struct htmt_fault *fault)
{
    uint64_t count = (uint64_t)width * height;
    struct htmt_whole_file *file = NULL;
    if (!path || !values || !count)
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: nothing to draw", path ? path : "a picture");
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    const struct scale s = scale_of(values, count);
    fprintf(htmt_whole_file_stream(file), "P5\n%" PRIu32 " %" PRIu32 "\n255\n", width, height);
    for (uint64_t i = 0; i < count; i++)
        fputc(grey(&s, values[i]), htmt_whole_file_stream(file));
    return htmt_whole_file_commit(&file, fault);
}
