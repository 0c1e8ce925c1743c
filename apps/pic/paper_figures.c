/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures that Hereld et al. print of plasma PIC: the term and the measure of each.
 */
#include "apps/pic/settings.h"

#define COSTS "--costs pic-hereld"
/* One hundred parcels a slice; the same and the words return; the number that DRAM holds. */
#define PUSH  COSTS " --phases push --parcels 100 --fold"
#define EJECT COSTS " --phases push-eject --parcels 100 --fold"
#define FULL  COSTS " --phases push --fold"
/* SPELLs so fast that the Data Vortex is the bottleneck. */
#define FLOOD PUSH " --set layers.cram.processor.clock=1024 GHz"

#define PERIOD "period Push execute"

#define TERM(row, options, term)                                                                   \
    {                                                                                              \
        row, options, term, NULL, NULL                                                             \
    }
#define SHOWN(row, options, term, measure)                                                         \
    {                                                                                              \
        row, options, term, measure, NULL                                                          \
    }
#define INPUT(row, key)                                                                            \
    {                                                                                              \
        row, COSTS, NULL, NULL, key                                                                \
    }
#define LENGTH(row, term, stage) SHOWN(row, PUSH, term, "mean Push " stage)
#define END(row, term, stage)    SHOWN(row, PUSH, term, "first Push " stage)
#define USE(row, options, term, stage, servers)                                                    \
    SHOWN(row, options, term, "mean Push " stage " / servers " servers " / " PERIOD)
#define DPIM(row, options)   USE(row, options, "DPIM use", "assemble", "DPIM")
#define VORTEX(row, options) USE(row, options, "vortex use", "gather", "vortex dram out")
#define SPIM(row, options)   USE(row, options, "SPIM use", "dispatch", "SPIM")
#define RTI(row, options)    USE(row, options, "RTI use", "inject", "rti sram out")
#define SPELL(row, options)  USE(row, options, "SPELL use", "execute", "SPELL")
#define PARTICLES                                                                                  \
    "@problem.particles-per-cell * @problem.cells-edge * @problem.cells-edge * "                   \
    "@problem.cells-edge"

const struct htmt_paper_figure htmt__pic_paper_figures[] = {
    /* Table 6 and Figure 4 */
    INPUT("H.T6.flop", "push.flop"),
    INPUT("H.T6.util", "push.useful"),
    INPUT("H.T6.NP", "problem.particles-per-cell"),
    INPUT("H.T6.NG", "problem.cells-edge"),
    INPUT("H.T6.assembly.work", "push.assembly"),
    INPUT("H.T6.dispatch.work", "push.dispatch"),
    INPUT("H.T6.code", "push.code"),
    TERM("H.T6.words", PUSH " --machine hereld-tables", "parcel words"),
    {"H.T6.parcel.guard", PUSH " --machine hereld-tables", "parcel words - @push.code", NULL, NULL},
    TERM("H.T6.NG.max", PUSH, "largest N_G"),
    LENGTH("H.T6.assembly.time", "assembly", "assemble"),
    TERM("H.T6.assembly.norm", PUSH, "assembly, shared"),
    DPIM("H.T6.assembly.util", PUSH),
    LENGTH("H.T6.dv.time", "gather", "gather"),
    VORTEX("H.T6.dv.util", PUSH),
    LENGTH("H.T6.dispatch.time", "dispatch", "dispatch"),
    TERM("H.T6.dispatch.norm", PUSH, "dispatch, shared"),
    SPIM("H.T6.dispatch.util", PUSH),
    LENGTH("H.T6.rti.time", "inject", "inject"),
    RTI("H.T6.rti.util", PUSH),
    LENGTH("H.T6.spell.time", "execute", "execute"),
    END("H.F4.assembly.end", "end of assembly", "assemble"),
    END("H.F4.dv.end", "end of gather", "gather"),
    END("H.F4.dispatch.end", "end of dispatch", "dispatch"),
    END("H.F4.rti.end", "end of inject", "inject"),
    END("H.F4.spell.end", "end of execute", "execute"),
    SHOWN("H.F4.steady", PUSH, "period", PERIOD),
    TERM("H.T6.cram.fit", PUSH, "CRAM room"),
    TERM("H.T6.cram.fit_dec", PUSH, "CRAM room"),
    TERM("H.T6.cram.fit_coderesident", PUSH, "CRAM room, code resident"),
    TERM("H.T6.cram.fit2", PUSH, "CRAM room"),
    SHOWN("H.T6.eject.time", EJECT, "eject", "mean Push eject"),
    SHOWN("H.T6.single.period", PUSH, "period", PERIOD),
    SPELL("H.T6.single.util.spell", PUSH),
    VORTEX("H.T6.single.util.dv", PUSH),
    DPIM("H.T6.single.util.assembly", PUSH),
    SPIM("H.T6.single.util.dispatch", PUSH),
    RTI("H.T6.single.util.rti", PUSH),
    SHOWN("H.T6.single.eject.period", EJECT, "period", PERIOD),
    SPELL("H.T6.single.eject.util.spell", EJECT),
    VORTEX("H.T6.single.eject.util.dv", EJECT),
    SHOWN("H.T6.single.period.oct98", PUSH, "period", PERIOD),
    SHOWN("H.T6.single.eject.period.oct98", EJECT, "period", PERIOD),
    SHOWN("H.T6.double.eject.period", EJECT, "period", PERIOD),
    SHOWN("H.T6.single.makespan.100", PUSH, "T", "last Push execute"),
    SHOWN("H.T6.double.makespan.100", PUSH, "T", "last Push execute"),
    END("H.F4.spell.end.oct98", "end of execute", "execute"),

    /* Table 7 */
    INPUT("H.T7.steps", "problem.time-steps"),
    SHOWN("H.T7.slice.parcels_s", PUSH, "parcel rate, slice", "1 / " PERIOD),
    SHOWN("H.T7.full.parcels_s", PUSH, "parcel rate", "slices / " PERIOD),
    SHOWN("H.T7.slice.particles_s", PUSH, "particle rate, slice", PARTICLES " / " PERIOD),
    SHOWN("H.T7.full.particles_s", PUSH, "particle rate", "slices * " PARTICLES " / " PERIOD),
    TERM("H.T7.slice.parcels", FULL, "parcels in DRAM, slice"),
    TERM("H.T7.full.parcels", FULL, "parcels in DRAM"),
    TERM("H.T7.full.particles", FULL, "particles in DRAM"),
    TERM("H.T7.slice.points", FULL, "points in DRAM, slice"),
    TERM("H.T7.full.points", FULL, "points in DRAM"),
    TERM("H.T7.iteration", FULL, "iteration"),
    TERM("H.T7.run", FULL, "run"),
    SHOWN("H.T7.pflops", PUSH, "flop rate", "flop / count Push execute / " PERIOD),
    SHOWN("H.T7.single.slice.parcels_s", PUSH, "parcel rate, slice", "1 / " PERIOD),
    SHOWN("H.T7.single.full.parcels_s", PUSH, "parcel rate", "slices / " PERIOD),
    SHOWN("H.T7.single.full.particles_s", PUSH, "particle rate",
          "slices * " PARTICLES " / " PERIOD),
    SHOWN("H.T7.single.pflops", PUSH, "flop rate", "flop / count Push execute / " PERIOD),
    TERM("H.T7.single.iteration", FULL, "iteration"),
    {"H.T7.dram.left", FULL " --machine hereld-tables", NULL, "capacity DRAM - peak DRAM", NULL},
    SHOWN("H.T7.makespan.double", FULL, "T", "last Push execute"),
    SHOWN("H.T7.makespan.single", FULL, "T", "last Push execute"),

    /* Table 9 */
    TERM("H.T9.pic.total", FULL, "iteration"),
    SPIM("H.T9.pic.SPIM", PUSH),
    DPIM("H.T9.pic.DPIM", PUSH),
    RTI("H.T9.pic.StoC", PUSH),
    VORTEX("H.T9.pic.DtoS", PUSH),
    TERM("H.T9.pic.CRAM", PUSH, "CRAM use"),
    TERM("H.T9.pic.DRAM", FULL, "DRAM use"),
    SHOWN("H.T9.pic.SRAM.fill", FULL, "SRAM use", "peak SRAM / capacity SRAM"),

    /* text */
    SHOWN("H.X.sustained", FLOOD, "parcel words / period", "words Push gather / " PERIOD),
    SHOWN("H.X.combine.max", PUSH, "period", PERIOD),
    TERM("H.X.combine.sum", PUSH,
         "assembly, shared + gather + dispatch, shared + inject + execute"),
    {NULL, NULL, NULL, NULL, NULL},
};
