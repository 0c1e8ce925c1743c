/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of a closed form, as the tree that `predict` prints: each below the last one of a
 * smaller depth.
 */
#ifndef HTMT_APPS_LIB_TERM_TREE_H
#define HTMT_APPS_LIB_TERM_TREE_H

#include "apps/lib/app.h"

/* More than HTMT_TERMS_MAX lines, or texts that do not fit, are a programming fault. The line may
 * get inputs. */
struct htmt_term *htmt__tree_value(struct htmt_prediction *p, unsigned depth, const char *name,
                                   const char *meaning, const char *unit, double value,
                                   const char *expression);
struct htmt_term *htmt__tree_time(struct htmt_prediction *p, unsigned depth, const char *name,
                                  const char *meaning, htmt_wide fs, const char *expression);

/* 100 part / all; 0 of nothing. */
double htmt__percent(htmt_wide part, htmt_wide all);

/* Words in percent of a layer's memory, reserve included, as the papers' percentages. */
double htmt__memory_use(const struct htmt_machine *m, uint32_t layer, double words);

#endif
