/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces: reads the files that `--trace FILE` and htmt_options.recording write.
 * docs/trace-format.md describes their bytes.
 *
 *     struct htmt_trace *t = NULL;
 *     struct htmt_trace_block b = {0};
 *     int rc = htmt_trace_open(&t, path, &fault);
 *     for (uint64_t i = 0; !rc && i < htmt_trace_info(t)->blocks; i++) {
 *         rc = htmt_trace_block_read(t, i, &b, &fault);
 *         for (uint32_t n = 0; !rc && n < b.count; n++)
 *             look_at(htmt_trace_ref_of(b.slice, b.first + n), &b.interval[n]);
 *     }
 *     htmt_trace_block_clear(&b);
 *     htmt_trace_close(&t);
 *
 * An open trace keeps its index and its footer in memory, and reads blocks when they are asked for.
 * One trace is for one thread at a time; several threads open the file once each.
 *
 * A file is untrusted. The reader checks the CRC of all that it returns, every count, index and
 * reference, and that no time is negative. A fault is one line: the path, the byte, what was found,
 * what was expected. Errors of the functions with a fault: HTMT_ENOENT (no such file),
 * HTMT_EFORMAT (no trace, one of another version, cut off, damaged), HTMT_EINVAL, HTMT_ENOMEM,
 * HTMT_ESYSTEM, HTMT_EIO. `fault` may be NULL.
 */
#ifndef HTMT_EMUL_TRACE_HTMT_TRACE_H
#define HTMT_EMUL_TRACE_HTMT_TRACE_H

#include "parcels/emulator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_TRACE_VERSION       2        /* the newest; 1: networks have no inside */
#define HTMT_TRACE_INTERVALS_MAX 65536u   /* of one block */
#define HTMT_TRACE_SAMPLES_MAX   1048576u /* of one block */

struct htmt_trace;

/* On success the caller gives *t to htmt_trace_close(); else *t is untouched. */
int htmt_trace_open(struct htmt_trace **t, const char *path, struct htmt_fault *fault);

/* Clears *t. NULL and cleared pointers are accepted. */
void htmt_trace_close(struct htmt_trace **t);

/* ---- references ----------------------------------------------------------------------------- */

/* slice << 40 | number. Intervals of a slice are numbered 0, 1, 2, ... as they were written. */
typedef uint64_t htmt_trace_ref;

#define HTMT_TRACE_NONE UINT64_MAX

/* A reference. */
static inline htmt_trace_ref htmt_trace_ref_of(uint32_t slice, uint64_t number)
{
    return (htmt_trace_ref)slice << 40 | number;
}

/* The slice of a reference. */
static inline uint32_t htmt_trace_ref_slice(htmt_trace_ref ref)
{
    return (uint32_t)(ref >> 40);
}

/* The number in its slice. */
static inline uint64_t htmt_trace_ref_number(htmt_trace_ref ref)
{
    return ref & ((UINT64_C(1) << 40) - 1);
}

/* ---- what the trace says of its run --------------------------------------------------------- */

/* Where an interval was spent; htmt_trace_place_name() has "served", "sent", ... */
enum htmt_trace_place {
    HTMT_TRACE_SERVED,   /* in a bank; wait: in its line */
    HTMT_TRACE_SENT,     /* on a channel out, of the source's slice; wait: for the channel */
    HTMT_TRACE_RECEIVED, /* on a channel in, of the target's slice; wait: for the channel */
    HTMT_TRACE_STALLED,  /* service 0; wait: of a parcel for words of the memory `layer` */
    HTMT_TRACE_ROOM,     /* service 0; wait: for room of a mailbox in the memory `layer` */
    HTMT_TRACE_SECTION,  /* no time: the slice's section changes; serial: the section's index */
    HTMT_TRACE_GATE,     /* service 0; wait: at a gate, until the end of an incomplete run */
    HTMT_TRACE_PAUSED,   /* in a bank, behind a service, whose server is held and not in use */
    HTMT_TRACE_PLACES
};
const char *htmt_trace_place_name(enum htmt_trace_place place); /* "?": there is none */

/* What an interval belongs to. */
struct htmt_trace_step {
    char type[64];            /* of parcels; empty: of none */
    enum htmt_stage_id stage; /* HTMT_STAGES: none */
    enum htmt_trace_place place;
    uint32_t resource, layer; /* UINT32_MAX: none */
};

/* Of how many places something is an account: slices, or 1 where the host of the machine has it. */
struct htmt_trace_places {
    uint32_t count, played; /* of the run; whose intervals can be in the trace */
    uint32_t stands_for;    /* places that each played one stands for */
};

/* As struct htmt_resource_report has them; busy, waited: fs, over all slices of the run. */
struct htmt_trace_resource {
    char name[2 * HTMT_NAME_MAX + 8];
    enum htmt_resource_kind kind;
    uint32_t layer, network; /* network: UINT32_MAX: of no link */
    uint32_t count;          /* servers or channels of one slice */
    htmt_time startup;       /* fs of each service, before its words leave; of a link out */
    htmt_wide busy, waited;
    htmt_wide inside; /* fs of the services' intervals: busy, but of a processor with threads */
    struct htmt_trace_places places;
};

struct htmt_trace_layer {
    char name[HTMT_NAME_MAX], processor[HTMT_NAME_MAX], memory[HTMT_NAME_MAX];
    uint64_t capacity; /* words a slice */
    uint32_t servers;  /* of one slice */
    htmt_wide stalled; /* fs, over all slices of the run */
    struct htmt_trace_places places;
};

/* Texts and arrays belong to the trace. */
struct htmt_trace_info {
    uint32_t version;
    uint32_t slices, played; /* of the run; whose intervals can be in the trace, with the host */
    uint32_t stands_for;     /* slices that each played one stands for; 1: itself alone */
    uint32_t layers, networks, resources, steps, sections, open_lines; /* counts */
    uint64_t blocks, intervals;
    uint64_t bytes, inflated; /* of all blocks, in the file and as columns */
    htmt_time end;            /* of the run; of an incomplete one, as far as it came */
    uint64_t history_hash;
    htmt_trace_ref last; /* the interval whose end was the last event; or HTMT_TRACE_NONE */
    bool complete;       /* the run ended as it should: `fault` is NULL */
    bool filtered;       /* intervals were left out: `filter` is not NULL */
    const char *app, *machine, *mode;     /* mode: "run", "model"; app: may be empty */
    const char *fault;                    /* why it ended early, one line; or NULL */
    const char *about, *filter;           /* JSON objects in one line; filter: or NULL */
    const struct htmt_trace_layer *layer; /* the outermost one first */
    const struct htmt_trace_resource *resource;
    const struct htmt_trace_step *step;
    const char *const *section, *const *network; /* names */
    const char *const *open;                     /* lines: who waits for what at the end */
    uint32_t host;   /* the number of its place in the trace; UINT32_MAX: there is none */
    uint32_t places; /* numbers of slices and of the host are below it */
};

/* Belongs to the trace. */
const struct htmt_trace_info *htmt_trace_info(const struct htmt_trace *t);

/* ---- intervals ------------------------------------------------------------------------------ */

/* Its service began at end - service, its wait at end - service - wait, which is at least 0. What
 * is open ends where the run did. The run's busy times have services that ended, and its waits and
 * stalls also those that are open. */
struct htmt_trace_interval {
    htmt_time end, service, wait;
    uint64_t serial;      /* struct htmt_event */
    htmt_trace_ref cause; /* the interval whose end brought it here; or HTMT_TRACE_NONE */
    htmt_trace_ref line;  /* with a wait: the one whose end let it begin; or HTMT_TRACE_NONE */
    uint32_t step;        /* index into info->step */
    bool open;            /* it had not ended when the run did */
};

/* A change of the words used in a memory of the slice. */
struct htmt_trace_sample {
    htmt_time at;
    uint32_t layer;
    uint64_t words; /* used from now on */
};

/* Intervals first .. first + count - 1 of one slice. {0} is a block without memory. */
struct htmt_trace_block {
    uint32_t slice;
    uint64_t first;
    uint32_t count, samples;
    htmt_time from, to; /* earliest begin of a wait or service, latest end; no intervals: 0 */
    struct htmt_trace_interval *interval;
    struct htmt_trace_sample *sample; /* as they happened */
    uint64_t *level;                  /* words used in each layer before the first sample */
    uint64_t room[3];                 /* of the reader: elements that the arrays have room for */
};

/* What the index says: all but the arrays, which stay as they are. The blocks of one slice need not
 * be neighbours. Errors: HTMT_EINVAL (no such index). */
int htmt_trace_block_at(const struct htmt_trace *t, uint64_t index, struct htmt_trace_block *b);

/* The index of the block that has the interval. Errors: HTMT_EINVAL (no such interval). */
int htmt_trace_block_of(const struct htmt_trace *t, htmt_trace_ref ref, uint64_t *index);

/* The index of the block at `place` in the order by (slice, first). Errors: HTMT_EINVAL (no such
 * place). */
int htmt_trace_block_sorted(const struct htmt_trace *t, uint64_t place, uint64_t *index);

/* All of a block. It uses the memory of the block that was in *b before; the last one goes to
 * htmt_trace_block_clear(). After an error, *b has memory but no block. */
int htmt_trace_block_read(struct htmt_trace *t, uint64_t index, struct htmt_trace_block *b,
                          struct htmt_fault *fault);

/* Frees the arrays and makes *b {0}. */
void htmt_trace_block_clear(struct htmt_trace_block *b);

#ifdef __cplusplus
}
#endif

#endif
