/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A closed form as rows, each a term whose text is what is evaluated (apps/lib/formula.h) and what
 * `predict` prints: each row stands below the last one of a smaller depth. Times are femtoseconds,
 * rates are per femtosecond and percentages are shares, until they are printed.
 *
 * A name in a text is that of another row or of a value that the application has set; of a row in a
 * scope, "Range Line", first that of the scope, "Range Line, inject".
 */
#ifndef HTMT_APPS_LIB_TERM_TREE_H
#define HTMT_APPS_LIB_TERM_TREE_H

#include "apps/lib/exact.h"
#include "apps/lib/steps.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_TERM_HIDDEN 99 /* depth of a row that others use and nobody prints */

enum htmt_term_rounding { HTMT_TERM_EXACT, HTMT_TERM_HALF_UP, HTMT_TERM_DOWN };

/* What one of the servers of the tree's user takes for so many operations or words, in fs; -1: it
 * overflows. Those of apps/lib/servers.h are such services. */
typedef htmt_time htmt_term_service(const void *user, unsigned server, uint64_t count);

struct htmt_term_row {
    unsigned depth;
    const char *name; /* NULL: end of the rows; "": that of the scope */
    const char *meaning;
    const char *unit;           /* "s", "words", "flop/s", "%", "1" */
    const char *text;           /* NULL: the application sets the value, by its function `by` */
    const char *by;             /* of a service: what serves what, "words, SRAM to CRAM" */
    htmt_term_service *service; /* of the count that the text gives; NULL: the text is the term */
    unsigned server;
    enum htmt_term_rounding rounding;
    bool may_divide_by_zero; /* and is 0 then: a share of nothing, or a rate in no time */
};

/* Rows: a term; one that is served; one that its text gives, rounded; a share or rate; one that the
 * application sets; a part that is not printed. */
#define HTMT_ROW(depth, unit, name, text, meaning)                                                 \
    {                                                                                              \
        depth, name, meaning, unit, text, NULL, NULL, 0, HTMT_TERM_EXACT, false                    \
    }
#define HTMT_ROW_SERVED(depth, name, text, by, service, server, meaning)                           \
    {                                                                                              \
        depth, name, meaning, "s", text, by, service, server, HTMT_TERM_EXACT, false               \
    }
#define HTMT_ROW_ROUNDED(depth, unit, name, text, rounding, meaning)                               \
    {                                                                                              \
        depth, name, meaning, unit, text, NULL, NULL, 0, rounding, false                           \
    }
#define HTMT_ROW_QUOTIENT(unit, name, text, meaning)                                               \
    {                                                                                              \
        0, name, meaning, unit, text, NULL, NULL, 0, HTMT_TERM_EXACT, true                         \
    }
#define HTMT_ROW_COMPUTED(depth, unit, name, by, meaning)                                          \
    {                                                                                              \
        depth, name, meaning, unit, NULL, by, NULL, 0, HTMT_TERM_EXACT, false                      \
    }
#define HTMT_ROW_PART(unit, name, text) HTMT_ROW(HTMT_TERM_HIDDEN, unit, name, text, "a part")
#define HTMT_ROWS_END                                                                              \
    {                                                                                              \
        .name = NULL                                                                               \
    }

struct htmt_term_tree;

/* `user` is handed to the services. The caller destroys it; NULL is accepted there. Errors:
 * HTMT_ENOMEM. */
int htmt_term_tree_create(const void *user, struct htmt_term_tree **tree, struct htmt_fault *fault);
void htmt_term_tree_destroy(struct htmt_term_tree **tree);

/* Rows, so much deeper than they say; HTMT_TERM_HIDDEN hides them all. The scope (NULL: none) and
 * rows are kept. A name that is taken or has, with its scope, more than 61 bytes, a row without a
 * unit, and more than 512 rows and values, are refused by htmt_term_tree_evaluate(). */
void htmt_term_tree_add(struct htmt_term_tree *tree, const char *scope, unsigned depth,
                        const struct htmt_term_row *rows);

/* The value of a row without text, else of a name that no row has. */
void htmt_term_tree_set(struct htmt_term_tree *tree, const char *scope, const char *name,
                        const char *unit, struct htmt_exact value);
void htmt_term_tree_set_time(struct htmt_term_tree *tree, const char *scope, const char *name,
                             htmt_wide fs);
void htmt_term_tree_set_count(struct htmt_term_tree *tree, const char *scope, const char *name,
                              uint64_t n);

/* Many counts at once, each as by htmt_term_tree_set_count() without a scope. */
struct htmt_term_count {
    const char *name;
    uint64_t n;
};
void htmt_term_tree_set_counts(struct htmt_term_tree *tree, const struct htmt_term_count *of,
                               size_t count);

/* All rows. Errors: HTMT_EINVAL (a text has an unknown name, or needs itself), HTMT_EFORMAT,
 * HTMT_EOVERFLOW, HTMT_ERANGE (division by zero); what could not be added or set: HTMT_EINVAL. */
int htmt_term_tree_evaluate(struct htmt_term_tree *tree, struct htmt_fault *fault);

/* After that: a value, and the integer that one is (a programming fault unless it is). */
struct htmt_exact htmt_term_tree_value(const struct htmt_term_tree *tree, const char *name);
htmt_wide htmt_term_tree_whole(const struct htmt_term_tree *tree, const char *name);

/* The lines of `predict`, behind those that are there; of rows that have no value none. Texts that
 * are longer than their place in struct htmt_term are cut off. */
void htmt_term_tree_tell(const struct htmt_term_tree *tree, struct htmt_prediction *out);

#ifdef __cplusplus
}
#endif

#endif
