// The controls above the timeline, and what the page says about the run.
import { exactTime, grouped } from "./time.js";
import { button, element } from "./selection.js";
import { parseQuery, search } from "./find.js";
import { walkPath } from "./path.js";

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
export function byId(id, kind) {
    const found = document.getElementById(id);
    if (!(found instanceof kind)) {
        throw new Error("no element " + id);
    }
    return found;
}

/** @param {Manifest} m @returns {string} */
function runText(m) {
    const folded = m.stands_for > 1 ? `; each stands for ${grouped(m.stands_for)}` : "";
    return `${m.app} on ${m.machine}, ${m.mode}: ${grouped(m.slices)} ${m.slices === 1 ? "slice" : "slices"} (${grouped(m.played - (m.host === null ? 0 : 1))} played${folded})${m.host === null ? "" : " and the host"}, ends at ${exactTime(BigInt(m.end_fs))}`;
}

const MOST_OPEN = 100;

/**
 * Who holds, or was to send, what others wait for: a cycle, then names by how many wait for them.
 * @param {string[]} lines @returns {string[]}
 */
export function blockersOf(lines) {
    const cycles = lines.map((line) => line.trim()).filter((line) => /^(cycle|most of what others wait)\b|\bblocks\b/.test(line));
    /** @type {Map<string, {waiters: number, words: number}>} */
    const names = new Map();
    let unsignalled = 0;
    const count = (/** @type {string} */ name, /** @type {number} */ words, waiters = 1) => {
        const sum = names.get(name) ?? { waiters: 0, words: 0 };
        names.set(name, { waiters: sum.waiters + waiters, words: sum.words + words });
    };
    const number = (/** @type {string} */ digits) => Number(digits.replace(/,/g, ""));
    for (const line of lines) {
        const held = /^\s*held by (.*): ([\d,]+) words/.exec(line);
        held && count(held[1], number(held[2]));
        const room = /waits for room .* in (mailbox .*)$/.exec(line);
        room && count(room[1], 0);
        const others = /^\s+([\d,]+) .* for room in (mailbox .*)$/.exec(line);
        others && count(others[2], 0, number(others[1]));
        /; to come from (.*)$/.exec(line)?.[1].split(", ").forEach((name) => count(name, 0));
        const silent = /; nobody is under way who would signal it(?:; so do ([\d,]+) more)?/.exec(line);
        unsignalled += silent ? 1 + number(silent[1] ?? "0") : 0;
    }
    const sorted = [...names].sort((a, b) => b[1].waiters - a[1].waiters || b[1].words - a[1].words);
    const wait = (/** @type {number} */ n) => `${grouped(n)} ${n === 1 ? "waits" : "wait"} for it`;
    const silent = unsignalled ? [`${grouped(unsignalled)} ${unsignalled === 1 ? "waits" : "wait"} for signals that nobody under way would send`] : [];
    return [...cycles, ...sorted.slice(0, 5).map(([name, { waiters, words }]) => `${name}: ${wait(waiters)}${words ? `, holds ${grouped(words)} words` : ""}`), ...silent];
}

/**
 * Who waits for whom: what belongs to a parcel is indented below it. Who blocks stands first.
 * @param {string[]} lines @returns {HTMLElement[]}
 */
function openLines(lines) {
    const list = element("ul");
    list.tabIndex = 0;
    list.setAttribute("aria-label", "Who waits for whom");
    list.append(...lines.slice(0, MOST_OPEN).map((line) => element("li", line)));
    const more = lines.length - MOST_OPEN;
    const blockers = blockersOf(lines);
    const first = element("ul", "", "first");
    first.append(...blockers.map((line) => element("li", line)));
    return [...(blockers.length ? [element("h3", "Who blocks"), first] : []), element("h3", "Who waits for whom"), list,
        ...(more > 0 ? [element("p", `and ${grouped(more)} more`)] : [])];
}

/**
 * Slices and window that the page was made for.
 * @param {Manifest} m @returns {string}
 */
function partText(m) {
    const window = m.window ? [`from ${exactTime(BigInt(m.window[0]))} to ${exactTime(BigInt(m.window[1]))}`] : [];
    const list = m.chosen?.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
    const slices = list ? [(/^\d+$/.test(list) ? "of slice " : "of slices ") + list] : [];
    return [...slices, ...window].join(" ") || "of some slices";
}

/** @param {Manifest} m @returns {HTMLElement[]} */
function warnings(m) {
    const list = [];
    if (!m.complete) {
        const box = element("section", "", "warning");
        box.append(element("h2", "INCOMPLETE"), element("p", `The run ended early at ${exactTime(BigInt(m.end_fs))}${m.fault ? ": " + m.fault : ""}.`));
        box.append(...(m.open.length ? openLines(m.open) : []));
        list.push(box);
    }
    if (m.tiles.length === 0 && m.full) {
        list.push(element("p", "The trace has no intervals.", "note"));
    }
    if (m.recorded) {
        list.push(element("p", `FILTERED: the trace has a part of the run alone (${m.recorded.text}). Rows, heat and curves show that part; ` +
            "the shares named at the curves are those of the whole run. There is no critical path, since causes are missing.", "note"));
    }
    if (!m.full) {
        list.push(element("p", `Single intervals are in this page only ${partText(m)}; sums are there for the whole run.`, "note"));
    }
    return list;
}

/** @param {Manifest} m */
export function describeRun(m) {
    document.title = m.title;
    byId("title", HTMLHeadingElement).textContent = m.title;
    byId("run", HTMLParagraphElement).textContent = runText(m);
    byId("command", HTMLElement).textContent = m.command;
    byId("warnings", HTMLDivElement).replaceChildren(...warnings(m));
}

const STATES = /** @type {const} */ ([["startup", "start-up of a transfer"], ["transfer", "transfer"], ["compute", "compute"], ["flight", "in flight, on the critical path"],
    ["blocks", "blocks others (stripe: what it does)"], ["blocked", "is blocked: waits for words, room or a gate"]]);

/** @param {Page} page */
function openKey(page) {
    const item = element("li", "");
    const key = element("span", "", "key");
    key.style.background = `linear-gradient(to left, ${page.theme.accent} 4px, transparent 4px)`;
    item.append(key, "open: still under way when the trace ends");
    return item;
}

/** @param {Page} page */
export function showLegend(page) {
    const items = STATES.map(([state, text]) => {
        const item = element("li", "");
        const key = element("span", "", "key");
        const colour = page.theme.palette[state];
        key.style.background = state === "blocked" ? `repeating-linear-gradient(135deg, ${colour} 0 2px, transparent 2px 5px)` : colour;
        item.append(key, text);
        return item;
    });
    const waits = element("li", "");
    const key = element("span", "", "key");
    key.style.background = `repeating-linear-gradient(45deg, ${page.theme.faint} 0 2px, transparent 2px 5px)`;
    waits.append(key, "waits in line (below the lanes: how many)");
    byId("legend", HTMLUListElement).replaceChildren(...items, waits, ...(page.manifest.complete ? [] : [openKey(page)]));
}

/** After so many milliseconds a search that goes on says that nothing was found so far. */
const PATIENCE = 1500;

/**
 * What can be searched for: the names of types, stages, rows and sections.
 * @param {Manifest} m @returns {string}
 */
function known(m) {
    const some = (/** @type {string[]} */ names) => [...new Set(names.filter(Boolean))];
    const names = some([...m.steps.flatMap((step) => [step.type, step.stage]), ...m.rows.map((row) => row.name), ...m.sections]);
    return names.slice(0, 12).join(", ") + (names.length > 12 ? ", …" : "");
}

/**
 * A row that has the name, though no interval of it may be there: scroll to it.
 * @param {Page} page @param {string} text @returns {boolean}
 */
function showRow(page, text) {
    const index = page.manifest.rows.findIndex((row) => row.name.toLowerCase() === text.trim().toLowerCase());
    const band = page.layout.bands.find((b) => (b.kind === "row" || b.kind === "strip") && b.row === index);
    if (index >= 0 && band) {
        page.scroll = band.y;
        page.scrollBy(0);
    }
    return index >= 0 && band !== undefined;
}

/** @param {Page} page */
function listenToSearch(page) {
    const field = byId("search", HTMLInputElement);
    let run = 0;
    byId("search-form", HTMLFormElement).addEventListener("submit", async (event) => {
        event.preventDefault();
        const own = ++run;
        const slice = /^\s*(?:slice\s+(\d+)|(host))\s*$/i.exec(field.value);
        if (slice && (slice[1] || page.manifest.host !== null)) {
            page.unfold(slice[1] ? Number(slice[1]) : page.manifest.host ?? 0, true);
            return;
        }
        const since = performance.now();
        const query = parseQuery(field.value);
        const found = await search(page, query, (share) => {
            const late = performance.now() - since > PATIENCE;
            page.say(`${late ? "Nothing found so far; searching" : "Searching"}: ${Math.round(100 * share)} %`);
            return own === run;
        });
        if (own !== run) {
            return;
        }
        if (found) {
            await page.reveal(found);
        } else if (showRow(page, field.value)) {
            page.say(`${field.value.trim()}: this page has no interval of that row.`);
        } else {
            page.say(`Nothing matches "${field.value}".` + (query.index === null ? ` There are: ${known(page.manifest)}; slice N; type and number.` : ""));
        }
    });
}

/** @param {Page} page */
function listenToSlices(page) {
    const field = byId("slice", HTMLInputElement);
    field.max = String(page.manifest.played - 1);
    byId("slice-form", HTMLFormElement).addEventListener("submit", (event) => {
        event.preventDefault();
        page.unfold(Number(field.value), true);
    });
    byId("fold", HTMLButtonElement).addEventListener("click", () => page.foldAll());
}

/** @param {Page} page */
function listenToOptions(page) {
    const colours = byId("colours", HTMLSelectElement);
    colours.value = page.manifest.gantt ? "gantt" : "default";
    colours.addEventListener("change", () => page.recolour(colours.value === "gantt"));
    const order = byId("order", HTMLSelectElement);
    byId("order-box", HTMLLabelElement).hidden = page.manifest.by_load.length < 2;
    order.addEventListener("change", () => page.sortBy(order.value === "number"));
    const empty = byId("empty", HTMLInputElement);
    empty.addEventListener("change", () => page.showEmpty(empty.checked));
}

/** @param {Page} page */
export function listenToControls(page) {
    /** @type {[string, () => unknown][]} */
    const actions = [["Zoom in", () => page.zoom(1 / 2)], ["Zoom out", () => page.zoom(2)], ["Whole run", () => page.whole()],
        ["Statistics", () => page.rangeOfView()], ["Earlier", () => page.pan(-0.3)], ["Later", () => page.pan(0.3)], ["To selection", () => page.selection && page.reveal(page.selection.found, true)]];
    byId("moves", HTMLDivElement).append(...actions.map(([text, act]) => button(text, () => void act())));
    const steps = byId("path-steps", HTMLDivElement);
    steps.hidden = page.path.length === 0;
    steps.append(button("Previous step", () => void walkPath(page, -1)), button("Next step", () => void walkPath(page, 1)));
    listenToSearch(page);
    listenToSlices(page);
    listenToOptions(page);
}
