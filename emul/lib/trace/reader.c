/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens traces: beginning, trailer, index, footer, and the order of the blocks.
 *
 * A trace is written front to back while the run goes on, so what is known only at the end stands
 * at the end: magic, blocks, runs of ports, index, footer, trailer. The trailer says where index
 * and footer lie, and all of them must fill the file without gaps. A file that was cut off
 * therefore has no trailer, and is told from a damaged one.
 */
#include "emul/lib/trace/file.h"

#include "runtime/base/input.h"
#include "runtime/base/leb128.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- beginning and trailer ------------------------------------------------------------------ */

static int check_magic(struct htmt_trace *t, uint64_t at, const char *letters, const char *what,
                       struct htmt_fault *fault)
{
    char found[HTMT__TRACE_MAGIC + 1] = {0};
    size_t length = t->size - at < HTMT__TRACE_MAGIC ? (size_t)(t->size - at) : HTMT__TRACE_MAGIC;
    int rc = htmt__trace_bytes_at(t, at, found, length, fault);
    if (rc)
        return rc;
    if (memcmp(found, letters, HTMT__TRACE_MAGIC - 1) != 0)
        return htmt__trace_refuse(t, at, fault, "found '%.*s', expected '%s', %s", (int)length,
                                  found, letters, what);
    const uint8_t version = (uint8_t)found[HTMT__TRACE_MAGIC - 1];
    if (t->version ? version != t->version : version < 1 || version > HTMT_TRACE_VERSION)
        return htmt__trace_refuse(t, at + HTMT__TRACE_MAGIC - 1, fault,
                                  "found version %d of the format, expected version %s", version,
                                  t->version == 1   ? "1"
                                  : t->version == 2 ? "2"
                                                    : "1 or 2");
    t->version = version;
    return 0;
}

static int read_trailer(struct htmt_trace *t, struct htmt_fault *fault)
{
    const struct htmt__trace_trailer *e = &t->trailer;
    if (t->size == 0)
        return htmt__trace_refuse(t, 0, fault, "found an empty file, expected a trace");
    int rc = check_magic(t, 0, HTMT__TRACE_BEGIN, "the beginning of a trace", fault);
    if (rc)
        return rc;
    if (t->size < HTMT__TRACE_MAGIC + sizeof *e)
        return htmt__trace_refuse(
            t, t->size, fault,
            "found the end of the file, expected at least %zu bytes: the file "
            "is cut off",
            HTMT__TRACE_MAGIC + sizeof *e);
    rc = check_magic(t, t->size - HTMT__TRACE_MAGIC, HTMT__TRACE_END,
                     "the end of a trace: the file is cut off or was never finished", fault);
    uint64_t at = t->size - sizeof *e;
    if (!rc)
        rc = htmt__trace_bytes_at(t, at, &t->trailer, sizeof t->trailer, fault);
    /* Index, footer and trailer lie one behind another and end the file. */
    if (rc ||
        (e->footer <= at && e->footer_bytes == at - e->footer && e->index <= e->footer &&
         e->index >= HTMT__TRACE_MAGIC && e->blocks == (e->footer - e->index) / sizeof *t->entry &&
         (e->footer - e->index) % sizeof *t->entry == 0))
        return rc;
    return htmt__trace_refuse(t, at, fault,
                              "found an index of %" PRIu64 " blocks at %" PRIu64
                              " and a footer of %" PRIu32 " bytes at %" PRIu64
                              ", expected them to fill the file up to here",
                              e->blocks, e->index, e->footer_bytes, e->footer);
}

/* ---- index ---------------------------------------------------------------------------------- */

static uint64_t place_of(const struct htmt_trace *t, uint64_t index)
{
    return t->trailer.index + index * sizeof *t->entry;
}

/* What the index says of a block is possible. */
static int check_entry(const struct htmt_trace *t, uint64_t index, struct htmt_fault *fault)
{
    const struct htmt__trace_entry *e = &t->entry[index];
    const uint64_t interval = 7 + 4, sample = 3; /* numbers; foreign references have up to four */
    const uint64_t most = HTMT__LEB128_MOST * (HTMT__TRACE_COLUMNS + t->info.layers +
                                               interval * e->intervals + sample * e->samples);
    if (e->intervals > HTMT_TRACE_INTERVALS_MAX || e->samples > HTMT_TRACE_SAMPLES_MAX)
        return htmt__trace_refuse(t, place_of(t, index), fault,
                                  "found %" PRIu32 " intervals and %" PRIu32
                                  " samples in block %" PRIu64 ", expected at most %u and %u",
                                  e->intervals, e->samples, index, HTMT_TRACE_INTERVALS_MAX,
                                  HTMT_TRACE_SAMPLES_MAX);
    if (e->raw > most)
        return htmt__trace_refuse(t, place_of(t, index) + offsetof(struct htmt__trace_entry, raw),
                                  fault,
                                  "found %" PRIu32 " bytes in block %" PRIu64
                                  " inflated, expected at most %" PRIu64 " for its intervals",
                                  e->raw, index, most);
    if (e->slice >= t->info.places || e->first > HTMT__TRACE_NUMBERS - e->intervals)
        return htmt__trace_refuse(t, place_of(t, index) + offsetof(struct htmt__trace_entry, slice),
                                  fault,
                                  "found slice %" PRIu32 ", number %" PRIu64 " in block %" PRIu64
                                  ", expected a slice below %" PRIu32 " and numbers below 2^40",
                                  e->slice, e->first, index, t->info.places);
    if (e->from < 0 || e->to < e->from)
        return htmt__trace_refuse(t, place_of(t, index) + offsetof(struct htmt__trace_entry, from),
                                  fault,
                                  "found times %" PRId64 " to %" PRId64 " fs of block %" PRIu64
                                  ", expected 0 <= from <= to",
                                  e->from, e->to, index);
    if (e->zero)
        return htmt__trace_refuse(t, place_of(t, index) + offsetof(struct htmt__trace_entry, zero),
                                  fault, "found %" PRIu64 " in block %" PRIu64 ", expected 0",
                                  e->zero, index);
    return 0;
}

static int check_entries(struct htmt_trace *t, struct htmt_fault *fault)
{
    uint64_t at = HTMT__TRACE_MAGIC;
    for (uint64_t i = 0; i < t->trailer.blocks; i++) {
        if (t->entry[i].offset != at || t->entry[i].bytes > t->ports.at - at)
            return htmt__trace_refuse(t, place_of(t, i), fault,
                                      "found block %" PRIu64 " at %" PRIu64 " with %" PRIu32
                                      " bytes, expected it at %" PRIu64 " and before the index",
                                      i, t->entry[i].offset, t->entry[i].bytes, at);
        int rc = check_entry(t, i, fault);
        if (rc)
            return rc;
        at += t->entry[i].bytes;
        t->info.inflated += t->entry[i].raw;
    }
    t->info.bytes = at - HTMT__TRACE_MAGIC;
    if (at == t->ports.at)
        return 0;
    return htmt__trace_refuse(t, at, fault,
                              "found bytes of no block, expected the %s, which is at %" PRIu64,
                              t->info.version < 2 ? "index" : "first run of ports", t->ports.at);
}

/* ---- the order of blocks ---------------------------------------------------------------------
 *
 * Blocks lie in the file as they were full, those of all slices in turns. Two other orders are
 * wanted: all of a slice from its first interval on, and the block of one interval that a cause
 * names. One array serves both: the blocks sorted by slice and number of their first interval,
 * which are one reference of 64 bits. Slice 3 with blocks from 0 and 4,096 on has the keys (3, 0)
 * and (3, 4096), and interval 5,000 of it lies in the last block whose key is not above (3, 5000).
 *
 * Numbers of a slice have no gaps, so each key is where the block before it ends. That is checked
 * here, once, from the index alone: a file where an interval is missing or there twice is refused
 * before any block is inflated, and a search needs to look at one block only. A block of samples
 * alone has no intervals and the same key as the one behind it; it stands before that one, so that
 * the search, which takes the last of equal keys, comes to the one with intervals.
 */

static int by_number(const void *a, const void *b)
{
    const struct htmt__trace_key *x = a, *y = b;
    if (x->ref != y->ref)
        return x->ref < y->ref ? -1 : 1;
    if (x->has_intervals != y->has_intervals)
        return x->has_intervals - y->has_intervals;
    return (x->index > y->index) - (x->index < y->index);
}

/* Sorts the blocks by slice and number: no interval of a slice is missing or there twice. */
static int sort_blocks(struct htmt_trace *t, struct htmt_fault *fault)
{
    uint64_t next = 0, sum = 0;
    bool sorted = true;
    t->key = calloc((size_t)t->trailer.blocks + 1, sizeof *t->key);
    if (!t->key)
        return htmt__trace_out_of_memory(t, fault);
    for (uint64_t i = 0; i < t->trailer.blocks; i++) {
        const struct htmt__trace_entry *e = &t->entry[i];
        t->key[i] =
            (struct htmt__trace_key){htmt_trace_ref_of(e->slice, e->first), e->intervals != 0, i};
        sorted &= i == 0 || by_number(&t->key[i - 1], &t->key[i]) < 0;
    }
    if (!sorted)
        qsort(t->key, (size_t)t->trailer.blocks, sizeof *t->key, by_number);
    for (uint64_t i = 0; i < t->trailer.blocks; i++) {
        const struct htmt__trace_entry *e = &t->entry[t->key[i].index];
        if (i == 0 || htmt_trace_ref_slice(t->key[i - 1].ref) != e->slice)
            next = 0;
        if (e->first != next)
            return htmt__trace_refuse(
                t, place_of(t, t->key[i].index) + offsetof(struct htmt__trace_entry, first), fault,
                "found interval %" PRIu64 " of slice %" PRIu32 " first in block %" PRIu64
                ", expected interval %" PRIu64,
                e->first, e->slice, t->key[i].index, next);
        next += e->intervals;
        sum += e->intervals;
    }
    if (sum == t->info.intervals)
        return 0;
    return htmt__trace_refuse(t, t->trailer.index, fault,
                              "found %" PRIu64 " intervals in the blocks, expected %" PRIu64
                              " as the footer says",
                              sum, t->info.intervals);
}

/* ---- public --------------------------------------------------------------------------------- */

/* Trailer, index and footer, each checked before what it says is used to read the next one. */
static int read_all(struct htmt_trace *t, struct htmt_fault *fault)
{
    const struct htmt__trace_trailer *e = &t->trailer;
    int rc = htmt_input_open(t->path, HTMT_INPUT_DATA, &t->fd, fault);
    if (rc)
        return rc;
    off_t size = lseek(t->fd, 0, SEEK_END);
    if (size < 0)
        return htmt_input_failed(t->path, "read", errno, fault);
    t->size = (uint64_t)size;
    rc = read_trailer(t, fault);
    if (rc)
        return rc;
    const size_t bytes = (size_t)e->blocks * sizeof *t->entry;
    t->entry = malloc(bytes + 1);
    if (!t->entry)
        return htmt__trace_out_of_memory(t, fault);
    rc = htmt__trace_bytes_at(t, e->index, t->entry, bytes, fault);
    const uint32_t crc = libdeflate_crc32(0, t->entry, bytes);
    if (!rc && crc != e->index_crc)
        rc = htmt__trace_refuse(t, e->index, fault,
                                "found an index with the CRC %08" PRIx32 ", expected %08" PRIx32
                                ": the file is damaged",
                                crc, e->index_crc);
    if (!rc && e->footer_raw > HTMT__TRACE_FOOTER_MAX)
        rc = htmt__trace_refuse(t, t->size - sizeof *e, fault,
                                "found a footer of %" PRIu32
                                " bytes inflated, expected at most %" PRIu32,
                                e->footer_raw, HTMT__TRACE_FOOTER_MAX);
    if (!rc)
        rc =
            htmt__trace_inflate(t, e->footer, e->footer_bytes, e->footer_crc, e->footer_raw, fault);
    if (!rc)
        rc = htmt__trace_footer_read(t, fault);
    if (!rc)
        rc = htmt__trace_ports_open(t, fault);
    if (!rc)
        rc = check_entries(t, fault);
    if (!rc)
        rc = sort_blocks(t, fault);
    return rc;
}

int htmt_trace_open(struct htmt_trace **t, const char *path, struct htmt_fault *fault)
{
    if (!t || !path)
        return htmt_fault_set(fault, HTMT_EINVAL, "a trace to open needs a path");
    struct htmt_trace *opened = calloc(1, sizeof *opened);
    if (opened) {
        opened->fd = -1;
        opened->path = strdup(path);
    }
    int rc = opened && opened->path
                 ? read_all(opened, fault)
                 : htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory while reading", path);
    if (rc)
        htmt_trace_close(&opened);
    else
        *t = opened;
    return rc;
}

void htmt_trace_close(struct htmt_trace **t)
{
    if (!t || !*t)
        return;
    struct htmt_trace *closed = *t;
    if (closed->fd >= 0)
        close(closed->fd);
    htmt__trace_ports_close(closed);
    htmt__trace_footer_clear(closed);
    libdeflate_free_decompressor(closed->inflater);
    free(closed->before);
    free(closed->raw.at);
    free(closed->packed.at);
    free(closed->key);
    free(closed->entry);
    free(closed->path);
    free(closed);
    *t = NULL;
}

const struct htmt_trace_info *htmt_trace_info(const struct htmt_trace *t)
{
    return t ? &t->info : NULL;
}

int htmt_trace_block_at(const struct htmt_trace *t, uint64_t index, struct htmt_trace_block *b)
{
    if (!t || !b || index >= t->info.blocks)
        return HTMT_EINVAL;
    const struct htmt__trace_entry *e = &t->entry[index];
    b->slice = e->slice;
    b->first = e->first;
    b->count = e->intervals;
    b->samples = e->samples;
    b->from = e->from;
    b->to = e->to;
    return 0;
}

int htmt_trace_block_sorted(const struct htmt_trace *t, uint64_t place, uint64_t *index)
{
    if (!t || !index || place >= t->info.blocks)
        return HTMT_EINVAL;
    *index = t->key[place].index;
    return 0;
}

int htmt_trace_block_of(const struct htmt_trace *t, htmt_trace_ref ref, uint64_t *index)
{
    uint64_t low = 0, high = t ? t->info.blocks : 0;
    while (low < high) { /* key[low - 1].ref <= ref < key[high].ref */
        uint64_t middle = low + (high - low) / 2;
        if (t->key[middle].ref <= ref)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !index ||
        ref - t->key[low - 1].ref >= t->entry[t->key[low - 1].index].intervals)
        return HTMT_EINVAL;
    *index = t->key[low - 1].index;
    return 0;
}
