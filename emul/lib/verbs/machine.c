/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/verbs/machine.h"

#include "emul/lib/verbs/machine_picture.h"

#include "layers/file/search.h"
#include "layers/machine/machine.h"
#include "runtime/base/input.h"
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
    fprintf(stderr,
            "htmt machine: %s; usage: htmt machine list | show NAME|FILE [--resolved] "
            "[--set KEY=VALUE]... | check FILE... | diff A B | "
            "picture NAME|FILE -o FILE [--set KEY=VALUE]... [--run FILE]\n",
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

static bool is_listed(const struct listing *l, const char *name)
{
    for (unsigned i = 0; i < l->count; i++)
        if (strcmp(l->name[i], name) == 0)
            return true;
    return false;
}

/* Loading a machine uses the first folder that has its name, so a name is listed once. */
static void list_file(struct listing *l, const char *file)
{
    size_t length = strlen(file);
    if (length <= strlen(SUFFIX) || strcmp(file + length - strlen(SUFFIX), SUFFIX) != 0)
        return;
    length -= strlen(SUFFIX);
    if (l->count == LISTED_MAX || length >= sizeof l->name[0] || file[0] == '.')
        return;
    char *name = l->name[l->count];
    memcpy(name, file, length);
    name[length] = '\0';
    l->count += !is_listed(l, name);
}

static int list_folder(const char *folder, void *context)
{
    struct listing *l = context;
    DIR *directory = opendir(folder);
    if (!directory)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : htmt_input_failed(folder, "list it", errno, &l->fault);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        list_file(l, entry->d_name);
    closedir(directory);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int print_listed(const char *name)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    int rc = htmt_machine_load(name, NULL, 0, &m, &fault);
    if (rc)
        return complain(rc, &fault);
    printf("%-20s %s\n", name, m->about);
    htmt_machine_destroy(&m);
    return 0;
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
        int one = print_listed(l->name[i]);
        status = one ? one : status;
    }
    free(l);
    return flushed(status);
}

struct columns {
    int key, value;
};

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static struct columns measure(const struct htmt_machine *m)
{
    struct columns c = {0, 0};
    for (uint32_t i = 0; i < m->figure_count; i++) {
        c.key = wider(c.key, m->figure[i].key);
        c.value = wider(c.value, m->figure[i].value);
    }
    return c;
}

static bool is_modelled(const struct htmt_figure *figure)
{
    return strcmp(figure->value, NOT_MODELLED) != 0;
}

static void print_figures(const struct htmt_machine *m, struct columns c)
{
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        if (!is_modelled(f))
            continue;
        if (*f->source)
            printf("%-*s  %-*s  %s\n", c.key, f->key, c.value, f->value, f->source);
        else
            printf("%-*s  %s\n", c.key, f->key, f->value);
    }
}

static void print_not_modelled(const struct htmt_machine *m, struct columns c)
{
    bool any = false;
    for (uint32_t i = 0; i < m->figure_count; i++) {
        if (is_modelled(&m->figure[i]))
            continue;
        if (!any)
            printf("\nnot modelled (costs no time):\n");
        any = true;
        printf("%-*s  %s\n", c.key, m->figure[i].key, m->figure[i].source);
    }
}

static void print_machine(const struct htmt_machine *m)
{
    struct columns c = measure(m);
    printf("%s%s%s\n", m->name, *m->about ? ": " : "", m->about);
    printf("hash %016" PRIx64 "\n\n", m->hash);
    print_figures(m, c);
    print_not_modelled(m, c);
}

struct show_options {
    const char *machine;
    const char **set;
    unsigned set_count;
    bool resolved;
};

/* Reads one argument, and the next one if that is its value. */
static int take_option(struct show_options *o, int argc, char **argv, int *i)
{
    const char *argument = argv[*i];
    if (strcmp(argument, "--resolved") == 0) {
        o->resolved = true;
    } else if (strncmp(argument, "--set=", 6) == 0) {
        o->set[o->set_count++] = argument + 6;
    } else if (strcmp(argument, "--set") == 0) {
        if (*i + 1 == argc)
            return usage("--set needs KEY=VALUE");
        o->set[o->set_count++] = argv[++*i];
    } else if (argument[0] == '-' && argument[1]) {
        return usage("unknown option");
    } else if (o->machine) {
        return usage("show takes one machine");
    } else {
        o->machine = argument;
    }
    return 0;
}

static int show_loaded(const struct show_options *o)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    int rc = htmt_machine_load(o->machine, o->set, o->set_count, &m, &fault);
    if (rc)
        return complain(rc, &fault);
    if (o->resolved)
        rc = htmt_machine_dump(m, stdout);
    else
        print_machine(m);
    htmt_machine_destroy(&m);
    return rc ? complain(rc, &fault) : flushed(0);
}

static int show(int argc, char **argv)
{
    struct show_options o = {.set = calloc((size_t)argc + 1, sizeof *o.set)};
    if (!o.set)
        return complain(HTMT_ENOMEM, &(struct htmt_fault){0});
    int status = 0;
    for (int i = 0; i < argc && !status; i++)
        status = take_option(&o, argc, argv, &i);
    if (!status && !o.machine)
        status = usage("show needs a machine");
    if (!status)
        status = show_loaded(&o);
    free(o.set);
    return status;
}

static int check_one(const char *file)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    char plain[PATH_MAX];
    htmt_printable(file, plain, sizeof plain);
    int rc = htmt_machine_load(file, NULL, 0, &m, &fault);
    if (rc)
        return complain(rc, &fault);
    printf("%s: good, %u figures, hash %016" PRIx64 "\n", plain, m->figure_count, m->hash);
    htmt_machine_destroy(&m);
    return 0;
}

static int check(int argc, char **argv)
{
    int status = 0;
    if (argc == 0)
        return usage("check needs files");
    for (int i = 0; i < argc && status != HOST_FAILED; i++) {
        int one = check_one(argv[i]);
        status = one ? one : status;
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

static void print_difference(const char *key, const struct htmt_figure *a,
                             const struct htmt_figure *b)
{
    printf("%s: %s | %s\n", key, a ? a->value : "-", b ? b->value : "-");
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
            print_difference(a->figure[i].key, &a->figure[i], other);
    }
    for (uint32_t i = 0; i < b->figure_count; i++)
        if (!figure_of(a, b->figure[i].key))
            print_difference(b->figure[i].key, NULL, &b->figure[i]);
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

int htmt__verb_machine(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } action[] = {{"list", list},
                  {"show", show},
                  {"check", check},
                  {"diff", diff},
                  {"picture", htmt__machine_picture}};
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
