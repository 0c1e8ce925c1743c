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

static int check_finite(const char *path, const struct htmt__cannon_spread *m,
                        struct htmt_fault *fault)
{
    struct htmt__cannon_stretch in;
    for (uint64_t i = 0; i < m->rows; i++)
        for (uint64_t j = 0; j < m->cols; j += in.count) {
            in = htmt__cannon_spread_at(m, i, j);
            for (uint64_t k = 0; in.at && k < in.count; k++)
                if (!isfinite(in.at[k]))
                    return htmt_fault_set(fault, HTMT_EFORMAT,
                                          "%s: found %f in row %" PRIu64 ", column %" PRIu64
                                          " (from 0), expected finite numbers",
                                          path, in.at[k], i, j + k);
        }
    return 0;
}

/* ---- a file of either kind ------------------------------------------------------------------ */

static int read_head(struct htmt__cannon_file *file, struct htmt_fault *fault)
{
    char start[sizeof HTMT__MARKET_MAGIC - 1];
    size_t n = fread(start, 1, sizeof start, file->in);
    if (ferror(file->in) || fseek(file->in, 0, SEEK_SET))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", file->path, strerror(errno));
    if (n >= sizeof HTMT__NPY_MAGIC - 1 &&
        !memcmp(start, HTMT__NPY_MAGIC, sizeof HTMT__NPY_MAGIC - 1))
        return htmt__cannon_npy_head(file, fault);
    if (n == sizeof start && !memcmp(start, HTMT__MARKET_MAGIC, n))
        return htmt__cannon_market_head(file, fault);
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found neither a NumPy nor a Matrix Market file, expected one that "
                          "begins with \\x93NUMPY or %s",
                          file->path, HTMT__MARKET_MAGIC);
}

static void close_file(struct htmt__cannon_file *file)
{
    htmt__cannon_market_close(file);
    fclose(file->in);
}

static int open_file(const char *path, struct htmt__cannon_file *file, struct htmt_fault *fault)
{
    *file = (struct htmt__cannon_file){.path = path};
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &file->in, fault);
    if (rc)
        return rc;
    rc = read_head(file, fault);
    if (rc)
        close_file(file);
    return rc;
}

static int take(const struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                struct htmt_fault *fault)
{
    int rc = (file->market ? htmt__cannon_market_take : htmt__cannon_npy_take)(file, m, fault);
    return rc ? rc : check_finite(file->path, m, fault);
}

/* ---- matrices and spreads ------------------------------------------------------------------- */

int htmt__cannon_matrix_measure(const char *path, struct htmt__cannon_matrix *m,
                                struct htmt_fault *fault)
{
    struct htmt__cannon_file file;
    int rc = open_file(path, &file, fault);
    if (rc)
        return rc;
    rc = htmt__cannon_matrix_create_for(path, false, m, file.rows, file.cols, fault);
    close_file(&file);
    return rc;
}

int htmt__cannon_matrix_read(const char *path, struct htmt__cannon_matrix *m,
                             struct htmt_fault *fault)
{
    struct htmt__cannon_matrix found = {0, 0, NULL};
    struct htmt__cannon_file file;
    int rc = open_file(path, &file, fault);
    if (rc)
        return rc;
    rc = htmt__cannon_matrix_create_for(path, true, &found, file.rows, file.cols, fault);
    if (!rc) {
        struct htmt__cannon_spread whole = htmt__cannon_spread_whole(&found);
        rc = take(&file, &whole, fault);
    }
    close_file(&file);
    if (rc)
        htmt__cannon_matrix_destroy(&found);
    else
        *m = found;
    return rc;
}

int htmt__cannon_spread_read(const char *path, struct htmt__cannon_spread *m,
                             struct htmt_fault *fault)
{
    struct htmt__cannon_file file;
    int rc = open_file(path, &file, fault);
    if (rc)
        return rc;
    if (file.rows == m->rows && file.cols == m->cols)
        rc = take(&file, m, fault);
    else
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found %" PRIu64 " x %" PRIu64 " elements, expected %" PRIu64
                            " x %" PRIu64 " as a moment ago",
                            path, file.rows, file.cols, m->rows, m->cols);
    close_file(&file);
    return rc;
}
