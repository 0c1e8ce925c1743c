/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files: the application constants that a paper gives (cycles of a stage, words of code,
 * coefficients), each with its source, read as strictly as machine files. An application passes
 * a table of the dotted keys that it knows; the file has exactly these. Their kinds are
 *
 *     HTMT_UNIT_COUNT       "3": a whole number
 *     HTMT_UNIT_SHARE       "0.88", "50 %"
 *     HTMT_UNIT_CYCLES      "140500 cycles", whole
 *     HTMT_UNIT_OPERATIONS  "200 flop", "2 iop", "2 word" or "2 op": whole
 *     HTMT_UNIT_SIZE        "3000 words", "24 KiB"
 *
 * with bounds for all but HTMT_UNIT_SHARE, inclusive. Both bounds the same: the program has and
 * moves so many, whatever a file says. No upper bound: any.
 */
#ifndef HTMT_LAYERS_FILE_COSTS_H
#define HTMT_LAYERS_FILE_COSTS_H

#include "layers/file/figure.h"
#include "layers/file/schema.h"
#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Keys and values; plain data, changed by nobody after it was loaded. */
struct htmt_costs {
    char name[64]; /* "cannon-amaral" */
    char app[32];
    unsigned count;
    struct htmt_figure *figure; /* in the order of the application's rows */
    struct htmt_ratio *value;   /* of the same index */
    uint64_t hash;              /* FNV-1a 64 of keys and exact values, in that order */
};

/* Load by name (NAME.yaml in the folders of HTMT_COSTS_PATH, when it is not set among the shipped
 * files) or by path.
 * `set` holds "key=value" strings applied last. Every key must be there and no other may.
 * Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE, HTMT_ENOMEM, HTMT_EIO. */
int htmt_costs_load(const char *name, const char *app, const struct htmt_schema_row *rows,
                    const char *const *set, unsigned set_count, struct htmt_costs **costs,
                    struct htmt_fault *fault);

/* The same from text; `name` stands where the file's name would in messages. */
int htmt_costs_parse(const char *name, const char *text, const char *app,
                     const struct htmt_schema_row *rows, struct htmt_costs **costs,
                     struct htmt_fault *fault);

/* A figure as it stands in the file, whatever the application. Errors: as htmt_costs_load();
 * HTMT_EINVAL (no such key). */
int htmt_costs_figure(const char *name, const char *key, struct htmt_figure *figure,
                      struct htmt_fault *fault);

/* Refuse the value of a key for a reason that no row can tell: "c.yaml:9: cast.alpha: found 0,
 * expected more than 0"; returns HTMT_ERANGE. */
int htmt_costs_refuse(const struct htmt_costs *costs, const char *key, const char *expected,
                      struct htmt_fault *fault);

/* All figures of a file, in its order; *figure is to be freed. Errors: as htmt_costs_load(). */
int htmt_costs_figures(const char *name, struct htmt_figure **figure, unsigned *count,
                       struct htmt_fault *fault);

/* Frees and clears *costs; NULL accepted. */
void htmt_costs_destroy(struct htmt_costs **costs);

/* The value of a key that was asked for at loading; undefined for any other key. The second is
 * for keys of a whole kind: all but HTMT_UNIT_SHARE. */
struct htmt_ratio htmt_costs_ratio(const struct htmt_costs *costs, const char *key);
uint64_t htmt_costs_whole(const struct htmt_costs *costs, const char *key);

#ifdef __cplusplus
}
#endif

#endif
