#include "files/shader/preprocess.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/code/files.h"

#define MACROS_MAX     512
#define PARAMETERS_MAX 8
#define DEPTH_MAX      16

struct macro {
    char *name, *body;
    char *parameters[PARAMETERS_MAX];
    int parameter_count;
    bool has_parameters, is_kept; /* is_kept: a number, which stays in the text by its name */
};

struct state {
    const struct shw_flat_input *input;
    struct shw_code_buffer *out;
    struct macro macros[MACROS_MAX];
    int macro_count, depth;
    const char *word; /* of the file being read */
    jmp_buf failed;
    char *why;
};

static _Noreturn void refuse(struct state *state, const char *what, const char *about)
{
    snprintf(state->why, 256, "%s: %.150s", what, about);
    longjmp(state->failed, 1);
}

static char *copy(struct state *state, const char *text, size_t length)
{
    char *copied = strndup(text, length);

    if (copied == NULL)
        refuse(state, "not enough memory", "");
    return copied;
}

/* --- Macros --- */

static struct macro *find(struct state *state, const char *name, size_t length)
{
    for (int i = 0; i < state->macro_count; i++)
        if (strlen(state->macros[i].name) == length && memcmp(state->macros[i].name, name, length) == 0)
            return &state->macros[i];
    return NULL;
}

static void forget(struct macro *macro)
{
    free(macro->name);
    free(macro->body);
    for (int i = 0; i < macro->parameter_count; i++)
        free(macro->parameters[i]);
    *macro = (struct macro){0};
}

static void undefine(struct state *state, const char *name, size_t length)
{
    struct macro *macro = find(state, name, length);

    if (macro == NULL)
        return;
    forget(macro);
    *macro = state->macros[--state->macro_count];
}

const char *shw_flat_comment_end(const char *at)
{
    const char *end;

    if (at[0] != '/' || at[1] != '*')
        return at;
    end = strstr(at + 2, "*/");
    return end != NULL ? end + 2 : at + strlen(at);
}

static const char *skip_spaces(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static const char *name_end(const char *at)
{
    while (shw_flat_is_name(*at))
        at++;
    return at;
}

static bool is_number(const char *body)
{
    return shw_flat_is_digit(*body) && *name_end(body) == '\0';
}

/* `text` follows "#define"; `keeps`: numbers stay in the text by their names. */
static void define(struct state *state, const char *text, bool keeps)
{
    const char *name = skip_spaces(text), *at = name_end(name), *end;
    struct macro macro = {.name = copy(state, name, (size_t)(at - name))};

    undefine(state, name, (size_t)(at - name));
    if (state->macro_count == MACROS_MAX)
        refuse(state, "too many macros", macro.name);
    if (*at == '(') {
        macro.has_parameters = true;
        for (at = skip_spaces(at + 1); *at != ')' && *at != '\0'; at = skip_spaces(at + (*at == ','))) {
            if (macro.parameter_count == PARAMETERS_MAX || !shw_flat_is_name(*at))
                refuse(state, "a macro's parameters", macro.name);
            end = name_end(at);
            macro.parameters[macro.parameter_count++] = copy(state, at, (size_t)(end - at));
            at = skip_spaces(end);
        }
        at += *at == ')';
    }
    at = skip_spaces(at);
    end = strstr(at, "/*");
    end = end != NULL ? end : at + strlen(at);
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    macro.body = copy(state, at, (size_t)(end - at));
    macro.is_kept = keeps && !macro.has_parameters && is_number(macro.body);
    if (macro.is_kept)
        shw_code_put(state->out, "%c\n#define %s\n", SHW_FLAT_MACRO, skip_spaces(text));
    state->macros[state->macro_count++] = macro;
}

/* What is being expanded, and not again within itself. */
struct hidden {
    const char *name;
    const struct hidden *outer;
};

static bool is_hidden(const struct hidden *hidden, const char *name)
{
    for (; hidden != NULL; hidden = hidden->outer)
        if (strcmp(hidden->name, name) == 0)
            return true;
    return false;
}

static void expand(struct state *state, const char *text, bool all, const struct hidden *hidden,
                   struct shw_code_buffer *out);

/* The arguments of a macro, in parentheses at `at`, become those of the body. Returns what follows them. */
static const char *take_arguments(struct state *state, const struct macro *macro, const char *at, bool all,
                                  const struct hidden *hidden, char *arguments[PARAMETERS_MAX])
{
    const char *begin = at + 1;
    int count = 0, inner = 0;

    for (at = begin; inner > 0 || *at != ')'; at++) {
        if (*at == '\0')
            refuse(state, "a macro without its end", macro->name);
        inner += (*at == '(') - (*at == ')');
        if ((*at == ',' && inner == 0) || (inner == 0 && at[1] == ')')) {
            struct shw_code_buffer expanded = {0};
            const char *end = *at == ',' ? at : at + 1;
            char *raw;

            if (count == PARAMETERS_MAX)
                refuse(state, "too many arguments", macro->name);
            while (*begin == ' ' || *begin == '\n')
                begin++;
            raw = copy(state, begin, (size_t)(end - begin));
            expand(state, raw, all, hidden, &expanded);
            free(raw);
            arguments[count++] = expanded.text != NULL ? expanded.text : copy(state, "", 0);
            begin = end + 1;
        }
    }
    if (count != macro->parameter_count)
        refuse(state, "a macro with other arguments", macro->name);
    return at + 1;
}

static void substitute(const struct macro *macro, char *const arguments[PARAMETERS_MAX], struct shw_code_buffer *out)
{
    for (const char *at = macro->body, *end; *at != '\0'; at = end) {
        int which = 0;

        end = shw_flat_is_name(*at) ? name_end(at) : at + 1;
        while (which < macro->parameter_count && (strlen(macro->parameters[which]) != (size_t)(end - at) ||
                                                  memcmp(macro->parameters[which], at, (size_t)(end - at)) != 0))
            which++;
        if (which < macro->parameter_count)
            shw_code_put(out, "%s", arguments[which]);
        else
            shw_code_put(out, "%.*s", (int)(end - at), at);
    }
}

static const char *expand_macro(struct state *state, const struct macro *macro, const char *after, bool all,
                                const struct hidden *hidden, struct shw_code_buffer *out)
{
    const struct hidden inner = {macro->name, hidden};
    char *arguments[PARAMETERS_MAX] = {NULL};
    struct shw_code_buffer body = {0};
    const size_t before = out->length;

    if (macro->has_parameters)
        after = take_arguments(state, macro, skip_spaces(after), all, hidden, arguments);
    substitute(macro, arguments, &body);
    if (body.text != NULL)
        expand(state, body.text, all, &inner, out);
    free(body.text);
    for (int i = 0; i < macro->parameter_count; i++)
        free(arguments[i]);
    return out->length == before ? skip_spaces(after) : after;
}

/* `all`: macros that are kept in the text, too, as in conditions. */
static void expand(struct state *state, const char *text, bool all, const struct hidden *hidden,
                   struct shw_code_buffer *out)
{
    for (const char *at = text, *end; *at != '\0'; at = end) {
        const struct macro *macro = NULL;

        end = shw_flat_comment_end(at);
        if (end == at)
            end = shw_flat_is_name(*at) ? name_end(at) : at + 1;
        if (shw_flat_is_name(*at) && !shw_flat_is_digit(*at))
            macro = find(state, at, (size_t)(end - at));
        if (macro == NULL || (macro->is_kept && !all) || is_hidden(hidden, macro->name) ||
            (macro->has_parameters && *skip_spaces(end) != '('))
            shw_code_put(out, "%.*s", (int)(end - at), at);
        else
            end = expand_macro(state, macro, end, all, hidden, out);
    }
}

/* --- Conditions --- */

static int64_t evaluate(struct state *state, const char **at, int level);

static bool take(const char **at, const char *sign)
{
    *at = skip_spaces(*at);
    if (strncmp(*at, sign, strlen(sign)) != 0)
        return false;
    *at += strlen(sign);
    return true;
}

static int64_t evaluate_one(struct state *state, const char **at)
{
    const char *begin;
    int64_t value;

    if (take(at, "!"))
        return !evaluate_one(state, at);
    if (take(at, "(")) {
        value = evaluate(state, at, 0);
        if (!take(at, ")"))
            refuse(state, "a condition", *at);
        return value;
    }
    begin = *at = skip_spaces(*at);
    *at = name_end(begin);
    if (*at == begin)
        refuse(state, "a condition", begin);
    return shw_flat_is_digit(*begin) ? strtoll(begin, NULL, 0) : 0;
}

/* Levels: || && == != < > <= >= */
static int64_t evaluate(struct state *state, const char **at, int level)
{
    int64_t value = level == 3 ? evaluate_one(state, at) : evaluate(state, at, level + 1), other;

    for (;;) {
        if (level == 0 && take(at, "||"))
            other = evaluate(state, at, 1), value = value != 0 || other != 0;
        else if (level == 1 && take(at, "&&"))
            other = evaluate(state, at, 2), value = value != 0 && other != 0;
        else if (level == 2 && take(at, "=="))
            value = value == evaluate(state, at, 3);
        else if (level == 2 && take(at, "!="))
            value = value != evaluate(state, at, 3);
        else if (level == 2 && take(at, ">="))
            value = value >= evaluate(state, at, 3);
        else if (level == 2 && take(at, "<="))
            value = value <= evaluate(state, at, 3);
        else if (level == 2 && take(at, ">"))
            value = value > evaluate(state, at, 3);
        else if (level == 2 && take(at, "<"))
            value = value < evaluate(state, at, 3);
        else
            return value;
    }
}

/* "defined NAME" becomes a number. */
static bool is_true(struct state *state, const char *text)
{
    struct shw_code_buffer asked = {0}, expanded = {0};
    const char *at = text;
    int64_t value;

    while (*at != '\0') {
        const char *end = shw_flat_is_name(*at) ? name_end(at) : at + 1;

        if (shw_flat_comment_end(at) != at) {
            end = shw_flat_comment_end(at);
        } else if (end - at == 7 && memcmp(at, "defined", 7) == 0) {
            const char *name = end + strspn(end, " (");
            end = name_end(name);
            shw_code_put(&asked, "%d", find(state, name, (size_t)(end - name)) != NULL);
            end += *end == ')';
        } else {
            shw_code_put(&asked, "%.*s", (int)(end - at), at);
        }
        at = end;
    }
    expand(state, asked.text != NULL ? asked.text : "", true, NULL, &expanded);
    at = expanded.text != NULL ? expanded.text : "";
    value = evaluate(state, &at, 0);
    free(asked.text);
    free(expanded.text);
    return value != 0;
}

/* --- Files --- */

static void read_text(struct state *state, const char *path, const char *text);

static bool has_code(const char *text)
{
    for (; *text != '\0'; text++) {
        text = shw_flat_comment_end(text);
        if (*text == '\0')
            return false;
        if (*text != ' ' && *text != '\n')
            return true;
    }
    return false;
}

/* Names that several files define get the word of this one. */
static void put_with_word(const struct state *state, const char *text)
{
    for (const char *at = text, *end; *at != '\0'; at = end) {
        const bool is_name = shw_flat_is_name(*at);
        const size_t length = !is_name ? 0 : strncmp(at, "shw_user", 8) == 0 ? 8 : strncmp(at, "u_", 2) == 0 ? 1 : 0;

        end = is_name ? name_end(at) : at + 1;
        if (length > 0)
            shw_code_put(state->out, "shw_user_%s%.*s", state->word, (int)(end - at - (ptrdiff_t)length), at + length);
        else
            shw_code_put(state->out, "%.*s", (int)(end - at), at);
    }
}

static void flush(struct state *state, struct shw_code_buffer *pending)
{
    struct shw_code_buffer expanded = {0};

    if (pending->text != NULL && has_code(pending->text)) {
        expand(state, pending->text, false, NULL, &expanded);
        if (expanded.text != NULL && state->word != NULL)
            put_with_word(state, expanded.text);
        else if (expanded.text != NULL)
            shw_code_put(state->out, "%s", expanded.text);
        free(expanded.text);
    }
    pending->length = 0;
    if (pending->text != NULL)
        pending->text[0] = '\0';
}

static void include(struct state *state, const char *from, const char *text)
{
    static const char *const folders[] = {"", "shaders/shared/", "shaders/dense/feature/", "shaders/"};
    const char *slash = strrchr(from, '/'), *begin = strchr(text, '"'), *word = state->word;
    const char *end = begin != NULL ? strchr(begin + 1, '"') : NULL;
    const struct shw_code_file *file = NULL;
    char name[128], path[256];

    if (end == NULL)
        refuse(state, "an include", text);
    snprintf(name, sizeof name, "%.*s", (int)(end - begin - 1), begin + 1);
    for (uint32_t i = 0; i < state->input->file_count; i++)
        if (strcmp(state->input->files[i].name, name) == 0) {
            state->word = state->input->files[i].word;
            read_text(state, name, state->input->files[i].text);
            state->word = word;
            return;
        }
    for (int i = -1; i < 4 && file == NULL; i++) {
        snprintf(path, sizeof path, "%.*s%s", i < 0 && slash != NULL ? (int)(slash + 1 - from) : 0, from, name);
        if (i >= 0)
            snprintf(path, sizeof path, "%s%s", folders[i], name);
        file = shw_code_file_find(path);
    }
    if (file == NULL)
        refuse(state, "a file that is not there", name);
    state->word = NULL;
    read_text(state, file->path, file->text);
    state->word = word;
}

struct condition {
    bool was, is; /* a branch was taken; this one is */
};

static bool is_active(const struct condition *conditions, int count)
{
    return count == 0 || (conditions[count - 1].is && is_active(conditions, count - 1));
}

/* Returns whether the directive was one of conditions. */
static bool take_condition(struct state *state, const char *text, struct condition *conditions, int *count)
{
    const bool outer = is_active(conditions, *count), is_else = strncmp(text, "el", 2) == 0;
    const char *name = strncmp(text, "ifndef", 6) == 0 ? skip_spaces(text + 6) : skip_spaces(text + 5);
    struct condition *inner = &conditions[*count - 1];

    if (strncmp(text, "if", 2) == 0) {
        const bool is_defined = find(state, name, (size_t)(name_end(name) - name)) != NULL;
        if (*count == DEPTH_MAX)
            refuse(state, "conditions", text);
        inner = &conditions[(*count)++];
        inner->is = outer && (strncmp(text, "ifdef", 5) == 0    ? is_defined
                              : strncmp(text, "ifndef", 6) == 0 ? !is_defined
                                                                : is_true(state, text + 2));
        inner->was = inner->is;
        return true;
    }
    if (!is_else && strncmp(text, "endif", 5) != 0)
        return false;
    if (*count == 0)
        refuse(state, "a condition's end", text);
    if (is_else) {
        inner->is = !inner->was && is_active(conditions, *count - 1) &&
                    (strncmp(text, "elif", 4) != 0 || is_true(state, text + 4));
        inner->was |= inner->is;
    } else {
        --*count;
    }
    return true;
}

static void take_directive(struct state *state, const char *path, const char *text)
{
    if (strncmp(text, "define", 6) == 0) {
        define(state, text + 6,
               strcmp(path, state->input->path) == 0 || strncmp(path, "shaders/shared/", 15) == 0 ||
                   strncmp(path, "shaders/dense/traverse/", 23) == 0);
    } else if (strncmp(text, "undef", 5) == 0) {
        const char *name = skip_spaces(text + 5);
        undefine(state, name, (size_t)(name_end(name) - name));
    } else if (strncmp(text, "include", 7) == 0 && strchr(text, '<') == NULL) {
        include(state, path, text + 7);
    } else if (strncmp(text, "error", 5) == 0) {
        refuse(state, path, text);
    } /* versions and extensions are those of the result */
}

/* A line with those that continue it; returns what follows. */
static const char *take_line(const char *at, struct shw_code_buffer *line)
{
    for (;;) {
        const char *end = strchr(at, '\n');

        end = end != NULL ? end : at + strlen(at);
        if (end == at || end[-1] != '\\' || *end == '\0') {
            shw_code_put(line, "%.*s", (int)(end - at), at);
            return *end == '\n' ? end + 1 : end;
        }
        shw_code_put(line, "%.*s ", (int)(end - at - 1), at);
        at = end + 1;
    }
}

/* Whether a comment is open after a line. */
static bool leaves_comment(const char *line, bool is_open)
{
    for (const char *at = line; *at != '\0'; at++) {
        const char *end = is_open ? strstr(at, "*/") : NULL;

        if (is_open && end == NULL)
            return true;
        if (is_open)
            at = end + 1;
        is_open = !is_open && at[0] == '/' && at[1] == '*';
        at += is_open;
    }
    return is_open;
}

static void read_text(struct state *state, const char *path, const char *text)
{
    const enum shw_flat_mark mark = strcmp(path, state->input->path) == 0 ? SHW_FLAT_OWN : SHW_FLAT_INCLUDED;
    struct condition conditions[DEPTH_MAX];
    struct shw_code_buffer pending = {0};
    bool in_comment = false;
    int count = 0;

    if (++state->depth > DEPTH_MAX)
        refuse(state, "includes", path);
    shw_code_put(state->out, "%c\n", mark);
    while (*text != '\0') {
        struct shw_code_buffer line = {0};
        const char *begin;

        text = take_line(text, &line);
        if (line.text == NULL)
            refuse(state, "not enough memory", path);
        begin = skip_spaces(line.text);
        if (!in_comment && *begin == '#') {
            begin = skip_spaces(begin + 1);
            flush(state, &pending);
            if (!take_condition(state, begin, conditions, &count) && is_active(conditions, count)) {
                take_directive(state, path, begin);
                shw_code_put(state->out, "%c\n", mark);
            }
        } else if (!in_comment && *begin == '@' && is_active(conditions, count)) {
            flush(state, &pending);
            shw_code_put(state->out, "%c\n%s\n%c\n", SHW_FLAT_LINE, begin + 1, mark);
        } else {
            in_comment = leaves_comment(begin, in_comment);
            if (is_active(conditions, count))
                shw_code_put(&pending, "%s\n", line.text);
        }
        free(line.text);
    }
    flush(state, &pending);
    free(pending.text);
    state->depth--;
}

bool shw_flat_preprocess(const struct shw_flat_input *input, struct shw_code_buffer *out, char why[256])
{
    const struct shw_code_file *file = shw_code_file_find(input->path);
    struct state *state = calloc(1, sizeof *state);
    bool fine = false;

    snprintf(why, 256, "not enough memory");
    if (state == NULL)
        return false;
    *state = (struct state){.input = input, .out = out, .why = why};
    if (setjmp(state->failed) == 0) {
        if (file == NULL)
            refuse(state, "a file that is not there", input->path);
        define(state, "GL_core_profile 1", false);
        read_text(state, input->path, input->definitions);
        read_text(state, input->path, file->text);
        fine = !out->failed;
    }
    for (int i = 0; i < state->macro_count; i++)
        forget(&state->macros[i]);
    free(state);
    return fine;
}
