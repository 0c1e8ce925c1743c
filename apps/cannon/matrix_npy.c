/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NumPy's .npy (NEP 1): magic, version, length of the header (2 bytes little-endian in version 1,
 * 4 in versions 2 and 3), the header as a Python dictionary with exactly the keys descr,
 * fortran_order and shape, then the elements.
 */
#include "apps/cannon/matrix_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are read as they lie");

#define HEADER_MAX 65536 /* bytes; NumPy's own reader refuses longer ones than 10,000 */
#define STRIP      8     /* columns of a Fortran file turned at a time: a cache line of a row */

struct header {
    bool descr, fortran_order, shape; /* seen */
    bool fortran;
    uint64_t rows, cols;
};

struct text {
    const char *path;
    const char *at; /* zero-terminated */
    struct htmt_fault *fault;
};

static int malformed(const struct text *t, const char *expected)
{
    return htmt_fault_set(t->fault, HTMT_EFORMAT, "%s: found \"%.30s\" in the header, expected %s",
                          t->path, t->at, expected);
}

static void skip_blanks(struct text *t)
{
    while (isspace((unsigned char)*t->at))
        t->at++;
}

static bool take(struct text *t, char c)
{
    skip_blanks(t);
    if (*t->at != c)
        return false;
    t->at++;
    return true;
}

static bool take_word(struct text *t, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(t);
    if (strncmp(t->at, word, n) || isalnum((unsigned char)t->at[n]))
        return false;
    t->at += n;
    return true;
}

/* 'text' or "text" without escapes, which NumPy does not write for plain types. */
static int take_string(struct text *t, char *out, size_t room)
{
    skip_blanks(t);
    char quote = *t->at;
    const char *end = quote == '\'' || quote == '"' ? strchr(t->at + 1, quote) : NULL;
    if (!end || (size_t)(end - t->at) > room)
        return malformed(t, "a short quoted string");
    size_t n = (size_t)(end - t->at) - 1;
    memcpy(out, t->at + 1, n);
    out[n] = '\0';
    t->at = end + 1;
    return 0;
}

static int take_size(struct text *t, uint64_t *out)
{
    skip_blanks(t);
    if (!isdigit((unsigned char)*t->at))
        return malformed(t, "a shape of two sizes such as (3, 4)");
    char *end;
    errno = 0;
    *out = strtoull(t->at, &end, 10);
    if (errno)
        return htmt_fault_set(t->fault, HTMT_ERANGE, "%s: the size %.40s overflows 64 bits",
                              t->path, t->at);
    t->at = end;
    return 0;
}

static int take_shape(struct text *t, struct header *h)
{
    int rc;
    if (!take(t, '('))
        return malformed(t, "a shape of two sizes such as (3, 4)");
    if ((rc = take_size(t, &h->rows)))
        return rc;
    if (!take(t, ','))
        return malformed(t, "a comma and the second size of the shape");
    if ((rc = take_size(t, &h->cols)))
        return rc;
    take(t, ',');
    return take(t, ')') ? 0 : malformed(t, "the end of a shape of two sizes");
}

static int take_order(struct text *t, struct header *h)
{
    h->fortran = take_word(t, "True");
    return h->fortran || take_word(t, "False") ? 0 : malformed(t, "True or False");
}

static int take_descr(struct text *t)
{
    char descr[32];
    skip_blanks(t);
    if (*t->at == '[')
        return malformed(t, "dtype '<f8' (float64, little-endian), not a structured one");
    int rc = take_string(t, descr, sizeof descr);
    if (rc)
        return rc;
    if (strcmp(descr, "<f8"))
        return htmt_fault_set(t->fault, HTMT_EFORMAT,
                              "%s: found dtype '%s', expected '<f8' (float64, little-endian)",
                              t->path, descr);
    return 0;
}

static int once(const struct text *t, const char *key, bool *seen)
{
    if (*seen)
        return htmt_fault_set(t->fault, HTMT_EFORMAT, "%s: found key '%s' twice in the header",
                              t->path, key);
    *seen = true;
    return 0;
}

static int take_value(struct text *t, const char *key, struct header *h)
{
    int rc;
    if (!strcmp(key, "descr"))
        return (rc = once(t, key, &h->descr)) ? rc : take_descr(t);
    if (!strcmp(key, "fortran_order"))
        return (rc = once(t, key, &h->fortran_order)) ? rc : take_order(t, h);
    if (!strcmp(key, "shape"))
        return (rc = once(t, key, &h->shape)) ? rc : take_shape(t, h);
    return htmt_fault_set(t->fault, HTMT_EFORMAT,
                          "%s: found key '%s' in the header, expected descr, fortran_order, shape",
                          t->path, key);
}

static int take_dictionary(struct text *t, struct header *h)
{
    char key[32];
    int rc;
    if (!take(t, '{'))
        return malformed(t, "{");
    while (!take(t, '}')) {
        if ((rc = take_string(t, key, sizeof key)))
            return rc;
        if (!take(t, ':'))
            return malformed(t, "a colon after the key");
        if ((rc = take_value(t, key, h)))
            return rc;
        skip_blanks(t);
        if (!take(t, ',') && *t->at != '}')
            return malformed(t, "a comma or }");
    }
    skip_blanks(t);
    if (*t->at)
        return malformed(t, "nothing after the dictionary");
    if (!h->descr || !h->fortran_order || !h->shape)
        return htmt_fault_set(t->fault, HTMT_EFORMAT, "%s: the header lacks %s", t->path,
                              !h->descr           ? "descr"
                              : !h->fortran_order ? "fortran_order"
                                                  : "shape");
    return 0;
}

static int take_all(const char *path, FILE *in, void *out, size_t bytes, const char *what,
                    struct htmt_fault *fault)
{
    size_t n = fread(out, 1, bytes, in);
    if (n == bytes)
        return 0;
    if (ferror(in))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", path, strerror(errno));
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s: truncated: found %zu bytes of %s, expected %zu",
                          path, n, what, bytes);
}

static int header_size(const char *path, FILE *in, size_t *size, struct htmt_fault *fault)
{
    unsigned char b[12] = {0};
    int rc = take_all(path, in, b, 8, "the preamble", fault);
    if (rc)
        return rc;
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found .npy version %d.%d, expected 1.0, 2.0 or 3.0", path, b[6],
                              b[7]);
    if ((rc = take_all(path, in, b + 8, b[6] == 1 ? 2 : 4, "the header's length", fault)))
        return rc;
    *size = (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (*size > HEADER_MAX)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found a header of %zu bytes, expected at most %d", path, *size,
                              HEADER_MAX);
    return 0;
}

static int read_header(const char *path, FILE *in, struct header *h, struct htmt_fault *fault)
{
    size_t size = 0;
    int rc = header_size(path, in, &size, fault);
    if (rc)
        return rc;
    char *text = calloc(size + 1, 1);
    if (!text)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for the header", path);
    rc = take_all(path, in, text, size, "the header", fault);
    if (!rc && strlen(text) != size)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a zero byte in the header", path);
    if (!rc)
        rc = take_dictionary(&(struct text){path, text, fault}, h);
    free(text);
    return rc;
}

/* Before any memory is taken, so that a header that promises too much costs nothing. */
static int check_length(const char *path, FILE *in, const struct header *h,
                        struct htmt_fault *fault)
{
    struct stat st;
    uint64_t bytes;
    long start = ftell(in);
    if (start < 0 || fstat(fileno(in), &st))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot find its length: %s", path,
                              strerror(errno));
    if (__builtin_mul_overflow(h->rows, h->cols, &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(double), &bytes))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "%s: %" PRIu64 " x %" PRIu64 " elements overflow 64 bits of bytes",
                              path, h->rows, h->cols);
    uint64_t found = st.st_size > start ? (uint64_t)(st.st_size - start) : 0;
    if (found == bytes)
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: %s: found %" PRIu64 " bytes of elements, expected %" PRIu64
                          " (%" PRIu64 " x %" PRIu64 " x 8)",
                          path, found < bytes ? "truncated" : "too long", found, bytes, h->rows,
                          h->cols);
}

static int read_columns(const char *path, FILE *in, struct htmt__matrix *m,
                        struct htmt_fault *fault)
{
    double *strip = calloc(m->rows, STRIP * sizeof *strip);
    if (!strip)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to turn columns into rows", path);
    int rc = 0;
    for (uint64_t j = 0; !rc && j < m->cols; j += STRIP) {
        uint64_t width = m->cols - j < STRIP ? m->cols - j : STRIP;
        rc = take_all(path, in, strip, width * m->rows * sizeof *strip, "elements", fault);
        for (uint64_t i = 0; !rc && i < m->rows; i++)
            for (uint64_t k = 0; k < width; k++)
                m->at[i * m->cols + j + k] = strip[k * m->rows + i];
    }
    free(strip);
    return rc;
}

int htmt__matrix_read_npy(const char *path, FILE *in, struct htmt__matrix *m,
                          struct htmt_fault *fault)
{
    struct header h = {0};
    int rc = read_header(path, in, &h, fault);
    if (!rc)
        rc = check_length(path, in, &h, fault);
    if (!rc)
        rc = htmt__matrix_create_for(path, m, h.rows, h.cols, fault);
    if (rc)
        return rc;
    rc = h.fortran
             ? read_columns(path, in, m, fault)
             : take_all(path, in, m->at, m->rows * m->cols * sizeof *m->at, "elements", fault);
    if (rc)
        htmt__matrix_destroy(m);
    return rc;
}
