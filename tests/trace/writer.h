/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests: writes trace files as docs/trace-format.md describes them, in memory, by zlib. It
 * shares nothing with the recorder and the reader, and writes what a hostile file may hold as well.
 */
#ifndef HTMT_TESTS_TRACE_WRITER_H
#define HTMT_TESTS_TRACE_WRITER_H

#include "emul/trace/htmt_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct bytes {
    uint8_t *at;
    size_t length, room;
};

struct writer {
    struct bytes file, index;
    uint64_t blocks;
    uint32_t layers;
};

/* What a block says in the index, and its columns inflated. */
struct packed {
    uint32_t slice;
    uint64_t first;
    uint32_t intervals, samples;
    int64_t from, to;
    struct bytes raw;
};

/* ---- bytes ---------------------------------------------------------------------------------- */

static inline void put(struct bytes *b, const void *bytes, size_t length)
{
    if (b->length + length > b->room) {
        b->room = 2 * (b->length + length) + 64;
        b->at = realloc(b->at, b->room);
        if (!b->at)
            abort();
    }
    if (length)
        memcpy(b->at + b->length, bytes, length);
    b->length += length;
}

static inline void put_u32(struct bytes *b, uint32_t value)
{
    put(b, &value, sizeof value);
}

static inline void put_u64(struct bytes *b, uint64_t value)
{
    put(b, &value, sizeof value);
}

static inline void put_varint(struct bytes *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(b, &(uint8_t){(uint8_t)(value | 0x80)}, 1);
    put(b, &(uint8_t){(uint8_t)value}, 1);
}

static inline void put_zigzag(struct bytes *b, uint64_t difference)
{
    put_varint(b, difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0));
}

static inline void put_zlib(struct bytes *b, const struct bytes *raw)
{
    uLongf length = compressBound(raw->length);
    uint8_t *packed = malloc(length);
    if (!packed || compress2(packed, &length, raw->at ? raw->at : packed, raw->length, 6) != Z_OK)
        abort();
    put(b, packed, length);
    free(packed);
}

static inline uint32_t crc_of(const uint8_t *bytes, size_t length)
{
    return (uint32_t)crc32(0, bytes, (uInt)length);
}

/* ---- columns -------------------------------------------------------------------------------- */

#define WRITER_STEPS 64

struct columns {
    struct bytes column[10];
    uint64_t service[WRITER_STEPS], wait[WRITER_STEPS], end, serial;
};

static inline void put_ref(struct columns *c, unsigned column, htmt_trace_ref own,
                           htmt_trace_ref ref)
{
    bool near = ref < own && htmt_trace_ref_slice(ref) == htmt_trace_ref_slice(own);
    put_varint(&c->column[column], ref == HTMT_TRACE_NONE ? 0 : near ? 2 * (own - ref) : 1);
    if (ref == HTMT_TRACE_NONE || near)
        return;
    put_varint(&c->column[7], htmt_trace_ref_slice(ref));
    put_varint(&c->column[7], htmt_trace_ref_number(ref));
}

static inline void put_interval(struct columns *c, htmt_trace_ref own,
                                const struct htmt_trace_interval *i)
{
    put_varint(&c->column[0], 2 * (uint64_t)i->step + i->open);
    put_zigzag(&c->column[1], (uint64_t)i->end - c->end);
    put_zigzag(&c->column[2], (uint64_t)i->service - c->service[i->step]);
    put_zigzag(&c->column[3], (uint64_t)i->wait - c->wait[i->step]);
    put_zigzag(&c->column[4], i->serial - c->serial);
    put_ref(c, 5, own, i->cause);
    if (i->wait)
        put_ref(c, 6, own, i->line);
    c->end = (uint64_t)i->end;
    c->service[i->step] = (uint64_t)i->service;
    c->wait[i->step] = (uint64_t)i->wait;
    c->serial = i->serial;
}

static inline void put_samples(struct columns *c, const struct htmt_trace_block *b, uint32_t layers)
{
    uint64_t at = 0, level[HTMT_LAYERS_MAX];
    for (uint32_t l = 0; l < layers; l++)
        put_varint(&c->column[9], level[l] = b->level[l]);
    for (uint32_t n = 0; n < b->samples; n++) {
        const struct htmt_trace_sample *s = &b->sample[n];
        bool given = s->words < level[s->layer];
        put_zigzag(&c->column[8], (uint64_t)s->at - at);
        put_varint(&c->column[9], 2 * (uint64_t)s->layer + given);
        put_varint(&c->column[9], given ? level[s->layer] - s->words : s->words - level[s->layer]);
        at = (uint64_t)s->at;
        level[s->layer] = s->words;
    }
}

/* The caller frees raw.at. */
static inline struct packed pack(const struct htmt_trace_block *b, uint32_t layers)
{
    struct columns c = {.end = 0};
    struct packed p = {b->slice, b->first, b->count, b->samples, b->from, b->to, {0}};
    for (uint32_t n = 0; n < b->count; n++)
        put_interval(&c, htmt_trace_ref_of(b->slice, b->first + n), &b->interval[n]);
    put_samples(&c, b, layers);
    for (unsigned i = 0; i < 10; i++) {
        put_varint(&p.raw, c.column[i].length);
        put(&p.raw, c.column[i].at, c.column[i].length);
        free(c.column[i].at);
    }
    return p;
}

/* ---- the file ------------------------------------------------------------------------------- */

static inline struct writer writer_begin(uint32_t layers)
{
    struct writer w = {.layers = layers};
    put(&w.file, "HTMTTRC\1", 8);
    return w;
}

static inline void put_packed(struct writer *w, const struct packed *p)
{
    uint64_t offset = w->file.length;
    put_zlib(&w->file, &p->raw);
    uint32_t bytes = (uint32_t)(w->file.length - offset);
    put_u64(&w->index, offset);
    put_u32(&w->index, bytes);
    put_u32(&w->index, (uint32_t)p->raw.length);
    put_u32(&w->index, crc_of(w->file.at + offset, bytes));
    put_u32(&w->index, p->slice);
    put_u64(&w->index, p->first);
    put_u32(&w->index, p->intervals);
    put_u32(&w->index, p->samples);
    put_u64(&w->index, (uint64_t)p->from);
    put_u64(&w->index, (uint64_t)p->to);
    put_u64(&w->index, 0);
    w->blocks++;
}

static inline void put_block(struct writer *w, const struct htmt_trace_block *b)
{
    struct packed p = pack(b, w->layers);
    put_packed(w, &p);
    free(p.raw.at);
}

/* The caller frees the bytes. */
static inline struct bytes writer_end(struct writer *w, const char *footer)
{
    struct bytes json = {(uint8_t *)(uintptr_t)footer, strlen(footer), 0};
    uint64_t index = w->file.length;
    put(&w->file, w->index.at, w->index.length);
    uint64_t at = w->file.length;
    put_zlib(&w->file, &json);
    uint32_t bytes = (uint32_t)(w->file.length - at);
    uint32_t crc = crc_of(w->file.at + at, bytes);
    put_u64(&w->file, index);
    put_u64(&w->file, w->blocks);
    put_u64(&w->file, at);
    put_u32(&w->file, bytes);
    put_u32(&w->file, (uint32_t)json.length);
    put_u32(&w->file, crc_of(w->index.at, w->index.length));
    put_u32(&w->file, crc);
    put(&w->file, "HTMTEND\1", 8);
    free(w->index.at);
    return w->file;
}

#endif
