/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Both directions walk the same rows, so neither can know a key that the other does not. A row
 * finds its member by an offset, and the kind says what lies there; objects and arrays of objects
 * are walked the same way, one level deeper. Writing never fails but for memory. Reading takes a
 * file that anybody may have written: each value is checked before it is stored, a text only
 * borrows from the object, and a refusal names the path of keys down to the place, for example for
 * a table whose third entry is wrong:
 *
 *     run.json: resources[2].busy_s: found 'x', expected a number
 *
 * The path is built on the way down, in a buffer of each level; it is cut rather than too long.
 */
#include "emul/lib/report/fields.h"

#include "emul/lib/text/format.h"
#include "runtime/base/jansson.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 160, WHERE = PATH + 30 };

/* ---- writing --------------------------------------------------------------------------------- */

json_t *htmt__fields_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void htmt__fields_append(json_t **array, json_t *item)
{
    int failed = *array ? json_array_append_new(*array, item) : -1;
    if (!*array)
        json_decref(item);
    if (failed) {
        json_decref(*array);
        *array = NULL;
    }
}

static json_t *write_items(const struct htmt__field *f, const char *from)
{
    const char *items = *(const char *const *)(const void *)(from + f->at);
    unsigned count = *(const unsigned *)(const void *)(from + f->count);
    json_t *all = json_array();
    for (unsigned i = 0; i < count && all; i++)
        htmt__fields_append(&all, htmt__fields_write(f->of, items + i * f->size));
    return all;
}

/* Integers of both signs have the same bytes in an int64_t. */
json_t *htmt__fields_value(const struct htmt__field *f, const void *from)
{
    const void *at = (const char *)from + f->at;
    const char *text;
    int64_t whole;
    if (f->present && !*(const bool *)((const char *)from + f->present))
        return json_null();
    switch (f->kind) {
    case HTMT__FIELD_CHARS:
        return htmt__json_text(at);
    case HTMT__FIELD_TEXT:
        text = *(const char *const *)at;
        return text || !f->optional ? htmt__json_text(text ? text : "") : json_null();
    case HTMT__FIELD_COUNT:
    case HTMT__FIELD_LIMIT:
    case HTMT__FIELD_WHOLE:
        whole = f->room == sizeof(uint32_t) ? *(const uint32_t *)at : *(const int64_t *)at;
        return f->kind == HTMT__FIELD_LIMIT && whole == INT64_MAX ? json_null()
                                                                  : json_integer(whole);
    case HTMT__FIELD_REAL:
        return htmt__fields_real(*(const double *)at);
    case HTMT__FIELD_FLAG:
        return json_boolean(*(const bool *)at);
    case HTMT__FIELD_TRUTH:
        return *(const int *)at < 0 ? json_null() : json_boolean(*(const int *)at);
    case HTMT__FIELD_HASH:
        return f->optional && !*(const uint64_t *)at
                   ? json_null()
                   : json_string(htmt__format_hash(*(const uint64_t *)at).s);
    case HTMT__FIELD_OBJECT:
        return htmt__fields_write(f->of, at);
    case HTMT__FIELD_ITEMS:
        return write_items(f, from);
    case HTMT__FIELD_OWN:
        break;
    }
    return json_null();
}

json_t *htmt__fields_add(json_t *object, const struct htmt__field *fields, const void *from)
{
    int failed = !object;
    for (const struct htmt__field *f = fields; f->key && !failed; f++) {
        if (f->needs && !*(const unsigned *)(const void *)((const char *)from + f->needs))
            continue;
        failed = json_object_set_new(object, f->key,
                                     f->write ? f->write(f, from) : htmt__fields_value(f, from));
    }
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *htmt__fields_write(const struct htmt__field *fields, const void *from)
{
    return htmt__fields_add(json_object(), fields, from);
}

/* ---- reading --------------------------------------------------------------------------------- */

int htmt__fields_refuse(const struct htmt__reading *in, const char *where, const char *key,
                        const json_t *found, const char *wanted)
{
    static const char *const types[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_REAL] = "a broken number",
        [JSON_TRUE] = "true",        [JSON_FALSE] = "false",    [JSON_NULL] = "null",
    };
    char text[100];
    const char *what = text;
    if (!found)
        what = "nothing";
    else if (json_is_string(found))
        snprintf(text, sizeof text, "'%.80s'", json_string_value(found));
    else if (json_is_integer(found))
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(found));
    else
        what = types[json_typeof(found)];
    return htmt_fault_set(in->fault, HTMT_EFORMAT, "%s: %s%s: found %s, expected %s", in->file,
                          where, key, what, wanted);
}

static bool is_absent(const json_t *value)
{
    return !value || json_is_null(value);
}

/* Of a plain kind; false: it is something else. */
static bool take(const struct htmt__field *f, const json_t *value, void *into)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = json_string_value(value);
    switch (f->kind) {
    case HTMT__FIELD_CHARS:
        if (!text || json_string_length(value) >= f->room)
            return false;
        memcpy(into, text, json_string_length(value) + 1);
        return true;
    case HTMT__FIELD_TEXT:
        *(const char **)into = text;
        return text != NULL;
    case HTMT__FIELD_COUNT:
    case HTMT__FIELD_LIMIT:
    case HTMT__FIELD_WHOLE:
        *(int64_t *)into = json_integer_value(value);
        return json_is_integer(value) &&
               (f->kind == HTMT__FIELD_WHOLE || json_integer_value(value) >= 0);
    case HTMT__FIELD_REAL:
        *(double *)into = json_is_null(value) ? NAN : json_number_value(value);
        return json_is_null(value) || json_is_number(value);
    case HTMT__FIELD_FLAG:
        *(bool *)into = json_is_true(value);
        return json_is_boolean(value);
    case HTMT__FIELD_HASH:
        if (!text || strlen(text) != 16 || text[strspn(text, digits)])
            return false;
        *(uint64_t *)into = strtoull(text, NULL, 16);
        return true;
    default:
        return false;
    }
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

static int read_object(const struct htmt__reading *in, const char *where, const json_t *object,
                       const struct htmt__field *f, char *into)
{
    char path[WHERE];
    json_t *member;
    int rc = htmt__fields_member(in, where, object, f->key, JSON_OBJECT, f->optional, &member);
    if (f->present)
        *(bool *)(into + f->present) = member != NULL;
    snprintf(path, sizeof path, "%.*s%s.", PATH, where, f->key);
    return rc || !member ? rc : htmt__fields_read(in, path, member, f->of, into + f->at);
}

int htmt__fields_read(const struct htmt__reading *in, const char *where, const json_t *object,
                      const struct htmt__field *fields, void *into)
{
    static const char *const expected[] = {
        [HTMT__FIELD_CHARS] = "a short text",   [HTMT__FIELD_TEXT] = "a text",
        [HTMT__FIELD_COUNT] = "a count",        [HTMT__FIELD_LIMIT] = "a count",
        [HTMT__FIELD_WHOLE] = "a whole number", [HTMT__FIELD_REAL] = "a number",
        [HTMT__FIELD_FLAG] = "true or false",   [HTMT__FIELD_HASH] = "16 hexadecimal digits",
    };
    int rc = 0;
    for (const struct htmt__field *f = fields; f->key && !rc; f++) {
        char *at = (char *)into + f->at;
        const json_t *value = json_object_get(object, f->key);
        if (f->only_written)
            continue;
        if (f->read)
            rc = f->read(in, where, object, into);
        else if (f->kind == HTMT__FIELD_OBJECT)
            rc = read_object(in, where, object, f, into);
        else if (f->kind == HTMT__FIELD_ITEMS)
            rc = htmt__fields_array(in, where, object, f->key, f->optional, f->of, f->size,
                                    (void **)at, (unsigned *)((char *)into + f->count));
        else if ((!f->optional || !is_absent(value)) && (!value || !take(f, value, at)))
            rc = htmt__fields_refuse(in, where, f->key, value, expected[f->kind]);
    }
    return rc;
}

int htmt__fields_array(const struct htmt__reading *in, const char *where, const json_t *object,
                       const char *key, bool optional, const struct htmt__field *fields,
                       size_t size, void **items, unsigned *count)
{
    json_t *array;
    const json_t *item;
    size_t i;
    int rc = htmt__fields_member(in, where, object, key, JSON_ARRAY, optional, &array);
    if (rc || !array)
        return rc;
    *items = calloc(json_array_size(array) + 1, size);
    if (!*items)
        return htmt_fault_set(in->fault, HTMT_ENOMEM, "%s: no memory for its results", in->file);
    *count = (unsigned)json_array_size(array);
    json_array_foreach(array, i, item)
    {
        char path[WHERE];
        snprintf(path, sizeof path, "%.*s%s[%zu].", PATH - 40, where, key, i);
        rc = rc ? rc : htmt__fields_read(in, path, item, fields, (char *)*items + i * size);
    }
    return rc;
}
