/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Data Vortex in whole slots, all nodes of a slot at once: what the model is compared with.
 */
#ifndef HTMT_TESTS_NETWORK_PLAIN_VORTEX_H
#define HTMT_TESTS_NETWORK_PLAIN_VORTEX_H

#include <stdint.h>

struct plain_packet {
    uint32_t source, source_angle, target, target_angle;
    int64_t wants; /* the slot in which it would enter */
    /* What became of it. */
    int64_t enters, exits;
    uint32_t deflections;
};

struct plain_vortex {
    uint32_t bits, angles; /* 2^bits heights */
    /* Moves of each cylinder, and how many of them were deflections. */
    uint64_t moves[32], deflections[32];
    uint64_t waited; /* slots that packets waited to enter */
};

/* Plays until all are out. Packets of one port enter in their order in the array. */
void plain_vortex_play(struct plain_vortex *v, struct plain_packet *packet, uint32_t count);

#endif
