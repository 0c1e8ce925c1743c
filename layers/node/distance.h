/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stack distances: how many other lines were touched since a line was touched last. One pass gives
 * the misses of every fully associative lru cache at once: a cache of n lines misses where the
 * distance is n or more (Mattson et al., 1970). A touch takes O(log n): lines stand in the order of
 * their last touch, in a binary indexed tree.
 */
#ifndef HTMT_LAYERS_NODE_DISTANCE_H
#define HTMT_LAYERS_NODE_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

struct htmt__distance;

#define HTMT__DISTANCE_COLD UINT64_MAX /* a line's first touch */

/* `line`: bytes, a power of two. Errors: HTMT_EINVAL, HTMT_ENOMEM. */
int htmt__distance_new(struct htmt__distance **distance, uint64_t line);
void htmt__distance_free(struct htmt__distance *distance);
/* All lines are cold again. */
void htmt__distance_start(struct htmt__distance *distance);

/* Touches the line of an address; *found: its distance. Errors: HTMT_ENOMEM. */
int htmt__distance_touch(struct htmt__distance *distance, uint64_t address, uint64_t *found);
/* Lines touched since the start. */
uint64_t htmt__distance_lines(const struct htmt__distance *distance);
bool htmt__distance_has(const struct htmt__distance *distance, uint64_t address);
/* The address of the line at a distance, which is below htmt__distance_lines(). */
uint64_t htmt__distance_at(const struct htmt__distance *distance, uint64_t depth);

#endif
