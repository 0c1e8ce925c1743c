// The selected interval: where it comes from and what it leads to (its cause, its successors, the life of
// its parcel), the arrows on the canvas that show it, and the panel that tells it.
import { beginOf, Description, endOf, foundAt, reference, sameRef, serialOf } from "./model.js";
import { middleOf } from "./path.js";
import { exactTime } from "./time.js";

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

/** @param {string} name @param {string} [text] @param {string} [className] @returns {HTMLElement} */
export function element(name, text = "", className = "") {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) {
        made.className = className;
    }
    return made;
}

/** @param {string} text @param {() => void} act @returns {HTMLButtonElement} */
export function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
}

/** @param {[string, string][]} facts */
function factList(facts) {
    const list = element("dl");
    facts.forEach(([what, value]) => list.append(element("dt", what), element("dd", value)));
    return list;
}

/** @param {Description} d @returns {[string, string][]} */
function factsOf(d) {
    /** @type {[string, string][]} */
    const names = d.section ? [["section", d.type]] : [["type", d.type], ["number", d.index], ["id", d.id], ["stage", d.stage]];
    return [...names, ["slice", String(d.slice)], ["row", d.row], ["lane", d.lane], ["state", d.state], ...d.times(), ["exactly", d.femtoseconds()], ["interval", `${d.number} of slice ${d.slice}`]];
}

/**
 * One line for an interval, to be chosen.
 * @param {Page} page @param {Found} found @param {boolean} short
 */
function item(page, found, short) {
    const d = new Description(page.manifest, found);
    const line = element("li");
    const name = short ? `${d.stage}: ${d.row}` : `${d.name()}, ${d.stage}: ${d.row}`;
    const choose = button(name, () => void page.reveal(found));
    if (sameRef(found, page.selection)) {
        choose.setAttribute("aria-current", "true");
    }
    line.append(choose, element("span", ` ${d.waits() ? "waits" : "lasts"} ${exactTime(d.end - d.begin)}`));
    if (!d.waits() && d.wait > 0n) {
        line.append(element("span", `, waited ${exactTime(d.wait)}`, "wait"));
    }
    return line;
}

/** @param {Page} page @param {string} title @param {Found[]} list @param {boolean} short @param {string} none */
function section(page, title, list, short, none) {
    const box = element("section");
    box.append(element("h3", title));
    if (!list.length) {
        box.append(element("p", none, "faint"));
        return box;
    }
    const items = element("ol");
    items.append(...list.slice(0, 200).map((found) => item(page, found, short)));
    box.append(items);
    return box;
}

/** @param {Page} page @param {HTMLElement} panel */
export function showSelection(page, panel) {
    const { selection, links } = page;
    if (!selection) {
        panel.replaceChildren(element("p", "Click an interval, or press an arrow key on the timeline.", "faint"));
        return;
    }
    const title = element("h2", selection.name());
    panel.replaceChildren(title, factList(factsOf(selection)));
    if (selection.section) {
        panel.append(button("Statistics of this section", () => page.rangeOfSection(selection)));
        return;
    }
    if (!links) {
        panel.append(element("p", "Searching its causes and successors …", "faint"));
        return;
    }
    const one = (/** @type {Found | null} */ found) => (found ? [found] : []);
    panel.append(
        section(page, "Caused by", one(links.cause), false, "Nothing that this page holds."),
        ...(links.line ? [section(page, "Could begin when this ended", [links.line], false, "")] : []),
        section(page, "Leads to", links.successors, false, "Nothing that this page holds."),
        section(page, `Life of ${selection.name()}, id ${selection.id}`, links.life, true, "No other intervals."),
    );
    if (links.searched < links.tiles) {
        panel.append(element("p", `Searched ${links.searched} of ${links.tiles} tiles from here on.`, "faint"));
    }
}
