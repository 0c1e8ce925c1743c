/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/sar/settings.h"

#include <inttypes.h>
#include <string.h>

static void add(struct htmt_prediction *out, const struct htmt__sar_term *from)
{
    if (out->count == HTMT_TERMS_MAX)
        return;
    struct htmt_term *to = &out->term[out->count++];
    to->depth = from->depth;
    to->value = from->value;
    snprintf(to->name, sizeof to->name, "%s", from->name);
    snprintf(to->meaning, sizeof to->meaning, "%s", from->meaning);
    snprintf(to->unit, sizeof to->unit, "%s", strcmp(from->unit, "fs") ? from->unit : "s");
    snprintf(to->expression, sizeof to->expression, "%s", from->expression);
}

/* Stands with the service of a stage: how many parcels, and the words that they move. */
static void name_load(struct htmt_prediction *out, const struct htmt__sar_prediction *p, unsigned s)
{
    const struct htmt__sar_phase *h = &p->phase[s];
    const struct htmt__sar_load *l = &h->load;
    for (unsigned k = 0; k < out->count && h->parcels; k++) {
        struct htmt_term *t = &out->term[k];
        if (strcmp(t->name, htmt__sar_stage_name((enum htmt__sar_stage)s)) != 0)
            continue;
        if (!l->into_sram && !l->out_of_sram && !l->into_dram && !l->out_of_dram)
            snprintf(t->inputs, sizeof t->inputs, "no words move: it is made in CRAM");
        else if (s == HTMT__SAR_READ || s == HTMT__SAR_WRITE)
            snprintf(t->inputs, sizeof t->inputs, "%" PRIu32 " strips; words of one: %" PRIu64,
                     h->parcels, l->into_dram + l->out_of_dram);
        else
            snprintf(t->inputs, sizeof t->inputs,
                     "words D to S %" PRIu64 ", S to C %" PRIu64 ", C to S %" PRIu64
                     ", S to D %" PRIu64,
                     l->into_sram, l->into_cram, l->out_of_cram, l->out_of_sram);
    }
}

void htmt__sar_tell(const struct htmt__sar_input *in, const struct htmt__sar_prediction *p,
                    struct htmt_prediction *out)
{
    out->total_s = 1e-15 * (double)p->total;
    out->flops = p->flops;
    htmt__sar_describe(&p->cut, in, out->problem, sizeof out->problem);
    for (unsigned k = 0; k < p->term_count; k++)
        add(out, &p->term[k]);
    for (unsigned k = 0; k < HTMT__SAR_STAGES; k++)
        name_load(out, p, k);
}
