/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of the inside of a processor, as a machine file gives them (docs/nodes.md). Times are
 * femtoseconds, exact ratios; {0, 1} costs nothing. Zeros describe an inside in which nothing is
 * modelled.
 */
#ifndef HTMT_LAYERS_NODE_FIGURES_H
#define HTMT_LAYERS_NODE_FIGURES_H

#include "runtime/base/library.h"
#include "runtime/base/ratio.h"

#define HTMT__NODE_WAYS_MOST        64
#define HTMT__NODE_BANKS_MOST       256
#define HTMT__NODE_CACHE_BANKS_MOST 16
#define HTMT__NODE_STREAMS_MOST     64
#define HTMT__NODE_OUTSTANDING_MOST 64
#define HTMT__NODE_WINDOW_MOST      65536
#define HTMT__NODE_BUFFER_MOST      64
#define HTMT__NODE_STORES_MOST      4096 /* queued, of a window */
#define HTMT__NODE_UNITS_MOST       64   /* that operations share */
#define HTMT__NODE_WIDTHS           3    /* of vectors that are accessed */
#define HTMT__NODE_CROWDS           9
#define HTMT__NODE_OFF_MOST         100  /* times of the clock by the model */
#define HTMT__NODE_COUNTER_ROOM     4096 /* two-bit counters of branches */

/* Time of one operation: `latency` in a chain of dependences, `every` elsewhere. Of a window alone:
 * `onward`, the latency to operations of other units, the number of the units, which operations of
 * one number share, that of units which these are a part of, and of a function of the C library its
 * instructions and how many of them wait for the argument. */
struct htmt__node_unit {
    bool given, borrowed; /* borrowed: the figures of the operation that it is like */
    struct htmt_ratio latency, every, onward; /* onward: den 0: latency */
    uint32_t units, within;                   /* 0: its own; of no others */
    uint32_t instructions, places;            /* 0: not known; nothing else is issued in `every` */
};

/* Calls of a function whose argument is in one range (runtime/base/library.h); latency.den 0: as
 * all calls. */
struct htmt__node_call {
    struct htmt_ratio latency, every;
    uint32_t instructions, places;
};

enum htmt__node_level { HTMT__NODE_NO_LEVEL, HTMT__NODE_CACHE, HTMT__NODE_STREAMS };
enum htmt__node_replace { HTMT__NODE_LRU, HTMT__NODE_FIFO, HTMT__NODE_RANDOM };
enum htmt__node_write { HTMT__NODE_BACK, HTMT__NODE_THROUGH, HTMT__NODE_NO_WRITES };

/* A cache; or, beyond the first, buffers that fetch ahead of misses. */
struct htmt__node_cache {
    uint32_t kind;    /* enum htmt__node_level */
    uint64_t size;    /* bytes; of each half where the cache is split */
    uint64_t line;    /* bytes */
    uint32_t ways;    /* 0: fully associative */
    uint32_t cores;   /* processors that have it together; 0: not given */
    uint32_t fewest;  /* ways that a set has at least, others up to `ways`; 0: all have these */
    uint32_t replace; /* enum htmt__node_replace */
    uint32_t write;   /* enum htmt__node_write */
    uint32_t buffer;  /* stores that write-through leaves under way; 0: the processor waits */
    uint64_t seed;    /* of random replacement */
    bool split;       /* code has a half of its own */
    struct htmt_ratio hit;                /* latency */
    struct htmt_ratio every, store_every; /* a load, a store keeps the first cache busy that long;
                                           * of the others, `every` is the time of a line, which
                                           * windows and bounds of loops alone read */
    struct htmt_ratio fill, spill;        /* of the first, in a window: a line that comes, a dirty
                                           * one that goes, keeps loads out that long */
    struct htmt_ratio back;   /* of the others: a dirty line that comes back; den 0: `every` */
    struct htmt_ratio behind; /* of a window: a store's line, behind a store that hit */
    struct htmt_ratio bank;   /* a line of one bank of theirs; den 0: no sooner than any other */
    uint32_t banks;           /* a power of two, by the last bits of a line's number; 0: none */
    uint32_t streams, depth;  /* of buffers: how many, lines each */
    /* Of the first cache, in a window: accesses of 16, 32 and 64 bytes, and of more than the size
     * before; den 0: as the size before. */
    struct htmt_ratio wide[HTMT__NODE_WIDTHS], wide_store[HTMT__NODE_WIDTHS];
    struct htmt_ratio across, store_across; /* an access of two lines; den 0: of two accesses */
    struct htmt_ratio store_apart; /* a store in another line than the one before; den 0: any */
};

/* A line of the last cache and of memory, read, or read and written, by each of `count` processors
 * at once. Predictions of several processors scale by them; a node alone does not read them. */
struct htmt__node_crowd {
    uint32_t count; /* of the last one, for all processors */
    struct htmt_ratio cache, cache_write, memory, memory_write; /* num 0: not given */
};

/* Memory on the chip: accesses there cost `hit` and reach no cache. */
struct htmt__node_sram {
    uint64_t bytes; /* 0: there is none */
    uint64_t at;    /* model address */
    struct htmt_ratio hit;
};

/* Between the last cache and DRAM: either of the last two. */
enum htmt__node_bus_place {
    HTMT__NODE_L1_L2,
    HTMT__NODE_CPU_L1,
    HTMT__NODE_L2_DRAM,
    HTMT__NODE_L3_DRAM
};

struct htmt__node_bus {
    uint64_t width; /* bytes a cycle; 0: there is no bus */
    uint32_t at;    /* enum htmt__node_bus_place */
    struct htmt_ratio cycle;
    struct htmt_ratio arbitration;
    bool duplex; /* lines that go back have wires of their own */
};

struct htmt__node_dram {
    bool given;
    uint32_t banks;                  /* >= 1 */
    uint64_t page;                   /* bytes */
    uint64_t interleave;             /* bytes in one bank before the next bank's begin; 0: a page */
    bool closed;                     /* pages are closed after each access: each costs `miss` */
    struct htmt_ratio hit, miss;     /* the bank is busy that long */
    struct htmt_ratio latency;       /* and this, in which no bank is busy */
    struct htmt_ratio refresh, busy; /* every `refresh`, for `busy`; refresh 0: never */
};

/* Loops: counters, and how often in a row a branch goes one way. History: what it did after the
 * same branches before. */
enum htmt__node_predictor {
    HTMT__NODE_NO_PREDICTOR,
    HTMT__NODE_STATIC,
    HTMT__NODE_COUNTERS,
    HTMT__NODE_LOOPS,
    HTMT__NODE_HISTORY
};

#define HTMT__NODE_TABLES_MOST 4

/* Translations of addresses, of a window: the first level of the TLB holds `entries` pages, the
 * second one `second`. */
struct htmt__node_tlb {
    uint64_t page;            /* bytes; 0: translations are not modelled */
    uint32_t entries, second; /* second 0: it holds all pages */
    struct htmt_ratio late;   /* an access that the first level misses starts so much later */
    struct htmt_ratio walk;   /* and so much more where the second misses, too */
    struct htmt_ratio every;  /* a walk begins at most so often; den 0: any number at once */
    uint32_t tables;          /* lines of page tables that a walk reads, of l2; 0: in no time */
    bool hashed;              /* sets of the second are numbered by more bits of a page */
};

/* Branches of a window: conditional ones on their units; those that jump, all one after another. */
struct htmt__node_jump {
    struct htmt_ratio every, taken; /* den 0: any number at once */
    uint32_t units;                 /* that operations `within` this number take, too; 0: none */
    uint32_t group; /* instructions that come at once, none of them behind a jump; 0: any number */
};

enum htmt__node_order { HTMT__NODE_PROGRAM, HTMT__NODE_WINDOW };

/* What bounds a service, and where the clock of the host is of times that are bound so: parts of
 * the model's time, den 0: not measured. */
enum htmt__node_bound {
    HTMT__NODE_BY_ISSUE,
    HTMT__NODE_BY_UNITS,
    HTMT__NODE_BY_CHAINS,
    HTMT__NODE_BY_L1,
    HTMT__NODE_BY_CACHES,
    HTMT__NODE_BY_MEMORY,
    HTMT__NODE_BY_BRANCHES,
    HTMT__NODE_BOUNDS
};
/* "issue" */
const char *htmt__node_bound_name(enum htmt__node_bound bound);
struct htmt__node_range {
    struct htmt_ratio low, high;
};

/* More issue than an instruction, of those that read or write memory beside an operation: an
 * addition to memory, one with an index, and an index that the operation is not fused with. */
struct htmt__node_unfused {
    struct htmt_ratio add, add_index, index;
};

struct htmt__node_figures {
    struct htmt_ratio
        cycle; /* fs; den 0: not known. Of a window: what several units begin at once */
    struct htmt_ratio issue; /* fs an operation; 0: not modelled */
    struct htmt_ratio overlap;
    struct htmt_ratio branch;
    uint32_t predictor; /* enum htmt__node_predictor */
    uint32_t reach;     /* branches of a history; 0: as many as there is room for */
    uint32_t outcomes;  /* of a row that it remembers; 0: HTMT__OUTCOMES */
    struct htmt__node_unit unit[HTMT_OPERATIONS][HTMT_OPERAND_TYPES];
    /* Of floats and doubles. */
    struct htmt__node_call call[HTMT_OPERATIONS][2][HTMT__LIBRARY_RANGES];
    struct htmt_ratio load, store;      /* of an access, where there is no first cache */
    struct htmt__node_cache l1, l2, l3; /* only l2 may be buffers */
    struct htmt__node_sram sram;
    struct htmt__node_bus bus;
    struct htmt__node_dram dram;
    uint32_t window;                          /* operations that wait at once; 0: any number */
    uint32_t order;                           /* enum htmt__node_order */
    uint32_t reorder, waiting, loads, stores; /* of a window; 0: any number */
    struct htmt_ratio forward, forward_part;  /* den 0: l1's hit; `forward` */
    struct htmt_ratio beside; /* an access, a branch or an operation of reals; den 0: any number */
    struct htmt__node_unfused unfused;
    struct htmt__node_tlb tlb;
    struct htmt__node_jump jump;
    uint32_t outstanding;        /* misses under way at once, >= 1; 0 counts as 1 */
    uint32_t outstanding_stores; /* of a window: those of them that are of stores; 0: any number */
    uint32_t prefetch_streams, prefetch_lines;        /* 0: none */
    struct htmt__node_crowd crowd[HTMT__NODE_CROWDS]; /* of 1, 2, 4, .. 128, all */
    uint32_t threads;                                 /* processors of a core; 0: not given */
    uint32_t registers; /* for the rules of annotated kernels; 0: not given */
    bool fetched;       /* code comes from memory where there is no first cache; else it is free */
    bool shared;        /* the processors of a slice share bus and DRAM */
    bool warm;          /* caches stay from service to service of a processor */
    struct htmt__node_range calibration[HTMT__NODE_BOUNDS];
};

/* Whether figures fit each other: sizes, lines, ways. `why` gets "l1.line: found ..., expected
 * ...": the key of the figure at fault and what is wrong with it. */
bool htmt__node_figures_good(const struct htmt__node_figures *figures, char *key, char *why,
                             size_t room);

#endif
