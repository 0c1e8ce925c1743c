/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/phase.h"

#include "apps/lib/move.h"
#include "apps/sar/counts.h"

typedef struct htmt__sar_machine machine;
typedef struct htmt_term_tree tree;

/* In the order of a parcel's way. */
enum station {
    GATHER,  /* DRAM to SRAM; of strips HRAM to DRAM */
    INJECT,  /* SRAM to CRAM */
    SERVICE, /* the SPELL; of strips the DPIMs */
    EJECT,   /* CRAM to SRAM; of strips DRAM to HRAM */
    SCATTER, /* SRAM to DRAM */
    STATIONS
};

/* ---- rows ----------------------------------------------------------------------------------- */

#define MEAN(name, sum)                                                                            \
    HTMT_ROW_ROUNDED(HTMT_TERM_HIDDEN, "s", name, sum " / parcels", HTMT_TERM_HALF_UP,             \
                     "of a parcel")
#define SUM(name, by)                HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", name, by, "of all parcels")
#define SERVED(depth, name, meaning) HTMT_ROW_COMPUTED(depth, "s", name, "htmt_move", meaning)
#define EXECUTE(depth, meaning)      HTMT_ROW(depth, "s", "", "service", meaning)

/* Values of every stage; of the first parcel, of all, of all over the receiving channels. */
static const char *const firsts[] = {"gather", "inject", "service", "eject", "scatter"};
static const char *const sums[] = {"gathers", "injects", "services", "ejects", "scatters"};
static const char *const aparts[] = {"gathers apart", "injects apart", "services apart",
                                     "ejects apart", "scatters apart"};
static const char *const latencies[] = {"gather latency", "inject latency", "service latency",
                                        "eject latency", "scatter latency"};

static const struct htmt_term_row totals[] = {
    HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", "service", "htmt_machine_work", "first parcel"),
    SUM("gathers", "htmt_move"),
    SUM("injects", "htmt_move"),
    SUM("services", "htmt_machine_work"),
    SUM("ejects", "htmt_move"),
    SUM("scatters", "htmt_move"),
    SUM("gathers apart", "htmt_move"),
    SUM("injects apart", "htmt_move"),
    SUM("ejects apart", "htmt_move"),
    SUM("scatters apart", "htmt_move"),
    HTMT_ROW_PART("s", "latency",
                  "gather latency + inject latency + eject latency + scatter "
                  "latency"),
    HTMT_ROWS_END};

static const struct htmt_term_row
    line_phase[] = {HTMT_ROW(0, "s", "phase", "fill and drain + (parcels - 1) * bottleneck",
                             "all parcels of the type for a patch"),
                    HTMT_ROWS_END},
    reference_phase[] = {HTMT_ROW(0, "s", "phase", "fill and drain + (parcels - 1) * bottleneck",
                                  "for a patch, beside Read Patch"),
                         HTMT_ROWS_END};

static const struct htmt_term_row period[] = {
    HTMT_ROW_COMPUTED(1, "1", "parcels", "htmt__sar_parcels", "a patch"),
    HTMT_ROW_ROUNDED(1, "s", "bottleneck",
                     "max(max(gathers apart, injects apart, services, ejects apart, scatters "
                     "apart) / parcels, min(fit, 1) * one at a time / max(fit, 1))",
                     HTMT_TERM_HALF_UP, "from one parcel to the next"),
    EXECUTE(2, "execute: service of one parcel at the SPELL"), HTMT_ROWS_END};

static const struct htmt_term_row stations[STATIONS][2] = {
    [GATHER] = {SERVED(2, "gather", "D to S, of one parcel"), HTMT_ROWS_END},
    [INJECT] = {SERVED(2, "inject", "S to C, of one parcel"), HTMT_ROWS_END},
    [SERVICE] = {HTMT_ROWS_END},
    [EJECT] = {SERVED(2, "eject", "C to S, of one parcel"), HTMT_ROWS_END},
    [SCATTER] = {SERVED(2, "scatter", "S to D, of one parcel"), HTMT_ROWS_END}};

static const struct htmt_term_row in_cram[] = {
    HTMT_ROW(2, "s", "one at a time",
             "mean inject + inject latency + mean service + mean eject + eject latency",
             "from inject to eject"),
    HTMT_ROWS_END};
static const struct htmt_term_row
    some_fit[] = {HTMT_ROW_ROUNDED(2, "1", "fit", "(CRAM words - CRAM resident) / words in CRAM",
                                   HTMT_TERM_DOWN, "parcels that CRAM holds beside the references"),
                  HTMT_ROWS_END},
    all_fit[] = {
        HTMT_ROW(2, "1", "fit", "parcels", "parcels that CRAM holds beside the references"),
        HTMT_ROWS_END};

static const struct htmt_term_row ends[] = {
    HTMT_ROW(1, "s", "fill and drain",
             "mean gather + mean inject + mean service + mean eject + mean scatter + latency",
             "of a parcel that meets no other"),
    MEAN("mean gather", "gathers"),
    MEAN("mean inject", "injects"),
    MEAN("mean service", "services"),
    MEAN("mean eject", "ejects"),
    MEAN("mean scatter", "scatters"),
    HTMT_ROWS_END};

/* Strips come, or go, one after another over the channel and are served as many at once as there
 * are DPIMs: whichever takes longer. The last to come is a long one, the first to go a short one.
 */
#define BY_DPIMS "longest move + services / DPIMs"
static const struct htmt_term_row
    read_phase[] = {HTMT_ROW_ROUNDED(1, "s", "phase",
                                     "max(H to D + longest service, " BY_DPIMS ") + latency + word",
                                     HTMT_TERM_DOWN, "of a patch"),
                    EXECUTE(2, "DPIMs, a strip each"),
                    HTMT_ROW(2, "s", "H to D", "gathers", "channel, all strips"), HTMT_ROWS_END},
    write_phase[] = {HTMT_ROW_ROUNDED(1, "s", "phase",
                                      "max(D to H + service, " BY_DPIMS ") + latency",
                                      HTMT_TERM_DOWN, "of a patch"),
                     EXECUTE(2, "DPIMs, a strip each"),
                     HTMT_ROW(2, "s", "D to H", "ejects", "channel, all strips"), HTMT_ROWS_END},
    strip_count[] = {HTMT_ROW_COMPUTED(2, "1", "parcels", "htmt__sar_parcels", "a patch"),
                     HTMT_ROWS_END};

/* ---- services ------------------------------------------------------------------------------- */

struct served {
    htmt_time takes;
    htmt_time apart; /* from one to the next where nothing else bounds them */
    htmt_time latency;
};

static struct served move(machine *w, struct htmt_move_path path, uint64_t words)
{
    struct htmt_move move;
    w->overflow |= htmt_move(w->m, path, words, &move) != 0;
    htmt_time in = move.in / move.in_channels;
    return (struct served){move.busy, move.out > in ? move.out : in, move.latency};
}

static struct served work(machine *w, uint32_t layer, struct htmt_ops ops)
{
    htmt_time t = htmt_machine_work(w->m, layer, &ops);
    w->overflow |= t < 0;
    return (struct served){t, t, 0};
}

static void serve_strip(machine *w, enum htmt__sar_stage stage, uint32_t index,
                        struct served t[STATIONS])
{
    const struct htmt__sar_decomposition *c = w->c;
    struct htmt__sar_load l = htmt__sar_load(c, stage, 0, index);
    t[GATHER] = move(w, (struct htmt_move_path){c->outward, c->hram, c->dram, 1, 1}, l.into_dram);
    t[SERVICE] = work(w, c->dram, htmt__sar_ops(c, stage, 0, index));
    t[EJECT] = move(w, (struct htmt_move_path){c->outward, c->dram, c->hram, 1, 1}, l.out_of_dram);
    t[INJECT] = t[SCATTER] = (struct served){0, 0, 0};
}

static void serve_line(machine *w, enum htmt__sar_stage stage, uint32_t index,
                       struct served t[STATIONS])
{
    const struct htmt__sar_decomposition *c = w->c;
    struct htmt__sar_load l = htmt__sar_load(c, stage, 0, index);
    t[GATHER] =
        move(w, (struct htmt_move_path){c->vortex, c->dram, c->sram, l.gathered, 1}, l.into_sram);
    t[INJECT] = move(w, (struct htmt_move_path){c->rti, c->sram, c->cram, 1, 1}, l.into_cram);
    t[SERVICE] = work(w, c->cram, htmt__sar_ops(c, stage, 0, index));
    t[EJECT] = move(w, (struct htmt_move_path){c->rti, c->cram, c->sram, 1, 1}, l.out_of_cram);
    t[SCATTER] = move(w, (struct htmt_move_path){c->vortex, c->sram, c->dram, 1, l.scattered},
                      l.out_of_sram);
}

htmt_time htmt__sar_word_time(machine *w)
{
    const struct htmt__sar_decomposition *c = w->c;
    struct served word = move(w, (struct htmt_move_path){c->vortex, c->dram, c->sram, 1, 1}, 1);
    return word.takes + word.latency;
}

/* ---- sums ----------------------------------------------------------------------------------- */

struct sums {
    struct served first[STATIONS];
    htmt_wide busy[STATIONS], apart[STATIONS];
    htmt_time longest[STATIONS];
};

static void add_up(machine *w, enum htmt__sar_stage stage, uint32_t parcels, struct sums *sum)
{
    bool strips = htmt__sar_is_strip(stage), equal = !strips && stage != HTMT__SAR_MIGRATION;
    for (uint32_t i = 0; i < (equal ? 1 : parcels); i++) {
        struct served t[STATIONS];
        (strips ? serve_strip : serve_line)(w, stage, i, t);
        for (unsigned k = 0; k < STATIONS; k++) {
            sum->first[k] = i ? sum->first[k] : t[k];
            sum->busy[k] += (htmt_wide)t[k].takes * (equal ? parcels : 1);
            sum->apart[k] += (htmt_wide)t[k].apart * (equal ? parcels : 1);
            sum->longest[k] = t[k].takes > sum->longest[k] ? t[k].takes : sum->longest[k];
        }
    }
}

static void set_sums(tree *t, const char *scope, const struct sums *sum)
{
    for (unsigned k = 0; k < STATIONS; k++) {
        htmt_term_tree_set_time(t, scope, firsts[k], sum->first[k].takes);
        htmt_term_tree_set_time(t, scope, sums[k], sum->busy[k]);
        htmt_term_tree_set_time(t, scope, aparts[k], sum->apart[k]);
        htmt_term_tree_set_time(t, scope, latencies[k], sum->first[k].latency);
    }
}

/* ---- phases --------------------------------------------------------------------------------- */

/* Stations that do nothing are not printed. */
static void add_stations(tree *t, const char *scope, unsigned depth, const struct sums *sum)
{
    for (unsigned k = 0; k < STATIONS; k++)
        htmt_term_tree_add(t, scope, sum->first[k].takes ? depth : HTMT_TERM_HIDDEN, stations[k]);
}

static void add_fit(tree *t, const char *scope, unsigned depth, const struct htmt__sar_load *load)
{
    htmt_term_tree_add(t, scope, depth, in_cram);
    htmt_term_tree_add(t, scope, depth, load->cram ? some_fit : all_fit);
    if (load->cram)
        htmt_term_tree_set_count(t, scope, "words in CRAM", load->cram);
}

void htmt__sar_add_phase(machine *w, tree *t, enum htmt__sar_stage stage, unsigned depth)
{
    const char *scope = htmt__sar_stage_name(stage);
    uint32_t parcels = htmt__sar_parcels(w->c, stage, 0);
    struct sums sum = {.busy = {0}};
    if (!parcels)
        return;
    struct htmt__sar_load load = htmt__sar_load(w->c, stage, 0, 0);
    add_up(w, stage, parcels, &sum);
    htmt_term_tree_add(t, scope, depth,
                       htmt__sar_is_reference(stage) ? reference_phase : line_phase);
    htmt_term_tree_add(t, scope, depth, period);
    add_stations(t, scope, depth, &sum);
    add_fit(t, scope, depth, &load);
    htmt_term_tree_add(t, scope, depth, ends);
    htmt_term_tree_add(t, scope, 0, totals);
    htmt_term_tree_set_count(t, scope, "parcels", parcels);
    set_sums(t, scope, &sum);
}

void htmt__sar_add_strips(machine *w, tree *t, enum htmt__sar_stage stage)
{
    const char *scope = htmt__sar_stage_name(stage);
    uint32_t parcels = htmt__sar_parcels(w->c, stage, 0);
    enum station channel = stage == HTMT__SAR_READ ? GATHER : EJECT;
    struct sums sum = {.busy = {0}};
    add_up(w, stage, parcels, &sum);
    htmt_term_tree_add(t, scope, 0, stage == HTMT__SAR_READ ? read_phase : write_phase);
    htmt_term_tree_add(t, scope, 0, strip_count);
    htmt_term_tree_add(t, scope, 0, totals);
    htmt_term_tree_set_count(t, scope, "parcels", parcels);
    htmt_term_tree_set_time(t, scope, "longest move", sum.longest[channel]);
    htmt_term_tree_set_time(t, scope, "longest service", sum.longest[SERVICE]);
    set_sums(t, scope, &sum);
}
