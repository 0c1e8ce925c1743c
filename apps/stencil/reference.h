/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The same equations by a plain serial program, which shares no loop with the parcels: whole fields
 * of the box, one derivative after another, products before their derivatives. It judges runs.
 */
#ifndef HTMT_APPS_STENCIL_REFERENCE_H
#define HTMT_APPS_STENCIL_REFERENCE_H

#include "apps/stencil/loops.h"
#include "runtime/base/error.h"

struct htmt__stencil_reference;

/* Fields of cells[0] x cells[1] x cells[2] cells, zero. HTMT_ENOMEM. */
int htmt__stencil_reference_create(const uint32_t cells[3], const struct htmt__stencil_gas *gas,
                                   struct htmt__stencil_reference **reference,
                                   struct htmt_fault *fault);
void htmt__stencil_reference_destroy(struct htmt__stencil_reference **reference);
/* Component c of all cells, x fastest: rho, rho u, rho v, rho w, rho E. */
double *htmt__stencil_reference_field(struct htmt__stencil_reference *r, unsigned c);
/* R(U) of the fields, in the same order; valid until the next call. */
const double *htmt__stencil_reference_rate(struct htmt__stencil_reference *r, unsigned c);
/* A step of the Runge-Kutta method. */
void htmt__stencil_reference_step(struct htmt__stencil_reference *r, double dt);

#endif
