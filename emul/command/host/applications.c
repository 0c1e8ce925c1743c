/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Applications against the clock.
 *
 * A prediction by operations is of the kernels as htmt-cc compiled them, scalar code of clang. The
 * command itself runs others, written by hand for the processor's vectors, and libraries. So the
 * clock is that of htmt-plain, the command with the same kernels, compiled by the same compiler
 * with the same flags, without hooks. The time is that of the emulation on one thread: kernels, and
 * the emulator's own work for their parcels. No machine file knows the latter. A model run has the
 * same parcels and no kernels, so its wall is added to the prediction. Each run is a process, and
 * the least of RUNS counts: of its wall the part in which it had a processor.
 *
 * By hand, pic of a hundred steps: predicted 32.9 ms, a model run takes 3.3 ms, so 36.2 ms are
 * expected; htmt-plain takes 36.4 ms, and the row says -0.5 %.
 */
#define _GNU_SOURCE /* environ */
#include "emul/command/host/applications.h"

#include "emul/lib/questions/interval.h"
#include "emul/lib/questions/quiet_run.h"
#include "layers/file/folders.h"
#include "layers/file/own_path.h"
#include "layers/file/search.h"
#include "layers/machine/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZES 3
#define RUNS  7
#define WORDS 16

static const struct {
    const char *name, *option;
    unsigned size[SIZES];
} applications[] = {{"pic", "--steps", {4, 12, 40}},
                    {"cannon", "--size", {64, 128, 256}},
                    {"sar", "--lines", {256, 384, 512}},
                    {"volume", "--size", {32, 64, 128}}};

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

/* ---- a run in a process of its own ----------------------------------------------------------- */

/* Where programs are, and what they write. */
struct runs {
    char folder[HTMT_PATH_MAX], json[HTMT_PATH_MAX + 16], said[HTMT_PATH_MAX + 16];
    char programs[HTMT_PATH_MAX]; /* the folder of this one */
    const char *machine;
    struct htmt__calibration calibration;
    struct htmt_fault *fault;
};

static int tell(const struct runs *r, const char *program)
{
    char line[400] = "it says nothing";
    FILE *said = fopen(r->said, "r");
    if (said && fgets(line, sizeof line, said))
        line[strcspn(line, "\n")] = '\0';
    if (said)
        fclose(said);
    return htmt_fault_set(r->fault, HTMT_EUSAGE, "%s: %s", program, line);
}

/* The number behind the first `"key": ` of the report. */
static int read_number(const struct runs *r, const char *key, double *number)
{
    char line[4096], wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    FILE *report = fopen(r->json, "r");
    const char *found = NULL;
    while (report && !found && fgets(line, sizeof line, report)) {
        found = strstr(line, wanted);
        if (found)
            *number = strtod(found + strlen(wanted), NULL);
    }
    if (report)
        fclose(report);
    return found ? 0
                 : htmt_fault_set(r->fault, HTMT_EFORMAT, "%s: expected the key %s", r->json, key);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* ns: predicted by htmt-rec, or on the wall of a run or model run of htmt-plain. */
static int run(const struct runs *r, const char *verb, unsigned i, unsigned size, bool plays,
               double *ns)
{
    const char *name = plays ? "htmt-rec" : "htmt-plain";
    char program[HTMT_PATH_MAX + 32], number[16];
    snprintf(program, sizeof program, "%s/%s", r->programs, name);
    snprintf(number, sizeof number, "%u", size);
    const char *word[WORDS] = {program,
                               verb,
                               applications[i].name,
                               applications[i].option,
                               number,
                               "--machine",
                               r->machine,
                               "--slices",
                               "1",
                               "--threads",
                               "1",
                               "--json",
                               r->json,
                               plays ? "--timing" : NULL,
                               "operations"};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions))
        return htmt_fault_set(r->fault, HTMT_ENOMEM, "out of memory");
    int rc = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, r->said,
                                              O_WRONLY | O_CREAT | O_TRUNC, 0600);
    rc = rc ? rc
            : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    rc = rc ? rc
            : posix_spawn(&child, program, &actions, NULL, (char *const *)(uintptr_t)word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc)
        return htmt_fault_set(r->fault, HTMT_ESYSTEM, "%s: cannot start it: %s", program,
                              strerror(rc));
    struct rusage used;
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return tell(r, name);
    double total = 0;
    rc = read_number(r, plays ? "predicted_s" : "emulate_s", ns);
    rc = rc || plays ? rc : read_number(r, "total_s", &total);
    const double computed = seconds(used.ru_utime) + seconds(used.ru_stime);
    *ns *= total > computed ? 1e9 * computed / total : 1e9;
    return rc;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int compare_one(const struct runs *r, unsigned i, unsigned size,
                       struct htmt__against_kernel *k)
{
    double model, wall[RUNS], own[RUNS];
    int rc = run(r, "run", i, size, true, &model);
    for (unsigned j = 0; j < RUNS && !rc; j++) {
        rc = run(r, "run", i, size, false, &wall[j]);
        rc = rc ? rc : run(r, "model", i, size, false, &own[j]);
    }
    if (rc)
        return rc;
    qsort(wall, RUNS, sizeof *wall, compare_doubles);
    qsort(own, RUNS, sizeof *own, compare_doubles);
    model += own[0];
    const struct htmt__shares unknown = {.instructions = 0};
    const struct htmt__interval expected =
        htmt__interval(model, model, 0, &unknown, r->calibration);
    struct htmt__against_size *s = &k->size[k->sizes++];
    *s = (struct htmt__against_size){.n = size,
                                     .model = model,
                                     .clock = wall[0],
                                     .spread = 100 * (wall[RUNS / 2] / wall[0] - 1),
                                     .error = 100 * (model / wall[0] - 1),
                                     .low = expected.low,
                                     .high = expected.high};
    k->mean += fabs(s->error);
    k->worst = fmax(k->worst, fabs(s->error));
    return 0;
}

/* The name of the machine, its clock and what of it is disturbed. */
static int find_machine(const char *file, struct htmt__against_clock *a,
                        struct htmt__calibration *calibration, struct htmt_fault *fault)
{
    struct htmt_machine *m = NULL;
    uint32_t l = 0;
    int rc = htmt__quiet_run_machine(file, NULL, 0, &m, fault);
    if (rc)
        return rc;
    while (l < m->layer_count && !htmt__machine_node(m, l))
        l++;
    if (l == m->layer_count) {
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "no processor of machine %s has an inside (docs/nodes.md)", m->name);
    } else {
        const struct htmt_ratio cycle = m->layer[l].processor.time[HTMT_CYCLE];
        snprintf(a->machine, sizeof a->machine, "%s", m->name);
        htmt__disturbed_find(m, true, &a->disturbed);
        *calibration = htmt__calibration_of(m);
        a->hz = a->clock = 1e15 * (double)cycle.den / (double)cycle.num;
    }
    htmt_machine_destroy(&m);
    return rc;
}

/* Programs, beside this one, and a folder for what they write. */
static int open_runs(struct runs *r)
{
    const char *home = getenv("TMPDIR");
    char plain[HTMT_PATH_MAX + 16];
    if (htmt__own_program(r->programs, sizeof r->programs))
        *strrchr(r->programs, '/') = '\0';
    snprintf(plain, sizeof plain, "%s/htmt-plain", r->programs);
    if (!htmt__path_exists(plain))
        return htmt_fault_set(
            r->fault, HTMT_EUSAGE,
            "--kernels apps needs htmt-plain, which this installation lacks: LLVM "
            "14 was missing when it was built (.ci/deps .ci/packages-tape.txt)");
    snprintf(r->folder, sizeof r->folder, "%s/htmt-XXXXXX", home && *home ? home : "/tmp");
    if (!mkdtemp(r->folder))
        return htmt_fault_set(r->fault, HTMT_ESYSTEM, "%s: %s", r->folder, strerror(errno));
    snprintf(r->json, sizeof r->json, "%s/report.json", r->folder);
    snprintf(r->said, sizeof r->said, "%s/said", r->folder);
    return 0;
}

int htmt__host_applications(const char *machine, unsigned sizes,
                            htmt__against_progress_fn *progress, void *user,
                            struct htmt__against_clock *a, struct htmt_fault *fault)
{
    struct runs r = {.machine = machine, .fault = fault};
    int rc = find_machine(machine, a, &r.calibration, fault);
    rc = rc ? rc : open_runs(&r);
    if (rc)
        return rc;
    for (unsigned i = 0; i < sizeof applications / sizeof *applications && !rc; i++) {
        if (progress)
            progress(user, applications[i].name);
        struct htmt__against_kernel *k = &a->kernel[a->kernels++];
        *k = (struct htmt__against_kernel){.name = applications[i].name};
        for (unsigned j = 0; j < sizes && j < SIZES && !rc; j++)
            rc = compare_one(&r, i, applications[i].size[j], k);
        k->mean /= k->sizes ? k->sizes : 1;
    }
    unlink(r.json);
    unlink(r.said);
    rmdir(r.folder);
    return rc;
}
