/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Magic, version, length of the header (2 bytes little-endian in version 1, 4 in versions 2 and 3),
 * the header as a Python dictionary with exactly the keys descr, fortran_order and shape, then the
 * elements.
 */
#include "apps/formats/npy.h"
#include "apps/formats/npy_types.h"
#include "runtime/base/input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are read as they lie");

#define HEADER_MAX 65536 /* bytes; NumPy's own reader refuses longer ones than 10,000 */

struct header {
    bool descr, fortran_order, shape; /* seen */
    bool fortran;
    struct htmt__npy_shape is;
};

struct text {
    const char *path;
    const char *at; /* zero-terminated */
    unsigned types; /* wanted; a set */
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
        return malformed(t, "a shape of sizes such as (3, 4)");
    char *end;
    errno = 0;
    *out = strtoull(t->at, &end, 10);
    if (errno)
        return htmt_fault_set(t->fault, HTMT_ERANGE, "%s: the size %.40s overflows 64 bits",
                              t->path, t->at);
    t->at = end;
    return 0;
}

static int take_shape(struct text *t, struct htmt__npy_shape *shape)
{
    if (!take(t, '('))
        return malformed(t, "a shape of sizes such as (3, 4)");
    for (shape->rank = 0; !take(t, ')'); shape->rank++) {
        if (shape->rank == HTMT__NPY_RANK_MAX)
            return malformed(t, "the end of a shape of at most four sizes");
        int rc = take_size(t, &shape->size[shape->rank]);
        if (rc)
            return rc;
        skip_blanks(t);
        if (!take(t, ',') && *t->at != ')')
            return malformed(t, "a comma or the end of the shape");
    }
    return 0;
}

static int take_order(struct text *t, struct header *h)
{
    h->fortran = take_word(t, "True");
    return h->fortran || take_word(t, "False") ? 0 : malformed(t, "True or False");
}

/* "'<f8' (float64)", "'<f4' (float32) or '<f8' (float64)". */
static void name_types(unsigned types, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < HTMT__NPY_TYPES && used < room; i++)
        if (types & 1u << i)
            used += (size_t)snprintf(text + used, room - used, "%s'%s' (%s)", used ? " or " : "",
                                     htmt__npy_types[i].dtype, htmt__npy_types[i].name);
}

static int take_descr(struct text *t, enum htmt__npy_type *type)
{
    char descr[32], wanted[200];
    name_types(t->types, wanted, sizeof wanted);
    skip_blanks(t);
    if (*t->at == '[')
        return htmt_fault_set(t->fault, HTMT_EFORMAT,
                              "%s: found a structured dtype \"%.30s\", expected %s, little-endian",
                              t->path, t->at, wanted);
    int rc = take_string(t, descr, sizeof descr);
    for (unsigned i = 0; i < HTMT__NPY_TYPES && !rc; i++)
        if ((t->types & 1u << i) && strcmp(descr, htmt__npy_types[i].dtype) == 0) {
            *type = (enum htmt__npy_type)i;
            return 0;
        }
    if (rc)
        return rc;
    return htmt_fault_set(t->fault, HTMT_EFORMAT,
                          "%s: found dtype '%s', expected %s, little-endian", t->path, descr,
                          wanted);
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
        return (rc = once(t, key, &h->descr)) ? rc : take_descr(t, &h->is.type);
    if (!strcmp(key, "fortran_order"))
        return (rc = once(t, key, &h->fortran_order)) ? rc : take_order(t, h);
    if (!strcmp(key, "shape"))
        return (rc = once(t, key, &h->shape)) ? rc : take_shape(t, &h->is);
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

static int take_bytes(const char *path, FILE *in, void *out, size_t bytes, const char *what,
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
    int rc = take_bytes(path, in, b, 8, "the preamble", fault);
    if (rc)
        return rc;
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found .npy version %d.%d, expected 1.0, 2.0 or 3.0", path, b[6],
                              b[7]);
    if ((rc = take_bytes(path, in, b + 8, b[6] == 1 ? 2 : 4, "the header's length", fault)))
        return rc;
    *size = (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (*size > HEADER_MAX)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found a header of %zu bytes, expected at most %d", path, *size,
                              HEADER_MAX);
    return 0;
}

static int read_header(const char *path, FILE *in, unsigned types, struct header *h,
                       struct htmt_fault *fault)
{
    size_t size = 0;
    int rc = header_size(path, in, &size, fault);
    if (rc)
        return rc;
    char *text = calloc(size + 1, 1);
    if (!text)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for the header", path);
    rc = take_bytes(path, in, text, size, "the header", fault);
    if (!rc && strlen(text) != size)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a zero byte in the header", path);
    if (!rc)
        rc = take_dictionary(&(struct text){path, text, types, fault}, h);
    free(text);
    return rc;
}

/* Before any memory is taken, so that a header that promises too much costs nothing. */
static int check_length(const char *path, FILE *in, const struct htmt__npy_shape *shape,
                        struct htmt_fault *fault)
{
    struct stat st;
    uint64_t bytes;
    long start = ftell(in);
    if (start < 0 || fstat(fileno(in), &st))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot find its length: %s", path,
                              strerror(errno));
    char sizes[100];
    htmt__npy_name_sizes(shape, sizes, sizeof sizes);
    if (htmt__npy_total(shape, &bytes))
        return htmt_fault_set(fault, HTMT_ERANGE, "%s: %s elements overflow 64 bits of bytes", path,
                              sizes);
    uint64_t found = st.st_size > start ? (uint64_t)(st.st_size - start) : 0;
    if (found == bytes)
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: %s: found %" PRIu64 " bytes of elements, expected %" PRIu64
                          " (%s x %zu)",
                          path, found < bytes ? "truncated" : "too long", found, bytes, sizes,
                          htmt__npy_bytes(shape->type));
}

static int check_rank(const char *path, const struct htmt__npy_shape *shape, unsigned rank,
                      struct htmt_fault *fault)
{
    if (shape->rank && (!rank || shape->rank == rank))
        return 0;
    if (!rank)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a single number, expected an array",
                              path);
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found an array of rank %u, expected rank %u",
                          path, shape->rank, rank);
}

int htmt__npy_read_header(const char *path, FILE *in, unsigned types, unsigned rank,
                          struct htmt__npy_shape *shape, bool *fortran, struct htmt_fault *fault)
{
    struct header h = {0};
    int rc = read_header(path, in, types, &h, fault);
    if (!rc)
        rc = check_rank(path, &h.is, rank, fault);
    if (!rc)
        rc = check_length(path, in, &h.is, fault);
    if (rc)
        return rc;
    *shape = h.is;
    *fortran = h.fortran;
    return 0;
}

int htmt__npy_take(const char *path, FILE *in, void *elements, size_t bytes,
                   struct htmt_fault *fault)
{
    return take_bytes(path, in, elements, bytes, "elements", fault);
}

/* ---- whole arrays --------------------------------------------------------------------------- */

static int check_magic(const char *path, FILE *in, struct htmt_fault *fault)
{
    char magic[sizeof HTMT__NPY_MAGIC - 1];
    if (fread(magic, 1, sizeof magic, in) != sizeof magic ||
        memcmp(magic, HTMT__NPY_MAGIC, sizeof magic) != 0)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: expected a NumPy file, which begins with \\x93NUMPY", path);
    rewind(in);
    return 0;
}

static int read_elements(const char *path, FILE *in, const struct htmt__npy_shape *shape,
                         void **elements, struct htmt_fault *fault)
{
    uint64_t bytes = 0;
    htmt__npy_total(shape, &bytes);
    void *at = malloc(bytes ? bytes : 1);
    if (!at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for %" PRIu64 " bytes", path,
                              bytes);
    int rc = htmt__npy_take(path, in, at, bytes, fault);
    if (rc)
        free(at);
    else
        *elements = at;
    return rc;
}

static int read_open(const char *path, FILE *in, unsigned types, unsigned rank,
                     struct htmt__npy_shape *shape, void **elements, struct htmt_fault *fault)
{
    struct htmt__npy_shape found;
    bool fortran = false;
    int rc = check_magic(path, in, fault);
    if (!rc)
        rc = htmt__npy_read_header(path, in, types, rank, &found, &fortran, fault);
    if (!rc && fortran && found.rank > 1)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found Fortran order, expected C order", path);
    if (!rc)
        rc = read_elements(path, in, &found, elements, fault);
    if (!rc)
        *shape = found;
    return rc;
}

int htmt__npy_read(const char *path, unsigned types, unsigned rank, struct htmt__npy_shape *shape,
                   void **elements, struct htmt_fault *fault)
{
    FILE *in = NULL;
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &in, fault);
    if (rc)
        return rc;
    rc = read_open(path, in, types, rank, shape, elements, fault);
    fclose(in);
    return rc;
}
