/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The records of a run, step by step.
 */
#ifndef HTMT_APPS_PIC_IO_SERIES_H
#define HTMT_APPS_PIC_IO_SERIES_H

#include "apps/pic/io/deck.h"
#include "apps/pic/io/record.h"

#include <stdbool.h>

struct htmt__pic_series {
    const struct htmt__pic_deck *deck;
    const struct htmt__pic_record *record;
    uint64_t steps; /* that have a record; fewer than the deck's: the run ended early */
};

static inline bool htmt__pic_incomplete(const struct htmt__pic_series *s)
{
    return s->steps < s->deck->steps;
}

#endif
