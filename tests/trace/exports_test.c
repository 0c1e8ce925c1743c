/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exports of a trace whose every interval is known: sections, gates, room and references of all
 * kinds. tests/integration/trace_exports.sh reads exports with the tools that they are for.
 */
#include "emul/lib/trace/export/export.h"
#include "tests/files/place.h"
#include "tests/trace/opened.h"

typedef int exporter(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                     struct htmt_fault *fault);

static exporter *const exporters[] = {htmt__export_csv, htmt__export_perfetto, htmt__export_paje};

/* A trace, and the path of what is written of it. */
struct exported {
    struct opened in;
    char out[100];
};

static struct exported open_small(struct bytes file)
{
    struct exported e = {.in = open_bytes(file)};
    snprintf(e.out, sizeof e.out, "%s.out", e.in.path);
    return e;
}

static void close_small(struct exported *e)
{
    unlink(e->out);
    close_bytes(&e->in);
}

/* The caller closes it. */
static FILE *export_text(const struct exported *o, exporter *export, enum htmt__export_unit unit)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(export(o->in.t, o->out, unit, &fault), 0, "%s", fault.text);
    FILE *text = fopen(o->out, "r");
    cr_assert(text);
    return text;
}

static uint64_t count_lines(FILE *text, const char *with, bool begins)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t n = 0;
    rewind(text);
    while (getline(&line, &room, text) >= 0) {
        const char *found = strstr(line, with);
        n += begins ? found == line : found != NULL;
    }
    free(line);
    return n;
}

Test(exports, a_table_has_a_row_for_each_interval_and_one_of_heads)
{
    struct exported o = open_small(model_file(&model_small, false));
    FILE *text = export_text(&o, htmt__export_csv, HTMT__EXPORT_FS);
    cr_expect_eq(count_lines(text, ",", false) - 1, model_small.slices * model_small.each);
    cr_expect_eq(count_lines(text, ",1\r", false), model_small.slices); /* open */
    cr_expect_neq(count_lines(text, ",\"</script>\",", false), 0);
    fclose(text);
    close_small(&o);
}

Test(exports, times_in_ps_are_rounded_to_the_nearest)
{
    struct exported o = open_small(model_file(&model_small, false));
    htmt_time end = 0;
    for (uint32_t s = 0; s < model_small.slices; s++)
        for (uint64_t n = 0; n < model_small.each; n++)
            end += (model_interval(&model_small, s, n).end + 500) / 1000;
    FILE *text = export_text(&o, htmt__export_csv, HTMT__EXPORT_PS);
    char *row = NULL;
    size_t room = 0;
    cr_assert_geq(getline(&row, &room, text), 0); /* heads */
    while (getline(&row, &room, text) >= 0) {
        const char *at = row;
        for (unsigned i = 0; i < 12; i++) /* columns before that of the end */
            at = strchr(at, ',') + 1;
        end -= strtoll(at, NULL, 10);
    }
    cr_expect_eq(end, 0);
    free(row);
    fclose(text);
    close_small(&o);
}

Test(exports, each_state_of_paje_begins_and_ends)
{
    struct exported o = open_small(model_file(&model_small, false));
    FILE *text = export_text(&o, htmt__export_paje, HTMT__EXPORT_FS);
    uint64_t spans = 0;
    for (uint32_t s = 0; s < model_small.slices; s++)
        for (uint64_t n = 0; n < model_small.each; n++) {
            struct htmt_trace_interval i = model_interval(&model_small, s, n);
            spans += i.wait > 0;
            spans += i.step < 4 || i.step == 5;
        }
    cr_expect_eq(count_lines(text, "7 ", true), spans);
    cr_expect_eq(count_lines(text, "8 ", true), spans);
    cr_expect_eq(count_lines(text, "10 ", true), count_lines(text, "11 ", true));
    fclose(text);
    close_small(&o);
}

Test(exports, of_a_damaged_trace_leave_no_file)
{
    struct bytes file = model_file(&model_small, false);
    file.at[file.length / 2] ^= 0x55;
    struct exported o = open_small(file);
    for (unsigned i = 0; i < 3; i++) {
        struct htmt_fault fault = {0};
        cr_expect_eq(exporters[i](o.in.t, o.out, HTMT__EXPORT_FS, &fault), HTMT_EFORMAT);
        cr_expect_neq(*fault.text, '\0');
        cr_expect_neq(access(o.out, F_OK), 0);
    }
    close_small(&o);
}

Test(exports, to_a_full_device_and_to_no_folder_fail_with_a_line)
{
    struct exported o = open_small(model_file(&model_small, false));
    for (unsigned i = 0; i < 3; i++) {
        struct htmt_fault full = {0}, none = {0};
        cr_expect_eq(exporters[i](o.in.t, "/dev/full", HTMT__EXPORT_PS, &full), HTMT_EIO);
        cr_expect_neq(*full.text, '\0');
        cr_expect_eq(exporters[i](o.in.t, "/none/such/out", HTMT__EXPORT_PS, &none), HTMT_ENOENT);
        cr_expect_neq(*none.text, '\0');
    }
    close_small(&o);
}
