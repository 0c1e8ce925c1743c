/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops of tests/source/kernels.f90 in C, by hand: what Fortran calls u(i, j, k, 2) is
 * u[1][k][j][i] here.
 */
#include <math.h>

static const double ALP = 0.8, BET = -0.2, GAM = 4.0 / 105.0, DEL = -1.0 / 280.0;
enum { RHO, MX, MY, MZ, ENE, RY1 };
enum { QRHO, QU, QV, QW, QPRES, QTEMP };
#define BOX   int lo_1, int lo_2, int lo_3, int hi_1, int hi_2, int hi_3, int nx, int ny, int nz
#define ARRAY [nz][ny][nx]
#define CELLS(g)                                                                                   \
    for (int k = lo_3 - (g); k <= hi_3 + (g); k++)                                                 \
        for (int j = lo_2 - (g); j <= hi_2 + (g); j++)                                             \
            for (int i = lo_1 - (g); i <= hi_1 + (g); i++)

void hypterm(BOX, const double dxinv[3], double(*restrict u) ARRAY, double(*restrict q) ARRAY,
             double(*restrict f) ARRAY)
{
    CELLS(0)
    {
        double unp1 = q[QU][k][j][i + 1], unm1 = q[QU][k][j][i - 1];
        f[RHO][k][j][i] = f[RHO][k][j][i] - (ALP * (u[MX][k][j][i + 1] - u[MX][k][j][i - 1]) +
                                             BET * (u[MX][k][j][i + 2] - u[MX][k][j][i - 2]) +
                                             GAM * (u[MX][k][j][i + 3] - u[MX][k][j][i - 3]) +
                                             DEL * (u[MX][k][j][i + 4] - u[MX][k][j][i - 4])) *
                                                dxinv[0];
        f[MX][k][j][i] =
            f[MX][k][j][i] - (ALP * (u[MX][k][j][i + 1] * unp1 - u[MX][k][j][i - 1] * unm1 +
                                     (q[QPRES][k][j][i + 1] - q[QPRES][k][j][i - 1]))) *
                                 dxinv[0];
        f[MY][k][j][i] = f[MY][k][j][i] - (ALP * (u[MY][k][j + 1][i] - u[MY][k][j - 1][i]) +
                                           BET * (u[MY][k][j + 2][i] - u[MY][k][j - 2][i]) +
                                           GAM * (u[MY][k][j + 3][i] - u[MY][k][j - 3][i]) +
                                           DEL * (u[MY][k][j + 4][i] - u[MY][k][j - 4][i])) *
                                              dxinv[1];
        f[MZ][k][j][i] = f[MZ][k][j][i] - (ALP * (u[MZ][k + 1][j][i] - u[MZ][k - 1][j][i]) +
                                           BET * (u[MZ][k + 2][j][i] - u[MZ][k - 2][j][i]) +
                                           GAM * (u[MZ][k + 3][j][i] - u[MZ][k - 3][j][i]) +
                                           DEL * (u[MZ][k + 4][j][i] - u[MZ][k - 4][j][i])) *
                                              dxinv[2];
    }
}

void diffterm(BOX, double (*restrict ux)[ny][nx], double (*restrict vy)[ny][nx],
              double (*restrict wz)[ny][nx], double(*restrict f) ARRAY, double dx2)
{
    CELLS(0)
    {
        double vyx =
            ALP * (vy[k][j][i + 1] - vy[k][j][i - 1]) + BET * (vy[k][j][i + 2] - vy[k][j][i - 2]);
        double wzx =
            ALP * (wz[k][j][i + 1] - wz[k][j][i - 1]) + BET * (wz[k][j][i + 2] - wz[k][j][i - 2]);
        double third = 1.0 / 3.0, own = ux[k][j][i];
        f[MX][k][j][i] = f[MX][k][j][i] + dx2 * (-ux[k][j][i] + third * (vyx + wzx)) / (own * own);
    }
}

void ctoprim(BOX, int ng, double(*restrict u) ARRAY, double(*restrict q) ARRAY, double gamma,
             double cv)
{
    CELLS(ng)
    {
        double rhoinv = 1.0 / u[RHO][k][j][i];
        q[QRHO][k][j][i] = u[RHO][k][j][i];
        q[QU][k][j][i] = u[MX][k][j][i] * rhoinv;
        q[QV][k][j][i] = u[MY][k][j][i] * rhoinv;
        q[QW][k][j][i] = u[MZ][k][j][i] * rhoinv;
        double v = q[QU][k][j][i], w = q[QV][k][j][i], x = q[QW][k][j][i];
        double eint = u[ENE][k][j][i] * rhoinv - 0.5 * (v * v + w * w + x * x);
        q[QPRES][k][j][i] = (gamma - 1.0) * eint * u[RHO][k][j][i];
        q[QTEMP][k][j][i] = eint / cv;
    }
}

void species(BOX, double(*restrict u) ARRAY, double(*restrict y) ARRAY, const double w[3])
{
    CELLS(0)
    {
        double inverse = 1.0 / u[RHO][k][j][i], total = 0.0;
        for (int n = 0; n < 3; n++) {
            y[n][k][j][i] = u[RY1 + n][k][j][i] * inverse;
            total = total + y[n][k][j][i] * w[n];
        }
        for (int n = 0; n < 3; n++)
            y[n][k][j][i] = y[n][k][j][i] / total;
    }
}

void rates(BOX, double(*restrict q) ARRAY, double (*restrict r)[ny][nx])
{
    CELLS(0)
    {
        double t = q[QTEMP][k][j][i], tinv = 1.0 / t, logt = log(t), wdot[3];
        double kf = 3.547e15 * exp(-0.406 * logt - 8352.8934 * tinv);
        double kr =
            kf / exp(7.42 - 1.2 * logt + 4.3e-4 * t - 1.1e-7 * (t * t) + 3e-11 * (t * t * t));
        double k0 = 6.366e20 * exp(-1.72 * logt - 264.0881 * tinv);
        double pr = sqrt(fabs(k0 / kf));
        wdot[0] = kf * q[QRHO][k][j][i] - kr * q[QPRES][k][j][i];
        wdot[1] = fmax(wdot[0], 0.0) + fmin(fmin(kf, kr), k0);
        wdot[2] = wdot[0] + wdot[1] * (1.0 / (pr * pr));
        r[k][j][i] = wdot[0] + wdot[2];
    }
}

void viscosity(BOX, double (*restrict mu)[ny][nx], double (*restrict xi)[ny][nx],
               double (*restrict lam)[ny][nx])
{
    CELLS(0)
    mu[k][j][i] = mu[k][j][i] + lam[k][j][i] * xi[k][j][i] - 2.0 * lam[k][j][i];
}

void courant(BOX, double(*restrict q) ARRAY, double c, const double dxinv[3], double *largest)
{
    CELLS(0)
    {
        double x = q[QU][k][j][i];
        *largest = fmax(*largest, (c * x + fabs(x)) * dxinv[0]);
    }
}

void columns(int n, int m, double (*restrict a)[n], float (*restrict b)[n], double *restrict x)
{
    for (int j = 2; j <= m; j++)
        for (int i = 1; i <= n; i++)
            a[j][i] = a[j - 1][i] * x[i] + b[j][i - 1];
}
