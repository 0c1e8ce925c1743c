/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors: one table of codes, and the one clear line that a person reads.
 *
 * Rule of the whole project: a function that can fail returns 0 or a negative code of this
 * table; its results travel through its last arguments and are untouched on failure. Functions
 * that read what a person wrote (files, options) take a struct htmt_fault and leave the line in it.
 * A programming fault (documented as undefined) is an assertion in checked builds, never a code.
 */
#ifndef HTMT_RUNTIME_BASE_ERROR_H
#define HTMT_RUNTIME_BASE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* XX(name, value, exit status of the htmt command, message) */
#define HTMT_ERR_MAP(XX)                                                                           \
    XX(EWRONG, -1, 1, "the result is wrong")                                                       \
    XX(EINVAL, -2, 2, "invalid argument")                                                          \
    XX(EUSAGE, -3, 2, "wrong usage")                                                               \
    XX(ENOENT, -4, 2, "no such thing")                                                             \
    XX(EFORMAT, -5, 2, "malformed input")                                                          \
    XX(EUNIT, -6, 2, "missing or wrong unit")                                                      \
    XX(ERANGE, -7, 2, "value out of range")                                                        \
    XX(EBOUNDS, -8, 3, "address outside its object")                                               \
    XX(EROUTE, -9, 3, "no network joins these places")                                             \
    XX(ECAPACITY, -10, 3, "does not fit the virtual memory")                                       \
    XX(EDEADLOCK, -11, 3, "nothing can move and work remains")                                     \
    XX(EOVERFLOW, -12, 3, "virtual time or a count overflows")                                     \
    XX(EPAST, -13, 3, "dispatch into the past")                                                    \
    XX(ECOST, -14, 4, "a kernel charged other operations than its cost function declares")         \
    XX(ENOMEM, -15, 4, "out of host memory")                                                       \
    XX(EHOSTFIT, -16, 3, "the run does not fit the host")                                          \
    XX(EIO, -17, 4, "input or output failed")                                                      \
    XX(ESYSTEM, -18, 4, "a system call failed")                                                    \
    XX(EAUDIT, -19, 4, "the accounts do not balance")                                              \
    XX(ENONDET, -20, 4, "two runs of one program differ")                                          \
    XX(ECANCELLED, -21, 4, "the run was interrupted")                                              \
    XX(ESYMMETRY, -22, 3, "the slices do not do what was said of them")                            \
    XX(ELIVELOCK, -23, 3, "events without end at one instant")                                     \
    XX(ELEFT, -24, 3, "mail or signals are left over")                                             \
    XX(EORDER, -25, 3, "nothing orders two accesses to the same bytes")

enum htmt_err {
#define HTMT_ERR_ENUM(name, value, status, text) HTMT_##name = (value),
    HTMT_ERR_MAP(HTMT_ERR_ENUM)
#undef HTMT_ERR_ENUM
};

/* "EINVAL" for HTMT_EINVAL; "OK" for 0; "EUNKNOWN" for a code that is not in the table. */
const char *htmt_err_name(int code);

/* The message of the table; "no error" for 0. */
const char *htmt_strerror(int code);

/* The exit status of the htmt command that belongs to a code: 0 for 0, 4 for unknown ones. */
int htmt_exit_status(int code);

/* One line for a person: where, what was found, what was expected. Empty when code is 0. */
struct htmt_fault {
    int code;
    char text[500];
};

/* Write the line (a cut-off line ends in "...", control characters and bytes that are no UTF-8 are
 * written "\xNN") and return code. f may be NULL. The first fault
 * stays: a second call on a fault that already has a code changes nothing and returns the first. */
int htmt_fault_set(struct htmt_fault *f, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
