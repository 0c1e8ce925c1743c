// The whole run above the canvas: utilization of each bank and link over time, and the part in view.
import { serversOf } from "./model.js";
import { issueOf } from "./strips.js";

const CURVES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A7F00", "#7F7F7F"];
const BINS = 160;
const MOST_CURVES = 8;

/**
 * Busy shares of a row in BINS bins over the run.
 * @param {Float64Array} sums
 * @param {number} start
 * @param {number} bins
 * @param {number} bin
 * @param {number} full
 * @param {number} end
 */
function shares(sums, start, bins, bin, full, end) {
    const curve = new Float64Array(BINS);
    const own = end / BINS;
    for (let k = 0; k < bins; k++) {
        const last = Math.min(BINS - 1, Math.floor(((k + 1) * bin) / own));
        for (let at = Math.floor((k * bin) / own); at <= last; at++) {
            const part = Math.min((k + 1) * bin, (at + 1) * own) - Math.max(k * bin, at * own);
            curve[at] += (sums[start + k] * part) / bin;
        }
    }
    return curve.map((sum) => Math.min(1, sum / (own * full)));
}

/** @param {Page} page @param {number} row @returns {Float64Array | null} */
function curveOfStrip(page, row) {
    const strip = page.strips.find((s) => s.row === row);
    if (!strip) {
        return null;
    }
    const all = new Float64Array(strip.bins);
    strip.busy.forEach((sum, k) => (all[k % strip.bins] += sum));
    const resource = page.manifest.rows[row].resource;
    const places = resource === null ? page.manifest.by_load.length : page.manifest.resources[resource].recorded;
    const full = (serversOf(page.manifest, row) * places) / issueOf(page.manifest, row);
    return shares(all, 0, strip.bins, strip.bin, full, Number(page.view.end));
}

/**
 * The mean of the unfolded slices.
 * @param {Page} page @param {number} row @returns {Float64Array | null}
 */
function curveOfSlices(page, row) {
    const pyramids = page.unfolded.flatMap((slice) => page.store.pyramid(slice) ?? []);
    if (!pyramids.length) {
        return null;
    }
    const total = new Float64Array(BINS);
    for (const pyramid of pyramids) {
        const level = pyramid.levels[0];
        const full = serversOf(page.manifest, row) / issueOf(page.manifest, row);
        const curve = shares(level.busy, row * level.bins, level.bins, level.bin, full, Number(page.view.end));
        curve.forEach((share, k) => (total[k] += share / pyramids.length));
    }
    return total;
}

/**
 * Curves of the busiest rows. The mean is that of the report, which the footer of the trace has; the curve is what
 * the trace recorded.
 * @param {Page} page @returns {{name: string, mean: number, curve: Float64Array}[]}
 */
export function utilization(page) {
    const { rows, resources } = page.manifest;
    const curves = rows.flatMap((row, r) => {
        const mean = row.resource === null ? 0 : resources[row.resource].utilization;
        const curve = mean > 0 ? curveOfStrip(page, r) ?? curveOfSlices(page, r) : null;
        return mean > 0 ? [{ name: row.name, mean, curve: curve ?? new Float64Array(BINS) }] : [];
    });
    return curves.sort((a, b) => b.mean - a.mean).slice(0, MOST_CURVES);
}

export class Overview {
    /** @param {Page} page @param {HTMLCanvasElement} canvas @param {HTMLElement} legend */
    constructor(page, canvas, legend) {
        this.page = page;
        this.canvas = canvas;
        this.legend = legend;
        /** @type {ReturnType<typeof utilization>} */
        this.curves = [];
        this.still = document.createElement("canvas");
        /** @type {ReturnType<typeof utilization> | null} */
        this.drawn = null;
        /** @type {Theme | null} */
        this.theme = null;
        canvas.addEventListener("pointerdown", (event) => this.drag(event));
        canvas.addEventListener("pointermove", (event) => event.buttons & 1 && this.drag(event));
    }

    /**
     * Center the view where the pointer is.
     * @param {PointerEvent} event
     */
    drag(event) {
        const share = event.offsetX / this.canvas.clientWidth;
        this.page.view.center(BigInt(Math.round(share * Number(this.page.view.end))));
        this.page.moved();
    }

    /** Take the curves from the data anew. */
    update() {
        this.curves = utilization(this.page);
        const title = document.createElement("li");
        title.textContent = "Busy over the whole run, 0 to 100 %:";
        this.legend.replaceChildren(title, ...this.curves.map((curve, k) => {
            const item = document.createElement("li");
            const key = document.createElement("span");
            key.className = "key";
            key.style.background = CURVES[k];
            item.append(key, `${curve.name} ${(curve.mean * 100).toPrecision(3)} %`);
            return item;
        }));
    }

    draw() {
        const { canvas } = this;
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        const ctx = canvas.getContext("2d");
        if (!ctx || !width) {
            return;
        }
        this.drawStill(width, height);
        if (canvas.width !== this.still.width || canvas.height !== this.still.height) {
            [canvas.width, canvas.height] = [this.still.width, this.still.height];
        }
        ctx.setTransform(1, 0, 0, 1, 0, 0);
        ctx.drawImage(this.still, 0, 0);
        ctx.scale(devicePixelRatio, devicePixelRatio);
        this.drawWindow(ctx, width, height);
    }

    /**
     * What stays the same while the view moves.
     * @param {number} width @param {number} height
     */
    drawStill(width, height) {
        const { still, page } = this;
        const ctx = still.getContext("2d");
        const same = still.width === Math.round(width * devicePixelRatio) && this.drawn === this.curves && this.theme === page.theme;
        if (!ctx || same) {
            return;
        }
        [this.drawn, this.theme] = [this.curves, page.theme];
        [still.width, still.height] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
        ctx.scale(devicePixelRatio, devicePixelRatio);
        ctx.fillStyle = page.theme.ground;
        ctx.fillRect(0, 0, width, height);
        this.drawCurves(ctx, width, height);
    }

    /** @param {CanvasRenderingContext2D} ctx @param {number} width @param {number} height */
    drawCurves(ctx, width, height) {
        ctx.lineWidth = 1.5;
        this.curves.forEach(({ curve }, k) => {
            ctx.strokeStyle = CURVES[k];
            ctx.beginPath();
            curve.forEach((share, bin) => {
                const y = height - 2 - share * (height - 6);
                ctx.lineTo((bin * width) / BINS, y);
                ctx.lineTo(((bin + 1) * width) / BINS, y);
            });
            ctx.stroke();
        });
    }

    /** @param {CanvasRenderingContext2D} ctx @param {number} width @param {number} height */
    drawWindow(ctx, width, height) {
        const { view, theme } = this.page;
        const x0 = Math.max(0, (view.offset(0n) / Number(view.end)) * width);
        const x1 = Math.min(width, ((view.offset(0n) + view.span) / Number(view.end)) * width);
        ctx.fillStyle = theme.accent;
        ctx.globalAlpha = 0.12;
        ctx.fillRect(x0, 0, Math.max(2, x1 - x0), height);
        ctx.globalAlpha = 1;
        ctx.fillRect(x0, 0, 2, height);
        ctx.fillRect(Math.max(x0 + 2, x1 - 2), 0, 2, height);
    }
}
