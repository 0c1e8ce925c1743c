/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures that Hereld et al. print of SAR: the term and the measure of each. A patch has the
 * lines and samples of the cost file. Its period is the period of patches on a slice with two in
 * flight.
 */
#include "apps/sar/settings.h"

#define COSTS "--costs sar-hereld"
/* One patch a slice, and several in sequence. */
#define ONE  COSTS " --patches 1 --slices 1"
#define MANY COSTS " --patches 16384 --fold"

#define READ    "Read Patch"
#define WRITE   "Write Patch"
#define RANGE   "Range Line"
#define AZIMUTH "Azimuth Line"
#define PATCHES "count Range Reference execute"
/* From the first line of the first patch to the last one of the last; the SPELL never rests. */
#define PERIOD      "[last " AZIMUTH " execute - first " RANGE " execute / " PATCHES "]"
#define A_PATCH     " / " PATCHES " / " PERIOD
#define BOTH(stage) "busy " RANGE " " stage " + busy " AZIMUTH " " stage A_PATCH

#define TERM(row, term)                                                                            \
    {                                                                                              \
        row, MANY, term, NULL, NULL                                                                \
    }
#define SHOWN(row, term, measure)                                                                  \
    {                                                                                              \
        row, MANY, term, measure, NULL                                                             \
    }
#define OF_ONE(row, term, measure)                                                                 \
    {                                                                                              \
        row, ONE, term, measure, NULL                                                              \
    }
#define COUNTED(row, measure)                                                                      \
    {                                                                                              \
        row, MANY " --machine hereld-tables", NULL, measure, NULL                                  \
    }
#define WORDS(row, type, stage) COUNTED(row, "words " type " " stage)
#define REPEATED(row, type)     COUNTED(row, "count " type " execute / " PATCHES)
#define INPUT(row, key)                                                                            \
    {                                                                                              \
        row, COSTS, NULL, NULL, key                                                                \
    }
#define SERVICE(row, type)                                                                         \
    {                                                                                              \
        row, MANY, type, "mean " type " execute", NULL                                             \
    }
#define SHARE(row, type, way, stage)                                                               \
    {                                                                                              \
        row, MANY, type ", " way " use", "mean " type " " stage " / mean " type " execute", NULL   \
    }

const struct htmt_paper_figure htmt__sar_paper_figures[] = {
    /* Table 4 */
    INPUT("H.T4.rref.N", "range-reference.n"),
    INPUT("H.T4.rref.NlogN", "range-reference.n-log-n"),
    INPUT("H.T4.rline.N", "range-line.n"),
    INPUT("H.T4.rline.NlogN", "range-line.n-log-n"),
    INPUT("H.T4.aref.N", "azimuth-reference.n"),
    INPUT("H.T4.aref.NlogN", "azimuth-reference.n-log-n"),
    INPUT("H.T4.aline.N", "azimuth-line.n"),
    INPUT("H.T4.aline.NlogN", "azimuth-line.n-log-n"),
    INPUT("H.T4.read.NN", "read-patch.cycles"),
    INPUT("H.T4.write.NN", "write-patch.cycles"),
    INPUT("H.T4.Nr", "problem.samples"),
    INPUT("H.T4.Na", "problem.lines"),

    /* Table 5 */
    SERVICE("H.T5.read.time", READ),
    SERVICE("H.T5.write.time", WRITE),
    SERVICE("H.T5.rref.time", "Range Reference"),
    SERVICE("H.T5.rline.time", RANGE),
    SERVICE("H.T5.aref.time", "Azimuth Reference"),
    SERVICE("H.T5.aline.time", AZIMUTH),
    REPEATED("H.T5.rref.reps", "Range Reference"),
    REPEATED("H.T5.rline.reps", RANGE),
    REPEATED("H.T5.aref.reps", "Azimuth Reference"),
    REPEATED("H.T5.aline.reps", AZIMUTH),
    WORDS("H.T5.rref.StoC.words", "Range Reference", "inject"),
    WORDS("H.T5.rref.DtoS.words", "Range Reference", "gather"),
    WORDS("H.T5.rline.StoC.words", RANGE, "inject"),
    WORDS("H.T5.rline.DtoS.words", RANGE, "gather"),
    WORDS("H.T5.aref.StoC.words", "Azimuth Reference", "inject"),
    WORDS("H.T5.aref.DtoS.words", "Azimuth Reference", "gather"),
    WORDS("H.T5.aline.StoC.words", AZIMUTH, "inject"),
    WORDS("H.T5.aline.DtoS.words", AZIMUTH, "gather"),
    WORDS("H.T5.rline.CtoS.words", RANGE, "eject"),
    WORDS("H.T5.rline.StoD.words", RANGE, "scatter"),
    WORDS("H.T5.aline.CtoS.words", AZIMUTH, "eject"),
    WORDS("H.T5.aline.StoD.words", AZIMUTH, "scatter"),
    COUNTED("H.T5.read.HtoD.words", "words " READ " inject * count " READ " inject / " PATCHES),
    COUNTED("H.T5.write.DtoH.words", "words " WRITE " eject * count " WRITE " eject / " PATCHES),
    TERM("H.T5.rref.util.StoC", "Range Reference, S to C use"),
    TERM("H.T5.rref.util.DtoS", "Range Reference, D to S use"),
    SHARE("H.T5.rline.util.StoC", RANGE, "S to C", "inject"),
    SHARE("H.T5.rline.util.CtoS", RANGE, "C to S", "eject"),
    SHARE("H.T5.rline.util.DtoS", RANGE, "D to S", "gather"),
    SHARE("H.T5.rline.util.StoD", RANGE, "S to D", "scatter"),
    TERM("H.T5.aref.util.StoC", "Azimuth Reference, S to C use"),
    TERM("H.T5.aref.util.DtoS", "Azimuth Reference, D to S use"),
    SHARE("H.T5.aline.util.StoC", AZIMUTH, "S to C", "inject"),
    SHARE("H.T5.aline.util.CtoS", AZIMUTH, "C to S", "eject"),
    SHARE("H.T5.aline.util.DtoS", AZIMUTH, "D to S", "gather"),
    SHARE("H.T5.aline.util.StoD", AZIMUTH, "S to D", "scatter"),
    TERM("H.T5.rref.util.CRAM", "Range Reference, CRAM use"),
    TERM("H.T5.rline.util.CRAM", "Range Line, CRAM use"),
    TERM("H.T5.aref.util.CRAM", "Azimuth Reference, CRAM use"),
    TERM("H.T5.aline.util.CRAM", "Azimuth Line, CRAM use"),
    TERM("H.T5.rref.util.SRAM", "Range Reference, SRAM use"),
    TERM("H.T5.rline.util.SRAM", "Range Line, SRAM use"),
    TERM("H.T5.aref.util.SRAM", "Azimuth Reference, SRAM use"),
    TERM("H.T5.aline.util.SRAM", "Azimuth Line, SRAM use"),
    TERM("H.T5.read.util.DRAM", "patch, DRAM use"),
    TERM("H.T5.rref.util.DRAM", "Range Reference, DRAM use"),
    TERM("H.T5.rline.util.DRAM", "Range Line, DRAM use"),
    TERM("H.T5.aref.util.DRAM", "Azimuth Reference, DRAM use"),
    TERM("H.T5.aline.util.DRAM", "Azimuth Line, DRAM use"),
    TERM("H.T5.write.util.DRAM", "patch, DRAM use"),
    TERM("H.T5.read.util.HRAM", "patch, HRAM use"),
    TERM("H.T5.write.util.HRAM", "patch, HRAM use"),
    INPUT("H.T5.point.words", "point.words"),
    INPUT("H.T5.point.raw", "point.raw-bytes / 8"), /* in words */
    INPUT("H.T5.point.HtoD", "point.channel-words"),
    TERM("H.T5.read.util.HtoD.dpim", "Read Patch, H to D use"),
    TERM("H.T5.write.util.DtoH.dpim", "Write Patch, D to H use"),
    SHOWN("H.T5.read.HtoD.time", "Read Patch, H to D", "busy " READ " inject / " PATCHES),

    /* section 3.2.2 */
    SHOWN("H.S.patch_time", "SPELL", PERIOD),
    TERM("H.S.patch_time.T9", "SPELL"),
    SHOWN("H.S.rate", "patch rate", "slices / " PERIOD),
    SHOWN("H.S.interval", "patch interval", PERIOD " / slices"),
    TERM("H.S.patches", "patches in HRAM"),
    INPUT("H.S.hram", "hram.share"),
    TERM("H.S.time", "time of HRAM"),
    TERM("H.S.raw_rate", "raw rate"),
    SHOWN("H.S.DtoH_time", "Write Patch, D to H", "busy " WRITE " eject / " PATCHES),
    SHOWN("H.S.dpim_share", "DPIM use",
          "busy " READ " execute + busy " WRITE " execute / servers DPIM" A_PATCH),
    TERM("H.S.cram.lines", "range lines in CRAM"),
    TERM("H.S.cram.lines_dec", "range lines in CRAM"),
    TERM("H.S.cram.double.util", "CRAM use, two lines"),
    TERM("H.S.cram.rref_lines", "range lines beside a reference"),
    TERM("H.S.cram.az_lines", "azimuth lines in CRAM"),
    OF_ONE("H.S.rline.period", "Range Line, bottleneck", "period " RANGE " execute"),
    OF_ONE("H.S.aline.period", "Azimuth Line, bottleneck", "period " AZIMUTH " execute"),
    TERM("H.S.rline.period.single", "Range Line, one at a time"),
    SHOWN("H.S.DtoH_share", "D to H use", "busy " WRITE " eject" A_PATCH),

    /* Table 9 */
    SHOWN("H.T9.sar.parcel", "SPELL", PERIOD),
    SHOWN("H.T9.sar.rate", "patch interval", PERIOD " / slices"),
    TERM("H.T9.sar.total", "time of HRAM"),
    SHOWN("H.T9.sar.StoC", "S to C use", BOTH("inject")),
    SHOWN("H.T9.sar.CtoS", "C to S use", BOTH("eject")),
    SHOWN("H.T9.sar.DtoS", "D to S use", BOTH("gather")),
    SHOWN("H.T9.sar.StoD", "S to D use", BOTH("scatter")),
    SHOWN("H.T9.sar.HtoD", "H to D use", "busy " READ " inject" A_PATCH),
    SHOWN("H.T9.sar.DtoH", "D to H use", "busy " WRITE " eject" A_PATCH),
    TERM("H.T9.sar.CRAM_1024", "CRAM use"),
    INPUT("H.T9.sar.HRAM", "hram.share"),
    TERM("H.T9.sar.DRAM.dpim", "DRAM use"),
    {NULL, NULL, NULL, NULL, NULL},
};
