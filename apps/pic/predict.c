/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/pic/settings.h"

#include <string.h>

static void add(struct htmt_prediction *out, const struct htmt__pic_term *from, const char *inputs)
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
    snprintf(to->inputs, sizeof to->inputs, "%s", inputs);
}

void htmt__pic_tell(const struct htmt__pic_settings *s, const struct htmt__pic_prediction *p,
                    struct htmt_prediction *out)
{
    out->total_s = 1e-15 * (double)p->total;
    out->flops = p->flops;
    htmt__pic_describe(s, &p->plan, out->problem, sizeof out->problem);
    for (unsigned i = 0; i < p->term_count; i++)
        add(out, &p->term[i], i ? "" : p->inputs);
}
