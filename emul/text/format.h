/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers as a person reads them: SI prefixes, percentages, grouped counts. Four significant
 * digits; for reports only, never read back.
 */
#ifndef HTMT_EMUL_TEXT_FORMAT_H
#define HTMT_EMUL_TEXT_FORMAT_H

#include "runtime/base/ratio.h"

/* A number with its unit, by value: htmt__format_si(2e-3, "s").s lives to the end of the full
 * expression, which an element of an initializer ends and an element of a compound literal does
 * not. */
struct htmt__number {
    char s[48];
};

/* 1.5e9, "flop/s" -> "1.500 Gflop/s"; prefixes from k to E, of seconds from f, plain exponents
 * outside. Not finite:
 * "-". */
struct htmt__number htmt__format_si(double value, const char *unit);

/* Virtual times: "12.35 us". */
struct htmt__number htmt__format_fs(htmt_wide fs);

/* 1234567 -> "1,234,567". */
struct htmt__number htmt__format_count(uint64_t n);

/* 0.1234 -> "12.3 %"; tiny but not zero: "<0.1 %". */
struct htmt__number htmt__format_share(double share);

/* 16 lower-case hexadecimal digits. */
struct htmt__number htmt__format_hash(uint64_t hash);

#endif
