/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of two papers: Pauer, of tables; Mermaid, 5.2, of patterns on a mesh of 4 x 4 and of
 * 8 x 8 nodes. Counts are those of any machine of so many slices; times and contentions are those
 * of the paper's machines.
 */
#include "apps/traffic/settings.h"

#define EX1 "--table hpsc-simple"
#define EX2 "--table hpsc-grid"
#define S4  "--slices 16"
#define S8  "--slices 64"

/* A message alone over two switches, and the figures that make the paper's four latencies add up:
 * 0.6 us a byte. */
#define ALONE                                                                                      \
    "--pattern ping-pong --set networks.grid.startup=0 s --set networks.grid.inside.rate=0.6 "     \
    "us/B "
#define SCALED                                                                                     \
    "--set networks.grid.inside.planes.count=4 --set networks.grid.inside.planes.as=scaled "

/* The machine of the paper's first example: when packets come, packets that find a port taken. */
#define SIMPLE "--table hpsc-simple --machine hpsc-simple"

#define ALL     "--pattern all-to-all "
#define EQUAL   "--pattern equal-distance "
#define UNEQUAL "--pattern unequal-distance "

#define TERM(row, options, term)                                                                   \
    {                                                                                              \
        row, options, term, NULL, NULL                                                             \
    }

#define SHOWN(row, options, measure)                                                               \
    {                                                                                              \
        row, options, NULL, measure, NULL                                                          \
    }

#define LATENCY(row, options)                                                                      \
    {                                                                                              \
        row, options "--machine gcel", "alone", "found message_latency_max", NULL                  \
    }

const struct htmt_paper_figure htmt__traffic_paper_figures[] = {
    TERM("P.ex1.sources", EX1, "senders"),
    TERM("P.ex1.lanais", EX1, "nodes"),
    TERM("P.ex1.packets", EX1, "messages"),
    TERM("P.ex1.recv_top", EX1, "heard"),
    SHOWN("P.ex1.contentions", SIMPLE, "found contentions"),
    SHOWN("P.ex1.cont1", SIMPLE, "contentions myrinet 1.2"),
    SHOWN("P.ex1.cont2", SIMPLE, "contentions myrinet 2.2"),
    SHOWN("P.ex1.at.t1", SIMPLE, "found came_5_0"),
    SHOWN("P.ex1.at.t2", SIMPLE, "found came_3_0"),
    SHOWN("P.ex1.at.t3", SIMPLE, "found came_5_1"),
    SHOWN("P.ex1.at.t4", SIMPLE, "found came_3_1"),
    SHOWN("P.ex1.at.m2", SIMPLE, "found came_4_0"),
    SHOWN("P.ex1.at.b1", SIMPLE, "found came_5_2"),
    SHOWN("P.ex1.at.b2", SIMPLE, "found came_3_2"),
    SHOWN("P.ex1.at.b3", SIMPLE, "found came_5_3"),
    SHOWN("P.ex1.at.b4", SIMPLE, "found came_3_3"),
    TERM("P.ex2.bound", EX2, "T"),
    TERM("P.ex2.sources", EX2, "senders"),
    TERM("P.ex2.per_source", EX2, "sent"),
    TERM("P.ex2.packets", EX2, "messages"),
    TERM("P.ex2.rx", EX2, "heard"),
    TERM("M.all2all", ALL S8, "messages"),
    TERM("M.all2all.4", ALL S4, "messages"),
    TERM("M.all2all.8", ALL S8, "messages"),
    TERM("M.slots.fit", ALL "--bytes 64 --slots paper " S8, "slots"),
    TERM("M.equal.hops", EQUAL S8, "hops"),
    TERM("M.unequal.min", UNEQUAL S8, "least hops"),
    TERM("M.unequal.max", UNEQUAL S8, "most hops"),
    TERM("M.load.all2all.4", ALL S4, "load"),
    TERM("M.load.equal.4", EQUAL S4, "load"),
    TERM("M.load.unequal.4", UNEQUAL S4, "load"),
    TERM("M.load.all2all.8", ALL S8, "load"),
    TERM("M.load.equal.8", EQUAL S8, "load"),
    TERM("M.load.unequal.8", UNEQUAL S8, "load"),
    TERM("M.hops.all2all.4", ALL S4, "hops"),
    TERM("M.hops.unequal.4", UNEQUAL S4, "hops"),
    TERM("M.hops.all2all.8", ALL S8, "hops"),
    TERM("M.hops.unequal.8", UNEQUAL S8, "hops"),
    LATENCY("M.sf.one", ALONE "--bytes 120 "),
    LATENCY("M.sf.many", ALONE "--bytes 960 "),
    LATENCY("M.sf.four", ALONE SCALED "--bytes 960 "),
    {NULL, NULL, NULL, NULL, NULL}};
