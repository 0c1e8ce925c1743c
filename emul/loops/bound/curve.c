/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A curve over the capacity of the innermost memory.
 */
#include "emul/loops/bound/outputs.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "runtime/base/whole_file.h"

#include <string.h>

/* At most three axes, the one that moves word by word first. */
static void name_block(const struct htmt__bound_point *p, char *name, size_t room)
{
    size_t used = 0;
    *name = '\0';
    for (unsigned axis = 0; axis < 3 && axis < p->axes && used < room; axis++) {
        char length[24] = "all";
        if (p->block[axis])
            snprintf(length, sizeof length, "%lld", (long long)p->block[axis]);
        used += (size_t)snprintf(name + used, room - used, "%s%s", axis ? " x " : "", length);
    }
}

int htmt__bound_curve_print(const struct htmt__bound_point *point, unsigned points, FILE *out)
{
    struct htmt__table t = {
        .columns = 5, .head = {"capacity", "block", "traffic", "B:F", "bound"}, .left = 2};
    int rc = 0;
    for (unsigned i = 0; i < points && !rc; i++) {
        char capacity[32], block[80], traffic[64], low[24], high[24], ratio[32];
        snprintf(capacity, sizeof capacity, "%.6g kB", (double)point[i].words / 128);
        snprintf(low, sizeof low, "%.6g", (double)point[i].bytes / 0x1p30);
        snprintf(high, sizeof high, "%.6g", (double)point[i].most / 0x1p30);
        const bool one = !strcmp(low, high);
        snprintf(traffic, sizeof traffic, "%s%s%s GB", low, one ? "" : " to ", one ? "" : high);
        snprintf(ratio, sizeof ratio, "%.6g", point[i].ratio);
        name_block(&point[i], block, sizeof block);
        rc = htmt__table_row(&t, (const char *const[]){capacity, block, traffic, ratio,
                                                       htmt__format_fs(point[i].fs).s});
    }
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    return rc;
}

int htmt__bound_curve_csv(const struct htmt__bound_point *point, unsigned points, const char *path,
                          struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fprintf(out, "capacity_bytes,block_1,block_2,block_3,traffic_bytes,bytes_a_flop,bound_fs,"
                 "traffic_bytes_high\n");
    for (unsigned i = 0; i < points; i++)
        fprintf(out, "%.0f,%lld,%lld,%lld,%.0f,%.17g,%.0f,%.0f\n", 8 * (double)point[i].words,
                (long long)point[i].block[0], (long long)point[i].block[1],
                (long long)point[i].block[2], (double)point[i].bytes, point[i].ratio,
                (double)point[i].fs, (double)point[i].most);
    return htmt_whole_file_commit(&file, fault);
}

json_t *htmt__bound_curve_json(const struct htmt__bound_point *point, unsigned points)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < points; i++)
        json_array_append_new(
            all,
            json_pack("{sI s[III] sI sf sI sI}", "capacity_bytes", (json_int_t)(point[i].words * 8),
                      "block", (json_int_t)point[i].block[0], (json_int_t)point[i].block[1],
                      (json_int_t)point[i].block[2], "traffic_bytes", (json_int_t)point[i].bytes,
                      "bytes_a_flop", point[i].ratio, "bound_fs", (json_int_t)point[i].fs,
                      "traffic_bytes_high", (json_int_t)point[i].most));
    return json_pack("{ss so}", "schema", "htmt-bound-curve-1", "points", all);
}
