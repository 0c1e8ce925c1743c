/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/lib/term_tree.h"
#include "apps/volume/closed_form.h"

#include <inttypes.h>
#include <math.h>

typedef struct htmt__volume_prediction closed;
typedef struct htmt_prediction tree;

static double in_seconds(htmt_wide fs)
{
    return (double)fs * 1e-15;
}

/* ---- times ---------------------------------------------------------------------------------- */

static void add_pipeline(tree *out, const closed *p)
{
    static const struct {
        const char *name, *meaning, *expression;
    } stages[HTMT__VOLUME_STAGES] = {
        {"assemble", "a DPIM gathers a parcel", "(words in + words out) t_DPIM"},
        {"gather", "DRAM to SRAM", "(W_M + voxels [+ rays]) t_DtoS"},
        {"dispatch", "a SPIM sends it off", "rays t_SPIM"},
        {"inject", "SRAM to CRAM", "T_MOVE = (W_M + 6 N_R + voxels) t_StoC"},
        {"cast", "rays through a subcube", "T_EXEC = alpha N_CYCLES N_G^3 t_SPELL"},
        {"eject", "ray states, CRAM to SRAM", "6 N_R t_CtoS"},
        {"retire", "a SPIM takes them in", "rays t_SPIM"},
        {"scatter", "a parcel's share of the image, SRAM to DRAM", "image words t_StoD"},
    };
    htmt__tree_time(out, 1, "pipeline", "the parcels of the fullest slice in a frame, from cold",
                    p->pipeline, "fill + its parcels at its period + closing");
    htmt__tree_time(
        out, 2, "period", "from a parcel of a slice to the next", p->period,
        "max(inject + cast + eject over fit, stages over parallelism, a lane's over lanes)");
    for (int i = 0; i < HTMT__VOLUME_STAGES; i++)
        htmt__tree_time(out, 3, stages[i].name, stages[i].meaning, p->step[i].busy,
                        stages[i].expression);
    htmt__tree_time(out, 2, "closing", "from the last retire to the image", p->closing,
                    "composite + pixels, SRAM to DRAM");
    htmt__tree_time(out, 1, "chain", "the parcels of the longest bundle, from cold", p->chain,
                    "fill + its parcels, one after another + closing");
    htmt__tree_time(out, 1, "asked", "subcubes that the most asked slice sends", p->asked,
                    "its words t_DtoS");
    htmt__tree_time(out, 1, "ways", "strips and merges of a slice's other bundles", p->ways,
                    "bundles (strips strip + merge) / DPIMs - strip - merge");
}

static void add_opening(tree *out, const closed *p)
{
    static const struct {
        enum htmt__volume_once once;
        const char *name, *meaning, *expression;
    } steps[] = {
        {HTMT__VOLUME_STRIP, "strip", "a DPIM follows the rays of a strip", "rays and crossings"},
        {HTMT__VOLUME_MERGE, "merge", "a DPIM makes one list of eight", "visits of the strips"},
        {HTMT__VOLUME_LIST, "list", "visits and rays, DRAM to SRAM",
         "(1 + 3 visits + rays) t_DtoS"},
    };
    htmt__tree_time(out, 1, "viewpoint", "all slices agree on it", p->viewpoint,
                    "log2 slices (move + combine)");
    htmt__tree_time(out, 1, "itinerary", "of the longest bundle", p->visit_list,
                    "strip + merge + list");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        htmt__tree_time(out, 2, steps[i].name, steps[i].meaning, p->once[steps[i].once].length,
                        steps[i].expression);
}

static void add_rates(tree *out, const closed *p, const struct htmt__volume_plan *plan)
{
    double frames = (double)plan->problem.frames;
    htmt__tree_value(out, 0, "frames a second", "of this problem", "1/s",
                     p->total ? frames / in_seconds(p->total) : 0, "frames / T");
    htmt__tree_value(out, 0, "parcels", "of all slices and frames", "1", (double)p->load.parcels,
                     "subcubes on the ways of all bundles");
    htmt__tree_value(out, 0, "rate", "parcels of all slices, one after another", "1/s",
                     (double)plan->slices / in_seconds(p->period), "parcels: slices / period");
}

/* ---- use ------------------------------------------------------------------------------------ */

static void add_use(tree *out, const closed *p)
{
    static const char *const names[HTMT__VOLUME_STAGES][2] = {
        {"assemble use", "DPIMs"}, {"gather use", "DRAM to SRAM"},
        {"dispatch use", "SPIMs"}, {"inject use", "SRAM to CRAM"},
        {"cast use", "SPELL"},     {"eject use", "CRAM to SRAM"},
        {"retire use", "SPIMs"},   {"scatter use", "SRAM to DRAM"},
    };
    double period = in_seconds(p->period);
    for (int i = 0; i < HTMT__VOLUME_STAGES; i++) {
        double one = in_seconds(p->step[i].busy) / p->step[i].parallel;
        htmt__tree_value(out, 0, names[i][0], names[i][1], "%", period > 0 ? 100 * one / period : 0,
                         "time / parallelism / period");
    }
    const struct htmt__volume_step *dispatch = &p->step[HTMT__VOLUME_DISPATCH];
    const struct htmt__volume_step *retire = &p->step[HTMT__VOLUME_RETIRE];
    double spim = in_seconds(dispatch->busy) + in_seconds(retire->busy);
    htmt__tree_value(out, 0, "SPIM use", "dispatch and retire", "%",
                     100 * spim / retire->parallel / period, "dispatch use + retire use");
}

static void add_memory(tree *out, const closed *p, const struct htmt_machine *m,
                       const struct htmt__volume_plan *plan)
{
    static const struct {
        enum htmt__volume_stage stage;
        const char *name;
    } moves[] = {{HTMT__VOLUME_GATHER, "gather words"},
                 {HTMT__VOLUME_INJECT, "inject words"},
                 {HTMT__VOLUME_EJECT, "eject words"},
                 {HTMT__VOLUME_SCATTER, "scatter words"}};
    uint64_t room = htmt_machine_room(m, plan->inner), rest = room - plan->table_words;
    uint64_t words = p->step[HTMT__VOLUME_INJECT].words, code = plan->charges.code_words;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        htmt__tree_value(out, 0, moves[i].name, "of a parcel", "words",
                         (double)p->step[moves[i].stage].words, "a parcel");
    htmt__tree_value(out, 0, "fit", "such parcels in CRAM at once", "1",
                     (double)(words ? rest / words : 0), "(CRAM - table) / inject words");
    htmt__tree_value(out, 0, "fit, code resident", "if their code stayed there", "1",
                     words > code ? floor((double)(rest - code) / (double)(words - code)) : 0,
                     "(CRAM - table - W_M) / (inject words - W_M)");
    htmt__tree_value(out, 0, "CRAM use", "by a parcel without its code", "%",
                     100 * (double)(words - code) / (double)room, "(inject words - W_M) / CRAM");
}

/* ---- what follows --------------------------------------------------------------------------- */

/* Break-even: moving a parcel of voxels only takes as long as casting it. */
static void add_break_even(tree *out, const closed *p, const struct htmt_machine *m,
                           const struct htmt__volume_plan *plan)
{
    double cycle = htmt_ratio_value(m->layer[plan->inner].processor.time[HTMT_CYCLE]);
    double up = htmt_ratio_value(m->network[plan->up].port[plan->middle].out_word);
    double down = htmt_ratio_value(m->network[plan->down].port[plan->outer].out_word);
    double voxel = (double)plan->voxel_bytes / HTMT_WORD, voxels = (double)p->voxels;
    double cast = in_seconds(p->step[HTMT__VOLUME_CAST].busy) * 1e15;
    htmt__tree_value(out, 0, "alpha", "samples for each voxel carried", "1",
                     p->voxels ? (double)p->samples / voxels : 0, "samples / voxels");
    htmt__tree_value(out, 0, "cycles a voxel", "must exceed the two below", "1",
                     p->voxels && cycle > 0 ? cast / cycle / voxels : 0, "alpha N_CYCLES");
    htmt__tree_value(out, 0, "break-even, inject", "SPELL cycles in which a voxel is injected", "1",
                     cycle > 0 ? voxel * up / cycle : 0, "words a voxel t_StoC / t_SPELL");
    htmt__tree_value(out, 0, "break-even, gather", "SPELL cycles in which a voxel is gathered", "1",
                     cycle > 0 ? voxel * down / cycle : 0, "words a voxel t_DtoS / t_SPELL");
}

/* The largest job at a cost file's frame rate, all slices busy. */
static void add_largest(tree *out, const closed *p, const struct htmt__volume_plan *plan)
{
    static const char meaning[] = "at the frame rate of the cost file";
    double rate = (double)plan->slices / in_seconds(p->period);
    double voxels = rate / (double)plan->charges.frames_a_second * (double)p->voxels;
    htmt__tree_value(out, 0, "largest job", meaning, "voxels", voxels,
                     "rate / frames a second N_G^3");
    htmt__tree_value(out, 0, "largest image", meaning, "pixels", pow(voxels, 2.0 / 3),
                     "one face of as many voxels");
    htmt__tree_value(out, 0, "largest volume", meaning, "words",
                     voxels * (double)plan->voxel_bytes / HTMT_WORD,
                     "words a voxel of the largest job");
}

void htmt__volume_tell(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                       const closed *p, tree *out)
{
    struct htmt_term *total =
        htmt__tree_time(out, 0, "T", "all frames", p->total,
                        "frames (viewpoint + itinerary + max(pipeline, chain, asked, ways))");
    snprintf(total->inputs, sizeof total->inputs,
             "N_G = %u; W_M = %" PRIu64 "; %" PRIu64 " bytes a voxel", plan->subcubes.edge,
             plan->charges.code_words, plan->voxel_bytes);
    add_opening(out, p);
    add_pipeline(out, p);
    add_rates(out, p, plan);
    add_use(out, p);
    add_memory(out, p, m, plan);
    add_break_even(out, p, m, plan);
    if (plan->charges.from_file)
        add_largest(out, p, plan);
}
