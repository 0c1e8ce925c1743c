/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases as steady states, and what follows from them.
 */
#include "apps/sar/closed_form.h"

#include "apps/sar/counts.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct htmt__sar_prediction prediction;

static htmt_wide larger(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

static bool is_strip(enum htmt__sar_stage s)
{
    return s == HTMT__SAR_READ || s == HTMT__SAR_WRITE;
}

static bool is_reference(enum htmt__sar_stage s)
{
    return s == HTMT__SAR_RANGE_REFERENCE || s == HTMT__SAR_INTERPOLATOR ||
           s == HTMT__SAR_AZIMUTH_REFERENCE;
}

/* ---- services ------------------------------------------------------------------------------- */

struct machine {
    const struct htmt_machine *m;
    const struct htmt__sar_cut *c;
    bool overflow;
};

/* The receiving channel works while the sending one does. */
static htmt_wide move(struct machine *w, uint32_t network, uint32_t from, uint32_t to,
                      uint64_t words, uint64_t from_pieces, uint64_t to_pieces)
{
    htmt_time out = htmt_machine_out_time(w->m, network, from, to, words, from_pieces, to_pieces);
    htmt_time in = htmt_machine_in_time(w->m, network, to, words, to_pieces);
    w->overflow |= out < 0 || in < 0;
    return words ? larger(out, in) : 0;
}

static htmt_wide work(struct machine *w, uint32_t layer, struct htmt_ops ops)
{
    htmt_time t = htmt_machine_work(w->m, layer, &ops);
    w->overflow |= t < 0;
    return t;
}

static void serve_strip(struct machine *w, enum htmt__sar_stage stage, uint32_t index,
                        htmt_wide t[HTMT__SAR_STATIONS])
{
    const struct htmt__sar_cut *c = w->c;
    struct htmt__sar_load l = htmt__sar_load(c, stage, 0, index);
    t[HTMT__SAR_GATHER] = move(w, c->outward, c->hram, c->dram, l.into_dram, 1, 1);
    t[HTMT__SAR_EXECUTE] = work(w, c->dram, htmt__sar_ops(c, stage, 0, index));
    t[HTMT__SAR_EJECT] = move(w, c->outward, c->dram, c->hram, l.out_of_dram, 1, 1);
    t[HTMT__SAR_INJECT] = t[HTMT__SAR_SCATTER] = 0;
}

static void serve_line(struct machine *w, enum htmt__sar_stage stage, uint32_t index,
                       htmt_wide t[HTMT__SAR_STATIONS])
{
    const struct htmt__sar_cut *c = w->c;
    struct htmt__sar_load l = htmt__sar_load(c, stage, 0, index);
    t[HTMT__SAR_GATHER] = move(w, c->vortex, c->dram, c->sram, l.into_sram, l.gathered, 1);
    t[HTMT__SAR_INJECT] = move(w, c->rti, c->sram, c->cram, l.into_cram, 1, 1);
    t[HTMT__SAR_EXECUTE] = work(w, c->cram, htmt__sar_ops(c, stage, 0, index));
    t[HTMT__SAR_EJECT] = move(w, c->rti, c->cram, c->sram, l.out_of_cram, 1, 1);
    t[HTMT__SAR_SCATTER] = move(w, c->vortex, c->sram, c->dram, l.out_of_sram, 1, l.scattered);
}

static void serve(struct machine *w, enum htmt__sar_stage stage, uint32_t index,
                  htmt_wide t[HTMT__SAR_STATIONS])
{
    if (is_strip(stage))
        serve_strip(w, stage, index, t);
    else
        serve_line(w, stage, index, t);
}

/* ---- phases --------------------------------------------------------------------------------- */

static htmt_wide rti_latency(const struct machine *w, const struct htmt__sar_load *l)
{
    htmt_wide moves = (l->into_cram != 0) + (l->out_of_cram != 0);
    return moves * w->m->network[w->c->rti].latency;
}

static htmt_wide latency(const struct machine *w, const struct htmt__sar_load *l)
{
    const struct htmt_network *n = w->m->network;
    const struct htmt__sar_cut *c = w->c;
    htmt_wide outward = (l->into_dram != 0) + (l->out_of_dram != 0);
    htmt_wide vortex = (l->into_sram != 0) + (l->out_of_sram != 0);
    return outward * n[c->outward].latency + vortex * n[c->vortex].latency + rti_latency(w, l);
}

static uint64_t free_cram(const struct machine *w)
{
    const struct htmt_memory *m = &w->m->layer[w->c->cram].memory;
    return m->capacity - m->reserve - w->c->cram_resident;
}

static void add_up(struct machine *w, enum htmt__sar_stage stage, struct htmt__sar_phase *p)
{
    bool equal = !is_strip(stage) && stage != HTMT__SAR_MIGRATION;
    serve(w, stage, 0, p->first);
    for (uint32_t i = 0; i < (equal ? 1 : p->parcels); i++) {
        htmt_wide t[HTMT__SAR_STATIONS];
        serve(w, stage, i, t);
        for (unsigned k = 0; k < HTMT__SAR_STATIONS; k++) {
            p->busy[k] += t[k] * (equal ? p->parcels : 1);
            p->longest[k] = larger(p->longest[k], t[k]);
        }
    }
}

/* Half up, as a charge is rounded. */
static htmt_wide mean(htmt_wide sum, uint64_t n)
{
    return (sum + (htmt_wide)(n / 2)) / (htmt_wide)n;
}

static void steady_state(struct machine *w, struct htmt__sar_phase *p)
{
    htmt_wide t[HTMT__SAR_STATIONS];
    p->fill_and_drain = p->latency;
    for (unsigned k = 0; k < HTMT__SAR_STATIONS; k++) {
        t[k] = mean(p->busy[k], p->parcels);
        p->fill_and_drain += t[k];
        p->bottleneck = larger(p->bottleneck, t[k]);
    }
    p->single =
        t[HTMT__SAR_INJECT] + t[HTMT__SAR_EXECUTE] + t[HTMT__SAR_EJECT] + rti_latency(w, &p->load);
    p->fit = p->load.cram ? free_cram(w) / p->load.cram : p->parcels;
    if (p->fit)
        p->bottleneck = larger(p->bottleneck, mean(p->single, p->fit));
    p->takes = p->fill_and_drain + (p->parcels - 1) * p->bottleneck;
}

static struct htmt__sar_phase phase_of(struct machine *w, enum htmt__sar_stage stage)
{
    struct htmt__sar_phase p = {.parcels = htmt__sar_parcels(w->c, stage, 0)};
    if (!p.parcels)
        return p;
    p.load = htmt__sar_load(w->c, stage, 0, 0);
    p.latency = latency(w, &p.load);
    add_up(w, stage, &p);
    if (!is_strip(stage))
        steady_state(w, &p);
    return p;
}

/* DPIMs that their memory serves at once. */
static uint32_t at_once(const struct htmt_machine *m, uint32_t layer)
{
    const struct htmt_layer *l = &m->layer[layer];
    uint32_t ports = l->memory.ports;
    return ports && ports < l->processor.count ? ports : l->processor.count;
}

/* Strips come, or go, one after another over the channel and are served as many at once as there
 * are DPIMs: whichever takes longer. The last to come is a long one, the first to go a short one.
 */
static htmt_wide strips_take(const struct htmt_machine *m, const struct htmt__sar_cut *c,
                             const struct htmt__sar_phase *p, enum htmt__sar_station channel)
{
    const htmt_wide *strip = channel == HTMT__SAR_GATHER ? p->longest : p->first;
    htmt_wide by_channel = p->busy[channel] + strip[HTMT__SAR_EXECUTE];
    htmt_wide by_bank = p->longest[channel] + p->busy[HTMT__SAR_EXECUTE] / at_once(m, c->dram);
    return larger(by_channel, by_bank) + p->latency;
}

/* The word that tells the desk of the last parcel of a phase. */
static htmt_wide told(struct machine *w)
{
    const struct htmt__sar_cut *c = w->c;
    return move(w, c->vortex, c->dram, c->sram, 1, 1, 1) + w->m->network[c->vortex].latency;
}

/* ---- totals --------------------------------------------------------------------------------- */

/* Busy time of a station for a patch. */
static htmt_wide of_lines(const prediction *p, enum htmt__sar_station station)
{
    htmt_wide sum = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!is_strip(s) && !is_reference(s))
            sum += p->phase[s].busy[station];
    return sum;
}

static htmt_wide references(const prediction *p)
{
    htmt_wide sum = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (is_reference(s))
            sum += p->phase[s].busy[HTMT__SAR_EXECUTE];
    return sum;
}

static htmt_wide lines(const prediction *p, htmt_wide told)
{
    htmt_wide sum = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!is_strip(s) && !is_reference(s) && p->phase[s].parcels)
            sum += p->phase[s].takes + told;
    return sum;
}

static htmt_wide dpim(const struct htmt_machine *m, const prediction *p)
{
    htmt_wide all = p->phase[HTMT__SAR_READ].busy[HTMT__SAR_EXECUTE] +
                    p->phase[HTMT__SAR_WRITE].busy[HTMT__SAR_EXECUTE];
    return all / at_once(m, p->cut.dram);
}

static uint64_t turns(const struct htmt_machine *m, const struct htmt__sar_cut *c)
{
    return (c->patches - 1) / m->slices + 1;
}

static void add_totals(struct machine *w, prediction *p)
{
    const struct htmt_machine *m = w->m;
    p->spell = of_lines(p, HTMT__SAR_EXECUTE) + references(p);
    p->phases = lines(p, told(w));
    p->read = strips_take(m, &p->cut, &p->phase[HTMT__SAR_READ], HTMT__SAR_GATHER) + told(w);
    p->write = strips_take(m, &p->cut, &p->phase[HTMT__SAR_WRITE], HTMT__SAR_EJECT);
    htmt_wide patch = p->read + p->phases + p->write;
    p->period = larger(p->phases + references(p), dpim(m, p));
    p->period = larger(p->period, p->phase[HTMT__SAR_READ].busy[HTMT__SAR_GATHER]);
    p->period = larger(p->period, p->phase[HTMT__SAR_WRITE].busy[HTMT__SAR_EJECT]);
    p->period = larger(p->period, patch / HTMT__SAR_FRAMES);
    p->total = patch + (htmt_wide)(turns(m, &p->cut) - 1) * p->period;
}

static void add_flops(prediction *p)
{
    double patch = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        for (uint32_t i = 0; i < p->phase[s].parcels; i++)
            patch += (double)htmt__sar_ops(&p->cut, s, 0, i).n[HTMT_FLOP];
    p->flops = patch * p->cut.patches;
}

/* ---- terms ---------------------------------------------------------------------------------- */

static struct htmt__sar_term *add(prediction *p, unsigned depth, const char *unit,
                                  const char *meaning, const char *expression, const char *name,
                                  ...) __attribute__((format(printf, 6, 7)));

static struct htmt__sar_term *add(prediction *p, unsigned depth, const char *unit,
                                  const char *meaning, const char *expression, const char *name,
                                  ...)
{
    assert(p->term_count < HTMT__SAR_TERMS_MAX);
    struct htmt__sar_term *t = &p->term[p->term_count++];
    *t = (struct htmt__sar_term){
        .depth = depth, .unit = unit, .meaning = meaning, .expression = expression};
    va_list more;
    va_start(more, name);
    vsnprintf(t->name, sizeof t->name, name, more);
    va_end(more);
    return t;
}

static void set_time(struct htmt__sar_term *t, htmt_wide fs)
{
    t->fs = fs;
    t->value = 1e-15 * (double)fs;
}

static double percent(htmt_wide part, htmt_wide all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static const char *name_of(unsigned stage)
{
    return htmt__sar_stage_name((enum htmt__sar_stage)stage);
}

static void add_stations(prediction *p, unsigned depth, unsigned s)
{
    static const struct {
        const char *name, *meaning, *expression;
    } stations[HTMT__SAR_STATIONS] = {
        [HTMT__SAR_GATHER] = {"gather", "D to S, of one parcel", "words t_word of the vortex"},
        [HTMT__SAR_INJECT] = {"inject", "S to C, of one parcel", "words t_word of the RTI"},
        [HTMT__SAR_EJECT] = {"eject", "C to S, of one parcel", "words t_word of the RTI"},
        [HTMT__SAR_SCATTER] = {"scatter", "S to D, of one parcel", "words t_word of the vortex"}};
    for (unsigned k = 0; k < HTMT__SAR_STATIONS; k++)
        if (stations[k].name && p->phase[s].first[k])
            set_time(add(p, depth, "fs", stations[k].meaning, stations[k].expression, "%s, %s",
                         name_of(s), stations[k].name),
                     p->phase[s].first[k]);
}

static void add_phase(prediction *p, unsigned depth, unsigned s)
{
    const struct htmt__sar_phase *h = &p->phase[s];
    const char *name = name_of(s);
    if (!h->parcels)
        return;
    set_time(add(p, depth, "fs",
                 is_reference(s) ? "for a patch, beside Read Patch"
                                 : "all parcels of the type for a patch",
                 "fill and drain + (parcels - 1) bottleneck", "%s, phase", name),
             h->takes);
    add(p, depth + 1, "1", "a patch", "of the plan", "%s, parcels", name)->value = h->parcels;
    set_time(add(p, depth + 1, "fs", "from one parcel to the next",
                 "max(gather, inject, execute, eject, scatter, one at a time / fit)",
                 "%s, bottleneck", name),
             h->bottleneck);
    set_time(add(p, depth + 2, "fs", "execute: service of one parcel at the SPELL", "flop t_flop",
                 "%s", name),
             h->first[HTMT__SAR_EXECUTE]);
    add_stations(p, depth + 2, s);
    set_time(add(p, depth + 2, "fs", "from inject to eject", "inject + execute + eject + latencies",
                 "%s, one at a time", name),
             h->single);
    add(p, depth + 2, "1", "parcels that CRAM holds beside the references",
        "floor((CRAM - resident) / words)", "%s, fit", name)
        ->value = (double)h->fit;
    set_time(add(p, depth + 1, "fs", "of a parcel that meets no other",
                 "gather + inject + execute + eject + scatter + latencies", "%s, fill and drain",
                 name),
             h->fill_and_drain);
}

static void add_strips(prediction *p, unsigned s)
{
    const struct htmt__sar_phase *h = &p->phase[s];
    bool read = s == HTMT__SAR_READ;
    enum htmt__sar_station channel = read ? HTMT__SAR_GATHER : HTMT__SAR_EJECT;
    const char *name = name_of(s), *way = read ? "H to D" : "D to H";
    set_time(
        add(p, 1, "fs", "of a patch", "max(channel + a strip, DPIMs + a move)", "%s, phase", name),
        read ? p->read : p->write);
    set_time(add(p, 2, "fs", "DPIMs, a strip each", "service of a strip", "%s", name),
             h->first[HTMT__SAR_EXECUTE]);
    set_time(add(p, 2, "fs", "channel, all strips", "words t_word", "%s, %s", name, way),
             h->busy[channel]);
    add(p, 2, "1", "a patch", "min(DPIMs, lines)", "%s, parcels", name)->value = h->parcels;
}

static void add_time(const struct htmt_machine *m, prediction *p)
{
    set_time(add(p, 0, "fs", "all patches",
                 "Read + phases + Write + (patches of a slice - 1) period", "T"),
             p->total);
    add_strips(p, HTMT__SAR_READ);
    set_time(add(p, 1, "fs", "of a patch, one after another",
                 "sum of the phases, a word behind each", "phases"),
             p->phases);
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!is_strip(s) && !is_reference(s))
            add_phase(p, 2, s);
    add_strips(p, HTMT__SAR_WRITE);
    set_time(add(p, 1, "fs", "from one patch of a slice to the next",
                 "max(phases + references, DPIM, H to D, D to H, patch / 2 frames)", "period"),
             p->period);
    set_time(add(p, 2, "fs", "work of a SPELL for a patch", "sum of parcels x service", "SPELL"),
             p->spell);
    set_time(add(p, 2, "fs", "all DPIMs", "(Read + Write) / DPIMs", "DPIM"), dpim(m, p));
    set_time(add(p, 2, "fs", "made once a patch", "sum of their services", "references"),
             references(p));
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (is_reference(s))
            add_phase(p, 0, s);
}

static void add_rates(const struct htmt_machine *m, const struct htmt__sar_costs *costs,
                      prediction *p)
{
    double spell = 1e-15 * (double)p->spell, rate = spell > 0 ? m->slices / spell : 0;
    double raw = (double)htmt__sar_raw_bytes(&p->cut, p->cut.plan.patch_lines);
    double total = 1e-15 * (double)p->total;
    add(p, 0, "flop", "of all patches", "sum over the parcels", "flop")->value = p->flops;
    add(p, 0, "flop/s", "of the problem", "flop / T", "rate")->value =
        total > 0 ? p->flops / total : 0;
    add(p, 0, "1/s", "patches, the SPELLs of all slices busy", "slices / SPELL", "patch rate")
        ->value = rate;
    add(p, 0, "s", "a patch of all slices", "SPELL / slices", "patch interval")->value =
        spell / m->slices;
    add(p, 0, "bytes/s", "raw data into DRAM", "patch rate x bytes", "raw rate")->value =
        rate * raw;
    if (!p->cut.charges.from_file)
        return;
    double share = (double)costs->hram_share.num / (double)costs->hram_share.den;
    double patches =
        share * (double)m->layer[p->cut.hram].memory.capacity * HTMT_WORD * m->slices / raw;
    add(p, 0, "1", "raw patches in that share of HRAM", "hram.share HRAM / bytes",
        "patches in HRAM")
        ->value = patches;
    add(p, 0, "s", "to focus them", "patches in HRAM / patch rate", "time of HRAM")->value =
        rate > 0 ? patches / rate : 0;
}

/* Of the service at the principal resource, as the paper's tables have it. */
static void add_use(prediction *p, unsigned s)
{
    static const struct {
        enum htmt__sar_station station;
        const char *way;
    } ways[] = {{HTMT__SAR_GATHER, "D to S"},
                {HTMT__SAR_INJECT, "S to C"},
                {HTMT__SAR_EJECT, "C to S"},
                {HTMT__SAR_SCATTER, "S to D"}};
    const struct htmt__sar_phase *h = &p->phase[s];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (h->first[ways[i].station])
            add(p, 0, "%", "of the time at the SPELL", "move / service", "%s, %s use", name_of(s),
                ways[i].way)
                ->value = percent(h->first[ways[i].station], h->first[HTMT__SAR_EXECUTE]);
}

static void add_patch_use(const struct htmt_machine *m, prediction *p)
{
    const struct htmt__sar_phase *read = &p->phase[HTMT__SAR_READ];
    const struct htmt__sar_phase *write = &p->phase[HTMT__SAR_WRITE];
    add(p, 0, "%", "of the DPIMs' time", "H to D / service", "Read Patch, H to D use")->value =
        percent(read->busy[HTMT__SAR_GATHER], read->first[HTMT__SAR_EXECUTE]);
    add(p, 0, "%", "of the DPIMs' time", "D to H / service", "Write Patch, D to H use")->value =
        percent(write->busy[HTMT__SAR_EJECT], write->first[HTMT__SAR_EXECUTE]);
    const struct {
        const char *name;
        htmt_wide busy;
    } use[] = {{"DPIM use", dpim(m, p)},
               {"H to D use", read->busy[HTMT__SAR_GATHER]},
               {"D to S use", of_lines(p, HTMT__SAR_GATHER)},
               {"S to C use", of_lines(p, HTMT__SAR_INJECT)},
               {"C to S use", of_lines(p, HTMT__SAR_EJECT)},
               {"S to D use", of_lines(p, HTMT__SAR_SCATTER)},
               {"D to H use", write->busy[HTMT__SAR_EJECT]}};
    for (size_t i = 0; i < sizeof use / sizeof *use; i++)
        add(p, 0, "%", "of a SPELL's work for a patch", "busy / SPELL", "%s", use[i].name)->value =
            percent(use[i].busy, p->spell);
}

static double share(const struct htmt_machine *m, uint32_t layer, double words)
{
    return 100 * words / (double)m->layer[layer].memory.capacity;
}

/* Words of a line, and of two where a reference has one to work in and one for its result. */
static double line_words(const prediction *p, unsigned s)
{
    uint64_t n = s == HTMT__SAR_RANGE || s == HTMT__SAR_RANGE_REFERENCE
                     ? p->cut.plan.range_length
                     : p->cut.plan.azimuth_length;
    return (is_reference(s) ? 2.0 : 1.0) * (double)htmt__sar_words(&p->cut, n);
}

static void add_memories(const struct htmt_machine *m, prediction *p)
{
    const struct htmt__sar_cut *c = &p->cut;
    double patch =
        (double)htmt__sar_words(c, (uint64_t)c->plan.patch_lines * c->plan.radar.samples);
    double raw = (double)htmt__sar_raw_bytes(c, c->plan.patch_lines) / HTMT_WORD;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++) {
        if (is_strip(s) || !p->phase[s].parcels || s == HTMT__SAR_INTERPOLATOR ||
            s == HTMT__SAR_MIGRATION)
            continue;
        double words = (double)p->phase[s].load.into_sram;
        add(p, 0, "%", "a line, of references two", "words / CRAM", "%s, CRAM use", name_of(s))
            ->value = share(m, c->cram, line_words(p, s));
        if (words > 0)
            add(p, 0, "%", "a parcel", "words / SRAM", "%s, SRAM use", name_of(s))->value =
                share(m, c->sram, words);
        if (words > 0)
            add(p, 0, "%", "a parcel", "words / DRAM", "%s, DRAM use", name_of(s))->value =
                share(m, c->dram, words);
    }
    add(p, 0, "%", "a patch", "words / DRAM", "patch, DRAM use")->value = share(m, c->dram, patch);
    add(p, 0, "%", "a raw patch", "words / HRAM", "patch, HRAM use")->value =
        share(m, c->hram, raw);
    add(p, 0, "%", "a patch while it is read or written", "patch, DRAM use x DPIM use", "DRAM use")
        ->value = share(m, c->dram, patch) * percent(dpim(m, p), p->spell) / 100;
}

static void add_cram(const struct htmt_machine *m, prediction *p)
{
    const struct htmt__sar_cut *c = &p->cut;
    const struct htmt_memory *cram = &m->layer[c->cram].memory;
    double has = (double)(cram->capacity - cram->reserve);
    double range = (double)htmt__sar_words(c, c->plan.range_length);
    double azimuth = (double)htmt__sar_words(c, c->plan.azimuth_length);
    add(p, 0, "1", "range lines beside their reference", "floor((CRAM - line) / line)",
        "range lines in CRAM")
        ->value = floor((has - range) / range);
    add(p, 0, "1", "range lines beside their reference while it is made",
        "floor((CRAM - 2 line) / line)", "range lines beside a reference")
        ->value = floor((has - 2 * range) / range);
    add(p, 0, "1", "azimuth lines beside their reference", "floor((CRAM - line) / line)",
        "azimuth lines in CRAM")
        ->value = floor((has - azimuth) / azimuth);
    add(p, 0, "%", "the reference and two range lines", "3 line / CRAM", "CRAM use, two lines")
        ->value = share(m, c->cram, 3 * range);
    htmt_wide weighted = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!is_reference(s) && !is_strip(s) && s != HTMT__SAR_MIGRATION)
            weighted += p->phase[s].busy[HTMT__SAR_EXECUTE] * (htmt_wide)line_words(p, s);
    add(p, 0, "%", "the line that is served", "mean of words / CRAM over time", "CRAM use")->value =
        share(m, c->cram, p->spell ? (double)weighted / (double)p->spell : 0);
}

int htmt__sar_predict(const struct htmt_machine *m, const struct htmt__sar_cut *cut,
                      const struct htmt__sar_costs *costs, prediction *out,
                      struct htmt_fault *fault)
{
    prediction p = {.cut = *cut};
    struct machine w = {.m = m, .c = cut};
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        p.phase[s] = phase_of(&w, s);
    if (w.overflow)
        return htmt_fault_set(fault, HTMT_EOVERFLOW, "machine %s: a parcel takes more than 9223 s",
                              m->name);
    add_totals(&w, &p);
    add_flops(&p);
    add_time(m, &p);
    add_rates(m, costs, &p);
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (!is_strip(s) && p.phase[s].parcels)
            add_use(&p, s);
    add_patch_use(m, &p);
    add_memories(m, &p);
    add_cram(m, &p);
    *out = p;
    return 0;
}

const struct htmt__sar_term *htmt__sar_term(const prediction *p, const char *name)
{
    for (unsigned k = 0; k < p->term_count; k++)
        if (!strcmp(p->term[k].name, name))
            return &p->term[k];
    return NULL;
}
