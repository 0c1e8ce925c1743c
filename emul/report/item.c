/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/report/report.h"

#include "emul/text/format.h"
#include "emul/text/width.h"
#include "emul/text/wrap.h"
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

static bool is_modelled(const struct htmt_figure *figure)
{
    return strcmp(figure->value, "not-modelled") != 0;
}

/* Length of "layers.cram.memory" in "layers.cram.memory.access". */
static size_t group_length(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? (size_t)(dot - key) : strlen(key);
}

/* Prints the figures of the group that starts at `first`; returns where the next group starts. */
static uint32_t print_group(const struct htmt_machine *m, uint32_t first, FILE *out)
{
    const char *key = m->figure[first].key;
    size_t group = group_length(key);
    int page = htmt__text_width_of(out);
    int column = fprintf(out, "  %s", key);
    uint32_t i = first + 1;
    for (; i < m->figure_count; i++) {
        const char *next = m->figure[i].key;
        if (is_modelled(&m->figure[i]))
            continue;
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

void htmt__report_not_modelled(const struct htmt_machine *machine, FILE *out)
{
    bool any = false;
    for (uint32_t i = 0; i < machine->figure_count;) {
        if (is_modelled(&machine->figure[i])) {
            i++;
            continue;
        }
        if (!any) {
            fputc('\n', out);
            htmt__report_line(out, "NOT MODELLED by the machine %s", machine->name);
        }
        any = true;
        i = print_group(machine, i, out);
    }
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
static int add_option(const char *name, const char *value, void *user)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=.,:/+@%";
    struct line *line = user;
    bool quoted = value[strspn(value, plain)] != '\0';
    append(line, line->length ? " --%s" : "--%s", name);
    if (*value)
        append(line, quoted ? " '%s'" : " %s", value);
    return 0;
}

/* What is not shipped is named by its path. */
static void put_file(FILE *out, const char *label, const char *name, uint64_t hash,
                     const char *path)
{
    htmt__report_item(out, label, "%s, hash %s%s%s", name, htmt__format_hash(hash).s,
                      *path ? ", file " : "", path);
}

void htmt__report_build(const char *version, const char *commit, const struct htmt_machine *machine,
                        FILE *out)
{
    fprintf(out, "\nRUN RECORD\n");
    htmt__report_item(out, "version", "%s%s%s", version, commit ? ", commit " : "",
                      commit ? commit : "");
    put_file(out, "machine", machine->name, machine->hash, machine->path);
}

void htmt__report_record(const struct htmt__record *record, const char *kernel_set,
                         const char *history_hash, FILE *out)
{
    struct line options = {.length = 0};
    const struct htmt_request *r = record->request;
    htmt__record_given(record, add_option, &options);
    htmt__report_build(record->version, record->commit, r->machine, out);
    if (r->costs)
        put_file(out, "costs", r->costs, record->costs_hash, record->costs_path);
    else
        htmt__report_item(out, "costs", "the kernels' own counts");
    htmt__report_item(out, "options", "%s", options.length ? options.text : "none");
    htmt__report_item(out, "seed", "%llu", (unsigned long long)r->seed);
    if (kernel_set)
        htmt__report_item(out, "kernel set", "%s", kernel_set);
    if (history_hash)
        htmt__report_item(out, "history hash", "%s", history_hash);
}
