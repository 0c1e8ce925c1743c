/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the benchmark programs share: the clock and the line in which each reports.
 *
 * A program measures each of its cases once and prints one line a case to standard output:
 *     RESULT <group> <case> <value> <unit> <work>
 * A program that measures in turns prints its lines turn after turn. bench/run.sh runs the programs
 * in turn, round after round, and compares the cases of a group turn by turn. `work` must be equal
 * for all cases of a group: it proves that all did the same.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>

struct htmt_machine;

/* Seconds on the monotonic clock. */
double bench_now(void);

/* Seconds of the processor that the program has used: a busy host adds little to them. */
double bench_used(void);
/* That the programs have used which it has started and waited for. */
double bench_used_by_children(void);

/* htmt-oct98 with `count` settings ("key=value") changed; give it to htmt_machine_destroy(). */
struct htmt_machine *bench_machine(const char *const *settings, unsigned count);

/* Prints the line. Units of which less is better: "s", "ns". More is better: "1/s". */
void bench_report(const char *group, const char *name, double value, const char *unit,
                  uint64_t work);

/* Message on standard error, exit with status 4. */
_Noreturn void bench_fail(const char *what);

#endif
