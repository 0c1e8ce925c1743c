/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

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
    size_t claims;
} outputs;

/* ---- claims --------------------------------------------------------------------------------- */

static int no_memory(const char *path, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", path);
}

/* `target` is no symbolic link, or one that leads nowhere. */
static int identify_new(const char *target, struct identity *file, struct htmt_fault *fault)
{
    struct stat at;
    char *folder = htmt_whole_file_folder(target);
    int rc = folder ? 0 : no_memory(target, fault);
    if (!rc && stat(folder, &at))
        rc = htmt_fault_set(fault, HTMT_ENOENT, "%s: there is no folder '%s'", target, folder);
    free(folder);
    if (rc)
        return rc;
    const char *slash = strrchr(target, '/');
    *file = (struct identity){at.st_dev, at.st_ino, strdup(slash ? slash + 1 : target)};
    return file->name ? 0 : no_memory(target, fault);
}

/* *known: false of a device or a pipe, which many may share. */
static int identify(const char *path, struct identity *file, bool *known, struct htmt_fault *fault)
{
    struct stat at;
    bool exists = stat(path, &at) == 0;
    *known = !exists || S_ISREG(at.st_mode);
    *file = (struct identity){at.st_dev, at.st_ino, NULL};
    if (exists)
        return 0;
    char *target = NULL;
    int rc = htmt_whole_file_target(path, &target, fault);
    if (!rc)
        rc = identify_new(target, file, fault);
    free(target);
    return rc;
}

static bool is_same(const struct identity *a, const struct identity *b)
{
    bool names = a->name && b->name ? !strcmp(a->name, b->name) : a->name == b->name;
    return names && a->device == b->device && a->inode == b->inode;
}

static const struct claim *find(const struct identity *file)
{
    for (size_t i = 0; i < outputs.claims; i++)
        if (is_same(&outputs.claim[i].file, file))
            return &outputs.claim[i];
    return NULL;
}

/* Takes over file->name. */
static int append(const char *option, const struct identity *file, bool read,
                  struct htmt_fault *fault)
{
    size_t size = (outputs.claims + 1) * sizeof *outputs.claim;
    char *name = strdup(option);
    struct claim *all = name ? realloc(outputs.claim, size) : NULL;
    if (!all) {
        free(name);
        free(file->name);
        return no_memory(option, fault);
    }
    all[outputs.claims++] = (struct claim){*file, name, read};
    outputs.claim = all;
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
    outputs.claims = 0;
}
