/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A strict reader of a small part of YAML: one document of mappings, sequences and scalars, every
 * node with the line it stands on. Anchors, aliases, tags and repeated keys are refused. All
 * scalars are text; what they mean is for the caller to decide.
 */
#ifndef HTMT_LAYERS_FILE_YAML_H
#define HTMT_LAYERS_FILE_YAML_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum htmt_yaml_kind { HTMT_YAML_SCALAR, HTMT_YAML_MAPPING, HTMT_YAML_SEQUENCE };

struct htmt_yaml {
    enum htmt_yaml_kind kind;
    int line;         /* of the value, from 1 */
    const char *file; /* the name given to htmt_yaml_parse(); belongs to the caller */
    char *key;        /* in a mapping, else NULL */
    int key_line;
    char *text;                     /* of a scalar, else NULL */
    struct htmt_yaml *first, *next; /* children and siblings in the order of the file */
};

/* The tree of a text; `file` stands in messages and must outlive the tree. On success the caller
 * owns *root, a mapping. Errors: HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt_yaml_parse(const char *file, const char *text, size_t length, struct htmt_yaml **root,
                    struct htmt_fault *fault);

/* Frees and clears *root; NULL accepted. */
void htmt_yaml_destroy(struct htmt_yaml **root);

/* The child of that key, NULL when there is none. */
const struct htmt_yaml *htmt_yaml_get(const struct htmt_yaml *mapping, const char *key);

/* Refuse a node of another kind; `what` names it in the message. Errors: HTMT_EFORMAT. */
int htmt_yaml_expect(const struct htmt_yaml *node, enum htmt_yaml_kind kind, const char *what,
                     struct htmt_fault *fault);

/* Find a key that must be there. Errors: HTMT_EFORMAT, at the line of the mapping. */
int htmt_yaml_need(const struct htmt_yaml *mapping, const char *key, const char *what,
                   const struct htmt_yaml **child, struct htmt_fault *fault);

/* Refuse the first key that is not among the `count` allowed; the message names the nearest
 * allowed key, or all of them when none is near. Errors: HTMT_EFORMAT. */
int htmt_yaml_keys(const struct htmt_yaml *mapping, const char *const *allowed, unsigned count,
                   const char *what, struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
