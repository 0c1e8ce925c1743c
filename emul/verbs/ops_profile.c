/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops profile`: what the operations of a tape are like, as a file that one may edit.
 */
#include "emul/verbs/ops.h"
#include "layers/node/profile.h"
#include "runtime/base/output.h"
#include "runtime/base/whole_file.h"

#include <string.h>

struct request {
    const char *tape, *out, *kernel;
};

static int read_words(struct request *r, int argc, char **argv, struct htmt_fault *fault)
{
    for (int i = 1; i < argc; i++) {
        const char *out = htmt__ops_value("--out", argc, argv, &i);
        const char *kernel = out ? NULL : htmt__ops_value("--kernel", argc, argv, &i);
        if (out)
            r->out = out;
        else if (kernel)
            r->kernel = kernel;
        else if (!r->tape && *argv[i] != '-')
            r->tape = argv[i];
        else
            return htmt_fault_set(fault, HTMT_EUSAGE, "usage: htmt ops %s",
                                  htmt__ops_profile.usage);
    }
    if (r->tape && r->out && *r->out)
        return 0;
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
    "profile", "profile FILE --out PROFILE [--kernel NAME]",
    "write what the operations of a tape are like, for a generator", run};
