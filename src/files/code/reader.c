#include "files/code/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"

const char *const shw_code_members[4] = {"x0", "y0", "x1", "y1"};

void shw_code_refuse(struct shw_code_reader *reader, uint32_t line, const char *format, ...)
{
    int length = snprintf(reader->why, sizeof reader->why, "%.300s:%u: ", reader->file, line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->why + length, sizeof reader->why - (size_t)length, format, arguments);
    va_end(arguments);
    longjmp(reader->failed, 1);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Blanks, and comments of both kinds. Lines that begin with "//!" belong to the head, and are skipped, too. */
static void skip_blanks(struct shw_code_reader *reader)
{
    for (; reader->at < reader->end; reader->at++) {
        const char c = *reader->at;
        const bool more = reader->at + 1 < reader->end;

        if (c == '\n') {
            reader->line++;
        } else if (c == '/' && more && reader->at[1] == '/') {
            while (reader->at + 1 < reader->end && reader->at[1] != '\n')
                reader->at++;
        } else if (c == '/' && more && reader->at[1] == '*') {
            const uint32_t begin = reader->line;
            for (reader->at += 2;; reader->at++) {
                if (reader->at + 1 >= reader->end)
                    shw_code_refuse(reader, begin, "the comment has no end");
                if (reader->at[0] == '*' && reader->at[1] == '/')
                    break;
                reader->line += *reader->at == '\n';
            }
            reader->at++;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

static void read_number(struct shw_code_reader *reader, struct shw_token *token)
{
    const char *at = reader->at;
    uint64_t base = 10, value = 0;
    uint32_t digits = 0;

    if (*at == '0' && at + 1 < reader->end && (at[1] == 'x' || at[1] == 'X')) {
        base = 16;
        at += 2;
    } else if (*at == '0' && at + 1 < reader->end && is_digit(at[1])) {
        shw_code_refuse(reader, reader->line, "a number may not begin with 0");
    }
    for (; at < reader->end; at++, digits++) {
        const char low = (char)(*at | 0x20);
        const int digit = is_digit(*at) ? *at - '0' : base == 16 && low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (digit < 0)
            break;
        value = value * base + (uint64_t)digit;
        if (value > UINT32_MAX)
            shw_code_refuse(reader, reader->line, "a number is greater than 4294967295");
    }
    token->is_unsigned = at < reader->end && (*at == 'u' || *at == 'U');
    at += token->is_unsigned;
    if (digits == 0 || (at < reader->end && (is_letter(*at) || is_digit(*at) || *at == '.')))
        shw_code_refuse(reader, reader->line, "numbers are integers, as 12, 0x1f or 12u");
    if (!token->is_unsigned && value > INT32_MAX)
        shw_code_refuse(reader, reader->line, "a number greater than 2147483647 needs the suffix u");
    token->number = (int64_t)value;
    token->length = (uint32_t)(at - reader->at);
}

static uint32_t sign_length(const struct shw_code_reader *reader)
{
    static const char *const signs[] = {"<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++",
                                        "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+",  "-",
                                        "*",   "/",   "%",  "<",  ">",  "=",  "!",  "~",  "&",  "|",  "^",
                                        "?",   ":",   ";",  ",",  ".",  "(",  ")",  "{",  "}",  "[",  "]"};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t length = strlen(signs[i]);
        if (length <= (size_t)(reader->end - reader->at) && memcmp(reader->at, signs[i], length) == 0)
            return (uint32_t)length;
    }
    return 0;
}

void shw_code_next(struct shw_code_reader *reader)
{
    struct shw_token token = {.kind = SHW_TOKEN_END};

    skip_blanks(reader);
    token.at = reader->at;
    token.line = reader->line;
    if (reader->at == reader->end) {
        reader->token = token;
        return;
    }
    if (is_letter(*reader->at)) {
        token.kind = SHW_TOKEN_NAME;
        while (reader->at + token.length < reader->end &&
               (is_letter(token.at[token.length]) || is_digit(token.at[token.length])))
            token.length++;
    } else if (is_digit(*reader->at)) {
        token.kind = SHW_TOKEN_NUMBER;
        read_number(reader, &token);
    } else {
        token.kind = SHW_TOKEN_SIGN;
        token.length = sign_length(reader);
        if (token.length == 0 && *reader->at == '#')
            shw_code_refuse(reader, reader->line,
                            "there are no # directives here: a constant is const int NAME = 3, "
                            "and a macro with arguments is a function");
        if (token.length == 0 && *reader->at > ' ' && *reader->at < 0x7f)
            shw_code_refuse(reader, reader->line, "'%c' has no meaning here", *reader->at);
        if (token.length == 0)
            shw_code_refuse(reader, reader->line, "byte 0x%02x has no meaning here", (unsigned char)*reader->at);
    }
    reader->at += token.length;
    reader->token = token;
}

bool shw_code_is(const struct shw_code_reader *reader, const char *word)
{
    return reader->token.kind != SHW_TOKEN_END && strlen(word) == reader->token.length &&
           memcmp(word, reader->token.at, reader->token.length) == 0;
}

bool shw_code_take(struct shw_code_reader *reader, const char *word)
{
    if (!shw_code_is(reader, word))
        return false;
    shw_code_next(reader);
    return true;
}

void shw_code_expect(struct shw_code_reader *reader, const char *sign)
{
    const struct shw_token *token = &reader->token;

    if (shw_code_take(reader, sign))
        return;
    if (token->kind == SHW_TOKEN_END)
        shw_code_refuse(reader, token->line, "'%s' is expected, not the end", sign);
    shw_code_refuse(reader, token->line, "'%s' is expected, not '%.*s'", sign,
                    (int)(token->length < 40 ? token->length : 40), token->at);
}

void shw_code_take_name(struct shw_code_reader *reader, const char *what, char name[SHW_CODE_NAME_MAX + 1])
{
    const struct shw_token *token = &reader->token;

    if (token->kind == SHW_TOKEN_END)
        shw_code_refuse(reader, token->line, "%s is expected, not the end", what);
    if (token->kind != SHW_TOKEN_NAME)
        shw_code_refuse(reader, token->line, "%s is expected, not '%.*s'", what,
                        (int)(token->length < 40 ? token->length : 40), token->at);
    if (token->length > SHW_CODE_NAME_MAX)
        shw_code_refuse(reader, token->line, "a name is longer than %u letters", SHW_CODE_NAME_MAX);
    memcpy(name, token->at, token->length);
    name[token->length] = '\0';
    shw_code_next(reader);
}

void shw_code_refuse_foreign(struct shw_code_reader *reader, uint32_t line, const char *word, size_t length)
{
    static const char numbers[] = "numbers are int or uint: scale them, as in x * 256 / 3";
    static const char vectors[] = "a vector is several variables of int or uint, or an array, as int v[2]";
    static const char loops[] = "for (int i = 0; i < 100; i++) with break does the same, with a limit";
    static const char reading[] = "what is read comes from value(), sum(), red() and other functions";
    static const char results[] = "a function returns an int, uint or bool";
    static const char plain[] = "variables are int, uint or bool, and constants are const";
    static const struct {
        const char *word, *instead;
    } foreign[] = {{"float", numbers},
                   {"double", numbers},
                   {"half", numbers},
                   {"vec2", numbers},
                   {"vec3", numbers},
                   {"vec4", numbers},
                   {"mat2", numbers},
                   {"mat3", numbers},
                   {"mat4", numbers},
                   {"ivec2", vectors},
                   {"ivec3", vectors},
                   {"ivec4", vectors},
                   {"uvec2", vectors},
                   {"uvec3", vectors},
                   {"uvec4", vectors},
                   {"bvec2", vectors},
                   {"bvec3", vectors},
                   {"bvec4", vectors},
                   {"struct", vectors},
                   {"while", loops},
                   {"do", loops},
                   {"goto", loops},
                   {"switch", "if and else do the same"},
                   {"void", results},
                   {"in", results},
                   {"out", results},
                   {"inout", results},
                   {"uniform", reading},
                   {"buffer", reading},
                   {"layout", reading},
                   {"texture", reading},
                   {"texelFetch", reading},
                   {"sampler2D", reading},
                   {"char", plain},
                   {"short", plain},
                   {"long", plain},
                   {"unsigned", plain},
                   {"signed", plain},
                   {"static", plain},
                   {"extern", plain},
                   {"typedef", plain},
                   {"enum", plain},
                   {"highp", plain},
                   {"mediump", plain},
                   {"lowp", plain}};

    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strlen(foreign[i].word) == length && memcmp(foreign[i].word, word, length) == 0)
            shw_code_refuse(reader, line, "there is no '%s' here: %s", foreign[i].word, foreign[i].instead);
}

int32_t shw_code_find_param(const struct shw_code_text *text, const char *name, size_t length)
{
    for (uint32_t i = 0; i < text->param_count; i++)
        if (strlen(text->params[i].name) == length && memcmp(text->params[i].name, name, length) == 0)
            return (int32_t)i;
    return -1;
}

int shw_code_find_member(enum shw_code_type type, const char *name, size_t length)
{
    for (int i = 0; type == SHW_CODE_RECTANGLE && i < 4; i++)
        if (length == 2 && memcmp(name, shw_code_members[i], 2) == 0)
            return i;
    return type == SHW_CODE_OFFSET && length == 1 && (*name == 'x' || *name == 'y') ? *name - 'x' : -1;
}

struct shw_code_interval shw_code_param_interval(const struct shw_code_param *param,
                                                 const struct shw_draw_limits *limits)
{
    const int64_t offset = limits != NULL ? limits->offset_max : 0;

    if (limits != NULL && param->type == SHW_CODE_SIZE)
        return (struct shw_code_interval){1, shw_min_u32((uint32_t)param->max, limits->size_max)};
    if (limits != NULL && (param->type == SHW_CODE_RECTANGLE || param->type == SHW_CODE_OFFSET))
        return (struct shw_code_interval){-offset, offset + (param->type == SHW_CODE_RECTANGLE)};
    if (param->type == SHW_CODE_INT || param->type == SHW_CODE_SIZE)
        return (struct shw_code_interval){param->min, param->max};
    return (struct shw_code_interval){INT16_MIN, INT16_MAX};
}

void shw_code_put(struct shw_code_buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    int length;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (buffer->length + (size_t)length + 1 > buffer->room && !buffer->failed) {
        const size_t room = 2 * buffer->room + (size_t)length + 1024;
        char *grown = realloc(buffer->text, room);
        if (grown == NULL)
            buffer->failed = true;
        else
            *buffer = (struct shw_code_buffer){grown, buffer->length, room, false};
    }
    if (!buffer->failed) {
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}
