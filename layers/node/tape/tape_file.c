/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of tapes: a head of 64-bit words, the program's tables and names, regions, entries, and a
 * hash of all of that. The head says how many there are of each, so that a file that was cut off is
 * known by its size before anything is read, and no number of the file is trusted as the size of an
 * allocation that its own bytes do not fill.
 */
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
#define VERSION 7u

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
    if (!count)
        return;
    o->hash = htmt__tape_hash(o->hash, bytes, count);
    fwrite(bytes, 1, count, o->stream);
}

int htmt__tape_save(const struct htmt__tape *tape, const char *path, char *error, size_t size)
{
    const struct htmt__tape_program *program = htmt__tape_program(tape);
    const struct htmt__tape_region *regions;
    struct head h = {.magic = MAGIC,
                     .version = VERSION,
                     .has_program = program != NULL,
                     .regions = htmt__tape_regions(tape, &regions),
                     .entries = htmt__tape_entries(tape)};
    struct htmt_whole_file *file = NULL;
    struct htmt_fault fault = {0};
    const uint64_t *chunk;
    uint32_t *tables = NULL;
    size_t n = 0;
    int rc = htmt_whole_file_open(path, &file, &fault);
    if (rc)
        return told(rc, &fault, error, size);
    if (program) {
        h.n = htmt__tape_count(program);
        h.build = htmt__tape_build(program);
        memcpy(h.name, program->name, sizeof h.name);
        if (!(tables = calloc(1, table_bytes(&h) + 1))) {
            htmt_whole_file_abandon(&file);
            return told(HTMT_ENOMEM, &fault, error, size);
        }
        htmt__tape_pack(program, tables, (char *)(tables + htmt__tape_words(&h.n)));
    }
    struct output o = {.stream = htmt_whole_file_stream(file), .hash = HTMT__HASH_BASIS};
    put(&o, &h, sizeof h);
    put(&o, tables, table_bytes(&h));
    put(&o, regions, h.regions * sizeof *regions);
    for (size_t i = 0; (chunk = htmt__tape_chunk(tape, i, &n)); i++)
        put(&o, chunk, n * sizeof *chunk);
    fwrite(&o.hash, sizeof o.hash, 1, o.stream);
    free(tables);
    return told(htmt_whole_file_commit(&file, &fault), &fault, error, size);
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

/* Its numbers must say the size that the file has. */
static int get_head(struct input *in, struct head *h, uint64_t build)
{
    struct stat s;
    if (fstat(fileno(in->stream), &s))
        return htmt_input_failed(in->path, "look at it", errno, in->fault);
    in->bytes = (uint64_t)s.st_size;
    if (in->bytes < sizeof *h)
        return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: no tape of operations", in->path);
    const int rc = get(in, h, sizeof *h);
    if (rc)
        return rc;
    /* All of the file, with the hash at its end; 0: no file is so large. */
    const uint64_t most = UINT64_C(1) << 40;
    const bool fits =
        h->regions <= most / sizeof(struct htmt__tape_region) && h->entries <= most / 8;
    const uint64_t want = fits ? sizeof *h + table_bytes(h) +
                                     h->regions * sizeof(struct htmt__tape_region) +
                                     (h->entries + 1) * sizeof(uint64_t)
                               : 0;
    if (h->magic != MAGIC)
        return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: no tape of operations", in->path);
    if (h->version != VERSION)
        return htmt_fault_set(in->fault, HTMT_EFORMAT,
                              "%s: a tape of version %" PRIu64 ", expected version %u", in->path,
                              h->version, VERSION);
    if (h->n.text % 8 || !want || h->name[sizeof h->name - 1])
        return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: its head is damaged", in->path);
    if (in->bytes != want)
        return htmt_fault_set(in->fault, HTMT_EFORMAT,
                              "%s: found %" PRIu64 " bytes, expected %" PRIu64 "%s", in->path,
                              in->bytes, want, in->bytes < want ? ": it is cut off" : "");
    if (build && h->build != build)
        return htmt_fault_set(in->fault, HTMT_EFORMAT,
                              "%s: a tape of program %016" PRIx64 ", expected program %016" PRIx64,
                              in->path, h->build, build);
    return 0;
}

static int get_tables(struct input *in, struct htmt__tape *t, const struct head *h)
{
    if (!h->has_program)
        return 0;
    struct htmt__tape_program *p = NULL;
    uint32_t *words = malloc(table_bytes(h) + 1);
    if (!words)
        return HTMT_ENOMEM;
    const char *text = (const char *)(words + htmt__tape_words(&h->n)), *wrong = NULL;
    int rc = get(in, words, table_bytes(h));
    if (!rc && h->n.text && text[h->n.text - 1])
        rc = htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: a name has no end", in->path);
    if (!rc && !(p = htmt__tape_unpack(&h->n, words, text)))
        rc = HTMT_ENOMEM;
    if (!rc && (wrong = htmt__tape_check(p)))
        rc = htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: %s", in->path, wrong);
    if (!rc) {
        memcpy(p->name, h->name, sizeof p->name);
        rc = htmt__tape_keep_program(t, p);
    }
    free(p);
    free(words);
    return rc;
}

/* Chunk by chunk. What an entry names must be there, so who reads a tape need not look again. */
static int get_entries(struct input *in, struct htmt__tape *t, uint64_t count)
{
    const struct htmt__tape_program *program = htmt__tape_program(t);
    uint64_t *chunk = malloc(HTMT__TAPE_CHUNK * sizeof *chunk);
    int rc = chunk ? 0 : HTMT_ENOMEM;
    for (uint64_t at = 0; at < count && !rc;) {
        const uint64_t left = count - at;
        const size_t n = left < HTMT__TAPE_CHUNK ? (size_t)left : HTMT__TAPE_CHUNK;
        rc = get(in, chunk, n * sizeof *chunk);
        for (size_t i = 0; i < n && !rc; i++, at++) {
            const enum htmt__tape_kind kind = htmt__tape_kind(chunk[i]);
            const uint64_t address = htmt__tape_address(chunk[i]);
            const char *wrong = NULL;
            if (kind >= HTMT__TAPE_KINDS)
                wrong = "an entry of an unknown kind";
            else if (kind == HTMT__TAPE_OP && (htmt__tape_width(chunk[i]) >= HTMT_OPERATIONS ||
                                               (address & 255) >= HTMT_OPERAND_TYPES))
                wrong = "an unknown operation";
            else if (kind == HTMT__TAPE_BLOCK && (!program || address >= program->block_count))
                wrong = "a block beyond those of the program";
            if (wrong)
                rc = htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: entry %" PRIu64 ": found %s",
                                    in->path, at, wrong);
        }
        if (!rc)
            rc = htmt__tape_append(t, chunk, n);
    }
    free(chunk);
    return rc;
}

int htmt__tape_load(struct htmt__tape **tape, const char *path, uint64_t build, char *error,
                    size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__tape *t = NULL;
    struct head h = {0};
    uint64_t want = 0;
    struct input in = {.path = path, .hash = HTMT__HASH_BASIS, .fault = &fault};
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &in.stream, &fault);
    if (rc)
        return told(rc, &fault, error, size);
    rc = htmt__tape_new(&t, NULL);
    if (!rc)
        rc = get_head(&in, &h, build);
    if (!rc)
        rc = get_tables(&in, t, &h);
    for (uint64_t i = 0; i < h.regions && !rc; i++) {
        struct htmt__tape_region r;
        rc = get(&in, &r, sizeof r);
        r.name[sizeof r.name - 1] = '\0';
        if (!rc)
            rc = htmt__tape_add_region(t, &r);
    }
    if (!rc)
        rc = get_entries(&in, t, h.entries);
    const uint64_t found = in.hash;
    if (!rc)
        rc = get(&in, &want, sizeof want);
    if (!rc && found != want)
        rc = htmt_fault_set(&fault, HTMT_EFORMAT, "%s: its content is damaged", path);
    fclose(in.stream);
    if (rc)
        htmt__tape_free(t);
    else
        *tape = t;
    return told(rc, &fault, error, size);
}
