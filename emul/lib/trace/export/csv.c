/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of RFC 4180, one an interval, in the order of the file. A trace may have 10^7 of them, so
 * rows are put together by hand, not by fprintf(), and the five columns that a step decides are
 * quoted once. A text has all of its quotes doubled and stands between quotes; numbers stand alone.
 * References are two columns, slice and number, so that a spreadsheet or a data frame can join them
 * with the first two columns of the row that they mean.
 */
#include "emul/lib/trace/export/frame.h"
#include "runtime/base/csv_cell.h"

#include <stdlib.h>
#include <string.h>

struct csv {
    const struct htmt__export *x;
    const struct htmt_trace_info *info;
    char (*step)[1600]; /* the columns that a step decides, quoted */
    char line[4096];
    size_t length;
};

static void put_text(struct csv *c, const char *text)
{
    size_t length = strlen(text);
    memcpy(c->line + c->length, text, length);
    c->length += length;
}

static void put_number(struct csv *c, uint64_t value)
{
    char digits[20];
    unsigned n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        c->line[c->length++] = digits[--n];
}

static void put_next(struct csv *c, uint64_t value)
{
    c->line[c->length++] = ',';
    put_number(c, value);
}

static void put_time(struct csv *c, htmt_time fs)
{
    put_next(c, (uint64_t)htmt__export_time(c->x->unit, fs));
}

/* Two columns, empty without a reference. */
static void put_reference(struct csv *c, htmt_trace_ref ref)
{
    if (ref == HTMT_TRACE_NONE) {
        put_text(c, ",,");
        return;
    }
    put_next(c, htmt_trace_ref_slice(ref));
    put_next(c, htmt_trace_ref_number(ref));
}

/* ',"text"'. Returns the length. */
static size_t quote(char *to, const char *text)
{
    *to = ',';
    return 1 + htmt__csv_cell(htmt__label_of(text).s, true, to + 1);
}

static int write_rows(struct csv *c, struct htmt_fault *fault)
{
    const char *u = c->x->unit == HTMT__EXPORT_FS ? "fs" : "ps";
    struct htmt_trace_block b = {0};
    int rc = 0;
    fprintf(c->x->out,
            "slice,number,type,stage,place,resource,layer,section,parcel_slice,parcel_number,"
            "asked_%s,start_%s,end_%s,cause_slice,cause_number,line_slice,line_number,open\r\n",
            u, u, u);
    for (uint64_t i = 0; i < c->info->blocks && !rc && !ferror(c->x->out); i++) {
        rc = htmt_trace_block_read(c->x->trace, i, &b, fault);
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *at = &b.interval[n];
            const bool section = c->info->step[at->step].place == HTMT_TRACE_SECTION;
            c->length = 0;
            put_number(c, b.slice);
            put_next(c, b.first + n);
            put_text(c, c->step[at->step]);
            if (section && at->serial < c->info->sections)
                c->length += quote(c->line + c->length, c->info->section[at->serial]);
            else
                put_text(c, ",");
            put_reference(c, section ? HTMT_TRACE_NONE : at->serial);
            put_time(c, at->end - at->service - at->wait);
            put_time(c, at->end - at->service);
            put_time(c, at->end);
            put_reference(c, at->cause);
            put_reference(c, at->line);
            put_text(c, at->open ? ",1\r\n" : ",0\r\n");
            fwrite_unlocked(c->line, 1, c->length, c->x->out);
        }
    }
    htmt_trace_block_clear(&b);
    return rc;
}

static int write_all(struct htmt__export *x, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = x->info;
    struct csv *c = calloc(1, sizeof *c);
    int rc = 0;
    if (!c)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to write a file");
    c->x = x;
    c->info = info;
    c->step = calloc((size_t)info->steps + 1, sizeof *c->step);
    if (!c->step)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the names of the trace");
    for (uint32_t i = 0; i < info->steps && !rc; i++) {
        const struct htmt_trace_step *s = &info->step[i];
        char *to = c->step[i];
        to += quote(to, s->type);
        to += quote(to, s->stage < HTMT_STAGES ? htmt_stage_name(s->stage) : "");
        to += quote(to, htmt_trace_place_name(s->place));
        to += quote(to, s->resource < info->resources ? info->resource[s->resource].name : "");
        quote(to, s->layer < info->layers ? info->layer[s->layer].name : "");
    }
    if (!rc)
        rc = write_rows(c, fault);
    free(c->step);
    free(c);
    return rc;
}

int htmt__export_csv(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                     struct htmt_fault *fault)
{
    return htmt__export_file(t, path, unit, write_all, fault);
}
