/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/volume/settings.h"

static const struct {
    const char *name;
    unsigned depth;
    const char *meaning;
} tree[] = {
    {"T", 0, "all frames"},
    {"pipeline", 1, "the parcels of a slice in one frame, from cold"},
    {"period", 2, "from a parcel of a slice to the next"},
    {"assemble", 3, "a DPIM gathers a parcel"},
    {"gather", 3, "DRAM to SRAM"},
    {"dispatch", 3, "a SPIM sends it off"},
    {"inject", 3, "SRAM to CRAM"},
    {"cast", 3, "rays through a subcube"},
    {"eject", 3, "ray states, CRAM to SRAM"},
    {"retire", 3, "a SPIM takes them in"},
    {"scatter", 3, "a parcel's share of the image, SRAM to DRAM"},
    {"chain", 1, "the parcels of the longest bundle, from cold"},
    {"frames a second", 0, "of this problem"},
    {"parcels", 0, "of all slices and frames"},
    {"rate", 0, "parcels of all slices, one after another"},
    {"assemble use", 0, "DPIMs"},
    {"gather use", 0, "DRAM to SRAM"},
    {"dispatch use", 0, "SPIMs"},
    {"inject use", 0, "SRAM to CRAM"},
    {"cast use", 0, "SPELL"},
    {"eject use", 0, "CRAM to SRAM"},
    {"retire use", 0, "SPIMs"},
    {"scatter use", 0, "SRAM to DRAM"},
    {"SPIM use", 0, "dispatch and retire"},
    {"gather words", 0, "of a parcel"},
    {"inject words", 0, "of a parcel"},
    {"eject words", 0, "of a parcel"},
    {"scatter words", 0, "of a parcel"},
    {"fit", 0, "such parcels in CRAM at once"},
    {"fit, code resident", 0, "if their code stayed there"},
    {"CRAM use", 0, "by a parcel without its code"},
    {"alpha", 0, "samples for each voxel carried"},
    {"cycles a voxel", 0, "must exceed the two below"},
    {"break-even, inject", 0, "SPELL cycles in which a voxel is injected"},
    {"break-even, gather", 0, "SPELL cycles in which a voxel is gathered"},
    {"largest job", 0, "at the frame rate of the cost file"},
    {"largest image", 0, "at the frame rate of the cost file"},
    {"largest volume", 0, "at the frame rate of the cost file"},
};

static void add(struct htmt_prediction *out, const struct htmt__volume_prediction *p, size_t i)
{
    const struct htmt__volume_term *from = htmt__volume_term(p, tree[i].name);
    if (!from || out->count == HTMT_TERMS_MAX)
        return;
    struct htmt_term *to = &out->term[out->count++];
    to->depth = tree[i].depth;
    to->value = from->value;
    snprintf(to->name, sizeof to->name, "%s", from->name);
    snprintf(to->meaning, sizeof to->meaning, "%s", tree[i].meaning);
    snprintf(to->unit, sizeof to->unit, "%s", from->unit);
    snprintf(to->expression, sizeof to->expression, "%s", from->expression);
}

void htmt__volume_tell(const struct htmt__volume_settings *s, const struct htmt__volume_plan *plan,
                       const struct htmt__volume_prediction *p, struct htmt_prediction *out)
{
    out->total_s = 1e-15 * (double)p->total;
    htmt__volume_describe(s, plan, out->problem, sizeof out->problem);
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        add(out, p, i);
    snprintf(out->term[0].inputs, sizeof out->term[0].inputs,
             "N_G = %u; W_M = %llu; %llu bytes a voxel", plan->subcubes.edge,
             (unsigned long long)plan->charges.code_words, (unsigned long long)plan->voxel_bytes);
}
