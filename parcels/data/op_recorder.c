/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of a kernel, recorded while it runs.
 *
 * Code of htmt-cc calls a hook for each basic block and each access, millions of times a second. A
 * hook writes an entry of 8 bytes to a chunk; a full chunk is played through the inside of the
 * processor, or kept as a tape for a service whose time depends on others.
 *
 * An entry has the model's address, not the host's. Hooks find it by a table of slots: a few bits
 * of the host's address lead to the place that was used there last, with its bounds and the
 * difference to the model's address, so most accesses cost a comparison and an addition
 * (tape_hooks.h). Only where the slot is another place's does put_new() look through the regions,
 * the stack from here to the kernel's entry, and the images of the program, and refuses what is
 * none of these.
 *
 * Model addresses must not depend on the host. The stack's do not since the kernel's frame begins
 * at the same offset in a page on every run (enter_aligned()), and its entry is one fixed model
 * address; regions lie where struct htmt__view says; images have numbers.
 *
 * Example. A kernel reads region 0, which lies at host address 0x7f10, 64 bytes, model 0x1000. Its
 * first load, of 8 bytes at 0x7f18, misses the slot: put_new() finds the region, sets the slot to
 * 0x7f10 .. 0x7f50 with the shift 0x1000 - 0x7f10, and writes LOAD 8 of 0x1008. The next load at
 * 0x7f20 hits the slot and writes LOAD 8 of 0x1010. One of 0x7f50 finds no place: it "reads memory
 * outside the closure".
 */
#include "parcels/data/op_recorder.h"

#include "layers/machine/machine.h"
#include "layers/machine/nodes.h"
#include "layers/node/node.h"
#include "layers/node/tape/tape_hooks.h"
#include "layers/node/tape/tape_units.h"
#include "parcels/data/deferred_tapes.h"
#include "parcels/data/kernel.h"
#include "runtime/base/array.h"
#include "runtime/base/library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PAGE 4096u
#define STEP 16u /* bytes of a step of a copy */
/* htmt_constants(), above all images. */
#define CONSTANTS (HTMT__TAPE_IMAGE + (UINT64_C(1) << 43))

/* Memory of the host, and what it is to the model. */
struct place {
    uintptr_t at;
    uint64_t bytes, model;
};

struct region {
    struct place place;
    struct htmt__tape_region named; /* for the node and for tapes */
    enum htmt_miss_kind kind;
};

/* One service; kept for the next one of its layer. */
struct htmt__op_recording {
    struct htmt__tape_hooks hooks; /* first */
    struct htmt__op_recording *next;
    uint64_t block; /* the last one of those that were played */
    struct htmt__op_recorder *recorder;
    struct htmt_kernel *kernel;
    struct htmt__node *node;              /* NULL: it is written, not timed */
    bool warm;                            /* its caches have what the service before left */
    bool untimed;                         /* an operation has no latency */
    struct htmt__tape *copy;              /* NULL: nobody wants it */
    struct htmt__deferred_tape *deferred; /* it is played when the service starts; else NULL */
    struct region *region;
    struct htmt__tape_region *named; /* those of `region`, and the common ones */
    size_t room, named_room;
    uint32_t regions, named_count; /* named_count: when the kernel began */
    uint64_t entries, constants;
    uintptr_t entry; /* the stack where the kernel begins */
    struct htmt_fault fault;
};

struct htmt__op_recorder {
    struct htmt__tape_units *units;
    const struct htmt_operations *operations;
    const struct htmt__node_figures *figures[HTMT_LAYERS_MAX]; /* NULL: no inside */
    bool depends[HTMT_LAYERS_MAX]; /* services of the layer, on each other */
    bool in_turn[HTMT_LAYERS_MAX]; /* they run when their turn has come, on caches that stay */
    uint32_t processors[HTMT_LAYERS_MAX]; /* the layer whose processors serve the layer */
    struct htmt__deferred_tapes deferred;
    pthread_mutex_t lock;
    struct htmt__op_recording *spare[HTMT_LAYERS_MAX];
    uint64_t services; /* so far, of the type whose tape is wanted */
    bool regions;      /* the tape has some */
};

_Thread_local struct htmt__tape_hooks *htmt__rec_current;
/* This thread's, whose kernel was not compiled by htmt-cc. */
static _Thread_local struct htmt__op_recording *stray __attribute__((tls_model("initial-exec")));

static struct htmt__op_recording *current(void)
{
    return (struct htmt__op_recording *)htmt__rec_current;
}

/* ---- what is wrong --------------------------------------------------------------------------- */

/* `at`: the entry that would come next. */
__attribute__((cold, noinline)) static void refuse(struct htmt__op_recording *r, const uint64_t *at,
                                                   const char *what)
{
    const uint64_t *chunk = r->hooks.writer.chunk;
    char place[200] = "";
    uint32_t access = 0;
    if (r->fault.code)
        return;
    while (at > chunk && htmt__tape_kind(at[-1]) != HTMT__TAPE_BLOCK) {
        access++;
        at--;
    }
    const uint64_t last = at > chunk ? at[-1] : r->block;
    htmt__tape_units_place(r->recorder->units, (uint32_t)htmt__tape_address(last),
                           at > chunk ? access : UINT32_MAX, place, sizeof place);
    htmt_fault_set(&r->fault, HTMT_EINVAL, "%s: %s", place, what);
}

/* A hook where nothing is recorded: of a program's other code, or of a kernel in part. */
__attribute__((cold, noinline)) static void outside(void)
{
    if (stray)
        htmt_fault_set(&stray->fault, HTMT_EINVAL,
                       "htmt-cc has not compiled its kernel, but a function that the kernel calls: "
                       "its operations would be recorded in part");
}

/* ---- places ---------------------------------------------------------------------------------- */

static inline bool is_in(const struct place *p, uintptr_t at, uint64_t bytes)
{
    const uint64_t offset = at - p->at;
    return offset < p->bytes && bytes <= p->bytes - offset;
}

/* A region, the stack, or an image. The stack reaches from the frame of this function, which lies
 * below the kernel's, to the kernel's entry. */
static bool find_place(const struct htmt__op_recording *r, uintptr_t at, struct place *found)
{
    for (uint32_t i = 0; i < r->regions; i++)
        if (at - r->region[i].place.at < r->region[i].place.bytes) {
            *found = r->region[i].place;
            return true;
        }
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uint64_t bytes = r->entry - here;
    *found = (struct place){here, bytes, HTMT__TAPE_STACK + HTMT__RECORDER_STACK - bytes};
    if (at - here < bytes)
        return true;
    const struct htmt__tape_image *image;
    const size_t n = htmt__tape_units_images(r->recorder->units, &image);
    for (size_t i = 0; i < n; i++)
        if (at - image[i].at < image[i].bytes) {
            *found = (struct place){image[i].at, image[i].bytes,
                                    HTMT__TAPE_IMAGE + (((uint64_t)i + 1) << 36)};
            return true;
        }
    return false;
}

__attribute__((cold, noinline)) static void put_new(struct htmt__op_recording *r, uint64_t *to,
                                                    uintptr_t at, uint64_t entry)
{
    const uint64_t bytes = htmt__tape_width(entry);
    struct place found;
    if (!find_place(r, at, &found) || !is_in(&found, at, bytes)) {
        refuse(r, to,
               htmt__tape_kind(entry) == HTMT__TAPE_LOAD
                   ? "reads memory outside the closure; constants of the program are declared "
                     "by htmt_constants()"
                   : "writes memory outside the closure");
        *to = entry;
        return;
    }
    *htmt__rec_slot(&r->hooks, at) = (struct htmt__tape_slot){
        .at = found.at,
        .inner = found.bytes > HTMT__TAPE_WIDEST ? found.bytes - HTMT__TAPE_WIDEST : 0,
        .shift = found.model - found.at,
        .bytes = found.bytes,
    };
    *to = entry + found.model + (at - found.at);
}

/* ---- hooks ----------------------------------------------------------------------------------- */

uint64_t *htmt__rec_room(void)
{
    struct htmt__tape_hooks *h = htmt__rec_current;
    if (!h) {
        outside();
        return NULL;
    }
    htmt__tape_flush(&h->writer);
    return h->writer.next;
}

/* At the end of a small place, or in a new one. */
void htmt__rec_other(uint64_t *to, const void *place, uint64_t entry)
{
    const uintptr_t at = (uintptr_t)place;
    const uint64_t bytes = htmt__tape_width(entry);
    const struct htmt__tape_slot *p = htmt__rec_slot(htmt__rec_current, at);
    const uint64_t offset = at - p->at;
    if (offset < p->bytes && bytes <= p->bytes - offset)
        *to = entry + at + p->shift;
    else
        put_new(current(), to, at, entry);
}

/* What 16 bytes of a function by length are on a tape. */
static enum htmt__tape_own block_of(enum htmt_operation operation)
{
    switch (operation) {
    case HTMT_MEMSET:
        return HTMT__TAPE_FILL;
    case HTMT_STRLEN:
        return HTMT__TAPE_SCAN;
    case HTMT_MEMCMP:
        return HTMT__TAPE_COMPARE;
    case HTMT_STRCMP:
        return HTMT__TAPE_ORDER;
    default:
        return HTMT__TAPE_COPY;
    }
}

/* A copy loads from the second place before it stores to the first; others load from both, or from
 * the first alone. */
void htmt__rec_length(uint64_t bytes, uint64_t operation, const void *first, uint64_t second,
                      uint64_t most)
{
    const enum htmt__tape_own own = block_of((enum htmt_operation)operation);
    const uint64_t block = htmt__tape_entry(HTMT__TAPE_BLOCK, 0, own);
    const bool copies = own == HTMT__TAPE_COPY, fills = own == HTMT__TAPE_FILL;
    const bool both = copies || own == HTMT__TAPE_COMPARE || own == HTMT__TAPE_ORDER;
    const enum htmt__tape_kind last = copies || fills ? HTMT__TAPE_STORE : HTMT__TAPE_LOAD;
    const char *other = (const char *)(uintptr_t)second;
    if (!htmt__rec_current)
        return;
    const uint64_t reach =
        htmt__library_reach((enum htmt__library_bytes)bytes, first, second, most);
    for (uint64_t i = 0; htmt__rec_current && i < reach; i += STEP) {
        const unsigned n = (unsigned)(reach - i < STEP ? reach - i : STEP);
        uint64_t *room = htmt__rec_block(&block, both ? 2 : 1);
        if (both)
            htmt__rec_access(room, 0, other + i, HTMT__TAPE_LOAD, n);
        htmt__rec_access(room, both, (const char *)first + i, last, n);
    }
}

/* Words of ranges lie before the BLOCK entry, the last call's first. */
void htmt__rec_argument(uint64_t *room, uint64_t call, double first, double second,
                        uint64_t operation)
{
    const double x = HTMT__LIBRARY_OF_QUOTIENT(operation) ? first / second : first;
    const uint64_t word = call / HTMT__TAPE_CALLS, shift = 4 * (call % HTMT__TAPE_CALLS);
    if (!room || word >= HTMT__TAPE_RANGES_MOST)
        return;
    uint64_t *to = room - 2 - word;
    *to &= ~(UINT64_C(15) << shift) | (uint64_t)htmt__library_range(x) << shift;
}

void htmt__rec_callee(const void *function)
{
    struct htmt__op_recording *r = current();
    const char *why;
    if (r && htmt__tape_units_knows(r->recorder->units, function, &why) != HTMT__TAPE_WHOLE)
        refuse(r, r->hooks.writer.next, "calls a function by a pointer that is not recorded");
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Where no region is: the node's numbers behind the kernel's own. */
static const struct common {
    struct htmt__tape_region region;
    enum htmt_miss_kind kind;
} common[] = {{{"stack", HTMT__TAPE_STACK, HTMT__RECORDER_STACK}, HTMT_MISS_STACK},
              {{"image", HTMT__TAPE_IMAGE, UINT64_C(1) << 43}, HTMT_MISS_IMAGE},
              {{"constants", CONSTANTS, UINT64_C(1) << 43}, HTMT_MISS_CONSTANTS}};
#define COMMON ((uint32_t)(sizeof common / sizeof *common))

static bool make_room(struct htmt__op_recording *r)
{
    if (htmt__array_fits(&r->region, &r->room, (size_t)r->regions + 1, sizeof *r->region) &&
        htmt__array_fits(&r->named, &r->named_room, (size_t)r->regions + 1 + COMMON,
                         sizeof *r->named))
        return true;
    htmt_fault_set(&r->fault, HTMT_ENOMEM, "no host memory for a recording");
    return false;
}

static void add_region(struct htmt__op_recording *r, const void *at, uint64_t bytes, uint64_t model,
                       enum htmt_miss_kind kind, const char *name)
{
    if (!at || !bytes || !make_room(r))
        return;
    struct region *one = &r->region[r->regions++];
    *one = (struct region){{(uintptr_t)at, bytes, model}, {"", model, bytes}, kind};
    snprintf(one->named.name, sizeof one->named.name, "%s", name);
}

/* What the kernel sees. The node counts misses of what there is before the kernel begins, and so
 * does a tape, with the common regions behind the kernel's own. */
static void add_views(struct htmt__op_recording *r)
{
    const struct htmt_kernel *k = r->kernel;
    char name[40];
    for (uint32_t i = 0; i < k->regions + k->uses; i++) {
        const struct htmt__view *v = &k->view[i];
        const bool used = i >= k->regions;
        const uint32_t number = used ? i - k->regions : i;
        const uint32_t first = used ? HTMT_MISS_USE : HTMT_MISS_REGION;
        snprintf(name, sizeof name, "%s %u", used ? "use" : "region", number);
        add_region(r, v->bytes, v->size, v->model,
                   (enum htmt_miss_kind)(first + (number < 8 ? number : 7)), name);
    }
    add_region(r, k->args, k->args_bytes, HTMT__TAPE_ARGUMENTS, HTMT_MISS_ARGUMENTS, "arguments");
    add_region(r, k->result, k->result_bytes, HTMT__TAPE_ARGUMENTS + HTMT__ARGS_MAX,
               HTMT_MISS_RESULT, "result");
    r->named_count = r->regions;
    for (uint32_t i = 0; i < r->regions; i++)
        r->named[i] = r->region[i].named;
    for (uint32_t i = 0; i < COMMON; i++)
        r->named[r->regions + i] = common[i].region;
}

void htmt__op_recorder_constants(struct htmt__op_recording *rec, const void *at, uint64_t bytes)
{
    add_region(rec, at, bytes, CONSTANTS + rec->constants, HTMT_MISS_CONSTANTS, "constants");
    rec->constants += (bytes + 63) & ~UINT64_C(63);
    memset(rec->hooks.slot, 0, sizeof rec->hooks.slot);
}

/* ---- a service ------------------------------------------------------------------------------- */

/* A run for a tape needs no latency of every operation: a service that lacks one keeps its counts.
 */
static int play(void *user, const uint64_t *entries, size_t n)
{
    struct htmt__op_recording *r = user;
    int rc = r->copy ? htmt__tape_append(r->copy, entries, n) : 0;
    if (!rc && r->deferred)
        rc = htmt__tape_append(htmt__deferred_tape_entries(r->deferred), entries, n);
    r->entries += n;
    for (size_t i = n; i-- > 0;)
        if (htmt__tape_kind(entries[i]) == HTMT__TAPE_BLOCK) {
            r->block = entries[i];
            break;
        }
    if (rc || !r->node || r->untimed)
        return rc;
    rc = htmt__node_play(r->node, entries, n);
    r->untimed = rc && r->recorder->operations->tape && htmt__node_unknown(r->node);
    return r->untimed ? 0 : rc;
}

/* The frame of this function is the kernel's entry. */
__attribute__((noinline)) static void enter(struct htmt__op_recording *r, struct htmt_kernel *k)
{
    r->entry = (uintptr_t)__builtin_frame_address(0);
    k->run(k);
    __asm__ volatile("" ::: "memory");
}

/* From an address that is the same in its page on every run: frames align themselves. */
__attribute__((noinline)) static void enter_aligned(struct htmt__op_recording *r,
                                                    struct htmt_kernel *k)
{
    const size_t pad = (uintptr_t)__builtin_frame_address(0) & (PAGE - 1);
    char *room = __builtin_alloca(pad + 16);
    __asm__ volatile("" : : "r"(room) : "memory");
    enter(r, k);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static void run_parts(struct htmt__op_recording *r, struct htmt_kernel *k, const char **why)
{
    const enum htmt__tape_recorded known =
        htmt__tape_units_knows(r->recorder->units, (const void *)(uintptr_t)k->run, why);
    htmt__rec_current = known == HTMT__TAPE_WHOLE ? &r->hooks : NULL;
    stray = known == HTMT__TAPE_UNKNOWN ? r : NULL;
    for (; k->part < k->end; k->part++)
        enter_aligned(r, k);
    htmt__rec_current = NULL;
    stray = NULL;
}

/* Its tape, too. */
static bool is_wanted(struct htmt__op_recorder *recorder, const struct htmt_kernel *k)
{
    const struct htmt_operations *o = recorder->operations;
    if (!o->tape || strcasecmp(k->code->name, o->type) != 0)
        return false;
    pthread_mutex_lock(&recorder->lock);
    const uint64_t number = ++recorder->services;
    pthread_mutex_unlock(&recorder->lock);
    return !o->service || number == o->service;
}

/* false: out of memory. */
static bool begin(struct htmt__op_recorder *recorder, struct htmt__op_recording *r,
                  struct htmt_kernel *k, bool wanted)
{
    r->recorder = recorder;
    r->kernel = k;
    r->regions = 0;
    r->entries = r->constants = 0;
    r->untimed = false;
    r->fault = (struct htmt_fault){0};
    r->block = 0;
    r->copy = wanted ? recorder->operations->tape : NULL;
    r->deferred = NULL;
    memset(r->hooks.slot, 0, sizeof r->hooks.slot);
    if (!make_room(r))
        return false;
    add_views(r);
    const uint32_t all = r->regions + COMMON;
    bool good = !r->node || !htmt__node_regions(r->node, r->named, all);
    if (good && recorder->depends[k->layer]) {
        r->deferred = htmt__deferred_tape_new(&recorder->deferred,
                                              htmt__tape_units_program(recorder->units), all);
        good = r->deferred != NULL;
        for (uint32_t i = 0; i < all && good; i++)
            good = !htmt__deferred_tape_add(r->deferred, &r->named[i],
                                            i < r->regions ? r->region[i].kind
                                                           : common[i - r->regions].kind);
    }
    if (good && r->node)
        htmt__node_start(r->node, r->warm && recorder->in_turn[k->layer]);
    if (good && !htmt__tape_open(&r->hooks.writer, play, r))
        return true;
    htmt_fault_set(&r->fault, HTMT_ENOMEM, "no host memory for a recording");
    return false;
}

static void tell(struct htmt__op_recording *r, int rc)
{
    const char *unknown = r->node ? htmt__node_unknown(r->node) : NULL;
    if (unknown)
        htmt_fault_set(&r->fault, HTMT_EINVAL,
                       "operation %s came up, and the processor's inside has no latency for it",
                       unknown);
    else
        htmt_fault_set(&r->fault, rc ? rc : HTMT_EOVERFLOW, "the time of its operations: %s",
                       htmt_strerror(rc ? rc : HTMT_EOVERFLOW));
}

/* By its cost function, which model runs ask, too; as far as an entry holds it. */
static uint64_t counts_of(const struct htmt_kernel *k)
{
    uint64_t sum = 0;
    for (int i = HTMT_FLOP; i < HTMT_OP_CLASSES; i++)
        if (__builtin_add_overflow(sum, k->expected.n[i], &sum))
            return HTMT__TAPE_ADDRESS;
    return sum < HTMT__TAPE_ADDRESS ? sum : HTMT__TAPE_ADDRESS;
}

/* Closes the tape with the counts of the cost function. Of a tape of several services the regions
 * are those of the first: closures begin at the same addresses. */
static void end(struct htmt__op_recording *r, struct htmt__timed *timed)
{
    const bool any = r->entries || r->hooks.writer.next > r->hooks.writer.chunk;
    if (any)
        htmt__tape_put(&r->hooks.writer, htmt__tape_entry(HTMT__TAPE_END, 0, counts_of(r->kernel)));
    int rc = htmt__tape_close(&r->hooks.writer);
    timed->length = -1;
    if (r->copy && any && !r->recorder->regions) {
        for (uint32_t i = 0; i < r->regions; i++)
            htmt__tape_add_region(r->copy, &r->region[i].named);
        for (uint32_t i = 0; i < COMMON; i++)
            htmt__tape_add_region(r->copy, &common[i].region);
        htmt__tape_keep_program(r->copy, htmt__tape_units_program(r->recorder->units));
        r->recorder->regions = true;
    }
    const bool good = any && !r->fault.code && !r->kernel->failed;
    if (good && r->deferred && rc)
        tell(r, rc);
    if (good && !rc)
        timed->deferred = r->deferred;
    else
        htmt__deferred_tape_free(r->deferred);
    if (!good || !r->node || r->untimed)
        return;
    timed->length = rc ? -1 : htmt__node_finish(r->node, &timed->account);
    r->warm = true;
    if (timed->length < 0) {
        tell(r, rc);
        return;
    }
    const uint64_t *misses = htmt__node_misses(r->node);
    memset(timed->misses, 0, sizeof timed->misses);
    for (uint32_t i = 0; i < r->named_count; i++)
        timed->misses[r->region[i].kind] += misses[i];
    for (uint32_t i = 0; i < COMMON; i++)
        timed->misses[common[i].kind] += misses[r->named_count + i];
    timed->misses[HTMT_MISS_OTHER] = misses[r->named_count + COMMON];
}

/* ---- spares ---------------------------------------------------------------------------------- */

static struct htmt__op_recording *take(struct htmt__op_recorder *recorder, uint32_t layer)
{
    const struct htmt__node_figures *figures = recorder->figures[layer];
    pthread_mutex_lock(&recorder->lock);
    struct htmt__op_recording *r = recorder->spare[layer];
    if (r)
        recorder->spare[layer] = r->next;
    pthread_mutex_unlock(&recorder->lock);
    if (r || !(r = calloc(1, sizeof *r)))
        return r;
    if (figures && !recorder->depends[layer] &&
        htmt__node_new(&r->node, figures, htmt__tape_units_program(recorder->units))) {
        free(r);
        r = NULL;
    }
    return r;
}

void htmt__op_recorder_run(struct htmt__op_recorder *recorder, struct htmt_kernel *k,
                           struct htmt__timed *timed, struct htmt_fault *fault)
{
    const uint32_t layer = recorder->processors[k->layer];
    timed->length = -1;
    timed->why = NULL;
    timed->deferred = NULL;
    const bool wanted = is_wanted(recorder, k);
    if (!recorder->figures[layer] && !wanted)
        return;
    struct htmt__op_recording *r = take(recorder, layer);
    if (!r) {
        htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a recording");
        return;
    }
    if (begin(recorder, r, k, wanted)) {
        k->tape = &r->hooks.writer;
        k->recording = r;
        run_parts(r, k, &timed->why);
        k->tape = NULL;
        k->recording = NULL;
        end(r, timed);
    }
    if (r->fault.code)
        *fault = r->fault;
    pthread_mutex_lock(&recorder->lock);
    r->next = recorder->spare[layer];
    recorder->spare[layer] = r;
    pthread_mutex_unlock(&recorder->lock);
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__op_recorder_create(struct htmt__op_recorder **recorder,
                             const struct htmt_machine *machine, uint32_t slices,
                             const struct htmt_operations *operations, bool cold)
{
    struct htmt__op_recorder *r = calloc(1, sizeof *r);
    int rc = r ? htmt__tape_units_create(&r->units) : HTMT_ENOMEM;
    if (rc) {
        free(r);
        return rc;
    }
    r->operations = operations;
    pthread_mutex_init(&r->lock, NULL);
    htmt__deferred_tapes_init(&r->deferred);
    for (uint32_t l = 0; l < machine->layer_count; l++) {
        r->figures[l] = htmt__machine_node(machine, l);
        r->processors[l] = htmt_machine_processors_of(machine, l);
        r->in_turn[l] = !cold && htmt__machine_node_keeps(machine, l, slices);
        r->depends[l] = cold ? htmt__machine_node_shares(machine, l)
                             : htmt__machine_node_depends(machine, l) && !r->in_turn[l];
    }
    *recorder = r;
    return 0;
}

bool htmt__op_recorder_in_turn(const struct htmt__op_recorder *r, uint32_t layer)
{
    return r->in_turn[layer];
}

void htmt__op_recorder_destroy(struct htmt__op_recorder *recorder)
{
    if (!recorder)
        return;
    for (uint32_t l = 0; l < HTMT_LAYERS_MAX; l++)
        while (recorder->spare[l]) {
            struct htmt__op_recording *r = recorder->spare[l];
            recorder->spare[l] = r->next;
            if (r->node)
                htmt__node_free(r->node);
            free(r->region);
            free(r->named);
            free(r);
        }
    htmt__deferred_tapes_fini(&recorder->deferred);
    pthread_mutex_destroy(&recorder->lock);
    htmt__tape_units_destroy(recorder->units);
    free(recorder);
}
