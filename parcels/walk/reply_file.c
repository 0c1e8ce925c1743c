/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file of a captured run: what it is of, blocks of replies, a trailer. Numbers are
 * little-endian.
 *
 *     "HTMTRPL" 1                        magic and version
 *     bytes, CRC-32, text                what the run was of, line by line
 *     blocks, each: count, bytes, packed bytes, CRC-32 of what follows;
 *                   count keys of 8 bytes; the replies, deflated
 *     count 2^32 - 1, three zeros        the end of the blocks
 *     plan, machine, time, history, replies, kept bytes, CRC-32 of these, its complement or,
 *                   where that is 0, 1, "HTMTRPE" 1
 *
 * A reply is a byte, numbers as LEB128, and bytes. The byte says which classes of operations are
 * not 0 (bits 0 to 4), that there are operations (5) and that there is a result (6). The operations
 * follow, then the length of the result without the zeros at its end, and its bytes. So a kernel
 * that counted 300 loads is 28 AC 02. A block of count 0 has bytes of htmt_keep(): all of them are
 * one stream, in which each table has its length, 8 bytes, in front.
 *
 * Keys are hashes, which no compressor makes smaller, so they stand apart. Eight bytes for each
 * service that has something to reply are fewer than two for each service of the applications,
 * since most of their services have cost functions.
 *
 * Who plays the file on the machine of the run asks for the replies in the order in which they lie
 * there, and on another machine for most of them. So the reader first looks at the reply behind the
 * last one. Only if that is another, it makes a hash table of all keys, once. Of an item that
 * several services did (htmt_item()) there are several replies, which are equal.
 *
 * Earlier versions wrote 0 in place of the complement, and another hash of the history: their files
 * are read, and that hash is not compared.
 *
 * The file ends with the trailer, and each block has its CRC: a file that is cut off or damaged is
 * refused before anything is played.
 */
#include "parcels/walk/reply_file.h"

#include "runtime/base/array.h"
#include "runtime/base/input.h"
#include "runtime/base/leb128.h"
#include "runtime/base/whole_file.h"

#include <endian.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL      1          /* the fastest one that makes the bytes fewer */
#define BLOCK      (1u << 16) /* bytes of replies in a block, at most, */
#define REPLIES    (1u << 12) /* and replies */
#define REPLY_MOST (1u << 9)  /* bytes of one */
#define END        UINT32_MAX /* as a count: there are no more blocks */
#define ABOUT_MOST (1u << 20)
#define HAS_OPS    (1u << HTMT_OP_CLASSES)
#define HAS_RESULT (2u << HTMT_OP_CLASSES)
_Static_assert(HTMT_OP_CLASSES <= 6, "the first byte of a reply has a bit for each class");

static const char head[8] = "HTMTRPL\1", tail[8] = "HTMTRPE\1";

struct block {
    uint32_t count, bytes, packed, crc;
};

struct trailer {
    uint64_t plan, machine, predicted, history, replies, kept;
    uint32_t crc, complement; /* complement 0: of an earlier version */
    char magic[8];
};
_Static_assert(sizeof(struct trailer) == 64, "the trailer has 64 bytes");

static uint32_t crc_of(const struct trailer *t)
{
    return htole32(libdeflate_crc32(0, t, offsetof(struct trailer, crc)));
}

/* Never 0. */
static uint32_t complement_of(uint32_t crc)
{
    return crc == UINT32_MAX ? htole32(1) : ~crc;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct htmt__reply_writer {
    struct htmt_whole_file *whole;
    struct libdeflate_compressor *deflater;
    char *path;
    uint8_t *packed;
    size_t packed_most;
    uint64_t replies, kept;
    uint32_t count; /* in the block */
    uint8_t *end;   /* of its replies */
    uint64_t key[REPLIES];
    uint8_t bytes[BLOCK + REPLY_MOST];
};

static int write_bytes(struct htmt__reply_writer *w, const void *bytes, size_t count,
                       struct htmt_fault *fault)
{
    if (fwrite(bytes, 1, count, htmt_whole_file_stream(w->whole)) == count)
        return 0;
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot write", w->path);
}

static int write_block(struct htmt__reply_writer *w, uint32_t count, const void *bytes, size_t size,
                       struct htmt_fault *fault)
{
    const size_t packed =
        libdeflate_deflate_compress(w->deflater, bytes, size, w->packed, w->packed_most);
    const uint32_t crc =
        libdeflate_crc32(libdeflate_crc32(0, w->key, count * sizeof *w->key), w->packed, packed);
    const struct block b = {htole32(count), htole32((uint32_t)size), htole32((uint32_t)packed),
                            htole32(crc)};
    int rc = write_bytes(w, &b, sizeof b, fault);
    rc = rc ? rc : write_bytes(w, w->key, count * sizeof *w->key, fault);
    return rc ? rc : write_bytes(w, w->packed, packed, fault);
}

static int flush(struct htmt__reply_writer *w, struct htmt_fault *fault)
{
    int rc = w->count ? write_block(w, w->count, w->bytes, (size_t)(w->end - w->bytes), fault) : 0;
    w->count = 0;
    w->end = w->bytes;
    return rc;
}

int htmt__reply_writer_open(struct htmt__reply_writer **writer, const char *path, const char *about,
                            struct htmt_fault *fault)
{
    const size_t length = strlen(about);
    const uint32_t text[2] = {htole32((uint32_t)length),
                              htole32(libdeflate_crc32(0, about, length))};
    struct htmt__reply_writer *w = *writer = calloc(1, sizeof *w);
    if (w) {
        w->end = w->bytes;
        w->path = strdup(path);
        w->deflater = libdeflate_alloc_compressor(LEVEL);
        w->packed_most = libdeflate_deflate_compress_bound(w->deflater, sizeof w->bytes);
        w->packed = malloc(w->packed_most);
    }
    int rc = length > ABOUT_MOST || !w || !w->path || !w->deflater || !w->packed
                 ? htmt_fault_set(fault, HTMT_ENOMEM, "%s: no host memory to capture a run", path)
                 : htmt_whole_file_open(path, &w->whole, fault);
    rc = rc ? rc : write_bytes(w, head, sizeof head, fault);
    rc = rc ? rc : write_bytes(w, text, sizeof text, fault);
    rc = rc ? rc : write_bytes(w, about, length, fault);
    if (rc)
        htmt__reply_writer_abandon(writer);
    return rc;
}

int htmt__reply_write(struct htmt__reply_writer *w, uint64_t key, const struct htmt__reply *reply,
                      struct htmt_fault *fault)
{
    uint8_t *first = w->end, *at = first + 1;
    unsigned parts = 0;
    for (unsigned i = 0; reply->ops && i < HTMT_OP_CLASSES; i++)
        if (reply->ops->n[i]) {
            parts |= 1u << i;
            at = htmt__leb128_put(at, reply->ops->n[i]);
        }
    if (reply->result) {
        const uint8_t *result = reply->result;
        size_t bytes = reply->bytes;
        while (bytes && !result[bytes - 1])
            bytes--;
        at = htmt__leb128_put(at, bytes);
        memcpy(at, result, bytes);
        at += bytes;
    }
    *first = (uint8_t)(parts | (reply->ops ? HAS_OPS : 0) | (reply->result ? HAS_RESULT : 0));
    w->end = at;
    w->key[w->count++] = htole64(key);
    w->replies++;
    return w->count == REPLIES || at - w->bytes >= BLOCK ? flush(w, fault) : 0;
}

int htmt__reply_write_kept(struct htmt__reply_writer *w, const void *table, size_t bytes,
                           struct htmt_fault *fault)
{
    const uint64_t length = htole64(bytes);
    int rc = flush(w, fault);
    rc = rc ? rc : write_block(w, 0, &length, sizeof length, fault);
    for (size_t at = 0; at < bytes && !rc; at += BLOCK)
        rc = write_block(w, 0, (const char *)table + at, bytes - at < BLOCK ? bytes - at : BLOCK,
                         fault);
    w->kept += sizeof length + bytes;
    return rc;
}

void htmt__reply_writer_abandon(struct htmt__reply_writer **writer)
{
    struct htmt__reply_writer *w = *writer;
    *writer = NULL;
    if (!w)
        return;
    htmt_whole_file_abandon(&w->whole);
    libdeflate_free_compressor(w->deflater);
    free(w->packed);
    free(w->path);
    free(w);
}

int htmt__reply_writer_commit(struct htmt__reply_writer **writer, const struct htmt__reply_end *end,
                              struct htmt_fault *fault)
{
    struct htmt__reply_writer *w = *writer;
    const struct block last = {.count = END};
    struct trailer t = {.plan = htole64(end->plan),
                        .machine = htole64(end->machine),
                        .predicted = htole64(end->predicted),
                        .history = htole64(end->history),
                        .replies = htole64(w->replies),
                        .kept = htole64(w->kept)};
    t.crc = crc_of(&t);
    t.complement = complement_of(t.crc);
    memcpy(t.magic, tail, sizeof tail);
    int rc = flush(w, fault);
    rc = rc ? rc : write_bytes(w, &last, sizeof last, fault);
    rc = rc ? rc : write_bytes(w, &t, sizeof t, fault);
    rc = rc ? rc : htmt_whole_file_commit(&w->whole, fault);
    htmt__reply_writer_abandon(writer);
    return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct place {
    uint64_t key, at; /* at: in the bytes */
    bool taken;
};

struct htmt__reply_reader {
    char *path;
    struct htmt__reply_end end;
    struct place *place; /* of each reply, in the order of the file */
    size_t places, place_room;
    uint8_t *bytes, *kept;
    size_t length, room, kept_length, kept_room, kept_at;
    size_t next;     /* the reply behind the last one that was asked for */
    uint32_t *table; /* 1 + a place, where the key's hash leads; NULL: it was not needed yet */
    size_t slots;
};

/* What is left of the file. */
struct rest {
    const uint8_t *at, *end;
};

static const uint8_t *take(struct rest *rest, size_t bytes)
{
    const uint8_t *at = rest->at;
    if ((size_t)(rest->end - at) < bytes)
        return NULL;
    rest->at += bytes;
    return at;
}

static int refuse(const struct htmt__reply_reader *r, const char *found, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s: %s; expected a file of htmt run --capture",
                          r->path, found);
}

static int no_memory(const char *path, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no host memory for a captured run", path);
}

/* Moves *at behind a reply. False: it is none. */
static bool pass(const uint8_t **at, const uint8_t *end)
{
    uint64_t value;
    if (*at == end)
        return false;
    const unsigned parts = *(*at)++;
    if (!(parts & (HAS_OPS | HAS_RESULT)) || parts >= 2 * HAS_RESULT ||
        (!(parts & HAS_OPS) && parts & (HAS_OPS - 1)))
        return false;
    for (unsigned i = 0; i < HTMT_OP_CLASSES; i++)
        if (parts >> i & 1 && !htmt__leb128_take(at, end, &value))
            return false;
    if (!(parts & HAS_RESULT))
        return true;
    if (!htmt__leb128_take(at, end, &value) || value > (uint64_t)(end - *at))
        return false;
    *at += value;
    return true;
}

/* Replies of a block, whose bytes lie at the end of the reader's. */
static bool place_block(struct htmt__reply_reader *r, const uint8_t *keys, const struct block *b)
{
    const uint8_t *at = r->bytes + r->length, *end = at + b->bytes;
    for (uint32_t i = 0; i < b->count; i++) {
        uint64_t key;
        memcpy(&key, keys + i * sizeof key, sizeof key);
        r->place[r->places++] = (struct place){le64toh(key), (uint64_t)(at - r->bytes), false};
        if (!pass(&at, end))
            return false;
    }
    r->length += b->bytes;
    return at == end;
}

static int read_block(struct htmt__reply_reader *r, struct libdeflate_decompressor *inflater,
                      struct rest *rest, const struct block *b, struct htmt_fault *fault)
{
    const uint8_t *keys = take(rest, b->count * sizeof(uint64_t)), *packed = take(rest, b->packed);
    if (!keys || !packed)
        return refuse(r, "found a file that is cut off", fault);
    const uint32_t crc =
        libdeflate_crc32(libdeflate_crc32(0, keys, b->count * sizeof(uint64_t)), packed, b->packed);
    if (crc != b->crc || b->bytes > BLOCK + REPLY_MOST || b->count > REPLIES)
        return refuse(r, "found a damaged block", fault);
    uint8_t **into = b->count ? &r->bytes : &r->kept;
    size_t *length = b->count ? &r->length : &r->kept_length,
           *room = b->count ? &r->room : &r->kept_room;
    if (!htmt__array_fits(into, room, *length + b->bytes, 1) ||
        !htmt__array_fits(&r->place, &r->place_room, r->places + b->count, sizeof *r->place))
        return no_memory(r->path, fault);
    if (libdeflate_deflate_decompress(inflater, packed, b->packed, *into + *length, b->bytes, NULL))
        return refuse(r, "found a damaged block", fault);
    if (b->count)
        return place_block(r, keys, b) ? 0 : refuse(r, "found a damaged block", fault);
    r->kept_length += b->bytes;
    return 0;
}

static int read_blocks(struct htmt__reply_reader *r, struct rest *rest, struct htmt_fault *fault)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater)
        return no_memory(r->path, fault);
    int rc = 0;
    while (!rc) {
        struct block b;
        const uint8_t *at = take(rest, sizeof b);
        if (!at) {
            rc = refuse(r, "found a file that is cut off", fault);
            break;
        }
        memcpy(&b, at, sizeof b);
        b = (struct block){le32toh(b.count), le32toh(b.bytes), le32toh(b.packed), le32toh(b.crc)};
        if (b.count == END) {
            rc = b.bytes | b.packed | b.crc ? refuse(r, "found a damaged end", fault) : 0;
            break;
        }
        rc = read_block(r, inflater, rest, &b, fault);
    }
    libdeflate_free_decompressor(inflater);
    return rc;
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

/* Does one of the lines begin with the word with which `line` begins? */
static bool has_word(const char *lines, const char *line)
{
    const size_t n = strcspn(line, " \n");
    while (*lines && !(strncmp(lines, line, n) == 0 && strcspn(lines, " \n") == n))
        lines = next_line(lines);
    return *lines;
}

/* The first line that the run and who plays it do not share. An option without a value has no line,
 * so where two options meet, one of them is on one side alone. */
static int refuse_about(const struct htmt__reply_reader *r, const char *given, size_t length,
                        const char *wanted, struct htmt_fault *fault)
{
    char *whole = strndup(given, length);
    const char *found = whole;
    if (!whole)
        return no_memory(r->path, fault);
    size_t f = strcspn(found, "\n"), w = strcspn(wanted, "\n");
    while (f && f == w && memcmp(found, wanted, f) == 0) {
        found = next_line(found);
        wanted = next_line(wanted);
        f = strcspn(found, "\n");
        w = strcspn(wanted, "\n");
    }
    if (f && w && strncmp(found, "--", 2) == 0 && strncmp(wanted, "--", 2) == 0) {
        const bool more = !has_word(wanted, found), less = !has_word(found, wanted);
        w = more ? 0 : w;
        f = less && !more ? 0 : f;
    }
    int rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a captured run %s'%.*s'%s%.*s%s",
                            r->path, f ? "of " : "without ", (int)(f ? f : w), f ? found : wanted,
                            f && w ? ", expected '"
                            : f    ? ", expected one without it"
                                   : "",
                            (int)(f ? w : 0), wanted, f && w ? "'" : "");
    free(whole);
    return rc;
}

static int read_all(struct htmt__reply_reader *r, const char *text, size_t length,
                    const char *about, struct htmt_fault *fault)
{
    struct rest rest = {(const uint8_t *)text, (const uint8_t *)text + length};
    struct trailer t;
    uint32_t line[2];
    const uint8_t *at = take(&rest, sizeof head);
    if (!at || memcmp(at, head, sizeof head) != 0)
        return refuse(r, "found another kind of file, or another version", fault);
    if (!(at = take(&rest, sizeof line)))
        return refuse(r, "found a file that is cut off", fault);
    memcpy(line, at, sizeof line);
    const size_t bytes = le32toh(line[0]);
    if (!(at = take(&rest, bytes)))
        return refuse(r, "found a file that is cut off", fault);
    if (bytes > ABOUT_MOST || libdeflate_crc32(0, at, bytes) != le32toh(line[1]))
        return refuse(r, "found a damaged description", fault);
    if (about && (bytes != strlen(about) || memcmp(at, about, bytes) != 0))
        return refuse_about(r, (const char *)at, bytes, about, fault);
    int rc = read_blocks(r, &rest, fault);
    if (rc)
        return rc;
    if (rest.end - rest.at != sizeof t)
        return refuse(r, "found a file that is cut off", fault);
    memcpy(&t, rest.at, sizeof t);
    if (memcmp(t.magic, tail, sizeof tail) != 0 || t.crc != crc_of(&t) ||
        (t.complement && t.complement != complement_of(t.crc)) || le64toh(t.replies) != r->places ||
        le64toh(t.kept) != r->kept_length)
        return refuse(r, "found a damaged end", fault);
    r->end = (struct htmt__reply_end){le64toh(t.plan), le64toh(t.machine), le64toh(t.predicted),
                                      le64toh(t.history), t.complement != 0};
    return 0;
}

int htmt__reply_reader_open(struct htmt__reply_reader **reader, const char *path, const char *about,
                            struct htmt_fault *fault)
{
    char *text;
    size_t length;
    *reader = NULL;
    int rc = htmt_input_read(path, HTMT_INPUT_DATA, &text, &length, fault);
    if (rc)
        return rc;
    struct htmt__reply_reader *r = *reader = calloc(1, sizeof *r);
    rc = r && (r->path = strdup(path)) ? read_all(r, text, length, about, fault)
                                       : no_memory(path, fault);
    free(text);
    if (rc)
        htmt__reply_reader_destroy(reader);
    return rc;
}

void htmt__reply_reader_destroy(struct htmt__reply_reader **reader)
{
    struct htmt__reply_reader *r = *reader;
    *reader = NULL;
    if (!r)
        return;
    free(r->place);
    free(r->bytes);
    free(r->kept);
    free(r->table);
    free(r->path);
    free(r);
}

/* ---- replies --------------------------------------------------------------------------------- */

/* The slot of the key, or the free one for it. Services of one item have equal replies. */
static uint32_t *slot_of(const struct htmt__reply_reader *r, uint64_t key)
{
    size_t i = (size_t)key & (r->slots - 1);
    while (r->table[i] && r->place[r->table[i] - 1].key != key)
        i = (i + 1) & (r->slots - 1);
    return &r->table[i];
}

/* At most half of the slots are taken. */
static bool make_table(struct htmt__reply_reader *r)
{
    for (r->slots = 16; r->slots < 2 * r->places;)
        r->slots *= 2;
    r->table = r->places < UINT32_MAX ? calloc(r->slots, sizeof *r->table) : NULL;
    for (size_t i = 0; r->table && i < r->places; i++) {
        uint32_t *slot = slot_of(r, r->place[i].key);
        *slot = *slot ? *slot : (uint32_t)i + 1;
    }
    return r->table != NULL;
}

static struct place *place_of(struct htmt__reply_reader *r, uint64_t key)
{
    if (r->next < r->places && r->place[r->next].key == key)
        return &r->place[r->next++];
    if (!r->table && !make_table(r))
        return NULL;
    const uint32_t found = *slot_of(r, key);
    if (!found)
        return NULL;
    r->next = found;
    return &r->place[found - 1];
}

bool htmt__reply_find(struct htmt__reply_reader *r, uint64_t key, struct htmt_ops *ops,
                      void *result, size_t bytes)
{
    struct place *p = place_of(r, key);
    if (!p)
        return false;
    p->taken = true;
    const uint8_t *at = r->bytes + p->at, *end = r->bytes + r->length;
    const unsigned parts = *at++;
    uint64_t length;
    if (!(parts & HAS_OPS) != !ops || !(parts & HAS_RESULT) != !result)
        return false;
    for (unsigned i = 0; ops && i < HTMT_OP_CLASSES; i++) {
        ops->n[i] = 0;
        if (parts >> i & 1)
            (void)htmt__leb128_take(&at, end, &ops->n[i]); /* the file was passed once */
    }
    if (!result)
        return true;
    (void)htmt__leb128_take(&at, end, &length);
    if (length > bytes)
        return false;
    memcpy(result, at, length);
    memset((char *)result + length, 0, bytes - length);
    return true;
}

bool htmt__reply_kept(struct htmt__reply_reader *r, void *table, size_t bytes)
{
    uint64_t length;
    if (r->kept_length - r->kept_at < sizeof length)
        return false;
    memcpy(&length, r->kept + r->kept_at, sizeof length);
    if (le64toh(length) != bytes || r->kept_length - r->kept_at - sizeof length < bytes)
        return false;
    memcpy(table, r->kept + r->kept_at + sizeof length, bytes);
    r->kept_at += sizeof length + bytes;
    return true;
}

bool htmt__reply_kept_all(const struct htmt__reply_reader *r)
{
    return r->kept_at == r->kept_length;
}

struct htmt__reply_end htmt__reply_end(const struct htmt__reply_reader *r)
{
    return r->end;
}

/* Of equal keys the table has the first. */
uint64_t htmt__reply_left(struct htmt__reply_reader *r)
{
    uint64_t left = 0;
    if (r->next == r->places && !r->table)
        return 0; /* one after another */
    if (!r->table && !make_table(r))
        return r->places;
    for (size_t i = 0; i < r->places; i++)
        if (r->place[i].taken)
            r->place[*slot_of(r, r->place[i].key) - 1].taken = true;
    for (size_t i = 0; i < r->places; i++)
        left += !r->place[*slot_of(r, r->place[i].key) - 1].taken;
    return left;
}
