# Read LIST, then the facts of tests/house/check. Print `fault TEXT` and `count TEXT`.

function fault(text) {
    print "fault " text
}

function folder_of(file) {
    sub(/\/[^\/]*$/, "", file)
    return file
}

# The number of the best line of LIST for a file, and in `application` the one it belongs to.
function rank(file,    folder, suffix, part, general) {
    application = ""
    suffix = file
    sub(/.*\./, "", suffix)
    folder = folder_of(file)
    if (file in place)
        return place[file]
    if ((folder "/*." suffix) in place)
        return place[folder "/*." suffix]
    while (!(folder in place)) {
        split(folder, part, "/")
        general = part[1] "/NAME" substr(folder, length(part[1] "/" part[2]) + 1)
        if (general in place) {
            application = part[2]
            return place[general]
        }
        if (folder !~ /\//)
            return 0
        folder = folder_of(folder)
    }
    return place[folder]
}

function know(file) {
    if (file in level)
        return
    level[file] = rank(file)
    owner[file] = application
    if (!level[file])
        fault(file ": no folder line of " list " holds it")
}

# `from` uses something of `to`; `how` says what.
function use(from, to, how) {
    know(from)
    know(to)
    if (!level[from] || !level[to] || from == to)
        return
    if (level[from] > level[to])
        fault(from ": " how " of " to " above it: " line_of[level[from]] " may not use " \
              line_of[level[to]])
    else if (owner[from] != "" && owner[to] != "" && owner[from] != owner[to])
        fault(from ": " how " of " to ": another application")
}

# ---- The list ------------------------------------------------------------------------------------
FILENAME == list && /^(#|$)/ {
    next
}
FILENAME == list && $1 == "folder" {
    line_of[++lines] = $2
    for (i = 2; i <= NF; i++)
        place[$i] = lines
    next
}
FILENAME == list && $1 == "seam" {
    seam_from[++seams] = $2
    seam_to[seams] = $3
    for (i = 4; i <= NF; i++)
        seam_opens[seams, $i] = 1
    next
}
FILENAME == list && $1 == "writable" {
    know($2)
    written[$2] = 0
    next
}
FILENAME == list && $1 == "length" {
    longest = $2
    next
}
FILENAME == list {
    fault(list ": " FNR ": neither folder, seam, writable nor length: " $1)
    next
}

# ---- The facts -----------------------------------------------------------------------------------
$1 == "lines" {
    code_lines = $2
}
$1 == "function" {
    functions++
    if ($3 > longest)
        fault($2 ": a function of " $3 " lines, at most " longest " allowed")
}
$1 == "include" {
    know($2)
    use($2, $3, "includes " $3)
    for (i = 1; i <= seams; i++)
        if (index($2, seam_from[i] "/") == 1 && index($3, seam_to[i] "/") == 1 &&
            !((i, $3) in seam_opens))
            fault($2 ": includes " $3 ": " seam_from[i] " may not see this")
}
$1 == "writable" {
    know($2)
    if ($2 in written)
        written[$2]++
    else
        fault($2 ": " $3 " is written while the program runs; " list " does not allow it here")
}
$1 == "symbol" && $4 ~ /^[TDBRCVW]$/ && !($3 in home) && $3 ~ /htmt/ {
    home[$3] = $2
}
$1 == "symbol" && ($4 == "U" || $4 == "w") {
    need_from[++needs] = $2
    need[needs] = $3
}

# Tarjan's algorithm: strongly connected objects below one of the top folders.
function visit(node,    nexts, n, i, other) {
    index_of[node] = low[node] = ++visited
    stack[++depth] = node
    on_stack[node] = 1
    n = split(next_of[node], nexts, " ")
    for (i = 1; i <= n; i++) {
        other = nexts[i]
        if (!(other in index_of)) {
            visit(other)
            if (low[other] < low[node])
                low[node] = low[other]
        } else if (on_stack[other] && index_of[other] < low[node])
            low[node] = index_of[other]
    }
    if (low[node] != index_of[node])
        return
    n = ""
    do {
        other = stack[depth--]
        on_stack[other] = 0
        n = n " " other
    } while (other != node)
    if (n != " " node)
        fault("objects that need each other:" n)
}

END {
    for (i = 1; i <= needs; i++) {
        from = need_from[i]
        if (!(need[i] in home) || home[need[i]] == from)
            continue
        use(from, home[need[i]], "names " need[i])
        split(from, top, "/")
        if (index(home[need[i]], top[1] "/") == 1 && !((from, home[need[i]]) in edge)) {
            edge[from, home[need[i]]] = 1
            next_of[from] = next_of[from] " " home[need[i]]
        }
    }
    for (node in next_of)
        if (!(node in index_of))
            visit(node)
    for (file in written)
        if (!written[file] && file !~ /^emul\/tools\//)
            fault(list ": writable " file ": it has no such variable")
    printf "count functions: %d, %.1f per 1000 lines that are not blank\n", functions,
           1000 * functions / code_lines
}
