/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a request asks for: its options, machine, cost file and seed. What it gives out belongs to
 * it and lasts as long. The step functions of an application and the members `slices` and `run` of
 * struct htmt_app and htmt_app_verb get it, on one thread.
 */
#ifndef HTMT_APPS_LIB_REQUEST_H
#define HTMT_APPS_LIB_REQUEST_H

#include "apps/lib/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Without a cost file or a machine, as in a verb of the application's own, NULL and 0. */
const struct htmt_machine *htmt_request_machine(const struct htmt_request *r);
/* Slices that take part: those that were asked for or chosen, else all of the machine. */
uint32_t htmt_request_slices(const struct htmt_request *r);
/* A prediction is a model run here. */
enum htmt_mode htmt_request_mode(const struct htmt_request *r);
/* Of --fold; the step prepare may promise more. */
enum htmt_symmetry htmt_request_symmetry(const struct htmt_request *r);
uint64_t htmt_request_seed(const struct htmt_request *r);
uint32_t htmt_request_threads(const struct htmt_request *r); /* of the host */
/* Processes of the run; 1: it is alone. Which of them plays a slice: htmt_slice_here(). */
uint32_t htmt_request_ranks(const struct htmt_request *r);

/* The cost file, NAME or FILE as given, for htmt_costs_load(); NULL: the kernels' own counts. Only
 * applications with htmt_app.reads_costs get one. */
const char *htmt_request_costs(const struct htmt_request *r);
/* *count texts "key=value", figures of that file to be changed. */
const char *const *htmt_request_cost_set(const struct htmt_request *r, unsigned *count);

/* Whether the plan fits the machine is all that is asked. */
bool htmt_request_plan_only(const struct htmt_request *r);
/* Warnings are errors. */
bool htmt_request_strict(const struct htmt_request *r);
/* The application is to name its iterations by htmt_section(). */
bool htmt_request_sections(const struct htmt_request *r);
/* A line of progress is shown: htmt_task_expected() has a use. */
bool htmt_request_progress(const struct htmt_request *r);

/* ---- options -------------------------------------------------------------------------------- */

/* Each refusal is one line that names the option, what was found and what was expected. An option
 * that was not given and has no fallback leaves the result as it is. */

/* Value of an option by name, "" for a switch that was given; NULL when it was not given and has no
 * fallback. */
const char *htmt_request_value(const struct htmt_request *r, const char *name);

/* A whole number. Errors: HTMT_EUSAGE (none), HTMT_ERANGE. */
int htmt_request_whole(const struct htmt_request *r, const char *name, uint64_t least,
                       uint64_t most, uint64_t *value, struct htmt_fault *fault);
/* The same for what is known to fit 32 bits. */
int htmt_request_whole32(const struct htmt_request *r, const char *name, uint32_t least,
                         uint32_t most, uint32_t *value, struct htmt_fault *fault);

/* `count` finite numbers with commas between them. Errors: HTMT_EUSAGE. */
int htmt_request_reals(const struct htmt_request *r, const char *name, unsigned count,
                       double *values, struct htmt_fault *fault);

/* One finite number. Errors: HTMT_EUSAGE, HTMT_ERANGE. */
int htmt_request_real(const struct htmt_request *r, const char *name, double least, double most,
                      double *value, struct htmt_fault *fault);

/* Position of the value among `words`, which end with NULL. Errors: HTMT_EUSAGE. */
int htmt_request_choice(const struct htmt_request *r, const char *name, const char *const *words,
                        unsigned *value, struct htmt_fault *fault);

/* Refuse a file name with another suffix than, for example, ".npy". A name without a suffix is
 * accepted. Errors: HTMT_EUSAGE. */
int htmt_request_suffix(const struct htmt_request *r, const char *name, const char *suffix,
                        struct htmt_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
