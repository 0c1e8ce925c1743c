/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/predict.h"

#include <math.h>

typedef struct htmt__volume_machine machine;
typedef struct htmt_term_tree tree;

#define USE(name, text, meaning)    HTMT_ROW_QUOTIENT("%", name " use", text, meaning)
#define NUMBER(name, text, meaning) HTMT_ROW_QUOTIENT("1", name, text, meaning)

/* ---- rows ----------------------------------------------------------------------------------- */

static const struct htmt_term_row rates[] = {
    HTMT_ROW_QUOTIENT("1/s", "frames a second", "frames / T", "of this problem"),
    HTMT_ROW_COMPUTED(0, "1", "parcels", "htmt__volume_load_estimate", "of all slices and frames"),
    HTMT_ROW_QUOTIENT("1/s", "rate", "slices / period", "parcels of all slices, one after another"),
    USE("assemble", "assemble / DPIMs / period", "DPIMs"),
    USE("gather", "gather / DtoS / period", "DRAM to SRAM"),
    USE("dispatch", "dispatch / SPIMs / period", "SPIMs"),
    USE("inject", "inject / StoC / period", "SRAM to CRAM"),
    USE("cast", "cast / SPELLs / period", "SPELL"),
    USE("eject", "eject / CtoS / period", "CRAM to SRAM"),
    USE("retire", "retire / SPIMs / period", "SPIMs"),
    USE("scatter", "scatter / StoD / period", "SRAM to DRAM"),
    USE("SPIM", "(dispatch + retire) / SPIMs / period", "dispatch and retire"),
    HTMT_ROWS_END};

/* No parcel, or one of nothing but code, fits as often as one likes: 0. */
#define FIT(name, text, meaning)                                                                   \
    {                                                                                              \
        0, name, meaning, "1", text, NULL, NULL, 0, HTMT_TERM_DOWN, true                           \
    }
static const struct htmt_term_row memory[] = {
    HTMT_ROW_COMPUTED(0, "words", "scatter words", "htmt__volume_set_plan", "of a parcel"),
    FIT("fit", "(CRAM words - table words) / inject words", "such parcels in CRAM at once"),
    FIT("fit, code resident", "(CRAM words - table words - W_M) / (inject words - W_M)",
        "if their code stayed there"),
    USE("CRAM", "(inject words - W_M) / CRAM words", "by a parcel without its code"),
    HTMT_ROWS_END};

/* Where moving a parcel of nothing but voxels takes as long as casting it. */
static const struct htmt_term_row break_even[] = {
    NUMBER("alpha", "samples / voxels", "samples for each voxel carried"),
    NUMBER("cycles a voxel", "cast / t_SPELL / voxels", "must exceed the two below"),
    NUMBER("break-even, inject", "bytes a voxel / 8 * t_StoC / t_SPELL",
           "SPELL cycles in which a voxel is injected"),
    NUMBER("break-even, gather", "bytes a voxel / 8 * t_DtoS / t_SPELL",
           "SPELL cycles in which a voxel is gathered"),
    HTMT_ROWS_END};

#define AT_RATE "at the frame rate of the cost file"
static const struct htmt_term_row job[] = {HTMT_ROW(0, "voxels", "largest job",
                                                    "rate / problem.frames-a-second * voxels",
                                                    AT_RATE),
                                           HTMT_ROWS_END},
                                  picture[] = {HTMT_ROW_COMPUTED(0, "pixels", "largest image",
                                                                 "pow, of the largest job",
                                                                 AT_RATE),
                                               HTMT_ROW(0, "words", "largest volume",
                                                        "largest job * bytes a voxel / 8", AT_RATE),
                                               HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

static void set_word_time(tree *t, const char *name, struct htmt_ratio fs)
{
    htmt_term_tree_set(t, NULL, name, "s", htmt_exact_ratio(fs));
}

void htmt__volume_add_uses(const machine *w, tree *t, uint64_t parcels)
{
    const struct htmt__volume_plan *p = w->p;
    const struct htmt_network *n = w->servers.m->network;
    htmt_term_tree_add(t, NULL, 0, rates);
    htmt_term_tree_add(t, NULL, 0, htmt__volume_words);
    htmt_term_tree_add(t, NULL, 0, memory);
    htmt_term_tree_add(t, NULL, 0, break_even);
    htmt_term_tree_set_count(t, NULL, "parcels", parcels);
    htmt_term_tree_set_count(t, NULL, "CRAM words", htmt_machine_room(w->servers.m, p->inner));
    htmt_term_tree_set_count(t, NULL, "table words", p->table_words);
    set_word_time(t, "t_SPELL", w->servers.m->layer[p->inner].processor.time[HTMT_CYCLE]);
    set_word_time(t, "t_StoC", n[p->up].port[p->middle].out_word);
    set_word_time(t, "t_DtoS", n[p->down].port[p->outer].out_word);
}

/* A face of as many voxels: the one power that is no product. */
int htmt__volume_add_largest(const machine *w, tree *t, struct htmt_fault *fault)
{
    struct htmt_exact rate = htmt_exact_whole(w->p->charges.frames_a_second);
    htmt_exact_apply('/', rate, htmt_exact_whole(HTMT_SECOND), &rate);
    htmt_term_tree_add(t, NULL, 0, job);
    htmt_term_tree_set(t, NULL, "problem.frames-a-second", "1/s", rate);
    int rc = htmt_term_tree_evaluate(t, fault);
    if (rc)
        return rc;
    double voxels = (double)htmt_exact_value(htmt_term_tree_value(t, "largest job"));
    htmt_term_tree_add(t, NULL, 0, picture);
    htmt_term_tree_set(t, NULL, "largest image", "pixels", htmt_exact_double(pow(voxels, 2.0 / 3)));
    return htmt_term_tree_evaluate(t, fault);
}
