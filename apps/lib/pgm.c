/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The least value is black, the largest white; what is no number is black. Values are halved before
 * they are subtracted: the difference of two finite numbers may not be finite.
 */
#include "apps/lib/pgm.h"

#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int htmt_pgm_write(const char *path, const double *values, uint32_t width, uint32_t height,
                   struct htmt_fault *fault)
{
    const uint64_t count = (uint64_t)width * height;
    struct htmt_whole_file *file = NULL;
    if (!path || !values || !count)
        return htmt_fault_set(fault, HTMT_EINVAL, "%s: nothing to draw", path ? path : "a picture");
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    double least = INFINITY, largest = -INFINITY;
    for (uint64_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            least = fmin(least, values[i]);
            largest = fmax(largest, values[i]);
        }
    const double span = largest / 2 - least / 2;
    fprintf(htmt_whole_file_stream(file), "P5\n%" PRIu32 " %" PRIu32 "\n255\n", width, height);
    for (uint64_t i = 0; i < count; i++) {
        int grey = 0;
        if (isfinite(values[i]) && largest > least)
            grey = (int)lround(255 * ((values[i] / 2 - least / 2) / span));
        fputc(grey, htmt_whole_file_stream(file));
    }
    return htmt_whole_file_commit(&file, fault);
}
