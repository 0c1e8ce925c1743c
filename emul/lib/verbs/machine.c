/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt machine`: prints, checks, compares and draws machine files:
 *     list                                        the machines in the search folders
 *     show NAME|FILE [--resolved] [--set K=V]...  every figure with its source, or resolved
 *     check FILE...                               check that the files load
 *     diff A B                                    the different figures of two machines
 *     picture NAME|FILE -o FILE [--set K=V]... [--run FILE]
 *                                                 .svg, .png or .pdf, coloured by a run's results
 *     routes NAME|FILE --from A --to B ...        the ways between two slices (machine_routes.c)
 * Results go to standard output, one line per failure to standard error. The exit status is 1 if
 * diff finds a difference.
 */
#include "emul/lib/picture/machine.h"
#include "emul/lib/report/report.h"
#include "emul/lib/verbs/verb.h"
#include "layers/file/search.h"
#include "layers/machine/machine.h"
#include "layers/network/routing.h"
#include "runtime/base/input.h"
#include "runtime/base/output.h"
#include "runtime/base/printable.h"
#include "runtime/base/suggest.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])
#define LISTED_MAX      256 /* machines in all folders of the search */
#define SUFFIX          ".yaml"
#define NOT_MODELLED    "not-modelled"
/* The next file would fail, too, and one line is enough. */
#define HOST_FAILED htmt_exit_status(HTMT_EIO)

static int complain(int rc, const struct htmt_fault *fault)
{
    fprintf(stderr, "htmt machine: %s\n", *fault->text ? fault->text : htmt_strerror(rc));
    return htmt_exit_status(rc);
}

static int usage(const char *what)
{
    fprintf(
        stderr,
        "htmt machine: %s; usage: htmt machine list | show NAME|FILE [--resolved] "
        "[--set KEY=VALUE]... | check FILE... | diff A B | "
        "picture NAME|FILE -o FILE [--set KEY=VALUE]... [--run FILE] | "
        "routes NAME|FILE --from A --to B [--network NET] [--set KEY=VALUE]... [--json FILE|-]\n",
        what);
    return htmt_exit_status(HTMT_EUSAGE);
}

static int flushed(int status)
{
    struct htmt_fault fault = {0};
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    htmt_fault_set(&fault, HTMT_EIO, "cannot write the result: %s", strerror(errno));
    return complain(HTMT_EIO, &fault);
}

struct listing {
    char name[LISTED_MAX][64];
    unsigned count;
    struct htmt_fault fault;
};

/* Loading a machine uses the first folder that has its name, so a name is listed once. */
static int list_folder(const char *folder, void *context)
{
    struct listing *l = context;
    DIR *directory = opendir(folder);
    if (!directory)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : htmt_input_failed(folder, "list it", errno, &l->fault);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *file = entry->d_name;
        size_t length = strlen(file), tail = strlen(SUFFIX);
        if (length <= tail || strcmp(file + length - tail, SUFFIX) != 0)
            continue;
        length -= tail;
        if (l->count == LISTED_MAX || length >= sizeof l->name[0] || file[0] == '.')
            continue;
        char *name = l->name[l->count];
        memcpy(name, file, length);
        name[length] = '\0';
        unsigned i = 0; /* of the same name: itself, unless it is there already */
        while (strcmp(l->name[i], name) != 0)
            i++;
        l->count += i == l->count;
    }
    closedir(directory);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int list(int argc, char **argv)
{
    (void)argv;
    if (argc != 0)
        return usage("list takes no arguments");
    struct listing *l = calloc(1, sizeof *l);
    if (!l)
        return complain(HTMT_ENOMEM, &(struct htmt_fault){0});
    int rc = htmt_search_folders(&htmt_search_machines, list_folder, l);
    qsort(l->name, l->count, sizeof l->name[0], by_name);
    int status = rc ? complain(rc, &l->fault) : 0;
    for (unsigned i = 0; i < l->count && status != HOST_FAILED; i++) {
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        rc = htmt_machine_load(l->name[i], NULL, 0, &m, &fault);
        if (rc)
            status = complain(rc, &fault);
        else
            printf("%-20s %s\n", l->name[i], m->about);
        htmt_machine_destroy(&m);
    }
    free(l);
    return flushed(status);
}

static bool is_modelled(const struct htmt_figure *figure)
{
    return strcmp(figure->value, NOT_MODELLED) != 0;
}

/* Every figure with the place that it comes from, then those that the file leaves open. */
static void print_machine(const struct htmt_machine *m)
{
    int key = 0, value = 0;
    bool any = false;
    for (uint32_t i = 0; i < m->figure_count; i++) {
        int k = (int)strlen(m->figure[i].key), v = (int)strlen(m->figure[i].value);
        key = k > key ? k : key;
        value = v > value ? v : value;
    }
    printf("%s%s%s\n", m->name, *m->about ? ": " : "", m->about);
    printf("hash %016" PRIx64 "\n\n", m->hash);
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        if (is_modelled(f) && *f->source)
            printf("%-*s  %-*s  %s\n", key, f->key, value, f->value, f->source);
        else if (is_modelled(f))
            printf("%-*s  %s\n", key, f->key, f->value);
    }
    for (uint32_t i = 0; i < m->figure_count; i++) {
        if (is_modelled(&m->figure[i]))
            continue;
        if (!any)
            printf("\nnot modelled (costs no time):\n");
        any = true;
        printf("%-*s  %s\n", key, m->figure[i].key, m->figure[i].source);
    }
}

/* Lanes that a file does not say, but that its routing has: `classes: auto`. */
static void print_classes(const struct htmt_machine *m)
{
    for (uint32_t i = 0; i < m->network_count; i++) {
        const struct htmt__topology *t = htmt__topology(&m->network[i]);
        if (!t || !t->inside.auto_classes)
            continue;
        const uint32_t classes = htmt__route_classes(&t->inside), each = t->inside.lanes / classes;
        printf(
            "\nnetworks.%s.inside.classes: %u of %u lane%s each, so %u lanes, %u of them added\n",
            m->network[i].name, classes, each, each == 1 ? "" : "s", t->inside.lanes,
            t->inside.lanes - each);
    }
}

static int show(int argc, char **argv)
{
    const char *machine = NULL, **set = calloc((size_t)argc + 1, sizeof *set);
    unsigned set_count = 0;
    bool resolved = false;
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    int status = 0, rc;
    if (!set)
        return complain(HTMT_ENOMEM, &fault);
    for (int i = 0; i < argc && !status; i++) {
        if (strcmp(argv[i], "--resolved") == 0)
            resolved = true;
        else if (strncmp(argv[i], "--set=", 6) == 0)
            set[set_count++] = argv[i] + 6;
        else if (strcmp(argv[i], "--set") == 0 && i + 1 == argc)
            status = usage("--set needs KEY=VALUE");
        else if (strcmp(argv[i], "--set") == 0)
            set[set_count++] = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1])
            status = usage("unknown option");
        else if (machine)
            status = usage("show takes one machine");
        else
            machine = argv[i];
    }
    if (!status && !machine)
        status = usage("show needs a machine");
    if (!status) {
        rc = htmt_machine_load(machine, set, set_count, &m, &fault);
        if (!rc && resolved)
            rc = htmt_machine_dump(m, stdout);
        else if (!rc) {
            print_machine(m);
            print_classes(m);
        }
        htmt_machine_destroy(&m);
        status = rc ? complain(rc, &fault) : flushed(0);
    }
    free(set);
    return status;
}

static int check(int argc, char **argv)
{
    int status = 0;
    if (argc == 0)
        return usage("check needs files");
    for (int i = 0; i < argc; i++)
        if (argv[i][0] == '-')
            return usage("check takes files alone, no options");
    for (int i = 0; i < argc && status != HOST_FAILED; i++) {
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        char plain[PATH_MAX];
        htmt_printable(argv[i], plain, sizeof plain);
        int rc = htmt_machine_load(argv[i], NULL, 0, &m, &fault);
        if (!rc)
            printf("%s: good, %u figures, hash %016" PRIx64 "\n", plain, m->figure_count, m->hash);
        /* All that it leaves open: the report of a run has those of what the run used. */
        struct htmt__pairs open = {0};
        for (uint32_t k = 0; !rc && k < m->figure_count; k++)
            if (!is_modelled(&m->figure[k]))
                rc = htmt__pairs_add(&open, NULL, m->figure[k].key);
        if (rc)
            status = complain(rc, &fault);
        else
            htmt__report_open_figures(&open, m->name, false, stdout);
        free(open.pair);
        htmt_machine_destroy(&m);
    }
    return flushed(status);
}

static const struct htmt_figure *figure_of(const struct htmt_machine *m, const char *key)
{
    for (uint32_t i = 0; i < m->figure_count; i++)
        if (strcmp(m->figure[i].key, key) == 0)
            return &m->figure[i];
    return NULL;
}

/* Prints the figures of a in their order, then the figures that only b has. No figure holds the
 * order of the layers, so that order is compared last. */
static int print_differences(const struct htmt_machine *a, const struct htmt_machine *b)
{
    if (a->hash == b->hash)
        return 0;
    for (uint32_t i = 0; i < a->figure_count; i++) {
        const struct htmt_figure *other = figure_of(b, a->figure[i].key);
        if (!other || other->hash != a->figure[i].hash)
            printf("%s: %s | %s\n", a->figure[i].key, a->figure[i].value,
                   other ? other->value : "-");
    }
    for (uint32_t i = 0; i < b->figure_count; i++)
        if (!figure_of(a, b->figure[i].key))
            printf("%s: - | %s\n", b->figure[i].key, b->figure[i].value);
    for (uint32_t i = 0; i < a->layer_count && i < b->layer_count; i++)
        if (strcmp(a->layer[i].name, b->layer[i].name) != 0)
            printf("layer %u from outside: %s | %s\n", i + 1, a->layer[i].name, b->layer[i].name);
    for (uint32_t i = 0; i < a->network_count && i < b->network_count; i++)
        if (strcmp(a->network[i].name, b->network[i].name) != 0)
            printf("network %u: %s | %s\n", i + 1, a->network[i].name, b->network[i].name);
    return htmt_exit_status(HTMT_EWRONG);
}

static int diff(int argc, char **argv)
{
    struct htmt_machine *a = NULL, *b = NULL;
    struct htmt_fault fault = {0};
    if (argc != 2)
        return usage("diff needs two machines");
    int rc = htmt_machine_load(argv[0], NULL, 0, &a, &fault);
    if (!rc)
        rc = htmt_machine_load(argv[1], NULL, 0, &b, &fault);
    int status = rc ? complain(rc, &fault) : flushed(print_differences(a, b));
    htmt_machine_destroy(&b);
    htmt_machine_destroy(&a);
    return status;
}

/* ---- picture --------------------------------------------------------------------------------- */

struct picture_request {
    const char *machine, *out, *run;
    const char **set;
    unsigned sets;
};

/* "-o FILE", "--run FILE" or "--run=FILE"; advances *i if the value is the next word. */
static int take_picture_option(struct picture_request *r, int argc, char **argv, int *i,
                               struct htmt_fault *fault)
{
    static const char *const known[] = {"-o", "--set", "--run"};
    const char **place[] = {&r->out, &r->set[r->sets], &r->run};
    const char *word = argv[*i];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t length = strlen(known[k]);
        if (strncmp(word, known[k], length) != 0 || (word[length] && word[length] != '='))
            continue;
        if (*place[k])
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", known[k]);
        *place[k] = word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
        r->sets += k == 1;
        return **place[k]
                   ? 0
                   : htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing, expected %s",
                                    known[k], k == 1 ? "KEY=VALUE" : "FILE");
    }
    return htmt__suggest_refuse("option", word, known, sizeof known / sizeof *known,
                                "'htmt help machine'", fault);
}

static int read_words(struct picture_request *r, int argc, char **argv, struct htmt_fault *fault)
{
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++) {
        if (argv[i][0] == '-')
            rc = take_picture_option(r, argc, argv, &i, fault);
        else if (r->machine)
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "found a second machine '%s', expected one",
                                argv[i]);
        else
            r->machine = argv[i];
    }
    if (!rc && !r->machine)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "picture needs a machine");
    if (!rc && !r->out)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "picture needs -o FILE");
    if (!rc)
        rc = htmt__sheet_check(r->out, "-o", fault);
    return rc ? rc : htmt_output_claim("-o", r->out, fault);
}

static int picture(int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct picture_request r = {.set = calloc((size_t)argc + 1, sizeof *r.set)};
    struct htmt_machine *m = NULL;
    struct htmt__machine_run *run = NULL;
    struct htmt__sheet sheet = {0};
    int rc = r.set ? read_words(&r, argc, argv, &fault) : HTMT_ENOMEM;
    if (!rc)
        rc = htmt_machine_load(r.machine, r.set, r.sets, &m, &fault);
    if (!rc && r.run)
        rc = htmt__machine_run_open(&run, r.run, m, &fault);
    if (!rc)
        rc = htmt__picture_machine(m, run, &sheet);
    if (!rc)
        rc = htmt__sheet_write(&sheet, r.out, "-o", &fault);
    htmt__sheet_clear(&sheet);
    htmt__machine_run_close(&run);
    htmt_machine_destroy(&m);
    free(r.set);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("machine", &fault) : 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int run_machine(struct htmt__command *program, int argc, char **argv)
{
    (void)program;
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } action[] = {{"list", list}, {"show", show},       {"check", check},
                  {"diff", diff}, {"picture", picture}, {"routes", htmt__machine_routes}};
    for (size_t i = 0; argc > 1 && i < COUNT_OF(action); i++)
        if (strcmp(argv[1], action[i].name) == 0)
            return action[i].run(argc - 2, argv + 2);
    if (argc < 2)
        return usage("what to do is missing");
    const char *known[COUNT_OF(action)];
    struct htmt_fault fault = {0};
    for (size_t i = 0; i < COUNT_OF(action); i++)
        known[i] = action[i].name;
    const char *near = htmt__suggest_near(argv[1], known, COUNT_OF(action));
    if (!near)
        return usage("unknown action");
    htmt_fault_set(&fault, HTMT_EUSAGE, "unknown action '%s', did you mean '%s'?", argv[1], near);
    return complain(HTMT_EUSAGE, &fault);
}

const struct htmt__verb htmt__verb_row_machine = {
    .name = "machine",
    .usage = "list | show NAME|FILE [--resolved] [--set KEY=VALUE] | check FILE... | diff A B | "
             "picture NAME|FILE -o FILE [--set KEY=VALUE] [--run FILE] | "
             "routes NAME|FILE --from A --to B [--network NET] [--set KEY=VALUE] [--json FILE|-]",
    .summary = "look at machine files",
    .run = run_machine};
