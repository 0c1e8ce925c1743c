/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of the stages.
 */
#include "parcels/parcel.h"

static const char *const stage_names[HTMT_STAGES] = {
    "assemble", "gather",  "dispatch", "inject", "execute", "eject",
    "retire",   "scatter", "place",    "fiber",  "put",
};

const char *htmt_stage_name(enum htmt_stage_id stage)
{
    return stage < HTMT_STAGES ? stage_names[stage] : "?";
}
