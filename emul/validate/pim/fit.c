/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two constants of a program out of two measured kernels.
 *
 * The model of a kernel takes a start and, per element, a number of instructions i. The start
 * cancels out of the difference of two kernels, so i is found first: the i whose modelled
 * difference equals the measured one. It rises with i, nearly as a straight line, so a bracket is
 * doubled upwards until it holds the zero, and then narrowed: a secant lands near the zero, a
 * bisection every other step keeps a bad secant from staying at one end. i counts in grains of
 * 1/10000. The start is what the smaller kernel then takes less in the model than measured.
 *
 * By hand: kernels of 4096 and 1024 elements a DPU took 1.30 ms and 0.40 ms. Each of 3072 elements
 * more takes 293 ns; at 350 MHz and an instruction a cycle those are 102.5 instructions. If the
 * model of 1024 such elements takes 0.30 ms, the start is 0.10 ms.
 */
#include "emul/validate/pim/fit.h"

#include "emul/validate/pim/judge.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS_MAX 16
#define GRAIN        10000 /* of instructions an element: four decimals */
#define MOST         (UINT64_C(1) << 30)
#define NANOSECOND   (HTMT_SECOND / 1000000000)

/* The two rows of a program, and what they give. */
struct pair {
    unsigned rows;
    const struct htmt__measured_row *larger, *smaller;
    uint64_t grains; /* instructions an element */
    htmt_time start;
};

struct fitting {
    struct htmt__measured measured;
    const struct htmt_app *prim;
    struct htmt_machine *machine;
    struct pair pair[PROGRAMS_MAX];
    struct htmt_fault *fault;
};

static double work_of(const struct htmt__measured_row *r)
{
    return (double)r->words / r->dpus;
}

static int take_row(struct fitting *f, const char *id)
{
    const struct htmt__measured_row *r = htmt__measured_find(&f->measured, id);
    int program = r ? htmt__pim_program(r->program) : -1;
    if (!r)
        return htmt_fault_set(f->fault, HTMT_ENOENT, "--rows: no measured row '%.60s'", id);
    if (program < 0 || strcmp(r->part, "kernel") != 0)
        return htmt_fault_set(f->fault, HTMT_EUSAGE,
                              "--rows: found '%.60s', expected the kernel of a program", id);
    struct pair *p = &f->pair[program];
    if (p->rows == 2 || p->larger == r)
        return htmt_fault_set(f->fault, HTMT_EUSAGE,
                              "--rows: found '%.60s', expected two rows of a program, each once",
                              id);
    p->smaller = p->rows ? r : NULL;
    p->larger = p->rows ? p->larger : r;
    p->rows++;
    return 0;
}

/* The kernel of a row with so many instructions an element, and no start. */
static int model(const struct fitting *f, const struct htmt__measured_row *r, uint64_t grains,
                 double *seconds)
{
    const char *key = htmt__pim_key(htmt__pim_program(r->program));
    char instructions[80], start[60];
    const char *const set[] = {instructions, start};
    const struct htmt__pim_command c = {.program = key,
                                        .machine = f->machine,
                                        .costs = HTMT__PIM_COSTS,
                                        .set = set,
                                        .set_count = 2,
                                        .dpus = r->dpus,
                                        .size = r->words};
    struct htmt__pim_times times;
    snprintf(instructions, sizeof instructions, "%s.instructions=%llu.%04llu", key,
             (unsigned long long)(grains / GRAIN), (unsigned long long)(grains % GRAIN));
    snprintf(start, sizeof start, "%s.start=0 s", key);
    int rc = htmt__pim_run(f->prim, &c, &times, f->fault);
    if (!rc)
        *seconds = times.kernel;
    return rc;
}

/* By how much the larger work takes longer than the smaller one, less what was measured. */
static int difference(const struct fitting *f, const struct pair *p, uint64_t grains, double *s)
{
    double larger, smaller;
    int rc = model(f, p->larger, grains, &larger);
    if (!rc)
        rc = model(f, p->smaller, grains, &smaller);
    if (!rc)
        *s = larger - smaller - (p->larger->seconds - p->smaller->seconds);
    return rc;
}

/* Instructions are the number of grains whose difference is nearest to zero. A block has a whole
 * number of instructions, so many grains in a row give the same time. */
static int solve(const struct fitting *f, struct pair *p)
{
    double below, above, smaller = 0;
    uint64_t low = 1, high = 16 * GRAIN;
    int rc = difference(f, p, low, &below);
    if (!rc)
        rc = difference(f, p, high, &above);
    while (!rc && above < 0 && high < MOST)
        rc = difference(f, p, high *= 2, &above);
    if (!rc && (below >= 0 || above < 0))
        return htmt_fault_set(f->fault, HTMT_ERANGE,
                              "'%.60s' and '%.60s': no instructions above zero agree with both",
                              p->smaller->id, p->larger->id);
    for (unsigned i = 0; !rc && high - low > 1; i++) {
        double share = i % 2 ? 0.5 : below / (below - above), here = 0;
        uint64_t at = low + (uint64_t)(share * (double)(high - low));
        at = at <= low ? low + 1 : at >= high ? high - 1 : at;
        rc = difference(f, p, at, &here);
        *(here < 0 ? &low : &high) = at;
        *(here < 0 ? &below : &above) = here;
    }
    if (!rc) {
        p->grains = -below < above ? low : high;
        rc = model(f, p->smaller, p->grains, &smaller);
    }
    if (rc)
        return rc;
    double start = p->smaller->seconds - smaller;
    if (start < 0)
        return htmt_fault_set(f->fault, HTMT_ERANGE,
                              "'%.60s' and '%.60s': no start above zero agrees with both",
                              p->smaller->id, p->larger->id);
    p->start = (htmt_time)llround(start * 1e9) * NANOSECOND;
    return 0;
}

/* Each pair of rows, the larger work first. Its works must differ by a factor of four, since errors
 * of measurement of both are divided by the difference. */
static int fit(struct fitting *f, const char *rows)
{
    char *text = strdup(rows), *rest = text, *id;
    int rc = text ? 0 : htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    while (!rc && (id = strsep(&rest, ",")))
        rc = take_row(f, id);
    free(text);
    for (int i = 0; htmt__pim_program_name(i) && !rc; i++) {
        struct pair *p = &f->pair[i];
        if (!p->rows)
            continue;
        if (p->rows != 2)
            return htmt_fault_set(f->fault, HTMT_EUSAGE,
                                  "--rows: found '%.60s' alone, expected two rows of a program",
                                  p->larger->id);
        if (work_of(p->smaller) > work_of(p->larger)) {
            const struct htmt__measured_row *r = p->smaller;
            p->smaller = p->larger;
            p->larger = r;
        }
        rc = 4 * work_of(p->smaller) <= work_of(p->larger)
                 ? solve(f, p)
                 : htmt_fault_set(
                       f->fault, HTMT_EUSAGE,
                       "--rows: the work of '%.60s' is above a quarter of that of '%.60s'",
                       p->smaller->id, p->larger->id);
    }
    return rc;
}

/* A cost file with both constants of every program. A program that no row was given of is as in the
 * shipped file. */
static int write_file(const struct fitting *f, const char *path)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, f->fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fputs(
        "# Two constants of each program: instructions an element (of gemv: of a row's columns),\n"
        "# and the start of a kernel. Each names the rows that it was fitted to.\n"
        "htmt-costs: 1\napp: prim\n"
        "about: programs of the PrIM suite on UPMEM, two constants each\n\ncosts:\n",
        out);
    for (int i = 0; htmt__pim_program_name(i) && !rc; i++) {
        const struct pair *p = &f->pair[i];
        const char *key = htmt__pim_cost_rows[2 * i].key;
        fprintf(out, "  %.*s:\n", (int)strcspn(key, "."), key);
        if (p->rows)
            fprintf(out,
                    "    instructions: {value: %llu.%04llu, source: \"htmt fit prim: %s and %s\"}\n"
                    "    start: {value: %.3f us, source: \"htmt fit prim: %s and %s\"}\n",
                    (unsigned long long)(p->grains / GRAIN),
                    (unsigned long long)(p->grains % GRAIN), p->larger->id, p->smaller->id,
                    (double)p->start / 1e9, p->larger->id, p->smaller->id);
        for (int k = 0; k < 2 && !p->rows && !rc; k++) {
            struct htmt_figure figure;
            key = htmt__pim_cost_rows[2 * i + k].key;
            rc = htmt_costs_figure(HTMT__PIM_COSTS, key, &figure, f->fault);
            if (!rc)
                fprintf(out, "    %s: {value: %s, source: \"%s\"}\n", strchr(key, '.') + 1,
                        figure.value, figure.source);
        }
    }
    if (rc)
        htmt_whole_file_abandon(&file);
    return rc ? rc : htmt_whole_file_commit(&file, f->fault);
}

int htmt__pim_fit(const char *data, const char *rows, const char *out,
                  const struct htmt_app *const *apps, struct htmt_fault *fault)
{
    struct fitting f = {.fault = fault};
    int rc = htmt__measured_load(data, &f.measured, fault);
    if (!rc)
        rc = htmt__pim_application(apps, "prim", &f.prim, fault);
    if (!rc)
        rc = htmt_machine_load(HTMT__PIM_PROGRAMS_MACHINE, NULL, 0, &f.machine, fault);
    if (!rc)
        rc = fit(&f, rows);
    if (!rc)
        rc = write_file(&f, out);
    htmt_machine_destroy(&f.machine);
    htmt__measured_clear(&f.measured);
    return rc;
}
