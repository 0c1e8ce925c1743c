/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading a matrix file of either kind.
 */
#include "apps/cannon/io/matrix_file.h"
#include "apps/formats/npy.h"
#include "runtime/base/input.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static int check_finite(const char *path, const struct htmt__cannon_matrix *m,
                        struct htmt_fault *fault)
{
    for (uint64_t i = 0; i < m->rows; i++)
        for (uint64_t j = 0; j < m->cols; j++)
            if (!isfinite(m->at[i * m->cols + j]))
                return htmt_fault_set(fault, HTMT_EFORMAT,
                                      "%s: found %f in row %" PRIu64 ", column %" PRIu64
                                      " (from 0), expected finite numbers",
                                      path, m->at[i * m->cols + j], i, j);
    return 0;
}

static int read_kind(const char *path, FILE *in, bool elements, struct htmt__cannon_matrix *m,
                     struct htmt_fault *fault)
{
    char start[sizeof HTMT__MARKET_MAGIC - 1];
    size_t n = fread(start, 1, sizeof start, in);
    if (ferror(in) || fseek(in, 0, SEEK_SET))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", path, strerror(errno));
    if (n >= sizeof HTMT__NPY_MAGIC - 1 &&
        !memcmp(start, HTMT__NPY_MAGIC, sizeof HTMT__NPY_MAGIC - 1))
        return htmt__cannon_matrix_read_npy(path, in, elements, m, fault);
    if (n == sizeof start && !memcmp(start, HTMT__MARKET_MAGIC, n))
        return htmt__cannon_matrix_read_market(path, in, elements, m, fault);
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found neither a NumPy nor a Matrix Market file, expected one that "
                          "begins with \\x93NUMPY or %s",
                          path, HTMT__MARKET_MAGIC);
}

static int read_file(const char *path, bool elements, struct htmt__cannon_matrix *m,
                     struct htmt_fault *fault)
{
    FILE *in = NULL;
    struct htmt__cannon_matrix found = {0, 0, NULL};
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &in, fault);
    if (rc)
        return rc;
    rc = read_kind(path, in, elements, &found, fault);
    if (!rc && elements)
        rc = check_finite(path, &found, fault);
    fclose(in);
    if (rc)
        htmt__cannon_matrix_destroy(&found);
    else
        *m = found;
    return rc;
}

int htmt__cannon_matrix_measure(const char *path, struct htmt__cannon_matrix *m,
                                struct htmt_fault *fault)
{
    return read_file(path, false, m, fault);
}

int htmt__cannon_matrix_read(const char *path, struct htmt__cannon_matrix *m,
                             struct htmt_fault *fault)
{
    return read_file(path, true, m, fault);
}
