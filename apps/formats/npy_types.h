/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What apps/formats/npy.c tells the reader.
 */
#ifndef HTMT_APPS_FORMATS_NPY_TYPES_H
#define HTMT_APPS_FORMATS_NPY_TYPES_H

#include "apps/formats/npy.h"

struct htmt__npy_type_row {
    const char *dtype;
    size_t bytes;
    const char *name;
};

/* By enum htmt__npy_type. */
extern const struct htmt__npy_type_row htmt__npy_types[HTMT__NPY_TYPES];

/* "3 x 4", for messages. */
void htmt__npy_name_sizes(const struct htmt__npy_shape *shape, char *text, size_t room);

#endif
