/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures that Hereld et al. print of volume rendering: the term and the measure of each.
 *
 * The job looks along an axis at whole subcubes only. Bundles of 50 x 50 rays go straight through
 * columns of subcubes of 50^3 voxels, so every parcel is a parcel of Table 8. 4 x 4 columns of 400
 * subcubes on one slice make fill and drain small beside 6400 periods.
 */
#include "apps/volume/settings.h"

#define COSTS "--costs volume-hereld"
#define ASIDE                                                                                      \
    COSTS " --slices 1 --dims 197,19601,197 --size 200 --view front --projection parallel"         \
          " --half-height 98 --step 1 --terminate off --lanes 16 --rays "
#define JOB   ASIDE "dram"
#define NORAY ASIDE "sram"

/* One parcel: one bundle through one subcube. */
#define ONE                                                                                        \
    COSTS " --slices 1 --dims 50,50,50 --size 50 --view front --projection parallel"               \
          " --half-height 24.5 --step 1 --terminate off --rays dram"
/* 1000 bundles of one subcube each. Rays reach SRAM separately and in time. */
#define THOUSAND                                                                                   \
    COSTS " --slices 1 --dims 1226,50,1961 --size 1250x2000 --view front --projection parallel"    \
          " --half-height 980 --step 1 --terminate off --lanes 100 --rays sram"
/* The whole machine, 16 bundles a slice, for the closed form, which does not depend on the depth.
 */
#define WHOLE                                                                                      \
    COSTS " --dims 12545,50,12545 --size 12800 --view front --projection parallel"                 \
          " --half-height 6272 --step 1 --terminate off --lanes 16 --rays dram"

#define CUBE   "Subcube"
#define PERIOD "period " CUBE " execute"

#define TERM(row, term)                                                                            \
    {                                                                                              \
        row, ONE, term, NULL, NULL                                                                 \
    }
#define SHOWN(row, term, measure)                                                                  \
    {                                                                                              \
        row, JOB, term, measure, NULL                                                              \
    }
#define INPUT(row, key)                                                                            \
    {                                                                                              \
        row, COSTS, NULL, NULL, key                                                                \
    }
#define WORDS(row, term, stage)                                                                    \
    {                                                                                              \
        row, ONE " --machine hereld-tables", term, "words " CUBE " " stage, NULL                   \
    }
#define LENGTH(row, term, stage)                                                                   \
    {                                                                                              \
        row, ONE, term, "mean " CUBE " " stage, NULL                                               \
    }
#define USE(row, term, stage, servers)                                                             \
    {                                                                                              \
        row, JOB, term, "mean " CUBE " " stage " / servers " servers " / " PERIOD, NULL            \
    }
/* A bundle's pixels leave once; this is a parcel's share of them. */
#define SHARE "busy Composite eject / count " CUBE " execute"

const struct htmt_paper_figure htmt__volume_paper_figures[] = {
    /* Table 8 */
    INPUT("H.T8.NC", "cast.cycles"),
    INPUT("H.T8.alpha", "cast.alpha"),
    INPUT("H.T8.NG", "problem.subcube-edge"),
    INPUT("H.T8.NR", "problem.rays"),
    INPUT("H.T8.W_M", "parcel.code"),
    INPUT("H.T8.assemble.work", "assemble.cycles"),
    INPUT("H.T8.dispatch.work", "dispatch.cycles"),
    INPUT("H.T8.retire.work", "retire.cycles"),
    INPUT("H.T8.scatter.words", "scatter.words"),
    INPUT("H.T8.voxel.words", "parcel.voxel"),
    WORDS("H.T8.words", "inject words", "inject"),
    WORDS("H.T8.eject.words", "eject words", "eject"),
    {"H.T8.noray.gather.words", NORAY " --machine hereld-tables", "gather words",
     "words " CUBE " gather", NULL},
    LENGTH("H.T8.spell.time", "cast", "execute"),
    LENGTH("H.T8.assemble.time", "assemble", "assemble"),
    USE("H.T8.assemble.util", "assemble use", "assemble", "DPIM"),
    LENGTH("H.T8.gather.time", "gather", "gather"),
    USE("H.T8.gather.util", "gather use", "gather", "vortex dram out"),
    LENGTH("H.T8.dispatch.time", "dispatch", "dispatch"),
    USE("H.T8.dispatch.util", "dispatch use", "dispatch", "SPIM"),
    LENGTH("H.T8.inject.time", "inject", "inject"),
    USE("H.T8.inject.util", "inject use", "inject", "rti sram out"),
    LENGTH("H.T8.eject.time", "eject", "eject"),
    USE("H.T8.eject.util", "eject use", "eject", "rti cram out"),
    LENGTH("H.T8.retire.time", "retire", "retire"),
    USE("H.T8.retire.util", "retire use", "retire", "SPIM"),
    SHOWN("H.T8.scatter.time", "scatter", SHARE),
    SHOWN("H.T8.scatter.util", "scatter use", SHARE " / " PERIOD),
    TERM("H.T8.cram.fit", "fit"),
    TERM("H.T8.cram.fit_dec", "fit"),
    TERM("H.T8.cram.fit_coderesident", "fit, code resident"),
    TERM("H.T8.cram.fit2", "fit"),
    SHOWN("H.T8.double.period", "period", PERIOD),
    SHOWN("H.T8.single.period", "period", PERIOD),
    USE("H.T8.single.util.spell", "cast use", "execute", "SPELL"),
    USE("H.T8.single.util.gather", "gather use", "gather", "vortex dram out"),
    USE("H.T8.single.util.inject", "inject use", "inject", "rti sram out"),
    USE("H.T8.single.util.eject", "eject use", "eject", "rti cram out"),
    USE("H.T8.single.util.assemble", "assemble use", "assemble", "DPIM"),
    USE("H.T8.single.util.dispatch", "dispatch use", "dispatch", "SPIM"),
    SHOWN("H.T8.single.period.oct98", "period", PERIOD),
    {"H.T8.single.makespan.1000", THOUSAND, "pipeline", "makespan", NULL},
    {"H.T8.double.makespan.1000", THOUSAND, "pipeline", "makespan", NULL},
    {"H.T8.noray.gather.time", NORAY, "gather", "mean " CUBE " gather", NULL},
    {"H.T8.noray.gather.util", NORAY, "gather use", "mean " CUBE " gather / " PERIOD, NULL},
    {"H.T8.noray.single.gather.util", NORAY, "gather use", "mean " CUBE " gather / " PERIOD, NULL},

    /* section 3.2.4 */
    INPUT("H.V.fps", "problem.frames-a-second"),
    TERM("H.V.rhs_SC", "break-even, inject"),
    TERM("H.V.rhs_DS", "break-even, gather"),
    TERM("H.V.parcel_time", "cast"),
    SHOWN("H.V.rate.256", "rate * @slices", "@slices / " PERIOD),
    {"H.V.voxels.256", WHOLE, "largest job", NULL, NULL},
    {"H.V.pixels.256", WHOLE, "largest image", NULL, NULL},
    {"H.V.words.256", WHOLE, "largest volume", NULL, NULL},
    SHOWN("H.V.rate.single", "rate * @slices", "@slices / " PERIOD),
    {"H.V.voxels.single", WHOLE, "largest job", NULL, NULL},

    /* Table 9 */
    INPUT("H.T9.vol.rate", "problem.frames-a-second"),
    LENGTH("H.T9.vol.parcel", "cast", "execute"),
    SHOWN("H.T9.vol.SPIM", "SPIM use",
          "mean " CUBE " dispatch + mean " CUBE " retire / servers SPIM / " PERIOD),
    USE("H.T9.vol.DPIM", "assemble use", "assemble", "DPIM"),
    USE("H.T9.vol.StoC", "inject use", "inject", "rti sram out"),
    USE("H.T9.vol.CtoS", "eject use", "eject", "rti cram out"),
    USE("H.T9.vol.DtoS", "gather use", "gather", "vortex dram out"),
    SHOWN("H.T9.vol.StoD", "scatter use", SHARE " / " PERIOD),
    TERM("H.T9.vol.CRAM", "CRAM use"),
    {NULL, NULL, NULL, NULL, NULL},
};
