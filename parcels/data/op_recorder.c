/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks are called by code of htmt-cc, millions of times a second. A recording remembers the region
 * of each place by a few bits of the address.
 */
#include "parcels/data/op_recorder.h"

#include "layers/machine/machine.h"
#include "layers/machine/nodes.h"
#include "layers/node/node.h"
#include "layers/node/tape/tape_hooks.h"
#include "layers/node/tape/tape_units.h"
#include "parcels/data/deferred_tapes.h"
#include "parcels/data/kernel.h"

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
    struct htmt__node *node;   /* NULL: it is written, not timed */
    bool untimed;              /* an operation has no latency */
    struct htmt__tape *copy;   /* NULL: nobody wants it */
    struct htmt__taped *taped; /* it is played when the service starts; else NULL */
    struct region *region;
    struct htmt__tape_region *named;     /* those of `region`, and the common ones */
    uint32_t regions, room, named_count; /* named_count: when the kernel began */
    uint64_t entries, constants;
    uintptr_t entry; /* the stack where the kernel begins */
    struct htmt_fault fault;
};

struct htmt__op_recorder {
    struct htmt__tape_units *units;
    const struct htmt_operations *operations;
    const struct htmt__node_figures *figures[HTMT_LAYERS_MAX]; /* NULL: no inside */
    bool depends[HTMT_LAYERS_MAX]; /* services of the layer, on each other */
    struct htmt__taped_list taped;
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

/* From the frame of this function, which lies below the kernel's, to the kernel's entry. */
static struct place stack_of(const struct htmt__op_recording *r)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uint64_t bytes = r->entry - here;
    return (struct place){here, bytes, HTMT__TAPE_STACK + HTMT__RECORDER_STACK - bytes};
}

static bool find_image(const struct htmt__op_recording *r, uintptr_t at, struct place *found)
{
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

static bool find_place(const struct htmt__op_recording *r, uintptr_t at, struct place *found)
{
    for (uint32_t i = 0; i < r->regions; i++)
        if (at - r->region[i].place.at < r->region[i].place.bytes) {
            *found = r->region[i].place;
            return true;
        }
    *found = stack_of(r);
    return at - found->at < found->bytes || find_image(r, at, found);
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

void htmt__rec_copy(const void *to, const void *from, uint64_t bytes)
{
    static const uint64_t copy = (uint64_t)HTMT__TAPE_BLOCK << 60 | HTMT__TAPE_COPY;
    static const uint64_t fill = (uint64_t)HTMT__TAPE_BLOCK << 60 | HTMT__TAPE_FILL;
    for (uint64_t i = 0; htmt__rec_current && i < bytes; i += STEP) {
        const unsigned n = (unsigned)(bytes - i < STEP ? bytes - i : STEP);
        uint64_t *room = htmt__rec_block(from ? &copy : &fill, from ? 2 : 1);
        if (from)
            htmt__rec_access(room, 0, (const char *)from + i, HTMT__TAPE_LOAD, n);
        htmt__rec_access(room, from != NULL, (const char *)to + i, HTMT__TAPE_STORE, n);
    }
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
    if (r->regions < r->room)
        return true;
    const uint32_t room = r->room ? 2 * r->room : 32;
    struct region *more = reallocarray(r->region, room, sizeof *more);
    if (more)
        r->region = more;
    struct htmt__tape_region *named = reallocarray(r->named, room + COMMON, sizeof *named);
    if (named)
        r->named = named;
    if (!more || !named) {
        htmt_fault_set(&r->fault, HTMT_ENOMEM, "no host memory for a recording");
        return false;
    }
    r->room = room;
    return true;
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

static enum htmt_miss_kind kind_of(enum htmt_miss_kind first, uint32_t i)
{
    return (enum htmt_miss_kind)((uint32_t)first + (i < 8 ? i : 7));
}

static void add_views(struct htmt__op_recording *r)
{
    const struct htmt_kernel *k = r->kernel;
    char name[40];
    for (uint32_t i = 0; i < k->regions + k->uses; i++) {
        const struct htmt__view *v = &k->view[i];
        const bool used = i >= k->regions;
        const uint32_t number = used ? i - k->regions : i;
        snprintf(name, sizeof name, "%s %u", used ? "use" : "region", number);
        add_region(r, v->bytes, v->size, v->model,
                   kind_of(used ? HTMT_MISS_USE : HTMT_MISS_REGION, number), name);
    }
    add_region(r, k->args, k->args_bytes, HTMT__TAPE_ARGUMENTS, HTMT_MISS_ARGUMENTS, "arguments");
    add_region(r, k->result, k->result_bytes, HTMT__TAPE_ARGUMENTS + HTMT__ARGS_MAX,
               HTMT_MISS_RESULT, "result");
}

/* The node counts misses of what there is before the kernel begins. */
static bool name_regions(struct htmt__op_recording *r)
{
    r->named_count = r->regions;
    for (uint32_t i = 0; i < r->regions; i++)
        r->named[i] = r->region[i].named;
    for (uint32_t i = 0; i < COMMON; i++)
        r->named[r->regions + i] = common[i].region;
    return !r->node || !htmt__node_regions(r->node, r->named, r->regions + COMMON);
}

static void take_misses(const struct htmt__op_recording *r, struct htmt__timed *timed)
{
    const uint64_t *misses = htmt__node_misses(r->node);
    memset(timed->misses, 0, sizeof timed->misses);
    for (uint32_t i = 0; i < r->named_count; i++)
        timed->misses[r->region[i].kind] += misses[i];
    for (uint32_t i = 0; i < COMMON; i++)
        timed->misses[common[i].kind] += misses[r->named_count + i];
    timed->misses[HTMT_MISS_OTHER] = misses[r->named_count + COMMON];
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
static int play_on(struct htmt__op_recording *r, const uint64_t *entries, size_t n)
{
    int rc = htmt__node_play(r->node, entries, n);
    r->untimed = rc && r->recorder->operations->tape && htmt__node_unknown(r->node);
    return r->untimed ? 0 : rc;
}

static int play(void *user, const uint64_t *entries, size_t n)
{
    struct htmt__op_recording *r = user;
    int rc = r->copy ? htmt__tape_append(r->copy, entries, n) : 0;
    if (!rc && r->taped)
        rc = htmt__tape_append(htmt__taped_entries(r->taped), entries, n);
    r->entries += n;
    for (size_t i = n; i-- > 0;)
        if (htmt__tape_kind(entries[i]) == HTMT__TAPE_BLOCK) {
            r->block = entries[i];
            break;
        }
    return rc || !r->node || r->untimed ? rc : play_on(r, entries, n);
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
    if (!o->tape || strcasecmp(k->type, o->type) != 0)
        return false;
    pthread_mutex_lock(&recorder->lock);
    const uint64_t number = ++recorder->services;
    pthread_mutex_unlock(&recorder->lock);
    return !o->service || number == o->service;
}

/* With the regions that a node would count misses of. */
static bool begin_tape(struct htmt__op_recorder *recorder, struct htmt__op_recording *r)
{
    const uint32_t all = r->regions + COMMON;
    r->taped = htmt__taped_new(&recorder->taped, htmt__tape_units_program(recorder->units), all);
    int rc = r->taped ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < all && !rc; i++)
        rc = htmt__taped_add(r->taped, &r->named[i],
                             i < r->regions ? r->region[i].kind : common[i - r->regions].kind);
    return rc == 0;
}

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
    r->taped = NULL;
    memset(r->hooks.slot, 0, sizeof r->hooks.slot);
    if (!make_room(r))
        return false;
    add_views(r);
    if (!name_regions(r) || (recorder->depends[k->layer] && !begin_tape(recorder, r))) {
        htmt_fault_set(&r->fault, HTMT_ENOMEM, "no host memory for a recording");
        return false;
    }
    if (r->node)
        htmt__node_start(r->node, false);
    if (!htmt__tape_open(&r->hooks.writer, play, r))
        return true;
    htmt_fault_set(&r->fault, HTMT_ENOMEM, "no host memory for a recording");
    return false;
}

/* Of a tape of several services those of the first: closures begin at the same addresses. */
static void keep_regions(struct htmt__op_recording *r)
{
    if (r->recorder->regions)
        return;
    for (uint32_t i = 0; i < r->regions; i++) {
        htmt__tape_add_region(r->copy, &r->region[i].named);
    }
    for (uint32_t i = 0; i < COMMON; i++)
        htmt__tape_add_region(r->copy, &common[i].region);
    htmt__tape_keep_program(r->copy, htmt__tape_units_program(r->recorder->units));
    r->recorder->regions = true;
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

static void end(struct htmt__op_recording *r, struct htmt__timed *timed)
{
    const bool any = r->entries || r->hooks.writer.next > r->hooks.writer.chunk;
    if (any)
        htmt__tape_put(&r->hooks.writer, htmt__tape_entry(HTMT__TAPE_END, 0, counts_of(r->kernel)));
    int rc = htmt__tape_close(&r->hooks.writer);
    timed->length = -1;
    if (r->copy && any)
        keep_regions(r);
    const bool good = any && !r->fault.code && !r->kernel->failed;
    if (good && r->taped && rc)
        tell(r, rc);
    if (good && !rc)
        timed->taped = r->taped;
    else
        htmt__taped_free(r->taped);
    if (good && r->node && !r->untimed) {
        timed->length = rc ? -1 : htmt__node_finish(r->node, &timed->account);
        if (timed->length < 0)
            tell(r, rc);
        else
            take_misses(r, timed);
    }
}

/* ---- spares ---------------------------------------------------------------------------------- */

static void recording_free(struct htmt__op_recording *r)
{
    if (r->node)
        htmt__node_free(r->node);
    free(r->region);
    free(r->named);
    free(r);
}

static struct htmt__op_recording *recording_new(struct htmt__op_recorder *recorder, uint32_t layer)
{
    struct htmt__op_recording *r = calloc(1, sizeof *r);
    const struct htmt__node_figures *figures = recorder->figures[layer];
    if (r && figures && !recorder->depends[layer] &&
        htmt__node_new(&r->node, figures, htmt__tape_units_program(recorder->units))) {
        free(r);
        r = NULL;
    }
    return r;
}

static struct htmt__op_recording *take(struct htmt__op_recorder *recorder, uint32_t layer)
{
    pthread_mutex_lock(&recorder->lock);
    struct htmt__op_recording *r = recorder->spare[layer];
    if (r)
        recorder->spare[layer] = r->next;
    pthread_mutex_unlock(&recorder->lock);
    return r ? r : recording_new(recorder, layer);
}

static void give(struct htmt__op_recorder *recorder, uint32_t layer, struct htmt__op_recording *r)
{
    pthread_mutex_lock(&recorder->lock);
    r->next = recorder->spare[layer];
    recorder->spare[layer] = r;
    pthread_mutex_unlock(&recorder->lock);
}

static void record(struct htmt__op_recording *r, struct htmt_kernel *k, struct htmt__timed *timed)
{
    k->tape = &r->hooks.writer;
    k->recording = r;
    run_parts(r, k, &timed->why);
    k->tape = NULL;
    k->recording = NULL;
    end(r, timed);
}

void htmt__op_recorder_run(struct htmt__op_recorder *recorder, struct htmt_kernel *k,
                           struct htmt__timed *timed, struct htmt_fault *fault)
{
    const uint32_t layer = k->layer;
    timed->length = -1;
    timed->why = NULL;
    timed->taped = NULL;
    const bool wanted = is_wanted(recorder, k);
    if (!recorder->figures[layer] && !wanted)
        return;
    struct htmt__op_recording *r = take(recorder, layer);
    if (r && begin(recorder, r, k, wanted))
        record(r, k, timed);
    if (r && r->fault.code)
        *fault = r->fault;
    else if (!r)
        htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a recording");
    if (r)
        give(recorder, layer, r);
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__op_recorder_create(struct htmt__op_recorder **recorder,
                             const struct htmt_machine *machine,
                             const struct htmt_operations *operations)
{
    struct htmt__op_recorder *r = calloc(1, sizeof *r);
    int rc = r ? htmt__tape_units_create(&r->units) : HTMT_ENOMEM;
    if (rc) {
        free(r);
        return rc;
    }
    r->operations = operations;
    pthread_mutex_init(&r->lock, NULL);
    htmt__taped_list_init(&r->taped);
    for (uint32_t l = 0; l < machine->layer_count; l++) {
        r->figures[l] = htmt__machine_node(machine, l);
        r->depends[l] = htmt__machine_node_depends(machine, l);
    }
    *recorder = r;
    return 0;
}

void htmt__op_recorder_destroy(struct htmt__op_recorder *recorder)
{
    if (!recorder)
        return;
    for (uint32_t l = 0; l < HTMT_LAYERS_MAX; l++)
        while (recorder->spare[l]) {
            struct htmt__op_recording *r = recorder->spare[l];
            recorder->spare[l] = r->next;
            recording_free(r);
        }
    htmt__taped_list_fini(&recorder->taped);
    pthread_mutex_destroy(&recorder->lock);
    htmt__tape_units_destroy(recorder->units);
    free(recorder);
}
