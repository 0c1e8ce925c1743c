/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/text: numbers and tables for people; it includes nothing else of emul.
 *
 * Formats numbers for reports: SI prefixes, percentages, grouped counts. Four significant digits;
 * no program reads them back.
 */
#ifndef HTMT_EMUL_LIB_TEXT_FORMAT_H
#define HTMT_EMUL_LIB_TEXT_FORMAT_H

#include "runtime/base/ratio.h"

/* A number with its unit, by value. htmt__format_si(2e-3, "s").s lives to the end of the full
 * expression. It may stand in a compound literal, but not in an initializer. */
struct htmt__number {
    char s[48];
};

/* 1.5e9, "flop/s" -> "1.500 Gflop/s"; prefixes from k to E, for seconds from f; outside of them
 * an exponent. Not finite: "-". */
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
