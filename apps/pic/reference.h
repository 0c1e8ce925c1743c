/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program: the oracle for correctness and the base line for speed. It has one thread,
 * no parcels, and none of the code of the parcel kernels.
 */
#ifndef HTMT_APPS_PIC_REFERENCE_H
#define HTMT_APPS_PIC_REFERENCE_H

#include "apps/pic/io/deck.h"
#include "apps/pic/io/record.h"

/* Seconds of the host, by phase. */
struct htmt__pic_clock {
    double deposit_s, solve_s, push_s, sort_s;
};

/* Run the deck's steps. p holds the particles of the start and, afterwards, those of the end in
 * another order. record takes one record of each step. The caller creates fields for the deck's
 * cells; the call fills them. fields and clock may be NULL. Errors: HTMT_ENOMEM. */
int htmt__pic_reference(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
                        struct htmt__pic_record *record, struct htmt__pic_fields *fields,
                        struct htmt__pic_clock *clock, struct htmt_fault *fault);

#endif
