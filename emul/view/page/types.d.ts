// What the modules pass to each other. Only the type check reads this file.

interface Layer {
    name: string;
    processor: string;
    memory: string;
    capacity_words: string;
    servers: number;
}
interface Resource {
    name: string;
    kind: "bank" | "out" | "in";
    layer: number;
    network: number | null;
    count: number;
    startup_fs: string;
    /** Places that have it, and those whose intervals are in the trace. */
    played: number;
    recorded: number;
    /** Share of the run's time in use, as the report has it; what part of the time inside services that is. */
    utilization: number;
    issue: number;
}
interface Step {
    type: string;
    stage: string;
    place: string;
    resource: number | null;
    layer: number | null;
    row: number | null;
}
interface Row {
    kind: "sections" | "bank" | "memory" | "out" | "in";
    name: string;
    resource: number | null;
    layer: number | null;
    /** Lanes that are shown; the page sets all that are needed. */
    lanes: number;
    /** All that are needed. */
    depth?: number;
}
interface Palette {
    startup: string;
    transfer: string;
    compute: string;
    blocks: string;
    blocked: string;
    flight: string;
}
interface TileEntry {
    id: string;
    slice: number;
    first: string;
    count: number;
    samples: number;
    from: string;
    to: string;
}
interface PyramidEntry {
    id: string;
    slice: number;
    bins: number;
    bin_fs: string;
    from: string;
    /** Share of the time that the busiest row of the slice was in use, and that row. */
    load: number;
    row: number;
}
interface StripEntry {
    id: string;
    row: number;
    groups: number;
    /** So many groups, from the first on, are of one slice. */
    single: number;
    bins: number;
    bin_fs: string;
}
interface Manifest {
    version: number;
    title: string;
    app: string;
    machine: string;
    mode: string;
    command: string;
    slices: number;
    played: number;
    stands_for: number;
    complete: boolean;
    fault: string | null;
    open: string[];
    end_fs: string;
    /** The part of the run that the trace has; null: all of it. */
    recorded: { text: string; slices: number; window: [string, string] } | null;
    /** Number of the host's place. */
    host: number | null;
    layers: Layer[];
    resources: Resource[];
    networks: string[];
    steps: Step[];
    sections: string[];
    rows: Row[];
    palette: { default: Palette; gantt: Palette };
    gantt: boolean;
    tiles: TileEntry[];
    full: boolean;
    window: [string, string] | null;
    /** First and last slice of each range that --slices names. */
    chosen?: [number, number][] | null;
    pyramid: PyramidEntry[];
    strips: StripEntry[];
    /** Slices of the strips, the greatest load first. */
    by_load: number[];
    /** Slices that the page opens first. */
    opened: number[];
    ranks: { slowest: number; median: number; fastest: number; together?: boolean } | null;
    path: { id: string; count: number; ports?: string[] } | null;
    /** Who sends to whom: messages by line and column; the first slice of each line. */
    matrix: { id: string; places: number; first: number[] };
}

/** Where a tile stands in the list, with its times as numbers that are ready to use. */
interface Place {
    id: string;
    index: number;
    slice: number;
    first: number;
    count: number;
    from: bigint;
    to: bigint;
}

/** One lane of one row: its intervals by start, and the running sum of their lengths. */
interface Lane {
    row: number;
    lane: number;
    list: Uint32Array;
    sums: Float64Array;
}
/** How many wait in line in a row: from `at[i]` on `count[i]`, and the integral up to there. */
interface Queue {
    at: Float64Array;
    count: Float64Array;
    sums: Float64Array;
}
/** Words used in a layer from `at[i]` on; `level` before. */
interface Fill {
    level: number;
    at: Float64Array;
    used: Float64Array;
}
/** One tile, decoded. Times are offsets from place.from; exact holds them where a double cannot. */
interface Tile {
    place: Place;
    count: number;
    step: Uint16Array;
    open: Uint8Array;
    flags: Uint8Array;
    begin: Float64Array;
    end: Float64Array;
    wait: Float64Array;
    exact: { begin: BigInt64Array; end: BigInt64Array; wait: BigInt64Array } | null;
    serial: Float64Array | BigInt64Array;
    cause: Int32Array;
    line: Int32Array;
    foreign: Float64Array;
    lanes: Lane[];
    queues: Map<number, Queue>;
    depths: Map<number, Queue>;
    fills: Fill[];
}
interface Level {
    bin: number;
    bins: number;
    busy: Float64Array;
    waiting: Float64Array;
    blocked: Float64Array;
    least: Float64Array;
    greatest: Float64Array;
}
interface Pyramid {
    from: bigint;
    levels: Level[];
    empty: boolean[];
    most: Float64Array;
    /** Most words used in a row's layer. */
    fullest: Float64Array;
    calm: boolean[];
    sections: { at: bigint; section: number }[];
}
interface Strip {
    row: number;
    groups: number;
    /** So many groups, from the first on, are of one slice. */
    single: number;
    bins: number;
    bin: number;
    busy: Float64Array;
    waiting: Float64Array;
    blocked: Float64Array;
    most: number;
}
/** An interval: the number `number` of slice `slice`. */
interface Ref {
    slice: number;
    number: number;
}
interface Found extends Ref {
    tile: Tile;
    i: number;
}
interface PathPart extends Ref {
    step: number;
    /** In a network between its channels, or a latency. */
    flies: boolean;
    /** The port inside a network that it waits for: in path.ports of the manifest. */
    port: number | null;
    from: bigint;
    to: bigint;
}
/** A stretch of the canvas: a strip, the head of a slice, or a row. */
interface Band {
    kind: "title" | "strip" | "head" | "row";
    y: number;
    height: number;
    slice: number;
    row: number;
    lanes: number;
    /** Height above the lanes, where the sections stand. */
    above: number;
    laneHeight: number;
    below: number;
    text: string;
}
interface Theme {
    dark: boolean;
    ground: string;
    panel: string;
    text: string;
    faint: string;
    grid: string;
    outline: string;
    accent: string;
    palette: Palette;
}

declare class DecompressionStream {
    constructor(format: string);
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
}

type Reader = import("./bytes.js").Reader;
type Store = import("./store.js").Store;
type View = import("./view.js").View;
type Layout = import("./layout.js").Layout;
type Bars = import("./bars.js").Bars;
type Description = import("./model.js").Description;
type Page = import("./main.js").Page;
