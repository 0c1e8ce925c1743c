/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_RUNTIME_BASE_JSON_TEXT_H
#define HTMT_RUNTIME_BASE_JSON_TEXT_H

#include <jansson.h>

/* A string; bytes that are no UTF-8 become '?'. NULL: out of memory. */
json_t *htmt__json_text(const char *text);

#endif
