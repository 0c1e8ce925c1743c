/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi.so: ranks of a run over MPI.
 *
 * Ranks exchange at the end of each window of virtual time, each with every other one. Most of what
 * they hand over is a few parcels or nothing, so what counts is the number of messages and their
 * latency, not the bandwidth. Hence two ranks exchange one message each way while it is short: an
 * opening, which holds the number of all bytes and the first of them. A receiver need not know the
 * number before: the opening has a largest size. What is longer follows in pieces that both sides
 * compute from the number. An example, from rank 0 to rank 1: 100 bytes are one message of 108;
 * 3 GiB are an opening of 8 bytes, then pieces of 1, 1 and 1 GiB, because MPI counts by int.
 *
 * All requests of a step are started before the first one is waited for, so no order of ranks can
 * block another one.
 *
 * MPI belongs to the process, and so do the variables of this file.
 */
#define _GNU_SOURCE /* dladdr */
#include "emul/lib/plugin/mpi_part.h"

#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

/* The first message is one that Open MPI sends without asking the receiver: at most 4096 bytes
 * between processes of one host, its own header included. */
#define SHORT_MOST 3968u
#define PIECE_MOST ((size_t)1 << 30) /* MPI counts by int */

enum { EXCHANGE = 1 };

struct opening {
    uint64_t size; /* of all bytes */
    unsigned char bytes[SHORT_MOST];
};

/* What goes to another rank and comes from it. */
struct neighbour {
    struct opening out, in;
    unsigned char *came; /* all bytes, where they are more than the first message has */
    size_t room;
};

static struct {
    MPI_Comm all, beside; /* beside: those that share memory with this one */
    MPI_Win shared;
    int rank, count;
    struct neighbour *neighbour; /* of each rank */
    MPI_Request *request;        /* two for each of them */
} mpi;

/* ---- exchange -----------------------------------------------------------------------------------
 */

static bool is_short(uint64_t size)
{
    return size <= SHORT_MOST;
}

static int wait_all(int requests)
{
    return MPI_Waitall(requests, mpi.request, MPI_STATUSES_IGNORE) ? HTMT_ESYSTEM : 0;
}

static int exchange_openings(const struct htmt_bytes *to)
{
    int requests = 0;
    for (int i = 0; i < mpi.count; i++) {
        struct neighbour *n = &mpi.neighbour[i];
        const size_t carried = is_short(to[i].size) ? to[i].size : 0;
        if (i == mpi.rank)
            continue;
        n->out.size = to[i].size;
        if (carried)
            memcpy(n->out.bytes, to[i].at, carried);
        if (MPI_Irecv(&n->in, sizeof n->in, MPI_BYTE, i, EXCHANGE, mpi.all,
                      &mpi.request[requests++]) ||
            MPI_Isend(&n->out, (int)(offsetof(struct opening, bytes) + carried), MPI_BYTE, i,
                      EXCHANGE, mpi.all, &mpi.request[requests++]))
            return HTMT_ESYSTEM;
    }
    return wait_all(requests);
}

/* For all bytes that a neighbour announces; half as much again, so that it seldom grows. */
static int make_room(struct neighbour *n)
{
    size_t size = n->in.size;
    if (is_short(size) || size <= n->room)
        return 0;
    free(n->came);
    n->room = size + size / 2;
    n->came = malloc(n->room);
    n->room = n->came ? n->room : 0;
    return n->came ? 0 : HTMT_ESYSTEM;
}

/* Bytes of this size that go in the piece from `at` on. */
static int piece(uint64_t size, size_t at)
{
    if (is_short(size) || at >= size)
        return 0;
    return (int)(size - at < PIECE_MOST ? size - at : PIECE_MOST);
}

/* What the openings could not carry: one piece of each pair of ranks at a time. */
static int exchange_rest(const struct htmt_bytes *to)
{
    int rc = 0, requests = 1;
    for (size_t at = 0; requests && !rc; at += PIECE_MOST) {
        requests = 0;
        for (int i = 0; i < mpi.count && !rc; i++) {
            struct neighbour *n = &mpi.neighbour[i];
            const int out = i == mpi.rank ? 0 : piece(to[i].size, at);
            const int in = i == mpi.rank ? 0 : piece(n->in.size, at);
            if (in)
                rc |= MPI_Irecv(n->came + at, in, MPI_BYTE, i, EXCHANGE, mpi.all,
                                &mpi.request[requests++]);
            if (out)
                rc |= MPI_Isend((const unsigned char *)to[i].at + at, out, MPI_BYTE, i, EXCHANGE,
                                mpi.all, &mpi.request[requests++]);
        }
        rc = rc ? HTMT_ESYSTEM : wait_all(requests);
    }
    return rc;
}

static int exchange(void *self, const struct htmt_bytes *to, struct htmt_bytes *from)
{
    struct neighbour *own = &mpi.neighbour[mpi.rank];
    const struct htmt_bytes *kept = &to[mpi.rank];
    (void)self;
    own->in.size = kept->size;
    int rc = make_room(own);
    if (!rc && kept->size)
        memcpy(is_short(kept->size) ? own->in.bytes : own->came, kept->at, kept->size);
    if (!rc)
        rc = exchange_openings(to);
    for (int i = 0; i < mpi.count && !rc; i++)
        rc = make_room(&mpi.neighbour[i]);
    if (!rc)
        rc = exchange_rest(to);
    for (int i = 0; i < mpi.count && !rc; i++) {
        const struct neighbour *n = &mpi.neighbour[i];
        from[i] = (struct htmt_bytes){is_short(n->in.size) ? n->in.bytes : n->came, n->in.size};
    }
    return rc;
}

/* ---- join and leave -----------------------------------------------------------------------------
 */

static bool start(void)
{
    int given;
    Dl_info of;
    /* The parts that Open MPI loads find its symbols only where all see them, which those of a
     * plug-in's libraries are not. */
    if (dladdr((const void *)(uintptr_t)&MPI_Init_thread, &of))
        dlopen(of.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) == 0 &&
           given >= MPI_THREAD_SERIALIZED && MPI_Comm_dup(MPI_COMM_WORLD, &mpi.all) == 0 &&
           MPI_Comm_set_errhandler(mpi.all, MPI_ERRORS_RETURN) == 0 &&
           MPI_Comm_rank(mpi.all, &mpi.rank) == 0 && MPI_Comm_size(mpi.all, &mpi.count) == 0;
}

/* A flag that the ranks of one host share; the first of them has its memory. *told: the flag on the
 * host of rank 0, NULL elsewhere. */
static bool share(atomic_bool **told)
{
    int beside = 0, lowest = mpi.rank, unit;
    MPI_Aint size = sizeof **told;
    void *at;
    if (MPI_Comm_split_type(mpi.all, MPI_COMM_TYPE_SHARED, mpi.rank, MPI_INFO_NULL, &mpi.beside) ||
        MPI_Comm_rank(mpi.beside, &beside) ||
        MPI_Win_allocate_shared(beside ? 0 : size, 1, MPI_INFO_NULL, mpi.beside, &at,
                                &mpi.shared) ||
        MPI_Win_shared_query(mpi.shared, 0, &size, &unit, &at))
        return false;
    if (!beside)
        atomic_init((atomic_bool *)at, false);
    bool shared =
        MPI_Bcast(&lowest, 1, MPI_INT, 0, mpi.beside) == 0 && MPI_Barrier(mpi.beside) == 0;
    *told = lowest == 0 ? at : NULL;
    return shared;
}

static int join(struct htmt_ranks *ranks, atomic_bool **told)
{
    if (!start() || !share(told))
        return HTMT_ESYSTEM;
    mpi.neighbour = calloc((size_t)mpi.count, sizeof *mpi.neighbour);
    mpi.request = calloc(2 * (size_t)mpi.count, sizeof *mpi.request);
    if (!mpi.neighbour || !mpi.request)
        return HTMT_ENOMEM;
    *ranks = htmt_ranks_init();
    ranks->rank = (uint32_t)mpi.rank;
    ranks->count = (uint32_t)mpi.count;
    ranks->exchange = exchange;
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All ranks learn of the first fault of any. Ranks may come much later than the first one, which
 * leaves its processor to others meanwhile: it sleeps between two looks. */
static bool agree(double seconds, struct htmt_fault *fault, uint32_t *rank)
{
    const struct timespec nap = {.tv_nsec = 200000};
    struct htmt_fault *all = calloc((size_t)mpi.count, sizeof *all);
    MPI_Request request;
    int done = 0;
    if (!all || MPI_Iallgather(fault, sizeof *fault, MPI_BYTE, all, sizeof *fault, MPI_BYTE,
                               mpi.all, &request))
        return false;
    const double until = fault->code ? now() + seconds : HUGE_VAL;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == 0 && !done && now() < until)
        nanosleep(&nap, NULL);
    if (!done)
        return false; /* MPI may still write into `all` */
    for (int i = mpi.count - 1; i >= 0; i--)
        if (all[i].code) {
            *fault = all[i];
            *rank = (uint32_t)i;
        }
    free(all);
    return true;
}

static void leave(void)
{
    MPI_Win_free(&mpi.shared);
    MPI_Comm_free(&mpi.beside);
    MPI_Comm_free(&mpi.all);
    MPI_Finalize();
    for (int i = 0; i < mpi.count; i++)
        free(mpi.neighbour[i].came);
    free(mpi.neighbour);
    free(mpi.request);
}

static void end_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

const struct htmt__ranks_part htmt_mpi = {join, agree, leave, end_all};
