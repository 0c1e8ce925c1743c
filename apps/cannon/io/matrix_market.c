/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrix Market exchange format (R. F. Boisvert, R. Pozo, K. A. Remington, NISTIR 5935, 1996).
 * Symmetric and skew-symmetric files hold the lower triangle, the latter without its diagonal;
 * array files go column by column.
 *
 * A file is read in two parts: the head, which gives the size, and the elements, for which the
 * caller then has made room. A coordinate file need not give all elements, and gives none twice. To
 * see that, all elements are NaN at first, which no file can hold: an element that is not NaN any
 * more was given before, and one that is NaN in the end is zero. For example, this file gives a 3 x
 * 3 matrix with three elements of its lower triangle, and with them a fourth above the diagonal:
 *
 *     %%MatrixMarket matrix coordinate real symmetric
 *     3 3 3
 *     1 1 2.5
 *     2 1 -1
 *     3 3 1e3
 */
#include "apps/cannon/io/matrix_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum symmetry { GENERAL, SYMMETRIC, SKEW };

#define EXACT     9007199254740992.0 /* 2^53: integers beyond are not all doubles */
#define LINE_MOST 65536              /* characters; the format allows 1024 */

struct htmt__matrix_market {
    const char *path;
    FILE *in;
    struct htmt_fault *fault;
    char line[LINE_MOST + 1];
    uint64_t number; /* of the line, from 1 */
    bool array, integer;
    enum symmetry symmetry;
    uint64_t rows, cols, entries; /* entries: lines of elements that must follow */
};

static int refuse(const struct htmt__matrix_market *f, int code, const char *found,
                  const char *expected)
{
    return htmt_fault_set(f->fault, code, "%s:%" PRIu64 ": found \"%.60s\", expected %s", f->path,
                          f->number, found, expected);
}

/* The next line without its end, which is LF, CR LF or CR alone; 1 at the end of the file. */
static int next_line(struct htmt__matrix_market *f)
{
    size_t n = 0;
    int c, behind;
    while ((c = getc_unlocked(f->in)) != EOF && c != '\n' && c != '\r' && n < LINE_MOST)
        f->line[n++] = (char)c;
    f->line[n] = '\0';
    if (c == '\r' && (behind = getc_unlocked(f->in)) != '\n' && behind != EOF)
        ungetc(behind, f->in);
    if (ferror(f->in))
        return htmt_fault_set(f->fault, HTMT_EIO, "%s: cannot read: %s", f->path, strerror(errno));
    if (c == EOF && !n)
        return 1;
    f->number++;
    if (memchr(f->line, '\0', n))
        return refuse(f, HTMT_EFORMAT, f->line, "text without zero bytes");
    if (n == LINE_MOST)
        return refuse(f, HTMT_EFORMAT, f->line, "lines shorter than 65536 characters");
    return 0;
}

/* The next line that is neither blank nor a comment; 1 at the end of the file. */
static int next_data(struct htmt__matrix_market *f)
{
    int rc;
    do
        rc = next_line(f);
    while (!rc && (f->line[0] == '%' || f->line[strspn(f->line, " \t")] == '\0'));
    return rc;
}

static int pick(const struct htmt__matrix_market *f, const char *word, const char *const *names,
                const char *expected)
{
    for (int k = 0; names[k]; k++)
        if (!strcasecmp(word, names[k]))
            return k;
    return refuse(f, HTMT_EFORMAT, word, expected);
}

static int read_banner(struct htmt__matrix_market *f)
{
    static const char *const layouts[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real", "integer", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
    char word[5][32];
    int rest = 0;
    if (sscanf(f->line, "%31s %31s %31s %31s %31s %n", word[0], word[1], word[2], word[3], word[4],
               &rest) != 5 ||
        f->line[rest] || strcmp(word[0], HTMT__MATRIX_MARKET_MAGIC) ||
        strcasecmp(word[1], "matrix"))
        return refuse(f, HTMT_EFORMAT, f->line, "%%MatrixMarket matrix LAYOUT FIELD SYMMETRY");
    int layout = pick(f, word[2], layouts, "coordinate or array");
    int field = layout < 0 ? layout : pick(f, word[3], fields, "real or integer");
    int symmetry =
        field < 0 ? field : pick(f, word[4], symmetries, "general, symmetric or skew-symmetric");
    if (symmetry < 0)
        return symmetry;
    f->array = layout == 1;
    f->integer = field == 1;
    f->symmetry = (enum symmetry)symmetry;
    return 0;
}

static int take_count(const struct htmt__matrix_market *f, char **at, uint64_t *out)
{
    *at += strspn(*at, " \t");
    if (!isdigit((unsigned char)**at))
        return refuse(f, HTMT_EFORMAT, f->line,
                      f->array ? "the sizes: rows columns"
                               : "three counts or an entry: row column value");
    errno = 0;
    *out = strtoull(*at, at, 10);
    return errno ? refuse(f, HTMT_ERANGE, f->line, "numbers of at most 64 bits") : 0;
}

static int end_of_line(const struct htmt__matrix_market *f, const char *at)
{
    at += strspn(at, " \t");
    return *at ? refuse(f, HTMT_EFORMAT, at, "the end of the line") : 0;
}

static int read_sizes(struct htmt__matrix_market *f)
{
    char *at = f->line;
    int rc = take_count(f, &at, &f->rows);
    if (!rc)
        rc = take_count(f, &at, &f->cols);
    if (!rc && !f->array)
        rc = take_count(f, &at, &f->entries);
    if (!rc)
        rc = end_of_line(f, at);
    if (!rc && f->symmetry != GENERAL && f->rows != f->cols)
        rc = refuse(f, HTMT_EFORMAT, f->line, "as many rows as columns in a symmetric matrix");
    if (rc || !f->array)
        return rc;
    uint64_t n = f->rows, all;
    if (__builtin_mul_overflow(f->rows, f->cols, &all))
        return refuse(f, HTMT_ERANGE, f->line, "sizes whose product has at most 64 bits");
    /* n (n + 1) / 2 and n (n - 1) / 2 without leaving 64 bits. */
    uint64_t diagonal = f->symmetry == SKEW ? 0 : n;
    f->entries = f->symmetry == GENERAL ? all : (all - n) / 2 + diagonal;
    return 0;
}

static int take_value(const struct htmt__matrix_market *f, char **at, double *out)
{
    char *end;
    *out = strtod(*at, &end);
    if (end == *at || (*end && !isspace((unsigned char)*end)))
        return refuse(f, HTMT_EFORMAT, *at, "a number");
    if (!isfinite(*out))
        return refuse(f, HTMT_EFORMAT, *at, "a finite number");
    if (f->integer && (*out != trunc(*out) || fabs(*out) > EXACT))
        return refuse(f, HTMT_EFORMAT, *at, "an integer of at most 2^53");
    *at = end;
    return 0;
}

/* Elements of other processes are theirs to check. */
static int place(const struct htmt__matrix_market *f, struct htmt__cannon_spread *m, uint64_t i,
                 uint64_t j, double v)
{
    double *at = htmt__cannon_spread_at(m, i, j).at;
    double *twin = f->symmetry == GENERAL ? NULL : htmt__cannon_spread_at(m, j, i).at;
    if (at && !isnan(*at))
        return refuse(f, HTMT_EFORMAT, f->line, "each entry once");
    if (at)
        *at = v;
    if (twin)
        *twin = f->symmetry == SKEW ? -v : v;
    return 0;
}

static int read_entry(struct htmt__matrix_market *f, struct htmt__cannon_spread *m)
{
    char *at = f->line;
    uint64_t i, j;
    double v = 0;
    int rc = take_count(f, &at, &i);
    if (!rc)
        rc = take_count(f, &at, &j);
    if (!rc)
        rc = take_value(f, &at, &v);
    if (!rc)
        rc = end_of_line(f, at);
    if (rc)
        return rc;
    if (i < 1 || i > m->rows || j < 1 || j > m->cols)
        return refuse(f, HTMT_EFORMAT, f->line, "a row and a column inside the matrix, from 1");
    if ((f->symmetry == SYMMETRIC && i < j) || (f->symmetry == SKEW && i <= j))
        return refuse(f, HTMT_EFORMAT, f->line, "entries of the lower triangle only");
    return place(f, m, i - 1, j - 1, v);
}

/* Element (i, j) of an array file. */
static int read_element(struct htmt__matrix_market *f, struct htmt__cannon_spread *m, uint64_t i,
                        uint64_t j)
{
    char *at = f->line;
    double v = 0;
    int rc = take_value(f, &at, &v);
    if (!rc)
        rc = end_of_line(f, at);
    return rc ? rc : place(f, m, i, j, v);
}

static int read_body(struct htmt__matrix_market *f, struct htmt__cannon_spread *m)
{
    uint64_t i = f->symmetry == SKEW, j = 0;
    int rc = 0;
    for (uint64_t k = 0; k < f->entries; k++) {
        if ((rc = next_data(f)) > 0)
            return htmt_fault_set(f->fault, HTMT_EFORMAT,
                                  "%s: truncated after line %" PRIu64 ": found %" PRIu64
                                  " entries, expected %" PRIu64,
                                  f->path, f->number, k, f->entries);
        if (!rc)
            rc = f->array ? read_element(f, m, i, j) : read_entry(f, m);
        if (rc)
            return rc;
        if (++i >= m->rows) { /* the next stored element of an array file, column by column */
            j++;
            i = f->symmetry == GENERAL ? 0 : j + (f->symmetry == SKEW);
        }
    }
    rc = next_data(f);
    return rc == 0  ? refuse(f, HTMT_EFORMAT, f->line, "nothing after the last entry")
           : rc < 0 ? rc
                    : 0;
}

/* No file can hold a NaN, so a NaN marks an element that was not given yet. */
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

/* Each entry takes so many characters at least. */
static int check_length(const struct htmt__matrix_market *f)
{
    struct stat at;
    long start = ftell(f->in);
    if (start < 0 || fstat(fileno(f->in), &at))
        return htmt_fault_set(f->fault, HTMT_EIO, "%s: cannot find its length: %s", f->path,
                              strerror(errno));
    uint64_t found = at.st_size > start ? (uint64_t)(at.st_size - start) : 0;
    uint64_t least = f->array ? sizeof "0" : sizeof "1 1 0";
    if (f->entries <= (found + 1) / least)
        return 0;
    return htmt_fault_set(f->fault, HTMT_EFORMAT,
                          "%s: truncated: found %" PRIu64 " bytes behind line %" PRIu64
                          ", expected %" PRIu64 " entries of at least %" PRIu64 " bytes",
                          f->path, found, f->number, f->entries, least);
}

int htmt__cannon_matrix_market_head(struct htmt__cannon_file *file, struct htmt_fault *fault)
{
    struct htmt__matrix_market *f = calloc(1, sizeof *f);
    if (!f)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to read it", file->path);
    file->matrix_market = f;
    f->path = file->path;
    f->in = file->in;
    f->fault = fault;
    int rc = next_line(f);
    if (!rc)
        rc = read_banner(f);
    if (!rc && (rc = next_data(f)) > 0)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: truncated: found no sizes", f->path);
    if (!rc)
        rc = read_sizes(f);
    if (!rc)
        rc = check_length(f);
    file->rows = f->rows;
    file->cols = f->cols;
    return rc;
}

int htmt__cannon_matrix_market_take(const struct htmt__cannon_file *file,
                                    struct htmt__cannon_spread *m, struct htmt_fault *fault)
{
    file->matrix_market->fault = fault;
    replace_all(m, false);
    int rc = read_body(file->matrix_market, m);
    replace_all(m, true);
    return rc;
}

void htmt__cannon_matrix_market_close(struct htmt__cannon_file *file)
{
    free(file->matrix_market);
    file->matrix_market = NULL;
}
