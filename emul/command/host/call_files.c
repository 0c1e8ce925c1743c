/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function becomes an application of one kernel that calls it: a C file that includes the
 * source, compiled by htmt-cc to a plug-in. The clock times the code that was recorded: the same
 * file by the same compiler with the same flags, those of the tape behind the user's; another
 * compiler, where one is named, gets the user's alone. Loops begin at a line of code, unless a flag
 * of the user's says otherwise: a short one that lies in two lines takes up to twice as long, from
 * build to build, and the model has no places.
 */
#include "emul/command/host/call_files.h"

#include "layers/file/folders.h"
#include "layers/file/own_path.h"
#include "layers/node/tape/tape_flags.h"
#include "runtime/base/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS HTMT__CALL_WORDS
#define PATH  HTMT__CALL_PATH

/* ---- other programs -------------------------------------------------------------------------- */

/* What a compiler says first, without the folder that nobody knows. */
static int tell_refusal(const struct htmt__call_files *f, const char *compiler)
{
    char line[400], first[400] = "it says nothing";
    FILE *said = fopen(f->said, "r");
    bool found = false;
    while (said && !found && fgets(line, sizeof line, said)) {
        const char *error = strstr(line, "error: ");
        found = error != NULL;
        if (found || strcmp(first, "it says nothing") == 0)
            snprintf(first, sizeof first, "%s", error ? error + strlen("error: ") : line);
    }
    if (said)
        fclose(said);
    first[strcspn(first, "\n")] = '\0';
    return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: %s refuses it with flags '%s': %.300s",
                          f->options->source, compiler, f->options->flags, first);
}

/* `word` ends with NULL; what it says goes to a file. */
static int run_compiler(const struct htmt__call_files *f, const char *name, const char *const *word)
{
    const struct htmt__child child = {word, f->said, NULL};
    struct htmt__child_end end;
    const int rc = htmt__child_run(&child, &end, f->fault);
    return rc || !end.status ? rc : tell_refusal(f, name);
}

/* `before`, the flags, and `after`, all up to NULL. */
static int compile(const struct htmt__call_files *f, const char *name, const char *const *before,
                   const char *const *after)
{
    const char *word[2 * WORDS] = {NULL};
    size_t n = 0;
    for (; *before; before++)
        word[n++] = *before;
    for (const char *const *flag = f->flag; *flag; flag++)
        word[n++] = *flag;
    for (; *after; after++)
        word[n++] = *after;
    return run_compiler(f, name, word);
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Beside this program, in a build and in an installed tree. */
static int find_tools(struct htmt__call_files *f)
{
    static const char *const rest[] = {"/include", "/../include"};
    char own[HTMT_PATH_MAX] = "", probe[PATH + 16];
    if (htmt__own_program(own, sizeof own))
        *strrchr(own, '/') = '\0';
    snprintf(f->htmt_cc, sizeof f->htmt_cc, "%s/htmt-cc", own);
    if (!htmt__path_exists(f->htmt_cc))
        return htmt_fault_set(f->fault, HTMT_EUSAGE,
                              "predict needs htmt-cc, which this installation lacks: LLVM 14 was "
                              "missing when it was built (.ci/deps .ci/packages-tape.txt)");
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        snprintf(f->include, sizeof f->include, "%s%s", own, rest[i]);
        snprintf(probe, sizeof probe, "%s/htmt.h", f->include);
        if (htmt__path_exists(probe))
            return 0;
    }
    return htmt_fault_set(f->fault, HTMT_EUSAGE,
                          "predict needs htmt.h, which this installation lacks");
}

static int split_flags(struct htmt__call_files *f)
{
    unsigned n = 0;
    char *rest = f->flags = strdup(f->options->flags);
    if (!rest)
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (n + 1 == WORDS)
            return htmt_fault_set(f->fault, HTMT_EUSAGE, "--flags: expected fewer than %d words",
                                  WORDS);
        if (!htmt__tape_level_known(word))
            return htmt_fault_set(f->fault, HTMT_EUSAGE,
                                  "--flags: found '%s', expected " HTMT__TAPE_LEVELS, word);
        f->flag[n++] = word;
    }
    return 0;
}

static int open_files(struct htmt__call_files *f)
{
    const struct {
        char *path;
        const char *name;
    } all[] = {{f->ir, "call.ll"},     {f->said, "said"},
               {f->driver, "call.c"},  {f->application, "application.c"},
               {f->object, "call.o"},  {f->plugin, "call.so"},
               {f->plain, "plain.so"}, {f->tables, "call.o.blocks.c"}};
    char *whole = realpath(f->options->source, NULL);
    if (!whole)
        return htmt_fault_set(f->fault, HTMT_ENOENT, "%s: %s", f->options->source, strerror(errno));
    struct stat at;
    if (stat(whole, &at) || !S_ISREG(at.st_mode)) {
        free(whole);
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: expected a C file", f->options->source);
    }
    const bool fits = (size_t)snprintf(f->source, sizeof f->source, "%s", whole) < sizeof f->source;
    free(whole);
    if (!fits)
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: too long a path", f->options->source);
    const char *dot = strrchr(f->source, '.');
    if (dot && (strcmp(dot, ".cpp") == 0 || strcmp(dot, ".cc") == 0 || strcmp(dot, ".cxx") == 0))
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: found C++, expected a C file",
                              f->options->source);
    if (strpbrk(f->source, "\"\\\n"))
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: a path with quotes cannot be included",
                              f->options->source);
    const int rc = htmt__folder_temporary(f->folder, sizeof f->folder, f->fault);
    if (rc) {
        *f->folder = '\0';
        return rc;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        snprintf(all[i].path, PATH, "%s/%s", f->folder, all[i].name);
    return 0;
}

int htmt__call_files_open(struct htmt__call_files *f)
{
    int rc = find_tools(f);
    rc = rc ? rc : split_flags(f);
    return rc ? rc : open_files(f);
}

static void name_copy(const struct htmt__call_files *f, unsigned i, char name[PATH + 16])
{
    snprintf(name, PATH + 16, "%s.%u", f->plain, i);
}

void htmt__call_files_close(struct htmt__call_files *f)
{
    const char *const all[] = {f->ir,     f->said,   f->driver, f->application,
                               f->object, f->plugin, f->plain,  f->tables};
    for (size_t i = 0; i < sizeof all / sizeof *all && *f->folder; i++)
        unlink(all[i]);
    for (unsigned i = 1; i < f->options->cores && *f->folder; i++) {
        char copy[PATH + 16];
        name_copy(f, i, copy);
        unlink(copy);
    }
    if (*f->folder)
        rmdir(f->folder);
    free(f->flags);
}

void htmt__call_files_name_source(const struct htmt__call_files *f)
{
    const char *const own[] = {f->driver, f->plugin, f->plain};
    char text[sizeof f->fault->text];
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char *at = *own[i] ? strstr(f->fault->text, own[i]) : NULL;
        if (!at)
            continue;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - f->fault->text), f->fault->text,
                 f->options->source, at + strlen(own[i]));
        memcpy(f->fault->text, text, sizeof text);
    }
    /* "type call, slice 0, execute: f.c:9: reads memory outside the closure; ..." */
    const char *place = strstr(f->fault->text, "execute: ");
    char *what = place ? strstr(place, "s memory outside the closure") : NULL;
    if (!what)
        return;
    *what = '\0';
    snprintf(text, sizeof text, "%ss memory beyond its arrays", place + strlen("execute: "));
    memcpy(f->fault->text, text, sizeof text);
}

/* ---- the plug-in ----------------------------------------------------------------------------- */

/* The types of each call's arguments are those of its function. */
static int match_calls(const struct htmt__call_files *f, struct htmt__call *call)
{
    int rc = 0;
    for (unsigned i = 0; i < f->calls && !rc; i++) {
        FILE *ir = fopen(f->ir, "r");
        rc = ir ? htmt__call_match(&call[i], f->options->source, ir, f->fault)
                : htmt_fault_set(f->fault, HTMT_ESYSTEM, "%s: %s", f->ir, strerror(errno));
        if (ir)
            fclose(ir);
    }
    return rc;
}

static int close_file(const struct htmt__call_files *f, FILE *out, const char *path)
{
    return out && !fclose(out)
               ? 0
               : htmt_fault_set(f->fault, HTMT_ESYSTEM, "%s: %s", path, strerror(errno));
}

static int make_ir(const struct htmt__call_files *f, const char *source)
{
    return compile(f, HTMT_CLANG, (const char *const[]){HTMT_CLANG, "-w", "-S", "-emit-llvm", NULL},
                   (const char *const[]){"-O0", "-x", "c", "-o", f->ir, source, NULL});
}

/* A static function that nothing calls is not in the IR of the source, but in that of a file that
 * uses it. */
static int find_types(const struct htmt__call_files *f, struct htmt__call *call)
{
    int rc = make_ir(f, f->source);
    if (rc)
        return rc;
    rc = match_calls(f, call);
    if (rc != HTMT_ENOENT)
        return rc;
    const struct htmt_fault none = *f->fault;
    *f->fault = (struct htmt_fault){.text = ""};
    FILE *out = fopen(f->driver, "w");
    if (out)
        htmt__call_write_uses(call, f->calls, f->source, out);
    rc = close_file(f, out, f->driver);
    if (rc || !make_ir(f, f->driver))
        return rc ? rc : match_calls(f, call);
    *f->fault = none;
    return HTMT_EUSAGE;
}

static int write_driver(const struct htmt__call_files *f, struct htmt__call *call)
{
    int rc = find_types(f, call);
    if (rc)
        return rc;
    FILE *out = fopen(f->driver, "w");
    if (out)
        htmt__call_write(call, f->calls, f->source, out);
    rc = close_file(f, out, f->driver);
    out = rc ? NULL : fopen(f->application, "w");
    if (out)
        htmt__call_write_application(f->layer, out);
    return rc ? rc : close_file(f, out, f->application);
}

/* The user's level of optimization, without "-"; the tape's where there is none. */
static const char *level_of(const struct htmt__call_files *f)
{
    const char *level = "O2";
    for (const char *const *flag = f->flag; *flag; flag++)
        if (strncmp(*flag, "-O", 2) == 0)
            level = strcmp(*flag, "-O") == 0 ? "O1" : *flag + 1;
    return level;
}

int htmt__call_files_build(const struct htmt__call_files *f, struct htmt__call *call)
{
    char include[PATH + 2], below[PATH + 8];
    snprintf(include, sizeof include, "-I%s", f->include);
    snprintf(below, sizeof below, "-I%s/htmt", f->include);
    int rc = write_driver(f, call);
    rc = rc ? rc
            : compile(f, "htmt-cc",
                      (const char *const[]){f->htmt_cc, "--reached", "--tape", level_of(f), NULL},
                      (const char *const[]){include, below, "-fPIC", "-fvisibility=hidden", "-c",
                                            f->driver, "-o", f->object, NULL});
    const char *const link[] = {"cc",           "-shared", "-fPIC", include,   below, "-w", "-O1",
                                f->application, f->object, "-o",    f->plugin, "-lm", NULL};
    return rc ? rc : run_compiler(f, "cc", link);
}

/* ---- code of the clock ----------------------------------------------------------------------- */

int htmt__call_files_plain(const struct htmt__call_files *f)
{
    struct htmt__tape_level level;
    const char *cc = f->options->cc ? f->options->cc : HTMT_CLANG;
    const char *last[WORDS] = {
        "-DHTMT_CLOCK", "-shared", "-fPIC", "-fvisibility=hidden", f->driver, "-o",
        f->plain,       "-lm",     NULL};
    size_t n = 8;
    (void)htmt__tape_level_of(level_of(f), &level);
    for (unsigned i = 0; i < level.flags && !f->options->cc; i++)
        last[n++] = level.flag[i];
    const char *const aligned = f->options->cc ? NULL : "-falign-loops=64";
    return compile(f, cc, (const char *const[]){cc, "-w", aligned, NULL}, last);
}

int htmt__call_files_copy(const struct htmt__call_files *f, unsigned i, char path[PATH + 16])
{
    name_copy(f, i, path);
    return run_compiler(f, "cp", (const char *const[]){"cp", f->plain, path, NULL});
}
