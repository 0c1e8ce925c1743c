# SPDX-License-Identifier: BSD-3-Clause
#
# htmt-machine(5) from docs/machines.md:
#
#     awk -v version=0.1.0 -f emul/packaging/manual5.awk docs/machines.md > htmt-machine.5
#
# Reads the Markdown that the page uses: headings, paragraphs, lists with "*" and numbers, tables,
# fenced blocks, `code`, *emphasis*, **bold** and links.

# In a page, text that shall stay is taken out before the rest is marked up.
function roff(text,    out, code, at, length_of)
{
    gsub(/\\\|/, "|", text)
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        code = substr(text, RSTART + 1, RLENGTH - 1)
        at = index(code, "](")
        text = substr(text, 1, RSTART - 1) substr(code, 1, at - 1) substr(text, RSTART + RLENGTH)
    }
    out = ""
    while (match(text, /`[^`]*`/)) {
        at = RSTART
        length_of = RLENGTH
        out = out emphasis(substr(text, 1, at - 1)) \
              "\\fB" plain(substr(text, at + 1, length_of - 2)) "\\fR"
        text = substr(text, at + length_of)
    }
    out = out emphasis(text)
    return out ~ /^[.']/ ? "\\&" out : out
}

function plain(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

function emphasis(text)
{
    text = plain(text)
    while (match(text, /\*\*[^*]+\*\*/))
        text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 2, RLENGTH - 4) "\\fR" \
               substr(text, RSTART + RLENGTH)
    while (match(text, /\*[^* ][^*]*\*/))
        text = substr(text, 1, RSTART - 1) "\\fI" substr(text, RSTART + 1, RLENGTH - 2) "\\fR" \
               substr(text, RSTART + RLENGTH)
    return text
}

function end_table()
{
    row = 0
}

# The first cell is the tag; the others follow, each named by its head.
function print_row(    count, cell, i, text)
{
    text = $0
    sub(/^\| */, "", text)
    sub(/ *\|$/, "", text)
    count = split(text, cell, / *\| */)
    if (++row == 1) {
        for (i = 1; i <= count; i++)
            head[i] = cell[i]
        return
    }
    if (row == 2)
        return
    print ".TP"
    print roff(cell[1])
    for (i = 2; i <= count; i++)
        if (cell[i] != "")
            print (i < count && head[i] != "meaning" ? roff(head[i] ": " cell[i] ";") : roff(cell[i]))
}

BEGIN {
    print ".\\\" Made from docs/machines.md by emul/packaging/manual5.awk."
    print ".TH HTMT\\-MACHINE 5 \"\" \"htmt " version "\" \"File Formats\""
    print ".SH NAME"
    print "htmt\\-machine \\- machine files and cost files of the HTMT emulator"
    print ".SH DESCRIPTION"
}

END {
    print ".SH SEE ALSO"
    print ".BR htmt (1),"
    print ".BR htmt (3)"
}

/^```/ {
    print fenced ? ".fi\n.RE" : ".PP\n.RS 4\n.nf"
    fenced = !fenced
    next
}

fenced {
    print ($0 ~ /^[.']/ ? "\\&" : "") plain($0)
    next
}

/^<!--/ { next }
/^# /   { next }
# The list of sections is for readers of the Markdown.
/^\* \[/ { contents = 1; next }
contents && /^  / { next }
{ contents = 0 }

/^## / {
    end_table()
    print ".SH " toupper(roff(substr($0, 4)))
    next
}

/^\|/ {
    print_row()
    next
}

{ end_table() }

/^$/ {
    print ".PP"
    item = 0
    next
}

/^ *\* / {
    text = $0
    sub(/^ *\* /, "", text)
    print ".IP \\(bu 2"
    print roff(text)
    next
}

/^[0-9]+\. / {
    print ".IP " $1 " 4"
    sub(/^[0-9]+\. /, "")
    print roff($0)
    next
}

{
    sub(/^ +/, "")
    print roff($0)
}
