/* SPDX-License-Identifier: BSD-3-Clause
 *
 * With the clock beside, the time of a turn is that of a warm one: a service of k turns and another
 * one of 2 k both read the arrays from outside first; their difference is k turns that find what
 * the one before left. Of small arrays there are many turns: what the first one waits for memory
 * would hide a second one, which seemed to take no time, and the third one would be the first to
 * wait.
 */
#include "apps/kernels/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the kernel gets is first, and all that it reads. */
struct arguments {
    struct htmt__kernels_loop_args loop;
    const struct htmt__kernels_program *program;
    uint32_t size;
};

struct htmt__kernels_program {
    struct htmt__kernels_plan plan;
    struct htmt_emulator *e;
    struct htmt__kernels_loop_data data[HTMT__KERNELS_SIZES];
    char *bytes[HTMT__KERNELS_SIZES];
    struct htmt_object *block[HTMT__KERNELS_SIZES];
    struct htmt_type *type[HTMT__KERNELS_SIZES][2]; /* all turns; half of them */
};

/* ---- cost, control --------------------------------------------------------------------------- */

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct arguments *a = args;
    (void)user;
    *ops = htmt__kernels_ops(&a->program->plan, a->program->plan.n[a->size], a->loop.turns);
}

static void control(struct htmt_context *c)
{
    const struct arguments *a = htmt_args(c);
    const struct htmt__kernels_program *p = a->program;
    htmt_use(c, htmt_in(p->block[a->size], 0), p->data[a->size].bytes, HTMT_UPDATE);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Names the service of all turns of a size, or of half of them, in types and in reports. */
static void name_service(const struct htmt__kernels_program *p, uint32_t size, bool once,
                         char name[static 64])
{
    snprintf(name, 64, "%s %" PRIu64 "%s", p->plan.loop->name, p->plan.n[size],
             once ? " once" : "");
}

static int create_service(struct htmt__kernels_program *p, uint32_t size, bool once)
{
    char name[64];
    const char *layer = htmt_emulator_machine(p->e)->layer[p->plan.layer].name;
    uint64_t turns = once ? p->plan.turns[size] : htmt__kernels_all(&p->plan, size);
    struct arguments a = {{p->data[size], p->plan.number, turns}, p, size};
    name_service(p, size, once, name);
    struct htmt_type_desc d = {.size = sizeof d,
                               .name = name,
                               .home = layer,
                               .exec = layer,
                               .footprint = HTMT_RESIDENT,
                               .execute = {.kernel = htmt__kernels_loop_kernels[p->plan.variant],
                                           .cost = cost,
                                           .control = control},
                               .args_bytes = sizeof a,
                               .sends = HTMT_SENDS_NOWHERE};
    int rc = htmt_type_create(p->e, &d, &p->type[size][once]);
    return rc ? rc
              : htmt_assemble(htmt_root(p->e),
                              &(struct htmt_parcel_desc){.type = p->type[size][once], .args = &a},
                              NULL);
}

static int create_block(struct htmt__kernels_program *p, uint32_t size)
{
    struct htmt__kernels_loop_data *d = &p->data[size];
    htmt__kernels_loop_place(p->plan.loop, p->plan.n[size], d);
    if (htmt_emulator_options(p->e)->mode == HTMT_RUN) {
        p->bytes[size] = calloc(1, d->bytes);
        if (!p->bytes[size])
            return HTMT_ENOMEM;
        htmt__kernels_loop_fill(p->plan.loop, d, p->bytes[size]);
    }
    char name[32];
    snprintf(name, sizeof name, "arrays %" PRIu64, p->plan.n[size]);
    return htmt_object_wrap(p->e, 0, p->plan.layer, p->bytes[size], d->bytes, d->bytes / HTMT_WORD,
                            name, &p->block[size]);
}

int htmt__kernels_program_create(struct htmt_emulator *e, const struct htmt__kernels_plan *plan,
                                 struct htmt__kernels_program **program, struct htmt_fault *fault)
{
    struct htmt__kernels_program *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->plan = *plan;
    p->e = e;
    int rc = 0;
    for (uint32_t i = 0; i < plan->sizes && !rc; i++) {
        rc = create_block(p, i);
        if (!rc)
            rc = create_service(p, i, false);
        if (!rc && plan->clock)
            rc = create_service(p, i, true);
    }
    if (rc)
        htmt_fault_set(fault, rc, "%s",
                       *htmt_emulator_fault(e)->text ? htmt_emulator_fault(e)->text
                                                     : htmt_strerror(rc));
    *program = p;
    return rc;
}

void htmt__kernels_program_destroy(struct htmt__kernels_program **program)
{
    for (unsigned i = 0; *program && i < HTMT__KERNELS_SIZES; i++)
        free((*program)->bytes[i]);
    free(*program);
    *program = NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

const struct htmt__kernels_loop_data *htmt__kernels_block(const struct htmt__kernels_program *p,
                                                          unsigned i, char **block)
{
    *block = p->bytes[i];
    return &p->data[i];
}

uint64_t htmt__kernels_turns(const struct htmt__kernels_program *p, unsigned i)
{
    return p->plan.turns[i] * (p->plan.clock ? 3 : 1);
}

/* Of the service of all turns of a size, or of half of them. */
static double service_fs(const struct htmt__kernels_program *p, unsigned size, bool once)
{
    char name[64];
    name_service(p, size, once, name);
    struct htmt_phase_report r;
    for (uint32_t i = 0; i < htmt_phase_count(p->e); i++)
        if (!htmt_phase_at(p->e, i, &r) && r.stage == HTMT_EXECUTE && !strcmp(r.type, name))
            return (double)r.busy;
    return -1;
}

double htmt__kernels_first_fs(const struct htmt__kernels_program *p, unsigned i)
{
    return service_fs(p, i, true) / (double)p->plan.turns[i];
}

double htmt__kernels_turn_fs(const struct htmt__kernels_program *p, unsigned i)
{
    const double all = service_fs(p, i, false), less = p->plan.clock ? service_fs(p, i, true) : 0;
    return (all - less) / (double)p->plan.turns[i];
}
