/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A processor with `order: window`: steps of a tape by what they wait for.
 *
 * play.c asks of each block how long its parts take and lets none of them pass the next block. A
 * processor that reorders has no blocks. It takes steps in the order of the program (dispatch),
 * `issue` a cycle, and each starts when its operands and a unit are there, whatever came before it.
 * They leave in order (retire), so at most `reorder` are between the two. Here each step gets its
 * three times when the tape comes to it, once and for all, since they depend on earlier steps only:
 *
 *     dispatch = max(last dispatch + issue, retire of the instruction `reorder` before,
 *                    when the queue of its kind has room, when fewer than `waiting` wait)
 *     start    = max(dispatch, results of its sources), then the first free slot of its unit
 *     done     = start + latency
 *     retire   = max(retire of the step before, done)
 *
 * Loads and stores are not among those that wait: cores keep them in queues of their own.
 *
 * The service takes until the last retires. By hand: a sum over an array in the cache, load 5 and
 * add 4 cycles, steps (load, add, count, compare, jump), 4 a cycle. Addition i starts when addition
 * i - 1 is done: 4 cycles a turn, as long as `reorder` lets loads run 5 cycles ahead. With
 * `reorder` 1 each step waits for the one before: 5 + 4 + 1 + 1 a turn. Nobody lists chains, and
 * the next loop's steps start beside the tail of this one.
 *
 * Instructions. A processor dispatches and keeps instructions, not operations: a load that an
 * addition does on the way is none of its own, nor is a comparison before its branch. The compiled
 * object has c instructions where the block has s steps, and step number i stands for those from
 * i c / s to (i + 1) c / s. By hand, 6 of 8: steps 0 and 4 stand for none, the others for one each.
 * A step that stands for none is dispatched with the one before it. A comparison that processors
 * fuse with the branch behind it is none of the c.
 *
 * Units. A unit takes an operation every `every`, in slots (slots.h). Operations that share units
 * take slots of one ring. Units that are a part of others take slots of both: of three units that
 * do logic of reals two may add and two, one of them the same, multiply. By hand, six additions and
 * six products: 3 cycles on two units each, but 4 on the three that there are. Slots are as short
 * as the fastest operation takes; a slower one takes as many as it fills, and parts of slots are
 * summed up. By hand, quotients of 3 cycles for floats and 4 for doubles on one unit: each third
 * quotient of doubles takes two slots of 3 cycles, the others one.
 *
 * Branches. A conditional branch takes a slot of units that comparisons of reals may need, too. By
 * hand, two units that branch, one of which also compares reals: of `if (a[i] > t) return i;` each
 * turn has such a comparison and two branches, three slots, so it takes 1.5 cycles. Behind a branch
 * that jumps dispatch goes on `taken` after it went on behind the jump before: no loop has turns
 * of less. Instructions come in groups, of which none goes on behind a jump, so it is `taken` of
 * each group since. By hand, groups of 8 and an issue of 6: a turn of 8 takes 1.33 cycles, one of 9
 * takes 2. Up to FETCHED instructions wait between the two, so jumps go on while dispatch stands: a
 * turn of five instructions and one cycle has dispatch wait for a line now and then for nothing.
 * After a wrong guess none wait.
 *
 * Beside each other. Accesses, branches and operations of reals have units of their own, but all of
 * them together begin one each `beside` at most. Where that is 0.19 cycles, a turn of two loads, a
 * product, a sum, a store and a branch takes 1.15 cycles, though six are issued in one.
 *
 * Unfused. An addition to memory is an instruction that is issued as several, and so are some that
 * read memory with an index: the block that has them is dispatched so much later.
 *
 * Functions of the C library are code. Of one whose number of instructions is known, all of them
 * are dispatched, and retire in even steps over its latency. Some, `places`, wait with the
 * operations that wait, and leave in such steps, too. All take slots of `beside` the same way, but
 * no more than `every` has. Calls come one each `every` in the long run, and as many start at once
 * as are under way then. By hand,
 * an issue of 6, a sine of 90 instructions, of 70 cycles and every 20, which waits in 40 places of
 * 88: it is dispatched in 15 cycles, and so is the cosine of the same argument behind it. Both
 * start when that comes, and what comes behind them has 8 places until then. Of a function without
 * that number nothing else is dispatched for `every`.
 *
 * Memory. A load finds the youngest store before it that has not left yet and has some of its
 * bytes: stores of a line of 64 bytes are a list from the youngest on. Where that store has all of
 * them the value is there `forward` after load and data are, else `forward-part` after the store
 * has left: who needs bytes of a store and others reads them all from the cache. A store leaves
 * when it has retired and its line is there, in order. A miss goes the way of miss.c when it is
 * ready and fewer than `outstanding` are under way. Lines of stores keep longer what they come in,
 * so `outstanding-stores` of them take all of these places: loads and stores of random lines in
 * turns take as long as both. By hand, lines 100 cycles away, 16 misses, 9 of stores: loads
 * take 6.3 cycles each, stores 11.1, a load and a store 17.4. Who asks for a line on its way waits
 * for it. Stores leave one at a time, those of a line together. One whose line was not there and
 * that is behind one whose line was, leaves `store-behind` of the level that had the line later
 * than that: none behind a store that waits can leave, however early it has asked for its own. By
 * hand, `store-behind` 7, a store each cycle: of four stores one to a line of l2, 11 cycles; all to
 * such lines, 4. A core may write two stores at once where both are in one line: `apart` stores of
 * a line leave in the time of one, and a store to another line leaves no slot of these empty for
 * later ones. By hand, slots of half a cycle, apart 1 cycle: p[i] and q[i] in turns take 1 cycle
 * each, p[2 i] and p[2 i + 1] half of one. Misses keep no order of the program. By hand, a gather
 * x[k[i]]: the line of x[k[0]] is asked for two latencies after that of k[0]. If it kept back the
 * next line of k the gather would take these two latencies for each line of k, however many misses
 * may be under way.
 *
 * A load that misses l1, and a dirty line that leaves it, stop dispatch for `fill` and `spill`, and
 * where there is a `fill` all loads of a line that is on its way are issued again when it comes. So
 * what a loop takes in l1 and what its lines take add up. By hand, three loads a cycle, 16 cycles
 * to l2: a sum of four words a turn, 1.33 cycles by its loads, loads each word twice, 2.67. The
 * next line is asked for beside a line, so a loop of 20 cycles a line loads each word once. On
 * cores where transfers run beside loads both are 0.
 *
 * Pages. An access whose page is not among those that the first level of the TLB holds starts
 * `late` later; where the second level does not hold it either, a walk of the page tables comes on
 * top. Walks are a unit with slots of `every`, so they overlap. By hand, late 7, walk 40, every 10:
 * loads of four pages that neither level holds, which wait for nothing, ask for their lines after
 * 47, 50, 60 and 70 cycles: walks begin at 7 and in the next slots. A level is sets of pages, of
 * which the one that was not used for longest goes; the first page of a set, which most accesses
 * are of, costs one look. Others of a page that is on its way wait for it, too.
 *
 * Rows of a matrix are pages apart by a power of two, or nearly so, and a column would need a few
 * sets alone. So processors number the sets of the second level by more bits of a page than there
 * are sets (`hashed`). By hand, 128 sets, pages 0, 128 and 256: all of set 0 by their last bits, of
 * 0, 1 and 2 by the exclusive or of these with the next ones.
 *
 * A walk reads page tables, which lie in the caches as data do: 8 bytes a page, 8 pages a line. A
 * virtual machine has tables of its own and its host's (`tables` 2). `walk` is what it takes where
 * both are in l2; a line that is not there comes as a miss does, the second table behind the first.
 * By hand, 16000 rows of 32 KiB: 1 MB of lines of a column, and 1 MB of either table: these are
 * not in l2 together, so a walk takes two lines of the last cache more. Who walks waits for them:
 * a walk that takes twice `walk` keeps slots of twice `every`.
 *
 * Time passes when a step retires later than the one before, and the account gives this to what
 * made it late: a unit, operands, issue, a branch, the legs of its miss. So the parts add up.
 */
#include "layers/node/parts.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS    HTMT__NODE_STORES_MOST /* powers of two, these four */
#define LISTS      512u
#define LINES      256u
#define FLIGHT     512u
#define STORE_LINE 64u
#define NO_RECORD  UINT64_MAX
#define WAIT_ROOM  16u
#define PAGE_WAYS  8u  /* at most, of the first level */
#define MORE_WAYS  16u /* of the second */
#define PAGES      64u
#define TABLES     (UINT64_C(1) << 50) /* addresses of page tables, which nothing else has */
#define TABLE      (UINT64_C(1) << 45) /* from one to the next */
#define FETCHED    64                  /* instructions that wait for dispatch at most */

/* A step of the program, in ticks. */
struct step {
    htmt_time latency, onward, code; /* code: nothing is issued meanwhile */
    struct htmt__slots *unit;
    htmt_time more;                /* that it keeps its units for, beyond a slot */
    struct htmt__slots *around[2]; /* units that these are a part of, and those around them */
    htmt_time called,
        ahead; /* of such a call: time of the unit, and that it may start before its turn */
    const uint32_t *source;
    uint32_t sources, kin; /* kin: of the same units; 0: of none */
    uint32_t instructions; /* that it stands for */
    uint32_t held, places; /* of a call: its instructions, those of them that wait; else 0 */
    uint16_t n;
    uint8_t operation;
    bool beside; /* takes one of those slots */
    bool ranged; /* the tape has the range of its argument, */
    bool plain;  /* one operation and no call */
    bool access;
    const struct step
        *ranges; /* of a ranged one: by range, it is one of these; NULL: it does not matter */
};

/* When a result is there: for operations of the same units, and for all others. */
struct result {
    htmt_time near, far;
    uint32_t kin;
};

/* Bytes of a store in one line. */
struct record {
    uint64_t address, before; /* before: the record of the same list */
    uint32_t width;
    htmt_time data, leaves;
};

/* When the steps that hold the places of a queue give them back, in order; size 0: any number. */
struct queue {
    htmt_time *time;         /* of the last mask + 1, a power of two and no less than `size` */
    uint32_t size, mask, at; /* at: steps so far, modulo 2^32 */
};

/* Misses, [sent, end), that may be under way when the next one is sent, each in so many of `most`
 * places. At no time in [from, to) are as many left as `wanted`. */
struct flight {
    uint32_t most, count;
    htmt_time from, to;
    uint32_t wanted;
    struct {
        htmt_time sent, end;
        uint32_t places;
    } miss[FLIGHT];
};

struct arrival {
    uint64_t line;
    htmt_time time, sent;
};

/* Units that operations share. */
struct numbered {
    htmt_time every; /* of the fastest operation */
    uint32_t within; /* the number of the units that they are a part of; 0: of none */
};

struct htmt__window {
    htmt_time cycle, issue, forward, forward_part;
    struct step *step;
    struct result *ready; /* by step: its last result */
    struct result *chosen;
    struct htmt__slots *unit[HTMT_OPERATIONS + 2][HTMT_OPERAND_TYPES];
    struct htmt__slots *shared[HTMT__NODE_UNITS_MOST + 1];
    struct numbered numbered[HTMT__NODE_UNITS_MOST + 1];
    struct htmt__slots
        *wide[2][HTMT__NODE_WIDTHS]; /* loads, stores of vectors; NULL: as of words */
    uint32_t across[2];              /* slots of one of two lines */
    uint32_t together,
        in_line;             /* stores of a line that may leave at once; of the last line, so far */
    uint64_t line;           /* of the last store */
    htmt_time taken, jumped; /* after a jump; when dispatch went on behind the last one */
    uint32_t group, since;   /* instructions that come at once; behind the last jump, so far */
    htmt_time add, add_index, index;       /* more issue of an operation that has these in memory */
    htmt_time called;                      /* the next call of a function starts then or later */
    struct step *call[HTMT_OPERATIONS][2]; /* by range, of floats and doubles */
    uint64_t range[HTMT__TAPE_RANGES_MOST]; /* of the block's calls */
    uint32_t calls;                         /* of them that began */
    struct htmt__slots *beside; /* NULL: accesses and operations of reals begin in any number */
    struct queue reorder, load, store;
    htmt_time *waiting; /* starts, the earliest first, behind WAIT_ROOM that are before all */
    uint32_t end_wait, waits_most;
    htmt_time dispatch, retired, left; /* next dispatch, last retire, last store that left */
    htmt_time held; /* dispatch was put off until then by a wrong guess or code that missed */
    enum htmt__node_part holder;
    htmt_time miss; /* with a shared bus, none is sent before */
    struct flight flight;
    uint32_t of_load, of_store; /* places of a miss in it */
    uint64_t stored;            /* the line of the last store */
    bool found;                 /* it was in the first cache */
    uint64_t records, list[LISTS];
    uint64_t kept; /* the last records: of all stores that may be in flight, of four lines each */
    struct record record[RECORDS];
    struct arrival arrival[LINES];
    htmt_time arriving;  /* the last of them */
    uint32_t at, end;    /* steps of the block that are to come */
    bool quick[2];       /* loads, stores: those of the newest lines of l1 pass nothing else */
    bool started, begun; /* begun: the step at hand has its start, and waits for a permit */
    /* Translations: with pages.ways 0 there are none. */
    struct htmt__node_tags pages, more_pages;
    uint32_t tables;
    htmt_time late, walk, asked; /* asked: the access at hand asks the cache */
    struct arrival
        translated[PAGES]; /* pages whose translations were on their way, and until when */
    htmt_time translating; /* the last one is there */
    struct htmt__slots *walks, *jump; /* jump: branches whose units have no number */
    htmt_time dispatched, start;
    enum htmt__node_part part;
};

static htmt_time later(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

/* Units that take any number at once have no slots; beyond the ring there is room. */
static htmt_time take(struct htmt__slots *u, htmt_time ready, htmt_time dispatch)
{
    if (!u || ready - dispatch >= u->reach)
        return ready;
    return htmt__slots_take(u, ready);
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* When there is room for n more. */
static inline htmt_time place_in(const struct queue *q, uint32_t n)
{
    if (!q->size || !n)
        return 0;
    return q->time[(q->at - q->size + (n < q->size ? n : q->size) - 1) & q->mask];
}

static inline void enter(struct queue *q, uint32_t n, htmt_time until)
{
    for (n = n < q->size ? n : q->size; n > 0; n--)
        q->time[q->at++ & q->mask] = until;
}

/* Fewer than `waits_most` wait at d when the last but `waits_most` - 1 of all starts so far is no
 * later than d: those before it have started then. So the starts are a sorted row whose end alone
 * counts, and one that is earlier than all of that end is not kept. By hand, of two, starts at 5, 9
 * and 7: the end is 7, 9, and who is dispatched next is no sooner than 7. Most starts are later
 * than all others, or than all but a few: four places move at a time. */
static inline void keep_waiting(struct htmt__window *w, htmt_time start)
{
    htmt_time *row = w->waiting + WAIT_ROOM;
    const uint32_t most = w->waits_most;
    if (start <= row[w->end_wait - most])
        return;
    if (w->end_wait == WAIT_ROOM * most) {
        memmove(row, row + w->end_wait - most, most * sizeof *row);
        w->end_wait = most;
    }
    htmt_time *at = row + w->end_wait++;
    for (; at[-4] > start; at -= 4)
        memcpy(at - 3, (const htmt_time[]){at[-4], at[-3], at[-2], at[-1]}, 4 * sizeof *at);
    for (; at[-1] > start; at--)
        *at = at[-1];
    *at = start;
}

/* When the step that could be dispatched at d can be, with fewer than `waits_most` waiting. */
static inline htmt_time wait_less(const struct htmt__window *w, htmt_time d)
{
    return later(d, w->waiting[WAIT_ROOM + w->end_wait - w->waits_most]);
}

/* An operation that takes longer than a slot of its units leaves that much of them empty: mostly
 * nothing, or a thousandth. */
static inline void keep_busy(const struct step *s, htmt_time start, htmt_time dispatch)
{
    for (s->unit->owed += s->more; s->unit->owed >= s->unit->every;
         s->unit->owed -= s->unit->every) {
        take(s->unit, start, dispatch);
        for (int k = 0; k < 2 && s->around[k]; k++)
            take(s->around[k], start, dispatch);
    }
}

/* Instructions of a call that has its start: what comes behind them is dispatched once the last one
 * has a place. */
static void wait_in_places(struct htmt__window *w, const struct step *s)
{
    htmt_time d = w->dispatch;
    for (uint32_t i = 1; i <= s->places; i++) {
        const htmt_time left = w->start + s->latency * i / s->places;
        if (left <= d)
            continue;
        d = wait_less(w, d);
        keep_waiting(w, left);
    }
    w->dispatch = later(w->dispatch, d);
}

/* The start of a call whose instructions begin beside others: each takes a slot, in even steps over
 * the latency, but no more than `every` has. Where some of them come late it starts as much later.
 */
static htmt_time spread(struct htmt__window *w, const struct step *s, htmt_time dispatch)
{
    const int64_t most = s->called / w->beside->every,
                  slots = most < (int64_t)s->held ? most : (int64_t)s->held;
    htmt_time late = 0;
    for (int64_t i = 0; i < slots; i++) {
        const htmt_time own = w->start + s->latency * i / slots;
        late = later(late, take(w->beside, own, dispatch) - own);
    }
    return w->start + late;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* A step that has its start: when it was dispatched and was ready, and the dispatch before it. */
struct begun {
    htmt_time dispatched, ready, before;
};

static inline htmt_time results(const struct htmt__window *w, const struct step *s, htmt_time ready)
{
    const uint32_t kin = s->kin, *source = s->source, *end = source + s->sources;
    for (; source < end; source++) {
        const struct result *r = &w->ready[*source];
        ready = later(ready, r->kin == kin ? r->near : r->far);
    }
    return ready;
}

/* Dispatch and start of the step. Loads that wait for their address are in their own queue alone;
 * a store waits for its data among the operations. `wide`: of a vector's width, beside those of
 * all accesses. Of plain steps, which most are, the compiler leaves out all that calls have. */
static inline __attribute__((always_inline)) struct begun
begin(struct htmt__window *w, const struct step *s, struct queue *own, struct htmt__slots *wide,
      bool waits, bool plain)
{
    const uint32_t instructions = s->instructions, held = plain ? 0 : s->held;
    const htmt_time before = w->dispatch, place = place_in(&w->reorder, instructions),
                    whole = held ? place_in(&w->reorder, instructions + held) : 0;
    htmt_time d = later(before, later(place, own ? place_in(own, 1) : 0));
    const bool counted = waits && w->waits_most;
    if (counted)
        d = wait_less(w, d);
    const htmt_time ready = results(w, s, d);
    htmt_time start = s->beside ? take(w->beside, ready, d) : ready;
    if (!plain && s->called) {
        start = later(start, w->called - s->ahead);
        w->called = later(start, w->called) + s->called;
    }
    if (s->around[0]) {
        start = s->around[1] ? take(s->around[1], start, d) : start;
        start = take(s->around[0], start, d);
    }
    start = wide ? take(wide, start, d) : start;
    start = take(s->unit, start, d);
    if (s->more)
        keep_busy(s, start, d);
    w->start = start;
    if (!plain && s->called && w->beside)
        w->start = start = spread(w, s, d);
    if (held)
        w->start = start = later(start, whole - s->latency);
    w->dispatched = d;
    w->since += instructions;
    w->dispatch = d + later(w->issue * instructions, s->code); /* code has its instructions */
    if (held)
        w->dispatch = later(w->dispatch, whole);
    if (counted && !held && start > w->dispatch)
        keep_waiting(w, start);
    if (!plain && counted && s->places)
        wait_in_places(w, s);
    return (struct begun){d, ready, before};
}

/* What its start waited for; `work`: its own units. */
static inline enum htmt__node_part part_of(const struct htmt__window *w, const struct begun *b,
                                           enum htmt__node_part work)
{
    return w->start > b->ready          ? work
           : b->ready > b->dispatched   ? HTMT__NODE_CHAIN
           : b->dispatched == w->held   ? w->holder
           : b->dispatched == b->before ? HTMT__NODE_ISSUE
                                        : work;
}

/* It is done and retires; returns by how much that is later than the step before. */
static inline htmt_time retire(struct htmt__window *w, const struct step *s, htmt_time done,
                               bool plain)
{
    const htmt_time more = done > w->retired ? done - w->retired : 0;
    const htmt_time before = w->retired;
    const uint32_t held = plain ? 0 : s->held;
    w->retired += more;
    enter(&w->reorder, s->instructions, held ? before : w->retired);
    for (uint32_t i = 1; i <= held; i++)
        enter(&w->reorder, 1, later(before, done - s->latency * (s->held - i) / s->held));
    return more;
}

/* What the compiler made no operation of is passed; a value that is kept in memory is stored and
 * loaded again. */
static struct result pass(const struct htmt__window *w, const struct step *s)
{
    struct result last = {.near = 0};
    for (uint32_t i = 0; i < s->sources; i++)
        last = w->ready[s->source[i]].far >= last.far ? w->ready[s->source[i]] : last;
    if (s->operation == HTMT__TAPE_KEPT)
        last = (struct result){.near = last.far + w->forward, .far = last.far + w->forward};
    return last;
}

/* The block's next call, as long as its argument lets it take. */
static struct step in_range(struct htmt__window *w, const struct step *s)
{
    const uint32_t word = w->calls / HTMT__TAPE_CALLS, at = 4 * (w->calls % HTMT__TAPE_CALLS);
    const unsigned range = word < HTMT__TAPE_RANGES_MOST ? (unsigned)(w->range[word] >> at & 15)
                                                         : HTMT__LIBRARY_UNKNOWN;
    struct step call = *s;
    w->calls++;
    if (range != HTMT__LIBRARY_UNKNOWN && s->ranges && s->ranges[range].latency)
        call = s->ranges[range];
    call.source = s->source;
    call.sources = s->sources;
    call.instructions = s->instructions;
    return call;
}

static inline void account(struct htmt__node *n, const struct htmt__window *w,
                           const struct begun *b, htmt_time more)
{
    if (!more)
        return;
    const enum htmt__node_part part = part_of(w, b, HTMT__NODE_UNITS);
    const htmt_time issue = part == HTMT__NODE_ISSUE && more > w->issue ? w->issue : more;
    n->part[part] += issue;
    n->part[HTMT__NODE_UNITS] += more - issue;
}

/* Operations of lanes do not wait for each other; each takes its place. */
static __attribute__((noinline)) void operate(struct htmt__node *n, struct htmt__window *w,
                                              uint32_t number)
{
    struct step call;
    const struct step *s = &w->step[number];
    if (s->ranged) {
        call = in_range(w, s);
        s = &call;
    }
    struct result result = s->n ? (struct result){.kin = s->kin} : pass(w, s);
    for (unsigned lane = 0; lane < s->n; lane++) {
        struct step one;
        const struct step *of = s;
        if (s->n > 1) {
            one = *s;
            one.instructions = s->instructions * (lane + 1) / s->n - s->instructions * lane / s->n;
            of = &one;
        }
        const struct begun b = begin(w, of, NULL, NULL, true, false);
        const htmt_time done = w->start + s->latency;
        account(n, w, &b, retire(w, of, done, false));
        result.near = later(result.near, done);
        result.far = later(result.far, w->start + s->onward);
    }
    w->ready[number] = result;
}

static inline void operate_plain(struct htmt__node *n, struct htmt__window *w, const struct step *s,
                                 struct result *result)
{
    const struct begun b = begin(w, s, NULL, NULL, true, true);
    const htmt_time done = w->start + s->latency;
    account(n, w, &b, retire(w, s, done, true));
    *result = (struct result){.near = done, .far = w->start + s->onward, .kin = s->kin};
}

/* Choices of a block happen at once: all are read before the first is written. */
static void choose(struct htmt__window *w, uint32_t before)
{
    uint32_t last = w->at;
    for (; last < w->end && w->step[last].operation == HTMT__STEP_CHOICE; last++) {
        const struct step *s = &w->step[last];
        struct result *to = &w->chosen[last - w->at];
        *to = (struct result){.near = 0};
        for (uint32_t i = 0; i < s->sources; i += 2)
            if (s->source[i] == before && s->source[i + 1] != HTMT__TAPE_NO_STEP)
                *to = w->ready[s->source[i + 1]];
    }
    memcpy(w->ready + w->at, w->chosen, (last - w->at) * sizeof *w->ready);
    w->at = last;
}

/* Up to the block's next access. */
static inline __attribute__((always_inline)) void run(struct htmt__node *n, struct htmt__window *w)
{
    uint32_t at = w->at;
    const uint32_t end = w->end;
    const struct step *s = w->step + at;
    for (; at < end && !s->access; at++, s++)
        if (s->plain)
            operate_plain(n, w, s, &w->ready[at]);
        else
            operate(n, w, at);
    w->at = at;
}

static void hold(struct htmt__window *w, htmt_time until, enum htmt__node_part holder)
{
    if (until <= w->dispatch)
        return;
    w->dispatch = w->held = until;
    w->holder = holder;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The youngest store that has not left at `when` and has bytes of the line's part [address,
 * address + width); NULL: none. */
static const struct record *store_of(const struct htmt__window *w, uint64_t address, uint32_t width,
                                     htmt_time when)
{
    uint64_t i = w->list[address / STORE_LINE % LISTS];
    while (i != NO_RECORD && w->records - i <= w->kept) {
        const struct record *r = &w->record[i & (w->kept - 1)];
        if (r->leaves <= when)
            return NULL;
        if (address < r->address + r->width && r->address < address + width)
            return r;
        i = r->before;
    }
    return NULL;
}

/* The bytes of an access in its first line. */
static uint32_t part_in_line(uint64_t address, uint32_t width)
{
    const uint32_t room = STORE_LINE - (uint32_t)(address % STORE_LINE);
    return width < room ? width : room;
}

/* When the value of a load is there that starts at `start` and comes from the cache at `done`. All
 * of it from stores: the cache does not matter. */
static htmt_time forwarded(const struct htmt__window *w, uint64_t address, uint32_t width,
                           htmt_time start, htmt_time done)
{
    htmt_time from_stores = 0;
    bool all = true, any = false;
    if (w->left <= start)
        return done;
    for (uint32_t part; width; address += part, width -= part) {
        part = part_in_line(address, width);
        const struct record *r = store_of(w, address, part, start);
        const bool whole = r && r->address <= address && address + part <= r->address + r->width;
        if (r)
            from_stores = later(from_stores, whole ? later(start, r->data) + w->forward
                                                   : later(start, r->leaves) + w->forward_part);
        any = any || r;
        all = all && whole;
    }
    return all ? from_stores : any ? later(done, from_stores) : done;
}

static void keep_store(struct htmt__window *w, uint64_t address, uint32_t width, htmt_time data)
{
    for (uint32_t part; width; address += part, width -= part) {
        part = part_in_line(address, width);
        uint64_t *list = &w->list[address / STORE_LINE % LISTS];
        w->record[w->records & (w->kept - 1)] = (struct record){
            .address = address, .before = *list, .width = part, .data = data, .leaves = w->left};
        *list = w->records++;
    }
}

/* Slots that the last line's stores leave empty. */
static uint32_t empty_slots(struct htmt__window *w, uint64_t line)
{
    const bool same = line == w->line;
    const uint32_t over = w->in_line % w->together;
    w->line = line;
    w->in_line = same ? w->in_line + 1 : 1;
    return same || !over ? 0 : w->together - over;
}

/* Where a vector is accessed more slowly than a word, its width has slots of its own beside those
 * of all accesses. By hand, three loads a cycle, two of which may have 64 bytes: two of these and a
 * word begin in one cycle, three of them in one and a half. An access of two lines takes
 * as many slots as fill its time. */
static inline __attribute__((always_inline)) void begin_access(struct htmt__window *w,
                                                               const struct step *s,
                                                               uint64_t address, uint32_t width,
                                                               bool write)
{
    struct htmt__slots *wide = NULL;
    if (width > 8) {
        int k = 0;
        while (k + 1 < HTMT__NODE_WIDTHS && width > 16u << k)
            k++;
        wide = w->wide[write][k];
    }
    const struct begun b = begin(w, s, write ? &w->store : &w->load, wide, write, true);
    w->part = part_of(w, &b, HTMT__NODE_L1);
    uint32_t slots = address % STORE_LINE + width > STORE_LINE ? w->across[write] : 1;
    if (write && w->together > 1)
        slots += empty_slots(w, address / STORE_LINE);
    for (uint32_t more = 1; more < slots; more++)
        w->start = take(s->unit, w->start, w->dispatched);
}

/* When a miss that is ready at `when` is sent: the first time at which those that were sent before
 * leave so many places. What is sent after that time does not keep it back, although
 * the tape may have come to it earlier. None is ready before `now`. */
static htmt_time send_at(struct flight *f, htmt_time now, htmt_time when, uint32_t places)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->miss[i].end > now)
            f->miss[left++] = f->miss[i];
    f->count = left;
    const bool inside = when >= f->from && when < f->to && places >= f->wanted;
    const htmt_time ready = inside ? f->from : when;
    when = inside ? f->to : when;
    for (;;) {
        uint32_t under_way = 0;
        htmt_time first = INT64_MAX;
        for (uint32_t i = 0; i < f->count; i++)
            if (f->miss[i].sent <= when && f->miss[i].end > when) {
                under_way += f->miss[i].places;
                first = f->miss[i].end < first ? f->miss[i].end : first;
            }
        if (under_way + places <= f->most)
            break;
        when = first;
    }
    if (when > ready) {
        f->from = ready;
        f->to = when;
        f->wanted = places;
    }
    return when;
}

/* Where there is no room, the next ones find one less. */
static void sent(struct flight *f, htmt_time when, htmt_time end, uint32_t places)
{
    if (f->count == FLIGHT)
        return;
    f->miss[f->count].places = places;
    f->miss[f->count].sent = when;
    f->miss[f->count++].end = end;
}

static htmt_time walk(struct htmt__node *n, struct htmt__window *w, uint64_t page, htmt_time when)
{
    const htmt_time start = take(w->walks, when, w->dispatched), known = start + w->walk;
    when = known;
    for (uint32_t i = 0; i < w->tables; i++)
        when = htmt__node_read_table(n, TABLES + i * TABLE + page * sizeof(uint64_t), when);
    if (!w->walks || !w->walk)
        return when;
    w->walks->owed += (htmt_time)((htmt_wide)(when - known) * w->walks->every / w->walk);
    for (; w->walks->owed >= w->walks->every; w->walks->owed -= w->walks->every)
        take(w->walks, start, w->dispatched);
    return when;
}

static __attribute__((noinline)) htmt_time miss_page(struct htmt__node *n, struct htmt__window *w,
                                                     uint64_t page, htmt_time when)
{
    uint64_t old;
    if (htmt__tags_use(&w->pages, page, 0, &old))
        return when;
    when += w->late;
    if (w->more_pages.ways && !htmt__tags_use(&w->more_pages, page, 0, &old))
        when = walk(n, w, page, when);
    w->translated[page % PAGES] = (struct arrival){.line = page, .time = when};
    w->translating = later(w->translating, when);
    return when;
}

/* When an access that could ask the cache at `when` knows its page. */
static inline htmt_time translate(struct htmt__node *n, struct htmt__window *w, uint64_t address,
                                  htmt_time when)
{
    const uint64_t page = address >> w->pages.shift;
    if (!w->pages.ways)
        return when;
    if (!htmt__tags_first(&w->pages, page))
        return miss_page(n, w, page, when);
    if (when >= w->translating)
        return when;
    const struct arrival *coming = &w->translated[page % PAGES];
    return coming->line == page ? later(when, coming->time) : when;
}

/* When the line is there that an access finds at `when`. */
static inline htmt_time arrived(const struct htmt__window *w, uint64_t line, htmt_time when)
{
    const struct arrival *coming = &w->arrival[line % LINES];
    return when < w->arriving && coming->line == line ? later(when, coming->time) : when;
}

/* When the line of an access is there that asks for it at `when`. -1: no permit. */
static __attribute__((noinline)) htmt_time reach(struct htmt__node *n, struct htmt__window *w,
                                                 uint64_t entry, bool write, htmt_time when)
{
    const uint64_t address = htmt__tape_address(entry), line = address >> n->data.shift;
    const uint32_t width = htmt__tape_width(entry);
    const bool slow = write ? n->slow_store : n->slow_load;
    const bool sram = address - n->figures->sram.at < n->figures->sram.bytes;
    if (!slow && !sram && n->figures->l1.kind == HTMT__NODE_CACHE) {
        bool hit = htmt__node_quick(n, entry, write);
        if (!hit && (address & n->data.line_mask) + width <= n->data.line_mask + 1 &&
            htmt__tags_had(&n->data, line)) {
            *htmt__tags_find(&n->data, line) |= write ? n->store_bit : 0;
            hit = true;
        }
        if (hit)
            return arrived(w, line, when) + n->l1_hit;
    }
    const uint32_t places = write ? w->of_store : w->of_load;
    const htmt_time at = later(send_at(&w->flight, w->dispatched, when, places), w->miss);
    n->t = at;
    if (!htmt__node_access(n, entry, write))
        return -1;
    if (n->extra) {
        w->miss = n->figures->shared ? at : w->miss;
        sent(&w->flight, at, at + n->extra, places);
        w->arrival[line % LINES] = (struct arrival){line, at + n->extra, at};
        w->arriving = later(w->arriving, at + n->extra);
    }
    return at + (sram ? n->sram_hit : n->l1_hit) + n->extra;
}

/* `more` of a load goes to the legs of its miss, the last ones first, then to the first cache. */
static void account_load(struct htmt__node *n, enum htmt__node_part part, htmt_time more)
{
    static const enum htmt__node_part of[HTMT__MISS_LEGS] = {[HTMT__MISS_REQUEST] = HTMT__NODE_BUS,
                                                             [HTMT__MISS_L2] = HTMT__NODE_L2,
                                                             [HTMT__MISS_REFRESH] =
                                                                 HTMT__NODE_REFRESH,
                                                             [HTMT__MISS_PAGES] = HTMT__NODE_PAGES,
                                                             [HTMT__MISS_DATA] = HTMT__NODE_BUS};
    for (int i = HTMT__MISS_LEGS; i-- > 0;) {
        const htmt_time leg = n->stall[i] < more ? n->stall[i] : more;
        n->part[of[i]] += leg;
        more -= leg;
    }
    n->part[part] += more;
}

/* A load whose line is on its way takes its units again when that comes. The first cache asks for
 * the next line by itself when it asks for one, so slow loops find theirs in time. */
static void begin_again(const struct htmt__node *n, struct htmt__window *w, const struct step *s,
                        uint64_t line)
{
    const struct arrival *coming = &w->arrival[line % LINES],
                         *before = &w->arrival[(line - 1) % LINES];
    htmt_time there = coming->time;
    if (coming->line != line)
        return;
    if (line && before->line == line - 1) {
        const htmt_time takes = coming->time - coming->sent + n->l1_hit;
        there = before->sent + takes < there ? before->sent + takes : there;
    }
    if (there > w->asked)
        take(s->unit, w->beside ? take(w->beside, there, w->dispatched) : there, w->dispatched);
}

/* When the store at hand leaves, whose line is there at `there`. Stores of one line are one. */
static htmt_time leave_at(const struct htmt__node *n, struct htmt__window *w, uint64_t line,
                          htmt_time there)
{
    const bool next = line != w->stored, missed = n->extra > 0;
    const htmt_time turn = (htmt_time)(next ? w->together : 1) * n->store;
    const htmt_time behind = next && missed && w->found ? n->behind : 0;
    w->found = next ? !missed : w->found;
    w->stored = line;
    return later(w->left + turn + behind, later(w->retired, there));
}

/* The same where more than a look at the newest lines is needed. A line that comes, and a dirty one
 * that goes, stop dispatch. -1: no permit. */
static htmt_time reach_beyond(struct htmt__node *n, struct htmt__window *w, uint64_t entry,
                              bool write)
{
    const uint64_t spilled = n->spilled;
    const htmt_time there = reach(n, w, entry, write, w->asked);
    if (there < 0)
        return there;
    const htmt_time comes = n->extra && !write ? n->fill : 0,
                    leaves = (htmt_time)(n->spilled - spilled) * n->spill;
    hold(w, w->dispatch + comes + leaves, HTMT__NODE_L1);
    for (htmt_time t = 0; w->beside && t < leaves; t += w->beside->every)
        take(w->beside, w->start, w->dispatched);
    return there;
}

/* false: it waits for a permit, and comes again. */
static inline __attribute__((always_inline)) bool
pass_access(struct htmt__node *n, struct htmt__window *w, uint64_t entry, bool write)
{
    const struct step *s = &w->step[w->at];
    const uint64_t address = htmt__tape_address(entry), line = address >> n->data.shift;
    const uint32_t width = htmt__tape_width(entry) ? htmt__tape_width(entry) : 1;
    struct queue *own = write ? &w->store : &w->load;
    if (!w->begun) {
        begin_access(w, s, address, width, write);
        /* A store asks for its line long before it has its data. */
        w->asked = translate(n, w, address, write ? w->dispatched : w->start);
    }
    n->extra = 0;
    w->begun = true;
    const bool quick = w->quick[write] && htmt__node_quick(n, entry, write);
    const htmt_time there =
        quick ? arrived(w, line, w->asked) + n->l1_hit : reach_beyond(n, w, entry, write);
    if (!quick && there < 0)
        return false;
    if (!write && n->fill && w->asked < w->arriving)
        begin_again(n, w, s, line);
    w->begun = false;
    if (write) {
        n->part[w->part] += retire(w, s, w->start, true);
        const bool late = n->extra || w->asked > w->dispatched;
        w->left = leave_at(n, w, address >> n->data.shift, late ? there : 0);
        enter(own, 1, w->left);
        keep_store(w, address, width, w->start);
    } else {
        const htmt_time done = forwarded(w, address, width, w->asked, there),
                        more = retire(w, s, done, true);
        enter(own, 1, w->retired);
        w->ready[w->at] = (struct result){.near = done, .far = done};
        if (more)
            account_load(n, w->part == HTMT__NODE_ISSUE ? HTMT__NODE_L1 : w->part, more);
    }
    if (n->extra)
        memset(n->stall, 0, sizeof n->stall);
    w->at++;
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* A branch that was not guessed is known once its condition is. Functions by length have none that
 * their time does not hold. */
static void judge(const struct htmt__node *n, struct htmt__window *w, uint32_t before, bool right)
{
    const struct htmt__tape_block *b = &n->program->blocks[before];
    const bool missed = n->figures->predictor == HTMT__NODE_NO_PREDICTOR || !right;
    if (b->end != HTMT__END_CONDITION || !missed || !b->steps || !n->branch ||
        n->program->steps[b->step + b->steps - 1].operation != HTMT__STEP_BRANCH)
        return;
    const htmt_time known = w->ready[b->step + b->steps - 1].far;
    hold(w, later(known, w->dispatch) + n->branch, HTMT__NODE_BRANCHES);
    w->jumped = w->dispatch;
}

/* Of issue, of a block whose instructions are known: a fused comparison needs none beside its
 * branch. */
static uint32_t issued_by(const struct htmt__tape_block *b)
{
    return b->compiled > b->fused ? b->compiled - b->fused : b->compiled;
}

/* 16 bytes of a function by length: the jump to the next ones is a part of its time. */
static bool is_of_length(const struct htmt__node *n, uint32_t block)
{
    const struct htmt__tape_block *b = &n->program->blocks[block];
    const struct htmt__tape_step *first = &n->program->steps[b->step];
    return b->steps && first->type == HTMT__STEP_COPIED &&
           (first->operation == HTMT__STEP_LOAD || first->operation == HTMT__STEP_STORE);
}

/* The way from one block to the next: a branch that was not guessed, or a jump, which follows the
 * one before it no sooner than `taken`. */
static void leave_block(const struct htmt__node *n, struct htmt__window *w, uint32_t from,
                        bool right)
{
    judge(n, w, from, right);
    if (!w->taken || !n->jumps || is_of_length(n, from))
        return;
    const htmt_time groups = w->group && w->since ? (w->since + w->group - 1) / w->group : 1;
    w->jumped = later(w->dispatch - FETCHED * w->issue, w->jumped + groups * w->taken);
    w->dispatch = later(w->dispatch, w->jumped);
    w->since = 0;
}

static bool enter_block(struct htmt__node *n, struct htmt__window *w, uint64_t entry, int *rc)
{
    const uint64_t number = htmt__tape_address(entry);
    if (!n->entered) {
        uint32_t before;
        bool right;
        *rc = htmt__node_turn(n, number, &before, &right);
        if (*rc)
            return false;
        const struct htmt__tape_block *b = &n->program->blocks[number];
        if (before != HTMT__NODE_NOWHERE)
            leave_block(n, w, before, right);
        n->last = n->now_in = (uint32_t)number;
        w->at = b->step;
        if (!b->steps) {
            w->dispatch += w->issue * issued_by(b);
            w->since += issued_by(b);
        }
        w->dispatch += b->adds * w->add + b->adds_index * w->add_index + b->index * w->index;
        w->end = b->step + b->steps;
        w->calls = 0;
        choose(w, before);
        n->sum.blocks++;
        n->sum.instructions += b->instructions;
    }
    const htmt_time asks = n->t = later(w->dispatch, w->miss);
    n->entered = !htmt__node_fetch_block(n);
    if (n->t > asks) {
        hold(w, n->t, HTMT__NODE_L1);
        w->jumped = w->dispatch;
        w->miss = n->t;
        memset(n->stall, 0, sizeof n->stall);
    }
    if (n->entered)
        return false;
    run(n, w);
    *rc = w->retired < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
    return *rc == 0;
}

/* The access at hand, and what follows it in its block. */
static bool pass_step(struct htmt__node *n, struct htmt__window *w, uint64_t entry, bool write,
                      int *rc)
{
    const unsigned expected = write ? HTMT__STEP_STORE : HTMT__STEP_LOAD;
    if (w->at == w->end || w->step[w->at].operation != expected) {
        *rc = HTMT_EFORMAT;
        return false;
    }
    if (!(write ? pass_access(n, w, entry, true) : pass_access(n, w, entry, false)))
        return false;
    n->sum.loads += !write;
    n->sum.stores += write;
    run(n, w);
    return true;
}

size_t htmt__window_play(struct htmt__node *n, const uint64_t *entries, size_t count, int *rc)
{
    struct htmt__window *w = n->window;
    size_t i = 0;
    for (bool on = true; i < count; i++) {
        const enum htmt__tape_kind kind = htmt__tape_kind(entries[i]);
        const bool write = kind == HTMT__TAPE_STORE;
        if (kind == HTMT__TAPE_BLOCK) {
            w->started = true;
            on = enter_block(n, w, entries[i], rc);
        } else if (kind == HTMT__TAPE_OBJECT) {
            continue;
        } else if (kind == HTMT__TAPE_RANGES) {
            memmove(w->range + 1, w->range, sizeof w->range - sizeof *w->range);
            w->range[0] = htmt__tape_address(entries[i]);
        } else if ((kind != HTMT__TAPE_LOAD && !write) || !w->started) {
            htmt__window_leave(n); /* annotations do not say which result goes where */
            break;
        } else {
            on = pass_step(n, w, entries[i], write, rc);
        }
        if (!on)
            break;
    }
    n->sum.entries += i;
    return i;
}

/* ---- life ------------------------------------------------------------------------------------ */

void htmt__window_leave(struct htmt__node *n)
{
    struct htmt__window *w = n->window;
    if (!n->windowed)
        return;
    n->windowed = false;
    if (!w->started)
        return;
    n->start = n->t = w->retired;
    n->now_in = HTMT__NODE_NOWHERE;
    n->group_accesses = n->sum.loads + n->sum.stores;
}

static void empty(struct htmt__slots *u)
{
    if (u)
        htmt__slots_empty(u);
}

static void forget_pages(struct htmt__node_tags *level)
{
    if (level->ways)
        htmt__tags_clear(level);
}

void htmt__window_exchange(struct htmt__node *n, struct htmt__node *from)
{
    if (!n->window || !from->window)
        return;
    struct htmt__node_tags *const own[] = {&n->window->pages, &n->window->more_pages};
    struct htmt__node_tags *const others[] = {&from->window->pages, &from->window->more_pages};
    for (int i = 0; i < 2; i++) {
        const struct htmt__node_tags kept = *own[i];
        *own[i] = *others[i];
        *others[i] = kept;
    }
}

void htmt__window_start(struct htmt__node *n, bool warm)
{
    struct htmt__window *w = n->window;
    const htmt_time at = n->start;
    struct queue *const queues[] = {&w->reorder, &w->load, &w->store};
    n->windowed = true;
    w->dispatch = w->retired = w->left = w->miss = at;
    w->held = -1;
    w->flight = (struct flight){.from = at, .to = at};
    const uint32_t most = n->figures->outstanding ? n->figures->outstanding : 1,
                   given = n->figures->outstanding_stores;
    w->of_load = given && given < most ? given : 1;
    w->of_store = given && given < most ? most : 1;
    w->flight.most = most * w->of_load;
    memset(w->waiting, 0, (WAIT_ROOM + w->waits_most) * sizeof *w->waiting);
    w->end_wait = w->waits_most;
    w->at = w->end = 0;
    w->started = w->begun = false;
    w->line = w->stored = UINT64_MAX;
    w->found = false;
    w->in_line = 0;
    w->jumped = at;
    w->since = 0;
    w->called = at;
    memset(w->range, 0xff, sizeof w->range);
    w->records = 0;
    w->arriving = 0;
    memset(w->list, 0xff, sizeof w->list);
    memset(w->arrival, 0xff, sizeof w->arrival);
    memset(w->ready, 0, (n->program->step_count + (size_t)1) * sizeof *w->ready);
    for (int i = 0; i < 3; i++) {
        queues[i]->at = 0;
        for (uint32_t k = 0; queues[i]->size && k <= queues[i]->mask; k++)
            queues[i]->time[k] = 0;
    }
    for (int o = 0; o < HTMT_OPERATIONS + 2; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            empty(w->unit[o][t]);
    for (int i = 0; i <= HTMT__NODE_UNITS_MOST; i++)
        empty(w->shared[i]);
    for (int k = 0; k < 2 * HTMT__NODE_WIDTHS; k++)
        empty(w->wide[k % 2][k / 2]);
    empty(w->walks);
    empty(w->jump);
    empty(w->beside);
    memset(w->translated, 0xff, sizeof w->translated);
    w->translating = 0;
    if (!warm) {
        forget_pages(&w->pages);
        forget_pages(&w->more_pages);
    }
}

static int open_queue(struct queue *q, uint32_t size)
{
    q->size = size;
    for (q->mask = 0; q->mask + 1 < size;)
        q->mask = 2 * q->mask + 1;
    q->time = size ? calloc(q->mask + (size_t)1, sizeof *q->time) : NULL;
    return !size || q->time ? 0 : HTMT_ENOMEM;
}

static int open_unit(struct htmt__slots **unit, htmt_time every, htmt_time cycle)
{
    if (!*unit && !(*unit = calloc(1, sizeof **unit)))
        return HTMT_ENOMEM;
    const htmt_time own = (*unit)->every;
    if (!own || every < own)
        htmt__slots_set(*unit, every, cycle);
    return 0;
}

/* Of all operations, whichever the program has: those of units of one number, the fastest of them,
 * and the units that theirs are a part of. */
static void number_units(const struct htmt__node *n, struct htmt__window *w)
{
    const struct htmt__node_jump *jump = &n->figures->jump;
    if (jump->units)
        w->numbered[jump->units].every = htmt__ticks(jump->every, 1, n->scale);
    for (unsigned o = 0; o < HTMT_OPERATIONS; o++)
        for (unsigned t = 0; t < HTMT_OPERAND_TYPES; t++) {
            const struct htmt__node_unit *f = &n->figures->unit[o][t];
            struct numbered *of = &w->numbered[f->units];
            const htmt_time every = f->units ? htmt__node_units(n, o, t, 1) : 0;
            of->every = every && (!of->every || every < of->every) ? every : of->every;
            of->within = f->units && !of->within ? f->within : of->within;
        }
}

/* Accesses but those of functions by length, branches, operations of reals and vectors. */
static bool begins_beside(const struct htmt__tape_step *s, unsigned type)
{
    if (s->operation >= HTMT_OPERATIONS)
        return s->operation == HTMT__STEP_BRANCH ||
               (s->operation != HTMT__STEP_CHOICE && type != HTMT__STEP_COPIED);
    const enum htmt_type_of_operand t = (enum htmt_type_of_operand)type;
    return htmt_operand_lanes(t) > 1 || htmt_operand_lane(t) == HTMT_F32 ||
           htmt_operand_lane(t) == HTMT_F64;
}

/* A function whose number of instructions is known. */
static void set_call(const struct htmt__window *w, struct step *to, htmt_time every,
                     uint32_t instructions, uint32_t places)
{
    to->called = every;
    to->ahead = to->latency > every ? to->latency - every : 0;
    to->code = w->issue * instructions;
    to->held = instructions;
    to->places = places;
}

/* The same call in each range that the machine tells apart. */
static int open_ranges(struct htmt__node *n, struct step *to, unsigned operation, unsigned type)
{
    struct htmt__window *w = n->window;
    const struct htmt__node_call *call = n->figures->call[operation][type == HTMT_F64];
    struct step **all = &w->call[operation][type == HTMT_F64];
    bool any = false;
    for (int i = 0; i < HTMT__LIBRARY_RANGES; i++)
        any |= call[i].latency.den && call[i].instructions;
    if (any && !*all && !(*all = calloc(HTMT__LIBRARY_RANGES, sizeof **all)))
        return HTMT_ENOMEM;
    for (int i = 0; i < HTMT__LIBRARY_RANGES && any; i++)
        if (call[i].latency.den && call[i].instructions) {
            (*all)[i] = *to;
            (*all)[i].latency = (*all)[i].onward = htmt__ticks(call[i].latency, 1, n->scale);
            set_call(w, &(*all)[i], htmt__ticks(call[i].every, 1, n->scale), call[i].instructions,
                     call[i].places);
        }
    to->ranges = *all;
    return 0;
}

/* The units of a step's kind exist from the first such step on. Shared ones have slots as short as
 * the fastest operation that shares them takes; a slower one keeps them for longer. */
static int open_step(struct htmt__node *n, struct step *to, const struct htmt__tape_step *from)
{
    struct htmt__window *w = n->window;
    const bool operates = from->operation < HTMT_OPERATIONS;
    const unsigned t = operates ? htmt__node_step_type(n, from) : from->type,
                   o = operates ? htmt__node_row(n, from->operation, t) : from->operation;
    const struct htmt__node_unit *f = operates ? &n->figures->unit[o][t] : NULL;
    htmt_time every = 0;
    int rc = 0;
    *to = (struct step){.source = n->program->sources + from->source,
                        .sources = from->sources,
                        .n = from->n,
                        .operation = (uint8_t)o};
    if (t != from->type)
        to->n = (uint16_t)(from->n * htmt_operand_lanes((enum htmt_type_of_operand)from->type));
    if (o == HTMT__STEP_LOAD || o == HTMT__STEP_STORE) {
        every = t == HTMT__STEP_COPIED ? 0 : o == HTMT__STEP_LOAD ? n->load : n->store;
    } else if (operates) {
        to->latency = n->latency[o][t];
        to->kin = f->units ? f->units : HTMT__NODE_UNITS_MOST + 1 + o * HTMT_OPERAND_TYPES + t;
        to->onward = f->onward.den ? htmt__ticks(f->onward, 1, n->scale) : to->latency;
        every = htmt__node_units(n, o, t, 1);
        to->code = htmt__node_is_code(n, o) ? every : 0;
        if (w->issue && f->instructions && htmt__operation_is_function((enum htmt_operation)o))
            set_call(w, to, every, f->instructions, f->places);
        to->ranged = from->n == 1 && htmt__library_has_range((enum htmt_operation)from->operation,
                                                             (enum htmt_type_of_operand)from->type);
        if (to->ranged)
            rc = open_ranges(n, to, o, t);
    }
    to->beside = w->beside && !to->code && begins_beside(from, t);
    if (!every || to->code || rc)
        return rc;
    struct htmt__slots **shared = f && f->units ? &w->shared[f->units] : &w->unit[o][t];
    rc = open_unit(shared, every, w->cycle);
    to->unit = *shared;
    to->more = !rc && (*shared)->every < every ? every - (*shared)->every : 0;
    uint32_t outer = f ? f->within : 0;
    for (int k = 0, at = 0; k < 2 && !rc && outer; k++, outer = w->numbered[outer].within)
        if (w->numbered[outer].every) {
            rc = open_unit(&w->shared[outer], w->numbered[outer].every, w->cycle);
            to->around[at++] = w->shared[outer];
        }
    return rc;
}

static void sort_step(struct step *s)
{
    s->plain = s->n == 1 && !s->called && !s->held && !s->places && !s->ranged;
    s->access = s->operation == HTMT__STEP_LOAD || s->operation == HTMT__STEP_STORE;
}

/* Choices are no steps here, and a step of several lanes is as many. Steps of no known object stand
 * for an instruction each, those of a block without code of its own for none. */
static void share_instructions(const struct htmt__tape_block *b, bool placed,
                               const struct htmt__tape_step *from, struct step *to)
{
    uint64_t all = 0, before = 0;
    for (uint32_t i = 0; i < b->steps; i++)
        all += from[i].operation == HTMT__STEP_CHOICE ? 0 : from[i].n;
    const uint64_t compiled = b->compiled ? issued_by(b) : placed ? all : 0;
    for (uint32_t i = 0; i < b->steps; i++) {
        const uint64_t behind = before + (from[i].operation == HTMT__STEP_CHOICE ? 0 : from[i].n);
        to[i].instructions =
            behind > before ? (uint32_t)(compiled * behind / all - compiled * before / all) : 0;
        before = behind;
    }
}

/* Of a conditional branch at the end of a block. */
static int open_jump(struct htmt__node *n, const struct htmt__tape_block *b)
{
    struct htmt__window *w = n->window;
    const struct htmt__node_jump *f = &n->figures->jump;
    const htmt_time every = htmt__ticks(f->every, 1, n->scale);
    const uint32_t last = b->step + b->steps - 1;
    if (!every || b->end != HTMT__END_CONDITION || !b->steps ||
        n->program->steps[last].operation != HTMT__STEP_BRANCH)
        return 0;
    struct htmt__slots **to = f->units ? &w->shared[f->units] : &w->jump;
    const int rc = open_unit(to, every, w->cycle);
    w->step[last].unit = *to;
    return rc;
}

/* Whatever the order in which steps come: a unit's slots are as short as its fastest operation. */
static int open_steps(struct htmt__node *n)
{
    const struct htmt__tape_program *p = n->program;
    int rc = 0;
    for (int twice = 0; twice < 2; twice++) {
        for (uint32_t i = 0; i < p->step_count && !rc; i++)
            rc = open_step(n, &n->window->step[i], &p->steps[i]);
        for (uint32_t i = 0; i < p->block_count && !rc; i++)
            rc = open_jump(n, &p->blocks[i]);
    }
    for (uint32_t i = 0; i < p->step_count; i++)
        sort_step(&n->window->step[i]);
    for (uint32_t i = 0; i < p->block_count && !rc; i++)
        share_instructions(&p->blocks[i], n->block[i].placed, p->steps + p->blocks[i].step,
                           n->window->step + p->blocks[i].step);
    return rc;
}

/* Slots of those widths that take longer than words. */
static int open_widths(const struct htmt__node *n, struct htmt__window *w)
{
    const struct htmt__node_cache *l1 = &n->figures->l1;
    int rc = 0;
    for (int write = 0; write < 2; write++) {
        htmt_time every = write ? n->store : n->load;
        for (int k = 0; k < HTMT__NODE_WIDTHS && !rc && l1->kind == HTMT__NODE_CACHE; k++) {
            const struct htmt_ratio given = write ? l1->wide_store[k] : l1->wide[k];
            every = given.den ? htmt__ticks(given, 1, n->scale) : every;
            if (every > (write ? n->store : n->load))
                rc = open_unit(&w->wide[write][k], every, w->cycle);
        }
        const struct htmt_ratio across = write ? l1->store_across : l1->across;
        const htmt_time one = write ? n->store : n->load;
        w->across[write] = 2;
        if (across.den && one)
            w->across[write] = (uint32_t)((htmt__ticks(across, 1, n->scale) + one / 2) / one);
    }
    const htmt_time apart = l1->store_apart.den ? htmt__ticks(l1->store_apart, 1, n->scale) : 0;
    w->together = n->store && apart ? (uint32_t)((apart + n->store / 2) / n->store) : 1;
    w->together = w->together ? w->together : 1;
    return rc;
}

/* Ways for so many pages: sets of a few, a power of two of them. */
static struct htmt__node_cache level_of(uint64_t page, uint32_t entries, uint32_t most)
{
    uint32_t ways = entries ? entries >> __builtin_ctz(entries) : 0;
    while (ways < entries && 2 * ways <= most)
        ways *= 2;
    return (struct htmt__node_cache){
        .kind = HTMT__NODE_CACHE, .size = entries * page, .line = page, .ways = ways};
}

static int open_pages(struct htmt__window *w, const struct htmt__node_tlb *t, uint64_t scale)
{
    const struct htmt__node_cache first = level_of(t->page, t->entries, PAGE_WAYS),
                                  second = level_of(t->page, t->second, MORE_WAYS);
    const htmt_time every = htmt__ticks(t->every, 1, scale);
    w->late = htmt__ticks(t->late, 1, scale);
    w->walk = htmt__ticks(t->walk, 1, scale);
    int rc = t->page ? htmt__tags_open(&w->pages, &first) : 0;
    rc = rc || !t->page || !t->second ? rc : htmt__tags_open(&w->more_pages, &second);
    w->tables = t->tables;
    if (!rc && t->page && t->second && t->hashed)
        htmt__tags_set_index(&w->more_pages, HTMT__TAGS_HASHED, t->page);
    return rc || !every ? rc : open_unit(&w->walks, every, 0);
}

int htmt__window_new(struct htmt__node *n)
{
    const struct htmt__node_figures *f = n->figures;
    const struct htmt__tape_program *p = n->program;
    if (!f->order || !p || !p->step_count)
        return 0;
    struct htmt__window *w = n->window = calloc(1, sizeof *w);
    if (!w)
        return HTMT_ENOMEM;
    w->cycle = htmt__ticks(f->cycle, 1, n->scale);
    w->issue = htmt__ticks(f->issue, 1, n->scale);
    w->forward = f->forward.den ? htmt__ticks(f->forward, 1, n->scale) : n->l1_hit;
    w->forward_part = f->forward_part.den ? htmt__ticks(f->forward_part, 1, n->scale) : w->forward;
    w->waits_most = f->waiting;
    w->taken = htmt__ticks(f->jump.taken, 1, n->scale);
    w->group = f->jump.group;
    w->add = htmt__ticks(f->unfused.add, 1, n->scale);
    w->add_index = htmt__ticks(f->unfused.add_index, 1, n->scale);
    w->index = htmt__ticks(f->unfused.index, 1, n->scale);
    number_units(n, w);
    const bool cache = f->l1.kind == HTMT__NODE_CACHE && !f->sram.bytes;
    w->quick[0] = cache && !n->slow_load;
    w->quick[1] = cache && !n->slow_store;
    w->step = calloc(p->step_count, sizeof *w->step);
    w->ready = calloc((size_t)p->step_count + 1, sizeof *w->ready);
    w->chosen = calloc((size_t)p->step_count + 1, sizeof *w->chosen);
    w->waiting = calloc(WAIT_ROOM * (f->waiting + (size_t)1), sizeof *w->waiting);
    int rc = w->step && w->ready && w->chosen && w->waiting ? 0 : HTMT_ENOMEM;
    rc = rc ? rc : open_queue(&w->reorder, f->reorder);
    rc = rc ? rc : open_queue(&w->load, f->loads);
    rc = rc ? rc : open_queue(&w->store, f->stores);
    w->kept = RECORDS;
    while (f->stores && w->kept / 2 >= 4 * (uint64_t)f->stores)
        w->kept /= 2;
    rc = rc ? rc : open_widths(n, w);
    rc = rc ? rc : open_pages(w, &f->tlb, n->scale);
    const htmt_time beside = f->beside.den ? htmt__ticks(f->beside, 1, n->scale) : 0;
    rc = rc || !beside ? rc : open_unit(&w->beside, beside, w->cycle);
    return rc ? rc : open_steps(n);
}

void htmt__window_free(struct htmt__window *w)
{
    if (!w)
        return;
    for (int o = 0; o < HTMT_OPERATIONS + 2; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            free(w->unit[o][t]);
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int k = 0; k < 2; k++)
            free(w->call[o][k]);
    for (int i = 0; i <= HTMT__NODE_UNITS_MOST; i++)
        free(w->shared[i]);
    for (int k = 0; k < 2 * HTMT__NODE_WIDTHS; k++)
        free(w->wide[k % 2][k / 2]);
    free(w->walks);
    free(w->jump);
    free(w->beside);
    htmt__tags_close(&w->pages);
    htmt__tags_close(&w->more_pages);
    free(w->reorder.time);
    free(w->load.time);
    free(w->store.time);
    free(w->step);
    free(w->ready);
    free(w->chosen);
    free(w->waiting);
    free(w);
}
