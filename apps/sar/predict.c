/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#include "apps/lib/term_tree.h"
#include "apps/sar/closed_form.h"

#include <inttypes.h>
#include <math.h>

typedef struct htmt__sar_prediction closed;
typedef struct htmt_prediction tree;

struct name {
    char text[48];
};

/* "Range Line, bottleneck"; what NULL: "Range Line". */
static struct name of(enum htmt__sar_stage stage, const char *what)
{
    struct name n;
    snprintf(n.text, sizeof n.text, "%s%s%s", htmt__sar_stage_name(stage), what ? ", " : "",
             what ? what : "");
    return n;
}

/* ---- stages --------------------------------------------------------------------------------- */

/* The number of parcels, and the words that they move. */
static void name_load(struct htmt_term *t, enum htmt__sar_stage s, const struct htmt__sar_phase *h)
{
    const struct htmt__sar_load *l = &h->load;
    if (!l->into_sram && !l->out_of_sram && !l->into_dram && !l->out_of_dram)
        snprintf(t->inputs, sizeof t->inputs, "no words move: it is made in CRAM");
    else if (htmt__sar_is_strip(s))
        snprintf(t->inputs, sizeof t->inputs, "%" PRIu32 " strips; words of one: %" PRIu64,
                 h->parcels, l->into_dram + l->out_of_dram);
    else
        snprintf(t->inputs, sizeof t->inputs,
                 "words D to S %" PRIu64 ", S to C %" PRIu64 ", C to S %" PRIu64
                 ", S to D %" PRIu64,
                 l->into_sram, l->into_cram, l->out_of_cram, l->out_of_sram);
}

static void add_stations(tree *out, unsigned depth, enum htmt__sar_stage s,
                         const struct htmt__sar_phase *h)
{
    static const struct {
        const char *name, *meaning, *expression;
    } stations[HTMT__SAR_STATIONS] = {
        [HTMT__SAR_GATHER] = {"gather", "D to S, of one parcel", "words t_word of the vortex"},
        [HTMT__SAR_INJECT] = {"inject", "S to C, of one parcel", "words t_word of the RTI"},
        [HTMT__SAR_EJECT] = {"eject", "C to S, of one parcel", "words t_word of the RTI"},
        [HTMT__SAR_SCATTER] = {"scatter", "S to D, of one parcel", "words t_word of the vortex"}};
    for (unsigned k = 0; k < HTMT__SAR_STATIONS; k++)
        if (stations[k].name && h->first[k])
            htmt__tree_time(out, depth, of(s, stations[k].name).text, stations[k].meaning,
                            h->first[k], stations[k].expression);
}

static void add_period(tree *out, unsigned depth, enum htmt__sar_stage s,
                       const struct htmt__sar_phase *h)
{
    htmt__tree_time(out, depth, of(s, "bottleneck").text, "from one parcel to the next",
                    h->bottleneck, "max(moves over their channels, execute, one at a time / fit)");
    name_load(htmt__tree_time(out, depth + 1, of(s, NULL).text,
                              "execute: service of one parcel at the SPELL",
                              h->first[HTMT__SAR_EXECUTE], "flop t_flop"),
              s, h);
    add_stations(out, depth + 1, s, h);
    htmt__tree_time(out, depth + 1, of(s, "one at a time").text, "from inject to eject", h->single,
                    "inject + execute + eject + latencies");
    htmt__tree_value(out, depth + 1, of(s, "fit").text,
                     "parcels that CRAM holds beside the references", "1", (double)h->fit,
                     "floor((CRAM - resident) / words)");
}

static void add_phase(tree *out, unsigned depth, enum htmt__sar_stage s,
                      const struct htmt__sar_phase *h)
{
    if (!h->parcels)
        return;
    htmt__tree_time(out, depth, of(s, "phase").text,
                    htmt__sar_is_reference(s) ? "for a patch, beside Read Patch"
                                              : "all parcels of the type for a patch",
                    h->takes, "fill and drain + (parcels - 1) bottleneck");
    htmt__tree_value(out, depth + 1, of(s, "parcels").text, "a patch", "1", h->parcels,
                     "of the plan");
    add_period(out, depth + 1, s, h);
    htmt__tree_time(out, depth + 1, of(s, "fill and drain").text, "of a parcel that meets no other",
                    h->fill_and_drain, "gather + inject + execute + eject + scatter + latencies");
}

static void add_strips(tree *out, enum htmt__sar_stage s, const struct htmt__sar_phase *h,
                       htmt_wide takes)
{
    bool read = s == HTMT__SAR_READ;
    htmt__tree_time(out, 1, of(s, "phase").text, "of a patch", takes,
                    "max(channel + a strip, DPIMs + a move)");
    name_load(htmt__tree_time(out, 2, of(s, NULL).text, "DPIMs, a strip each",
                              h->first[HTMT__SAR_EXECUTE], "service of a strip"),
              s, h);
    htmt__tree_time(out, 2, of(s, read ? "H to D" : "D to H").text, "channel, all strips",
                    h->busy[read ? HTMT__SAR_GATHER : HTMT__SAR_EJECT], "words t_word");
    htmt__tree_value(out, 2, of(s, "parcels").text, "a patch", "1", h->parcels,
                     "min(DPIMs, lines)");
}

static void add_time(tree *out, const closed *p)
{
    htmt__tree_time(out, 0, "T", "all patches", p->total,
                    "Read + phases + Write + (patches of a slice - 1) period");
    add_strips(out, HTMT__SAR_READ, &p->phase[HTMT__SAR_READ], p->read);
    htmt__tree_time(out, 1, "phases", "of a patch, one after another", p->phases,
                    "sum of the phases, a word behind each");
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!htmt__sar_is_strip(s) && !htmt__sar_is_reference(s))
            add_phase(out, 2, s, &p->phase[s]);
    add_strips(out, HTMT__SAR_WRITE, &p->phase[HTMT__SAR_WRITE], p->write);
    htmt__tree_time(out, 1, "period", "from one patch of a slice to the next", p->period,
                    "max(phases + references, DPIM, H to D, D to H, patch / 2 frames)");
    htmt__tree_time(out, 2, "SPELL", "work of a SPELL for a patch", p->spell,
                    "sum of parcels x service");
    htmt__tree_time(out, 2, "DPIM", "all DPIMs", p->dpim, "(Read + Write) / DPIMs");
    htmt__tree_time(out, 2, "references", "made once a patch", p->references,
                    "sum of their services");
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (htmt__sar_is_reference(s))
            add_phase(out, 0, s, &p->phase[s]);
}

/* ---- rates ---------------------------------------------------------------------------------- */

static void add_rates(tree *out, const closed *p, const struct htmt_machine *m, double rate,
                      double raw)
{
    double total = 1e-15 * (double)p->total;
    htmt__tree_value(out, 0, "flop", "of all patches", "flop", p->flops, "sum over the parcels");
    htmt__tree_value(out, 0, "rate", "of the problem", "flop/s", total > 0 ? p->flops / total : 0,
                     "flop / T");
    htmt__tree_value(out, 0, "patch rate", "patches, the SPELLs of all slices busy", "1/s", rate,
                     "slices / SPELL");
    htmt__tree_value(out, 0, "patch interval", "a patch of all slices", "s",
                     1e-15 * (double)p->spell / m->slices, "SPELL / slices");
    htmt__tree_value(out, 0, "raw rate", "raw data into DRAM", "bytes/s", rate * raw,
                     "patch rate x bytes");
}

static void add_patches(tree *out, const closed *p, const struct htmt_machine *m,
                        struct htmt_ratio hram_share, double rate, double raw)
{
    double share = (double)hram_share.num / (double)hram_share.den;
    double patches = share * (double)m->layer[p->decomposition.hram].memory.capacity * HTMT_WORD *
                     m->slices / raw;
    htmt__tree_value(out, 0, "patches in HRAM", "raw patches in that share of HRAM", "1", patches,
                     "hram.share HRAM / bytes");
    htmt__tree_value(out, 0, "time of HRAM", "to focus them", "s", rate > 0 ? patches / rate : 0,
                     "patches in HRAM / patch rate");
}

/* ---- use ------------------------------------------------------------------------------------ */

/* The service at the principal resource, as in the paper's tables. */
static void add_use(tree *out, enum htmt__sar_stage s, const struct htmt__sar_phase *h)
{
    static const struct {
        enum htmt__sar_station station;
        const char *way;
    } ways[] = {{HTMT__SAR_GATHER, "D to S use"},
                {HTMT__SAR_INJECT, "S to C use"},
                {HTMT__SAR_EJECT, "C to S use"},
                {HTMT__SAR_SCATTER, "S to D use"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !htmt__sar_is_strip(s) && h->parcels; i++)
        if (h->first[ways[i].station])
            htmt__tree_value(out, 0, of(s, ways[i].way).text, "of the time at the SPELL", "%",
                             htmt__percent(h->first[ways[i].station], h->first[HTMT__SAR_EXECUTE]),
                             "move / service");
}

static void add_patch_use(tree *out, const closed *p)
{
    const struct htmt__sar_phase *read = &p->phase[HTMT__SAR_READ];
    const struct htmt__sar_phase *write = &p->phase[HTMT__SAR_WRITE];
    htmt_wide up = read->busy[HTMT__SAR_GATHER], down = write->busy[HTMT__SAR_EJECT];
    htmt__tree_value(out, 0, "Read Patch, H to D use", "of the DPIMs' time", "%",
                     htmt__percent(up, read->first[HTMT__SAR_EXECUTE]), "H to D / service");
    htmt__tree_value(out, 0, "Write Patch, D to H use", "of the DPIMs' time", "%",
                     htmt__percent(down, write->first[HTMT__SAR_EXECUTE]), "D to H / service");
    const struct {
        const char *name;
        htmt_wide busy;
    } use[] = {{"DPIM use", p->dpim},
               {"H to D use", up},
               {"D to S use", p->lines[HTMT__SAR_GATHER]},
               {"S to C use", p->lines[HTMT__SAR_INJECT]},
               {"C to S use", p->lines[HTMT__SAR_EJECT]},
               {"S to D use", p->lines[HTMT__SAR_SCATTER]},
               {"D to H use", down}};
    for (size_t i = 0; i < sizeof use / sizeof *use; i++)
        htmt__tree_value(out, 0, use[i].name, "of a SPELL's work for a patch", "%",
                         htmt__percent(use[i].busy, p->spell), "busy / SPELL");
}

/* ---- memories ------------------------------------------------------------------------------- */

/* Words of a line, or of two where a reference has one as workspace and one for its result. */
static double line_words(const closed *p, enum htmt__sar_stage s)
{
    uint64_t n = s == HTMT__SAR_RANGE || s == HTMT__SAR_RANGE_REFERENCE
                     ? p->decomposition.plan.range_length
                     : p->decomposition.plan.azimuth_length;
    return (htmt__sar_is_reference(s) ? 2.0 : 1.0) * (double)htmt__sar_words(&p->decomposition, n);
}

static void add_lines(tree *out, const closed *p, const struct htmt_machine *m,
                      enum htmt__sar_stage s)
{
    double words = (double)p->phase[s].load.into_sram;
    if (htmt__sar_is_strip(s) || !p->phase[s].parcels || s == HTMT__SAR_INTERPOLATOR ||
        s == HTMT__SAR_MIGRATION)
        return;
    htmt__tree_value(out, 0, of(s, "CRAM use").text, "a line, of references two", "%",
                     htmt__memory_use(m, p->decomposition.cram, line_words(p, s)), "words / CRAM");
    if (words == 0)
        return;
    htmt__tree_value(out, 0, of(s, "SRAM use").text, "a parcel", "%",
                     htmt__memory_use(m, p->decomposition.sram, words), "words / SRAM");
    htmt__tree_value(out, 0, of(s, "DRAM use").text, "a parcel", "%",
                     htmt__memory_use(m, p->decomposition.dram, words), "words / DRAM");
}

static void add_memories(tree *out, const closed *p, const struct htmt_machine *m, double raw)
{
    const struct htmt__sar_decomposition *c = &p->decomposition;
    uint64_t points = (uint64_t)c->plan.patch_lines * c->plan.radar.samples;
    double patch = htmt__memory_use(m, c->dram, (double)htmt__sar_words(c, points));
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        add_lines(out, p, m, s);
    htmt__tree_value(out, 0, "patch, DRAM use", "a patch", "%", patch, "words / DRAM");
    htmt__tree_value(out, 0, "patch, HRAM use", "a raw patch", "%",
                     htmt__memory_use(m, c->hram, raw / HTMT_WORD), "words / HRAM");
    htmt__tree_value(out, 0, "DRAM use", "a patch while it is read or written", "%",
                     patch * htmt__percent(p->dpim, p->spell) / 100, "patch, DRAM use x DPIM use");
}

/* Mean over time of the words in CRAM of the line that is served. */
static double served_words(const closed *p)
{
    htmt_wide weighted = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!htmt__sar_is_reference(s) && !htmt__sar_is_strip(s) && s != HTMT__SAR_MIGRATION)
            weighted += p->phase[s].busy[HTMT__SAR_EXECUTE] * (htmt_wide)line_words(p, s);
    return p->spell ? (double)weighted / (double)p->spell : 0;
}

static void add_cram(tree *out, const closed *p, const struct htmt_machine *m)
{
    const struct htmt__sar_decomposition *c = &p->decomposition;
    double has = (double)htmt_machine_room(m, c->cram);
    double range = (double)htmt__sar_words(c, c->plan.range_length);
    double azimuth = (double)htmt__sar_words(c, c->plan.azimuth_length);
    htmt__tree_value(out, 0, "range lines in CRAM", "range lines beside their reference", "1",
                     floor((has - range) / range), "floor((CRAM - line) / line)");
    htmt__tree_value(out, 0, "range lines beside a reference",
                     "range lines beside their reference while it is made", "1",
                     floor((has - 2 * range) / range), "floor((CRAM - 2 line) / line)");
    htmt__tree_value(out, 0, "azimuth lines in CRAM", "azimuth lines beside their reference", "1",
                     floor((has - azimuth) / azimuth), "floor((CRAM - line) / line)");
    htmt__tree_value(out, 0, "CRAM use, two lines", "the reference and two range lines", "%",
                     htmt__memory_use(m, c->cram, 3 * range), "3 line / CRAM");
    htmt__tree_value(out, 0, "CRAM use", "the line that is served", "%",
                     htmt__memory_use(m, c->cram, served_words(p)),
                     "mean of words / CRAM over time");
}

void htmt__sar_tell(const struct htmt_machine *m, const struct htmt__sar_costs *costs,
                    const closed *p, tree *out)
{
    double spell = 1e-15 * (double)p->spell, rate = spell > 0 ? m->slices / spell : 0;
    double raw = (double)htmt__sar_raw_bytes(&p->decomposition, p->decomposition.plan.patch_lines);
    add_time(out, p);
    add_rates(out, p, m, rate, raw);
    if (p->decomposition.charges.from_file)
        add_patches(out, p, m, costs->hram_share, rate, raw);
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        add_use(out, s, &p->phase[s]);
    add_patch_use(out, p);
    add_memories(out, p, m, raw);
    add_cram(out, p, m);
}
