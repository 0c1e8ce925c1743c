// Search: by type and number of a parcel, by stage, row or section, in time from the selected interval
// on; and by direction, for the arrow keys.
import { readData } from "./bytes.js";
import { beginOf, endOf, foundAt } from "./model.js";
import { firstWhere } from "./lanes.js";

const COUNTERS = 2 ** 40;

/** @typedef {{words: string[], slice: number | null, index: number | null}} Query */

/**
 * "Assembly 17", "assembly #17", "0:17", "inject", "SPIM" or parts of names.
 * @param {string} text @returns {Query}
 */
export function parseQuery(text) {
    const match = /^\s*(.*?)\s*#?\s*(?:\b(\d+)\s*:\s*)?(\d+)?\s*$/.exec(text);
    const number = (/** @type {string | undefined} */ digits) => (digits === undefined ? null : Number(digits));
    return { words: (match?.[1] ?? "").toLowerCase().split(/\s+/).filter(Boolean), slice: number(match?.[2]), index: number(match?.[3]) };
}

/**
 * Steps whose intervals can match: each word is in the name of the type, the stage or the row. Where a number is
 * part of a name ("level 2"), the whole text counts.
 * @param {Manifest} manifest @param {Query} query @returns {boolean[]}
 */
function stepsOf(manifest, query) {
    return manifest.steps.map((step) => {
        const name = `${step.type} ${step.stage} ${step.row === null ? "" : manifest.rows[step.row].name}`.toLowerCase();
        return step.place !== "section" && query.words.every((word) => name.includes(word));
    });
}

/**
 * Sections whose name has the words.
 * @param {Manifest} manifest @param {Query} query @returns {Set<number>}
 */
function sectionsOf(manifest, query) {
    const named = query.index === null && query.words.length ? manifest.sections : [];
    return new Set(named.flatMap((name, k) => (query.words.every((word) => name.toLowerCase().includes(word)) ? [k] : [])));
}

/** @typedef {{steps: boolean[], sections: Set<number>, section: boolean[], query: Query}} Wanted */

/**
 * Does an interval of that step and serial match?
 * @param {Wanted} wanted @param {number} step @param {number} serial
 */
function matches({ steps, sections, section, query }, step, serial) {
    if (section[step]) {
        return sections.has(serial);
    }
    const index = serial % COUNTERS;
    return steps[step] && (query.index === null || index === query.index) && (query.slice === null || (serial - index) / COUNTERS === query.slice);
}

/**
 * First match in a tile from interval `from` on, or -1. A tile that is not decoded has two of its columns read
 * alone, which takes a tenth of the time.
 * @param {Page} page @param {Place} place @param {Wanted} wanted @param {number} from
 */
async function matchIn(page, place, wanted, from) {
    const tile = page.store.tiles.get(place.index);
    if (tile) {
        for (let i = from; i < tile.count; i++) {
            if (matches(wanted, tile.step[i], Number(tile.serial[i]))) {
                return i;
            }
        }
        return -1;
    }
    const reader = await readData(place.id);
    const [steps, , , , serials] = Array.from({ length: 5 }, () => reader.column());
    const wide = page.manifest.played > 4096;
    let serial = 0;
    let big = 0n;
    for (let i = 0; i < place.count; i++) {
        const step = steps.varint() >> 1;
        if (wide) {
            big += serials.bigZigzag();
            serial = Number(big);
        } else {
            serial += serials.zigzag();
        }
        if (i >= from && matches(wanted, step, serial)) {
            return i;
        }
    }
    return -1;
}

/**
 * The next interval that matches, behind the selected one and then from the beginning. Nothing is searched where
 * no name matches.
 * @param {Page} page @param {Query} query @param {(share: number) => boolean} goOn told the share that is searched
 * @returns {Promise<Found | null>}
 */
export async function search(page, query, goOn) {
    const { store, selection, manifest } = page;
    /** @type {Wanted} */
    const wanted = { steps: stepsOf(manifest, query), sections: sectionsOf(manifest, query), section: manifest.steps.map((s) => s.place === "section"), query };
    if (!wanted.steps.includes(true) && !wanted.sections.size) {
        return null;
    }
    const order = [...store.places].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.index - b.index));
    const start = Math.max(0, selection ? order.indexOf(selection.found.tile.place) : 0);
    for (let k = 0; k <= order.length; k++) {
        const place = order[(start + k) % order.length];
        if (!place || !goOn(k / order.length)) {
            return null;
        }
        const after = k === 0 && selection?.found.tile.place === place ? selection.found.i + 1 : 0;
        const i = await matchIn(page, place, wanted, after);
        if (i >= 0) {
            return foundAt(await store.load(place), i);
        }
    }
    return null;
}

/**
 * Place in the order of a row: by begin, end and number.
 * @typedef {{begin: bigint, end: bigint, number: number}} Key
 */

/** @param {Tile} tile @param {number} i @returns {Key} */
export function keyOf(tile, i) {
    return { begin: beginOf(tile, i), end: endOf(tile, i), number: tile.place.first + i };
}

/** @param {Key} a @param {Key} b */
function compare(a, b) {
    return Number(a.begin - b.begin) || Number(a.end - b.end) || a.number - b.number;
}

/**
 * The neighbour of the key in one tile.
 * @param {Tile} tile
 * @param {number} row
 * @param {Key} key
 * @param {number} way 1 or -1
 * @returns {Found | null}
 */
function neighbourIn(tile, row, key, way) {
    /** @type {Found | null} */
    let best = null;
    for (const lane of tile.lanes.filter((l) => l.row === row)) {
        const order = (/** @type {number} */ k) => compare(keyOf(tile, lane.list[k]), key);
        const k = way > 0 ? firstWhere(lane.list.length, (m) => order(m) > 0) : firstWhere(lane.list.length, (m) => order(m) >= 0) - 1;
        if (k >= 0 && k < lane.list.length) {
            best = nearer(best, foundAt(tile, lane.list[k]), way);
        }
    }
    return best;
}

/** @param {Found | null} a @param {Found | null} b @param {number} way */
function nearer(a, b, way) {
    if (!a || !b) {
        return a ?? b;
    }
    return compare(keyOf(a.tile, a.i), keyOf(b.tile, b.i)) * way < 0 ? a : b;
}

/**
 * The interval of a row before or behind the key, in whatever tile it is.
 * @param {Store} store @param {number} slice @param {number} row @param {Key} key @param {number} way
 * @returns {Promise<Found | null>}
 */
export async function neighbour(store, slice, row, key, way) {
    const edge = (/** @type {Place} */ place) => (way > 0 ? place.from : -place.to);
    const order = [...store.ofSlice(slice)].sort((a, b) => Number(edge(a) - edge(b)) || (a.index - b.index) * way);
    /** @type {Found | null} */
    let best = null;
    for (const place of order) {
        if (way > 0 ? place.to < key.begin : place.from > key.begin) {
            continue;
        }
        const begin = best && beginOf(best.tile, best.i);
        if (begin !== null && (way > 0 ? place.from > begin : place.to < begin)) {
            break;
        }
        best = nearer(best, neighbourIn(await store.load(place), row, key, way), way);
    }
    return best;
}

/**
 * The interval of a row that an instant lies in or behind, else the first one after it.
 * @param {Store} store @param {number} slice @param {number} row @param {bigint} at
 */
export async function nearest(store, slice, row, at) {
    const before = await neighbour(store, slice, row, { begin: at, end: 1n << 80n, number: Infinity }, -1);
    return before ?? neighbour(store, slice, row, { begin: at, end: -1n, number: -1 }, 1);
}
