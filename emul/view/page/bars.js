// Intervals of decoded tiles: each as a bar where it is wide enough, else all of a pixel as one line,
// the higher the more of the pixel they take. Edges that contrast with the ground frame them all. Nothing vanishes, and no lane costs more than its width.
import { firstWhere } from "./lanes.js";
import { belowTop, laneTop } from "./layout.js";
import { FONT, hatch, inkOn, SMALL, textWidth } from "./paint.js";
import { beginOf, endOf, idText, serialOf } from "./model.js";

const BAR_WIDTH = 1.5;
const OUTLINED = 3;
const LABELLED = 30;
/** Heights of a line, and the least one: room for a colour between two edges. */
const HEIGHTS = 4;
const LEAST_HEIGHT = 4;

export class Bars {
    /** @param {Store} store @param {Manifest} manifest */
    constructor(store, manifest) {
        this.store = store;
        this.manifest = manifest;
        this.startup = manifest.steps.map((s) => (s.resource === null ? 0 : Number(manifest.resources[s.resource].startup_fs)));
        this.rects = 0;
        /** @type {{colour: string, x: number, y: number, w: number, h: number} | null} */
        this.pending = null;
        /** @type {{theme: Theme, blocked: string | CanvasPattern, inLine: string | CanvasPattern} | null} */
        this.hatched = null;
    }

    /** @param {CanvasRenderingContext2D} ctx @param {Theme} theme @param {View} view */
    begin(ctx, theme, view) {
        this.ctx = ctx;
        this.theme = theme;
        this.view = view;
        this.rects = 0;
        const { palette } = theme;
        this.colours = this.manifest.steps.map((s) => (s.place === "paused" ? theme.ground : s.place === "served" ? palette.compute : palette.transfer));
        if (this.hatched?.theme !== theme) {
            this.hatched = { theme, blocked: hatch(palette.blocked, true), inLine: hatch(theme.faint, false) };
        }
        ctx.font = FONT;
    }

    /**
     * What draws: set by begin().
     * @returns {{ctx: CanvasRenderingContext2D, theme: Theme, view: View}}
     */
    tools() {
        return /** @type {any} */ (this);
    }

    /** @param {boolean} blocked or does it wait in line? */
    pattern(blocked) {
        return (blocked ? this.hatched?.blocked : this.hatched?.inLine) ?? "";
    }

    /** @param {string | CanvasPattern} style @param {number} x @param {number} y @param {number} w @param {number} h */
    rect(style, x, y, w, h) {
        const { ctx } = this.tools();
        ctx.fillStyle = style;
        ctx.fillRect(x, y, w, h);
        this.rects++;
    }

    /**
     * The lanes of one row in one tile.
     * @param {Tile} tile @param {Band} band
     */
    row(tile, band) {
        for (const lane of tile.lanes) {
            if (lane.row === band.row && lane.lane < 16) {
                this.lane(tile, lane, laneTop(band, lane.lane), band.laneHeight - 1);
            }
        }
    }

    /** @param {Tile} tile @param {Lane} lane @param {number} y @param {number} h */
    lane(tile, lane, y, h) {
        const { view } = this.tools();
        const { list } = lane;
        const offset = view.offset(tile.place.from);
        const last = offset + view.span;
        const narrow = BAR_WIDTH * view.scale();
        let k = firstWhere(list.length, (m) => tile.end[list[m]] >= offset);
        while (k < list.length && tile.begin[list[k]] <= last) {
            const i = list[k];
            if (tile.end[i] - tile.begin[i] >= narrow) {
                this.flush();
                this.bar(tile, i, y, h);
                k++;
            } else {
                k = this.run(tile, lane, k, offset, y, h);
            }
        }
        this.flush();
    }

    /**
     * The short ones from k on that begin in one pixel.
     * @param {Tile} tile
     * @param {Lane} lane
     * @param {number} k
     * @param {number} offset
     * @param {number} y
     * @param {number} h
     */
    run(tile, lane, k, offset, y, h) {
        const { view } = this.tools();
        const { list, sums } = lane;
        const scale = view.scale();
        const px = Math.floor((tile.begin[list[k]] - offset) / scale);
        const next = offset + (px + 1) * scale;
        let step = 1;
        while (k + step < list.length && tile.begin[list[k + step]] < next) {
            step *= 2;
        }
        const room = Math.min(step, list.length - k);
        let to = k + Math.max(1, firstWhere(room, (m) => tile.begin[list[k + m]] >= next));
        if (to - k > 1 && tile.end[list[to - 1]] - tile.begin[list[to - 1]] >= BAR_WIDTH * scale) {
            to--;
        }
        const share = Math.min(1, (sums[to] - sums[k]) / scale);
        this.line(tile, list[k], px, share, y, h);
        return to;
    }

    /** @param {Tile} tile @param {number} i @param {number} px @param {number} share @param {number} y @param {number} h */
    line(tile, i, px, share, y, h) {
        const { theme } = this.tools();
        if (this.manifest.steps[tile.step[i]].place === "section") {
            return;
        }
        const colour = this.store.waits[tile.step[i]] ? theme.palette.blocked
            : tile.flags[i] & 32 ? theme.palette.blocks : this.colours?.[tile.step[i]] ?? "";
        const height = Math.min(h, Math.max(LEAST_HEIGHT, Math.round((h * Math.ceil(share * HEIGHTS)) / HEIGHTS)));
        const last = this.pending;
        if (last && last.colour === colour && last.h === height && last.x + last.w === px) {
            last.w++;
        } else {
            this.flush();
            this.pending = { colour, x: px, y: y + h - height, w: 1, h: height };
        }
    }

    /**
     * A colour between two edges.
     * @param {string} colour @param {number} x @param {number} y @param {number} w @param {number} h
     */
    edged(colour, x, y, w, h) {
        this.rect(this.tools().theme.outline, x, y, w, h);
        this.rect(colour, x, y + 1, w, h - 2);
    }

    /** Draw the neighbouring lines that look the same. */
    flush() {
        const last = this.pending;
        if (last) {
            this.edged(last.colour, last.x, last.y, last.w, last.h);
            this.pending = null;
        }
    }

    /**
     * Pixels of an interval, cut at the edges of the canvas.
     * @param {Tile} tile @param {number} i
     */
    pixels(tile, i) {
        const { view } = this.tools();
        const edge = (/** @type {number} */ x) => Math.min(view.width + 2, Math.max(-2, x));
        if (tile.exact) {
            return [edge(view.x(beginOf(tile, i))), edge(view.x(endOf(tile, i)))];
        }
        const offset = view.offset(tile.place.from);
        return [edge((tile.begin[i] - offset) / view.scale()), edge((tile.end[i] - offset) / view.scale())];
    }

    /** @param {Tile} tile @param {number} i @param {number} y @param {number} h */
    bar(tile, i, y, h) {
        const { theme } = this.tools();
        const [x0, x1] = this.pixels(tile, i);
        const outlined = x1 - x0 >= OUTLINED;
        this.rect(theme.outline, x0, y, x1 - x0, h);
        const inset = outlined ? 1 : 0;
        this.inside(tile, i, x0 + inset / 2, y + 1, x1 - x0 - inset, h - 2);
        if (tile.open[i]) {
            this.rect(theme.accent, x1 - 3, y - 1, 3, h + 2);
        }
        if (x1 - x0 >= LABELLED) {
            this.label(tile, i, x0, x1, y, h);
        }
        this.tail(tile, i, x0, x1, y, h);
    }

    /** @param {Tile} tile @param {number} i @param {number} x @param {number} y @param {number} w @param {number} h */
    inside(tile, i, x, y, w, h) {
        const { theme, view } = this.tools();
        const step = tile.step[i];
        if (this.store.waits[step]) {
            this.rect(theme.ground, x, y, w, h);
            this.rect(this.pattern(true), x, y, w, h);
            return;
        }
        const blocks = (tile.flags[i] & 32) !== 0;
        const stripe = blocks ? Math.max(2, Math.round(h / 4)) : h;
        this.rect(this.colours?.[step] ?? "", x, y, w, stripe);
        const [begin] = [(tile.begin[i] - view.offset(tile.place.from)) / view.scale()];
        const startup = begin + this.startup[step] / view.scale() - x;
        if (startup > 0.5 && this.startup[step] > 0) {
            this.rect(theme.palette.startup, x, y, Math.min(w, startup), stripe);
        }
        if (blocks) {
            this.rect(theme.palette.blocks, x, y + stripe, w, h - stripe);
        }
    }

    /**
     * Type and number of the parcel, with its id where there is room.
     * @param {Tile} tile
     * @param {number} i
     * @param {number} x0
     * @param {number} x1
     * @param {number} y
     * @param {number} h
     */
    label(tile, i, x0, x1, y, h) {
        const { ctx, theme } = this.tools();
        const left = Math.max(0, x0) + 4;
        const id = idText(serialOf(tile, i));
        const short = this.manifest.steps[tile.step[i]].type + " #" + id.slice(id.indexOf(":") + 1);
        ctx.font = h < 12 ? SMALL : FONT;
        const room = Math.min(x1, this.tools().view.width) - left - 3;
        const long = `${short} · id ${id}`;
        const number = short.slice(short.lastIndexOf("#"));
        const text = [long, short, number].find((label) => textWidth(ctx, label) <= room) ?? "";
        if (!text) {
            return;
        }
        this.pad(tile, i, left, y, h, text);
        ctx.textBaseline = "middle";
        ctx.fillText(text, left, y + h / 2 + 0.5);
    }

    /**
     * A ground on which the label can be read.
     * @param {Tile} tile
     * @param {number} i
     * @param {number} x
     * @param {number} y
     * @param {number} h
     * @param {string} text
     */
    pad(tile, i, x, y, h, text) {
        const { ctx, theme } = this.tools();
        const step = tile.step[i];
        const blocks = tile.flags[i] & 32;
        const colour = this.store.waits[step] ? theme.ground : blocks ? theme.palette.blocks : this.colours?.[step] ?? theme.ground;
        const striped = this.store.waits[step] || this.startup[step] > 0 || blocks;
        if (striped) {
            this.rect(colour, x - 2, y + 1, ctx.measureText(text).width + 4, h - 2);
        }
        ctx.fillStyle = inkOn(colour);
    }

    /**
     * The wait before a bar, hatched, at the foot of its lane.
     * @param {Tile} tile
     * @param {number} i
     * @param {number} x0
     * @param {number} x1
     * @param {number} y
     * @param {number} h
     */
    tail(tile, i, x0, x1, y, h) {
        const { view } = this.tools();
        const wait = tile.wait[i];
        if (!wait || this.store.waits[tile.step[i]] || x1 - x0 < 16) {
            return;
        }
        const from = Math.max(-2, x0 - wait / view.scale());
        if (x0 - from >= 1) {
            this.rect(this.pattern((tile.flags[i] & 64) !== 0), from, y + h - 4, x0 - from, 4);
        }
    }

    /**
     * Words at the top of a fill curve: the capacity, or less where hardly any of it is used.
     * @param {number} layer @param {number} fullest most words used
     */
    top(layer, fullest) {
        const capacity = Number(this.manifest.layers[layer].capacity_words);
        return Math.max(1, fullest > 0 && fullest * 10 < capacity ? fullest : capacity);
    }

    /**
     * Words used over time, as a filled curve.
     * @param {Tile[]} tiles in the order of their numbers @param {number} layer @param {Band} band @param {number} fullest
     */
    fill(tiles, layer, band, fullest) {
        const { view } = this.tools();
        const capacity = this.top(layer, fullest);
        tiles.forEach((tile, n) => {
            const fill = tile.fills[layer];
            const first = fill.at.length ? view.x(tile.place.from + BigInt(Math.round(fill.at[0]))) : view.x(tile.place.from);
            const next = tiles.slice(n + 1).find((t) => t.fills[layer].at.length);
            const end = next ? view.x(next.place.from + BigInt(Math.round(next.fills[layer].at[0]))) : view.x(this.endOfFill(tile));
            this.fillPart(tile, fill, n === 0 ? view.x(tile.place.from) : first, end, band, capacity);
        });
    }

    /**
     * The last fill of a slice stays until the run ends.
     * @param {Tile} tile @returns {bigint}
     */
    endOfFill(tile) {
        const places = this.store.ofSlice(tile.place.slice);
        return places[places.length - 1] === tile.place ? this.store.end : tile.place.to;
    }

    /** @param {Tile} tile @param {Fill} fill @param {number} from @param {number} to @param {Band} band @param {number} capacity */
    fillPart(tile, fill, from, to, band, capacity) {
        const { view } = this.tools();
        const offset = view.offset(tile.place.from);
        const n = fill.at.length;
        const left = Math.max(0, from);
        const right = Math.min(view.width, to);
        let k = firstWhere(n, (m) => (fill.at[m] - offset) / view.scale() > left) - 1;
        for (let x = left; x < right;) {
            const change = k + 1 < n ? (fill.at[k + 1] - offset) / view.scale() : right;
            const words = k < 0 ? fill.level : fill.used[k];
            const stop = Math.min(right, Math.max(change, x + 1));
            this.level(words / capacity, x, stop - x, band);
            x = stop;
            k = Math.max(k + 1, firstWhere(n, (m) => (fill.at[m] - offset) / view.scale() > x) - 1);
        }
    }

    /**
     * One stretch of a fill curve.
     * @param {number} share @param {number} x @param {number} w @param {Band} band
     */
    level(share, x, w, band) {
        const { theme } = this.tools();
        const h = Math.max(share > 0 ? 1 : 0, Math.min(1, share) * (band.below - 2));
        const foot = belowTop(band) + band.below;
        const left = Math.floor(x);
        const width = Math.max(1, Math.floor(x + w) - left);
        this.rect(theme.faint, left, foot - h, width, h);
        this.rect(theme.text, left, foot - h - 0.5, width, 1);
    }
}

/**
 * Mean of a queue over each pixel, added to `sums`.
 * @param {Queue} queue @param {Tile} tile @param {View} view @param {Float64Array} sums
 */
export function addQueue(queue, tile, view, sums) {
    const offset = view.offset(tile.place.from);
    const scale = view.scale();
    const { at, count } = queue;
    const n = at.length;
    const first = Math.max(0, Math.floor((at[0] - offset) / scale));
    const last = Math.min(sums.length - 1, Math.floor((at[n - 1] - offset) / scale));
    const integral = (/** @type {number} */ t) => {
        const k = firstWhere(n, (m) => at[m] > t) - 1;
        return k < 0 ? 0 : queue.sums[k] + count[k] * (t - at[k]);
    };
    let before = integral(offset + first * scale);
    for (let px = first; px <= last; px++) {
        const now = integral(offset + (px + 1) * scale);
        sums[px] += Math.max(0, now - before) / scale;
        before = now;
    }
}
