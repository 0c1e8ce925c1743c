/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt scene sar`: a scene of points as a raw file and its parameter file.
 */
#ifndef HTMT_APPS_SAR_SCENE_VERB_H
#define HTMT_APPS_SAR_SCENE_VERB_H

#include "apps/lib/app.h"

/* Ends with a NULL name. */
extern const struct htmt_app_verb htmt__sar_verbs[];

#endif
