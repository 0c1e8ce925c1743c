/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices in NumPy's .npy: two dimensions of float64, rows or columns first.
 */
#include "apps/cannon/io/matrix_file.h"

#include "apps/formats/npy.h"

#include <stdlib.h>

#define STRIP 8 /* columns of a Fortran file turned at a time: a cache line of a row */

static int read_columns(const char *path, FILE *in, struct htmt__cannon_matrix *m,
                        struct htmt_fault *fault)
{
    double *strip = calloc(m->rows, STRIP * sizeof *strip);
    if (!strip)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to turn columns into rows", path);
    int rc = 0;
    for (uint64_t j = 0; !rc && j < m->cols; j += STRIP) {
        uint64_t width = m->cols - j < STRIP ? m->cols - j : STRIP;
        rc = htmt__npy_take(path, in, strip, width * m->rows * sizeof *strip, fault);
        for (uint64_t i = 0; !rc && i < m->rows; i++)
            for (uint64_t k = 0; k < width; k++)
                m->at[i * m->cols + j + k] = strip[k * m->rows + i];
    }
    free(strip);
    return rc;
}

int htmt__cannon_matrix_read_npy(const char *path, FILE *in, bool elements,
                                 struct htmt__cannon_matrix *m, struct htmt_fault *fault)
{
    struct htmt__npy_shape shape;
    bool fortran = false;
    int rc = htmt__npy_read_header(path, in, 1u << HTMT__NPY_F8, 2, &shape, &fortran, fault);
    if (!rc)
        rc = htmt__cannon_matrix_create_for(path, elements, m, shape.size[0], shape.size[1], fault);
    if (rc || !elements)
        return rc;
    rc = fortran ? read_columns(path, in, m, fault)
                 : htmt__npy_take(path, in, m->at, m->rows * m->cols * sizeof *m->at, fault);
    if (rc)
        htmt__cannon_matrix_destroy(m);
    return rc;
}

int htmt__cannon_matrix_write(const char *path, const struct htmt__cannon_matrix *m,
                              struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {HTMT__NPY_F8, 2, {m->rows, m->cols}};
    return htmt__npy_write(path, &shape, m->at, fault);
}
