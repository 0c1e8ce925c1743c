/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program with one application, linked with libhtmt:
 *
 *     int main(int argc, char **argv)
 *     {
 *         return htmt_main(argc, argv, &app);
 *     }
 *
 * It is called as `./jacobi run --size 1000`, with the verbs run, model, predict, machine and help
 * and those of the application, and the options, reports and exit statuses of the htmt command.
 */
#ifndef HTMT_EMUL_PROGRAM_H
#define HTMT_EMUL_PROGRAM_H

#include "apps/lib/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Carries out the command line and returns the exit status. Signals that end a process are handled
 * from here on: the first Ctrl-C ends a run with its report. */
int htmt_main(int argc, char **argv, const struct htmt_app *app);

#ifdef __cplusplus
}
#endif

#endif
