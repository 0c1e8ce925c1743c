# RESULT lines, parted into rounds by ROUND lines, and the file of targets to tables of medians. The
# n-th line of a case is its turn n; ratios are taken turn by turn. Status 1: the cases of a group
# did not do the same work, or a case has not as many turns as its group's first.
#   awk -f table.awk targets results

function threads_of(name) { return match(name, /_[0-9]+$/) ? substr(name, RSTART + 1) : 1 }

# median, least and greatest of x[1..n] into spread[1..3]
function measure(x, n,    i, j, v) {
    for (i = 2; i <= n; i++) {
        v = x[i]
        for (j = i - 1; j > 0 && x[j] > v; j--)
            x[j + 1] = x[j]
        x[j + 1] = v
    }
    spread[1] = n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
    spread[2] = x[1]
    spread[3] = x[n]
}

# The spread of a case, or of its ratio to another.
function values(case_, base,    t, x) {
    for (t = 1; t <= turns[case_]; t++)
        x[t] = value[case_, t] / (base == "" ? 1 : value[base, t])
    measure(x, turns[case_])
}

function median(group_, case_, base) {
    values(group_ SUBSEP case_, base == "" ? "" : group_ SUBSEP base)
    return spread[1]
}

function is_there(group_, case_) { return (group_, case_) in turns }

function stop(text) {
    print text
    failed = 1
    exit 1
}

FNR == NR {
    if (NF && $1 !~ /^#/)
        target[++targets] = $0
    next
}

$1 == "ROUND" { rounds = $2 }

$1 == "RESULT" {
    case_ = $2 SUBSEP $3
    if (!($2 in work)) {
        work[$2] = $6
        group[++groups] = $2
    }
    if ($6 != work[$2])
        stop($2 " " $3 " has done other work than the first of its group")
    if (!(case_ in turns)) {
        unit[case_] = $5
        name[$2, ++count[$2]] = $3
        at = $2 SUBSEP threads_of($3)
        if (!(at in base))
            base[at] = case_
    }
    value[case_, ++turns[case_]] = $4
}

function check_turns(g,    i, case_) {
    for (i = 1; i <= count[g]; i++) {
        case_ = g SUBSEP name[g, i]
        if (turns[case_] != turns[g, name[g, 1]] || turns[case_] % rounds)
            stop(g " " name[g, i] ": " turns[case_] " turns in " rounds " rounds, " \
                 turns[g, name[g, 1]] " of the first of its group")
    }
}

function print_case(g, n,    case_) {
    case_ = g SUBSEP n
    values(case_)
    printf "  %-24s %-10.4g", n, spread[1]
    printf " %-24s %-5s", sprintf("[%.4g - %.4g]", spread[2], spread[3]), unit[case_]
    printf " %-9s", unit[case_] == "ns" ? sprintf("%.3g M/s", 1e3 / spread[1]) : ""
    values(case_, base[g, threads_of(n)])
    printf " %-25s", sprintf("%.3f [%.3f - %.3f]", spread[1], spread[2], spread[3])
    if ((g, 1) in base) {
        values(case_, base[g, 1])
        printf " %.3f [%.3f - %.3f]", spread[1], spread[2], spread[3]
    }
    print ""
}

function print_group(g,    i) {
    printf "\n%-26s %-35s %-5s %-9s %-25s %s\n", g, "value", "", "", "to first, same threads",
        "to first, 1 thread"
    for (i = 1; i <= count[g]; i++)
        print_case(g, name[g, i])
}

# Time of the emulator in units of one dgemm's: what subblocks, their copies and the emulator add.
function print_shares(g, threads,    whole, place, plain, emulator) {
    whole = "whole_dgemm_" threads
    place = "plain_static_in_place_" threads
    plain = "plain_static_" threads
    emulator = "emulator_" threads
    if (!is_there(g, whole) || !is_there(g, place) || !is_there(g, plain) || !is_there(g, emulator))
        return
    if (!shares++)
        printf "\n%-26s %-8s %-14s %-16s %-10s %s\n", "time / one dgemm", "threads", "emulator",
            "= 1 + block size", "+ copies", "+ emulator"
    printf "  %-24s %-8d %-14.3f %-16.3f %-10.3f %.3f\n", g, threads, median(g, emulator, whole),
        median(g, place, whole) - 1, median(g, plain, whole) - median(g, place, whole),
        median(g, emulator, whole) - median(g, plain, whole)
}

# No limit is never broken.
function holds(x, relation, limit)
{
    return limit == "-" || (relation == "<=" ? x <= limit : x >= limit)
}

function verdict(x, relation, limit, aim) {
    if (!holds(x, relation, limit))
        return "NOT MET"
    if (limit == "-")
        return holds(x, relation, aim) ? "the aim" : "not the aim"
    return aim != "-" && holds(x, relation, aim) ? "yes, and the aim" : "yes"
}

function bound(relation, x) { return x == "-" ? "" : relation " " x }

function print_target(line,    f, what, over) {
    split(line, f, " ")
    over = f[3] == "-" ? "" : f[3]
    if (!is_there(f[1], f[2]) || (over != "" && !is_there(f[1], over)))
        return
    if (!lines++)
        printf "\n%-56s %-8s %-8s %-32s %s\n", "targets", "target", "aim", "measured", "met"
    what = f[1] " " f[2] (over == "" ? " " unit[f[1], f[2]] : " / " over)
    median(f[1], f[2], over)
    held += f[5] != "-"
    met += f[5] != "-" && holds(spread[1], f[4], f[5])
    printf "%-56s %-8s %-8s %-32s %s\n", what, bound(f[4], f[5]), bound(f[4], f[6]),
        sprintf("%.4g [%.4g - %.4g]", spread[1], spread[2], spread[3]),
        verdict(spread[1], f[4], f[5], f[6])
}

END {
    for (i = 1; i <= groups && !failed; i++)
        check_turns(group[i])
    if (failed)
        exit 1
    for (i = 1; i <= groups; i++)
        print_group(group[i])
    for (i = 1; i <= groups; i++)
        for (threads = 1; threads <= 2; threads++)
            print_shares(group[i], threads)
    for (i = 1; i <= targets; i++)
        print_target(target[i])
    if (held)
        printf "%d of %d targets met\n", met, held
}
