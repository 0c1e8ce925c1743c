/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks in code of htmt-cc, in line: what a recorded kernel does beside its own work.
 *
 * htmt-cc puts a call of htmt__rec_block() at the head of each basic block, and one of
 * htmt__rec_access() before each load and store; both are small enough to be inlined. A block takes
 * the room of all its entries on the tape at once, so there is one test for the end of the chunk a
 * block and none an access: access number k of the block writes entry k of that room. Where the
 * order of instructions was changed after the hooks were placed, the number says the order that
 * counts.
 *
 * An entry has a model address, which does not depend on where the host put a closure: it is the
 * host's address plus the shift of its place (a closure, an object, the stack, a static). Places
 * are looked up in a cache of HTMT__TAPE_SLOTS slots, which a hash of the address without its lower
 * 10 bits chooses; a slot that does not have the place is filled by htmt__rec_other(), out of line.
 * By hand: a closure at host address 0x7f10000 with model address 0 has shift -0x7f10000; a load
 * of 8 bytes at 0x7f10018 finds it in its slot and writes kind, width 8 and address 0x18.
 *
 * When nothing is recorded, htmt__rec_current is NULL: a load and a branch for each block, a branch
 * for each access. When it is, a block costs two stores and an access one, with a look at a slot of
 * 32 bytes. The layout of the structures belongs to HTMT__TAPE_UNIT_VERSION.
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_HOOKS_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_HOOKS_H

#include "layers/node/tape/tape.h"

#define HTMT__TAPE_SLOTS     64u
#define HTMT__TAPE_SLOT_BITS 10                   /* of an address, that do not choose its slot */
#define HTMT__TAPE_SPREAD    UINT32_C(0x9e3779b1) /* arrays are often a power of two apart */
#define HTMT__TAPE_WIDEST    16u                  /* of accesses that take the short way */
/* Accesses of a block: with its BLOCK entry and those of ranges they leave a chunk one entry of
 * room. */
#define HTMT__TAPE_ACCESSES_MAX (HTMT__TAPE_CHUNK - 2 - HTMT__TAPE_RANGES_MOST)

/* A place: accesses that begin in its first `inner` bytes end in it, up to the widest. */
struct htmt__tape_slot {
    uintptr_t at;
    uint64_t inner, shift; /* shift: from an address of the host to the model's */
    uint64_t bytes;
};

/* Of a service that is recorded. */
struct htmt__tape_hooks {
    struct htmt__tape_writer writer;
    struct htmt__tape_slot slot[HTMT__TAPE_SLOTS];
};

/* What this thread records; NULL: nothing. */
extern _Thread_local struct htmt__tape_hooks *htmt__rec_current
    __attribute__((tls_model("initial-exec")));

/* Hands on the chunk; returns the start of the next one, NULL: nothing is recorded. */
uint64_t *htmt__rec_room(void);
/* An access at a place that is in no slot, or a wide one. `entry` has no address yet. */
void htmt__rec_other(uint64_t *to, const void *place, uint64_t entry);
/* Before a function by length, enum htmt__library_bytes: its arguments, `most` those bytes that it
 * says; `operation` is its row. And before a call by a pointer. */
void htmt__rec_length(uint64_t bytes, uint64_t operation, const void *first, uint64_t second,
                      uint64_t most);
void htmt__rec_callee(const void *function);

/* Before call number `call` of the block, on these arguments. */
void htmt__rec_argument(uint64_t *room, uint64_t call, double first, double second,
                        uint64_t operation);

static inline struct htmt__tape_slot *htmt__rec_slot(struct htmt__tape_hooks *h, uintptr_t at)
{
    return &h->slot[(uint32_t)(at >> HTMT__TAPE_SLOT_BITS) * HTMT__TAPE_SPREAD >> 26];
}

/* Writes the BLOCK entry; returns the room of the block's accesses, NULL: nothing is recorded. */
static inline uint64_t *htmt__rec_block(const uint64_t *entry, uint64_t accesses)
{
    struct htmt__tape_hooks *h = htmt__rec_current;
    uint64_t *to = h ? h->writer.next : NULL;
    if (__builtin_expect(!h || (uint64_t)(h->writer.end - to) < accesses + 2, 0)) {
        to = htmt__rec_room();
        if (!to)
            return NULL;
    }
    h->writer.next = to + accesses + 1;
    *to = *entry;
    return to + 1;
}

/* The same of a block with functions of numbers, whose ranges take `words` entries before it. */
static inline uint64_t *htmt__rec_calls(const uint64_t *entry, uint64_t accesses, uint64_t words)
{
    uint64_t *room = htmt__rec_block(entry, accesses + words);
    if (!room)
        return NULL;
    for (uint64_t i = 0; i < words; i++)
        room[i - 1] = htmt__tape_entry(HTMT__TAPE_RANGES, 0, HTMT__TAPE_ADDRESS);
    room[words - 1] = *entry;
    return room + words;
}

/* Access number `access` of the block: `bytes` bytes at `place`, `kind` is HTMT__TAPE_LOAD or
 * HTMT__TAPE_STORE. */
static inline void htmt__rec_access(uint64_t *room, uint64_t access, const void *place,
                                    enum htmt__tape_kind kind, unsigned bytes)
{
    const uintptr_t at = (uintptr_t)place;
    const uint64_t entry = htmt__tape_entry(kind, bytes, 0);
    if (!room)
        return;
    const struct htmt__tape_slot *p = htmt__rec_slot(htmt__rec_current, at);
    if (__builtin_expect(at - p->at < p->inner && bytes <= HTMT__TAPE_WIDEST, 1))
        room[access] = entry + at + p->shift;
    else
        htmt__rec_other(room + access, place, entry);
}

#endif
