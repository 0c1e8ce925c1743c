/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the statements of a Fortran program stand.
 *
 * gfortran's parse tree has no lines. Its statements stand in the order of the source, procedure by
 * procedure, so the source is split into statements once more, as far as telling them apart asks
 * for: continuation lines and comments of free and of fixed form, several statements in a line,
 * the beginning and end of procedures, and what kind of statement each is. Then both lists are
 * walked together. A `do` of the tree is the next `do` of the source with the same variable, an
 * `if` the next `if`; an assignment is the next one to the same variable, but not behind the next
 * `do` or `if`. What is in one list alone (a statement that gfortran made or left out) so costs at
 * most the lines of its neighbours.
 *
 * The names of modules that are used, and of constructs that `cycle` and `exit` leave, are found
 * here, too.
 */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_DEEPEST = 64 };

struct scan {
    struct htmt__fortran_source *source;
    size_t at;        /* in the text */
    const char *file; /* after the preprocessor */
    unsigned line;    /* of `at` */
    char *text;       /* of the statement: words with single blanks */
    size_t length, room;
    struct htmt__source_place place;
    size_t from, to;
    unsigned unit[UNITS_DEEPEST], deep, interfaces;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void put(struct scan *s, char c)
{
    if (c == ' ' && (!s->length || s->text[s->length - 1] == ' '))
        return;
    if (s->length + 2 > s->room) {
        char *old = s->text;
        s->room = s->room ? 2 * s->room : 256;
        s->text = htmt__source_alloc(s->room);
        if (old)
            memcpy(s->text, old, s->length);
    }
    s->text[s->length++] = (char)tolower((unsigned char)c);
    s->text[s->length] = '\0';
}

/* "# 12 "file"", which a preprocessor leaves: the number of the next line. */
static void take_marker(struct scan *s, const char *line)
{
    char *end;
    unsigned long number = strtoul(line + 1, &end, 10);
    if (end == line + 1 || *end != ' ' || end[1] != '"')
        return;
    size_t length = strcspn(end + 2, "\"\n");
    s->file = htmt__source_print("%.*s", (int)length, end + 2);
    s->line = (unsigned)number - 1; /* of the line behind this one */
}

/* Whether the line has nothing of a statement. */
static bool is_comment(const struct scan *s, const char *line)
{
    size_t blank = strspn(line, " \t\r");
    if (*line == '#' || !line[blank] || line[blank] == '\n')
        return true;
    if (s->source->is_fixed && strchr("cC*dD!", *line))
        return true;
    return line[blank] == '!' && !(s->source->is_fixed && blank == 5);
}

/* A line of fixed form that goes on with the statement before it. */
static bool continues(const char *line)
{
    size_t tab = strcspn(line, "\t\n");
    if (tab < 6 && line[tab] == '\t')
        return line[tab + 1] >= '1' && line[tab + 1] <= '9';
    for (size_t i = 0; i < 5; i++)
        if (line[i] != ' ')
            return false;
    return line[5] != ' ' && line[5] != '0' && line[5] != '\n' && line[5];
}

/* Adds a line's text; true: free form says that it goes on. `quote`: of a text that is open. */
static bool take_line(struct scan *s, const char *line, char *quote, bool first)
{
    size_t width = strcspn(line, "\n"), i = 0;
    if (s->source->is_fixed) {
        size_t tab = strcspn(line, "\t\n");
        width = width > 72 && tab >= 6 && !s->source->is_wide ? 72 : width;
        if (!first)
            i = tab < 6 ? tab + 2 : 6;
    } else if (!first) {
        i = strspn(line, " \t");
        i += line[i] == '&';
    }
    for (; i < width; i++) {
        char c = line[i];
        if (*quote) {
            size_t rest = i + 1 + strspn(line + i + 1, " \t\r");
            if (c == *quote) {
                *quote = '\0';
                put(s, '\'');
            } else if (c == '&' && !s->source->is_fixed && rest >= width) {
                return true;
            }
            continue;
        }
        if (c == '!')
            break;
        if (c == '\'' || c == '"') {
            *quote = c;
            put(s, '\'');
        } else if (c == '&' && !s->source->is_fixed) {
            return true;
        } else {
            put(s, c == '\t' || c == '\r' ? ' ' : c);
        }
    }
    return false;
}

static const char *line_at(const struct scan *s)
{
    return s->source->text + s->at;
}

static void next_line(struct scan *s)
{
    const char *line = line_at(s);
    if (*line == '#')
        take_marker(s, line);
    s->at += strcspn(line, "\n");
    s->at += s->source->text[s->at] == '\n';
    s->line++;
}

/* The next statement, with all its lines; false: there is none. */
static bool next_statement(struct scan *s)
{
    char quote = '\0';
    while (*line_at(s) && is_comment(s, line_at(s)))
        next_line(s);
    if (!*line_at(s))
        return false;
    size_t blank = strspn(line_at(s), " \t");
    s->place = (struct htmt__source_place){s->file, s->line, (unsigned)blank + 1};
    s->from = s->at;
    s->length = 0;
    bool more = take_line(s, line_at(s), &quote, true);
    next_line(s);
    s->to = s->at;
    while (*line_at(s)) {
        bool comment = is_comment(s, line_at(s));
        if (!comment && (s->source->is_fixed ? !continues(line_at(s)) : !more))
            return true;
        if (comment && !s->source->is_fixed && !more)
            return true;
        if (!comment)
            more = take_line(s, line_at(s), &quote, false);
        next_line(s);
        if (!comment)
            s->to = s->at;
    }
    return true;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

static const char *name_of(const char *text)
{
    return htmt__source_print("%.*s", (int)name_length(text), text);
}

static char *without_blanks(const char *text)
{
    char *copy = htmt__source_text(text), *to = copy;
    for (; *text; text++)
        if (*text != ' ')
            *to++ = *text;
    *to = '\0';
    return copy;
}

/* Behind the closing parenthesis of the one at the start. */
static const char *behind(const char *text)
{
    unsigned depth = 0;
    for (; *text; text++) {
        depth += *text == '(' ? 1u : *text == ')' ? -1u : 0;
        if (!depth)
            return text + 1;
    }
    return text;
}

/* The sign "=" of an assignment; NULL: the statement is none. */
static const char *assigns(const char *text)
{
    unsigned depth = 0;
    for (const char *c = text; *c; c++) {
        depth += *c == '(' ? 1u : *c == ')' ? -1u : 0;
        if (depth || (*c == ':' && c[1] == ':'))
            depth = depth ? depth : 1000000;
        else if (*c == '=' && c[1] != '=' && c > text && !strchr("=/<>", c[-1]))
            return c;
    }
    return NULL;
}

/* "do 10 i = 1, n", without blanks; NULL: it is no loop with a variable. */
static const char *counter_of(const char *text)
{
    const char *name = text + 2 + strspn(text + 2, "0123456789,"), *equal = assigns(text);
    unsigned depth = 0;
    if (!equal || equal != name + name_length(name))
        return NULL;
    for (const char *c = equal; *c; c++) {
        depth += *c == '(' ? 1u : *c == ')' ? -1u : 0;
        if (!depth && *c == ',')
            return name_of(name);
    }
    return NULL;
}

static struct htmt__fortran_line *add(struct scan *s, enum htmt__fortran_line_kind kind,
                                      const char *key, const char *text)
{
    struct htmt__fortran_source *source = s->source;
    source->line = htmt__source_room(source->line, source->lines, sizeof *source->line);
    struct htmt__fortran_line *line = &source->line[source->lines++];
    *line = (struct htmt__fortran_line){.kind = kind,
                                        .key = key,
                                        .text = text,
                                        .place = s->place,
                                        .from = s->from,
                                        .to = s->to,
                                        .unit = s->deep ? s->unit[s->deep - 1] : 0,
                                        .is_interface = s->interfaces > 0};
    return line;
}

static struct htmt__fortran_line *begin_unit(struct scan *s, const char *name, const char *text)
{
    unsigned parent = s->deep ? s->unit[s->deep - 1] : 0;
    if (s->deep == UNITS_DEEPEST)
        s->deep--;
    s->unit[s->deep++] = ++s->source->units;
    struct htmt__fortran_line *line = add(s, HTMT__LINE_BEGIN, name, text);
    line->parent = parent;
    return line;
}

/* "pure real(dp) function f(x)": the name of a procedure, program or module. */
static bool take_unit(struct scan *s, const char *words, const char *text)
{
    static const char *const heads[] = {"program ", "module ", "submodule ", "block data "};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (!begins(words, heads[i]) || (s->interfaces && i == 1))
            continue;
        const char *name = words + strlen(heads[i]);
        name = *name == '(' ? behind(name) : name;
        if (assigns(text) || begins(name, "procedure ") || begins(name, "subroutine ") ||
            begins(name, "function "))
            break;
        name += *name == ' ';
        begin_unit(s, name_of(name), text)->is_module = i == 1;
        return true;
    }
    for (const char *at = words; *at;) {
        bool function = begins(at, "function ");
        if (function || begins(at, "subroutine ")) {
            const char *name = at + (function ? 9 : 11);
            size_t length = name_length(name);
            const char *rest = name + length + (name[length] == ' ');
            if (!length || (*rest && *rest != '(' && !begins(rest, "bind")))
                return false;
            begin_unit(s, name_of(name), text);
            return true;
        }
        /* Words before it are types and attributes. */
        size_t length = name_length(at);
        if (!length)
            return false;
        at += length;
        at += *at == ' ';
        if (*at == '*')
            at += 1 + strspn(at + 1, " 0123456789");
        if (*at == '(')
            at = behind(at);
        at += *at == ' ';
    }
    return false;
}

static bool take_end(struct scan *s, const char *text)
{
    static const char *const words[] = {"endsubroutine", "endfunction",  "endprogram",  "endmodule",
                                        "endsubmodule",  "endblockdata", "endprocedure"};
    bool ends = strcmp(text, "end") == 0;
    if (begins(text, "endinterface")) {
        s->interfaces -= s->interfaces > 0;
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words && !ends; i++)
        ends = begins(text, words[i]) && !assigns(text);
    if (!ends)
        return false;
    add(s, HTMT__LINE_END, "", text);
    s->deep -= s->deep > 0;
    return true;
}

/* What is done, once labels and names before it are left out. */
static void take_action(struct scan *s, const char *text)
{
    static const char *const blocks[] = {"where(",      "elsewhere",  "forall(", "selectcase(",
                                         "selecttype(", "associate(", "block"};
    static const char *const transfers[] = {"read(", "read*", "write(", "print"};
    const char *equal = assigns(text), *counter = begins(text, "do") ? counter_of(text) : NULL;
    if (counter) {
        add(s, HTMT__LINE_DO, counter, text);
        return;
    }
    if ((begins(text, "if(") || begins(text, "elseif(")) && *behind(strchr(text, '(')) != '=') {
        const char *rest = behind(strchr(text, '('));
        add(s, HTMT__LINE_IF, "", text);
        if (!begins(rest, "then"))
            take_action(s, rest);
        return;
    }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (begins(text, blocks[i]) && (i < 6 || !text[5])) {
            add(s, HTMT__LINE_BLOCK, "", text);
            const char *rest =
                i < 3 && text[strlen(blocks[i]) - 1] == '(' ? behind(strchr(text, '(')) : "";
            if (assigns(rest))
                add(s, HTMT__LINE_ASSIGN, name_of(rest), rest);
            return;
        }
    if (equal) {
        add(s, HTMT__LINE_ASSIGN, name_of(text), text);
        return;
    }
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
        if (begins(text, transfers[i])) {
            add(s, HTMT__LINE_TRANSFER, "", text);
            return;
        }
    if (begins(text, "call"))
        add(s, HTMT__LINE_CALL, name_of(text + 4), text);
    else if (begins(text, "dowhile(") || begins(text, "doconcurrent(") ||
             (begins(text, "do") && !text[2 + strspn(text + 2, "0123456789")]))
        add(s, HTMT__LINE_DO, "", text);
    else if (begins(text, "cycle") || begins(text, "exit"))
        add(s, HTMT__LINE_LEAVE, htmt__source_text(text + (*text == 'c' ? 5 : 4)), text);
    else
        add(s, HTMT__LINE_OTHER, "", text);
}

static void take_statement(struct scan *s, char *words)
{
    words += strspn(words, " 0123456789");
    size_t last = strlen(words);
    while (last && words[last - 1] == ' ')
        words[--last] = '\0';
    const char *text = without_blanks(words);
    size_t length = name_length(text);
    if (!*text)
        return;
    if (length && text[length] == ':' && text[length + 1] != ':') /* the name of a construct */
        text += length + 1;
    if (take_end(s, text))
        return;
    if (begins(words, "interface") || begins(words, "abstract interface")) {
        s->interfaces += !assigns(text);
        return;
    }
    if (take_unit(s, words, text))
        return;
    if (!s->deep)
        begin_unit(s, "MAIN__", "");
    if (begins(words, "use ") || begins(words, "use:") || begins(words, "use,")) {
        const char *name = strstr(words, "::");
        name = name ? name + 2 : words + 4;
        name += strspn(name, " ");
        const char *equal = assigns(text); /* "=>" of a list of names is none */
        if (!begins(text, "use,intrinsic") && (!equal || equal[1] == '>'))
            add(s, HTMT__LINE_USE, name_of(name), text);
        return;
    }
    if (begins(text, "include'")) { /* its text is not kept */
        const char *line = s->source->text + s->from, *quote = strpbrk(line, "'\"\n");
        size_t named = quote ? strcspn(quote + 1, "'\"\n") : 0;
        if (named)
            add(s, HTMT__LINE_INCLUDE, htmt__source_print("%.*s", (int)named, quote + 1), text);
        return;
    }
    if (!s->interfaces)
        take_action(s, text);
}

void htmt__fortran_scan(struct htmt__fortran_source *source)
{
    struct scan s = {.source = source, .line = 1, .file = source->path};
    while (next_statement(&s)) {
        char *text = htmt__source_text(s.text ? s.text : ""), *end;
        for (char *at = text; at; at = end) {
            end = strchr(at, ';');
            if (end)
                *end++ = '\0';
            take_statement(&s, at);
        }
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

struct placing {
    const struct htmt__fortran_source *source;
    unsigned unit;
    size_t at;
};

/* The next statement of that kind in the unit; lines->lines: there is none. */
static size_t find(const struct placing *p, enum htmt__fortran_line_kind kind, const char *key)
{
    bool anchor = kind == HTMT__LINE_DO || kind == HTMT__LINE_IF || kind == HTMT__LINE_BLOCK;
    for (size_t i = p->at; i < p->source->lines; i++) {
        const struct htmt__fortran_line *l = &p->source->line[i];
        if (l->unit != p->unit || l->kind == HTMT__LINE_BEGIN)
            continue;
        if (l->kind == kind && (!key || strcmp(l->key, key) == 0))
            return i;
        if (!anchor && (l->kind == HTMT__LINE_DO || l->kind == HTMT__LINE_IF))
            break;
    }
    return p->source->lines;
}

/* The next statement that gfortran did not read, in whose place a call stands. */
static size_t find_lost(const struct placing *p)
{
    size_t i = p->at;
    while (i < p->source->lines &&
           (p->source->line[i].unit != p->unit || !p->source->line[i].is_lost))
        i++;
    return i;
}

static void place_all(struct placing *p, struct htmt__fortran_statement *s)
{
    static const enum htmt__fortran_line_kind kinds[] = {
        [HTMT__FORTRAN_ASSIGN] = HTMT__LINE_ASSIGN,  [HTMT__FORTRAN_POINT] = HTMT__LINE_ASSIGN,
        [HTMT__FORTRAN_INVOKE] = HTMT__LINE_CALL,    [HTMT__FORTRAN_DO] = HTMT__LINE_DO,
        [HTMT__FORTRAN_WHILE] = HTMT__LINE_DO,       [HTMT__FORTRAN_CONCURRENT] = HTMT__LINE_DO,
        [HTMT__FORTRAN_IF] = HTMT__LINE_IF,          [HTMT__FORTRAN_WHERE] = HTMT__LINE_BLOCK,
        [HTMT__FORTRAN_SELECT] = HTMT__LINE_BLOCK,   [HTMT__FORTRAN_BLOCK] = HTMT__LINE_BLOCK,
        [HTMT__FORTRAN_ALLOCATE] = HTMT__LINE_OTHER, [HTMT__FORTRAN_TRANSFER] = HTMT__LINE_TRANSFER,
        [HTMT__FORTRAN_EXIT] = HTMT__LINE_LEAVE,     [HTMT__FORTRAN_CYCLE] = HTMT__LINE_LEAVE,
        [HTMT__FORTRAN_UNREAD] = HTMT__LINE_OTHER};
    for (; s; s = s->next) {
        enum htmt__fortran_line_kind kind = s->kind < sizeof kinds / sizeof *kinds && kinds[s->kind]
                                                ? kinds[s->kind]
                                                : HTMT__LINE_OTHER;
        bool named = s->kind == HTMT__FORTRAN_ASSIGN || s->kind == HTMT__FORTRAN_POINT ||
                     s->kind == HTMT__FORTRAN_DO;
        const char *key = named && s->expression->name ? s->expression->name : NULL;
        if (s->kind == HTMT__FORTRAN_UNREAD && s->body)
            kind = HTMT__LINE_BLOCK;
        if (s->kind == HTMT__FORTRAN_WHILE)
            key = "";
        size_t at = find(p, kind, key);
        if (at == p->source->lines && s->kind == HTMT__FORTRAN_CONCURRENT)
            at = find(p, HTMT__LINE_BLOCK, NULL);
        if (s->kind == HTMT__FORTRAN_INVOKE && strcmp(s->name, HTMT__FORTRAN_LOST) == 0) {
            at = find_lost(p);
            s->kind = HTMT__FORTRAN_UNREAD;
            s->name = at < p->source->lines ? p->source->line[at].error : "a statement";
        }
        if (at < p->source->lines) {
            p->at = at + 1;
            if (kind == HTMT__LINE_LEAVE && *p->source->line[at].key)
                s->name = p->source->line[at].key;
            s->place = p->source->line[at].place;
        } else if (p->at) {
            s->place = p->source->line[p->at - 1].place;
        }
        place_all(p, s->body);
        place_all(p, s->other);
    }
}

static bool is_unit(const struct htmt__fortran_source *source, const struct htmt__fortran_line *l,
                    const struct htmt__fortran_space *space)
{
    if (l->kind != HTMT__LINE_BEGIN || l->is_interface || strcmp(l->key, space->name))
        return false;
    const char *around = "";
    for (size_t i = 0; i < source->lines && l->parent; i++)
        if (source->line[i].kind == HTMT__LINE_BEGIN && source->line[i].unit == l->parent)
            around = source->line[i].key;
    return strcmp(around, space->parent ? space->parent->name : "") == 0;
}

void htmt__fortran_place(struct htmt__fortran_tree *tree,
                         const struct htmt__fortran_source *sources, unsigned count)
{
    for (struct htmt__fortran_space *s = tree->spaces; s; s = s->next) {
        s->place = (struct htmt__source_place){count ? sources->path : "", 1, 1};
        for (unsigned n = 0; n < count; n++)
            for (size_t i = 0; i < sources[n].lines; i++)
                if (is_unit(&sources[n], &sources[n].line[i], s)) {
                    struct placing p = {&sources[n], sources[n].line[i].unit, i + 1};
                    s->place = sources[n].line[i].place;
                    place_all(&p, s->code);
                    n = count - 1;
                    break;
                }
    }
}
