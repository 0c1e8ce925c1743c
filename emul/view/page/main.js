// The page: its parts, what is shown, and when it is drawn.
import { readManifest } from "./bytes.js";
import { AXIS, drawAxis, drawHead, drawName, drawPointer, drawSections } from "./axis.js";
import { addQueue, Bars } from "./bars.js";
import { drawDepth, drawLevels, drawQueue } from "./levels.js";
import { Layout } from "./layout.js";
import { byId, describeRun, listenToControls, showLegend } from "./controls.js";
import { Description } from "./model.js";
import { drawPathFrames, drawPathRow, PATH } from "./path.js";
import { drawSelection, linksOf, showSelection } from "./selection.js";
import { slicesAt, Strips } from "./strips.js";
import { listenToKeys } from "./keys.js";
import { Matrix } from "./matrix.js";
import { Overview } from "./overview.js";
import { Pointer } from "./pointer.js";
import { Range } from "./range.js";
import { readTheme } from "./paint.js";
import { firstWhere } from "./lanes.js";
import { KEPT, Store } from "./store.js";
import { Table } from "./table.js";
import { Teaching } from "./teach.js";
import { View } from "./view.js";

/** So many intervals of a slice are drawn one by one; of more, only the pyramid. */
const MOST_EXACT = 800000;
/** So few slices are all unfolded at the beginning, without heat strips. */
const UNFOLDED = 4;

export class Page {
    /** @param {Manifest} manifest */
    constructor(manifest) {
        this.manifest = manifest;
        this.store = new Store(manifest, () => this.arrived());
        this.view = new View(this.store.end);
        this.layout = new Layout();
        this.bars = new Bars(this.store, manifest);
        this.canvas = byId("timeline", HTMLCanvasElement);
        this.ctx = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
        this.gantt = manifest.gantt;
        this.theme = readTheme(manifest, this.gantt);
        this.gutter = 190;
        this.width = 0;
        this.scroll = 0;
        /** @type {number | null} */
        this.pointer = null;
        this.emptyRows = false;
        this.byNumber = false;
        /** @type {Set<number>} */
        this.tall = new Set();
        /** @type {number[]} */
        this.unfolded = [];
        /** @type {Strip[]} */
        this.strips = [];
        /** @type {PathPart[]} */
        this.path = [];
        this.pathAt = -1;
        /** @type {Description | null} */
        this.selection = null;
        /** @type {import("./selection.js").Links | null} */
        this.links = null;
        this.drawing = 0;
        /** Tiles of each slice in the view of the last frame. */
        this.near = /** @type {Map<number, Place[]>} */ (new Map());
        this.mostExact = MOST_EXACT;
        /**
         * Milliseconds that the last frames took, for the bench.
         * @type {number[]}
         */
        this.frames = [];
        this.overview = new Overview(this, byId("overview", HTMLCanvasElement), byId("curves", HTMLUListElement));
        this.table = new Table(this, byId("intervals", HTMLTableSectionElement), byId("table-note", HTMLParagraphElement), byId("turns", HTMLDivElement));
        this.heat = new Strips(this);
        this.teaching = new Teaching(this);
        this.range = new Range(this, byId("range", HTMLElement));
        this.matrix = new Matrix(this, byId("matrix", HTMLDetailsElement));
    }

    /** Read what the whole page needs, and show it. */
    async start() {
        describeRun(this.manifest);
        this.strips = await this.store.strips();
        this.path = await this.store.path();
        await this.matrix.start();
        this.unfolded = this.firstSlices();
        this.canvas.hidden = false;
        await Promise.all(this.unfolded.map((slice) => this.store.loadPyramid(slice)));
        listenToControls(this);
        listenToKeys(this, this.canvas);
        new Pointer(this, this.canvas, byId("hint", HTMLDivElement));
        new ResizeObserver(() => this.draw()).observe(this.canvas);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour(this.gantt));
        this.recolour(this.gantt);
        showSelection(this, byId("selection", HTMLElement));
        this.teaching.offer();
        this.arrange();
        this.moved();
        this.say("Ready.");
    }

    /** @returns {number[]} */
    firstSlices() {
        const { opened, by_load } = this.manifest;
        return this.inOrder(this.hasStrips() ? opened : by_load);
    }

    /**
     * Slices by their load or their number.
     * @param {number[]} slices @returns {number[]}
     */
    inOrder(slices) {
        const { by_load } = this.manifest;
        return [...slices].sort((a, b) => (this.byNumber ? a - b : by_load.indexOf(a) - by_load.indexOf(b)));
    }

    /** Are there more slices than are unfolded at the beginning? */
    hasStrips() {
        return this.manifest.by_load.length > UNFOLDED;
    }

    /**
     * The slices at a height of a strip.
     * @param {Strip} strip @param {Band} band @param {number} y
     */
    slicesAt(strip, band, y) {
        return slicesAt(this, strip, band, y);
    }

    /** @param {boolean} byNumber */
    sortBy(byNumber) {
        this.byNumber = byNumber;
        this.unfolded = this.inOrder(this.unfolded);
        this.arrange();
    }

    /**
     * Lines of a strip become high, or low again.
     * @param {number} row
     */
    stretch(row) {
        this.tall.has(row) ? this.tall.delete(row) : this.tall.add(row);
        this.arrange();
    }

    // ---- What is shown ----

    arrange() {
        this.layout = new Layout();
        if (this.hasStrips()) {
            this.layout.addStrips(this.manifest, this.strips, this.emptyRows, this.byNumber, this.tall);
        }
        for (const slice of this.unfolded) {
            this.layout.addSlice(this.manifest, slice, this.store.pyramid(slice), this.emptyRows);
        }
        this.scrollBy(0);
    }

    /** Something has been decoded. */
    arrived() {
        this.arrange();
        this.overview.update();
        this.draw();
    }

    /** @param {number} slice @param {boolean} [look] scroll to it, too */
    unfold(slice, look = false) {
        if (!this.store.entry(slice)) {
            this.say(`This page holds no detail of slice ${slice}. Write it with --slices ${slice}.`);
            return;
        }
        if (!this.unfolded.includes(slice)) {
            this.unfolded.push(slice);
            this.arrange();
            this.table.later();
        }
        const head = this.layout.bands.find((band) => band.kind === "head" && band.slice === slice);
        if (look && head) {
            this.scroll = head.y;
            this.scrollBy(0);
            this.say(`Slice ${slice} is unfolded.`);
        }
    }

    /** @param {number} slice */
    fold(slice) {
        this.unfolded = this.unfolded.filter((other) => other !== slice);
        this.arrange();
        this.table.later();
    }

    /** As at the beginning. */
    foldAll() {
        this.unfolded = this.firstSlices();
        this.arrange();
        this.table.later();
    }

    /** @param {boolean} gantt */
    recolour(gantt) {
        this.gantt = gantt;
        this.theme = readTheme(this.manifest, gantt);
        showLegend(this);
        this.matrix.draw();
        this.draw();
    }

    /** @param {boolean} empty */
    showEmpty(empty) {
        this.emptyRows = empty;
        this.arrange();
    }

    // ---- Moves ----

    moved() {
        this.table.later();
        this.draw();
    }

    /** @param {number} share of the width */
    pan(share) {
        this.view.pan(share);
        this.moved();
    }

    /** @param {number} factor @param {number} [x] */
    zoom(factor, x = this.view.width / 2) {
        this.view.zoom(factor, Math.max(0, x));
        this.moved();
    }

    whole() {
        this.view.all();
        this.moved();
    }

    /** @param {number} by pixels */
    scrollBy(by) {
        const most = Math.max(0, this.layout.height - (this.canvas.clientHeight - this.top()));
        this.scroll = Math.max(0, Math.min(most, this.scroll + by));
        this.draw();
    }

    /** Where the rows begin on the canvas. */
    top() {
        return AXIS + (this.path.length ? PATH : 0) + 2;
    }

    /**
     * Height in the layout of a height on the canvas.
     * @param {number} y
     */
    below(y) {
        return y - this.top() + this.scroll;
    }

    // ---- Selection ----

    /** @param {string} text to be read out */
    say(text) {
        byId("live", HTMLDivElement).textContent = text;
    }

    /**
     * The statistics of the time up to the next change of section in that slice.
     * @param {Description} selection
     */
    rangeOfSection(selection) {
        const next = this.store.pyramid(selection.slice)?.sections.find((change) => change.at > selection.end);
        this.range.draft(selection.end, next?.at ?? this.store.end);
        void this.range.show();
    }

    /** The statistics of what is in view. */
    rangeOfView() {
        this.range.draft(this.view.from, this.view.to());
        void this.range.show();
    }

    clear() {
        this.range.clear();
        this.selection = null;
        this.links = null;
        showSelection(this, byId("selection", HTMLElement));
        this.draw();
    }

    /** @param {Ref} ref @param {string} [before] said before its name */
    async select(ref, before = "") {
        const found = await this.store.find(ref);
        if (!found) {
            this.say(before + "This page does not hold that interval.");
            return;
        }
        const chosen = new Description(this.manifest, found);
        this.selection = chosen;
        this.links = null;
        this.say(before + chosen.sentence());
        showSelection(this, byId("selection", HTMLElement));
        this.draw();
        void this.link(chosen);
    }

    /**
     * Select an interval and scroll to its row.
     * @param {Ref} ref @param {string} before
     */
    async selectAndScroll(ref, before) {
        this.unfold(ref.slice);
        this.moved();
        await this.select(ref, before);
        if (this.selection) {
            this.scrollToRow(this.selection);
        }
    }

    /** @param {Description} chosen */
    async link(chosen) {
        const stopped = () => this.selection !== chosen;
        const links = chosen.section ? null : await linksOf(this.store, chosen.found, stopped);
        if (links && !stopped()) {
            this.links = links;
            showSelection(this, byId("selection", HTMLElement));
            this.draw();
        }
    }

    /**
     * Select an interval and bring it into view.
     * @param {Found} found @param {boolean} [closer] zoom to it
     */
    async reveal(found, closer = false) {
        const chosen = new Description(this.manifest, found);
        this.unfold(found.slice);
        this.bringIntoView(chosen, closer);
        await this.select(found);
    }

    /** @param {Description} chosen @param {boolean} closer */
    bringIntoView(chosen, closer) {
        const { view } = this;
        const length = Number(chosen.end - chosen.begin);
        if (closer || (length > 0 && length < view.span / 2000)) {
            view.show(chosen.begin, chosen.end > chosen.begin ? chosen.end : chosen.begin + 1n, 4);
        } else if (chosen.end < view.from || chosen.begin > view.to() || (chosen.begin < view.from && length < view.span)) {
            view.center(chosen.begin);
        }
        this.scrollToRow(chosen);
        this.moved();
    }

    /** @param {Description} chosen */
    scrollToRow(chosen) {
        const band = this.layout.rowOf(chosen.slice, chosen.rowIndex);
        const room = this.canvas.clientHeight - this.top();
        if (band && (band.y < this.scroll || band.y + band.height > this.scroll + room)) {
            this.scroll = Math.max(0, band.y - room / 3);
            this.scrollBy(0);
        }
    }

    /** @param {bigint} at */
    selectPath(at) {
        const k = firstWhere(this.path.length, (m) => this.path[m].to > at);
        if (k < this.path.length) {
            this.pathAt = k;
            void this.selectAndScroll(this.path[k], `Step ${k + 1} of ${this.path.length} of the critical path. `);
        }
    }

    // ---- Drawing ----

    draw() {
        if (!this.drawing) {
            this.drawing = requestAnimationFrame(() => {
                const since = performance.now();
                this.drawing = 0;
                this.drawNow();
                this.frames.push(performance.now() - since);
                this.frames.splice(0, this.frames.length - 600);
            });
        }
    }

    /** @returns {number} height */
    prepare() {
        this.near.clear();
        const scale = devicePixelRatio;
        const { clientWidth, clientHeight } = this.canvas;
        this.width = clientWidth;
        this.gutter = clientWidth < 700 ? 120 : 190;
        this.view.width = Math.max(1, clientWidth - this.gutter);
        if (this.canvas.width !== Math.round(clientWidth * scale) || this.canvas.height !== Math.round(clientHeight * scale)) {
            this.canvas.width = Math.round(clientWidth * scale);
            this.canvas.height = Math.round(clientHeight * scale);
        }
        this.ctx.setTransform(scale, 0, 0, scale, this.gutter * scale, 0);
        this.ctx.fillStyle = this.theme.ground;
        this.ctx.fillRect(-this.gutter, 0, clientWidth, clientHeight);
        return clientHeight;
    }

    drawNow() {
        const height = this.prepare();
        this.bars.begin(this.ctx, this.theme, this.view);
        drawAxis(this, height);
        this.drawRows(height);
        if (this.path.length) {
            drawPathRow(this);
        }
        this.range.drawOn(height);
        if (this.pointer !== null) {
            drawPointer(this, this.pointer, height);
        }
        this.overview.draw();
        this.teaching.draw();
    }

    /** @param {number} height */
    drawRows(height) {
        const { ctx } = this;
        const seen = this.layout.bands.filter((band) => band.y + band.height > this.scroll && band.y < this.scroll + height);
        ctx.save();
        ctx.beginPath();
        ctx.rect(-this.gutter, this.top(), this.width, height);
        ctx.clip();
        ctx.translate(0, this.top() - this.scroll);
        seen.forEach((band) => this.drawName(band));
        ctx.beginPath();
        ctx.rect(0, this.scroll, this.view.width, height);
        ctx.clip();
        seen.forEach((band) => this.drawBand(band));
        drawPathFrames(this);
        drawSelection(this);
        ctx.restore();
        this.drawHeadAgain();
    }

    /** The head of the slice whose rows are on top stays there. */
    drawHeadAgain() {
        const { ctx, scroll } = this;
        const heads = this.layout.bands.filter((band) => band.kind === "head" || band.kind === "title");
        const k = firstWhere(heads.length, (m) => heads[m].y > scroll) - 1;
        if (k < 0 || heads[k].y === scroll) {
            return;
        }
        const pushed = k + 1 < heads.length ? Math.min(0, heads[k + 1].y - scroll - heads[k].height) : 0;
        ctx.save();
        ctx.beginPath();
        ctx.rect(-this.gutter, this.top() - 2, this.width, heads[k].height);
        ctx.clip();
        drawHead(this, { ...heads[k], y: this.top() - 3 + pushed });
        ctx.restore();
    }

    /** @param {Band} band */
    drawName(band) {
        if (band.kind === "row" || band.kind === "strip") {
            drawName(this, band);
        } else {
            drawHead(this, band);
        }
    }

    /** @param {Band} band */
    drawBand(band) {
        const strip = band.kind === "strip" && this.strips.find((s) => s.row === band.row);
        if (strip) {
            this.heat.draw(strip, band);
        } else if (band.kind === "row") {
            this.drawRow(band);
            this.ctx.fillStyle = this.theme.grid;
            this.ctx.fillRect(0, band.y + band.height - 3, this.view.width, 1);
        }
    }

    /**
     * Tiles of a slice that touch the view.
     * @param {number} slice @returns {Place[]}
     */
    placesInView(slice) {
        let places = this.near.get(slice);
        if (!places) {
            places = this.store.touching(slice, this.view.from, this.view.to());
            this.near.set(slice, places);
        }
        return places;
    }

    /**
     * Those to be drawn interval by interval: none if they are too many.
     * @param {number} slice @returns {Place[]}
     */
    exactPlaces(slice) {
        const places = this.placesInView(slice);
        const count = places.reduce((sum, place) => sum + place.count, 0);
        return count <= Math.min(this.mostExact, (0.8 * KEPT) / this.unfolded.length) ? places : [];
    }

    /**
     * Is the slice drawn interval by interval?
     * @param {number} slice
     */
    isExact(slice) {
        return this.exactPlaces(slice).some((place) => this.store.tiles.has(place.index));
    }

    /**
     * Decoded tiles of a slice in view; those that are missing are asked for.
     * @param {number} slice @returns {Tile[]}
     */
    tilesInView(slice) {
        return this.exactPlaces(slice).flatMap((place) => {
            const tile = this.store.tile(place);
            if (!tile) {
                void this.store.load(place);
            }
            return tile ?? [];
        });
    }

    /** @param {Band} band */
    drawRow(band) {
        const pyramid = this.store.pyramid(band.slice);
        const row = this.manifest.rows[band.row];
        if (row.kind === "sections") {
            pyramid && drawSections(this, pyramid, band);
        }
        if (row.kind === "sections" && band.lanes === 0) {
            return;
        }
        const tiles = this.tilesInView(band.slice);
        if (pyramid) {
            this.drawPyramid(pyramid, band, tiles);
        }
        tiles.forEach((tile) => this.bars.row(tile, band));
        this.drawBelow(band, tiles, pyramid);
    }

    /**
     * The pyramid where no decoded tile is.
     * @param {Pyramid} pyramid @param {Band} band @param {Tile[]} tiles
     */
    drawPyramid(pyramid, band, tiles) {
        const { ctx, view } = this;
        const decoded = new Set(tiles.map((tile) => tile.place));
        const places = this.placesInView(band.slice);
        const missing = places.filter((place) => !decoded.has(place));
        if (!tiles.length) {
            drawLevels(this.bars, this.manifest, pyramid, band);
            return;
        }
        const beyond = this.outside();
        for (const [from, to] of [...missing.map((place) => [view.x(place.from), view.x(place.to)]), ...beyond]) {
            ctx.save();
            ctx.beginPath();
            ctx.rect(from, band.y, Math.max(0, to - from), band.height);
            ctx.clip();
            drawLevels(this.bars, this.manifest, pyramid, band);
            ctx.restore();
        }
    }

    /**
     * Where a page that holds a window only has no tiles.
     * @returns {number[][]}
     */
    outside() {
        if (this.manifest.full || !this.manifest.window) {
            return [];
        }
        const [from, to] = this.manifest.window.map((at) => this.view.x(BigInt(at)));
        return [[0, from], [to, this.view.width]].filter(([a, b]) => b > a);
    }

    /** @param {Band} band @param {Tile[]} tiles @param {Pyramid | null} pyramid */
    drawBelow(band, tiles, pyramid) {
        const row = this.manifest.rows[band.row];
        if (row.kind === "memory" && row.layer !== null) {
            this.bars.fill(tiles, row.layer, band, pyramid?.fullest[band.row] ?? 0);
        }
        const queues = this.means(tiles, (tile) => tile.queues.get(band.row));
        if (queues) {
            drawQueue(this.bars, band, queues, Math.max(1, pyramid?.most[band.row] ?? 1));
        }
        const depths = this.means(tiles, (tile) => tile.depths.get(band.row));
        if (depths) {
            drawDepth(this.bars, band, depths);
        }
    }

    /** @param {Tile[]} tiles @param {(tile: Tile) => Queue | undefined} pick */
    means(tiles, pick) {
        const sums = new Float64Array(Math.ceil(this.view.width));
        let some = false;
        for (const tile of tiles) {
            const queue = pick(tile);
            if (queue) {
                addQueue(queue, tile, this.view, sums);
                some = true;
            }
        }
        return some ? sums : null;
    }
}

/** Begin when all data are there. */
async function main() {
    const page = new Page(readManifest());
    // Tests look at the page from here.
    Object.assign(window, { htmt: page });
    await page.start();
}

/** @param {unknown} reason */
function refuse(reason) {
    byId("live", HTMLDivElement).textContent = `This page cannot be shown: ${reason}`;
}

document.addEventListener("DOMContentLoaded", () => main().catch(refuse));
