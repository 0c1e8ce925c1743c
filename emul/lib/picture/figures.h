/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of a machine as a picture shows them: as the file writes them, with a number for their
 * source, which stands in a list below.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_FIGURES_H
#define HTMT_EMUL_LIB_PICTURE_FIGURES_H

#include "layers/machine/machine.h"

#define HTMT__SOURCES_MAX 60

/* A short text, by value; it lives to the end of the full expression. */
struct htmt__phrase {
    char s[120];
};

/* What does not fit is cut. */
struct htmt__phrase htmt__phrase(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct htmt__cited {
    const struct htmt_machine *machine;
    const char *source[HTMT__SOURCES_MAX]; /* in the order of their first use */
    unsigned sources;
};

/* "500 MHz [1]" of a key such as "layers.dram.processor.clock"; empty: no such figure, or it is not
 * modelled. A source is counted when it is first shown. */
struct htmt__phrase htmt__figure(struct htmt__cited *figures, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Words in a unit that leaves no fraction, "32 MiB" or "4 Mword"; many are rounded: "524.3 Mword".
 */
struct htmt__phrase htmt__words_phrase(htmt_uwide words);
/* "40 Gword/s". `word`: fs; zero: not modelled, empty. */
struct htmt__phrase htmt__rate_phrase(uint64_t channels, struct htmt_ratio word);

#endif
