/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of the unknowns of cns.c.
 */
#ifndef HTMT_TESTS_SOURCE_CNS_H
#define HTMT_TESTS_SOURCE_CNS_H

#ifndef NS
#define NS 9
#endif

enum { IRHO, IMX, IMY, IMZ, IENE, IRY1 };                                         /* conserved */
enum { QRHO, QU, QV, QW, QPRES, QTEMP, QE, QY1, QX1 = QY1 + NS, QH1 = QX1 + NS }; /* primitive */

#endif
