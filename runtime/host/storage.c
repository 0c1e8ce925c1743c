/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Storages: bytes that jobs read and write, and the lists of who does so.
 *
 * A freed storage keeps its bytes and waits in the list of its size class, most recently used
 * first: pages that were touched before cost less than a copy, fresh ones cost more. Beyond
 * CACHED_MAX bytes in those lists, bytes go back to the arena; the record stays, bare.
 *
 * Objects move from slice to slice, and with them a storage from host to host. Where they go one
 * way only, the one host would make storages for ever and the other one keep them; so a host counts
 * those of each class that joined it, and beyond FOREIGN_MAX bytes each one that joins replaces one
 * of its own free ones.
 *
 * On a checked host the pages of a storage are readable or writable only while a job that said so
 * runs (`open`), or while the clock looks (`held`, until it issues the next job). One job runs at a
 * time then, under the gate: page protection is the process's, not a thread's.
 */
#include "runtime/host/host_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CACHED_MAX ((size_t)256 << 20) /* bytes in free lists; the rest goes back to the arena */
#define SMALLEST   64
/* Bytes that a host keeps beyond those that it made itself. Where storages of a class go one way,
 * or either way at random, the one host makes new ones while the other one keeps the old. */
#define FOREIGN_MAX ((size_t)256 << 10)

/* ---- size classes ----------------------------------------------------------------------------
 *
 * A program of dataflow makes and drops bytes of the same few sizes over and over: blocks of a
 * matrix, records, results. What one parcel has dropped should serve the next one, with pages that
 * are mapped and perhaps still in a cache. So sizes are rounded up to classes, four to a doubling,
 * and each class has a list of free storages: the last one freed is the first one taken.
 *
 * Classes 1, 2, ...: 64, 80, 96, 112, 128, 160, ... bytes. At most a fifth is lost to rounding (65
 * bytes take 80), a tenth on average. By hand, 100 bytes: 99 is 1100011 in binary, so the highest
 * bit is bit 6 and the two behind it are 10, which is 2; the class is (6 - 6) * 4 + 2 + 2 = 4. Back
 * again: (4 + 3) << 4 = 112 bytes. Both ways are a few shifts, without a table. */
static unsigned class_of(size_t size)
{
    if (size <= SMALLEST)
        return 1;
    unsigned top = 63u - (unsigned)__builtin_clzll(size - 1);
    return (top - 6) * 4 + (unsigned)(((size - 1) >> (top - 2)) & 3) + 2;
}

static size_t class_size(unsigned class)
{
    return (size_t)(4 + (class - 1) % 4) << (4 + (class - 1) / 4);
}

/* Protection is of whole pages. */
static size_t unit_of(const struct htmt__host *host)
{
    return host->checked ? host->page : SMALLEST;
}

/* mprotect of whole pages that are ours fails only when the kernel runs out of mappings; going on
 * unprotected would break the promise of a checked host, so it ends here. */
static void protect(struct htmt__host *host, struct htmt__storage *s)
{
    if (!host->checked || s->class == HTMT__BARE)
        return;
    unsigned use = s->open | s->held;
    int how = use & HTMT__WRITE ? PROT_READ | PROT_WRITE : use ? PROT_READ : PROT_NONE;
    if (mprotect(s->bytes, s->room, how))
        abort();
}

static void set_access(struct htmt__host *host, struct htmt__storage *s, unsigned open,
                       unsigned held)
{
    if (s->open == open && s->held == held)
        return;
    s->open = open;
    s->held = held;
    protect(host, s);
}

void htmt__storage_open(struct htmt__host *host, struct htmt__job *job)
{
    pthread_mutex_lock(&host->gate);
    for (unsigned i = 0; i < job->use_count; i++)
        set_access(host, job->use[i].storage, job->use[i].use, job->use[i].storage->held);
}

void htmt__storage_close(struct htmt__host *host, struct htmt__job *job)
{
    for (unsigned i = 0; i < job->use_count; i++)
        set_access(host, job->use[i].storage, 0, job->use[i].storage->held);
    pthread_mutex_unlock(&host->gate);
}

void htmt__storage_hold(struct htmt__host *host, struct htmt__storage *s, unsigned use)
{
    if (!s->held) {
        s->held_next = host->held;
        host->held = s;
    }
    pthread_mutex_lock(&host->gate);
    set_access(host, s, s->open, s->held | use);
    pthread_mutex_unlock(&host->gate);
}

void htmt__storage_let_go(struct htmt__host *host)
{
    if (!host->held)
        return;
    pthread_mutex_lock(&host->gate);
    for (; host->held; host->held = host->held->held_next)
        set_access(host, host->held, host->held->open, 0);
    pthread_mutex_unlock(&host->gate);
}

static void enlist(struct htmt__host *host, struct htmt__storage *s)
{
    s->all_next = host->all_storages;
    s->all_at = &host->all_storages;
    if (s->all_next)
        s->all_next->all_at = &s->all_next;
    host->all_storages = s;
}

static void delist(struct htmt__storage *s)
{
    *s->all_at = s->all_next;
    if (s->all_next)
        s->all_next->all_at = s->all_at;
}

static struct htmt__storage *bare(struct htmt__host *host)
{
    struct htmt__storage *s = host->free_storage[HTMT__BARE];
    if (s) {
        host->free_storage[HTMT__BARE] = s->free_next;
        return s;
    }
    s = htmt__record_alloc(sizeof *s);
    if (s)
        enlist(host, s);
    return s;
}

static void put_back(struct htmt__host *host, struct htmt__storage *s)
{
    s->free_next = host->free_storage[s->class];
    host->free_storage[s->class] = s;
}

static struct htmt__storage *fresh(struct htmt__host *host, unsigned class, bool zeroed)
{
    const size_t unit = unit_of(host), room = (class_size(class) + unit - 1) & ~(unit - 1);
    struct htmt__storage *s = bare(host);
    if (!s)
        return NULL;
    pthread_mutex_lock(&host->main->pages);
    s->bytes = htmt__arena_alloc(&host->main->arena, unit, room, zeroed);
    pthread_mutex_unlock(&host->main->pages);
    s->class = s->bytes ? class : HTMT__BARE;
    s->room = s->bytes ? room : s->room;
    if (s->bytes)
        return s;
    put_back(host, s);
    return NULL;
}

static struct htmt__storage *warm(struct htmt__host *host, unsigned class, size_t size, bool zeroed)
{
    struct htmt__storage *s = host->free_storage[class];
    host->free_storage[class] = s->free_next;
    host->cached -= s->room;
    HTMT__UNPOISON(s->bytes, size);
    s->open = HTMT__READ | HTMT__WRITE;
    if (zeroed) {
        protect(host, s);
        memset(s->bytes, 0, size);
    }
    return s;
}

static void count_bytes(struct htmt__host *host, const struct htmt__storage *s)
{
    host->storage += s->room;
    if (host->storage > host->counts.storage_peak)
        host->counts.storage_peak = host->storage;
    if (!s->transient)
        return;
    host->transient += s->room;
    if (host->transient > host->counts.transient_peak)
        host->counts.transient_peak = host->transient;
}

struct htmt__storage *htmt__storage_create(struct htmt__host *host, size_t bytes, bool zeroed,
                                           bool transient)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    unsigned class = class_of(bytes);
    struct htmt__storage *s =
        host->free_storage[class] ? warm(host, class, bytes, zeroed) : fresh(host, class, zeroed);
    if (!s)
        return NULL;
    s->size = bytes;
    s->transient = transient;
    s->dropped = false;
    s->tag = NULL;
    s->open = 0;
    protect(host, s);
    HTMT__POISON((char *)s->bytes + bytes, s->room - bytes);
    count_bytes(host, s);
    return s;
}

struct htmt__storage *htmt__storage_wrap(struct htmt__host *host, void *bytes, size_t size)
{
    struct htmt__storage *s = bare(host);
    if (!s)
        return NULL;
    s->bytes = bytes;
    s->size = size;
    s->room = 0;
    s->class = HTMT__BARE;
    s->transient = s->dropped = false;
    s->tag = NULL;
    return s;
}

/* Give the bytes back to the arena; what remains is a bare record. */
static void strip(struct htmt__host *host, struct htmt__storage *s)
{
    s->open = HTMT__READ | HTMT__WRITE;
    protect(host, s);
    s->open = 0;
    HTMT__UNPOISON(s->bytes, s->room);
    pthread_mutex_lock(&host->main->pages);
    htmt__arena_free(&host->main->arena, s->bytes, unit_of(host), s->room);
    pthread_mutex_unlock(&host->main->pages);
    s->bytes = NULL;
    s->class = HTMT__BARE;
}

/* No job uses it, so only the clock's thread can hold it. */
static void free_storage(struct htmt__host *host, struct htmt__storage *s)
{
    if (s->held) {
        struct htmt__storage **at = &host->held;
        while (*at != s)
            at = &(*at)->held_next;
        *at = s->held_next;
        set_access(host, s, 0, 0);
    }
    host->storage -= s->room;
    host->transient -= s->transient ? s->room : 0;
    if (s->class != HTMT__BARE && s->room > CACHED_MAX - host->cached)
        strip(host, s);
    if (s->class != HTMT__BARE) {
        host->cached += s->room;
        HTMT__POISON(s->bytes, s->room);
    }
    put_back(host, s);
}

void htmt__storage_drop(struct htmt__host *host, struct htmt__storage *s)
{
    s->dropped = true;
    if (!s->users)
        free_storage(host, s);
    else if (s->transient)
        host->zombie += s->room;
}

void htmt__storage_part(struct htmt__host *host, struct htmt__storage *s)
{
    if (host->foreign[s->class]) {
        host->foreign[s->class]--;
        host->foreign_bytes -= class_size(s->class);
    }
    delist(s);
    host->storage -= s->room;
    host->transient -= s->transient ? s->room : 0;
}

void htmt__storage_join(struct htmt__host *host, struct htmt__storage *s)
{
    const unsigned class = s->class;
    if (class != HTMT__BARE && class_size(class) <= FOREIGN_MAX - host->foreign_bytes) {
        host->foreign[class]++;
        host->foreign_bytes += class_size(class);
    } else if (class != HTMT__BARE && host->free_storage[class]) {
        /* The one that was used last goes: its pages may serve another host now. */
        struct htmt__storage *old = host->free_storage[class];
        host->free_storage[class] = old->free_next;
        host->cached -= old->room;
        strip(host, old);
        delist(old);
        free(old);
    }
    enlist(host, s);
    count_bytes(host, s);
}

void *htmt__storage_bytes(struct htmt__storage *s)
{
    return s->bytes;
}

void **htmt__storage_tag(struct htmt__storage *s)
{
    return &s->tag;
}

bool htmt__storage_wrapped(const struct htmt__storage *storage)
{
    return storage->class == HTMT__BARE;
}

size_t htmt__storage_size(const struct htmt__storage *s)
{
    return s->size;
}

/* ---- who uses it -----------------------------------------------------------------------------
 *
 * The lists of a storage say for whom the next job must wait (job.c): the jobs since the last one
 * that wrote all bytes, that one included. Older ones need not stand there. Whoever comes later
 * waits for the one that wrote everything, and that one has waited for all of them.
 *
 * By hand, with x as the storage of a matrix:
 *
 *     job 1 writes all of x          writers 1            readers -
 *     job 2 reads row 0              writers 1            readers 2        waits for 1
 *     job 3 writes row 1             writers 3 1          readers 2        waits for 1
 *     job 4 writes row 0             writers 4 3 1        readers 2        waits for 1 and 2
 *     job 5 writes all of x          writers 5            readers -        waits for 1, 2, 3, 4
 *
 * A use that was pushed out so stays counted (`users`): the bytes live until its job is reaped. It
 * is marked as not listed, since its neighbours in the list may be gone before it.
 *
 * Cost: a job pays for each use that is listed, so a storage that is never written as a whole is
 * dear while many jobs are under way; reaped jobs leave the lists. */

/* Who writes everything takes over: the edges to all others are made already. */
void htmt__storage_used(struct htmt__use_of *u)
{
    if (u->use & HTMT__WRITE && htmt__extent_whole(&u->extent)) {
        for (struct htmt__use_of *w = u->storage->writers; w; w = w->next)
            w->listed = false;
        for (struct htmt__use_of *r = u->storage->readers; r; r = r->next)
            r->listed = false;
        u->storage->writers = u->storage->readers = NULL;
    }
    struct htmt__use_of **list = htmt__storage_users(u);
    u->listed = true;
    u->prev = NULL;
    u->next = *list;
    if (u->next)
        u->next->prev = u;
    *list = u;
}

void htmt__storage_unused(struct htmt__host *host, struct htmt__use_of *u)
{
    struct htmt__storage *s = u->storage;
    if (u->listed) {
        if (u->next)
            u->next->prev = u->prev;
        if (u->prev)
            u->prev->next = u->next;
        else
            *htmt__storage_users(u) = u->next;
        u->listed = false;
    }
    if (--s->users || !s->dropped)
        return;
    host->zombie -= s->transient ? s->room : 0;
    free_storage(host, s);
}

void htmt__storage_free_all(struct htmt__host *host)
{
    struct htmt__storage *next;
    for (struct htmt__storage *s = host->all_storages; s; s = next) {
        next = s->all_next;
        s->held = 0;
        if (s->class != HTMT__BARE)
            strip(host, s);
        free(s);
    }
}
