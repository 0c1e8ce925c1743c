/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stages of an average parcel, of all, of a slice or of a bundle, as rows of a closed form.
 */
#ifndef HTMT_APPS_VOLUME_PIPELINE_H
#define HTMT_APPS_VOLUME_PIPELINE_H

#include "apps/lib/servers.h"
#include "apps/lib/term_tree.h"
#include "apps/volume/load.h"

struct htmt__volume_machine {
    struct htmt_servers servers;
    const struct htmt__volume_plan *p;
    bool overflow; /* of a service */
};

htmt_time htmt__volume_work(struct htmt__volume_machine *w, uint32_t layer, struct htmt_ops ops);

/* a / b, rounded half up; 0 of nothing. */
uint64_t htmt__volume_average(uint64_t all, uint64_t parcels);

/* The stages, to be printed, and what is made of them: "under way", "percolation", "stride". */
extern const struct htmt_term_row htmt__volume_stages[];
extern const struct htmt_term_row htmt__volume_parts[];
/* From one parcel to the next; words that a parcel moves. */
extern const struct htmt_term_row htmt__volume_period[];
extern const struct htmt_term_row htmt__volume_words[];

/* Values of the average parcel of a part, and those of the plan that all parts share. */
void htmt__volume_set_part(struct htmt__volume_machine *w, struct htmt_term_tree *tree,
                           const char *scope, const struct htmt__volume_part *part);
void htmt__volume_set_plan(const struct htmt__volume_machine *w, struct htmt_term_tree *tree,
                           const struct htmt__volume_load *load);

#endif
