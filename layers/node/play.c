/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a tape goes through a node.
 *
 * A tape is a row of entries: BLOCK, then the loads and stores of that block in their order, then
 * the next BLOCK. Two clocks follow it. `start` is when the block that runs began; `t` is how far
 * its accesses have come. An access moves `t` alone. The next BLOCK entry ends the block: t - start
 * is the memory part, combine.c makes the block's time of all parts, and both clocks continue from
 * start + time. By hand, with a full overlap: a block issues 4 instructions of 0.5 ns and loads
 * twice, 1 ns each. With two hits t - start is 2 ns, and the block takes max(2, 2) = 2 ns. If one
 * load waits 60 ns for DRAM, t - start is 62 ns, and so is the block.
 *
 * Nearly all entries are hits in blocks that take what they took before. So the time of each block
 * with hits only and a right guess is computed once (blocks.c: plain_time), and the loop at the end
 * has three short ways:
 *   - a hit among the newest lines of its set adds a constant to `t`;
 *   - a block that was plain adds plain_time to `start` and 1 to its count of plain repeats, which
 *     the account gets at the end of the service;
 *   - repeats of a loop that equal the last one are passed over at once (below).
 * All the rest are calls out of line, which find the clocks in the node: the loop has them in
 * registers and saves them before such a call.
 *
 * Processors of a slice may share bus and DRAM, whose requests must come in the order of their
 * times. An entry that needs bus or DRAM therefore asks for a permit first. Without one the tape
 * stops BEFORE the entry, with nothing changed, and the node says when it would ask; the entry is
 * played again once it is the earliest of all (team.c).
 */
#include "layers/node/parts.h"
#include "runtime/base/error.h"

#define HOT  __attribute__((hot))
#define COLD __attribute__((noinline))

/* With them so many repeats end before HTMT__TICKS_MOST. */
#define ENTRIES_MOST (UINT64_C(1) << 20)
#define REPEAT_MOST  (INT64_C(1) << 40) /* ticks */
#define START_MOST   (INT64_C(1) << 60)

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

/* ---- code ------------------------------------------------------------------------------------ */

/* Returns the lines that were missing, -1: no permit. One permit is enough for all of them. */
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
        n->repeat.alike = false;
        htmt__node_fetch_line(n, line, true, false);
    }
    return missing;
}

/* Without a cache all of it comes at once. */
static COLD bool fetch_code(struct htmt__node *n, uint64_t address, uint64_t bytes)
{
    if (!permitted(n, n->t))
        return false;
    n->repeat.alike = false;
    htmt__node_fetch_code(n, address, bytes);
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The block that runs ends: plain, or as its accesses and the branch of the block `before` turned
 * out; NULL: no branch. */
static void close_block(struct htmt__node *n, const struct htmt__node_block *before, bool right,
                        bool plain)
{
    if (n->now_in == HTMT__NODE_NOWHERE) {
        htmt__node_end_group(n, 0);
        return;
    }
    struct htmt__node_block *b = &n->block[n->now_in];
    if (plain && right && n->t - n->start == b->plain_memory) {
        b->plain++;
        n->t = n->start += b->plain_time;
        return;
    }
    htmt__node_combine(n, &n->work[n->now_in], before ? htmt__node_branch(n, before, right) : 0);
}

void htmt__node_leave(struct htmt__node *n)
{
    close_block(n, NULL, true, false);
    n->now_in = HTMT__NODE_NOWHERE;
    n->group_accesses = n->sum.loads + n->sum.stores;
}

/* Whether the way to the next block is a jump in the compiled code; where nobody knows that code,
 * the next block follows. Of a block that two ways reach compilers make two copies, one at the end
 * of either way, so it has no code of its own: the way goes on from the block before it. */
static bool jumps_to(struct htmt__node *n, uint32_t from, uint32_t to)
{
    const uint32_t at = n->block[from].placed ? from : n->place;
    const int16_t follows = n->program->blocks[at].follows;
    const bool next = (int64_t)to == (int64_t)at + (follows ? follows : 1);
    n->place = next || n->block[to].placed ? to : at;
    return !next && n->block[to].placed;
}

/* The branch of the block that runs is judged by where the tape went; after calls and returns it is
 * that of the block which ran before in the same function. */
int htmt__node_turn(struct htmt__node *n, uint64_t number, uint32_t *last, bool *right)
{
    uint32_t block = (uint32_t)number;
    if (number >= n->blocks)
        return HTMT_EFORMAT;
    struct htmt__node_block *b = &n->block[block];
    if (n->windowed ? !b->steps_known : b->plain_memory < 0) {
        htmt__node_name_unknown(n, block);
        return HTMT_EINVAL;
    }
    *right = true;
    if (b->function != n->function) {
        if (n->function != HTMT__NODE_NOWHERE)
            n->last_of[n->function] = n->last;
        n->last = n->last_of[b->function];
        n->function = b->function;
    }
    const struct htmt__node_block *before =
        n->last == HTMT__NODE_NOWHERE ? NULL : &n->block[n->last];
    if (!before)
        n->place = block;
    const uint32_t at = before && before->placed ? n->last : n->place;
    const bool laid_out = before && n->program->blocks[at].follows != 0;
    const bool jumps = n->jumps = before && jumps_to(n, n->last, block);
    /* Each copy of a block has a branch of its own. */
    const uint64_t place = !before || before->placed ? n->last : n->last + (at + 1) * n->blocks;
    if (before && before->guessed) {
        if (n->history) { /* of two ways neither need be the next block */
            *right = htmt__history_guess(n->history, place, block, jumps || !laid_out);
            n->repeat.alike = false;
        } else {
            *right = htmt__node_guess(n, n->last, block != n->last + 1, before->backward);
        }
        n->sum.branches_missed += !*right;
    } else if (n->history && jumps && laid_out) {
        htmt__history_jump(n->history, place, block);
    }
    *last = n->last;
    return 0;
}

/* The block that runs ends and the next one begins. */
static int enter_block(struct htmt__node *n, uint64_t number)
{
    const uint32_t ran_in = n->function, block = (uint32_t)number;
    uint32_t last;
    bool right;
    const int rc = htmt__node_turn(n, number, &last, &right);
    if (rc)
        return rc;
    struct htmt__node_block *b = &n->block[block];
    const bool same = b->function == ran_in;
    const struct htmt__node_block *before = last == HTMT__NODE_NOWHERE ? NULL : &n->block[last];
    close_block(n, before, right, same);
    if (b->chains) { /* a loop's header begins a repeat; the last one took at least its chain */
        bool back = n->last >= block && n->last <= b->loop_end;
        htmt_time until = b->repeat_start + (b->missed ? htmt__loop_chain(n, block) : b->chain);
        if (back && n->start < until) {
            n->part[HTMT__NODE_CHAIN] += until - n->start;
            n->t = n->start = until;
        }
        b->repeat_start = n->start;
    }
    n->last = n->now_in = block;
    return n->start < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
}

/* Code that missed counts once for each line; in a half of its own no data can push it out, so that
 * the block needs no look until another one was fetched. */
bool htmt__node_fetch_block(struct htmt__node *n)
{
    const struct htmt__node_block *b = &n->block[n->now_in];
    bool done = true;
    if (b->code_lines && n->now_in != n->fetched && n->figures->fetched) {
        const struct htmt__tape_block *code = &n->program->blocks[n->now_in];
        done = fetch_code(n, HTMT__TAPE_IMAGE + code->code, 4 * (uint64_t)code->instructions);
    } else if (b->code_lines && n->now_in != n->fetched) {
        int64_t missing = fetch_lines(n, b->code_first, b->code_lines);
        for (int64_t i = 0; i < missing; i++)
            htmt__node_count_miss(n, (b->code_first + (uint64_t)i) << n->data.shift, true);
        n->fetched = missing == 0 && n->figures->l1.split ? n->now_in : HTMT__NODE_NOWHERE;
        done = missing >= 0;
    }
    return done;
}

/* A BLOCK entry that does not end a plain block. A block that was entered and then had no permit
 * for its code is not entered again. */
static COLD bool block_at(struct htmt__node *n, uint64_t entry, int64_t at, int *rc)
{
    if (!n->entered) {
        *rc = enter_block(n, htmt__tape_address(entry));
        n->block_at = at;
        if (*rc) {
            n->entered = false;
            return false;
        }
    }
    n->entered = !htmt__node_fetch_block(n);
    return !n->entered;
}

/* ---- accesses beyond the short way ----------------------------------------------------------- */

/* All lines of an access, with what all accesses pass: the bus before the first cache, the buffer
 * of a cache that writes through. A store that passes by brings no line. */
static bool pass_lines(struct htmt__node *n, uint64_t address, unsigned width, bool write,
                       htmt_time base)
{
    uint64_t first = address >> n->data.shift, last = (address + width - 1) >> n->data.shift;
    uint64_t before = n->sum.l2_misses;
    bool through = write && n->figures->l1.write == HTMT__NODE_THROUGH, missing = false;
    if (!permitted(n, n->t + base))
        return false;
    n->t += base;
    if (n->bus_first)
        htmt__node_pass_bus(n, width);
    for (uint64_t line = first; line <= last; line++) {
        uint64_t *tag = htmt__tags_find(&n->data, line);
        missing = missing || !tag;
        if (!tag && !through)
            htmt__node_fetch_line(n, line, false, write && n->store_bit);
        if (tag && write)
            *tag |= n->store_bit;
        if (tag && *tag & HTMT__TAG_PENDING)
            htmt__node_meet(n, line, tag);
    }
    if (missing && last != first)
        count_once(n, first, last, before);
    if (through)
        htmt__node_store_through(n, address, width);
    if (missing)
        htmt__node_count_miss(n, address, false);
    return true;
}

/* One line that is in another way than the newest, or missing. */
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
            n->repeat.alike = alike && !n->ports_apart; /* a quick hit may wait for no port */
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

bool htmt__node_access(struct htmt__node *n, uint64_t entry, bool write)
{
    const struct htmt__node_figures *f = n->figures;
    uint64_t address = htmt__tape_address(entry), within = n->data.line_mask;
    unsigned width = htmt__tape_width(entry);
    htmt_time base = write ? n->store : n->load;
    bool done = true, alike = n->repeat.alike;
    n->extra = 0;
    n->repeat.alike = false;
    if (address - f->sram.at < f->sram.bytes)
        n->t += n->sram_hit;
    else if (f->l1.kind != HTMT__NODE_CACHE) {
        bool beyond = f->dram.given || f->bus.width;
        done = !beyond || permitted(n, n->t + base);
        n->t += done ? base : 0;
        if (done && n->bus_first)
            htmt__node_pass_bus(n, width);
        if (done && beyond)
            htmt__node_reach(n, address, width, write);
    } else {
        width = width ? width : 1;
        bool plain = write ? !n->slow_store : !n->slow_load;
        if (plain && (address & within) + width <= within + 1)
            done = pass_line(n, address, write, base, alike);
        else
            done = pass_lines(n, address, width, write, base);
    }
    return done;
}

/* false: it must wait for a permit. `at`: the entry's number in the chunk. */
static COLD bool access_beyond(struct htmt__node *n, uint64_t entry, bool write, int64_t at)
{
    const bool done = htmt__node_access(n, entry, write);
    if (n->extra && n->now_in != HTMT__NODE_NOWHERE && n->block[n->now_in].watched)
        htmt__node_note(n, n->now_in, at - n->block_at - 1);
    return done;
}

/* An entry that is neither access nor block: one of a tape of annotations. Code that had no permit
 * comes again with `entered` set. Returns whether the tape goes on; *rc: an error. */
static COLD bool other_entry(struct htmt__node *n, uint64_t entry, int *rc)
{
    uint64_t address = htmt__tape_address(entry);
    enum htmt__tape_kind kind = htmt__tape_kind(entry);
    n->repeat.alike = false;
    if (kind == HTMT__TAPE_OP) {
        *rc = htmt__node_add_operation(n, entry);
        return *rc == 0;
    }
    if (kind == HTMT__TAPE_OBJECT || kind == HTMT__TAPE_RANGES)
        return true;
    if (!n->entered && kind == HTMT__TAPE_BRANCH)
        htmt__node_add_branch(n, entry);
    else if (!n->entered)
        htmt__node_leave(n);
    n->entered = kind == HTMT__TAPE_CODE || kind == HTMT__TAPE_FETCH;
    n->group_fetched = kind == HTMT__TAPE_FETCH;
    uint64_t bytes = htmt__tape_width(entry) * (kind == HTMT__TAPE_CODE ? UINT64_C(4) : 1);
    if (n->entered && n->fetches && bytes && n->figures->fetched) {
        if (!fetch_code(n, address, bytes))
            return false;
    } else if (n->entered && n->fetches && bytes) {
        const uint64_t first = address >> n->data.shift, before = n->sum.l2_misses;
        const uint64_t last = (address + bytes - 1) >> n->data.shift;
        const int64_t missing = fetch_lines(n, first, last - first + 1);
        if (missing < 0)
            return false;
        if (missing > 0)
            htmt__node_count_miss(n, address, true);
        if (missing > 0 && last != first)
            count_once(n, first, last, before);
    }
    n->group.instructions += n->group_fetched;
    n->entered = false;
    *rc = kind > HTMT__TAPE_FETCH ? HTMT_EFORMAT : n->t < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
    return *rc == 0;
}

/* ---- repeats of a loop that are passed over --------------------------------------------------
 *
 * A repeat in which every access was a quick hit, every guess right and every block plain changed
 * nothing but the order of the newest lines of their sets. If the next repeat asks for the same
 * lines in the same order, each access hits again, the order after it is the same again, and it
 * takes the same time: the state repeats, so the time does. repeat.alike says whether the repeat
 * that runs was of this kind. At its end the entries that follow are compared with its own; as long
 * as they are equal but for the place inside the lines, the repeats count at once: time, counts of
 * blocks, loads and stores are multiplied, and no cache is looked at.
 *
 * A repeat whose lines are others, as every eighth one of a loop over 8-byte elements with lines of
 * 64, is asked access by access whether it hits quickly (hits()); then it is the next one to
 * compare with. By hand: a loop BLOCK, LOAD a[i], LOAD b[i] over 32 elements in the cache, two
 * hits of 1 ns a repeat: the first repeat is played, repeats 2 to 8 are equal, repeat 9 asks for
 * two new lines that hit, repeats 10 to 16 are equal to it, and so on: 31 repeats cost 31
 * comparisons of 3 words and 6 looks at tags.
 *
 * Why the comparison may stop short: where a repeat differs or misses, the loop at the end plays
 * it; what hits() made newest before it found the miss is asked for by that repeat in the same
 * order, which leaves the same order. */

static bool is_access(uint64_t entry)
{
    return htmt__tape_kind(entry) == HTMT__TAPE_LOAD || htmt__tape_kind(entry) == HTMT__TAPE_STORE;
}

/* The bits in which another entry must equal this one to be like it: all but those of the place in
 * the line, where both lie on multiples of their width and so do not leave it. */
static inline uint64_t fixed_bits(uint64_t entry, uint64_t within)
{
    uint64_t rest = htmt__tape_width(entry) - UINT64_C(1);
    bool aligned = rest <= within && !(rest & (rest + 1)) && !(entry & rest);
    return is_access(entry) && aligned ? ~within | rest : UINT64_MAX;
}

/* Whether all accesses of a repeat hit whose lines are others: it takes as long as the last one.
 * The lines become the newest of their sets; where a later one misses, the repeat is played, which
 * asks for the same lines in the same order and so leaves the same order. */
static bool hits(const struct htmt__node *n, const uint64_t *e, const uint64_t *of,
                 const uint64_t *fixed, size_t length)
{
    const uint64_t lines = HTMT__TAPE_ADDRESS & ~n->data.line_mask;
    for (size_t i = 0; i < length; i++) {
        const bool access = is_access(of[i]);
        if ((e[i] ^ of[i]) & fixed[i] & (access ? ~lines : UINT64_MAX))
            return false;
        if (access && !htmt__node_quick(n, e[i], htmt__tape_kind(e[i]) == HTMT__TAPE_STORE))
            return false;
    }
    return true;
}

/* `entries` follow a repeat of that length; the last repeat counts if the next one's first block is
 * there. */
static inline __attribute__((always_inline)) size_t
count_turns(const struct htmt__node *n, const uint64_t *entries, size_t length, size_t count)
{
    uint64_t fixed[HTMT__LOOP_ENTRIES];
    const uint64_t *of = entries - length, *e = entries, *end = entries + count;
    for (size_t i = 0; i < length; i++)
        fixed[i] = fixed_bits(of[i], n->data.line_mask);
    for (; length < (size_t)(end - e) && e[length] == *of; e += length) {
        uint64_t other = 0;
        for (size_t i = 0; i < length; i++)
            other |= (e[i] ^ of[i]) & fixed[i];
        if (other && !hits(n, e, of, fixed, length))
            break;
        of = other ? e : of;
    }
    return (size_t)(e - entries);
}

/* How many of the entries before `count` are repeats like the one that ends where `entries` begins.
 * Loops of few entries, which are most, go without loops over them. */
static COLD size_t loop_repeat_count(const struct htmt__node *n, const uint64_t *entries,
                                     size_t count)
{
    size_t length = (size_t)(entries - n->repeat.from);
    if (length > HTMT__LOOP_ENTRIES || length >= count)
        return 0;
    if (count > ENTRIES_MOST || n->start > START_MOST || n->start - n->repeat.start > REPEAT_MOST)
        return 0;
    switch (length) {
    case 1:
        return count_turns(n, entries, 1, count);
    case 2:
        return count_turns(n, entries, 2, count);
    case 3:
        return count_turns(n, entries, 3, count);
    case 4:
        return count_turns(n, entries, 4, count);
    default:
        return count_turns(n, entries, length, count);
    }
}

/* So many entries of repeats like the last one have passed: each of them took its time, added what
 * its chains added, and ran its blocks once more. */
static COLD void loop_repeat_pass(struct htmt__node *n, const uint64_t *entries, size_t like)
{
    uint64_t turns = like / (size_t)(entries - n->repeat.from);
    htmt_time time = (n->start - n->repeat.start) * (htmt_time)turns;
    for (const uint64_t *e = n->repeat.from; e < entries; e++) {
        enum htmt__tape_kind kind = htmt__tape_kind(*e);
        n->sum.loads += kind == HTMT__TAPE_LOAD ? turns : 0;
        n->sum.stores += kind == HTMT__TAPE_STORE ? turns : 0;
        if (kind != HTMT__TAPE_BLOCK)
            continue;
        struct htmt__node_block *b = &n->block[htmt__tape_address(*e)];
        b->plain += turns;
        b->repeat_start += time;
    }
    n->part[HTMT__NODE_CHAIN] += (n->part[HTMT__NODE_CHAIN] - n->repeat.chain) * (htmt_time)turns;
    n->t = n->start += time;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* What the loop keeps in registers; neighbours of different sizes, which no compiler makes a vector
 * of. Accesses are those since they were saved last. */
struct registers {
    htmt_time t;
    uint32_t loads;
    htmt_time start;
    uint64_t stores;
};

static inline void save(struct htmt__node *n, struct registers *h)
{
    n->t = h->t;
    n->start = h->start;
    n->sum.loads += h->loads;
    n->sum.stores += h->stores;
    h->loads = 0;
    h->stores = 0;
}

static inline void restore(const struct htmt__node *n, struct registers *h)
{
    h->t = n->t;
    h->start = n->start;
}

/* Whether the block that runs ends plainly with this one as the next. */
static inline bool is_plain(const struct htmt__node *n, const struct registers *h, uint64_t next)
{
    if (next >= n->blocks || n->now_in == HTMT__NODE_NOWHERE || n->entered)
        return false;
    const struct htmt__node_block *b = &n->block[next], *p = &n->block[n->now_in];
    bool wrong = p->counted || (p->guessed && p->backward == (next == n->now_in + UINT64_C(1)));
    bool fetched = !b->code_lines || next == n->fetched;
    return !wrong && fetched && !b->missed && b->plain_memory >= 0 && b->function == p->function &&
           h->t - h->start == p->plain_memory && h->start < HTMT__TICKS_MOST;
}

/* The same as enter_block() for such a block, in the registers of the loop. */
static inline void pass_plain_block(struct htmt__node *n, struct registers *h, uint32_t next)
{
    struct htmt__node_block *b = &n->block[next], *p = &n->block[n->now_in];
    p->plain++;
    h->start += p->plain_time;
    if (b->chains) {
        htmt_time until = b->repeat_start + b->chain;
        if (n->now_in >= next && n->now_in <= b->loop_end && h->start < until) {
            n->part[HTMT__NODE_CHAIN] += until - h->start;
            h->start = until;
        }
        b->repeat_start = h->start;
    }
    h->t = h->start;
    htmt__node_free_ports(n);
    n->last = n->now_in = next;
}

/* An entry that is no access: all accesses before it count. */
static inline bool entry_at(struct htmt__node *n, struct registers *h, uint64_t entry, int64_t at,
                            int *rc)
{
    bool block = htmt__tape_kind(entry) == HTMT__TAPE_BLOCK;
    if (__builtin_expect(block && is_plain(n, h, htmt__tape_address(entry)), 1)) {
        pass_plain_block(n, h, (uint32_t)htmt__tape_address(entry));
        n->block_at = at;
        return true;
    }
    save(n, h);
    bool on = block ? block_at(n, entry, at, rc) : other_entry(n, entry, rc);
    restore(n, h);
    if (n->t == n->start)
        htmt__node_free_ports(n);
    return on;
}

/* Loads and stores that take different times have a port each, and the block waits for the busier
 * of the two: `t` moves only as far as the longer row of them grows. */
static inline bool access_at(struct htmt__node *n, struct registers *h, uint64_t entry, bool write,
                             int64_t at)
{
    if (__builtin_expect(
            !(write ? n->slow_store : n->slow_load) && htmt__node_quick(n, entry, write), 1)) {
        htmt_time base = write ? n->store : n->load, *port = &n->port[write];
        if (!n->ports_apart)
            h->t += base;
        else if ((*port += base) > n->port_most) {
            h->t += *port - n->port_most;
            n->port_most = *port;
        }
        return true;
    }
    save(n, h);
    bool on = access_beyond(n, entry, write, at);
    restore(n, h);
    return on;
}

/* Whether a block that goes back begins the next repeat of a loop. Returns the entries of repeats
 * like the last one, which are passed over. */
static inline size_t begin_alike(struct htmt__node *n, struct registers *h, const uint64_t *entries,
                                 size_t count)
{
    size_t over = 0;
    if (n->repeat.alike && n->repeat.from && *entries == *n->repeat.from) {
        save(n, h);
        over = loop_repeat_count(n, entries, count);
        if (over)
            loop_repeat_pass(n, entries, over);
        restore(n, h);
    }
    n->repeat.from = entries + over;
    n->repeat.start = h->start;
    n->repeat.chain = n->part[HTMT__NODE_CHAIN];
    n->repeat.alike = true;
    return over;
}

HOT size_t htmt__node_play_in_order(struct htmt__node *n, const uint64_t *entries, size_t count,
                                    int *rc)
{
    struct registers h = {.t = n->t, .start = n->start};
    size_t i = 0;
    n->repeat.from = NULL;
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
    save(n, &h);
    n->block_at -= (int64_t)i;
    n->sum.entries += i;
    return i;
}
