/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The types that voxels have in files. Four are kept; the others are converted while they are read.
 */
#ifndef HTMT_APPS_VOLUME_IO_STORED_H
#define HTMT_APPS_VOLUME_IO_STORED_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A type of voxels in memory. */
enum htmt__volume_voxel { HTMT__UINT8, HTMT__INT16, HTMT__UINT16, HTMT__FLOAT32 };

/* A type of voxels in a file. The first four have the numbers of the types in memory. */
enum htmt__volume_stored {
    HTMT__STORED_UINT8,
    HTMT__STORED_INT16,
    HTMT__STORED_UINT16,
    HTMT__STORED_FLOAT32,
    HTMT__STORED_INT8,
    HTMT__STORED_INT32,
    HTMT__STORED_UINT32,
    HTMT__STORED_FLOAT64,
    HTMT__STORED_TYPES
};

/* "int8". */
const char *htmt__volume_stored_name(enum htmt__volume_stored type);
/* Of one voxel in the file. */
size_t htmt__volume_stored_bytes(enum htmt__volume_stored type);
/* The type in memory: int8 becomes int16; int32, uint32 and float64 become float32. */
enum htmt__volume_voxel htmt__volume_stored_held(enum htmt__volume_stored type);
/* Errors: HTMT_EINVAL. */
int htmt__volume_stored_of_name(const char *name, enum htmt__volume_stored *type);
static inline bool htmt__volume_stored_kept(enum htmt__volume_stored type)
{
    return type < HTMT__STORED_INT8;
}

/* Convert `count` voxels, in the host's byte order, of a type that is not kept. *rounding grows to
 * the largest difference. Returns the number converted: less than `count` if a voxel is finite in
 * its file and beyond the range of float32. */
size_t htmt__volume_stored_convert(const void *from, enum htmt__volume_stored type, size_t count,
                                   void *to, double *rounding);

#endif
