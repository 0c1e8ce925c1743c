/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a node consists of: node.c begins and ends services, play.c goes through the tape, tags.c
 * says what a cache holds, miss.c plays what the first cache does not hold, and combine.c makes a
 * block's or a group's time of its parts.
 */
#ifndef HTMT_LAYERS_NODE_PARTS_H
#define HTMT_LAYERS_NODE_PARTS_H

#include "layers/node/figures.h"
#include "layers/node/history.h"
#include "layers/node/node.h"
#include "layers/node/slots.h"

#include <stddef.h>

/* ---- ticks ------------------------------------------------------------------------------------
 * A node counts in ticks, so that sums of its figures are exact: a tick is one part of `scale` of a
 * femtosecond, and `scale` the least common multiple of the figures' denominators, where it is
 * small; else each figure is rounded once. */

/* Ticks that a service may take. */
#define HTMT__TICKS_MOST (INT64_C(1) << 61)

uint64_t htmt__ticks_scale(const struct htmt__node_figures *figures);
/* Ticks of n times the ratio, rounded half up; HTMT__TICKS_MOST where it is more. */
htmt_time htmt__ticks(struct htmt_ratio ratio, uint64_t n, uint64_t scale);
/* Femtoseconds, rounded half up. */
htmt_time htmt__ticks_time(htmt_time ticks, uint64_t scale);

/* ---- tags of a cache: which lines it holds, and which of them are dirty -----------------------
 */

#define HTMT__TAG_DIRTY   UINT64_C(1)
#define HTMT__TAG_PENDING (UINT64_C(1) << 63) /* fetched ahead, not yet asked for */
#define HTMT__TAG_NONE    UINT64_MAX

/* Which set a line has: that of its last bits; of these and as many before them, by exclusive or;
 * where its page is by lot, and where it is in it. Only the functions of tags.c know the others. */
enum htmt__tags_index { HTMT__TAGS_PLAIN, HTMT__TAGS_HASHED, HTMT__TAGS_PAGED };

/* A tag is line << 1 and the bits above. With lru and fifo the ways of a set stand in the order of
 * replacement, the last one goes first. */
struct htmt__node_tags {
    uint64_t *tag; /* of all sets, one after the other */
    uint64_t sets; /* a power of two */
    uint64_t set_mask, line_mask;
    uint32_t ways, shift;
    uint32_t spread;  /* sets have 0 to spread - 1 ways less, by lot; 0: none has less */
    uint32_t index;   /* enum htmt__tags_index */
    uint32_t bits;    /* of a set's number, by HTMT__TAGS_HASHED; of a place in a page, else */
    uint32_t replace; /* enum htmt__node_replace */
    uint32_t near;    /* ways that htmt__tags_near() looks at */
    uint64_t seed, random;
    uint32_t *used; /* sets that are not empty; not all of them once there are used_most */
    uint32_t used_count, used_most;
};

/* Errors: HTMT_ENOMEM. Figures without a cache get one set with one tag that no line has. */
int htmt__tags_open(struct htmt__node_tags *tags, const struct htmt__node_cache *figures);
void htmt__tags_close(struct htmt__node_tags *tags);
/* Before a line comes in. `page`: bytes, for HTMT__TAGS_PAGED. */
void htmt__tags_set_index(struct htmt__node_tags *tags, enum htmt__tags_index index, uint64_t page);
/* Empty, and the seed anew. */
void htmt__tags_clear(struct htmt__node_tags *tags);

static inline uint64_t *htmt__tags_set(const struct htmt__node_tags *tags, uint64_t line)
{
    return tags->tag + (line & tags->set_mask) * tags->ways;
}

/* The tag of the line where it is the set's first; NULL: it is not. No order changes. */
static inline uint64_t *htmt__tags_first(const struct htmt__node_tags *tags, uint64_t line)
{
    uint64_t *set = htmt__tags_set(tags, line);
    return (*set & ~HTMT__TAG_DIRTY) == line << 1 ? set : NULL;
}

/* The same among the first three, of which a loop over as many arrays needs one after the other. It
 * becomes the newest. Lines that were fetched ahead are not found. */
static inline uint64_t *htmt__tags_near(const struct htmt__node_tags *tags, uint64_t line)
{
    uint64_t *set = htmt__tags_set(tags, line), first = set[0];
    if ((first & ~HTMT__TAG_DIRTY) == line << 1)
        return set;
    if (tags->near < 3)
        return NULL;
    uint64_t second = set[1], third = set[2];
    if ((second & ~HTMT__TAG_DIRTY) == line << 1) {
        set[0] = second;
        set[1] = first;
        return set;
    }
    if ((third & ~HTMT__TAG_DIRTY) != line << 1)
        return NULL;
    set[0] = third;
    set[1] = first;
    set[2] = second;
    return set;
}

/* The tag of the line, as the newest of its set where order is by use; NULL: a miss. */
uint64_t *htmt__tags_find(struct htmt__node_tags *tags, uint64_t line);
/* htmt__tags_find(), and where that misses htmt__tags_put(): *old is the tag that went. */
uint64_t *htmt__tags_use(struct htmt__node_tags *tags, uint64_t line, uint64_t bits, uint64_t *old);
/* Whether the line is there; nothing changes. */
bool htmt__tags_have(const struct htmt__node_tags *tags, uint64_t line);
/* Whether it is there, and was asked for before. */
bool htmt__tags_had(const struct htmt__node_tags *tags, uint64_t line);
/* The line comes in with these bits; returns the tag that went, or HTMT__TAG_NONE. */
uint64_t htmt__tags_put(struct htmt__node_tags *tags, uint64_t line, uint64_t bits);

/* ---- lines that are fetched ahead of misses ---------------------------------------------------
 */

#define HTMT__PREFETCH_LINES 32 /* of a stream buffer */

/* `ahead` lines from `next` on were asked for; ready[line % HTMT__PREFETCH_LINES] of each. A
 * prefetcher's `next` is the line after the last that was touched, up or down. */
struct htmt__prefetch_stream {
    uint64_t next, used; /* `used`: when, in uses of all streams */
    uint32_t ahead;
    bool down, both; /* both: the direction is not known yet */
    htmt_time ready[HTMT__PREFETCH_LINES];
};

struct htmt__prefetch {
    uint32_t streams, lines;
    uint64_t uses;
    struct htmt__prefetch_stream stream[HTMT__NODE_STREAMS_MOST];
};

void htmt__prefetch_start(struct htmt__prefetch *ahead, uint32_t streams, uint32_t lines);

/* ---- the path of a miss; bus and DRAM ---------------------------------------------------------
 * Processors of a slice may share bus and DRAM. Requests come in the order of their times. The bus
 * carries requests and lines apart: while a bank works on one line, another one may pass. */

/* The way of one miss, store or line outside the first cache: when it is where, and what each leg
 * took. Times here are ticks. */

/* In the order in which a miss meets them. */
enum htmt__miss_leg {
    HTMT__MISS_REQUEST, /* arbitration, and the wait for it */
    HTMT__MISS_L2,
    HTMT__MISS_REFRESH,
    HTMT__MISS_PAGES,
    HTMT__MISS_DATA, /* the line on the bus, and the wait for the bus */
    HTMT__MISS_LEGS
};

struct htmt__miss_path {
    htmt_time now;
    htmt_time leg[HTMT__MISS_LEGS];
    htmt_time behind; /* of the level that has the line: of a store behind one that hit */
};

struct htmt__node_bank {
    htmt_time free;
    uint64_t page; /* open; UINT64_MAX: none */
};

struct htmt__node_memory {
    const struct htmt__node_figures *figures;
    htmt_time cycle, arbitration, hit, miss, latency, refresh, busy; /* ticks */
    htmt_time request_free, data_free, back_free;
    htmt_time refresh_from, refresh_end, refresh_next; /* the last one, and when the next begins */
    uint32_t width_shift, inside_shift, banks_shift, page_shift, bank_mask;
    uint64_t width_rest;
    bool closed, duplex;
    uint64_t refreshes; /* since a service that ended has taken them */
    struct htmt__node_bank bank[HTMT__NODE_BANKS_MOST];
};

/* Errors: HTMT_ENOMEM. The figures stay the caller's. */
int htmt__memory_new(struct htmt__node_memory **memory, const struct htmt__node_figures *figures,
                     uint64_t scale);
void htmt__memory_free(struct htmt__node_memory *memory);
/* All pages closed, nothing under way, refresh at its phase 0. */
void htmt__memory_start(struct htmt__node_memory *memory);

/* ---- the node ---------------------------------------------------------------------------------
 */

#define HTMT__NODE_FLIGHT  128        /* a power of two */
#define HTMT__NODE_NOWHERE UINT32_MAX /* no block */

/* What a block does apart from its accesses, in ticks. A group of annotated operations is one. */
struct htmt__node_work {
    htmt_time issue;            /* of all its instructions */
    htmt_time wait;             /* of its operations for each other, as the window bounds it */
    htmt_time code;             /* of that, functions of the library; of groups */
    htmt_time units_max, units; /* the busiest unit, all units */
    uint64_t instructions;
};

/* What the tape's next entries meet first. */
struct htmt__node_block {
    htmt_time plain_memory; /* its accesses, all hits; -1: an operation without latency */
    htmt_time plain_time;   /* the block's, with such accesses and no branch missed */
    htmt_time repeat_start; /* header of a loop: the repeat began */
    htmt_time chain;        /* header: what a repeat takes at least, its loads hits */
    uint64_t plain;         /* how often it took plain_time */
    uint32_t function, loop_end;
    uint64_t code_first;
    uint32_t code_lines;
    uint32_t link; /* the first of its links */
    uint8_t end;
    bool chains, backward, missed; /* has chains; its branch goes back; a load of a chain missed */
    bool watched;                  /* some of its loads are links of chains */
    bool guessed;                  /* it ends with a branch, and there is a predictor */
    bool counted;                  /* that predictor has counters */
    bool steps_known;              /* all of them have latencies */
    bool placed;                   /* it has code of its own, or nobody knows the code */
};

/* How often in a row a branch went the way that it goes now, and at last in each way. */
struct htmt__node_runs {
    uint16_t run, last[2];
    uint8_t way;  /* 1: taken */
    uint8_t sure; /* a bit of each way: the last two runs were of one length */
};

/* A load that is a link. */
struct htmt__node_link {
    uint32_t block, access, header, of; /* `of`: number of the link in the program */
};

/* Misses, or stores in the buffer, under way: a ring, the earliest first. */
struct htmt__node_flight {
    uint32_t first, count;
    struct htmt__miss_path path[HTMT__NODE_FLIGHT];
};

_Static_assert(HTMT__NODE_BUFFER_MOST < HTMT__NODE_FLIGHT &&
                   HTMT__NODE_OUTSTANDING_MOST < HTMT__NODE_FLIGHT,
               "room for all under way");

/* A cache beyond the first. */
struct htmt__node_level_state {
    const struct htmt__node_cache *figures;
    struct htmt__node_tags tags;
    htmt_time hit;
    bool ported;             /* lines take turns, in a window */
    htmt_time back;          /* a dirty line that comes back */
    htmt_time behind;        /* a store behind one that hit leaves so much later */
    struct htmt__port port;  /* of lines to the processor */
    struct htmt__port *bank; /* of those of each bank; NULL: there are none */
};

#define HTMT__LOOP_ENTRIES 64 /* of the longest repeat that is looked at */

/* The repeat of a loop that runs. */
struct htmt__loop_repeat {
    const uint64_t *from;   /* its entries, from the block that it began with */
    htmt_time start, chain; /* when it began, what chains had added until then */
    bool alike;             /* so far, another one with its lines would take as long */
};

struct htmt__window; /* window.c */

struct htmt__node {
    const struct htmt__node_figures *figures;
    const struct htmt__tape_program *program;
    uint64_t scale;
    bool ports_apart; /* loads and stores, whose times differ, do not wait for each other */
    htmt_time port[2], port_most; /* then: of a block, loads, stores, the busier one so far */
    /* Figures in ticks. */
    htmt_time load, store, l1_hit, sram_hit, branch;
    htmt_time latency[HTMT_OPERATIONS][HTMT_OPERAND_TYPES];
    htmt_time every[HTMT_OPERATIONS][HTMT_OPERAND_TYPES];
    /* Caches and what lies beyond them. */
    struct htmt__node_tags data, code;
    struct htmt__node_level_state level[2]; /* l2, l3 */
    uint32_t levels;
    struct htmt__prefetch ahead;
    struct htmt__node_memory *memory, *own;
    /* Misses and stores under way. */
    struct htmt__node_flight misses, stores;
    /* The tape's place. */
    htmt_time start; /* the block began */
    struct htmt__node_block *block;
    uint32_t blocks;
    struct htmt__node_work *work;
    uint32_t *last_of;            /* by function: its last block */
    struct htmt__node_link *link; /* by block and access */
    htmt_time *missed;            /* by number of the link: what its last miss added */
    uint32_t links, now_in, last, function, fetched;
    uint32_t place; /* the last block that is placed, or follows the one that was */
    bool jumps;     /* the way to the block that was entered is a jump in the compiled code */
    struct htmt__loop_repeat repeat;  /* of the loop that runs */
    int64_t block_at;                 /* the entry of the block, counted from the chunk's first */
    htmt_time t;                      /* its accesses have come to */
    htmt_time stall[HTMT__MISS_LEGS]; /* in this block */
    htmt_time extra;                  /* what the access at hand waited, or would have */
    bool fetches;                     /* code passes a cache */
    bool bus_first, bus_at_l2, bus_at_dram; /* where a request passes the bus */
    bool slow_load, slow_store;
    uint64_t store_bit; /* what a store does to a tag */
    bool entered;       /* the block of the entry at hand has begun already */
    int code_of_failure;
    /* With `order: window`, for programs with steps. */
    struct htmt__window *window;
    bool windowed; /* so far, this service has no annotations */
    htmt_time fill, spill;
    uint64_t spilled; /* dirty lines that have left the first cache */
    htmt_time behind; /* of the line that came last (struct htmt__miss_path) */
    /* A group of annotated operations. */
    struct htmt__node_work group;
    htmt_time unit_time[HTMT_OPERATIONS][HTMT_OPERAND_TYPES];
    htmt_time *busy[HTMT_OPERATIONS * HTMT_OPERAND_TYPES]; /* those of unit_time that are not 0 */
    uint32_t busy_count;
    uint64_t group_accesses;                  /* all accesses when the group began */
    bool group_fetched;                       /* instructions come as FETCH entries */
    uint8_t counter[HTMT__NODE_COUNTER_ROOM]; /* 0, 1: not taken, 2, 3: taken */
    struct htmt__node_runs *runs;             /* as many; NULL: nobody looks at loops */
    struct htmt__history *history;            /* NULL: another predictor */
    /* Turns at bus and DRAM. */
    uint64_t permits;
    htmt_time request;
    htmt_time late; /* the tape has stood still: its times are as much behind those of the memory */
    /* Accounts. */
    htmt_time part[HTMT__NODE_PARTS];
    struct htmt__node_account sum;
    const struct htmt__tape_region *regions;
    uint64_t *region_misses;
    size_t region_count, region_last;
    char unknown[24];
};

/* Returns whether the line of the access is one of the newest of its set; a store makes it dirty.
 */
static inline bool htmt__node_quick(const struct htmt__node *n, uint64_t entry, bool write)
{
    uint64_t address = htmt__tape_address(entry), within = n->data.line_mask;
    uint64_t *tag = htmt__tags_near(&n->data, address >> n->data.shift);
    if (!tag || (address & within) + htmt__tape_width(entry) > within + 1)
        return false;
    if (write)
        *tag |= n->store_bit;
    return true;
}

static inline void htmt__node_free_ports(struct htmt__node *n)
{
    n->port[0] = n->port[1] = n->port_most = 0;
}

/* combine.c: the table of blocks. Errors: HTMT_ENOMEM. */
int htmt__node_blocks(struct htmt__node *n);
/* The first operation of the block without latency becomes `unknown`. */
void htmt__node_name_unknown(struct htmt__node *n, uint32_t block);
/* What a repeat of the header's loop took at least; the misses of its loads are forgotten. */
htmt_time htmt__loop_chain(struct htmt__node *n, uint32_t header);
/* An access of the block missed, n->extra long: chains with it as a link wait. */
void htmt__node_note(struct htmt__node *n, uint32_t block, int64_t access);

/* miss.c: line or access from beyond the first cache, sent at n->t; `n->t` is then when the
 * processor goes on. */
void htmt__node_fetch_line(struct htmt__node *n, uint64_t line, bool code, bool dirty);
/* The same for data, once its tag stands in the place of `old`. */
void htmt__node_replace(struct htmt__node *n, uint64_t line, uint64_t old);
void htmt__node_store_through(struct htmt__node *n, uint64_t address, unsigned width);
void htmt__node_reach(struct htmt__node *n, uint64_t address, unsigned width, bool write);
/* Code, from memory. */
void htmt__node_fetch_code(struct htmt__node *n, uint64_t address, uint64_t bytes);
void htmt__node_pass_bus(struct htmt__node *n, uint64_t bytes);
void htmt__node_count_miss(struct htmt__node *n, uint64_t address, bool code);
/* When a walk of page tables that came to this one at `when` has read it: l2 has it in no time. */
htmt_time htmt__node_read_table(struct htmt__node *n, uint64_t address, htmt_time when);
/* A line that was fetched ahead is asked for. */
void htmt__node_meet(struct htmt__node *n, uint64_t line, uint64_t *tag);
/* Waits for all misses and stores under way. */
void htmt__node_drain(struct htmt__node *n);

/* combine.c: how the times of a block's parts become the block's. */
/* Whether the operation is code: its time is part of the issue. */
bool htmt__node_is_code(const struct htmt__node *n, unsigned operation);
/* The operation whose figures, and units, this one has: mostly itself. */
unsigned htmt__node_row(const struct htmt__node *n, unsigned operation, unsigned type);
/* The type whose figures a step has: that of a lane where the machine has none of the vector. */
unsigned htmt__node_step_type(const struct htmt__node *n, const struct htmt__tape_step *s);
/* Whether the machine knows the operation's time, or it has none beside its issue. */
bool htmt__node_given(const struct htmt__node *n, unsigned operation, unsigned type);
/* Of `count` operations on their unit. */
htmt_time htmt__node_units(const struct htmt__node *n, unsigned operation, unsigned type,
                           uint64_t count);
/* max(issue, f(units, memory, branches)) */
htmt_time htmt__node_time(const struct htmt__node *n, const struct htmt__node_work *work,
                          htmt_time memory, htmt_time branch);
/* What a block's conditional branch costs: `right`, the guess was right. */
htmt_time htmt__node_branch(const struct htmt__node *n, const struct htmt__node_block *block,
                            bool right);
/* The block or group ends, its branch was missed or not. */
void htmt__node_combine(struct htmt__node *n, const struct htmt__node_work *work, htmt_time branch);
/* What `count` plain repeats of each block took, into the account. */
void htmt__node_settle(struct htmt__node *n);
/* The branch at that place goes its way. Returns whether it was guessed. */
bool htmt__node_guess(struct htmt__node *n, uint64_t place, bool taken, bool backward);
/* An operation joins the group. Errors: HTMT_EINVAL, HTMT_EOVERFLOW, HTMT_EFORMAT. */
int htmt__node_add_operation(struct htmt__node *n, uint64_t entry);
/* A branch ends the group. Whether that went back is not on the tape: a branch of an annotated
 * kernel is that of a loop. */
void htmt__node_add_branch(struct htmt__node *n, uint64_t entry);
/* The group ends; `branch`: what its branch took. */
void htmt__node_end_group(struct htmt__node *n, htmt_time branch);
/* Before a service. */
void htmt__node_drop_group(struct htmt__node *n);

/* play.c: the block or group that runs ends, and no other begins. */
void htmt__node_leave(struct htmt__node *n);
/* In the order of the program. Returns the number of entries that were played. */
size_t htmt__node_play_in_order(struct htmt__node *n, const uint64_t *entries, size_t count,
                                int *rc);
/* The tape comes to a block; *before: the last one of its function, or HTMT__NODE_NOWHERE, and
 * whether its branch was guessed right. Errors: HTMT_EFORMAT, HTMT_EINVAL. */
int htmt__node_turn(struct htmt__node *n, uint64_t number, uint32_t *before, bool *right);
/* The code of the block that was entered, at n->t; false: it must wait for a permit. */
bool htmt__node_fetch_block(struct htmt__node *n);
/* A load or store at n->t, which moves; n->extra: what its miss adds. false: no permit. */
bool htmt__node_access(struct htmt__node *n, uint64_t entry, bool write);

/* window.c. Errors: HTMT_ENOMEM. */
int htmt__window_new(struct htmt__node *n);
void htmt__window_free(struct htmt__window *window);
void htmt__window_start(struct htmt__node *n, bool warm);
/* What both know of pages changes owners. */
void htmt__window_exchange(struct htmt__node *n, struct htmt__node *from);
/* Returns the number of entries that were played: all, or up to one without a permit, or up to the
 * first annotation, where the service goes on in program order. */
size_t htmt__window_play(struct htmt__node *n, const uint64_t *entries, size_t count, int *rc);
/* All that runs ends. */
void htmt__window_leave(struct htmt__node *n);

#endif
