/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file is written front to back, once: magic, blocks, runs of ports, index, footer, trailer.
 * The index is in memory until then, 64 bytes a block of up to 65,536 intervals. Streams are
 * deflated at the fastest level, at which columns of differences shrink to a third or less. The
 * file appears in its place when it is complete, or not at all. docs/trace-format.md describes the
 * bytes; all numbers are little-endian.
 */
#define _GNU_SOURCE /* asprintf */
#include "parcels/observe/record_file.h"
#include "runtime/base/array.h"
#include "runtime/base/temporary.h"
#include "runtime/base/whole_file.h"

#include <endian.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVEL 1 /* the fastest one that makes the bytes fewer */

struct entry {
    uint64_t offset;
    uint32_t bytes, raw_bytes, crc, slice;
    uint64_t first;
    uint32_t intervals, samples;
    uint64_t from, to, zero;
};
_Static_assert(sizeof(struct entry) == 64, "an entry of the index has 64 bytes");

struct trailer {
    uint64_t index, blocks, footer;
    uint32_t bytes, raw_bytes, index_crc, footer_crc;
    char magic[8];
};
_Static_assert(sizeof(struct trailer) == 48, "the trailer has 48 bytes");

#define LETTERS 7u /* then the version */
static const char head[] = "HTMTTRC", tail[] = "HTMTEND";

struct htmt__record_file {
    struct htmt_whole_file *whole;
    char *path;
    uint8_t version;
    struct htmt__record_packer *packer;
    uint64_t offset, intervals;
    struct entry *entry;
    size_t entries, room;
};

struct htmt__record_packer {
    struct libdeflate_compressor *deflater;
    uint8_t *raw, *packed;
};

/* ---- packing --------------------------------------------------------------------------------- */

int htmt__record_packer_create(struct htmt__record_packer **packer, size_t most)
{
    struct htmt__record_packer *p = *packer = calloc(1, sizeof *p);
    if (!p)
        return HTMT_ENOMEM;
    p->raw = malloc(most);
    p->packed = malloc(htmt__record_packed_most(most));
    p->deflater = libdeflate_alloc_compressor(LEVEL);
    if (p->raw && p->packed && p->deflater)
        return 0;
    htmt__record_packer_destroy(packer);
    return HTMT_ENOMEM;
}

void htmt__record_packer_destroy(struct htmt__record_packer **packer)
{
    struct htmt__record_packer *p = *packer;
    *packer = NULL;
    if (!p)
        return;
    libdeflate_free_compressor(p->deflater);
    free(p->packed);
    free(p->raw);
    free(p);
}

size_t htmt__record_packed_most(size_t bytes)
{
    return libdeflate_zlib_compress_bound(NULL, bytes);
}

uint32_t htmt__record_crc(const void *bytes, size_t count)
{
    return htole32(libdeflate_crc32(0, bytes, count));
}

size_t htmt__record_pack_bytes(struct htmt__record_packer *p, const void *from, size_t bytes,
                               uint8_t *into)
{
    return libdeflate_zlib_compress(p->deflater, from, bytes, into,
                                    htmt__record_packed_most(bytes));
}

uint8_t *htmt__record_packer_buffer(struct htmt__record_packer *p)
{
    return p->raw;
}

struct htmt__record_packed htmt__record_pack(struct htmt__record_packer *p, size_t bytes)
{
    size_t count = htmt__record_pack_bytes(p, p->raw, bytes, p->packed);
    return (struct htmt__record_packed){.at = p->packed,
                                        .bytes = count,
                                        .raw_bytes = bytes,
                                        .crc = htmt__record_crc(p->packed, count)};
}

/* ---- the file -------------------------------------------------------------------------------- */

static int no_memory(const struct htmt__record_file *f, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no host memory for the trace", f->path);
}

static int write_bytes(struct htmt__record_file *f, const void *bytes, size_t count,
                       struct htmt_fault *fault)
{
    errno = 0;
    f->offset += count;
    if (fwrite(bytes, 1, count, htmt_whole_file_stream(f->whole)) == count)
        return 0;
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot write: %s", f->path, strerror(errno));
}

static void release(struct htmt__record_file **file)
{
    struct htmt__record_file *f = *file;
    htmt_whole_file_abandon(&f->whole);
    htmt__record_packer_destroy(&f->packer);
    free(f->entry);
    free(f->path);
    free(f);
    *file = NULL;
}

/* The later one would replace the earlier one, whole as both are. */
static int refuse_second(const char *path, struct htmt_fault *fault)
{
    char *target = NULL, *begin = NULL;
    int rc = htmt_whole_file_target(path, &target, fault);
    if (!rc && asprintf(&begin, "%s.%ld-", target, (long)getpid()) < 0)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no host memory for the trace", path);
    if (!rc && htmt__temporary_is_listed(begin))
        rc = htmt_fault_set(fault, HTMT_EINVAL,
                            "%s: found another recording of this process under way, expected a "
                            "file of its own",
                            path);
    free(begin);
    free(target);
    return rc;
}

int htmt__record_file_open(struct htmt__record_file **file, const char *path, uint8_t version,
                           size_t most, struct htmt_fault *fault)
{
    struct htmt__record_file *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no host memory for the trace", path);
    }
    f->version = version;
    int rc = htmt__record_packer_create(&f->packer, most) ? no_memory(f, fault) : 0;
    rc = rc ? rc : refuse_second(path, fault);
    if (!rc)
        rc = htmt_whole_file_open(path, &f->whole, fault);
    if (!rc)
        rc = write_bytes(f, head, LETTERS, fault);
    if (!rc)
        rc = write_bytes(f, &f->version, 1, fault);
    if (rc)
        release(&f);
    *file = f;
    return rc;
}

void htmt__record_file_abandon(struct htmt__record_file **file)
{
    if (*file)
        release(file);
}

struct htmt__record_packer *htmt__record_file_packer(const struct htmt__record_file *f)
{
    return f->packer;
}

uint64_t htmt__record_file_intervals(const struct htmt__record_file *f)
{
    return f->intervals;
}

int htmt__record_file_add(struct htmt__record_file *f, struct htmt__record_entry e,
                          const struct htmt__record_packed *packed, struct htmt_fault *fault)
{
    if (!htmt__array_fits(&f->entry, &f->room, f->entries + 1, sizeof *f->entry))
        return no_memory(f, fault);
    f->entry[f->entries++] = (struct entry){.offset = htole64(f->offset),
                                            .bytes = htole32((uint32_t)packed->bytes),
                                            .raw_bytes = htole32((uint32_t)packed->raw_bytes),
                                            .crc = packed->crc,
                                            .slice = htole32(e.slice),
                                            .first = htole64(e.first),
                                            .intervals = htole32(e.intervals),
                                            .samples = htole32(e.samples),
                                            .from = htole64((uint64_t)e.from),
                                            .to = htole64((uint64_t)e.to)};
    f->intervals += e.intervals;
    return write_bytes(f, packed->at, packed->bytes, fault);
}

int htmt__record_file_append(struct htmt__record_file *f, const void *bytes, size_t count,
                             struct htmt_fault *fault)
{
    return write_bytes(f, bytes, count, fault);
}

uint64_t htmt__record_file_size(const struct htmt__record_file *f)
{
    return f->offset;
}

int htmt__record_file_commit(struct htmt__record_file **file, const char *footer,
                             struct htmt_fault *fault)
{
    struct htmt__record_file *f = *file;
    const size_t index = f->entries * sizeof *f->entry, raw = strlen(footer);
    struct trailer t = {.index = htole64(f->offset),
                        .blocks = htole64(f->entries),
                        .raw_bytes = htole32((uint32_t)raw),
                        .index_crc = htmt__record_crc(f->entry, index)};
    memcpy(t.magic, tail, LETTERS);
    t.magic[LETTERS] = (char)f->version;
    uint8_t *packed = NULL;
    int rc = index ? write_bytes(f, f->entry, index, fault) : 0;
    if (!rc && !(packed = malloc(htmt__record_packed_most(raw))))
        rc = no_memory(f, fault);
    if (!rc) {
        size_t count = htmt__record_pack_bytes(f->packer, footer, raw, packed);
        t.footer = htole64(f->offset);
        t.bytes = htole32((uint32_t)count);
        t.footer_crc = htmt__record_crc(packed, count);
        rc = write_bytes(f, packed, count, fault);
    }
    free(packed);
    if (!rc)
        rc = write_bytes(f, &t, sizeof t, fault);
    if (!rc)
        rc = htmt_whole_file_commit(&f->whole, fault);
    release(file);
    return rc;
}
