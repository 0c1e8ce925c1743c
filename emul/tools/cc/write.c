/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of a unit as C source: packed as in files of tapes, for parcels/data/op_recorder.h.
 * A constructor registers them when the program or plug-in is loaded. A function's address tells
 * the recorder which one runs; callees are weak, so that their address is 0 in a program that does
 * not have them, and a call of a recorded function is told from one of another.
 */
#include "emul/tools/cc/unit.h"
#include "layers/node/tape/tape_tables.h"
#include "layers/node/tape/tape_unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int write_tables(const struct htmt__unit *u, FILE *out)
{
    const struct htmt__tape_program p = {.blocks = u->blocks.at,
                                         .ops = u->ops.at,
                                         .chains = u->chains.at,
                                         .links = u->links.at,
                                         .steps = u->steps.at,
                                         .sources = u->sources.at,
                                         .functions = u->functions.at,
                                         .block_count = u->blocks.n,
                                         .op_count = u->ops.n,
                                         .chain_count = u->chains.n,
                                         .link_count = u->links.n,
                                         .step_count = u->steps.n,
                                         .source_count = u->sources.n,
                                         .function_count = u->functions.n};
    const struct htmt__tape_counts n = htmt__tape_count(&p);
    const uint64_t words = htmt__tape_words(&n);
    uint32_t *all = calloc(1, words * sizeof *all + n.text + 8);
    if (!all)
        return HTMT_ENOMEM;
    htmt__tape_pack(&p, all, (char *)(all + words));
    fprintf(out, "static const unsigned tables[] = {");
    for (uint64_t i = 0; i < words + n.text / 4; i++)
        fprintf(out, "%s%" PRIu32 ",", i % 12 ? "" : "\n", all[i]);
    fprintf(out, "0};\nstatic const unsigned head[] = {");
    free(all);
    const uint32_t head[] = {HTMT__TAPE_UNIT_VERSION,
                             n.blocks,
                             n.ops,
                             n.chains,
                             n.links,
                             n.steps,
                             n.sources,
                             n.functions,
                             n.text,
                             u->places.n,
                             u->code};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        fprintf(out, "%s%" PRIu32, i ? ", " : "", head[i]);
    fprintf(out, "};\n");
    return 0;
}

static void write_places(const struct htmt__unit *u, FILE *out)
{
    const struct htmt__unit_place *p = u->places.at;
    fprintf(out, "static const unsigned places[] = {");
    for (uint32_t i = 0; i < u->places.n; i++)
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s", p[i].block, p[i].line, p[i].file,
                i % 8 == 7 ? "\n" : "");
    fprintf(out, "0};\nstatic const char *const files[] = {");
    for (uint32_t i = 0; i < u->files.n; i++)
        fprintf(out, "\"%s\",", ((char *const *)u->files.at)[i]);
    fprintf(out, "0};\n");
}

static void write_functions(const struct htmt__unit *u, FILE *out)
{
    char *const *symbol = u->symbols.at;
    for (uint32_t i = 0; i < u->symbols.n; i++)
        fprintf(out, "extern const char f%" PRIu32 "[] __asm__(\"%s\");\n", i, symbol[i]);
    fprintf(out, "static const void *const functions[] = {");
    for (uint32_t i = 0; i < u->symbols.n; i++)
        fprintf(out, "f%" PRIu32 ",", i);
    fprintf(out, "0};\n");
}

static void write_calls(const struct htmt__unit *u, FILE *out)
{
    const struct htmt__unit_call *c = u->calls.at;
    for (uint32_t i = 0; i < u->calls.n; i++)
        if (*c[i].callee)
            fprintf(out,
                    "extern const char c%" PRIu32 "[] __asm__(\"%s\") __attribute__((weak));\n", i,
                    c[i].callee);
    fprintf(out, "static const struct {\n    const void *callee;\n    const char *name;\n"
                 "    unsigned function, line;\n} calls[] = {\n");
    for (uint32_t i = 0; i < u->calls.n; i++)
        if (*c[i].callee)
            fprintf(out, "    {c%" PRIu32 ", \"%s\", %" PRIu32 ", %" PRIu32 "},\n", i, c[i].callee,
                    c[i].function, c[i].line);
    fprintf(out, "    {0, 0, 0, 0}};\n");
}

/* Fields in the order of struct htmt__tape_unit. */
static void write_unit(const struct htmt__unit *u, FILE *out)
{
    fprintf(out,
            "__attribute__((visibility(\"hidden\"))) unsigned long htmt__entries_%s[%" PRIu32
            "];\n",
            u->id, u->blocks.n + 1);
    fprintf(out,
            "static struct {\n    const void *next, *head, *tables, *places, *functions, "
            "*calls;\n    unsigned long *entries;\n    const char *const *files, *tape;\n} unit = "
            "{0, head, tables, places, functions, calls, htmt__entries_%s, files, \"%s\"};\n",
            u->id, u->vectors ? "O3" : "O2");
    fprintf(out, "void htmt__rec_register(void *);\n"
                 "__attribute__((constructor)) static void begin(void)\n{\n"
                 "    htmt__rec_register(&unit);\n}\n");
}

int htmt__unit_write(const struct htmt__unit *u, FILE *out)
{
    fprintf(out, "/* The blocks of %s, by htmt-cc. */\n", u->source);
    int rc = write_tables(u, out);
    write_places(u, out);
    write_functions(u, out);
    write_calls(u, out);
    write_unit(u, out);
    return rc;
}
