/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrix files of either kind, and NumPy's .npy: two dimensions of float64, rows or columns first.
 *
 * A file is read into a spread (spread.h), of which a whole matrix is a special case, and each
 * process keeps only its shares. Of a file in C order the elements of other processes are skipped.
 * In Fortran order columns come one after another: eight of them, which make a cache line of each
 * row, are read at a time and turned into rows.
 */
#include "apps/cannon/io/spread.h"
#include "apps/formats/matrix_market.h"
#include "apps/formats/npy.h"
#include "runtime/base/input.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRIP 8 /* columns of a Fortran file turned at a time: a cache line of a row */

/* A file whose head was read: its elements follow. */
struct htmt__cannon_file {
    const char *path;
    FILE *in;
    uint64_t rows, cols;
    bool fortran; /* of NumPy: columns first */
    bool is_text; /* Matrix Market */
    struct htmt__matrix_market text;
};

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

/* ---- NumPy ----------------------------------------------------------------------------------- */

static int read_npy_head(struct htmt__cannon_file *file, struct htmt_fault *fault)
{
    struct htmt__npy_shape shape;
    int rc = htmt__npy_read_header(file->path, file->in, 1u << HTMT__NPY_F8, 2, &shape,
                                   &file->fortran, fault);
    if (!rc) {
        file->rows = shape.size[0];
        file->cols = shape.size[1];
    }
    return rc;
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
            if (left_out && fseeko(file->in, (off_t)(left_out * sizeof(double)), SEEK_CUR))
                return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", file->path,
                                      strerror(errno));
            rc = htmt__npy_take(file->path, file->in, to.at, to.count * sizeof *to.at, fault);
            left_out = 0;
        }
    return rc;
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
        struct htmt__cannon_stretch to;
        for (uint64_t i = 0; !rc && i < m->rows; i++)
            for (uint64_t k = 0; k < width; k += to.count) {
                to = htmt__cannon_spread_at(m, i, j + k);
                to.count = to.count < width - k ? to.count : width - k;
                for (uint64_t n = 0; to.at && n < to.count; n++)
                    to.at[n] = strip[(k + n) * m->rows + i];
            }
    }
    free(strip);
    return rc;
}

int htmt__cannon_matrix_write(const char *path, const struct htmt__cannon_matrix *m,
                              struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {HTMT__NPY_F8, 2, {m->rows, m->cols}};
    return htmt__npy_write(path, &shape, m->at, fault);
}

/* ---- Matrix Market --------------------------------------------------------------------------- */

/* A coordinate file need not give all elements, and gives none twice. To see that, all elements are
 * NaN at first, which no file can hold: an element that is not NaN any more was given before, and
 * one that is NaN in the end is zero. */
static void replace_all(struct htmt__cannon_spread *m, bool missing)
{
    struct htmt__cannon_stretch in;
    for (uint64_t i = 0; i < m->rows; i++)
        for (uint64_t j = 0; j < m->cols; j += in.count) {
            in = htmt__cannon_spread_at(m, i, j);
            for (uint64_t k = 0; in.at && k < in.count; k++)
                if (!missing || isnan(in.at[k]))
                    in.at[k] = missing ? 0.0 : NAN;
        }
}

/* Elements of other processes are theirs to check. */
static int take_entries(struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                        struct htmt_fault *fault)
{
    struct htmt__matrix_market *f = &file->text;
    struct htmt__market_entry e;
    int rc;
    f->lines.fault = fault;
    replace_all(m, false);
    while ((rc = htmt__matrix_market_next(f, &e)) == 0) {
        double *at = htmt__cannon_spread_at(m, e.i, e.j).at;
        double *twin =
            f->symmetry == HTMT__MARKET_GENERAL ? NULL : htmt__cannon_spread_at(m, e.j, e.i).at;
        if (at && !isnan(*at))
            rc = htmt__lines_refuse(&f->lines, HTMT_EFORMAT, f->lines.line, "each entry once");
        if (rc)
            break;
        if (at)
            *at = e.value;
        if (twin)
            *twin = f->symmetry == HTMT__MARKET_SKEW ? -e.value : e.value;
    }
    replace_all(m, true);
    return rc < 0 ? rc : 0;
}

/* ---- a file of either kind ------------------------------------------------------------------ */

static int read_text_head(struct htmt__cannon_file *file, struct htmt_fault *fault)
{
    int rc = htmt__matrix_market_head(&file->text, file->path, file->in, fault);
    file->is_text = true;
    file->rows = file->text.rows;
    file->cols = file->text.cols;
    return rc;
}

static int read_head(struct htmt__cannon_file *file, struct htmt_fault *fault)
{
    char start[sizeof HTMT__MATRIX_MARKET_MAGIC - 1];
    size_t n = fread(start, 1, sizeof start, file->in);
    if (ferror(file->in) || fseek(file->in, 0, SEEK_SET))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", file->path, strerror(errno));
    if (n >= sizeof HTMT__NPY_MAGIC - 1 &&
        !memcmp(start, HTMT__NPY_MAGIC, sizeof HTMT__NPY_MAGIC - 1))
        return read_npy_head(file, fault);
    if (n == sizeof start && !memcmp(start, HTMT__MATRIX_MARKET_MAGIC, n))
        return read_text_head(file, fault);
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found neither a NumPy nor a Matrix Market file, expected one that "
                          "begins with \\x93NUMPY or %s",
                          file->path, HTMT__MATRIX_MARKET_MAGIC);
}

static void close_file(struct htmt__cannon_file *file)
{
    htmt__matrix_market_clear(&file->text);
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

static int take(struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                struct htmt_fault *fault)
{
    int rc = file->is_text   ? take_entries(file, m, fault)
             : file->fortran ? take_columns(file, m, fault)
                             : take_rows(file, m, fault);
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
    struct htmt_fault why = {0};
    uint64_t bytes = 0;
    rc = htmt__cannon_matrix_check(file.rows, file.cols, &bytes, &why);
    if (rc)
        htmt_fault_set(fault, rc, "%s: %s", path, why.text);
    else
        *m = (struct htmt__cannon_matrix){file.rows, file.cols, NULL};
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
    struct htmt_fault why = {0};
    rc = htmt__cannon_matrix_create(&found, file.rows, file.cols, &why);
    if (rc) {
        htmt_fault_set(fault, rc, "%s: %s", path, why.text);
    } else {
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
