/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The findings for people: a heading for each section, a line for each finding or row.
 *
 * The printer knows no finding: it follows the object. A section that is an object has a line for
 * each key, one that is an array a line for each row. So a new finding needs no line here, and
 * people and programs cannot be told different things.
 */
#include "emul/lib/doctor/doctor.h"

#include "emul/lib/report/report.h"

#include <ctype.h>
#include <string.h>

enum { LABEL = 60, TEXT = 1500 };

struct text {
    char s[TEXT];
    size_t length;
};

static void add(struct text *t, const char *more)
{
    int n =
        snprintf(t->s + t->length, sizeof t->s - t->length, "%s%s", t->length ? ", " : "", more);
    size_t room = sizeof t->s - t->length;
    t->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* One value that is no array; `key` says its unit. */
static void add_plain(struct text *t, const char *key, const json_t *value)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    char number[80];
    if (json_is_string(value)) {
        add(t, json_string_value(value));
    } else if (json_is_number(value) && ends_in(key, "_bytes")) {
        double bytes = json_number_value(value);
        unsigned i = 0;
        for (; bytes >= 1024 && i < 4; i++)
            bytes /= 1024;
        snprintf(number, sizeof number, "%.*f %s", i ? 2 : 0, bytes, unit[i]);
        add(t, number);
    } else if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        add(t, number);
    } else if (json_is_number(value)) {
        snprintf(number, sizeof number, "%.3g", json_real_value(value));
        add(t, number);
    } else if (json_is_boolean(value)) {
        add(t, json_is_true(value) ? "yes" : "no");
    } else {
        add(t, ends_in(key, "_bytes") || !strcmp(key, "quota") ? "no limit" : "-");
    }
}

static void add_value(struct text *t, const char *key, const json_t *value)
{
    if (!json_is_array(value)) {
        add_plain(t, key, value);
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        add_plain(t, key, json_array_get(value, i));
    if (!json_array_size(value))
        add(t, "none");
}

/* "program": a line for each key. */
static void print_keys(json_t *section, FILE *out)
{
    const char *key;
    json_t *value;
    json_object_foreach(section, key, value)
    {
        struct text t = {.length = 0};
        char label[LABEL];
        size_t length = strlen(key) - (ends_in(key, "_bytes") ? strlen("_bytes") : 0);
        snprintf(label, sizeof label, "%.*s", (int)length, key); /* the number has the unit */
        for (char *c = label; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        add_value(&t, key, value);
        htmt__report_item(out, label, "%s", t.s);
    }
}

/* "libraries": a line for each row; its first key is the label, what is null or false is left out.
 */
static void print_rows(json_t *section, FILE *out)
{
    size_t i;
    json_t *row, *value;
    json_array_foreach(section, i, row)
    {
        struct text t = {.length = 0};
        const char *key, *label = NULL;
        json_object_foreach(row, key, value)
        {
            if (!label)
                label = json_string_value(value);
            else if (json_is_true(value))
                add(&t, "by variable");
            else if (!json_is_null(value) && !json_is_false(value))
                add_value(&t, key, value);
        }
        htmt__report_item(out, label ? label : "-", "%s", t.s);
    }
    if (!json_array_size(section))
        fprintf(out, "  none\n");
}

void htmt__doctor_print(const json_t *findings, FILE *out)
{
    const json_t *passed = json_object_get(json_object_get(findings, "self_test"), "passed");
    const char *key;
    json_t *section, *all = json_incref((json_t *)findings);
    fprintf(out, "htmt doctor: %s\n", json_is_true(passed) ? "pass" : "FAIL");
    json_object_foreach(all, key, section)
    {
        if (json_is_string(section)) /* the schema is for programs */
            continue;
        fputc('\n', out);
        for (const char *c = key; *c; c++)
            fputc(*c == '_' ? ' ' : toupper((unsigned char)*c), out);
        fputc('\n', out);
        (json_is_array(section) ? print_rows : print_keys)(section, out);
    }
    json_decref(all);
}
