/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of tapes: a head of 64-bit words, the program's tables and names, regions, entries, and a
 * hash of all of that.
 */
#include "layers/node/tape/tape_parts.h"
#include "layers/node/tape/tape_tables.h"
#include "runtime/base/fnv.h"
#include "runtime/base/input.h"
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC   UINT64_C(0x65706174746d7468) /* "htmttape", least significant byte first */
#define VERSION 3u

/* The numbers of tables are those of struct htmt__tape_counts, the program's if it has one. */
struct head {
    uint64_t magic, version, build, has_program;
    char name[8]; /* the program's */
    struct htmt__tape_counts n;
    uint64_t regions, entries;
};

static uint64_t table_bytes(const struct head *h)
{
    return h->has_program ? htmt__tape_words(&h->n) * sizeof(uint32_t) + h->n.text : 0;
}

/* All of the file, but for the hash at its end; 0: no file is so large. */
static uint64_t content_bytes(const struct head *h)
{
    const uint64_t most = UINT64_C(1) << 40;
    if (h->regions > most / sizeof(struct htmt__tape_region) || h->entries > most / 8)
        return 0;
    return sizeof *h + table_bytes(h) + h->regions * sizeof(struct htmt__tape_region) +
           h->entries * sizeof(uint64_t);
}

static int told(int rc, const struct htmt_fault *fault, char *error, size_t size)
{
    if (rc)
        snprintf(error, size, "%s", *fault->text ? fault->text : htmt_strerror(rc));
    return rc;
}

/* ---- save ------------------------------------------------------------------------------------ */

struct output {
    FILE *stream;
    uint64_t hash;
};

static void put(struct output *o, const void *bytes, uint64_t count)
{
    o->hash = htmt__tape_hash(o->hash, bytes, count);
    fwrite(bytes, 1, count, o->stream);
}

static int put_tables(struct output *o, const struct head *h,
                      const struct htmt__tape_program *program)
{
    const uint64_t words = htmt__tape_words(&h->n), bytes = table_bytes(h);
    if (!program)
        return 0;
    uint32_t *all = calloc(1, bytes + 1);
    if (!all)
        return HTMT_ENOMEM;
    htmt__tape_pack(program, all, (char *)(all + words));
    put(o, all, bytes);
    free(all);
    return 0;
}

static struct head head_of(const struct htmt__tape *t)
{
    struct head h = {.magic = MAGIC,
                     .version = VERSION,
                     .has_program = t->program != NULL,
                     .regions = t->regions,
                     .entries = t->entries};
    if (t->program) {
        h.n = htmt__tape_count(t->program);
        h.build = htmt__tape_build(t->program);
        memcpy(h.name, t->program->name, sizeof h.name);
    }
    return h;
}

static int put_all(struct output *o, const struct htmt__tape *t)
{
    const struct head h = head_of(t);
    put(o, &h, sizeof h);
    int rc = put_tables(o, &h, t->program);
    put(o, t->region, t->regions * sizeof *t->region);
    size_t n = 0;
    for (size_t i = 0; i < t->chunks; i++) {
        const uint64_t *chunk = htmt__tape_chunk(t, i, &n);
        put(o, chunk, n * sizeof *chunk);
    }
    fwrite(&o->hash, sizeof o->hash, 1, o->stream);
    return rc;
}

int htmt__tape_save(const struct htmt__tape *tape, const char *path, char *error, size_t size)
{
    struct htmt_whole_file *file = NULL;
    struct htmt_fault fault = {0};
    int rc = htmt_whole_file_open(path, &file, &fault);
    if (rc)
        return told(rc, &fault, error, size);
    struct output o = {.stream = htmt_whole_file_stream(file), .hash = HTMT__HASH_BASIS};
    rc = put_all(&o, tape);
    if (rc)
        htmt_whole_file_abandon(&file);
    else
        rc = htmt_whole_file_commit(&file, &fault);
    return told(rc, &fault, error, size);
}

/* ---- load ------------------------------------------------------------------------------------ */

struct input {
    FILE *stream;
    const char *path;
    uint64_t hash, bytes;
    struct htmt_fault *fault;
};

static int get(struct input *in, void *bytes, uint64_t count)
{
    if (fread(bytes, 1, count, in->stream) != count)
        return htmt_fault_set(in->fault, HTMT_EIO, "%s: cannot read it", in->path);
    in->hash = htmt__tape_hash(in->hash, bytes, count);
    return 0;
}

static int measure(struct input *in)
{
    struct stat s;
    if (fstat(fileno(in->stream), &s))
        return htmt_input_failed(in->path, "look at it", errno, in->fault);
    in->bytes = (uint64_t)s.st_size;
    return 0;
}

static int check_head(struct input *in, const struct head *h)
{
    const uint64_t want = content_bytes(h) + sizeof(uint64_t);
    if (h->magic != MAGIC)
        return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: no tape of operations", in->path);
    if (h->version != VERSION)
        return htmt_fault_set(in->fault, HTMT_EFORMAT,
                              "%s: a tape of version %" PRIu64 ", expected version %u", in->path,
                              h->version, VERSION);
    if (h->n.text % 8 || want <= sizeof(uint64_t) || h->name[sizeof h->name - 1])
        return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: its head is damaged", in->path);
    if (in->bytes != want)
        return htmt_fault_set(in->fault, HTMT_EFORMAT,
                              "%s: found %" PRIu64 " bytes, expected %" PRIu64 "%s", in->path,
                              in->bytes, want, in->bytes < want ? ": it is cut off" : "");
    return 0;
}

static int get_head(struct input *in, struct head *h)
{
    int rc = measure(in);
    if (!rc && in->bytes < sizeof *h)
        rc = htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: no tape of operations", in->path);
    if (!rc)
        rc = get(in, h, sizeof *h);
    return rc ? rc : check_head(in, h);
}

static int check_build(struct input *in, const struct head *h, uint64_t build)
{
    if (!build || h->build == build)
        return 0;
    return htmt_fault_set(in->fault, HTMT_EFORMAT,
                          "%s: a tape of program %016" PRIx64 ", expected program %016" PRIx64,
                          in->path, h->build, build);
}

static int keep_tables(struct input *in, struct htmt__tape *t, const struct head *h,
                       const uint32_t *words)
{
    const char *text = (const char *)(words + htmt__tape_words(&h->n));
    struct htmt__tape_program *p = NULL;
    if (h->n.text && text[h->n.text - 1])
        return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: a name has no end", in->path);
    t->tables = p = htmt__tape_unpack(&h->n, words, text);
    t->program = p;
    if (!p)
        return HTMT_ENOMEM;
    memcpy(p->name, h->name, sizeof p->name);
    const char *wrong = htmt__tape_check(p);
    return wrong ? htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: %s", in->path, wrong) : 0;
}

static int get_tables(struct input *in, struct htmt__tape *t, const struct head *h)
{
    if (!h->has_program)
        return 0;
    uint32_t *words = malloc(table_bytes(h) + 1);
    if (!words)
        return HTMT_ENOMEM;
    int rc = get(in, words, table_bytes(h));
    if (!rc)
        rc = keep_tables(in, t, h, words);
    free(words);
    return rc;
}

static int get_regions(struct input *in, struct htmt__tape *t, uint64_t n)
{
    int rc = 0;
    for (uint64_t i = 0; i < n && !rc; i++) {
        struct htmt__tape_region r;
        rc = get(in, &r, sizeof r);
        r.name[sizeof r.name - 1] = '\0';
        if (!rc)
            rc = htmt__tape_add_region(t, &r);
    }
    return rc;
}

static const char *wrong_entry(const struct htmt__tape *t, uint64_t entry)
{
    const enum htmt__tape_kind kind = htmt__tape_kind(entry);
    const uint64_t address = htmt__tape_address(entry);
    if (kind >= HTMT__TAPE_KINDS)
        return "an entry of an unknown kind";
    if (kind == HTMT__TAPE_OP &&
        (htmt__tape_width(entry) >= HTMT_OPERATIONS || (address & 255) >= HTMT_OPERAND_TYPES))
        return "an unknown operation";
    if (kind == HTMT__TAPE_BLOCK && (!t->program || address >= t->program->block_count))
        return "a block beyond those of the program";
    return NULL;
}

static int check_chunk(struct input *in, struct htmt__tape *t, const uint64_t *chunk, size_t n,
                       uint64_t *at)
{
    for (size_t i = 0; i < n; i++, (*at)++) {
        const char *wrong = wrong_entry(t, chunk[i]);
        if (wrong)
            return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: entry %" PRIu64 ": found %s",
                                  in->path, *at, wrong);
    }
    return 0;
}

static int get_entries(struct input *in, struct htmt__tape *t, uint64_t left)
{
    uint64_t *chunk = malloc(HTMT__TAPE_CHUNK * sizeof *chunk);
    uint64_t at = 0;
    int rc = chunk ? 0 : HTMT_ENOMEM;
    while (left && !rc) {
        const size_t n = left < HTMT__TAPE_CHUNK ? (size_t)left : HTMT__TAPE_CHUNK;
        rc = get(in, chunk, n * sizeof *chunk);
        if (!rc)
            rc = check_chunk(in, t, chunk, n, &at);
        if (!rc)
            rc = htmt__tape_append(t, chunk, n);
        left -= n;
    }
    free(chunk);
    return rc;
}

static int get_hash(struct input *in)
{
    const uint64_t found = in->hash;
    uint64_t want = 0;
    int rc = get(in, &want, sizeof want);
    if (!rc && found != want)
        rc = htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: its content is damaged", in->path);
    return rc;
}

static int get_all(struct input *in, struct htmt__tape *t, uint64_t build)
{
    struct head h;
    int rc = get_head(in, &h);
    if (!rc)
        rc = check_build(in, &h, build);
    if (!rc)
        rc = get_tables(in, t, &h);
    if (!rc)
        rc = get_regions(in, t, h.regions);
    if (!rc)
        rc = get_entries(in, t, h.entries);
    return rc ? rc : get_hash(in);
}

int htmt__tape_load(struct htmt__tape **tape, const char *path, uint64_t build, char *error,
                    size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__tape *t = NULL;
    struct input in = {.path = path, .hash = HTMT__HASH_BASIS, .fault = &fault};
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &in.stream, &fault);
    if (rc)
        return told(rc, &fault, error, size);
    rc = htmt__tape_new(&t, NULL);
    if (!rc)
        rc = get_all(&in, t, build);
    fclose(in.stream);
    if (rc)
        htmt__tape_free(t);
    else
        *tape = t;
    return told(rc, &fault, error, size);
}
