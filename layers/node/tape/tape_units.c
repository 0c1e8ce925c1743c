/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units of htmt-cc become one program.
 *
 * Each recorded C file names itself to htmt__rec_register() before main(), or when its plug-in is
 * loaded. At that moment its blocks get their numbers: those behind the blocks of all units before,
 * and the BLOCK entry of each is written where its hook reads it. So a hook stores a ready entry,
 * and the table of a tape needs only be joined when somebody records (htmt__tape_units_create()):
 * tables behind tables, each number moved by how many came before.
 *
 * A kernel may be recorded only as a whole: an operation that is in no block would take no time.
 * The calls that leave a unit are known, so this is a search: a function that calls something that
 * no unit has is not whole, nor is any that calls it, and so on until nothing changes; the first
 * such call is the reason that a user reads.
 */
#define _GNU_SOURCE // NOLINT: dl_iterate_phdr()
#include "layers/node/tape/tape_units.h"

#include "layers/node/tape/tape_tables.h"
#include "runtime/base/error.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_MAX 64u

/* ---- units that name themselves -------------------------------------------------------------- */

/* In the order in which they came; `blocks` counts those before and the recorder's own. */
static struct {
    struct htmt__tape_unit *first, **end;
    uint32_t blocks;
} list = {.end = NULL, .blocks = HTMT__TAPE_OWN_BLOCKS};

void htmt__rec_register(struct htmt__tape_unit *unit)
{
    if (unit->head->version != HTMT__TAPE_UNIT_VERSION)
        return;
    for (uint32_t i = 0; i < unit->head->blocks; i++)
        unit->entries[i] = htmt__tape_entry(HTMT__TAPE_BLOCK, 0, list.blocks + i);
    list.blocks += unit->head->blocks;
    unit->next = NULL;
    *(list.end ? list.end : &list.first) = unit;
    list.end = &unit->next;
}

const char *htmt__tape_units_tape(void)
{
    return list.first ? list.first->tape : NULL;
}

/* ---- one program of all ---------------------------------------------------------------------- */

struct function {
    const void *code;
    const struct htmt__tape_call *outside; /* the first that is not recorded; NULL: none */
    const char *source;                    /* of that call */
    char *why;
    uint32_t number;
};

struct part {
    const struct htmt__tape_unit *unit;
    struct htmt__tape_program *program;
    uint32_t block, op, chain, link, step, source, function, code; /* where its own begin */
};

struct htmt__tape_units {
    struct htmt__tape_program program;
    struct htmt__tape_block *block;
    struct htmt__tape_op *op;
    struct htmt__tape_chain *chain;
    struct htmt__tape_link *link;
    struct htmt__tape_step *step;
    uint32_t *source;
    struct htmt__tape_function *name;
    struct part *part;
    uint32_t parts;
    struct function *function; /* by their code */
    uint32_t functions;
    struct htmt__tape_image image[IMAGES_MAX];
    size_t images;
};

/* What the recorder itself puts on a tape: 16 bytes of a function by length, as a compiled loop of
 * accesses, count, compare and jump. For a processor that reorders it is the library's own code: an
 * operation by length, which takes as long as was measured, beside accesses without a unit. */
#define ACCESSES(block, loads, stores, number)                                                     \
    {                                                                                              \
        .function = block, .code = block == HTMT__TAPE_FILL ? 20 : 0,                              \
        .instructions = (loads) + (stores) + 3, .ops = 2, .step = number,                          \
        .steps = (loads) + (stores) + 1, .compiled = 1, .accesses = (loads) + (stores),            \
        .end = HTMT__END_CONDITION                                                                 \
    }
static const struct htmt__tape_op own_ops[] = {{HTMT_ADD, HTMT_I64, 1}, {HTMT_CMP, HTMT_I64, 1}};
#define LOAD                                                                                       \
    {                                                                                              \
        HTMT__STEP_LOAD, HTMT__STEP_COPIED, 1, 0, 0                                                \
    }
#define STORE                                                                                      \
    {                                                                                              \
        HTMT__STEP_STORE, HTMT__STEP_COPIED, 1, 0, 0                                               \
    }
#define OF(length)                                                                                 \
    {                                                                                              \
        length, HTMT_I32, 1, 0, 0                                                                  \
    }
static const struct htmt__tape_step own_steps[] = {LOAD,
                                                   {HTMT__STEP_STORE, HTMT__STEP_COPIED, 1, 0, 1},
                                                   OF(HTMT_MEMCPY),
                                                   STORE,
                                                   OF(HTMT_MEMSET),
                                                   LOAD,
                                                   OF(HTMT_STRLEN),
                                                   LOAD,
                                                   LOAD,
                                                   OF(HTMT_MEMCMP),
                                                   LOAD,
                                                   LOAD,
                                                   OF(HTMT_STRCMP)};
static const uint32_t own_sources[] = {0}; /* what is copied */
static const struct htmt__tape_block own_blocks[HTMT__TAPE_OWN_BLOCKS] = {
    [HTMT__TAPE_COPY] = ACCESSES(HTMT__TAPE_COPY, 1, 1, 0),
    [HTMT__TAPE_FILL] = ACCESSES(HTMT__TAPE_FILL, 0, 1, 3),
    [HTMT__TAPE_SCAN] = ACCESSES(HTMT__TAPE_SCAN, 1, 0, 5),
    [HTMT__TAPE_COMPARE] = ACCESSES(HTMT__TAPE_COMPARE, 2, 0, 7),
    [HTMT__TAPE_ORDER] = ACCESSES(HTMT__TAPE_ORDER, 2, 0, 10)};
static const struct htmt__tape_function own_functions[] = {{"memcpy", "C library", 0},
                                                           {"memset", "C library", 0},
                                                           {"strlen", "C library", 0},
                                                           {"memcmp", "C library", 0},
                                                           {"strcmp", "C library", 0}};
static const struct htmt__tape_program own = {.blocks = own_blocks,
                                              .ops = own_ops,
                                              .steps = own_steps,
                                              .sources = own_sources,
                                              .functions = own_functions,
                                              .block_count = HTMT__TAPE_OWN_BLOCKS,
                                              .op_count = 2,
                                              .step_count = 13,
                                              .source_count = 1,
                                              .function_count = HTMT__TAPE_OWN_BLOCKS};
#define OWN_CODE 36u /* all but the filling share their lines */

/* Each part begins where the one before ends; behind the last there is one that has all sums. */
static int unpack(struct htmt__tape_units *u)
{
    struct part next = {.block = own.block_count,
                        .op = own.op_count,
                        .step = own.step_count,
                        .source = own.source_count,
                        .function = own.function_count,
                        .code = OWN_CODE};
    uint32_t i = 0;
    for (const struct htmt__tape_unit *unit = list.first; unit; unit = unit->next, i++) {
        const struct htmt__tape_head *h = unit->head;
        const struct htmt__tape_counts n = {h->blocks, h->ops,     h->chains,    h->links,
                                            h->steps,  h->sources, h->functions, h->text};
        u->part[i] = next;
        u->part[i].unit = unit;
        u->part[i].program = htmt__tape_unpack(&n, unit->tables,
                                               (const char *)(unit->tables + htmt__tape_words(&n)));
        if (!u->part[i].program)
            return HTMT_ENOMEM;
        next.block += n.blocks;
        next.op += n.ops;
        next.chain += n.chains;
        next.link += n.links;
        next.step += n.steps;
        next.source += n.sources;
        next.function += n.functions;
        next.code += h->code;
    }
    u->part[i] = next;
    return 0;
}

static void add_part(struct htmt__tape_units *u, const struct part *p,
                     const struct htmt__tape_program *q)
{
    for (uint32_t i = 0; i < q->block_count; i++) {
        struct htmt__tape_block b = q->blocks[i];
        b.function += p->function;
        b.code += p->code;
        b.op += p->op;
        b.wait += p->op;
        b.chain += p->chain;
        b.step += p->step;
        if (b.loop_end)
            b.loop_end += p->block;
        u->block[p->block + i] = b;
    }
    for (uint32_t i = 0; i < q->op_count; i++)
        u->op[p->op + i] = q->ops[i];
    for (uint32_t i = 0; i < q->chain_count; i++)
        u->chain[p->chain + i] =
            (struct htmt__tape_chain){q->chains[i].first + p->link, q->chains[i].n};
    for (uint32_t i = 0; i < q->link_count; i++) {
        u->link[p->link + i] = q->links[i];
        u->link[p->link + i].block += p->block;
    }
    for (uint32_t i = 0; i < q->source_count; i++)
        u->source[p->source + i] = q->sources[i];
    for (uint32_t i = 0; i < q->step_count; i++) {
        struct htmt__tape_step s = q->steps[i];
        s.source += p->source;
        for (uint32_t k = 0; k < s.sources; k++) {
            uint32_t *of = &u->source[s.source + k];
            const bool block = s.operation == HTMT__STEP_CHOICE && k % 2 == 0;
            if (*of != HTMT__TAPE_NO_STEP)
                *of += block ? p->block : p->step;
        }
        u->step[p->step + i] = s;
    }
    for (uint32_t i = 0; i < q->function_count; i++)
        u->name[p->function + i] = q->functions[i];
}

static int join(struct htmt__tape_units *u)
{
    const struct part *all = &u->part[u->parts];
    u->block = calloc(all->block, sizeof *u->block);
    u->op = calloc(all->op, sizeof *u->op);
    u->chain = calloc(all->chain + 1, sizeof *u->chain);
    u->link = calloc(all->link + 1, sizeof *u->link);
    u->step = calloc(all->step, sizeof *u->step);
    u->source = calloc(all->source, sizeof *u->source);
    u->name = calloc(all->function, sizeof *u->name);
    u->function = calloc(all->function, sizeof *u->function);
    if (!u->block || !u->op || !u->chain || !u->link || !u->step || !u->source || !u->name ||
        !u->function)
        return HTMT_ENOMEM;
    add_part(u, &(struct part){0}, &own);
    for (uint32_t i = 0; i < u->parts; i++)
        add_part(u, &u->part[i], u->part[i].program);
    u->program = (struct htmt__tape_program){.blocks = u->block,
                                             .ops = u->op,
                                             .chains = u->chain,
                                             .links = u->link,
                                             .steps = u->step,
                                             .sources = u->source,
                                             .functions = u->name,
                                             .block_count = all->block,
                                             .op_count = all->op,
                                             .chain_count = all->chain,
                                             .link_count = all->link,
                                             .step_count = all->step,
                                             .source_count = all->source,
                                             .function_count = all->function};
    /* Files that were compiled for several tapes make none that has a name. */
    const char *name = u->parts ? u->part[0].unit->tape : "";
    for (uint32_t i = 1; i < u->parts; i++)
        if (strcmp(u->part[i].unit->tape, u->part[0].unit->tape) != 0)
            name = "mixed";
    snprintf(u->program.name, sizeof u->program.name, "%s", name);
    u->program.build = htmt__tape_build(&u->program);
    return u->program.build ? 0 : HTMT_ENOMEM;
}

/* ---- which functions are recorded whole ------------------------------------------------------ */

static int by_code(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct function *)a)->code;
    const uintptr_t y = (uintptr_t)((const struct function *)b)->code;
    return (x > y) - (x < y);
}

static struct function *find(const struct htmt__tape_units *u, const void *code)
{
    const struct function key = {.code = code};
    return u->functions ? bsearch(&key, u->function, u->functions, sizeof key, by_code) : NULL;
}

/* A caller of something that is not recorded whole is not, either; it has the reason of its callee.
 */
static int find_outside(struct htmt__tape_units *u)
{
    char text[300];
    for (uint32_t i = 0; i < u->parts; i++)
        for (uint32_t k = 0; k < u->part[i].unit->head->functions; k++)
            u->function[u->functions++] = (struct function){.code = u->part[i].unit->functions[k],
                                                            .number = u->part[i].function + k};
    qsort(u->function, u->functions, sizeof *u->function, by_code);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < u->parts; i++)
            for (const struct htmt__tape_call *c = u->part[i].unit->calls; c->name; c++) {
                struct function *caller = find(u, u->part[i].unit->functions[c->function]);
                const struct function *callee = find(u, c->callee);
                if (!caller || caller->outside || (callee && !callee->outside))
                    continue;
                caller->outside = callee ? callee->outside : c;
                caller->source = callee ? callee->source : u->part[i].unit->files[0];
                changed = true;
            }
    }
    for (uint32_t i = 0; i < u->functions; i++) {
        struct function *f = &u->function[i];
        if (!f->outside)
            continue;
        snprintf(text, sizeof text, "%s:%u: calls %s, which is not recorded", f->source,
                 f->outside->line, f->outside->name);
        if (!(f->why = strdup(text)))
            return HTMT_ENOMEM;
    }
    return 0;
}

enum htmt__tape_recorded htmt__tape_units_knows(const struct htmt__tape_units *units,
                                                const void *function, const char **why)
{
    const struct function *f = find(units, function);
    *why = f ? f->why : "htmt-cc has not compiled its kernel";
    return !f ? HTMT__TAPE_UNKNOWN : f->outside ? HTMT__TAPE_PARTLY : HTMT__TAPE_WHOLE;
}

/* ---- places ---------------------------------------------------------------------------------- */

void htmt__tape_units_place(const struct htmt__tape_units *units, uint32_t block, uint32_t access,
                            char *text, size_t size)
{
    uint32_t part = 0;
    while (part < units->parts && block >= units->part[part + 1].block)
        part++;
    if (part == units->parts || block < units->part[part].block) {
        snprintf(text, size, "a copy");
        return;
    }
    const struct htmt__tape_unit *unit = units->part[part].unit;
    const struct htmt__tape_function *f = &units->name[units->block[block].function];
    const struct htmt__tape_place *place = unit->places;
    const uint32_t n = unit->head->places, own_block = block - units->part[part].block;
    uint32_t first = 0; /* of the block's places */
    while (first < n && place[first].block < own_block)
        first++;
    const bool known = access < n - first && place[first + access].block == own_block;
    const struct htmt__tape_place *at = known ? &place[first + access] : NULL;
    snprintf(text, size, "%s:%u", at ? unit->files[at->file] : f->file, at ? at->line : f->line);
}

/* ---- images ---------------------------------------------------------------------------------- */

struct tour {
    struct htmt__tape_units *u;
    const struct htmt__tape_unit *unit;
};

/* Called for each loaded object: the one that holds the unit is an image, whose code and statics
 * have model addresses. Units of one object name it once. */
static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct tour *t = context;
    struct htmt__tape_image image = {.at = info->dlpi_addr};
    const uintptr_t unit = (uintptr_t)t->unit->tables;
    bool holds = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD)
            continue;
        holds = holds || unit - (info->dlpi_addr + h->p_vaddr) < h->p_memsz;
        if (h->p_vaddr + h->p_memsz > image.bytes)
            image.bytes = h->p_vaddr + h->p_memsz;
    }
    if (!holds)
        return 0;
    for (size_t i = 0; i < t->u->images; i++)
        if (t->u->image[i].at == image.at)
            return 1;
    if (t->u->images < IMAGES_MAX)
        t->u->image[t->u->images++] = image;
    return 1;
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__tape_units_create(struct htmt__tape_units **units)
{
    struct htmt__tape_units *u = calloc(1, sizeof *u);
    int rc = u ? 0 : HTMT_ENOMEM;
    if (rc)
        return rc;
    for (const struct htmt__tape_unit *unit = list.first; unit; unit = unit->next)
        u->parts++;
    u->part = calloc(u->parts + 1, sizeof *u->part);
    rc = u->part ? unpack(u) : HTMT_ENOMEM;
    if (!rc)
        rc = join(u);
    if (rc) {
        htmt__tape_units_destroy(u);
        return rc;
    }
    for (uint32_t i = 0; i < u->parts; i++)
        dl_iterate_phdr(visit, &(struct tour){u, u->part[i].unit});
    rc = find_outside(u);
    if (rc)
        htmt__tape_units_destroy(u);
    else
        *units = u;
    return rc;
}

void htmt__tape_units_destroy(struct htmt__tape_units *units)
{
    if (!units)
        return;
    for (uint32_t i = 0; units->part && i < units->parts; i++)
        free(units->part[i].program);
    free(units->part);
    free(units->block);
    free(units->op);
    free(units->chain);
    free(units->link);
    free(units->step);
    free(units->source);
    free(units->name);
    for (uint32_t i = 0; i < units->functions; i++)
        free(units->function[i].why);
    free(units->function);
    free(units);
}

const struct htmt__tape_program *htmt__tape_units_program(const struct htmt__tape_units *units)
{
    return &units->program;
}

size_t htmt__tape_units_images(const struct htmt__tape_units *units,
                               const struct htmt__tape_image **images)
{
    *images = units->image;
    return units->images;
}
