/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt ops show`: what a tape holds.
 */
#include "emul/command/ops.h"
#include "emul/lib/text/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int htmt__ops_load(const char *path, struct htmt__tape **tape, struct htmt_fault *fault)
{
    static const char suffix[] = ".lackey";
    const size_t n = strlen(path), k = sizeof suffix - 1;
    char error[sizeof fault->text] = "";
    int rc = n > k && strcmp(path + n - k, suffix) == 0
                 ? htmt__tape_load_lackey(tape, path, error, sizeof error)
                 : htmt__tape_load(tape, path, 0, error, sizeof error);
    return rc ? htmt_fault_set(fault, rc, "%s", error) : 0;
}

#define LINE_BYTES 64u
#define SHOWN      8u                  /* functions */
#define MODELLED   (UINT64_C(1) << 40) /* a larger region is a kind of addresses */

/* Distinct lines of memory: a hash table of their numbers, plus one; 0 is free. */
struct lines {
    uint64_t *at;
    size_t n, room;
};

struct summary {
    const struct htmt__tape *tape;
    const struct htmt__tape_program *program; /* NULL: none */
    uint64_t *times;                          /* of each block */
    uint64_t of[HTMT_OPERATIONS][HTMT_OPERAND_TYPES];
    uint64_t loads, stores, bytes, fetches, services, instructions, compiled, branches;
    struct lines lines, code;
    int rc;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static uint64_t *slot_of(const struct lines *l, uint64_t line)
{
    size_t i = (size_t)((line * UINT64_C(0x9e3779b97f4a7c15)) >> 20);
    while (l->at[i & (l->room - 1)] && l->at[i & (l->room - 1)] != line + 1)
        i++;
    return &l->at[i & (l->room - 1)];
}

static int grow(struct lines *l)
{
    struct lines more = {.room = l->room ? 2 * l->room : 1024};
    more.at = calloc(more.room, sizeof *more.at);
    if (!more.at)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < l->room; i++)
        if (l->at[i])
            *slot_of(&more, l->at[i] - 1) = l->at[i];
    more.n = l->n;
    free(l->at);
    *l = more;
    return 0;
}

static void touch(struct summary *s, struct lines *l, uint64_t address)
{
    if (2 * l->n >= l->room && grow(l)) {
        s->rc = HTMT_ENOMEM;
        return;
    }
    uint64_t *slot = slot_of(l, address / LINE_BYTES);
    l->n += !*slot;
    *slot = address / LINE_BYTES + 1;
}

/* ---- entries --------------------------------------------------------------------------------- */

static void take(struct summary *s, uint64_t entry)
{
    const uint64_t address = htmt__tape_address(entry);
    const enum htmt__tape_kind kind = htmt__tape_kind(entry);
    switch (kind) {
    case HTMT__TAPE_BLOCK: {
        const struct htmt__tape_block *b = &s->program->blocks[(uint32_t)address];
        s->times[(uint32_t)address]++;
        s->instructions += b->instructions;
        s->compiled += b->compiled;
        s->branches += b->end == HTMT__END_CONDITION;
        for (uint32_t i = 0; i < b->instructions; i += LINE_BYTES / 4)
            touch(s, &s->code, HTMT__TAPE_IMAGE + b->code + 4 * i);
        for (uint32_t i = 0; i < b->ops; i++) {
            const struct htmt__tape_op *op = &s->program->ops[b->op + i];
            s->of[op->operation][op->type] += op->n;
        }
        break;
    }
    case HTMT__TAPE_LOAD:
    case HTMT__TAPE_STORE:
        s->loads += kind == HTMT__TAPE_LOAD;
        s->stores += kind == HTMT__TAPE_STORE;
        s->bytes += htmt__tape_width(entry);
        touch(s, &s->lines, address);
        break;
    case HTMT__TAPE_OP:
        s->of[htmt__tape_width(entry)][address & 255] += address >> 8;
        break;
    case HTMT__TAPE_CODE:
    case HTMT__TAPE_FETCH:
        s->fetches++;
        touch(s, &s->code, address);
        break;
    case HTMT__TAPE_BRANCH:
        s->branches++;
        break;
    case HTMT__TAPE_END:
        s->services++;
        break;
    default:
        break;
    }
}

static int take_all(struct summary *s)
{
    size_t n = 0;
    const uint64_t *chunk;
    s->program = htmt__tape_program(s->tape);
    s->times = calloc((s->program ? s->program->block_count : 0) + 1, sizeof *s->times);
    if (!s->times)
        return HTMT_ENOMEM;
    for (size_t i = 0; (chunk = htmt__tape_chunk(s->tape, i, &n)) && !s->rc; i++)
        for (size_t k = 0; k < n; k++)
            take(s, chunk[k]);
    return s->rc;
}

/* ---- print ----------------------------------------------------------------------------------- */

static void print_count(const char *label, uint64_t n)
{
    printf("  %-14s %s\n", label, htmt__format_count(n).s);
}

static void print_mix_and_reuse(const struct summary *s)
{
    const uint64_t accesses = s->loads + s->stores;
    const struct htmt__tape_region *region;
    const size_t n = htmt__tape_regions(s->tape, &region);
    char label[32];
    printf("MIX\n");
    print_count("loads", s->loads);
    print_count("stores", s->stores);
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++) {
            snprintf(label, sizeof label, "%s-%s", htmt_operation_name((enum htmt_operation)o),
                     htmt_operand_name((enum htmt_type_of_operand)t));
            if (s->of[o][t])
                print_count(label, s->of[o][t]);
        }
    if (s->branches)
        print_count("branches", s->branches);
    printf("\nREUSE\n");
    printf("  %-14s %s of %u bytes, each accessed %.1f times\n", "lines",
           htmt__format_count(s->lines.n).s, LINE_BYTES,
           s->lines.n ? (double)accesses / (double)s->lines.n : 0);
    print_count("bytes", s->bytes);
    for (size_t i = 0; i < n && region[i].bytes < MODELLED; i++)
        printf("  %-14s %s bytes at 0x%" PRIx64 "\n", region[i].name,
               htmt__format_count(region[i].bytes).s, region[i].at);
}

/* Instructions, and the functions with the most of them, of equals the first. */
static int print_code(const struct summary *s)
{
    const struct htmt__tape_program *p = s->program;
    printf("\nCODE\n");
    printf("  %-14s %s in %s bytes of code\n", "instructions",
           htmt__format_count(s->instructions + s->fetches).s,
           htmt__format_count(s->code.n * LINE_BYTES).s);
    if (s->compiled)
        printf("  %-14s %s as compiled without hooks\n", "", htmt__format_count(s->compiled).s);
    if (!p)
        return 0;
    uint64_t *of = calloc((size_t)p->function_count + 1, sizeof *of);
    if (!of)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < p->block_count; i++)
        if (p->blocks[i].function < p->function_count)
            of[p->blocks[i].function] += s->times[i] * p->blocks[i].instructions;
    for (uint32_t shown = 0; shown < SHOWN && p->function_count; shown++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < p->function_count; i++)
            most = of[i] > of[most] ? i : most;
        if (!of[most])
            break;
        const struct htmt__tape_function *f = &p->functions[most];
        printf("  %-14s %s, %s:%" PRIu32 "\n", htmt__format_count(of[most]).s, f->name, f->file,
               f->line);
        of[most] = 0;
    }
    free(of);
    return 0;
}

static int print(const struct htmt__tape *tape)
{
    struct summary s = {.tape = tape};
    int rc = take_all(&s);
    if (!rc) {
        const char *name = s.program ? s.program->name : "";
        printf("%s entries, %s service%s%s%s\n\n", htmt__format_count(htmt__tape_entries(tape)).s,
               htmt__format_count(s.services).s, s.services == 1 ? "" : "s", *name ? ", tape " : "",
               name);
        print_mix_and_reuse(&s);
        rc = print_code(&s);
    }
    free(s.times);
    free(s.lines.at);
    free(s.code.at);
    return rc;
}

static int show(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct htmt__tape *tape = NULL;
    (void)program;
    if (argc != 2)
        htmt_fault_set(&fault, HTMT_EUSAGE, "usage: htmt ops %s", htmt__ops_show.usage);
    else
        htmt__ops_load(argv[1], &tape, &fault);
    if (!fault.code && print(tape))
        htmt_fault_set(&fault, HTMT_ENOMEM, "no memory to look at the tape");
    htmt__tape_free(tape);
    return fault.code ? htmt__complain("ops", &fault) : 0;
}

const struct htmt__ops_action htmt__ops_show = {
    "show", "show FILE", "print a tape's mix of operations, reuse of addresses and code", show};
