/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt export traffic`, `htmt traffic export`: the tables of the LANais.
 */
#ifndef HTMT_APPS_TRAFFIC_EXPORT_VERB_H
#define HTMT_APPS_TRAFFIC_EXPORT_VERB_H

#include "apps/lib/app.h"

extern const struct htmt_app_verb htmt__traffic_verbs[];

#endif
