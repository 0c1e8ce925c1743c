# SPDX-License-Identifier: BSD-3-Clause
#
# htmt(3) from the public headers: an index of the functions, each with its declaration and the
# comment above it.
#
#     awk -v version=0.1.0 -f emul/packaging/manual3.awk HEADER... > htmt.3
#
# With -v list=1: the names of the functions alone, "NAME<tab>documented" or "NAME<tab>bare".
#
# A header is read in paragraphs, which blank lines part. A paragraph is a comment, then declarations;
# the comment holds for all of them. What begins with htmt__ is not public.

function roff(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/)
        text = "\\&" text
    return text
}

# The text of a comment without its frame.
function unframe(line)
{
    sub(/^\/\* ?/, "", line)
    sub(/ *\*\/ *$/, "", line)
    sub(/^ \* ?/, "", line)
    return line
}

function end_paragraph(    i, names)
{
    names = functions(code)
    if (names != "") {
        entries[++entry_count] = code
        comment_of[entry_count] = comment
        names_of[entry_count] = names
        documented[entry_count] = comment != "" || code ~ /\/\*/
        header_of[entry_count] = header
    }
    comment = code = ""
}

# "htmt_a htmt_b": what the code declares.
function functions(code,    text, names, name, depth, i, c, flat)
{
    flat = ""
    depth = 0
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
    for (i = 1; i <= length(code); i++) {
        c = substr(code, i, 1)
        if (c == "{") depth++
        if (depth == 0) flat = flat c
        if (c == "}" && --depth == 0) flat = flat ";"
    }
    gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "", flat)
    names = ""
    count = split(flat, part, ";")
    for (i = 1; i <= count; i++) {
        text = part[i]
        if (text ~ /typedef|#define/ || !match(text, /htmt_[a-z0-9][a-z0-9_]*\(/))
            continue
        name = substr(text, RSTART, RLENGTH - 1)
        if (name !~ /^htmt__/ && substr(text, 1, RSTART - 1) ~ /[a-z*] *\**$/)
            names = names (names == "" ? "" : " ") name
    }
    return names
}

FNR == 1 {
    if (header != "")
        end_paragraph()
    header = FILENAME
    heading = 1
    inside = depth = 0
    headers[++header_count] = header
}

# The comment at the top says what the header is for: its first paragraph.
heading {
    if ($0 ~ /\*\/ *$/) {
        heading = 0
        next
    }
    text = unframe($0)
    if (text ~ /^SPDX/)
        next
    if (text == "" && about[header] != "")
        told[header] = 1
    else if (text != "" && !told[header])
        about[header] = about[header] (about[header] == "" ? "" : " ") text
    next
}

/^#/ || /^extern "C"/ || (/^}$/ && depth == 0) {
    end_paragraph()
    while ($0 ~ /\\$/)
        if ((getline) <= 0)
            break
    next
}

/^ *$/ && !inside && depth == 0 {
    end_paragraph()
    next
}

/^\/\*/ && depth == 0 && code != "" {
    end_paragraph()
}

/^\/\*/ && depth == 0 {
    inside = 1
}

inside {
    comment = comment (comment == "" ? "" : "\n") unframe($0)
    if ($0 ~ /\*\//)
        inside = 0
    next
}

{
    line = $0
    depth += gsub(/{/, "{", line) - gsub(/}/, "}", line)
    code = code (code == "" ? "" : "\n") $0
    if (depth == 0 && line ~ /^}$/)
        end_paragraph()
}

# Bodies of inline functions, structs and attributes are left to the header.
function declarations(code,    out, depth, i, c, text, count, part)
{
    out = ""
    depth = 0
    gsub(/\n *__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "", code)
    for (i = 1; i <= length(code); i++) {
        c = substr(code, i, 1)
        if (c == "{") depth++
        if (depth == 0) out = out c
        if (c == "}" && --depth == 0) out = out ";"
    }
    count = split(out, part, ";")
    out = ""
    for (i = 1; i <= count; i++) {
        text = part[i]
        sub(/^[ \n]+/, "", text)
        sub(/[ \n]+$/, "", text)
        if (text ~ /htmt_[a-z0-9_]+\(/ && text !~ /typedef/)
            out = out text ";\n"
    }
    return out
}

function print_text(text,    line, count, i, plain)
{
    count = split(text, line, "\n")
    plain = 0
    for (i = 1; i <= count; i++) {
        if (line[i] ~ /^    / && !plain) {
            print ".nf"
            plain = 1
        } else if (line[i] !~ /^    / && plain) {
            print ".fi"
            plain = 0
        }
        if (line[i] == "")
            print ".sp"
        else
            print roff(line[i])
    }
    if (plain)
        print ".fi"
}

function print_entry(n)
{
    print ".PP"
    print ".nf"
    printf "%s", "\\fB" roff(declarations(entries[n]))
    print "\\fR\\c"
    print ".fi"
    print ".RS 4"
    print_text(comment_of[n])
    print ".RE"
}

END {
    end_paragraph()
    if (list) {
        for (n = 1; n <= entry_count; n++) {
            count = split(names_of[n], name, " ")
            for (i = 1; i <= count; i++)
                print name[i] "\t" (documented[n] ? "documented" : "bare")
        }
        exit
    }
    print ".\\\" Made from the public headers by emul/packaging/manual3.awk."
    print ".TH HTMT 3 \"\" \"htmt " version "\" \"Library Functions\""
    print ".SH NAME"
    print "htmt \\- parcels on an emulated processor\\-in\\-memory machine"
    print ".SH LIBRARY"
    print "libhtmt (\\-lhtmt)"
    print ".SH SYNOPSIS"
    print ".nf"
    print ".B #include <htmt.h>"
    print ".fi"
    print ".SH DESCRIPTION"
    print "The functions of each header, with the comment that stands above them there."
    print "The headers also describe the structs and constants."
    for (h = 1; h <= header_count; h++) {
        used = 0
        for (n = 1; n <= entry_count; n++) {
            if (header_of[n] != headers[h])
                continue
            if (!used++) {
                print ".SH " roff(toupper(headers[h]))
                print roff(about[headers[h]])
            }
            print_entry(n)
        }
    }
    print ".SH SEE ALSO"
    print ".BR htmt (1),"
    print ".BR htmt\\-machine (5)"
}
