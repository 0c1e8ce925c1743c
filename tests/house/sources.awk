# Facts of the C files: include FILE HEADER, tag FILE TAG, variable FILE NAME, function
# FILE LINES, call FILE EXPRESSION (a call through a pointer to a function that is a member or an
# element). Pass 1 finds the names of such members and elements, pass 2 the facts.
# The sources are formatted: a function's braces stand in the first column.

# The line without its comments.
function code(line,    at, end, out) {
    out = ""
    while (1) {
        if (comment) {
            if (!(end = index(line, "*/")))
                return out
            line = substr(line, end + 2)
            comment = 0
        }
        if (!(at = index(line, "/*")))
            return out line
        out = out substr(line, 1, at - 1)
        line = substr(line, at + 2)
        comment = 1
    }
}

# void (*name[N])(...): name is a pointer to a function; typedef void name(...).
function declared(line,    name, words) {
    if (line ~ /^typedef .*[ *][a-z_0-9]+\(/) {
        name = line
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        type[name] = 1
    }
    if (line ~ /^ *(const )?[a-z_0-9]+ \*(const )?[a-z_0-9]+(\[[^]]*\])*;/) {
        name = line
        sub(/(\[[^]]*\])*;.*/, "", name)
        sub(/.*[ *]/, "", name)
        sub(/^ *(const )?/, "", line)
        split(line, words, " ")
        typed[name] = typed[name] " " words[1]
    }
    while (match(line, /\(\*(const )?[a-z_0-9]+(\[[^]]*\])*\)\(/)) {
        name = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        sub(/^\(\*(const )?/, "", name)
        sub(/[^a-z_0-9].*/, "", name)
        pointer[name] = 1
    }
}

function typedefs(    name, n, i, types) {
    for (name in typed) {
        n = split(typed[name], types, " ")
        for (i = 1; i <= n; i++)
            if (types[i] in type)
                pointer[name] = 1
    }
}

function calls(line,    text, member, rest) {
    rest = line
    while (match(rest, /[A-Za-z_0-9]+(\[[^]]*\])*(\(\))?\)?(->|\.)[a-z_0-9]+(\[[^]]*\])*\(/)) {
        text = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        gsub(/\[[^]]*\]/, "[]", text)
        member = text
        sub(/(\[\])*$/, "", member)
        sub(/.*[>.]/, "", member)
        if (member in pointer)
            print "call", FILENAME, text
    }
    rest = line
    while (match(rest, /[A-Za-z_0-9]+(\[[^]]*\])+\(/)) {
        text = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        gsub(/\[[^]]*\]/, "[]", text)
        print "call", FILENAME, text
    }
}

FNR == 1 {
    comment = body = 0
}

{
    line = code($0)
}

pass == 1 {
    declared(line)
    next
}

!ready {
    typedefs()
    ready = 1
}

line ~ /^ *# *include *"/ {
    split(line, quoted, "\"")
    print "include", FILENAME, quoted[2]
}

# A variable with an initial value.
line ~ /(static|const) .* =( |$)/ {
    name = line
    sub(/(\[[^]]*\])* =( |$).*/, "", name)
    sub(/.*[ *]/, "", name)
    print "variable", FILENAME, name
}

match(line, /(^|[ (])(struct|union|enum) ([a-zA-Z_]+\([^)]*\) )?[A-Za-z_0-9]+ \{/) {
    tag = substr(line, RSTART, RLENGTH - 2)
    sub(/.* /, "", tag)
    print "tag", FILENAME, tag
}

line ~ /^}/ && body {
    print "function", FILENAME, FNR - body - 1
    body = 0
}

line ~ /^{/ {
    body = FNR
}

{
    calls(line)
}
