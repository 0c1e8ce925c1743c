/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt new`: a folder with an application of the user's own, made of shipped templates.
 *
 * The folder appears whole or not at all: its files are written to NAME.PID, which rename() then
 * gives the name. POSIX lets rename() replace an empty folder and nothing else, so an empty folder
 * that the user made before is filled, and one with files is refused without a race between asking
 * and making. A signal between the two leaves NAME.PID, never half of NAME.
 */
#include "emul/command/command.h"
#include "emul/lib/options/options.h"
#include "layers/file/search.h"
#include "runtime/base/input.h"
#include "runtime/base/suggest.h"
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MOST 64
#define MARK      "@NAME@" /* stands for the name of the project */

struct project {
    const char *name, *template_name;
    char templates[HTMT_PATH_MAX]; /* the shipped folder */
    char folder[NAME_MOST + 32];   /* where it grows; gets its name when it is whole */
};

/* A file of templates/FOLDER, NULL: that of the template, and its name in the project, NULL: that
 * of the project and ".c". */
static const struct {
    const char *folder, *file, *name;
} files[] = {
    {NULL, "app.c.in", NULL},
    {NULL, "README.md", "README.md"},
    {"common", "main.c.in", "main.c"},
    {"common", "Makefile", "Makefile"},
    {"common", "CMakeLists.txt", "CMakeLists.txt"},
    {"common", "test.sh", "test.sh"},
    {"common", "gitignore", ".gitignore"},
};
enum { FILES = sizeof files / sizeof *files };

static int visit(const char *folder, void *context)
{
    struct project *p = context;
    struct stat status;
    int length = snprintf(p->templates, sizeof p->templates, "%s/%s", folder, p->template_name);
    if (length >= HTMT_PATH_MAX || stat(p->templates, &status))
        return 0;
    p->templates[strlen(folder)] = '\0';
    return 1;
}

static void name_file(const struct project *p, unsigned i, char path[HTMT_PATH_MAX])
{
    const char *name = files[i].name;
    snprintf(path, HTMT_PATH_MAX, "%s/%s%s", p->folder, name ? name : p->name, name ? "" : ".c");
}

/* The template with the name of the project in the place of each mark. */
static int write_file(const struct project *p, unsigned i, struct htmt_fault *fault)
{
    char from[HTMT_PATH_MAX + 64], path[HTMT_PATH_MAX], *text = NULL;
    struct htmt_whole_file *file = NULL;
    size_t length;
    snprintf(from, sizeof from, "%s/%s/%s", p->templates,
             files[i].folder ? files[i].folder : p->template_name, files[i].file);
    name_file(p, i, path);
    int rc = htmt_input_read(from, HTMT_INPUT_TEXT, &text, &length, fault);
    if (!rc)
        rc = htmt_whole_file_open(path, &file, fault);
    if (!rc) {
        FILE *out = htmt_whole_file_stream(file);
        const char *rest = text;
        for (const char *mark; (mark = strstr(rest, MARK)); rest = mark + strlen(MARK))
            fprintf(out, "%.*s%s", (int)(mark - rest), rest, p->name);
        fputs(rest, out);
        rc = htmt_whole_file_commit(&file, fault);
    }
    free(text);
    return rc;
}

static int check(const char *name, const char *template_name, struct htmt_fault *fault)
{
    static const char known[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    static const char *const templates[] = {"parcel", "stencil", "reduction", "messages"};
    /* main.c is there already; the others are targets of make or CMake, or CMake's folder. */
    static const char *const taken[] = {"main",       "all",       "test",          "clean",
                                        "help",       "install",   "rebuild_cache", "depend",
                                        "edit_cache", "package",   "preinstall",    "CMakeFiles",
                                        "ALL_BUILD",  "RUN_TESTS", "ZERO_CHECK"};
    enum { TEMPLATES = sizeof templates / sizeof *templates };
    const size_t length = strlen(name);
    struct stat status;
    unsigned i = 0;
    /* The first character may not be '-', which begins an option. */
    if (length == 0 || length > NAME_MOST || strspn(name, known) != length || name[0] == '-')
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "NAME: found '%s', expected at most %d letters, digits, '-' and '_'",
                              name, NAME_MOST);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (strcmp(taken[k], name) == 0)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "NAME: found '%s', a file or target of every project, expected "
                                  "another one",
                                  name);
    while (i < TEMPLATES && strcmp(templates[i], template_name) != 0)
        i++;
    if (i == TEMPLATES)
        return htmt__suggest_refuse("template", template_name, templates, TEMPLATES,
                                    "'htmt help new'", fault);
    if (lstat(name, &status) == 0 && !S_ISDIR(status.st_mode))
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: is there already", name);
    return 0;
}

static int create(const char *name, const char *template_name, struct htmt_fault *fault)
{
    static const struct htmt_search search = {"template", "templates", "HTMT_TEMPLATE_PATH"};
    struct project p = {.name = name, .template_name = template_name};
    char path[HTMT_PATH_MAX];
    int rc = check(name, template_name, fault);
    if (rc)
        return rc;
    if (!htmt_search_folders(&search, visit, &p))
        return htmt_fault_set(fault, HTMT_ENOENT, "the template %s is not installed",
                              template_name);
    snprintf(p.folder, sizeof p.folder, "%s.%ld", name, (long)getpid());
    if (mkdir(p.folder, 0777))
        return htmt_input_failed(p.folder, "make", errno, fault);
    for (unsigned i = 0; i < FILES && !rc; i++)
        rc = write_file(&p, i, fault);
    /* An empty folder is replaced, and nothing else. */
    if (!rc && rename(p.folder, name) == 0)
        return 0;
    if (!rc && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "%s: is there already", name);
    else if (!rc)
        rc = htmt_input_failed(name, "make", errno, fault);
    for (unsigned i = 0; i < FILES; i++) {
        name_file(&p, i, path);
        unlink(path);
    }
    rmdir(p.folder);
    return rc;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static const struct htmt_app_option rows[] = {
    {"template", "NAME", "parcel",
     "parcel: one kernel on blocks of an array; stencil: heat in a plate, whose slices exchange "
     "rows; reduction: a sum over all slices; messages: the connected components of a graph"},
    {NULL, NULL, NULL, NULL}};

static int run(struct htmt__command *program, int argc, char **argv)
{
    static const struct htmt_app_verb verb = {.name = "new", .options = rows};
    struct htmt__options options;
    struct htmt_fault fault = {0};
    (void)program;
    int rc = argc < 2 || argv[1][0] == '-'
                 ? htmt_fault_set(&fault, HTMT_EUSAGE, "expected the NAME of a project first")
                 : htmt__options_parse_verb(NULL, &verb, argc - 2, argv + 2, &options, &fault);
    rc = rc ? rc : create(argv[1], options.own[0], &fault);
    if (rc)
        return htmt__complain("new", &fault);
    printf("%s: a project from the template %s; 'make -C %s test' builds and tests it\n", argv[1],
           options.own[0], argv[1]);
    return 0;
}

const struct htmt__verb htmt__verb_row_new = {"new",
                                              "NAME [--template parcel|stencil|reduction|messages]",
                                              "begin an application of your own in a new folder",
                                              run,
                                              rows,
                                              NULL};
