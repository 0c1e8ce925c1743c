/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Do two programs agree? Records, fields, and particle for particle, whatever their order.
 */
#ifndef HTMT_APPS_PIC_CHECK_H
#define HTMT_APPS_PIC_CHECK_H

#include "apps/pic/deck.h"
#include "apps/pic/record.h"

#include <stdbool.h>

struct htmt__pic_result {
    const struct htmt__pic_particles *particles;
    const struct htmt__pic_record *record; /* of each step */
    const struct htmt__pic_fields *fields;
};

struct htmt__pic_check {
    const char *name; /* "particles", "fields" or "records": where the value is worst */
    double value, tolerance;
    bool pass;
};

/* Every particle of one has a partner of its own in the other, not further than the tolerance in
 * each of the six coordinates; fields and records likewise, relative to their largest. The
 * tolerance is rounding as it grows over the steps; docs/pic.md derives it. Errors: HTMT_ENOMEM. */
int htmt__pic_check(const struct htmt__pic_deck *deck, const struct htmt__pic_result *a,
                    const struct htmt__pic_result *b, struct htmt__pic_check *check,
                    struct htmt_fault *fault);

#endif
