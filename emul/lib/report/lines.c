/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines of a report, and the sections that are lists of them.
 */
#include "emul/lib/report/report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/page.h"
#include "runtime/base/printable.h"

#include <stdarg.h>
#include <string.h>

enum { INDENT = 16, LONGEST = 1600 };

/* A name with a line break makes no line. */
__attribute__((format(printf, 2, 0))) static void make_text(char text[LONGEST], const char *format,
                                                            va_list args)
{
    char raw[LONGEST];
    vsnprintf(raw, sizeof raw, format, args);
    htmt_printable(raw, text, LONGEST);
}

void htmt__report_item(FILE *out, const char *label, const char *format, ...)
{
    char text[LONGEST];
    va_list args;
    va_start(args, format);
    make_text(text, format, args);
    va_end(args);
    int at = fprintf(out, "  %s", label);
    if (at >= INDENT) { /* the label gets its own line */
        fputc('\n', out);
        at = 0;
    }
    htmt__text_print(out, at, INDENT, htmt__text_width_of(out), text);
    fputc('\n', out);
}

void htmt__report_line(FILE *out, const char *format, ...)
{
    char text[LONGEST];
    va_list args;
    va_start(args, format);
    make_text(text, format, args);
    va_end(args);
    fprintf(out, "%s\n", text);
}

void htmt__report_slices(const struct htmt__document *d, FILE *out)
{
    char of[60] = "";
    if (!d->slices_why)
        return;
    if (d->machine_slices)
        snprintf(of, sizeof of, " of %s", htmt__format_count(d->machine_slices).s);
    htmt__report_item(out, "slices", "%s%s: %s; --slices takes another number",
                      htmt__format_count(d->slices).s, of, d->slices_why);
}

/* Length of "layers.cram.memory" in "layers.cram.memory.access". */
static size_t group_length(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? (size_t)(dot - key) : strlen(key);
}

/* Keys of one group share a line: "layers.cram.memory.access, refresh,". */
void htmt__report_open_figures(const struct htmt__pairs *open, const char *machine, bool used,
                               FILE *out)
{
    const int page = htmt__text_width_of(out);
    if (!open->count)
        return;
    fputc('\n', out);
    htmt__report_line(out, "NOT MODELLED by the machine %s%s", machine,
                      used ? ", of what the run used" : "");
    for (unsigned i = 0; i < open->count;) {
        const char *key = open->pair[i].value;
        size_t group = group_length(key);
        int column = fprintf(out, "  %s", key);
        for (i++; i < open->count; i++) {
            const char *next = open->pair[i].value;
            if (group_length(next) != group || strncmp(key, next, group) != 0)
                break;
            next += group + (next[group] == '.');
            bool fits = column + 2 + (int)strlen(next) <= page;
            column = fits ? column : 0;
            column += fprintf(out, fits ? ", %s" : ",\n    %s", next);
        }
        fputc('\n', out);
    }
}

/* ---- run record ------------------------------------------------------------------------------ */

/* What is not shipped is named by its path. */
static void print_file(FILE *out, const char *label, const char *name, uint64_t hash,
                       const char *path)
{
    htmt__report_item(out, label, "%s, hash %s%s%s", name, htmt__format_hash(hash).s,
                      path ? ", file " : "", path ? path : "");
}

/* Quoted for a shell, except for quotes inside a value. What does not fit is cut. */
static void print_options(const struct htmt__pairs *options, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=.,:/+@%";
    char line[LONGEST] = "";
    size_t length = 0;
    for (unsigned i = 0; i < options->count && length < sizeof line - 1; i++) {
        const char *value = options->pair[i].value;
        const char *quote = value[strspn(value, plain)] ? "'" : "";
        int n = snprintf(line + length, sizeof line - length, "%s--%s%s%s%s%s", i ? " " : "",
                         options->pair[i].name, *value ? " " : "", quote, value, quote);
        length += n > 0 ? (size_t)n : 0;
    }
    htmt__report_item(out, "options", "%s", options->count ? line : "none");
}

/* Which costs counted where --costs names none: the application says if it reads a file all the
 * same. */
static void print_own_costs(const struct htmt__document *d, FILE *out)
{
    for (unsigned i = 0; i < d->found_count; i++)
        if (!strcmp(d->found[i].name, "costs_file")) {
            htmt__report_item(out, "costs", "%s, as none was named", d->found[i].text);
            return;
        }
    htmt__report_item(out, "costs", "the kernels' own counts");
}

/* A trace may lack what was built; the command alone knows its options. */
void htmt__report_origin(const struct htmt__document *d, FILE *out)
{
    fprintf(out, "\nRUN RECORD\n");
    if (d->version) {
        htmt__report_item(out, "version", "%s%s%s", d->version, d->commit ? ", commit " : "",
                          d->commit ? d->commit : "");
        print_file(out, "machine", d->machine, d->machine_hash, d->machine_file);
    }
    if (!d->program && d->version) {
        if (d->costs)
            print_file(out, "costs", d->costs, d->costs_hash, d->costs_file);
        else
            print_own_costs(d, out);
        print_options(&d->options, out);
        htmt__report_item(out, "seed", "%llu", (unsigned long long)d->seed);
        if (d->kernel_set)
            htmt__report_item(out, "kernel set", "%s", d->kernel_set);
    }
    if (strcmp(d->mode, "predict") != 0)
        htmt__report_item(out, "history hash", "%s", htmt__format_hash(d->results.history_hash).s);
    if (d->results.old_history)
        htmt__report_item(out, "old history", "%s", htmt__format_hash(d->results.old_history).s);
    if (d->results.network_history)
        htmt__report_item(out, "packets' hash", "%s",
                          htmt__format_hash(d->results.network_history).s);
}
