/* SPDX-License-Identifier: BSD-3-Clause
 *
 * docs/trace-format.md describes the bytes.
 */
#include "parcels/observe/record_file.h"
#include "runtime/base/whole_file.h"

#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <isa-l.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

static const char head[8] = "HTMTTRC\1", tail[8] = "HTMTEND\1";

struct htmt__record_file {
    struct htmt_whole_file *whole;
    char *path;
    void *library; /* ISA-L: programs that write no trace start without it */
    __typeof__(&isal_deflate_stateless_init) begin_deflate;
    __typeof__(&isal_deflate_stateless) deflate;
    struct isal_zstream deflater;
    uint8_t *raw, *packed, *level; /* level: what the deflater works with */
    uint64_t offset, intervals;
    struct entry *entry;
    size_t entries, room;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

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

/* ISA-L leaves the upper halves of the vector registers in use. Later code without AVX, such as
 * that of a checker on the same thread, is then up to twice as slow. */
#ifdef __x86_64__
__attribute__((target("avx"))) static void clear_upper_halves(void)
{
    __builtin_ia32_vzeroupper();
}
#endif

static void leave_library(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx"))
        clear_upper_halves();
#endif
}

static uint32_t crc_of(const void *bytes, size_t count)
{
    return htole32(libdeflate_crc32(0, bytes, count));
}

/* What has no pattern becomes larger, by less. */
static size_t packed_most(size_t bytes)
{
    return bytes + bytes / 1024 + 256;
}

/* Returns the bytes of *into. */
static size_t deflate(struct htmt__record_file *f, const void *from, size_t bytes, uint8_t *into)
{
    struct isal_zstream *z = &f->deflater;
    f->begin_deflate(z);
    z->level = 1;
    z->level_buf = f->level;
    z->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    z->gzip_flag = IGZIP_ZLIB;
    z->end_of_stream = 1;
    z->next_in = (uint8_t *)from;
    z->avail_in = (uint32_t)bytes;
    z->next_out = into;
    z->avail_out = (uint32_t)packed_most(bytes);
    bool done = f->deflate(z) == COMP_OK;
    leave_library();
    return done ? z->total_out : 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void release(struct htmt__record_file **file)
{
    struct htmt__record_file *f = *file;
    htmt_whole_file_abandon(&f->whole);
    if (f->library)
        dlclose(f->library);
    free(f->entry);
    free(f->level);
    free(f->packed);
    free(f->raw);
    free(f->path);
    free(f);
    *file = NULL;
}

static int allocate(struct htmt__record_file *f, const char *path, size_t most)
{
    f->path = strdup(path);
    f->raw = malloc(most);
    f->packed = malloc(packed_most(most));
    f->level = malloc(ISAL_DEF_LVL1_DEFAULT);
    return f->path && f->raw && f->packed && f->level ? 0 : HTMT_ENOMEM;
}

/* The one whose header is included above. */
#define LIBRARY "libisal.so.2"

static int load(struct htmt__record_file *f, struct htmt_fault *fault)
{
    f->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (f->library) {
        f->begin_deflate = __extension__(__typeof__(f->begin_deflate))
            dlsym(f->library, "isal_deflate_stateless_init");
        f->deflate =
            __extension__(__typeof__(f->deflate)) dlsym(f->library, "isal_deflate_stateless");
    }
    if (f->begin_deflate && f->deflate)
        return 0;
    const char *why = dlerror();
    return htmt_fault_set(fault, HTMT_EIO, "%s: cannot deflate the trace: %s", f->path,
                          why ? why : LIBRARY " has another version");
}

int htmt__record_file_open(struct htmt__record_file **file, const char *path, size_t most,
                           struct htmt_fault *fault)
{
    struct htmt__record_file *f = calloc(1, sizeof *f);
    if (!f)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no host memory for the trace", path);
    int rc = allocate(f, path, most);
    if (rc)
        no_memory(f, fault);
    if (!rc)
        rc = load(f, fault);
    if (!rc)
        rc = htmt_whole_file_open(path, &f->whole, fault);
    if (!rc)
        rc = write_bytes(f, head, sizeof head, fault);
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

uint8_t *htmt__record_file_buffer(struct htmt__record_file *f)
{
    return f->raw;
}

uint64_t htmt__record_file_intervals(const struct htmt__record_file *f)
{
    return f->intervals;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool room_for_entry(struct htmt__record_file *f)
{
    if (f->entries < f->room)
        return true;
    size_t room = f->room ? 2 * f->room : 64;
    struct entry *more = realloc(f->entry, room * sizeof *more);
    if (!more)
        return false;
    f->entry = more;
    f->room = room;
    return true;
}

int htmt__record_file_add(struct htmt__record_file *f, struct htmt__record_entry e, size_t bytes,
                          struct htmt_fault *fault)
{
    if (!room_for_entry(f))
        return no_memory(f, fault);
    size_t packed = deflate(f, f->raw, bytes, f->packed);
    f->entry[f->entries++] = (struct entry){.offset = htole64(f->offset),
                                            .bytes = htole32((uint32_t)packed),
                                            .raw_bytes = htole32((uint32_t)bytes),
                                            .crc = crc_of(f->packed, packed),
                                            .slice = htole32(e.slice),
                                            .first = htole64(e.first),
                                            .intervals = htole32(e.intervals),
                                            .samples = htole32(e.samples),
                                            .from = htole64((uint64_t)e.from),
                                            .to = htole64((uint64_t)e.to)};
    f->intervals += e.intervals;
    return write_bytes(f, f->packed, packed, fault);
}

/* ---- the end --------------------------------------------------------------------------------- */

static int write_footer(struct htmt__record_file *f, const char *footer, struct trailer *t,
                        struct htmt_fault *fault)
{
    size_t bytes = strlen(footer);
    uint8_t *packed = malloc(packed_most(bytes));
    if (!packed)
        return no_memory(f, fault);
    size_t count = deflate(f, footer, bytes, packed);
    t->footer = htole64(f->offset);
    t->bytes = htole32((uint32_t)count);
    t->raw_bytes = htole32((uint32_t)bytes);
    t->footer_crc = crc_of(packed, count);
    int rc = write_bytes(f, packed, count, fault);
    free(packed);
    return rc;
}

static int write_end(struct htmt__record_file *f, const char *footer, struct htmt_fault *fault)
{
    const size_t index = f->entries * sizeof *f->entry;
    struct trailer t = {.index = htole64(f->offset),
                        .blocks = htole64(f->entries),
                        .index_crc = crc_of(f->entry, index)};
    memcpy(t.magic, tail, sizeof tail);
    int rc = index ? write_bytes(f, f->entry, index, fault) : 0;
    if (!rc)
        rc = write_footer(f, footer, &t, fault);
    return rc ? rc : write_bytes(f, &t, sizeof t, fault);
}

int htmt__record_file_commit(struct htmt__record_file **file, const char *footer,
                             struct htmt_fault *fault)
{
    struct htmt__record_file *f = *file;
    int rc = write_end(f, footer, fault);
    if (!rc)
        rc = htmt_whole_file_commit(&f->whole, fault);
    release(file);
    return rc;
}
