// What a tile needs to be drawn fast: its intervals by row and lane, and its queues.

/**
 * Is the list in the order of `begin` already?
 * @param {Uint32Array} list @param {Float64Array} begin
 */
function inOrder(list, begin) {
    for (let k = 1; k < list.length; k++) {
        if (begin[list[k - 1]] > begin[list[k]]) {
            return false;
        }
    }
    return true;
}

/** @param {Tile} tile @param {Uint32Array} list @param {number} row @param {number} lane @returns {Lane} */
function makeLane(tile, list, row, lane) {
    const { begin, end } = tile;
    if (!inOrder(list, begin)) {
        list.sort((a, b) => begin[a] - begin[b] || end[a] - end[b] || a - b);
    }
    const sums = new Float64Array(list.length + 1);
    for (let k = 0; k < list.length; k++) {
        sums[k + 1] = sums[k] + end[list[k]] - begin[list[k]];
    }
    return { row, lane, list, sums };
}

/**
 * Lane 16 holds whatever lies deeper than the sixteen lanes.
 * @param {number} flags
 */
export function laneOf(flags) {
    return flags & 16 ? 16 : flags & 15;
}

/** @param {Tile} tile @param {Int32Array} rows row of each step @returns {Generator<void>} */
export function* indexLanes(tile, rows) {
    /** @type {Map<number, number[]>} */
    const buckets = new Map();
    for (let i = 0; i < tile.count; i++) {
        const row = rows[tile.step[i]];
        if (row < 0) {
            continue;
        }
        const key = row * 17 + laneOf(tile.flags[i]);
        const list = buckets.get(key);
        list ? list.push(i) : buckets.set(key, [i]);
    }
    yield;
    for (const [key, list] of buckets) {
        tile.lanes.push(makeLane(tile, Uint32Array.from(list), Math.floor(key / 17), key % 17));
        yield;
    }
    tile.lanes.sort((a, b) => a.row - b.row || a.lane - b.lane);
}

/** @param {Tile} tile @param {number} row @param {Int32Array} rows @param {boolean[]} waits */
function waitsOf(tile, row, rows, waits) {
    const starts = [];
    const ends = [];
    for (let i = 0; i < tile.count; i++) {
        const step = tile.step[i];
        if (tile.wait[i] > 0 && rows[step] === row && !waits[step]) {
            starts.push(tile.begin[i] - tile.wait[i]);
            ends.push(tile.begin[i]);
        }
    }
    return { starts: Float64Array.from(starts).sort(), ends: Float64Array.from(ends).sort() };
}

/**
 * The number in line as a function of time.
 * @param {Float64Array} starts @param {Float64Array} ends @returns {Queue}
 */
export function queueOf(starts, ends) {
    const n = starts.length + ends.length;
    const queue = { at: new Float64Array(n), count: new Float64Array(n), sums: new Float64Array(n) };
    for (let k = 0, a = 0, b = 0; k < n; k++) {
        const comes = a < starts.length && starts[a] <= ends[b];
        queue.at[k] = comes ? starts[a++] : ends[b++];
        queue.count[k] = a - b;
        queue.sums[k] = k ? queue.sums[k - 1] + queue.count[k - 1] * (queue.at[k] - queue.at[k - 1]) : 0;
    }
    return queue;
}

/** @param {Tile} tile @param {Int32Array} rows @param {boolean[]} waits @returns {Generator<void>} */
export function* indexQueues(tile, rows, waits) {
    const present = new Set(tile.lanes.map((lane) => lane.row));
    for (const row of present) {
        const { starts, ends } = waitsOf(tile, row, rows, waits);
        if (starts.length) {
            tile.queues.set(row, queueOf(starts, ends));
        }
        yield;
    }
    for (const lane of tile.lanes.filter((l) => l.lane === 16)) {
        const pick = (/** @type {Float64Array} */ from) => Float64Array.from(lane.list, (i) => from[i]).sort();
        tile.depths.set(lane.row, queueOf(pick(tile.begin), pick(tile.end)));
    }
}

/**
 * First k in [0, n) for which `after` holds, or n; it holds from some k on.
 * @param {number} n @param {(k: number) => boolean} after
 */
export function firstWhere(n, after) {
    let low = 0;
    let high = n;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (after(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
