/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages in the wire format of Protocol Buffers: fields as (number, type) and a value.
 */
#ifndef HTMT_EMUL_LIB_TRACE_EXPORT_PROTOBUF_H
#define HTMT_EMUL_LIB_TRACE_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HTMT__PROTO_ROOM 2048 /* of a message; the caller keeps to it */

struct htmt__proto {
    size_t length;
    uint8_t bytes[HTMT__PROTO_ROOM];
};

enum { HTMT__PROTO_VARINT, HTMT__PROTO_FIXED64, HTMT__PROTO_BYTES };

static inline void htmt__proto_raw(struct htmt__proto *m, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        m->bytes[m->length++] = (uint8_t)(value | 0x80);
    m->bytes[m->length++] = (uint8_t)value;
}

static inline void htmt__proto_varint(struct htmt__proto *m, uint32_t field, uint64_t value)
{
    htmt__proto_raw(m, field << 3 | HTMT__PROTO_VARINT);
    htmt__proto_raw(m, value);
}

static inline void htmt__proto_fixed64(struct htmt__proto *m, uint32_t field, uint64_t value)
{
    htmt__proto_raw(m, field << 3 | HTMT__PROTO_FIXED64);
    for (unsigned i = 0; i < 8; i++)
        m->bytes[m->length++] = (uint8_t)(value >> 8 * i);
}

static inline void htmt__proto_bytes(struct htmt__proto *m, uint32_t field, const void *bytes,
                                     size_t length)
{
    htmt__proto_raw(m, field << 3 | HTMT__PROTO_BYTES);
    htmt__proto_raw(m, length);
    memcpy(m->bytes + m->length, bytes, length);
    m->length += length;
}

static inline void htmt__proto_text(struct htmt__proto *m, uint32_t field, const char *text)
{
    htmt__proto_bytes(m, field, text, strlen(text));
}

static inline void htmt__proto_message(struct htmt__proto *m, uint32_t field,
                                       const struct htmt__proto *inner)
{
    htmt__proto_bytes(m, field, inner->bytes, inner->length);
}

#endif
