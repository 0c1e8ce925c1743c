/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the functions of a stage that the clock's thread calls, control and cost; the
 * context through which a control writes its log and names what its kernel will use; operation
 * logs, whose lines take effect when their time has come (log_replay.c).
 */
#ifndef HTMT_PARCELS_WALK_CONTEXT_H
#define HTMT_PARCELS_WALK_CONTEXT_H

#include "parcels/clock/statistics.h"
#include "parcels/post.h"
#include "parcels/walk/entity.h"
#include "runtime/host/callback_scope.h"

struct htmt_context {
    struct htmt_emulator *e;
    struct htmt__entity *p;    /* what is in service; NULL: root */
    struct htmt__entity *self; /* its parcel */
    uint32_t layer;
    const void *result;
    struct htmt__touch use[HTMT__USES_MAX];
    uint32_t uses;
    struct htmt__log_line **log_end; /* where the next line of the log goes */
    struct htmt_ops ops; /* of the kernel, as its cost function says: of the service, until its end
                            is known */
    uint64_t each;       /* messages of the generator that the control has asked for; 0: none */
    htmt_next_fn *next;
    bool turn;                 /* `next` runs, whose post may be sent now */
    bool direct;               /* nothing waits to be done before the posts of this control */
    struct htmt__entity *sent; /* that post's message */
    uint64_t down, up; /* words of state in use that percolation would bring down and up again */
};

/* The parcel of a fiber, or the parcel itself. */
static inline struct htmt__entity *htmt__self(struct htmt__entity *p)
{
    return p->kind == HTMT__FIBER ? p->owner : p;
}
/* A kernel's next use is that storage. */
void htmt__use_storage(struct htmt_context *c, struct htmt__storage *storage, uint64_t bytes);
/* htmt_assemble() in a context that need not be open: with the root's, a parcel of a collective
 * begins at this instant. */
int htmt__assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc,
                   struct htmt_ref *ref);

/* Of a new parcel; its arguments are not yet set. NULL: out of memory. */
struct htmt__body *htmt__body_create(struct htmt_emulator *e, struct htmt_type *t, uint32_t slice);
/* What a parcel of no regions costs. NULL: it does not fit (latched). */
const struct htmt__move_cost *htmt__cost_plain(struct htmt_emulator *e, const struct htmt_type *t,
                                               uint32_t slice);

/* ---- calling control and cost ---------------------------------------------------------------- */

/* Nothing of the service is charged yet. */
static inline void htmt__control_begin(struct htmt__entity *p)
{
    p->before = p->after = 0;
    p->worked = p->ran = p->pauses = false;
}
/* What an emulator's control or cost function does at the moment: a htmt__callback_scope_fn. */
bool htmt__control_scope(const void *emulator, struct htmt__callback_scope *scope);
/* The service's control writes its log; `result`: what its kernels left. The emulator's context
 * holds what it said until the next control runs. */
void htmt__control_run(struct htmt_emulator *e, struct htmt__entity *p, const void *result);
/* Whose function it is that runs from now on: e->asked, or e->controls. */
static inline void htmt__control_says(_Atomic(const struct htmt__entity *) *who,
                                      const struct htmt__entity *p)
{
    atomic_store_explicit(who, p, memory_order_release);
}
static inline void htmt__ask_cost(struct htmt__entity *p, struct htmt_ops *ops)
{
    p->step->code->cost(htmt__args(htmt__self(p)), p->type->code.user, ops);
}
/* In a checked run. Errors (latched): HTMT_ECOST. */
__attribute__((cold)) void htmt__expect_checked(struct htmt_emulator *e, struct htmt__entity *p,
                                                struct htmt_ops *ops);
/* Operations of the service's kernel by its cost function; none without one. They are in `ops`, or,
 * when they are the same for all, those of the service before. */
static inline const struct htmt_ops *htmt__expect(struct htmt_emulator *e, struct htmt__entity *p,
                                                  struct htmt_ops *ops)
{
    const struct htmt_stage *code = p->step->code;
    htmt__callback_scope_turn();
    if (code->constant && p->step->alike->time >= 0 && !e->options.checked)
        return &p->step->alike->ops;
    *ops = (struct htmt_ops){{0}};
    if (!code->cost)
        return ops;
    htmt__control_says(&e->asked, p);
    if (__builtin_expect(e->options.checked, 0))
        htmt__expect_checked(e, p, ops);
    else
        htmt__ask_cost(p, ops);
    htmt__control_says(&e->asked, NULL);
    return ops;
}
/* The same, in `ops`. */
static inline void htmt__expect_here(struct htmt_emulator *e, struct htmt__entity *p,
                                     struct htmt_ops *ops)
{
    const struct htmt_ops *said = htmt__expect(e, p, ops);
    if (said != ops)
        *ops = *said;
}

/* ---- operation logs -------------------------------------------------------------------------- */

struct htmt__collective;
struct htmt__bus_command;

enum htmt__entry_kind {
    HTMT__SIGNAL,
    HTMT__OPEN,
    HTMT__START,
    HTMT__SENT,
    HTMT__TAKEN,
    HTMT__JOIN,
    HTMT__FOLDED,
    HTMT__SECTION,
    HTMT__PAUSED,       /* at the end of a service: so long its server was not in use */
    HTMT__COMMAND,      /* of the host (host.h): given, */
    HTMT__COMMAND_OVER, /* over */
    HTMT__PROGRAM_ENDED /* that the host launched */
};

/* One line of an operation log, of any kind but START: that one is in the entity that begins, which
 * is in no list before (htmt__log_start()). */
struct htmt__entry {
    struct htmt__log_line line;
    union {
        struct htmt_slot slot;        /* SIGNAL, SENT */
        struct htmt_ref parcel;       /* OPEN */
        struct htmt_mailbox *mailbox; /* TAKEN */
        struct htmt__collective
            *collective; /* JOIN, FOLDED; SENT that `returns`: whose frame it is */
        struct htmt__bus_command *command; /* COMMAND, COMMAND_OVER */
    };
    union {
        struct htmt__sent {
            uint64_t serial;
            uint32_t slice, index;
        } message;                     /* SENT, in a run; */
        struct htmt__capture *capture; /* of a message to another partition, `captured` */
        uint64_t amount;               /* TAKEN: records; SECTION: its number; PAUSED: fs */
    };
};
_Static_assert(sizeof(struct htmt__entry) == 64, "a cache line");

static inline struct htmt__entry *htmt__entry_of(struct htmt__log_line *line)
{
    return (struct htmt__entry *)line;
}

__attribute__((cold)) struct htmt__entry *htmt__entry_alloc(struct htmt_emulator *e);

/* Of its kind, in no log; who creates it sets what the kind has. NULL: out of memory (latched). */
static inline struct htmt__entry *htmt__entry_create(struct htmt_emulator *e,
                                                     enum htmt__entry_kind kind)
{
    struct htmt__entry *entry = e->entries;
    if (__builtin_expect(entry != NULL, 1))
        e->entries = htmt__entry_of(entry->line.next);
    else if (!(entry = htmt__entry_alloc(e)))
        return NULL;
    entry->line = (struct htmt__log_line){.kind = (uint8_t)kind};
    return entry;
}
static inline void htmt__entry_free(struct htmt_emulator *e, struct htmt__entry *entry)
{
    entry->line.next = e->entries ? &e->entries->line : NULL;
    e->entries = entry;
}

/* The free ones. */
void htmt__entries_free(struct htmt_emulator *e);

/* The root's lines (START, OPEN) happen at once: at time 0, before the clock starts. */
__attribute__((cold)) void htmt__log_root(struct htmt_emulator *e, struct htmt__log_line *line);
/* Add a line to the log of the service. */
static inline void htmt__log_add(struct htmt_context *c, struct htmt__log_line *line)
{
    const struct htmt__entity *p = c->p;
    if (__builtin_expect(!p, 0)) {
        htmt__log_root(c->e, line);
        return;
    }
    line->after = p->worked;
    line->at = p->worked ? p->after : p->before;
    *c->log_end = line;
    c->log_end = &line->next;
}
static inline void htmt__log_write(struct htmt_context *c, struct htmt__entry *entry)
{
    htmt__log_add(c, &entry->line);
}
/* p, which was made now, begins at this place of the log. */
static inline void htmt__log_start(struct htmt_context *c, struct htmt__entity *p)
{
    p->line = (struct htmt__log_line){.kind = HTMT__START};
    htmt__log_add(c, &p->line);
}
static inline struct htmt__entity *htmt__log_starts(struct htmt__log_line *line)
{
    return (struct htmt__entity *)(void *)line;
}

/* fs at the end of p's service for which its server is not in use; 0 when the service is over. */
static inline htmt_time htmt__paused(const struct htmt__entity *p)
{
    struct htmt__log_line *line = p->pauses ? p->log : NULL;
    while (line && line->kind != HTMT__PAUSED)
        line = line->next;
    return line ? (htmt_time)htmt__entry_of(line)->amount : 0;
}

/* ---- lines take effect (log_replay.c) --------------------------------------------------------
 */

/* The length of p's service is known: it began at `began` and takes `work` beside what its control
 * charged. Its log unrolls, and p gets its event. */
void htmt__length_set(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work);
/* The same of a service of these counts whose own operations were played. */
void htmt__length_played(struct htmt_emulator *e, struct htmt__entity *p,
                         const struct htmt_ops *ops, htmt_time began, htmt_time work);
/* p's service begins, its length is not known: do what comes before its kernel. */
void htmt__log_begin(struct htmt_emulator *e, struct htmt__entity *p);
/* At an issue port: do what lines say up to p->before, but for those at the end, p->after. */
void htmt__log_pass(struct htmt_emulator *e, struct htmt__entity *p);
/* The service has ended: do what is left. */
void htmt__log_finish(struct htmt_emulator *e, struct htmt__entity *p);
/* All lines of p's service, which began at `began`: its end is not known. */
void htmt__log_unroll(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work);
/* A line of p takes effect at that instant, now or later. */
void htmt__log_place(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__log_line *line,
                     htmt_time at);
/* The event of a moment: a line that has an entity of its own. */
void htmt__log_moment(struct htmt_emulator *e, struct htmt__entity *moment);

#endif
