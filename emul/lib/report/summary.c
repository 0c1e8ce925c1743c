/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/answers.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "runtime/base/text_stream.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- for people ------------------------------------------------------------------------------ */

enum { TOGETHER = 5 }; /* columns of one table */

static const char *const titles[] = {
    [HTMT__SUMMARY_COUNT] = "",          [HTMT__SUMMARY_TIME] = "time on ",
    [HTMT__SUMMARY_WORK] = "work: ",     [HTMT__SUMMARY_WORDS] = "words: ",
    [HTMT__SUMMARY_MEMORY] = "memory: ", [HTMT__SUMMARY_BALANCE] = "used: ",
};

static struct htmt__number cell(const struct htmt__summary_row *row, double value)
{
    struct htmt__number n = {""};
    if (isnan(value))
        return n;
    if (strcmp(row->unit, "%") == 0)
        return htmt__format_share(value / 100);
    if (strcmp(row->unit, "1") != 0)
        return htmt__format_si(value, row->unit);
    snprintf(n.s, sizeof n.s, "%.6g", value);
    return n;
}

static int print_columns(const struct htmt__summary *s, unsigned from, unsigned to, FILE *out)
{
    struct htmt__table table = {.columns = to - from + 1, .head = {"a parcel"}, .left = 1};
    int rc = 0;
    for (unsigned c = from; c < to; c++)
        table.head[c - from + 1] = s->name[c];
    for (unsigned i = 0; i < s->rows && !rc; i++) {
        const struct htmt__summary_row *row = &s->row[i];
        char name[HTMT__TABLE_CELL];
        struct htmt__number number[TOGETHER];
        const char *cells[TOGETHER + 1] = {name};
        bool any = false;
        snprintf(name, sizeof name, "%s%s", titles[row->group], row->name);
        for (unsigned c = from; c < to; c++) {
            number[c - from] = cell(row, row->value[c]);
            cells[c - from + 1] = number[c - from].s;
            any |= number[c - from].s[0] != '\0';
        }
        rc = any ? htmt__table_row(&table, cells) : 0;
    }
    if (!rc)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc;
}

int htmt__summary_print(const struct htmt__summary *s, FILE *out)
{
    int rc = 0;
    fprintf(
        out,
        "\nSUMMARY (virtual clock; of one parcel of each type, of all in a slice; used: a share "
        "of\nthe principal resource of the column)\n");
    for (unsigned from = 0; from < s->columns && !rc; from += TOGETHER) {
        unsigned to = from + TOGETHER < s->columns ? from + TOGETHER : s->columns;
        if (from)
            fputc('\n', out);
        rc = print_columns(s, from, to, out);
    }
    return rc;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static const char *const groups[] = {
    [HTMT__SUMMARY_COUNT] = "count",   [HTMT__SUMMARY_TIME] = "time",
    [HTMT__SUMMARY_WORK] = "work",     [HTMT__SUMMARY_WORDS] = "words",
    [HTMT__SUMMARY_MEMORY] = "memory", [HTMT__SUMMARY_BALANCE] = "used",
};

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

static void write_rows(const struct htmt__summary *s, FILE *out)
{
    fputs("group,name,unit", out);
    for (unsigned c = 0; c < s->columns; c++) {
        fputc(',', out);
        quoted(out, s->name[c]);
    }
    fputc('\n', out);
    for (unsigned i = 0; i < s->rows; i++) {
        fprintf(out, "%s,", groups[s->row[i].group]);
        quoted(out, s->row[i].name);
        fprintf(out, ",%s", s->row[i].unit);
        for (unsigned c = 0; c < s->columns; c++)
            fprintf(out, isnan(s->row[i].value[c]) ? "," : ",%.17g", s->row[i].value[c]);
        fputc('\n', out);
    }
}

int htmt__summary_write_csv(const struct htmt__summary *s, const char *path,
                            struct htmt_fault *fault)
{
    struct htmt__text text;
    FILE *out = htmt__text_open(&text);
    if (out)
        write_rows(s, out);
    if (htmt__text_close(out, &text))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the table");
    int rc = htmt_whole_file_write(path, text.at, text.length, fault);
    free(text.at);
    return rc;
}

const char *htmt__summary_group_name(enum htmt__summary_group group)
{
    return groups[group];
}
