/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt-analyze: `htmt analyze` becomes this program, so that the command itself links neither
 * libclang nor isl.
 *
 * From source to a nest file in six steps, each a file or two of this folder:
 *
 * - parse: libclang's tree becomes a smaller one (parse.c, syntax.h); for Fortran, what gfortran
 * prints of its tree does (fortran_parse.c runs it; fortran_dump.c, fortran_names.c,
 * fortran_value.c, fortran_call.c, fortran_code.c).
 *
 * - walk: each function is run once with polynomials as values (statement.c, expression.c, call.c,
 * branch.c, header.c, scan.c); it leaves a tree of loops, with what an iteration counts and touches
 * (notes.c, loops.h).
 *
 * - layout: subscripts become indices along axes (layout.c), where isl proves that they stay within
 * them (prove.c).
 *
 * - nests: chains of loops over space, short ones multiplied out (nests.c); boxes of arrays
 * (boxes.c).
 *
 * - relations: what offsets alone do not tell, distances and counts of coupled subscripts
 * (relations.c).
 *
 * - write: the file (write.c).
 *
 * What cannot be read is listed with its place and reason on standard error and in the file; exit
 * status 1 says that the file lacks something.
 */
#include "emul/loops/analyze_arguments.h"
#include "emul/tools/analyze/layout.h"
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/parse.h"
#include "emul/tools/analyze/write.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/printable.h"
#include "runtime/base/suggest.h"
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Expressions of sources are as deep as they are long. */
#define STACK_BYTES ((size_t)512 << 20)

/* A function whose body is walked where it is called. */
struct in_line {
    char *file;
    uint32_t line;
    struct in_line *next;
};

struct program {
    int argc, status;
    char **argv;
    struct in_line *in_line;
    unsigned left;   /* out, when in_line was empty */
    bool is_settled; /* nothing is read again */
    struct htmt__source_words words;
    struct htmt__parse parse;
    struct htmt__walk walk;
    struct htmt__prover *prover;
    struct htmt__nest_list nests;
    struct htmt__relations relations;
    const struct htmt__actual *actuals;
};

/* ---- options --------------------------------------------------------------------------------- */

/* "0.25" as a ratio. */
static bool read_part(const char *text, struct htmt__weight *part)
{
    char *end;
    long whole = strtol(text, &end, 10);
    *part = (struct htmt__weight){whole, 1};
    if (end == text && *end != '.')
        return false;
    for (const char *c = *end == '.' ? ++end : end; *c && part->den < 1000000; c++, end++) {
        if (*c < '0' || *c > '9')
            return false;
        part->num = part->num * 10 + (*c - '0');
        part->den *= 10;
    }
    return !*end && part->num >= 0 && part->num <= part->den;
}

/* "LINE=PART" or "FILE:LINE=PART" */
static int read_taken(const char *text, struct htmt__taken *t, struct htmt_fault *fault)
{
    const char *equal = strrchr(text, '='), *line = equal;
    while (line && line > text && line[-1] >= '0' && line[-1] <= '9')
        line--;
    if (line && line > text) {
        char *file = htmt__source_text(text);
        file[line - text - 1] = '\0';
        t->file = file;
    }
    t->line = line ? (uint32_t)strtoul(line, NULL, 10) : 0;
    if (t->line && (line == text || line[-1] == ':') && read_part(equal + 1, &t->part))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--taken: found '%s', expected LINE=PART or FILE:LINE=PART with a part "
                          "from 0 to 1",
                          text);
}

static int read_options(struct program *p, struct htmt_fault *fault)
{
    const struct htmt__source_words *w = &p->words;
    int rc = 0;
    p->walk.taken = htmt__source_alloc((w->takens + 1) * sizeof *p->walk.taken);
    p->walk.takens = w->takens;
    for (unsigned i = 0; i < w->takens && !rc; i++)
        rc = read_taken(w->taken[i], &p->walk.taken[i], fault);
    if (!rc && (rc = htmt__prover_open(&p->walk.names, &p->prover)))
        htmt_fault_set(fault, rc, "no memory for isl");
    p->walk.prover = p->prover;
    for (unsigned i = 0; i < w->assumes && !rc; i++)
        rc = htmt__prover_assume(p->prover, w->assume[i], fault);
    return rc;
}

/* The words of the command line, then those of the database. */
static int read_file(struct program *p, const char *path, struct htmt_fault *fault)
{
    const struct htmt__source_words *w = &p->words;
    const char **more = NULL;
    unsigned count = 0;
    int rc = w->database ? htmt__database_find(w->database, path, &more, &count, fault) : 0;
    if (rc)
        return rc;
    const char **all = htmt__source_alloc((w->compilers + count + 1) * sizeof *all);
    memcpy(all, w->compiler, w->compilers * sizeof *all);
    if (count)
        memcpy(all + w->compilers, more, count * sizeof *all);
    return htmt__parse_file(&p->parse, path, all, (int)(w->compilers + count), fault);
}

/* The functions of --function become those that are read. */
static int choose(struct program *p, struct htmt_fault *fault)
{
    const struct htmt__source_words *w = &p->words;
    const char **known = NULL;
    unsigned count = 0;
    for (struct htmt__declaration *f = p->parse.functions; f; f = f->next) {
        known = htmt__source_room(known, count, sizeof *known);
        known[count++] = f->name;
    }
    for (unsigned i = 0; i < w->functions; i++) {
        struct htmt__declaration *found = NULL;
        for (struct htmt__declaration *f = p->parse.functions; f; f = f->next) {
            if (strcmp(f->name, w->function[i]) != 0)
                continue;
            if (found)
                return htmt_fault_set(
                    fault, HTMT_EUSAGE, "--function %s: found two, in %s:%u and %s:%u", f->name,
                    found->place.file, found->place.line, f->place.file, f->place.line);
            found = f;
        }
        if (!found)
            return htmt__suggest_refuse("function", w->function[i], known, count,
                                        "a function with a body in the sources is expected", fault);
        found->is_chosen = true;
        p->walk.in_line = true;
    }
    return 0;
}

/* Functions that have one name, static ones of two files or those of C++, get names of their own.
 */
static void name_apart(struct htmt__declaration *functions)
{
    for (struct htmt__declaration *f = functions; f; f = f->next) {
        const char *own = f->name;
        bool taken = true;
        for (unsigned n = 2; taken; n++) {
            taken = false;
            for (const struct htmt__declaration *o = functions; o != f; o = o->next)
                taken |= strcmp(o->name, f->name) == 0;
            if (taken)
                f->name = htmt__source_print("%s_%u", own, n);
        }
    }
}

/* A procedure sees an array in one way, with components where its own loops leave them. Where the
 * nests around it see that array with other axes (a loop over all components of it, say), the call
 * is no word of a nest file. Which axes there are is known only when all is read, so then the
 * sources are read again, and the body stands where it is called. If that leaves out more, because
 * the body sees a matrix where the nests see n * n words, the call is left out after all. */
static bool is_in_line(const struct program *p, const struct htmt__declaration *f)
{
    const struct in_line *known = p->in_line;
    while (known && (known->line != f->place.line || strcmp(known->file, f->place.file) != 0))
        known = known->next;
    return known != NULL;
}

static void clear_in_line(struct program *p)
{
    for (struct in_line *f = p->in_line, *next; f; f = next) {
        next = f->next;
        free(f->file);
        free(f);
    }
    p->in_line = NULL;
}

/* Whether the sources must be read again. */
static bool put_in_line(struct program *p)
{
    unsigned left = 0;
    bool more = false;
    for (const struct htmt__skipped *s = p->walk.skipped; s; s = s->next)
        left++;
    if (p->is_settled || (p->in_line && left > p->left)) {
        more = !p->is_settled;
        p->is_settled = true;
        clear_in_line(p);
        return more;
    }
    p->left = p->in_line ? p->left : left;
    for (const struct htmt__declaration *f = p->parse.functions; f; f = f->next) {
        if (!f->has_other_axes || f->is_inlined || is_in_line(p, f))
            continue;
        struct in_line *own = malloc(sizeof *own);
        char *file = strdup(f->place.file);
        if (!own || !file) {
            free(own);
            free(file);
            return false; /* listed, as it was */
        }
        *own = (struct in_line){file, f->place.line, p->in_line};
        p->in_line = own;
        more = true;
    }
    return more;
}

static int make(struct program *p, struct htmt_fault *fault)
{
    name_apart(p->parse.functions);
    for (struct htmt__declaration *f = p->parse.functions; f; f = f->next)
        f->is_inlined |= is_in_line(p, f);
    for (const struct htmt__unread *u = p->walk.in_line ? NULL : p->parse.unread; u; u = u->next)
        htmt__walk_list(&p->walk, &u->place,
                        htmt__source_print("found %s '%s', whose loops are not read: expected "
                                           "plain functions",
                                           u->what, u->name));
    htmt__walk_functions(&p->walk, p->parse.functions);
    /* A branch that is not there is a mistake. */
    for (unsigned i = 0; i < p->walk.takens; i++)
        if (!p->walk.taken[i].used)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--taken %s: found no branch that depends on data in that line",
                                  p->words.taken[i]);
    int rc = htmt__prover_check(p->prover, fault);
    if (rc)
        return rc;
    htmt__tiles_merge(&p->walk);
    htmt__layout_make(&p->walk, p->prover);
    htmt__nests_classify(&p->walk);
    htmt__layout_components(&p->walk);
    htmt__nests_make(&p->walk, &p->nests);
    p->actuals = htmt__calls_bind(&p->walk);
    htmt__relations_find(p->prover, &p->nests, &p->relations);
    return 0;
}

static int finish(struct program *p, struct htmt_fault *fault)
{
    const char *guessed = p->parse.guessed;
    unsigned left = 0;
    htmt__shares_tell(&p->walk);
    for (const struct htmt__skipped *s = p->walk.skipped; s; s = s->next, left++) {
        char line[2000];
        htmt_printable(htmt__source_print("%s:%u:%u: %s", s->place.file, s->place.line,
                                          s->place.column, s->why),
                       line, sizeof line);
        if (p->words.strict)
            return htmt_fault_set(fault, HTMT_EFORMAT, "%s%s", line,
                                  s->next ? "; --strict refuses this, and more"
                                          : "; --strict refuses this");
        fprintf(stderr, "htmt analyze: %s\n", line);
    }
    for (const struct htmt__skipped *s = p->walk.told; s; s = s->next) {
        char line[2000];
        htmt_printable(htmt__source_print("%s:%u:%u: %s", s->place.file, s->place.line,
                                          s->place.column, s->why),
                       line, sizeof line);
        fprintf(stderr, "htmt analyze: %s\n", line);
    }
    if (guessed && p->words.strict)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s; --strict refuses this", guessed);
    if (guessed && (left || !p->nests.count))
        fprintf(stderr, "htmt analyze: %s\n", guessed);
    if (!p->nests.count)
        return left ? htmt_fault_set(fault, HTMT_EFORMAT, "none of the loops can be read")
                    : htmt_fault_set(fault, HTMT_EFORMAT, "%s: found no loop that computes",
                                     *p->words.file);
    struct htmt_whole_file *file = NULL;
    const struct htmt__writing writing = {&p->walk,   &p->nests,     &p->relations,
                                          p->actuals, p->words.file, guessed};
    int rc = htmt_whole_file_open(p->words.nests, &file, fault);
    if (rc)
        return rc;
    htmt__write_nests(&writing, htmt_whole_file_stream(file));
    rc = htmt_whole_file_commit(&file, fault);
    if (rc || (!left && !guessed))
        return rc;
    if (!left)
        return htmt_fault_set(fault, HTMT_EWRONG, "%s", guessed);
    return htmt_fault_set(fault, HTMT_EWRONG, "%s: %u loop%s read, %u left out", p->words.nests,
                          p->nests.count, p->nests.count == 1 ? "" : "s", left);
}

/* All Fortran sources together, then those of C one by one. */
static int parse(struct program *p, struct htmt_fault *fault)
{
    const struct htmt__source_words *w = &p->words;
    const char **fortran = htmt__source_alloc((w->files + 1) * sizeof *fortran);
    unsigned count = 0;
    int rc = 0;
    for (unsigned i = 0; i < w->files; i++)
        if (htmt__fortran_is_source(w->file[i]))
            fortran[count++] = w->file[i];
    p->walk.is_fortran = count > 0;
    if (count && count < w->files)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "found sources of Fortran and of C, expected those of one language");
    if (count)
        rc = htmt__fortran_parse(&p->parse, fortran, count, w->compiler, (int)w->compilers, fault);
    for (unsigned i = 0; !rc && !count && i < w->files; i++)
        rc = read_file(p, w->file[i], fault);
    return rc;
}

/* *again: what was read is of no use, a second run knows more. */
static int run(struct program *p, struct htmt_fault *fault, bool *again)
{
    const struct htmt__source_words *w = &p->words;
    int rc = htmt__source_words_read(&p->words, p->argc, p->argv, fault);
    if (!rc)
        rc = htmt__output_claim_streams(fault);
    if (!rc)
        rc = htmt_output_claim("--nests", w->nests, fault);
    if (!rc)
        rc = read_options(p, fault);
    if (!rc)
        rc = parse(p, fault);
    if (!rc)
        rc = choose(p, fault);
    if (!rc)
        rc = make(p, fault);
    *again = !rc && put_in_line(p);
    return rc || *again ? rc : finish(p, fault);
}

static void *work(void *argument)
{
    struct program *p = argument;
    for (bool again = true; again;) {
        struct htmt_fault fault = {0};
        *p = (struct program){.argc = p->argc,
                              .argv = p->argv,
                              .in_line = p->in_line,
                              .left = p->left,
                              .is_settled = p->is_settled};
        if (run(p, &fault, &again)) {
            fprintf(stderr, "htmt analyze: %s\n", fault.text);
            p->status = htmt_exit_status(fault.code);
        }
        htmt__prover_close(&p->prover);
        htmt__source_words_clear(&p->words);
        htmt__outputs_forget();
        htmt__source_release();
    }
    clear_in_line(p);
    return NULL;
}

int main(int argc, char **argv)
{
    struct program *p = calloc(1, sizeof *p);
    pthread_attr_t attributes;
    pthread_t thread;
    int status = 4;
    if (!p) {
        fputs("htmt analyze: no host memory for the program\n", stderr);
        return status;
    }
    p->argc = argc;
    p->argv = argv;
    int rc = pthread_attr_init(&attributes);
    if (!rc)
        rc = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!rc)
        rc = pthread_create(&thread, &attributes, work, p);
    if (!rc)
        rc = pthread_join(thread, NULL);
    if (rc)
        fprintf(stderr, "htmt analyze: the host has no thread with 512 MiB of stack: %s\n",
                strerror(rc));
    else
        status = p->status;
    free(p);
    return status;
}
