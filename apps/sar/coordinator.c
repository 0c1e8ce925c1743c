/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The coordinator of a slice, which leads its patches through the stages.
 *
 * The pipeline of patches. A patch is read by the DPIMs, focused by the SPELL, stage after stage,
 * and written by the DPIMs. Patches do not need each other, so while the SPELL works on one patch
 * the next one is read and the one before is written. A slice has two frames in DRAM, which patches
 * take in turn; with one patch a slice, one frame.
 *
 * How it works. The coordinator counts, for each stage, the patches that have begun it and those
 * that are over. A stage takes the slice's patches in sequence. It may begin its next patch when
 * the rules below hold: each names a stage that must be over, for the same patch or for the patch
 * before. A stage is a number of parcels; each signals the fiber of its stage, whose slot counts
 * them. When the fiber runs, the coordinator begins every stage that may begin.
 *
 * Why it is right. The rules order the stages of a patch as the data flow: read, range, azimuth or
 * transform and migration and focus, write. Rules of the patch before (turns = 1) protect what two
 * patches share: the references in CRAM, the straightened frame, and the SPELL, which finishes a
 * patch before the next one's range lines begin, since otherwise the patch before would be written
 * too late. Read Patch waits for the Write Patch that frees its frame. No stage of patch n waits
 * for one of patch n + 1, so something can always go on.
 *
 * What it costs. T = read + phases + write + (patches - 1) period, with the period of the slowest
 * of SPELL, DPIMs and channels (apps/sar/closed_form.h): one read and one write of all stay
 * visible.
 *
 * Example. Three patches, no migration. Read 0. Range 0 and Read 1, at the same time. Azimuth 0.
 * Write 0, Range 1 and, when Write 0 is over, Read 2 into the frame of patch 0. Azimuth 1. Write 1
 * and Range 2. Azimuth 2. Write 2.
 */
#include "apps/sar/coordinator.h"

#include "apps/lib/iterations.h"
struct coordinator {
    const htmt__sar *p;
    uint32_t begun[HTMT__SAR_STAGES], done[HTMT__SAR_STAGES]; /* patches of this slice */
};

/* A stage of a patch begins when stage `after` is over for the patch `turns` turns before. */
struct rule {
    uint32_t stage, after, turns;
};

static const struct rule rules[] = {
    {HTMT__SAR_RANGE_REFERENCE, HTMT__SAR_RANGE, 1}, /* the one before is no longer in use */
    {HTMT__SAR_RANGE, HTMT__SAR_READ, 0},
    {HTMT__SAR_RANGE, HTMT__SAR_AZIMUTH, 1}, /* otherwise the patch before is written too late */
    {HTMT__SAR_RANGE, HTMT__SAR_FOCUS, 1},
    {HTMT__SAR_RANGE, HTMT__SAR_RANGE_REFERENCE, 0},
    {HTMT__SAR_INTERPOLATOR, HTMT__SAR_MIGRATION, 1},
    {HTMT__SAR_AZIMUTH_REFERENCE, HTMT__SAR_AZIMUTH, 1},
    {HTMT__SAR_AZIMUTH_REFERENCE, HTMT__SAR_FOCUS, 1},
    {HTMT__SAR_AZIMUTH, HTMT__SAR_RANGE, 0},
    {HTMT__SAR_AZIMUTH, HTMT__SAR_AZIMUTH_REFERENCE, 0},
    {HTMT__SAR_TRANSFORM, HTMT__SAR_RANGE, 0},
    {HTMT__SAR_MIGRATION, HTMT__SAR_TRANSFORM, 0},
    {HTMT__SAR_MIGRATION, HTMT__SAR_INTERPOLATOR, 0},
    {HTMT__SAR_MIGRATION, HTMT__SAR_FOCUS, 1}, /* its frame is free */
    {HTMT__SAR_FOCUS, HTMT__SAR_MIGRATION, 0},
    {HTMT__SAR_FOCUS, HTMT__SAR_AZIMUTH_REFERENCE, 0},
    {HTMT__SAR_WRITE, HTMT__SAR_AZIMUTH, 0},
    {HTMT__SAR_WRITE, HTMT__SAR_FOCUS, 0},
};

static bool over(const struct coordinator *d, uint32_t stage, uint32_t turn, uint32_t before)
{
    return d->done[stage] + before > turn;
}

/* Of this slice. */
static uint32_t patches_of(struct htmt_context *c, const struct coordinator *d)
{
    return (d->p->decomposition.patches - htmt_slice(c) - 1) / d->p->slices + 1;
}

/* Assemble the first lines of the window; each further line follows one that has left CRAM. Strips
 * and references are few and begin at once. A stage without parcels is over at once. */
static void begin(struct htmt_context *c, uint32_t stage)
{
    struct coordinator *d = htmt_args(c);
    struct htmt__sar_order o = {
        .p = d->p, .stage = stage, .turn = d->begun[stage]++, .done = htmt_slot(c, 1 + stage)};
    o.patch = htmt_slice(c) + o.turn * d->p->slices;
    uint32_t parcels = htmt__sar_parcels(&d->p->decomposition, stage,
                                         htmt__sar_patch_of(&d->p->decomposition, o.patch));
    uint32_t now = htmt__sar_is_strip(stage) || parcels < d->p->decomposition.window
                       ? parcels
                       : d->p->decomposition.window;
    /* a patch is focused from its range lines on; the first one from its reading on */
    if (d->p->named && (stage == HTMT__SAR_RANGE ? o.turn > 0 : stage == HTMT__SAR_READ && !o.turn))
        htmt__iteration(c, "patch", o.turn, patches_of(c, d));
    if (!parcels) {
        d->done[stage]++;
        return;
    }
    htmt_slot_set(c, 1 + stage, parcels, 0);
    for (; o.index < now; o.index++)
        htmt__sar_assemble(c, &o);
}

/* Begin all stages that may begin: a stage takes patches in sequence, a patch needs a frame, and
 * the rules hold. A stage that is over at once may let others begin. */
static void begin_all(struct htmt_context *c)
{
    const struct coordinator *d = htmt_args(c);
    const uint32_t all = patches_of(c, d);
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t stage = 0; stage < HTMT__SAR_STAGES; stage++) {
            const uint32_t turn = d->begun[stage];
            bool may = turn < all && turn == d->done[stage];
            if (stage == HTMT__SAR_READ)
                may &= over(d, HTMT__SAR_WRITE, turn, d->p->decomposition.frames);
            for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
                if (rules[i].stage == stage)
                    may &= over(d, rules[i].after, turn, rules[i].turns);
            if (may)
                begin(c, stage);
            again |= may;
        }
    }
    if (d->done[HTMT__SAR_WRITE] == all)
        htmt_retire(c, htmt_self(c));
}

/* Enabled when all parcels of a stage are done. */
static void stage_over(struct htmt_context *c)
{
    struct coordinator *d = htmt_args(c);
    d->done[htmt_fiber(c) - 1]++;
    begin_all(c);
}

int htmt__sar_coordinator_type(htmt__sar *p)
{
    struct htmt_stage fibers[HTMT__SAR_STAGES];
    for (uint32_t i = 0; i < HTMT__SAR_STAGES; i++)
        fibers[i] = (struct htmt_stage){.control = stage_over};
    const char *names[HTMT__SAR_STAGES];
    for (uint32_t i = 0; i < HTMT__SAR_STAGES; i++)
        names[i] = htmt__sar_stage_name((enum htmt__sar_stage)i);
    const char *sram = htmt_emulator_machine(p->e)->layer[p->decomposition.sram].name;
    struct htmt_type_desc d = {.size = sizeof d,
                               .name = "Desk",
                               .home = sram,
                               .exec = sram,
                               .execute = {.control = begin_all},
                               .fibers = fibers,
                               .fiber_count = HTMT__SAR_STAGES,
                               .fiber_names = names,
                               .gates = HTMT_GATE(HTMT_RETIRE),
                               .args_bytes = sizeof(struct coordinator),
                               .sends = HTMT_SENDS_NOWHERE};
    return htmt_type_create(p->e, &d, &p->coordinator);
}

int htmt__sar_coordinator_start(htmt__sar *p)
{
    struct coordinator d = {.p = p};
    int rc = 0;
    for (uint32_t i = 0; i < p->places && !rc; i++)
        rc = htmt_assemble(
            htmt_root(p->e),
            &(struct htmt_parcel_desc){.type = p->coordinator, .slice = i, .args = &d}, NULL);
    return rc;
}
