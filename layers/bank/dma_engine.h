/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The engine that copies between the bank and the scratch memory of a slice. There is one for both
 * directions and all threads; requests are served in the order in which they come. b bytes occupy
 * it
 *
 *     startup + b / rate
 *
 * rounded once. The latency after that is that of the asking thread alone.
 *
 * The state belongs to one slice and is plain data: zeros at first.
 */
#ifndef HTMT_LAYERS_BANK_DMA_ENGINE_H
#define HTMT_LAYERS_BANK_DMA_ENGINE_H

#include "layers/model.h"

/* Zeros: no engine. */
struct htmt__dma_figures {
    struct htmt_ratio startup; /* fs */
    struct htmt_ratio read;    /* latency, fs: bank to scratch */
    struct htmt_ratio write;   /* latency, fs: scratch to bank */
    struct htmt_ratio byte;    /* fs a byte */
    uint64_t largest;          /* bytes of a request */
    uint64_t align;            /* bytes: of both addresses and of the length */
};

struct htmt__dma_engine {
    htmt_time free; /* when the last request will have passed */
    htmt_time busy; /* time that requests have occupied it */
};

/* Book a request at `now`. Returns the instant at which the asking thread goes on; *engine_free
 * gets the instant at which the engine is free (NULL accepted). -1: overflow, and nothing is
 * booked. */
htmt_time htmt__dma_book(const struct htmt__dma_figures *figures, struct htmt__dma_engine *engine,
                         htmt_time now, uint64_t bytes, bool write, htmt_time *engine_free);

/* Time that a request occupies the engine; -1: overflow. */
htmt_time htmt__dma_time(const struct htmt__dma_figures *figures, uint64_t bytes);

/* Why a request is refused, with the bound in *bound, or NULL when it is served: "larger than" or
 * "not a multiple of". `at_bank` and `at_scratch` are byte offsets of both ends. */
const char *htmt__dma_refusal(const struct htmt__dma_figures *figures, uint64_t at_bank,
                              uint64_t at_scratch, uint64_t bytes, uint64_t *bound);

#endif
