/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The entries `code` of a profile: the tables of compiled blocks as text, so that a profile stands
 * for itself, without the program that it was measured of. Text becomes tables with room for MOST
 * of each, which are checked as those of a tape file are and then copied.
 */
#include "layers/node/profile_code.h"

#include "layers/node/tape/tape_tables.h"
#include "runtime/base/library.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST 65536 /* of each table */

static const char *const ends[] = {"fall", "jump", "condition", "return", NULL};

#define WHOLE(name, to)       .key = (name), .kind = HTMT_SCHEMA_WHOLE, .least = 0, .most = (to)
#define TEXT(name, otherwise) .key = (name), .kind = HTMT_SCHEMA_TEXT, .fallback = (otherwise)

const struct htmt_schema_row htmt__profile_code_rows[] = {
    {WHOLE("number", MOST - 1)},
    {TEXT("function", "kernel")},
    {WHOLE("at", UINT32_MAX), .fallback = "0"},
    {WHOLE("instructions", MOST), .fallback = "0"},
    {WHOLE("accesses", HTMT__PROFILE_ACCESSES), .fallback = "0"},
    {TEXT("operations", "")},
    {TEXT("waits", "")},
    {.key = "ends", .kind = HTMT_SCHEMA_CHOICE, .words = ends, .fallback = "fall"},
    {WHOLE("loop", MOST - 1), .fallback = "0"},
    {TEXT("chains", "")},
    {.key = NULL}};

/* ---- operations ------------------------------------------------------------------------------ */

static void skip(const char **text)
{
    *text += strspn(*text, ", ");
}

static bool read_count(const char **text, uint64_t *n)
{
    char *end;
    *n = 1;
    if (strncmp(*text, " x ", 3) != 0)
        return true;
    *n = strtoull(*text + 3, &end, 10);
    const bool good = end != *text + 3 && *n && *n < UINT32_MAX;
    *text = end;
    return good;
}

bool htmt__operation_read(const char **text, struct htmt__operation_count *count)
{
    char name[32];
    skip(text);
    const size_t n = strcspn(*text, ",; ");
    if (!n || n >= sizeof name)
        return false;
    memcpy(name, *text, n);
    name[n] = 0;
    if (!htmt_operation_of(name, &count->operation, &count->type))
        return false;
    *text += n;
    return read_count(text, &count->n);
}

int htmt__operation_refuse(const struct htmt_parameters *at, const char *key, const char *text,
                           struct htmt_fault *fault)
{
    return htmt_parameter_refuse(at, key, HTMT_EFORMAT, fault,
                                 "found '%.*s', expected operations and types such as "
                                 "'mul-f64, add-i32 x 2'",
                                 (int)strcspn(text, ",;"), text);
}

void htmt__operation_write(FILE *out, bool first, unsigned operation, unsigned type, uint64_t n)
{
    const bool untyped = htmt__operation_untyped((enum htmt_operation)operation);
    fprintf(out, "%s%s", first ? "" : ", ", htmt_operation_name((enum htmt_operation)operation));
    if (!untyped)
        fprintf(out, "-%s", htmt_operand_name((enum htmt_type_of_operand)type));
    if (n > 1)
        fprintf(out, " x %" PRIu64, n);
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct tables {
    struct htmt__tape_block block[MOST];
    struct htmt__tape_op op[MOST];
    struct htmt__tape_chain chain[MOST];
    struct htmt__tape_link link[MOST];
    struct htmt__tape_function function[MOST];
    struct htmt__tape_program program;
};

static int refuse_many(const struct htmt_parameters *at, const char *key, struct htmt_fault *fault)
{
    return htmt_parameter_refuse(at, key, HTMT_ERANGE, fault, "expected at most %d in all", MOST);
}

static uint32_t function_of(struct tables *t, const char *name)
{
    uint32_t i = 0;
    while (i < t->program.function_count && strcmp(t->function[i].name, name) != 0)
        i++;
    if (i == t->program.function_count && i < MOST)
        t->function[t->program.function_count++] =
            (struct htmt__tape_function){.name = name, .file = ""};
    return i;
}

/* Of `operations`, or of `waits`. A load may be waited for, but is an access where operations are
 * counted. */
static int read_operations(struct tables *t, const char *key, const struct htmt_parameters *at,
                           uint32_t *ops, struct htmt_fault *fault)
{
    const bool loads = strcmp(key, "waits") == 0;
    const char *text = htmt_parameter_text(at, key);
    for (skip(&text); *text; skip(&text)) {
        struct htmt__operation_count c = {.operation = HTMT_OPERATIONS};
        bool good;
        if (loads && strncmp(text, "load", 4) == 0) {
            text += 4;
            good = read_count(&text, &c.n);
        } else
            good = htmt__operation_read(&text, &c);
        if (!good || c.n > UINT16_MAX)
            return htmt__operation_refuse(at, key, text, fault);
        if (t->program.op_count == MOST)
            return refuse_many(at, key, fault);
        t->op[t->program.op_count++] =
            (struct htmt__tape_op){(uint8_t)c.operation, (uint8_t)c.type, (uint16_t)c.n};
        ++*ops;
    }
    return 0;
}

/* "add-f64", or "load 3.0": the first access of block 3. */
static bool read_link(const char **text, struct htmt__tape_link *link)
{
    struct htmt__operation_count c;
    int n = 0;
    *link = (struct htmt__tape_link){.operation = HTMT_OPERATIONS};
    skip(text);
    if (sscanf(*text, "load %" SCNu32 ".%" SCNu16 "%n", &link->block, &link->access, &n) == 2 &&
        n) {
        *text += n;
        return true;
    }
    if (!htmt__operation_read(text, &c) || c.n != 1)
        return false;
    *link = (struct htmt__tape_link){.operation = (uint8_t)c.operation, .type = (uint8_t)c.type};
    return true;
}

/* "mul-f64, add-f64; load 3.0": links with commas between them, chains with semicolons. */
static int read_chains(struct tables *t, struct htmt__tape_block *b,
                       const struct htmt_parameters *at, struct htmt_fault *fault)
{
    const char *text = htmt_parameter_text(at, "chains");
    b->chain = t->program.chain_count;
    for (skip(&text); *text; skip(&text)) {
        if (t->program.chain_count == MOST)
            return refuse_many(at, "chains", fault);
        struct htmt__tape_chain *chain = &t->chain[t->program.chain_count++];
        *chain = (struct htmt__tape_chain){.first = t->program.link_count};
        for (; *text && *text != ';'; skip(&text)) {
            if (t->program.link_count == MOST)
                return refuse_many(at, "chains", fault);
            if (!read_link(&text, &t->link[t->program.link_count]))
                return htmt__operation_refuse(at, "chains", text, fault);
            t->program.link_count++;
            chain->n++;
        }
        text += *text == ';';
        b->chains++;
    }
    return 0;
}

static int read_block(struct tables *t, const struct htmt_parameters *at, struct htmt_fault *fault)
{
    const uint32_t number = (uint32_t)htmt_parameter_whole(at, "number");
    struct htmt__tape_block *b = &t->block[number];
    const uint32_t function = function_of(t, htmt_parameter_text(at, "function"));
    if (number >= t->program.block_count)
        t->program.block_count = number + 1;
    if (function == MOST)
        return refuse_many(at, "function", fault);
    *b = (struct htmt__tape_block){.function = function,
                                   .code = (uint32_t)htmt_parameter_whole(at, "at"),
                                   .instructions =
                                       (uint32_t)htmt_parameter_whole(at, "instructions"),
                                   .accesses = (uint16_t)htmt_parameter_whole(at, "accesses"),
                                   .loop_end = (uint32_t)htmt_parameter_whole(at, "loop"),
                                   .end = (uint8_t)htmt_parameter_choice(at, "ends")};
    b->op = t->program.op_count;
    int rc = read_operations(t, "operations", at, &b->ops, fault);
    b->wait = t->program.op_count;
    rc = rc ? rc : read_operations(t, "waits", at, &b->waits, fault);
    return rc ? rc : read_chains(t, b, at, fault);
}

int htmt__profile_code_read(const struct htmt_parameters *file, struct htmt__profile *profile,
                            struct htmt_fault *fault)
{
    const unsigned count = htmt_parameter_count(file, "code");
    if (!count)
        return 0;
    struct tables *t = calloc(1, sizeof *t);
    if (!t)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    int rc = 0;
    function_of(t, htmt_parameter_text(htmt_parameter_group(file, "code", 0), "function"));
    for (unsigned i = 0; i < count && !rc; i++)
        rc = read_block(t, htmt_parameter_group(file, "code", i), fault);
    if (!rc) {
        t->program.blocks = t->block;
        t->program.ops = t->op;
        t->program.chains = t->chain;
        t->program.links = t->link;
        t->program.functions = t->function;
        t->program.build = htmt__tape_build(&t->program);
        const char *wrong = htmt__tape_check(&t->program);
        if (wrong)
            rc = htmt_parameter_refuse(file, "code", HTMT_EFORMAT, fault, "%s", wrong);
        else if (!(profile->program = htmt__tape_copy(&t->program)))
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    }
    free(t);
    return rc;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_block(const struct htmt__tape_program *p, uint32_t number, FILE *out)
{
    const struct htmt__tape_block *b = &p->blocks[number];
    fprintf(out, "  - number: %" PRIu32 "\n    function: \"%s\"\n    at: %" PRIu32 "\n", number,
            b->function < p->function_count ? p->functions[b->function].name : "kernel", b->code);
    fprintf(out, "    instructions: %" PRIu32 "\n    accesses: %" PRIu16 "\n    operations: \"",
            b->instructions, b->accesses);
    for (uint32_t i = 0; i < b->ops; i++) {
        const struct htmt__tape_op *op = &p->ops[b->op + i];
        htmt__operation_write(out, !i, op->operation, op->type, op->n);
    }
    fputs(b->waits ? "\"\n    waits: \"" : "", out);
    for (uint32_t i = 0; i < b->waits; i++) {
        const struct htmt__tape_op *op = &p->ops[b->wait + i];
        if (op->operation == HTMT_OPERATIONS)
            fprintf(out, "%sload x %" PRIu16, i ? ", " : "", op->n);
        else
            htmt__operation_write(out, !i, op->operation, op->type, op->n);
    }
    fprintf(out, "\"\n    ends: %s\n", ends[b->end]);
    if (b->loop_end)
        fprintf(out, "    loop: %" PRIu32 "\n", b->loop_end);
    fputs(b->chains ? "    chains: \"" : "", out);
    for (uint32_t i = 0; i < b->chains; i++) {
        const struct htmt__tape_chain *chain = &p->chains[b->chain + i];
        fputs(i ? "; " : "", out);
        for (uint32_t k = 0; k < chain->n; k++) {
            const struct htmt__tape_link *link = &p->links[chain->first + k];
            if (link->operation == HTMT_OPERATIONS)
                fprintf(out, "%sload %" PRIu32 ".%" PRIu16, k ? ", " : "", link->block,
                        link->access);
            else
                htmt__operation_write(out, !k, link->operation, link->type, 1);
        }
    }
    fputs(b->chains ? "\"\n" : "", out);
}

void htmt__profile_code_write(const struct htmt__profile *profile, FILE *out)
{
    bool any = false;
    for (uint32_t i = 0; profile->program && i < profile->program->block_count; i++) {
        bool used = false;
        for (uint32_t b = 0; b < profile->blocks && !used; b++)
            used = !profile->block[b].annotated && profile->block[b].number == i;
        if (!used)
            continue;
        fputs(any ? "" : "code:\n", out);
        write_block(profile->program, i, out);
        any = true;
    }
}
