/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When all is quiet: a control runs in every slice (parcels/post.h: htmt_quiet()).
 *
 * The clock finds out that no event is left anywhere: the sequential one when its loop ends, that
 * by windows, in all ranks, when the next event of all is none. Then a parcel is made in every
 * slice, at the latest time that was played; its only service runs the program's control. What that
 * sets off is played as ever, until all is quiet again. If nothing comes of a whole round (no
 * control wrote a line of its log, nor posted), the run is over.
 *
 * Why it is the same with partitions. The latest time and whether something came of the round are a
 * greatest value and a disjunction over all of them. The parcels have no event, so their turns are
 * compared by phase and slice: the phase of a round is behind all that this instant had before.
 */
#include "parcels/clock/event.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/message/post.h"
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

struct htmt__quiet {
    struct htmt_type *type;
    htmt_control_fn *control;
};

/* Its lines take effect later; that there are some is known now. */
static void run(struct htmt_context *c)
{
    c->e->quiet->control(c);
    c->e->came |= c->p->log != NULL;
}

int htmt_quiet(struct htmt_emulator *e, htmt_control_fn *control, const void *user)
{
    static const char call[] = "htmt_quiet()";
    int rc = htmt__permit_setup(e, call), layer = -1;
    rc = rc ? rc : htmt__given(e, (const void *)(uintptr_t)control, call, "control");
    if (rc)
        return rc;
    for (uint32_t l = 0; l < e->layers; l++)
        if (e->machine->layer[l].processor.count)
            layer = (int)l;
    if (e->quiet)
        return htmt__refuse(e, HTMT_EINVAL, "%s twice: one control runs when all is quiet", call);
    if (layer < 0)
        return htmt__refuse(e, HTMT_EINVAL, "%s: no layer of machine %s has a processor", call,
                            e->machine->name);
    if (e->options.symmetry != HTMT_NO_SYMMETRY)
        return htmt__refuse(e, HTMT_ESYMMETRY, "%s where slices are %s: each is quiet by itself",
                            call, e->options.symmetry == HTMT_FOLDED ? "folded" : "independent");
    if (e->alone && e->slices > 1)
        return htmt__refuse(e, HTMT_ESYMMETRY,
                            "%s where no network joins slices: each is quiet by itself", call);
    const char *name = e->machine->layer[layer].name;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "quiet";
    d.home = d.exec = name;
    d.execute.control = run;
    d.user = user;
    struct htmt__quiet *q = calloc(1, sizeof *q);
    if (!q)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a control");
    q->control = control;
    rc = htmt__type_create_own(e, &d, &q->type);
    if (rc)
        free(q);
    else
        e->quiet = q;
    return rc;
}

void htmt__quiet_parcel(struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt_parcel_desc d = {.type = e->quiet->type, .slice = slice};
    htmt__assemble(e->root, &d, NULL);
}

void htmt__quiet_destroy(struct htmt_emulator *e)
{
    free(e->quiet);
}
