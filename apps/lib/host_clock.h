/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's clock, for the walls of an outcome. No prediction may depend on it.
 */
#ifndef HTMT_APPS_LIB_HOST_CLOCK_H
#define HTMT_APPS_LIB_HOST_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some moment before; never goes back. Any thread. */
double htmt_host_seconds(void);

/* Seconds since *since, which becomes now. */
double htmt_host_elapsed(double *since);

#ifdef __cplusplus
}
#endif

#endif
