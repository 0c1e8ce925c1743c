/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: posts that wait, and who serves them (parcels/post.h). What a queue keeps of
 * a post is its payload. A model that plays the processors of a layer itself (struct
 * htmt__post_server) has queues of its own, of the same payloads, and runs controls through the
 * calls below.
 */
#ifndef HTMT_PARCELS_MESSAGE_POST_H
#define HTMT_PARCELS_MESSAGE_POST_H

#include "layers/machine/queues.h"
#include "parcels/post.h"
#include "parcels/walk/entity.h"

/* ---- payloads -------------------------------------------------------------------------------- */

/* A queue keeps the head and as many bytes of arguments as there are, in units of 8. */
struct htmt__post {
    uint32_t sender; /* slice */
    uint16_t type;   /* its number among those that can be posted */
    uint16_t bytes;  /* of args */
    _Alignas(8) unsigned char args[HTMT_POST_BYTES];
};
#define HTMT__POST_HEAD offsetof(struct htmt__post, args)
static inline size_t htmt__post_size(const struct htmt__post *post)
{
    return HTMT__POST_HEAD + ((size_t)post->bytes + 7) / 8 * 8;
}

struct htmt__post_chunk;
struct htmt__leg;

/* First come, first served, in chunks of which empty ones go back to the clock. All zero: empty. */
struct htmt__post_line {
    struct htmt__post_chunk *head, *tail;
    uint32_t from, to; /* bytes: in the first chunk, of the first post; in the last one, its end */
    uint32_t count;
};

/* false: no host memory (latched). */
bool htmt__post_line_push(struct htmt_emulator *e, struct htmt__post_line *line,
                          const struct htmt__post *post);
/* The first one, where it lies, until it is popped; the line is not empty. */
const struct htmt__post *htmt__post_line_first(const struct htmt__post_line *line);
void htmt__post_line_pop(struct htmt_emulator *e, struct htmt__post_line *line);
void htmt__post_line_free(struct htmt_emulator *e, struct htmt__post_line *line);
/* What empty chunks a clock keeps. */
void htmt__post_chunks_free(struct htmt_emulator *e);

/* ---- types ----------------------------------------------------------------------------------- */

/* Of a type that can be posted; partitions share it. The head is that of its payloads. */
struct htmt__post_type {
    uint16_t number, bytes;          /* among them; of its arguments: as in struct htmt__post */
    uint16_t queue;                  /* of its layer, 0: the first one */
    bool plain;                      /* it has no kernel, */
    bool brief;                      /* and its service takes what its control charges */
    uint32_t first, serve;           /* steps: the first one, that of the service */
    size_t serve_at;                 /* bytes before the latter */
    uint64_t words;                  /* of its messages */
    struct htmt_aggregate aggregate; /* bytes 0: each leaves by itself */
    htmt_control_fn *control;
    htmt_wanted_fn *wanted;
};

/* A type is made, and its steps are compiled: t->post, or t->no_post says why not. `queue` is the
 * name of its description. Errors (latched): HTMT_EINVAL (it says how it is posted, and cannot be),
 * HTMT_ENOMEM. */
int htmt__post_type_make(struct htmt_emulator *e, struct htmt_type *t,
                         const struct htmt_type_desc *desc);
/* A run begins. Errors (latched): HTMT_EINVAL: a queue has a limit and its inputs have none. */
void htmt__posts_begin(struct htmt_emulator *e);
/* What came from another process names a type. */
bool htmt__post_known(const struct htmt_emulator *e, const struct htmt__post *post);
void htmt__posts_destroy(struct htmt_emulator *e);

/* ---- on the way ------------------------------------------------------------------------------ */

/* The message of a post, or of several, is where its control runs. */
void htmt__post_arrives(struct htmt_emulator *e, struct htmt__entity *p);
void htmt__posts_arrive(struct htmt_emulator *e, struct htmt__entity *p);
/* The same where queues have a limit. false: there is no room, and it holds its in channel; when
 * there is room it has its event again. */
bool htmt__post_enters(struct htmt_emulator *e, struct htmt__entity *p);
/* The news of a slice that one of this slice's posts holds a channel there, or does no more. */
void htmt__post_hold_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* A generator has made message p. false: it goes to the own slice, whose queue is full. Else it may
 * leave, and room is kept for it. */
bool htmt__post_reserve(const struct htmt_emulator *e, struct htmt__entity *p);
/* Its queue, of the own slice, has room. */
bool htmt__post_room(const struct htmt_emulator *e, const struct htmt__entity *p);
/* Of each slice, what its generators wait for that keep a processor, and the first slice in which a
 * post of this one holds a channel (UINT32_MAX: none). A rank knows it of what it plays. */
struct htmt__post_wait {
    enum { HTMT__POST_GOES, HTMT__POST_OWN, HTMT__POST_PORT } what; /* nothing; the own queue */
    uint32_t target;
};
void htmt__posts_waits(const struct htmt_emulator *e, uint32_t layer,
                       struct htmt__post_wait *waits);
/* What another rank knows. Errors: HTMT_ENOMEM, HTMT_ESYSTEM (no such slice). */
int htmt__posts_hear_waits(struct htmt_emulator *e, uint32_t layer,
                           const struct htmt__post_wait *waits);
/* Full queues and generators wait for each other: text for people; false: none do. */
bool htmt__posts_stuck_text(const struct htmt_emulator *e, char *text, size_t room);
/* A parcel that was made of a post has ended: the next one begins. */
void htmt__post_over(struct htmt_emulator *e, uint32_t slice, uint32_t layer);
/* It is no more in service: the next one begins. */
void htmt__post_follow(struct htmt_emulator *e, uint32_t slice, uint32_t layer);

/* ---- what a machine keeps of them -------------------------------------------------------------
 */

/* What serves the posts of a layer in place of its bank: a model of its processors and the network
 * between them. `whose` is its own. Slices are those of the emulator that calls (a partition's are
 * its own ones). */
struct htmt__post_server {
    void *whose;
    /* A control of `slice` posts to `target`, which may be `slice`; `turn`: of a generator, whose
     * message may be sent now. Before the run, `slice` is `target`: the host's. */
    void (*post)(struct htmt_emulator *e, void *whose, uint32_t slice, uint32_t target,
                 const struct htmt__post *post, bool turn);
};
/* Of a layer of a slice. */
struct htmt__post_box {
    uint32_t serving;              /* parcels that were made of posts and have not ended */
    uint32_t waiting;              /* payloads in all queues */
    struct htmt__list generators;  /* that wait for the port, or for room in their own queues */
    struct htmt__list held;        /* messages that hold in channels, first come first */
    uint32_t coming;               /* messages that have room, and are not there yet */
    uint32_t stopped;              /* posts of this layer that hold in channels elsewhere */
    htmt_time asked;               /* what asking for room has charged since the last service */
    struct htmt__post_line line[]; /* each queue, the one that is served first first */
};

/* What is above: a server of a bank is the next one's, a post is no more in service, generators may
 * go on, a post that would leave is held back (gather.h). */
struct htmt__post_calls {
    void (*serve_next)(struct htmt_emulator *e, struct htmt__waiter *w, uint32_t resource);
    void (*follow)(struct htmt_emulator *e, uint32_t slice, uint32_t layer);
    void (*may)(struct htmt_emulator *e, uint32_t slice, uint32_t layer);
    void (*gather)(struct htmt_emulator *e, struct htmt__entity *p);
};

/* Shared by all partitions: of its boxes each touches those of its slices. */
struct htmt__posts {
    struct htmt_type **type; /* the whole's, by number */
    size_t room;
    uint32_t types;
    const struct htmt__post_calls *calls; /* from the begin of the run on */
    bool gathers;                         /* posts of some layer are gathered */
    struct htmt__acks *acks;              /* NULL: that all is quiet is found out for free */
    struct htmt__post_layer {
        char *
            box; /* of each slice, `stride` bytes apart; NULL: no type of the layer can be posted */
        size_t stride;
        uint32_t queues;
        htmt_time stage;                      /* of generators */
        bool overlap;                         /* while they wait, their processor serves others */
        bool limited;                         /* some queue is */
        bool gathers;                         /* posts of some type of the layer are gathered */
        uint64_t limit[HTMT__QUEUES_MOST][2]; /* of a queue, for others' posts, and the own ones */
        struct htmt__post_server server;
        struct htmt__post_wait *others; /* of other ranks, at the end of the run; NULL: none */
    } layer[HTMT_LAYERS_MAX];
};

/* A processor of the layer is free for a post. */
static inline bool htmt__post_free(const struct htmt_emulator *e, const struct htmt__post_box *box,
                                   uint32_t slice, uint32_t layer)
{
    return box->serving < htmt__bank_at(e, slice, layer)->servers;
}
/* So is one, or the queue of the type has room: for one more of the own slice, or of others, which
 * do not pass those that hold channels. */
bool htmt__post_fits(const struct htmt_emulator *e, const struct htmt__post_box *box,
                     uint32_t slice, const struct htmt_type *t, bool own);
/* Behind the last one. */
static inline void htmt__post_list_add(struct htmt__list *list, struct htmt__entity *p)
{
    p->queue = NULL;
    if (list->tail)
        list->tail->queue = p;
    else
        list->head = p;
    list->tail = p;
}

static inline struct htmt__post_box *htmt__post_box_at(const struct htmt_emulator *e,
                                                       uint32_t layer, uint32_t slice)
{
    const struct htmt__post_layer *l = &e->posts->layer[layer];
    return (struct htmt__post_box *)(void *)(l->box + slice * l->stride);
}

/* ---- when all is quiet (quiet.c) ---------------------------------------------------------------
 */

/* A parcel of the slice that runs the control of htmt_quiet(), ready now. */
void htmt__quiet_parcel(struct htmt_emulator *e, uint32_t slice);
void htmt__quiet_destroy(struct htmt_emulator *e);

/* ---- quiet found out by answers (quiet_acks.c) -------------------------------------------------
 * Of all but the first: e->posts->acks is there. */

/* Errors: HTMT_ENOMEM. */
int htmt__acks_create(struct htmt_emulator *e);
/* A control of the slice, or the host, posts. */
void htmt__acks_sent(struct htmt_emulator *e, uint32_t slice, uint32_t target);
/* So many posts are there, by that leg; one that came to that slice is over. */
void htmt__acks_came(struct htmt_emulator *e, const struct htmt__leg *g, uint32_t posts);
void htmt__acks_over(struct htmt_emulator *e, uint32_t slice);
/* An answer is there. */
void htmt__acks_arrives(struct htmt_emulator *e, struct htmt__entity *p);

/* ---- generators (generator.c) ------------------------------------------------------------------
 */

/* The control of p, a post in service, has asked for one; `work`: of its cost function. */
void htmt__generator_begin(struct htmt_emulator *e, struct htmt__entity *p, htmt_time work);
/* The event of a moment that is a turn of its owner. */
void htmt__generator_turn(struct htmt_emulator *e, struct htmt__entity *moment);
/* A message has left by the port of that layer, or the queues of the layer have room: a generator
 * may wait for it. */
void htmt__post_port_free(struct htmt_emulator *e, uint32_t slice, uint32_t layer);
/* p, which gave its processor up, has it again. */
void htmt__generator_again(struct htmt_emulator *e, struct htmt__entity *p);

/* ---- serving --------------------------------------------------------------------------------- */

/* The layer is served by this. From the host, before the run. Errors (latched): HTMT_EINVAL
 * (another one does), HTMT_ENOMEM. */
int htmt__posts_serve(struct htmt_emulator *e, uint32_t layer, const struct htmt__post_server *s);

/* What a control said that ran at this instant. */
struct htmt__post_said {
    htmt_time charged;  /* fs, of all that it charged */
    uint64_t each;      /* messages of its generator; 0: none */
    htmt_next_fn *next; /* that makes them */
};
/* Runs `wanted` of the post's type in that slice, now. true: it is wanted. What it charged is added
 * to *charged. */
bool htmt__post_wanted(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post,
                       htmt_time *charged);
/* Of its service. */
struct htmt__stage_stats *htmt__post_stats(const struct htmt_emulator *e,
                                           const struct htmt__post *post);
/* Runs the control of the post, and counts and records its service, which begins now and ends in
 * the same event; it takes `more` time beside what the control charges. Each of its posts is handed
 * to the server before this returns. */
void htmt__post_serve(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post,
                      htmt_time more, struct htmt__post_said *said);
/* Of a service that has not come to its end, so much is taken back. */
void htmt__post_shorten(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                        struct htmt__stage_stats *stats, htmt_time by);
/* Message i of the generator of a post that was served, whose payload the caller has kept: `next`
 * runs, and its post, if there is one, is handed to the server with `turn`. What it charged is
 * added to *charged. */
void htmt__post_next(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post,
                     htmt_next_fn *next, uint64_t i, htmt_time *charged);
/* The queue of the post's type among those of its layer, in the order of the machine file. */
uint32_t htmt__post_queue(const struct htmt_emulator *e, const struct htmt__post *post);

#endif
