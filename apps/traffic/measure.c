/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pattern of a rate, measured in a window of time.
 *
 * Sources have endless queues: message n of a node is born at the sum of its first n + 1 gaps,
 * whatever the network does, and waits in front of its port if that is taken. Its latency is the
 * time from its birth until its last word has come. Messages born in [from, to) are measured. Those
 * born before warm the network up; those born behind keep it as loaded until the last measured one
 * has come.
 *
 * When is that? No node can know that all others' messages have come, and to tell it would be
 * traffic, too. But births and targets are functions of seed, node and number, and nothing born
 * later than a moment changes what happened before. So a trial, whose sources go on, finds out when
 * the last measured message comes, and is cancelled then: it costs about what the run does. The run
 * then has sources that stop at that very moment, and each measured message has the latency of the
 * trial.
 *
 * The same functions tell each message where it is counted, before the clock starts: message j of
 * those that a node hears has a fiber of its own there, IN + j, which notes when it was enabled.
 * All others share the fiber OTHER. For example, node 0 sends at 3, 7, 12 and 18 us to nodes 1, 2,
 * 1 and 1, and the window is from 5 us to 15 us: the message of 7 us is IN + 0 of node 2, that of
 * 12 us IN + 0 of node 1, and node 1 hears two others. So a node also knows how many it will hear,
 * and when it is done.
 *
 * The interval: latencies of neighbours in time are alike, so their spread says little about that
 * of the mean. The window is cut into ten batches, whose means are nearly independent; Student's
 * factor of nine degrees, 2.262, times their deviation over the root of ten is the half interval.
 */
#include "apps/traffic/measure.h"

#include "apps/lib/per_slice.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fibers: the next message is born; one has left; one has come that is not measured; measured. */
enum { NEXT = 1, LEFT, OTHER, IN };

#define CLASSES 32 /* of types: by the power of two of measured messages that a node hears */
#define BATCHES 10
#define STUDENT 2.262 /* 97.5 % of Student's distribution of BATCHES - 1 degrees */
/* How long a trial goes on behind `to` at most: for so many times of all before, in a power of two
 * of this part of the window and so many times of a message that meets nobody. */
#define TRIAL_LAST  16
#define TRIAL_FIRST 4
#define TRIAL_ALONE 4

/* Of a slice; its controls alone write it. */
struct state {
    HTMT_PER_SLICE uint64_t sent, gone; /* messages; those of them that have left */
    htmt_time due;                      /* the birth of the next one */
    uint32_t measured;                  /* the next one of the window, over all nodes */
    uint64_t heard, hears;              /* that have come; that will */
    uint64_t left, came;                /* in the window */
    htmt_time *at;                      /* of measured messages: when they came */
    bool done, retired;
};

struct htmt__traffic_measure {
    const struct htmt__traffic_plan *p;
    htmt_time until;
    uint32_t messages; /* measured */
    uint32_t *first;   /* of a node: of those it sends; nodes + 1 */
    uint32_t *index;   /* of a message: its number among those that its target hears */
    uint32_t *target;
    htmt_time *born;
    uint32_t *hears; /* of a node: measured messages */
    struct htmt_type *type[CLASSES];
    struct htmt_frame *out, *in;
    struct htmt_ref *ref;
    struct state *state;
    uint32_t *open; /* of a trial, which one thread plays: measured messages that have not come */
};

typedef struct htmt__traffic_measure measure;

static const measure *measure_of(struct htmt_context *c)
{
    return *(const measure *const *)htmt_args(c);
}

static bool in_window(const measure *m, htmt_time t)
{
    return t >= m->p->from && t < m->p->to;
}

/* ---- births ---------------------------------------------------------------------------------- */

static htmt_time birth_after(const struct htmt__traffic_pattern *o, uint32_t node, uint64_t n,
                             htmt_time last)
{
    htmt_time t;
    return __builtin_add_overflow(last, htmt__traffic_pattern_gap(o, node, n), &t) ? HTMT_TIME_MAX
                                                                                   : t;
}

static uint32_t target_of(const struct htmt__traffic_pattern *o, uint32_t node, uint64_t n)
{
    const uint32_t sends = htmt__traffic_pattern_sends(o, node);
    return htmt__traffic_pattern_target(o, node, n / sends, (uint32_t)(n % sends));
}

/* All messages of all nodes, in their order: what they are counted as. The first round counts, the
 * second one fills the tables. A trial needs those of the window alone. */
static int number_messages(measure *m, bool fills)
{
    const struct htmt__traffic_pattern *o = &m->p->pattern;
    const htmt_time until = m->open ? m->p->to : m->until;
    uint64_t all = 0;
    for (uint32_t node = 0; node < o->nodes; node++) {
        m->first[node] = (uint32_t)all;
        if (!htmt__traffic_pattern_sends(o, node))
            continue;
        htmt_time born = birth_after(o, node, 0, 0);
        for (uint64_t n = 0; born < until; born = birth_after(o, node, ++n, born)) {
            const bool counts = in_window(m, born);
            const uint32_t to = fills ? target_of(o, node, n) : 0;
            if (fills)
                m->state[to].hears++;
            if (fills && counts) {
                m->target[all] = to;
                m->born[all] = born;
                m->index[all] = m->hears[to]++;
            }
            all += counts;
        }
    }
    if (all >= UINT32_MAX / 4)
        return HTMT_ERANGE;
    m->first[o->nodes] = m->messages = (uint32_t)all;
    return 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void retire(struct htmt_context *c, struct state *s)
{
    if (!s->done || s->retired || s->gone < s->sent || s->heard < s->hears)
        return;
    s->retired = true;
    htmt_retire(c, htmt_self(c));
}

/* Fibers wait for the end of the first one, which takes no time therefore. */
static void begin(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, NEXT));
}

/* Waits for the birth of a message, sends it, and asks for the next one. */
static void next(struct htmt_context *c)
{
    const measure *m = measure_of(c);
    const uint32_t me = htmt_slice(c);
    const struct htmt__traffic_pattern *o = &m->p->pattern;
    struct state *s = &m->state[me];
    const htmt_time born = s->due, now = htmt_began(c);
    if (born >= m->until) {
        s->done = true;
        retire(c, s);
        return;
    }
    const uint32_t to = target_of(o, me, s->sent);
    struct htmt_put put = htmt_put_init();
    put.src = htmt_at(m->out, me, 0);
    put.dst = htmt_at(m->in, to, 0);
    put.bytes = o->bytes;
    put.on_sent = htmt_slot(c, LEFT);
    put.on_arrived = htmt_slot_of(m->ref[to], OTHER);
    if (in_window(m, born))
        put.on_arrived = htmt_slot_of(m->ref[to], IN + m->index[s->measured++]);
    if (born > now)
        htmt_pause(c, born - now);
    htmt_put(c, &put);
    s->due = birth_after(o, me, ++s->sent, born);
    htmt_signal(c, htmt_slot(c, NEXT));
}

static void left(struct htmt_context *c)
{
    const measure *m = measure_of(c);
    struct state *s = &m->state[htmt_slice(c)];
    s->left += in_window(m, htmt_enabled(c));
    s->gone++;
    retire(c, s);
}

static void came(struct htmt_context *c)
{
    const measure *m = measure_of(c);
    struct state *s = &m->state[htmt_slice(c)];
    const htmt_time now = htmt_enabled(c);
    if (htmt_fiber(c) >= IN) {
        s->at[htmt_fiber(c) - IN] = now;
        if (m->open)
            --*m->open;
    }
    s->came += in_window(m, now);
    s->heard++;
    retire(c, s);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static unsigned class_of(uint32_t hears)
{
    unsigned k = 0;
    while (UINT64_C(1) << k < hears)
        k++;
    return k;
}

static int create_type(measure *m, struct htmt_emulator *e, unsigned of_class)
{
    const uint32_t hears = UINT32_C(1) << of_class, fibers = IN - 1 + hears;
    htmt_control_fn *const controls[] = {next, left, came};
    static const char *const names[] = {"next", "left", "other"};
    const char **name_of = calloc(fibers, sizeof *name_of);
    struct htmt_stage *fiber = calloc(fibers, sizeof *fiber);
    struct htmt_type_desc d = htmt_type_desc_init();
    char name[32];
    int rc = fiber && name_of ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < fibers && !rc; i++) {
        const bool shared = i < IN - 1;
        fiber[i] = (struct htmt_stage){
            .control = shared ? controls[i] : came, .count = 1, .reset = shared ? 1 : 0};
        name_of[i] = shared ? names[i] : NULL;
    }
    snprintf(name, sizeof name, "Node %" PRIu32, hears);
    d.name = name;
    d.home = d.exec = htmt_emulator_machine(e)->layer[m->p->layer].name;
    d.execute.control = begin;
    d.footprint = HTMT_RESIDENT;
    d.fibers = fiber;
    d.fiber_count = fibers;
    d.fiber_names = name_of;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.args_bytes = sizeof m;
    rc = rc ? rc : htmt_type_create(e, &d, &m->type[of_class]);
    free(fiber);
    free(name_of);
    return rc;
}

static int create_node(measure *m, struct htmt_emulator *e, uint32_t node)
{
    const measure *args = m;
    struct state *s = &m->state[node];
    const unsigned of_class = class_of(m->hears[node]);
    int rc = m->type[of_class] ? 0 : create_type(m, e, of_class);
    s->measured = m->first[node];
    s->hears = m->open ? UINT64_MAX : s->hears; /* it is cancelled */
    s->due = htmt__traffic_pattern_sends(&m->p->pattern, node)
                 ? birth_after(&m->p->pattern, node, 0, 0)
                 : HTMT_TIME_MAX;
    if (!rc && htmt_slice_here(e, node)) {
        s->at = malloc((m->hears[node] + (size_t)1) * sizeof *s->at);
        if (!s->at)
            return HTMT_ENOMEM;
        memset(s->at, 0xff, (m->hears[node] + (size_t)1) * sizeof *s->at);
    }
    return rc ? rc
              : htmt_assemble(htmt_root(e),
                              &(struct htmt_parcel_desc){
                                  .type = m->type[of_class], .slice = node, .args = &args},
                              &m->ref[node]);
}

static int fill(measure *m, struct htmt_emulator *e)
{
    const struct htmt__traffic_pattern *o = &m->p->pattern;
    const uint32_t nodes = o->nodes;
    m->ref = calloc(nodes, sizeof *m->ref);
    m->state = htmt_per_slice_create(nodes, sizeof *m->state);
    m->first = calloc((size_t)nodes + 1, sizeof *m->first);
    m->hears = calloc(nodes, sizeof *m->hears);
    int rc = m->ref && m->state && m->first && m->hears ? number_messages(m, false) : HTMT_ENOMEM;
    if (!rc) {
        const size_t room = (size_t)m->messages + 1;
        m->index = malloc(room * sizeof *m->index);
        m->target = malloc(room * sizeof *m->target);
        m->born = malloc(room * sizeof *m->born);
        rc = m->index && m->target && m->born ? number_messages(m, true) : HTMT_ENOMEM;
    }
    if (!rc)
        rc = htmt_frame_create(e, m->p->layer, o->bytes, "out", &m->out);
    if (!rc)
        rc = htmt_frame_create(e, m->p->layer, o->bytes, "in", &m->in);
    for (uint32_t i = 0; i < nodes && !rc; i++)
        rc = create_node(m, e, i);
    return rc;
}

static int create(struct htmt_emulator *e, const struct htmt__traffic_plan *p, htmt_time until,
                  uint32_t *open, measure **out)
{
    measure *m = calloc(1, sizeof *m);
    *out = m;
    if (!m)
        return HTMT_ENOMEM;
    m->p = p;
    m->until = until;
    m->open = open;
    int rc = fill(m, e);
    if (open)
        *open = m->messages;
    if (rc)
        htmt__traffic_measure_destroy(out);
    return rc;
}

int htmt__traffic_measure_create(struct htmt_emulator *e, const struct htmt__traffic_plan *p,
                                 htmt_time until, struct htmt__traffic_measure **out,
                                 struct htmt_fault *fault)
{
    int rc = create(e, p, until, NULL, out);
    if (!rc)
        return 0;
    const struct htmt_fault *why = htmt_emulator_fault(e);
    return htmt_fault_set(fault, rc, "%s",
                          why->code ? why->text
                          : rc == HTMT_ERANGE
                              ? "--measure: found more messages than can be numbered"
                              : htmt_strerror(rc));
}

void htmt__traffic_measure_destroy(struct htmt__traffic_measure **out)
{
    measure *m = *out;
    if (!m)
        return;
    for (uint32_t i = 0; m->state && i < m->p->pattern.nodes; i++)
        free(m->state[i].at);
    free(m->ref);
    free(m->state);
    free(m->first);
    free(m->hears);
    free(m->index);
    free(m->target);
    free(m->born);
    free(m);
    *out = NULL;
}

/* ---- trials ---------------------------------------------------------------------------------- */

static htmt_time came_at(const measure *m, uint32_t message)
{
    return m->state[m->target[message]].at[m->index[message]];
}

static bool all_came(void *open)
{
    return *(const uint32_t *)open == 0;
}

htmt_time htmt__traffic_measure_until(const struct htmt_machine *machine,
                                      const struct htmt__traffic_plan *p)
{
    uint32_t open = 1;
    const struct htmt_options options = {.machine = machine,
                                         .slices = p->pattern.nodes,
                                         .mode = HTMT_MODEL,
                                         .threads = 1,
                                         .cancelled = all_came,
                                         .user = &open};
    const uint64_t words = (p->pattern.bytes + HTMT_WORD - 1) / HTMT_WORD;
    const htmt_time alone = htmt_machine_crossing(machine, p->network, words);
    htmt_time more = (p->to - p->from) / TRIAL_FIRST + 1;
    if (alone > 0 && alone < HTMT_SECOND)
        more += TRIAL_ALONE * alone;
    while (more / TRIAL_LAST < p->to)
        more *= 2;
    const htmt_time most = p->to + more;
    struct htmt_emulator *e = NULL;
    measure *m = NULL;
    htmt_time last = p->to;
    if (htmt_emulator_create(&e, &options, NULL)) /* the run will tell what is wrong */
        return last;
    if (!create(e, p, most, &open, &m) && m->messages) {
        htmt_emulator_run(e);
        for (uint32_t i = 0; i < m->messages && !open; i++)
            last = came_at(m, i) > last ? came_at(m, i) : last;
    }
    htmt_emulator_destroy(&e);
    htmt__traffic_measure_destroy(&m);
    return last < most ? last : most;
}

/* ---- results --------------------------------------------------------------------------------- */

int htmt__traffic_measure_gather(struct htmt__traffic_measure *m, struct htmt_emulator *e)
{
    const uint32_t nodes = m->p->pattern.nodes;
    int rc = htmt_slices_share(e, &m->state->left, sizeof m->state->left, sizeof *m->state);
    if (!rc)
        rc = htmt_slices_share(e, &m->state->came, sizeof m->state->came, sizeof *m->state);
    for (uint32_t i = 0; i < nodes && !rc; i++) {
        void *at = m->state[i].at;
        size_t size = at ? m->hears[i] * sizeof *m->state->at : 0;
        rc = htmt_per_slice_fetch(e, i, &at, &size);
        m->state[i].at = at;
    }
    return rc;
}

static int compare_times(const void *a, const void *b)
{
    const htmt_time x = *(const htmt_time *)a, y = *(const htmt_time *)b;
    return (x > y) - (x < y);
}

/* The least latency that `share` of all are not above. */
static htmt_time part(const htmt_time *sorted, uint64_t count, double share)
{
    const uint64_t rank = (uint64_t)ceil(share * (double)count);
    return sorted[rank ? rank - 1 : 0];
}

static double interval_of(const measure *m)
{
    double sum[BATCHES] = {0}, mean = 0, squares = 0;
    uint64_t count[BATCHES] = {0};
    for (uint32_t i = 0; i < m->messages; i++) {
        const htmt_wide place = (htmt_wide)(m->born[i] - m->p->from) * BATCHES;
        const unsigned batch = (unsigned)(place / (m->p->to - m->p->from));
        sum[batch] += (double)(came_at(m, i) - m->born[i]);
        count[batch]++;
    }
    for (unsigned b = 0; b < BATCHES; b++) {
        if (!count[b])
            return -1;
        mean += sum[b] / (double)count[b] / BATCHES;
    }
    for (unsigned b = 0; b < BATCHES; b++) {
        const double apart = sum[b] / (double)count[b] - mean;
        squares += apart * apart;
    }
    return STUDENT * sqrt(squares / (BATCHES - 1) / BATCHES);
}

/* Means over nodes that take part, and the worst of them. */
static void find_loads(const measure *m, struct htmt__traffic_measured *r)
{
    const struct htmt__traffic_plan *p = m->p;
    const double one = (double)p->pattern.bytes / HTMT_WORD * p->word / (double)(p->to - p->from);
    double senders = 0, hearers = 0;
    r->least_sent = r->least_heard = INFINITY;
    for (uint32_t i = 0; i < p->pattern.nodes; i++) {
        const struct state *s = &m->state[i];
        if (htmt__traffic_pattern_sends(&p->pattern, i)) {
            senders++;
            r->sent += one * (double)s->left;
            r->least_sent = fmin(r->least_sent, one * (double)s->left);
        }
        if (s->hears) {
            hearers++;
            r->heard += one * (double)s->came;
            r->least_heard = fmin(r->least_heard, one * (double)s->came);
        }
    }
    r->least_sent = senders > 0 ? r->least_sent : 0;
    r->least_heard = hearers > 0 ? r->least_heard : 0;
    r->offered = senders > 0 ? one * (double)m->messages / senders : 0;
    r->sent = senders > 0 ? r->sent / senders : 0;
    r->heard = hearers > 0 ? r->heard / hearers : 0;
}

int htmt__traffic_measure_results(const struct htmt__traffic_measure *m,
                                  struct htmt__traffic_measured *results)
{
    struct htmt__traffic_measured r = {.messages = m->messages, .interval = -1};
    htmt_time *sorted = malloc(((size_t)m->messages + 1) * sizeof *sorted);
    if (!sorted)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < m->messages; i++) {
        sorted[i] = came_at(m, i) - m->born[i];
        r.mean += ((double)sorted[i] - r.mean) / (i + 1.0);
        r.late += came_at(m, i) > m->until;
    }
    qsort(sorted, m->messages, sizeof *sorted, compare_times);
    if (m->messages) {
        r.median = part(sorted, m->messages, 0.5);
        r.p95 = part(sorted, m->messages, 0.95);
        r.p99 = part(sorted, m->messages, 0.99);
        r.most = sorted[m->messages - 1];
        r.interval = interval_of(m);
    }
    free(sorted);
    find_loads(m, &r);
    *results = r;
    return 0;
}

int htmt__traffic_measure_write(const char *path, const struct htmt__traffic_measure *m,
                                struct htmt_fault *fault)
{
    struct htmt_whole_file *f = NULL;
    int rc = htmt_whole_file_open(path, &f, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(f);
    fprintf(out, "what,iteration,source,target,index,bytes,began_fs,ended_fs\n");
    for (uint32_t node = 0; node < m->p->pattern.nodes; node++)
        for (uint32_t i = m->first[node]; i < m->first[node + 1]; i++)
            fprintf(out,
                    "message,0,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRId64 ",%" PRId64
                    "\n",
                    node, m->target[i], i - m->first[node], m->p->pattern.bytes, m->born[i],
                    came_at(m, i));
    return htmt_whole_file_commit(&f, fault);
}
