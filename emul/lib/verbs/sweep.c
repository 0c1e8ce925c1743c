/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt model micro copy --tasklets 1..24 --plot FILE`: a model run for each number of tasklets, as
 * a table and a plot.
 */
#include "apps/formats/plot.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/lib/verbs/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 4096

struct sweep {
    const struct htmt_app *app;
    char options[TEXT]; /* all but --tasklets and --plot */
    const char *plot;   /* NULL: none */
    unsigned first, last;
    double *tasklets, *kernel, *whole; /* of each run; seconds */
};

bool htmt__sweep_asked(int argc, char **argv)
{
    const char *range = htmt__options_word("--tasklets", argc, argv);
    return range && strstr(range, "..");
}

static int add_word(struct sweep *s, const char *word, struct htmt_fault *fault)
{
    size_t used = strlen(s->options);
    int n = snprintf(s->options + used, TEXT - used, "%s%s", used ? " " : "", word);
    return n >= 0 && used + (size_t)n < TEXT
               ? 0
               : htmt_fault_set(fault, HTMT_EUSAGE, "a command line of %d bytes and more", TEXT);
}

/* "1..24" */
static int read_range(struct sweep *s, const char *text, struct htmt_fault *fault)
{
    char more = 0;
    if (strspn(text, "0123456789.") == strlen(text) &&
        sscanf(text, "%4u..%4u%c", &s->first, &s->last, &more) == 2 && s->first &&
        s->first <= s->last)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--tasklets: found '%s', expected a number, or a range such as 1..24",
                          text);
}

/* The words behind the application; one without "--" in front is its program. */
static int read_words(struct sweep *s, int argc, char **argv, struct htmt_fault *fault)
{
    static const char *const single[] = {"--json", "--trace", "--explain", "--quiet"};
    int rc = 0, i = 2;
    if (argc > 2 && argv[2][0] != '-') {
        rc = add_word(s, "--program", fault);
        rc = rc ? rc : add_word(s, argv[i++], fault);
    }
    for (; i < argc && !rc; i++) {
        bool tasklets = strcmp(argv[i], "--tasklets") == 0, plot = strcmp(argv[i], "--plot") == 0;
        if ((tasklets || plot) && i + 1 == argc)
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing", argv[i]);
        else if (tasklets)
            rc = read_range(s, argv[++i], fault);
        else if (plot)
            s->plot = argv[++i];
        for (unsigned k = 0; k < sizeof single / sizeof *single && !rc && !tasklets && !plot; k++)
            if (strcmp(argv[i], single[k]) == 0) /* of one run, which has a report and files */
                rc = htmt_fault_set(fault, HTMT_EUSAGE,
                                    "%s: a range of --tasklets has a table, and --plot", argv[i]);
        if (!rc && !tasklets && !plot)
            rc = add_word(s, argv[i], fault);
    }
    return rc;
}

static int model(struct sweep *s, unsigned tasklets, struct htmt_fault *fault)
{
    char options[TEXT + 40];
    const unsigned at = tasklets - s->first;
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    snprintf(options, sizeof options, "%s --tasklets %u", s->options, tasklets);
    int rc = htmt__quiet_run_prepare(s->app, options, NULL, NULL, 0, run, fault);
    rc = rc ? rc : htmt__quiet_run_emulate(run, fault);
    for (unsigned i = run->outcome.found_count; i-- > 0 && !rc;)
        if (strcmp(run->outcome.found[i].name, "kernel") == 0)
            s->kernel[at] = run->outcome.found[i].value; /* at last the first one */
    if (!rc) {
        s->tasklets[at] = tasklets;
        s->whole[at] = (double)htmt_predicted(run->outcome.emulator) / (double)HTMT_SECOND;
    }
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}

static int model_all(struct sweep *s, struct htmt_fault *fault)
{
    const size_t count = s->last - s->first + 1;
    int rc = 0;
    s->tasklets = calloc(3 * count, sizeof *s->tasklets);
    if (!s->tasklets)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    s->kernel = s->tasklets + count;
    s->whole = s->kernel + count;
    for (unsigned t = s->first; t <= s->last && !rc; t++)
        rc = model(s, t, fault);
    return rc;
}

static int draw(const struct sweep *s, const struct htmt__plot_part *drawing,
                struct htmt_fault *fault)
{
    const struct htmt__plot_curve curve = {"kernel", HTMT__PLOT_LINE, s->last - s->first + 1,
                                           s->tasklets, s->kernel};
    const struct htmt__plot plot = {.title = s->options,
                                    .x_label = "tasklets",
                                    .y_label = "kernel, s",
                                    .log_y = true,
                                    .width = 800,
                                    .height = 640,
                                    .curves = &curve,
                                    .count = 1};
    return drawing->write(s->plot, &plot, fault);
}

int htmt__sweep(struct htmt__command *program, int argc, char **argv)
{
    struct sweep s = {.first = 1};
    struct htmt_fault fault = {0};
    void *part = NULL;
    int rc = htmt__application_find(&program->apps, argv[1], &s.app, &fault);
    rc = rc ? rc : read_words(&s, argc, argv, &fault);
    if (!rc && s.plot)
        rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, &fault);
    const struct htmt__plot_part *drawing = part;
    rc = rc || !s.plot ? rc : drawing->check(s.plot, &fault);
    rc = rc ? rc : model_all(&s, &fault);
    if (!rc)
        printf("%s %s (virtual clock)\n  tasklets      kernel        whole\n", s.app->name,
               s.options);
    for (unsigned i = 0; i <= s.last - s.first && !rc; i++)
        printf("  %8.0f  %9.2f us  %9.2f us\n", s.tasklets[i], 1e6 * s.kernel[i], 1e6 * s.whole[i]);
    rc = rc || !s.plot ? rc : draw(&s, drawing, &fault);
    free(s.tasklets);
    char where[80];
    snprintf(where, sizeof where, "%s%s%s", argv[0], s.app ? " " : "", s.app ? s.app->name : "");
    return rc ? htmt__complain(where, &fault) : 0;
}
