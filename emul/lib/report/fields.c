/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/fields.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 160, WHERE = PATH + 30 };

static const char *const expected[] = {
    [HTMT__FIELD_CHARS] = "a short text",
    [HTMT__FIELD_TEXT] = "a text",
    [HTMT__FIELD_COUNT] = "a count",
    [HTMT__FIELD_WHOLE] = "a whole number",
    [HTMT__FIELD_REAL] = "a number",
    [HTMT__FIELD_FLAG] = "true or false",
    [HTMT__FIELD_HASH] = "16 hexadecimal digits",
};

static const char *describe(const json_t *found, char *text, size_t room)
{
    static const char *const types[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_REAL] = "a broken number",
        [JSON_TRUE] = "true",        [JSON_FALSE] = "false",    [JSON_NULL] = "null",
    };
    if (!found)
        return "nothing";
    if (json_is_string(found))
        snprintf(text, room, "'%.80s'", json_string_value(found));
    else if (json_is_integer(found))
        snprintf(text, room, "%lld", (long long)json_integer_value(found));
    else
        return types[json_typeof(found)];
    return text;
}

int htmt__fields_refuse(const struct htmt__reading *in, const char *where, const char *key,
                        const json_t *found, const char *wanted)
{
    char text[100];
    return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: %s%s: found %s, expected %s", in->file,
                          where, key, describe(found, text, sizeof text), wanted);
}

static bool take_chars(const json_t *value, size_t room, char *into)
{
    bool fits = json_is_string(value) && json_string_length(value) < room;
    if (fits)
        memcpy(into, json_string_value(value), json_string_length(value) + 1);
    return fits;
}

static bool take_text(const json_t *value, const char **into)
{
    *into = json_string_value(value);
    return *into != NULL;
}

static bool take_whole(const json_t *value, json_int_t least, int64_t *into)
{
    *into = json_integer_value(value);
    return json_is_integer(value) && *into >= least;
}

static bool take_real(const json_t *value, double *into)
{
    *into = json_is_null(value) ? NAN : json_number_value(value);
    return json_is_null(value) || json_is_number(value);
}

static bool take_flag(const json_t *value, bool *into)
{
    *into = json_is_true(value);
    return json_is_boolean(value);
}

static bool take_hash(const json_t *value, uint64_t *into)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = json_string_value(value);
    if (!text || strlen(text) != 16 || text[strspn(text, digits)])
        return false;
    *into = strtoull(text, NULL, 16);
    return true;
}

static bool take(const struct htmt__field *f, const json_t *value, void *into)
{
    switch (f->kind) {
    case HTMT__FIELD_CHARS:
        return take_chars(value, f->room, into);
    case HTMT__FIELD_TEXT:
        return take_text(value, into);
    case HTMT__FIELD_COUNT:
        return take_whole(value, 0, into);
    case HTMT__FIELD_WHOLE:
        return take_whole(value, INT64_MIN, into);
    case HTMT__FIELD_REAL:
        return take_real(value, into);
    case HTMT__FIELD_FLAG:
        return take_flag(value, into);
    case HTMT__FIELD_HASH:
        return take_hash(value, into);
    }
    return false;
}

static bool is_absent(const json_t *value)
{
    return !value || json_is_null(value);
}

int htmt__fields_read(const struct htmt__reading *in, const char *where, const json_t *object,
                      const struct htmt__field *fields, void *into)
{
    for (const struct htmt__field *f = fields; f->key; f++) {
        const json_t *value = json_object_get(object, f->key);
        if (f->optional && is_absent(value))
            continue;
        if (!value || !take(f, value, (char *)into + f->at))
            return htmt__fields_refuse(in, where, f->key, value, expected[f->kind]);
    }
    return 0;
}

int htmt__fields_member(const struct htmt__reading *in, const char *where, const json_t *object,
                        const char *key, json_type type, bool optional, json_t **member)
{
    json_t *value = json_object_get(object, key);
    *member = NULL;
    if (optional && is_absent(value))
        return 0;
    if (!value || json_typeof(value) != type)
        return htmt__fields_refuse(in, where, key, value,
                                   type == JSON_ARRAY ? "an array" : "an object");
    *member = value;
    return 0;
}

static int read_items(const struct htmt__reading *in, const char *path, const json_t *array,
                      const struct htmt__field *fields, size_t size, char *items)
{
    char where[WHERE];
    const json_t *item;
    size_t i;
    int rc = 0;
    json_array_foreach(array, i, item)
    {
        snprintf(where, sizeof where, "%s[%zu].", path, i);
        rc = rc ? rc : htmt__fields_read(in, where, item, fields, items + i * size);
    }
    return rc;
}

int htmt__fields_array(const struct htmt__reading *in, const char *where, const json_t *object,
                       const char *key, bool optional, const struct htmt__field *fields,
                       size_t size, void **items, unsigned *count)
{
    char path[PATH];
    json_t *array;
    int rc = htmt__fields_member(in, where, object, key, JSON_ARRAY, optional, &array);
    if (rc)
        return rc;
    *items = calloc(json_array_size(array) + 1, size);
    if (!*items)
        return htmt_fault_set(in->fault, HTMT_ENOMEM, "%s: no memory for its results", in->file);
    *count = (unsigned)json_array_size(array);
    snprintf(path, sizeof path, "%s%s", where, key);
    return read_items(in, path, array, fields, size, *items);
}
