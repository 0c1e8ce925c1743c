/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NumPy's .npy files (NEP 1): arrays of up to four dimensions, little-endian. Written in C order,
 * version 1.0, whole or not at all; read in versions 1 to 3.
 */
#ifndef HTMT_APPS_FORMATS_NPY_H
#define HTMT_APPS_FORMATS_NPY_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HTMT__NPY_RANK_MAX 4
#define HTMT__NPY_MAGIC    "\x93NUMPY"

/* XX(id, dtype, bytes of an element, what it is) */
#define HTMT__NPY_MAP(XX)                                                                          \
    XX(F4, "<f4", 4, "float32")                                                                    \
    XX(F8, "<f8", 8, "float64")                                                                    \
    XX(C8, "<c8", 8, "complex64")                                                                  \
    XX(C16, "<c16", 16, "complex128")                                                              \
    XX(U1, "|u1", 1, "uint8")                                                                      \
    XX(I2, "<i2", 2, "int16")                                                                      \
    XX(I4, "<i4", 4, "int32")                                                                      \
    XX(I8, "<i8", 8, "int64")

enum htmt__npy_type {
#define HTMT__NPY_ENUM(id, dtype, bytes, name) HTMT__NPY_##id,
    HTMT__NPY_MAP(HTMT__NPY_ENUM)
#undef HTMT__NPY_ENUM
        HTMT__NPY_TYPES
};

struct htmt__npy_shape {
    enum htmt__npy_type type;
    unsigned rank;                     /* 1 to HTMT__NPY_RANK_MAX */
    uint64_t size[HTMT__NPY_RANK_MAX]; /* the last one varies fastest */
};

/* Bytes of one element. */
size_t htmt__npy_bytes(enum htmt__npy_type type);

/* Bytes of all elements. Errors: HTMT_ERANGE, when they overflow 64 bits. */
int htmt__npy_total(const struct htmt__npy_shape *shape, uint64_t *bytes);

/* ---- writing -------------------------------------------------------------------------------- */

/* The whole array. Errors: those of runtime/base/whole_file.h, HTMT_ERANGE. */
int htmt__npy_write(const char *path, const struct htmt__npy_shape *shape, const void *elements,
                    struct htmt_fault *fault);

/* The same in pieces, as rows become known: create, append as often as needed, finish. */
struct htmt__npy;

/* On success the caller owns *npy and ends it by finish or abandon. Errors: as above. */
int htmt__npy_create(const char *path, const struct htmt__npy_shape *shape, struct htmt__npy **npy,
                     struct htmt_fault *fault);
/* The next `count` elements. Errors: HTMT_EINVAL (more than the shape has), HTMT_EIO. */
int htmt__npy_append(struct htmt__npy *npy, const void *elements, uint64_t count,
                     struct htmt_fault *fault);
/* Puts the file in its place; *npy is cleared whatever comes of it.
 * Errors: HTMT_EINVAL (fewer elements than the shape has), HTMT_EIO. */
int htmt__npy_finish(struct htmt__npy **npy, struct htmt_fault *fault);
/* Leaves no file and clears *npy. NULL and cleared pointers are accepted. */
void htmt__npy_abandon(struct htmt__npy **npy);

/* ---- reading -------------------------------------------------------------------------------- */

/* A whole array in C order; the caller frees *elements. A set of types is written as
 * 1u << HTMT__NPY_F8 | 1u << HTMT__NPY_F4; rank 0 stands for any.
 * Errors: HTMT_ENOENT, HTMT_EFORMAT (not .npy, another type or rank, truncated or too long, Fortran
 * order of a rank above 1), HTMT_ERANGE, HTMT_ENOMEM, HTMT_EIO. */
int htmt__npy_read(const char *path, unsigned types, unsigned rank, struct htmt__npy_shape *shape,
                   void **elements, struct htmt_fault *fault);

/* The header alone, of one of those types and that rank, from the start of a file; the elements
 * follow, and there are as many bytes of them as the header promises. Errors: as above. */
int htmt__npy_read_header(const char *path, FILE *in, unsigned types, unsigned rank,
                          struct htmt__npy_shape *shape, bool *fortran, struct htmt_fault *fault);

/* The next bytes of elements. Errors: HTMT_EFORMAT (truncated), HTMT_EIO. */
int htmt__npy_take(const char *path, FILE *in, void *elements, size_t bytes,
                   struct htmt_fault *fault);

#endif
