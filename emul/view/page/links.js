// Where an interval comes from and what it leads to: its cause, its successors, the life of its parcel.
import { beginOf, endOf, foundAt, reference, sameRef, serialOf } from "./model.js";
import { middleOf } from "./path.js";

/** Tiles that are searched for successors at once. */
const TILES = 12;
const MOST_LIFE = 400;

/**
 * The intervals of its own before it, first one first.
 * @param {Store} store @param {Found} found @returns {Promise<Found[]>}
 */
async function livedBefore(store, found) {
    const life = [];
    const serial = serialOf(found.tile, found.i);
    let cause = reference(found.tile, found.i, "cause");
    while (cause && life.length < MOST_LIFE) {
        const before = await store.find(cause);
        if (!before || serialOf(before.tile, before.i) !== serial) {
            break;
        }
        life.unshift(before);
        cause = reference(before.tile, before.i, "cause");
    }
    return life;
}

/**
 * Tiles in which an interval can be that begins at `at` or later, the nearest first.
 * @param {Store} store @param {Found} found @returns {Place[]}
 */
function tilesAfter(store, found) {
    const end = endOf(found.tile, found.i);
    const own = found.tile.place;
    const later = store.places.filter((place) => place.to >= end && (place.slice !== own.slice || place.index >= own.index));
    const near = (/** @type {Place} */ place) => (place === own ? -1n : place.from > end ? place.from - end : 0n);
    return later.sort((a, b) => Number(near(a) - near(b)) || a.index - b.index);
}

/**
 * Intervals of the same parcel.
 * @param {Store} store @param {Tile} tile @param {Found} found @returns {Found[]}
 */
function sameParcel(store, tile, found) {
    const { steps } = store.manifest;
    const serial = found.tile.serial[found.i];
    const type = steps[found.tile.step[found.i]].type;
    const list = [];
    for (let i = 0; i < tile.count; i++) {
        const step = steps[tile.step[i]];
        if (tile.serial[i] === serial && step.type === type && step.place !== "section") {
            list.push(foundAt(tile, i));
        }
    }
    return list;
}

/**
 * Intervals of a tile whose cause is `ref`.
 * @param {Tile} tile @param {Ref} ref @returns {Found[]}
 */
function causedBy(tile, ref) {
    const list = [];
    const own = tile.place.slice === ref.slice ? ref.number - tile.place.first : NaN;
    for (let i = 0; i < tile.count; i++) {
        const code = tile.cause[i];
        if (code > 0 ? i - code === own : code < 0 && sameRef(reference(tile, i, "cause"), ref)) {
            list.push(foundAt(tile, i));
        }
    }
    return list;
}

/** @typedef {{life: Found[], successors: Found[], cause: Found | null, line: Found | null, searched: number, tiles: number}} Links */

/** @param {Store} store @param {Ref | null} ref */
async function findOrNull(store, ref) {
    return ref ? store.find(ref) : null;
}

/**
 * The life of the interval's parcel, and the neighbours of the interval.
 * @param {Store} store @param {Found} found @param {() => boolean} stopped @returns {Promise<Links>}
 */
export async function linksOf(store, found, stopped) {
    const after = tilesAfter(store, found);
    /** @type {Links} */
    const links = { life: await livedBefore(store, found), successors: [], cause: null, line: null, searched: 0, tiles: after.length };
    links.cause = await findOrNull(store, reference(found.tile, found.i, "cause"));
    links.line = await findOrNull(store, reference(found.tile, found.i, "line"));
    for (const place of after.slice(0, TILES)) {
        if (stopped()) {
            break;
        }
        const tile = await store.load(place);
        addLinks(store, links, tile, found);
        links.searched++;
    }
    links.life.sort(byBegin);
    return links;
}

/** @param {Store} store @param {Links} links @param {Tile} tile @param {Found} found */
function addLinks(store, links, tile, found) {
    const known = new Set(links.life.map((f) => `${f.slice}.${f.number}`));
    const own = sameParcel(store, tile, found).filter((f) => !known.has(`${f.slice}.${f.number}`));
    links.life.push(...own.slice(0, MOST_LIFE));
    links.successors.push(...causedBy(tile, found));
}

/** @param {Found} a @param {Found} b */
function byBegin(a, b) {
    const [x, y] = [beginOf(a.tile, a.i), beginOf(b.tile, b.i)];
    return x < y ? -1 : x > y ? 1 : a.slice - b.slice || a.number - b.number;
}

/** @param {Page} page @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour */
function drawArrow(page, x0, y0, x1, y1, colour) {
    const { ctx } = page;
    const bend = Math.max(14, Math.min(60, Math.abs(x1 - x0) / 2));
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 1.8;
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 6, y1);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x1 - 8, y1 - 4.5);
    ctx.lineTo(x1 - 8, y1 + 4.5);
    ctx.fill();
}

/** @param {Page} page @param {Found} from @param {Found} to @param {string} colour */
function drawLink(page, from, to, colour) {
    const [a, b] = [middleOf(page, from), middleOf(page, to)];
    if (!a || !b) {
        return;
    }
    const near = (/** @type {number} */ x) => Math.max(-4000, Math.min(4000 + page.view.width, x));
    const x0 = near(page.view.x(endOf(from.tile, from.i)));
    const x1 = near(page.view.x(beginOf(to.tile, to.i)));
    drawArrow(page, x0, a.top + a.height / 2, x1, b.top + b.height / 2, colour);
}

/**
 * A frame around the selected interval, its wait, and arrows from its cause and to its successors.
 * @param {Page} page
 */
export function drawSelection(page) {
    const { ctx, view, theme, selection } = page;
    const place = selection && middleOf(page, selection);
    if (!selection || !place) {
        return;
    }
    const x0 = Math.max(-4, view.x(selection.begin));
    const x1 = Math.min(view.width + 4, view.x(selection.end));
    if (!selection.waits() && selection.wait > 0n) {
        const from = Math.max(-4, view.x(selection.begin - selection.wait));
        ctx.fillStyle = page.bars.pattern((selection.found.tile.flags[selection.found.i] & 64) !== 0);
        ctx.fillRect(from, place.top, Math.max(1, x0 - from), place.height);
        ctx.strokeStyle = theme.accent;
        ctx.lineWidth = 1;
        ctx.setLineDash([4, 3]);
        ctx.strokeRect(from, place.top, Math.max(1, x0 - from), place.height);
        ctx.setLineDash([]);
    }
    ctx.lineWidth = 3;
    ctx.strokeStyle = theme.accent;
    ctx.strokeRect(x0 - 1, place.top - 1, Math.max(3, x1 - x0 + 2), place.height + 2);
    drawLinks(page, selection);
}

/** @param {Page} page @param {Description} selection */
function drawLinks(page, selection) {
    const { links, theme } = page;
    if (!links) {
        return;
    }
    links.life.forEach((found, k) => k > 0 && drawLink(page, links.life[k - 1], found, theme.faint));
    if (links.cause) {
        drawLink(page, links.cause, selection.found, theme.accent);
    }
    links.successors.slice(0, 60).forEach((found) => drawLink(page, selection.found, found, theme.text));
}
