/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as rows: their texts are evaluated and printed. First come the rows of a stage,
 * of a patch, and of what follows from both; then the values that the rows name. closed_form.h has
 * the model.
 *
 * Parcels of a stage are equal but for the tiles of Migration and the strips: for those all parcels
 * are served one by one and their sums are set; a row divides a sum by the number of parcels.
 *
 * Example by hand: a slice has three patches with read 2, phases 10, references 1 and write 1. One
 * patch takes 2 + 10 + 1 = 13. With two frames two patches are in work at once, so a period is at
 * least 13 / 2; the SPELL needs 10 + 1 for a patch, which is more. T = 13 + 2 * 11 = 35.
 *
 * A stage of lines. From one parcel to the next passes the time of the slowest station, or of the
 * places in CRAM: a parcel holds its place from inject to eject, so with `fit` places one comes
 * free each (that time) / fit. With inject 2, latency 1, service 5, eject 2 and latency 1 a place
 * is held for 11. Two places give 11 / 2 = 5.5, more than the SPELL's 5: CRAM sets the pace. Three
 * give 3.7, and the SPELL does. The first parcel's way is added once, since the pipeline is empty
 * before it.
 *
 * Strips are few and long, as many as DPIMs, and come one after another over one channel. Either
 * the channel is slow: all come, and the last one is served. Or the DPIMs are: the first one comes,
 * and then all have their work shared. Both are lower bounds, and the larger is taken. Three strips
 * of 4 on the channel and 10 on a DPIM: with two DPIMs 3 * 4 + 10 = 22 against 4 + 30 / 2 = 19;
 * with one DPIM 22 against 4 + 30 = 34. Writing is the same backwards.
 */
#include "apps/sar/closed_form.h"

#include "apps/lib/move.h"
#include "apps/lib/term_tree.h"
#include "apps/sar/counts.h"

#include <inttypes.h>
#include <string.h>

typedef struct htmt__sar_prediction prediction;
typedef struct htmt_term_tree tree;

struct machine {
    const struct htmt_machine *m;
    const struct htmt__sar_decomposition *c;
    bool overflow; /* of a service */
};

/* In the order of a parcel's way. */
enum station {
    GATHER,  /* DRAM to SRAM; of strips HRAM to DRAM */
    INJECT,  /* SRAM to CRAM */
    SERVICE, /* the SPELL; of strips the DPIMs */
    EJECT,   /* CRAM to SRAM; of strips DRAM to HRAM */
    SCATTER, /* SRAM to DRAM */
    STATIONS
};

#define TIME(depth, name, text, meaning) HTMT_ROW(depth, "s", name, text, meaning)
#define PART(name, text)                 HTMT_ROW_PART("s", name, text)
#define USE(name, text, meaning)         HTMT_ROW_QUOTIENT("%", name, text, meaning)
#define WHOLE(name, text, meaning)       HTMT_ROW_ROUNDED(0, "1", name, text, HTMT_TERM_DOWN, meaning)

/* ---- rows of a stage, in the scope of its name ---------------------------------------------- */

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

static const struct htmt_term_row line_phase[] = {
    HTMT_ROW(0, "s", "phase", "fill and drain + (parcels - 1) * bottleneck",
             "all parcels of the type for a patch"),
    HTMT_ROWS_END};
static const struct htmt_term_row reference_phase[] = {
    HTMT_ROW(0, "s", "phase", "fill and drain + (parcels - 1) * bottleneck",
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
static const struct htmt_term_row some_fit[] = {
    HTMT_ROW_ROUNDED(2, "1", "fit", "(CRAM words - CRAM resident) / words in CRAM", HTMT_TERM_DOWN,
                     "parcels that CRAM holds beside the references"),
    HTMT_ROWS_END};
static const struct htmt_term_row all_fit[] = {
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
static const struct htmt_term_row read_phase[] = {
    HTMT_ROW_ROUNDED(1, "s", "phase",
                     "max(H to D + longest service, " BY_DPIMS ") + latency + word", HTMT_TERM_DOWN,
                     "of a patch"),
    EXECUTE(2, "DPIMs, a strip each"), HTMT_ROW(2, "s", "H to D", "gathers", "channel, all strips"),
    HTMT_ROWS_END};
static const struct htmt_term_row write_phase[] = {
    HTMT_ROW_ROUNDED(1, "s", "phase", "max(D to H + service, " BY_DPIMS ") + latency",
                     HTMT_TERM_DOWN, "of a patch"),
    EXECUTE(2, "DPIMs, a strip each"), HTMT_ROW(2, "s", "D to H", "ejects", "channel, all strips"),
    HTMT_ROWS_END};
static const struct htmt_term_row strip_count[] = {
    HTMT_ROW_COMPUTED(2, "1", "parcels", "htmt__sar_parcels", "a patch"), HTMT_ROWS_END};

/* ---- rows of a patch ------------------------------------------------------------------------ */

/* A term of all stages of lines, without migration and with it. */
#define LINES(what) "'Range Line, " what "' + 'Azimuth Line, " what "'"
#define MIGRATING(what)                                                                            \
    "'Range Line, " what "' + 'Azimuth FFT, " what "' + 'Migration, " what                         \
    "' + 'Azimuth Focus, " what "'"

static const struct htmt_term_row total[] = {
    TIME(0, "T", "patch + (ceil(patches / slices) - 1) * period", "all patches"), HTMT_ROWS_END};

static const struct htmt_term_row straight_phases[] = {
    TIME(1, "phases", LINES("phase") " + 2 * word", "of a patch, one after another"),
    HTMT_ROWS_END};
static const struct htmt_term_row migrating_phases[] = {
    TIME(1, "phases", MIGRATING("phase") " + 4 * word", "of a patch, one after another"),
    HTMT_ROWS_END};

static const struct htmt_term_row periods[] = {
    HTMT_ROW_ROUNDED(1, "s", "period",
                     "max(phases + references, DPIM, 'Read Patch, H to D', 'Write Patch, D to H', "
                     "patch / frames)",
                     HTMT_TERM_DOWN, "from one patch of a slice to the next"),
    TIME(2, "SPELL", "line services + references", "work of a SPELL for a patch"),
    HTMT_ROW_ROUNDED(2, "s", "DPIM", "('Read Patch, services' + 'Write Patch, services') / DPIMs",
                     HTMT_TERM_DOWN, "all DPIMs"),
    PART("patch", "'Read Patch, phase' + phases + 'Write Patch, phase'"),
    HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", "word", "htmt__sar_word_time",
                      "tells that a phase is over"),
    HTMT_ROWS_END};

#define FILL                                                                                       \
    "'Read Patch, phase' + 'Range Line, gather' + 'Range Line, gather latency' + 'Range Line, "    \
    "inject' + 'Range Line, inject latency'"
#define DRAIN(last)                                                                                \
    "'" last ", eject' + '" last ", eject latency' + '" last ", scatter' + '" last                 \
    ", scatter latency' + 'Write Patch, phase'"

static const struct htmt_term_row straight[] = {
    TIME(2, "references", "Range Reference + Azimuth Reference", "made once a patch"),
    PART("line gathers", LINES("gathers")),
    PART("line injects", LINES("injects")),
    PART("line services", LINES("services")),
    PART("line ejects", LINES("ejects")),
    PART("line scatters", LINES("scatters")),
    PART("fill", FILL),
    PART("drain", DRAIN("Azimuth Line")),
    HTMT_ROWS_END};
static const struct htmt_term_row migrating[] = {
    TIME(2, "references", "Range Reference + Interpolator + Azimuth Reference",
         "made once a patch"),
    PART("line gathers", MIGRATING("gathers")),
    PART("line injects", MIGRATING("injects")),
    PART("line services", MIGRATING("services")),
    PART("line ejects", MIGRATING("ejects")),
    PART("line scatters", MIGRATING("scatters")),
    PART("fill", FILL),
    PART("drain", DRAIN("Azimuth Focus")),
    HTMT_ROWS_END};

/* ---- rates ---------------------------------------------------------------------------------- */

static const struct htmt_term_row rates[] = {
    HTMT_ROW(0, "flop", "flop", "flop of a patch * patches", "of all patches"),
    HTMT_ROW_QUOTIENT("flop/s", "rate", "flop / T", "of the problem"),
    HTMT_ROW_QUOTIENT("1/s", "patch rate", "slices / SPELL",
                      "patches, the SPELLs of all slices busy"),
    HTMT_ROW(0, "s", "patch interval", "SPELL / slices", "a patch of all slices"),
    HTMT_ROW(0, "bytes/s", "raw rate", "patch rate * raw bytes", "raw data into DRAM"),
    HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "flop", "flop of a patch", "htmt__sar_ops",
                      "of all parcels"),
    HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "bytes", "raw bytes", "htmt__sar_raw_bytes", "of a patch"),
    HTMT_ROWS_END};

static const struct htmt_term_row of_hram[] = {
    HTMT_ROW(0, "1", "patches in HRAM", "hram.share * HRAM capacity * 8 * slices / raw bytes",
             "raw patches in that share of HRAM"),
    HTMT_ROW_QUOTIENT("s", "time of HRAM", "patches in HRAM / patch rate", "to focus them"),
    HTMT_ROWS_END};

/* ---- use ------------------------------------------------------------------------------------ */

/* Of the service at the principal resource, as the paper's tables have it. */
#define OF_SPELL "of the time at the SPELL"
static const struct {
    const char *station;
    struct htmt_term_row row[2];
} ways[] = {
    {"gather", {USE("D to S use", "gather / service", OF_SPELL), HTMT_ROWS_END}},
    {"inject", {USE("S to C use", "inject / service", OF_SPELL), HTMT_ROWS_END}},
    {"eject", {USE("C to S use", "eject / service", OF_SPELL), HTMT_ROWS_END}},
    {"scatter", {USE("S to D use", "scatter / service", OF_SPELL), HTMT_ROWS_END}},
};

#define OF_PATCH "of a SPELL's work for a patch"
static const struct htmt_term_row uses[] = {
    USE("Read Patch, H to D use", "'Read Patch, H to D' / 'Read Patch, service'",
        "of the DPIMs' time"),
    USE("Write Patch, D to H use", "'Write Patch, D to H' / 'Write Patch, service'",
        "of the DPIMs' time"),
    USE("DPIM use", "DPIM / SPELL", OF_PATCH),
    USE("H to D use", "'Read Patch, H to D' / SPELL", OF_PATCH),
    USE("D to S use", "line gathers / SPELL", OF_PATCH),
    USE("S to C use", "line injects / SPELL", OF_PATCH),
    USE("C to S use", "line ejects / SPELL", OF_PATCH),
    USE("S to D use", "line scatters / SPELL", OF_PATCH),
    USE("D to H use", "'Write Patch, D to H' / SPELL", OF_PATCH),
    HTMT_ROWS_END};

/* ---- memories ------------------------------------------------------------------------------- */

static const struct htmt_term_row line_in_cram[] = {
    USE("CRAM use", "line words / CRAM capacity", "a line, of references two"), HTMT_ROWS_END};
static const struct htmt_term_row line_below[] = {
    USE("SRAM use", "words gathered / SRAM capacity", "a parcel"),
    USE("DRAM use", "words gathered / DRAM capacity", "a parcel"), HTMT_ROWS_END};

static const struct htmt_term_row memories[] = {
    USE("patch, DRAM use", "patch words / DRAM capacity", "a patch"),
    USE("patch, HRAM use", "raw bytes / 8 / HRAM capacity", "a raw patch"),
    USE("DRAM use", "'patch, DRAM use' * DPIM use", "a patch while it is read or written"),
    WHOLE("range lines in CRAM", "(CRAM words - range line words) / range line words",
          "range lines beside their reference"),
    WHOLE("range lines beside a reference",
          "(CRAM words - 2 * range line words) / range line words",
          "range lines beside their reference while it is made"),
    WHOLE("azimuth lines in CRAM", "(CRAM words - azimuth line words) / azimuth line words",
          "azimuth lines beside their reference"),
    USE("CRAM use, two lines", "3 * range line words / CRAM capacity",
        "the reference and two range lines"),
    HTMT_ROWS_END};

/* Words in CRAM of the line that is served, mean over time. */
#define RANGE_WORDS "'Range Line, services' * range line words"
static const struct htmt_term_row straight_cram[] = {
    USE("CRAM use",
        "(" RANGE_WORDS " + 'Azimuth Line, services' * azimuth line words) / "
        "SPELL / CRAM capacity",
        "the line that is served"),
    HTMT_ROWS_END};
static const struct htmt_term_row migrating_cram[] = {
    USE("CRAM use",
        "(" RANGE_WORDS " + ('Azimuth FFT, services' + 'Azimuth Focus, "
        "services') * azimuth line words) / SPELL / CRAM capacity",
        "the line that is served"),
    HTMT_ROWS_END};

/* ---- services ------------------------------------------------------------------------------- */

struct served {
    htmt_time takes;
    htmt_time apart; /* from one to the next where nothing else bounds them */
    htmt_time latency;
};

static struct served move(struct machine *w, struct htmt_move_path path, uint64_t words)
{
    struct htmt_move move;
    w->overflow |= htmt_move(w->m, path, words, &move) != 0;
    htmt_time in = move.in / move.in_channels;
    return (struct served){move.busy, move.out > in ? move.out : in, move.latency};
}

static struct served work(struct machine *w, uint32_t layer, struct htmt_ops ops)
{
    htmt_time t = htmt_machine_work(w->m, layer, &ops);
    w->overflow |= t < 0;
    return (struct served){t, t, 0};
}

/* What parcel `index` of a stage takes at each station. */
static void serve(struct machine *w, enum htmt__sar_stage stage, uint32_t index,
                  struct served t[STATIONS])
{
    const struct htmt__sar_decomposition *c = w->c;
    const struct htmt__sar_load l = htmt__sar_load(c, stage, 0, index);
    const struct htmt_ops ops = htmt__sar_ops(c, stage, 0, index);
    if (htmt__sar_is_strip(stage)) {
        t[GATHER] =
            move(w, (struct htmt_move_path){c->outward, c->hram, c->dram, 1, 1}, l.into_dram);
        t[SERVICE] = work(w, c->dram, ops);
        t[EJECT] =
            move(w, (struct htmt_move_path){c->outward, c->dram, c->hram, 1, 1}, l.out_of_dram);
        t[INJECT] = t[SCATTER] = (struct served){0, 0, 0};
        return;
    }
    t[GATHER] =
        move(w, (struct htmt_move_path){c->vortex, c->dram, c->sram, l.gathered, 1}, l.into_sram);
    t[INJECT] = move(w, (struct htmt_move_path){c->rti, c->sram, c->cram, 1, 1}, l.into_cram);
    t[SERVICE] = work(w, c->cram, ops);
    t[EJECT] = move(w, (struct htmt_move_path){c->rti, c->cram, c->sram, 1, 1}, l.out_of_cram);
    t[SCATTER] = move(w, (struct htmt_move_path){c->vortex, c->sram, c->dram, 1, l.scattered},
                      l.out_of_sram);
}

/* ---- stages --------------------------------------------------------------------------------- */

struct sums {
    struct served first[STATIONS];
    htmt_wide busy[STATIONS], apart[STATIONS];
    htmt_time longest[STATIONS];
};

/* Of all parcels of a stage. */
static void add_up(struct machine *w, enum htmt__sar_stage stage, struct sums *sum)
{
    const uint32_t parcels = htmt__sar_parcels(w->c, stage, 0);
    bool equal = !htmt__sar_is_strip(stage) && stage != HTMT__SAR_MIGRATION;
    *sum = (struct sums){.busy = {0}};
    for (uint32_t i = 0; i < (equal ? 1 : parcels); i++) {
        struct served at[STATIONS];
        serve(w, stage, i, at);
        for (unsigned k = 0; k < STATIONS; k++) {
            sum->first[k] = i ? sum->first[k] : at[k];
            sum->busy[k] += (htmt_wide)at[k].takes * (equal ? parcels : 1);
            sum->apart[k] += (htmt_wide)at[k].apart * (equal ? parcels : 1);
            sum->longest[k] = at[k].takes > sum->longest[k] ? at[k].takes : sum->longest[k];
        }
    }
}

/* After the rows that take these values. */
static void set_sums(const struct machine *w, tree *t, enum htmt__sar_stage stage,
                     const struct sums *sum)
{
    const char *scope = htmt__sar_stage_name(stage);
    htmt_term_tree_add(t, scope, 0, totals);
    htmt_term_tree_set_count(t, scope, "parcels", htmt__sar_parcels(w->c, stage, 0));
    for (unsigned k = 0; k < STATIONS; k++) {
        htmt_term_tree_set_time(t, scope, firsts[k], sum->first[k].takes);
        htmt_term_tree_set_time(t, scope, sums[k], sum->busy[k]);
        htmt_term_tree_set_time(t, scope, aparts[k], sum->apart[k]);
        htmt_term_tree_set_time(t, scope, latencies[k], sum->first[k].latency);
    }
}

/* Lines or references: the phase at that depth, its parts below. Stations that do nothing are not
 * printed. */
static void add_phase(struct machine *w, tree *t, enum htmt__sar_stage stage, unsigned depth)
{
    const char *scope = htmt__sar_stage_name(stage);
    struct sums sum;
    if (!htmt__sar_parcels(w->c, stage, 0))
        return;
    uint64_t cram = htmt__sar_load(w->c, stage, 0, 0).cram;
    add_up(w, stage, &sum);
    htmt_term_tree_add(t, scope, depth,
                       htmt__sar_is_reference(stage) ? reference_phase : line_phase);
    htmt_term_tree_add(t, scope, depth, period);
    for (unsigned k = 0; k < STATIONS; k++)
        htmt_term_tree_add(t, scope, sum.first[k].takes ? depth : HTMT_TERM_HIDDEN, stations[k]);
    htmt_term_tree_add(t, scope, depth, in_cram);
    htmt_term_tree_add(t, scope, depth, cram ? some_fit : all_fit);
    if (cram)
        htmt_term_tree_set_count(t, scope, "words in CRAM", cram);
    htmt_term_tree_add(t, scope, depth, ends);
    set_sums(w, t, stage, &sum);
}

static void add_strips(struct machine *w, tree *t, enum htmt__sar_stage stage)
{
    const char *scope = htmt__sar_stage_name(stage);
    enum station channel = stage == HTMT__SAR_READ ? GATHER : EJECT;
    struct sums sum;
    add_up(w, stage, &sum);
    htmt_term_tree_add(t, scope, 0, stage == HTMT__SAR_READ ? read_phase : write_phase);
    htmt_term_tree_add(t, scope, 0, strip_count);
    set_sums(w, t, stage, &sum);
    htmt_term_tree_set_time(t, scope, "longest move", sum.longest[channel]);
    htmt_term_tree_set_time(t, scope, "longest service", sum.longest[SERVICE]);
}

/* ---- use ------------------------------------------------------------------------------------ */

static void set_words(tree *t, const char *scope, const char *name, uint64_t words)
{
    htmt_term_tree_set(t, scope, name, "words", htmt_exact_whole(words));
}

/* Use of the stations that take time, by each stage of lines and references. */
static void add_stations(const struct machine *w, tree *t)
{
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++) {
        const char *scope = htmt__sar_stage_name(s);
        if (htmt__sar_is_strip(s) || !htmt__sar_parcels(w->c, s, 0))
            continue;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s, %s", scope, ways[i].station);
            if (htmt_term_tree_whole(t, name))
                htmt_term_tree_add(t, scope, 0, ways[i].row);
        }
    }
}

/* Use of the memories by one parcel of each of these stages. A reference has a line to work in and
 * one for its result. */
static void add_lines(const struct machine *w, tree *t)
{
    const struct htmt__sar_decomposition *c = w->c;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++) {
        const char *scope = htmt__sar_stage_name(s);
        if (htmt__sar_is_strip(s) || !htmt__sar_parcels(c, s, 0) || s == HTMT__SAR_INTERPOLATOR ||
            s == HTMT__SAR_MIGRATION)
            continue;
        bool range = s == HTMT__SAR_RANGE || s == HTMT__SAR_RANGE_REFERENCE;
        uint64_t line = htmt__sar_words(c, range ? c->plan.range_length : c->plan.azimuth_length);
        uint64_t gathered = htmt__sar_load(c, s, 0, 0).into_sram;
        htmt_term_tree_add(t, scope, 0, line_in_cram);
        set_words(t, scope, "line words", htmt__sar_is_reference(s) ? 2 * line : line);
        if (!gathered)
            continue;
        htmt_term_tree_add(t, scope, 0, line_below);
        set_words(t, scope, "words gathered", gathered);
    }
}

/* Rates, use and memories. */
static void add_uses(const struct machine *w, const struct htmt__sar_costs *costs, tree *t)
{
    const struct htmt__sar_decomposition *c = w->c;
    const struct htmt__sar_plan *p = &c->plan;
    const struct htmt_layer *layer = w->m->layer;
    htmt_term_tree_add(t, NULL, 0, rates);
    if (c->charges.from_file) {
        htmt_term_tree_add(t, NULL, 0, of_hram);
        htmt_term_tree_set(t, NULL, "hram.share", "1", htmt_exact_ratio(costs->hram_share));
    }
    add_stations(w, t);
    htmt_term_tree_add(t, NULL, 0, uses);
    add_lines(w, t);
    htmt_term_tree_add(t, NULL, 0, memories);
    htmt_term_tree_add(t, NULL, 0, p->rcmc ? migrating_cram : straight_cram);
    uint64_t patch = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        for (uint32_t i = 0; i < htmt__sar_parcels(c, s, 0); i++)
            patch += htmt__sar_ops(c, s, 0, i).n[HTMT_FLOP];
    htmt_term_tree_set(t, NULL, "flop of a patch", "flop", htmt_exact_whole(patch));
    htmt_term_tree_set(t, NULL, "raw bytes", "bytes",
                       htmt_exact_whole(htmt__sar_raw_bytes(c, p->patch_lines)));
    set_words(t, NULL, "patch words",
              htmt__sar_words(c, (uint64_t)p->patch_lines * p->radar.samples));
    set_words(t, NULL, "range line words", htmt__sar_words(c, p->range_length));
    set_words(t, NULL, "azimuth line words", htmt__sar_words(c, p->azimuth_length));
    set_words(t, NULL, "HRAM capacity", layer[c->hram].memory.capacity);
    set_words(t, NULL, "DRAM capacity", layer[c->dram].memory.capacity);
    set_words(t, NULL, "SRAM capacity", layer[c->sram].memory.capacity);
    set_words(t, NULL, "CRAM capacity", layer[c->cram].memory.capacity);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static void add_rows(struct machine *w, tree *t)
{
    const struct htmt__sar_decomposition *c = w->c;
    const struct htmt_memory *cram = &w->m->layer[c->cram].memory;
    const struct htmt_term_count of[] = {
        {"patches", c->patches},
        {"slices", w->m->slices},
        {"frames", HTMT__SAR_FRAMES},
        {"DPIMs", htmt_machine_servers(w->m, c->dram)},
        {"CRAM words", cram->capacity - cram->reserve},
        {"CRAM resident", c->cram_resident},
    };
    htmt_term_tree_add(t, NULL, 0, total);
    add_strips(w, t, HTMT__SAR_READ);
    htmt_term_tree_add(t, NULL, 0, c->plan.rcmc ? migrating_phases : straight_phases);
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!htmt__sar_is_strip(s) && !htmt__sar_is_reference(s))
            add_phase(w, t, s, 2);
    add_strips(w, t, HTMT__SAR_WRITE);
    htmt_term_tree_add(t, NULL, 0, periods);
    htmt_term_tree_add(t, NULL, 0, c->plan.rcmc ? migrating : straight);
    /* a word from DRAM to SRAM tells the coordinator of the last parcel of a phase */
    struct served word = move(w, (struct htmt_move_path){c->vortex, c->dram, c->sram, 1, 1}, 1);
    htmt_term_tree_set_time(t, NULL, "word", word.takes + word.latency);
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (htmt__sar_is_reference(s))
            add_phase(w, t, s, 0);
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
}

/* costs NULL: only the times. */
static int evaluate(struct machine *w, const struct htmt__sar_costs *costs, tree **t,
                    struct htmt_fault *fault)
{
    int rc = htmt_term_tree_create(w, t, fault);
    if (rc)
        return rc;
    add_rows(w, *t);
    if (costs)
        add_uses(w, costs, *t);
    if (w->overflow)
        rc = htmt_fault_set(fault, HTMT_EOVERFLOW, "machine %s: a parcel takes more than 9223 s",
                            w->m->name);
    if (!rc)
        rc = htmt_term_tree_evaluate(*t, fault);
    if (rc)
        htmt_term_tree_destroy(t);
    return rc;
}

/* ---- what others ask for -------------------------------------------------------------------- */

static htmt_wide of_stage(const tree *t, enum htmt__sar_stage stage, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %s", htmt__sar_stage_name(stage), what);
    return htmt_term_tree_whole(t, name);
}

int htmt__sar_predict(const struct htmt_machine *m,
                      const struct htmt__sar_decomposition *decomposition, prediction *out,
                      struct htmt_fault *fault)
{
    struct machine w = {.m = m, .c = decomposition};
    double flops = 0;
    tree *t;
    int rc = evaluate(&w, NULL, &t, fault);
    if (rc)
        return rc;
    *out = (prediction){.decomposition = *decomposition};
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++) {
        struct htmt__sar_phase *p = &out->phase[s];
        p->parcels = htmt__sar_parcels(decomposition, s, 0);
        for (uint32_t i = 0; i < p->parcels; i++)
            flops += (double)htmt__sar_ops(decomposition, s, 0, i).n[HTMT_FLOP];
        if (!p->parcels || htmt__sar_is_strip(s))
            continue;
        p->gather = of_stage(t, s, "gather");
        p->fill_and_drain = of_stage(t, s, "fill and drain");
        p->bottleneck = of_stage(t, s, "bottleneck");
        p->takes = of_stage(t, s, "phase");
    }
    out->flops = flops * decomposition->patches;
    out->total = htmt_term_tree_whole(t, "T");
    out->work = htmt_term_tree_whole(t, "line services");
    out->fill = htmt_term_tree_whole(t, "fill");
    out->drain = htmt_term_tree_whole(t, "drain");
    htmt_term_tree_destroy(&t);
    return 0;
}

/* How many parcels, and the words that they move. */
static void name_load(const struct htmt__sar_decomposition *c, enum htmt__sar_stage s,
                      struct htmt_term *t)
{
    const struct htmt__sar_load l = htmt__sar_load(c, s, 0, 0);
    if (!l.into_sram && !l.out_of_sram && !l.into_dram && !l.out_of_dram)
        snprintf(t->inputs, sizeof t->inputs, "no words move: it is made in CRAM");
    else if (htmt__sar_is_strip(s))
        snprintf(t->inputs, sizeof t->inputs, "%" PRIu32 " strips; words of one: %" PRIu64,
                 htmt__sar_parcels(c, s, 0), l.into_dram + l.out_of_dram);
    else
        snprintf(t->inputs, sizeof t->inputs,
                 "words D to S %" PRIu64 ", S to C %" PRIu64 ", C to S %" PRIu64
                 ", S to D %" PRIu64,
                 l.into_sram, l.into_cram, l.out_of_cram, l.out_of_sram);
}

int htmt__sar_tell(const struct htmt_machine *m, const struct htmt__sar_costs *costs,
                   const prediction *p, struct htmt_prediction *out, struct htmt_fault *fault)
{
    struct machine w = {.m = m, .c = &p->decomposition};
    struct htmt_term *line;
    tree *t;
    unsigned first = htmt_prediction_count(out);
    int rc = evaluate(&w, costs, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_tell(t, out);
    htmt_term_tree_destroy(&t);
    for (unsigned i = first; (line = htmt_prediction_term_at(out, i)); i++)
        for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
            if (!strcmp(line->name, htmt__sar_stage_name(s)))
                name_load(&p->decomposition, s, line);
    return 0;
}

void htmt__sar_causes(const struct htmt_machine *m, const prediction *p,
                      htmt_wide part[HTMT_PATH_CAUSES])
{
    if (p->decomposition.patches > m->slices)
        return;
    part[HTMT_PATH_WORK] = p->work;
    part[HTMT_PATH_FILL] = p->fill;
    part[HTMT_PATH_DRAIN] = p->drain;
    part[HTMT_PATH_OVERHEAD] = p->total - p->work - p->fill - p->drain;
}
