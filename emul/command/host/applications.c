/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Applications against the clock: each is predicted by htmt-rec, which has its recorded kernels,
 * and timed by htmt-plain, which has the same ones without hooks (emul/lib/questions/walls.h).
 */
#include "emul/command/host/applications.h"

#include "apps/lib/host_clock.h"
#include "emul/lib/questions/interval.h"
#include "emul/lib/questions/walls.h"
#include "layers/file/folders.h"
#include "layers/file/own_path.h"
#include "layers/file/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZES  2
#define PLENTY 20.0 /* seconds: of a longer comparison a line says how long */

/* Two sizes each, the second one several times the first. `cost`: how long
 * they take beside each other. */
static const struct {
    const char *name, *option;
    unsigned size[SIZES], cost[SIZES];
} applications[] = {{"pic", "--steps", {4, 10}, {4, 7}},
                    {"cannon", "--size", {64, 128}, {3, 4}},
                    {"sar", "--lines", {256, 320}, {6, 7}},
                    {"volume", "--size", {32, 64}, {4, 8}}};

bool htmt__host_applications_asked(const char *sets, char *rest, size_t room)
{
    bool asked = false;
    size_t used = 0;
    rest[0] = '\0';
    for (const char *word = sets; word; word = strchr(word, ',')) {
        word += *word == ',';
        const size_t n = strcspn(word, ",");
        if (n == strlen("apps") && strncmp(word, "apps", n) == 0)
            asked = true;
        else if (used + n + 2 < room)
            used +=
                (size_t)snprintf(rest + used, room - used, "%s%.*s", used ? "," : "", (int)n, word);
    }
    return asked;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct asked {
    char recorded[HTMT_PATH_MAX + 16], plain[HTMT_PATH_MAX + 16]; /* the programs */
    const char *machine;
    struct htmt__walls_host host; /* of it */
    struct htmt__calibration calibration;
    struct htmt_fault *fault;
};

/* A line, once, where all takes long: by what the rows so far took. */
static void tell_length(double begin, unsigned done, unsigned sizes, bool *told)
{
    unsigned all = 0;
    for (unsigned i = 0; i < sizeof applications / sizeof *applications; i++)
        for (unsigned j = 0; j < sizes; j++)
            all += applications[i].cost[j];
    const double so_far = htmt_host_seconds() - begin, whole = so_far * all / done;
    if (*told || whole < PLENTY)
        return;
    fprintf(stderr, "htmt host: some %.0f seconds, of which %.0f are over\n", whole, so_far);
    *told = true;
}

static int compare_one(const struct asked *r, unsigned i, unsigned size,
                       struct htmt__against_clock *a, struct htmt__against_kernel *k)
{
    char number[16];
    snprintf(number, sizeof number, "%u", size);
    const char *word[] = {r->recorded,
                          NULL,
                          applications[i].name,
                          applications[i].option,
                          number,
                          "--machine",
                          r->machine,
                          "--slices",
                          "1",
                          "--threads",
                          "1",
                          "--timing",
                          "operations",
                          NULL};
    enum { PLAIN = sizeof word / sizeof *word - 3 };
    double predicted;
    struct htmt__walls w;
    int rc = htmt__walls_predict(word, &predicted, r->fault);
    word[0] = r->plain;
    word[PLAIN] = NULL;
    rc = rc ? rc : htmt__walls_take(word, predicted, &r->host, &w, NULL, r->fault);
    if (rc)
        return rc;
    const double model = 1e9 * (predicted + w.own);
    const struct htmt__shares unknown = {.instructions = 0};
    const struct htmt__interval expected =
        htmt__interval(model, model, 0, &unknown, r->calibration);
    struct htmt__against_size *s = &k->size[k->sizes++];
    *s = (struct htmt__against_size){.n = size,
                                     .model = model,
                                     .clock = 1e9 * w.wall,
                                     .spread = w.spread,
                                     .free = (unsigned)w.free,
                                     .error = 100 * (w.ratio - 1),
                                     .low = expected.low,
                                     .high = expected.high};
    htmt__against_add(a, k, w.hz);
    return 0;
}

/* Programs, beside this one. */
static int find_programs(struct asked *r)
{
    char own[HTMT_PATH_MAX] = "";
    if (htmt__own_program(own, sizeof own))
        *strrchr(own, '/') = '\0';
    snprintf(r->recorded, sizeof r->recorded, "%s/htmt-rec", own);
    snprintf(r->plain, sizeof r->plain, "%s/htmt-plain", own);
    return htmt__path_exists(r->plain)
               ? 0
               : htmt_fault_set(r->fault, HTMT_EUSAGE,
                                "--kernels apps needs htmt-plain, which this installation lacks: "
                                "LLVM 14 was missing when it was built (.ci/deps "
                                ".ci/packages-tape.txt)");
}

int htmt__host_applications(const struct htmt_machine *machine, const char *name, unsigned sizes,
                            htmt__against_progress_fn *progress, void *user,
                            struct htmt__against_clock *a, struct htmt_fault *fault)
{
    struct asked r = {.machine = name, .fault = fault};
    int rc = htmt__walls_of_host(machine, name, "--machine", &r.host, fault);
    rc = rc ? rc : find_programs(&r);
    if (rc)
        return rc;
    r.calibration = htmt__calibration_of(machine);
    snprintf(a->machine, sizeof a->machine, "%s", machine->name);
    htmt__disturbed_find(machine, true, &a->disturbed);
    a->hz = a->clock = r.host.hertz;
    const double begin = htmt_host_seconds();
    unsigned done = 0;
    bool told = false;
    sizes = sizes < SIZES ? sizes : SIZES;
    for (unsigned i = 0; i < sizeof applications / sizeof *applications && !rc; i++) {
        if (progress)
            progress(user, applications[i].name);
        struct htmt__against_kernel *k = &a->kernel[a->kernels++];
        *k = (struct htmt__against_kernel){.name = applications[i].name};
        for (unsigned j = 0; j < sizes && !rc; j++) {
            rc = compare_one(&r, i, applications[i].size[j], a, k);
            done += applications[i].cost[j];
            if (!rc && i)
                tell_length(begin, done, sizes, &told);
        }
    }
    return rc;
}
