/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The charts of a report's page, each a section with its heading, from a document alone.
 * Errors: HTMT_ENOMEM; those of `out` stay in its ferror().
 */
#ifndef HTMT_EMUL_LIB_REPORT_CHARTS_H
#define HTMT_EMUL_LIB_REPORT_CHARTS_H

#include "emul/lib/report/document.h"

/* A bar for each resource in use: its demand, made of phases, as a share of what it can do in the
 * time. The longest bar is the balance point. */
int htmt__chart_equilibrium(const struct htmt__document *d, FILE *out);

/* From the closed form to the clock, by cause; without a closed form from 0. */
void htmt__chart_waterfall(const struct htmt__document *d, FILE *out);

/* For each kind of processor: operations a word of each link that reaches it, against operations a
 * second, below the ceilings of the machine. */
int htmt__chart_rooflines(const struct htmt__document *d, FILE *out);

#endif
