/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices in NumPy's .npy: two dimensions of float64, rows or columns first.
 */
#include "apps/cannon/io/matrix_file.h"

#include "apps/formats/npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRIP 8 /* columns of a Fortran file turned at a time: a cache line of a row */

int htmt__cannon_npy_head(struct htmt__cannon_file *file, struct htmt_fault *fault)
{
    struct htmt__npy_shape shape;
    int rc = htmt__npy_read_header(file->path, file->in, 1u << HTMT__NPY_F8, 2, &shape,
                                   &file->fortran, fault);
    if (rc)
        return rc;
    file->rows = shape.size[0];
    file->cols = shape.size[1];
    return 0;
}

static int skip(const struct htmt__cannon_file *file, uint64_t elements, struct htmt_fault *fault)
{
    if (!elements || !fseeko(file->in, (off_t)(elements * sizeof(double)), SEEK_CUR))
        return 0;
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", file->path, strerror(errno));
}

/* What is not needed here is not read. */
static int take_rows(const struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                     struct htmt_fault *fault)
{
    struct htmt__cannon_stretch to;
    uint64_t left_out = 0;
    int rc = 0;
    for (uint64_t i = 0; i < m->rows; i++)
        for (uint64_t j = 0; !rc && j < m->cols; j += to.count) {
            to = htmt__cannon_spread_at(m, i, j);
            left_out += to.at ? 0 : to.count;
            if (!to.at)
                continue;
            rc = skip(file, left_out, fault);
            if (!rc)
                rc = htmt__npy_take(file->path, file->in, to.at, to.count * sizeof *to.at, fault);
            left_out = 0;
        }
    return rc;
}

/* Row i of `width` columns from j on, which lie in a strip. */
static void turn(struct htmt__cannon_spread *m, const double *strip, uint64_t i, uint64_t j,
                 uint64_t width)
{
    struct htmt__cannon_stretch to;
    for (uint64_t k = 0; k < width; k += to.count) {
        to = htmt__cannon_spread_at(m, i, j + k);
        to.count = to.count < width - k ? to.count : width - k;
        for (uint64_t n = 0; to.at && n < to.count; n++)
            to.at[n] = strip[(k + n) * m->rows + i];
    }
}

static int take_columns(const struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                        struct htmt_fault *fault)
{
    double *strip = calloc(m->rows, STRIP * sizeof *strip);
    if (!strip)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to turn columns into rows",
                              file->path);
    int rc = 0;
    for (uint64_t j = 0; !rc && j < m->cols; j += STRIP) {
        uint64_t width = m->cols - j < STRIP ? m->cols - j : STRIP;
        rc = htmt__npy_take(file->path, file->in, strip, width * m->rows * sizeof *strip, fault);
        for (uint64_t i = 0; !rc && i < m->rows; i++)
            turn(m, strip, i, j, width);
    }
    free(strip);
    return rc;
}

int htmt__cannon_npy_take(const struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                          struct htmt_fault *fault)
{
    return (file->fortran ? take_columns : take_rows)(file, m, fault);
}

int htmt__cannon_matrix_write(const char *path, const struct htmt__cannon_matrix *m,
                              struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {HTMT__NPY_F8, 2, {m->rows, m->cols}};
    return htmt__npy_write(path, &shape, m->at, fault);
}
