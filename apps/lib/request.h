/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading the values of a request's options: each refusal is one line that names the option, what
 * was found and what was expected. An option that was not given and has no fallback leaves the
 * result as it is.
 */
#ifndef HTMT_APPS_LIB_REQUEST_H
#define HTMT_APPS_LIB_REQUEST_H

#include "apps/lib/app.h"

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

#endif
