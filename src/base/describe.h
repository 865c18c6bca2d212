/* describe.h - the members of a struct, told once: name, unit, type, place.
 *
 *   FIELDS(gap, F(cause, NAME), F(idle_ms, MS), AS("calls", n_calls, COUNT),
 *          ENUM(kind, gap_kind_word, GAP_KINDS), STRUCT(saving, impact_range),
 *          LIST(rows, n_rows, gap_row), CALL(advice, TEXT, gap_advice));
 *
 * defines gap_fields(), the description of `struct gap`; DESCRIBED(gap) in a header
 * declares it. Who writes, reads or shows such structs walks the description, so that
 * no member is copied by hand. VIEW describes a struct once more under another name,
 * for a format of its own.
 *
 * The type of a member is taken from its declaration, and the compiler refuses a unit
 * that does not go with it. A description is constant, and looking a member up in it
 * takes no memory. */
#ifndef BASE_DESCRIBE_H
#define BASE_DESCRIBE_H

#include "base/described.h"
#include "base/str.h"

#include <assert.h>

struct arena;

/* What is at the member's place. */
enum field_kind {
    FIELD_BOOL,
    FIELD_I32,
    FIELD_I64,
    FIELD_U64,
    FIELD_REAL,
    FIELD_TEXT,
    FIELD_ENUM,    /* by its word, or as a number if it has none */
    FIELD_SPAN,    /* an int64_t less the one at `from` */
    FIELD_STRUCT,  /* a part of this one */
    FIELD_POINTER, /* a struct elsewhere; NULL: none */
    FIELD_LIST,    /* a pointer to the first of n, or a function that finds them */
    FIELD_CALL     /* nothing: a function tells it */
};

/* What a value says: X(unit, kinds that it goes with). */
#define FIELD_UNITS(X)                                                                 \
    X(FLAG, BOOL, BOOL)                                                                \
    X(TEXT, TEXT, TEXT)     /* may be empty */                                         \
    X(NAME, TEXT, TEXT)     /* empty: unknown */                                       \
    X(COUNT, I32, I64)      /* not negative */                                         \
    X(NUMBER, I32, I64)     /* any whole number */                                     \
    X(KNOWN, I32, I64)      /* not negative; -1: unknown */                            \
    X(SOME, I32, I64)       /* from 1; 0: none */                                      \
    X(NS, I64, I64)         /* a time or a span of it */                               \
    X(SUM_NS, I64, I64)     /* spans that may overlap, added up */                     \
    X(DELTA_NS, I64, I64)   /* a time, told as what passed since the one before */     \
    X(EPOCH_NS, I64, I64)   /* on another clock: any int64_t */                        \
    X(NS_IN_MS, I64, SPAN)  /* held in ns, told in ms */                               \
    X(MS_IN_NS, REAL, REAL) /* held in ms, told in whole ns */                         \
    X(MS_IN_US, REAL, REAL)                                                            \
    X(US_IN_MS, REAL, REAL)                                                            \
    X(MS, REAL, REAL) /* NaN: unknown, as of all that are real */                      \
    X(US, REAL, REAL)                                                                  \
    X(PCT, REAL, REAL)   /* 0 to 100 */                                                \
    X(RATE, REAL, REAL)  /* per second, or per another quantity */                     \
    X(FINE, REAL, REAL)  /* to 4 decimals */                                           \
    X(EXACT, REAL, REAL) /* told in full */                                            \
    X(BYTES, I64, REAL)                                                                \
    X(HEX, U64, U64)    /* in 16 hexadecimal digits */                                 \
    X(WORD, ENUM, ENUM) /* an empty one: unknown */

enum field_unit {
#define X(unit, a, b) FIELD_UNIT_##unit,
    FIELD_UNITS(X)
#undef X
        FIELD_UNIT_KINDS
};

enum field_unit_kinds {
#define X(unit, a, b) KINDS_OF_##unit = 1 << FIELD_##a | 1 << FIELD_##b,
    FIELD_UNITS(X)
#undef X
        KINDS_OF_NOTHING = 0
};

struct description;

/* What a function of a field is given: the struct, the document that it is in, as far
 * as there is one, and memory for a text. */
struct described {
    const void *of, *whole;
    struct arena *tmp;
};

typedef struct str field_text(const struct described *in);
typedef double field_real(const struct described *in);
typedef int64_t field_whole(const struct described *in);
typedef bool field_flag(const struct described *in);
typedef const void *field_struct(const struct described *in); /* NULL: none */

/* The items of a list; n is at least 0. */
struct field_items {
    const void *first;
    int n;
    ptrdiff_t bytes; /* of each; a function of a field leaves them out */
    bool pointers;   /* first points to pointers to them */
};
typedef struct field_items field_list(const struct described *in);

struct field {
    const char *name; /* NULL: see MEMBERS_OF, ALSO and ITSELF */
    /* Small, as the loader of the program touches all of them. */
    enum field_kind kind : 8;
    enum field_kind tells : 8; /* CALL: a value of which kind */
    enum field_unit unit : 8;
    bool pointers : 1; /* LIST: to the items */
    bool inside : 1;   /* LIST: the items are at its place */
    bool keyed : 1;    /* LIST: the first field of an item, a text, names the rest */
    int limit;         /* ENUM: the first value that is none */
    int32_t at;        /* of the member, from the start of the struct */
    int32_t from;      /* SPAN: of its begin; LIST: of the number of items, an int */
    struct str (*word)(unsigned value);      /* ENUM */
    const struct description *(*item)(void); /* what a struct, or each of a list, is */
    void (*call)(void); /* the function of that type, above; NULL: `says` */
    struct str says;
    ptrdiff_t room_bytes; /* LIST: a document has the first items that fit; 0: all */
};

struct description {
    ptrdiff_t bytes; /* of one struct */
    int n;
    const struct field *fields;
};

#define VIEW(name, type, ...)                                                          \
    const struct description *name##_fields(void)                                      \
    {                                                                                  \
        typedef struct type self;                                                      \
        static const struct field list[] = {__VA_ARGS__};                              \
        static const struct description all = {sizeof(self),                           \
                                               sizeof list / sizeof *list, list};      \
        return &all;                                                                   \
    }                                                                                  \
    DESCRIBED_AS(name, type) /* for the semicolon behind it */
#define FIELDS(type, ...) VIEW(type, type, __VA_ARGS__)

/* A member under its own name, or `as` another. */
#define F(member, u) AS(#member, member, u)
#define AS(as, member, u)                                                              \
    {                                                                                  \
        .name = (as), .kind = FIELD_KIND(member), .unit = FIELD_UNIT_##u,              \
        .at = offsetof(self, member) + FIELD_FITS(FIELD_KIND(member), u)               \
    }
#define ENUM(member, words, n) ENUM_AS(#member, member, words, n)
#define ENUM_AS(as, member, words, n)                                                  \
    {                                                                                  \
        .name = (as), .kind = FIELD_KIND(member), .unit = FIELD_UNIT_WORD,             \
        .at = offsetof(self, member) + FIELD_FITS(FIELD_KIND(member), WORD),           \
        .limit = (int)(n), .word = (words)                                             \
    }
#define SPAN(as, u, begin, end)                                                        \
    {                                                                                  \
        .name = (as), .kind = FIELD_SPAN, .unit = FIELD_UNIT_##u,                      \
        .at = offsetof(self, end) + FIELD_FITS(FIELD_KIND(end), NS),                   \
        .from = offsetof(self, begin) + FIELD_FITS(FIELD_KIND(begin), NS)              \
    }
#define STRUCT(member, type) STRUCT_AS(#member, member, type)
#define STRUCT_AS(as, member, type)                                                    \
    {                                                                                  \
        .name = (as), .kind = FIELD_STRUCT, .item = type##_fields,                     \
        .at = offsetof(self, member) + FIELD_IS(&((self *)0)->member, type)            \
    }
/* Members of this very struct as one of their own. */
#define PART(as, view)                                                                 \
    {                                                                                  \
        .name = (as), .kind = FIELD_STRUCT, .item = view##_fields,                     \
        .at = FIELD_IS((self *)0, view)                                                \
    }
#define POINTER(member, type) POINTER_AS(#member, member, type)
#define POINTER_AS(as, member, type)                                                   \
    {                                                                                  \
        .name = (as), .kind = FIELD_POINTER, .item = type##_fields,                    \
        .at = offsetof(self, member) + FIELD_IS(((self *)0)->member, type)             \
    }
/* The members of a struct that this one points to are told as its own. */
#define MEMBERS_OF(member, type) POINTER_AS(NULL, member, type)
/* What another description tells of this very struct, too. Of a name that is told
 * twice, looking it up finds the first. */
#define ALSO(view) PART(NULL, view)
/* The only field of a description: it is not a struct, but this member of it. */
#define ITSELF(member, u)          AS(NULL, member, u)
#define LIST(member, number, type) LIST_AS(#member, member, number, type)
#define LIST_AS(as, member, number, type)                                              \
    {                                                                                  \
        .name = (as), .kind = FIELD_LIST, .item = type##_fields,                       \
        .at = offsetof(self, member) + FIELD_IS_LIST(member, type),                    \
        .from = offsetof(self, number) + FIELD_IS_INT(number)                          \
    }
#define LIST_WITHIN(bytes, as, member, number, type)                                   \
    {                                                                                  \
        .name = (as), .kind = FIELD_LIST, .item = type##_fields,                       \
        .room_bytes = (bytes),                                                         \
        .at = offsetof(self, member) + FIELD_IS_LIST(member, type),                    \
        .from = offsetof(self, number) + FIELD_IS_INT(number)                          \
    }
/* A list whose items are in the struct itself. */
#define ARRAY(as, member, number, type)                                                \
    {                                                                                  \
        .name = (as), .kind = FIELD_LIST, .item = type##_fields, .inside = true,       \
        .at = offsetof(self, member) + FIELD_IS(((self *)0)->member, type) +           \
              FIELD_IS_NO_POINTER(member, type),                                       \
        .from = offsetof(self, number) + FIELD_IS_INT(number)                          \
    }
/* A list of pointers to structs. */
#define POINTERS(as, member, number, type)                                             \
    {                                                                                  \
        .name = (as), .kind = FIELD_LIST, .item = type##_fields, .pointers = true,     \
        .at = offsetof(self, member) + FIELD_IS(((self *)0)->member[0], type),         \
        .from = offsetof(self, number) + FIELD_IS_INT(number)                          \
    }
#define CALL(as, u, function) CALL_AS(#as, u, function)
#define CALL_AS(as, u, function)                                                       \
    {                                                                                  \
        .name = (as), .kind = FIELD_CALL, .unit = FIELD_UNIT_##u,                      \
        .at = FIELD_FITS(FIELD_TOLD(function), u), .tells = FIELD_TOLD(function),      \
        .call = (void (*)(void))(function)                                             \
    }
/* The same text of every such struct. */
#define SAYS(as, text)                                                                 \
    {                                                                                  \
        .name = #as, .kind = FIELD_CALL, .unit = FIELD_UNIT_NAME, .tells = FIELD_TEXT, \
        .says = S_INIT(text)                                                           \
    }
#define CALL_STRUCT(as, type, function)                                                \
    {                                                                                  \
        .name = #as, .kind = FIELD_CALL, .item = type##_fields,                        \
        .tells = FIELD_TOLD_ITEM(function), .call = (void (*)(void))(function)         \
    }

/* The only field of a description: a function tells its kind, too. */
#define ITSELF_ANY(u, function)                                                        \
    {                                                                                  \
        .kind = FIELD_CALL, .unit = FIELD_UNIT_##u,                                    \
        .tells = _Generic((function), field_any *                                      \
                          : FIELD_CALL),                                               \
        .call = (void (*)(void))(function)                                             \
    }
/* The members of the struct that a function finds are told as its own. */
#define MEMBERS_FROM(type, function)                                                   \
    {                                                                                  \
        .kind = FIELD_CALL, .item = type##_fields, .tells = FIELD_TOLD_ITEM(function), \
        .call = (void (*)(void))(function)                                             \
    }
#define CALL_LIST(as, type, function)                                                  \
    {                                                                                  \
        .name = #as, .kind = FIELD_LIST, .item = type##_fields,                        \
        .tells = _Generic((function), field_list *                                     \
                          : FIELD_LIST),                                               \
        .call = (void (*)(void))(function)                                             \
    }
/* Defines a function of a field that is one expression of the struct, `it`. */
#define TELL(type, name, of_struct, ...)                                               \
    static type name(const struct described *in)                                       \
    {                                                                                  \
        const struct of_struct *it = in->of;                                           \
        (void)it;                                                                      \
        return __VA_ARGS__;                                                            \
    }                                                                                  \
    static type name(const struct described *in) /* for the semicolon behind it */
/* A list of structs that begin with a text: in JSON an object, of the rest under it. */
#define CALL_MAP(as, type, function)                                                   \
    {                                                                                  \
        .name = #as, .kind = FIELD_LIST, .item = type##_fields, .keyed = true,         \
        .tells = _Generic((function), field_list *                                     \
                          : FIELD_LIST),                                               \
        .call = (void (*)(void))(function)                                             \
    }

/* An enum is an unsigned int to the compiler, as long as none of it is negative. */
#define FIELD_KIND(member)                                                             \
    _Generic(&((self *)0)->member, bool *                                              \
             : FIELD_BOOL, int32_t *                                                   \
             : FIELD_I32, int64_t *                                                    \
             : FIELD_I64, uint64_t *                                                   \
             : FIELD_U64, double *                                                     \
             : FIELD_REAL, struct str *                                                \
             : FIELD_TEXT, unsigned *                                                  \
             : FIELD_ENUM)
#define FIELD_FITS(has, u)                                                             \
    (0 * sizeof(struct {                                                               \
         _Static_assert(KINDS_OF_##u >> (has)&1, "no unit of such a member");          \
         char bytes;                                                                   \
     }))
#define FIELD_TOLD(function)                                                           \
    _Generic((function), field_text *                                                  \
             : FIELD_TEXT, field_real *                                                \
             : FIELD_REAL, field_whole *                                               \
             : FIELD_I64, field_flag *                                                 \
             : FIELD_BOOL)
#define FIELD_TOLD_ITEM(function) _Generic((function), field_struct * : FIELD_POINTER)
#define FIELD_IS(pointer, name)                                                        \
    (0 * _Generic((pointer), name##_described * : 1, const name##_described * : 1))
#define FIELD_IS_LIST(member, name)                                                    \
    (0 * _Generic(&((self *)0)->member, name##_described * * : 1,                      \
                  const name##_described ** : 1))
#define FIELD_IS_NO_POINTER(member, name)                                              \
    (0 * _Generic(&((self *)0)->member, name##_described * *: (void)0,                 \
                  const name##_described ** : (void)0, default : 1))
#define FIELD_IS_INT(member) (0 * _Generic(&((self *)0)->member, int32_t * : 1))

/* A member of a struct. The union has what its kind says: an ENUM without words is an
 * I32, one with them a TEXT, a SPAN an I64, a STRUCT a POINTER. */
struct field_value {
    enum field_kind kind;
    union {
        bool flag;
        int64_t whole;
        uint64_t bits;
        double real;
        struct str text;
        const void *item;
    };
};
struct field_value field_value(const struct field *f, const struct described *in);
typedef struct field_value field_any(const struct described *in);

struct field_items field_items(const struct field *f, const struct described *in);
const void *field_item(const struct field_items *list, int k);

DESCRIBED_AS(text, str); /* itself: for lists of texts */

/* A number in the unit that it is told in. */
double field_told(enum field_unit unit, double v);

/* Numbers that have names: what is not 0 of an array, by the words of its indices. */
struct named_whole {
    struct str name;
    int64_t whole;
};
DESCRIBED(named_whole); /* for CALL_MAP */
struct field_items named_wholes(struct arena *a, const int64_t *values, int n,
                                struct str (*word)(unsigned));

/* A member by its name; NULL: there is none. */
const struct field *field_of(const struct description *d, const char *name);

#endif
