/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops of a compressible flow of NS species, as users write them, for the tests of htmt analyze.
 * An array holds one block of words for each unknown. Blocks of `cons`, `q` and of coefficients
 * have NG ghost points on each side, blocks of `flux` have none. tests/source/counting.cc compiles
 * the same text with numbers that count.
 */
#ifndef REAL
#define REAL double
#define IN   const double *restrict
#define OUT  double *restrict
#endif

#ifndef NS
#define NS 9
#endif

enum { NG = 4 };
enum { IRHO, IMX, IMY, IMZ, IENE, IRY };
enum { QRHO, QU, QV, QW, QPRES, QTEMP, QE, QY, QX = QY + NS, QH = QX + NS };

/* Coefficients of the first derivative of eighth order. */
#define ALP (4.0 / 5.0)
#define BET (-1.0 / 5.0)
#define GAM (4.0 / 105.0)
#define DEL (-1.0 / 280.0)

/* Of unknown n: without, with ghost points. */
#define F(n) ((((n)*nz + k) * ny + j) * nx + i)
#define G(n, dk)                                                                                   \
    ((((n) * (nz + 2 * NG) + (k + NG + (dk))) * (ny + 2 * NG) + (j + NG)) * (nx + 2 * NG) +        \
     (i + NG))
/* The same where loops run over ghost points. */
#define A(n) ((((n) * (nz + 2 * NG) + k) * (ny + 2 * NG) + j) * (nx + 2 * NG) + i)

#define D8(f) (ALP * f(1) + BET * f(2) + GAM * f(3) + DEL * f(4))

/* Hyperbolic terms along z: velocities are written out at each use. */
#define MASS(d)     (cons[G(IMZ, d)] - cons[G(IMZ, -(d))])
#define MOMENTUM(d) (cons[G(n, d)] * q[G(QW, d)] - cons[G(n, -(d))] * q[G(QW, -(d))])
#define NORMAL(d)                                                                                  \
    (cons[G(IMZ, d)] * q[G(QW, d)] - cons[G(IMZ, -(d))] * q[G(QW, -(d))] +                         \
     (q[G(QPRES, d)] - q[G(QPRES, -(d))]))
#define ENERGY(d)                                                                                  \
    ((cons[G(IENE, d)] + q[G(QPRES, d)]) * q[G(QW, d)] -                                           \
     (cons[G(IENE, -(d))] + q[G(QPRES, -(d))]) * q[G(QW, -(d))])

void hyp_z(int nx, int ny, int nz, REAL dzinv, IN cons, IN q, OUT flux)
{
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                flux[F(IRHO)] -= dzinv * D8(MASS);
                for (int n = IMX; n <= IMY; n++)
                    flux[F(n)] -= dzinv * D8(MOMENTUM);
                flux[F(IMZ)] -= dzinv * D8(NORMAL);
                flux[F(IENE)] -= dzinv * D8(ENERGY);
                for (int n = IRY; n < IRY + NS; n++)
                    flux[F(n)] -= dzinv * D8(MOMENTUM);
            }
}

/* xi + 4/3 mu and xi - 2/3 mu, over ghost points, too. */
void shear(int nx, int ny, int nz, IN xi, IN mu, OUT plus, OUT minus)
{
    for (int k = 0; k < nz + 2 * NG; k++)
        for (int j = 0; j < ny + 2 * NG; j++)
            for (int i = 0; i < nx + 2 * NG; i++) {
                plus[A(0)] = xi[A(0)] + 4.0 / 3.0 * mu[A(0)];
                minus[A(0)] = xi[A(0)] - 2.0 / 3.0 * mu[A(0)];
            }
}

/* Mixed derivatives along z. */
#define MU_WX(d) (mu[G(0, d)] * wx[G(0, d)] - mu[G(0, -(d))] * wx[G(0, -(d))])
#define MU_WY(d) (mu[G(0, d)] * wy[G(0, d)] - mu[G(0, -(d))] * wy[G(0, -(d))])
#define DILATE(d)                                                                                  \
    (minus[G(0, d)] * (ux[G(0, d)] + vy[G(0, d)]) -                                                \
     minus[G(0, -(d))] * (ux[G(0, -(d))] + vy[G(0, -(d))]))

void mixed_z(int nx, int ny, int nz, REAL dzinv, IN mu, IN minus, IN ux, IN vy, IN wx, IN wy,
             OUT flux)
{
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                flux[F(IMX)] += dzinv * D8(MU_WX);
                flux[F(IMY)] += dzinv * D8(MU_WY);
                flux[F(IMZ)] += dzinv * D8(DILATE);
            }
}

/* Diffusive coefficients of the species. */
void species(int nx, int ny, int nz, IN d, IN q, OUT dpy, OUT dxe, OUT dpe)
{
    for (int k = 0; k < nz + 2 * NG; k++)
        for (int j = 0; j < ny + 2 * NG; j++)
            for (int i = 0; i < nx + 2 * NG; i++) {
                REAL energy = 0.0;
                for (int n = 0; n < NS; n++) {
                    REAL y = d[A(n)] / q[A(QPRES)] * (q[A(QX + n)] - q[A(QY + n)]);
                    dpy[A(n)] = y;
                    dxe[A(n)] = d[A(n)] * q[A(QH + n)];
                    energy += y * q[A(QH + n)];
                }
                dpe[A(0)] = energy;
            }
}

/* Primitive variables from conserved ones. */
void ctoprim(int nx, int ny, int nz, IN cons, OUT q)
{
    for (int k = 0; k < nz + 2 * NG; k++)
        for (int j = 0; j < ny + 2 * NG; j++)
            for (int i = 0; i < nx + 2 * NG; i++) {
                const REAL density = cons[A(IRHO)];
                const REAL inverse = 1.0 / density;
                const REAL u = cons[A(IMX)] * inverse;
                const REAL v = cons[A(IMY)] * inverse;
                const REAL w = cons[A(IMZ)] * inverse;
                q[A(QRHO)] = density;
                q[A(QU)] = u;
                q[A(QV)] = v;
                q[A(QW)] = w;
                q[A(QPRES)] = 0.0;
                q[A(QTEMP)] = 0.0;
                q[A(QE)] = cons[A(IENE)] * inverse - 0.5 * (u * u + v * v + w * w);
                for (int n = 0; n < NS; n++) {
                    q[A(QY + n)] = cons[A(IRY + n)] * inverse;
                    q[A(QX + n)] = 0.0;
                    q[A(QH + n)] = 0.0;
                }
            }
}

/* A Laplacian of eighth order: 25 points. */
void laplace(int nx, int ny, int nz, IN c, IN u, OUT out)
{
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                const int sj = nx + 2 * NG, sk = sj * (ny + 2 * NG);
                REAL sum = c[0] * u[G(0, 0)];
                for (int r = 1; r <= NG; r++)
                    sum += c[r] * (u[G(0, 0) - r] + u[G(0, 0) + r] + u[G(0, 0) - r * sj] +
                                   u[G(0, 0) + r * sj] + u[G(0, 0) - r * sk] + u[G(0, 0) + r * sk]);
                out[F(0)] = sum;
            }
}
