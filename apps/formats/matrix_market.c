/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Symmetric and skew-symmetric files hold the lower triangle, the latter without its diagonal;
 * array files go column by column. For example, this file gives a 3 x 3 matrix with three elements
 * of its lower triangle, and with them a fourth above the diagonal:
 *
 *     %%MatrixMarket matrix coordinate real symmetric
 *     3 3 3
 *     1 1 2.5
 *     2 1 -1
 *     3 3 1e3
 */
#include "apps/formats/matrix_market.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define LINE_MOST 65536 /* characters; the format allows 1024 */

static int refuse(const struct htmt__matrix_market *m, int code, const char *expected)
{
    return htmt__lines_refuse(&m->lines, code, m->lines.line, expected);
}

static int pick(const struct htmt__matrix_market *m, const char *word, const char *const *names,
                const char *expected)
{
    for (int k = 0; names[k]; k++)
        if (!strcasecmp(word, names[k]))
            return k;
    return htmt__lines_refuse(&m->lines, HTMT_EFORMAT, word, expected);
}

static int read_banner(struct htmt__matrix_market *m)
{
    static const char *const layouts[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real", "integer", "pattern", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
    const char *line = m->lines.line;
    char word[5][32];
    int rest = 0;
    if (sscanf(line, "%31s %31s %31s %31s %31s %n", word[0], word[1], word[2], word[3], word[4],
               &rest) != 5 ||
        line[rest] || strcmp(word[0], HTMT__MATRIX_MARKET_MAGIC) || strcasecmp(word[1], "matrix"))
        return refuse(m, HTMT_EFORMAT, "%%MatrixMarket matrix LAYOUT FIELD SYMMETRY");
    int layout = pick(m, word[2], layouts, "coordinate or array");
    if (layout < 0)
        return layout;
    m->array = layout == 1;
    int field = pick(m, word[3], fields, "real, integer or pattern");
    if (field == HTMT__MARKET_PATTERN && m->array)
        return htmt__lines_refuse(&m->lines, HTMT_EFORMAT, word[3],
                                  "real or integer in an array file");
    int symmetry =
        field < 0 ? field : pick(m, word[4], symmetries, "general, symmetric or skew-symmetric");
    if (symmetry < 0)
        return symmetry;
    if (symmetry == HTMT__MARKET_SKEW && field == HTMT__MARKET_PATTERN)
        return htmt__lines_refuse(&m->lines, HTMT_EFORMAT, word[4],
                                  "general or symmetric of a pattern");
    m->field = (enum htmt__market_field)field;
    m->symmetry = (enum htmt__market_symmetry)symmetry;
    return 0;
}

static int take_count(struct htmt__matrix_market *m, uint64_t *out)
{
    return htmt__lines_count(&m->lines,
                             m->array ? "the sizes: rows columns"
                             : m->field == HTMT__MARKET_PATTERN
                                 ? "three counts or an entry: row column"
                                 : "three counts or an entry: row column value",
                             out);
}

static int read_sizes(struct htmt__matrix_market *m)
{
    int rc = take_count(m, &m->rows);
    if (!rc)
        rc = take_count(m, &m->cols);
    if (!rc && !m->array)
        rc = take_count(m, &m->entries);
    if (!rc)
        rc = htmt__lines_end(&m->lines);
    if (!rc && m->symmetry != HTMT__MARKET_GENERAL && m->rows != m->cols)
        rc = refuse(m, HTMT_EFORMAT, "as many rows as columns in a symmetric matrix");
    if (rc || !m->array)
        return rc;
    uint64_t n = m->rows, all;
    if (__builtin_mul_overflow(m->rows, m->cols, &all))
        return refuse(m, HTMT_ERANGE, "sizes whose product has at most 64 bits");
    /* n (n + 1) / 2 and n (n - 1) / 2 without leaving 64 bits. */
    uint64_t diagonal = m->symmetry == HTMT__MARKET_SKEW ? 0 : n;
    m->entries = m->symmetry == HTMT__MARKET_GENERAL ? all : (all - n) / 2 + diagonal;
    m->i = m->symmetry == HTMT__MARKET_SKEW;
    return 0;
}

/* Each entry takes so many characters at least. A file that is unpacked while it is read has no
 * length. */
static int check_length(const struct htmt__matrix_market *m)
{
    const struct htmt__lines *l = &m->lines;
    struct stat at;
    long start = ftell(l->in);
    if (fileno(l->in) < 0)
        return 0;
    if (start < 0 || fstat(fileno(l->in), &at))
        return htmt_fault_set(l->fault, HTMT_EIO, "%s: cannot find its length: %s", l->path,
                              strerror(errno));
    uint64_t found = at.st_size > start ? (uint64_t)(at.st_size - start) : 0;
    uint64_t least = m->array                           ? sizeof "0"
                     : m->field == HTMT__MARKET_PATTERN ? sizeof "1 1"
                                                        : sizeof "1 1 0";
    if (m->entries <= (found + 1) / least)
        return 0;
    return htmt_fault_set(l->fault, HTMT_EFORMAT,
                          "%s: truncated: found %" PRIu64 " bytes behind line %" PRIu64
                          ", expected %" PRIu64 " entries of at least %" PRIu64 " bytes",
                          l->path, found, l->number, m->entries, least);
}

int htmt__matrix_market_head(struct htmt__matrix_market *m, const char *path, FILE *in,
                             struct htmt_fault *fault)
{
    *m = (struct htmt__matrix_market){
        .lines = {.path = path, .in = in, .fault = fault, .comment = "%", .most = LINE_MOST}};
    int rc = htmt__lines_next(&m->lines);
    if (rc > 0)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found an empty file", path);
    if (!rc)
        rc = read_banner(m);
    if (!rc && (rc = htmt__lines_next_data(&m->lines)) > 0)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: truncated: found no sizes", path);
    if (!rc)
        rc = read_sizes(m);
    return rc ? rc : check_length(m);
}

static int read_entry(struct htmt__matrix_market *m, struct htmt__market_entry *e)
{
    int rc = take_count(m, &e->i);
    if (!rc)
        rc = take_count(m, &e->j);
    if (!rc && m->field != HTMT__MARKET_PATTERN)
        rc = htmt__lines_value(&m->lines, m->field == HTMT__MARKET_INTEGER, &e->value);
    if (!rc)
        rc = htmt__lines_end(&m->lines);
    if (rc)
        return rc;
    if (e->i < 1 || e->i > m->rows || e->j < 1 || e->j > m->cols)
        return refuse(m, HTMT_EFORMAT, "a row and a column inside the matrix, from 1");
    if ((m->symmetry == HTMT__MARKET_SYMMETRIC && e->i < e->j) ||
        (m->symmetry == HTMT__MARKET_SKEW && e->i <= e->j))
        return refuse(m, HTMT_EFORMAT, "entries of the lower triangle only");
    e->i--;
    e->j--;
    return 0;
}

/* Column by column, of each what is stored. */
static int read_element(struct htmt__matrix_market *m, struct htmt__market_entry *e)
{
    e->i = m->i;
    e->j = m->j;
    int rc = htmt__lines_value(&m->lines, m->field == HTMT__MARKET_INTEGER, &e->value);
    if (!rc)
        rc = htmt__lines_end(&m->lines);
    if (++m->i >= m->rows) {
        m->j++;
        m->i = m->symmetry == HTMT__MARKET_GENERAL ? 0 : m->j + (m->symmetry == HTMT__MARKET_SKEW);
    }
    return rc;
}

int htmt__matrix_market_next(struct htmt__matrix_market *m, struct htmt__market_entry *entry)
{
    const struct htmt__lines *l = &m->lines;
    int rc = htmt__lines_next_data(&m->lines);
    if (m->taken == m->entries)
        return rc ? rc : refuse(m, HTMT_EFORMAT, "nothing after the last entry");
    if (rc > 0)
        return htmt_fault_set(l->fault, HTMT_EFORMAT,
                              "%s: truncated after line %" PRIu64 ": found %" PRIu64
                              " entries, expected %" PRIu64,
                              l->path, l->number, m->taken, m->entries);
    m->taken++;
    *entry = (struct htmt__market_entry){.value = 1};
    return rc ? rc : m->array ? read_element(m, entry) : read_entry(m, entry);
}

void htmt__matrix_market_clear(struct htmt__matrix_market *m)
{
    htmt__lines_clear(&m->lines);
}
