/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops of a compressible flow of NS species, as users write them: each unknown is a block of
 * nx * ny * nz words, ghost points included. Written for the tests of htmt analyze.
 */
#include "cns.h"

/* The eighth-order first derivative. */
#define ALP (4.0 / 5.0)
#define BET (-1.0 / 5.0)
#define GAM (4.0 / 105.0)
#define DEL (-1.0 / 280.0)

/* Momenta, pressure and velocities along z; the species follow the five flow unknowns. */
void hyp_z(int nx, int ny, int nz, int ng, double dzinv,
           double (*restrict cons)[nz + 2 * ng][ny][nx], double (*restrict q)[nz + 2 * ng][ny][nx],
           double (*restrict flux)[nz][ny][nx])
{
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                const int m = k + ng;
                flux[IRHO][k][j][i] -=
                    dzinv * (ALP * (cons[IMZ][m + 1][j][i] - cons[IMZ][m - 1][j][i]) +
                             BET * (cons[IMZ][m + 2][j][i] - cons[IMZ][m - 2][j][i]) +
                             GAM * (cons[IMZ][m + 3][j][i] - cons[IMZ][m - 3][j][i]) +
                             DEL * (cons[IMZ][m + 4][j][i] - cons[IMZ][m - 4][j][i]));
                flux[IMX][k][j][i] -= dzinv * (ALP * (cons[IMX][m + 1][j][i] * q[QW][m + 1][j][i] -
                                                      cons[IMX][m - 1][j][i] * q[QW][m - 1][j][i]) +
                                               BET * (cons[IMX][m + 2][j][i] * q[QW][m + 2][j][i] -
                                                      cons[IMX][m - 2][j][i] * q[QW][m - 2][j][i]) +
                                               GAM * (cons[IMX][m + 3][j][i] * q[QW][m + 3][j][i] -
                                                      cons[IMX][m - 3][j][i] * q[QW][m - 3][j][i]) +
                                               DEL * (cons[IMX][m + 4][j][i] * q[QW][m + 4][j][i] -
                                                      cons[IMX][m - 4][j][i] * q[QW][m - 4][j][i]));
                flux[IMY][k][j][i] -= dzinv * (ALP * (cons[IMY][m + 1][j][i] * q[QW][m + 1][j][i] -
                                                      cons[IMY][m - 1][j][i] * q[QW][m - 1][j][i]) +
                                               BET * (cons[IMY][m + 2][j][i] * q[QW][m + 2][j][i] -
                                                      cons[IMY][m - 2][j][i] * q[QW][m - 2][j][i]) +
                                               GAM * (cons[IMY][m + 3][j][i] * q[QW][m + 3][j][i] -
                                                      cons[IMY][m - 3][j][i] * q[QW][m - 3][j][i]) +
                                               DEL * (cons[IMY][m + 4][j][i] * q[QW][m + 4][j][i] -
                                                      cons[IMY][m - 4][j][i] * q[QW][m - 4][j][i]));
                flux[IMZ][k][j][i] -=
                    dzinv * (ALP * (cons[IMZ][m + 1][j][i] * q[QW][m + 1][j][i] -
                                    cons[IMZ][m - 1][j][i] * q[QW][m - 1][j][i] +
                                    (q[QPRES][m + 1][j][i] - q[QPRES][m - 1][j][i])) +
                             BET * (cons[IMZ][m + 2][j][i] * q[QW][m + 2][j][i] -
                                    cons[IMZ][m - 2][j][i] * q[QW][m - 2][j][i] +
                                    (q[QPRES][m + 2][j][i] - q[QPRES][m - 2][j][i])) +
                             GAM * (cons[IMZ][m + 3][j][i] * q[QW][m + 3][j][i] -
                                    cons[IMZ][m - 3][j][i] * q[QW][m - 3][j][i] +
                                    (q[QPRES][m + 3][j][i] - q[QPRES][m - 3][j][i])) +
                             DEL * (cons[IMZ][m + 4][j][i] * q[QW][m + 4][j][i] -
                                    cons[IMZ][m - 4][j][i] * q[QW][m - 4][j][i] +
                                    (q[QPRES][m + 4][j][i] - q[QPRES][m - 4][j][i])));
                flux[IENE][k][j][i] -=
                    dzinv *
                    (ALP *
                         ((cons[IENE][m + 1][j][i] + q[QPRES][m + 1][j][i]) * q[QW][m + 1][j][i] -
                          (cons[IENE][m - 1][j][i] + q[QPRES][m - 1][j][i]) * q[QW][m - 1][j][i]) +
                     BET *
                         ((cons[IENE][m + 2][j][i] + q[QPRES][m + 2][j][i]) * q[QW][m + 2][j][i] -
                          (cons[IENE][m - 2][j][i] + q[QPRES][m - 2][j][i]) * q[QW][m - 2][j][i]) +
                     GAM *
                         ((cons[IENE][m + 3][j][i] + q[QPRES][m + 3][j][i]) * q[QW][m + 3][j][i] -
                          (cons[IENE][m - 3][j][i] + q[QPRES][m - 3][j][i]) * q[QW][m - 3][j][i]) +
                     DEL *
                         ((cons[IENE][m + 4][j][i] + q[QPRES][m + 4][j][i]) * q[QW][m + 4][j][i] -
                          (cons[IENE][m - 4][j][i] + q[QPRES][m - 4][j][i]) * q[QW][m - 4][j][i]));
                for (int n = IRY1; n < IRY1 + NS; n++)
                    flux[n][k][j][i] -= dzinv * (ALP * (cons[n][m + 1][j][i] * q[QW][m + 1][j][i] -
                                                        cons[n][m - 1][j][i] * q[QW][m - 1][j][i]) +
                                                 BET * (cons[n][m + 2][j][i] * q[QW][m + 2][j][i] -
                                                        cons[n][m - 2][j][i] * q[QW][m - 2][j][i]) +
                                                 GAM * (cons[n][m + 3][j][i] * q[QW][m + 3][j][i] -
                                                        cons[n][m - 3][j][i] * q[QW][m - 3][j][i]) +
                                                 DEL * (cons[n][m + 4][j][i] * q[QW][m + 4][j][i] -
                                                        cons[n][m - 4][j][i] * q[QW][m - 4][j][i]));
            }
}
