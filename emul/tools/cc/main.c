/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt-cc [--tape LEVEL] [--plain] [--reached] [options of clang] -c FILE.c -o FILE.o: compiles a C
 * file whose operations are to be recorded, without vectors (O0 to O2) or with them (O3, Ofast). It
 * takes the place of the compiler of a build, so FILE.o is one ordinary object. --plain makes the
 * same code without hooks, for the clock. --reached leaves out functions that nothing of default
 * visibility reaches: whatever stands beside a function that is predicted need not be recorded.
 * Seven steps lead there:
 *
 *     FILE.c         -- clang -->           FILE.o.ll         IR with clang's hooks of coverage
 *     FILE.o.ll      -- ask -->             FILE.o.plain.ll   IR without hooks, and of that
 *                                           FILE.o.plain.s    assembly: which selections become
 *                                                             branches (ask.c)
 *     FILE.o.ll      -- count -->           FILE.o.plain.ll   IR without hooks, and of that
 *                                           FILE.o.plain.s    assembly, to count instructions
 *     FILE.o.ll      -- hook -->            FILE.o.hooked.ll  IR with our hooks in their place
 *                                           FILE.o.blocks.c   tables: what each block does
 *     FILE.o.hooked.ll, FILE.o.blocks.c  -- clang -->  FILE.o.code.o, FILE.o.blocks.o
 *     both           -- ld -r -->           FILE.o
 *
 * The work is done on IR and not on machine code because the machines of the emulator have no
 * instruction set: a tape holds "64-bit addition", not "lea". The optimizer has run before the
 * count, so the tape has the operations that a compiler leaves, not those of the source.
 * FILE.o.blocks.c stays for whoever wants to read the tables; all else is removed.
 */
#include "emul/tools/cc/unit.h"

#include "layers/node/tape/tape_flags.h"
#include "runtime/base/child.h"
#include "runtime/base/whole_file.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIVEN_MAX 512
#define PATH_ROOM 4096

struct task {
    const char *source, *object;
    struct htmt__tape_level level;
    bool plain_code, reached;
    const char *given[GIVEN_MAX]; /* options for clang */
    int n;
    char ir[PATH_ROOM], hooked[PATH_ROOM], tables[PATH_ROOM], code[PATH_ROOM], data[PATH_ROOM],
        plain[PATH_ROOM], assembly[PATH_ROOM];
    struct htmt_fault fault;
};

/* ---- other programs -------------------------------------------------------------------------- */

/* word ends with NULL. */
static int run(struct task *t, const char *const *word)
{
    const struct htmt__child child = {word, NULL, NULL};
    struct htmt__child_end end;
    const int rc = htmt__child_run(&child, &end, &t->fault);
    return rc || !end.status
               ? rc
               : htmt_fault_set(&t->fault, HTMT_EINVAL, "%s: %s failed", t->source, word[0]);
}

/* The IR, or the object without hooks. */
static int compile_source(struct task *t)
{
    static const char *const always[] = {
        "-w", "-fPIC", "-DHTMT_RECORDED=1", "-fno-stack-protector", "-U_FORTIFY_SOURCE", NULL};
    static const char *const hooked[] = {
        "-gline-tables-only",
        "-fsanitize-coverage=bb,no-prune,trace-pc-guard,trace-loads,trace-stores",
        "-S",
        "-emit-llvm",
        "-o",
        NULL};
    static const char *const without[] = {"-falign-loops=64", "-c", "-o", NULL}; /* docs/host.md */
    const char *const *const lists[] = {always, t->plain_code ? without : hooked};
    const char *word[GIVEN_MAX + 24] = {HTMT_CLANG};
    int n = 1;
    for (int i = 0; i < t->n; i++)
        word[n++] = t->given[i];
    for (unsigned i = 0; i < t->level.flags; i++)
        word[n++] = t->level.flag[i];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *const *w = lists[i]; *w; w++)
            word[n++] = *w;
    word[n++] = t->plain_code ? t->object : t->ir;
    word[n++] = t->source;
    return run(t, word);
}

/* The tables hold what the hooks say of the IR, so clang may optimize code and hooks together. */
static int make_object(struct task *t)
{
    int rc = run(t, (const char *const[]){HTMT_CLANG, "-O2", "-fno-vectorize", "-fno-slp-vectorize",
                                          "-fno-unroll-loops", "-w", "-fPIC", "-c", "-o", t->code,
                                          t->hooked, NULL});
    if (!rc)
        rc = run(t, (const char *const[]){HTMT_CLANG, "-O1", "-w", "-fPIC", "-c", "-o", t->data,
                                          t->tables, NULL});
    return rc ? rc
              : run(t, (const char *const[]){"ld", "-r", "-o", t->object, t->code, t->data, NULL});
}

/* ---- the unit -------------------------------------------------------------------------------- */

static int print(struct task *t, LLVMModuleRef module, const char *path)
{
    char *message = NULL;
    int rc = 0;
    if (LLVMPrintModuleToFile(module, path, &message))
        rc = htmt_fault_set(&t->fault, HTMT_EIO, "%s: %s", path, message);
    if (message)
        LLVMDisposeMessage(message);
    return rc;
}

/* The module has been optimized; what is left is to make instructions of it, as without hooks. */
static int read_assembly(struct task *t, struct htmt__unit *u, LLVMModuleRef plain,
                         int (*reader)(struct htmt__unit *, FILE *))
{
    int rc = print(t, plain, t->plain);
    if (!rc)
        rc = run(t, (const char *const[]){
                        HTMT_CLANG, t->level.flag[0], "-Xclang", "-disable-llvm-passes", "-mllvm",
                        "-use-unknown-locations=Enable", "-fno-discard-value-names",
                        "-fverbose-asm", "-w", "-fPIC", "-S", "-o", t->assembly, t->plain, NULL});
    FILE *in = rc ? NULL : fopen(t->assembly, "r");
    if (!rc && !in)
        rc = htmt_fault_set(&t->fault, HTMT_EIO, "%s: cannot open", t->assembly);
    rc = rc ? rc : reader(u, in);
    if (in)
        fclose(in);
    return rc;
}

static int ask(struct task *t, struct htmt__unit *u)
{
    LLVMModuleRef plain = htmt__unit_plain(u);
    int rc = htmt__unit_number_asked(u, plain) ? read_assembly(t, u, plain, htmt__unit_ask) : 0;
    LLVMDisposeModule(plain);
    return rc;
}

static int count_compiled(struct task *t, struct htmt__unit *u)
{
    htmt__unit_name_blocks(u);
    LLVMModuleRef plain = htmt__unit_plain(u);
    int rc = read_assembly(t, u, plain, htmt__unit_count_compiled);
    LLVMDisposeModule(plain);
    return rc;
}

/* Counts and hooks the module; writes its IR and its tables. */
static int transform(struct task *t, LLVMContextRef context, LLVMModuleRef module)
{
    struct htmt__unit u;
    struct htmt_whole_file *file = NULL;
    int rc = htmt__unit_open(&u, t->source, t->level.vectors, context, module, &t->fault);
    if (!rc)
        rc = ask(t, &u);
    if (!rc)
        rc = htmt__unit_count(&u);
    if (!rc)
        rc = count_compiled(t, &u);
    if (!rc)
        rc = htmt__unit_hook(&u);
    if (!rc)
        rc = htmt_whole_file_open(t->tables, &file, &t->fault);
    if (!rc)
        rc = htmt__unit_write(&u, htmt_whole_file_stream(file));
    if (rc)
        htmt_whole_file_abandon(&file);
    else
        rc = htmt_whole_file_commit(&file, &t->fault);
    rc = rc ? rc : print(t, module, t->hooked);
    htmt__unit_close(&u);
    return rc;
}

/* What is hidden and not reached. */
static int leave_out(struct task *t, LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMSetComdat(f, NULL); /* with the guards of its blocks, which are kept */
        if (!LLVMIsDeclaration(f) && LLVMGetVisibility(f) == LLVMHiddenVisibility)
            LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, "globaldce", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return 0;
    LLVMConsumeError(error);
    return htmt_fault_set(&t->fault, HTMT_EINVAL, "%s: functions cannot be left out", t->source);
}

static int instrument(struct task *t)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    int rc = 0;
    if (LLVMCreateMemoryBufferWithContentsOfFile(t->ir, &buffer, &message) ||
        LLVMParseIRInContext(context, buffer, &module, &message))
        rc = htmt_fault_set(&t->fault, HTMT_EFORMAT, "%s: %s", t->ir, message);
    if (message)
        LLVMDisposeMessage(message);
    if (!rc && t->reached)
        rc = leave_out(t, module);
    if (!rc)
        rc = transform(t, context, module);
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return rc;
}

/* ---- command line ---------------------------------------------------------------------------- */

/* Options of other compilers, and those that set how far the code is optimized. */
static bool is_left_out(const char *word)
{
    static const char *const begin[] = {"-fsanitize", "-fno-sanitize",     "-fprofile",        "-O",
                                        "-Wframe",    "-fstack-protector", "-D_FORTIFY_SOURCE"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(word, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static int take_words(struct task *t, int argc, char **argv)
{
    int rc = 0;
    (void)htmt__tape_level_of("O2", &t->level);
    for (int i = 1; i < argc; i++) {
        const size_t n = strlen(argv[i]);
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
            t->object = argv[++i];
        } else if (strcmp(argv[i], "--tape") == 0 && i + 1 < argc && !rc) {
            if (!htmt__tape_level_of(argv[++i], &t->level))
                rc = htmt_fault_set(&t->fault, HTMT_EUSAGE,
                                    "--tape: found '%s', expected a level as "
                                    "O2 or O3",
                                    argv[i]);
        } else if (strcmp(argv[i], "--plain") == 0) {
            t->plain_code = true;
        } else if (strcmp(argv[i], "--reached") == 0) {
            t->reached = true;
        } else if (!htmt__tape_level_known(argv[i]) && !rc) {
            rc = htmt_fault_set(&t->fault, HTMT_EUSAGE, "found '%s', expected " HTMT__TAPE_LEVELS,
                                argv[i]);
        } else if (argv[i][0] != '-' && n > 2 && strcmp(argv[i] + n - 2, ".c") == 0) {
            t->source = argv[i];
        } else if (strcmp(argv[i], "-c") != 0 && !is_left_out(argv[i]) && t->n < GIVEN_MAX) {
            t->given[t->n++] = argv[i];
        }
    }
    if (rc || (t->source && t->object))
        return rc;
    return htmt_fault_set(
        &t->fault, HTMT_EUSAGE,
        "usage: htmt-cc [--tape LEVEL] [--plain] [--reached] [options of clang] -c FILE.c -o "
        "FILE.o");
}

static int compile(struct task *t, int argc, char **argv)
{
    const struct {
        char *path;
        const char *ending;
    } files[] = {{t->ir, "ll"},          {t->hooked, "hooked.ll"},
                 {t->plain, "plain.ll"}, {t->assembly, "plain.s"},
                 {t->code, "code.o"},    {t->data, "blocks.o"},
                 {t->tables, "blocks.c"}};
    enum { FILES = sizeof files / sizeof *files };
    int rc = take_words(t, argc, argv);
    for (size_t i = 0; i < FILES && !rc; i++)
        if (snprintf(files[i].path, PATH_ROOM, "%s.%s", t->object, files[i].ending) >= PATH_ROOM)
            rc = htmt_fault_set(&t->fault, HTMT_ERANGE, "%s: too long a name", t->object);
    if (rc)
        return rc;
    rc = compile_source(t);
    if (!rc && !t->plain_code)
        rc = instrument(t);
    if (!rc && !t->plain_code)
        rc = make_object(t);
    for (size_t i = 0; i < FILES && !t->plain_code; i++)
        if (rc || files[i].path != t->tables)
            unlink(files[i].path);
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
