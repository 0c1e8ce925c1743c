/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libclang gives a file as cursors, a node of its tree each, and calls back for the children of
 * one. Here they become the smaller tree of syntax.h: the walk over loops asks what is computed and
 * where it lies in memory, so parentheses, attributes and conversions that change no value fall
 * away, each literal and sizeof becomes the number that it is, and a name leads to its declaration.
 *
 *     for (int i = 0; i < (n); i++)        FOR: BLOCK (DECLARE i: WHOLE 0)
 *         y[i] += a * x[i];                     BINARY LT (NAME i, NAME n)
 *                                               UNARY INCREMENT (NAME i)
 *                                               ASSIGN ADD (SUBSCRIPT (NAME y, NAME i),
 *                                                           BINARY MUL (NAME a, SUBSCRIPT ...))
 *
 * Declarations are one object each, however often they are named, since the walk keeps their values
 * there. Within a file the canonical cursor finds them; a name with external linkage finds those
 * that files share, so that a call in one file reaches the body in another. What the walk cannot
 * follow becomes a node of kind OTHER that says what it is, and only refuses a loop that needs it.
 *
 * Recursion is as deep as the source nests. main() gives it a large stack, and DEEPEST ends it
 * before that is used up.
 */
#include "emul/tools/analyze/parse.h"

#include "emul/tools/analyze/memory.h"

#include <clang-c/Index.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 14, DEEPEST = 20000 };

/* A declaration of this file. */
struct known {
    CXCursor cursor;
    struct htmt__declaration *declaration;
    struct known *next;
};

struct reading {
    struct htmt__parse *parse;
    CXFile file; /* the last one, and its name */
    const char *name;
    struct htmt__source_place place; /* of the last node that has its own */
    unsigned depth;
    bool too_deep;
    struct known *bucket[BUCKETS];
};

/* Children of a cursor become those of a node. */
struct list {
    struct reading *reading;
    struct htmt__syntax **end;
};

static struct htmt__syntax *read_node(struct reading *r, CXCursor cursor);
static struct htmt__declaration *declaration_of(struct reading *r, CXCursor cursor);

static const char *text_of(CXString string)
{
    const char *text = htmt__source_text(clang_getCString(string) ? clang_getCString(string) : "");
    clang_disposeString(string);
    return text;
}

static struct htmt__source_place place_of(struct reading *r, CXCursor cursor)
{
    CXFile file;
    struct htmt__source_place place = {.file = r->name};
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &place.line, &place.column,
                               NULL);
    if (file && file != r->file) {
        r->file = file;
        place.file = r->name = text_of(clang_getFileName(file));
    }
    return place;
}

/* ---- types ----------------------------------------------------------------------------------- */

static enum htmt__syntax_type type_of(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(clang_getNonReferenceType(type)).kind;
    if (kind >= CXType_Bool && kind <= CXType_Int128)
        return HTMT__TYPE_WHOLE;
    if (kind == CXType_Enum)
        return HTMT__TYPE_WHOLE;
    if (kind >= CXType_Float && kind <= CXType_LongDouble)
        return HTMT__TYPE_REAL;
    return kind == CXType_Pointer || kind == CXType_ConstantArray || kind == CXType_VariableArray ||
                   kind == CXType_IncompleteArray
               ? HTMT__TYPE_POINTER
               : HTMT__TYPE_OTHER;
}

static bool is_array(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_ConstantArray || kind == CXType_VariableArray;
}

/* What an array has, or where a pointer leads to; invalid: neither. */
static CXType inside_of(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    return t.kind == CXType_Pointer ? clang_getPointeeType(t) : clang_getArrayElementType(t);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* What all files know by one key: in C its name, in C++ with the types of parameters. */
static struct htmt__declaration *shared(struct htmt__parse *p, const char *key)
{
    unsigned hash = 5381;
    for (const char *c = key; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    if (!p->declaration)
        p->declaration = htmt__source_alloc(BUCKETS * sizeof(struct htmt__declaration *));
    struct htmt__declaration **bucket = &p->declaration[hash % BUCKETS], *d = *bucket;
    for (; d; d = d->same_bucket)
        if (strcmp(d->key, key) == 0)
            return d;
    d = htmt__source_alloc(sizeof *d);
    d->key = key;
    d->same_bucket = *bucket;
    *bucket = d;
    return d;
}

/* Sizes of arrays are children beside the initializer, innermost first. */
struct sizes {
    struct reading *reading;
    CXCursor starts;
    struct htmt__syntax *size[HTMT__EXTENTS_MAX];
    unsigned count;
};

static enum CXChildVisitResult take_size(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct sizes *s = data;
    (void)parent;
    if (clang_isExpression(clang_getCursorKind(cursor)) && !clang_equalCursors(cursor, s->starts) &&
        s->count < HTMT__EXTENTS_MAX)
        s->size[s->count++] = read_node(s->reading, cursor);
    return CXChildVisit_Continue;
}

/* Outermost first. C writes "double a[4][8]", whose size expressions are children of the cursor,
 * innermost first; levels without one, such as the first of "double (*a)[8]", have no extent. A
 * parameter that is written as an array is a pointer: its size is left over, and is that of its
 * first level. */
static void read_extents(struct reading *r, struct htmt__declaration *d, CXCursor cursor)
{
    struct sizes s = {.reading = r, .starts = clang_Cursor_getVarDeclInitializer(cursor)};
    unsigned levels = 0, arrays = 0;
    clang_visitChildren(cursor, take_size, &s);
    d->extent = htmt__source_alloc(HTMT__EXTENTS_MAX * sizeof(struct htmt__syntax *));
    for (CXType t = clang_getCursorType(cursor);
         inside_of(t).kind != CXType_Invalid && levels < HTMT__EXTENTS_MAX; t = inside_of(t))
        levels++, arrays += is_array(t);
    unsigned next = s.count;
    d->extents = levels;
    CXType t = clang_getCursorType(cursor);
    for (unsigned i = 0; i < levels; i++, t = inside_of(t))
        if (next && (is_array(t) || (!i && s.count > arrays)))
            d->extent[i] = s.size[--next];
}

static void read_variable(struct reading *r, struct htmt__declaration *d, CXCursor cursor)
{
    CXType type = clang_getNonReferenceType(clang_getCursorType(cursor)), inside = inside_of(type);
    d->type = type_of(type);
    d->is_array = is_array(type);
    d->is_constant = clang_isConstQualifiedType(clang_getCanonicalType(type)) != 0;
    for (; inside.kind != CXType_Invalid; type = inside, inside = inside_of(type))
        d->points_to_constant = clang_isConstQualifiedType(inside) != 0;
    long long bytes = clang_Type_getSizeOf(type);
    d->element = type_of(type);
    d->element_bytes = bytes > 0 ? (unsigned)bytes : 8;
    if (d->type == HTMT__TYPE_POINTER)
        read_extents(r, d, cursor);
    CXCursor whole = clang_getCursorDefinition(cursor); /* a header may have declared it before */
    CXCursor starts =
        clang_Cursor_getVarDeclInitializer(clang_Cursor_isNull(whole) ? cursor : whole);
    const bool table = d->is_array && d->element == HTMT__TYPE_WHOLE;
    if (d->is_constant && (d->type != HTMT__TYPE_POINTER || table) && !clang_Cursor_isNull(starts))
        d->starts = read_node(r, starts);
}

static void read_parameters(struct reading *r, struct htmt__declaration *d, CXCursor cursor)
{
    int count = clang_Cursor_getNumArguments(cursor);
    d->is_function = true;
    d->returns_value = clang_getCursorResultType(cursor).kind != CXType_Void;
    d->parameters = count > 0 ? (unsigned)count : 0;
    d->parameter = htmt__source_alloc((d->parameters + 1) * sizeof(struct htmt__declaration *));
    for (unsigned i = 0; i < d->parameters; i++) {
        d->parameter[i] = declaration_of(r, clang_Cursor_getArgument(cursor, i));
        d->parameter[i]->is_parameter = true;
    }
}

static struct htmt__declaration *declaration_of(struct reading *r, CXCursor cursor)
{
    cursor = clang_getCanonicalCursor(cursor);
    struct known **bucket = &r->bucket[clang_hashCursor(cursor) % BUCKETS], *k = *bucket;
    for (; k; k = k->next)
        if (clang_equalCursors(k->cursor, cursor))
            return k->declaration;
    const char *name = text_of(clang_getCursorSpelling(cursor));
    enum CXLinkageKind linkage = clang_getCursorLinkage(cursor);
    bool external = linkage == CXLinkage_External || linkage == CXLinkage_UniqueExternal;
    struct htmt__declaration *d = external ? shared(r->parse, text_of(clang_getCursorUSR(cursor)))
                                           : htmt__source_alloc(sizeof *d);
    d->name = name;
    if (!d->place.file)
        d->place = place_of(r, cursor);
    d->is_static = linkage == CXLinkage_Internal;
    d->is_local = linkage == CXLinkage_NoLinkage;
    /* It is known before what it names is read, which may name it. */
    k = htmt__source_alloc(sizeof *k);
    *k = (struct known){cursor, d, *bucket};
    *bucket = k;
    /* Another file may have the body, and its names of the parameters. */
    if (d->body)
        return d;
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl)
        read_parameters(r, d, cursor);
    else
        read_variable(r, d, cursor);
    return d;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static enum CXChildVisitResult take_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct list *list = data;
    (void)parent;
    struct htmt__syntax *node = read_node(list->reading, cursor);
    if (!node)
        return CXChildVisit_Continue;
    *list->end = node;
    list->end = &node->next;
    return CXChildVisit_Continue;
}

/* Names, numbers and arithmetic are where the expression around them begins. */
static struct htmt__syntax *make_node(struct reading *r, CXCursor cursor,
                                      enum htmt__syntax_kind kind)
{
    struct htmt__syntax *node = htmt__source_alloc(sizeof *node);
    bool has_place = kind != HTMT__SYNTAX_WHOLE && kind != HTMT__SYNTAX_REAL &&
                     kind != HTMT__SYNTAX_NAME && kind != HTMT__SYNTAX_BINARY;
    node->kind = kind;
    node->place = r->place = has_place || !r->place.line ? place_of(r, cursor) : r->place;
    if (!clang_isExpression(clang_getCursorKind(cursor)) || kind == HTMT__SYNTAX_WHOLE ||
        kind == HTMT__SYNTAX_NAME)
        return node;
    CXType type = clang_getCursorType(cursor);
    node->type = type_of(type);
    if (kind != HTMT__SYNTAX_BINARY &&
        (node->type == HTMT__TYPE_WHOLE || node->type == HTMT__TYPE_REAL))
        node->bytes = (unsigned)clang_Type_getSizeOf(type) & 0xff;
    return node;
}

static struct htmt__syntax *make_other(struct reading *r, CXCursor cursor, const char *name)
{
    struct htmt__syntax *node = make_node(r, cursor, HTMT__SYNTAX_OTHER);
    node->name = name;
    return node;
}

/* A node with all children of the cursor. */
static struct htmt__syntax *read_parent(struct reading *r, CXCursor cursor,
                                        enum htmt__syntax_kind kind, const char *name)
{
    struct htmt__syntax *node = make_node(r, cursor, kind);
    clang_visitChildren(cursor, take_child, &(struct list){r, &node->child});
    node->name = name;
    return node;
}

/* The last child in its place: of parentheses, casts, attributes. */
static struct htmt__syntax *read_through(struct reading *r, CXCursor cursor)
{
    struct htmt__syntax *first = NULL, *last;
    struct list list = {r, &first};
    clang_visitChildren(cursor, take_child, &list);
    for (last = first; last && last->next; last = last->next)
        continue;
    return last ? last : make_other(r, cursor, "an expression of a kind that is not read");
}

static struct htmt__syntax *read_cast(struct reading *r, CXCursor cursor)
{
    struct htmt__syntax *inside = read_through(r, cursor);
    if (type_of(clang_getCursorType(cursor)) != HTMT__TYPE_WHOLE || inside->type != HTMT__TYPE_REAL)
        return inside;
    struct htmt__syntax *node = make_node(r, cursor, HTMT__SYNTAX_CAST);
    node->child = inside;
    inside->next = NULL;
    return node;
}

/* Only of what has no operands worth a walk. */
static struct htmt__syntax *read_whole(struct reading *r, CXCursor cursor)
{
    struct htmt__syntax *node = make_node(r, cursor, HTMT__SYNTAX_WHOLE);
    CXEvalResult value = clang_Cursor_Evaluate(cursor);
    node->type = HTMT__TYPE_WHOLE;
    node->whole = value ? clang_EvalResult_getAsLongLong(value) : 0;
    clang_EvalResult_dispose(value);
    return value ? node : make_other(r, cursor, "a whole number that is not known");
}

/* A member and where it lies in its struct. */
static struct htmt__syntax *read_member(struct reading *r, CXCursor cursor)
{
    CXCursor field = clang_getCursorReferenced(cursor);
    CXCursor parent = clang_getCursorSemanticParent(field);
    if (clang_getCursorKind(parent) == CXCursor_UnionDecl)
        return make_other(r, cursor, "a member of a union");
    struct htmt__syntax *node =
        read_parent(r, cursor, HTMT__SYNTAX_MEMBER, text_of(clang_getCursorSpelling(cursor)));
    const long long bits = clang_Cursor_getOffsetOfField(field),
                    bytes = clang_Type_getSizeOf(clang_getCursorType(parent));
    const bool inside = clang_getCanonicalType(clang_getCursorType(field)).kind != CXType_Pointer;
    if (inside && bits >= 0 && bits % 8 == 0 && bytes > 0 && bytes <= UINT32_MAX) {
        node->record = (uint32_t)bytes;
        node->whole = bits / 8;
    }
    return node;
}

static struct htmt__syntax *read_name(struct reading *r, CXCursor cursor)
{
    CXCursor to = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(to);
    struct htmt__syntax *node = make_node(r, cursor, HTMT__SYNTAX_NAME);
    if (kind == CXCursor_EnumConstantDecl) {
        node->kind = HTMT__SYNTAX_WHOLE;
        node->type = HTMT__TYPE_WHOLE;
        node->whole = clang_getEnumConstantDeclValue(to);
    } else if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl ||
               kind == CXCursor_FunctionDecl) {
        node->declaration = declaration_of(r, to);
        node->type = node->declaration->type;
    } else {
        node->kind = HTMT__SYNTAX_OTHER;
        node->name = "a name of a kind that is not read";
    }
    return node;
}

static struct htmt__syntax *read_call(struct reading *r, CXCursor cursor)
{
    struct htmt__syntax *node = make_node(r, cursor, HTMT__SYNTAX_CALL), **end = &node->child;
    CXCursor to = clang_getCursorReferenced(cursor);
    int count = clang_Cursor_getNumArguments(cursor);
    node->name = text_of(clang_getCursorSpelling(cursor));
    if (clang_getCursorKind(to) == CXCursor_FunctionDecl)
        node->declaration = declaration_of(r, to);
    for (int i = 0; i < count; i++) {
        *end = read_node(r, clang_Cursor_getArgument(cursor, (unsigned)i));
        end = &(*end)->next;
    }
    return node;
}

/* ---- structs that are copied ------------------------------------------------------------------
 */

/* "a[i] = b[i]" of structs is "a[i].re = b[i].re, a[i].im = b[i].im": each member by itself, since
 * members are arrays of their own in a nest file. Members that are arrays, or of a union, stay
 * what cannot be read. */
struct copying {
    const struct htmt__syntax *to, *from;
    long long bytes;             /* of the struct */
    struct htmt__syntax *copies; /* NULL: none yet */
    bool fails;
};

/* Naming the place twice does the same as naming it once. */
static bool is_plain(const struct htmt__syntax *s)
{
    bool plain = s->kind == HTMT__SYNTAX_NAME || s->kind == HTMT__SYNTAX_WHOLE ||
                 s->kind == HTMT__SYNTAX_SUBSCRIPT || s->kind == HTMT__SYNTAX_MEMBER ||
                 s->kind == HTMT__SYNTAX_BINARY || s->kind == HTMT__SYNTAX_CONDITIONAL ||
                 (s->kind == HTMT__SYNTAX_UNARY && s->op != HTMT__OP_INCREMENT &&
                  s->op != HTMT__OP_DECREMENT);
    for (const struct htmt__syntax *c = s->child; c && plain; c = c->next)
        plain = is_plain(c);
    return plain;
}

static struct htmt__syntax *make_like(const struct htmt__syntax *s, enum htmt__syntax_kind kind,
                                      struct htmt__syntax *first, struct htmt__syntax *second)
{
    struct htmt__syntax *own = htmt__source_alloc(sizeof *own);
    *own = (struct htmt__syntax){.kind = kind, .place = s->place, .child = first};
    if (first)
        first->next = second;
    return own;
}

static struct htmt__syntax *member_of(const struct copying *c, const struct htmt__syntax *of,
                                      CXCursor field)
{
    const CXType type = clang_getCursorType(field);
    struct htmt__syntax *inside = make_like(of, of->kind, NULL, NULL);
    *inside = *of;
    inside->next = NULL;
    struct htmt__syntax *own = make_like(of, HTMT__SYNTAX_MEMBER, inside, NULL);
    own->name = text_of(clang_getCursorSpelling(field));
    own->type = type_of(type);
    own->bytes = (unsigned)clang_Type_getSizeOf(type) & 0xff;
    own->record = (uint32_t)c->bytes;
    own->whole = clang_Cursor_getOffsetOfField(field) / 8;
    return own;
}

static enum CXVisitorResult copy_member(CXCursor field, CXClientData data)
{
    struct copying *c = data;
    const CXType type = clang_getCanonicalType(clang_getCursorType(field));
    struct htmt__syntax *to = member_of(c, c->to, field), *from = member_of(c, c->from, field);
    if (type.kind == CXType_Record) {
        struct copying in = *c;
        in.to = to;
        in.from = from;
        in.bytes = clang_Type_getSizeOf(type);
        clang_Type_visitFields(type, copy_member, &in);
        c->copies = in.copies;
        c->fails |= in.fails;
        return CXVisit_Continue;
    }
    c->fails |= to->type != HTMT__TYPE_WHOLE && to->type != HTMT__TYPE_REAL;
    c->fails |= clang_Cursor_isBitField(field) || !*to->name;
    struct htmt__syntax *one = make_like(c->to, HTMT__SYNTAX_ASSIGN, to, from);
    one->type = to->type;
    one->bytes = to->bytes;
    if (c->copies) {
        one = make_like(c->to, HTMT__SYNTAX_BINARY, c->copies, one);
        one->op = HTMT__OP_COMMA;
    }
    c->copies = one;
    return CXVisit_Continue;
}

/* NULL: it is no struct that is copied from a place. */
static struct htmt__syntax *copied(CXType type, const struct htmt__syntax *to,
                                   const struct htmt__syntax *from)
{
    struct copying c = {.to = to, .from = from, .bytes = clang_Type_getSizeOf(type)};
    type = clang_getCanonicalType(type);
    if (type.kind != CXType_Record || !from || !is_plain(to) || !is_plain(from) ||
        clang_getCursorKind(clang_getTypeDeclaration(type)) != CXCursor_StructDecl || c.bytes <= 0)
        return NULL;
    clang_Type_visitFields(type, copy_member, &c);
    return c.fails ? NULL : c.copies;
}

static struct htmt__syntax *read_binary(struct reading *r, CXCursor cursor)
{
    static const unsigned char ops[] = {
        [CXBinaryOperator_Mul] = HTMT__OP_MUL,        [CXBinaryOperator_Div] = HTMT__OP_DIV,
        [CXBinaryOperator_Rem] = HTMT__OP_REM,        [CXBinaryOperator_Add] = HTMT__OP_ADD,
        [CXBinaryOperator_Sub] = HTMT__OP_SUB,        [CXBinaryOperator_Shl] = HTMT__OP_SHL,
        [CXBinaryOperator_Shr] = HTMT__OP_SHR,        [CXBinaryOperator_LT] = HTMT__OP_LT,
        [CXBinaryOperator_GT] = HTMT__OP_GT,          [CXBinaryOperator_LE] = HTMT__OP_LE,
        [CXBinaryOperator_GE] = HTMT__OP_GE,          [CXBinaryOperator_EQ] = HTMT__OP_EQ,
        [CXBinaryOperator_NE] = HTMT__OP_NE,          [CXBinaryOperator_And] = HTMT__OP_BITS,
        [CXBinaryOperator_Xor] = HTMT__OP_BITS,       [CXBinaryOperator_Or] = HTMT__OP_BITS,
        [CXBinaryOperator_LAnd] = HTMT__OP_AND,       [CXBinaryOperator_LOr] = HTMT__OP_OR,
        [CXBinaryOperator_MulAssign] = HTMT__OP_MUL,  [CXBinaryOperator_DivAssign] = HTMT__OP_DIV,
        [CXBinaryOperator_RemAssign] = HTMT__OP_REM,  [CXBinaryOperator_AddAssign] = HTMT__OP_ADD,
        [CXBinaryOperator_SubAssign] = HTMT__OP_SUB,  [CXBinaryOperator_ShlAssign] = HTMT__OP_SHL,
        [CXBinaryOperator_ShrAssign] = HTMT__OP_SHR,  [CXBinaryOperator_AndAssign] = HTMT__OP_BITS,
        [CXBinaryOperator_XorAssign] = HTMT__OP_BITS, [CXBinaryOperator_OrAssign] = HTMT__OP_BITS,
        [CXBinaryOperator_Comma] = HTMT__OP_COMMA};
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    struct htmt__syntax *node = read_parent(r, cursor, HTMT__SYNTAX_BINARY, NULL);
    node->op = (unsigned)kind < sizeof ops ? ops[kind] : HTMT__OP_NONE;
    struct htmt__syntax *members =
        kind == CXBinaryOperator_Assign && node->child
            ? copied(clang_getCursorType(cursor), node->child, node->child->next)
            : NULL;
    if (members)
        return members;
    /* "i & 3" of what is not negative. */
    struct htmt__syntax *mask = node->child ? node->child->next : NULL;
    if (kind == CXBinaryOperator_And && mask && mask->kind == HTMT__SYNTAX_WHOLE &&
        mask->whole > 0 && !(mask->whole & (mask->whole + 1))) {
        node->op = HTMT__OP_REM;
        mask->whole++;
    }
    if (kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign)
        node->kind = HTMT__SYNTAX_ASSIGN;
    return node;
}

static struct htmt__syntax *read_unary(struct reading *r, CXCursor cursor)
{
    static const unsigned char ops[] = {[CXUnaryOperator_PostInc] = HTMT__OP_INCREMENT,
                                        [CXUnaryOperator_PostDec] = HTMT__OP_DECREMENT,
                                        [CXUnaryOperator_PreInc] = HTMT__OP_INCREMENT,
                                        [CXUnaryOperator_PreDec] = HTMT__OP_DECREMENT,
                                        [CXUnaryOperator_AddrOf] = HTMT__OP_ADDRESS,
                                        [CXUnaryOperator_Deref] = HTMT__OP_DEREFERENCE,
                                        [CXUnaryOperator_Plus] = HTMT__OP_PLUS,
                                        [CXUnaryOperator_Minus] = HTMT__OP_MINUS,
                                        [CXUnaryOperator_Not] = HTMT__OP_NOT,
                                        [CXUnaryOperator_LNot] = HTMT__OP_NOT,
                                        [CXUnaryOperator_Extension] = HTMT__OP_PLUS};
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    struct htmt__syntax *node = read_parent(r, cursor, HTMT__SYNTAX_UNARY, NULL);
    node->is_post = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
    node->op = (unsigned)kind < sizeof ops ? ops[kind] : HTMT__OP_NONE;
    return node;
}

static struct htmt__syntax *read_statement(struct reading *r, CXCursor cursor)
{
    static const struct {
        enum CXCursorKind of;
        enum htmt__syntax_kind kind;
        const char *name;
    } kinds[] = {{CXCursor_CompoundStmt, HTMT__SYNTAX_BLOCK, NULL},
                 {CXCursor_DeclStmt, HTMT__SYNTAX_BLOCK, NULL},
                 {CXCursor_ForStmt, HTMT__SYNTAX_FOR, NULL},
                 {CXCursor_IfStmt, HTMT__SYNTAX_IF, NULL},
                 {CXCursor_ReturnStmt, HTMT__SYNTAX_RETURN, NULL},
                 {CXCursor_NullStmt, HTMT__SYNTAX_EMPTY, NULL},
                 {CXCursor_WhileStmt, HTMT__SYNTAX_PASSES, "while"},
                 {CXCursor_DoStmt, HTMT__SYNTAX_PASSES, "do"},
                 {CXCursor_GotoStmt, HTMT__SYNTAX_JUMP, "goto"},
                 {CXCursor_IndirectGotoStmt, HTMT__SYNTAX_JUMP, "goto"},
                 {CXCursor_BreakStmt, HTMT__SYNTAX_JUMP, "break"},
                 {CXCursor_ContinueStmt, HTMT__SYNTAX_JUMP, "continue"},
                 {CXCursor_LabelStmt, HTMT__SYNTAX_LABEL, "a label"},
                 {CXCursor_CXXForRangeStmt, HTMT__SYNTAX_FOR, "a loop over a range"},
                 {CXCursor_SwitchStmt, HTMT__SYNTAX_OTHER, "switch"},
                 {CXCursor_CaseStmt, HTMT__SYNTAX_OTHER, "case"},
                 {CXCursor_DefaultStmt, HTMT__SYNTAX_OTHER, "default"}};
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_UnexposedStmt)
        return read_through(r, cursor);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].of == kind) {
            struct htmt__syntax *node = read_parent(r, cursor, kinds[i].kind, kinds[i].name);
            htmt__form(node);
            return node;
        }
    return read_parent(r, cursor, HTMT__SYNTAX_OTHER, "a statement of a kind that is not read");
}

static struct htmt__syntax *read_expression(struct reading *r, CXCursor cursor)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_UnaryExpr:
    case CXCursor_CXXBoolLiteralExpr:
        return read_whole(r, cursor);
    case CXCursor_FloatingLiteral:
        return make_node(r, cursor, HTMT__SYNTAX_REAL);
    case CXCursor_StringLiteral:
        return make_node(r, cursor, HTMT__SYNTAX_LIST);
    case CXCursor_DeclRefExpr:
        return read_name(r, cursor);
    case CXCursor_MemberRefExpr:
        return read_member(r, cursor);
    case CXCursor_CallExpr:
        return read_call(r, cursor);
    case CXCursor_ArraySubscriptExpr:
        return read_parent(r, cursor, HTMT__SYNTAX_SUBSCRIPT, NULL);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return read_binary(r, cursor);
    case CXCursor_UnaryOperator:
        return read_unary(r, cursor);
    case CXCursor_ConditionalOperator:
        return read_parent(r, cursor, HTMT__SYNTAX_CONDITIONAL, NULL);
    case CXCursor_InitListExpr:
        return read_parent(r, cursor, HTMT__SYNTAX_LIST, NULL);
    case CXCursor_CStyleCastExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        return read_cast(r, cursor);
    case CXCursor_ParenExpr:
    case CXCursor_CompoundLiteralExpr:
        return read_through(r, cursor);
    default:
        return make_other(r, cursor, "an expression of a kind that is not read");
    }
}

/* NULL: nothing that counts, such as the name of a type. */
static struct htmt__syntax *read_node(struct reading *r, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    struct htmt__syntax *node = NULL;
    r->too_deep |= r->depth >= DEEPEST;
    if (r->too_deep)
        return make_other(r, cursor, "an expression that is too deep");
    r->depth++;
    if (kind == CXCursor_VarDecl) {
        CXCursor starts = clang_Cursor_getVarDeclInitializer(cursor);
        node = make_node(r, cursor, HTMT__SYNTAX_DECLARE);
        node->declaration = declaration_of(r, cursor);
        node->type = node->declaration->type;
        if (!clang_Cursor_isNull(starts))
            node->child = read_node(r, starts);
        struct htmt__syntax name = {
            .kind = HTMT__SYNTAX_NAME, .place = node->place, .declaration = node->declaration};
        struct htmt__syntax *members =
            node->child ? copied(clang_getCursorType(cursor), &name, node->child) : NULL;
        if (members) {
            node->child = NULL;
            node = make_like(node, HTMT__SYNTAX_BLOCK, node, members);
        }
        /* "int j{0}" of C++ */
        if (node->child && node->child->kind == HTMT__SYNTAX_LIST && node->child->child &&
            (node->type == HTMT__TYPE_WHOLE || node->type == HTMT__TYPE_REAL))
            node->child = node->child->child;
    } else if (clang_isExpression(kind)) {
        node = read_expression(r, cursor);
    } else if (clang_isStatement(kind)) {
        node = read_statement(r, cursor);
    }
    r->depth--;
    return node;
}

/* ---- files ----------------------------------------------------------------------------------- */

static enum CXChildVisitResult take_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct list *list = data;
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_CompoundStmt)
        *list->end = read_node(list->reading, cursor);
    return CXChildVisit_Continue;
}

/* What has functions that are not read: a class, once, or a template. */
static void refuse(struct reading *r, CXCursor cursor, const char *what)
{
    struct htmt__unread *u = htmt__source_alloc(sizeof *u);
    const char *name = text_of(clang_getCursorSpelling(cursor));
    for (const struct htmt__unread *o = r->parse->unread; o; o = o->next)
        if (strcmp(o->name, name) == 0)
            return;
    *u = (struct htmt__unread){place_of(r, cursor), what, name, r->parse->unread};
    r->parse->unread = u;
}

static enum CXChildVisitResult find_loop(CXCursor cursor, CXCursor parent, CXClientData found)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent;
    if (kind != CXCursor_ForStmt && kind != CXCursor_CXXForRangeStmt &&
        kind != CXCursor_WhileStmt && kind != CXCursor_DoStmt)
        return CXChildVisit_Recurse;
    *(bool *)found = true;
    return CXChildVisit_Break;
}

static bool has_loops(CXCursor cursor)
{
    bool found = false;
    clang_visitChildren(cursor, find_loop, &found);
    return found;
}

/* A function with a body, unless a system header has it. */
static enum CXChildVisitResult take_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct reading *r = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
        kind == CXCursor_UnexposedDecl)
        return CXChildVisit_Recurse;
    if ((kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
         kind == CXCursor_ClassTemplate) &&
        has_loops(cursor))
        refuse(r, cursor, "the class");
    else if ((kind == CXCursor_CXXMethod || kind == CXCursor_Constructor) && has_loops(cursor))
        refuse(r, clang_getCursorSemanticParent(cursor), "the class");
    else if (kind == CXCursor_FunctionTemplate && has_loops(cursor))
        refuse(r, cursor, "the template");
    if (kind != CXCursor_FunctionDecl || !clang_isCursorDefinition(cursor))
        return CXChildVisit_Continue;
    struct htmt__declaration *d = declaration_of(r, cursor);
    if (d->body)
        return CXChildVisit_Continue;
    /* The names of the parameters are those of this declaration. */
    read_parameters(r, d, cursor);
    d->place = place_of(r, cursor);
    clang_visitChildren(cursor, take_body, &(struct list){r, &d->body});
    *(r->parse->last ? r->parse->last : &r->parse->functions) = d;
    r->parse->last = &d->next;
    return CXChildVisit_Continue;
}

/* The first error of libclang refuses the file. */
static int read_unit(struct htmt__parse *p, const char *path, CXTranslationUnit unit,
                     struct htmt_fault *fault)
{
    int rc = 0;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit) && !rc; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit, i);
        /* What the headers of another compiler have of their own does not matter. */
        const bool own = !clang_Location_isInSystemHeader(clang_getDiagnosticLocation(d));
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && own) {
            CXFile file;
            unsigned line, column;
            clang_getExpansionLocation(clang_getDiagnosticLocation(d), &file, &line, &column, NULL);
            const char *name = file ? text_of(clang_getFileName(file)) : "the command line";
            rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s:%u:%u: %s", name, line, column,
                                text_of(clang_getDiagnosticSpelling(d)));
        }
        clang_disposeDiagnostic(d);
    }
    if (rc)
        return rc;
    struct reading *r = htmt__source_alloc(sizeof *r);
    r->parse = p;
    r->name = "";
    clang_visitChildren(clang_getTranslationUnitCursor(unit), take_function, r);
    return r->too_deep ? htmt_fault_set(fault, HTMT_ERANGE,
                                        "%s: found an expression deeper than %d, expected less",
                                        path, DEEPEST)
                       : 0;
}

/* Headers that come with a compiler and that libclang may lack, as omp.h: those of GCC, behind all
 * others. */
static const char *compiler_headers(void)
{
    glob_t found;
    const char *folder = NULL;
    if (glob("/usr/lib/gcc/*/*/include", 0, NULL, &found) == 0 && found.gl_pathc)
        folder = htmt__source_text(found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return folder;
}

int htmt__parse_file(struct htmt__parse *p, const char *path, const char *const *arguments,
                     int count, struct htmt_fault *fault)
{
    /* libclang opens all files itself; here they are only shown to be regular and no output. */
    int rc = htmt__includes_check(path, arguments, count, fault);
    if (rc)
        return rc;
    const char *own = compiler_headers(),
               **words = htmt__source_alloc(((size_t)count + 2) * sizeof *words);
    if (count)
        memcpy(words, arguments, (size_t)count * sizeof *words);
    if (own) {
        words[count++] = "-idirafter";
        words[count++] = own;
    }
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(index, path, words, count, NULL, 0,
                                                        CXTranslationUnit_KeepGoing, &unit);
    rc = code == CXError_Success
             ? read_unit(p, path, unit, fault)
             : htmt_fault_set(fault, HTMT_EFORMAT, "%s: libclang cannot read it, expected C source",
                              path);
    if (unit)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return rc;
}
