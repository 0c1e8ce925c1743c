# From readelf -W -S -s -r of objects: OBJECT VARIABLE SYMBOL, for each variable and each symbol whose
# address is among its initial values, if it may be a function: "." for one of the object itself, the
# name for one of another object.

function number(hex,    i, value) {
    value = 0
    for (i = 1; i <= length(hex); i++)
        value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return value
}

# The variable of a section in which an address lies.
function variable(section, address,    i, part) {
    for (i = 1; i <= symbols; i++) {
        split(symbol[i], part, " ")
        if (part[3] == section && address >= number(part[1]) && address < number(part[1]) + part[2])
            return part[4]
    }
    return ""
}

function report(    i, part, name) {
    for (i = 1; i <= relocations; i++) {
        split(relocation[i], part, " ")
        # The target of a switch is code as well, but lies in no variable.
        if (part[3] ~ /^\.text/ || part[3] in code || part[3] in other) {
            name = variable(number_of[part[1]], number(part[2]))
            if (name == "" && part[1] ~ /^\.rodata/)
                continue
            sub(/\.[0-9]+$/, "", name)
            print object, name == "" ? "(nameless)" : name, part[3] in other ? part[3] : "."
        }
    }
    relocations = symbols = 0
    split("", number_of)
    split("", code)
    split("", other)
}

/^File: / {
    report()
    object = $2
}

/^ *\[ *[0-9]+\] / {
    line = $0
    sub(/^ *\[ */, "", line)
    split(line, part, /[] ]+/)
    number_of[part[2]] = part[1]
}

/^Relocation section / {
    section = $3
    gsub(/\047/, "", section)
    sub(/^\.rela?/, "", section)
}

/^[0-9a-f]+ +[0-9a-f]+ +R_/ && section ~ /^\.(data|rodata|tdata)/ {
    relocation[++relocations] = section " " $1 " " $5
}

$4 == "OBJECT" && $7 != "UND" {
    symbol[++symbols] = $2 " " $3 " " $7 " " $8
}

$4 == "FUNC" || $4 == "IFUNC" {
    code[$8] = 1
}

$4 == "NOTYPE" && $7 == "UND" && $8 != "" {
    other[$8] = 1
}

END {
    report()
}
