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

static int read_words(struct request *r, int argc, char **argv, struct htmt_fault *fault)
{
    char *end = NULL;
    bool good = true;
    for (int i = 1; i < argc && good; i++) {
        const char *value;
        if ((value = htmt__command_value("--out", argc, argv, &i)))
            r->out = value;
        else if ((value = htmt__command_value("--kernel", argc, argv, &i)))
            r->kernel = value;
        else if ((value = htmt__command_value("--counts", argc, argv, &i)))
            r->shape = value;
        else if ((good = !r->tape && *argv[i] != '-'))
            r->tape = argv[i];
    }
    if (!good || !r->tape || !r->out || !*r->out)
        return htmt_fault_set(fault, HTMT_EUSAGE, "usage: htmt ops %s", htmt__ops_profile.usage);
    r->counts = r->shape ? strtoull(r->shape, &end, 10) : 0;
    if (!r->shape || (*r->shape >= '1' && *r->shape <= '9' && !*end))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--counts: found '%.40s', expected a number of operations", r->shape);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* What services count: each number once, in order; the caller frees it. NULL: out of memory. */
static uint64_t *find_shapes(const struct htmt__tape *tape, size_t *shapes)
{
    struct htmt__tape_spot *start = NULL;
    uint64_t services, *counts = NULL;
    *shapes = 0;
    if (!htmt__tape_services(tape, &start, &services))
        counts = calloc(services + 1, sizeof *counts);
    if (counts) {
        for (uint64_t i = 0; i < services; i++)
            counts[i] = htmt__tape_service_counts(tape, start[i]);
        qsort(counts, services, sizeof *counts, compare);
        for (uint64_t i = 0; i < services; i++)
            if (!i || counts[i] != counts[*shapes - 1])
                counts[(*shapes)++] = counts[i];
    }
    free(start);
    return counts;
}

/* *tape becomes one of the services alone that count so many operations. */
static int keep_shape(struct htmt__tape **tape, uint64_t counts)
{
    const struct htmt__tape_program *program = htmt__tape_program(*tape);
    const struct htmt__tape_region *region;
    const size_t regions = htmt__tape_regions(*tape, &region);
    const uint64_t end = htmt__tape_entry(HTMT__TAPE_END, 0, counts), *entries;
    struct htmt__tape_spot *start = NULL;
    struct htmt__tape *kept = NULL;
    uint64_t services = 0;
    size_t n;
    int rc = htmt__tape_new(&kept, NULL);
    if (!rc && program)
        rc = htmt__tape_keep_program(kept, program);
    for (size_t i = 0; i < regions && !rc; i++)
        rc = htmt__tape_add_region(kept, &region[i]);
    if (!rc)
        rc = htmt__tape_services(*tape, &start, &services);
    for (uint64_t i = 0; i < services && !rc; i++) {
        struct htmt__tape_spot at = start[i];
        if (htmt__tape_service_counts(*tape, at) != counts)
            continue;
        while (!rc && (entries = htmt__tape_service_next(*tape, &at, &n)))
            rc = htmt__tape_append(kept, entries, n);
        rc = rc ? rc : htmt__tape_append(kept, &end, 1);
    }
    free(start);
    htmt__tape_free(rc ? kept : *tape);
    if (!rc)
        *tape = kept;
    return rc;
}

static int choose_shape(const struct request *r, struct htmt__tape **tape, struct htmt_fault *fault)
{
    size_t shapes, length = 0, i = 0;
    uint64_t *counts = find_shapes(*tape, &shapes);
    char text[200] = "";
    if (!counts)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a tape");
    /* "119040, 130944": as many as there is room for. */
    for (; i < shapes && length + 32 < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIu64, i ? ", " : "",
                                   counts[i]);
    if (i < shapes)
        snprintf(text + length, sizeof text - length, " ..");
    const bool there = bsearch(&r->counts, counts, shapes, sizeof *counts, compare) != NULL;
    free(counts);
    if (r->counts && !there)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%s: found no service that counts %" PRIu64
                              " operations, expected %s",
                              r->tape, r->counts, text);
    if (!r->counts && shapes > 1)
        fprintf(stderr,
                "%s: one profile of services that count %s operations; --counts N takes those of "
                "one shape\n",
                r->out, text);
    int rc = r->counts ? keep_shape(tape, r->counts) : 0;
    return rc ? htmt_fault_set(fault, rc, "no host memory for a tape") : 0;
}

/* ---- the profile ----------------------------------------------------------------------------- */

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct request r = {0};
    struct htmt_fault fault = {0};
    struct htmt__tape *tape = NULL;
    struct htmt__profile *profile = NULL;
    struct htmt_whole_file *file = NULL;
    char name[64];
    (void)program;
    int rc = read_words(&r, argc, argv, &fault);
    if (!rc)
        rc = htmt_output_claim("--out", r.out, &fault);
    if (!rc)
        rc = htmt__ops_load(r.tape, &tape, &fault);
    if (!rc)
        rc = choose_shape(&r, &tape, &fault);
    if (!rc) {
        /* The name of the file, without its folder and what follows the first dot. */
        const char *slash = strrchr(r.tape, '/');
        snprintf(name, sizeof name, "%s", slash ? slash + 1 : r.tape);
        name[strcspn(name, ".")] = 0;
        rc = htmt__profile_measure(&profile, tape, r.kernel ? r.kernel : name, &fault);
    }
    if (!rc)
        rc = htmt_whole_file_open(r.out, &file, &fault);
    if (!rc) {
        htmt__profile_write(profile, htmt_whole_file_stream(file));
        rc = htmt_whole_file_commit(&file, &fault);
    }
    htmt__profile_free(profile);
    htmt__tape_free(tape);
    return rc ? htmt__complain("ops", &fault) : 0;
}

const struct htmt__ops_action htmt__ops_profile = {
    "profile", "profile FILE --out PROFILE [--kernel NAME] [--counts N]",
    "write what the operations of a tape are like, for a generator", run};
