/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports of files: whatever is missing in the JSON object of a run, or is something else, is
 * refused by a line that names the place, and nothing else happens.
 */
#include "emul/lib/report/document.h"
#include "emul/lib/report/html.h"
#include "emul/lib/report/reader.h"
#include "emul/lib/report/report.h"
#include "tests/apps/table.h"
#include "tests/emul/capture.h"
#include "tests/emul/squares.h"
#include "tests/files/place.h"

#include <stdlib.h>

static const struct htmt_app *const apps[] = {&squares, NULL};
static char path[40];

/* The caller drops it. */
static json_t *results(void)
{
    struct captured c;
    CAPTURE(&c, apps, "run", "squares", "--machine=small-htmt", "--json=-", "--explain",
            "--summary", "--lint", "--check-determinism");
    cr_assert_eq(c.status, 0, "%s", c.err);
    json_t *o = json_loads(c.out, 0, NULL);
    cr_assert_not_null(o);
    return o;
}

static int load(const char *text, size_t length, struct htmt_fault *fault)
{
    struct htmt__document d;
    *fault = (struct htmt_fault){0};
    file_write(path, text, length);
    int rc = htmt__document_load(path, &d, fault);
    htmt__document_clear(&d);
    return rc;
}

static int load_object(const json_t *o, struct htmt_fault *fault)
{
    char *text = json_dumps(o, JSON_INDENT(1));
    int rc = load(text, strlen(text), fault);
    free(text);
    return rc;
}

static void is_refused(int rc, const struct htmt_fault *fault)
{
    cr_expect_eq(rc, HTMT_EFORMAT, "%d %s", rc, fault->text);
    cr_expect_eq(strncmp(fault->text, path, strlen(path)), 0, "%s", fault->text);
    cr_expect_not_null(strstr(fault->text, "expected"), "%s", fault->text);
    cr_expect_null(strchr(fault->text, '\n'), "%s", fault->text);
}

static void make_path(void)
{
    snprintf(path, sizeof path, "/tmp/htmt-report-XXXXXX");
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

static void remove_path(void)
{
    remove(path);
}

Test(report_file, half_a_file_of_any_length_is_refused)
{
    struct htmt_fault fault;
    make_path();
    json_t *o = results();
    char *text = json_dumps(o, JSON_COMPACT);
    for (size_t length = 0; length < strlen(text); length += 37)
        is_refused(load(text, length, &fault), &fault);
    cr_expect_eq(load(text, strlen(text), &fault), 0, "%s", fault.text);
    free(text);
    json_decref(o);
    remove_path();
}

static unsigned tried, refused;

/* Whole file with this value instead of `now`, which is put back. */
static void try_value(json_t *all, json_t *of, const char *key, json_t *value)
{
    struct htmt_fault fault;
    json_t *now = json_incref(json_object_get(of, key));
    if (value)
        json_object_set_new(of, key, value);
    else
        json_object_del(of, key);
    int rc = load_object(all, &fault);
    if (rc)
        is_refused(rc, &fault);
    refused += rc != 0;
    tried++;
    json_object_set_new(of, key, now);
}

/* The object changes meanwhile: its keys are those of a copy. */
static void try_all(json_t *all, json_t *value)
{
    const char *key;
    json_t *keys = json_copy(value), *inner;
    size_t i;
    json_object_foreach(keys, key, inner)
    {
        try_value(all, value, key, NULL);
        try_value(all, value, key, json_integer(-7));
        try_value(all, value, key, json_string("something else"));
        try_value(all, value, key, json_pack("[{s:i}]", "a", 1));
        try_all(all, inner);
    }
    json_array_foreach(keys, i, inner) if (i == 0) try_all(all, inner);
    json_decref(keys);
}

Test(report_file, each_key_may_be_missing_or_wrong_without_harm)
{
    make_path();
    json_t *o = results();
    try_all(o, o);
    cr_expect_gt(tried, 400);
    cr_expect_gt(refused, tried / 2, "%u of %u", refused, tried);
    json_decref(o);
    remove_path();
}

/* The text of a document, by `print`. */
static char *text_of(const struct htmt__document *d,
                     int (*print)(const struct htmt__document *d, FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(print(d, out), 0);
    fclose(out);
    return text;
}

static int print_page(const struct htmt__document *d, FILE *out)
{
    return htmt__html_print(d, NULL, NULL, out);
}

Test(report_file, empty_tables_make_a_report_and_a_page)
{
    static const char *const arrays[] = {"phases", "resources", "memories", "bottlenecks",
                                         "notes",  "warnings",  "outputs",  "not_modelled"};
    struct htmt_fault fault = {0};
    struct htmt__document d;
    make_path();
    json_t *o = results();
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        json_object_set_new(o, arrays[i], json_array());
    json_object_set_new(o, "predicted_fs", json_integer(0));
    cr_assert_eq(load_object(o, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__document_load(path, &d, &fault), 0);
    char *report = text_of(&d, htmt__report_document), *page = text_of(&d, print_page);
    cr_expect_not_null(strstr(report, "RUN RECORD"));
    cr_expect_not_null(strstr(page, "</html>"));
    free(report);
    free(page);
    htmt__document_clear(&d);
    json_decref(o);
    remove_path();
}
