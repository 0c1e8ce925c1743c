/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests: volume files, made byte by byte as NIfTI-1 and NRRD describe them, in a fresh folder.
 */
#ifndef HTMT_TESTS_VOLUME_FILES_H
#define HTMT_TESTS_VOLUME_FILES_H

#include "apps/volume/io/volume.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define ROOM 128

/* A fresh folder; files in it are named by file(). */
static struct place here;

static inline void enter(void)
{
    here = place("");
}

static inline void leave(void)
{
    place_remove(&here);
}

static inline const char *file(const char *name)
{
    static char path[2 * ROOM];
    snprintf(path, sizeof path, "%s/%s", here.folder, name);
    return path;
}

static inline void save(const char *name, const void *bytes, size_t n)
{
    file_write(file(name), bytes, n);
}

static inline void save_gzip(const char *name, const char *mode, const void *bytes, unsigned n)
{
    gzFile f = gzopen(file(name), mode);
    cr_assert_not_null(f);
    cr_assert_eq(gzwrite(f, bytes, n), (int)n);
    gzclose(f);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static inline void put(unsigned char *at, const void *value, size_t bytes, bool big)
{
    const unsigned char *from = value; /* little-endian hosts only */
    for (size_t i = 0; i < bytes; i++)
        at[i] = from[big ? bytes - 1 - i : i];
}

static inline void put16(unsigned char *at, int value, bool big)
{
    put(at, &(int16_t){(int16_t)value}, 2, big);
}

static inline void put_float(unsigned char *at, float value, bool big)
{
    put(at, &value, 4, big);
}

/* A header for 4 x 3 x 2 voxels; offsets as in nifti1.h. */
static inline void nifti(unsigned char h[352], int datatype, int bits, bool big)
{
    const int dim[8] = {3, 4, 3, 2, 1, 1, 1, 1};
    memset(h, 0, 352);
    put(h, &(int32_t){348}, 4, big);
    for (int i = 0; i < 8; i++)
        put16(h + 40 + 2 * i, dim[i], big);
    put16(h + 70, datatype, big);
    put16(h + 72, bits, big);
    for (int i = 0; i < 4; i++)
        put_float(h + 76 + 4 * i, (float)i / 2, big);
    put_float(h + 108, 352, big);
    memcpy(h + 344, "n+1", 4);
}

/* Voxel n is 7 n - 20, or 7 n + 3 of an unsigned type. */
static inline size_t voxels(unsigned char *at, enum htmt__volume_voxel type, bool big)
{
    size_t bytes = htmt__volume_voxel_bytes(type);
    for (int n = 0; n < 24; n++) {
        uint16_t u = (uint16_t)(7 * n + 3);
        int16_t i = (int16_t)(7 * n - 20);
        float f = (float)(7 * n - 20);
        const void *value[] = {&u, &i, &u, &f};
        put(at + bytes * (size_t)n, value[type], bytes, big && bytes > 1);
    }
    return 24 * bytes;
}

/* A whole small file of bytes; returns how many. */
static inline size_t nifti_of_bytes(unsigned char at[512])
{
    nifti(at, 2, 8, false);
    return 352 + voxels(at + 352, HTMT__UINT8, false);
}

#endif
