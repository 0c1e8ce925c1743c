// What an interval is: its times, its names, its references.
import { decimal, exactTime } from "./time.js";

/** @param {Tile} tile @param {"begin" | "end"} which @param {number} i @returns {bigint} */
function instant(tile, which, i) {
    return tile.place.from + (tile.exact ? tile.exact[which][i] : BigInt(tile[which][i]));
}

/** @param {Tile} tile @param {number} i @returns {bigint} */
export function beginOf(tile, i) {
    return instant(tile, "begin", i);
}

/** @param {Tile} tile @param {number} i @returns {bigint} */
export function endOf(tile, i) {
    return instant(tile, "end", i);
}

/** @param {Tile} tile @param {number} i @returns {bigint} */
export function waitOf(tile, i) {
    return tile.exact ? tile.exact.wait[i] : BigInt(tile.wait[i]);
}

/** @param {Tile} tile @param {number} i @returns {bigint} */
export function serialOf(tile, i) {
    return BigInt(tile.serial[i]);
}

/**
 * An interval by its number.
 * @param {Tile} tile @param {number} i @returns {Found}
 */
export function foundAt(tile, i) {
    return { slice: tile.place.slice, number: tile.place.first + i, tile, i };
}

/** @param {Tile} tile @param {number} i @param {"cause" | "line"} column @returns {Ref | null} */
export function reference(tile, i, column) {
    const code = tile[column][i];
    if (code === 0) {
        return null;
    }
    const at = 2 * (-1 - code);
    return code > 0
        ? { slice: tile.place.slice, number: tile.place.first + i - code }
        : { slice: tile.foreign[at], number: tile.foreign[at + 1] };
}

/** @param {Ref | null} a @param {Ref | null} b */
export function sameRef(a, b) {
    return a !== null && b !== null && a.slice === b.slice && a.number === b.number;
}

const COUNTER = (1n << 40n) - 1n;

/**
 * The id of a parcel: slice of its origin and its number there.
 * @param {bigint} serial
 */
export function idText(serial) {
    return (serial >> 40n).toString() + ":" + (serial & COUNTER).toString();
}

/** @param {string} place @param {boolean} blocks @returns {string} */
function stateText(place, blocks) {
    const names = new Map([
        ["served", "compute"], ["sent", "transfer out"], ["received", "transfer in"],
        ["stalled", "is blocked: waits for words of memory"], ["room", "is blocked: waits for room in a mailbox"],
        ["gate", "is blocked: waits at a gate"], ["section", "section"], ["paused", "pauses: holds its server, which is not in use"],
    ]);
    return (names.get(place) ?? place) + (blocks ? ", blocks others" : "");
}

/**
 * How many intervals a row of one slice can serve at once; of a memory, how many have waited at most.
 * @param {Manifest} manifest @param {number} row
 */
export function serversOf(manifest, row) {
    const { resource, lanes } = manifest.rows[row];
    return Math.max(1, resource === null ? lanes : manifest.resources[resource].count);
}

/** Everything the page says about an interval. */
export class Description {
    /** @param {Manifest} manifest @param {Found} found */
    constructor(manifest, found) {
        const { tile, i } = found;
        const step = manifest.steps[tile.step[i]];
        const serial = serialOf(tile, i);
        this.found = found;
        this.slice = found.slice;
        this.number = found.number;
        this.section = step.place === "section";
        this.type = this.section ? manifest.sections[Number(serial)] ?? "" : step.type;
        this.index = this.section ? "" : (serial & COUNTER).toString();
        this.id = this.section ? "" : idText(serial);
        this.stage = step.stage;
        this.row = step.row === null ? "" : manifest.rows[step.row].name;
        this.rowIndex = step.row;
        this.place = step.place;
        this.begin = beginOf(tile, i);
        this.end = endOf(tile, i);
        this.wait = waitOf(tile, i);
        this.blocked = (tile.flags[i] & 64) !== 0;
        this.open = tile.open[i] === 1;
        this.lane = tile.flags[i] & 16 ? "below lane 16" : "lane " + ((tile.flags[i] & 15) + 1);
        this.state = stateText(step.place, (tile.flags[i] & 32) !== 0);
    }

    /** Does it only wait? */
    waits() {
        return ["stalled", "room", "gate"].includes(this.place);
    }

    name() {
        return this.section ? "section " + this.type : this.type + " #" + this.index;
    }

    /**
     * Its length, and its wait where this is something else.
     * @returns {[string, string][]}
     */
    times() {
        /** @type {[string, string][]} */
        const list = [["begins", exactTime(this.begin)], ["ends", exactTime(this.end) + (this.open ? " (open: the trace ends here)" : "")],
            [this.waits() ? "waits" : "lasts", exactTime(this.end - this.begin)]];
        if (!this.waits() && this.wait > 0n) {
            list.push([this.blocked ? "was blocked before, in line," : "waited in line before", exactTime(this.wait)]);
        }
        return list;
    }

    /** One sentence to be read out. */
    sentence() {
        const times = this.times().map(([what, time]) => what + " " + time).join(", ");
        const id = this.section ? "" : ", id " + this.id + ", " + this.stage;
        return `${this.name()}${id}, slice ${this.slice}, ${this.row}, ${this.lane}: ${this.state}, ${times}.`;
    }

    /** Exactly, in femtoseconds. */
    femtoseconds() {
        return decimal(this.begin, 1n) + " fs to " + decimal(this.end, 1n) + " fs";
    }
}
