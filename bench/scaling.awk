# The lines of bench/scaling.sh to tables: what was measured, and the closed form
#
#   time = windows * (events a window * ns an event * imbalance / (T * H)
#                     + round(T) + boxes(T, H) + exchange(H, bytes))
#
# of T threads on each of H hosts. Imbalance is the greatest load of T * H players over their mean.
# Slices that all do the same ("alike") are dealt evenly: ceil(slices / players) over the mean. Else
# ("independent") the events of a window are as if each fell on a player by chance: Poisson variables,
# whose expected maximum of n is at most m + sqrt(2 m ln n) + ln n / 3 (Boucheron, Lugosi, Massart:
# Concentration Inequalities, 2013, corollary 2.6; a Poisson variable is sub-gamma with c = 1/3).

BEGIN {
    # Assumptions of what this host cannot show
    latency_us = 2          # of an exchange between hosts
    bytes_us = 12500        # 100 Gbit/s
    worth = 64              # events a window, from which on it is played by several threads
    each = 2                # partitions a thread
}

function ceil(x) { return x > int(x) ? int(x) + 1 : int(x) }
function log2(x) { return log(x) / log(2) }

$1 == "HOST" { cores = $2; host = $0; sub(/^HOST [0-9]+ /, "", host) }
$1 == "ROUND" { round_us[$2] = $3; rounds = $2 }
$1 == "EXCHANGE" { size[++sizes] = $2; exchange_us[sizes] = $3 }
$1 == "PARTITIONS" { window_us[$2] = 1e6 * $5 / $4 }
$1 == "LARGE" { large[++larges] = $0 }
$1 == "CASE" { case_[++cases] = $0 }

# t(P) = a + c1 P + c2 P * P through what 2, 64 and 256 partitions took.
function fit_boxes(    first, second) {
    first = (window_us[64] - window_us[2]) / 62
    second = (window_us[256] - window_us[64]) / 192
    square_us = (second - first) / 254
    if (square_us < 0)
        square_us = 0
    each_us = first - 66 * square_us
    if (each_us < 0)
        each_us = 0
}

# A player looks into the boxes of all partitions for each of his.
function boxes(threads, hosts, partitions) {
    return partitions / (threads * hosts) * (each_us + square_us * partitions)
}

# On this host
function exchange_here(bytes,    i) {
    for (i = 2; i < sizes && bytes > size[i]; i++)
        ;
    return exchange_us[i - 1] + (exchange_us[i] - exchange_us[i - 1]) * \
        (bytes - size[i - 1]) / (size[i] - size[i - 1])
}

# A message to each other host, and all bytes through one wire
function exchange_there(hosts, bytes) {
    return hosts < 2 ? 0 : latency_us + (hosts - 1) * exchange_us[1] + bytes / bytes_us
}

function imbalance(way, slices, events, players,    mean, most) {
    if (players < 2)
        return 1
    if (way == "alike")
        return ceil(slices / players) * players / slices
    mean = events / players
    most = (mean + sqrt(2 * mean * log(players)) + log(players) / 3) / mean
    return most < players ? most : players
}

function round_of(threads, way) {
    if (threads < 2)
        return 0
    if (threads in round_us)
        return round_us[threads]
    return round_us[2] * (way == "log" ? log2(threads) : threads - 1)
}

function partitions_of(threads, hosts) { return threads > 1 ? each * threads * hosts : hosts }
function way_of(app) { return app == "volume" ? "independent" : "alike" }
function off(said, is) { return sprintf("%+.0f %%", 100 * (said - is) / is) }

function print_case(line,    f, e, ns, one, two, ranks, said, told) {
    split(line, f, " ")
    # app slices | events windows seconds: sequential, windows, threads, ranks | bytes
    e = f[7] / f[8]
    one = 1e9 * f[6] / f[4]
    ns = 1e9 * f[9] / f[7]
    two = 1e9 * f[12] / f[10]
    said = e < worth ? ns + 1e3 * boxes(1, 1, 4) / e \
         : ns * imbalance(way_of(f[2]), f[3], e, 2) / 2 + 1e3 * (round_of(2) + boxes(2, 1, 4)) / e
    printf "%-8s %6d %10d %8d %9.1f %9.1f %9.1f %9.1f %9.1f %6s", f[2], f[3], f[4], f[8], e, one, ns, two,
        said, off(said, two)
    if (f[13] == "-") {
        print ""
    } else {
        ranks = 1e9 * f[15] / f[13]
        told = ns * imbalance(way_of(f[2]), f[3], e, 2) / 2 + 1e3 * exchange_here(f[16]) / e
        printf " %9.1f %9.1f %6s %8d\n", ranks, told, off(told, ranks), f[16]
    }
    if (f[16] != "-")
        bytes_of[f[2]] = f[16] / e
}

# us of a window
function window(f, e, threads, hosts, partitions, way, growth,    bytes) {
    bytes = bytes_of[f[2]] * e * 4 * (1 - 1 / hosts) / hosts
    return 1e-3 * e * f[6] * imbalance(way, f[3], e, threads * hosts) / (threads * hosts) + \
        round_of(threads, growth) + boxes(threads, hosts, partitions) + exchange_there(hosts, bytes)
}

function predict(f, threads, hosts, partitions,    e, least, most) {
    e = f[4] / f[5]
    least = 1e-6 * f[5] * window(f, e, threads, hosts, partitions, "alike", "log")
    most = 1e-6 * f[5] * window(f, e, threads, hosts, partitions, "independent", "linear")
    printf "%-8s %8d %6d %11d %12.3g %12.3g %10.3g %10.3g\n", f[2], threads, hosts, partitions, least, most,
        1e-9 * f[4] * f[6] / least, 1e-9 * f[4] * f[6] / most
}

function print_large(line,    f) {
    split(line, f, " ")
    printf "%-8s %.4g events, %.4g windows, %.1f events a window, %.1f ns an event, loads %s; one thread: %.3g s\n",
        f[2], f[4], f[5], f[4] / f[5], f[6], f[7], 1e-9 * f[4] * f[6]
    predict(f, 2, 1, 4)
    predict(f, 64, 1, 128)
    predict(f, 1, 16, 16)
    predict(f, 64, 16, 2048)
    predict(f, 64, 16, 1024)
}

END {
    printf "host        %s, %d processors\n\nround of a team\n", host, cores
    for (i = 2; i <= rounds; i++)
        printf "  %d threads   %.3f us\n", i, round_us[i]
    fit_boxes()
    printf "\nboxes of a partition in a window\n  %.3f us + %.4f us for each partition of all\n", each_us,
        square_us
    if (sizes)
        printf "\nexchange of 2 ranks on this host\n"
    for (i = 1; i <= sizes; i++)
        printf "  %6d bytes  %.2f us\n", size[i], exchange_us[i]
    printf "\nmeasured; ns an event; `form`: the closed form; bytes: of a rank, an exchange\n"
    printf "%-8s %6s %10s %8s %9s %9s %9s %9s %9s %6s %9s %9s %6s %8s\n", "", "slices", "events", "windows",
        "a window", "one order", "windows", "2 threads", "form", "off", "2 ranks", "form", "off", "bytes"
    for (i = 1; i <= cases; i++)
        print_case(case_[i])
    if (larges)
        printf "\npredicted, not run; seconds and gain over one thread; least: even loads, a round\n" \
            "grows as log2 T; most: loads by chance, a round grows as T - 1\n%-8s %8s %6s %11s %12s %12s %10s %10s\n",
            "", "threads", "hosts", "partitions", "least s", "most s", "gain", "gain"
    for (i = 1; i <= larges; i++)
        print_large(large[i])
}
