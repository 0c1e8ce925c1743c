/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No two options write one file, and none writes over what was read. Names do not tell: "a", "./a"
 * and a link to it are one file. So each output is kept as device and inode; one that does not
 * exist yet as those of its folder with its name there. An input is compared with all outputs when
 * it is opened, and is kept as well, against outputs that are claimed later.
 */
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include "runtime/base/array.h"
#include "runtime/base/whole_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that exists has no name here: it may have many. */
struct identity {
    dev_t device;
    ino_t inode; /* of the file, or of the folder */
    char *name;  /* in that folder; NULL: the file exists */
};

struct claim {
    struct identity file;
    char *option; /* of an input that was opened: its path */
    bool read;
};

static struct {
    struct claim *claim;
    size_t claims, room;
} outputs;

/* ---- claims --------------------------------------------------------------------------------- */

static int no_memory(const char *path, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path);
}

/* *known: false of a device or a pipe, which many may share. A file that does not exist is where
 * its symbolic links lead, if it has some. */
static int identify(const char *path, struct identity *file, bool *known, struct htmt_fault *fault)
{
    struct stat at;
    const bool exists = stat(path, &at) == 0;
    *known = !exists || S_ISREG(at.st_mode);
    *file = (struct identity){at.st_dev, at.st_ino, NULL};
    if (exists)
        return 0;
    char *target = NULL;
    int rc = htmt_whole_file_target(path, &target, fault);
    char *folder = rc ? NULL : htmt_whole_file_folder(target);
    if (!rc && !folder)
        rc = no_memory(target, fault);
    if (!rc && stat(folder, &at))
        rc = htmt_fault_set(fault, HTMT_ENOENT, "%s: there is no folder '%s'", target, folder);
    if (!rc) {
        const char *slash = strrchr(target, '/');
        *file = (struct identity){at.st_dev, at.st_ino, strdup(slash ? slash + 1 : target)};
        rc = file->name ? 0 : no_memory(target, fault);
    }
    free(folder);
    free(target);
    return rc;
}

static const struct claim *find(const struct identity *file)
{
    for (size_t i = 0; i < outputs.claims; i++) {
        const struct identity *other = &outputs.claim[i].file;
        const bool named = other->name && file->name;
        if (other->device == file->device && other->inode == file->inode &&
            (named ? !strcmp(other->name, file->name) : other->name == file->name))
            return &outputs.claim[i];
    }
    return NULL;
}

/* Takes over file->name. */
static int append(const char *option, const struct identity *file, bool read,
                  struct htmt_fault *fault)
{
    char *name = strdup(option);
    if (!name || !htmt__array_fits(&outputs.claim, &outputs.room, outputs.claims + 1,
                                   sizeof *outputs.claim)) {
        free(name);
        free(file->name);
        return no_memory(option, fault);
    }
    outputs.claim[outputs.claims++] = (struct claim){*file, name, read};
    return 0;
}

static int refuse_input(const char *input, const char *option, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "%s is read and would be written over by %s, expected another file",
                          input, option);
}

int htmt_output_claim(const char *option, const char *path, struct htmt_fault *fault)
{
    struct identity file;
    struct htmt_fault why = {0};
    bool known;
    int rc = htmt_whole_file_check(path, &why);
    if (!rc)
        rc = identify(path, &file, &known, &why);
    if (rc)
        return htmt_fault_set(fault, rc, "%s %s", option, why.text);
    if (!known)
        return 0;
    const struct claim *other = find(&file);
    if (!other)
        return append(option, &file, false, fault);
    free(file.name);
    if (other->read)
        return refuse_input(other->option, option, fault);
    if (!strcmp(other->option, option))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "%s: found %s, expected another file than that of %s",
                          option, path, other->option);
}

int htmt__output_claim_streams(struct htmt_fault *fault)
{
    static const char *const names[] = {"standard output", "standard error"};
    static const int streams[] = {STDOUT_FILENO, STDERR_FILENO};
    int rc = 0;
    for (unsigned i = 0; i < 2 && !rc; i++) {
        struct stat at;
        if (fstat(streams[i], &at) || !S_ISREG(at.st_mode))
            continue;
        struct identity file = {at.st_dev, at.st_ino, NULL};
        if (!find(&file))
            rc = append(names[i], &file, false, fault);
    }
    return rc;
}

int htmt__output_spares(const char *input, int fd, struct htmt_fault *fault)
{
    struct stat at;
    if (!outputs.claims || fstat(fd, &at))
        return 0;
    struct identity file = {at.st_dev, at.st_ino, NULL};
    const struct claim *other = find(&file);
    if (!other)
        return S_ISREG(at.st_mode) ? append(input, &file, true, fault) : 0;
    return other->read ? 0 : refuse_input(input, other->option, fault);
}

void htmt__outputs_forget(void)
{
    for (size_t i = 0; i < outputs.claims; i++) {
        free(outputs.claim[i].file.name);
        free(outputs.claim[i].option);
    }
    free(outputs.claim);
    outputs.claim = NULL;
    outputs.claims = outputs.room = 0;
}
