"""Structures, constants, prototypes of libhtmt; emul/python/structs wrote them. Do not edit."""
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_ubyte,
    c_uint,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Dict, List, Tuple

from ._numbers import Structure


class htmt_wide(Structure):
    """A signed integer of 128 bits. The structures that hold one are padded to 16 bytes."""

    _fields_ = [("low", c_uint64), ("high", c_int64)]

    def __int__(self) -> int:
        return (int(self.high) << 64) + int(self.low)


class htmt_uwide(Structure):
    """An unsigned integer of 128 bits."""

    _fields_ = [("low", c_uint64), ("high", c_uint64)]

    def __int__(self) -> int:
        return (int(self.high) << 64) + int(self.low)


HTMT_CYCLE = 0
HTMT_FLOP = 1
HTMT_IOP = 2
HTMT_LOAD = 3
HTMT_STORE = 4
HTMT_OP_CLASSES = 5
HTMT_EWRONG = -1
HTMT_EINVAL = -2
HTMT_EUSAGE = -3
HTMT_ENOENT = -4
HTMT_EFORMAT = -5
HTMT_EUNIT = -6
HTMT_ERANGE = -7
HTMT_EBOUNDS = -8
HTMT_EROUTE = -9
HTMT_ECAPACITY = -10
HTMT_EDEADLOCK = -11
HTMT_EOVERFLOW = -12
HTMT_EPAST = -13
HTMT_ECOST = -14
HTMT_ENOMEM = -15
HTMT_EHOSTFIT = -16
HTMT_EIO = -17
HTMT_ESYSTEM = -18
HTMT_EAUDIT = -19
HTMT_ENONDET = -20
HTMT_ECANCELLED = -21
HTMT_ESYMMETRY = -22
HTMT_ELIVELOCK = -23
HTMT_ELEFT = -24
HTMT_EORDER = -25
HTMT_ASSEMBLE = 0
HTMT_GATHER = 1
HTMT_DISPATCH = 2
HTMT_INJECT = 3
HTMT_EXECUTE = 4
HTMT_EJECT = 5
HTMT_RETIRE = 6
HTMT_SCATTER = 7
HTMT_PLACE = 8
HTMT_FIBER = 9
HTMT_PUT = 10
HTMT_STAGES = 11
HTMT_CLOSURE = 0
HTMT_RESIDENT = 1
HTMT_DEPARTS_RESIDENT = 1
HTMT_DEPARTS_OPEN = 2
HTMT_DEPARTS_EXCHANGE = 4
HTMT_SENDS_ANYWHERE = 0
HTMT_SENDS_NOWHERE = 1
HTMT_READ = 1
HTMT_WRITE = 2
HTMT_UPDATE = 3
HTMT_COMMUTE = 7
HTMT_RUN = 0
HTMT_MODEL = 1
HTMT_NO_SYMMETRY = 0
HTMT_INDEPENDENT = 1
HTMT_FOLDED = 2
HTMT_CLOCK_AUTO = 0
HTMT_CLOCK_SEQUENTIAL = 1
HTMT_CLOCK_WINDOWS = 2
HTMT_CLOCK_SHARED = 3
HTMT_QUIET_FREE = 0
HTMT_QUIET_ACKS = 1
HTMT_BANK = 0
HTMT_LINK_OUT = 1
HTMT_LINK_IN = 2
HTMT_MISS_REGION = 0
HTMT_MISS_USE = 8
HTMT_MISS_ARGUMENTS = 16
HTMT_MISS_RESULT = 17
HTMT_MISS_STACK = 18
HTMT_MISS_IMAGE = 19
HTMT_MISS_CONSTANTS = 20
HTMT_MISS_OTHER = 21
HTMT_MISS_KINDS = 22
HTMT_OPERATIONS_ISSUE = 0
HTMT_OPERATIONS_UNITS = 1
HTMT_OPERATIONS_CHAIN = 2
HTMT_OPERATIONS_L1 = 3
HTMT_OPERATIONS_L2 = 4
HTMT_OPERATIONS_BUS = 5
HTMT_OPERATIONS_PAGES = 6
HTMT_OPERATIONS_REFRESH = 7
HTMT_OPERATIONS_BRANCHES = 8
HTMT_OPERATIONS_PARTS = 9
HTMT_SERIAL = 0
HTMT_PARALLEL = 1
HTMT_BROADCAST = 2
HTMT_PATH_WORK = 0
HTMT_PATH_FILL = 1
HTMT_PATH_QUEUE = 2
HTMT_PATH_STALL = 3
HTMT_PATH_OVERHEAD = 4
HTMT_PATH_DRAIN = 5
HTMT_PATH_BLOCKED = 6
HTMT_PATH_CAUSES = 7
HTMT_PATH_SERVED = 0
HTMT_PATH_SENT = 1
HTMT_PATH_FLYING = 2
HTMT_PATH_RECEIVED = 3
HTMT_PATH_PAUSED = 4
HTMT_PART_COMPUTE = 0
HTMT_PART_MEMORY = 1
HTMT_PART_NETWORK = 2
HTMT_PARTS = 3


class htmt_figure(Structure):
    _fields_ = [
        ("key", (c_char * 112)),
        ("value", (c_char * 64)),
        ("source", (c_char * 200)),
        ("file", (c_char * 128)),
        ("line", c_int),
        ("hash", c_uint64),
    ]


class htmt_ops(Structure):
    _fields_ = [
        ("n", (c_uint64 * 5)),
    ]


class htmt_fault(Structure):
    _fields_ = [
        ("code", c_int),
        ("text", (c_char * 500)),
    ]


class htmt_ratio(Structure):
    _fields_ = [
        ("num", c_uint64),
        ("den", c_uint64),
    ]


class htmt_processor(Structure):
    _fields_ = [
        ("name", (c_char * 32)),
        ("count", c_uint32),
        ("clock", htmt_ratio),
        ("time", (htmt_ratio * 5)),
        ("lambda_", htmt_ratio),
    ]


class htmt_memory(Structure):
    _fields_ = [
        ("name", (c_char * 32)),
        ("capacity", c_uint64),
        ("reserve", c_uint64),
        ("access", htmt_ratio),
        ("access_words", c_uint64),
        ("ports", c_uint32),
    ]


class htmt_layer(Structure):
    _fields_ = [
        ("name", (c_char * 32)),
        ("processor", htmt_processor),
        ("memory", htmt_memory),
        ("model", c_void_p),
        ("inside", (c_uint64 * 16)),
    ]


class htmt_port(Structure):
    _fields_ = [
        ("out", c_uint32),
        ("in_", c_uint32),
        ("out_word", htmt_ratio),
        ("in_word", htmt_ratio),
    ]


class htmt_network(Structure):
    _fields_ = [
        ("name", (c_char * 32)),
        ("machine_wide", c_bool),
        ("startup", c_int64),
        ("latency", c_int64),
        ("port", (htmt_port * 8)),
        ("model", c_void_p),
        ("inside", (c_uint64 * 16)),
    ]


class htmt_machine(Structure):
    _fields_ = [
        ("name", (c_char * 64)),
        ("about", (c_char * 160)),
        ("path", (c_char * 1024)),
        ("slices", c_uint32),
        ("layer_count", c_uint32),
        ("network_count", c_uint32),
        ("layer", (htmt_layer * 8)),
        ("network", (htmt_network * 8)),
        ("figure_count", c_uint32),
        ("figure", POINTER(htmt_figure)),
        ("hash", c_uint64),
        ("bank_machine", c_void_p),
    ]


class htmt_addr(Structure):
    _fields_ = [
        ("object", c_void_p),
        ("offset", c_uint64),
    ]


class htmt_pieces(Structure):
    _fields_ = [
        ("bytes", c_uint64),
        ("count", c_uint64),
        ("stride", c_int64),
        ("planes", c_uint64),
        ("plane_stride", c_int64),
    ]


class htmt_ref(Structure):
    _fields_ = [
        ("serial", c_uint64),
        ("index", c_uint32),
        ("layer", c_uint32),
    ]


class htmt_slot(Structure):
    _fields_ = [
        ("owner", htmt_ref),
        ("fiber", c_uint32),
    ]


htmt_kernel_fn = CFUNCTYPE(None, c_void_p)


htmt_cost_fn = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(htmt_ops))


htmt_control_fn = CFUNCTYPE(None, c_void_p)


htmt_wanted_fn = CFUNCTYPE(c_bool, c_void_p)


class htmt_stage(Structure):
    _fields_ = [
        ("kernel", htmt_kernel_fn),
        ("cost", htmt_cost_fn),
        ("control", htmt_control_fn),
        ("parts", c_uint32),
        ("steered", c_bool),
        ("constant", c_bool),
        ("count", c_uint32),
        ("reset", c_uint32),
    ]


class htmt_aggregate(Structure):
    _fields_ = [
        ("bytes", c_uint64),
        ("wait", c_int64),
    ]


class htmt_type_desc(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("home", c_char_p),
        ("exec", c_char_p),
        ("assemble", htmt_stage),
        ("dispatch", htmt_stage),
        ("execute", htmt_stage),
        ("retire", htmt_stage),
        ("scatter", htmt_stage),
        ("footprint", c_uint),
        ("fibers", POINTER(htmt_stage)),
        ("fiber_count", c_uint32),
        ("gates", c_uint32),
        ("code_words", c_uint64),
        ("code_resident", c_bool),
        ("header_words", c_uint64),
        ("in_place", c_bool),
        ("departures", c_uint),
        ("args_bytes", c_size_t),
        ("result_bytes", c_size_t),
        ("user", c_void_p),
        ("fiber_names", POINTER(c_char_p)),
        ("queue", c_char_p),
        ("wanted", htmt_wanted_fn),
        ("payload_words", c_uint64),
        ("sends", c_uint),
        ("aggregate", htmt_aggregate),
    ]


class htmt_region(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("from_", htmt_addr),
        ("to", htmt_addr),
        ("into", htmt_addr),
        ("bytes", c_uint64),
        ("from_pieces", htmt_pieces),
        ("to_pieces", htmt_pieces),
        ("read_only", c_bool),
        ("filled", c_bool),
        ("handover", c_bool),
        ("in_words", (c_uint64 * 8)),
        ("out_words", (c_uint64 * 8)),
    ]


class htmt_parcel_desc(Structure):
    _fields_ = [
        ("type", c_void_p),
        ("slice", c_uint32),
        ("regions", POINTER(htmt_region)),
        ("region_count", c_uint32),
        ("args", c_void_p),
        ("on_ready", htmt_slot),
        ("on_done", htmt_slot),
    ]


class htmt_blocked(Structure):
    _fields_ = [
        ("at", htmt_addr),
        ("bytes", c_uint64),
        ("block", c_uint64),
        ("beyond", c_uint64),
        ("use", c_uint),
        ("filled", c_bool),
    ]


class htmt_blocks_desc(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_void_p),
        ("blocked", POINTER(htmt_blocked)),
        ("blocked_count", c_uint32),
        ("args", c_void_p),
        ("each", CFUNCTYPE(None, c_void_p, c_uint32, c_void_p)),
        ("user", c_void_p),
        ("on_done", htmt_slot),
    ]


class htmt_bytes(Structure):
    _fields_ = [
        ("at", c_void_p),
        ("size", c_size_t),
    ]


class htmt_ranks(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("rank", c_uint32),
        ("count", c_uint32),
        ("self", c_void_p),
        ("exchange", CFUNCTYPE(c_int, c_void_p, POINTER(htmt_bytes), POINTER(htmt_bytes))),
    ]


class htmt_slice_range(Structure):
    _fields_ = [
        ("first", c_uint32),
        ("last", c_uint32),
    ]


class htmt_recording(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("about", c_char_p),
        ("slices", POINTER(htmt_slice_range)),
        ("slice_ranges", c_uint32),
        ("layers", c_uint32),
        ("types", POINTER(c_char_p)),
        ("type_count", c_uint32),
        ("from_", c_int64),
        ("to", c_int64),
    ]


class htmt_replies(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("capture", c_char_p),
        ("captured", c_char_p),
        ("about", c_char_p),
    ]


class htmt_event(Structure):
    _fields_ = [
        ("time", c_int64),
        ("resource", c_uint32),
        ("slice", c_uint32),
        ("serial", c_uint64),
        ("stage", c_uint32),
        ("target", c_uint32),
        ("words", c_uint64),
    ]


class htmt_profiles(Structure):
    _fields_ = [
        ("profile", POINTER(c_void_p)),
        ("count", c_uint32),
    ]


class htmt_operations(Structure):
    _fields_ = [
        ("type", c_char_p),
        ("tape", c_void_p),
        ("service", c_uint64),
    ]


class htmt_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("machine", POINTER(htmt_machine)),
        ("slices", c_uint32),
        ("mode", c_uint),
        ("threads", c_uint32),
        ("layer_threads", (c_uint32 * 8)),
        ("run_ahead_bytes", c_uint64),
        ("symmetry", c_uint),
        ("explain", c_bool),
        ("lint", c_bool),
        ("slopes", c_bool),
        ("what_if", c_uint),
        ("checked", c_bool),
        ("diagnose", c_bool),
        ("quiet_by", c_uint8),
        ("watchdog", c_uint32),
        ("delay_seed", c_uint64),
        ("observe", CFUNCTYPE(None, c_void_p, POINTER(htmt_event))),
        ("progress", CFUNCTYPE(None, c_void_p, c_int64, c_uint64)),
        ("cancelled", CFUNCTYPE(c_bool, c_void_p)),
        ("user", c_void_p),
        ("recording", POINTER(htmt_recording)),
        ("clock", c_uint),
        ("window_most", c_int64),
        ("clock_threads", c_uint32),
        ("clock_partitions", c_uint32),
        ("partition_of", POINTER(c_uint32)),
        ("ranks", POINTER(htmt_ranks)),
        ("operations", POINTER(htmt_operations)),
        ("profiles", POINTER(htmt_profiles)),
        ("replies", POINTER(htmt_replies)),
        ("cold_caches", c_bool),
        ("time_kernels", c_bool),
    ]


class htmt_host_report(Structure):
    _fields_ = [
        ("jobs", c_uint64),
        ("helped", c_uint64),
        ("layer_jobs", (c_uint64 * 8)),
        ("run_ahead_peak_bytes", c_uint64),
        ("workers", c_uint32),
    ]


class htmt_profiled(Structure):
    _fields_ = [
        ("type", c_char_p),
        ("fiber", c_int),
        ("layer", c_uint32),
        ("least", c_int64),
        ("most", c_int64),
    ]


class htmt_clock_report(Structure):
    _fields_ = [
        ("in_order", c_char_p),
        ("lookahead", c_int64),
        ("windows", c_uint64),
        ("partitions", c_uint32),
        ("threads", c_uint32),
        ("ranks", c_uint32),
        ("shared", c_uint64),
        ("awaited", c_int64),
    ]


class htmt_resource_report(Structure):
    _fields_ = [
        ("name", (c_char * 72)),
        ("kind", c_uint),
        ("layer", c_uint32),
        ("network", c_uint32),
        ("count", c_uint32),
        ("served", c_uint64),
        ("words", c_uint64),
        ("_pad0", c_ubyte * 8),
        ("busy", htmt_wide),
        ("waited", htmt_wide),
        ("queue_integral", htmt_wide),
        ("max_queue", c_uint64),
        ("_pad1", c_ubyte * 8),
    ]


class htmt_inside_report(Structure):
    _fields_ = [
        ("network", c_uint32),
        ("channels", c_uint32),
        ("planes", c_uint32),
        ("packets", c_uint64),
        ("hops", c_uint64),
        ("bytes", htmt_uwide),
        ("contentions", c_uint64),
        ("_pad0", c_ubyte * 8),
        ("busy", htmt_wide),
        ("blocked", htmt_wide),
        ("waiting", htmt_wide),
        ("queued", htmt_uwide),
    ]


class htmt_port_report(Structure):
    _fields_ = [
        ("name", (c_char * 64)),
        ("network", c_uint32),
        ("channel", c_uint32),
        ("plane", c_uint32),
        ("packets", c_uint64),
        ("bytes", c_uint64),
        ("contentions", c_uint64),
        ("_pad0", c_ubyte * 8),
        ("busy", htmt_wide),
        ("blocked", htmt_wide),
        ("waiting", htmt_wide),
        ("idle", htmt_wide),
        ("queued", htmt_uwide),
        ("max_queue", c_uint64),
        ("_pad1", c_ubyte * 8),
    ]


class htmt_routing_report(Structure):
    _fields_ = [
        ("name", (c_char * 32)),
        ("layer", c_uint32),
        ("count", c_uint32),
        ("packets", c_uint64),
        ("route", htmt_wide),
        ("copy", htmt_wide),
        ("put_off", htmt_wide),
        ("busy", htmt_wide),
    ]


class htmt_memory_report(Structure):
    _fields_ = [
        ("name", (c_char * 32)),
        ("layer", c_uint32),
        ("capacity", c_uint64),
        ("peak", c_uint64),
        ("resident", c_uint64),
        ("stalled", htmt_wide),
        ("queue_integral", htmt_wide),
        ("max_queue", c_uint64),
        ("_pad0", c_ubyte * 8),
        ("taken", htmt_uwide),
        ("given", htmt_uwide),
    ]


class htmt_phase_report(Structure):
    _fields_ = [
        ("type", (c_char * 64)),
        ("stage", c_uint),
        ("resource", c_uint32),
        ("count", c_uint64),
        ("words", htmt_uwide),
        ("ops", (htmt_uwide * 5)),
        ("busy", htmt_wide),
        ("waited", htmt_wide),
        ("stalled", htmt_wide),
        ("longest", c_int64),
        ("first", c_int64),
        ("last", c_int64),
        ("_pad0", c_ubyte * 8),
    ]


class htmt_operations_report(Structure):
    _fields_ = [
        ("type", (c_char * 64)),
        ("stage", c_uint),
        ("resource", c_uint32),
        ("services", c_uint64),
        ("counted", c_uint64),
        ("why", (c_char * 200)),
        ("part", (htmt_wide * 9)),
        ("instructions", c_uint64),
        ("loads", c_uint64),
        ("stores", c_uint64),
        ("l1_misses", c_uint64),
        ("l1_code_misses", c_uint64),
        ("l2_misses", c_uint64),
        ("write_backs", c_uint64),
        ("page_hits", c_uint64),
        ("page_misses", c_uint64),
        ("branches_missed", c_uint64),
        ("misses", (c_uint64 * 22)),
    ]


class htmt_departure_report(Structure):
    _fields_ = [
        ("type", (c_char * 64)),
        ("kind", c_uint),
        ("declared", c_bool),
        ("count", c_uint64),
        ("words", htmt_uwide),
        ("time", htmt_wide),
    ]


class htmt_section_report(Structure):
    _fields_ = [
        ("name", (c_char * 64)),
        ("busy", htmt_wide),
        ("waited", htmt_wide),
        ("stalled", htmt_wide),
        ("time", htmt_wide),
    ]


class htmt_cells(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("cycles", c_uint64),
        ("hops", c_uint64),
        ("created", c_uint64),
        ("work", c_uint64),
        ("unwanted", c_uint64),
        ("diffusions", c_uint64),
        ("done", c_uint64),
        ("outdated", c_uint64),
        ("filtered", c_uint64),
        ("overlapped", c_uint64),
        ("first_most", c_uint64),
        ("second_most", c_uint64),
        ("active", c_uint64),
        ("throttled", c_uint64),
        ("standing", c_uint64),
    ]


class htmt_cells_span(Structure):
    _fields_ = [
        ("first", c_uint64),
        ("cycles", c_uint64),
        ("active", c_uint64),
        ("throttled", c_uint64),
        ("standing", c_uint64),
    ]


class htmt_tree_desc(Structure):
    _fields_ = [
        ("frame", c_void_p),
        ("bytes", c_uint64),
        ("combine", CFUNCTYPE(None, c_void_p, c_void_p, c_uint64)),
        ("ops", htmt_ops),
        ("name", c_char_p),
    ]


class htmt_allreduce_desc(Structure):
    _fields_ = [
        ("frame", c_void_p),
        ("bytes", c_uint64),
        ("combine", CFUNCTYPE(None, c_void_p, c_void_p, c_uint64)),
        ("ops", htmt_ops),
        ("name", c_char_p),
    ]


class htmt_put(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("dst", htmt_addr),
        ("src", htmt_addr),
        ("bytes", c_uint64),
        ("dst_pieces", htmt_pieces),
        ("src_pieces", htmt_pieces),
        ("words", c_uint64),
        ("on_sent", htmt_slot),
        ("on_arrived", htmt_slot),
        ("handover", c_bool),
        ("ask", c_bool),
        ("on_arrived_too", c_uint32),
        ("route", c_uint32),
        ("name", c_char_p),
    ]


class htmt_grid(Structure):
    _fields_ = [
        ("extent", (c_uint32 * 3)),
        ("wrap", (c_bool * 3)),
    ]


class htmt_tile(Structure):
    _fields_ = [
        ("bytes", c_uint64),
        ("extent", (c_uint64 * 3)),
        ("margin", (c_uint64 * 3)),
    ]


class htmt_transfer(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("host", htmt_addr),
        ("stride", c_uint64),
        ("frame", c_void_p),
        ("offset", c_uint64),
        ("first", c_uint32),
        ("count", c_uint32),
        ("bytes", c_uint64),
        ("each", POINTER(c_uint64)),
        ("mode", c_uint),
        ("on_done", htmt_slot),
    ]


class htmt_launch(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("slot", htmt_slot),
        ("first", c_uint32),
        ("count", c_uint32),
        ("wait", c_bool),
        ("on_done", htmt_slot),
    ]


class htmt_host_commands(Structure):
    _fields_ = [
        ("pushes", c_uint64),
        ("pulls", c_uint64),
        ("launches", c_uint64),
        ("_pad0", c_ubyte * 8),
        ("pushed", htmt_uwide),
        ("pulled", htmt_uwide),
        ("push", htmt_wide),
        ("pull", htmt_wide),
        ("launch", htmt_wide),
        ("held", c_bool),
        ("_pad1", c_ubyte * 15),
    ]


class htmt_issue_report(Structure):
    _fields_ = [
        ("instructions", c_uint64),
        ("busy", c_int64),
    ]


class htmt_threads_report(Structure):
    _fields_ = [
        ("issuing", htmt_wide),
        ("copying", htmt_wide),
        ("waiting", htmt_wide),
        ("ran", htmt_wide),
        ("code_bytes", c_uint64),
        ("code_memory", c_uint64),
    ]


class htmt_path_part(Structure):
    _fields_ = [
        ("cause", c_uint),
        ("of", c_uint32),
        ("type", (c_char * 64)),
        ("stage", c_uint),
        ("place", c_uint),
        ("resource", c_uint32),
        ("inside", c_char_p),
        ("count", c_uint64),
        ("time", c_int64),
        ("port", (c_char * 96)),
        ("source", c_uint32),
        ("target", c_uint32),
    ]


class htmt_path(Structure):
    _fields_ = [
        ("total", c_int64),
        ("principal", c_uint32),
        ("length", c_uint64),
        ("count", c_uint32),
        ("part", POINTER(htmt_path_part)),
    ]


htmt_next_fn = CFUNCTYPE(None, c_void_p, c_uint64)


class htmt_posts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("posted", c_uint64),
        ("served", c_uint64),
        ("unwanted", c_uint64),
        ("own", c_uint64),
        ("most", c_uint64),
    ]


class htmt_sweeps(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_void_p),
        ("row", c_uint64),
        ("rows", c_uint64),
        ("halo", c_uint64),
        ("band", c_uint64),
        ("sweeps", c_uint64),
        ("wrap", c_bool),
        ("frame", (c_void_p * 2)),
        ("grid", htmt_grid),
        ("tile", htmt_tile),
    ]


class htmt_sweeps_args(Structure):
    _fields_ = [
        ("sweep", c_uint64),
        ("row", c_uint64),
    ]


class htmt_limit_report(Structure):
    _fields_ = [
        ("name", (c_char * 72)),
        ("space", c_bool),
        ("binding", c_bool),
        ("utilization", c_double),
        ("mean_wait_s", c_double),
        ("mean_queue", c_double),
    ]


class htmt_determinism_desc(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("options", POINTER(htmt_options)),
        ("create", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("result", CFUNCTYPE(c_uint64, c_void_p, c_void_p)),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("user", c_void_p),
    ]


class htmt_determinism_report(Structure):
    _fields_ = [
        ("equal", c_bool),
        ("runs", c_uint32),
        ("events", c_uint64),
        ("threads", c_uint32),
        ("delay_seed", c_uint64),
        ("difference", (c_char * 500)),
        ("number", c_uint64),
        ("first", (c_char * 240)),
        ("differing", (c_char * 240)),
    ]


class htmt_app_option(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value_name", c_char_p),
        ("fallback", c_char_p),
        ("help", c_char_p),
    ]


class htmt_app_verb(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("summary", c_char_p),
        ("options", POINTER(htmt_app_option)),
        ("run", CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(htmt_fault))),
    ]


class htmt_paper_figure(Structure):
    _fields_ = [
        ("row", c_char_p),
        ("options", c_char_p),
        ("term", c_char_p),
        ("measure", c_char_p),
        ("input", c_char_p),
    ]


class htmt_app_size(Structure):
    _fields_ = [
        ("option", c_char_p),
        ("format", c_char_p),
        ("meaning", c_char_p),
        ("least", c_uint64),
        ("most", c_uint64),
        ("step", c_uint64),
    ]


class htmt_app(Structure):
    _fields_ = [
        ("abi", c_uint32),
        ("size", c_uint32),
        ("name", c_char_p),
        ("summary", c_char_p),
        ("options", POINTER(htmt_app_option)),
        ("work_bytes", c_size_t),
        ("plan", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("tell", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
        ("input", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("describe", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("prepare", CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(htmt_options))),
        ("create", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
        ("explain", CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)),
        ("salvage", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("collect", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("check", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("write", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("conclude", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("destroy", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("verbs", POINTER(htmt_app_verb)),
        ("folds", c_bool),
        ("reads_costs", c_bool),
        ("paper_figures", POINTER(htmt_paper_figure)),
        ("slices", CFUNCTYPE(c_uint32, c_void_p)),
        ("slices_why", c_char_p),
        ("sizes", POINTER(htmt_app_size)),
        ("outputs", POINTER(c_char_p)),
        ("operand", c_char_p),
        ("hosted", c_bool),
        ("ranks", c_bool),
        ("runs_model", c_bool),
    ]


class htmt_term(Structure):
    _fields_ = [
        ("depth", c_uint),
        ("name", (c_char * 48)),
        ("meaning", (c_char * 96)),
        ("value", c_double),
        ("unit", (c_char * 16)),
        ("expression", (c_char * 160)),
        ("values", (c_char * 800)),
        ("inputs", (c_char * 200)),
    ]


STRUCTS: List[type] = [
    htmt_figure,
    htmt_ops,
    htmt_fault,
    htmt_ratio,
    htmt_processor,
    htmt_memory,
    htmt_layer,
    htmt_port,
    htmt_network,
    htmt_machine,
    htmt_addr,
    htmt_pieces,
    htmt_ref,
    htmt_slot,
    htmt_stage,
    htmt_aggregate,
    htmt_type_desc,
    htmt_region,
    htmt_parcel_desc,
    htmt_blocked,
    htmt_blocks_desc,
    htmt_bytes,
    htmt_ranks,
    htmt_slice_range,
    htmt_recording,
    htmt_replies,
    htmt_event,
    htmt_profiles,
    htmt_operations,
    htmt_options,
    htmt_host_report,
    htmt_profiled,
    htmt_clock_report,
    htmt_resource_report,
    htmt_inside_report,
    htmt_port_report,
    htmt_routing_report,
    htmt_memory_report,
    htmt_phase_report,
    htmt_operations_report,
    htmt_departure_report,
    htmt_section_report,
    htmt_cells,
    htmt_cells_span,
    htmt_tree_desc,
    htmt_allreduce_desc,
    htmt_put,
    htmt_grid,
    htmt_tile,
    htmt_transfer,
    htmt_launch,
    htmt_host_commands,
    htmt_issue_report,
    htmt_threads_report,
    htmt_path_part,
    htmt_path,
    htmt_posts,
    htmt_sweeps,
    htmt_sweeps_args,
    htmt_limit_report,
    htmt_determinism_desc,
    htmt_determinism_report,
    htmt_app_option,
    htmt_app_verb,
    htmt_paper_figure,
    htmt_app_size,
    htmt_app,
    htmt_term,
]

PROTOTYPES: Dict[str, Tuple[Any, List[Any], str]] = {
    "htmt_err_name": (c_char_p, [c_int], "code"),
    "htmt_strerror": (c_char_p, [c_int], "code"),
    "htmt_exit_status": (c_int, [c_int], "code"),
    "htmt_fault_set": (c_int, [POINTER(htmt_fault), c_int, c_char_p], "f code format"),
    "htmt_ratio_decimal": (c_int, [c_uint64, c_int, POINTER(htmt_ratio)], "mantissa exponent10 out"),
    "htmt_ratio_mul": (c_int, [htmt_ratio, htmt_ratio, POINTER(htmt_ratio)], "a b out"),
    "htmt_ratio_div": (c_int, [htmt_ratio, htmt_ratio, POINTER(htmt_ratio)], "a b out"),
    "htmt_ratio_cmp": (c_int, [htmt_ratio, htmt_ratio], "a b"),
    "htmt_ratio_value": (c_double, [htmt_ratio], "a"),
    "htmt_machine_load": (c_int, [c_char_p, POINTER(c_char_p), c_uint, POINTER(POINTER(htmt_machine)), POINTER(htmt_fault)], "name set set_count machine fault"),
    "htmt_machine_parse": (c_int, [c_char_p, c_char_p, POINTER(POINTER(htmt_machine)), POINTER(htmt_fault)], "name text machine fault"),
    "htmt_machine_destroy": (None, [POINTER(POINTER(htmt_machine))], "machine"),
    "htmt_machine_layer": (c_int, [POINTER(htmt_machine), c_char_p], "m name"),
    "htmt_machine_network": (c_int, [POINTER(htmt_machine), c_char_p], "m name"),
    "htmt_machine_route": (c_int, [POINTER(htmt_machine), c_uint32, c_uint32, c_bool], "m from to across"),
    "htmt_machine_room": (c_uint64, [POINTER(htmt_machine), c_uint32], "m layer"),
    "htmt_machine_servers": (c_uint32, [POINTER(htmt_machine), c_uint32], "m layer"),
    "htmt_machine_processors_of": (c_uint32, [POINTER(htmt_machine), c_uint32], "m layer"),
    "htmt_machine_work": (c_int64, [POINTER(htmt_machine), c_uint32, POINTER(htmt_ops)], "m layer ops"),
    "htmt_machine_out_time": (c_int64, [POINTER(htmt_machine), c_uint32, c_uint32, c_uint32, c_uint64, c_uint64, c_uint64], "m network from to words from_pieces to_pieces"),
    "htmt_machine_in_time": (c_int64, [POINTER(htmt_machine), c_uint32, c_uint32, c_uint64, c_uint64], "m network to words to_pieces"),
    "htmt_machine_crossing": (c_int64, [POINTER(htmt_machine), c_uint32, c_uint64], "m network words"),
    "htmt_machine_threads": (c_uint32, [POINTER(htmt_machine), c_uint32], "m layer"),
    "htmt_machine_instructions": (c_int, [POINTER(htmt_machine), c_char_p, POINTER(htmt_ratio)], "m operation count"),
    "htmt_machine_dump": (c_int, [POINTER(htmt_machine), c_void_p], "m out"),
    "htmt_object_create": (c_int, [c_void_p, c_uint32, c_uint32, c_uint64, c_char_p, POINTER(c_void_p)], "e slice layer bytes name object"),
    "htmt_object_wrap": (c_int, [c_void_p, c_uint32, c_uint32, c_void_p, c_uint64, c_uint64, c_char_p, POINTER(c_void_p)], "e slice layer memory bytes words name object"),
    "htmt_object_destroy": (None, [POINTER(c_void_p)], "object"),
    "htmt_object_bytes": (c_void_p, [c_void_p], "object"),
    "htmt_object_size": (c_uint64, [c_void_p], "object"),
    "htmt_object_fetch": (c_int, [c_void_p, POINTER(c_void_p)], "object bytes"),
    "htmt_frame_create": (c_int, [c_void_p, c_uint32, c_uint64, c_char_p, POINTER(c_void_p)], "e layer bytes name frame"),
    "htmt_frame_load": (c_int, [c_void_p, c_void_p, c_uint64], "frame array bytes"),
    "htmt_frame_gather": (c_int, [c_void_p, c_void_p, c_uint64], "frame array bytes"),
    "htmt_at": (htmt_addr, [c_void_p, c_uint32, c_uint64], "frame slice offset"),
    "htmt_in": (htmt_addr, [c_void_p, c_uint64], "object offset"),
    "htmt_mailbox_create": (c_int, [c_void_p, c_uint32, c_uint32, c_uint64, c_uint64, c_char_p, POINTER(c_void_p)], "e slice layer record_bytes records name mailbox"),
    "htmt_stage_name": (c_char_p, [c_uint], "stage"),
    "htmt_type_create": (c_int, [c_void_p, POINTER(htmt_type_desc), POINTER(c_void_p)], "e desc type"),
    "htmt_assemble": (c_int, [c_void_p, POINTER(htmt_parcel_desc), POINTER(htmt_ref)], "c desc ref"),
    "htmt_dispatch": (c_int, [c_void_p, htmt_ref], "c parcel"),
    "htmt_execute": (c_int, [c_void_p, htmt_ref], "c parcel"),
    "htmt_retire": (c_int, [c_void_p, htmt_ref], "c parcel"),
    "htmt_scatter": (c_int, [c_void_p, htmt_ref], "c parcel"),
    "htmt_discard": (c_int, [c_void_p, htmt_ref], "c parcel"),
    "htmt_root": (c_void_p, [c_void_p], "e"),
    "htmt_emulator_of": (c_void_p, [c_void_p], "c"),
    "htmt_args": (c_void_p, [c_void_p], "c"),
    "htmt_user": (c_void_p, [c_void_p], "c"),
    "htmt_slice": (c_uint32, [c_void_p], "c"),
    "htmt_fiber": (c_uint32, [c_void_p], "c"),
    "htmt_self": (htmt_ref, [c_void_p], "c"),
    "htmt_is_model": (c_bool, [c_void_p], "c"),
    "htmt_result": (c_void_p, [c_void_p], "c"),
    "htmt_fail": (c_int, [c_void_p, c_int, c_char_p], "c code format"),
    "htmt_charge": (None, [c_void_p, c_uint, c_uint64], "c op n"),
    "htmt_delay": (None, [c_void_p, c_int64], "c fs"),
    "htmt_pause": (None, [c_void_p, c_int64], "c fs"),
    "htmt_began": (c_int64, [c_void_p], "c"),
    "htmt_enabled": (c_int64, [c_void_p], "c"),
    "htmt_work": (None, [c_void_p], "c"),
    "htmt_use": (None, [c_void_p, htmt_addr, c_uint64, c_uint], "c at bytes use"),
    "htmt_use_pieces": (None, [c_void_p, htmt_addr, c_uint64, htmt_pieces, c_uint], "c at bytes pieces use"),
    "htmt_section": (None, [c_void_p, c_char_p], "c name"),
    "htmt_slot": (htmt_slot, [c_void_p, c_uint32], "c fiber"),
    "htmt_slot_of": (htmt_slot, [htmt_ref, c_uint32], "parcel fiber"),
    "htmt_slot_set": (None, [c_void_p, c_uint32, c_uint32, c_uint32], "c fiber count reset"),
    "htmt_signal": (None, [c_void_p, htmt_slot], "c slot"),
    "htmt_blocks": (c_int, [c_void_p, POINTER(htmt_blocks_desc), POINTER(c_uint32)], "c desc count"),
    "htmt_block_count": (c_uint32, [POINTER(htmt_blocks_desc)], "desc"),
    "htmt_is_captured": (c_bool, [c_void_p], "e"),
    "htmt_keep": (c_int, [c_void_p, c_void_p, c_size_t], "e table bytes"),
    "htmt_item": (None, [c_void_p, c_uint64], "c item"),
    "htmt_next_item": (None, [c_void_p, c_uint64], "c item"),
    "htmt_emulator_create": (c_int, [POINTER(c_void_p), POINTER(htmt_options), POINTER(htmt_fault)], "emulator options fault"),
    "htmt_emulator_destroy": (None, [POINTER(c_void_p)], "emulator"),
    "htmt_emulator_run": (c_int, [c_void_p], "e"),
    "htmt_emulator_fault": (POINTER(htmt_fault), [c_void_p], "e"),
    "htmt_emulator_machine": (POINTER(htmt_machine), [c_void_p], "e"),
    "htmt_emulator_options": (POINTER(htmt_options), [c_void_p], "e"),
    "htmt_emulator_ended": (c_bool, [c_void_p], "e"),
    "htmt_emulator_slices": (c_uint32, [c_void_p], "e"),
    "htmt_emulator_played": (c_uint32, [c_void_p], "e"),
    "htmt_emulator_layer": (c_int, [c_void_p, c_char_p], "e name"),
    "htmt_predicted": (c_int64, [c_void_p], "e"),
    "htmt_event_count": (c_uint64, [c_void_p], "e"),
    "htmt_parcel_count": (c_uint64, [c_void_p], "e"),
    "htmt_history_hash": (c_uint64, [c_void_p], "e"),
    "htmt_host_report": (None, [c_void_p, POINTER(htmt_host_report)], "e report"),
    "htmt_slice_here": (c_bool, [c_void_p, c_uint32], "e slice"),
    "htmt_slices_share": (c_int, [c_void_p, c_void_p, c_size_t, c_size_t], "e first bytes stride"),
    "htmt_profiled_count": (c_uint32, [c_void_p], "e"),
    "htmt_profiled_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_profiled)], "e index profiled"),
    "htmt_clock_report": (None, [c_void_p, POINTER(htmt_clock_report)], "e report"),
    "htmt_resource_count": (c_uint32, [c_void_p], "e"),
    "htmt_resource_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_resource_report)], "e index report"),
    "htmt_resource_places": (c_uint32, [c_void_p, c_uint32], "e index"),
    "htmt_inside_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_inside_report)], "e network report"),
    "htmt_port_at": (c_int, [c_void_p, c_uint32, c_uint32, POINTER(htmt_port_report)], "e network index report"),
    "htmt_routing_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_routing_report)], "e layer report"),
    "htmt_network_history": (c_uint64, [c_void_p], "e"),
    "htmt_memory_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_memory_report)], "e layer report"),
    "htmt_memory_places": (c_uint32, [c_void_p, c_uint32], "e layer"),
    "htmt_phase_count": (c_uint32, [c_void_p], "e"),
    "htmt_phase_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_phase_report)], "e index report"),
    "htmt_operations_count": (c_uint32, [c_void_p], "e"),
    "htmt_operations_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_operations_report)], "e index report"),
    "htmt_departure_count": (c_uint32, [c_void_p], "e"),
    "htmt_departure_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_departure_report)], "e index report"),
    "htmt_section_count": (c_uint32, [c_void_p], "e"),
    "htmt_section_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_section_report)], "e index report"),
    "htmt_section_resource_at": (c_int, [c_void_p, c_uint32, c_uint32, POINTER(htmt_wide), POINTER(htmt_wide)], "e index resource busy waited"),
    "htmt_audit": (c_int, [c_void_p, POINTER(htmt_fault)], "e fault"),
    "htmt_note_count": (c_uint32, [c_void_p], "e"),
    "htmt_note_at": (c_char_p, [c_void_p, c_uint32], "e index"),
    "htmt_deadlock_print": (c_int, [c_void_p, c_void_p], "e out"),
    "htmt_cells_of": (c_int, [c_void_p, POINTER(htmt_cells)], "e cells"),
    "htmt_cells_watch": (c_int, [c_void_p], "e"),
    "htmt_cells_span_count": (c_uint32, [c_void_p], "e"),
    "htmt_cells_span_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_cells_span)], "e index span"),
    "htmt_tree_create": (c_int, [c_void_p, POINTER(htmt_tree_desc), POINTER(c_void_p)], "e desc tree"),
    "htmt_broadcast": (c_int, [c_void_p, c_void_p, POINTER(htmt_slot)], "c tree arrived"),
    "htmt_reduce": (c_int, [c_void_p, c_void_p, htmt_slot], "c tree arrived"),
    "htmt_allreduce_create": (c_int, [c_void_p, POINTER(htmt_allreduce_desc), POINTER(c_void_p)], "e desc allreduce"),
    "htmt_allreduce": (c_int, [c_void_p, c_void_p, htmt_slot], "c a arrived"),
    "htmt_barrier_create": (c_int, [c_void_p, c_uint32, c_char_p, POINTER(c_void_p)], "e layer name barrier"),
    "htmt_barrier": (c_int, [c_void_p, c_void_p, htmt_slot], "c barrier passed"),
    "htmt_put": (c_int, [c_void_p, POINTER(htmt_put)], "c put"),
    "htmt_route_create": (c_int, [c_void_p, c_uint32, c_void_p, c_uint32, POINTER(c_uint32)], "e network ports count route"),
    "htmt_send": (c_int, [c_void_p, c_void_p, htmt_addr, c_uint64, htmt_slot, htmt_slot], "c mailbox src records on_sent on_arrived"),
    "htmt_take": (c_uint64, [c_void_p, c_void_p], "c mailbox"),
    "htmt_grid_slices": (c_uint32, [POINTER(htmt_grid)], "grid"),
    "htmt_grid_place": (c_bool, [POINTER(htmt_grid), c_uint32, POINTER(c_uint32)], "grid slice place"),
    "htmt_grid_neighbour": (c_bool, [POINTER(htmt_grid), c_uint32, POINTER(c_int), POINTER(c_uint32)], "grid slice step neighbour"),
    "htmt_grid_neighbours": (c_uint32, [POINTER(htmt_grid), c_uint32], "grid slice"),
    "htmt_put_neighbour": (c_int, [c_void_p, POINTER(htmt_grid), POINTER(c_int), POINTER(htmt_put)], "c grid step put"),
    "htmt_frame_load_tiles": (c_int, [c_void_p, POINTER(htmt_grid), POINTER(htmt_tile), c_void_p], "frame grid tile array"),
    "htmt_frame_gather_tiles": (c_int, [c_void_p, POINTER(htmt_grid), POINTER(htmt_tile), c_void_p], "frame grid tile array"),
    "htmt_host": (c_uint32, [c_void_p], "e"),
    "htmt_push": (c_int, [c_void_p, POINTER(htmt_transfer)], "c transfer"),
    "htmt_pull": (c_int, [c_void_p, POINTER(htmt_transfer)], "c transfer"),
    "htmt_launch": (c_int, [c_void_p, POINTER(htmt_launch)], "c launch"),
    "htmt_ended": (c_int, [c_void_p], "c"),
    "htmt_host_commands": (c_int, [c_void_p, POINTER(htmt_host_commands)], "e commands"),
    "htmt_issue_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_issue_report)], "e slice report"),
    "htmt_threads_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_threads_report)], "e slice report"),
    "htmt_bytes": (c_void_p, [c_void_p, c_uint32], "k region"),
    "htmt_size": (c_uint64, [c_void_p, c_uint32], "k region"),
    "htmt_used": (c_void_p, [c_void_p, c_uint32], "k use"),
    "htmt_used_size": (c_uint64, [c_void_p, c_uint32], "k use"),
    "htmt_kernel_args": (c_void_p, [c_void_p], "k"),
    "htmt_kernel_user": (c_void_p, [c_void_p], "k"),
    "htmt_kernel_slice": (c_uint32, [c_void_p], "k"),
    "htmt_kernel_fiber": (c_uint32, [c_void_p], "k"),
    "htmt_kernel_part": (c_uint32, [c_void_p], "k"),
    "htmt_kernel_result": (c_void_p, [c_void_p], "k"),
    "htmt_count": (None, [c_void_p, c_uint, c_uint64], "k op n"),
    "htmt_constants": (None, [c_void_p, c_void_p, c_uint64], "k at bytes"),
    "htmt_kernel_fail": (c_int, [c_void_p, c_int, c_char_p], "k code format"),
    "htmt_path_cause_name": (c_char_p, [c_uint], "cause"),
    "htmt_path_find": (c_int, [c_void_p, POINTER(htmt_path)], "e path"),
    "htmt_path_clear": (None, [POINTER(htmt_path)], "path"),
    "htmt_path_sum": (c_int64, [POINTER(htmt_path), c_uint], "path cause"),
    "htmt_post": (c_int, [c_void_p, c_void_p, c_uint32, c_void_p], "c type slice args"),
    "htmt_each": (c_int, [c_void_p, c_uint64, htmt_next_fn], "c count next"),
    "htmt_sender": (c_uint32, [c_void_p], "c"),
    "htmt_quiet": (c_int, [c_void_p, htmt_control_fn, c_void_p], "e control user"),
    "htmt_object_create_kept": (c_int, [c_void_p, c_uint32, c_uint32, c_uint64, c_char_p, POINTER(c_void_p)], "e slice layer bytes name object"),
    "htmt_kept": (c_void_p, [c_void_p, c_void_p], "c object"),
    "htmt_posts_of": (c_int, [c_void_p, POINTER(htmt_posts)], "type posts"),
    "htmt_slope_find": (c_int, [c_void_p, POINTER(htmt_machine), c_double, POINTER(c_double), POINTER(c_double), POINTER(htmt_fault)], "e toward factor larger smaller fault"),
    "htmt_sweeps_create": (c_int, [c_void_p, POINTER(htmt_sweeps)], "e s"),
    "htmt_sweeps_load": (c_int, [POINTER(htmt_sweeps), c_void_p], "s array"),
    "htmt_sweeps_gather": (c_int, [POINTER(htmt_sweeps), c_void_p], "s array"),
    "htmt_report_print": (c_int, [c_void_p, c_void_p], "e out"),
    "htmt_report_json": (c_int, [c_void_p, c_void_p], "e out"),
    "htmt_report_summary": (c_int, [c_void_p, c_void_p], "e out"),
    "htmt_report_explanation": (c_int, [c_void_p, c_void_p], "e out"),
    "htmt_report_lint": (c_int, [c_void_p, c_void_p], "e out"),
    "htmt_report_bottlenecks": (c_int, [c_void_p, c_void_p], "e out"),
    "htmt_limit_count": (c_uint32, [c_void_p], "e"),
    "htmt_limit_at": (c_int, [c_void_p, c_uint32, POINTER(htmt_limit_report)], "e index limit"),
    "htmt_determinism_check": (c_int, [POINTER(htmt_determinism_desc), POINTER(htmt_determinism_report), POINTER(htmt_fault)], "desc report fault"),
    "htmt_determinism_print": (c_int, [POINTER(htmt_determinism_report), c_void_p], "report out"),
    "htmt_warnings_create": (c_int, [POINTER(c_void_p), POINTER(htmt_fault)], "warnings fault"),
    "htmt_warnings_destroy": (None, [POINTER(c_void_p)], "warnings"),
    "htmt_warn": (None, [c_void_p, c_char_p, c_char_p], "w name format"),
    "htmt_warnings_add": (None, [c_void_p, c_void_p], "w more"),
    "htmt_warnings_count": (c_uint, [c_void_p], "w"),
    "htmt_warnings_text": (c_char_p, [c_void_p, c_uint], "w index"),
    "htmt_task_request": (c_void_p, [c_void_p], "t"),
    "htmt_task_machine": (POINTER(htmt_machine), [c_void_p], "t"),
    "htmt_task_is_model": (c_bool, [c_void_p], "t"),
    "htmt_task_is_prediction": (c_bool, [c_void_p], "t"),
    "htmt_task_emulator": (c_void_p, [c_void_p], "t"),
    "htmt_task_value": (c_char_p, [c_void_p, c_char_p], "t name"),
    "htmt_task_whole": (c_int, [c_void_p, c_char_p, c_uint64, c_uint64, POINTER(c_uint64)], "t name least most value"),
    "htmt_task_real": (c_int, [c_void_p, c_char_p, c_double, c_double, POINTER(c_double)], "t name least most value"),
    "htmt_task_fault": (POINTER(htmt_fault), [c_void_p], "t"),
    "htmt_task_refuse": (c_int, [c_void_p, c_int, c_char_p], "t code format"),
    "htmt_task_fits": (c_int, [c_void_p, c_double, c_char_p], "t bytes arithmetic"),
    "htmt_task_held": (None, [c_void_p, c_double], "t bytes"),
    "htmt_task_warn": (None, [c_void_p, c_char_p, c_char_p], "t name format"),
    "htmt_task_warnings": (c_void_p, [c_void_p], "t"),
    "htmt_task_problem": (None, [c_void_p, c_char_p], "t format"),
    "htmt_task_flops": (None, [c_void_p, c_double], "t flops"),
    "htmt_task_precision": (None, [c_void_p, c_char_p], "t type"),
    "htmt_task_kernel_set": (None, [c_void_p, c_char_p], "t name"),
    "htmt_task_expected": (None, [c_void_p, c_double], "t seconds"),
    "htmt_task_note": (None, [c_void_p, c_char_p], "t format"),
    "htmt_task_note_at": (None, [c_void_p, c_uint, c_char_p], "t place format"),
    "htmt_task_found": (None, [c_void_p, c_char_p, c_double, c_char_p], "t name value unit"),
    "htmt_task_found_text": (None, [c_void_p, c_char_p, c_char_p], "t name text"),
    "htmt_task_checked": (None, [c_void_p, c_char_p, c_double, c_double, c_bool], "t name value tolerance correct"),
    "htmt_task_unchecked": (None, [c_void_p, c_char_p], "t format"),
    "htmt_task_compare": (None, [c_void_p, POINTER(c_double), POINTER(c_double), c_uint64, c_double], "t found wanted count tolerance"),
    "htmt_task_closed_form": (None, [c_void_p, htmt_wide, c_char_p], "t total name"),
    "htmt_task_closed_form_causes": (None, [c_void_p, POINTER(htmt_wide)], "t causes"),
    "htmt_prediction_total_fs": (None, [c_void_p, htmt_wide], "p fs"),
    "htmt_prediction_total": (None, [c_void_p, c_double], "p seconds"),
    "htmt_prediction_flops": (None, [c_void_p, c_double], "p flops"),
    "htmt_prediction_problem": (None, [c_void_p, c_char_p], "p format"),
    "htmt_prediction_part": (None, [c_void_p, c_uint, c_double, c_char_p], "p part seconds name"),
    "htmt_prediction_parts": (None, [c_void_p, c_double, c_double, POINTER(c_char_p)], "p compute network names"),
    "htmt_prediction_term": (None, [c_void_p, POINTER(htmt_term)], "p term"),
    "htmt_prediction_count": (c_uint, [c_void_p], "p"),
    "htmt_prediction_term_at": (POINTER(htmt_term), [c_void_p, c_uint], "p index"),
    "htmt_request_machine": (POINTER(htmt_machine), [c_void_p], "r"),
    "htmt_request_slices": (c_uint32, [c_void_p], "r"),
    "htmt_request_mode": (c_uint, [c_void_p], "r"),
    "htmt_request_symmetry": (c_uint, [c_void_p], "r"),
    "htmt_request_seed": (c_uint64, [c_void_p], "r"),
    "htmt_request_threads": (c_uint32, [c_void_p], "r"),
    "htmt_request_ranks": (c_uint32, [c_void_p], "r"),
    "htmt_request_costs": (c_char_p, [c_void_p], "r"),
    "htmt_request_cost_set": (POINTER(c_char_p), [c_void_p, POINTER(c_uint)], "r count"),
    "htmt_request_plan_only": (c_bool, [c_void_p], "r"),
    "htmt_request_strict": (c_bool, [c_void_p], "r"),
    "htmt_request_sections": (c_bool, [c_void_p], "r"),
    "htmt_request_progress": (c_bool, [c_void_p], "r"),
    "htmt_request_value": (c_char_p, [c_void_p, c_char_p], "r name"),
    "htmt_request_whole": (c_int, [c_void_p, c_char_p, c_uint64, c_uint64, POINTER(c_uint64), POINTER(htmt_fault)], "r name least most value fault"),
    "htmt_request_whole32": (c_int, [c_void_p, c_char_p, c_uint32, c_uint32, POINTER(c_uint32), POINTER(htmt_fault)], "r name least most value fault"),
    "htmt_request_reals": (c_int, [c_void_p, c_char_p, c_uint, POINTER(c_double), POINTER(htmt_fault)], "r name count values fault"),
    "htmt_request_real": (c_int, [c_void_p, c_char_p, c_double, c_double, POINTER(c_double), POINTER(htmt_fault)], "r name least most value fault"),
    "htmt_request_choice": (c_int, [c_void_p, c_char_p, POINTER(c_char_p), POINTER(c_uint), POINTER(htmt_fault)], "r name words value fault"),
    "htmt_request_suffix": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(htmt_fault)], "r name suffix fault"),
    "htmt_main": (c_int, [c_int, POINTER(c_char_p), POINTER(htmt_app)], "argc argv app"),
}
