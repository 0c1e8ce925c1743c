/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt compare`: one application on several machines, by closed forms, each machine with its model
 * of execution. A machine is a case of a study with one point. "NAME:MODEL" says which model it is;
 * without it the machine's layers do: several slices of one layer pass messages (mpp), one slice of
 * one or two layers is a serial processor, all else are parcels (htmt). The table names the model
 * of each, so none is guessed in silence.
 *
 * Parts of a time add up to it. Where they overlap, what hides is counted with what hides it.
 */
#include "apps/formats/plot.h"
#include "apps/lib/execution.h"
#include "emul/command/command.h"
#include "emul/lib/options/options.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/format.h"
#include "emul/study/file.h"
#include "runtime/base/csv_cell.h"
#include "runtime/base/output.h"
#include "runtime/base/suggest.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES_MOST 32
#define LETTER        8 /* pixels of one in the names of bars */

static const struct htmt_app_option rows[] = {
    {"machines", "NAME[:MODEL],..", NULL,
     "the machines, names or files; MODEL: htmt, mpp or serial, else as their layers say"},
    {"csv", "FILE", NULL, "write the table as comma-separated values"},
    {"json", "FILE|-", NULL, "the same as JSON"},
    {"plot", "FILE", NULL, "draw times, and their parts as stacked bars: .svg, .png or .pdf"},
    {NULL, NULL, NULL, NULL}};

static const char *const models[] = {"htmt", "mpp", "serial"};
static const char *const part_names[HTMT_PARTS] = {"compute", "memory", "network"};

/* A machine with its result. */
struct compared {
    char *name;        /* within `list` */
    const char *model; /* of `models` */
    uint32_t slices;
    struct htmt__quiet_run run;
};

struct compare {
    const char *machines, *csv, *json, *plot;
    struct htmt__sweep sweep; /* a case for each machine */
    char *list;
    unsigned count;
    struct compared machine[MACHINES_MOST];
};

/* ---- command line ---------------------------------------------------------------------------- */

/* Takes the words of this verb out of argv; what is left is the application's. */
static int take_words(struct compare *c, int *argc, char **argv, struct htmt_fault *fault)
{
    const struct {
        const char *option, **value;
    } own[] = {{"--machines", &c->machines},
               {"--csv", &c->csv},
               {"--json", &c->json},
               {"--plot", &c->plot}};
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        const char *value = NULL;
        for (unsigned k = 0; k < sizeof own / sizeof *own && !value; k++)
            if ((value = htmt__command_value(own[k].option, *argc, argv, &i))) {
                if (*own[k].value)
                    return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", own[k].option);
                if (!*value || strncmp(value, "--", 2) == 0)
                    return htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing",
                                          own[k].option);
                *own[k].value = value;
            }
        if (!value)
            argv[kept++] = argv[i];
    }
    *argc = kept;
    if (!c->machines)
        return htmt_fault_set(fault, HTMT_EUSAGE, "expected --machines NAME[:MODEL],..");
    if (htmt__options_word("--machine", kept, argv))
        return htmt_fault_set(fault, HTMT_EUSAGE, "found --machine, expected --machines alone");
    if (htmt__options_word("--execution", kept, argv))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "found --execution, expected the model behind a machine's name: "
                              "NAME:serial");
    if (htmt__options_word("--captured", kept, argv))
        return htmt_fault_set(fault, HTMT_EUSAGE, "found --captured, which only model plays");
    return 0;
}

/* "mpp-2000:serial": cuts the model off the name. */
static int take_model(struct compared *m, struct htmt_fault *fault)
{
    char *colon = strrchr(m->name, ':');
    if (!colon)
        return 0;
    for (unsigned k = 0; k < sizeof models / sizeof *models; k++)
        if (strcmp(colon + 1, models[k]) == 0)
            m->model = models[k];
    if (!m->model)
        return htmt__suggest_refuse("model of execution", colon + 1, models,
                                    sizeof models / sizeof *models, "'htmt help compare'", fault);
    *colon = '\0';
    return 0;
}

/* An application without the option has only the form that it is. */
static int check_execution(struct htmt__applications *apps, const char *app,
                           const struct compared *m, struct htmt_fault *fault)
{
    const struct htmt_app *found;
    int rc = htmt__application_find(apps, app, &found, fault);
    for (const struct htmt_app_option *o = rc ? NULL : found->options; o && o->name; o++)
        if (strcmp(o->name, HTMT_EXECUTION_NAME) == 0)
            return 0;
    return rc || m->model == models[0]
               ? rc
               : htmt_fault_set(fault, HTMT_EUSAGE,
                                "%s, %s: %s has no other model than htmt, expected %s:htmt",
                                m->name, m->model, app, m->name);
}

/* A case for each machine: the words, --machine and --execution. One processor has one slice, so
 * --slices is for the others. */
static int add_case(struct compare *c, struct htmt__applications *apps, const char *app, int argc,
                    char *const *argv, struct compared *m, struct htmt_fault *fault)
{
    struct htmt_machine *machine = NULL;
    int rc = take_model(m, fault);
    if (!rc && !m->model)
        rc = htmt_machine_load(m->name, NULL, 0, &machine, fault);
    if (rc)
        return rc;
    if (machine)
        m->model = machine->layer_count == 1 && machine->slices > 1    ? models[1]
                   : machine->layer_count <= 2 && machine->slices == 1 ? models[2]
                                                                       : models[0];
    htmt_machine_destroy(&machine);
    rc = check_execution(apps, app, m, fault);
    if (rc)
        return rc;
    const size_t room = strlen(m->name) + 64;
    char **words = calloc((size_t)argc + 3, sizeof *words), *text = malloc(room);
    if (!words || !text) {
        free(words);
        free(text);
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the machines");
    }
    snprintf(text, room, "--machine=%s", m->name);
    int kept = 0;
    for (int i = 0; i < argc; i++)
        if (m->model != models[2] || strncmp(argv[i], "--slices", 8) != 0 ||
            (argv[i][8] && argv[i][8] != '='))
            words[kept++] = argv[i];
        else if (!strchr(argv[i], '='))
            i++; /* its value */
    words[kept++] = text;
    if (m->model != models[0]) {
        char *execution = text + strlen(text) + 1;
        snprintf(execution, 40, "--execution=%s", m->model);
        words[kept++] = execution;
    }
    return htmt__sweep_case(&c->sweep, apps, m->name, "predict", app, text, words, kept, fault);
}

static int add_machines(struct compare *c, struct htmt__applications *apps, const char *app,
                        int argc, char *const *argv, struct htmt_fault *fault)
{
    char *rest;
    int rc = 0;
    if (!(c->list = strdup(c->machines)))
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the machines");
    for (char *name = strtok_r(c->list, ",", &rest); name && !rc;
         name = strtok_r(NULL, ",", &rest)) {
        if (c->count == MACHINES_MOST)
            return htmt_fault_set(fault, HTMT_EUSAGE, "--machines: more than %d of them",
                                  MACHINES_MOST);
        struct compared *m = &c->machine[c->count++];
        m->name = name;
        rc = add_case(c, apps, app, argc, argv, m, fault);
    }
    if (!rc && !c->count)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--machines: found none");
    return rc;
}

/* ---- times ----------------------------------------------------------------------------------- */

static int predict(struct compare *c, unsigned i, struct htmt_fault *fault)
{
    struct compared *m = &c->machine[i];
    struct htmt__quiet_run *run = &m->run;
    struct htmt_fault why = {0};
    struct htmt__point point;
    int rc = htmt__point_make(&c->sweep.study, i, &point, &why);
    if (!rc) {
        run->options = point.options;
        run->request.machine = point.machine;
        run->request.emulator.mode = HTMT_MODEL;
        run->request.values_only = true;
        rc = htmt__options_resolve(&run->options, &run->request, &why);
    }
    if (!rc)
        rc = htmt__quiet_run_predict(run, &why);
    if (!rc && run->request.strict)
        rc = htmt__warnings_refuse(&run->prediction->warnings, &why);
    if (!rc)
        m->slices =
            run->request.emulator.slices ? run->request.emulator.slices : point.machine->slices;
    htmt__point_fini(&point);
    return rc ? htmt_fault_set(fault, rc, "%s, %s: %s", m->name, m->model,
                               *why.text ? why.text : htmt_strerror(rc))
              : 0;
}

static double time_of(const struct compare *c, unsigned i)
{
    return c->machine[i].run.prediction->total_s;
}

static double speed_up(const struct compare *c, unsigned i)
{
    return time_of(c, 0) / time_of(c, i);
}

static double share(const struct compare *c, unsigned i, unsigned part)
{
    return c->machine[i].run.prediction->part[part].s / time_of(c, i);
}

/* Not all closed forms tell parts. */
static bool has_parts(const struct compare *c, unsigned i)
{
    bool has = false;
    for (unsigned k = 0; k < HTMT_PARTS; k++)
        has |= c->machine[i].run.prediction->part[k].s > 0;
    return has;
}

static unsigned largest_part(const struct compare *c, unsigned i)
{
    unsigned most = 0;
    for (unsigned k = 1; k < HTMT_PARTS; k++)
        if (share(c, i, k) > share(c, i, most))
            most = k;
    return most;
}

/* ---- results --------------------------------------------------------------------------------- */

static int print(const struct compare *c, const char *app, FILE *out)
{
    int wide = 7;
    for (unsigned i = 0; i < c->count; i++)
        wide = (int)strlen(c->machine[i].name) > wide ? (int)strlen(c->machine[i].name) : wide;
    fprintf(out,
            "htmt compare: %s, by closed forms\n  %-*s  %-7s %7s  %10s  %11s  %8s %8s %8s  %s\n",
            app, wide, "machine", "model", "slices", "T", "speed-up", "compute", "memory",
            "network", "bound by");
    for (unsigned i = 0; i < c->count; i++) {
        const struct compared *m = &c->machine[i];
        const unsigned most = largest_part(c, i);
        fprintf(out, "  %-*s  %-7s %7" PRIu32 "  %10s  %11.4g", wide, m->name, m->model, m->slices,
                htmt__format_si(time_of(c, i), "s").s, speed_up(c, i));
        if (!has_parts(c, i)) {
            fprintf(out, " %8s %8s %8s  -\n", "-", "-", "-");
            continue;
        }
        for (unsigned k = 0; k < HTMT_PARTS; k++)
            fprintf(out, " %7.1f%%", 100 * share(c, i, k));
        fprintf(out, "  %s: %s\n", part_names[most], m->run.prediction->part[most].name);
    }
    for (unsigned i = 0; i < c->count; i++) {
        const struct htmt_warnings *w = &c->machine[i].run.prediction->warnings;
        for (unsigned k = 0; k < w->count; k++)
            fprintf(out, "  warning: %s: %s\n", c->machine[i].name, w->item[k].text);
    }
    return ferror(out) ? HTMT_EIO : 0;
}

static int write_csv(const struct compare *c, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(c->csv, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fputs("machine,model,slices,T_s,speed_up,compute_s,memory_s,network_s,bound_by,term\n", out);
    for (unsigned i = 0; i < c->count; i++) {
        const struct compared *m = &c->machine[i];
        const unsigned most = largest_part(c, i);
        htmt__csv_put(out, m->name, false);
        fprintf(out, ",%s,%" PRIu32 ",%.17g,%.17g", m->model, m->slices, time_of(c, i),
                speed_up(c, i));
        if (!has_parts(c, i)) {
            fputs(",,,,,\n", out);
            continue;
        }
        for (unsigned k = 0; k < HTMT_PARTS; k++)
            fprintf(out, ",%.17g", m->run.prediction->part[k].s);
        fprintf(out, ",%s,", part_names[most]);
        htmt__csv_put(out, m->run.prediction->part[most].name, false);
        fputc('\n', out);
    }
    return htmt_whole_file_commit(&file, fault);
}

static int write_json(const struct compare *c, const char *app, struct htmt_fault *fault)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < c->count; i++) {
        const struct compared *m = &c->machine[i];
        const struct htmt_prediction *p = m->run.prediction;
        const unsigned most = largest_part(c, i);
        json_t *parts = json_object(), *warnings = json_array();
        const bool has = has_parts(c, i);
        for (unsigned k = 0; k < HTMT_PARTS && has; k++)
            json_object_set_new(parts, part_names[k], json_real(p->part[k].s));
        for (unsigned k = 0; k < p->warnings.count; k++)
            json_array_append_new(warnings, json_string(p->warnings.item[k].text));
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:I, s:f, s:f, s:o, s:s?, s:s?, s:s, s:o}", "machine",
                            m->name, "model", m->model, "slices", (json_int_t)m->slices, "T_s",
                            time_of(c, i), "speed_up", speed_up(c, i), "parts_s", parts, "bound_by",
                            has ? part_names[most] : NULL, "term", has ? p->part[most].name : NULL,
                            "problem", p->problem, "warnings", warnings));
    }
    return htmt__json_write(
        json_pack("{s:i, s:s, s:o}", "htmt-compare", 1, "application", app, "machines", list),
        c->json, fault);
}

/* Times of machines lie far apart, so bars are of 100 %, and names say how long they are. */
static int draw(const struct compare *c, const char *app, struct htmt_fault *fault)
{
    void *found = NULL;
    double at[MACHINES_MOST], part[HTMT_PARTS][MACHINES_MOST];
    char place[MACHINES_MOST][128], title[128];
    const char *names[MACHINES_MOST + 1] = {NULL};
    struct htmt__plot_curve stack[HTMT_PARTS];
    size_t widest = 0;
    for (unsigned i = 0; i < c->count; i++) {
        const char *slash = strrchr(c->machine[i].name, '/');
        at[i] = i + 1;
        snprintf(place[i], sizeof place[i], "%.40s, %s\n%s, x %.3g",
                 slash ? slash + 1 : c->machine[i].name, c->machine[i].model,
                 htmt__format_si(time_of(c, i), "s").s, speed_up(c, i));
        const size_t first = strcspn(place[i], "\n"), second = strlen(place[i]) - first - 1;
        widest = first > widest ? first : widest;
        widest = second > widest ? second : widest;
        names[i] = place[i];
        for (unsigned k = 0; k < HTMT_PARTS; k++)
            part[k][i] = 100 * share(c, i, k);
    }
    for (unsigned k = 0; k < HTMT_PARTS; k++)
        stack[k] =
            (struct htmt__plot_curve){part_names[k], HTMT__PLOT_STACK, c->count, at, part[k]};
    const unsigned wide = 100 + c->count * (unsigned)(LETTER * widest);
    const struct htmt__plot plot = {.title = title,
                                    .width = wide > 800 ? wide : 800,
                                    .y_label = "share of T, %",
                                    .x_least = 0.4,
                                    .x_most = c->count + 0.6,
                                    .y_most = 100,
                                    .curves = stack,
                                    .count = HTMT_PARTS,
                                    .bars = names};
    snprintf(title, sizeof title, "%s: time and speed-up against the first machine", app);
    int rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &found, fault);
    return rc ? rc : ((const struct htmt__plot_part *)found)->write(c->plot, &plot, fault);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int compare(struct compare *c, struct htmt__applications *apps, const char *app, int argc,
                   char **argv, struct htmt_fault *fault)
{
    void *found = NULL;
    int rc = take_words(c, &argc, argv, fault);
    if (!rc && c->plot)
        rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &found, fault);
    if (!rc && c->plot)
        rc = ((const struct htmt__plot_part *)found)->check(c->plot, fault);
    if (!rc && c->csv)
        rc = htmt_output_claim("--csv", c->csv, fault);
    if (!rc && c->json && strcmp(c->json, "-") != 0)
        rc = htmt_output_claim("--json", c->json, fault);
    if (!rc && c->plot)
        rc = htmt_output_claim("--plot", c->plot, fault);
    rc = rc ? rc : add_machines(c, apps, app, argc, argv, fault);
    c->sweep.study.of_case = 1;
    c->sweep.study.points = c->count;
    for (unsigned i = 0; i < c->count && !rc; i++)
        rc = predict(c, i, fault);
    for (unsigned i = 0; i < c->count && !rc; i++)
        if (!(time_of(c, i) > 0))
            rc = htmt_fault_set(fault, HTMT_ERANGE, "%s takes no time", c->machine[i].name);
    if (!rc && c->csv)
        rc = write_csv(c, fault);
    if (!rc && c->plot)
        rc = draw(c, app, fault);
    if (!rc && c->json)
        rc = write_json(c, app, fault);
    if (!rc && !(c->json && strcmp(c->json, "-") == 0))
        rc = print(c, app, stdout);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct compare *c = calloc(1, sizeof *c);
    int rc = !c ? htmt_fault_set(&fault, HTMT_ENOMEM, "out of memory")
             : argc < 2 || strncmp(argv[1], "-", 1) == 0
                 ? htmt_fault_set(&fault, HTMT_EUSAGE, "expected an application and --machines")
                 : compare(c, &program->apps, argv[1], argc - 2, argv + 2, &fault);
    if (c) {
        for (unsigned i = 0; i < c->count; i++)
            htmt__quiet_run_clear(&c->machine[i].run);
        htmt__study_fini(&c->sweep.study);
        free(c->list);
    }
    free(c);
    return rc ? htmt__complain("compare", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_compare = {
    "compare",
    "APP --machines A,B,.. [options]",
    "one application on several machines: times, speed-ups, parts",
    run,
    rows,
    NULL};
