// A range of time, drawn with Shift and the mouse: where the time of its types, resources and slices went.
import { AXIS } from "./axis.js";
import { beginOf, endOf, serversOf, waitOf } from "./model.js";
import { nameOf } from "./layout.js";
import { button, element } from "./selection.js";
import { issueOf } from "./strips.js";
import { exactTime, grouped, roughTime } from "./time.js";

/** So many intervals are added up one by one; of more, the sums of the bins. */
const MOST_ADDED = 1500000;
const MOST_LINES = 12;
/** Of so many slices the changes of section are read. */
const MOST_SECTIONED = 512;

/**
 * Time in use and time waited, in femtoseconds, and how many intervals that is.
 * @typedef {{count: number, busy: number, wait: number}} Sum
 */
/** @typedef {{types: Map<string, Sum>, rows: Map<number, Sum>, cells: Map<string, Sum>, sections: Map<number, number>, exact: boolean}} Statistics */

/** @template K @param {Map<K, Sum>} sums @param {K} key @returns {Sum} */
function sumOf(sums, key) {
    let sum = sums.get(key);
    if (!sum) {
        sum = { count: 0, busy: 0, wait: 0 };
        sums.set(key, sum);
    }
    return sum;
}

/** @param {Sum} sum @param {number} count @param {number} busy @param {number} wait */
function add(sum, count, busy, wait) {
    sum.count += count;
    sum.busy += busy;
    sum.wait += wait;
}

/**
 * The part of [a, b] that lies in [from, to].
 * @param {bigint} a @param {bigint} b @param {bigint} from @param {bigint} to
 */
function part(a, b, from, to) {
    const begin = a > from ? a : from;
    const end = b < to ? b : to;
    return end > begin ? Number(end - begin) : 0;
}

/** @param {Page} page @param {Tile} tile @param {bigint} from @param {bigint} to @param {Statistics} s */
function addTile(page, tile, from, to, s) {
    const { steps } = page.manifest;
    for (let i = 0; i < tile.count; i++) {
        const step = steps[tile.step[i]];
        const [begin, end, wait] = [beginOf(tile, i), endOf(tile, i), waitOf(tile, i)];
        const waits = page.store.waits[tile.step[i]];
        if (step.place === "section" || step.row === null || end < from || begin - (waits ? 0n : wait) > to) {
            continue;
        }
        const busy = waits || step.place === "paused" ? 0 : part(begin, end, from, to);
        const waited = waits ? part(begin, end, from, to) : part(begin - wait, begin, from, to);
        if (busy || waited) {
            add(sumOf(s.types, `${step.type} ${step.stage}`), 1, busy, waited);
            add(sumOf(s.rows, step.row), 1, busy, waited);
            add(sumOf(s.cells, `${tile.place.slice}.${step.row}`), 1, busy, waited);
        }
    }
}

/** @param {Page} page @param {Pyramid} pyramid @param {number} slice @param {bigint} from @param {bigint} to @param {Statistics} s */
function addPyramid(page, pyramid, slice, from, to, s) {
    const level = pyramid.levels[0];
    const [a, b] = [Number(from - pyramid.from) / level.bin, Number(to - pyramid.from) / level.bin];
    page.manifest.rows.forEach((_, row) => {
        let busy = 0;
        let wait = 0;
        for (let bin = Math.max(0, Math.floor(a)); bin < Math.min(level.bins, Math.ceil(b)); bin++) {
            const share = Math.min(b, bin + 1) - Math.max(a, bin);
            const at = row * level.bins + bin;
            busy += share * level.busy[at];
            wait += share * (level.waiting[at] + level.blocked[at]);
        }
        if (busy || wait) {
            add(sumOf(s.rows, row), 0, busy, wait);
            add(sumOf(s.cells, `${slice}.${row}`), 0, busy, wait);
        }
    });
}

/**
 * Time of the range in each section of a slice; -1: before the first one.
 * @param {Page} page @param {Pyramid} pyramid @param {bigint} from @param {bigint} to @param {Map<number, number>} sums
 */
function addSections(page, { sections }, from, to, sums) {
    for (let k = -1; k < sections.length; k++) {
        const begin = k < 0 ? 0n : sections[k].at;
        const end = sections[k + 1]?.at ?? page.store.end;
        const section = k < 0 ? -1 : sections[k].section;
        sums.set(section, (sums.get(section) ?? 0) + part(begin, end, from, to));
    }
}

/**
 * @param {Page} page @param {bigint} from @param {bigint} to @param {() => boolean} stopped
 * @returns {Promise<Statistics | null>} null: stopped
 */
export async function statisticsOf(page, from, to, stopped) {
    const { store, manifest } = page;
    const places = store.places.filter((place) => place.to >= from && place.from <= to);
    const window = manifest.window?.map(BigInt);
    const all = manifest.full || (window !== undefined && manifest.chosen === null && from >= window[0] && to <= window[1]);
    /** @type {Statistics} */
    const s = { types: new Map(), rows: new Map(), cells: new Map(), sections: new Map(), exact: all && places.reduce((sum, place) => sum + place.count, 0) <= MOST_ADDED };
    for (const place of s.exact ? places : []) {
        const tile = await store.load(place);
        if (stopped()) {
            return null;
        }
        addTile(page, tile, from, to, s);
    }
    const sectioned = manifest.sections.length > 0 && manifest.by_load.length <= MOST_SECTIONED;
    for (const slice of s.exact && !sectioned ? [] : manifest.by_load) {
        await store.pyramidOf(slice);
        const pyramid = store.pyramid(slice);
        if (stopped()) {
            return null;
        }
        if (pyramid && !s.exact) {
            addPyramid(page, pyramid, slice, from, to, s);
        }
        if (pyramid && sectioned) {
            addSections(page, pyramid, from, to, s.sections);
        }
    }
    return s;
}

/** @param {string} title @param {string[]} head @param {string[][]} lines @returns {HTMLElement} */
function table(title, head, lines) {
    const box = element("section");
    const made = element("table");
    const row = (/** @type {string} */ kind, /** @type {string[]} */ texts) => {
        const line = element("tr");
        line.append(...texts.map((text, k) => element(k === 0 ? "th" : kind, text)));
        return line;
    };
    const top = element("thead");
    const body = element("tbody");
    top.append(row("th", head));
    body.append(...lines.slice(0, MOST_LINES).map((texts) => row("td", texts)));
    made.append(top, body);
    const scroll = element("div", "", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", title);
    scroll.append(made);
    box.append(element("h3", title), scroll);
    if (lines.length > MOST_LINES) {
        box.append(element("p", `and ${grouped(lines.length - MOST_LINES)} more`, "faint"));
    }
    return box;
}

/** @param {number} share */
function percent(share) {
    return `${(100 * share).toPrecision(3)} %`;
}

/**
 * The tables: types by their time, resources and slices by their share of the range.
 * @param {Page} page @param {Statistics} s @param {number} length @returns {HTMLElement[]}
 */
function tables(page, s, length) {
    const { rows, resources, by_load } = page.manifest;
    const full = (/** @type {number} */ row, /** @type {number} */ places) => (length * serversOf(page.manifest, row) * places) / issueOf(page.manifest, row);
    const times = (/** @type {Sum} */ sum) => [sum.count ? grouped(sum.count) : "-", roughTime(sum.busy), roughTime(sum.wait)];
    const types = [...s.types].sort((a, b) => b[1].busy - a[1].busy || b[1].wait - a[1].wait);
    const used = [...s.rows].map(([row, sum]) => {
        const { resource, name } = rows[row];
        const share = resource === null ? NaN : sum.busy / full(row, Math.max(1, resources[resource].recorded));
        return { name, share, sum };
    });
    used.sort((a, b) => (b.share || 0) - (a.share || 0) || b.sum.wait - a.sum.wait);
    const slices = by_load.map((slice) => {
        let best = { name: "-", share: 0, sum: { count: 0, busy: 0, wait: 0 } };
        rows.forEach((row, r) => {
            const sum = row.resource === null ? undefined : s.cells.get(`${slice}.${r}`);
            const share = sum ? sum.busy / full(r, 1) : 0;
            best = sum && share > best.share ? { name: row.name, share, sum } : best;
        });
        return { slice, ...best };
    });
    slices.sort((a, b) => b.share - a.share || a.slice - b.slice);
    const sections = [...s.sections].filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]);
    const idle = slices.filter(({ share }) => share === 0).length;
    return [
        ...(sections.length ? [table("Sections", ["section", "share of the slices' time", "time of all slices"],
            sections.map(([section, time]) => [page.manifest.sections[section] || "(none)", percent(time / (length * by_load.length)), roughTime(time)]))] : []),
        s.exact ? table("Types", ["type and stage", "intervals", "in use", "waited"], types.map(([name, sum]) => [name, ...times(sum)]))
            : element("p", "So many intervals lie in this range that it is told from sums of bins, without types.", "note"),
        table("Resources and memories", ["row", "used", "intervals", "in use", "waited"],
            used.map(({ name, share, sum }) => [name, Number.isNaN(share) ? "-" : percent(share), ...times(sum)])),
        table(`Slices, the busiest first${idle ? `; ${grouped(idle)} idle` : ""}`, ["slice", "busiest row", "used", "intervals", "in use", "waited"],
            slices.filter(({ share }) => share > 0).map(({ slice, name, share, sum }) => [nameOf(page.manifest, slice), name, percent(share), ...times(sum)])),
    ];
}

export class Range {
    /** @param {Page} page @param {HTMLElement} box */
    constructor(page, box) {
        this.page = page;
        this.box = box;
        /** @type {{from: bigint, to: bigint} | null} */
        this.span = null;
        this.run = 0;
    }

    /**
     * While it is drawn.
     * @param {bigint} a @param {bigint} b
     */
    draft(a, b) {
        const inside = (/** @type {bigint} */ at) => (at < 0n ? 0n : at > this.page.store.end ? this.page.store.end : at);
        this.span = a < b ? { from: inside(a), to: inside(b) } : { from: inside(b), to: inside(a) };
        this.page.draw();
    }

    /** The statistics of what has been drawn. */
    async show() {
        const { span, page, box } = this;
        const run = ++this.run;
        box.hidden = span === null || span.to <= span.from;
        if (!span || box.hidden) {
            this.span = null;
            return;
        }
        const title = `${exactTime(span.from)} to ${exactTime(span.to)}`;
        const actions = element("div", "", "group");
        actions.append(button("Zoom to range", () => {
            page.view.show(span.from, span.to, 0.02);
            page.moved();
        }), button("Clear range", () => this.clear()));
        box.replaceChildren(element("h2", `Range of ${exactTime(span.to - span.from)}`), element("p", title), actions, element("p", "Adding up …", "faint"));
        const s = await statisticsOf(page, span.from, span.to, () => run !== this.run);
        if (s) {
            box.lastChild?.remove();
            box.append(...tables(page, s, Number(span.to - span.from)));
            page.say(`Range ${title}: ${[...s.rows].length} rows, ${[...s.types.values()].reduce((sum, t) => sum + t.count, 0)} intervals.`);
        }
    }

    clear() {
        this.run++;
        this.span = null;
        this.box.hidden = true;
        this.page.draw();
    }

    /** @param {number} height */
    drawOn(height) {
        const { ctx, view, theme } = this.page;
        if (!this.span) {
            return;
        }
        const x0 = Math.max(-2, view.x(this.span.from));
        const x1 = Math.min(view.width + 2, view.x(this.span.to));
        if (x1 < 0 || x0 > view.width) {
            return;
        }
        ctx.fillStyle = theme.accent;
        ctx.globalAlpha = 0.14;
        ctx.fillRect(x0, AXIS, x1 - x0, height);
        ctx.globalAlpha = 1;
        ctx.fillRect(x0, AXIS - 6, 1.5, height);
        ctx.fillRect(x1 - 1.5, AXIS - 6, 1.5, height);
    }
}
