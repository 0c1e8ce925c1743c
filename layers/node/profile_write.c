/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/profile_code.h"

#include <inttypes.h>

static void write_region(const struct htmt__profile_region *r, FILE *out)
{
    int last = HTMT__PROFILE_CLASSES - 1;
    while (last > 0 && !r->distances[last])
        last--;
    fprintf(out,
            "  - {name: \"%s\", at: %" PRIu64 ", bytes: %" PRIu64 ", sets: %" PRIu32
            ", distances: [",
            r->name, r->at, r->bytes, r->sets);
    for (int i = 0; i <= last; i++)
        fprintf(out, "%s%" PRIu64, i ? ", " : "", r->distances[i]);
    fputs("]}\n", out);
}

static void write_pattern(const char *before, const struct htmt__pattern *p, FILE *out)
{
    if (!p->top.n)
        return;
    fprintf(out, "%s\"", before);
    htmt__pattern_write(p, out);
    fputc('"', out);
}

static void write_access(const struct htmt__profile *p, const struct htmt__profile_access *a,
                         FILE *out)
{
    fprintf(out, "      - {%s: %u, region: \"%s\"", a->store ? "store" : "load", a->width,
            p->region[a->region].name);
    if (a->beside >= 0)
        fprintf(out, ", beside: %d", a->beside);
    else
        fprintf(out, ", from: %" PRIu64 ", low: %" PRIu64 ", bytes: %" PRIu64, a->from, a->low,
                a->bytes);
    write_pattern(", strides: ", &a->strides, out);
    fputs("}\n", out);
}

static void write_annotated(const struct htmt__profile_block *b, FILE *out)
{
    bool first = true;
    if (b->code != HTMT__TAPE_ADDRESS)
        fprintf(out, "    at: %" PRIu64 "\n", b->code);
    if (b->instructions)
        fprintf(out, "    instructions: %u\n", b->instructions);
    if (b->fetches)
        fprintf(out, "    fetch: %u\n", b->fetches);
    fputs("    operations: \"", out);
    for (unsigned o = 0; o < HTMT_OPERATIONS; o++)
        for (unsigned t = 0; t < HTMT_OPERAND_TYPES; t++)
            if (b->count[o][t]) {
                htmt__operation_write(out, first, o, t, b->count[o][t]);
                first = false;
            }
    fputs("\"\n", out);
    if (b->branch != HTMT__TAPE_ADDRESS)
        fprintf(out, "    branch: %" PRIu64 "\n", b->branch);
}

static void write_block(const struct htmt__profile *p, uint32_t number, FILE *out)
{
    const struct htmt__profile_block *b = &p->block[number];
    fprintf(out, "  - runs: %" PRIu64 " # block %" PRIu32 "\n", htmt__pattern_length(&b->next),
            number);
    if (b->annotated)
        write_annotated(b, out);
    else
        fprintf(out, "    number: %" PRIu32 "\n", b->number);
    write_pattern("    next: ", &b->next, out);
    write_pattern("\n    taken: ", &b->taken, out);
    fputs(b->accesses ? "\n    accesses:\n" : "\n", out);
    for (uint32_t i = 0; i < b->accesses; i++)
        write_access(p, &b->access[i], out);
}

void htmt__profile_write(const struct htmt__profile *p, FILE *out)
{
    fprintf(out, "htmt-profile: 1\nkernel: \"%s\"\nservices: %" PRIu64 "\n", p->kernel,
            p->services);
    if (p->counts)
        fprintf(out, "counts: %" PRIu64 "\n", p->counts);
    fprintf(out, "first: %" PRIu32 "\n", p->first);
    fputs(p->regions ? "# distances: first touches, then 0, 1, 2 to 3, 4 to 7 ... other lines of "
                       "64 bytes between\nregions:\n"
                     : "",
          out);
    for (uint32_t i = 0; i < p->regions; i++)
        if (p->region[i].sets) /* else nothing touched it */
            write_region(&p->region[i], out);
    htmt__profile_code_write(p, out);
    fputs("blocks:\n", out);
    for (uint32_t i = 0; i < p->blocks; i++)
        write_block(p, i, out);
}
