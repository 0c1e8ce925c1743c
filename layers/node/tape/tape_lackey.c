/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces of Valgrind's lackey, --trace-mem=yes: "I  ADDRESS,SIZE", " L ...", " S ..." and " M ..."
 * (a load and a store at one place). Other lines are Valgrind's own or the program's.
 */
#include "layers/node/tape/tape.h"
#include "runtime/base/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lines {
    const char *path;
    uint64_t line, found;
    struct htmt__tape_writer writer;
    struct htmt_fault *fault;
};

static int wrong(struct lines *l, const char *text)
{
    return htmt_fault_set(l->fault, HTMT_EFORMAT,
                          "%s:%llu: found '%.40s', expected ADDRESS,SIZE in hexadecimal and "
                          "decimal digits, a size from 1 to 255",
                          l->path, (unsigned long long)l->line, text);
}

static void put(struct lines *l, enum htmt__tape_kind kind, unsigned width, uint64_t address)
{
    htmt__tape_put(&l->writer, htmt__tape_entry(kind, width, address));
    l->found++;
}

/* A kind in the first or second column, then a place. */
static int take_line(struct lines *l, const char *text)
{
    const bool fetch = strncmp(text, "I  ", 3) == 0;
    const bool access = text[0] == ' ' && text[1] && strchr("LSM", text[1]) && text[2] == ' ';
    const char kind = fetch ? 'I' : access ? text[1] : '\0', *place = text + 3;
    char *end;
    if (!kind)
        return 0;
    errno = 0;
    const uint64_t address = strtoull(place, &end, 16);
    if (end == place || errno || *end != ',' || address > HTMT__TAPE_ADDRESS)
        return wrong(l, place);
    const char *digits = end + 1;
    const unsigned long width = strtoul(digits, &end, 10);
    if (end == digits || errno || (*end && *end != '\n') || !width || width > 255)
        return wrong(l, place);
    if (kind == 'I')
        put(l, HTMT__TAPE_FETCH, (unsigned)width, address);
    if (kind == 'L' || kind == 'M')
        put(l, HTMT__TAPE_LOAD, (unsigned)width, address);
    if (kind == 'S' || kind == 'M')
        put(l, HTMT__TAPE_STORE, (unsigned)width, address);
    return l->writer.code;
}

static int take_file(struct lines *l, struct htmt__tape *tape)
{
    FILE *in = NULL;
    char *text = NULL;
    size_t room = 0;
    int rc = htmt_input_stream(l->path, HTMT_INPUT_DATA, &in, l->fault);
    if (rc)
        return rc;
    rc = htmt__tape_open(&l->writer, htmt__tape_append, tape);
    if (rc) {
        fclose(in);
        return rc;
    }
    while (!rc && getline(&text, &room, in) >= 0) {
        l->line++;
        text[strcspn(text, "\n")] = '\0';
        rc = take_line(l, text);
    }
    if (!rc && ferror(in))
        rc = htmt_input_failed(l->path, "read it", errno, l->fault);
    if (!rc && !l->found)
        rc = htmt_fault_set(l->fault, HTMT_EFORMAT,
                            "%s: found no access, expected lines of valgrind --tool=lackey "
                            "--trace-mem=yes",
                            l->path);
    free(text);
    put(l, HTMT__TAPE_END, 0, 0);
    const int ended = htmt__tape_close(&l->writer);
    fclose(in);
    return rc ? rc : ended;
}

int htmt__tape_load_lackey(struct htmt__tape **tape, const char *path, char *error, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__tape *t = NULL;
    struct lines l = {.path = path, .fault = &fault};
    int rc = htmt__tape_new(&t, NULL);
    if (!rc)
        rc = take_file(&l, t);
    if (rc) {
        htmt__tape_free(t);
        snprintf(error, size, "%s", *fault.text ? fault.text : htmt_strerror(rc));
        return rc;
    }
    *tape = t;
    return 0;
}
