/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is left out under sanitizers. The plain build answers for numbers; a sanitizer takes several
 * times as long, and sees what is done to memory in the first few of many cases.
 */
#ifndef HTMT_TESTS_RUNTIME_SHARE_H
#define HTMT_TESTS_RUNTIME_SHARE_H

#include <stdbool.h>
#include <stdlib.h>

/* A sanitizer watches, and HTMT_LONG is off. */
static inline bool only_memory(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return !getenv("HTMT_LONG");
#else
    return false;
#endif
}

/* Of so many cases, or of those of them that something happens in: an eighth, at least one. */
static inline unsigned share_of(unsigned cases)
{
    return only_memory() ? (cases + 7) / 8 : cases;
}

#endif
