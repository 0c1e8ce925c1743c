/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each loop is as the code of ExaSAT's authors has it: three loops for what has an axis, sums
 * grouped so that the operations are theirs. A derivative of order 8 takes four cells on each side:
 *
 *   D1 f_i = (1/h) sum_l a_l (f_{i+l} - f_{i-l}),  a = 4/5, -1/5, 4/105, -1/280
 *   D2 f_i = (1/h^2) (c_0 f_i + sum_l c_l (f_{i+l} + f_{i-l})),  c = -205/72, 8/5, -1/5, 8/315,
 * -1/560
 *
 * By hand: of f_i = i h, D1 is 2 (4/5 1 - 1/5 2 + 4/105 3 - 1/280 4) = 1, and D2 of (i h)^2 is
 * 2 (8/5 1 - 1/5 4 + 8/315 9 - 1/560 16) = 2.
 *
 * Pointers come flat and become arrays of three dimensions and a component at the top of each loop,
 * so that a reader of sources sees their shape.
 */
#include "apps/stencil/loops.h"

#include <math.h>

#define M      HTMT__STENCIL_MARGIN
#define FIELDS HTMT__STENCIL_FIELDS
#define STATES HTMT__STENCIL_STATES

enum { RHO, MX, MY, MZ, ENE };     /* of u, d, f */
enum { QRHO, QU, QV, QW, QP, QT }; /* of q */
enum { GU, GV, GW };               /* of a gradient */

#define A1 (4.0 / 5.0)
#define A2 (-1.0 / 5.0)
#define A3 (4.0 / 105.0)
#define A4 (-1.0 / 280.0)
#define C0 (-205.0 / 72.0)
#define C1 (8.0 / 5.0)
#define C2 (-1.0 / 5.0)
#define C3 (8.0 / 315.0)
#define C4 (-1.0 / 560.0)

/* h D1 and h^2 D2 of component c along an axis. 7 add, 4 mul; 8 add, 5 mul. */
#define D1X(f, k, j, i, c)                                                                         \
    (A1 * (f[(k)][(j)][(i) + 1][c] - f[(k)][(j)][(i)-1][c]) +                                      \
     A2 * (f[(k)][(j)][(i) + 2][c] - f[(k)][(j)][(i)-2][c]) +                                      \
     A3 * (f[(k)][(j)][(i) + 3][c] - f[(k)][(j)][(i)-3][c]) +                                      \
     A4 * (f[(k)][(j)][(i) + 4][c] - f[(k)][(j)][(i)-4][c]))
#define D2X(f, k, j, i, c)                                                                         \
    (C0 * f[(k)][(j)][(i)][c] + C1 * (f[(k)][(j)][(i) + 1][c] + f[(k)][(j)][(i)-1][c]) +           \
     C2 * (f[(k)][(j)][(i) + 2][c] + f[(k)][(j)][(i)-2][c]) +                                      \
     C3 * (f[(k)][(j)][(i) + 3][c] + f[(k)][(j)][(i)-3][c]) +                                      \
     C4 * (f[(k)][(j)][(i) + 4][c] + f[(k)][(j)][(i)-4][c]))
#define D1Y(f, k, j, i, c)                                                                         \
    (A1 * (f[(k)][(j) + 1][(i)][c] - f[(k)][(j)-1][(i)][c]) +                                      \
     A2 * (f[(k)][(j) + 2][(i)][c] - f[(k)][(j)-2][(i)][c]) +                                      \
     A3 * (f[(k)][(j) + 3][(i)][c] - f[(k)][(j)-3][(i)][c]) +                                      \
     A4 * (f[(k)][(j) + 4][(i)][c] - f[(k)][(j)-4][(i)][c]))
#define D2Y(f, k, j, i, c)                                                                         \
    (C0 * f[(k)][(j)][(i)][c] + C1 * (f[(k)][(j) + 1][(i)][c] + f[(k)][(j)-1][(i)][c]) +           \
     C2 * (f[(k)][(j) + 2][(i)][c] + f[(k)][(j)-2][(i)][c]) +                                      \
     C3 * (f[(k)][(j) + 3][(i)][c] + f[(k)][(j)-3][(i)][c]) +                                      \
     C4 * (f[(k)][(j) + 4][(i)][c] + f[(k)][(j)-4][(i)][c]))
#define D1Z(f, k, j, i, c)                                                                         \
    (A1 * (f[(k) + 1][(j)][(i)][c] - f[(k)-1][(j)][(i)][c]) +                                      \
     A2 * (f[(k) + 2][(j)][(i)][c] - f[(k)-2][(j)][(i)][c]) +                                      \
     A3 * (f[(k) + 3][(j)][(i)][c] - f[(k)-3][(j)][(i)][c]) +                                      \
     A4 * (f[(k) + 4][(j)][(i)][c] - f[(k)-4][(j)][(i)][c]))
#define D2Z(f, k, j, i, c)                                                                         \
    (C0 * f[(k)][(j)][(i)][c] + C1 * (f[(k) + 1][(j)][(i)][c] + f[(k)-1][(j)][(i)][c]) +           \
     C2 * (f[(k) + 2][(j)][(i)][c] + f[(k)-2][(j)][(i)][c]) +                                      \
     C3 * (f[(k) + 3][(j)][(i)][c] + f[(k)-3][(j)][(i)][c]) +                                      \
     C4 * (f[(k) + 4][(j)][(i)][c] + f[(k)-4][(j)][(i)][c]))

/* ---- states ---------------------------------------------------------------------------------- */

void htmt__stencil_primitive(int b, double gamma, double cv, const double *u_at, double *q_at)
{
    const int n = b + 2 * M;
    const double(*u)[n][n][FIELDS] = (const double(*)[n][n][FIELDS])u_at;
    double(*q)[n][n][STATES] = (void *)q_at;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const double rho = u[k][j][i][RHO], rho_inv = 1.0 / rho;
                const double vx = u[k][j][i][MX] * rho_inv, vy = u[k][j][i][MY] * rho_inv,
                             vz = u[k][j][i][MZ] * rho_inv;
                const double e = u[k][j][i][ENE] * rho_inv - 0.5 * (vx * vx + vy * vy + vz * vz);
                q[k][j][i][QRHO] = rho;
                q[k][j][i][QU] = vx;
                q[k][j][i][QV] = vy;
                q[k][j][i][QW] = vz;
                q[k][j][i][QP] = (gamma - 1.0) * e * rho;
                q[k][j][i][QT] = e / cv;
            }
}

/* Written out, since the sheet has no operation for it. */
static inline double modulus(double v)
{
    return v < 0 ? -v : v;
}

double htmt__stencil_courant(int b, double gamma, double h, const double *q_at, double most)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                const double c = sqrt(gamma * q[k][j][i][QP] / q[k][j][i][QRHO]);
                const double x = (c + modulus(q[k][j][i][QU])) / h,
                             y = (c + modulus(q[k][j][i][QV])) / h,
                             z = (c + modulus(q[k][j][i][QW])) / h;
                most = x > most ? x : most;
                most = y > most ? y : most;
                most = z > most ? z : most;
            }
    return most;
}

/* ---- the viscous part ------------------------------------------------------------------------ */

void htmt__stencil_no_density(int b, double *d_at)
{
    double(*d)[b][b][FIELDS] = (void *)d_at;
    for (int k = 0; k < b; k++)
        for (int j = 0; j < b; j++)
            for (int i = 0; i < b; i++)
                d[k][j][i][RHO] = 0.0;
}

void htmt__stencil_gradient_x(int b, double h_inv, const double *q_at, double *gx_at)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    double(*g)[n][b][3] = (void *)gx_at;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = M; i < b + M; i++) {
                g[k][j][i - M][GU] = D1X(q, k, j, i, QU) * h_inv;
                g[k][j][i - M][GV] = D1X(q, k, j, i, QV) * h_inv;
                g[k][j][i - M][GW] = D1X(q, k, j, i, QW) * h_inv;
            }
}

void htmt__stencil_gradient_y(int b, double h_inv, const double *q_at, double *gy_at)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    double(*g)[b][n][3] = (void *)gy_at;
    for (int k = 0; k < n; k++)
        for (int j = M; j < b + M; j++)
            for (int i = 0; i < n; i++) {
                g[k][j - M][i][GU] = D1Y(q, k, j, i, QU) * h_inv;
                g[k][j - M][i][GV] = D1Y(q, k, j, i, QV) * h_inv;
                g[k][j - M][i][GW] = D1Y(q, k, j, i, QW) * h_inv;
            }
}

void htmt__stencil_gradient_z(int b, double h_inv, const double *q_at, double *gz_at)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    double(*g)[n][n][3] = (void *)gz_at;
    for (int k = M; k < b + M; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                g[k - M][j][i][GU] = D1Z(q, k, j, i, QU) * h_inv;
                g[k - M][j][i][GV] = D1Z(q, k, j, i, QV) * h_inv;
                g[k - M][j][i][GW] = D1Z(q, k, j, i, QW) * h_inv;
            }
}

void htmt__stencil_momentum_x(int b, double h_inv, double eta, const double *q_at,
                              const double *gy_at, const double *gz_at, double *d_at)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    const double(*gy)[b][n][3] = (const double(*)[b][n][3])gy_at;
    const double(*gz)[n][n][3] = (const double(*)[n][n][3])gz_at;
    double(*d)[b][b][FIELDS] = (void *)d_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                const double along = D2X(q, k, j, i, QU) * h_inv * h_inv,
                             across_y = D2Y(q, k, j, i, QU) * h_inv * h_inv,
                             across_z = D2Z(q, k, j, i, QU) * h_inv * h_inv,
                             mixed_y = D1X(gy, k, j - M, i, GV) * h_inv,
                             mixed_z = D1X(gz, k - M, j, i, GW) * h_inv;
                d[k - M][j - M][i - M][MX] = eta * (4.0 / 3.0 * along + across_y + across_z +
                                                    1.0 / 3.0 * (mixed_y + mixed_z));
            }
}

void htmt__stencil_momentum_y(int b, double h_inv, double eta, const double *q_at,
                              const double *gx_at, const double *gz_at, double *d_at)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    const double(*gx)[n][b][3] = (const double(*)[n][b][3])gx_at;
    const double(*gz)[n][n][3] = (const double(*)[n][n][3])gz_at;
    double(*d)[b][b][FIELDS] = (void *)d_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                const double along = D2Y(q, k, j, i, QV) * h_inv * h_inv,
                             across_x = D2X(q, k, j, i, QV) * h_inv * h_inv,
                             across_z = D2Z(q, k, j, i, QV) * h_inv * h_inv,
                             mixed_x = D1Y(gx, k, j, i - M, GU) * h_inv,
                             mixed_z = D1Y(gz, k - M, j, i, GW) * h_inv;
                d[k - M][j - M][i - M][MY] = eta * (4.0 / 3.0 * along + across_x + across_z +
                                                    1.0 / 3.0 * (mixed_x + mixed_z));
            }
}

void htmt__stencil_momentum_z(int b, double h_inv, double eta, const double *q_at,
                              const double *gx_at, const double *gy_at, double *d_at)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    const double(*gx)[n][b][3] = (const double(*)[n][b][3])gx_at;
    const double(*gy)[b][n][3] = (const double(*)[b][n][3])gy_at;
    double(*d)[b][b][FIELDS] = (void *)d_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                const double along = D2Z(q, k, j, i, QW) * h_inv * h_inv,
                             across_x = D2X(q, k, j, i, QW) * h_inv * h_inv,
                             across_y = D2Y(q, k, j, i, QW) * h_inv * h_inv,
                             mixed_x = D1Z(gx, k, j, i - M, GU) * h_inv,
                             mixed_y = D1Z(gy, k, j - M, i, GV) * h_inv;
                d[k - M][j - M][i - M][MZ] = eta * (4.0 / 3.0 * along + across_x + across_y +
                                                    1.0 / 3.0 * (mixed_x + mixed_y));
            }
}

void htmt__stencil_energy(int b, double h_inv, double eta, double lambda, const double *q_at,
                          const double *gx_at, const double *gy_at, const double *gz_at,
                          double *d_at)
{
    const int n = b + 2 * M;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    const double(*gx)[n][b][3] = (const double(*)[n][b][3])gx_at;
    const double(*gy)[b][n][3] = (const double(*)[b][n][3])gy_at;
    const double(*gz)[n][n][3] = (const double(*)[n][n][3])gz_at;
    double(*d)[b][b][FIELDS] = (void *)d_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                const double txx = D2X(q, k, j, i, QT) * h_inv * h_inv,
                             tyy = D2Y(q, k, j, i, QT) * h_inv * h_inv,
                             tzz = D2Z(q, k, j, i, QT) * h_inv * h_inv;
                const double ux = gx[k][j][i - M][GU], vx = gx[k][j][i - M][GV],
                             wx = gx[k][j][i - M][GW];
                const double uy = gy[k][j - M][i][GU], vy = gy[k][j - M][i][GV],
                             wy = gy[k][j - M][i][GW];
                const double uz = gz[k - M][j][i][GU], vz = gz[k - M][j][i][GV],
                             wz = gz[k - M][j][i][GW];
                const double part = 2.0 / 3.0 * (ux + vy + wz);
                const double xx = 2.0 * ux - part, yy = 2.0 * vy - part, zz = 2.0 * wz - part;
                const double xy = uy + vx, xz = uz + wx, yz = vz + wy;
                const double work = xx * ux + yy * vy + zz * wz + xy * xy + xz * xz + yz * yz;
                const double carried = eta * work + d[k - M][j - M][i - M][MX] * q[k][j][i][QU] +
                                       d[k - M][j - M][i - M][MY] * q[k][j][i][QV] +
                                       d[k - M][j - M][i - M][MZ] * q[k][j][i][QW];
                d[k - M][j - M][i - M][ENE] = lambda * (txx + tyy + tzz) + carried;
            }
}

/* ---- the hyperbolic part ---------------------------------------------------------------------
 *
 * h D1 along an axis of a product with the velocity v along it: of the momentum along the axis with
 * the pressure beside it, of another momentum, of the energy. 15 add, 12 mul; 7, 12; 15, 20.
 */
#define WITH_PRESSURE_X(c)                                                                         \
    (A1 * (u[k][j][i + 1][c] * q[k][j][i + 1][QU] - u[k][j][i - 1][c] * q[k][j][i - 1][QU] +       \
           (q[k][j][i + 1][QP] - q[k][j][i - 1][QP])) +                                            \
     A2 * (u[k][j][i + 2][c] * q[k][j][i + 2][QU] - u[k][j][i - 2][c] * q[k][j][i - 2][QU] +       \
           (q[k][j][i + 2][QP] - q[k][j][i - 2][QP])) +                                            \
     A3 * (u[k][j][i + 3][c] * q[k][j][i + 3][QU] - u[k][j][i - 3][c] * q[k][j][i - 3][QU] +       \
           (q[k][j][i + 3][QP] - q[k][j][i - 3][QP])) +                                            \
     A4 * (u[k][j][i + 4][c] * q[k][j][i + 4][QU] - u[k][j][i - 4][c] * q[k][j][i - 4][QU] +       \
           (q[k][j][i + 4][QP] - q[k][j][i - 4][QP])))
#define CARRIED_X(c)                                                                               \
    (A1 * (u[k][j][i + 1][c] * q[k][j][i + 1][QU] - u[k][j][i - 1][c] * q[k][j][i - 1][QU]) +      \
     A2 * (u[k][j][i + 2][c] * q[k][j][i + 2][QU] - u[k][j][i - 2][c] * q[k][j][i - 2][QU]) +      \
     A3 * (u[k][j][i + 3][c] * q[k][j][i + 3][QU] - u[k][j][i - 3][c] * q[k][j][i - 3][QU]) +      \
     A4 * (u[k][j][i + 4][c] * q[k][j][i + 4][QU] - u[k][j][i - 4][c] * q[k][j][i - 4][QU]))
#define ENERGY_X                                                                                   \
    (A1 * (u[k][j][i + 1][ENE] * q[k][j][i + 1][QU] - u[k][j][i - 1][ENE] * q[k][j][i - 1][QU] +   \
           (q[k][j][i + 1][QP] * q[k][j][i + 1][QU] - q[k][j][i - 1][QP] * q[k][j][i - 1][QU])) +  \
     A2 * (u[k][j][i + 2][ENE] * q[k][j][i + 2][QU] - u[k][j][i - 2][ENE] * q[k][j][i - 2][QU] +   \
           (q[k][j][i + 2][QP] * q[k][j][i + 2][QU] - q[k][j][i - 2][QP] * q[k][j][i - 2][QU])) +  \
     A3 * (u[k][j][i + 3][ENE] * q[k][j][i + 3][QU] - u[k][j][i - 3][ENE] * q[k][j][i - 3][QU] +   \
           (q[k][j][i + 3][QP] * q[k][j][i + 3][QU] - q[k][j][i - 3][QP] * q[k][j][i - 3][QU])) +  \
     A4 * (u[k][j][i + 4][ENE] * q[k][j][i + 4][QU] - u[k][j][i - 4][ENE] * q[k][j][i - 4][QU] +   \
           (q[k][j][i + 4][QP] * q[k][j][i + 4][QU] - q[k][j][i - 4][QP] * q[k][j][i - 4][QU])))
#define WITH_PRESSURE_Y(c)                                                                         \
    (A1 * (u[k][j + 1][i][c] * q[k][j + 1][i][QV] - u[k][j - 1][i][c] * q[k][j - 1][i][QV] +       \
           (q[k][j + 1][i][QP] - q[k][j - 1][i][QP])) +                                            \
     A2 * (u[k][j + 2][i][c] * q[k][j + 2][i][QV] - u[k][j - 2][i][c] * q[k][j - 2][i][QV] +       \
           (q[k][j + 2][i][QP] - q[k][j - 2][i][QP])) +                                            \
     A3 * (u[k][j + 3][i][c] * q[k][j + 3][i][QV] - u[k][j - 3][i][c] * q[k][j - 3][i][QV] +       \
           (q[k][j + 3][i][QP] - q[k][j - 3][i][QP])) +                                            \
     A4 * (u[k][j + 4][i][c] * q[k][j + 4][i][QV] - u[k][j - 4][i][c] * q[k][j - 4][i][QV] +       \
           (q[k][j + 4][i][QP] - q[k][j - 4][i][QP])))
#define CARRIED_Y(c)                                                                               \
    (A1 * (u[k][j + 1][i][c] * q[k][j + 1][i][QV] - u[k][j - 1][i][c] * q[k][j - 1][i][QV]) +      \
     A2 * (u[k][j + 2][i][c] * q[k][j + 2][i][QV] - u[k][j - 2][i][c] * q[k][j - 2][i][QV]) +      \
     A3 * (u[k][j + 3][i][c] * q[k][j + 3][i][QV] - u[k][j - 3][i][c] * q[k][j - 3][i][QV]) +      \
     A4 * (u[k][j + 4][i][c] * q[k][j + 4][i][QV] - u[k][j - 4][i][c] * q[k][j - 4][i][QV]))
#define ENERGY_Y                                                                                   \
    (A1 * (u[k][j + 1][i][ENE] * q[k][j + 1][i][QV] - u[k][j - 1][i][ENE] * q[k][j - 1][i][QV] +   \
           (q[k][j + 1][i][QP] * q[k][j + 1][i][QV] - q[k][j - 1][i][QP] * q[k][j - 1][i][QV])) +  \
     A2 * (u[k][j + 2][i][ENE] * q[k][j + 2][i][QV] - u[k][j - 2][i][ENE] * q[k][j - 2][i][QV] +   \
           (q[k][j + 2][i][QP] * q[k][j + 2][i][QV] - q[k][j - 2][i][QP] * q[k][j - 2][i][QV])) +  \
     A3 * (u[k][j + 3][i][ENE] * q[k][j + 3][i][QV] - u[k][j - 3][i][ENE] * q[k][j - 3][i][QV] +   \
           (q[k][j + 3][i][QP] * q[k][j + 3][i][QV] - q[k][j - 3][i][QP] * q[k][j - 3][i][QV])) +  \
     A4 * (u[k][j + 4][i][ENE] * q[k][j + 4][i][QV] - u[k][j - 4][i][ENE] * q[k][j - 4][i][QV] +   \
           (q[k][j + 4][i][QP] * q[k][j + 4][i][QV] - q[k][j - 4][i][QP] * q[k][j - 4][i][QV])))
#define WITH_PRESSURE_Z(c)                                                                         \
    (A1 * (u[k + 1][j][i][c] * q[k + 1][j][i][QW] - u[k - 1][j][i][c] * q[k - 1][j][i][QW] +       \
           (q[k + 1][j][i][QP] - q[k - 1][j][i][QP])) +                                            \
     A2 * (u[k + 2][j][i][c] * q[k + 2][j][i][QW] - u[k - 2][j][i][c] * q[k - 2][j][i][QW] +       \
           (q[k + 2][j][i][QP] - q[k - 2][j][i][QP])) +                                            \
     A3 * (u[k + 3][j][i][c] * q[k + 3][j][i][QW] - u[k - 3][j][i][c] * q[k - 3][j][i][QW] +       \
           (q[k + 3][j][i][QP] - q[k - 3][j][i][QP])) +                                            \
     A4 * (u[k + 4][j][i][c] * q[k + 4][j][i][QW] - u[k - 4][j][i][c] * q[k - 4][j][i][QW] +       \
           (q[k + 4][j][i][QP] - q[k - 4][j][i][QP])))
#define CARRIED_Z(c)                                                                               \
    (A1 * (u[k + 1][j][i][c] * q[k + 1][j][i][QW] - u[k - 1][j][i][c] * q[k - 1][j][i][QW]) +      \
     A2 * (u[k + 2][j][i][c] * q[k + 2][j][i][QW] - u[k - 2][j][i][c] * q[k - 2][j][i][QW]) +      \
     A3 * (u[k + 3][j][i][c] * q[k + 3][j][i][QW] - u[k - 3][j][i][c] * q[k - 3][j][i][QW]) +      \
     A4 * (u[k + 4][j][i][c] * q[k + 4][j][i][QW] - u[k - 4][j][i][c] * q[k - 4][j][i][QW]))
#define ENERGY_Z                                                                                   \
    (A1 * (u[k + 1][j][i][ENE] * q[k + 1][j][i][QW] - u[k - 1][j][i][ENE] * q[k - 1][j][i][QW] +   \
           (q[k + 1][j][i][QP] * q[k + 1][j][i][QW] - q[k - 1][j][i][QP] * q[k - 1][j][i][QW])) +  \
     A2 * (u[k + 2][j][i][ENE] * q[k + 2][j][i][QW] - u[k - 2][j][i][ENE] * q[k - 2][j][i][QW] +   \
           (q[k + 2][j][i][QP] * q[k + 2][j][i][QW] - q[k - 2][j][i][QP] * q[k - 2][j][i][QW])) +  \
     A3 * (u[k + 3][j][i][ENE] * q[k + 3][j][i][QW] - u[k - 3][j][i][ENE] * q[k - 3][j][i][QW] +   \
           (q[k + 3][j][i][QP] * q[k + 3][j][i][QW] - q[k - 3][j][i][QP] * q[k - 3][j][i][QW])) +  \
     A4 * (u[k + 4][j][i][ENE] * q[k + 4][j][i][QW] - u[k - 4][j][i][ENE] * q[k - 4][j][i][QW] +   \
           (q[k + 4][j][i][QP] * q[k + 4][j][i][QW] - q[k - 4][j][i][QP] * q[k - 4][j][i][QW])))

void htmt__stencil_flux_x(int b, double h_inv, const double *u_at, const double *q_at, double *f_at)
{
    const int n = b + 2 * M;
    const double(*u)[n][n][FIELDS] = (const double(*)[n][n][FIELDS])u_at;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    double(*f)[b][b][FIELDS] = (void *)f_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                f[k - M][j - M][i - M][RHO] = -D1X(u, k, j, i, MX) * h_inv;
                f[k - M][j - M][i - M][MX] = -WITH_PRESSURE_X(MX) * h_inv;
                f[k - M][j - M][i - M][MY] = -CARRIED_X(MY) * h_inv;
                f[k - M][j - M][i - M][MZ] = -CARRIED_X(MZ) * h_inv;
                f[k - M][j - M][i - M][ENE] = -ENERGY_X * h_inv;
            }
}

void htmt__stencil_flux_y(int b, double h_inv, const double *u_at, const double *q_at, double *f_at)
{
    const int n = b + 2 * M;
    const double(*u)[n][n][FIELDS] = (const double(*)[n][n][FIELDS])u_at;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    double(*f)[b][b][FIELDS] = (void *)f_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                f[k - M][j - M][i - M][RHO] -= D1Y(u, k, j, i, MY) * h_inv;
                f[k - M][j - M][i - M][MX] -= CARRIED_Y(MX) * h_inv;
                f[k - M][j - M][i - M][MY] -= WITH_PRESSURE_Y(MY) * h_inv;
                f[k - M][j - M][i - M][MZ] -= CARRIED_Y(MZ) * h_inv;
                f[k - M][j - M][i - M][ENE] -= ENERGY_Y * h_inv;
            }
}

void htmt__stencil_flux_z(int b, double h_inv, const double *u_at, const double *q_at, double *f_at)
{
    const int n = b + 2 * M;
    const double(*u)[n][n][FIELDS] = (const double(*)[n][n][FIELDS])u_at;
    const double(*q)[n][n][STATES] = (const double(*)[n][n][STATES])q_at;
    double(*f)[b][b][FIELDS] = (void *)f_at;
    for (int k = M; k < b + M; k++)
        for (int j = M; j < b + M; j++)
            for (int i = M; i < b + M; i++) {
                f[k - M][j - M][i - M][RHO] -= D1Z(u, k, j, i, MZ) * h_inv;
                f[k - M][j - M][i - M][MX] -= CARRIED_Z(MX) * h_inv;
                f[k - M][j - M][i - M][MY] -= CARRIED_Z(MY) * h_inv;
                f[k - M][j - M][i - M][MZ] -= WITH_PRESSURE_Z(MZ) * h_inv;
                f[k - M][j - M][i - M][ENE] -= ENERGY_Z * h_inv;
            }
}

/* ---- the stage ------------------------------------------------------------------------------- */

void htmt__stencil_update(int b, double old_part, double part, double dt, const double *u_at,
                          const double *d_at, const double *f_at, double *next_at)
{
    const int n = b + 2 * M;
    const double(*u)[n][n][FIELDS] = (const double(*)[n][n][FIELDS])u_at;
    const double(*d)[b][b][FIELDS] = (const double(*)[b][b][FIELDS])d_at;
    const double(*f)[b][b][FIELDS] = (const double(*)[b][b][FIELDS])f_at;
    double(*next)[b][b][FIELDS] = (void *)next_at;
    for (int k = 0; k < b; k++)
        for (int j = 0; j < b; j++)
            for (int i = 0; i < b; i++)
                for (int c = 0; c < FIELDS; c++)
                    next[k][j][i][c] =
                        old_part * next[k][j][i][c] +
                        part * (u[k + M][j + M][i + M][c] + dt * (d[k][j][i][c] + f[k][j][i][c]));
}
