/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Panels: the exchange of subblocks on a grid of g_m x g_n SPELLs that is not square.
 *
 * A block product sums over s subblocks of k, s the least common multiple of g_m and g_n, in s
 * steps. Subblock r of k, the panel of step r, lies in column r % g_n of the grid for A and in row
 * r % g_m for B. In each row the SPELL of that column sends its subblock of A to the others, in
 * each column the SPELL of that row its subblock of B, and all multiply the two that they then have
 * (R. van de Geijn and J. Watts, SUMMA, Concurrency 9, 1997). On 2 x 3 SPELLs s = 6:
 *
 *     panel                  0  1  2  3  4  5
 *     A comes from column    0  1  2  0  1  2
 *     B comes from row       0  1  0  1  0  1
 *
 * So SPELL (0, 0) owns panels 0 and 3 of A and 0, 2 and 4 of B. Owners take turns, so each SPELL
 * sends as many words in a block product as any other.
 *
 * The data of step n lie in buffers n % 3 of all SPELLs, as those of Cannon's exchange
 * (multiply.c), and again a buffer is free at the start of the step behind the one that used it:
 *
 *     start of step n     tells the owners of panel n + 2 that its buffers are free (a credit), and
 *                         asks SRAM for the subblocks of it that are this SPELL's own
 *     fiber PANEL         the own subblock of a panel is here, and all who are to get it have given
 *                         their credits: it is sent, and the own step has its data
 *     step n + 2          begins with both subblocks, once what it sent of panel n + 1 has left,
 *                         whose buffers step n + 4 will use
 *
 * PANEL of panel n + 2 mostly runs between steps n and n + 1, since the SPELL does one thing at a
 * time, so a panel travels while the step before its own is multiplied. No credits are needed for
 * panels 0 and 1, whose buffers are empty.
 *
 * Why counts of one panel never mix with those of the next in the same slot: a credit for panel
 * n + 3 follows step n there, which had panel n, so PANEL has run for n; and the own subblock is
 * asked for behind the own step n.
 *
 * The owner sends one by one, g_n - 1 times, not along a tree: others could only pass on between
 * their own steps, so each level of a tree would cost a whole step. It binds when the grid is long:
 * a step lasts as long as its sends if these take longer than it multiplies. Without exchange over
 * a dimension of one SPELL a subblock goes straight to its step.
 */
#include "apps/cannon/grid.h"

/* Where the grid is cut: A goes along a row, of g_n SPELLs, B along a column, of g_m. */
static uint32_t spells(const htmt__cannon *p, uint32_t which)
{
    return (uint32_t)p->plan.of[which == HTMT__A ? HTMT__CANNON_N : HTMT__CANNON_M].s;
}

/* SPELL `n` of the row, or column, of the slice. */
static uint32_t member(const htmt__cannon *p, uint32_t which, uint32_t slice, uint32_t n)
{
    const uint32_t across = spells(p, HTMT__A);
    return which == HTMT__A ? slice / across * across + n : n * across + slice % across;
}

static uint32_t owner(const htmt__cannon *p, uint32_t which, uint32_t slice, uint64_t step)
{
    return member(p, which, slice, (uint32_t)(step % p->plan.s % spells(p, which)));
}

static uint32_t fiber_of(uint32_t which, uint64_t step)
{
    return HTMT__PANEL + which * HTMT__CANNON_BUFFERS + (uint32_t)(step % HTMT__CANNON_BUFFERS);
}

static uint32_t step_fiber(uint64_t step)
{
    return HTMT__STEP + (uint32_t)(step % HTMT__CANNON_BUFFERS);
}

uint32_t htmt__cannon_panel_expected(const htmt__cannon *p, uint32_t slice, uint64_t step)
{
    uint32_t count = 1 + 2; /* the step before, the data */
    for (uint32_t i = HTMT__A; i <= HTMT__B && step; i++)
        if (owner(p, i, slice, step - 1) == slice)
            count += spells(p, i) - 1;
    return count;
}

void htmt__cannon_panel_start(struct htmt_context *c, const htmt__cannon *p, uint32_t slice)
{
    for (uint64_t step = 0; step < HTMT__CANNON_BUFFERS; step++) {
        htmt_slot_set(c, step_fiber(step), htmt__cannon_panel_expected(p, slice, step), 0);
        for (uint32_t i = HTMT__A; i <= HTMT__B; i++) {
            bool empty = step < 2 && owner(p, i, slice, step) == slice;
            htmt_slot_set(c, fiber_of(i, step), empty ? 1 : spells(p, i), spells(p, i));
        }
    }
}

void htmt__cannon_panel_ask(struct htmt_context *c, const htmt__cannon *p,
                            const struct htmt__cannon_site *here, uint64_t step)
{
    uint64_t at[2];
    htmt__cannon_in_bundle(p, step, at);
    for (uint32_t i = HTMT__A; i <= HTMT__B; i++)
        if (owner(p, i, here->slice, step) == here->slice)
            htmt_put(c, &(struct htmt_put){
                            .src = htmt_at(p->bundle[i], here->slice, at[i] * p->bytes[i]),
                            .dst = here->buffer[i][step % HTMT__CANNON_BUFFERS],
                            .bytes = p->bytes[i],
                            .on_arrived = htmt__cannon_spell(p, here->slice,
                                                             spells(p, i) > 1 ? fiber_of(i, step)
                                                                              : step_fiber(step))});
}

void htmt__cannon_panel_credit(struct htmt_context *c, const htmt__cannon *p,
                               const struct htmt__cannon_site *here, uint64_t step)
{
    for (uint32_t i = HTMT__A; i <= HTMT__B; i++) {
        const uint32_t from = owner(p, i, here->slice, step);
        if (from != here->slice)
            htmt_signal(c, htmt__cannon_spell(p, from, fiber_of(i, step)));
    }
}

void htmt__cannon_panel_send(struct htmt_context *c, const htmt__cannon *p,
                             const struct htmt__cannon_site *here)
{
    const uint32_t fiber = htmt_fiber(c) - HTMT__PANEL, i = fiber / HTMT__CANNON_BUFFERS,
                   x = fiber % HTMT__CANNON_BUFFERS, slice = here->slice;
    /* Its step begins next, or after the next. */
    const uint64_t step = here->next.step + (here->next.step % HTMT__CANNON_BUFFERS != x);
    for (uint32_t n = 1; n < spells(p, i); n++) {
        const uint32_t own = i == HTMT__A ? slice % spells(p, i) : slice / spells(p, HTMT__A);
        const uint32_t to = member(p, i, slice, (own + n) % spells(p, i));
        struct htmt_put put = {.src = here->buffer[i][x],
                               .dst = htmt_at(p->buffer[i][x], to, 0),
                               .bytes = p->bytes[i],
                               .on_arrived = htmt__cannon_spell(p, to, step_fiber(step))};
        if (step + 1 < p->products * p->steps)
            put.on_sent = htmt__cannon_spell(p, slice, step_fiber(step + 1));
        htmt_put(c, &put);
    }
    htmt_signal(c, htmt__cannon_spell(p, slice, step_fiber(step)));
}
