/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For which settings a figure of the ExaSAT sheets holds: blocks, cache, species, weights, rates.
 * The row says it, in its quantity, its note and its inputs.
 */
#ifndef HTMT_EMUL_VALIDATE_SHEET_SETTINGS_H
#define HTMT_EMUL_VALIDATE_SHEET_SETTINGS_H

#include "emul/validate/golden.h"

/* What a row names; NAN: it does not. */
enum htmt__sheet_setting {
    HTMT__SHEET_BX,
    HTMT__SHEET_BY,
    HTMT__SHEET_BZ,
    HTMT__SHEET_CACHE,     /* kB of 1024 bytes; infinite: unlimited */
    HTMT__SHEET_LINE,      /* bytes */
    HTMT__SHEET_SPECIES,   /* of the chemistry */
    HTMT__SHEET_DIVIDE,    /* flop of a division */
    HTMT__SHEET_FUNCTION,  /* flop of a function */
    HTMT__SHEET_WRITE,     /* bytes of memory for a word that is written first */
    HTMT__SHEET_FLOPS,     /* flop/s of all threads */
    HTMT__SHEET_MEMORY,    /* bytes/s */
    HTMT__SHEET_NETWORK,   /* bytes/s */
    HTMT__SHEET_LATENCY,   /* us, of a message */
    HTMT__SHEET_RATIO,     /* of the bandwidths of memory and network */
    HTMT__SHEET_REGISTERS, /* of a thread */
    HTMT__SHEET_LIGHT,     /* 1: lightly fused loops */
    HTMT__SHEET_SETTINGS
};

struct htmt__sheet_settings {
    double value[HTMT__SHEET_SETTINGS];
};

/* Of the row `index` of a table. Blocks of 0 are the box. */
void htmt__sheet_settings(const struct htmt__golden_table *table, unsigned index,
                          struct htmt__sheet_settings *settings);

#endif
