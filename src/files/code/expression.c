/* Integer expressions of the head: reach and bound, over the parameters. */
#include <string.h>

#include "files/code/reader.h"

#define VALUE_MAX ((int64_t)1 << 62)
#define EXACT_MAX ((int64_t)1 << 30) /* shaders compute the same up to here */
#define DEPTH_MAX 32u

struct parsing {
    struct shw_code_reader *reader;
    const struct shw_code_text *text;
    struct shw_code_expression *expression;
    uint32_t depth;
};

static uint8_t add(struct parsing *parsing, struct shw_code_node node)
{
    struct shw_code_expression *expression = parsing->expression;

    if (expression->count == SHW_CODE_NODES_MAX)
        shw_code_refuse(parsing->reader, parsing->reader->line, "the expression has more than %u terms",
                        SHW_CODE_NODES_MAX);
    expression->nodes[expression->count] = node;
    return (uint8_t)expression->count++;
}

static uint8_t read_sum(struct parsing *parsing);

/* min(a, b), max(a, b) and greatest(channel). */
static uint8_t read_call(struct parsing *parsing, char operation)
{
    struct shw_code_node node = {.operation = operation};

    shw_code_expect(parsing->reader, "(");
    if (operation == 'g') {
        const struct shw_token *token = &parsing->reader->token;
        const int32_t param = shw_code_find_param(parsing->text, token->at, token->length);
        if (token->kind != SHW_TOKEN_NAME || param < 0 || parsing->text->params[param].type != SHW_CODE_CHANNEL_OF)
            shw_code_refuse(parsing->reader, token->line, "greatest() takes a parameter of the type channel");
        node.a = (uint8_t)param;
        shw_code_next(parsing->reader);
    } else {
        node.a = read_sum(parsing);
        shw_code_expect(parsing->reader, ",");
        node.b = read_sum(parsing);
    }
    shw_code_expect(parsing->reader, ")");
    return add(parsing, node);
}

static uint8_t read_param(struct parsing *parsing)
{
    struct shw_code_reader *reader = parsing->reader;
    const struct shw_token token = reader->token;
    const int32_t param = shw_code_find_param(parsing->text, token.at, token.length);
    struct shw_code_node node = {.operation = 'p', .a = (uint8_t)param};
    enum shw_code_type type;

    if (param < 0)
        shw_code_refuse(reader, token.line, "there is no parameter '%.*s' above",
                        (int)(token.length < 40 ? token.length : 40), token.at);
    type = parsing->text->params[param].type;
    shw_code_next(reader);
    if (type == SHW_CODE_CHANNEL_OF)
        shw_code_refuse(reader, token.line, "the number of a channel says nothing about a reach or a bound");
    if (type == SHW_CODE_SINGLE)
        shw_code_refuse(reader, token.line, "%s is true or false, and no number", parsing->text->params[param].name);
    if (type == SHW_CODE_RECTANGLE || type == SHW_CODE_OFFSET) {
        int member;
        shw_code_expect(reader, ".");
        member = shw_code_find_member(type, reader->token.at, reader->token.length);
        if (member < 0)
            shw_code_refuse(reader, token.line, "%s has the members %s", parsing->text->params[param].name,
                            type == SHW_CODE_OFFSET ? "x and y" : "x0, y0, x1 and y1");
        node.b = (uint8_t)member;
        shw_code_next(reader);
    }
    return add(parsing, node);
}

static uint8_t read_term(struct parsing *parsing)
{
    struct shw_code_reader *reader = parsing->reader;
    uint8_t node;

    if (++parsing->depth > DEPTH_MAX)
        shw_code_refuse(reader, reader->token.line, "the expression is nested more than %u times", DEPTH_MAX);
    if (shw_code_take(reader, "-")) {
        node = read_term(parsing);
        node = add(parsing, (struct shw_code_node){.operation = 'n', .a = node});
    } else if (shw_code_take(reader, "(")) {
        node = read_sum(parsing);
        shw_code_expect(reader, ")");
    } else if (reader->token.kind == SHW_TOKEN_NUMBER) {
        node = add(parsing, (struct shw_code_node){.operation = '#', .number = reader->token.number});
        shw_code_next(reader);
    } else if (shw_code_take(reader, "min")) {
        node = read_call(parsing, 'm');
    } else if (shw_code_take(reader, "max")) {
        node = read_call(parsing, 'M');
    } else if (shw_code_take(reader, "greatest")) {
        node = read_call(parsing, 'g');
    } else if (reader->token.kind == SHW_TOKEN_NAME) {
        node = read_param(parsing);
    } else {
        shw_code_refuse(reader, reader->token.line, "a number or a parameter is expected");
    }
    parsing->depth--;
    return node;
}

static uint8_t read_product(struct parsing *parsing)
{
    uint8_t left = read_term(parsing), right;

    for (;;) {
        const char operation = shw_code_is(parsing->reader, "*") ? '*' : shw_code_is(parsing->reader, "/") ? '/' : 0;
        if (operation == 0)
            return left;
        shw_code_next(parsing->reader);
        if (operation == '/' && (parsing->reader->token.kind != SHW_TOKEN_NUMBER || parsing->reader->token.number < 1))
            shw_code_refuse(parsing->reader, parsing->reader->token.line, "a divisor is a number greater than 0");
        right = read_term(parsing);
        left = add(parsing, (struct shw_code_node){.operation = operation, .a = left, .b = right});
    }
}

static uint8_t read_sum(struct parsing *parsing)
{
    uint8_t left = read_product(parsing), right;

    for (;;) {
        const char operation = shw_code_is(parsing->reader, "+") ? '+' : shw_code_is(parsing->reader, "-") ? '-' : 0;
        if (operation == 0)
            return left;
        shw_code_next(parsing->reader);
        right = read_product(parsing);
        left = add(parsing, (struct shw_code_node){.operation = operation, .a = left, .b = right});
    }
}

void shw_code_expression_read(struct shw_code_reader *reader, const struct shw_code_text *text,
                              struct shw_code_expression *expression)
{
    struct parsing parsing = {reader, text, expression, 0};

    expression->count = 0;
    (void)read_sum(&parsing);
}

static int64_t saturate(__int128 value)
{
    return value > VALUE_MAX ? VALUE_MAX : value < -VALUE_MAX ? -VALUE_MAX : (int64_t)value;
}

static int64_t combine(char operation, int64_t a, int64_t b)
{
    switch (operation) {
    case '+': return saturate((__int128)a + b);
    case '-': return saturate((__int128)a - b);
    case '*': return saturate((__int128)a * b);
    case '/': return a / b;
    case 'm': return a < b ? a : b;
    case 'M': return a > b ? a : b;
    default: /* 'n' */ return -a;
    }
}

bool shw_code_expression_interval(const struct shw_code_text *text, const struct shw_code_expression *expression,
                                  const struct shw_draw_limits *limits, struct shw_code_interval *interval)
{
    struct shw_code_interval values[SHW_CODE_NODES_MAX];
    bool exact = true;

    for (uint32_t i = 0; i < expression->count; i++) {
        const struct shw_code_node *node = &expression->nodes[i];
        const bool is_leaf = node->operation == '#' || node->operation == 'p' || node->operation == 'g';
        const struct shw_code_interval a = is_leaf ? (struct shw_code_interval){0, 0} : values[node->a];
        const struct shw_code_interval b =
            is_leaf || node->operation == 'n' ? (struct shw_code_interval){1, 1} : values[node->b];
        const int64_t ends[] = {a.low, a.high}, others[] = {b.low, b.high};

        if (node->operation == '#') {
            values[i] = (struct shw_code_interval){node->number, node->number};
        } else if (node->operation == 'p') {
            values[i] = shw_code_param_interval(&text->params[node->a], limits);
        } else if (node->operation == 'g') {
            values[i] = (struct shw_code_interval){1, INT16_MAX};
        } else {
            values[i] = (struct shw_code_interval){VALUE_MAX, -VALUE_MAX};
            for (int e = 0; e < 4; e++) {
                const int64_t value = combine(node->operation, ends[e & 1], others[e >> 1]);
                values[i].low = value < values[i].low ? value : values[i].low;
                values[i].high = value > values[i].high ? value : values[i].high;
            }
        }
        exact = exact && values[i].low >= -EXACT_MAX && values[i].high <= EXACT_MAX;
    }
    *interval = values[expression->count - 1];
    return exact;
}

int64_t shw_code_expression_value(const struct shw_code_expression *expression,
                                  const int32_t values[SHW_CODE_PARAMS_MAX][4], const struct shw_channel_list *channels)
{
    int64_t results[SHW_CODE_NODES_MAX];

    for (uint32_t i = 0; i < expression->count; i++) {
        const struct shw_code_node *node = &expression->nodes[i];

        if (node->operation == '#')
            results[i] = node->number;
        else if (node->operation == 'p')
            results[i] = values[node->a][node->b];
        else if (node->operation == 'g')
            results[i] = channels != NULL ? channels->channels[values[node->a][0]].max_abs : INT16_MAX;
        else
            results[i] = combine(node->operation, results[node->a], node->operation == 'n' ? 1 : results[node->b]);
    }
    return results[expression->count - 1];
}

static void put_node(const struct shw_code_text *text, const struct shw_code_expression *expression, uint32_t n,
                     struct shw_code_buffer *buffer)
{
    const struct shw_code_node *node = &expression->nodes[n];
    const struct shw_code_param *param = &text->params[node->a];

    switch (node->operation) {
    case '#': shw_code_put(buffer, "%lld", (long long)node->number); break;
    case 'p':
        shw_code_put(buffer, "user.p_%s%s%s", param->name,
                     param->type == SHW_CODE_RECTANGLE || param->type == SHW_CODE_OFFSET ? "." : "",
                     param->type == SHW_CODE_RECTANGLE || param->type == SHW_CODE_OFFSET ? shw_code_members[node->b]
                                                                                         : "");
        break;
    case 'n':
        shw_code_put(buffer, "(-");
        put_node(text, expression, node->a, buffer);
        shw_code_put(buffer, ")");
        break;
    case 'm':
    case 'M':
        shw_code_put(buffer, node->operation == 'm' ? "shw_min(" : "shw_max(");
        put_node(text, expression, node->a, buffer);
        shw_code_put(buffer, ", ");
        put_node(text, expression, node->b, buffer);
        shw_code_put(buffer, ")");
        break;
    default:
        shw_code_put(buffer, "(");
        put_node(text, expression, node->a, buffer);
        shw_code_put(buffer, " %c ", node->operation);
        put_node(text, expression, node->b, buffer);
        shw_code_put(buffer, ")");
    }
}

void shw_code_expression_put(const struct shw_code_text *text, const struct shw_code_expression *expression,
                             struct shw_code_buffer *buffer)
{
    put_node(text, expression, expression->count - 1, buffer);
}
