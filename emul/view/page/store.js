// The data of the page. Tiles are decoded when they come into view, one after another and in pieces
// between frames; only so many stay in memory.
import { readData } from "./bytes.js";
import { decodePath, decodePyramid, decodeStrip, decodeTile } from "./decode.js";
import { firstWhere, indexLanes, indexQueues } from "./lanes.js";

/** Milliseconds of work between two pauses, and intervals that stay decoded. */
const SLICE_MS = 6;
export const KEPT = 2000000;
/** Places whose wait is all there is of them. */
const WAITING = ["stalled", "room", "gate"];

/**
 * Let the browser draw.
 * @returns {Promise<void>}
 */
export function pause() {
    return new Promise((done) => setTimeout(done, 0));
}

/**
 * Run a generator to its end, with pauses.
 * @template T @param {Generator<void, T>} work @returns {Promise<T>}
 */
async function inPieces(work) {
    let since = performance.now();
    for (let next = work.next(); ; next = work.next()) {
        if (next.done) {
            return next.value;
        }
        if (performance.now() - since > SLICE_MS) {
            await pause();
            since = performance.now();
        }
    }
}

/** @param {TileEntry} entry @param {number} index @returns {Place} */
function placeOf(entry, index) {
    return {
        id: entry.id, index, slice: entry.slice, first: Number(entry.first), count: entry.count,
        from: BigInt(entry.from), to: BigInt(entry.to),
    };
}

export class Store {
    /** @param {Manifest} manifest @param {() => void} changed called when something new can be drawn */
    constructor(manifest, changed) {
        this.manifest = manifest;
        this.changed = changed;
        this.end = BigInt(manifest.end_fs);
        this.places = manifest.tiles.map(placeOf);
        this.waits = manifest.steps.map((step) => WAITING.includes(step.place));
        this.rows = Int32Array.from(manifest.steps, (step) => step.row ?? -1);
        /** @type {Map<number, Place[]>} */
        this.bySlice = new Map();
        this.places.forEach((place) => this.ofSlice(place.slice).push(place));
        /** @type {Map<number, Tile>} */
        this.tiles = new Map();
        /** @type {Map<number, Promise<Tile>>} */
        this.coming = new Map();
        /** @type {Map<number, Pyramid>} */
        this.pyramids = new Map();
        /** @type {Set<number>} */
        this.asked = new Set();
        this.kept = 0;
        /** @type {Promise<unknown>} */
        this.turn = Promise.resolve();
    }

    /**
     * Tiles of a slice, by number.
     * @param {number} slice @returns {Place[]}
     */
    ofSlice(slice) {
        let list = this.bySlice.get(slice);
        if (!list) {
            list = [];
            this.bySlice.set(slice, list);
        }
        return list;
    }

    /**
     * Tiles of a slice that may touch [from, to].
     * @param {number} slice @param {bigint} from @param {bigint} to
     */
    touching(slice, from, to) {
        return this.ofSlice(slice).filter((place) => place.to >= from && place.from <= to);
    }

    /**
     * The tile if it is decoded.
     * @param {Place} place @returns {Tile | null}
     */
    tile(place) {
        const tile = this.tiles.get(place.index);
        if (!tile) {
            return null;
        }
        this.tiles.delete(place.index);
        this.tiles.set(place.index, tile);
        return tile;
    }

    /**
     * Work in turn: one tile at a time.
     * @template T @param {() => Promise<T>} work @returns {Promise<T>}
     */
    inTurn(work) {
        const result = this.turn.then(work);
        this.turn = result.catch(() => undefined);
        return result;
    }

    /** @param {Place} place @returns {Promise<Tile>} */
    load(place) {
        const tile = this.tile(place);
        if (tile) {
            return Promise.resolve(tile);
        }
        let coming = this.coming.get(place.index);
        if (!coming) {
            coming = this.inTurn(() => this.decode(place));
            this.coming.set(place.index, coming);
        }
        return coming;
    }

    /** @param {Place} place @returns {Promise<Tile>} */
    async decode(place) {
        await pause();
        const reader = await readData(place.id);
        const tile = await inPieces(decodeTile(reader, place, this.manifest, this.waits));
        await inPieces(indexLanes(tile, this.rows));
        await inPieces(indexQueues(tile, this.rows, this.waits));
        this.coming.delete(place.index);
        this.keep(tile);
        this.changed();
        return tile;
    }

    /** @param {Tile} tile */
    keep(tile) {
        this.tiles.set(tile.place.index, tile);
        this.kept += tile.count;
        for (const [index, old] of this.tiles) {
            if (this.kept <= KEPT || old === tile) {
                break;
            }
            this.tiles.delete(index);
            this.kept -= old.count;
        }
    }

    /** @param {number} slice @returns {PyramidEntry | undefined} */
    entry(slice) {
        return this.manifest.pyramid.find((entry) => entry.slice === slice);
    }

    /** @param {number} slice @returns {Promise<void>} */
    loadPyramid(slice) {
        const entry = this.asked.has(slice) ? null : this.entry(slice);
        this.asked.add(slice);
        if (!entry) {
            return Promise.resolve();
        }
        return this.inTurn(async () => {
            this.pyramids.set(slice, decodePyramid(await readData(entry.id), entry, this.manifest.rows));
            this.changed();
        });
    }

    /**
     * Until the pyramid of a slice is decoded, also where it was asked for before.
     * @param {number} slice @returns {Promise<void>}
     */
    async pyramidOf(slice) {
        await this.loadPyramid(slice);
        await this.inTurn(() => Promise.resolve());
    }

    /**
     * The pyramid of a slice if it is decoded; else it comes.
     * @param {number} slice @returns {Pyramid | null}
     */
    pyramid(slice) {
        void this.loadPyramid(slice);
        return this.pyramids.get(slice) ?? null;
    }

    /** @returns {Promise<Strip[]>} */
    strips() {
        return Promise.all(this.manifest.strips.map(async (entry) => decodeStrip(await readData(entry.id), entry)));
    }

    /** @returns {Promise<PathPart[]>} */
    async path() {
        const path = this.manifest.path;
        return path ? decodePath(await readData(path.id), path.count) : [];
    }

    /**
     * The tile that holds an interval.
     * @param {Ref} ref @returns {Place | null}
     */
    placeOf(ref) {
        const list = this.ofSlice(ref.slice);
        const place = list[firstWhere(list.length, (k) => list[k].first > ref.number) - 1];
        return place && ref.number < place.first + place.count ? place : null;
    }

    /** @param {Ref} ref @returns {Promise<Found | null>} */
    async find(ref) {
        const place = this.placeOf(ref);
        if (!place) {
            return null;
        }
        const tile = await this.load(place);
        return { slice: ref.slice, number: ref.number, tile, i: ref.number - place.first };
    }
}
