/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the lines of an operation log, written while a service's control runs. They
 * take effect when their time has come (moment.h).
 */
#ifndef HTMT_PARCELS_WALK_LOG_H
#define HTMT_PARCELS_WALK_LOG_H

#include "parcels/walk/context.h"

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
    HTMT__COMMAND,      /* of the host (host.h): given, */
    HTMT__COMMAND_OVER, /* over */
    HTMT__PROGRAM_ENDED /* that the host launched */
};

/* One line of an operation log. */
struct htmt__entry {
    struct htmt__entry *next;
    enum htmt__entry_kind kind;
    bool after; /* the kernel */
    uint32_t stage;
    htmt_time at;          /* since the start of the service, or since the end of the kernel */
    struct htmt_slot slot; /* SIGNAL, SENT */
    union {
        struct htmt__entity *start; /* START */
        struct htmt_ref parcel;     /* OPEN */
        struct htmt__sent {
            uint64_t serial;
            uint32_t slice, index;
        } message;                         /* SENT */
        struct htmt_mailbox *mailbox;      /* TAKEN */
        struct htmt__bus_command *command; /* COMMAND, COMMAND_OVER */
    };
    struct htmt__capture *capture;       /* SENT: of a message to another partition; or NULL */
    struct htmt__collective *collective; /* JOIN, FOLDED; SENT: whose frame it is, or NULL */
    uint64_t amount;                     /* TAKEN: records; SENT: slice; SECTION: its number */
};

__attribute__((cold)) struct htmt__entry *htmt__entry_alloc(struct htmt_emulator *e);

/* Of its kind, in no log; who creates it sets what the kind has. NULL: out of memory (latched). */
static inline struct htmt__entry *htmt__entry_create(struct htmt_emulator *e,
                                                     enum htmt__entry_kind kind)
{
    struct htmt__entry *entry = e->entries;
    if (__builtin_expect(entry != NULL, 1))
        e->entries = entry->next;
    else if (!(entry = htmt__entry_alloc(e)))
        return NULL;
    entry->next = NULL;
    entry->kind = kind;
    entry->capture = NULL;
    return entry;
}
static inline void htmt__entry_free(struct htmt_emulator *e, struct htmt__entry *entry)
{
    entry->next = e->entries;
    e->entries = entry;
}

/* The free ones. */
void htmt__entries_free(struct htmt_emulator *e);

/* The root's lines (START, OPEN) happen at once: at time 0, before the clock starts. */
__attribute__((cold)) void htmt__log_root(struct htmt_emulator *e, struct htmt__entry *entry);
/* Add a line to the log of the service. */
static inline void htmt__log_write(struct htmt_context *c, struct htmt__entry *entry)
{
    const struct htmt__entity *p = c->p;
    if (__builtin_expect(!p, 0)) {
        htmt__log_root(c->e, entry);
        return;
    }
    entry->after = p->worked;
    entry->at = p->worked ? p->after : p->before;
    *c->log_end = entry;
    c->log_end = &entry->next;
}
/* p begins at this place of the log. */
static inline int htmt__log_start(struct htmt_context *c, struct htmt__entity *p)
{
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__START);
    if (!entry)
        return HTMT_ENOMEM;
    entry->start = p;
    htmt__log_write(c, entry);
    return 0;
}

#endif
