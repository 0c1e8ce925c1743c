/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/pipeline.h"

#include "apps/lib/move.h"

typedef struct htmt__pic_machine machine;

/* ---- services ------------------------------------------------------------------------------- */

/* Without a network words take no time. */
static struct htmt__move move(const void *user, uint32_t from, uint32_t to, bool across,
                              uint64_t words)
{
    const machine *w = user;
    int network = htmt_machine_route(w->m, from, to, across);
    struct htmt__move move = {.out_channels = 1, .in_channels = 1};
    if (network >= 0)
        htmt__move(w->m, (struct htmt__move_path){(uint32_t)network, from, to, 1, 1}, words, &move);
    return move;
}

static htmt_time share(htmt_time time, uint32_t among)
{
    return (htmt_time)htmt__exact_round((struct htmt__exact){time, among});
}

/* From one move to the next, over all channels of the end with fewer. */
static htmt_time apart(struct htmt__move move)
{
    htmt_time out = share(move.out, move.out_channels), in = share(move.in, move.in_channels);
    return move.busy < 0 ? -1 : out > in ? out : in;
}

#define MOVES(name, from, to)                                                                      \
    static htmt_time name(const void *user, uint64_t words)                                        \
    {                                                                                              \
        const struct htmt__pic_plan *p = ((const machine *)user)->p;                               \
        return move(user, p->from, p->to, false, words).busy;                                      \
    }                                                                                              \
    static htmt_time name##_apart(const void *user, uint64_t words)                                \
    {                                                                                              \
        const struct htmt__pic_plan *p = ((const machine *)user)->p;                               \
        return apart(move(user, p->from, p->to, false, words));                                    \
    }

MOVES(d_to_s, outer, middle)
MOVES(s_to_c, middle, inner)
MOVES(c_to_s, inner, middle)
MOVES(s_to_d, middle, outer)

htmt_time htmt__pic_outward(const void *user, uint64_t words)
{
    const machine *w = user;
    return move(w, w->p->outer, w->p->outer, true, words).length;
}

htmt_time htmt__pic_exchange(const void *user, uint64_t words)
{
    const machine *w = user;
    return w->p->slices > 1 ? htmt__pic_outward(user, words) : 0;
}

static htmt_time cycles(const machine *w, uint32_t layer, uint64_t n)
{
    struct htmt_ops ops = {.n = {[HTMT_CYCLE] = n}};
    return htmt_machine_work(w->m, layer, &ops);
}

static htmt_time dpim(const void *user, uint64_t n)
{
    const machine *w = user;
    return cycles(w, w->p->outer, n);
}

static htmt_time spim(const void *user, uint64_t n)
{
    const machine *w = user;
    return cycles(w, w->p->middle, n);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define PART(name, text) HTMT__ROW_PART("s", name, text)
#define APART(name, text, by, service)                                                             \
    HTMT__ROW_SERVED(HTMT__TERM_HIDDEN, name, text, by, service, "over all channels")

const struct htmt__term_row htmt__pic_stages[] = {
    HTMT__ROW(0, "s", "first",
              "assembly + gather + dispatch + inject + execute + eject + scatter + latency",
              "the first parcel"),
    HTMT__ROW_SERVED(1, "assembly", "assembly cycles", "cycles of a DPIM", dpim,
                     "of a push parcel, on a DPIM"),
    HTMT__ROW_SERVED(1, "gather", "words in", "words, DRAM to SRAM", d_to_s,
                     "D to S, of a push parcel"),
    HTMT__ROW_SERVED(1, "dispatch", "dispatch cycles", "cycles of a SPIM", spim,
                     "of a push parcel, on a SPIM"),
    HTMT__ROW_SERVED(1, "inject", "words in", "words, SRAM to CRAM", s_to_c,
                     "S to C, of a push parcel"),
    HTMT__ROW_COMPUTED(1, "s", "execute", "htmt_machine_work", "push on the SPELL"),
    HTMT__ROW_SERVED(1, "eject", "words out", "words, CRAM to SRAM", c_to_s, "C to S"),
    HTMT__ROW_SERVED(1, "scatter", "words out", "words, SRAM to DRAM", s_to_d, "S to D"),
    HTMT__ROW(0, "s", "period",
              "max('assembly, shared', gather apart, 'dispatch, shared', inject apart, execute, "
              "eject apart, scatter apart, 'CRAM loop, shared')",
              "from one parcel to the next"),
    HTMT__ROW_ROUNDED(1, "s", "assembly, shared", "assembly / DPIMs", HTMT__TERM_HALF_UP,
                      "by the DPIMs of a slice"),
    HTMT__ROW_ROUNDED(1, "s", "dispatch, shared", "dispatch / SPIMs", HTMT__TERM_HALF_UP,
                      "by the SPIMs of a slice"),
    HTMT__ROW_ROUNDED(1, "s", "CRAM loop, shared", "CRAM loop / buffers", HTMT__TERM_HALF_UP,
                      "a place in CRAM, by the parcels that fit"),
    PART("CRAM loop", "inject + inject latency + execute + eject + eject latency"),
    APART("gather apart", "words in", "words, DRAM to SRAM, channels shared", d_to_s_apart),
    APART("inject apart", "words in", "words, SRAM to CRAM, channels shared", s_to_c_apart),
    APART("eject apart", "words out", "words, CRAM to SRAM, channels shared", c_to_s_apart),
    APART("scatter apart", "words out", "words, SRAM to DRAM, channels shared", s_to_d_apart),
    PART("latency", "gather latency + inject latency + eject latency + scatter latency"),
    PART("gather latency", "min(words in, 1) * D to S latency"),
    PART("inject latency", "min(words in, 1) * S to C latency"),
    PART("eject latency", "min(words out, 1) * C to S latency"),
    PART("scatter latency", "min(words out, 1) * S to D latency"),
    HTMT__ROWS_END};

const struct htmt__term_row htmt__pic_buffers[] = {
    HTMT__ROW_ROUNDED(HTMT__TERM_HIDDEN, "1", "buffers",
                      "max(1, CRAM words / max(1, words in + words out))", HTMT__TERM_DOWN,
                      "parcels that fit CRAM"),
    HTMT__ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

static void set_latency(const machine *w, struct htmt__term_tree *t, const char *name,
                        uint32_t from, uint32_t to)
{
    htmt__term_tree_set_time(t, NULL, name, move(w, from, to, false, 1).latency);
}

void htmt__pic_pipeline_set(const machine *w, struct htmt__term_tree *t)
{
    const struct htmt__pic_plan *p = w->p;
    const struct htmt__term_count of[] = {
        {"DPIMs", htmt_machine_servers(w->m, p->outer)},
        {"SPIMs", htmt_machine_servers(w->m, p->middle)},
        {"CRAM words", htmt_machine_room(w->m, p->inner)},
    };
    htmt__term_tree_set_counts(t, of, sizeof of / sizeof *of);
    set_latency(w, t, "D to S latency", p->outer, p->middle);
    set_latency(w, t, "S to C latency", p->middle, p->inner);
    set_latency(w, t, "C to S latency", p->inner, p->middle);
    set_latency(w, t, "S to D latency", p->middle, p->outer);
}

void htmt__pic_load_set(struct htmt__term_tree *t, const char *scope,
                        const struct htmt__pic_load *load)
{
    htmt__term_tree_set_count(t, scope, "words in", load->in);
    htmt__term_tree_set_count(t, scope, "words out", load->out);
    htmt__term_tree_set_count(t, scope, "assembly cycles", load->assembly);
    htmt__term_tree_set_count(t, scope, "dispatch cycles", load->dispatch);
    htmt__term_tree_set_time(t, scope, "execute", load->execute);
}
