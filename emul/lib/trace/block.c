/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks: the columns of intervals and samples.
 *
 * A block has the intervals of one slice, column by column, so that equal things lie together and
 * deflate well. Values are LEB128 numbers, most of them differences: of the end and the serial to
 * the interval before, of service and wait to the last interval of the same step (a stage mostly
 * takes as long as the time before: the difference is 0). A reference to interval r of the same
 * slice, out of interval n, is 2 * (n - r), 0 is none, and 1 leads to the column of foreign
 * references. docs/trace-format.md has every byte.
 *
 * A file is untrusted: each value is checked as it is decoded, and the first bad one is named with
 * its column. Times need one test for all: end, service, wait, and the begins end - service and
 * end - service - wait are all at least 0 exactly if the "or" of the five has no sign bit; for if
 * the first four are not negative, the fifth cannot overflow.
 */
#include "emul/lib/trace/file.h"

#include "runtime/base/array.h"
#include "runtime/base/leb128.h"

#include <inttypes.h>
#include <stdlib.h>

enum column { STEP, END, SERVICE, WAIT, SERIAL, CAUSE, LINE, FOREIGN, WHEN, WHAT };

static const char *const column_names[HTMT__TRACE_COLUMNS] = {
    "step",  "end",  "service", "wait",        "serial",
    "cause", "line", "foreign", "sample_when", "sample_what"};

/* A block that is being read. */
struct decoder {
    struct column_bytes {
        const uint8_t *at, *end;
    } column[HTMT__TRACE_COLUMNS];
    const struct htmt_trace_info *info;
    struct htmt__trace_before *before;
    uint64_t end, serial; /* of the interval before */
    enum column bad;      /* where something was wrong, */
    const char *expected; /* and what was expected there */
};

static bool fail(struct decoder *d, enum column column, const char *expected)
{
    d->bad = column;
    d->expected = expected;
    return false;
}

static inline bool take(struct decoder *d, enum column column, uint64_t *value)
{
    struct column_bytes *c = &d->column[column];
    return htmt__leb128_take(&c->at, c->end, value) ||
           fail(d, column, "a varint of at most 64 bits for each value");
}

/* A difference, added to *value. */
static inline bool add(struct decoder *d, enum column column, uint64_t *value)
{
    uint64_t code;
    if (!take(d, column, &code))
        return false;
    *value += htmt__unzigzag(code);
    return true;
}

/* ---- intervals ------------------------------------------------------------------------------ */

static bool read_foreign(struct decoder *d, htmt_trace_ref *ref)
{
    uint64_t slice, number;
    if (!take(d, FOREIGN, &slice) || !take(d, FOREIGN, &number))
        return false;
    if (slice >= d->info->places || number >= HTMT__TRACE_NUMBERS)
        return fail(d, FOREIGN, "a slice of the run and a number below 2^40");
    *ref = htmt_trace_ref_of((uint32_t)slice, number);
    return true;
}

static inline bool read_ref(struct decoder *d, enum column column, htmt_trace_ref own,
                            htmt_trace_ref *ref)
{
    uint64_t code;
    if (!take(d, column, &code))
        return false;
    if (code == 1)
        return read_foreign(d, ref);
    if (code & 1 || code >> 1 > htmt_trace_ref_number(own))
        return fail(d, column, "0, 1, or twice the distance to an interval before");
    *ref = code ? own - (code >> 1) : HTMT_TRACE_NONE;
    return true;
}

static inline bool read_interval(struct decoder *d, htmt_trace_ref own,
                                 struct htmt_trace_interval *i)
{
    uint64_t code;
    if (!take(d, STEP, &code))
        return false;
    if (code >> 1 >= d->info->steps)
        return fail(d, STEP, "the index of a step");
    i->step = (uint32_t)(code >> 1);
    i->open = code & 1;
    struct htmt__trace_before *before = &d->before[i->step];
    if (!add(d, END, &d->end) || !add(d, SERVICE, &before->service) ||
        !add(d, WAIT, &before->wait) || !add(d, SERIAL, &d->serial))
        return false;
    uint64_t end = d->end, service = before->service, wait = before->wait;
    if ((end | service | wait | (end - service) | (end - service - wait)) >> 63)
        return fail(d, END, "times that begin at 0 or later");
    i->end = (htmt_time)end;
    i->service = (htmt_time)service;
    i->wait = (htmt_time)wait;
    i->serial = d->serial;
    i->line = HTMT_TRACE_NONE;
    return read_ref(d, CAUSE, own, &i->cause) && (!wait || read_ref(d, LINE, own, &i->line));
}

/* ---- samples -------------------------------------------------------------------------------- */

/* words[]: in use in each layer before the sample, and then after it. */
static bool read_sample(struct decoder *d, uint64_t *at, uint64_t *words,
                        struct htmt_trace_sample *s)
{
    uint64_t what, by;
    if (!add(d, WHEN, at) || !take(d, WHAT, &what) || !take(d, WHAT, &by))
        return false;
    if (*at >> 63)
        return fail(d, WHEN, "instants of at least 0");
    if (what >> 1 >= d->info->layers)
        return fail(d, WHAT, "the index of a layer");
    uint64_t *now = &words[what >> 1];
    bool given = what & 1; /* words were given back */
    if (given ? by > *now : __builtin_add_overflow(*now, by, now))
        return fail(d, WHAT, "a change that leaves 0 words or more, below 2^64");
    *now -= given ? by : 0;
    *s = (struct htmt_trace_sample){(htmt_time)*at, (uint32_t)(what >> 1), *now};
    return true;
}

/* ---- a block -------------------------------------------------------------------------------- */

static int refuse(const struct htmt_trace *t, uint64_t index, struct htmt_fault *fault,
                  const struct decoder *d, const char *what, uint64_t n)
{
    return htmt__trace_refuse(t, t->entry[index].offset, fault,
                              "found another value in column '%s' of block %" PRIu64 ", %s %" PRIu64
                              ", expected %s",
                              column_names[d->bad], index, what, n, d->expected);
}

/* Finds the columns: the length of each, then its bytes. */
static int split(const struct htmt_trace *t, uint64_t index, struct decoder *d,
                 struct htmt_fault *fault)
{
    const uint8_t *at = t->raw.at, *end = at + t->entry[index].raw;
    for (unsigned c = 0; c < HTMT__TRACE_COLUMNS; c++) {
        uint64_t length;
        if (!htmt__leb128_take(&at, end, &length) || length > (uint64_t)(end - at))
            return htmt__trace_refuse(t, t->entry[index].offset, fault,
                                      "found a wrong length of column '%s' in block %" PRIu64
                                      ", expected at most the bytes that are left",
                                      column_names[c], index);
        d->column[c] = (struct column_bytes){at, at + length};
        at += length;
    }
    if (at == end)
        return 0;
    return htmt__trace_refuse(
        t, t->entry[index].offset, fault,
        "found %td bytes behind the columns of block %" PRIu64 ", expected none", end - at, index);
}

/* Intervals, levels and samples, each from its columns; then all columns are used up, and the
 * earliest begin and the latest end are those of the index. */
static int decode(struct htmt_trace *t, uint64_t index, struct htmt_trace_block *b,
                  struct htmt_fault *fault)
{
    struct decoder d = {.info = &t->info, .before = t->before};
    const uint32_t layers = t->info.layers;
    const htmt_trace_ref own = htmt_trace_ref_of(b->slice, b->first);
    uint64_t *words = b->level + layers, at = 0;
    uint32_t good = 0;
    int rc = split(t, index, &d, fault);
    if (rc)
        return rc;
    memset(t->before, 0, t->info.steps * sizeof *t->before);
    while (good < b->count && read_interval(&d, own + good, &b->interval[good]))
        good++;
    if (good < b->count)
        return refuse(t, index, fault, &d, "interval", b->first + good);
    for (uint32_t l = 0; l < layers; l++) {
        if (!take(&d, WHAT, &b->level[l]))
            return refuse(t, index, fault, &d, "sample", 0);
        words[l] = b->level[l];
    }
    for (good = 0; good < b->samples && read_sample(&d, &at, words, &b->sample[good]);)
        good++;
    if (good < b->samples)
        return refuse(t, index, fault, &d, "sample", good);
    for (unsigned c = 0; c < HTMT__TRACE_COLUMNS; c++)
        if (d.column[c].at != d.column[c].end)
            return htmt__trace_refuse(t, t->entry[index].offset, fault,
                                      "found %td bytes behind the last value of column '%s' in "
                                      "block %" PRIu64 ", expected none",
                                      d.column[c].end - d.column[c].at, column_names[c], index);
    htmt_time from = HTMT_TIME_MAX, to = 0;
    for (uint32_t n = 0; n < b->count; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        htmt_time begin = i->end - i->service - i->wait;
        from = begin < from ? begin : from;
        to = i->end > to ? i->end : to;
    }
    if (b->count == 0 || (from == b->from && to == b->to))
        return 0;
    return htmt__trace_refuse(t, t->entry[index].offset, fault,
                              "found other times in block %" PRIu64 ", expected its earliest begin "
                              "at %" PRId64 " fs and its latest end at %" PRId64 " fs",
                              index, b->from, b->to);
}

/* Room for `count` elements: *room of them fit. */
static bool fits(void *array, uint64_t *room, uint64_t count, size_t size)
{
    size_t had = (size_t)*room;
    bool good = htmt__array_fits(array, &had, (size_t)(count ? count : 1), size);
    *room = had;
    return good;
}

int htmt_trace_block_read(struct htmt_trace *t, uint64_t index, struct htmt_trace_block *b,
                          struct htmt_fault *fault)
{
    if (htmt_trace_block_at(t, index, b))
        return htmt_fault_set(fault, HTMT_EINVAL, "the trace has no block %" PRIu64, index);
    const struct htmt__trace_entry *e = &t->entry[index];
    int rc = htmt__trace_inflate(t, e->offset, e->bytes, e->crc, e->raw, fault);
    if (!t->before)
        t->before = calloc((size_t)t->info.steps + 1, sizeof *t->before);
    /* Levels are twice there: those of the begin, and those that samples change. */
    if (!rc && (!t->before || !fits(&b->interval, &b->room[0], b->count, sizeof *b->interval) ||
                !fits(&b->sample, &b->room[1], b->samples, sizeof *b->sample) ||
                !fits(&b->level, &b->room[2], 2 * (uint64_t)t->info.layers, sizeof *b->level)))
        rc = htmt__trace_out_of_memory(t, fault);
    if (!rc)
        rc = decode(t, index, b, fault);
    if (rc)
        b->count = b->samples = 0;
    return rc;
}

void htmt_trace_block_clear(struct htmt_trace_block *b)
{
    if (!b)
        return;
    free(b->interval);
    free(b->sample);
    free(b->level);
    *b = (struct htmt_trace_block){0};
}
