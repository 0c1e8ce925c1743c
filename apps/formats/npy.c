/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types and sizes of .npy, and writing.
 *
 * The shape is known when a file is begun, the elements need not be: they may come row by row, and
 * `left` counts the bytes that are missing. A file with too few of them never takes its place
 * (runtime/base/whole_file.h), so a reader never meets an array that ends in the middle.
 *
 * The header is padded with blanks to a multiple of 64 bytes, as NumPy does it, so that the
 * elements are aligned in a file that is mapped. A shape of one size has a comma behind it, (3,),
 * since (3) is a number in Python.
 */
#include "apps/formats/npy.h"

#include "apps/formats/npy_types.h"
#include "runtime/base/whole_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie");

/* Bytes: 10 of preamble, a dictionary padded with blanks, a newline; the elements begin at a
 * multiple of 64. The longest dictionary, of four sizes of 20 digits, has 144. */
#define PREAMBLE 10
#define HEADER   192

struct htmt__npy {
    struct htmt_whole_file *file;
    char *path;
    uint64_t left; /* bytes */
    size_t element;
};

const struct htmt__npy_type_row htmt__npy_types[HTMT__NPY_TYPES] = {
#define ROW(id, dtype, bytes, name) {dtype, bytes, name},
    HTMT__NPY_MAP(ROW)
#undef ROW
};

size_t htmt__npy_bytes(enum htmt__npy_type type)
{
    return htmt__npy_types[type].bytes;
}

/* No size may hide an overflow behind a zero. */
int htmt__npy_total(const struct htmt__npy_shape *shape, uint64_t *bytes)
{
    uint64_t n = htmt__npy_bytes(shape->type);
    bool empty = false;
    for (unsigned i = 0; i < shape->rank; i++) {
        empty |= shape->size[i] == 0;
        if (shape->size[i] && __builtin_mul_overflow(n, shape->size[i], &n))
            return HTMT_ERANGE;
    }
    *bytes = empty ? 0 : n;
    return 0;
}

void htmt__npy_name_sizes(const struct htmt__npy_shape *shape, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < shape->rank && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64, i ? " x " : "",
                                 shape->size[i]);
}

/* Fills in the header, padded to 64 bytes as NumPy does, with a shape as Python writes a tuple;
 * returns its length. */
static size_t make_header(const struct htmt__npy_shape *shape, char header[HEADER])
{
    char text[HEADER - PREAMBLE];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          htmt__npy_types[shape->type].dtype);
    for (unsigned i = 0; i < shape->rank; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRIu64, i ? ", " : "",
                           shape->size[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, "%s), }",
                       shape->rank == 1 ? "," : "");
    size_t whole = (PREAMBLE + (size_t)length + 1 + 63) / 64 * 64;
    memset(header, ' ', whole);
    memcpy(header, HTMT__NPY_MAGIC "\x01", 8); /* and a zero: version 1.0 */
    header[8] = (char)(whole - PREAMBLE);
    header[9] = 0;
    memcpy(header + PREAMBLE, text, (size_t)length);
    header[whole - 1] = '\n';
    return whole;
}

int htmt__npy_create(const char *path, const struct htmt__npy_shape *shape, struct htmt__npy **npy,
                     struct htmt_fault *fault)
{
    char header[HEADER];
    assert(shape->rank >= 1 && shape->rank <= HTMT__NPY_RANK_MAX);
    struct htmt__npy *n = calloc(1, sizeof *n);
    if (n)
        n->path = strdup(path);
    int rc = 0;
    if (!n || !n->path)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to write an array", path);
    else if (htmt__npy_total(shape, &n->left))
        rc = htmt_fault_set(fault, HTMT_ERANGE, "%s: the array overflows 64 bits of bytes", path);
    else
        rc = htmt_whole_file_open(path, &n->file, fault);
    if (rc) {
        htmt__npy_abandon(&n);
        return rc;
    }
    n->element = htmt__npy_bytes(shape->type);
    fwrite(header, 1, make_header(shape, header), htmt_whole_file_stream(n->file));
    *npy = n;
    return 0;
}

int htmt__npy_append(struct htmt__npy *npy, const void *elements, uint64_t count,
                     struct htmt_fault *fault)
{
    if (count > npy->left / npy->element)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%s: %" PRIu64 " more elements, its shape has room for %" PRIu64,
                              npy->path, count, npy->left / npy->element);
    uint64_t bytes = count * npy->element;
    npy->left -= bytes;
    if (fwrite(elements, 1, bytes, htmt_whole_file_stream(npy->file)) == bytes)
        return 0;
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot write: %s", npy->path, strerror(errno));
}

int htmt__npy_finish(struct htmt__npy **npy, struct htmt_fault *fault)
{
    struct htmt__npy *n = *npy;
    int rc = 0;
    if (n->left)
        rc = htmt_fault_set(fault, HTMT_EINVAL, "%s: %" PRIu64 " elements of its shape are missing",
                            n->path, n->left / n->element);
    else
        rc = htmt_whole_file_commit(&n->file, fault);
    htmt__npy_abandon(npy);
    return rc;
}

void htmt__npy_abandon(struct htmt__npy **npy)
{
    if (!npy || !*npy)
        return;
    htmt_whole_file_abandon(&(*npy)->file);
    free((*npy)->path);
    free(*npy);
    *npy = NULL;
}

int htmt__npy_write(const char *path, const struct htmt__npy_shape *shape, const void *elements,
                    struct htmt_fault *fault)
{
    struct htmt__npy *npy = NULL;
    int rc = htmt__npy_create(path, shape, &npy, fault);
    if (rc)
        return rc;
    rc = htmt__npy_append(npy, elements, npy->left / npy->element, fault);
    if (!rc)
        return htmt__npy_finish(&npy, fault);
    htmt__npy_abandon(&npy);
    return rc;
}
