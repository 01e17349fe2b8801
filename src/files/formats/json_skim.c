#include "files/formats/json_skim.h"

#include <stdint.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void pass_space(struct shw_json_skim *skim)
{
    while (skim->at < skim->end && is_space(*skim->at))
        skim->at++;
}

static bool pass(struct shw_json_skim *skim, char c)
{
    pass_space(skim);
    if (skim->at == skim->end || *skim->at != c)
        return false;
    skim->at++;
    return true;
}

/* The place after a string that begins at `at`; `end` if it does not end. */
static const char *after_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

static const char *after_nested(const char *at, const char *end)
{
    size_t nesting = 0;

    while (at < end) {
        if (*at == '"') {
            at = after_string(at, end);
            continue;
        }
        nesting += *at == '{' || *at == '[';
        nesting -= *at == '}' || *at == ']';
        at++;
        if (nesting == 0)
            break;
    }
    return at;
}

static const char *after_word(const char *at, const char *end)
{
    while (at < end && !is_space(*at) && *at != ',' && *at != ']' && *at != '}' && *at != ':')
        at++;
    return at;
}

static bool pass_value(struct shw_json_skim *skim, struct shw_json_slice *value)
{
    pass_space(skim);
    value->text = skim->at;
    if (skim->at == skim->end)
        return false;
    if (*skim->at == '"')
        skim->at = after_string(skim->at, skim->end);
    else if (*skim->at == '{' || *skim->at == '[')
        skim->at = after_nested(skim->at, skim->end);
    else
        skim->at = after_word(skim->at, skim->end);
    value->size = (size_t)(skim->at - value->text);
    return value->size > 0;
}

bool shw_json_skim_begin(const struct shw_json_slice *value, char bracket, struct shw_json_skim *skim)
{
    *skim = (struct shw_json_skim){value->text, value->text + value->size, bracket, false};
    return pass(skim, bracket);
}

enum shw_json_step shw_json_skim_next(struct shw_json_skim *skim, struct shw_json_slice *name,
                                      struct shw_json_slice *value)
{
    struct shw_json_slice found;

    if (pass(skim, skim->bracket == '{' ? '}' : ']'))
        return SHW_JSON_END;
    if (skim->began && !pass(skim, ','))
        return SHW_JSON_WRONG;
    skim->began = true;
    if (skim->bracket == '{') {
        if (!pass_value(skim, &found) || found.size < 2 || found.text[0] != '"' || !pass(skim, ':'))
            return SHW_JSON_WRONG;
        if (name != NULL)
            *name = (struct shw_json_slice){found.text + 1, found.size - 2};
    }
    return pass_value(skim, value) ? SHW_JSON_VALUE : SHW_JSON_WRONG;
}

size_t shw_json_skim_count(const struct shw_json_slice *value, char bracket, size_t most)
{
    struct shw_json_skim skim;
    struct shw_json_slice passed;
    enum shw_json_step step;
    size_t count = 0;

    if (!shw_json_skim_begin(value, bracket, &skim))
        return SIZE_MAX;
    while ((step = shw_json_skim_next(&skim, NULL, &passed)) == SHW_JSON_VALUE && count <= most)
        count++;
    return step == SHW_JSON_WRONG ? SIZE_MAX : count;
}

bool shw_json_slice_is(const struct shw_json_slice *slice, const char *text)
{
    return slice->size == strlen(text) && memcmp(slice->text, text, slice->size) == 0;
}
