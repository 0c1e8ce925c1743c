/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What Amaral et al. and Hereld et al. print of Cannon's multiply: the term and the measure of each
 * figure. All command lines fill the papers' blocks once, t = 26, b_c = 125; the slices make s.
 *
 * A row names the golden row that it is about and the options of the command. Then it has a term of
 * the closed form (TERM), a measure of a model run that is played for it (COUNTED), both (SHOWN),
 * or a key of the cost file, which the paper states as an assumption (INPUT).
 */
#include "apps/cannon/settings.h"

#define COSTS   "--costs cannon-amaral"
#define PAPER   COSTS " --schedule paper --fold"
#define OVERLAP COSTS " --schedule overlap --fold"
#define S4      " --slices 16"
#define S8      " --slices 64"
/* q = 10 products a side */
#define Q10 COSTS " --schedule paper --size 2080000"

/* Stages, as the model run names them. */
#define MULTIPLY    "Block Multiply fiber"
#define PAIR        "Subblock Pair inject"
#define C_SUBBLOCK  "(put) put on rti cram out"
#define EXCHANGE    "(put) put on cnet cram out"
#define REARRANGE   "busy Transform A execute + busy Transform B execute + busy Transform C execute"
#define BUNDLE_UP   "Bundle Up inject"
#define BUNDLE_DOWN "Bundle Down eject"

#define T_PAPER(row, at)                                                                           \
    {                                                                                              \
        row, PAPER at, "T, paper", "makespan", NULL                                                \
    }
#define T_OVERLAP(row, at)                                                                         \
    {                                                                                              \
        row, OVERLAP at, "T, overlapped", "makespan", NULL                                         \
    }
#define RATE_PAPER(row, at)                                                                        \
    {                                                                                              \
        row, PAPER at, "rate, paper", "flop / makespan", NULL                                      \
    }
#define RATE_OVERLAP(row, at)                                                                      \
    {                                                                                              \
        row, OVERLAP at, "rate, overlapped", "flop / makespan", NULL                               \
    }
#define TERM(row, term)                                                                            \
    {                                                                                              \
        row, PAPER, term, NULL, NULL                                                               \
    }
#define SHOWN(row, term, measure)                                                                  \
    {                                                                                              \
        row, PAPER, term, measure, NULL                                                            \
    }
#define COUNTED(row, measure)                                                                      \
    {                                                                                              \
        row, PAPER " --machine htmt-2007", NULL, measure, NULL                                     \
    }
#define INPUT(row, key)                                                                            \
    {                                                                                              \
        row, COSTS, NULL, NULL, key                                                                \
    }

/* Figure 7: DRAM_at in ns a word, the cycle of one of five FPUs in ps. */
#define POINT(q, size, dram, cycle, flop)                                                          \
    {                                                                                              \
        "A.F7.q" #q ".D" #dram ".F" #cycle,                                                        \
            COSTS " --schedule paper --size " #size " --set layers.dram.memory.access=" #dram      \
                  " ns/word --set layers.dram.processor.load=" #dram                               \
                  " ns/word --set layers.dram.processor.store=" #dram                              \
                  " ns/word --set layers.cram.processor.flop=" #flop " ps/flop",                   \
            "rate, paper", NULL, NULL                                                              \
    }
#define CURVE(q, size, dram)                                                                       \
    POINT(q, size, dram, 5, 1), POINT(q, size, dram, 10, 2), POINT(q, size, dram, 15, 3),          \
        POINT(q, size, dram, 20, 4), POINT(q, size, dram, 25, 5), POINT(q, size, dram, 30, 6),     \
        POINT(q, size, dram, 40, 8), POINT(q, size, dram, 50, 10), POINT(q, size, dram, 60, 12)
#define CURVES(q, size)                                                                            \
    CURVE(q, size, 0.5), CURVE(q, size, 0.97), CURVE(q, size, 1.94), CURVE(q, size, 5.0)

const struct htmt_paper_figure htmt__cannon_paper_figures[] = {
    /* Amaral et al., text and equations */
    T_PAPER("A.abs.time.hereld", ""),
    RATE_PAPER("A.abs.pflops.hereld", ""),
    SHOWN("A.peak_share", "share of peak, paper", "busy " MULTIPLY " / makespan"),
    TERM("A.t", "largest t"),
    TERM("A.b_c.reserve", "largest b_c"),
    SHOWN("A.eq5.mult", "busy multiply", "busy " MULTIPLY),
    SHOWN("A.eq5.IP_SC", "busy inject and eject", "busy " PAIR " + busy " C_SUBBLOCK),
    SHOWN("A.eq5.IP_DS", "bundle up", "busy " BUNDLE_UP),
    TERM("A.eq6.c0", "busy inject and eject"),
    TERM("A.P.c0", "busy inject and eject"),
    TERM("A.P.nominal", "rate, paper"),
    {"A.P.q10", Q10, "rate, paper", NULL, NULL},
    TERM("A.P.limit", "rate for large q"),
    TERM("A.P.overlap", "transforms"),
    TERM("A.trend.MS_DS", "M_S over D_S"),
    TERM("A.flop", "flop"),
    TERM("A.t.use", "SRAM"),
    TERM("A.b_c.text", "CRAM"),
    INPUT("A.subblocks", "cram.subblocks-a + cram.subblocks-b + cram.subblocks-c"),
    INPUT("A.t.blocks", "sram.blocks"),

    /* Amaral et al., Table 1 */
    COUNTED("A.T1.DtoS", "words " BUNDLE_UP),
    COUNTED("A.T1.StoC", "words " PAIR " / 2"),
    COUNTED("A.T1.shift", "words " EXCHANGE),

    /* Amaral et al., Table 3 */
    SHOWN("A.T3.D_t", "D_t[A]", "busy Transform A execute"),
    SHOWN("A.T3.M_S", "M_S", "longest " MULTIPLY),
    SHOWN("A.T3.D_S", "D_S", "mean " EXCHANGE),
    SHOWN("A.T3.D_S.us", "D_S", "mean " EXCHANGE),
    SHOWN("A.T3.IP_SC", "IP_SC", "mean " C_SUBBLOCK),
    SHOWN("A.T3.IP_DS", "IP_DS", "mean " BUNDLE_UP),

    /* Amaral et al., Figure 7 */
    CURVES(1, 208000),
    CURVES(10, 2080000),

    /* Hereld et al., Table 2 */
    INPUT("H.T2.t", "problem.t"),
    INPUT("H.T2.b_c", "problem.subblock-edge"),
    {"H.T2.s", COSTS " --machine htmt-2007", NULL, NULL, "slices / @H.T2.s"},
    SHOWN("H.T2.Dt_A.time", "D_t[A]", "busy Transform A execute"),
    SHOWN("H.T2.Dt_B.time", "D_t[B]", "busy Transform B execute"),
    SHOWN("H.T2.Dt_C.time", "D_t[C]", "busy Transform C execute"),
    SHOWN("H.T2.IP_DS.time", "IP_DS", "mean " BUNDLE_UP),
    SHOWN("H.T2.IP_SC.time", "IP_SC", "mean " PAIR " / 2"),
    SHOWN("H.T2.M_s.time", "M_S", "longest " MULTIPLY),
    SHOWN("H.T2.D_s.time", "D_S", "mean " EXCHANGE),
    SHOWN("H.T2.OP_CS.time", "OP_CS", "mean " C_SUBBLOCK),
    SHOWN("H.T2.OP_SD.time", "OP_SD", "mean " BUNDLE_DOWN),

    COUNTED("H.T2.IP_DS.words", "words " BUNDLE_UP),
    COUNTED("H.T2.IP_SC.words", "words " PAIR " / 2"),
    COUNTED("H.T2.OP_CS.words", "words " C_SUBBLOCK),
    COUNTED("H.T2.OP_SD.words", "words " BUNDLE_DOWN),

    /* Hereld et al., Table 3 */
    COUNTED("H.T3.reps.blockmul", "count " PAIR),
    COUNTED("H.T3.reps.bundledown", "count " BUNDLE_DOWN),
    COUNTED("H.T3.comm.StoC", "words " PAIR),
    COUNTED("H.T3.comm.CtoS", "words " C_SUBBLOCK " * count " C_SUBBLOCK " / count " PAIR),
    COUNTED("H.T3.comm.DtoS", "words " BUNDLE_UP " * count " BUNDLE_UP),
    COUNTED("H.T3.comm.StoD", "words " BUNDLE_DOWN),
    SHOWN("H.T3.time.transformA", "D_t[A]", "busy Transform A execute"),
    SHOWN("H.T3.time.transformB", "D_t[B]", "busy Transform B execute"),
    SHOWN("H.T3.time.bundleup", "bundle up", "busy " BUNDLE_UP),
    SHOWN("H.T3.time.blockmul", "block multiply", "busy " MULTIPLY " / count " PAIR),
    SHOWN("H.T3.time.bundledown", "bundle down", "mean " BUNDLE_DOWN),
    SHOWN("H.T3.time.transformC", "D_t[C]", "busy Transform C execute"),
    TERM("H.T3.work.spell.at_table1", "block multiply"),
    SHOWN("H.T3.mem.cram7", "CRAM", "peak CRAM"),
    SHOWN("H.T3.mem.sram", "SRAM", "peak SRAM"),
    SHOWN("H.T3.util.spell.total", "busy multiply", "busy " MULTIPLY),
    SHOWN("H.T3.util.dpim.total", "transforms", REARRANGE),
    SHOWN("H.T3.util.StoC", "inject over block multiply", "busy " PAIR " / busy " MULTIPLY),
    SHOWN("H.T3.util.StoC.total", "busy inject", "busy " PAIR),
    SHOWN("H.T3.util.CtoS", "eject over block multiply", "busy " C_SUBBLOCK " / busy " MULTIPLY),
    SHOWN("H.T3.util.CtoS.total", "busy eject", "busy " C_SUBBLOCK),
    SHOWN("H.T3.util.DtoS.total", "busy bundle up", "busy " BUNDLE_UP),
    SHOWN("H.T3.util.StoD.total", "busy bundle down", "busy " BUNDLE_DOWN),
    TERM("H.T3.util.sram", "SRAM use"),
    TERM("H.T3.util.cram7", "CRAM use"),

    /* Hereld et al., section 3.2.1 */
    SHOWN("H.C.TB", "T_B", "period " C_SUBBLOCK),
    T_PAPER("H.C.T", ""),
    SHOWN("H.C.Dt_total", "transforms", REARRANGE),
    SHOWN("H.C.mult_total", "busy multiply", "busy " MULTIPLY),
    SHOWN("H.C.bundleup_text", "inject", "mean " PAIR),
    SHOWN("H.C.M_S", "M_S", "longest " MULTIPLY),
    SHOWN("H.C.D_S", "D_S", "mean " EXCHANGE),
    TERM("H.C.808", "block multiply, exchanges shown"),
    SHOWN("H.C.750vs808", "block multiply", "busy " MULTIPLY " / count " PAIR),
    TERM("H.C.flop", "flop"),
    RATE_PAPER("H.C.pflops", ""),
    {"H.C.hide.s4", PAPER S4, "inject over block multiply", NULL, NULL},
    T_PAPER("H.C.T.s4.serial", S4),
    T_OVERLAP("H.C.T.s4.overlap", S4),
    RATE_OVERLAP("H.C.pflops.s4.overlap", S4),
    {"H.C.hide.s8", PAPER S8, "inject over block multiply", NULL, NULL},
    T_PAPER("H.C.T.s8.serial", S8),
    T_OVERLAP("H.C.T.s8.overlap", S8),
    RATE_OVERLAP("H.C.pflops.s8.overlap", S8),
    TERM("H.C.hide.s64", "inject over block multiply"),
    T_PAPER("H.C.T.s64.serial", ""),
    T_OVERLAP("H.C.T.s64.overlap", ""),
    RATE_OVERLAP("H.C.pflops.s64.overlap", ""),

    /* Hereld et al., Table 9 */
    SHOWN("H.T9.mm.parcel", "block multiply", "busy " MULTIPLY " / count " PAIR),
    T_PAPER("H.T9.mm.total", ""),
    SHOWN("H.T9.mm.spell_of_total", "share of peak, paper", "busy " MULTIPLY " / makespan"),
    SHOWN("H.T9.mm.StoC", "busy inject / T, paper", "busy " PAIR " / makespan"),
    TERM("H.T9.mm.SRAM", "SRAM use"),
    SHOWN("H.T9.mm.dpim_of_total", "transforms / T, paper", REARRANGE " / makespan"),
    SHOWN("H.T9.mm.dram_port", "transforms + busy bundle up + busy bundle down / T, paper",
          REARRANGE " + busy " BUNDLE_UP " + busy " BUNDLE_DOWN " / makespan"),
    {NULL, NULL, NULL, NULL, NULL},
};
