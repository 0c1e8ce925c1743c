/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/io/stored.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
    enum htmt__volume_voxel held;
} types[] = {[HTMT__STORED_UINT8] = {"uint8", 1, HTMT__UINT8},
             [HTMT__STORED_INT16] = {"int16", 2, HTMT__INT16},
             [HTMT__STORED_UINT16] = {"uint16", 2, HTMT__UINT16},
             [HTMT__STORED_FLOAT32] = {"float32", 4, HTMT__FLOAT32},
             [HTMT__STORED_INT8] = {"int8", 1, HTMT__INT16},
             [HTMT__STORED_INT32] = {"int32", 4, HTMT__FLOAT32},
             [HTMT__STORED_UINT32] = {"uint32", 4, HTMT__FLOAT32},
             [HTMT__STORED_FLOAT64] = {"float64", 8, HTMT__FLOAT32}};

const char *htmt__volume_stored_name(enum htmt__volume_stored type)
{
    return types[type].name;
}

size_t htmt__volume_stored_bytes(enum htmt__volume_stored type)
{
    return types[type].bytes;
}

enum htmt__volume_voxel htmt__volume_stored_held(enum htmt__volume_stored type)
{
    return types[type].held;
}

int htmt__volume_stored_of_name(const char *name, enum htmt__volume_stored *type)
{
    for (size_t i = 0; i < HTMT__STORED_TYPES; i++)
        if (!strcmp(name, types[i].name)) {
            *type = (enum htmt__volume_stored)i;
            return 0;
        }
    return HTMT_EINVAL;
}

/* ---- conversion ----------------------------------------------------------------------------- */

static double value_at(const void *from, enum htmt__volume_stored type, size_t n)
{
    if (type == HTMT__STORED_INT32)
        return ((const int32_t *)from)[n];
    if (type == HTMT__STORED_UINT32)
        return ((const uint32_t *)from)[n];
    return ((const double *)from)[n];
}

static void widen(const int8_t *from, size_t count, int16_t *to)
{
    for (size_t n = 0; n < count; n++)
        to[n] = from[n];
}

size_t htmt__volume_stored_convert(const void *from, enum htmt__volume_stored type, size_t count,
                                   void *to, double *rounding)
{
    float *real = to;
    if (type == HTMT__STORED_INT8) {
        widen(from, count, to);
        return count;
    }
    for (size_t n = 0; n < count; n++) {
        double value = value_at(from, type, n);
        real[n] = (float)value;
        if (isfinite(value) && isinf(real[n]))
            return n;
        *rounding = fmax(*rounding, fabs(value - (double)real[n]));
    }
    return count;
}
