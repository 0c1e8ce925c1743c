/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What random programs are made of, counted: each kind of type, each call, each shape of region,
 * each property of a machine, each way in which a run ends. A set of programs that is large enough
 * has all of them.
 */
#ifndef HTMT_TESTS_RANDOM_TALLY_H
#define HTMT_TESTS_RANDOM_TALLY_H

#include <stdint.h>

/* XX(name, text) */
#define TALLY_MAP(XX)                                                                              \
    XX(TYPE_WALKER, "types: random stages between random layers")                                  \
    XX(TYPE_FULL, "types: a function in every stage")                                              \
    XX(TYPE_CARRIER, "types: no function, transport alone")                                        \
    XX(TYPE_LOCAL, "types: executes at home")                                                      \
    XX(TYPE_STEERED, "types: steered")                                                             \
    XX(TYPE_RESIDENT, "types: uses resident objects")                                              \
    XX(TYPE_PARTED, "types: a kernel in parts")                                                    \
    XX(TYPE_CHARGER, "types: a control alone")                                                     \
    XX(TYPE_BREEDER, "types: generations")                                                         \
    XX(TYPE_INSTANT, "types: services of no length")                                               \
    XX(TYPE_GATED, "types: gated")                                                                 \
    XX(TYPE_KEEPER, "types: calls gated parcels")                                                  \
    XX(TYPE_ROAMER, "types: puts and gets")                                                        \
    XX(TYPE_RING, "types: signals and puts between slices")                                        \
    XX(TYPE_MAIL, "types: sends and takes mail")                                                   \
    XX(TYPE_ALLREDUCE, "types: joins all-reduces")                                                 \
    XX(TYPE_TREE, "types: joins reductions and broadcasts")                                        \
    XX(TYPE_BARRIER, "types: waits at barriers")                                                   \
    XX(TYPE_HOLDER, "types: holds space while its child waits")                                    \
    XX(TYPE_CHILD, "types: child of a holder")                                                     \
    XX(TYPE_FAILING, "types: fails")                                                               \
    XX(TYPE_SPINNER, "types: turns at one instant")                                                \
    XX(TYPE_GATHERED, "types: posted, to leave together")                                          \
    XX(TYPE_POSTED, "types: posted")                                                               \
    XX(REGION_IN, "regions: input")                                                                \
    XX(REGION_OUT, "regions: output")                                                              \
    XX(REGION_THROUGH, "regions: input and output")                                                \
    XX(REGION_INTO, "regions: brought into an object")                                             \
    XX(REGION_OUT_OF, "regions: sent out of an object")                                            \
    XX(REGION_THERE, "regions: used in place")                                                     \
    XX(REGION_SCRATCH, "regions: scratch")                                                         \
    XX(REGION_PIECES, "regions: in pieces")                                                        \
    XX(REGION_PADDED, "regions: padded")                                                           \
    XX(REGION_READ_ONLY, "regions: read only")                                                     \
    XX(REGION_FILLED, "regions: filled")                                                           \
    XX(CALL_ASSEMBLE, "calls: assemble, from a control")                                           \
    XX(CALL_DISPATCH, "calls: dispatch")                                                           \
    XX(CALL_EXECUTE, "calls: execute")                                                             \
    XX(CALL_RETIRE, "calls: retire")                                                               \
    XX(CALL_SCATTER, "calls: scatter")                                                             \
    XX(CALL_DISCARD, "calls: discard")                                                             \
    XX(CALL_EARLY, "calls: before the parcel comes to its gate")                                   \
    XX(CALL_CHARGE, "calls: charge before work")                                                   \
    XX(CALL_CHARGE_LATE, "calls: charge after work")                                               \
    XX(CALL_WORK, "calls: work")                                                                   \
    XX(CALL_USE, "calls: use")                                                                     \
    XX(CALL_SLOT_SET, "calls: slot set")                                                           \
    XX(CALL_RESULT, "calls: result")                                                               \
    XX(CALL_SECTION, "calls: section")                                                             \
    XX(SIGNAL_OWN, "signals: own")                                                                 \
    XX(SIGNAL_SLICE, "signals: another slice")                                                     \
    XX(SIGNAL_LAYER, "signals: another layer")                                                     \
    XX(PUT_HERE, "puts: within a memory")                                                          \
    XX(PUT_LAYER, "puts: to another layer")                                                        \
    XX(PUT_SLICE, "puts: to another slice")                                                        \
    XX(PUT_HANDOVER, "puts: hand over")                                                            \
    XX(PUT_SENT, "puts: on_sent")                                                                  \
    XX(PUT_TOO, "puts: on_arrived_too")                                                            \
    XX(PUT_FROM_PIECES, "puts: from pieces")                                                       \
    XX(PUT_TO_PIECES, "puts: to pieces")                                                           \
    XX(PUT_PADDED, "puts: padded")                                                                 \
    XX(PUT_GET, "puts: gets")                                                                      \
    XX(PUT_ASK, "puts: ask")                                                                       \
    XX(MAIL_SEND, "mail: sends")                                                                   \
    XX(MAIL_NOTHING, "mail: sends of no records")                                                  \
    XX(MAIL_TAKE, "mail: takes")                                                                   \
    XX(MAIL_FULL, "mail: takes of a full box")                                                     \
    XX(MAIL_WAIT, "mail: sends that certainly wait for room")                                      \
    XX(POST_OWN, "posts: to the own slice")                                                        \
    XX(POST_SLICE, "posts: to another slice")                                                      \
    XX(POST_EACH, "posts: generators")                                                             \
    XX(POST_NOTHING, "posts: turns of a generator without one")                                    \
    XX(POST_QUIET, "posts: controls of quiet")                                                     \
    XX(JOIN_ALLREDUCE, "joins: all-reduces")                                                       \
    XX(JOIN_REDUCE, "joins: reductions")                                                           \
    XX(JOIN_BROADCAST, "joins: broadcasts")                                                        \
    XX(JOIN_BARRIER, "joins: barriers")                                                            \
    XX(MACHINE_2, "machines: 2 layers")                                                            \
    XX(MACHINE_3, "machines: 3 layers")                                                            \
    XX(MACHINE_4, "machines: 4 layers")                                                            \
    XX(MACHINE_ALONE, "machines: 1 slice")                                                         \
    XX(MACHINE_FEW, "machines: 2 to 8 slices")                                                     \
    XX(MACHINE_MANY, "machines: 9 to 40 slices")                                                   \
    XX(MACHINE_AT_ONCE, "machines: a network of no latency")                                       \
    XX(MACHINE_NEAR, "machines: a network of small latency")                                       \
    XX(MACHINE_FAR, "machines: a network of large latency")                                        \
    XX(MACHINE_STARTUP, "machines: a network with start-up")                                       \
    XX(MACHINE_NO_INPUT, "machines: a machine-wide network without input ports")                   \
    XX(MACHINE_INPUT, "machines: a machine-wide network with input ports")                         \
    XX(MACHINE_CHANNELS, "machines: several channels")                                             \
    XX(MACHINE_SERVERS, "machines: several processors")                                            \
    XX(MACHINE_HUB, "machines: a hub inside")                                                      \
    XX(MACHINE_STREAM, "machines: a stream inside")                                                \
    XX(MACHINE_EVEN, "machines: figures that make ties")                                           \
    XX(MACHINE_TIGHT, "machines: small memories")                                                  \
    XX(MACHINE_QUEUES, "machines: queues of posts with a limit")                                   \
    XX(MACHINE_AGGREGATE, "machines: a layer whose posts leave together")                          \
    XX(GROUP_MIXED, "programs: anything")                                                          \
    XX(GROUP_ALIKE, "programs: all slices alike")                                                  \
    XX(GROUP_APART, "programs: slices apart")                                                      \
    XX(PROGRAM_KNOWN, "programs: costs known")                                                     \
    XX(PROGRAM_COUNTED, "programs: kernels count")                                                 \
    XX(PROGRAM_ANSWERS, "programs: posts are answered")                                            \
    XX(PROGRAM_GATHERS, "programs: posts leave together")                                          \
    XX(END_COMPLETE, "ends: complete")                                                             \
    XX(END_DEADLOCK, "ends: deadlock")                                                             \
    XX(END_LIVELOCK, "ends: livelock")                                                             \
    XX(END_CAPACITY, "ends: capacity")                                                             \
    XX(END_OVERFLOW, "ends: overflow")                                                             \
    XX(END_PROGRAM, "ends: the program's own failure")                                             \
    XX(END_OTHER, "ends: other errors")                                                            \
    XX(END_LEFT, "ends: something left over")                                                      \
    XX(SUM_EVENTS, "sums: events")                                                                 \
    XX(SUM_PARCELS, "sums: parcels")                                                               \
    XX(SUM_SLICES, "sums: slices")                                                                 \
    XX(SUM_TYPES, "sums: types")                                                                   \
    XX(SUM_JOBS, "sums: kernels on the host")                                                      \
    XX(SUM_WINDOWS, "sums: windows of lookahead")                                                  \
    XX(SUM_QUEUED, "sums: resources with a queue")                                                 \
    XX(SUM_STALLED, "sums: memories that were waited for")                                         \
    XX(SUM_TIES, "sums: events at the instant of the one before")

enum tally_of {
#define TALLY_ENUM(name, text) name,
    TALLY_MAP(TALLY_ENUM)
#undef TALLY_ENUM
        TALLY_CLASSES
};

/* Of one slice: on cache lines of its own, since slices may be played side by side. */
struct tally {
    _Alignas(64) uint64_t n[TALLY_CLASSES];
};

#endif
