/* SPDX-License-Identifier: BSD-3-Clause
 *
 * FNV-1a over the numbers that a trace tells, not over its bytes: blocks may be cut anywhere, and
 * compressed in another way. Intervals go by slice and number. Samples have a hash of their own,
 * since a block may end between any two of them and the intervals of their time. `about`, which
 * says who made the trace and when, does not count.
 */
#include "emul/lib/trace/digest.h"

#include "emul/lib/trace/file.h"
#include "runtime/base/fnv.h"

#include <stdlib.h>
#include <string.h>

int htmt__trace_digest(struct htmt_trace *t, uint64_t *digest, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    uint64_t intervals = HTMT__HASH_BASIS, samples = HTMT__HASH_BASIS, index = 0;
    int rc = 0;
    for (uint64_t i = 0; i < t->info.blocks && !rc; i++) {
        htmt_trace_block_sorted(t, i, &index);
        rc = htmt_trace_block_read(t, index, &b, fault);
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *at = &b.interval[n];
            htmt__hash_u64(&intervals, htmt_trace_ref_of(b.slice, b.first) + n);
            htmt__hash_u64(&intervals, 2 * (uint64_t)at->step + at->open);
            htmt__hash_u64(&intervals, (uint64_t)at->end);
            htmt__hash_u64(&intervals, (uint64_t)at->service);
            htmt__hash_u64(&intervals, (uint64_t)at->wait);
            htmt__hash_u64(&intervals, at->serial);
            htmt__hash_u64(&intervals, at->cause);
            htmt__hash_u64(&intervals, at->line);
        }
        for (uint32_t n = 0; n < b.samples && !rc; n++) {
            htmt__hash_u64(&samples, b.slice);
            htmt__hash_u64(&samples, (uint64_t)b.sample[n].at);
            htmt__hash_u64(&samples, b.sample[n].layer);
            htmt__hash_u64(&samples, b.sample[n].words);
        }
    }
    htmt_trace_block_clear(&b);
    htmt__hash_u64(&intervals, samples);
    if (rc)
        return rc;
    json_t *rest = json_copy(t->footer);
    char *text = NULL;
    if (rest && json_object_del(rest, "about") == 0)
        text = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(rest);
    if (!text)
        return htmt__trace_out_of_memory(t, fault);
    htmt__hash_bytes(&intervals, text, strlen(text));
    free(text);
    *digest = intervals;
    return 0;
}
