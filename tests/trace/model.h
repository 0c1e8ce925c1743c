/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests: a trace whose every interval and sample follows from its slice and number.
 */
#ifndef HTMT_TESTS_TRACE_MODEL_H
#define HTMT_TESTS_TRACE_MODEL_H

#include "tests/trace/writer.h"

#include <unistd.h>

enum { MODEL_LAYERS = 2, MODEL_RESOURCES = 4, MODEL_STEPS = 8, MODEL_SECTIONS = 3 };

struct model {
    uint32_t slices, stands_for;
    uint64_t each; /* intervals of a slice */
    uint32_t block;
};

static const struct model model_small = {3, 1, 1000, 256};

static const char model_lists[] =
    "\"layers\":[{\"name\":\"dram\",\"processor\":\"DPIM\",\"memory\":\"DRAM\","
    "\"capacity_words\":4096,\"servers\":2},"
    "{\"name\":\"cram\",\"processor\":\"SPELL\",\"memory\":\"CRAM\","
    "\"capacity_words\":1000,\"servers\":1}],"
    "\"resources\":[{\"name\":\"DPIM\",\"kind\":\"bank\",\"layer\":0,\"network\":null,\"count\":2},"
    "{\"name\":\"SPELL\",\"kind\":\"bank\",\"layer\":1,\"network\":null,\"count\":1},"
    "{\"name\":\"rti dram out\",\"kind\":\"out\",\"layer\":0,\"network\":0,\"count\":1},"
    "{\"name\":\"rti cram in\",\"kind\":\"in\",\"layer\":1,\"network\":0,\"count\":1}],"
    "\"networks\":[\"rti\"],\"sections\":[\"first\",\"</script>\",\"third\"],"
    "\"steps\":[{\"type\":\"tile\",\"stage\":\"assemble\",\"place\":\"served\",\"resource\":0,"
    "\"layer\":0},"
    "{\"type\":\"tile\",\"stage\":\"execute\",\"place\":\"served\",\"resource\":1,\"layer\":1},"
    "{\"type\":\"tile\",\"stage\":\"inject\",\"place\":\"sent\",\"resource\":2,\"layer\":null},"
    "{\"type\":\"tile\",\"stage\":\"inject\",\"place\":\"received\",\"resource\":3,\"layer\":null},"
    "{\"type\":\"tile\",\"stage\":\"inject\",\"place\":\"stalled\",\"resource\":null,\"layer\":1},"
    "{\"type\":\"\",\"stage\":null,\"place\":\"section\",\"resource\":null,\"layer\":null},"
    "{\"type\":\"tile\",\"stage\":\"put\",\"place\":\"room\",\"resource\":null,\"layer\":0},"
    "{\"type\":\"tile\",\"stage\":\"fiber\",\"place\":\"gate\",\"resource\":null,\"layer\":null}]";

/* splitmix64 of the three. */
static inline uint64_t mix(uint32_t slice, uint64_t number, uint64_t salt)
{
    uint64_t z = ((uint64_t)slice << 40 ^ number ^ salt << 56) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Ends grow with the number; references go to earlier intervals. */
static inline struct htmt_trace_interval model_interval(const struct model *m, uint32_t slice,
                                                        uint64_t n)
{
    struct htmt_trace_interval i = {.cause = HTMT_TRACE_NONE, .line = HTMT_TRACE_NONE};
    uint64_t r = mix(slice, n, 1);
    i.step = (uint32_t)(r % MODEL_STEPS);
    i.end = (htmt_time)(1000000 * (n + 20) + (r >> 8) % 1000000);
    i.service = i.step < 4 ? (htmt_time)(mix(slice, n, 2) % 5000000) : 0;
    i.wait = i.step != 5 && r >> 60 < 6 ? (htmt_time)(mix(slice, n, 3) % 5000000) + 1 : 0;
    i.serial = i.step == 5 ? r % MODEL_SECTIONS : (uint64_t)slice << 40 | mix(slice, n, 4) % 5000;
    i.open = n + 1 == m->each;
    if (n && r >> 32 & 1)
        i.cause = htmt_trace_ref_of(slice, n - 1 - mix(slice, n, 5) % (n < 100 ? n : 100));
    else if (n && r >> 33 & 1)
        i.cause = htmt_trace_ref_of((slice + 1) % m->slices, mix(slice, n, 6) % n);
    if (i.wait && n > 20)
        i.line = htmt_trace_ref_of(r >> 34 & 1 ? slice : (slice + 2) % m->slices, n - 20);
    return i;
}

/* Words used in a layer after interval n: each fourth interval changes one layer. */
static inline uint64_t model_words(uint32_t slice, uint32_t layer, uint64_t n)
{
    uint64_t last = n - n % 4;
    if (last / 4 % MODEL_LAYERS != layer)
        last = last >= 4 ? last - 4 : UINT64_MAX;
    return last == UINT64_MAX ? 0 : mix(slice, last, 7) % 1000 + 1;
}

static inline void model_sample(struct htmt_trace_block *b, uint64_t n)
{
    uint32_t layer = (uint32_t)(n / 4 % MODEL_LAYERS);
    htmt_time at = b->interval[n - b->first].end;
    b->sample[b->samples++] =
        (struct htmt_trace_sample){at, layer, model_words(b->slice, layer, n)};
}

/* What the index says of the times of a block with intervals. */
static inline void model_range(struct htmt_trace_block *b)
{
    b->from = HTMT_TIME_MAX;
    b->to = 0;
    for (uint32_t n = 0; n < b->count; n++) {
        const struct htmt_trace_interval *i = &b->interval[n];
        htmt_time begin = i->end - i->service - i->wait;
        b->from = begin < b->from ? begin : b->from;
        b->to = i->end > b->to ? i->end : b->to;
    }
}

/* The caller clears it. */
static inline struct htmt_trace_block model_block(const struct model *m, uint32_t slice,
                                                  uint64_t first)
{
    uint64_t left = m->each - first;
    struct htmt_trace_block b = {.slice = slice, .first = first};
    b.count = left < m->block ? (uint32_t)left : m->block;
    b.interval = calloc(b.count, sizeof *b.interval);
    b.sample = calloc(b.count, sizeof *b.sample);
    b.level = calloc(MODEL_LAYERS, sizeof *b.level);
    if (!b.interval || !b.sample || !b.level)
        abort();
    for (uint32_t l = 0; l < MODEL_LAYERS; l++)
        b.level[l] = first ? model_words(slice, l, first - 1) : 0;
    for (uint32_t i = 0; i < b.count; i++) {
        b.interval[i] = model_interval(m, slice, first + i);
        if ((first + i) % 4 == 0)
            model_sample(&b, first + i);
    }
    model_range(&b);
    return b;
}

/* Sums as decimal strings, each in quotes. */
static inline char *model_sums(const struct model *m)
{
    static char text[1000];
    long long busy[MODEL_RESOURCES] = {0}, waited[MODEL_RESOURCES] = {0}, stalled = 0;
    long long n = m->stands_for;
    for (uint32_t s = 0; s < m->slices; s++)
        for (uint64_t k = 0; k < m->each; k++) {
            struct htmt_trace_interval i = model_interval(m, s, k);
            if (i.step < MODEL_RESOURCES) {
                busy[i.step] += i.open ? 0 : i.service * n;
                waited[i.step] += i.wait * n;
            }
            stalled += i.step == 4 ? i.wait * n : 0;
        }
    snprintf(text, sizeof text,
             "\"sums\":{\"busy\":[\"%lld\",\"%lld\",\"%lld\",\"%lld\"],"
             "\"waited\":[\"%lld\",\"%lld\",\"%lld\",\"%lld\"],\"stalled\":[\"0\",\"%lld\"]}",
             busy[0], busy[1], busy[2], busy[3], waited[0], waited[1], waited[2], waited[3],
             stalled);
    return text;
}

/* The caller frees it. `more`: further keys, each with a comma behind it. */
static inline char *model_footer(const struct model *m, const char *sums, const char *more)
{
    size_t room = 8192;
    char *text = malloc(room);
    if (!text)
        abort();
    snprintf(
        text, room,
        "{%s\"version\":1,\"about\":{\"command\":\"htmt model toy\"},\"machine\":\"small\","
        "\"app\":\"toy\",\"mode\":\"model\",\"slices\":%u,\"played\":%u,\"stands_for\":%u,"
        "\"complete\":false,\"fault\":\"interrupted\",\"end_fs\":%llu,"
        "\"history_hash\":\"0123456789abcdef\",\"intervals\":%llu,\"last\":null,\"filter\":null,"
        "\"open\":[\"tile 7 waits for room\"],%s,%s}",
        more, m->slices * m->stands_for, m->slices, m->stands_for,
        (unsigned long long)(1000000 * (m->each + 20)), (unsigned long long)(m->each * m->slices),
        model_lists, sums);
    return text;
}

/* Block after block of each slice; backwards: the last slice first, but numbers grow. */
static inline struct writer model_blocks(const struct model *m, bool backwards)
{
    struct writer w = writer_begin(MODEL_LAYERS);
    for (uint32_t s = 0; s < m->slices; s++)
        for (uint64_t first = 0; first < m->each; first += m->block) {
            struct htmt_trace_block b = model_block(m, backwards ? m->slices - 1 - s : s, first);
            put_block(&w, &b);
            htmt_trace_block_clear(&b);
        }
    return w;
}

static inline struct bytes model_file(const struct model *m, bool backwards)
{
    struct writer w = model_blocks(m, backwards);
    char *footer = model_footer(m, model_sums(m), "");
    struct bytes file = writer_end(&w, footer);
    free(footer);
    return file;
}

/* A file of its own in the folder of temporary files; free the path. */
static inline char *model_save(const struct bytes *file)
{
    char *path = strdup("/tmp/htmt-trace-XXXXXX");
    int fd = path ? mkstemp(path) : -1;
    if (fd < 0 || write(fd, file->at, file->length) != (ssize_t)file->length || close(fd))
        abort();
    return path;
}

#endif
