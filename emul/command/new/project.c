/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/new/project.h"

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

const char *const htmt__project_templates[] = {"parcel", "stencil", "reduction", NULL};

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

/* ---- what is asked for ------------------------------------------------------------------------
 */

static int check_template(const char *name, struct htmt_fault *fault)
{
    unsigned count = 0;
    for (; htmt__project_templates[count]; count++)
        if (strcmp(htmt__project_templates[count], name) == 0)
            return 0;
    return htmt__suggest_refuse("template", name, htmt__project_templates, count, "'htmt help new'",
                                fault);
}

/* The first character may not be '-', which begins an option. */
static int check_name(const char *name, struct htmt_fault *fault)
{
    static const char known[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t length = strlen(name);
    if (length == 0 || length > NAME_MOST || strspn(name, known) != length || name[0] == '-')
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "NAME: found '%s', expected at most %d letters, digits, '-' and '_'",
                              name, NAME_MOST);
    return 0;
}

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

static int find_templates(struct project *p, struct htmt_fault *fault)
{
    static const struct htmt_search search = {"template", "templates", "HTMT_TEMPLATE_PATH"};
    if (htmt_search_folders(&search, visit, p))
        return 0;
    return htmt_fault_set(fault, HTMT_ENOENT, "the template %s is not installed", p->template_name);
}

/* ---- files ------------------------------------------------------------------------------------
 */

/* Writes the text with the name in the place of each mark. */
static int write_text(const char *path, const char *text, const char *name,
                      struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    for (const char *mark; (mark = strstr(text, MARK)); text = mark + strlen(MARK))
        fprintf(out, "%.*s%s", (int)(mark - text), text, name);
    fputs(text, out);
    return htmt_whole_file_commit(&file, fault);
}

static void name_file(const struct project *p, unsigned i, char path[HTMT_PATH_MAX])
{
    const char *name = files[i].name;
    snprintf(path, HTMT_PATH_MAX, "%s/%s%s", p->folder, name ? name : p->name, name ? "" : ".c");
}

static int write_file(const struct project *p, unsigned i, struct htmt_fault *fault)
{
    char from[HTMT_PATH_MAX + 64], path[HTMT_PATH_MAX], *text = NULL;
    size_t length;
    snprintf(from, sizeof from, "%s/%s/%s", p->templates,
             files[i].folder ? files[i].folder : p->template_name, files[i].file);
    name_file(p, i, path);
    int rc = htmt_input_read(from, HTMT_INPUT_TEXT, &text, &length, fault);
    rc = rc ? rc : write_text(path, text, p->name, fault);
    free(text);
    return rc;
}

static void remove_all(const struct project *p)
{
    char path[HTMT_PATH_MAX];
    for (unsigned i = 0; i < FILES; i++) {
        name_file(p, i, path);
        unlink(path);
    }
    rmdir(p->folder);
}

/* An empty folder is replaced, and nothing else. */
static int name_folder(const struct project *p, struct htmt_fault *fault)
{
    if (rename(p->folder, p->name) == 0)
        return 0;
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: is there already", p->name);
    return htmt_input_failed(p->name, "make", errno, fault);
}

static bool is_taken(const char *name)
{
    struct stat status;
    return lstat(name, &status) == 0 && !S_ISDIR(status.st_mode);
}

int htmt__project_create(const char *name, const char *template_name, struct htmt_fault *fault)
{
    struct project p = {.name = name, .template_name = template_name};
    int rc = check_name(name, fault);
    rc = rc ? rc : check_template(template_name, fault);
    if (!rc && is_taken(name))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "%s: is there already", name);
    rc = rc ? rc : find_templates(&p, fault);
    if (rc)
        return rc;
    snprintf(p.folder, sizeof p.folder, "%s.%ld", name, (long)getpid());
    if (mkdir(p.folder, 0777))
        return htmt_input_failed(p.folder, "make", errno, fault);
    for (unsigned i = 0; i < FILES && !rc; i++)
        rc = write_file(&p, i, fault);
    rc = rc ? rc : name_folder(&p, fault);
    if (rc)
        remove_all(&p);
    return rc;
}
