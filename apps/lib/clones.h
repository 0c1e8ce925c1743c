/* SPDX-License-Identifier: BSD-3-Clause
 *
 * HTMT__CLONES(TARGETS...) before a function: a copy for each target, of which the loader picks the
 * best that the processor can run. Plain code in builds with a sanitizer, which cannot start before
 * that choice, and by Clang, whose clones other files cannot call. HTMT__HAS_CLONES tells which.
 */
#ifndef HTMT_APPS_LIB_CLONES_H
#define HTMT_APPS_LIB_CLONES_H

#if defined __x86_64__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ &&                   \
    !defined __SANITIZE_THREAD__
#define HTMT__HAS_CLONES  1
#define HTMT__CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define HTMT__HAS_CLONES 0
#define HTMT__CLONES(...)
#endif

#endif
