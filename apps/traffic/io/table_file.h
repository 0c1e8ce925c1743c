/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of traffic as files: docs/traffic.md has their keys.
 */
#ifndef HTMT_APPS_TRAFFIC_IO_TABLE_FILE_H
#define HTMT_APPS_TRAFFIC_IO_TABLE_FILE_H

#include "apps/traffic/io/table.h"

#define HTMT__TRAFFIC_PATH 1024

/* The path of a table by NAME or FILE. Errors: HTMT_ENOENT. */
int htmt__traffic_table_path(const char *name, char path[HTMT__TRAFFIC_PATH],
                             struct htmt_fault *fault);

/* Reads the file, which is not completed yet; `path` must outlive the table. Errors: HTMT_EFORMAT,
 * HTMT_EUNIT, HTMT_ERANGE (a line with file and line), HTMT_ENOENT, HTMT_EIO, HTMT_ENOMEM. */
int htmt__traffic_table_read(const char *path, struct htmt__traffic_table *t,
                             struct htmt_fault *fault);

/* The number of its nodes alone; 0: it cannot be read. */
uint32_t htmt__traffic_table_nodes(const char *name);

#endif
