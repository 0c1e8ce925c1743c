/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as rows: their texts are evaluated and printed.
 *
 * A uniform density says how many atoms, candidates and pairs a block has. A step is halos, a train
 * of blocks, the move of all atoms and the record of all slices. In the train the first block is
 * gathered, packed and injected; then the slowest resource sets the pace of the others: the SPELL,
 * the channel out of DRAM, SPIMs, CRAM, in which so many blocks fit while they are injected,
 * execute and are ejected, or SRAM, in which so many have a buffer from gather to scatter.
 *
 *     train = max(executes, gathers, (packs - pack) / SPIMs + execute,
 *                 (helds - held) / fit + execute, (lives - life) / buffers + execute)
 *
 * By hand, htmt-oct98, 8 blocks of 7^3 cells 2.8 wide at density 0.8442: 6356 atoms, 500 candidates
 * and 55 pairs of an atom execute in 6356 * (500 * 8 + 55 * 20 + 5) / 256 G = 127 us; a SPIM packs
 * 13,509 atoms in 123 us, and eight pack at a time: the SPELL sets the pace.
 *
 * Cells are built anew each time the fastest of N atoms may have gone half the skin.
 */
#include "apps/lib/move.h"
#include "apps/lib/term_tree.h"
#include "apps/md/program.h"

struct machine {
    const struct htmt_machine *m;
    const struct htmt__md_plan *p;
    bool overflow; /* of a service */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct htmt_term_row rows[] = {
    HTMT_ROW(0, "s", "T", "(steps + 1) * Step + rebuilds * Rebuild", "all steps"),
    HTMT_ROW(1, "s", "Step", "halos + forces + moves + records", "forces at a time, and a drift"),
    HTMT_ROW(2, "s", "halos", "max(puts + put latency, copy)", "cells around the slice"),
    HTMT_ROW_COMPUTED(3, "s", "puts", "htmt_move, 26 halos", "to other slices"),
    HTMT_ROW_COMPUTED(3, "s", "copy", "max(a halo, all / DPIMs)",
                      "DPIMs, where a slice is its own neighbour"),
    HTMT_ROW(2, "s", "forces", "fill + train + drain", "of all blocks"),
    HTMT_ROW(3, "s", "fill", "gather + gather latency + pack + inject + inject latency",
             "until the first block executes"),
    HTMT_ROW_COMPUTED(4, "s", "gather", "htmt_move", "cells of a block and its halo, DRAM to SRAM"),
    HTMT_ROW_COMPUTED(4, "s", "pack", "htmt__md_pack_ops", "a SPIM"),
    HTMT_ROW_COMPUTED(4, "s", "inject", "htmt_move", "their atoms, SRAM to CRAM"),
    HTMT_ROW_ROUNDED(3, "s", "train",
                     "max(executes, gathers, (packs - pack) / packing + execute, (helds - held) / "
                     "fit + execute, (lives - life) / window + execute)",
                     HTMT_TERM_DOWN, "the slowest resource"),
    HTMT_ROW_COMPUTED(4, "s", "executes", "htmt__md_force_ops", "the SPELL, all blocks"),
    HTMT_ROW_COMPUTED(4, "s", "execute", "htmt__md_force_ops", "the same, a block"),
    HTMT_ROW_COMPUTED(4, "s", "gathers", "htmt_move", "all blocks, DRAM to SRAM"),
    HTMT_ROW_COMPUTED(4, "s", "packs", "htmt__md_pack_ops", "all blocks, one SPIM"),
    HTMT_ROW_COMPUTED(4, "s", "helds", "inject, execute and eject", "CRAM, all blocks"),
    HTMT_ROW(4, "s", "held", "inject + inject latency + execute + eject + eject latency",
             "the same, a block"),
    HTMT_ROW_COMPUTED(4, "s", "lives", "gather to scatter", "buffers, if blocks wait for one"),
    HTMT_ROW(4, "s", "life", "fill + held - inject - inject latency + scatter + scatter latency",
             "the same, a block"),
    HTMT_ROW(3, "s", "drain", "eject + eject latency + scatter + scatter latency",
             "behind the last block"),
    HTMT_ROW_COMPUTED(4, "s", "eject", "htmt_move", "forces, CRAM to SRAM"),
    HTMT_ROW_COMPUTED(4, "s", "scatter", "htmt_move", "the same, SRAM to DRAM"),
    HTMT_ROW_ROUNDED(2, "s", "moves", "max(move, all moves * strip turns / strips)", HTMT_TERM_DOWN,
                     "kicks, drift, sums"),
    HTMT_ROW_COMPUTED(3, "s", "move", "htmt__md_move_ops", "a DPIM, a strip of a block"),
    HTMT_ROW(2, "s", "records", "add + rounds * (word + word latency + combine) + copied",
             "sums of blocks, then of slices"),
    HTMT_ROW_COMPUTED(3, "s", "add", "htmt__md_record_ops, strips", "a DPIM"),
    HTMT_ROW(1, "s", "Rebuild", "leaves + mail + barrier + settle", "cells anew"),
    HTMT_ROW_ROUNDED(2, "s", "leaves", "max(leave, all leaves * turns / blocks)", HTMT_TERM_DOWN,
                     "atoms are looked at"),
    HTMT_ROW_COMPUTED(3, "s", "leave", "htmt__md_leave_ops", "a DPIM, a block"),
    HTMT_ROW_COMPUTED(2, "s", "mail", "htmt_move", "movers of a slice"),
    HTMT_ROW(2, "s", "barrier", "rounds * (signal + word latency)", "behind all mail"),
    HTMT_ROW_COMPUTED(2, "s", "settle", "htmt__md_settle_ops", "a DPIM, a layer of blocks"),
    HTMT_ROW(0, "flop", "flop", "(steps + 1) * slices * flop of a slice", "of forces"),
    HTMT_ROW_QUOTIENT("flop/s", "rate", "flop / T", "of all slices"),
    HTMT_ROW_QUOTIENT("%", "SPELL use", "(steps + 1) * executes / T", "of the time"),
    HTMT_ROW(0, "1", "own", "atoms of a block", "of a block"),
    HTMT_ROW(0, "1", "with halo", "atoms with halo", "the same, and of the cells around it"),
    HTMT_ROW_QUOTIENT("1", "candidates", "all candidates / own", "of an atom, 27 rho l^3"),
    HTMT_ROW_QUOTIENT("1", "neighbours", "all neighbours / own", "of an atom, 4/3 pi rho r_c^3"),
    HTMT_ROW(0, "words", "words in", "packed words", "of a block"),
    HTMT_ROW(0, "words", "words out", "3 * own + 4", "of a block"),
    HTMT_ROW_QUOTIENT("%", "CRAM use", "fit * force words / CRAM words", "of the capacity"),
    HTMT_ROWS_END};

/* ---- values ---------------------------------------------------------------------------------- */

static struct htmt_move move(struct machine *w, uint32_t network, uint32_t from, uint32_t to,
                             uint64_t from_pieces, uint64_t to_pieces, uint64_t words)
{
    struct htmt_move of;
    w->overflow |=
        htmt_move(w->m, (struct htmt_move_path){network, from, to, from_pieces, to_pieces}, words,
                  &of) != 0;
    return of;
}

static htmt_time work(struct machine *w, uint32_t layer, struct htmt_ops ops)
{
    const htmt_time t = htmt_machine_work(w->m, layer, &ops);
    w->overflow |= t < 0;
    return t;
}

static void set_halos(struct machine *w, struct htmt_term_tree *t)
{
    const struct htmt__md_plan *p = w->p;
    htmt_wide puts = 0, latency = 0, copy = 0, copies = 0;
    for (int i = 0; i < 27 && p->halo; i++) {
        const int way[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        uint64_t cells = 1, pieces = 1;
        uint32_t neighbour = 0;
        if (i == 13)
            continue;
        for (unsigned a = 0; a < 3; a++) {
            cells *= way[a] ? 1 : p->tile[a];
            pieces *= a && !way[a] ? p->tile[a] : 1;
        }
        const uint64_t words = cells * htmt__md_cell_words(p);
        htmt_grid_neighbour(&p->grid, 0, way, &neighbour);
        if (neighbour) {
            const struct htmt_move of =
                move(w, p->across, p->outer, p->outer, pieces, pieces, words);
            puts += of.busy;
            latency = of.latency;
            continue;
        }
        const htmt_time takes =
            work(w, p->outer, (struct htmt_ops){.n = {[HTMT_LOAD] = words, [HTMT_STORE] = words}});
        copy = takes > copy ? takes : copy;
        copies += takes;
    }
    copies /= htmt_machine_servers(w->m, p->outer);
    htmt_term_tree_set_time(t, NULL, "puts", puts);
    htmt_term_tree_set_time(t, NULL, "put latency", latency);
    htmt_term_tree_set_time(t, NULL, "copy", copies > copy ? copies : copy);
}

static void set_move(struct htmt_term_tree *t, const char *name, const struct htmt_move *of)
{
    char latency[32];
    snprintf(latency, sizeof latency, "%s latency", name);
    htmt_term_tree_set_time(t, NULL, name, of->busy);
    htmt_term_tree_set_time(t, NULL, latency, of->latency);
}

/* Times of a block. */
struct block {
    struct htmt_move gather, inject, eject, scatter;
    htmt_time pack, execute;
};

static struct block times_of(struct machine *w, const uint32_t n[3])
{
    const struct htmt__md_plan *p = w->p;
    const struct htmt__md_lists l = htmt__md_expected(p, n);
    const uint64_t cells = htmt__md_cells_around(p, n),
                   rows_in = (n[1] + 2 * p->halo) * (uint64_t)(n[2] + 2 * p->halo),
                   out = 3 * l.own + HTMT__MD_SUM_WORDS;
    return (struct block){
        .gather = move(w, p->down, p->outer, p->middle, rows_in, 1, cells * htmt__md_cell_words(p)),
        .inject = move(w, p->up, p->middle, p->inner, 1, 1, htmt__md_packed_words(cells, l.all)),
        .eject = move(w, p->up, p->inner, p->middle, 2, 1, out),
        .scatter = move(w, p->down, p->middle, p->outer, 1, 2, out),
        .pack = work(w, p->middle, htmt__md_pack_ops(p, cells, l.all)),
        .execute = work(w, p->inner, htmt__md_force_ops(p, &l))};
}

/* Sums over the blocks of a slice, which have one of two extents along each axis. */
struct all {
    htmt_wide gathers, packs, executes, helds, lives;
    uint64_t flop;
};

static struct all all_blocks(struct machine *w)
{
    const struct htmt__md_plan *p = w->p;
    struct all all = {0};
    for (unsigned i = 0; i < 8; i++) {
        uint64_t count = 1;
        uint32_t n[3];
        for (unsigned a = 0; a < 3; a++) {
            const uint32_t more = p->tile[a] % p->blocks[a];
            const bool high = i >> a & 1;
            n[a] = p->tile[a] / p->blocks[a] + high;
            count *= high ? more : p->blocks[a] - more;
        }
        if (!count)
            continue;
        const struct block b = times_of(w, n);
        const struct htmt__md_lists l = htmt__md_expected(p, n);
        all.gathers += (htmt_wide)count * b.gather.busy;
        all.packs += (htmt_wide)count * b.pack;
        all.executes += (htmt_wide)count * b.execute;
        all.helds += (htmt_wide)count * ((htmt_wide)b.inject.length + b.execute + b.eject.length);
        all.lives += (htmt_wide)count * ((htmt_wide)b.gather.length + b.pack + b.inject.length +
                                         b.execute + b.eject.length + b.scatter.length);
        all.flop += count * htmt__md_force_ops(p, &l).n[HTMT_FLOP];
    }
    return all;
}

static void set_blocks(struct machine *w, struct htmt_term_tree *t, const struct htmt__md_block *b,
                       const struct all *all)
{
    const struct htmt__md_plan *p = w->p;
    const struct htmt__md_block first = htmt__md_block(p, 0);
    const struct block of = times_of(w, first.n);
    set_move(t, "gather", &of.gather);
    set_move(t, "inject", &of.inject);
    set_move(t, "eject", &of.eject);
    set_move(t, "scatter", &of.scatter);
    htmt_term_tree_set_time(t, NULL, "pack", of.pack);
    htmt_term_tree_set_time(t, NULL, "execute", of.execute);
    htmt_term_tree_set_time(t, NULL, "gathers", all->gathers);
    htmt_term_tree_set_time(t, NULL, "packs", all->packs);
    htmt_term_tree_set_time(t, NULL, "executes", all->executes);
    htmt_term_tree_set_time(t, NULL, "helds", all->helds);
    htmt_term_tree_set_time(t, NULL, "lives", p->block_count > p->window ? all->lives : 0);
    const struct htmt__md_block strip = htmt__md_strip(p, b, htmt__md_strips(p) - 1); /* largest */
    htmt_term_tree_set_time(
        t, NULL, "move",
        work(w, p->outer,
             htmt__md_move_ops(p, htmt__md_cells(strip.n), htmt__md_expected(p, strip.n).own)));
}

/* Records, and what migrates between rebuilds. */
static void set_others(struct machine *w, struct htmt_term_tree *t, const struct htmt__md_block *b,
                       const struct htmt__md_lists *l)
{
    const struct htmt__md_plan *p = w->p;
    const uint64_t words = sizeof(struct htmt__md_record) / HTMT_WORD;
    uint64_t movers = 0, across = 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        const uint64_t n = htmt__md_expected_through(p, b->n, axis);
        movers += n * (b->n[axis] + 1);
        if (p->grid.extent[axis] > 1)
            across += 2 * n * (p->block_count / p->blocks[axis]);
    }
    const uint64_t arriving = movers * htmt__md_layer_blocks(p),
                   shifted = arriving * p->atoms / htmt__md_cells(p->cells) / 2;
    const uint64_t strips = (uint64_t)p->block_count * htmt__md_strips(p);
    const bool several = w->m->slices > 1;
    const struct htmt_move mail = move(w, p->across, p->outer, p->outer, 1, 1,
                                       several ? across * HTMT__MD_MOVE_WORDS : 0),
                           word = move(w, p->across, p->outer, p->outer, 1, 1, several ? words : 0),
                           signal = move(w, p->across, p->outer, p->outer, 1, 1, several);
    set_move(t, "word", &word);
    htmt_term_tree_set_time(t, NULL, "mail", mail.length);
    htmt_term_tree_set_time(t, NULL, "signal", signal.busy);
    htmt_term_tree_set_time(t, NULL, "combine", work(w, p->outer, htmt__md_record_ops(2)));
    htmt_term_tree_set_time(t, NULL, "add", work(w, p->outer, htmt__md_record_ops(strips)));
    htmt_term_tree_set_time(t, NULL, "copied", work(w, p->outer, htmt__md_record_ops(1)));
    const uint64_t own = htmt__md_expected(p, p->tile).own;
    htmt_term_tree_set_time(t, NULL, "all moves",
                            work(w, p->outer, htmt__md_move_ops(p, htmt__md_cells(p->tile), own)));
    htmt_term_tree_set_time(t, NULL, "all leaves",
                            work(w, p->outer, htmt__md_leave_ops(own, movers * p->block_count)));
    htmt_term_tree_set_time(t, NULL, "leave",
                            work(w, p->outer, htmt__md_leave_ops(l->own, movers)));
    htmt_term_tree_set_time(
        t, NULL, "settle",
        work(w, p->outer,
             htmt__md_settle_ops((uint64_t)b->n[2] * p->tile[0] * p->tile[1], arriving, shifted)));
}

static int evaluate(struct machine *w, struct htmt_term_tree *t,
                    struct htmt__md_prediction *prediction, struct htmt_fault *fault)
{
    const struct htmt__md_plan *p = w->p;
    const struct htmt__md_block b = htmt__md_block(p, p->block_count - 1); /* the largest */
    const struct htmt__md_lists l = htmt__md_expected(p, b.n);
    const uint64_t cells = htmt__md_cells_around(p, b.n),
                   words = htmt__md_force_words(p, cells, l.all, l.own),
                   room = htmt_machine_room(w->m, p->inner),
                   dpims = htmt_machine_servers(w->m, p->outer),
                   spims = htmt_machine_servers(w->m, p->middle);
    const uint64_t strips = (uint64_t)p->block_count * htmt__md_strips(p);
    uint64_t rounds = 0;
    while (rounds < 32 && UINT64_C(2) << rounds <= w->m->slices)
        rounds++;
    const uint64_t fit = room / words ? room / words : 1;
    htmt_term_tree_add(t, NULL, 0, rows);
    set_halos(w, t);
    const struct all all = all_blocks(w);
    set_blocks(w, t, &b, &all);
    set_others(w, t, &b, &l);
    const struct htmt_term_count counts[] = {
        {"steps", p->steps},
        {"rebuilds", p->whole ? 0 : p->steps / p->every},
        {"slices", w->m->slices},
        {"blocks", p->block_count},
        {"turns", (p->block_count + dpims - 1) / dpims},
        {"strips", strips},
        {"strip turns", (strips + dpims - 1) / dpims},
        {"packing", spims < p->window ? spims : p->window},
        {"window", p->window},
        {"fit", fit < p->window ? fit : p->window},
        {"rounds", rounds},
        {"flop of a slice", all.flop},
        {"atoms of a block", l.own},
        {"atoms with halo", l.all},
        {"all candidates", l.candidates},
        {"all neighbours", l.within},
        {"packed words", htmt__md_packed_words(cells, l.all)},
        {"force words", words},
        {"CRAM words", room},
    };
    htmt_term_tree_set_counts(t, counts, sizeof counts / sizeof *counts);
    prediction->work = (htmt_wide)(p->steps + UINT64_C(1)) * all.executes;
    prediction->flop = (double)all.flop * w->m->slices * (p->steps + 1.0);
    if (w->overflow)
        return htmt_fault_set(fault, HTMT_EOVERFLOW, "machine %s: a parcel takes more than 9223 s",
                              w->m->name);
    return htmt_term_tree_evaluate(t, fault);
}

/* ---- all ------------------------------------------------------------------------------------- */

int htmt__md_predict(const struct htmt_machine *m, const struct htmt__md_plan *p,
                     struct htmt__md_prediction *prediction, struct htmt_prediction *out,
                     struct htmt_fault *fault)
{
    static const char *const names[HTMT_PARTS] = {"executes", "train", "halos"};
    struct machine w = {.m = m, .p = p};
    struct htmt_term_tree *t = NULL;
    int rc = htmt_term_tree_create(&w, &t, fault);
    rc = rc ? rc : evaluate(&w, t, prediction, fault);
    if (!rc) {
        const htmt_wide all = p->steps + UINT64_C(1),
                        halos = all * htmt_term_tree_whole(t, "halos");
        prediction->total = htmt_term_tree_whole(t, "T");
        prediction->fill = halos + all * htmt_term_tree_whole(t, "fill");
        prediction->drain = all * htmt_term_tree_whole(t, "drain");
        if (out) {
            htmt_prediction_total_fs(out, prediction->total);
            htmt_term_tree_tell(t, out);
            htmt_prediction_parts(out, 1e-15 * (double)prediction->work, 1e-15 * (double)halos,
                                  names);
        }
    }
    htmt_term_tree_destroy(&t);
    return rc;
}
