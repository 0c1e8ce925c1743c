/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that need the machine, the application or the mode to be understood. They are resolved in
 * one order, and the first that is wrong is told: what runs (--fold, --costs, --slices), on what
 * (--threads), then seeds, timing and clock, at last the memory for running ahead.
 */
#define _GNU_SOURCE /* CPU_COUNT */
#include "emul/lib/options/options.h"
#include "emul/lib/options/timing.h"

#include "layers/machine/nodes.h"
#include "runtime/base/suggest.h"

#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MOST = 1024, PARTITIONS_MOST = 1 << 16, WATCHDOG_MOST = 1000000 };

/* Reads the digits at *text and advances *text past them. False: there are none, or the number
 * needs more than 64 bits. */
static bool take_digits(const char **text, uint64_t *value)
{
    uint64_t n = 0;
    const char *p = *text;
    for (; isdigit((unsigned char)*p); p++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
            return false;
    if (p == *text)
        return false;
    *text = p;
    *value = n;
    return true;
}

int htmt__options_number(const char *name, const char *text, uint64_t least, uint64_t most,
                         uint64_t *value, struct htmt_fault *fault)
{
    uint64_t n = 0;
    const char *rest = text;
    bool digits = text[0] && text[strspn(text, "0123456789")] == '\0';
    if (!digits)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', expected a whole number", name,
                              text);
    if (!take_digits(&rest, &n) || n < least || n > most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--%s: found %s, expected %" PRIu64 " to %" PRIu64, name, text, least,
                              most);
    *value = n;
    return 0;
}

/* "0.5MiB" is read as 5 x 2^20 / 10, so a fraction that is no whole byte is known exactly. */
int htmt__options_bytes(const char *name, const char *text, uint64_t *value,
                        struct htmt_fault *fault)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"", 1},
                 {"B", 1},
                 {"kB", 1000},
                 {"MB", 1000000},
                 {"GB", 1000000000},
                 {"KiB", UINT64_C(1) << 10},
                 {"MiB", UINT64_C(1) << 20},
                 {"GiB", UINT64_C(1) << 30}};
    const unsigned count = sizeof units / sizeof *units;
    const char *rest = text;
    unsigned unit = 0;
    uint64_t n, part = 1;
    if (!take_digits(&rest, &n))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', expected bytes such as 64MiB",
                              name, text);
    bool over = false;
    if (*rest == '.')
        for (rest++; isdigit((unsigned char)*rest); rest++, part *= 10)
            over = over || part > UINT64_C(1000000000) ||
                   __builtin_mul_overflow(n, UINT64_C(10), &n) ||
                   __builtin_add_overflow(n, (uint64_t)(*rest - '0'), &n);
    rest += strspn(rest, " ");
    while (unit < count && strcmp(rest, units[unit].name) != 0)
        unit++;
    if (unit == count)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--%s: found '%s', expected a unit of B, kB, MB, GB, KiB, MiB or GiB",
                              name, text);
    if (!n || over || __builtin_mul_overflow(n, units[unit].bytes, &n))
        return htmt_fault_set(fault, HTMT_ERANGE, "--%s: found %s, expected 1 byte to 2^64 bytes",
                              name, text);
    if (n % part)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', expected whole bytes", name,
                              text);
    *value = n / part;
    return 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Layers are known by their names and by those of their processors, as people write them. */
static int refuse_layer(const struct htmt_machine *m, const char *name, struct htmt_fault *fault)
{
    char text[2 * HTMT_LAYERS_MAX][HTMT_NAME_MAX], hint[300];
    const char *known[2 * HTMT_LAYERS_MAX];
    unsigned count = 0;
    for (uint32_t i = 0; i < 2 * m->layer_count; i++) {
        const struct htmt_layer *layer = &m->layer[i / 2];
        const char *from = i % 2 ? layer->name : layer->processor.name;
        char *to = text[count];
        if (!*from)
            continue;
        snprintf(to, HTMT_NAME_MAX, "%s", from);
        known[count++] = to;
        for (; *to; to++)
            *to = (char)tolower((unsigned char)*to);
    }
    htmt__suggest(name, known, count, hint, sizeof hint);
    return htmt_fault_set(fault, HTMT_EUSAGE, "--threads: machine %s has no layer '%s', %s",
                          m->name, name, hint);
}

/* One entry of a list, such as "spell=2". */
static int layer_threads(const char *part, size_t length, struct htmt_request *r,
                         struct htmt_fault *fault)
{
    char text[2 * HTMT_NAME_MAX];
    uint64_t n;
    if (length >= sizeof text)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--threads: found '%s', expected LAYER=N", part);
    memcpy(text, part, length);
    text[length] = '\0';
    char *equals = strchr(text, '=');
    if (!equals)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--threads: found '%s', expected LAYER=N", text);
    *equals = '\0';
    int layer = htmt_machine_layer(r->machine, text);
    if (layer < 0)
        return refuse_layer(r->machine, text, fault);
    if (r->emulator.layer_threads[layer])
        return htmt_fault_set(fault, HTMT_EUSAGE, "--threads: layer '%s' twice", text);
    int rc = htmt__options_number("threads", equals + 1, 1, THREADS_MOST, &n, fault);
    if (!rc)
        r->emulator.layer_threads[layer] = (uint32_t)n;
    return rc;
}

/* "4", "online" for all processors that this process may use, or a list of layers. The workers of
 * layers come beside the thread of the clock. */
static int resolve_threads(const char *text, struct htmt_request *r, struct htmt_fault *fault)
{
    cpu_set_t cpus;
    uint64_t n = 1, workers = 0;
    int rc = 0;
    if (!strchr(text, '=')) {
        if (strcmp(text, "online") != 0)
            rc = htmt__options_number("threads", text, 1, THREADS_MOST, &n, fault);
        else if (!sched_getaffinity(0, sizeof cpus, &cpus) && CPU_COUNT(&cpus) > 0)
            n = (uint64_t)CPU_COUNT(&cpus);
        if (!rc)
            r->emulator.threads = (uint32_t)n;
        return rc;
    }
    for (bool more = true; more;) {
        size_t length = strcspn(text, ",");
        rc = layer_threads(text, length, r, fault);
        if (rc)
            return rc;
        more = text[length] != '\0';
        text += length + more;
    }
    for (unsigned i = 0; i < HTMT_LAYERS_MAX; i++)
        workers += r->emulator.layer_threads[i];
    if (workers > THREADS_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--threads: found %" PRIu64 " workers in all, expected 1 to %d",
                              workers, THREADS_MOST);
    r->emulator.threads = (uint32_t)workers + 1;
    return 0;
}

/* ---- what runs ------------------------------------------------------------------------------- */

/* --fold, --costs and --slices. */
static int resolve_problem(const struct htmt__options *options, struct htmt_request *request,
                           struct htmt_fault *fault)
{
    const char *const *value = options->common;
    const struct htmt_app *app = options->app;
    uint64_t slices = request->machine->slices;
    int rc = 0;
    if (value[HTMT__FOLD])
        request->emulator.symmetry = HTMT_FOLDED;
    if (value[HTMT__FOLD] && request->emulator.mode != HTMT_MODEL)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--fold: only a model run can be folded");
    if (value[HTMT__FOLD] && !app->folds)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--fold: the slices of %s are not alike",
                              app->name);
    request->costs = value[HTMT__COSTS];
    if (request->costs && !app->reads_costs)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--costs: %s reads no cost file", app->name);
    if (value[HTMT__SLICES])
        rc = htmt__options_number("slices", value[HTMT__SLICES], 1, slices, &slices, fault);
    if (!rc)
        request->emulator.slices = (uint32_t)slices;
    return rc;
}

static int resolve_watchdog(const char *text, struct htmt_options *e, struct htmt_fault *fault)
{
    uint64_t seconds;
    int rc = htmt__options_number("watchdog", text, 0, WATCHDOG_MOST, &seconds, fault);
    if (!rc)
        e->watchdog = (uint32_t)seconds;
    return rc;
}

static int resolve_clock(const char *const *value, struct htmt_options *e, struct htmt_fault *fault)
{
    static const char *const kinds[] = {[HTMT_CLOCK_AUTO] = "auto",
                                        [HTMT_CLOCK_SEQUENTIAL] = "sequential",
                                        [HTMT_CLOCK_WINDOWS] = "windows",
                                        [HTMT_CLOCK_SHARED] = "shared"};
    const unsigned count = sizeof kinds / sizeof *kinds;
    const char *kind = value[HTMT__CLOCK];
    uint64_t threads = 1, partitions = 0;
    unsigned i = 0;
    while (i < count && strcmp(kind, kinds[i]) != 0)
        i++;
    if (i == count)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--clock: found '%s', expected auto, sequential, windows or shared",
                              kind);
    e->clock = (enum htmt_clock)i;
    int rc = htmt__options_number("clock-threads", value[HTMT__CLOCK_THREADS], 1, THREADS_MOST,
                                  &threads, fault);
    if (!rc)
        rc = htmt__options_number("clock-partitions", value[HTMT__CLOCK_PARTITIONS], 0,
                                  PARTITIONS_MOST, &partitions, fault);
    e->clock_threads = (uint32_t)threads;
    e->clock_partitions = (uint32_t)partitions;
    return rc;
}

static int resolve_quiet(const char *kind, struct htmt_options *e, struct htmt_fault *fault)
{
    const bool acks = strcmp(kind, "acks") == 0;
    if (!acks && strcmp(kind, "free") != 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--quiet-by: found '%s', expected free or acks",
                              kind);
    e->quiet_by = acks ? HTMT_QUIET_ACKS : HTMT_QUIET_FREE;
    return 0;
}

static int resolve_timing(const char *kind, struct htmt_options *e, struct htmt_fault *fault)
{
    static const struct htmt_operations no_tape = {.type = NULL};
    bool inside = false;
    if (strcmp(kind, "counts") == 0 || htmt__timing_is_profile(kind))
        return 0;
    if (strcmp(kind, "operations") != 0)
        return htmt_fault_set(
            fault, HTMT_EUSAGE,
            "--timing: found '%s', expected counts, operations or profile=FILE,..", kind);
    if (e->operations)
        return 0; /* `htmt ops record` has asked already */
    if (e->mode != HTMT_RUN)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--timing operations: only run has kernels to record");
    for (uint32_t l = 0; l < e->machine->layer_count; l++)
        inside |= htmt__machine_node(e->machine, l) != NULL;
    if (!inside)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--timing operations: no processor of machine %s has an inside "
                              "(layers.LAYER.inside, docs/nodes.md)",
                              e->machine->name);
    e->operations = &no_tape;
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

const char *htmt__options_word(const char *option, int argc, char *const *argv)
{
    const size_t length = strlen(option);
    const char *text = NULL;
    for (int i = 0; i < argc && !text; i++) {
        const char *rest = strncmp(argv[i], option, length) == 0 ? argv[i] + length : NULL;
        if (rest && *rest == '=')
            text = rest + 1;
        else if (rest && !*rest && i + 1 < argc)
            text = argv[i + 1];
    }
    return text;
}

uint32_t htmt__options_watchdog(int argc, char *const *argv)
{
    struct htmt_options e = {.watchdog = 0};
    const char *text = htmt__options_word("--watchdog", argc, argv);
    return text && !resolve_watchdog(text, &e, NULL) ? e.watchdog : 0;
}

int htmt__options_resolve(const struct htmt__options *options, struct htmt_request *request,
                          struct htmt_fault *fault)
{
    const char *const *value = options->common;
    struct htmt_options *e = &request->emulator;
    request->rows = options->app->options;
    request->values = options->own;
    e->machine = request->machine;
    e->checked = value[HTMT__CHECKED] != NULL;
    e->diagnose = true;
    e->lint = value[HTMT__LINT] != NULL;
    e->explain = value[HTMT__EXPLAIN] != NULL;
    request->strict = value[HTMT__STRICT] != NULL;
    request->sections = value[HTMT__SECTIONS] != NULL;
    e->time_kernels = value[HTMT__TIME_KERNELS] != NULL;
    int rc = resolve_problem(options, request, fault);
    if (!rc)
        rc = resolve_threads(value[HTMT__THREADS], request, fault);
    if (!rc)
        rc = htmt__options_number("seed", value[HTMT__SEED], 0, INT64_MAX, &request->seed, fault);
    if (!rc)
        rc = htmt__options_number("delay-seed", value[HTMT__DELAY_SEED], 0, INT64_MAX,
                                  &e->delay_seed, fault);
    if (!rc)
        rc = resolve_watchdog(value[HTMT__WATCHDOG], e, fault);
    if (!rc)
        rc = resolve_timing(value[HTMT__TIMING], e, fault);
    if (!rc)
        rc = resolve_quiet(value[HTMT__QUIET_BY], e, fault);
    if (!rc)
        rc = resolve_clock(value, e, fault);
    if (!rc)
        rc = htmt__options_bytes("run-ahead", value[HTMT__RUN_AHEAD], &e->run_ahead_bytes, fault);
    if (!rc && !value[HTMT__SLICES] && options->app->slices)
        e->slices = options->app->slices(request);
    return rc;
}
