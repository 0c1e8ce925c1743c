/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of a tape through a node. An access whose line is the first of its set changes nothing
 * but the time: that case stands in the loop, all others are calls.
 */
#include "layers/node/close.h"
#include "layers/node/ticks.h"
#include "runtime/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOT  __attribute__((hot))
#define COLD __attribute__((noinline))

/* ---- branches ----------------------------------------------------------------------------------
 */

static COLD bool guess_by_counter(struct htmt__node *n, uint64_t place, bool taken)
{
    uint8_t *counter = &n->counter[place % HTMT__NODE_COUNTER_ROOM];
    bool guessed = *counter >= 2;
    if (taken && *counter < 3)
        ++*counter;
    if (!taken && *counter > 0)
        --*counter;
    return guessed == taken;
}

static void count_run(struct htmt__node_runs *r, bool taken)
{
    if (r->way == taken) {
        r->run = (uint16_t)(r->run + (r->run < UINT16_MAX));
        return;
    }
    unsigned bit = 1U << r->way;
    bool same = r->run && r->run < UINT16_MAX && r->run == r->last[r->way];
    r->sure = (uint8_t)((r->sure & ~bit) | (same ? bit : 0));
    r->last[r->way] = r->run;
    r->way = taken;
    r->run = 1;
}

/* Where two runs were of one length, the next one is expected to be. */
static COLD bool guess_by_runs(struct htmt__node *n, uint64_t place, bool taken)
{
    struct htmt__node_runs *r = &n->runs[place % HTMT__NODE_COUNTER_ROOM];
    bool sure = r->sure >> r->way & 1, goes_on = r->run != r->last[r->way];
    bool right = guess_by_counter(n, place, taken);
    if (sure)
        right = goes_on == (r->way == taken);
    count_run(r, taken);
    n->turn.alike = false; /* the next turn is one more in a row */
    return right;
}

/* Without a predictor there is no guess, which is never wrong. */
static inline bool guess(struct htmt__node *n, uint64_t place, bool taken, bool backward)
{
    if (n->figures->predictor == HTMT__NODE_COUNTERS)
        return guess_by_counter(n, place, taken);
    if (n->figures->predictor == HTMT__NODE_LOOPS)
        return guess_by_runs(n, place, taken);
    return n->figures->predictor == HTMT__NODE_NO_PREDICTOR || backward == taken;
}

/* Whether the branch of the block that ran before in this function was guessed. */
static inline bool guess_last(struct htmt__node *n, uint32_t last, uint32_t next)
{
    if (last == HTMT__NODE_NOWHERE || !n->block[last].guessed)
        return true;
    bool right = guess(n, last, next != last + 1, n->block[last].backward);
    n->sum.branches_missed += !right;
    return right;
}

/* ---- groups of annotated operations ------------------------------------------------------------
 */

static htmt_time sum_of(htmt_time a, htmt_time b)
{
    return a + b < HTMT__TICKS_MOST ? a + b : HTMT__TICKS_MOST;
}

static void clear_units(struct htmt__node *n)
{
    while (n->busy_count)
        *n->busy[--n->busy_count] = 0;
}

static COLD void close_group(struct htmt__node *n, htmt_time branch)
{
    uint64_t accesses = n->sum.loads + n->sum.stores - n->group_accesses;
    n->group_accesses += accesses;
    if (!n->group_fetched)
        n->group.instructions += accesses;
    n->group_fetched = false;
    if (!n->group.instructions && n->t == n->start && !branch)
        return;
    n->group.issue =
        sum_of(htmt__ticks(n->figures->issue, n->group.instructions, n->scale), n->group.code);
    htmt__node_close(n, &n->group, branch);
    clear_units(n);
    n->group = (struct htmt__node_work){0};
}

static COLD int add_operation(struct htmt__node *n, uint64_t entry)
{
    unsigned operation = htmt__tape_width(entry), type = htmt__tape_address(entry) & 255;
    uint64_t count = htmt__tape_address(entry) >> 8;
    if (operation >= HTMT_OPERATIONS || type >= HTMT_OPERAND_TYPES)
        return HTMT_EFORMAT;
    if (!htmt__node_given(n, operation, type)) {
        snprintf(n->unknown, sizeof n->unknown, "%s-%s", htmt_operation_name(operation),
                 htmt_operand_name(type));
        return HTMT_EINVAL;
    }
    htmt_time time = htmt__node_units(n, operation, type, count);
    if (htmt__node_is_code(n, operation)) {
        n->group.code = sum_of(n->group.code, time);
        n->group.instructions += count;
        return n->group.code < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
    }
    htmt_time *unit = &n->unit_time[operation][type];
    if (!*unit && time)
        n->busy[n->busy_count++] = unit;
    *unit = sum_of(*unit, time);
    n->group.units = sum_of(n->group.units, time);
    n->group.units_max = *unit > n->group.units_max ? *unit : n->group.units_max;
    n->group.instructions += count;
    return n->group.units < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
}

/* Whether the branch went back is not on the tape: a branch of an annotated kernel is that of a
 * loop. */
static void add_branch(struct htmt__node *n, uint64_t entry)
{
    bool right = guess(n, htmt__tape_address(entry) >> 2, htmt__tape_width(entry) != 0, true);
    n->sum.branches_missed += !right;
    n->group.instructions++;
    close_group(n, n->figures->predictor == HTMT__NODE_NO_PREDICTOR || !right ? n->branch : 0);
}

/* ---- code --------------------------------------------------------------------------------------
 */

/* Whether bus and DRAM may be asked at `when`; else the tape stops before this entry. */
static bool permitted(struct htmt__node *n, htmt_time when)
{
    if (n->permits) {
        n->permits--;
        return true;
    }
    n->request = when;
    return false;
}

/* Returns the lines that were missing, -1: no permit. */
static COLD int64_t fetch_lines(struct htmt__node *n, uint64_t line, uint64_t lines)
{
    struct htmt__node_tags *tags = n->figures->l1.split ? &n->code : &n->data;
    int64_t missing = 0;
    for (; lines > 0; line++, lines--) {
        if (htmt__tags_first(tags, line) || htmt__tags_find(tags, line))
            continue;
        if (!missing && !permitted(n, n->t))
            return -1;
        missing++;
        n->turn.alike = false;
        htmt__node_fetch_line(n, line, true, false);
    }
    return missing;
}

/* Without a cache all of it comes at once. */
static COLD bool fetch_code(struct htmt__node *n, uint64_t address, uint64_t bytes)
{
    if (!permitted(n, n->t))
        return false;
    n->turn.alike = false;
    htmt__node_fetch_code(n, address, bytes);
    return true;
}

static inline bool fetch_block(struct htmt__node *n, uint32_t block)
{
    const struct htmt__node_block *b = &n->block[block];
    if (!b->code_lines || block == n->fetched)
        return true;
    if (n->figures->fetched)
        return fetch_code(n, HTMT__TAPE_IMAGE + n->program->blocks[block].code,
                          4 * (uint64_t)n->program->blocks[block].instructions);
    int64_t missing = fetch_lines(n, b->code_first, b->code_lines);
    for (int64_t i = 0; i < missing; i++)
        htmt__node_count_miss(n, (b->code_first + (uint64_t)i) << n->data.shift, true);
    n->fetched = missing == 0 && n->figures->l1.split ? block : HTMT__NODE_NOWHERE;
    return missing >= 0;
}

/* An access of two lines is one miss of each cache. The second cache sees all of it: a line that
 * the first one holds counts as used there, too. */
static void count_once(struct htmt__node *n, uint64_t first, uint64_t last, uint64_t before)
{
    struct htmt__node_tags *l2 = &n->level[0].tags;
    if (n->sum.l2_misses > before + 1)
        n->sum.l2_misses = before + 1;
    for (uint64_t line = first; n->levels && line <= last; line++)
        htmt__tags_find(l2, line << n->data.shift >> l2->shift);
}

static bool fetch_bytes(struct htmt__node *n, uint64_t address, uint64_t bytes)
{
    uint64_t before = n->sum.l2_misses;
    uint64_t first = address >> n->data.shift, last = (address + bytes - 1) >> n->data.shift;
    if (!n->fetches || !bytes)
        return true;
    if (n->figures->fetched)
        return fetch_code(n, address, bytes);
    int64_t missing = fetch_lines(n, first, last - first + 1);
    if (missing > 0)
        htmt__node_count_miss(n, address, true);
    if (missing > 0 && last != first)
        count_once(n, first, last, before);
    return missing >= 0;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

/* The block that runs ends: plain, or as its accesses and the branch of the block `before` turned
 * out; NULL: no branch. */
static void close_block(struct htmt__node *n, const struct htmt__node_block *before, bool right,
                        bool plain)
{
    if (n->now_in == HTMT__NODE_NOWHERE) {
        close_group(n, 0);
        return;
    }
    struct htmt__node_block *b = &n->block[n->now_in];
    if (plain && right && n->t - n->start == b->plain_memory) {
        b->plain++;
        n->t = n->start += b->plain_time;
        return;
    }
    htmt__node_close(n, &n->work[n->now_in], before ? htmt__node_branch(n, before, right) : 0);
}

/* The loop's header begins a turn; the last one took at least its chain. */
static void begin_turn(struct htmt__node *n, uint32_t block, bool back)
{
    struct htmt__node_block *b = &n->block[block];
    htmt_time chain = b->missed ? htmt__node_turn(n, block) : b->chain;
    htmt_time until = b->turn_start + chain;
    if (back && n->start < until) {
        n->part[HTMT__NODE_CHAIN] += until - n->start;
        n->t = n->start = until;
    }
    b->turn_start = n->start;
}

static void change_function(struct htmt__node *n, uint32_t function)
{
    if (n->function != HTMT__NODE_NOWHERE)
        n->last_of[n->function] = n->last;
    n->last = n->last_of[function];
    n->function = function;
}

static COLD int refuse_block(struct htmt__node *n, uint64_t block)
{
    if (block >= n->blocks)
        return HTMT_EFORMAT;
    htmt__node_name_unknown(n, (uint32_t)block);
    return HTMT_EINVAL;
}

static COLD int enter_block(struct htmt__node *n, uint64_t number)
{
    uint32_t block = (uint32_t)number;
    if (number >= n->blocks || n->block[block].plain_memory < 0)
        return refuse_block(n, number);
    struct htmt__node_block *b = &n->block[block];
    bool same = b->function == n->function;
    if (!same)
        change_function(n, b->function);
    bool right = guess_last(n, n->last, block);
    close_block(n, n->last == HTMT__NODE_NOWHERE ? NULL : &n->block[n->last], right, same);
    if (b->chains)
        begin_turn(n, block, n->last >= block && n->last <= b->loop_end);
    n->last = n->now_in = block;
    return n->start < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
}

static void leave(struct htmt__node *n)
{
    close_block(n, NULL, true, false);
    n->now_in = HTMT__NODE_NOWHERE;
    n->group_accesses = n->sum.loads + n->sum.stores;
}

/* ---- accesses ----------------------------------------------------------------------------------
 */

static bool reach(struct htmt__node *n, uint64_t address, unsigned width, bool write,
                  htmt_time base)
{
    bool beyond = n->figures->dram.given || n->figures->bus.width;
    if (beyond && !permitted(n, n->t + base))
        return false;
    n->t += base;
    if (n->bus_first)
        htmt__node_pass_bus(n, width);
    if (beyond)
        htmt__node_reach(n, address, width, write);
    return true;
}

/* The line comes, if it does not come because a store passes by. */
static void bring(struct htmt__node *n, uint64_t line, bool write)
{
    if (!write || n->figures->l1.write != HTMT__NODE_THROUGH)
        htmt__node_fetch_line(n, line, false, write && n->store_bit);
}

/* Returns whether the line was missing. */
static bool touch(struct htmt__node *n, uint64_t line, bool write)
{
    uint64_t *tag = htmt__tags_find(&n->data, line);
    if (!tag) {
        bring(n, line, write);
        return true;
    }
    if (write)
        *tag |= n->store_bit;
    if (*tag & HTMT__TAG_PENDING)
        htmt__node_meet(n, line, tag);
    return false;
}

/* Both lines of an access, and what all accesses pass. */
static bool pass_lines(struct htmt__node *n, uint64_t address, unsigned width, bool write,
                       htmt_time base)
{
    uint64_t first = address >> n->data.shift, last = (address + width - 1) >> n->data.shift;
    uint64_t before = n->sum.l2_misses;
    bool missing = false;
    if (!permitted(n, n->t + base))
        return false;
    n->t += base;
    if (n->bus_first)
        htmt__node_pass_bus(n, width);
    for (uint64_t line = first; line <= last; line++)
        missing = touch(n, line, write) || missing;
    if (missing && last != first)
        count_once(n, first, last, before);
    if (write && n->figures->l1.write == HTMT__NODE_THROUGH)
        htmt__node_store_through(n, address, width);
    if (missing)
        htmt__node_count_miss(n, address, false);
    return true;
}

/* One line that is in another way than the first, or missing. */
static bool pass_line(struct htmt__node *n, uint64_t address, bool write, htmt_time base,
                      bool alike)
{
    uint64_t line = address >> n->data.shift, bits = write ? n->store_bit : 0, old;
    if (!n->permits && !htmt__tags_had(&n->data, line))
        return permitted(n, n->t + base);
    n->t += base;
    uint64_t *tag = htmt__tags_use(&n->data, line, bits, &old);
    if (tag) {
        *tag |= bits;
        if (!(*tag & HTMT__TAG_PENDING)) {
            n->turn.alike = alike && !n->ports_apart; /* a quick hit may wait for no port */
            return true;
        }
    }
    n->permits--;
    if (tag) {
        htmt__node_meet(n, line, tag);
        return true;
    }
    htmt__node_replace(n, line, old);
    htmt__node_count_miss(n, address, false);
    return true;
}

static bool pass_cache(struct htmt__node *n, uint64_t address, unsigned width, bool write,
                       htmt_time base, bool alike)
{
    uint64_t within = (UINT64_C(1) << n->data.shift) - 1;
    bool plain = write ? !n->slow_store : !n->slow_load;
    if (plain && (address & within) + width <= within + 1)
        return pass_line(n, address, write, base, alike);
    return pass_lines(n, address, width, write, base);
}

/* false: it must wait for a permit. `at`: the entry's number in the chunk. */
static __attribute__((noinline)) bool access_beyond(struct htmt__node *n, uint64_t entry,
                                                    bool write, int64_t at)
{
    uint64_t address = htmt__tape_address(entry);
    unsigned width = htmt__tape_width(entry);
    htmt_time base = write ? n->store : n->load;
    bool done = true, alike = n->turn.alike;
    n->extra = 0;
    n->turn.alike = false;
    if (address - n->figures->sram.at < n->figures->sram.bytes)
        n->t += n->sram_hit;
    else if (n->figures->l1.kind != HTMT__NODE_CACHE)
        done = reach(n, address, width, write, base);
    else
        done = pass_cache(n, address, width ? width : 1, write, base, alike);
    if (n->extra && n->now_in != HTMT__NODE_NOWHERE && n->block[n->now_in].watched)
        htmt__node_note(n, n->now_in, at - n->block_at - 1);
    return done;
}

/* An entry that is no access. Returns whether the tape goes on; *rc: an error. */
static COLD bool other_entry(struct htmt__node *n, uint64_t entry, int *rc)
{
    uint64_t address = htmt__tape_address(entry);
    enum htmt__tape_kind kind = htmt__tape_kind(entry);
    n->turn.alike = false;
    if (kind == HTMT__TAPE_OP) {
        *rc = add_operation(n, entry);
        return *rc == 0;
    }
    if (kind == HTMT__TAPE_OBJECT)
        return true;
    if (!n->entered && kind == HTMT__TAPE_BRANCH)
        add_branch(n, entry);
    else if (!n->entered)
        leave(n);
    n->entered = kind == HTMT__TAPE_CODE || kind == HTMT__TAPE_FETCH;
    n->group_fetched = kind == HTMT__TAPE_FETCH;
    uint64_t bytes = htmt__tape_width(entry) * (kind == HTMT__TAPE_CODE ? UINT64_C(4) : 1);
    if (n->entered && !fetch_bytes(n, address, bytes))
        return false;
    n->group.instructions += n->group_fetched;
    n->entered = false;
    *rc = kind > HTMT__TAPE_FETCH ? HTMT_EFORMAT : n->t < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
    return *rc == 0;
}

/* ---- the loop ----------------------------------------------------------------------------------
 */

/* What the loop keeps in registers; neighbours of different sizes, which no compiler makes a vector
 * of. Accesses are those since it was laid down last. */
struct hand {
    htmt_time t;
    uint32_t loads;
    htmt_time start;
    uint64_t stores;
};

static inline void lay_down(struct htmt__node *n, struct hand *h)
{
    n->t = h->t;
    n->start = h->start;
    n->sum.loads += h->loads;
    n->sum.stores += h->stores;
    h->loads = 0;
    h->stores = 0;
}

static inline void take_up(const struct htmt__node *n, struct hand *h)
{
    h->t = n->t;
    h->start = n->start;
}

static COLD bool block_at(struct htmt__node *n, uint64_t entry, int64_t at, int *rc)
{
    if (!n->entered) {
        *rc = enter_block(n, htmt__tape_address(entry));
        n->block_at = at;
    }
    n->entered = !*rc && !fetch_block(n, n->now_in);
    return !*rc && !n->entered;
}

/* Whether the block that runs ends plainly with this one as the next. */
static inline bool is_plain(const struct htmt__node *n, const struct hand *h, uint64_t next)
{
    if (next >= n->blocks || n->now_in == HTMT__NODE_NOWHERE || n->entered)
        return false;
    const struct htmt__node_block *b = &n->block[next], *p = &n->block[n->now_in];
    bool wrong = p->counted || (p->guessed && p->backward == (next == n->now_in + UINT64_C(1)));
    bool fetched = !b->code_lines || next == n->fetched;
    return !wrong && fetched && !b->missed && b->plain_memory >= 0 && b->function == p->function &&
           h->t - h->start == p->plain_memory && h->start < HTMT__TICKS_MOST;
}

static inline void free_ports(struct htmt__node *n)
{
    n->port[0] = n->port[1] = n->port_most = 0;
}

static inline void go_plainly(struct htmt__node *n, struct hand *h, uint32_t next)
{
    struct htmt__node_block *b = &n->block[next], *p = &n->block[n->now_in];
    p->plain++;
    h->start += p->plain_time;
    if (b->chains) {
        htmt_time until = b->turn_start + b->chain;
        if (n->now_in >= next && n->now_in <= b->loop_end && h->start < until) {
            n->part[HTMT__NODE_CHAIN] += until - h->start;
            h->start = until;
        }
        b->turn_start = h->start;
    }
    h->t = h->start;
    free_ports(n);
    n->last = n->now_in = next;
}

/* An entry that is no access: all accesses before it count. */
static inline bool entry_at(struct htmt__node *n, struct hand *h, uint64_t entry, int64_t at,
                            int *rc)
{
    bool block = htmt__tape_kind(entry) == HTMT__TAPE_BLOCK;
    if (__builtin_expect(block && is_plain(n, h, htmt__tape_address(entry)), 1)) {
        go_plainly(n, h, (uint32_t)htmt__tape_address(entry));
        n->block_at = at;
        return true;
    }
    lay_down(n, h);
    bool on = block ? block_at(n, entry, at, rc) : other_entry(n, entry, rc);
    take_up(n, h);
    if (n->t == n->start)
        free_ports(n);
    return on;
}

/* The busier of the two ports is what the block waits for. */
static inline void take_port(struct htmt__node *n, struct hand *h, bool write)
{
    htmt_time *port = &n->port[write];
    *port += write ? n->store : n->load;
    if (*port > n->port_most) {
        h->t += *port - n->port_most;
        n->port_most = *port;
    }
}

static inline bool access_at(struct htmt__node *n, struct hand *h, uint64_t entry, bool write,
                             int64_t at)
{
    if (__builtin_expect(
            !(write ? n->slow_store : n->slow_load) && htmt__node_quick(n, entry, write), 1)) {
        if (n->ports_apart)
            take_port(n, h, write);
        else
            h->t += write ? n->store : n->load;
        return true;
    }
    lay_down(n, h);
    bool on = access_beyond(n, entry, write, at);
    take_up(n, h);
    return on;
}

/* Whether a block that goes back begins the next turn of a loop. Returns the entries of turns like
 * the last one, which are passed over. */
static inline size_t begin_alike(struct htmt__node *n, struct hand *h, const uint64_t *entries,
                                 size_t count)
{
    size_t over = 0;
    if (n->turn.alike && n->turn.from && *entries == *n->turn.from) {
        lay_down(n, h);
        over = htmt__turn_like(n, entries, count);
        if (over)
            htmt__turn_repeat(n, entries, over);
        take_up(n, h);
    }
    n->turn.from = entries + over;
    n->turn.start = h->start;
    n->turn.chain = n->part[HTMT__NODE_CHAIN];
    n->turn.alike = true;
    return over;
}

/* Returns the number of entries that were played. */
static HOT size_t play(struct htmt__node *n, const uint64_t *entries, size_t count, int *rc)
{
    struct hand h = {.t = n->t, .start = n->start};
    size_t i = 0;
    n->turn.from = NULL;
    for (bool on = true; i < count; i++) {
        uint64_t entry = entries[i];
        enum htmt__tape_kind kind = htmt__tape_kind(entry);
        if (kind == HTMT__TAPE_LOAD)
            h.loads += on = access_at(n, &h, entry, false, (int64_t)i);
        else if (kind == HTMT__TAPE_STORE)
            h.stores += on = access_at(n, &h, entry, true, (int64_t)i);
        else {
            uint32_t last = n->now_in;
            on = entry_at(n, &h, entry, (int64_t)i, rc);
            if (on && kind == HTMT__TAPE_BLOCK && n->now_in <= last) {
                i += begin_alike(n, &h, entries + i, count - i);
                n->block_at = (int64_t)i;
            }
        }
        if (__builtin_expect(!on, 0))
            break;
    }
    lay_down(n, &h);
    n->block_at -= (int64_t)i;
    n->sum.entries += i;
    return i;
}

int htmt__node_play_some(struct htmt__node *n, const uint64_t *entries, size_t count,
                         uint64_t permits, size_t *played)
{
    n->permits = permits;
    *played = 0;
    if (!n->code_of_failure)
        *played = play(n, entries, count, &n->code_of_failure);
    if (!n->code_of_failure && n->t >= HTMT__TICKS_MOST)
        n->code_of_failure = HTMT_EOVERFLOW;
    return n->code_of_failure;
}

int htmt__node_play(void *user, const uint64_t *entries, size_t count)
{
    size_t played;
    return htmt__node_play_some(user, entries, count, UINT64_MAX, &played);
}

htmt_time htmt__node_request(const struct htmt__node *n)
{
    return n->request + n->late;
}

htmt_time htmt__node_request_time(const struct htmt__node *n)
{
    return htmt__node_request(n) / (htmt_time)n->scale;
}

void htmt__node_put_off(struct htmt__node *n, htmt_time time)
{
    if (time >= (HTMT__TICKS_MOST - n->late) / (htmt_time)n->scale)
        n->code_of_failure = HTMT_EOVERFLOW;
    else
        n->late += time * (htmt_time)n->scale;
}

uint64_t htmt__node_permits(const struct htmt__node *n)
{
    return n->permits;
}

/* ---- a node and its services -------------------------------------------------------------------
 */

/* The only bus that a request for DRAM itself passes stands at DRAM. */
static void find_bus(struct htmt__node *n)
{
    const struct htmt__node_bus *b = &n->figures->bus;
    n->bus_first = b->width && b->at == HTMT__NODE_CPU_L1;
    n->bus_at_l2 = b->width && b->at == HTMT__NODE_L1_L2 && n->levels;
    n->bus_at_dram = b->width && !n->bus_first && !n->bus_at_l2;
}

static void read_figures(struct htmt__node *n)
{
    const struct htmt__node_figures *f = n->figures;
    bool cache = f->l1.kind == HTMT__NODE_CACHE;
    n->scale = htmt__ticks_scale(f);
    n->load = htmt__ticks(cache ? f->l1.every : f->load, 1, n->scale);
    n->store = htmt__ticks(cache ? f->l1.store_every : f->store, 1, n->scale);
    n->ports_apart = cache && n->load != n->store;
    n->l1_hit = htmt__ticks(cache ? f->l1.hit : f->load, 1, n->scale);
    n->level[0] = (struct htmt__node_beyond){&f->l2, .hit = htmt__ticks(f->l2.hit, 1, n->scale)};
    n->level[1] = (struct htmt__node_beyond){&f->l3, .hit = htmt__ticks(f->l3.hit, 1, n->scale)};
    n->levels = f->l3.kind == HTMT__NODE_CACHE ? 2 : f->l2.kind == HTMT__NODE_CACHE ? 1 : 0;
    n->sram_hit = htmt__ticks(f->sram.hit, 1, n->scale);
    n->branch = htmt__ticks(f->branch, 1, n->scale);
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            n->latency[o][t] = htmt__ticks(f->unit[o][t].latency, 1, n->scale);
    n->fetches = cache || f->fetched;
    find_bus(n);
    n->slow_load = n->bus_first;
    n->slow_store = n->bus_first || f->l1.write == HTMT__NODE_THROUGH;
    n->store_bit = f->l1.write == HTMT__NODE_BACK ? HTMT__TAG_DIRTY : 0;
}

static int open_parts(struct htmt__node *n)
{
    int rc = htmt__tags_open(&n->data, &n->figures->l1);
    if (!rc)
        rc = htmt__tags_open(&n->code, &n->figures->l1);
    for (int i = 0; i < 2 && !rc; i++)
        rc = htmt__tags_open(&n->level[i].tags, n->level[i].figures);
    if (!rc)
        rc = htmt__memory_new(&n->own, n->figures, n->scale);
    n->memory = n->own;
    if (n->figures->predictor == HTMT__NODE_LOOPS) {
        n->runs = calloc(HTMT__NODE_COUNTER_ROOM, sizeof *n->runs);
        rc = rc || n->runs ? rc : HTMT_ENOMEM;
    }
    return rc ? rc : htmt__node_blocks(n);
}

int htmt__node_new(struct htmt__node **node, const struct htmt__node_figures *figures,
                   const struct htmt__tape_program *program)
{
    struct htmt__node *n = calloc(1, sizeof *n);
    if (!n)
        return HTMT_ENOMEM;
    n->figures = figures;
    n->program = program;
    read_figures(n);
    int rc = open_parts(n);
    if (rc) {
        htmt__node_free(n);
        return rc;
    }
    htmt__node_start(n, false);
    *node = n;
    return 0;
}

void htmt__node_free(struct htmt__node *n)
{
    if (!n)
        return;
    htmt__tags_close(&n->data);
    htmt__tags_close(&n->code);
    htmt__tags_close(&n->level[0].tags);
    htmt__tags_close(&n->level[1].tags);
    htmt__memory_free(n->own);
    free(n->block);
    free(n->work);
    free(n->last_of);
    free(n->link);
    free(n->missed);
    free(n->region_misses);
    free(n->runs);
    free(n);
}

static void clear_caches(struct htmt__node *n)
{
    htmt__tags_clear(&n->data);
    htmt__tags_clear(&n->code);
    htmt__tags_clear(&n->level[0].tags);
    htmt__tags_clear(&n->level[1].tags);
    memset(n->counter, 2, sizeof n->counter);
    if (n->runs)
        memset(n->runs, 0, HTMT__NODE_COUNTER_ROOM * sizeof *n->runs);
}

/* Lines that were fetched ahead have long come when the next service starts. */
static void start_streams(struct htmt__node *n)
{
    const struct htmt__node_figures *f = n->figures;
    bool buffers = f->l2.kind == HTMT__NODE_STREAMS;
    htmt__ahead_start(&n->ahead, buffers ? f->l2.streams : f->prefetch_streams,
                      buffers ? f->l2.depth : f->prefetch_lines);
}

static void forget_blocks(struct htmt__node *n, htmt_time at)
{
    for (uint32_t i = 0; n->program && i < n->program->block_count; i++)
        n->block[i].plain = 0, n->block[i].turn_start = at;
    for (uint32_t i = 0; n->program && i < n->program->function_count; i++)
        n->last_of[i] = HTMT__NODE_NOWHERE;
    for (uint32_t i = 0; i < n->links; i++)
        n->missed[n->link[i].of] = 0;
    n->now_in = n->last = n->function = n->fetched = HTMT__NODE_NOWHERE;
}

/* `at`: in ticks. */
static void start(struct htmt__node *n, bool warm, htmt_time at)
{
    if (!warm)
        clear_caches(n);
    start_streams(n);
    forget_blocks(n, at);
    n->misses.count = n->stores.count = 0;
    memset(n->stall, 0, sizeof n->stall);
    memset(n->part, 0, sizeof n->part);
    clear_units(n);
    n->sum = (struct htmt__node_account){0};
    n->group = (struct htmt__node_work){0};
    n->group_accesses = 0;
    n->group_fetched = n->entered = false;
    n->start = n->t = n->request = at;
    n->late = 0;
    free_ports(n);
    n->block_at = 0;
    n->code_of_failure = 0;
    n->unknown[0] = '\0';
}

void htmt__node_start(struct htmt__node *n, bool warm)
{
    htmt__memory_start(n->memory);
    start(n, warm, 0);
}

int htmt__node_join(struct htmt__node *n, bool warm, htmt_time at)
{
    if (at >= HTMT__TICKS_MOST / (htmt_time)n->scale)
        return HTMT_EOVERFLOW;
    start(n, warm, at * (htmt_time)n->scale);
    return 0;
}

static void exchange(struct htmt__node_tags *a, struct htmt__node_tags *b)
{
    struct htmt__node_tags tags = *a;
    *a = *b;
    *b = tags;
}

void htmt__node_take_over(struct htmt__node *n, struct htmt__node *from)
{
    exchange(&n->data, &from->data);
    exchange(&n->code, &from->code);
    for (int i = 0; i < 2; i++)
        exchange(&n->level[i].tags, &from->level[i].tags);
    memcpy(n->counter, from->counter, sizeof n->counter);
    if (n->runs)
        memcpy(n->runs, from->runs, HTMT__NODE_COUNTER_ROOM * sizeof *n->runs);
}

/* Each part is the difference of two rounded sums, so that the parts add up to the length. */
static htmt_time tell(struct htmt__node *n)
{
    htmt_time ticks = 0, before = 0;
    for (int i = 0; i < HTMT__NODE_PARTS; i++) {
        ticks += n->part[i];
        htmt_time until = htmt__ticks_time(ticks, n->scale);
        n->sum.part[i] = until - before;
        before = until;
    }
    return before;
}

htmt_time htmt__node_finish(struct htmt__node *n, struct htmt__node_account *account)
{
    if (n->code_of_failure)
        return -1;
    leave(n);
    htmt__node_drain(n);
    close_group(n, 0);
    htmt__node_settle(n);
    n->sum.refreshes = n->memory->refreshes;
    n->memory->refreshes = 0;
    htmt_time length = tell(n);
    if (account)
        *account = n->sum;
    return length;
}

const char *htmt__node_unknown(const struct htmt__node *n)
{
    return *n->unknown ? n->unknown : NULL;
}

void htmt__node_share(struct htmt__node *n, struct htmt__node *with)
{
    n->memory = with->own;
}

int htmt__node_regions(struct htmt__node *n, const struct htmt__tape_region *regions, size_t count)
{
    free(n->region_misses);
    n->region_misses = calloc(count + 1, sizeof *n->region_misses);
    n->regions = regions;
    n->region_count = n->region_misses ? count : 0;
    n->region_last = 0;
    return n->region_misses ? 0 : HTMT_ENOMEM;
}

const uint64_t *htmt__node_misses(const struct htmt__node *n)
{
    return n->region_misses;
}
