/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks are called by code of htmt-cc, millions of times a second. A recording remembers the region
 * of each place by a few bits of the address.
 */
#include "parcels/data/recorder.h"

#include "layers/machine/machine.h"
#include "layers/machine/nodes.h"
#include "layers/node/node.h"
#include "parcels/data/kernel.h"
#include "runtime/host/tape_units.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS     64u
#define SLOT_BITS 10 /* of an address, that do not choose its slot */
#define PAGE      4096u
#define STEP      16u /* bytes of a step of a copy */
/* htmt_constants(), above all images. */
#define CONSTANTS (HTMT__TAPE_IMAGE + (UINT64_C(1) << 43))

/* Memory of the host, and what it is to the model. */
struct place {
    uintptr_t at;
    uint64_t bytes, model;
};

struct region {
    struct place place;
    char name[40];
};

/* One service; kept for the next one of its layer. */
struct htmt__recording {
    struct htmt__recording *next;
    struct htmt__tape_writer writer;
    struct place slot[SLOTS];
    const uint64_t *block; /* the last one */
    struct htmt__op_recorder *recorder;
    struct htmt_kernel *kernel;
    struct htmt__node *node; /* NULL: it is written, not timed */
    struct htmt__tape *copy; /* NULL: nobody wants it */
    struct region *region;
    uint32_t regions, room;
    uint64_t entries, constants;
    uintptr_t entry; /* the stack where the kernel begins */
    bool refused;
};

struct htmt__op_recorder {
    struct htmt__tape_units *units;
    const struct htmt_operations *operations;
    const struct htmt__node_figures *figures[HTMT_LAYERS_MAX]; /* NULL: no inside */
    pthread_mutex_t lock;
    struct htmt__recording *spare[HTMT_LAYERS_MAX];
    bool taken; /* the service that is wanted as a tape */
};

/* What this thread records; `stray`: its kernel was not compiled by htmt-cc. */
static _Thread_local struct htmt__recording *current __attribute__((tls_model("initial-exec")));
static _Thread_local struct htmt_kernel *stray __attribute__((tls_model("initial-exec")));

/* ---- what is wrong --------------------------------------------------------------------------- */

__attribute__((cold, noinline)) static void refuse(struct htmt__recording *r, const char *what)
{
    char place[200] = "";
    uint32_t access = 0;
    const uint64_t *at = r->writer.next;
    if (r->refused)
        return;
    r->refused = true;
    while (at > r->writer.chunk && htmt__tape_kind(at[-1]) != HTMT__TAPE_BLOCK) {
        access++;
        at--;
    }
    const uint32_t block = r->block ? (uint32_t)htmt__tape_address(*r->block) : 0;
    htmt__tape_units_place(r->recorder->units, block, at > r->writer.chunk ? access : UINT32_MAX,
                           place, sizeof place);
    htmt_kernel_fail(r->kernel, HTMT_EINVAL, "%s: %s", place, what);
}

/* A hook where nothing is recorded: of a program's other code, or of a kernel in part. */
__attribute__((cold, noinline)) static void outside(const uint64_t *block)
{
    struct htmt_kernel *k = stray;
    stray = NULL;
    if (k)
        htmt_kernel_fail(k, HTMT_EINVAL,
                         "the kernel was not compiled by htmt-cc, but it calls a function that was "
                         "(block %llu): its operations would be recorded in part",
                         block ? (unsigned long long)htmt__tape_address(*block) : 0);
}

/* ---- places ---------------------------------------------------------------------------------- */

static inline struct place *slot_of(struct htmt__recording *r, uintptr_t at)
{
    return &r->slot[at >> SLOT_BITS & (SLOTS - 1)];
}

static inline bool is_in(const struct place *p, uintptr_t at, uint64_t bytes)
{
    const uint64_t offset = at - p->at;
    return offset < p->bytes && bytes <= p->bytes - offset;
}

/* From the frame of this function, which lies below the kernel's, to the kernel's entry. */
static struct place stack_of(const struct htmt__recording *r)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const uint64_t bytes = r->entry - here;
    return (struct place){here, bytes, HTMT__TAPE_STACK + HTMT__RECORDER_STACK - bytes};
}

static bool find_image(const struct htmt__recording *r, uintptr_t at, struct place *found)
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

static bool find_place(const struct htmt__recording *r, uintptr_t at, struct place *found)
{
    for (uint32_t i = 0; i < r->regions; i++)
        if (at - r->region[i].place.at < r->region[i].place.bytes) {
            *found = r->region[i].place;
            return true;
        }
    *found = stack_of(r);
    return at - found->at < found->bytes || find_image(r, at, found);
}

__attribute__((cold, noinline)) static void
put_other(struct htmt__recording *r, enum htmt__tape_kind kind, uintptr_t at, uint64_t bytes)
{
    struct place found;
    if (!find_place(r, at, &found) || !is_in(&found, at, bytes)) {
        refuse(r, kind == HTMT__TAPE_LOAD
                      ? "reads memory outside the closure; constants of the program are declared "
                        "by htmt_constants()"
                      : "writes memory outside the closure");
        return;
    }
    *slot_of(r, at) = found;
    htmt__tape_put(&r->writer,
                   htmt__tape_entry(kind, (unsigned)bytes, found.model + (at - found.at)));
}

/* ---- hooks ----------------------------------------------------------------------------------- */

static inline void put(enum htmt__tape_kind kind, const void *place, uint64_t bytes)
{
    struct htmt__recording *r = current;
    const uintptr_t at = (uintptr_t)place;
    if (__builtin_expect(!r, 0)) {
        if (stray)
            outside(NULL);
        return;
    }
    const struct place *p = slot_of(r, at);
    if (__builtin_expect(is_in(p, at, bytes), 1))
        htmt__tape_put(&r->writer,
                       htmt__tape_entry(kind, (unsigned)bytes, p->model + (at - p->at)));
    else
        put_other(r, kind, at, bytes);
}

/* Called by code of htmt-cc. */
void htmt__rec_block(const uint64_t *entry);
void htmt__rec_load1(const void *at);
void htmt__rec_load2(const void *at);
void htmt__rec_load4(const void *at);
void htmt__rec_load8(const void *at);
void htmt__rec_load16(const void *at);
void htmt__rec_store1(const void *at);
void htmt__rec_store2(const void *at);
void htmt__rec_store4(const void *at);
void htmt__rec_store8(const void *at);
void htmt__rec_store16(const void *at);
void htmt__rec_load(const void *at, uint64_t bytes);
void htmt__rec_store(const void *at, uint64_t bytes);
void htmt__rec_copy(const void *to, const void *from, uint64_t bytes);
void htmt__rec_callee(const void *function);

void htmt__rec_block(const uint64_t *entry)
{
    struct htmt__recording *r = current;
    if (__builtin_expect(!r, 0)) {
        if (stray)
            outside(entry);
        return;
    }
    r->block = entry;
    htmt__tape_put(&r->writer, *entry);
}

void htmt__rec_load1(const void *at)
{
    put(HTMT__TAPE_LOAD, at, 1);
}

void htmt__rec_load2(const void *at)
{
    put(HTMT__TAPE_LOAD, at, 2);
}

void htmt__rec_load4(const void *at)
{
    put(HTMT__TAPE_LOAD, at, 4);
}

void htmt__rec_load8(const void *at)
{
    put(HTMT__TAPE_LOAD, at, 8);
}

void htmt__rec_load16(const void *at)
{
    put(HTMT__TAPE_LOAD, at, 16);
}

void htmt__rec_store1(const void *at)
{
    put(HTMT__TAPE_STORE, at, 1);
}

void htmt__rec_store2(const void *at)
{
    put(HTMT__TAPE_STORE, at, 2);
}

void htmt__rec_store4(const void *at)
{
    put(HTMT__TAPE_STORE, at, 4);
}

void htmt__rec_store8(const void *at)
{
    put(HTMT__TAPE_STORE, at, 8);
}

void htmt__rec_store16(const void *at)
{
    put(HTMT__TAPE_STORE, at, 16);
}

void htmt__rec_load(const void *at, uint64_t bytes)
{
    put(HTMT__TAPE_LOAD, at, bytes);
}

void htmt__rec_store(const void *at, uint64_t bytes)
{
    put(HTMT__TAPE_STORE, at, bytes);
}

void htmt__rec_copy(const void *to, const void *from, uint64_t bytes)
{
    static const uint64_t copy = (uint64_t)HTMT__TAPE_BLOCK << 60 | HTMT__TAPE_COPY;
    static const uint64_t fill = (uint64_t)HTMT__TAPE_BLOCK << 60 | HTMT__TAPE_FILL;
    for (uint64_t i = 0; current && i < bytes; i += STEP) {
        const uint64_t n = bytes - i < STEP ? bytes - i : STEP;
        htmt__tape_put(&current->writer, from ? copy : fill);
        if (from)
            put(HTMT__TAPE_LOAD, (const char *)from + i, n);
        put(HTMT__TAPE_STORE, (const char *)to + i, n);
    }
}

void htmt__rec_callee(const void *function)
{
    char why[200];
    if (current && htmt__tape_units_knows(current->recorder->units, function, why, sizeof why) !=
                       HTMT__TAPE_WHOLE)
        refuse(current, "calls a function by a pointer that is not recorded");
}

/* ---- regions --------------------------------------------------------------------------------- */

static void add_region(struct htmt__recording *r, const void *at, uint64_t bytes, uint64_t model,
                       const char *what, uint32_t number)
{
    if (!at || !bytes)
        return;
    if (r->regions == r->room) {
        const uint32_t room = r->room ? 2 * r->room : 32;
        struct region *more = reallocarray(r->region, room, sizeof *more);
        if (!more) {
            htmt_kernel_fail(r->kernel, HTMT_ENOMEM, NULL);
            return;
        }
        r->region = more;
        r->room = room;
    }
    struct region *one = &r->region[r->regions++];
    one->place = (struct place){(uintptr_t)at, bytes, model};
    snprintf(one->name, sizeof one->name, "%s %u", what, number);
}

static void add_views(struct htmt__recording *r)
{
    const struct htmt_kernel *k = r->kernel;
    for (uint32_t i = 0; i < k->regions + k->uses; i++) {
        const struct htmt__view *v = &k->view[i];
        add_region(r, v->bytes, v->size, v->model, i < k->regions ? "region" : "use",
                   i < k->regions ? i : i - k->regions);
    }
    add_region(r, k->args, k->args_bytes, HTMT__TAPE_ARGUMENTS, "arguments", 0);
    add_region(r, k->result, k->result_bytes, HTMT__TAPE_ARGUMENTS + HTMT__ARGS_MAX, "result", 0);
}

void htmt__op_recorder_constants(struct htmt__recording *rec, const void *at, uint64_t bytes)
{
    add_region(rec, at, bytes, CONSTANTS + rec->constants, "constants", 0);
    rec->constants += (bytes + 63) & ~UINT64_C(63);
    memset(rec->slot, 0, sizeof rec->slot);
}

/* ---- a service ------------------------------------------------------------------------------- */

static int play(void *user, const uint64_t *entries, size_t n)
{
    struct htmt__recording *r = user;
    int rc = r->copy ? htmt__tape_append(r->copy, entries, n) : 0;
    r->entries += n;
    return rc || !r->node ? rc : htmt__node_play(r->node, entries, n);
}

/* The frame of this function is the kernel's entry. */
__attribute__((noinline)) static void enter(struct htmt__recording *r, struct htmt_kernel *k)
{
    r->entry = (uintptr_t)__builtin_frame_address(0);
    k->run(k);
    __asm__ volatile("" ::: "memory");
}

/* From an address that is the same in its page on every run: frames align themselves. */
__attribute__((noinline)) static void enter_aligned(struct htmt__recording *r,
                                                    struct htmt_kernel *k)
{
    const size_t pad = (uintptr_t)__builtin_frame_address(0) & (PAGE - 1);
    char *room = __builtin_alloca(pad + 16);
    __asm__ volatile("" : : "r"(room) : "memory");
    enter(r, k);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static void run_parts(struct htmt__recording *r, struct htmt_kernel *k)
{
    char why[200];
    const enum htmt__tape_recorded known = htmt__tape_units_knows(
        r->recorder->units, (const void *)(uintptr_t)k->run, why, sizeof why);
    current = known == HTMT__TAPE_WHOLE ? r : NULL;
    stray = known == HTMT__TAPE_UNKNOWN ? k : NULL;
    for (; k->part < k->end; k->part++)
        enter_aligned(r, k);
    current = NULL;
    stray = NULL;
}

static bool begin(struct htmt__op_recorder *recorder, struct htmt__recording *r,
                  struct htmt_kernel *k)
{
    const struct htmt_operations *o = recorder->operations;
    r->recorder = recorder;
    r->kernel = k;
    r->regions = 0;
    r->entries = r->constants = 0;
    r->refused = false;
    r->block = NULL;
    r->copy = NULL;
    memset(r->slot, 0, sizeof r->slot);
    if (o->tape && !recorder->taken && strcmp(k->type, o->type) == 0 && k->run)
        r->copy = o->tape;
    add_views(r);
    if (r->node)
        htmt__node_start(r->node, false);
    return htmt__tape_open(&r->writer, play, r) == 0;
}

static void keep_regions(struct htmt__recording *r)
{
    for (uint32_t i = 0; i < r->regions; i++) {
        struct htmt__tape_region region = {.at = r->region[i].place.model,
                                           .bytes = r->region[i].place.bytes};
        memcpy(region.name, r->region[i].name, sizeof region.name);
        htmt__tape_add_region(r->copy, &region);
    }
    r->recorder->taken = true;
}

static void tell(struct htmt__recording *r, int rc)
{
    const char *unknown = r->node ? htmt__node_unknown(r->node) : NULL;
    if (unknown)
        htmt_kernel_fail(r->kernel, HTMT_EINVAL,
                         "operation %s came up, and the processor's inside has no latency for it",
                         unknown);
    else
        htmt_kernel_fail(r->kernel, rc ? rc : HTMT_EOVERFLOW, NULL);
}

static void end(struct htmt__recording *r, struct htmt__timed *timed)
{
    const bool any = r->entries || r->writer.next > r->writer.chunk;
    if (any)
        htmt__tape_put(&r->writer, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
    int rc = htmt__tape_close(&r->writer);
    timed->length = -1;
    if (r->copy && any)
        keep_regions(r);
    if (any && r->node && !r->kernel->failed) {
        timed->length = rc ? -1 : htmt__node_finish(r->node, &timed->account);
        if (timed->length < 0)
            tell(r, rc);
    }
}

/* ---- spares ---------------------------------------------------------------------------------- */

static void recording_free(struct htmt__recording *r)
{
    if (r->node)
        htmt__node_free(r->node);
    free(r->region);
    free(r);
}

static struct htmt__recording *recording_new(struct htmt__op_recorder *recorder, uint32_t layer)
{
    struct htmt__recording *r = calloc(1, sizeof *r);
    const struct htmt__node_figures *figures = recorder->figures[layer];
    if (r && figures &&
        htmt__node_new(&r->node, figures, htmt__tape_units_program(recorder->units))) {
        free(r);
        r = NULL;
    }
    return r;
}

static struct htmt__recording *take(struct htmt__op_recorder *recorder, uint32_t layer)
{
    pthread_mutex_lock(&recorder->lock);
    struct htmt__recording *r = recorder->spare[layer];
    if (r)
        recorder->spare[layer] = r->next;
    pthread_mutex_unlock(&recorder->lock);
    return r ? r : recording_new(recorder, layer);
}

static void give(struct htmt__op_recorder *recorder, uint32_t layer, struct htmt__recording *r)
{
    pthread_mutex_lock(&recorder->lock);
    r->next = recorder->spare[layer];
    recorder->spare[layer] = r;
    pthread_mutex_unlock(&recorder->lock);
}

void htmt__op_recorder_run(struct htmt__op_recorder *recorder, struct htmt_kernel *k,
                           struct htmt__timed *timed)
{
    const uint32_t layer = k->layer;
    struct htmt__recording *r = take(recorder, layer);
    timed->length = -1;
    if (!r || !begin(recorder, r, k)) {
        htmt_kernel_fail(k, HTMT_ENOMEM, NULL);
        return;
    }
    k->tape = &r->writer;
    k->recording = r;
    run_parts(r, k);
    end(r, timed);
    k->tape = NULL;
    k->recording = NULL;
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
    for (uint32_t l = 0; l < machine->layer_count; l++)
        r->figures[l] = htmt__machine_node(machine, l);
    *recorder = r;
    return 0;
}

void htmt__op_recorder_destroy(struct htmt__op_recorder *recorder)
{
    if (!recorder)
        return;
    for (uint32_t l = 0; l < HTMT_LAYERS_MAX; l++)
        while (recorder->spare[l]) {
            struct htmt__recording *r = recorder->spare[l];
            recorder->spare[l] = r->next;
            recording_free(r);
        }
    pthread_mutex_destroy(&recorder->lock);
    htmt__tape_units_destroy(recorder->units);
    free(recorder);
}
