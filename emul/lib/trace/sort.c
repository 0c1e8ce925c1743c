/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks are copied as they are, packed, in another order; only their places in the index change.
 */
#include "emul/lib/trace/sort.h"

#include "emul/lib/trace/file.h"
#include "runtime/base/whole_file.h"

#include <stdlib.h>
#include <string.h>

/* Failed writes are found at commit. */
static void put(struct htmt_whole_file *out, const void *bytes, size_t length)
{
    if (length)
        fwrite(bytes, 1, length, htmt_whole_file_stream(out));
}

/* The packed bytes stay in t->packed after inflating. */
static int put_stream(struct htmt_trace *t, struct htmt_whole_file *out, uint64_t offset,
                      uint32_t bytes, uint32_t crc, uint32_t raw, struct htmt_fault *fault)
{
    int rc = htmt__trace_inflate(t, offset, bytes, crc, raw, fault);
    if (!rc)
        put(out, t->packed.at, bytes);
    return rc;
}

/* Runs of ports stay where they are: blocks are as long in any order. */
static int put_all(struct htmt_trace *t, struct htmt_whole_file *out,
                   struct htmt__trace_entry *sorted, struct htmt_fault *fault)
{
    char begin[HTMT__TRACE_MAGIC + 1] = HTMT__TRACE_BEGIN;
    struct htmt__trace_trailer end = t->trailer;
    const size_t index = (size_t)t->info.blocks * sizeof *sorted;
    uint64_t at = HTMT__TRACE_MAGIC;
    int rc = 0;
    begin[HTMT__TRACE_MAGIC - 1] = (char)t->version;
    put(out, begin, HTMT__TRACE_MAGIC);
    for (uint64_t i = 0; i < t->info.blocks && !rc; i++) {
        const struct htmt__trace_entry *e = &t->entry[t->key[i].index];
        rc = put_stream(t, out, e->offset, e->bytes, e->crc, e->raw, fault);
        sorted[i] = *e;
        sorted[i].offset = at;
        at += e->bytes;
    }
    for (uint32_t i = 0; i < t->ports.runs && !rc; i++) {
        const struct htmt__trace_port_run *r = &t->ports.run[i];
        rc = put_stream(t, out, r->offset, r->bytes, r->crc, r->raw, fault);
    }
    end.index_crc = libdeflate_crc32(0, sorted, index);
    put(out, sorted, index);
    if (!rc)
        rc =
            put_stream(t, out, end.footer, end.footer_bytes, end.footer_crc, end.footer_raw, fault);
    put(out, &end, sizeof end);
    return rc;
}

int htmt__trace_sort(struct htmt_trace *t, const char *path, struct htmt_fault *fault)
{
    struct htmt_whole_file *out = NULL;
    struct htmt__trace_entry *sorted = calloc((size_t)t->info.blocks + 1, sizeof *sorted);
    int rc = sorted ? htmt_whole_file_open(path, &out, fault) : htmt__trace_out_of_memory(t, fault);
    if (!rc)
        rc = put_all(t, out, sorted, fault);
    if (rc)
        htmt_whole_file_abandon(&out);
    else
        rc = htmt_whole_file_commit(&out, fault);
    free(sorted);
    return rc;
}
