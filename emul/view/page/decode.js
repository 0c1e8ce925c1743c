// Tiles, pyramids, strips and the critical path from their bytes. A tile is decoded in pieces: after
// each `yield` the caller may let the browser draw.
import { Reader } from "./bytes.js";

/** From here on sums of doubles are no longer exact, and a tile keeps its times as BigInt, too. */
const WIDE = 2n ** 52n;

/** @param {Tile} tile @param {Reader} column */
function readSteps(tile, column) {
    for (let i = 0; i < tile.count; i++) {
        const code = column.varint();
        tile.step[i] = code >> 1;
        tile.open[i] = code & 1;
    }
}

/**
 * Differences from the value before.
 * @param {Reader} column @param {number} count @returns {Float64Array}
 */
function readDeltas(column, count) {
    const values = new Float64Array(count);
    let value = 0;
    for (let i = 0; i < count; i++) {
        value += column.zigzag();
        values[i] = value;
    }
    return values;
}

/** @param {Reader} column @param {number} count @returns {BigInt64Array} */
function readBigDeltas(column, count) {
    const values = new BigInt64Array(count);
    let value = 0n;
    for (let i = 0; i < count; i++) {
        value += column.bigZigzag();
        values[i] = value;
    }
    return values;
}

/**
 * Differences from the value before of the same step.
 * @param {Reader} column @param {Uint16Array} step @param {number} steps
 */
function readStepDeltas(column, step, steps) {
    const before = new Float64Array(steps);
    const values = new Float64Array(step.length);
    for (let i = 0; i < step.length; i++) {
        values[i] = before[step[i]] += column.zigzag();
    }
    return values;
}

/** @param {Reader} column @param {Uint16Array} step @param {number} steps */
function readBigStepDeltas(column, step, steps) {
    const before = new BigInt64Array(steps);
    const values = new BigInt64Array(step.length);
    for (let i = 0; i < step.length; i++) {
        before[step[i]] += column.bigZigzag();
        values[i] = before[step[i]];
    }
    return values;
}

/** @param {BigInt64Array} values @returns {Float64Array} */
function rounded(values) {
    return Float64Array.from(values, Number);
}

/**
 * Columns end, service and wait. The place of an interval on the axis is its service, or its wait
 * where the wait is all there is of it (`waits` of its step).
 * @param {Tile} tile @param {Reader[]} columns @param {boolean[]} waits
 */
function readTimes(tile, columns, waits) {
    const n = tile.count;
    if (tile.place.to - tile.place.from >= WIDE) {
        readWideTimes(tile, columns, waits);
        return;
    }
    tile.end = readDeltas(columns[0], n);
    const service = readStepDeltas(columns[1], tile.step, waits.length);
    tile.wait = readStepDeltas(columns[2], tile.step, waits.length);
    for (let i = 0; i < n; i++) {
        tile.begin[i] = tile.end[i] - (waits[tile.step[i]] ? tile.wait[i] : service[i]);
    }
}

/** @param {Tile} tile @param {Reader[]} columns @param {boolean[]} waits */
function readWideTimes(tile, columns, waits) {
    const end = readBigDeltas(columns[0], tile.count);
    const service = readBigStepDeltas(columns[1], tile.step, waits.length);
    const wait = readBigStepDeltas(columns[2], tile.step, waits.length);
    const begin = end.map((at, i) => at - (waits[tile.step[i]] ? wait[i] : service[i]));
    tile.exact = { begin, end, wait };
    tile.end = rounded(end);
    tile.wait = rounded(wait);
    tile.begin = rounded(begin);
}

/**
 * References: 0 none, positive the distance back, negative -1 - index of a foreign one.
 * @param {Tile} tile @param {Reader} causes @param {Reader} lines @param {Reader} foreign
 */
function readReferences(tile, causes, lines, foreign) {
    let count = 0;
    const code = (/** @type {Reader} */ column) => {
        const value = column.varint();
        return value === 1 ? -1 - count++ : value / 2;
    };
    for (let i = 0; i < tile.count; i++) {
        tile.cause[i] = code(causes);
        tile.line[i] = tile.wait[i] > 0 ? code(lines) : 0;
    }
    tile.foreign = new Float64Array(2 * count);
    for (let i = 0; i < 2 * count; i++) {
        tile.foreign[i] = foreign.varint();
    }
}

/** @param {Tile} tile @param {Reader} when @param {Reader} what @param {number} samples @param {number} layers */
function readSamples(tile, when, what, samples, layers) {
    const used = Array.from({ length: layers }, () => what.varint());
    /** @type {{level: number, at: number[], used: number[]}[]} */
    const lists = used.map((level) => ({ level, at: [], used: [] }));
    let at = 0;
    for (let i = 0; i < samples; i++) {
        at += when.zigzag();
        const code = what.varint();
        const layer = code >> 1;
        used[layer] += code & 1 ? -what.varint() : what.varint();
        lists[layer].at.push(at);
        lists[layer].used.push(used[layer]);
    }
    tile.fills = lists.map((l) => ({ level: l.level, at: Float64Array.from(l.at), used: Float64Array.from(l.used) }));
}

/** @param {Place} place @returns {Tile} */
function emptyTile(place) {
    const n = place.count;
    const none = new Float64Array(0);
    return {
        place, count: n, step: new Uint16Array(n), open: new Uint8Array(n), flags: new Uint8Array(n),
        begin: new Float64Array(n), end: none, wait: none, exact: null, serial: none,
        cause: new Int32Array(n), line: new Int32Array(n), foreign: none,
        lanes: [], queues: new Map(), depths: new Map(), fills: [],
    };
}

/**
 * @param {Reader} reader @param {Place} place @param {Manifest} manifest @param {boolean[]} waits
 * @returns {Generator<void, Tile>}
 */
export function* decodeTile(reader, place, manifest, waits) {
    const tile = emptyTile(place);
    const columns = Array.from({ length: 11 }, () => reader.column());
    readSteps(tile, columns[0]);
    yield;
    readTimes(tile, columns.slice(1, 4), waits);
    yield;
    tile.serial = manifest.played > 4096 ? readBigDeltas(columns[4], place.count) : readDeltas(columns[4], place.count);
    readReferences(tile, columns[5], columns[6], columns[7]);
    yield;
    readSamples(tile, columns[8], columns[9], manifest.tiles[place.index].samples, manifest.layers.length);
    tile.flags = columns[10].bytes.subarray(columns[10].at, columns[10].end);
    return tile;
}

/**
 * Sums of pairs.
 * @param {Float64Array} values
 * @param {number} rows
 * @param {number} bins
 * @param {(a: number, b: number) => number} join
 */
function paired(values, rows, bins, join) {
    const half = Math.ceil(bins / 2);
    const out = new Float64Array(rows * half);
    for (let row = 0; row < rows; row++) {
        for (let bin = 0; bin < half; bin++) {
            const a = row * bins + 2 * bin;
            out[row * half + bin] = 2 * bin + 1 < bins ? join(values[a], values[a + 1]) : values[a];
        }
    }
    return out;
}

/** @param {Level} level @param {number} rows @returns {Level} */
function coarser(level, rows) {
    const add = (/** @type {number} */ a, /** @type {number} */ b) => a + b;
    const n = level.bins;
    return {
        bin: level.bin * 2, bins: Math.ceil(n / 2),
        busy: paired(level.busy, rows, n, add),
        waiting: paired(level.waiting, rows, n, add),
        blocked: paired(level.blocked, rows, n, add),
        least: paired(level.least, rows, n, Math.min),
        greatest: paired(level.greatest, rows, n, Math.max),
    };
}

/** @param {Reader} reader @param {PyramidEntry} entry @param {Row[]} rows @returns {Level} */
function finestLevel(reader, entry, rows) {
    const n = rows.length * entry.bins;
    const of = () => new Float64Array(n);
    /** @type {Level} */
    const level = { bin: Number(entry.bin_fs), bins: entry.bins, busy: of(), waiting: of(), blocked: of(), least: of(), greatest: of() };
    for (let i = 0; i < n; i++) {
        level.busy[i] = reader.varint();
        level.waiting[i] = reader.varint();
        level.blocked[i] = reader.varint();
    }
    rows.forEach((row, r) => {
        for (let i = r * entry.bins; row.kind === "memory" && i < (r + 1) * entry.bins; i++) {
            level.least[i] = reader.varint();
            level.greatest[i] = reader.varint();
        }
    });
    return level;
}

/** @param {Reader} reader @returns {{at: bigint, section: number}[]} */
function readSections(reader) {
    const count = reader.more() ? reader.varint() : 0;
    return Array.from({ length: count }, () => ({ at: reader.big(), section: reader.varint() }));
}

/** @param {Reader} reader @param {PyramidEntry} entry @param {Row[]} rows @returns {Pyramid} */
export function decodePyramid(reader, entry, rows) {
    const levels = [finestLevel(reader, entry, rows)];
    while (levels[levels.length - 1].bins > 1) {
        levels.push(coarser(levels[levels.length - 1], rows.length));
    }
    const top = levels[levels.length - 1];
    const most = new Float64Array(rows.length);
    levels[0].waiting.forEach((sum, i) => {
        const row = Math.floor(i / entry.bins);
        const line = sum + (rows[row].kind === "memory" ? 0 : levels[0].blocked[i]);
        most[row] = Math.max(most[row], line / levels[0].bin);
    });
    const empty = rows.map((_, r) => !top.busy[r] && !top.waiting[r] && !top.blocked[r] && !top.greatest[r]);
    const calm = rows.map((_, r) => !top.blocked[r] && !top.waiting[r]);
    return { from: BigInt(entry.from), levels, empty, most, calm, fullest: top.greatest, sections: readSections(reader) };
}

/** @param {Reader} reader @param {StripEntry} entry @returns {Strip} */
export function decodeStrip(reader, entry) {
    const n = entry.groups * entry.bins;
    const busy = new Float64Array(n);
    const waiting = new Float64Array(n);
    const blocked = new Float64Array(n);
    let most = 0;
    for (let i = 0; i < n; i++) {
        busy[i] = reader.varint();
        waiting[i] = reader.varint();
        blocked[i] = reader.varint();
        most = Math.max(most, waiting[i] + blocked[i]);
    }
    return { row: entry.row, groups: entry.groups, single: entry.single, bins: entry.bins, bin: Number(entry.bin_fs), busy, waiting, blocked, most };
}

/**
 * Parts of the critical path, from the beginning to the end.
 * @param {Reader} reader @param {number} count
 */
export function decodePath(reader, count) {
    /** @type {PathPart[]} */
    const parts = [];
    for (let k = 0; k < count; k++) {
        const [slice, number, code] = [reader.varint(), reader.varint(), reader.varint()];
        const from = reader.big();
        parts.push({ slice, number, step: code >> 1, flies: (code & 1) === 1, port: null, from, to: from + reader.big() });
    }
    while (reader.at < reader.end) {
        parts[reader.varint()].port = reader.varint();
    }
    return parts.reverse();
}
