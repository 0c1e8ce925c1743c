# RESULT lines, parted into rounds by ROUND lines, to a table of medians. Status 1: the cases of a
# group did not do the same work, or a case is missing in a round.

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

function values(case_, base,    r, x) {
    for (r = 1; r <= round; r++) {
        if (!((case_, r) in value) || (base != "" && !((base, r) in value))) {
            printf "%s is missing in round %d\n", case_, r
            failed = 1
            exit
        }
        x[r] = value[case_, r] / (base == "" ? 1 : value[base, r])
    }
    measure(x, round)
}

$1 == "ROUND" { round = $2 }

$1 == "RESULT" {
    case_ = $2 SUBSEP $3
    value[case_, round] = $4
    unit[case_] = $5
    if (!($2 in work)) {
        work[$2] = $6
        group[++groups] = $2
    }
    if ($6 != work[$2]) {
        printf "%s %s has done other work than the first of its group\n", $2, $3
        failed = 1
    }
    if (!(case_ in seen)) {
        seen[case_] = 1
        name[$2, ++count[$2]] = $3
        at = $2 SUBSEP threads_of($3)
        if (!(at in base))
            base[at] = case_
    }
}

END {
    for (g = 1; g <= groups && !failed; g++) {
        one = base[group[g], 1]
        printf "\n%-26s %-35s %-5s %-25s %s\n", group[g], "value", "", "to first, same threads",
            "to first, 1 thread"
        for (i = 1; i <= count[group[g]]; i++) {
            case_ = group[g] SUBSEP name[group[g], i]
            values(case_)
            printf "  %-24s %-10.4g", name[group[g], i], spread[1]
            printf " %-24s %-5s", sprintf("[%.4g - %.4g]", spread[2], spread[3]), unit[case_]
            values(case_, base[group[g], threads_of(name[group[g], i])])
            printf " %-25s", sprintf("%.3f [%.3f - %.3f]", spread[1], spread[2], spread[3])
            if (one != "") {
                values(case_, one)
                printf " %.3f [%.3f - %.3f]", spread[1], spread[2], spread[3]
            }
            print ""
        }
    }
    exit failed
}
