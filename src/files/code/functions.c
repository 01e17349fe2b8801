/* The functions of a text: a recursive parser of the subset that is C and GLSL alike, which writes what it has
 * understood in the words of shaders/shared/types.h. Nothing of the text is copied but numbers and operators: names get
 * prefixes (u_ functions, v_ variables, p_ parameters), so that none can be one of a compiler, of a library or of ours.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/code/reader.h"

#define FUNCTIONS_MAX 32u
#define NAMES_MAX     128u
#define ARGUMENTS_MAX 8u
#define ELEMENTS_MAX  256u /* of an array */
#define DEPTH_MAX     48u  /* of statements and expressions in each other */
#define EXACT_MAX     ((int64_t)1 << 30)
#define TURNS_MAX     ((int64_t)1 << 16)

enum type { INT, UINT, BOOL };
static const char *const type_names[] = {"int", "uint", "bool"};
static const char *const type_words[] = {"shw_int", "shw_uint", "shw_bool"};

/* The value of an expression: its type and, if that follows from the text, its limits. */
struct value {
    enum type type;
    bool is_known;
    int64_t low, high;
};

struct name {
    char name[SHW_CODE_NAME_MAX + 1];
    bool is_constant; /* may not be assigned */
    bool is_global;
    uint32_t count; /* of an array's elements, each of which is like `value`; 0: no array */
    struct value value;
};

struct function {
    char name[SHW_CODE_NAME_MAX + 1];
    uint32_t line;
    enum type type, arguments[ARGUMENTS_MAX];
    uint32_t argument_count, work, size;
    struct shw_channel_reading reading; /* with those that it calls */
};

/* Letters of arguments: i int, c a parameter of the type channel, r one of the type rectangle. */
struct builtin {
    const char *name, *arguments;
    enum type type;
    int subject;                  /* enum shw_code_subject; -1: both */
    enum shw_feature_reads reads; /* 0: either */
    uint32_t work;
};

static const struct builtin builtins[] = {
    {"min", "ii", INT, -1, 0, 1},
    {"max", "ii", INT, -1, 0, 1},
    {"clamp", "iii", INT, -1, 0, 1},
    {"abs", "i", INT, -1, 0, 1},
    {"quotient", "ii", INT, -1, 0, 1},
    {"remainder", "ii", INT, -1, 0, 1},
    {"pixel_x", "", INT, -1, 0, 1},
    {"pixel_y", "", INT, -1, 0, 1},
    {"image_width", "", INT, -1, 0, 1},
    {"image_height", "", INT, -1, 0, 1},
    {"sum", "cr", INT, SHW_CODE_FEATURE, SHW_FEATURE_READS_INTEGRALS, 8},
    {"mean", "cr", INT, SHW_CODE_FEATURE, SHW_FEATURE_READS_INTEGRALS, 8},
    {"pixels", "r", INT, SHW_CODE_FEATURE, 0, 4},
    {"sum_at", "ciiii", INT, SHW_CODE_FEATURE, SHW_FEATURE_READS_INTEGRALS, 8},
    {"mean_at", "ciiii", INT, SHW_CODE_FEATURE, SHW_FEATURE_READS_INTEGRALS, 8},
    {"value", "cii", INT, SHW_CODE_FEATURE, SHW_FEATURE_READS_CHANNELS, 4},
    {"corner", "cr", INT, SHW_CODE_FEATURE, SHW_FEATURE_READS_CHANNELS, 4},
    {"red", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"green", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"blue", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"luma", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"previous_red", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"previous_green", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"previous_blue", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"previous_luma", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
    {"plane", "ii", INT, SHW_CODE_CHANNEL, 0, 4},
};

static const char *const reserved[] = {"int", "uint",   "bool",  "const",    "if",   "else",
                                       "for", "return", "break", "continue", "true", "false"};

struct parsing {
    struct shw_code_reader *reader;
    struct shw_code_text *text;
    struct shw_code_buffer out, tables, *to; /* to: the one that is written */
    uint32_t out_line;
    struct function functions[FUNCTIONS_MAX];
    uint32_t function_count;
    struct name names[NAMES_MAX];
    uint32_t name_count;
    uint32_t depth, loops; /* around the statement */
    uint32_t elements;     /* of all arrays so far */
    uint64_t work, size;   /* of the function so far: steps, and those that it has when loops are not repeated */
    struct shw_channel_reading reading; /* of the function so far */
    enum type result;
    bool is_global; /* a constant outside functions */
};

#define REFUSE(parsing, ...) shw_code_refuse((parsing)->reader, (parsing)->reader->token.line, __VA_ARGS__)

/* Writes on the line of the next token, so that compilers name the same lines. */
static void put(struct parsing *parsing, const char *words)
{
    while (parsing->to == &parsing->out && parsing->out_line < parsing->reader->token.line) {
        shw_code_put(parsing->to, "\n");
        parsing->out_line++;
    }
    shw_code_put(parsing->to, "%s ", words);
}

/* What comes next has no blank before it. */
static void join(struct parsing *parsing)
{
    parsing->to->length -= parsing->to->failed ? 0 : 1;
}

static void put_name(struct parsing *parsing, char kind, const char *name)
{
    char words[SHW_CODE_NAME_MAX + 3];

    snprintf(words, sizeof words, "%c_%s", kind, name);
    put(parsing, words);
}

static void enter(struct parsing *parsing)
{
    if (++parsing->depth > DEPTH_MAX)
        REFUSE(parsing, "statements or expressions are nested more than %u times", DEPTH_MAX);
}

static void check_work(struct parsing *parsing)
{
    if (parsing->work > SHW_CODE_WORK_MAX)
        REFUSE(parsing, "a call could take more than %u steps: loops must be shorter", SHW_CODE_WORK_MAX);
    if (parsing->size > SHW_CODE_CODE_MAX)
        REFUSE(parsing, "a function, with those that it calls, has more than %u operations", SHW_CODE_CODE_MAX);
}

static void spend(struct parsing *parsing, uint64_t work)
{
    parsing->work += work;
    parsing->size += work;
    check_work(parsing);
}

static struct value value_of(enum type type)
{
    return (struct value){.type = type};
}

static struct value known(enum type type, int64_t low, int64_t high)
{
    const bool fits = low >= (type == UINT ? 0 : -EXACT_MAX) && high <= EXACT_MAX;

    return (struct value){type, fits, low, high};
}

static struct name *find_name(struct parsing *parsing, const char *name)
{
    for (uint32_t i = 0; i < parsing->name_count; i++)
        if (strcmp(parsing->names[i].name, name) == 0)
            return &parsing->names[i];
    return NULL;
}

static const struct function *find_function(const struct parsing *parsing, const char *name)
{
    for (uint32_t i = 0; i < parsing->function_count; i++)
        if (strcmp(parsing->functions[i].name, name) == 0)
            return &parsing->functions[i];
    return NULL;
}

static const struct builtin *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

/* A new name hides no other, because C and GLSL differ in what may be hidden. */
static void take_new_name(struct parsing *parsing, char name[SHW_CODE_NAME_MAX + 1])
{
    const uint32_t line = parsing->reader->token.line;

    shw_code_take_name(parsing->reader, "a name", name);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0)
            shw_code_refuse(parsing->reader, line, "'%s' cannot be a name", name);
    if (strstr(name, "__") != NULL)
        shw_code_refuse(parsing->reader, line, "'%s' has two underscores in a row, which GLSL keeps for itself", name);
    if (find_name(parsing, name) != NULL || find_function(parsing, name) != NULL || find_builtin(name) != NULL ||
        shw_code_find_param(parsing->text, name, strlen(name)) >= 0)
        shw_code_refuse(parsing->reader, line, "there is already a '%s'", name);
}

static struct name *add_name(struct parsing *parsing, const char *name, struct value value, bool is_constant)
{
    struct name *added = &parsing->names[parsing->name_count];

    if (parsing->name_count == NAMES_MAX)
        REFUSE(parsing, "more than %u names", NAMES_MAX);
    parsing->name_count++;
    *added = (struct name){.is_constant = is_constant, .value = value};
    snprintf(added->name, sizeof added->name, "%s", name);
    return added;
}

static bool take_type(struct parsing *parsing, enum type *type)
{
    for (int t = INT; t <= BOOL; t++)
        if (shw_code_take(parsing->reader, type_names[t])) {
            *type = (enum type)t;
            return true;
        }
    return false;
}

/* --- Expressions --- */

static struct value read_expression(struct parsing *parsing);
static void put_number(struct parsing *parsing, enum type type, int64_t number);

/* An int becomes a uint by itself, as in GLSL; nothing else does. */
static void need_type(struct parsing *parsing, uint32_t line, enum type wanted, struct value value, const char *what)
{
    if (value.type != wanted && !(wanted == UINT && value.type == INT))
        shw_code_refuse(parsing->reader, line, "%s is of the type %s, not %s", what, type_names[value.type],
                        type_names[wanted]);
}

/* Returns the number of the parameter. */
static int32_t read_param_argument(struct parsing *parsing, enum shw_code_type type, const char *function)
{
    const struct shw_token *token = &parsing->reader->token;
    const int32_t param = shw_code_find_param(parsing->text, token->at, token->length);

    if (token->kind != SHW_TOKEN_NAME || param < 0 || parsing->text->params[param].type != type)
        REFUSE(parsing, "%s() takes a parameter of the type %s here, not '%.*s'", function,
               type == SHW_CODE_RECTANGLE ? "rectangle" : "channel", (int)(token->length < 40 ? token->length : 40),
               token->at);
    put(parsing, "user.");
    put_name(parsing, 'p', parsing->text->params[param].name);
    shw_code_next(parsing->reader);
    return param;
}

static struct value limits_of_call(const char *name, const struct value *arguments, enum type type)
{
    const struct value *a = &arguments[0], *b = &arguments[1], *c = &arguments[2];
#define LEAST(x, y)    ((x) < (y) ? (x) : (y))
#define GREATEST(x, y) ((x) > (y) ? (x) : (y))
    if (strcmp(name, "min") == 0 && a->is_known && b->is_known)
        return known(type, LEAST(a->low, b->low), LEAST(a->high, b->high));
    if (strcmp(name, "max") == 0 && a->is_known && b->is_known)
        return known(type, GREATEST(a->low, b->low), GREATEST(a->high, b->high));
    if (strcmp(name, "clamp") == 0 && b->is_known && c->is_known && b->high <= c->low)
        return known(type, b->low, c->high);
#undef LEAST
#undef GREATEST
    return value_of(type);
}

static void check_builtin(struct parsing *parsing, uint32_t line, const struct builtin *builtin)
{
    const struct shw_code_text *text = parsing->text;
    const bool is_previous = strncmp(builtin->name, "previous_", 9) == 0;

    if (builtin->subject >= 0 && (enum shw_code_subject)builtin->subject != text->subject)
        shw_code_refuse(parsing->reader, line, "%s() is for %s", builtin->name,
                        text->subject == SHW_CODE_FEATURE ? "channel kinds" : "feature types");
    if (builtin->reads != 0 && builtin->reads != text->reads)
        shw_code_refuse(parsing->reader, line, "%s() needs //!READS %s", builtin->name,
                        builtin->reads == SHW_FEATURE_READS_INTEGRALS ? "integrals" : "channels");
    if (is_previous && strcmp(text->input, "previous") != 0)
        shw_code_refuse(parsing->reader, line, "%s() needs //!INPUT previous", builtin->name);
    if (strcmp(builtin->name, "plane") == 0 && (text->input[0] == '\0' || strcmp(text->input, "previous") == 0))
        shw_code_refuse(parsing->reader, line, "plane() needs //!INPUT and the name of a plane, as depth");
    if (strcmp(builtin->name, "sum_at") == 0 || strcmp(builtin->name, "mean_at") == 0)
        parsing->text->summing_line = line;
    parsing->reading.inputs |= builtin->subject == SHW_CODE_CHANNEL;
    if (builtin->work > 1 ? strcmp(builtin->arguments, "cr") != 0 : builtin->arguments[0] == '\0')
        parsing->text->is_of_regions = false;
}

static struct value read_builtin(struct parsing *parsing, uint32_t line, const struct builtin *builtin)
{
    struct value arguments[ARGUMENTS_MAX] = {{INT, false, 0, 0}};
    const size_t count = strlen(builtin->arguments);
    int32_t param, channel = -1;

    check_builtin(parsing, line, builtin);
    put(parsing, "shw_user_");
    join(parsing);
    put(parsing, builtin->name);
    put(parsing, "(SHW_CODE user");
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = parsing->reader->token.line;

        if (i > 0)
            shw_code_expect(parsing->reader, ",");
        put(parsing, ",");
        if (builtin->arguments[i] != 'i') {
            param = read_param_argument(
                parsing, builtin->arguments[i] == 'r' ? SHW_CODE_RECTANGLE : SHW_CODE_CHANNEL_OF, builtin->name);
            if (builtin->arguments[i] == 'r' && parsing->text->params[param].channel != channel)
                parsing->text->is_of_regions = false;
            channel = param;
            continue;
        }
        arguments[i] = read_expression(parsing);
        need_type(parsing, at, INT, arguments[i], "the argument");
    }
    shw_code_expect(parsing->reader, ")");
    put(parsing, ")");
    spend(parsing, builtin->work);
    return limits_of_call(builtin->name, arguments, builtin->type);
}

/* Number of a pass of the kind, or -1. */
static int32_t find_pass(const struct shw_code_text *text, const char *function)
{
    for (uint32_t p = 0; p < text->pass_count; p++)
        if (strcmp(text->passes[p].function, function) == 0)
            return (int32_t)p;
    return -1;
}

/* "dx, dy)": what a pass has made at a distance. */
static struct value read_passed(struct parsing *parsing, uint32_t line, uint32_t pass)
{
    const struct shw_code_pass *of = &parsing->text->passes[pass];

    put(parsing, "shw_user_passed(SHW_CODE user,");
    put_number(parsing, INT, pass);
    if (shw_code_is(parsing->reader, ")"))
        shw_code_refuse(parsing->reader, line, "what the pass %s has made is read at a distance: %s(dx, dy)", of->name,
                        of->function);
    for (int i = 0; i < 2; i++) {
        const uint32_t at = parsing->reader->token.line;

        if (i > 0)
            shw_code_expect(parsing->reader, ",");
        put(parsing, ",");
        need_type(parsing, at, INT, read_expression(parsing), "the argument");
    }
    shw_code_expect(parsing->reader, ")");
    put(parsing, ")");
    spend(parsing, 4);
    parsing->reading.planes |= 1u << pass;
    return known(INT, -(int64_t)of->max_abs, of->max_abs);
}

static struct value read_call(struct parsing *parsing, uint32_t line, const char *name)
{
    const struct function *function = find_function(parsing, name);
    const struct builtin *builtin = find_builtin(name);
    const int32_t pass = find_pass(parsing->text, name);

    if (parsing->is_global)
        shw_code_refuse(parsing->reader, line, "a constant calls nothing");
    if (builtin != NULL)
        return read_builtin(parsing, line, builtin);
    if (function == NULL)
        shw_code_refuse_foreign(parsing->reader, line, name, strlen(name));
    if (function == NULL)
        shw_code_refuse(parsing->reader, line, "there is no function '%s' above; functions do not call themselves",
                        name);
    if (pass >= 0)
        return read_passed(parsing, line, (uint32_t)pass);
    put_name(parsing, 'u', name);
    put(parsing, "(SHW_CODE user");
    for (uint32_t i = 0; i < function->argument_count; i++) {
        const uint32_t at = parsing->reader->token.line;

        if (i > 0)
            shw_code_expect(parsing->reader, ",");
        put(parsing, ",");
        need_type(parsing, at, function->arguments[i], read_expression(parsing), "the argument");
    }
    shw_code_expect(parsing->reader, ")");
    put(parsing, ")");
    parsing->reading.inputs |= function->reading.inputs;
    parsing->reading.planes |= function->reading.planes;
    parsing->work += function->work;
    parsing->size += function->size;
    check_work(parsing);
    return value_of(function->type);
}

static struct value read_param(struct parsing *parsing, uint32_t line, const struct shw_code_param *param)
{
    const struct shw_code_interval interval = shw_code_param_interval(param, NULL);
    int member;

    if (parsing->is_global)
        shw_code_refuse(parsing->reader, line, "a constant does not depend on parameters");
    put(parsing, "user.");
    join(parsing);
    put_name(parsing, 'p', param->name);
    if (param->type == SHW_CODE_SINGLE)
        return value_of(BOOL);
    parsing->text->is_of_regions = false;
    if (param->type == SHW_CODE_CHANNEL_OF)
        return value_of(UINT);
    if (param->type == SHW_CODE_INT || param->type == SHW_CODE_SIZE)
        return known(INT, interval.low, interval.high);
    if (!shw_code_take(parsing->reader, "."))
        shw_code_refuse(parsing->reader, line, "%s is a%s: its members are %s", param->name,
                        param->type == SHW_CODE_OFFSET ? "n offset" : " rectangle",
                        param->type == SHW_CODE_OFFSET ? "x and y" : "x0, y0, x1 and y1");
    member = shw_code_find_member(param->type, parsing->reader->token.at, parsing->reader->token.length);
    if (parsing->reader->token.kind != SHW_TOKEN_NAME || member < 0)
        REFUSE(parsing, "%s has the members %s", param->name,
               param->type == SHW_CODE_OFFSET ? "x and y" : "x0, y0, x1 and y1");
    put(parsing, ".");
    put(parsing, shw_code_members[member]);
    shw_code_next(parsing->reader);
    return known(INT, interval.low, interval.high);
}

static void put_number(struct parsing *parsing, enum type type, int64_t number)
{
    char words[32];

    snprintf(words, sizeof words, number < 0 ? "(%lld)" : type == UINT ? "%lldu" : "%lld", (long long)number);
    put(parsing, words);
}

/* "[i]", written with i moved into the array. */
static void read_index(struct parsing *parsing, const struct name *array)
{
    const uint32_t line = parsing->reader->token.line;
    char words[32];

    if (!shw_code_is(parsing->reader, "["))
        REFUSE(parsing, "%s is an array, which is used element by element: %s[0]", array->name, array->name);
    if (parsing->is_global)
        REFUSE(parsing, "a constant is no element of an array");
    put(parsing, "[ shw_clamp(");
    shw_code_next(parsing->reader);
    need_type(parsing, line, INT, read_expression(parsing), "the index");
    shw_code_expect(parsing->reader, "]");
    snprintf(words, sizeof words, ", 0, %u) ]", array->count - 1);
    put(parsing, words);
    spend(parsing, 1);
}

static struct value read_named(struct parsing *parsing)
{
    const uint32_t line = parsing->reader->token.line;
    char name[SHW_CODE_NAME_MAX + 1];
    const struct name *found;
    int32_t param;

    shw_code_take_name(parsing->reader, "a value", name);
    spend(parsing, 1);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        put(parsing, name);
        return value_of(BOOL);
    }
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0)
            shw_code_refuse(parsing->reader, line, "a value is expected, not '%s'", name);
    if (shw_code_take(parsing->reader, "("))
        return read_call(parsing, line, name);
    param = shw_code_find_param(parsing->text, name, strlen(name));
    if (param >= 0)
        return read_param(parsing, line, &parsing->text->params[param]);
    found = find_name(parsing, name);
    if (found == NULL)
        shw_code_refuse_foreign(parsing->reader, line, name, strlen(name));
    if (found == NULL)
        shw_code_refuse(parsing->reader, line, "there is no '%s'", name);
    if (found->is_global && found->count == 0)
        put_number(parsing, found->value.type, found->value.low);
    else
        put_name(parsing, 'v', name);
    if (found->count > 0) {
        const struct value value = found->value;

        read_index(parsing, found);
        return value;
    }
    return found->value;
}

static struct value read_primary(struct parsing *parsing)
{
    const struct shw_token token = parsing->reader->token;
    struct value value;
    enum type type;

    if (token.kind == SHW_TOKEN_NUMBER) {
        put_number(parsing, token.is_unsigned ? UINT : INT, token.number);
        shw_code_next(parsing->reader);
        return known(token.is_unsigned ? UINT : INT, token.number, token.number);
    }
    if (shw_code_take(parsing->reader, "(")) {
        put(parsing, "(");
        value = read_expression(parsing);
        shw_code_expect(parsing->reader, ")");
        put(parsing, ")");
        return value;
    }
    if (take_type(parsing, &type)) {
        if (type == BOOL)
            shw_code_refuse(parsing->reader, token.line, "numbers are made bool by comparing them: x != 0");
        shw_code_expect(parsing->reader, "(");
        put(parsing, type == INT ? "SHW_AS_INT(" : "SHW_AS_UINT(");
        value = read_expression(parsing);
        shw_code_expect(parsing->reader, ")");
        put(parsing, ")");
        value.type = value.type == BOOL ? INT : value.type;
        return value.is_known ? known(type, value.low, value.high) : value_of(type);
    }
    if (token.kind != SHW_TOKEN_NAME && token.kind == SHW_TOKEN_END)
        REFUSE(parsing, "a value is expected, not the end");
    if (token.kind != SHW_TOKEN_NAME)
        REFUSE(parsing, "a value is expected, not '%.*s'", (int)token.length, token.at);
    return read_named(parsing);
}

static struct value read_unary(struct parsing *parsing)
{
    static const char *const operators[] = {"-", "!", "~"};
    struct value value;

    for (int i = 0; i < 3; i++) {
        const uint32_t line = parsing->reader->token.line;

        if (!shw_code_is(parsing->reader, operators[i]))
            continue;
        put(parsing, operators[i]);
        shw_code_next(parsing->reader);
        enter(parsing);
        value = read_unary(parsing);
        parsing->depth--;
        if ((value.type == BOOL) != (i == 1))
            shw_code_refuse(parsing->reader, line, "%s is not for the type %s", operators[i], type_names[value.type]);
        return i == 0 && value.is_known && value.type == INT ? known(INT, -value.high, -value.low)
                                                             : value_of(value.type);
    }
    return read_primary(parsing);
}

static const struct {
    const char *sign;
    int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
                 {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static struct value limits_of(char operation, enum type type, struct value a, struct value b)
{
    const int64_t ends[] = {a.low, a.high}, others[] = {b.low, b.high};
    int64_t low = INT64_MAX, high = INT64_MIN;

    /* A negative int becomes a large uint first, which matters to division alone: the others wrap */
    if (!a.is_known || !b.is_known || (operation == '/' && (b.low < 1 || (type == UINT && a.low < 0))))
        return value_of(type);
    for (int e = 0; e < 4; e++) {
        const int64_t x = ends[e & 1], y = others[e >> 1];
        const int64_t value = operation == '+' ? x + y : operation == '-' ? x - y : operation == '*' ? x * y : x / y;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    return known(type, low, high);
}

/* Where C and GLSL leave something undefined, the text must show that it does not happen. */
static void check_operands(struct parsing *parsing, uint32_t line, const char *sign, struct value a, struct value b)
{
    const bool is_shift = strcmp(sign, "<<") == 0 || strcmp(sign, ">>") == 0;

    if (is_shift && !(b.is_known && b.low >= 0 && b.high <= 31))
        shw_code_refuse(parsing->reader, line, "the text must show that %s shifts by 0 to 31", sign);
    if ((*sign == '/' || *sign == '%') && !(b.is_known && b.low >= 1))
        shw_code_refuse(parsing->reader, line,
                        "the text must show that what %s divides by is greater than 0; quotient() and remainder() take "
                        "anything",
                        sign);
    if (*sign == '%' && a.type == INT && !(a.is_known && a.low >= 0) && b.type == INT)
        shw_code_refuse(parsing->reader, line, "%% of a number that may be negative: use uint, or remainder()");
}

static struct value combine(struct parsing *parsing, uint32_t line, const char *sign, int level, struct value a,
                            struct value b)
{
    const bool is_logical = level <= 2, is_equal = level == 6, is_order = level == 7, is_shift = level == 8;
    enum type type;

    if (is_logical || (is_equal && a.type == BOOL)) {
        need_type(parsing, line, BOOL, a, "the left side");
        need_type(parsing, line, BOOL, b, "the right side");
        return value_of(BOOL);
    }
    if (a.type == BOOL || b.type == BOOL)
        shw_code_refuse(parsing->reader, line, "%s is not for the type bool", sign);
    check_operands(parsing, line, sign, a, b);
    type = is_order || is_equal ? BOOL : is_shift ? a.type : a.type == UINT || b.type == UINT ? UINT : INT;
    if (strcmp(sign, "<<") == 0 && a.is_known && a.low >= 0 && a.high <= EXACT_MAX)
        return known(type, a.low << b.low, a.high << b.high);
    if (strcmp(sign, ">>") == 0 && a.is_known && a.low >= 0)
        return known(type, a.low >> b.high, a.high >> b.low);
    if (*sign == '%' && (a.type == UINT || a.low >= 0))
        return known(type, 0, b.high - 1);
    if (level >= 9 && sign[1] == '\0' && *sign != '%')
        return limits_of(*sign, type, a, b);
    return value_of(type);
}

static struct value read_binary(struct parsing *parsing, int least)
{
    struct value value = read_unary(parsing);

    for (;;) {
        const uint32_t line = parsing->reader->token.line;
        size_t o = 0;

        while (o < sizeof operators / sizeof *operators && !shw_code_is(parsing->reader, operators[o].sign))
            o++;
        if (o == sizeof operators / sizeof *operators || operators[o].level < least)
            return value;
        put(parsing, operators[o].sign);
        shw_code_next(parsing->reader);
        spend(parsing, 1);
        enter(parsing);
        value = combine(parsing, line, operators[o].sign, operators[o].level, value,
                        read_binary(parsing, operators[o].level + 1));
        parsing->depth--;
    }
}

static struct value read_expression(struct parsing *parsing)
{
    const uint32_t line = parsing->reader->token.line;
    struct value value, a, b;

    enter(parsing);
    value = read_binary(parsing, 1);
    if (shw_code_is(parsing->reader, "?")) {
        need_type(parsing, line, BOOL, value, "what is before ?");
        put(parsing, "?");
        shw_code_next(parsing->reader);
        a = read_expression(parsing);
        shw_code_expect(parsing->reader, ":");
        put(parsing, ":");
        b = read_expression(parsing);
        if (a.type != b.type)
            shw_code_refuse(parsing->reader, line, "the two values of ?: are of the types %s and %s",
                            type_names[a.type], type_names[b.type]);
        value = a.is_known && b.is_known
                    ? known(a.type, a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high)
                    : value_of(a.type);
    }
    parsing->depth--;
    return value;
}

/* --- Statements --- */

static void read_statement(struct parsing *parsing, bool *returns);

/* --- Arrays --- */

/* "[n]" */
static uint32_t read_count(struct parsing *parsing)
{
    const uint32_t line = parsing->reader->token.line;
    const size_t length = parsing->to->length;
    const uint32_t out_line = parsing->out_line;
    struct value count;

    shw_code_expect(parsing->reader, "[");
    count = read_expression(parsing);
    shw_code_expect(parsing->reader, "]");
    if (!count.is_known || count.low != count.high || count.low < 1 || count.high > ELEMENTS_MAX)
        shw_code_refuse(parsing->reader, line, "an array has 1 to %u elements, by a number or a constant",
                        ELEMENTS_MAX);
    parsing->to->length = parsing->to->failed ? parsing->to->length : length; /* it is written with the name */
    parsing->out_line = out_line;
    parsing->elements += (uint32_t)count.low;
    if (parsing->elements > SHW_CODE_ELEMENTS_MAX)
        shw_code_refuse(parsing->reader, line, "the arrays of a text have more than %u elements",
                        SHW_CODE_ELEMENTS_MAX);
    return (uint32_t)count.low;
}

/* "{1, 2, 3}", or "int[](1, 2, 3)" as in GLSL; the limits of all elements. */
static struct value read_elements(struct parsing *parsing, enum type type, uint32_t count)
{
    const bool is_list = shw_code_take(parsing->reader, "{");
    struct value all = {.type = type};

    if (!is_list) {
        if (!shw_code_take(parsing->reader, type_names[type]))
            REFUSE(parsing, "the values of an array are in braces, as in {1, 2, 3}");
        shw_code_expect(parsing->reader, "[");
        if (!shw_code_is(parsing->reader, "]") &&
            (parsing->reader->token.kind != SHW_TOKEN_NUMBER || parsing->reader->token.number != count))
            REFUSE(parsing, "the array has %u elements", count);
        if (!shw_code_is(parsing->reader, "]"))
            shw_code_next(parsing->reader);
        shw_code_expect(parsing->reader, "]");
        shw_code_expect(parsing->reader, "(");
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t line = parsing->reader->token.line;
        struct value value;

        if (i > 0 && !shw_code_is(parsing->reader, ","))
            REFUSE(parsing, "the array has %u elements, not %u", count, i);
        if (i > 0) {
            put(parsing, ",");
            shw_code_next(parsing->reader);
        }
        put(parsing, type == UINT ? "SHW_AS_UINT(" : "(");
        value = read_expression(parsing);
        put(parsing, ")");
        need_type(parsing, line, type, value, "the element");
        if (parsing->is_global && !(value.is_known && value.low == value.high))
            shw_code_refuse(parsing->reader, line, "an element of a constant array is a number up to %lld",
                            (long long)EXACT_MAX);
        value = value.is_known ? known(type, value.low, value.high) : value_of(type);
        if (i > 0 && all.is_known && value.is_known)
            value =
                known(type, all.low < value.low ? all.low : value.low, all.high > value.high ? all.high : value.high);
        all = i == 0 || all.is_known ? value : all;
    }
    if (shw_code_is(parsing->reader, ","))
        REFUSE(parsing, "the array has only %u elements", count);
    shw_code_expect(parsing->reader, is_list ? "}" : ")");
    return all;
}

/* "a[3]" or "a[3] = {1, 2, 3}", without the type and the name; without values, all are 0. */
static void read_array(struct parsing *parsing, enum type type, const char *name, bool is_constant)
{
    const uint32_t count = read_count(parsing);
    struct value value = value_of(type);
    struct name *added;
    char words[160];

    if (shw_code_take(parsing->reader, "=")) {
        snprintf(words, sizeof words, "%s(%s, v_%s, %u) SHW_OPEN", parsing->is_global ? "SHW_TABLE" : "SHW_ARRAY",
                 type_words[type], name, count);
        put(parsing, words);
        value = read_elements(parsing, type, count);
        put(parsing, "SHW_CLOSE ;");
    } else if (is_constant) {
        REFUSE(parsing, "a constant array needs values: %s[%u] = {...}", name, count);
    } else {
        snprintf(words, sizeof words,
                 "%s v_%s[%u]; for (shw_int i_%s = 0; i_%s < %u; i_%s++) v_%s[ (i_%s) ] = ", type_words[type], name,
                 count, name, name, count, name, name, name);
        put(parsing, words);
        put(parsing, type == BOOL ? "false ;" : type == UINT ? "0u ;" : "0 ;");
    }
    parsing->work += count;
    spend(parsing, 1);
    added = add_name(parsing, name, is_constant ? value : value_of(type), is_constant);
    added->count = count;
}

/* "int a = 1, b = 2", without the type, which has been read. */
static void read_declaration(struct parsing *parsing, enum type type, bool is_constant)
{
    char name[SHW_CODE_NAME_MAX + 1];
    struct value value;
    uint32_t line;

    do {
        line = parsing->reader->token.line;
        take_new_name(parsing, name);
        if (shw_code_is(parsing->reader, "[")) {
            read_array(parsing, type, name, is_constant);
            continue;
        }
        put(parsing, type_words[type]);
        put_name(parsing, 'v', name);
        if (!shw_code_is(parsing->reader, "="))
            REFUSE(parsing, "%s needs a first value: %s %s = 0", name, type_names[type], name);
        shw_code_next(parsing->reader);
        put(parsing, "=");
        value = read_expression(parsing);
        put(parsing, ";");
        need_type(parsing, line, type, value, "the value");
        add_name(parsing, name, is_constant && value.is_known ? known(type, value.low, value.high) : value_of(type),
                 is_constant);
    } while (shw_code_take(parsing->reader, ","));
}

static struct name *take_variable(struct parsing *parsing)
{
    const uint32_t line = parsing->reader->token.line;
    char name[SHW_CODE_NAME_MAX + 1];
    struct name *found;

    shw_code_take_name(parsing->reader, "a statement", name);
    found = find_name(parsing, name);
    if (found == NULL && shw_code_find_param(parsing->text, name, strlen(name)) >= 0)
        shw_code_refuse(parsing->reader, line, "the parameter %s cannot be assigned", name);
    if (found == NULL)
        shw_code_refuse_foreign(parsing->reader, line, name, strlen(name));
    if (found == NULL)
        shw_code_refuse(parsing->reader, line, "there is no variable '%s'", name);
    if (found->is_constant)
        shw_code_refuse(parsing->reader, line, "%s cannot be assigned: it is constant, or counts a loop", name);
    put_name(parsing, 'v', name);
    if (found->count > 0)
        read_index(parsing, found);
    return found;
}

static void read_assignment(struct parsing *parsing)
{
    static const char *const signs[] = {"=", "+=", "-=", "*=", "&=", "|=", "^="};
    const struct name *name = take_variable(parsing);
    const uint32_t line = parsing->reader->token.line;

    if (shw_code_is(parsing->reader, "++") || shw_code_is(parsing->reader, "--")) {
        if (name->value.type == BOOL)
            REFUSE(parsing, "bool is no number");
        put(parsing, shw_code_is(parsing->reader, "++") ? "++" : "--");
        shw_code_next(parsing->reader);
        spend(parsing, 1);
        return;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (shw_code_is(parsing->reader, signs[i])) {
            if (i > 0 && name->value.type == BOOL)
                REFUSE(parsing, "bool is no number");
            put(parsing, signs[i]);
            shw_code_next(parsing->reader);
            need_type(parsing, line, name->value.type, read_expression(parsing), "the value");
            spend(parsing, 1);
            return;
        }
    REFUSE(parsing, "'=' is expected, or +=, -=, *=, &=, |=, ^=, ++, --");
}

static int64_t read_step(struct parsing *parsing, const char *name)
{
    const bool is_down = shw_code_is(parsing->reader, "--") || shw_code_is(parsing->reader, "-=");
    int64_t step = 1;

    if (shw_code_take(parsing->reader, "++") || shw_code_take(parsing->reader, "--"))
        return is_down ? -1 : 1;
    if (!shw_code_take(parsing->reader, "+=") && !shw_code_take(parsing->reader, "-="))
        REFUSE(parsing, "a loop ends with %s++, %s--, %s += N or %s -= N", name, name, name, name);
    step = parsing->reader->token.number;
    if (parsing->reader->token.kind != SHW_TOKEN_NUMBER || parsing->reader->token.is_unsigned || step < 1 ||
        step > TURNS_MAX)
        REFUSE(parsing, "the step of a loop is a number from 1 to %lld", (long long)TURNS_MAX);
    shw_code_next(parsing->reader);
    return is_down ? -step : step;
}

/* for (int i = A; i < B; i++): how often it turns follows from the text. */
static void read_loop(struct parsing *parsing)
{
    const uint32_t names = parsing->name_count, line = parsing->reader->token.line;
    char name[SHW_CODE_NAME_MAX + 1], again[SHW_CODE_NAME_MAX + 1];
    const uint64_t before = parsing->work;
    struct value first, last;
    struct name *counter;
    bool is_up, is_equal, ignored;
    int64_t turns, step;
    char words[32];

    shw_code_expect(parsing->reader, "(");
    put(parsing, "for (");
    if (!shw_code_take(parsing->reader, "int"))
        REFUSE(parsing, "a loop begins as in for (int i = 0; i < 5; i++)");
    take_new_name(parsing, name);
    put(parsing, "shw_int");
    put_name(parsing, 'v', name);
    shw_code_expect(parsing->reader, "=");
    put(parsing, "=");
    first = read_expression(parsing);
    shw_code_expect(parsing->reader, ";");
    put(parsing, ";");
    counter = add_name(parsing, name, value_of(INT), true);
    shw_code_take_name(parsing->reader, "the variable of the loop", again);
    if (strcmp(name, again) != 0)
        REFUSE(parsing, "the condition of the loop begins with %s", name);
    is_up = shw_code_is(parsing->reader, "<") || shw_code_is(parsing->reader, "<=");
    is_equal = shw_code_is(parsing->reader, "<=") || shw_code_is(parsing->reader, ">=");
    if (!is_up && !is_equal && !shw_code_is(parsing->reader, ">"))
        REFUSE(parsing, "the condition of a loop has <, <=, > or >=");
    put_name(parsing, 'v', name);
    put(parsing, is_up ? is_equal ? "<=" : "<" : is_equal ? ">=" : ">");
    shw_code_next(parsing->reader);
    last = read_expression(parsing);
    shw_code_expect(parsing->reader, ";");
    put(parsing, ";");
    shw_code_take_name(parsing->reader, "the variable of the loop", again);
    if (strcmp(name, again) != 0)
        REFUSE(parsing, "the loop must change %s", name);
    step = read_step(parsing, name);
    if (is_up != (step > 0))
        REFUSE(parsing, "the loop does not come to an end");
    put_name(parsing, 'v', name);
    snprintf(words, sizeof words, "+= (%lld)", (long long)step);
    put(parsing, words);
    shw_code_expect(parsing->reader, ")");
    put(parsing, ") {");
    if (first.type != INT || last.type != INT || !first.is_known || !last.is_known)
        shw_code_refuse(parsing->reader, line,
                        "the text must show where the loop begins and ends: by numbers, constants, parameters with a "
                        "MAXIMUM, and variables of outer loops");
    turns = is_up ? (last.high - first.low + is_equal + step - 1) / step
                  : (first.high - last.low + is_equal - step - 1) / -step;
    turns = turns < 0 ? 0 : turns;
    if (turns > TURNS_MAX)
        shw_code_refuse(parsing->reader, line, "the loop turns more than %lld times", (long long)TURNS_MAX);
    counter->value = is_up ? known(INT, first.low, last.high > first.low ? last.high : first.low)
                           : known(INT, last.low < first.high ? last.low : first.high, first.high);
    enter(parsing);
    parsing->loops++;
    read_statement(parsing, &ignored);
    parsing->loops--;
    parsing->depth--;
    put(parsing, "}");
    parsing->work = before + (parsing->work - before + 2) * (uint64_t)turns;
    spend(parsing, 1);
    parsing->name_count = names;
}

static void read_block(struct parsing *parsing, bool *returns)
{
    const uint32_t names = parsing->name_count;

    *returns = false;
    enter(parsing);
    while (!shw_code_is(parsing->reader, "}"))
        read_statement(parsing, returns);
    shw_code_expect(parsing->reader, "}");
    parsing->depth--;
    parsing->name_count = names;
}

static void read_condition(struct parsing *parsing, bool *returns)
{
    const uint32_t names = parsing->name_count, line = parsing->reader->token.line;
    bool first, second = false;

    shw_code_expect(parsing->reader, "(");
    put(parsing, "if (");
    need_type(parsing, line, BOOL, read_expression(parsing), "the condition");
    shw_code_expect(parsing->reader, ")");
    put(parsing, ") {");
    enter(parsing);
    read_statement(parsing, &first);
    parsing->name_count = names;
    put(parsing, "}");
    if (shw_code_take(parsing->reader, "else")) {
        put(parsing, "else {");
        read_statement(parsing, &second);
        parsing->name_count = names;
        put(parsing, "}");
    }
    parsing->depth--;
    *returns = first && second;
}

/* *returns: whether every way through it returns. */
static void read_statement(struct parsing *parsing, bool *returns)
{
    const bool is_constant = shw_code_is(parsing->reader, "const");
    const uint32_t line = parsing->reader->token.line;
    enum type type;

    *returns = false;
    if (parsing->reader->token.kind == SHW_TOKEN_END)
        REFUSE(parsing, "'}' is expected, not the end");
    if (shw_code_take(parsing->reader, "{")) {
        put(parsing, "{");
        read_block(parsing, returns);
        put(parsing, "}");
        return;
    }
    if (shw_code_take(parsing->reader, ";"))
        return;
    if (shw_code_take(parsing->reader, "if")) {
        read_condition(parsing, returns);
        return;
    }
    if (shw_code_take(parsing->reader, "for")) {
        read_loop(parsing);
        return;
    }
    if (shw_code_is(parsing->reader, "break") || shw_code_is(parsing->reader, "continue")) {
        if (parsing->loops == 0)
            REFUSE(parsing, "break and continue are for loops");
        put(parsing, shw_code_is(parsing->reader, "break") ? "break ;" : "continue ;");
        shw_code_next(parsing->reader);
        shw_code_expect(parsing->reader, ";");
        return;
    }
    if (shw_code_take(parsing->reader, "return")) {
        put(parsing, "return");
        need_type(parsing, line, parsing->result, read_expression(parsing), "what is returned");
        shw_code_expect(parsing->reader, ";");
        put(parsing, ";");
        *returns = true;
        return;
    }
    if (is_constant)
        shw_code_next(parsing->reader);
    if (take_type(parsing, &type)) {
        read_declaration(parsing, type, is_constant);
    } else {
        if (is_constant)
            shw_code_refuse_foreign(parsing->reader, line, parsing->reader->token.at, parsing->reader->token.length);
        if (is_constant)
            REFUSE(parsing, "a type is expected: int, uint or bool");
        read_assignment(parsing);
        put(parsing, ";");
    }
    shw_code_expect(parsing->reader, ";");
}

/* --- Functions and constants --- */

/* "NAME[3] = {1, 2, 3};", without the type and the name. */
static void read_table(struct parsing *parsing, enum type type, const char *name)
{
    parsing->is_global = true;
    parsing->to = &parsing->tables;
    read_array(parsing, type, name, true);
    put(parsing, "\n");
    parsing->to = &parsing->out;
    parsing->is_global = false;
    parsing->names[parsing->name_count - 1].is_global = true;
    parsing->work = parsing->size = 0;
    shw_code_expect(parsing->reader, ";");
}

static void read_constant(struct parsing *parsing)
{
    const size_t length = parsing->out.length;
    const uint32_t out_line = parsing->out_line, line = parsing->reader->token.line;
    char name[SHW_CODE_NAME_MAX + 1];
    struct value value;
    enum type type;

    if (!take_type(parsing, &type) || type == BOOL)
        shw_code_refuse(parsing->reader, line, "a constant is an int or a uint");
    take_new_name(parsing, name);
    if (shw_code_is(parsing->reader, "[")) {
        read_table(parsing, type, name);
        return;
    }
    shw_code_expect(parsing->reader, "=");
    parsing->is_global = true;
    value = read_expression(parsing);
    parsing->is_global = false;
    need_type(parsing, line, type, value, "the value");
    if (!value.is_known || value.low != value.high || (type == UINT && value.low < 0))
        shw_code_refuse(parsing->reader, line, "%s is no constant up to %lld that can be computed here", name,
                        (long long)EXACT_MAX);
    add_name(parsing, name, known(type, value.low, value.high), true)->is_global = true;
    parsing->out.length = parsing->out.failed ? parsing->out.length : length; /* it is written where it is used */
    parsing->out_line = out_line;
    parsing->work = parsing->size = 0;
    shw_code_expect(parsing->reader, ";");
}

static void read_function(struct parsing *parsing)
{
    const uint32_t names = parsing->name_count;
    struct function function = {.line = parsing->reader->token.line};
    char name[SHW_CODE_NAME_MAX + 1];
    bool returns = false;

    if (!take_type(parsing, &function.type)) {
        shw_code_refuse_foreign(parsing->reader, parsing->reader->token.line, parsing->reader->token.at,
                                parsing->reader->token.length);
        REFUSE(parsing, "a function is expected, as in int response() { return 0; }, not '%.*s'",
               (int)(parsing->reader->token.length < 40 ? parsing->reader->token.length : 40),
               parsing->reader->token.at);
    }
    take_new_name(parsing, function.name);
    put(parsing, "SHW_INLINE");
    put(parsing, type_words[function.type]);
    put_name(parsing, 'u', function.name);
    put(parsing, "(SHW_CODE_PARAMETER SHW_USER user");
    shw_code_expect(parsing->reader, "(");
    while (!shw_code_is(parsing->reader, ")")) {
        enum type type;

        if (function.argument_count > 0)
            shw_code_expect(parsing->reader, ",");
        if (function.argument_count == ARGUMENTS_MAX)
            REFUSE(parsing, "a function has at most %u arguments", ARGUMENTS_MAX);
        if (!take_type(parsing, &type))
            REFUSE(parsing, "the type of an argument is expected: int, uint or bool");
        take_new_name(parsing, name);
        add_name(parsing, name, value_of(type), false);
        function.arguments[function.argument_count++] = type;
        put(parsing, ",");
        put(parsing, type_words[type]);
        put_name(parsing, 'v', name);
    }
    shw_code_expect(parsing->reader, ")");
    put(parsing, ") {");
    shw_code_expect(parsing->reader, "{");
    parsing->work = parsing->size = 0;
    parsing->reading = (struct shw_channel_reading){.inputs = false};
    parsing->result = function.type;
    read_block(parsing, &returns);
    put(parsing, "}");
    if (!returns)
        shw_code_refuse(parsing->reader, function.line, "%s() must end with return", function.name);
    parsing->name_count = names;
    if (parsing->function_count == FUNCTIONS_MAX)
        REFUSE(parsing, "more than %u functions", FUNCTIONS_MAX);
    function.work = (uint32_t)parsing->work + 1;
    function.size = (uint32_t)parsing->size + 1;
    function.reading = parsing->reading;
    parsing->functions[parsing->function_count++] = function;
}

static bool check_entry(struct parsing *parsing, const char *name, enum type type, bool is_needed)
{
    const struct function *function = find_function(parsing, name);

    if (function == NULL && is_needed)
        shw_code_refuse(parsing->reader, parsing->reader->line, "there is no function %s %s()", type_names[type], name);
    if (function != NULL && (function->type != type || function->argument_count > 0))
        shw_code_refuse(parsing->reader, function->line, "it must be %s %s(), without arguments", type_names[type],
                        name);
    return function != NULL;
}

/* Takes over what the function of a pass or an output reads: planes of passes before it only. */
static void take_reading(struct parsing *parsing, const char *name, uint32_t passes,
                         struct shw_channel_reading *reading)
{
    const struct function *function;

    check_entry(parsing, name, INT, true);
    function = find_function(parsing, name);
    for (uint32_t p = passes; p < parsing->text->pass_count; p++)
        if ((function->reading.planes >> p & 1) != 0)
            shw_code_refuse(parsing->reader, function->line, "the pass %s reads %s, whose //!PASS must come before",
                            parsing->text->passes[passes].name, parsing->text->passes[p].name);
    reading->inputs |= function->reading.inputs;
    reading->planes |= function->reading.planes;
}

void shw_code_functions_read(struct shw_code_reader *reader, struct shw_code_text *text)
{
    struct parsing *parsing = calloc(1, sizeof *parsing);
    jmp_buf outer;

    if (parsing == NULL)
        shw_code_refuse(reader, 1, "not enough memory");
    parsing->reader = reader;
    parsing->text = text;
    parsing->to = &parsing->out;
    parsing->out_line = 1;
    text->is_of_regions = text->subject == SHW_CODE_FEATURE && text->has_rectangle;
    memcpy(&outer, &reader->failed, sizeof outer);
    if (setjmp(reader->failed) != 0) {
        free(parsing->out.text);
        free(parsing->tables.text);
        free(parsing);
        memcpy(&reader->failed, &outer, sizeof outer);
        longjmp(reader->failed, 1);
    }
    shw_code_next(reader);
    while (reader->token.kind != SHW_TOKEN_END) {
        if (shw_code_take(reader, "const"))
            read_constant(parsing);
        else
            read_function(parsing);
    }
    if (text->subject == SHW_CODE_FEATURE) {
        check_entry(parsing, "response", INT, true);
        text->may_be_undefined = check_entry(parsing, "undefined", BOOL, false);
    }
    for (uint32_t p = 0; p < text->pass_count; p++)
        take_reading(parsing, text->passes[p].function, p, &text->passes[p].reading);
    for (uint32_t i = 0; i < text->output_count; i++)
        take_reading(parsing, text->outputs[i].function, text->pass_count, &text->reading);
    if (parsing->out.failed || parsing->tables.failed)
        shw_code_refuse(reader, 1, "not enough memory");
    memcpy(&reader->failed, &outer, sizeof outer);
    text->tables = parsing->tables.text;
    text->body = parsing->out.text;
    free(parsing);
}
