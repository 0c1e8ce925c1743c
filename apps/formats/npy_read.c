/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading .npy: magic, version, length of the header (2 bytes little-endian in version 1, 4 in
 * versions 2 and 3), the header as a Python dictionary with exactly the keys descr, fortran_order
 * and shape, then the elements. A matrix of 3 x 4 doubles begins
 *
 *     93 4e 55 4d 50 59                  \x93NUMPY
 *     01 00                              version 1.0
 *     76 00                              118 bytes follow
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }      ...  0a
 *
 * and has 96 bytes of elements from byte 128 on.
 *
 * The dictionary is read by a parser of its own, from left to right without backing up: `take`
 * functions step over what they expect and leave `at` where they failed, so that a message can show
 * the text from there. A caller names the types that it can use as a set of bits; any other type,
 * byte order or structured type is refused by its name.
 *
 * The file is compared with its header before any memory is taken: it has exactly as many bytes as
 * the shape says. A header that promises a terabyte therefore costs nothing.
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
    bool longs;     /* a size may end in L, as Python 2 wrote its long integers */
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

/* "(3, 4)", "(3,)"; of Python 2 also "(3L, 4L)" */
static int take_shape(struct text *t, struct htmt__npy_shape *shape)
{
    static const char sizes[] = "a shape of sizes such as (3, 4)";
    if (!take(t, '('))
        return malformed(t, sizes);
    for (shape->rank = 0; !take(t, ')'); shape->rank++) {
        char *end;
        if (shape->rank == HTMT__NPY_RANK_MAX)
            return malformed(t, "the end of a shape of at most four sizes");
        skip_blanks(t);
        if (!isdigit((unsigned char)*t->at))
            return malformed(t, sizes);
        errno = 0;
        shape->size[shape->rank] = strtoull(t->at, &end, 10);
        if (errno)
            return htmt_fault_set(t->fault, HTMT_ERANGE, "%s: the size %.40s overflows 64 bits",
                                  t->path, t->at);
        t->at = end + (t->longs && *end == 'L');
        skip_blanks(t);
        if (!take(t, ',') && *t->at != ')')
            return malformed(t, "a comma or the end of the shape");
    }
    return 0;
}

static int take_descr(struct text *t, enum htmt__npy_type *type)
{
    char descr[32], wanted[200] = ""; /* "'<f4' (float32) or '<f8' (float64)" */
    for (size_t i = 0, used = 0; i < HTMT__NPY_TYPES && used < sizeof wanted; i++)
        if (t->types & 1u << i)
            used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s'%s' (%s)",
                                     used ? " or " : "", htmt__npy_types[i].dtype,
                                     htmt__npy_types[i].name);
    skip_blanks(t);
    if (*t->at == '[')
        return htmt_fault_set(t->fault, HTMT_EFORMAT,
                              "%s: found a structured dtype \"%.30s\", expected %s, little-endian",
                              t->path, t->at, wanted);
    int rc = take_string(t, descr, sizeof descr);
    if (rc)
        return rc;
    for (unsigned i = 0; i < HTMT__NPY_TYPES; i++)
        if ((t->types & 1u << i) && strcmp(descr, htmt__npy_types[i].dtype) == 0) {
            *type = (enum htmt__npy_type)i;
            return 0;
        }
    return htmt_fault_set(t->fault, HTMT_EFORMAT,
                          "%s: found dtype '%s', expected %s, little-endian", t->path, descr,
                          wanted);
}

/* The value behind a key, each of which is there once. */
static int take_value(struct text *t, const char *key, struct header *h)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    bool *const seen[] = {&h->descr, &h->fortran_order, &h->shape};
    unsigned k = 0;
    while (k < 3 && strcmp(key, keys[k]) != 0)
        k++;
    if (k == 3)
        return htmt_fault_set(
            t->fault, HTMT_EFORMAT,
            "%s: found key '%s' in the header, expected descr, fortran_order, shape", t->path, key);
    if (*seen[k])
        return htmt_fault_set(t->fault, HTMT_EFORMAT, "%s: found key '%s' twice in the header",
                              t->path, key);
    *seen[k] = true;
    if (k == 0)
        return take_descr(t, &h->is.type);
    if (k == 2)
        return take_shape(t, &h->is);
    h->fortran = take_word(t, "True");
    return h->fortran || take_word(t, "False") ? 0 : malformed(t, "True or False");
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

/* Preamble and dictionary. */
static int read_header(const char *path, FILE *in, unsigned types, struct header *h,
                       struct htmt_fault *fault)
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
    size_t size = (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (size > HEADER_MAX)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found a header of %zu bytes, expected at most %d", path, size,
                              HEADER_MAX);
    char *text = calloc(size + 1, 1);
    if (!text)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for the header", path);
    rc = take_bytes(path, in, text, size, "the header", fault);
    if (!rc && strlen(text) != size)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a zero byte in the header", path);
    if (!rc)
        rc = take_dictionary(&(struct text){path, text, types, b[6] <= 2, fault}, h);
    free(text);
    return rc;
}

/* The file has as many bytes behind the header as the shape says. Before any memory is taken, so
 * that a header that promises too much costs nothing. */
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

int htmt__npy_read_header(const char *path, FILE *in, unsigned types, unsigned rank,
                          struct htmt__npy_shape *shape, bool *fortran, struct htmt_fault *fault)
{
    struct header h = {0};
    int rc = read_header(path, in, types, &h, fault);
    if (!rc && !rank && !h.is.rank)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a single number, expected an array",
                            path);
    else if (!rc && rank && h.is.rank != rank)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found an array of rank %u, expected rank %u",
                            path, h.is.rank, rank);
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

int htmt__npy_read(const char *path, unsigned types, unsigned rank, struct htmt__npy_shape *shape,
                   void **elements, struct htmt_fault *fault)
{
    char magic[sizeof HTMT__NPY_MAGIC - 1];
    struct htmt__npy_shape found = {.rank = 0};
    bool fortran = false;
    uint64_t bytes = 0;
    void *at = NULL;
    FILE *in = NULL;
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &in, fault);
    if (rc)
        return rc;
    if (fread(magic, 1, sizeof magic, in) != sizeof magic ||
        memcmp(magic, HTMT__NPY_MAGIC, sizeof magic) != 0)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: expected a NumPy file, which begins with \\x93NUMPY", path);
    rewind(in);
    if (!rc)
        rc = htmt__npy_read_header(path, in, types, rank, &found, &fortran, fault);
    if (!rc && fortran && found.rank > 1)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found Fortran order, expected C order", path);
    if (!rc) {
        htmt__npy_total(&found, &bytes);
        at = malloc(bytes ? bytes : 1);
        rc = at ? htmt__npy_take(path, in, at, bytes, fault)
                : htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for %" PRIu64 " bytes", path,
                                 bytes);
    }
    fclose(in);
    if (rc) {
        free(at);
        return rc;
    }
    *elements = at;
    *shape = found;
    return 0;
}
