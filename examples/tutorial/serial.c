/* Heat in a plate whose left edge is hot, by Jacobi's method: the serial loop. */
#include <stdio.h>

enum { N = 256, SWEEPS = 100 };
static double plate[2][(N + 2) * N]; /* between rows of zeros */

static void relax(const double *from, double *to, long points) /* from begins a row earlier */
{
    for (long i = 0; i < points; i++)
        if (i % N == 0 || i % N == N - 1)
            to[i] = from[i + N];
        else
            to[i] = (from[i] + from[i + N - 1] + from[i + N + 1] + from[i + 2 * N]) / 4;
}

int main(void)
{
    for (long i = 0; i < N; i++)
        plate[0][(i + 1) * N] = 100;
    for (int i = 0; i < SWEEPS; i++)
        relax(plate[i % 2], plate[(i + 1) % 2] + N, N * N);
    printf("beside the hot edge: %.4f\n", plate[SWEEPS % 2][N / 2 * N + 1]);
    return 0;
}
