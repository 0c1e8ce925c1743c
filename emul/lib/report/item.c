/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/width.h"
#include "emul/lib/text/wrap.h"
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

/* Length of "layers.cram.memory" in "layers.cram.memory.access". */
static size_t group_length(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? (size_t)(dot - key) : strlen(key);
}

/* Prints the keys of the group that starts at `first`; returns where the next group starts. */
static unsigned print_group(const struct htmt__pairs *open, unsigned first, FILE *out)
{
    const char *key = open->pair[first].value;
    size_t group = group_length(key);
    int page = htmt__text_width_of(out);
    int column = fprintf(out, "  %s", key);
    unsigned i = first + 1;
    for (; i < open->count; i++) {
        const char *next = open->pair[i].value;
        if (group_length(next) != group || strncmp(key, next, group) != 0)
            break;
        next += group + (next[group] == '.');
        bool fits = column + 2 + (int)strlen(next) <= page;
        column = fits ? column : 0;
        column += fprintf(out, fits ? ", %s" : ",\n    %s", next);
    }
    fputc('\n', out);
    return i;
}

void htmt__report_open_figures(const struct htmt__pairs *open, const char *machine, FILE *out)
{
    if (!open->count)
        return;
    fputc('\n', out);
    htmt__report_line(out, "NOT MODELLED by the machine %s", machine);
    for (unsigned i = 0; i < open->count;)
        i = print_group(open, i, out);
}

struct line {
    char text[LONGEST];
    size_t length;
};

static void append(struct line *line, const char *format, const char *text)
{
    size_t room = sizeof line->text - line->length;
    int n = snprintf(line->text + line->length, room, format, text);
    if (n > 0)
        line->length += (size_t)n < room ? (size_t)n : room - 1;
}

/* Quoted for a shell, except for quotes inside a value. */
static void add_option(struct line *line, const struct htmt__pair *option)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=.,:/+@%";
    bool quoted = option->value[strspn(option->value, plain)] != '\0';
    append(line, line->length ? " --%s" : "--%s", option->name);
    if (*option->value)
        append(line, quoted ? " '%s'" : " %s", option->value);
}

/* What is not shipped is named by its path. */
static void put_file(FILE *out, const char *label, const char *name, uint64_t hash,
                     const char *path)
{
    htmt__report_item(out, label, "%s, hash %s%s%s", name, htmt__format_hash(hash).s,
                      path ? ", file " : "", path ? path : "");
}

/* What the command alone knows. */
static void put_command(const struct htmt__document *d, FILE *out)
{
    struct line options = {.length = 0};
    for (unsigned i = 0; i < d->options.count; i++)
        add_option(&options, &d->options.pair[i]);
    if (d->costs)
        put_file(out, "costs", d->costs, d->costs_hash, d->costs_file);
    else
        htmt__report_item(out, "costs", "the kernels' own counts");
    htmt__report_item(out, "options", "%s", options.length ? options.text : "none");
    htmt__report_item(out, "seed", "%llu", (unsigned long long)d->seed);
    if (d->kernel_set)
        htmt__report_item(out, "kernel set", "%s", d->kernel_set);
}

/* A trace may lack it. */
static void put_build(const struct htmt__document *d, FILE *out)
{
    htmt__report_item(out, "version", "%s%s%s", d->version, d->commit ? ", commit " : "",
                      d->commit ? d->commit : "");
    put_file(out, "machine", d->machine, d->machine_hash, d->machine_file);
}

void htmt__report_origin(const struct htmt__document *d, FILE *out)
{
    fprintf(out, "\nRUN RECORD\n");
    if (d->version)
        put_build(d, out);
    if (!d->program && d->version)
        put_command(d, out);
    if (strcmp(d->mode, "predict") != 0)
        htmt__report_item(out, "history hash", "%s", htmt__format_hash(d->results.history_hash).s);
    if (d->results.network_history)
        htmt__report_item(out, "packets' hash", "%s",
                          htmt__format_hash(d->results.network_history).s);
}
