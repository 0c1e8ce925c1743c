/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes the place of libFuzzer: gives each file named on the command line, and each file of a
 * folder, to the harness once. So the inputs of corpora can be tried in any build, without Clang.
 */
#include "tests/fuzz/input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static unsigned tried;

/* A copy that is just as long as the file: a byte read behind it is seen. */
static void try_file(const char *path, size_t size)
{
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = malloc(size ? size : 1);
    if (!in || !bytes || fread(bytes, 1, size, in) != size) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    fclose(in);
    fprintf(stderr, "%s\n", path); /* who dies says where */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    tried++;
}

static void try_path(const char *path)
{
    struct stat s;
    if (stat(path, &s)) {
        perror(path);
        exit(1);
    }
    if (!S_ISDIR(s.st_mode)) {
        try_file(path, (size_t)s.st_size);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            try_path(inner);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        try_path(argv[i]);
    printf("%u\n", tried);
    return tried ? 0 : 1;
}
