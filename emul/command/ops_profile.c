/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops profile`: what the operations of a tape are like, as a file that one may edit.
 */
#include "emul/command/ops.h"
#include "layers/node/profile.h"
#include "layers/node/tape/tape_service.h"
#include "runtime/base/output.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *tape, *out, *kernel, *shape;
    uint64_t counts; /* of the services that are wanted; 0: of all */
};

static int read_counts(struct request *r, struct htmt_fault *fault)
{
    char *end = NULL;
    r->counts = r->shape ? strtoull(r->shape, &end, 10) : 0;
    if (!r->shape || (*r->shape >= '1' && *r->shape <= '9' && !*end))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--counts: found '%.40s', expected a number of operations", r->shape);
}

static int read_words(struct request *r, int argc, char **argv, struct htmt_fault *fault)
{
    for (int i = 1; i < argc; i++) {
        const char *out = htmt__ops_value("--out", argc, argv, &i);
        const char *kernel = out ? NULL : htmt__ops_value("--kernel", argc, argv, &i);
        const char *shape = out || kernel ? NULL : htmt__ops_value("--counts", argc, argv, &i);
        if (out)
            r->out = out;
        else if (kernel)
            r->kernel = kernel;
        else if (shape)
            r->shape = shape;
        else if (!r->tape && *argv[i] != '-')
            r->tape = argv[i];
        else
            return htmt_fault_set(fault, HTMT_EUSAGE, "usage: htmt ops %s",
                                  htmt__ops_profile.usage);
    }
    if (r->tape && r->out && *r->out)
        return read_counts(r, fault);
    return htmt_fault_set(fault, HTMT_EUSAGE, "usage: htmt ops %s", htmt__ops_profile.usage);
}

/* The name of a file, without its folder and what follows the first dot. */
static void name_of(const char *path, char *name, size_t room)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, room, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = 0;
}

static int write_profile(const struct htmt__profile *profile, const char *path,
                         struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    const int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    htmt__profile_write(profile, htmt_whole_file_stream(file));
    return htmt_whole_file_commit(&file, fault);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* What services count: each number once, in order. */
struct shapes {
    uint64_t *counts;
    size_t count;
};

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(struct shapes *s, uint64_t services)
{
    qsort(s->counts, services, sizeof *s->counts, compare);
    for (uint64_t i = 0; i < services; i++)
        if (!i || s->counts[i] != s->counts[s->count - 1])
            s->counts[s->count++] = s->counts[i];
}

/* The caller frees s->counts. */
static int find_shapes(const struct htmt__tape *tape, struct shapes *s)
{
    struct htmt__tape_spot *start = NULL;
    uint64_t services;
    *s = (struct shapes){0};
    const int rc = htmt__tape_services(tape, &start, &services);
    if (!rc)
        s->counts = calloc(services + 1, sizeof *s->counts);
    for (uint64_t i = 0; s->counts && i < services; i++)
        s->counts[i] = htmt__tape_service_counts(tape, start[i]);
    if (s->counts)
        sort(s, services);
    free(start);
    return s->counts ? 0 : HTMT_ENOMEM;
}

/* "119040, 130944": as many as there is room for. */
static void list(const struct shapes *s, char *text, size_t room)
{
    size_t length = 0, i = 0;
    for (*text = 0; i < s->count && length + 32 < room; i++)
        length += (size_t)snprintf(text + length, room - length, "%s%" PRIu64, i ? ", " : "",
                                   s->counts[i]);
    if (i < s->count)
        snprintf(text + length, room - length, " ..");
}

static int copy_service(const struct htmt__tape *tape, struct htmt__tape_spot at, uint64_t counts,
                        struct htmt__tape *kept)
{
    const uint64_t end = htmt__tape_entry(HTMT__TAPE_END, 0, counts), *entries;
    size_t n;
    int rc = 0;
    while (!rc && (entries = htmt__tape_service_next(tape, &at, &n)))
        rc = htmt__tape_append(kept, entries, n);
    return rc ? rc : htmt__tape_append(kept, &end, 1);
}

static int copy_services(const struct htmt__tape *tape, uint64_t counts, struct htmt__tape *kept)
{
    struct htmt__tape_spot *start = NULL;
    uint64_t services = 0;
    int rc = htmt__tape_services(tape, &start, &services);
    for (uint64_t i = 0; i < services && !rc; i++)
        if (htmt__tape_service_counts(tape, start[i]) == counts)
            rc = copy_service(tape, start[i], counts, kept);
    free(start);
    return rc;
}

/* *tape becomes one of those services alone. */
static int keep_shape(struct htmt__tape **tape, uint64_t counts)
{
    const struct htmt__tape_program *program = htmt__tape_program(*tape);
    const struct htmt__tape_region *region;
    const size_t regions = htmt__tape_regions(*tape, &region);
    struct htmt__tape *kept = NULL;
    int rc = htmt__tape_new(&kept, NULL);
    if (!rc && program)
        rc = htmt__tape_keep_program(kept, program);
    for (size_t i = 0; i < regions && !rc; i++)
        rc = htmt__tape_add_region(kept, &region[i]);
    if (!rc)
        rc = copy_services(*tape, counts, kept);
    htmt__tape_free(rc ? kept : *tape);
    if (!rc)
        *tape = kept;
    return rc;
}

static int choose_shape(const struct request *r, struct htmt__tape **tape, struct htmt_fault *fault)
{
    struct shapes s;
    char text[200];
    int rc = find_shapes(*tape, &s);
    list(&s, text, sizeof text);
    const bool there =
        rc || !r->counts || bsearch(&r->counts, s.counts, s.count, sizeof *s.counts, compare);
    free(s.counts);
    if (!there)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%s: found no service that counts %" PRIu64
                              " operations, expected %s",
                              r->tape, r->counts, text);
    if (!rc && r->counts)
        rc = keep_shape(tape, r->counts);
    else if (s.count > 1)
        fprintf(stderr,
                "%s: one profile of services that count %s operations; --counts N takes those of "
                "one shape\n",
                r->out, text);
    return rc ? htmt_fault_set(fault, rc, "no host memory for a tape") : 0;
}

/* ---- the profile ----------------------------------------------------------------------------- */

static int make(const struct request *r, struct htmt_fault *fault)
{
    struct htmt__tape *tape = NULL;
    struct htmt__profile *profile = NULL;
    char name[64];
    int rc = htmt_output_claim("--out", r->out, fault);
    if (!rc)
        rc = htmt__ops_load(r->tape, &tape, fault);
    name_of(r->tape, name, sizeof name);
    if (!rc)
        rc = choose_shape(r, &tape, fault);
    if (!rc)
        rc = htmt__profile_measure(&profile, tape, r->kernel ? r->kernel : name, fault);
    if (!rc)
        rc = write_profile(profile, r->out, fault);
    htmt__profile_free(profile);
    htmt__tape_free(tape);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct request r = {0};
    struct htmt_fault fault = {0};
    (void)program;
    if (!read_words(&r, argc, argv, &fault))
        make(&r, &fault);
    return fault.code ? htmt__ops_complain(&fault) : 0;
}

const struct htmt__ops_action htmt__ops_profile = {
    "profile", "profile FILE --out PROFILE [--kernel NAME] [--counts N]",
    "write what the operations of a tape are like, for a generator", run};
