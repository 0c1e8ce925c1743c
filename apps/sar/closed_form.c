/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases as steady states, and their sums.
 */
#include "apps/sar/closed_form.h"

#include "apps/sar/counts.h"

typedef struct htmt__sar_prediction prediction;

static htmt_wide larger(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

/* ---- services ------------------------------------------------------------------------------- */

struct machine {
    const struct htmt_machine *m;
    const struct htmt__sar_decomposition *c;
    bool overflow;
};

/* The receiving channel works while the sending one does. */
struct served {
    htmt_wide takes;
    htmt_wide apart; /* interval between moves that nothing else bounds */
};

static struct served move(struct machine *w, uint32_t network, uint32_t from, uint32_t to,
                          uint64_t words, uint64_t from_pieces, uint64_t to_pieces)
{
    uint32_t channels = w->m->network[network].port[to].in;
    htmt_time out = htmt_machine_out_time(w->m, network, from, to, words, from_pieces, to_pieces);
    htmt_time in = htmt_machine_in_time(w->m, network, to, words, to_pieces);
    w->overflow |= out < 0 || in < 0;
    if (!words)
        return (struct served){0};
    return (struct served){larger(out, in), larger(out, in / (channels ? channels : 1))};
}

static struct served work(struct machine *w, uint32_t layer, struct htmt_ops ops)
{
    htmt_time t = htmt_machine_work(w->m, layer, &ops);
    w->overflow |= t < 0;
    return (struct served){t, t};
}

static void serve_strip(struct machine *w, enum htmt__sar_stage stage, uint32_t index,
                        struct served t[HTMT__SAR_STATIONS])
{
    const struct htmt__sar_decomposition *c = w->c;
    struct htmt__sar_load l = htmt__sar_load(c, stage, 0, index);
    t[HTMT__SAR_GATHER] = move(w, c->outward, c->hram, c->dram, l.into_dram, 1, 1);
    t[HTMT__SAR_EXECUTE] = work(w, c->dram, htmt__sar_ops(c, stage, 0, index));
    t[HTMT__SAR_EJECT] = move(w, c->outward, c->dram, c->hram, l.out_of_dram, 1, 1);
    t[HTMT__SAR_INJECT] = t[HTMT__SAR_SCATTER] = (struct served){0};
}

static void serve_line(struct machine *w, enum htmt__sar_stage stage, uint32_t index,
                       struct served t[HTMT__SAR_STATIONS])
{
    const struct htmt__sar_decomposition *c = w->c;
    struct htmt__sar_load l = htmt__sar_load(c, stage, 0, index);
    t[HTMT__SAR_GATHER] = move(w, c->vortex, c->dram, c->sram, l.into_sram, l.gathered, 1);
    t[HTMT__SAR_INJECT] = move(w, c->rti, c->sram, c->cram, l.into_cram, 1, 1);
    t[HTMT__SAR_EXECUTE] = work(w, c->cram, htmt__sar_ops(c, stage, 0, index));
    t[HTMT__SAR_EJECT] = move(w, c->rti, c->cram, c->sram, l.out_of_cram, 1, 1);
    t[HTMT__SAR_SCATTER] = move(w, c->vortex, c->sram, c->dram, l.out_of_sram, 1, l.scattered);
}

static void serve(struct machine *w, enum htmt__sar_stage stage, uint32_t index,
                  struct served t[HTMT__SAR_STATIONS])
{
    if (htmt__sar_is_strip(stage))
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
    const struct htmt__sar_decomposition *c = w->c;
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
    bool equal = !htmt__sar_is_strip(stage) && stage != HTMT__SAR_MIGRATION;
    for (uint32_t i = 0; i < (equal ? 1 : p->parcels); i++) {
        struct served t[HTMT__SAR_STATIONS];
        serve(w, stage, i, t);
        for (unsigned k = 0; k < HTMT__SAR_STATIONS; k++) {
            p->first[k] = i ? p->first[k] : t[k].takes;
            p->busy[k] += t[k].takes * (equal ? p->parcels : 1);
            p->apart[k] += t[k].apart * (equal ? p->parcels : 1);
            p->longest[k] = larger(p->longest[k], t[k].takes);
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
        p->bottleneck = larger(p->bottleneck, mean(p->apart[k], p->parcels));
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
    if (!htmt__sar_is_strip(stage))
        steady_state(w, &p);
    return p;
}

/* Strips arrive, or leave, one after another over the channel, and the DPIMs serve them in
 * parallel: the longer of the two times counts. The last strip to arrive is a long one, the first
 * to leave a short one. */
static htmt_wide strips_take(const struct htmt_machine *m, const struct htmt__sar_decomposition *c,
                             const struct htmt__sar_phase *p, enum htmt__sar_station channel)
{
    const htmt_wide *strip = channel == HTMT__SAR_GATHER ? p->longest : p->first;
    htmt_wide by_channel = p->busy[channel] + strip[HTMT__SAR_EXECUTE];
    htmt_wide by_bank =
        p->longest[channel] + p->busy[HTMT__SAR_EXECUTE] / htmt_machine_servers(m, c->dram);
    return larger(by_channel, by_bank) + p->latency;
}

/* The signal to the coordinator that reports the last parcel of a phase. */
static htmt_wide told(struct machine *w)
{
    const struct htmt__sar_decomposition *c = w->c;
    return move(w, c->vortex, c->dram, c->sram, 1, 1, 1).takes + w->m->network[c->vortex].latency;
}

/* ---- totals --------------------------------------------------------------------------------- */

static bool is_line(enum htmt__sar_stage s)
{
    return !htmt__sar_is_strip(s) && !htmt__sar_is_reference(s);
}

/* Busy times for a patch. */
static void add_busy(const struct htmt_machine *m, prediction *p)
{
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++) {
        const htmt_wide *busy = p->phase[s].busy;
        if (htmt__sar_is_strip(s))
            p->dpim += busy[HTMT__SAR_EXECUTE];
        else if (htmt__sar_is_reference(s))
            p->references += busy[HTMT__SAR_EXECUTE];
        for (unsigned k = 0; k < HTMT__SAR_STATIONS && is_line(s); k++)
            p->lines[k] += busy[k];
    }
    p->dpim /= htmt_machine_servers(m, p->decomposition.dram);
}

static htmt_wide lines(const prediction *p, htmt_wide told)
{
    htmt_wide sum = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (is_line(s) && p->phase[s].parcels)
            sum += p->phase[s].takes + told;
    return sum;
}

static uint64_t turns(const struct htmt_machine *m, const struct htmt__sar_decomposition *c)
{
    return (c->patches - 1) / m->slices + 1;
}

static void add_totals(struct machine *w, prediction *p)
{
    const struct htmt_machine *m = w->m;
    add_busy(m, p);
    p->spell = p->lines[HTMT__SAR_EXECUTE] + p->references;
    p->phases = lines(p, told(w));
    p->read =
        strips_take(m, &p->decomposition, &p->phase[HTMT__SAR_READ], HTMT__SAR_GATHER) + told(w);
    p->write = strips_take(m, &p->decomposition, &p->phase[HTMT__SAR_WRITE], HTMT__SAR_EJECT);
    htmt_wide patch = p->read + p->phases + p->write;
    p->period = larger(p->phases + p->references, p->dpim);
    p->period = larger(p->period, p->phase[HTMT__SAR_READ].busy[HTMT__SAR_GATHER]);
    p->period = larger(p->period, p->phase[HTMT__SAR_WRITE].busy[HTMT__SAR_EJECT]);
    p->period = larger(p->period, patch / HTMT__SAR_FRAMES);
    p->total = patch + (htmt_wide)(turns(m, &p->decomposition) - 1) * p->period;
}

static void add_flops(prediction *p)
{
    double patch = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        for (uint32_t i = 0; i < p->phase[s].parcels; i++)
            patch += (double)htmt__sar_ops(&p->decomposition, s, 0, i).n[HTMT_FLOP];
    p->flops = patch * p->decomposition.patches;
}

/* ---- all ------------------------------------------------------------------------------------ */

int htmt__sar_predict(const struct htmt_machine *m,
                      const struct htmt__sar_decomposition *decomposition, prediction *out,
                      struct htmt_fault *fault)
{
    prediction p = {.decomposition = *decomposition};
    struct machine w = {.m = m, .c = decomposition};
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        p.phase[s] = phase_of(&w, s);
    if (w.overflow)
        return htmt_fault_set(fault, HTMT_EOVERFLOW, "machine %s: a parcel takes more than 9223 s",
                              m->name);
    add_totals(&w, &p);
    add_flops(&p);
    *out = p;
    return 0;
}

/* ---- by cause ------------------------------------------------------------------------------- */

static htmt_wide latency_of(const struct htmt_machine *m, uint32_t network, uint64_t words)
{
    return words ? m->network[network].latency : 0;
}

void htmt__sar_causes(const struct htmt_machine *m, const prediction *p,
                      htmt_wide part[HTMT_PATH_CAUSES])
{
    const struct htmt__sar_decomposition *c = &p->decomposition;
    const struct htmt__sar_phase *first = &p->phase[HTMT__SAR_RANGE];
    const struct htmt__sar_phase *last =
        &p->phase[c->plan.rcmc ? HTMT__SAR_FOCUS : HTMT__SAR_AZIMUTH];
    if (turns(m, c) != 1)
        return;
    part[HTMT_PATH_WORK] = p->lines[HTMT__SAR_EXECUTE];
    part[HTMT_PATH_FILL] = p->read + first->first[HTMT__SAR_GATHER] +
                           first->first[HTMT__SAR_INJECT] +
                           latency_of(m, c->vortex, first->load.into_sram) +
                           latency_of(m, c->rti, first->load.into_cram);
    part[HTMT_PATH_DRAIN] = last->first[HTMT__SAR_EJECT] + last->first[HTMT__SAR_SCATTER] +
                            latency_of(m, c->rti, last->load.out_of_cram) +
                            latency_of(m, c->vortex, last->load.out_of_sram) + p->write;
    part[HTMT_PATH_OVERHEAD] =
        p->total - part[HTMT_PATH_WORK] - part[HTMT_PATH_FILL] - part[HTMT_PATH_DRAIN];
}
