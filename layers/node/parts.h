/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a node consists of: node.c begins and ends services, play.c goes through the tape,
 * loop_repeat.c passes over turns of loops that are alike, miss.c plays what the first cache does
 * not hold, blocks.c computes what each block takes by itself, and combine.c makes a block's or a
 * group's time of its parts.
 */
#ifndef HTMT_LAYERS_NODE_PARTS_H
#define HTMT_LAYERS_NODE_PARTS_H

#include "layers/node/memory.h"
#include "layers/node/node.h"
#include "layers/node/prefetch.h"
#include "layers/node/tags.h"

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
    htmt_time turn_start;   /* header of a loop: the turn began */
    htmt_time chain;        /* header: what a turn takes at least, its loads hits */
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
};

#define HTMT__LOOP_ENTRIES 64 /* of the longest turn that is looked at */

/* The turn of a loop that runs. */
struct htmt__loop_repeat {
    const uint64_t *from;   /* its entries, from the block that it began with */
    htmt_time start, chain; /* when it began, what chains had added until then */
    bool alike;             /* so far, another one with its lines would take as long */
};

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
    /* A group of annotated operations. */
    struct htmt__node_work group;
    htmt_time unit_time[HTMT_OPERATIONS][HTMT_OPERAND_TYPES];
    htmt_time *busy[HTMT_OPERATIONS * HTMT_OPERAND_TYPES]; /* those of unit_time that are not 0 */
    uint32_t busy_count;
    uint64_t group_accesses;                  /* all accesses when the group began */
    bool group_fetched;                       /* instructions come as FETCH entries */
    uint8_t counter[HTMT__NODE_COUNTER_ROOM]; /* 0, 1: not taken, 2, 3: taken */
    struct htmt__node_runs *runs;             /* as many; NULL: nobody looks at loops */
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

/* blocks.c. Errors: HTMT_ENOMEM. */
int htmt__node_blocks(struct htmt__node *n);
/* The first operation of the block without latency becomes `unknown`. */
void htmt__node_name_unknown(struct htmt__node *n, uint32_t block);
/* What a turn of the header's loop took at least; the misses of its loads are forgotten. */
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
/* A line that was fetched ahead is asked for. */
void htmt__node_meet(struct htmt__node *n, uint64_t line, uint64_t *tag);
/* Waits for all misses and stores under way. */
void htmt__node_drain(struct htmt__node *n);

/* combine.c: how the times of a block's parts become the block's. */
/* Whether the operation is code: its time is part of the issue. */
bool htmt__node_is_code(const struct htmt__node *n, unsigned operation);
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
/* What `count` plain turns of each block took, into the account. */
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

/* loop_repeat.c: a turn ends where `entries` begins with its first block again. How many of the
 * entries before `count` are turns like it. */
size_t htmt__loop_repeat_count(const struct htmt__node *node, const uint64_t *entries,
                               size_t count);
/* So many entries of turns like it have passed since. */
void htmt__loop_repeat_pass(struct htmt__node *node, const uint64_t *entries, size_t like);

/* play.c: the block or group that runs ends, and no other begins. */
void htmt__node_leave(struct htmt__node *n);

#endif
