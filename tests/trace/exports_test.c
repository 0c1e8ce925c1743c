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

/* The caller frees it. */
static char *export_text(const struct exported *o, exporter *export, enum htmt__export_unit unit)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(export(o->in.t, o->out, unit, &fault), 0, "%s", fault.text);
    return file_content(o->out, NULL);
}

static uint64_t count_lines(const char *text, const char *with)
{
    uint64_t n = 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *found = strstr(text, with);
        n += found && found < end;
    }
    return n;
}

static uint64_t count_begins(const char *text, const char *with)
{
    uint64_t n = 0;
    for (; text; text = strchr(text, '\n')) {
        text += *text == '\n';
        n += strncmp(text, with, strlen(with)) == 0;
    }
    return n;
}

Test(exports, a_table_has_a_row_for_each_interval_and_one_of_heads)
{
    struct exported o = open_small(model_file(&model_small, false));
    char *text = export_text(&o, htmt__export_csv, HTMT__EXPORT_FS);
    cr_expect_eq(count_lines(text, ",") - 1, model_small.slices * model_small.each);
    cr_expect_eq(count_lines(text, ",1\r"), model_small.slices); /* open */
    cr_expect_neq(count_lines(text, ",\"</script>\","), 0);
    free(text);
    close_small(&o);
}

Test(exports, times_in_ps_are_rounded_to_the_nearest)
{
    struct exported o = open_small(model_file(&model_small, false));
    htmt_time end = 0;
    for (uint32_t s = 0; s < model_small.slices; s++)
        for (uint64_t n = 0; n < model_small.each; n++)
            end += (model_interval(&model_small, s, n).end + 500) / 1000;
    char *text = export_text(&o, htmt__export_csv, HTMT__EXPORT_PS);
    for (char *row = strchr(text, '\n') + 1; *row; row = strchr(row, '\n') + 1) {
        const char *at = row;
        for (unsigned i = 0; i < 12; i++) /* columns before that of the end */
            at = strchr(at, ',') + 1;
        end -= strtoll(at, NULL, 10);
    }
    cr_expect_eq(end, 0);
    free(text);
    close_small(&o);
}

Test(exports, each_state_of_paje_begins_and_ends)
{
    struct exported o = open_small(model_file(&model_small, false));
    char *text = export_text(&o, htmt__export_paje, HTMT__EXPORT_FS);
    uint64_t spans = 0;
    for (uint32_t s = 0; s < model_small.slices; s++)
        for (uint64_t n = 0; n < model_small.each; n++) {
            struct htmt_trace_interval i = model_interval(&model_small, s, n);
            spans += i.wait > 0;
            spans += i.step < 4 || i.step == 5;
        }
    cr_expect_eq(count_begins(text, "7 "), spans);
    cr_expect_eq(count_begins(text, "8 "), spans);
    cr_expect_eq(count_begins(text, "10 "), count_begins(text, "11 "));
    free(text);
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
