/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What belongs to the whole process, for libraries that think so, too. The lock is a global
 * variable, one of the few (docs/architecture.md).
 */
#ifndef HTMT_RUNTIME_BASE_PROCESS_H
#define HTMT_RUNTIME_BASE_PROCESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the process at once, without temporary files, with this line on standard error and the exit
 * status of the code: where a library would abort. */
void htmt_process_end(int code, const char *line) __attribute__((noreturn));

/* One lock for calls of libraries that change what they keep for all of the process, as FFTW's
 * planner does. Plug-ins that bring the same library share it. Not to be locked twice. */
void htmt_process_lock(void);
void htmt_process_unlock(void);

#ifdef __cplusplus
}
#endif

#endif
