# SPDX-License-Identifier: BSD-3-Clause
#
# Rows of the structs, enumerations and types of public headers, from what readelf says of an object
# that includes them:
#   struct NAME SIZE bytes[, sized]    sized: it begins with its own size, and may grow at its end
#   struct NAME OFFSET TYPE MEMBER
#   enum NAME VALUE
#   type NAME TYPE

$1 ~ /^<[0-9]+><[0-9a-f]+>:$/ {
    split($1, part, /[<>]+/)
    depth = part[2]
    now = part[3]
    if ($NF == "0")
        next
    tag[now] = substr($NF, 9, length($NF) - 9)
    above[depth] = now
    if (depth > 1)
        below[above[depth - 1]] = below[above[depth - 1]] " " now
    else
        top[++count] = now
    next
}

$2 ~ /^DW_AT_/ {
    attribute = $2
    sub(/:$/, "", attribute)
    value = $0
    sub(/^[^:]*: */, "", value)
    if (attribute == "DW_AT_name") {
        sub(/^\([^)]*\): /, "", value)
        sub(/[ \t]+$/, "", value)
        name[now] = value
    } else if (attribute == "DW_AT_type") {
        gsub(/[<>]|0x/, "", value)
        type[now] = value
    } else if (attribute == "DW_AT_byte_size")
        size[now] = value + 0
    else if (attribute == "DW_AT_data_member_location")
        offset[now] = value + 0
    else if (attribute == "DW_AT_upper_bound")
        bound[now] = value + 1
    else if (attribute == "DW_AT_const_value")
        constant[now] = value + 0
}

# of_type(T): as C writes it; function pointers with their arguments.
function of_type(t,   base, each, n, i, list)
{
    if (t == "")
        return "void"
    base = type[t]
    if (tag[t] == "const_type")
        return tag[base] == "pointer_type" ? of_type(base) " const" : "const " of_type(base)
    if (tag[t] == "pointer_type")
        return of_type(base) " *"
    n = split(below[t], each, " ")
    list = ""
    if (tag[t] == "array_type") {
        for (i = 1; i <= n; i++)
            list = list "[" bound[each[i]] "]"
        return of_type(base) list
    }
    if (tag[t] == "subroutine_type") {
        for (i = 1; i <= n; i++)
            list = list (i > 1 ? ", " : "") \
                (tag[each[i]] == "unspecified_parameters" ? "..." : of_type(type[each[i]]))
        return of_type(base) "(" list ")"
    }
    sub(/ure_type$|_type$/, "", tag[t])
    if (tag[t] ~ /^(struct|union|enumeration)$/)
        return (tag[t] == "enumeration" ? "enum" : tag[t]) (t in name ? " " name[t] : "")
    return name[t]
}

# Members of a struct without a name are rows of the struct around it.
function rows(of, t, at, prefix,   each, n, i, m, inner)
{
    n = split(below[t], each, " ")
    for (i = 1; i <= n; i++) {
        m = each[i]
        inner = type[m]
        if (tag[m] != "member")
            continue
        if (tag[inner] ~ /^(struct|union)/ && !(inner in name))
            rows(of, inner, at + offset[m], prefix (m in name ? name[m] "." : ""))
        else
            print of, at + offset[m], of_type(inner), prefix name[m]
    }
}

function is_sized(t,   each)
{
    split(below[t], each, " ")
    return name[each[1]] == "size" || (name[each[1]] == "abi" && name[each[2]] == "size")
}

END {
    for (i = 1; i <= count; i++) {
        t = top[i]
        if (tag[t] == "enumeration_type") {
            n = split(below[t], each, " ")
            for (j = 1; j <= n; j++)
                if (name[each[j]] ~ /^HTMT_/)
                    print "enum", name[each[j]], constant[each[j]]
        } else if (name[t] ~ /^htmt_/ && tag[t] == "typedef") {
            print "type", name[t], of_type(type[t])
        } else if (name[t] ~ /^htmt_/ && tag[t] ~ /^(struct|union)/ && t in size) {
            print "struct", name[t], size[t], "bytes" (is_sized(t) ? ", sized" : "")
            rows("struct " name[t], t, 0, "")
        }
    }
}
