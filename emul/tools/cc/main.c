/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt-cc [--tape O2|O3] [options of clang] -c FILE.c -o FILE.o: compiles a C file whose operations
 * are to be recorded, without vectors (O2) or with them (O3). clang makes IR with its hooks; ours
 * take their place, what it leaves out is added; the tables of the blocks go into FILE.o.blocks.c;
 * clang makes objects of both, and ld one of them.
 */
#include "emul/tools/cc/unit.h"

#include "runtime/base/whole_file.h"

#include <errno.h>
#include <llvm-c/IRReader.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef HTMT_CLANG
#define HTMT_CLANG "clang-14"
#endif
#define WORDS_MAX 512
#define PATH_ROOM 4096

extern char **environ;

struct command {
    char *word[WORDS_MAX];
    int n;
};

struct task {
    const char *source, *object;
    bool vectors;
    struct command given; /* options for clang */
    char ir[PATH_ROOM], hooked[PATH_ROOM], tables[PATH_ROOM], code[PATH_ROOM], data[PATH_ROOM];
    struct htmt_fault fault;
};

/* ---- other programs -------------------------------------------------------------------------- */

static void add(struct command *c, const char *word)
{
    if (c->n + 1 < WORDS_MAX)
        c->word[c->n++] = (char *)(uintptr_t)word;
    c->word[c->n] = NULL;
}

static void add_all(struct command *c, const char *const *words)
{
    for (; *words; words++)
        add(c, *words);
}

static int run(struct task *t, struct command *c)
{
    pid_t child;
    int status = 0;
    int rc = posix_spawnp(&child, c->word[0], NULL, NULL, c->word, environ);
    if (rc)
        return htmt_fault_set(&t->fault, HTMT_ESYSTEM, "%s: cannot start it: %s", c->word[0],
                              strerror(rc));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return htmt_fault_set(&t->fault, HTMT_EINVAL, "%s: %s failed", t->source, c->word[0]);
    return 0;
}

static int make_ir(struct task *t)
{
    static const char *const plain[] = {"-O2", "-fno-vectorize", "-fno-slp-vectorize",
                                        "-fno-unroll-loops", NULL};
    static const char *const vectors[] = {"-O3", NULL};
    static const char *const last[] = {
        "-w",
        "-gline-tables-only",
        "-fPIC",
        "-DHTMT_RECORDED=1",
        "-fno-stack-protector",
        "-U_FORTIFY_SOURCE",
        "-fsanitize-coverage=bb,no-prune,trace-pc-guard,trace-loads,trace-stores",
        "-S",
        "-emit-llvm",
        "-o",
        NULL};
    struct command c = {.n = 0};
    add(&c, HTMT_CLANG);
    for (int i = 0; i < t->given.n; i++)
        add(&c, t->given.word[i]);
    add_all(&c, t->vectors ? vectors : plain);
    add_all(&c, last);
    add(&c, t->ir);
    add(&c, t->source);
    return run(t, &c);
}

/* What hooks say of the IR is settled; clang optimizes code and hooks together. */
static int make_code(struct task *t)
{
    static const char *const words[] = {HTMT_CLANG,
                                        "-O2",
                                        "-fno-vectorize",
                                        "-fno-slp-vectorize",
                                        "-fno-unroll-loops",
                                        "-w",
                                        "-fPIC",
                                        "-c",
                                        "-o",
                                        NULL};
    struct command c = {.n = 0};
    add_all(&c, words);
    add(&c, t->code);
    add(&c, t->hooked);
    return run(t, &c);
}

static int make_data(struct task *t)
{
    static const char *const words[] = {HTMT_CLANG, "-O1", "-w", "-fPIC", "-c", "-o", NULL};
    struct command c = {.n = 0};
    add_all(&c, words);
    add(&c, t->data);
    add(&c, t->tables);
    return run(t, &c);
}

static int join(struct task *t)
{
    struct command c = {.n = 0};
    add(&c, "ld");
    add(&c, "-r");
    add(&c, "-o");
    add(&c, t->object);
    add(&c, t->code);
    add(&c, t->data);
    return run(t, &c);
}

/* ---- the unit -------------------------------------------------------------------------------- */

static int write_tables(struct task *t, const struct htmt__unit *u)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(t->tables, &file, &t->fault);
    if (!rc)
        rc = htmt__unit_write(u, htmt_whole_file_stream(file));
    if (rc) {
        htmt_whole_file_abandon(&file);
        return rc;
    }
    return htmt_whole_file_commit(&file, &t->fault);
}

static int transform(struct task *t, LLVMContextRef context, LLVMModuleRef module)
{
    struct htmt__unit u;
    char *message = NULL;
    int rc = htmt__unit_open(&u, t->source, t->vectors, context, module, &t->fault);
    if (!rc)
        rc = htmt__unit_count(&u);
    if (!rc)
        rc = htmt__unit_hook(&u);
    if (!rc)
        rc = write_tables(t, &u);
    if (!rc && LLVMPrintModuleToFile(module, t->hooked, &message))
        rc = htmt_fault_set(&t->fault, HTMT_EIO, "%s: %s", t->hooked, message);
    if (message)
        LLVMDisposeMessage(message);
    htmt__unit_close(&u);
    return rc;
}

static int read_ir(struct task *t, LLVMContextRef context, LLVMModuleRef *module)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    int rc = 0;
    if (LLVMCreateMemoryBufferWithContentsOfFile(t->ir, &buffer, &message) ||
        LLVMParseIRInContext(context, buffer, module, &message))
        rc = htmt_fault_set(&t->fault, HTMT_EFORMAT, "%s: %s", t->ir, message);
    if (message)
        LLVMDisposeMessage(message);
    return rc;
}

static int instrument(struct task *t)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    int rc = read_ir(t, context, &module);
    if (!rc)
        rc = transform(t, context, module);
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return rc;
}

static int work(struct task *t)
{
    int rc = make_ir(t);
    if (!rc)
        rc = instrument(t);
    if (!rc)
        rc = make_code(t);
    if (!rc)
        rc = make_data(t);
    return rc ? rc : join(t);
}

/* ---- command line ---------------------------------------------------------------------------- */

/* Of other compilers, or what sets how far the code is optimized. */
static bool is_left_out(const char *word)
{
    static const char *const begin[] = {"-fsanitize", "-fno-sanitize",     "-fprofile",        "-O",
                                        "-Wframe",    "-fstack-protector", "-D_FORTIFY_SOURCE"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(word, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static bool is_source(const char *word)
{
    const size_t n = strlen(word);
    return word[0] != '-' && n > 2 && strcmp(word + n - 2, ".c") == 0;
}

static int take_tape(struct task *t, const char *name)
{
    t->vectors = strcmp(name, "O3") == 0;
    if (t->vectors || strcmp(name, "O2") == 0)
        return 0;
    return htmt_fault_set(&t->fault, HTMT_EUSAGE, "--tape: found '%s', expected O2 or O3", name);
}

static int take(struct task *t, int argc, char **argv)
{
    int rc = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            t->object = argv[++i];
        else if (strcmp(argv[i], "--tape") == 0 && i + 1 < argc && !rc)
            rc = take_tape(t, argv[++i]);
        else if (is_source(argv[i]))
            t->source = argv[i];
        else if (strcmp(argv[i], "-c") != 0 && !is_left_out(argv[i]))
            add(&t->given, argv[i]);
    }
    if (rc || (t->source && t->object))
        return rc;
    return htmt_fault_set(&t->fault, HTMT_EUSAGE,
                          "usage: htmt-cc [--tape O2|O3] [options of clang] -c FILE.c -o FILE.o");
}

static int name_files(struct task *t)
{
    const struct {
        char *path;
        const char *ending;
    } files[] = {{t->ir, "ll"},
                 {t->hooked, "hooked.ll"},
                 {t->tables, "blocks.c"},
                 {t->code, "code.o"},
                 {t->data, "blocks.o"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (snprintf(files[i].path, PATH_ROOM, "%s.%s", t->object, files[i].ending) >= PATH_ROOM)
            return htmt_fault_set(&t->fault, HTMT_ERANGE, "%s: too long a name", t->object);
    return 0;
}

static void remove_files(const struct task *t, bool failed)
{
    const char *const files[] = {t->ir, t->hooked, t->code, t->data};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    if (failed)
        unlink(t->tables);
}

static int compile(struct task *t, int argc, char **argv)
{
    int rc = take(t, argc, argv);
    if (!rc)
        rc = name_files(t);
    if (rc)
        return rc;
    rc = work(t);
    remove_files(t, rc != 0);
    return rc;
}

int main(int argc, char **argv)
{
    struct task *t = calloc(1, sizeof *t);
    int rc = t ? compile(t, argc, argv) : HTMT_ENOMEM;
    if (rc)
        fprintf(stderr, "htmt-cc: %s\n", t && *t->fault.text ? t->fault.text : htmt_strerror(rc));
    free(t);
    return htmt_exit_status(rc);
}
