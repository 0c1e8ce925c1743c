/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One description for both directions: a table has a row for each key of a JSON object, in the
 * order of writing, with the kind of its value and its place in a C struct. htmt__fields_write()
 * makes the object from the struct, htmt__fields_read() fills the struct from the object, and
 * tests hold docs/json.md and the Python package against the same rows.
 *
 *     struct pass { uint64_t cars; double mean_s; };
 *     static const struct htmt__field pass_fields[] = {
 *         HTMT__FIELD(struct pass, "cars", COUNT, cars),
 *         HTMT__FIELD_OPTIONAL(struct pass, "mean_s", REAL, mean_s),
 *         HTMT__FIELD_END,
 *     };
 *
 * writes {"cars": 3, "mean_s": 0.5}. The unit of a figure is the end of its key: _s seconds, _fs
 * femtoseconds, _bytes, _words. A value with a rule of its own has functions for both ways.
 */
#ifndef HTMT_EMUL_LIB_REPORT_FIELDS_H
#define HTMT_EMUL_LIB_REPORT_FIELDS_H

#include "runtime/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum htmt__field_kind {
    HTMT__FIELD_CHARS,  /* char[room] */
    HTMT__FIELD_TEXT,   /* const char *, of the object when it was read; NULL and optional: null */
    HTMT__FIELD_COUNT,  /* uint64_t or htmt_time, not negative; uint32_t can only be written */
    HTMT__FIELD_LIMIT,  /* the same of 64 bits; INT64_MAX: there is none, null */
    HTMT__FIELD_WHOLE,  /* int64_t, or uint64_t as it is written */
    HTMT__FIELD_REAL,   /* double; null: not a number, or infinite */
    HTMT__FIELD_FLAG,   /* bool */
    HTMT__FIELD_TRUTH,  /* int: 1, 0, or -1: null; can only be written */
    HTMT__FIELD_HASH,   /* uint64_t of 16 hexadecimal digits; 0 and optional: null */
    HTMT__FIELD_OBJECT, /* a struct with a table of its own */
    HTMT__FIELD_ITEMS,  /* a pointer to structs with a table of their own, and their number */
    HTMT__FIELD_OWN     /* by functions alone */
};

/* The file that is read, for messages. */
struct htmt__reading {
    const char *file;
    struct htmt_fault *fault;
};

struct htmt__field {
    const char *key;
    enum htmt__field_kind kind;
    size_t at, room;              /* where it is in the struct, and its bytes */
    bool optional;                /* reading: it may be missing or null, and the member stays */
    bool only_written;            /* reading passes it over */
    const struct htmt__field *of; /* the members of an object, or of each item */
    size_t size;                  /* of an item */
    size_t count;                 /* where the number of items is, an unsigned */
    /* Where a bool is that tells whether there is a value; it is null if not. 0: there is one.
     * Reading an object sets it. */
    size_t present;
    /* Where an unsigned is: the key is written only if it is above 0. 0: it is always written. */
    size_t needs;
    /* In place of what the kind does, from and into the struct with the member. `where` is the path
     * of keys to `object`, which has the key, with a dot behind it. */
    json_t *(*write)(const struct htmt__field *field, const void *from);
    int (*read)(const struct htmt__reading *in, const char *where, const json_t *object,
                void *into);
};

/* Rows: of a member, of one that may be missing, and of one that is only written. What else a row
 * has is written down by name. */
#define HTMT__FIELD_AT(type, name, kind_of, member)                                                \
    .key = (name), .kind = HTMT__FIELD_##kind_of, .at = offsetof(type, member),                    \
    .room = sizeof(((type *)NULL)->member)
#define HTMT__FIELD(type, name, kind_of, member)                                                   \
    {                                                                                              \
        HTMT__FIELD_AT(type, name, kind_of, member)                                                \
    }
#define HTMT__FIELD_OPTIONAL(type, name, kind_of, member)                                          \
    {                                                                                              \
        HTMT__FIELD_AT(type, name, kind_of, member), .optional = true                              \
    }
#define HTMT__FIELD_WRITTEN(type, name, kind_of, member)                                           \
    {                                                                                              \
        HTMT__FIELD_AT(type, name, kind_of, member), .optional = true, .only_written = true        \
    }
/* The items that type.items points to, type.number of them. */
#define HTMT__FIELD_ARRAY(type, name, table, items, number)                                        \
    .key = (name), .kind = HTMT__FIELD_ITEMS, .at = offsetof(type, items), .of = (table),          \
    .size = sizeof *((type *)NULL)->items, .count = offsetof(type, number)
#define HTMT__FIELD_END                                                                            \
    {                                                                                              \
        .key = NULL                                                                                \
    }

/* The object of a struct, and the value of one member by its kind alone. NULL: out of memory. */
json_t *htmt__fields_write(const struct htmt__field *fields, const void *from);
json_t *htmt__fields_value(const struct htmt__field *field, const void *from);
/* Adds the keys of a table to an object. Takes the reference, also NULL; returns it or NULL. */
json_t *htmt__fields_add(json_t *object, const struct htmt__field *fields, const void *from);
/* A number, or null: JSON has no infinity. */
json_t *htmt__fields_real(double value);
/* Appends and takes the reference, also NULL; if it fails, the array is dropped and *array NULL. */
void htmt__fields_append(json_t **array, json_t *item);

/* Fills the struct. What is missing or of another type is refused: "run.json: resources[2].busy_s:
 * found 'x', expected a number". `where` is as above. Errors: HTMT_EFORMAT, HTMT_ENOMEM. */
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
