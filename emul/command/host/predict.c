/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function becomes an application of one kernel that calls it: a C file that includes the
 * source, compiled by htmt-cc to a plug-in, which this process loads and runs on the machine, its
 * operations played. One service makes R calls, so what a call leaves in the caches is there for
 * the next one. With T(R) the time of such a service,
 *
 *     first = T(1),    next = (T(2 R) - T(R)) / R,
 *
 * where R = 1, 2, 4, .. doubles until the later calls take as long as all of T(1): the misses of a
 * first call that is short hide the next ones, which would seem to take no time. It also doubles
 * while missed branches become fewer, by the third and fourth call at the earliest: a call that is
 * made again and again with the same data takes the same ways, which the predictor learns within a
 * few calls. By hand, 500 binary searches: 1516 missed branches in the first call, 1907 in the
 * second, 1163 in the third and fourth each, 68 in the fifth to eighth, none in later ones. With
 * the same R the call is played again on a machine each of whose measured figures is as slow as its
 * middle sample: by how much that takes longer widens the interval.
 *
 * The clock times the code that was recorded: the same file by the same compiler with the same
 * flags, those of the tape behind the user's; another compiler, where one is named, gets the user's
 * alone. Loops begin at a line of code, unless a flag of the user's says otherwise: a short one
 * that lies in two lines takes up to twice as long, from build to build, and the model has no
 * places. The least counts of many samples of some tens of microseconds, each on a core that is at
 * its best. Several cores each load a copy of that code, whose arrays are then its own, and call it
 * at once.
 *
 * All files lie in a folder of their own, which goes with the command.
 */
#define _GNU_SOURCE /* sigabbrev_np */
#include "emul/command/host/predict.h"

#include "apps/lib/host_clock.h"
#include "emul/command/host/call.h"
#include "emul/command/host/several.h"
#include "emul/command/host/together.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/lib/questions/walls.h"
#include "emul/validate/against_clock.h"
#include "layers/file/folders.h"
#include "layers/file/own_path.h"
#include "layers/file/search.h"
#include "layers/machine/nodes.h"
#include "layers/node/tape/tape_flags.h"
#include "parcels/operation.h"
#include "runtime/base/by_size.h"
#include "runtime/base/child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS       128
#define PATH        (HTMT_PATH_MAX + 32)
#define ROUNDS_MOST 65536
#define LITTLE      0.02 /* of a call: what missed branches take does not count */
#define LEARNS      0.75 /* of what they took in the calls before: the predictor still learns */
#define SAMPLES     60
#define AGREE       3 /* rounds that show the same */
#define NEARLY      1.02
#define PAUSE       20000000L /* ns between rounds */
#define LONGEST     4.0       /* s, of all rounds, and */
#define LONGER      0.1       /* s more for each call beside the first */
#define SAMPLE      30e-6     /* s, of a sample at least */
#define PATIENCE    3e-3
#define TOGETHER    24   /* samples of several cores */
#define INTERVAL    3e-3 /* s, of such a sample at least */

struct files {
    const struct htmt__predict_options *options;
    unsigned calls;
    char folder[HTMT_PATH_MAX], source[HTMT_PATH_MAX]; /* source: its whole path */
    char include[PATH], htmt_cc[PATH];
    char ir[PATH], said[PATH], driver[PATH], object[PATH], plugin[PATH], plain[PATH];
    char tables[PATH];
    char *flags;                  /* a copy, split into words */
    const char *flag[WORDS];      /* up to NULL */
    const char *layer;            /* of the machine, whose processor plays */
    double nothing;               /* its cycles of an instruction that does nothing */
    struct htmt__several several; /* what is other while several cores run */
    struct htmt_fault *fault;     /* of whoever asks */
};

/* ---- other programs -------------------------------------------------------------------------- */

/* What a compiler says first, without the folder that nobody knows. */
static int tell_refusal(const struct files *f, const char *compiler)
{
    char line[400], first[400] = "it says nothing";
    FILE *said = fopen(f->said, "r");
    bool found = false;
    while (said && !found && fgets(line, sizeof line, said)) {
        const char *error = strstr(line, "error: ");
        found = error != NULL;
        if (found || strcmp(first, "it says nothing") == 0)
            snprintf(first, sizeof first, "%s", error ? error + strlen("error: ") : line);
    }
    if (said)
        fclose(said);
    first[strcspn(first, "\n")] = '\0';
    return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: %s refuses it with flags '%s': %.300s",
                          f->options->source, compiler, f->options->flags, first);
}

/* `word` ends with NULL; what it says goes to a file. */
static int run_compiler(const struct files *f, const char *name, const char *const *word)
{
    const struct htmt__child child = {word, f->said, NULL};
    struct htmt__child_end end;
    const int rc = htmt__child_run(&child, &end, f->fault);
    return rc || !end.status ? rc : tell_refusal(f, name);
}

/* `before`, the flags, and `after`, all up to NULL. */
static int compile(const struct files *f, const char *name, const char *const *before,
                   const char *const *after)
{
    const char *word[2 * WORDS] = {NULL};
    size_t n = 0;
    for (; *before; before++)
        word[n++] = *before;
    for (const char *const *flag = f->flag; *flag; flag++)
        word[n++] = *flag;
    for (; *after; after++)
        word[n++] = *after;
    return run_compiler(f, name, word);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Beside this program, in a build and in an installed tree. */
static int find_tools(struct files *f)
{
    static const char *const rest[] = {"/include", "/../include"};
    char own[HTMT_PATH_MAX] = "", probe[PATH + 16];
    if (htmt__own_program(own, sizeof own))
        *strrchr(own, '/') = '\0';
    snprintf(f->htmt_cc, sizeof f->htmt_cc, "%s/htmt-cc", own);
    if (!htmt__path_exists(f->htmt_cc))
        return htmt_fault_set(f->fault, HTMT_EUSAGE,
                              "predict needs htmt-cc, which this installation lacks: LLVM 14 was "
                              "missing when it was built (.ci/deps .ci/packages-tape.txt)");
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        snprintf(f->include, sizeof f->include, "%s%s", own, rest[i]);
        snprintf(probe, sizeof probe, "%s/htmt.h", f->include);
        if (htmt__path_exists(probe))
            return 0;
    }
    return htmt_fault_set(f->fault, HTMT_EUSAGE,
                          "predict needs htmt.h, which this installation lacks");
}

static int split_flags(struct files *f)
{
    unsigned n = 0;
    char *rest = f->flags = strdup(f->options->flags);
    if (!rest)
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (n + 1 == WORDS)
            return htmt_fault_set(f->fault, HTMT_EUSAGE, "--flags: expected fewer than %d words",
                                  WORDS);
        f->flag[n++] = word;
    }
    return 0;
}

static int open_files(struct files *f)
{
    const struct {
        char *path;
        const char *name;
    } all[] = {{f->ir, "call.ll"},
               {f->said, "said"},
               {f->driver, "call.c"},
               {f->object, "call.o"},
               {f->plugin, "call.so"},
               {f->plain, "plain.so"},
               {f->tables, "call.o.blocks.c"}};
    char *whole = realpath(f->options->source, NULL);
    if (!whole)
        return htmt_fault_set(f->fault, HTMT_ENOENT, "%s: %s", f->options->source, strerror(errno));
    struct stat at;
    if (stat(whole, &at) || !S_ISREG(at.st_mode)) {
        free(whole);
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: expected a C file", f->options->source);
    }
    const bool fits = (size_t)snprintf(f->source, sizeof f->source, "%s", whole) < sizeof f->source;
    free(whole);
    if (!fits)
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: too long a path", f->options->source);
    if (strpbrk(f->source, "\"\\\n"))
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: a path with quotes cannot be included",
                              f->options->source);
    const int rc = htmt__folder_temporary(f->folder, sizeof f->folder, f->fault);
    if (rc) {
        *f->folder = '\0';
        return rc;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        snprintf(all[i].path, PATH, "%s/%s", f->folder, all[i].name);
    return 0;
}

static void name_copy(const struct files *f, unsigned i, char name[PATH + 16])
{
    snprintf(name, PATH + 16, "%s.%u", f->plain, i);
}

static void close_files(struct files *f)
{
    const char *const all[] = {f->ir,     f->said,  f->driver, f->object,
                               f->plugin, f->plain, f->tables};
    for (size_t i = 0; i < sizeof all / sizeof *all && *f->folder; i++)
        unlink(all[i]);
    for (unsigned i = 1; i < f->options->cores && *f->folder; i++) {
        char copy[PATH + 16];
        name_copy(f, i, copy);
        unlink(copy);
    }
    if (*f->folder)
        rmdir(f->folder);
    free(f->flags);
}

/* ---- the plug-in ----------------------------------------------------------------------------- */

/* The types of each call's arguments are those of its function. */
static int match_calls(const struct files *f, struct htmt__call *call)
{
    int rc = 0;
    for (unsigned i = 0; i < f->calls && !rc; i++) {
        FILE *ir = fopen(f->ir, "r");
        rc = ir ? htmt__call_match(&call[i], f->options->source, ir, f->fault)
                : htmt_fault_set(f->fault, HTMT_ESYSTEM, "%s: %s", f->ir, strerror(errno));
        if (ir)
            fclose(ir);
    }
    return rc;
}

static int check_levels(const struct files *f)
{
    for (const char *const *flag = f->flag; *flag; flag++)
        if (!htmt__tape_level_known(*flag))
            return htmt_fault_set(f->fault, HTMT_EUSAGE,
                                  "--flags: found '%s', expected " HTMT__TAPE_LEVELS, *flag);
    return 0;
}

static int write_driver(const struct files *f, struct htmt__call *call)
{
    int rc = check_levels(f);
    rc = rc ? rc
            : compile(f, HTMT_CLANG,
                      (const char *const[]){HTMT_CLANG, "-w", "-S", "-emit-llvm", NULL},
                      (const char *const[]){"-O0", "-o", f->ir, f->source, NULL});
    rc = rc ? rc : match_calls(f, call);
    FILE *out = rc ? NULL : fopen(f->driver, "w");
    if (rc)
        return rc;
    if (out)
        htmt__call_write(call, f->calls, f->source, f->layer, out);
    if (!out || fclose(out))
        return htmt_fault_set(f->fault, HTMT_ESYSTEM, "%s: %s", f->driver, strerror(errno));
    return 0;
}

/* The tape of vectors is that of code whose loops the flags let be vectorized. */
static bool asks_for_vectors(const struct files *f)
{
    bool asks = false;
    for (const char *const *flag = f->flag; *flag; flag++)
        if (strncmp(*flag, "-O", 2) == 0)
            asks = strcmp(*flag, "-O3") == 0 || strcmp(*flag, "-Ofast") == 0;
    return asks;
}

static int build_plugin(const struct files *f)
{
    char include[PATH + 2], below[PATH + 8];
    snprintf(include, sizeof include, "-I%s", f->include);
    snprintf(below, sizeof below, "-I%s/htmt", f->include);
    int rc = compile(
        f, "htmt-cc",
        (const char *const[]){f->htmt_cc, "--tape", asks_for_vectors(f) ? "O3" : "O2", NULL},
        (const char *const[]){include, below, "-fPIC", "-fvisibility=hidden", "-c", f->driver, "-o",
                              f->object, NULL});
    return rc ? rc
              : run_compiler(f, "cc",
                             (const char *const[]){"cc", "-shared", f->object, "-o", f->plugin,
                                                   "-lm", NULL});
}

/* ---- the prediction -------------------------------------------------------------------------- */

/* `rounds` calls of number `which`. `slow`: changes of the machine, or NULL. */
struct played {
    const struct files *files;
    const struct htmt_app *app;
    const struct htmt__slow_figures *slow;
    unsigned which;
};

struct service {
    double ns;
    struct htmt__shares shares; /* in fs */
};

static int play(const struct played *p, unsigned rounds, struct service *s)
{
    static const struct htmt_operations no_tape = {.type = NULL};
    const struct files *f = p->files;
    struct htmt_operations_report report;
    char words[60];
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    snprintf(words, sizeof words, "--rounds %u --which %u --slices 1", rounds, p->which);
    const unsigned slower = p->slow ? p->slow->n : 0, n = slower + f->several.n;
    const char **set = n ? calloc(n, sizeof *set) : NULL;
    if (n && !set) {
        free(run);
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    }
    for (unsigned i = 0; i < n; i++)
        set[i] = i < slower ? p->slow->set[i] : f->several.set[i - slower];
    int rc = htmt__quiet_run_prepare(p->app, words, f->options->machine, set, n, run, f->fault);
    run->request.emulator.mode = HTMT_RUN;
    run->request.emulator.operations = &no_tape;
    rc = rc ? rc : htmt__quiet_run_emulate(run, f->fault);
    *s = (struct service){.ns = 0};
    if (!rc && !htmt_operations_at(run->outcome.emulator, 0, &report)) {
        rc = report.counted ? htmt_fault_set(f->fault, HTMT_EUSAGE, "%s", report.why) : 0;
        htmt__shares_add(&s->shares, &report, 1);
    }
    if (!rc)
        s->ns = 1e-6 * (double)htmt_predicted(run->outcome.emulator);
    htmt__quiet_run_clear(run);
    free(run);
    free(set);
    return rc;
}

static int find_interval(struct played *p, const struct htmt_machine *machine, unsigned rounds,
                         double fast, struct htmt__predicted *predicted)
{
    struct htmt__slow_figures slow;
    struct service some = {.ns = 0}, twice = {.ns = 0};
    int rc = htmt__slow_figures(machine, &slow);
    if (rc)
        htmt_fault_set(p->files->fault, rc, "out of memory");
    p->slow = &slow;
    if (!rc && slow.n)
        rc = play(p, rounds, &some);
    if (!rc && slow.n)
        rc = play(p, 2 * rounds, &twice);
    predicted->expected = htmt__interval(predicted->next, fast, twice.ns - some.ns,
                                         &predicted->shares, htmt__calibration_of(machine));
    htmt__slow_figures_free(&slow);
    return rc;
}

/* ns that missed branches took in the longer service beyond the shorter one. */
static double missed_between(const struct service *shorter, const struct service *longer)
{
    return 1e-6 *
           (longer->shares.of[HTMT__NODE_BY_BRANCHES] - shorter->shares.of[HTMT__NODE_BY_BRANCHES]);
}

static int predict(const struct files *f, const struct htmt_app *app,
                   const struct htmt_machine *machine, bool interval, unsigned which,
                   struct htmt__predicted *predicted)
{
    struct played p = {.files = f, .app = app, .which = which};
    struct service first = {.ns = 0}, some, twice = {.ns = 0};
    unsigned rounds = 1;
    int rc = play(&p, rounds, &first);
    double missed = 0;
    for (some = first; !rc; rounds *= 2, some = twice) {
        rc = play(&p, 2 * rounds, &twice);
        const double before = missed;
        missed = missed_between(&some, &twice) / rounds;
        const bool learns = missed > LITTLE * (twice.ns - some.ns) / rounds &&
                            (rounds == 1 || missed < LEARNS * before);
        if ((twice.ns - some.ns >= first.ns / 2 && !learns) || 2 * rounds >= ROUNDS_MOST)
            break;
    }
    predicted->first = first.ns;
    predicted->next = (twice.ns - some.ns) / rounds;
    predicted->shares =
        htmt__shares_between(htmt__machine_inside(machine), &some.shares, &twice.shares);
    return rc || !interval ? rc : find_interval(&p, machine, rounds, twice.ns - some.ns, predicted);
}

/* ---- the clock ------------------------------------------------------------------------------- */

typedef void fill_fn(unsigned long long which);
typedef void calls_fn(unsigned long long which, unsigned long long n);

struct timed {
    calls_fn *calls;
    unsigned which;
};

static void run_calls(void *user, uint64_t n)
{
    const struct timed *t = user;
    t->calls(t->which, n);
}

static unsigned known(unsigned free)
{
    return free < HTMT__AGAINST_FREE ? free : HTMT__AGAINST_FREE;
}

/* The least so far: of samples that a still core took, or the least of all where it never was, told
 * as they would be at the machine's clock. */
static void sample(struct timed *t, struct htmt_host_core *core, struct htmt__predicted *p)
{
    struct htmt_host_watch watch;
    double cycles[SAMPLES], still[SAMPLES], cycle[SAMPLES], least = 0;
    unsigned long long n = 1;
    unsigned quiet = 0;
    for (least = 0; least < SAMPLE; n *= least < SAMPLE ? 2 : 1) {
        htmt_host_watch_start(&watch);
        run_calls(t, n);
        least = htmt_host_watch_seconds(&watch);
    }
    for (unsigned i = 0; i < SAMPLES; i++) {
        const struct htmt_host_sample s =
            htmt_host_core_sample(core, PATIENCE, NULL, run_calls, t, n);
        cycles[i] = s.cycles / (double)n;
        cycle[i] = s.seconds / s.cycles;
        if (s.still)
            still[quiet++] = cycles[i];
    }
    double *of = quiet ? still : cycles;
    const unsigned count = quiet ? quiet : SAMPLES;
    qsort(of, count, sizeof *of, htmt__by_size);
    qsort(cycle, SAMPLES, sizeof *cycle, htmt__by_size);
    const double second = of[count > 8 ? 1 : 0]; /* as in apps/kernels/comparison.c */
    const double ns = 1e9 / p->own_hertz * second;
    const unsigned had = known(p->free), has = known(quiet);
    const bool better = p->clock <= 0 || has > had || (has == had && ns < p->clock);
    if (had && has && ns < NEARLY * p->clock && ns > p->clock / NEARLY)
        p->agree++;
    else if (better)
        p->agree = 1;
    if (!better)
        return;
    p->free = quiet;
    p->clock = ns;
    p->spread = of[count / 2] / second - 1;
    p->hertz = 1 / cycle[SAMPLES / 2];
}

static int open_calls(const struct files *f, const char *path, void **object, fill_fn **fill,
                      calls_fn **calls)
{
    *fill = NULL;
    *calls = NULL;
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*object) {
        *(void **)fill = dlsym(*object, "htmt_predict_fill");
        *(void **)calls = dlsym(*object, "htmt_predict_calls");
    }
    if (!*fill || !*calls) {
        const char *why = dlerror();
        return htmt_fault_set(f->fault, HTMT_ESYSTEM, "%s: %s", path, why ? why : "no symbol");
    }
    return 0;
}

static int copy_file(const struct files *f, const char *to)
{
    return run_compiler(f, "cp", (const char *const[]){"cp", f->plain, to, NULL});
}

/* Samples of all cores at once. Those count in which all were free, if there are any. */
static int sample_together(const struct files *f, struct htmt__host_crowd *crowd,
                           void *const *timed, struct htmt__predicted *p)
{
    double cycles[TOGETHER], still[TOGETHER], least = 0;
    struct htmt_host_watch watch;
    struct htmt__host_together found = {.cycle = 0};
    uint64_t n = 1;
    unsigned quiet = 0;
    for (least = 0; least < SAMPLE; n *= least < SAMPLE ? 2 : 1) {
        htmt_host_watch_start(&watch);
        run_calls(timed[0], n);
        least = htmt_host_watch_seconds(&watch);
    }
    for (unsigned i = 0; i < TOGETHER; i++) {
        if (htmt__host_run_together(crowd, f->options->cores, run_calls, timed, n, INTERVAL,
                                    &found))
            return htmt_fault_set(f->fault, HTMT_ESYSTEM,
                                  "--cores: no permission to run on %u processors",
                                  f->options->cores);
        cycles[i] = found.cycles;
        if (found.still)
            still[quiet++] = found.cycles;
    }
    double *of = quiet > 2 ? still : cycles;
    const unsigned count = quiet > 2 ? quiet : TOGETHER;
    qsort(of, count, sizeof *of, htmt__by_size);
    p->free = quiet;
    p->clock = 1e9 / p->own_hertz * of[1];
    p->spread = of[count / 2] / of[1] - 1;
    p->hertz = 1 / found.cycle;
    return 0;
}

/* Each core has a copy of the code, and so of its arrays. */
static int ask_cores(const struct files *f, struct htmt__predicted *p)
{
    const unsigned cores = f->options->cores;
    struct htmt__host_crowd *crowd = calloc(1, sizeof *crowd);
    void **object = calloc(cores, sizeof *object), **user = calloc(cores, sizeof *user);
    struct timed *timed = calloc(cores, sizeof *timed);
    fill_fn *fill;
    int rc = crowd && object && user && timed
                 ? 0
                 : htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    if (!rc)
        htmt__host_crowd_find(crowd);
    if (!rc && crowd->cpus < cores)
        rc = htmt_fault_set(f->fault, HTMT_EUSAGE,
                            "--cores: found %u, expected at most the %u processors of this process",
                            cores, crowd->cpus);
    for (unsigned i = 0; i < cores && !rc; i++) {
        crowd->core[i].nothing = f->nothing;
        char copy[PATH + 16];
        name_copy(f, i, copy);
        rc = i ? copy_file(f, copy) : 0;
        rc = rc ? rc : open_calls(f, i ? copy : f->plain, &object[i], &fill, &timed[i].calls);
        if (!rc)
            fill(0);
        user[i] = &timed[i];
    }
    rc = rc ? rc : sample_together(f, crowd, user, p);
    for (unsigned i = 0; object && i < cores; i++)
        if (object[i])
            dlclose(object[i]);
    free(crowd);
    free(object);
    free(user);
    free(timed);
    return rc;
}

/* `predicted`: of each call. */
static int ask_clock(const struct files *f, struct htmt__predicted *predicted)
{
    static const char *const plain[] = {HTMT__TAPE_FLAGS_O2, NULL};
    static const char *const vectors[] = {HTMT__TAPE_FLAGS_O3, NULL};
    const char *cc = f->options->cc ? f->options->cc : HTMT_CLANG;
    const char *last[WORDS] = {
        "-DHTMT_CLOCK", "-shared", "-fPIC", "-fvisibility=hidden", f->driver, "-o",
        f->plain,       "-lm",     NULL};
    size_t n = 8;
    for (const char *const *w = asks_for_vectors(f) ? vectors : plain; *w && !f->options->cc; w++)
        last[n++] = *w;
    const char *const aligned = f->options->cc ? NULL : "-falign-loops=64";
    int rc = compile(f, cc, (const char *const[]){cc, "-w", aligned, NULL}, last);
    if (rc)
        return rc;
    if (f->options->cores > 1)
        return ask_cores(f, predicted);
    void *object = NULL;
    calls_fn *calls = NULL;
    fill_fn *fill = NULL;
    struct htmt_host_core core = {.nothing = f->nothing};
    rc = open_calls(f, f->plain, &object, &fill, &calls);
    /* What disturbs one round is over by another: a call is timed until three show the same. */
    const struct timespec pause = {.tv_nsec = PAUSE};
    const double began = htmt_host_seconds();
    const double longest = LONGEST + LONGER * (f->calls - 1);
    for (bool open = !rc; open && htmt_host_seconds() - began < longest;) {
        open = false;
        for (unsigned i = 0; i < f->calls; i++) {
            if (predicted[i].free >= HTMT__AGAINST_FREE && predicted[i].agree >= AGREE)
                continue;
            fill(i);
            sample(&(struct timed){calls, i}, &core, &predicted[i]);
            open = true;
        }
        if (open)
            nanosleep(&pause, NULL);
    }
    /* A thread beside this one may leave free looks between its turns. */
    for (unsigned i = 0; i < f->calls; i++)
        if (predicted[i].agree < 2 && predicted[i].free >= HTMT__AGAINST_FREE)
            predicted[i].free = HTMT__AGAINST_FREE - 1;
    if (object)
        dlclose(object);
    return rc;
}

/* Whatever is said of the files in the folder holds for the source. */
static void name_source(const struct files *f)
{
    const char *const own[] = {f->driver, f->plugin, f->plain};
    char text[sizeof f->fault->text];
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char *at = *own[i] ? strstr(f->fault->text, own[i]) : NULL;
        if (!at)
            continue;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - f->fault->text), f->fault->text,
                 f->options->source, at + strlen(own[i]));
        memcpy(f->fault->text, text, sizeof text);
    }
}

/* ---- a process of its own -------------------------------------------------------------------- */

/* Memory of both processes. */
struct found {
    int rc; /* UNKNOWN: the process ended before */
    struct htmt_fault fault;
    struct htmt__predicted predicted[];
};
#define UNKNOWN (-1)

/* Plays the calls of the plug-in, and times them. */
static int run_functions(const struct files *f, struct htmt__command *program,
                         const struct htmt_machine *machine, bool intervals,
                         struct htmt__predicted *predicted)
{
    const struct htmt_app *app = NULL;
    int rc = htmt__application_find(&program->apps, f->plugin, &app, f->fault);
    for (unsigned i = 0; i < f->calls && !rc; i++)
        rc = predict(f, app, machine, intervals, i, &predicted[i]);
    return rc || !f->options->clock ? rc : ask_clock(f, predicted);
}

static int tell_end(const struct files *f, int status)
{
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (!by)
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: the call ends the process",
                              f->options->source);
    if (!sigabbrev_np(by)) /* of real time */
        return htmt_fault_set(f->fault, HTMT_EUSAGE, "%s: signal %d ends the call",
                              f->options->source, by);
    return htmt_fault_set(
        f->fault, HTMT_EUSAGE, "%s: the call raises SIG%s%s", f->options->source, sigabbrev_np(by),
        by == SIGSEGV || by == SIGBUS ? ": it touches memory beyond its arrays" : "");
}

/* A function may print, end the process, or touch what is not its own. So it runs in a process that
 * has no output, and whose end is one line. */
static int run_apart(struct files *f, struct htmt__command *program,
                     const struct htmt_machine *machine, bool intervals,
                     struct htmt__predicted *predicted)
{
    const size_t of_calls = f->calls * sizeof *predicted, bytes = sizeof(struct found) + of_calls;
    struct found *found =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    if (found == MAP_FAILED)
        return htmt_fault_set(f->fault, HTMT_ENOMEM, "out of memory");
    found->rc = UNKNOWN;
    memcpy(found->predicted, predicted, of_calls);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        f->fault = &found->fault;
        found->rc = run_functions(f, program, machine, intervals, found->predicted);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    int rc = found->rc;
    if (child < 0)
        rc =
            htmt_fault_set(f->fault, HTMT_ESYSTEM, "no process to call it in: %s", strerror(errno));
    else if (status || rc == UNKNOWN)
        rc = tell_end(f, status);
    else if (rc)
        *f->fault = found->fault;
    memcpy(predicted, found->predicted, of_calls);
    munmap(found, bytes);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int check_machine(const struct htmt__predict_options *o, const struct htmt_machine *m,
                         char layer[HTMT_NAME_MAX], double *hertz, struct htmt__several *several,
                         struct htmt_fault *fault)
{
    uint32_t l = 0;
    while (l < m->layer_count && !htmt__machine_node(m, l))
        l++;
    if (l == m->layer_count)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--machine: no processor of %s has an inside, expected a file of "
                              "'htmt host measure'",
                              o->machine);
    int rc = o->clock ? htmt__walls_of_host(m, o->machine, "--against-clock", hertz, fault) : 0;
    if (rc)
        return rc;
    const struct htmt_ratio fs = m->layer[l].processor.time[HTMT_CYCLE];
    *hertz = fs.num ? 1e15 * (double)fs.den / (double)fs.num : 0;
    snprintf(layer, HTMT_NAME_MAX, "%s", m->layer[l].name);
    return htmt__several_cores(htmt__machine_node(m, l), layer, *hertz > 0 ? 1e15 / *hertz : 1,
                               o->cores, several, fault);
}

int htmt__predict_calls(struct htmt__command *program, const struct htmt__predict_options *options,
                        const char *const *calls, unsigned n, bool intervals,
                        struct htmt__predicted *predicted, struct htmt_fault *fault)
{
    struct files *f = calloc(1, sizeof *f);
    struct htmt__call *call = calloc(n, sizeof *call);
    struct htmt_machine *machine = NULL;
    char layer[HTMT_NAME_MAX];
    int rc = f && call ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    memset(predicted, 0, n * sizeof *predicted);
    for (unsigned i = 0; i < n && !rc; i++)
        rc = htmt__call_read(calls[i], &call[i], fault);
    if (rc)
        goto done;
    *f = (struct files){.options = options, .calls = n, .fault = fault, .layer = layer};
    rc = htmt_machine_load(options->machine, NULL, 0, &machine, fault);
    rc =
        rc ? rc : check_machine(options, machine, layer, &predicted->own_hertz, &f->several, fault);
    predicted->threads = f->several.threads;
    f->nothing = rc ? 0 : htmt__machine_nothing(machine);
    if (!rc)
        htmt__disturbed_find(machine, true, &predicted->disturbed);
    for (unsigned i = 1; i < n; i++)
        predicted[i] = predicted[0];
    rc = rc ? rc : find_tools(f);
    rc = rc ? rc : split_flags(f);
    rc = rc ? rc : open_files(f);
    rc = rc ? rc : write_driver(f, call);
    rc = rc ? rc : build_plugin(f);
    rc = rc ? rc : run_apart(f, program, machine, intervals, predicted);
    if (rc)
        name_source(f);
    close_files(f);
done:
    htmt_machine_destroy(&machine);
    free(call);
    free(f);
    return rc;
}

int htmt__predict(struct htmt__command *program, const struct htmt__predict_options *options,
                  struct htmt__predicted *predicted, struct htmt_fault *fault)
{
    return htmt__predict_calls(program, options, &options->call, 1, true, predicted, fault);
}
