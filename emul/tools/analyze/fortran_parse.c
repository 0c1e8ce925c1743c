/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran sources by gfortran.
 *
 * All sources are one program. They are compiled in an order in which each module stands before
 * its users, by `gfortran -fsyntax-only -fdump-parse-tree`, in a folder of our own for its module
 * files. gfortran is somebody else's program, and a hostile source can make it run without end, so
 * it runs supervised. A source whose name ends in a capital, such as .F90, goes through the
 * preprocessor first, so that what is scanned here is what gfortran reads.
 *
 * Errors of the source refuse it, as they do in C: the first one is the line. Where modules are
 * missing, guesses take their place (fortran_guess.c), and errors that are left are listed: each is
 * a statement that the tree lacks.
 */
#define _GNU_SOURCE /* memfd_create */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"
#include "layers/file/search.h"
#include "runtime/base/input.h"
#include "runtime/base/supervised.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS_MAX = 24 };

struct compiling {
    const char *gfortran, *folder, *here; /* here: where the command was called */
    const char *const *arguments;         /* of the command line: -D, -I */
    int count;
    struct htmt__fortran_source *source;
    unsigned sources, *order;
    struct htmt__fortran_guesses guesses;
    const char *errors; /* of the last compilation */
    struct htmt_fault *fault;
};

static const char *find_program(void)
{
    static const char *const names[] = {"gfortran", "gfortran-14", "gfortran-13", "gfortran-12"};
    const char *path = getenv("PATH");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *at = path; at && *at; at += strcspn(at, ":"), at += *at == ':') {
            const char *own = htmt__source_print("%.*s/%s", (int)strcspn(at, ":"), at, names[i]);
            if (access(own, X_OK) == 0)
                return own;
        }
    return NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

static const char *read_back(int fd)
{
    struct stat is;
    if (fstat(fd, &is) || lseek(fd, 0, SEEK_SET) < 0)
        return "";
    char *text = htmt__source_alloc((size_t)is.st_size + 1);
    size_t have = 0;
    while (have < (size_t)is.st_size) {
        ssize_t n = read(fd, text + have, (size_t)is.st_size - have);
        if (n <= 0 && errno != EINTR)
            break;
        have += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* *printed and *said: what it wrote on its standard output and error. It runs in the folder `in`.
 */
static int run(struct compiling *c, const char *in, const char *const *words, unsigned count,
               const char **printed, const char **said, int *status)
{
    static const struct htmt_limits limits = {.seconds = 120, .bytes = UINT64_C(2) << 30};
    char **argv = htmt__source_alloc((count + 2) * sizeof *argv);
    const int out = memfd_create("gfortran", MFD_CLOEXEC),
              errors = memfd_create("gfortran", MFD_CLOEXEC), before = dup(STDOUT_FILENO);
    int rc = out < 0 || errors < 0 || before < 0 || dup2(out, STDOUT_FILENO) < 0
                 ? htmt_fault_set(c->fault, HTMT_ESYSTEM, "no room for what gfortran prints: %s",
                                  strerror(errno))
                 : 0;
    argv[0] = htmt__source_text(c->gfortran);
    for (unsigned i = 0; i < count; i++)
        argv[i + 1] = htmt__source_text(words[i]);
    if (!rc && chdir(in))
        rc = htmt_fault_set(c->fault, HTMT_ESYSTEM, "%s: %s", in, strerror(errno));
    if (!rc)
        rc = htmt_supervise_program("reading the source by gfortran", &limits, c->gfortran, argv,
                                    errors, status, c->fault);
    if (chdir(c->here) && !rc)
        rc = htmt_fault_set(c->fault, HTMT_ESYSTEM, "%s: %s", c->here, strerror(errno));
    if (before >= 0) {
        dup2(before, STDOUT_FILENO);
        close(before);
    }
    if (!rc) {
        *printed = read_back(out);
        *said = read_back(errors);
    }
    if (out >= 0)
        close(out);
    if (errors >= 0)
        close(errors);
    return rc;
}

static const char *folder_of(const char *path)
{
    const char *end = strrchr(path, '/');
    return end ? htmt__source_print("%.*s", (int)(end - path), path) : ".";
}

static int write_file(const struct compiling *c, const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    bool good = out && fputs(text, out) >= 0;
    if ((out && fclose(out)) || !good)
        return htmt_fault_set(c->fault, HTMT_ESYSTEM, "%s: %s", path, strerror(errno));
    return 0;
}

/* As seen from any folder. */
static const char *absolute(const struct compiling *c, const char *path)
{
    return *path == '/' ? path : htmt__source_print("%s/%s", c->here, path);
}

/* Options for all sources, then those of one. */
static unsigned common_words(const struct compiling *c, const char *path, const char **words)
{
    static const char *const own[] = {"-fsyntax-only",
                                      "-fdump-parse-tree",
                                      "-w",
                                      "-std=legacy",
                                      "-fdiagnostics-plain-output",
                                      "-fmax-errors=0",
                                      "-ffree-line-length-none"};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        words[n++] = own[i];
    words[n++] = "-J";
    words[n++] = c->folder;
    words[n++] = "-I";
    words[n++] = folder_of(path);
    for (int i = 0; i < c->count; i++)
        words[n++] = c->arguments[i][1] == 'I'
                         ? htmt__source_print("-I%s", absolute(c, c->arguments[i] + 2))
                         : c->arguments[i];
    return n;
}

/* Compiles one source. It runs in our folder: gfortran looks for modules in its own one first, and
 * a build may have left others of the same names beside the sources. */
static int compile(struct compiling *c, const char *path, const struct htmt__fortran_source *of,
                   const char **printed, const char **said, int *status)
{
    const char **words = htmt__source_alloc(((size_t)c->count + 32) * sizeof *words);
    path = absolute(c, path);
    unsigned n = common_words(c, absolute(c, of ? of->path : path), words);
    words[n++] = of && of->is_fixed ? "-ffixed-form" : "-ffree-form";
    if (of && of->is_wide)
        words[n++] = "-ffixed-line-length-none";
    words[n++] = "-x";
    words[n++] = "f95";
    words[n++] = path;
    return run(c, c->folder, words, n, printed, said, status);
}

/* ---- sources --------------------------------------------------------------------------------- */

bool htmt__fortran_is_source(const char *path)
{
    static const char *const names[] = {".f90", ".f95", ".f03", ".f08", ".F90", ".F95", ".F03",
                                        ".F08", ".f",   ".for", ".ftn", ".F",   ".FOR"};
    const char *end = strrchr(path, '.');
    for (size_t i = 0; end && i < sizeof names / sizeof *names; i++)
        if (strcmp(end, names[i]) == 0)
            return true;
    return false;
}

/* By its name, or by lines that only a preprocessor reads. */
static bool is_preprocessed(const struct htmt__fortran_source *s)
{
    static const char *const words[] = {"if", "ifdef", "ifndef", "include", "define"};
    if (strrchr(s->path, '.')[1] == 'F')
        return true;
    for (const char *line = s->text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        for (size_t i = 0; *line == '#' && i < sizeof words / sizeof *words; i++) {
            size_t length = strlen(words[i]);
            if (strncmp(line + 1, words[i], length) == 0 && strchr(" \t(\"", line[1 + length]))
                return true;
        }
    return false;
}

static int read_source(struct compiling *c, struct htmt__fortran_source *s)
{
    const char *end = strrchr(s->path, '.'), *printed = "", *said = "";
    char *text = NULL;
    size_t length = 0;
    int status = 0, rc = htmt__includes_check(s->path, c->arguments, c->count, c->fault);
    if (!rc)
        rc = htmt_input_read(s->path, HTMT_INPUT_LIST, &text, &length, c->fault);
    if (rc)
        return rc;
    s->text = htmt__source_text(text);
    s->is_fixed = end[2] == '\0' || end[2] == 'o' || end[2] == 't' || end[2] == 'O';
    free(text);
    if (strlen(s->text) != length)
        return htmt_fault_set(c->fault, HTMT_EFORMAT, "%s: found a zero byte, expected text",
                              s->path);
    if (!is_preprocessed(s))
        return 0;
    const char **words = htmt__source_alloc(((size_t)c->count + 8) * sizeof *words);
    unsigned n = 0;
    words[n++] = "-E";
    words[n++] = "-cpp";
    for (int i = 0; i < c->count; i++)
        words[n++] = c->arguments[i];
    words[n++] = s->path;
    rc = run(c, c->here, words, n, &printed, &said, &status);
    s->text = printed;
    s->is_preprocessed = true;
    if (!rc && status)
        rc = htmt_fault_set(c->fault, HTMT_EFORMAT, "%s: the preprocessor says: %.*s", s->path,
                            (int)strcspn(said, "\n"), said);
    return rc;
}

static const struct htmt__fortran_line *module_in(const struct htmt__fortran_source *s,
                                                  const char *name)
{
    for (size_t i = 0; i < s->lines; i++)
        if (s->line[i].kind == HTMT__LINE_BEGIN && s->line[i].is_module &&
            strcmp(s->line[i].key, name) == 0)
            return &s->line[i];
    return NULL;
}

/* Modules before their users; what uses itself in a circle stays as it is given. */
static void add_ordered(struct compiling *c, unsigned i, unsigned *done, bool *seen)
{
    if (seen[i])
        return;
    seen[i] = true;
    for (size_t l = 0; l < c->source[i].lines; l++)
        for (unsigned k = 0; c->source[i].line[l].kind == HTMT__LINE_USE && k < c->sources; k++)
            if (k != i && module_in(&c->source[k], c->source[i].line[l].key))
                add_ordered(c, k, done, seen);
    c->order[(*done)++] = i;
}

/* Modules of the compiler, and those whose module files -I leads to, are there. */
static bool is_found(const struct compiling *c, const char *name)
{
    static const char *const own[] = {"iso_c_binding",   "iso_fortran_env", "ieee_arithmetic",
                                      "ieee_exceptions", "ieee_features",   "omp_lib",
                                      "omp_lib_kinds",   "openacc"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    for (unsigned i = 0; i < c->sources; i++)
        if (module_in(&c->source[i], name))
            return true;
    for (int i = -1; i < c->count; i++) {
        const char *at = i < 0 ? folder_of(c->source->path) : c->arguments[i] + 2;
        if ((i < 0 || strncmp(c->arguments[i], "-I", 2) == 0) &&
            access(htmt__source_print("%s/%s.mod", at, name), R_OK) == 0)
            return true;
    }
    return false;
}

/* A file of `include`, beside the source or below a folder of -I; NULL: it is not there. */
static const char *included(const struct compiling *c, const char *source, const char *name)
{
    for (int i = -1; i < c->count; i++) {
        const char *folder = i < 0 ? folder_of(source) : c->arguments[i] + 2,
                   *path = *name == '/' ? name : htmt__source_print("%s/%s", folder, name);
        if ((i < 0 || strncmp(c->arguments[i], "-I", 2) == 0) && access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

static void add_missing(struct htmt__fortran_guesses *g, const char *name)
{
    g->missing = htmt__source_room(g->missing, g->count, sizeof *g->missing);
    g->missing[g->count++] = name;
}

/* The names of modules and included files that are missing. gfortran would read a device or a pipe
 * to its end. */
static int find_missing(struct compiling *c)
{
    struct htmt__fortran_guesses *g = &c->guesses;
    g->source = c->source;
    g->sources = c->sources;
    for (unsigned i = 0; i < c->sources; i++)
        for (size_t l = 0; l < c->source[i].lines; l++) {
            const struct htmt__fortran_line *line = &c->source[i].line[l];
            const bool include = line->kind == HTMT__LINE_INCLUDE;
            const char *path = include ? included(c, c->source[i].path, line->key) : NULL;
            struct stat is;
            if (path && (stat(path, &is) || !S_ISREG(is.st_mode)))
                return htmt_fault_set(c->fault, HTMT_EFORMAT,
                                      "%s:%u: found '%s', which is no regular file",
                                      line->place.file, line->place.line, line->key);
            if ((include ? !path : line->kind == HTMT__LINE_USE && !is_found(c, line->key)) &&
                !htmt__fortran_is_missing(g, line->key))
                add_missing(g, line->key);
        }
    return 0;
}

/* ---- compilation ----------------------------------------------------------------------------- */

/* All sources once; c->errors: what is wrong with them. */
static int compile_all(struct compiling *c, struct htmt__fortran_tree *tree)
{
    const char *printed = "", *said = "";
    int status = 0, rc = 0;
    bool guesses = c->guesses.count > 0;
    c->errors = "";
    if (guesses) {
        const char *path = htmt__source_print("%s/htmt_missing.f90", c->folder);
        rc = write_file(c, path, htmt__fortran_stubs(&c->guesses));
        if (!rc)
            rc = compile(c, path, NULL, &printed, &said, &status);
    }
    for (unsigned k = 0; k < c->sources && !rc; k++) {
        const struct htmt__fortran_source *s = &c->source[c->order[k]];
        const char *path = s->path, *base = strrchr(s->path, '/');
        bool copied = guesses || s->is_preprocessed;
        if (copied) {
            /* The name stays, for messages. */
            path = htmt__source_print("%s/%u", c->folder, c->order[k]);
            mkdir(path, 0700);
            path = htmt__source_print("%s/%s", path, base ? base + 1 : s->path);
            rc = write_file(c, path, htmt__fortran_rewritten(&c->guesses, c->order[k]));
        }
        if (!rc)
            rc = compile(c, path, s, &printed, &said, &status);
        if (!rc && *said)
            c->errors = htmt__source_print("%s%s", c->errors, said);
        if (!rc && status && !guesses)
            return 0;
        if (!rc && tree)
            rc = htmt__fortran_read(tree, printed, c->fault);
    }
    return rc;
}

/* The first error, as "file:line:column: what". */
static int refuse(const struct compiling *c)
{
    for (const char *at = c->errors; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *end = at + strcspn(at, "\n"), *error = strstr(at, "Error: ");
        if (!error || error > end)
            continue;
        const size_t above = strlen(c->here);
        const bool below = strncmp(at, c->here, above) == 0 && at[above] == '/';
        const char *text = error + 7, *head = below ? at + above + 1 : at;
        int length = (int)(error - head);
        if (length > 6 && strncmp(error - 6, "Fatal ", 6) == 0)
            length -= 6;
        /* "at (1)" speaks of the column. */
        const char *one = strstr(text, " at (1)");
        int first = one && one < end ? (int)(one - text) : (int)(end - text);
        const char *rest = one && one < end ? one + 7 : end;
        return htmt_fault_set(c->fault, HTMT_EFORMAT, "%.*s%.*s%.*s", length, head, first, text,
                              (int)(end - rest), rest);
    }
    return htmt_fault_set(c->fault, HTMT_EFORMAT, "%s: gfortran cannot read it: %.*s",
                          c->source->path, (int)strcspn(c->errors, "\n"), c->errors);
}

static bool has_errors(const struct compiling *c)
{
    return strstr(c->errors, "Error: ") || strstr(c->errors, "Error:");
}

/* The line about modules that are missing. */
static const char *guessed(const struct compiling *c)
{
    const struct htmt__fortran_guesses *g = &c->guesses;
    const char *names = "";
    for (unsigned i = 0; i < g->count && i < 20; i++)
        names = htmt__source_print("%s%s'%s'", names, i ? ", " : "", g->missing[i]);
    for (unsigned i = 0; i < c->sources; i++)
        for (size_t l = 0; l < c->source[i].lines; l++) {
            const struct htmt__fortran_line *line = &c->source[i].line[l];
            if ((line->kind == HTMT__LINE_USE || line->kind == HTMT__LINE_INCLUDE) &&
                strcmp(line->key, g->missing[0]) == 0)
                return htmt__source_print(
                    "%s:%u:%u: found no %s%s %s%s: what %s names stand for is guessed",
                    line->place.file, line->place.line, line->place.column,
                    line->kind == HTMT__LINE_INCLUDE ? "file" : "module", g->count > 1 ? "s" : "",
                    names, g->count > 20 ? ", ..." : "", g->count > 1 ? "their" : "its");
        }
    return NULL;
}

static void remove_folder(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        const char *path = htmt__source_print("%s/%s", folder, e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (unlink(path) && (errno == EISDIR || errno == EPERM))
            remove_folder(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

/* A module of the sources that still has errors is not there for its users, either: they guess.
 * False: there is none. */
static bool miss_broken(struct compiling *c)
{
    static const char words[] = "Cannot open module file '";
    const char *at = strstr(c->errors, words);
    if (!c->guesses.count || !at)
        return false;
    at += sizeof words - 1;
    const char *name = htmt__source_print("%.*s", (int)strcspn(at, ".'\n"), at);
    if (htmt__fortran_is_missing(&c->guesses, name))
        return false;
    add_missing(&c->guesses, name);
    return true;
}

/* Fixed form may be written for lines that are longer than 72 columns; false: none is. */
static bool widen(struct compiling *c)
{
    bool any = false;
    for (unsigned i = 0; i < c->sources; i++) {
        struct htmt__fortran_source *s = &c->source[i];
        bool wide = false;
        for (const char *line = s->text; *line && s->is_fixed && !s->is_wide;
             line += strcspn(line, "\n"), line += *line == '\n') {
            size_t length = strcspn(line, "\n");
            wide |= !strchr("cC*!#", *line) && length > 72 && strcspn(line, "!") > 72;
        }
        if (!wide)
            continue;
        any = s->is_wide = true;
        s->lines = 0;
        s->units = 0;
        s->line = NULL;
        htmt__fortran_scan(s);
    }
    return any;
}

static int compile_guessing(struct compiling *c, struct htmt__parse *p)
{
    struct htmt__fortran_tree tree;
    int rc = 0;
    do {
        for (unsigned i = 0; c->guesses.count && i < ROUNDS_MAX && !rc; i++) {
            rc = compile_all(c, NULL);
            if (!rc && !htmt__fortran_learn(&c->guesses, c->errors))
                break;
        }
        if (!rc && c->guesses.count)
            htmt__fortran_lose(&c->guesses, c->errors);
        tree = (struct htmt__fortran_tree){.spaces = NULL};
        if (!rc)
            rc = compile_all(c, &tree);
    } while (!rc && miss_broken(c));
    const char *errors = c->errors;
    if (!rc && has_errors(c) && !c->guesses.count && widen(c)) {
        tree = (struct htmt__fortran_tree){.spaces = NULL};
        rc = compile_all(c, &tree);
        c->errors = has_errors(c) ? errors : c->errors;
    }
    if (!rc && has_errors(c) && !c->guesses.count)
        rc = refuse(c);
    if (rc)
        return rc;
    if (c->guesses.count)
        p->guessed = guessed(c);
    htmt__fortran_place(&tree, c->source, c->sources);
    htmt__fortran_functions(&tree, p);
    return 0;
}

int htmt__fortran_parse(struct htmt__parse *p, const char *const *paths, unsigned count,
                        const char *const *arguments, int options, struct htmt_fault *fault)
{
    struct compiling c = {.sources = count,
                          .source = htmt__source_alloc(count * sizeof *c.source),
                          .order = htmt__source_alloc(count * sizeof *c.order),
                          .gfortran = find_program(),
                          .fault = fault};
    const char *home = getenv("TMPDIR");
    char *folder = htmt__source_print("%s/htmt-XXXXXX", home && *home ? home : "/tmp");
    bool *seen = htmt__source_alloc(count * sizeof *seen);
    unsigned done = 0;
    int rc = 0;
    char here[HTMT_PATH_MAX];
    if (!getcwd(here, sizeof here))
        return htmt_fault_set(fault, HTMT_ESYSTEM, "the current folder: %s", strerror(errno));
    c.here = here;
    if (!c.gfortran)
        return htmt_fault_set(fault, HTMT_ESYSTEM,
                              "%s: Fortran needs gfortran, which is not on this host", *paths);
    setenv("LC_ALL", "C", 1);
    /* Those that both languages have. */
    const char **kept = htmt__source_alloc(((size_t)options + 1) * sizeof *kept);
    for (int i = c.count = 0; i < options; i++)
        if (arguments[i][0] == '-' && strchr("DIU", arguments[i][1]) && arguments[i][1])
            kept[c.count++] = arguments[i];
    c.arguments = kept;
    for (unsigned i = 0; i < count && !rc; i++) {
        c.source[i].path = paths[i];
        rc = read_source(&c, &c.source[i]);
        if (!rc)
            htmt__fortran_scan(&c.source[i]);
    }
    if (rc)
        return rc;
    for (unsigned i = 0; i < count; i++)
        add_ordered(&c, i, &done, seen);
    rc = find_missing(&c);
    if (rc)
        return rc;
    if (!mkdtemp(folder))
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: %s", folder, strerror(errno));
    c.folder = folder;
    rc = compile_guessing(&c, p);
    remove_folder(folder);
    return rc;
}
