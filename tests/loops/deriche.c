/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recursive filter along rows and columns, forth and back.
 */
#ifndef W
#define W 100
#define H 72
#endif

static double in[W][H], out[W][H], up[W][H], down[W][H];

int main(void)
{
    for (int i = 0; i < W; i++) {
        double ym1 = 0.0, ym2 = 0.0, xm1 = 0.0;
        for (int j = 0; j < H; j++) {
            up[i][j] = 0.1 * in[i][j] + 0.2 * xm1 + 0.3 * ym1 + 0.4 * ym2;
            xm1 = in[i][j];
            ym2 = ym1;
            ym1 = up[i][j];
        }
    }
    for (int i = 0; i < W; i++) {
        double yp1 = 0.0, yp2 = 0.0, xp1 = 0.0, xp2 = 0.0;
        for (int j = H - 1; j >= 0; j--) {
            down[i][j] = 0.1 * xp1 + 0.2 * xp2 + 0.3 * yp1 + 0.4 * yp2;
            xp2 = xp1;
            xp1 = in[i][j];
            yp2 = yp1;
            yp1 = down[i][j];
        }
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < H; j++)
            out[i][j] = 0.5 * (up[i][j] + down[i][j]);
    for (int j = 0; j < H; j++) {
        double tm1 = 0.0, ym1 = 0.0, ym2 = 0.0;
        for (int i = 0; i < W; i++) {
            up[i][j] = 0.1 * out[i][j] + 0.2 * tm1 + 0.3 * ym1 + 0.4 * ym2;
            tm1 = out[i][j];
            ym2 = ym1;
            ym1 = up[i][j];
        }
    }
    for (int j = 0; j < H; j++) {
        double tp1 = 0.0, tp2 = 0.0, yp1 = 0.0, yp2 = 0.0;
        for (int i = W - 1; i >= 0; i--) {
            down[i][j] = 0.1 * tp1 + 0.2 * tp2 + 0.3 * yp1 + 0.4 * yp2;
            tp2 = tp1;
            tp1 = out[i][j];
            yp2 = yp1;
            yp1 = down[i][j];
        }
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < H; j++)
            out[i][j] = 0.5 * (up[i][j] + down[i][j]);
    return 0;
}
