# Read LIST, then the facts of sources.awk, nm and tables.awk. Print `fault TEXT` and `count TEXT`.

function fault(text) {
    print "fault " text
}

function folder_of(file) {
    sub(/\/[^\/]*$/, "", file)
    return file
}

# The best line of LIST for a file: its number, and in `application` the one it belongs to.
function rank(file,    folder, suffix, part, general) {
    application = ""
    if (file in place)
        return place[file]
    suffix = file
    sub(/.*\./, "", suffix)
    folder = folder_of(file)
    if ((folder "/*." suffix) in place)
        return place[folder "/*." suffix]
    while (1) {
        if (folder in place)
            return place[folder]
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

function edge(from, to, what) {
    if (from == to || (from, to) in reason)
        return
    reason[from, to] = what
    next_of[from] = next_of[from] " " to
    nodes[from] = nodes[to] = 1
}

# ---- The list ------------------------------------------------------------------------------------
FILENAME == list && /^(#|$)/ {
    next
}
FILENAME == list && $1 == "folder" {
    line_of[++lines] = $2
    place[$2] = lines
    next
}
FILENAME == list && $1 == "seam" {
    seams++
    seam_from[seams] = $2
    seam_to[seams] = $3
    for (i = 4; i <= NF; i++)
        seam_opens[seams, $i] = 1
    next
}
FILENAME == list && $1 == "optional" { # tests/house/check reads it
    optional[$2] = 1
    next
}
FILENAME == list && $1 == "only" {
    reserved[$2] = 1
    for (i = 3; i <= NF; i++)
        may_call[$2, $i] = 1
    next
}
FILENAME == list && $1 == "writable" {
    written[$2] = 0
    next
}
FILENAME == list && $1 == "interposes" {
    for (i = 3; i <= NF; i++)
        interposes[$2, $i] = 1
    next
}
FILENAME == list && $1 == "circle" {
    limit[$2] = $3
    next
}
FILENAME == list && $1 == "length" {
    longest[$2] = $3
    next
}
FILENAME == list && $1 == "table" {
    known[$2, $3] = 1
    for (i = 4; i <= NF; i++)
        rows_of[$i] = rows_of[$i] " " $2 "," $3
    next
}
FILENAME == list && $1 == "handed" {
    for (i = 2; i <= NF; i++)
        handed[$i] = 1
    next
}
FILENAME == list {
    fault(list ": not understood: " $0)
    next
}

# ---- The facts -----------------------------------------------------------------------------------
$1 == "include" {
    includes++
    include_from[includes] = $2
    include_of[includes] = $3
    included[$2] = included[$2] " " $3
    exists[$2] = 1
}
$1 == "tag" {
    if ($3 in tag_file && tag_file[$3] != $2) {
        if ($3 ~ /^htmt/)
            fault($2 ": struct " $3 ": defined in " tag_file[$3] " as well")
        else if (!($3 in repeated)) {
            repeated[$3] = 1
            repeats++
        }
    } else
        tag_file[$3] = $2
}
$1 == "variable" {
    variable[$2, $3] = 1
}
$1 == "function" {
    functions[$3]++
    function_count++
}
$1 == "call" {
    calls++
    call_from[calls] = $2
    call_text[calls] = $3
}
# nm -P: the object, a symbol, its type.
$1 == "symbol" && $4 ~ /^[Uwv]$/ {
    needs++
    need_from[needs] = $2
    need_of[needs] = $3
}
$1 == "symbol" && $4 ~ /^[A-TV-Zi]$/ && $3 !~ /\./ {
    defined[$3] = $2
    kind[$3] = $4
    know($2)
    if (owner[$2] != "" && index($3, "htmt__" owner[$2] "_") != 1 && $3 != "htmt_app" && \
        !(($2, $3) in interposes))
        fault($2 ": " $3 ": external, but does not begin with htmt__" owner[$2] "_")
}
$1 == "writable" {
    if ($2 in written)
        written[$2]++
    else
        fault($2 ": " $3 ": a variable that can be written, which " list " does not allow here")
    next
}
$1 == "table" {
    tables++
    table_file[tables] = $2
    table_name[tables] = $3
    table_of[tables] = $4
}

# ---- The judgement -------------------------------------------------------------------------------
function judge_includes(    i, s) {
    for (i = 1; i <= includes; i++) {
        use(include_from[i], include_of[i], "includes " include_of[i])
        for (s = 1; s <= seams; s++)
            if (index(include_from[i], seam_from[s] "/") == 1 && \
                index(include_of[i], seam_to[s] "/") == 1 && !((s, include_of[i]) in seam_opens))
                fault(include_from[i] ": includes " include_of[i] ": " seam_from[s] \
                      " may not see this header of " seam_to[s])
    }
}

function judge_needs(    i, to) {
    for (i = 1; i <= needs; i++)
        if (need_of[i] in defined) {
            to = defined[need_of[i]]
            use(need_from[i], to, "names " need_of[i])
            edge(need_from[i], to, need_of[i])
        }
}

# Is it a call that the list writes as `text`, or as `text` with a star?
function entry(call,    star) {
    star = call
    sub(/[a-z_0-9]+(\[\])*$/, "*", star)
    written[call] = written[star] = 1
    return call in rows_of || call in handed ? call : star
}

# The files that a call stands in: those that include a header, for a header.
function call_tables(call, from,    rows, n, i, part) {
    if (!(call in rows_of))
        return
    n = split(rows_of[call], rows, " ")
    for (i = 1; i <= n; i++) {
        split(rows[i], part, ",")
        if (folder_of(part[1]) == folder_of(from))
            edge(from, part[1], call "() reads " part[2])
    }
}

function through_header(header, call,    file) {
    for (file in included)
        if (index(included[file] " ", " " header " ") && file ~ /\.c$/)
            call_tables(call, file)
}

function judge_reserved(    i) {
    for (i = 1; i <= needs; i++)
        if (need_of[i] in reserved && !((need_of[i], need_from[i]) in may_call))
            fault(need_from[i] ": calls " need_of[i] "(), which " list " leaves to other files")
}

function judge_calls(    i, call) {
    for (i = 1; i <= calls; i++) {
        call = entry(call_text[i])
        if (!(call in rows_of) && !(call in handed))
            fault(call_from[i] ": " call_text[i] "(): no table or handed line of " list " names it")
        if (call_from[i] ~ /\.h$/)
            through_header(call_from[i], call)
        else
            call_tables(call, call_from[i])
    }
    for (call in rows_of)
        if (!(call in written))
            fault(list ": " call "(): no source calls it")
    for (call in handed)
        if (!(call in written))
            fault(list ": " call "(): no source calls it")
}

function judge_tables(    i, row, part) {
    for (i = 1; i <= tables; i++) {
        if (table_of[i] != "." && !(table_of[i] in kind && kind[table_of[i]] ~ /[TWi]/))
            continue
        row = table_file[i] SUBSEP table_name[i]
        if (!(row in known) && !(row in present))
            fault(table_file[i] ": " table_name[i] ": a table of functions without a line in " list)
        present[row] = 1
    }
    for (row in known)
        # A compiler may need no table where it knows the functions.
        if (!(row in present) && !(row in variable)) {
            split(row, part, SUBSEP)
            fault(list ": " part[1] ": " part[2] ": no table of functions")
        }
}

# Tarjan: sets of objects that all depend on each other.
function visit(node,    n, i, other, to) {
    index_of[node] = low[node] = ++visited
    stack[++depth] = node
    on_stack[node] = 1
    n = split(next_of[node], to, " ")
    for (i = 1; i <= n; i++) {
        other = to[i]
        if (!(other in index_of)) {
            visit(other)
            if (low[other] < low[node])
                low[node] = low[other]
        } else if (on_stack[other] && index_of[other] < low[node])
            low[node] = index_of[other]
    }
    if (low[node] == index_of[node])
        circle(node)
}

function circle(node,    members, size, root) {
    circles++
    do {
        members = members " " stack[depth]
        member_of[stack[depth]] = circles
        on_stack[stack[depth]] = 0
        size++
    } while (stack[depth--] != node)
    if (size == 1)
        return
    root = node
    sub(/\/.*/, "", root)
    print (size > limit[root] ? "fault" : "count"), root ": circle of " size " objects (" \
          limit[root] + 0 " allowed):" members ": " shortest(node)
}

# The shortest way from a node of a circle back to it.
function shortest(node,    queue, head, tail, from, before, n, i, to, way, other) {
    queue[++tail] = node
    while (head < tail) {
        from = queue[++head]
        n = split(next_of[from], to, " ")
        for (i = 1; i <= n; i++) {
            other = to[i]
            if (member_of[other] != circles || other in before)
                continue
            before[other] = from
            if (other == node)
                head = tail
            else
                queue[++tail] = other
        }
        if (node in before)
            break
    }
    way = node
    other = node
    do {
        way = before[other] " -> (" reason[before[other], other] ") " way
        other = before[other]
    } while (other != node)
    return way
}

function judge_circles(    node) {
    for (node in nodes)
        if (!(node in index_of))
            visit(node)
}

# The length that a share of the functions does not exceed.
function length_of(share,    length_, seen) {
    seen = 0
    for (length_ = 0; length_ < 10000; length_++) {
        seen += functions[length_]
        if (seen >= share * function_count)
            return length_
    }
}

function judge_length(name, share,    lines_) {
    lines_ = length_of(share)
    print "count functions: " function_count ", lines of the " name ": " lines_
    if (lines_ > longest[name])
        fault("functions: lines of the " name ": " lines_ ", at most " longest[name] " allowed")
}

function judge_written(    file) {
    for (file in written)
        if (!written[file] && !(file in optional))
            fault(list ": writable " file ": it has no such variable")
}

END {
    judge_written()
    judge_includes()
    judge_needs()
    judge_reserved()
    judge_calls()
    judge_tables()
    judge_circles()
    judge_length("median", 0.5)
    judge_length("nine-tenths", 0.9)
    print "count tags without htmt that several files define: " repeats + 0
}
