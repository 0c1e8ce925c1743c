/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: arrays that grow. An array is a pointer, its room and its count, which the
 * caller keeps where they belong; all growing is done here.
 *
 *     if (!htmt__array_fits(&list->at, &list->room, list->count + 1, sizeof *list->at))
 *         return HTMT_ENOMEM;
 *     list->at[list->count++] = (struct entry){...};
 *
 * Room doubles, so n appends copy fewer than 2 n elements, and an array wastes at most half of its
 * room. free() returns it.
 */
#ifndef HTMT_RUNTIME_BASE_ARRAY_H
#define HTMT_RUNTIME_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

bool htmt__array_grow(void *array, size_t *room, size_t wanted, size_t size);

/* Whether `wanted` elements of `size` bytes fit. `array` is the address of a pointer to the first
 * element, NULL at the beginning; *room is how many fit now, and more after a growth. New elements
 * have no value. false: memory has run out or the size is too large, and nothing has changed. */
static inline bool htmt__array_fits(void *array, size_t *room, size_t wanted, size_t size)
{
    return wanted <= *room || htmt__array_grow(array, room, wanted, size);
}

#endif
