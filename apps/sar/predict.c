/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/predict.h"

#include "apps/sar/counts.h"

#include <inttypes.h>
#include <string.h>

typedef struct htmt__sar_machine machine;
typedef struct htmt_term_tree tree;

#define USE(name, text, meaning)   HTMT_ROW_QUOTIENT("%", name, text, meaning)
#define WHOLE(name, text, meaning) HTMT_ROW_ROUNDED(0, "1", name, text, HTMT_TERM_DOWN, meaning)

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

static const struct htmt_term_row line_in_cram[] = {USE("CRAM use", "line words / CRAM capacity",
                                                        "a line, of references two"),
                                                    HTMT_ROWS_END},
                                  line_below[] = {
                                      USE("SRAM use", "words gathered / SRAM capacity", "a parcel"),
                                      USE("DRAM use", "words gathered / DRAM capacity", "a parcel"),
                                      HTMT_ROWS_END};

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
static const struct htmt_term_row
    straight_cram[] = {USE("CRAM use",
                           "(" RANGE_WORDS " + 'Azimuth Line, services' * azimuth line words) / "
                           "SPELL / CRAM capacity",
                           "the line that is served"),
                       HTMT_ROWS_END},
    migrating_cram[] = {USE("CRAM use",
                            "(" RANGE_WORDS " + ('Azimuth FFT, services' + 'Azimuth Focus, "
                            "services') * azimuth line words) / SPELL / CRAM capacity",
                            "the line that is served"),
                        HTMT_ROWS_END};

/* ---- values --------------------------------------------------------------------------------- */

static void set_words(tree *t, const char *scope, const char *name, uint64_t words)
{
    htmt_term_tree_set(t, scope, name, "words", htmt_exact_whole(words));
}

static void set_capacity(const machine *w, tree *t, const char *name, uint32_t layer)
{
    set_words(t, NULL, name, w->m->layer[layer].memory.capacity);
}

static uint64_t flop_of_patch(const struct htmt__sar_decomposition *c)
{
    uint64_t patch = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        for (uint32_t i = 0; i < htmt__sar_parcels(c, s, 0); i++)
            patch += htmt__sar_ops(c, s, 0, i).n[HTMT_FLOP];
    return patch;
}

static void set_values(const machine *w, tree *t)
{
    const struct htmt__sar_decomposition *c = w->c;
    htmt_term_tree_set(t, NULL, "flop of a patch", "flop", htmt_exact_whole(flop_of_patch(c)));
    htmt_term_tree_set(t, NULL, "raw bytes", "bytes",
                       htmt_exact_whole(htmt__sar_raw_bytes(c, c->plan.patch_lines)));
    set_words(t, NULL, "patch words",
              htmt__sar_words(c, (uint64_t)c->plan.patch_lines * c->plan.radar.samples));
    set_words(t, NULL, "range line words", htmt__sar_words(c, c->plan.range_length));
    set_words(t, NULL, "azimuth line words", htmt__sar_words(c, c->plan.azimuth_length));
    set_capacity(w, t, "HRAM capacity", c->hram);
    set_capacity(w, t, "DRAM capacity", c->dram);
    set_capacity(w, t, "SRAM capacity", c->sram);
    set_capacity(w, t, "CRAM capacity", c->cram);
}

/* ---- rows of a stage ------------------------------------------------------------------------ */

/* Of the stations that take time. */
static void add_use(const machine *w, tree *t, enum htmt__sar_stage s)
{
    const char *scope = htmt__sar_stage_name(s);
    (void)w;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %s", scope, ways[i].station);
        if (htmt_term_tree_whole(t, name))
            htmt_term_tree_add(t, scope, 0, ways[i].row);
    }
}

/* Words of a line, and of two where a reference has one to work in and one for its result. */
static uint64_t line_words(const struct htmt__sar_decomposition *c, enum htmt__sar_stage s)
{
    bool range = s == HTMT__SAR_RANGE || s == HTMT__SAR_RANGE_REFERENCE;
    uint64_t words = htmt__sar_words(c, range ? c->plan.range_length : c->plan.azimuth_length);
    return htmt__sar_is_reference(s) ? 2 * words : words;
}

static void add_line(const machine *w, tree *t, enum htmt__sar_stage s)
{
    const char *scope = htmt__sar_stage_name(s);
    uint64_t words = htmt__sar_load(w->c, s, 0, 0).into_sram;
    if (s == HTMT__SAR_INTERPOLATOR || s == HTMT__SAR_MIGRATION)
        return;
    htmt_term_tree_add(t, scope, 0, line_in_cram);
    set_words(t, scope, "line words", line_words(w->c, s));
    if (!words)
        return;
    htmt_term_tree_add(t, scope, 0, line_below);
    set_words(t, scope, "words gathered", words);
}

/* Of the stages that have parcels, strips aside. */
static void each_stage(const machine *w, tree *t,
                       void (*add)(const machine *w, tree *t, enum htmt__sar_stage s))
{
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!htmt__sar_is_strip(s) && htmt__sar_parcels(w->c, s, 0))
            add(w, t, s);
}

void htmt__sar_add_uses(const machine *w, const struct htmt__sar_costs *costs, tree *t)
{
    htmt_term_tree_add(t, NULL, 0, rates);
    if (w->c->charges.from_file) {
        htmt_term_tree_add(t, NULL, 0, of_hram);
        htmt_term_tree_set(t, NULL, "hram.share", "1", htmt_exact_ratio(costs->hram_share));
    }
    each_stage(w, t, add_use);
    htmt_term_tree_add(t, NULL, 0, uses);
    each_stage(w, t, add_line);
    htmt_term_tree_add(t, NULL, 0, memories);
    htmt_term_tree_add(t, NULL, 0, w->c->plan.rcmc ? migrating_cram : straight_cram);
    set_values(w, t);
}

/* ---- inputs --------------------------------------------------------------------------------- */

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

void htmt__sar_name_inputs(const struct htmt__sar_decomposition *c, unsigned first,
                           struct htmt_prediction *out)
{
    struct htmt_term *t;
    for (unsigned i = first; (t = htmt_prediction_term_at(out, i)); i++)
        for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
            if (!strcmp(t->name, htmt__sar_stage_name(s)))
                name_load(c, s, t);
}
