/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A generator makes operations of a profile: a tape, service by service. Loops that a profile has
 * as patterns run as they did; what it has as mixtures and distances comes in an order that follows
 * from the seed alone.
 */
#ifndef HTMT_LAYERS_NODE_GENERATOR_H
#define HTMT_LAYERS_NODE_GENERATOR_H

#include "layers/node/profile.h"

struct htmt__generator;

/* The profile outlives it. Errors: HTMT_ENOMEM. */
int htmt__generator_new(struct htmt__generator **generator, const struct htmt__profile *profile,
                        uint64_t seed);
void htmt__generator_free(struct htmt__generator *generator);
/* The operations of the next service, without the entry of its end. A profile's services are those
 * of its trace; then it begins anew. Errors: HTMT_ENOMEM, those of the sink. */
int htmt__generator_service(struct htmt__generator *generator, struct htmt__tape_writer *out);

#endif
