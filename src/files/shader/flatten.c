#include "files/shader/flatten.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/shader/preprocess.h"

/* A declaration with the comment before it, or a line. */
struct piece {
    const char *begin, *end;
    const char *name; /* what it defines; NULL: nothing that others name */
    size_t name_length;
    enum shw_flat_mark mark;
    bool is_needed;
};

struct pieces {
    struct piece *list;
    size_t count, room;
    bool failed;
};

static void add(struct pieces *pieces, struct piece piece)
{
    if (pieces->count == pieces->room) {
        const size_t room = 2 * pieces->room + 64;
        struct piece *grown = realloc(pieces->list, room * sizeof *grown);

        pieces->failed |= grown == NULL;
        if (grown == NULL)
            return;
        pieces->list = grown;
        pieces->room = room;
    }
    pieces->list[pieces->count++] = piece;
}

static const char *name_end(const char *at)
{
    while (shw_flat_is_name(*at))
        at++;
    return at;
}

static bool starts(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0 && !shw_flat_is_name(at[strlen(word)]);
}

/* What a declaration defines: the name before the first parenthesis or '=', or of a struct the first one. */
static void set_name(struct piece *piece, const char *code)
{
    const char *last = NULL;

    if (piece->mark == SHW_FLAT_MACRO)
        code += sizeof "#define";
    for (const char *at = code; at < piece->end && *at != '(' && *at != '=' && *at != '{' && *at != '[';) {
        const char *end = name_end(at);

        if (end > at && !starts(at, "struct") && !starts(at, "const")) {
            last = at;
            if (piece->mark == SHW_FLAT_MACRO || strncmp(code, "struct", 6) == 0)
                break;
        }
        at = end > at ? end : at + 1;
    }
    piece->name = last;
    piece->name_length = last != NULL ? (size_t)(name_end(last) - last) : 0;
}

/* A function that is only declared: what is defined stands in front of its uses. */
static bool is_prototype(const char *code, const char *end)
{
    const char *open = memchr(code, '(', (size_t)(end - code));

    return open != NULL && memchr(code, '{', (size_t)(end - code)) == NULL &&
           memchr(code, '=', (size_t)(end - code)) == NULL && !starts(code, "layout") && end[-1] == ';';
}

/* From the first place of a declaration to its end. */
static const char *declaration_end(const char *at)
{
    int inner = 0;

    for (; *at != '\0' && (unsigned char)*at > SHW_FLAT_MACRO; at++) {
        const char *end = shw_flat_comment_end(at);

        if (end != at) {
            at = end - 1;
            continue;
        }
        inner += (*at == '{') - (*at == '}');
        if (inner == 0 && *at == ';')
            return at + 1;
        if (inner == 0 && *at == '}' && at[1 + strspn(at + 1, " ")] != ';')
            return at + 1;
    }
    return at;
}

/* Within a function, marks of its source's directives stand, which say nothing, and lines that stay. */
static void drop_inner_marks(char *text)
{
    int inner = 0;
    char *to = text;

    for (const char *at = text; *at != '\0'; at++) {
        const char *end = shw_flat_comment_end(at);

        if (end != at) {
            memmove(to, at, (size_t)(end - at));
            to += end - at;
            at = end - 1;
            continue;
        }
        if ((unsigned char)*at <= SHW_FLAT_MACRO && inner > 0) {
            at += at[1] == '\n';
            continue;
        }
        if (*at == SHW_FLAT_LINE) {
            end = strchr(at + 2, '\n');
            memmove(to, at, (size_t)(end - at));
            to += end - at;
            at = end;
        }
        inner += (*at == '{') - (*at == '}');
        *to++ = *at;
    }
    *to = '\0';
}

static void split(const char *text, struct pieces *pieces)
{
    enum shw_flat_mark mark = SHW_FLAT_OWN;
    const char *comment = NULL;

    for (const char *at = text; *at != '\0';) {
        const char *end = shw_flat_comment_end(at);

        if ((unsigned char)*at <= SHW_FLAT_MACRO) {
            mark = (enum shw_flat_mark) * at;
            at += 2;
            if (mark == SHW_FLAT_LINE || mark == SHW_FLAT_MACRO) {
                struct piece piece = {.begin = at, .end = strchr(at, '\n'), .mark = mark};
                if (mark == SHW_FLAT_MACRO)
                    set_name(&piece, at);
                add(pieces, piece);
                at = piece.end;
            }
        } else if (end != at) {
            comment = at;
            at = end;
        } else if (isspace((unsigned char)*at)) {
            at++;
        } else {
            struct piece piece = {.begin = comment != NULL ? comment : at, .end = declaration_end(at), .mark = mark};
            set_name(&piece, at);
            if (*at != ';' && !is_prototype(at, piece.end))
                add(pieces, piece);
            at = piece.end;
            comment = NULL;
        }
    }
}

static bool names(const struct piece *piece, const struct piece *other)
{
    for (const char *at = piece->begin, *end; at < piece->end; at = end) {
        end = name_end(at);
        if (end == at)
            end = shw_flat_comment_end(at) != at ? shw_flat_comment_end(at) : at + 1;
        else if ((size_t)(end - at) == other->name_length && memcmp(at, other->name, other->name_length) == 0)
            return true;
    }
    return false;
}

static void need(struct pieces *pieces, const struct piece *piece)
{
    for (size_t i = 0; i < pieces->count; i++) {
        struct piece *other = &pieces->list[i];

        if (!other->is_needed && other->name != NULL && names(piece, other)) {
            other->is_needed = true;
            need(pieces, other);
        }
    }
}

/* Writes names with the prefix in place of the library's. */
static void put_renamed(const char *begin, const char *end, const char *prefix, struct shw_code_buffer *out)
{
    for (const char *at = begin, *next; at < end; at = next) {
        next = name_end(at);
        if (next == at) {
            next++;
            shw_code_put(out, "%c", *at);
        } else if (strncmp(at, "shw_", 4) == 0) {
            shw_code_put(out, "%s%.*s", prefix, (int)(next - at - 3), at + 3);
        } else if (strncmp(at, "SHW_", 4) == 0) {
            for (const char *letter = prefix; *letter != '\0'; letter++)
                shw_code_put(out, "%c", toupper((unsigned char)*letter));
            shw_code_put(out, "%.*s", (int)(next - at - 3), at + 3);
        } else {
            shw_code_put(out, "%.*s", (int)(next - at), at);
        }
    }
}

/* Whether a statement may begin after what was written. */
static bool is_after_statement(const struct shw_code_buffer *out)
{
    size_t length = out->length;

    while (length > 0 && isspace((unsigned char)out->text[length - 1]))
        length--;
    return length > 0 && strchr(";{}", out->text[length - 1]) != NULL;
}

/* Without lines of which macros have left only a semicolon. */
static void put_piece(const struct piece *piece, const char *prefix, struct shw_code_buffer *out)
{
    const char *at = piece->begin;

    while (at < piece->end) {
        const char *end = memchr(at, '\n', (size_t)(piece->end - at)), *code = at + strspn(at, " ");

        end = end != NULL ? end : piece->end;
        if (*code != ';' || code + 1 < end || !is_after_statement(out)) {
            put_renamed(at, end, prefix, out);
            shw_code_put(out, "\n");
        }
        at = end + 1;
    }
}

static void put_all(const struct pieces *pieces, const char *prefix, struct shw_code_buffer *out)
{
    bool was_line = true;

    for (size_t i = 0; i < pieces->count; i++) {
        const struct piece *piece = &pieces->list[i];
        const bool is_line = piece->mark == SHW_FLAT_LINE || piece->mark == SHW_FLAT_MACRO ||
                             memchr(piece->begin, '\n', (size_t)(piece->end - piece->begin)) == NULL;

        if (!piece->is_needed)
            continue;
        if (!is_line || !was_line)
            shw_code_put(out, "\n");
        put_piece(piece, prefix, out);
        was_line = is_line;
    }
}

enum shw_result shw_flatten(const struct shw_flat_input *input, const struct shw_log *log, char **text)
{
    struct shw_code_buffer read = {0}, out = {0};
    struct pieces pieces = {0};
    char why[256];
    bool fine = shw_flat_preprocess(input, &read, why);

    if (!fine) {
        free(read.text);
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE, "the sources of shaders: %s", why);
    }
    drop_inner_marks(read.text);
    split(read.text, &pieces);
    for (size_t i = 0; i < pieces.count; i++)
        if (pieces.list[i].mark == SHW_FLAT_OWN || pieces.list[i].mark == SHW_FLAT_LINE) {
            pieces.list[i].is_needed = true;
            need(&pieces, &pieces.list[i]);
        }
    put_all(&pieces, input->prefix, &out);
    free(read.text);
    free(pieces.list);
    if (pieces.failed || out.failed || out.text == NULL) {
        free(out.text);
        return shw_fail_memory(log, "a shader");
    }
    *text = out.text;
    return SHW_OK;
}
