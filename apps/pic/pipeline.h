/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipeline that the parcels of a phase go through, as rows of a closed form.
 */
#ifndef HTMT_APPS_PIC_PIPELINE_H
#define HTMT_APPS_PIC_PIPELINE_H

#include "apps/lib/servers.h"
#include "apps/lib/term_tree.h"
#include "apps/pic/plan.h"

struct htmt__pic_machine {
    struct htmt_servers servers;
    const struct htmt__pic_plan *p;
};

/* Stages of one parcel, its first, its period. Of the scope they need the values "words in", "words
 * out", "assembly cycles", "dispatch cycles", "execute" and, with the rows below or others,
 * "buffers"; of the tree those of htmt__pic_pipeline_set(). */
extern const struct htmt_term_row htmt__pic_stages[];
/* Parcels of which words in and words out stay in CRAM. */
extern const struct htmt_term_row htmt__pic_buffers[];

void htmt__pic_pipeline_set(const struct htmt__pic_machine *w, struct htmt_term_tree *tree);

/* What a parcel of some phase moves and does. */
struct htmt__pic_load {
    uint64_t in, out;            /* words */
    uint64_t assembly, dispatch; /* cycles */
    htmt_time execute;
};
void htmt__pic_load_set(struct htmt_term_tree *tree, const char *scope,
                        const struct htmt__pic_load *load);

#endif
