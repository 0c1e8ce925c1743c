/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/cannon/settings.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned depth;
    const char *meaning;
} tree[] = {
    {"T, overlapped", 0, "all, with what the buffers allow to overlap"},
    {"T, paper", 0, "all, injects between the block products"},
    {"transforms", 1, "rearranging A, B and C in DRAM"},
    {"D_t[A]", 2, "rearranging A"},
    {"D_t[B]", 2, "rearranging B"},
    {"D_t[C]", 2, "putting C back in rows"},
    {"product, overlapped", 1, "one of the q^3 products"},
    {"product, paper", 1, "one of the q^3 products"},
    {"bundle up", 2, "A and B, DRAM to SRAM"},
    {"IP_DS", 3, "a bundle, DRAM to SRAM"},
    {"T_B", 2, "a subblock of C on each SPELL"},
    {"inject", 3, "a pair of subblocks, SRAM to CRAM"},
    {"IP_SC", 4, "a subblock, SRAM to CRAM"},
    {"block multiply", 3, "s steps, exchanges hidden"},
    {"block multiply, exchanges shown", 3, "s steps, exchanges after the products"},
    {"M_S", 4, "multiply one pair of subblocks"},
    {"D_S", 4, "exchange subblocks with the neighbours"},
    {"OP_CS", 3, "a subblock of C, CRAM to SRAM"},
    {"bundle down", 2, "C, SRAM to DRAM"},
    {"OP_SD", 3, "a bundle, SRAM to DRAM"},
    {"saved by overlap", 0, "what the schedules differ by"},
    {"transforms left out", 0, "of later products, where a product is too short to hide them"},
    {"busy multiply", 0, "a SPELL"},
    {"busy inject", 0, "SRAM to CRAM of a slice"},
    {"busy eject", 0, "CRAM to SRAM of a slice"},
    {"busy inject and eject", 0, "both ways"},
    {"busy bundle up", 0, "DRAM to SRAM of a slice"},
    {"busy bundle down", 0, "SRAM to DRAM of a slice"},
    {"flop", 0, "of the problem"},
    {"flop, padded", 0, "of the multiplied squares"},
    {"rate, overlapped", 0, "of the problem"},
    {"rate, paper", 0, "of the problem"},
    {"rate for large q", 0, "transforms hidden"},
    {"rate of all SPELLs", 0, "while they multiply"},
    {"share of peak, overlapped", 0, "SPELLs that multiply"},
    {"share of peak, paper", 0, "SPELLs that multiply"},
    {"M_S over D_S", 0, "above 1 exchanges hide"},
    {"inject over block multiply", 0, "below 100 injects can hide"},
    {"eject over block multiply", 0, "of t of them"},
    {"CRAM", 0, "data of a slice"},
    {"SRAM", 0, "data of a slice"},
    {"DRAM", 0, "data of a slice"},
    {"CRAM use", 0, "data"},
    {"SRAM use", 0, "data"},
    {"DRAM use", 0, "data"},
    {"largest b_c", 0, "that CRAM holds"},
    {"largest t", 0, "that SRAM holds"},
};

static void add(struct htmt_prediction *out, const struct htmt__cannon_prediction *p, size_t i)
{
    const struct htmt__cannon_term *from = htmt__cannon_term(p, tree[i].name);
    if (!from || out->count == HTMT_TERMS_MAX)
        return;
    struct htmt_term *to = &out->term[out->count++];
    to->depth = tree[i].depth;
    to->value = from->value;
    snprintf(to->name, sizeof to->name, "%s", from->name);
    snprintf(to->meaning, sizeof to->meaning, "%s", tree[i].meaning);
    snprintf(to->unit, sizeof to->unit, "%s", strcmp(from->unit, "fs") ? from->unit : "s");
    snprintf(to->expression, sizeof to->expression, "%s", from->expression);
    if (out->count == 1)
        snprintf(to->inputs, sizeof to->inputs, "%s", p->inputs);
}

void htmt__cannon_tell(const struct htmt__cannon_settings *s,
                       const struct htmt__cannon_prediction *p, struct htmt_prediction *out)
{
    out->total_s = 1e-15 * (double)p->total[s->schedule];
    out->flops = (double)p->flops;
    htmt__cannon_describe(s, &p->plan, out->problem, sizeof out->problem);
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        add(out, p, i);
}
