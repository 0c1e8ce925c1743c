/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/pipeline.h"

typedef struct htmt__pic_machine machine;

/* ---- rows ----------------------------------------------------------------------------------- */

#define PART(name, text) HTMT__ROW_PART("s", name, text)
#define APART(name, text, by, server)                                                              \
    HTMT__ROW_SERVED(HTMT__TERM_HIDDEN, name, text, by, htmt__move_apart, server,                  \
                     "over all channels")

const struct htmt__term_row htmt__pic_stages[] = {
    HTMT__ROW(0, "s", "first",
              "assembly + gather + dispatch + inject + execute + eject + scatter + latency",
              "the first parcel"),
    HTMT__ROW_SERVED(1, "assembly", "assembly cycles", "cycles of a DPIM", htmt__serve_cycles,
                     HTMT__DPIM, "of a push parcel, on a DPIM"),
    HTMT__ROW_SERVED(1, "gather", "words in", "words, DRAM to SRAM", htmt__move_busy, HTMT__D_TO_S,
                     "D to S, of a push parcel"),
    HTMT__ROW_SERVED(1, "dispatch", "dispatch cycles", "cycles of a SPIM", htmt__serve_cycles,
                     HTMT__SPIM, "of a push parcel, on a SPIM"),
    HTMT__ROW_SERVED(1, "inject", "words in", "words, SRAM to CRAM", htmt__move_busy, HTMT__S_TO_C,
                     "S to C, of a push parcel"),
    HTMT__ROW_COMPUTED(1, "s", "execute", "htmt_machine_work", "push on the SPELL"),
    HTMT__ROW_SERVED(1, "eject", "words out", "words, CRAM to SRAM", htmt__move_busy, HTMT__C_TO_S,
                     "C to S"),
    HTMT__ROW_SERVED(1, "scatter", "words out", "words, SRAM to DRAM", htmt__move_busy,
                     HTMT__S_TO_D, "S to D"),
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
    APART("gather apart", "words in", "words, DRAM to SRAM, channels shared", HTMT__D_TO_S),
    APART("inject apart", "words in", "words, SRAM to CRAM, channels shared", HTMT__S_TO_C),
    APART("eject apart", "words out", "words, CRAM to SRAM, channels shared", HTMT__C_TO_S),
    APART("scatter apart", "words out", "words, SRAM to DRAM, channels shared", HTMT__S_TO_D),
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
                        enum htmt__server server)
{
    htmt__term_tree_set_time(t, NULL, name, htmt__servers_move(&w->servers, server, 1).latency);
}

void htmt__pic_pipeline_set(const machine *w, struct htmt__term_tree *t)
{
    const struct htmt__pic_plan *p = w->p;
    const struct htmt__term_count of[] = {
        {"DPIMs", htmt_machine_servers(w->servers.m, p->outer)},
        {"SPIMs", htmt_machine_servers(w->servers.m, p->middle)},
        {"CRAM words", htmt_machine_room(w->servers.m, p->inner)},
    };
    htmt__term_tree_set_counts(t, of, sizeof of / sizeof *of);
    set_latency(w, t, "D to S latency", HTMT__D_TO_S);
    set_latency(w, t, "S to C latency", HTMT__S_TO_C);
    set_latency(w, t, "C to S latency", HTMT__C_TO_S);
    set_latency(w, t, "S to D latency", HTMT__S_TO_D);
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
