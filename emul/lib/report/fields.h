/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads members of JSON objects into structs, by tables. What is missing or of another type is
 * refused: "run.json: resources[2].busy_s: found a string, expected a number".
 */
#ifndef HTMT_EMUL_LIB_REPORT_FIELDS_H
#define HTMT_EMUL_LIB_REPORT_FIELDS_H

#include "runtime/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum htmt__field_kind {
    HTMT__FIELD_CHARS, /* char[room] */
    HTMT__FIELD_TEXT,  /* const char *, of the object */
    HTMT__FIELD_COUNT, /* uint64_t or htmt_time, not negative */
    HTMT__FIELD_WHOLE, /* int64_t, or uint64_t as it is written */
    HTMT__FIELD_REAL,  /* double; null: not a number */
    HTMT__FIELD_FLAG,  /* bool */
    HTMT__FIELD_HASH   /* uint64_t of 16 hexadecimal digits */
};

struct htmt__field {
    const char *key;
    enum htmt__field_kind kind;
    bool optional; /* missing, or null: the member of the struct stays */
    size_t at, room;
};

/* A table's row for a member, and its end. */
#define HTMT__FIELD(type, key, kind, member)                                                       \
    {                                                                                              \
        key, HTMT__FIELD_##kind, false, offsetof(type, member), sizeof(((type *)NULL)->member)     \
    }
#define HTMT__FIELD_OPTIONAL(type, key, kind, member)                                              \
    {                                                                                              \
        key, HTMT__FIELD_##kind, true, offsetof(type, member), sizeof(((type *)NULL)->member)      \
    }
#define HTMT__FIELD_END                                                                            \
    {                                                                                              \
        NULL, HTMT__FIELD_CHARS, false, 0, 0                                                       \
    }

/* The file that is read, for messages. */
struct htmt__reading {
    const char *file;
    struct htmt_fault *fault;
};

/* `where` is the path of keys to the object, with a dot behind it, or empty. Errors: HTMT_EFORMAT.
 */
int htmt__fields_read(const struct htmt__reading *in, const char *where, const json_t *object,
                      const struct htmt__field *fields, void *into);

/* An array of objects; NULL and 0 items if the key is missing and `optional`. The caller frees
 * *items, also after an error. Errors: HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__fields_array(const struct htmt__reading *in, const char *where, const json_t *object,
                       const char *key, bool optional, const struct htmt__field *fields,
                       size_t size, void **items, unsigned *count);

/* A member that is an object, or an array; NULL in *member: it is missing or null, which
 * `optional` allows. Errors: HTMT_EFORMAT. */
int htmt__fields_member(const struct htmt__reading *in, const char *where, const json_t *object,
                        const char *key, json_type type, bool optional, json_t **member);

/* Refuses: "FILE: WHEREKEY: found FOUND, expected EXPECTED". */
int htmt__fields_refuse(const struct htmt__reading *in, const char *where, const char *key,
                        const json_t *found, const char *expected);

#endif
