/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/pipeline.h"

typedef struct htmt__pic_machine machine;

/* ---- rows ----------------------------------------------------------------------------------- */

#define PART(name, text) HTMT_ROW_PART("s", name, text)
#define APART(name, text, by, server)                                                              \
    HTMT_ROW_SERVED(HTMT_TERM_HIDDEN, name, text, by, htmt_move_apart, server, "over all channels")

const struct htmt_term_row htmt__pic_stages[] = {
    HTMT_ROW(0, "s", "first",
             "assembly + gather + dispatch + inject + execute + eject + scatter + latency",
             "the first parcel"),
    HTMT_ROW_SERVED(1, "assembly", "assembly cycles", "cycles of a DPIM", htmt_serve_cycles,
                    HTMT_SERVE_DPIM, "of a push parcel, on a DPIM"),
    HTMT_ROW_SERVED(1, "gather", "words in", "words, DRAM to SRAM", htmt_move_busy,
                    HTMT_SERVE_D_TO_S, "D to S, of a push parcel"),
    HTMT_ROW_SERVED(1, "dispatch", "dispatch cycles", "cycles of a SPIM", htmt_serve_cycles,
                    HTMT_SERVE_SPIM, "of a push parcel, on a SPIM"),
    HTMT_ROW_SERVED(1, "inject", "words in", "words, SRAM to CRAM", htmt_move_busy,
                    HTMT_SERVE_S_TO_C, "S to C, of a push parcel"),
    HTMT_ROW_COMPUTED(1, "s", "execute", "htmt_machine_work", "push on the SPELL"),
    HTMT_ROW_SERVED(1, "eject", "words out", "words, CRAM to SRAM", htmt_move_busy,
                    HTMT_SERVE_C_TO_S, "C to S"),
    HTMT_ROW_SERVED(1, "scatter", "words out", "words, SRAM to DRAM", htmt_move_busy,
                    HTMT_SERVE_S_TO_D, "S to D"),
    HTMT_ROW(0, "s", "period",
             "max('assembly, shared', gather apart, 'dispatch, shared', inject apart, execute, "
             "eject apart, scatter apart, 'CRAM loop, shared')",
             "from one parcel to the next"),
    HTMT_ROW_ROUNDED(1, "s", "assembly, shared", "assembly / DPIMs", HTMT_TERM_HALF_UP,
                     "by the DPIMs of a slice"),
    HTMT_ROW_ROUNDED(1, "s", "dispatch, shared", "dispatch / SPIMs", HTMT_TERM_HALF_UP,
                     "by the SPIMs of a slice"),
    HTMT_ROW_ROUNDED(1, "s", "CRAM loop, shared", "CRAM loop / buffers", HTMT_TERM_HALF_UP,
                     "a place in CRAM, by the parcels that fit"),
    PART("CRAM loop", "inject + inject latency + execute + eject + eject latency"),
    APART("gather apart", "words in", "words, DRAM to SRAM, channels shared", HTMT_SERVE_D_TO_S),
    APART("inject apart", "words in", "words, SRAM to CRAM, channels shared", HTMT_SERVE_S_TO_C),
    APART("eject apart", "words out", "words, CRAM to SRAM, channels shared", HTMT_SERVE_C_TO_S),
    APART("scatter apart", "words out", "words, SRAM to DRAM, channels shared", HTMT_SERVE_S_TO_D),
    PART("latency", "gather latency + inject latency + eject latency + scatter latency"),
    PART("gather latency", "min(words in, 1) * D to S latency"),
    PART("inject latency", "min(words in, 1) * S to C latency"),
    PART("eject latency", "min(words out, 1) * C to S latency"),
    PART("scatter latency", "min(words out, 1) * S to D latency"),
    HTMT_ROWS_END};

const struct htmt_term_row htmt__pic_buffers[] = {
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "1", "buffers",
                     "max(1, CRAM words / max(1, words in + words out))", HTMT_TERM_DOWN,
                     "parcels that fit CRAM"),
    HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

static void set_latency(const machine *w, struct htmt_term_tree *t, const char *name,
                        enum htmt_server server)
{
    htmt_term_tree_set_time(t, NULL, name, htmt_servers_move(&w->servers, server, 1).latency);
}

void htmt__pic_pipeline_set(const machine *w, struct htmt_term_tree *t)
{
    const struct htmt__pic_plan *p = w->p;
    const struct htmt_term_count of[] = {
        {"DPIMs", htmt_machine_servers(w->servers.m, p->outer)},
        {"SPIMs", htmt_machine_servers(w->servers.m, p->middle)},
        {"CRAM words", htmt_machine_room(w->servers.m, p->inner)},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
    set_latency(w, t, "D to S latency", HTMT_SERVE_D_TO_S);
    set_latency(w, t, "S to C latency", HTMT_SERVE_S_TO_C);
    set_latency(w, t, "C to S latency", HTMT_SERVE_C_TO_S);
    set_latency(w, t, "S to D latency", HTMT_SERVE_S_TO_D);
}

void htmt__pic_load_set(struct htmt_term_tree *t, const char *scope,
                        const struct htmt__pic_load *load)
{
    htmt_term_tree_set_count(t, scope, "words in", load->in);
    htmt_term_tree_set_count(t, scope, "words out", load->out);
    htmt_term_tree_set_count(t, scope, "assembly cycles", load->assembly);
    htmt_term_tree_set_count(t, scope, "dispatch cycles", load->dispatch);
    htmt_term_tree_set_time(t, scope, "execute", load->execute);
}
