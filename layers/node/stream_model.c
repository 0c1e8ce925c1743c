/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A processor that streams: a kernel takes as long as its loads and stores take at one rate,
 * whatever it computes:
 *
 *     time = (loads + stores) * 8 B / rate
 */
#include "layers/machine/models.h"

#include <stddef.h>

struct stream {
    struct htmt_ratio word; /* fs */
};

static htmt_time work(const void *inside, const struct htmt__kernel_report *report)
{
    const struct stream *s = inside;
    const uint64_t *n = report->ops->n;
    uint64_t words;
    if (__builtin_add_overflow(n[HTMT_LOAD], n[HTMT_STORE], &words))
        return -1;
    return htmt_charge_time(s->word, words);
}

static const struct htmt_schema_row rows[] = {
    HTMT__MODEL_NAME,
    {"rate", HTMT_UNIT_RATE, .offset = offsetof(struct stream, word),
     .size = sizeof(struct htmt_ratio), .above_least = true},
    {.key = NULL}};

const struct htmt__processor_model htmt__model_stream = {
    .name = "stream", .rows = rows, .of_counts = true, .work = work};
