/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pipeline as comma-separated values, and as a table for people. The file has times in whole
 * femtoseconds, and the serial of each parcel, by which its intervals are found in the trace; the
 * table rounds times to the unit that suits each of them.
 */
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "emul/view/picture/pipeline.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>

int htmt__pipeline_csv(const struct htmt__pipeline *p, const char *path, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fprintf(out, "parcel,stage,asked_fs,start_fs,end_fs,wait_fs,stall_fs,serial,open\n");
    for (size_t i = 0; i < p->bars; i++) {
        const struct htmt__pipeline_bar *b = &p->bar[i];
        fprintf(out,
                "%" PRIu32 ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                ",%" PRIu64 ",%d\n",
                b->parcel + 1, htmt_stage_name(p->row[b->row].stage), b->asked, b->start, b->end,
                b->wait, b->stall, p->serial[b->parcel], b->open);
    }
    return htmt_whole_file_commit(&file, fault);
}

int htmt__pipeline_print(const struct htmt__pipeline *p, FILE *out)
{
    struct htmt__table t = {.columns = 7,
                            .head = {"parcel", "stage", "asked", "start", "end", "wait", "stall"},
                            .left = 1 << 1};
    int rc = 0;
    for (size_t i = 0; i < p->bars && !rc; i++) {
        const struct htmt__pipeline_bar *b = &p->bar[i];
        char parcel[16];
        snprintf(parcel, sizeof parcel, "%" PRIu32, b->parcel + 1);
        rc = htmt__table_row(
            &t, (const char *const[]){parcel, p->row[b->row].name, htmt__format_fs(b->asked).s,
                                      htmt__format_fs(b->start).s, htmt__format_fs(b->end).s,
                                      htmt__format_fs(b->wait).s, htmt__format_fs(b->stall).s});
    }
    if (!rc)
        htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}
