/* Texts made from others by chance. */
#include "code/mutants.h"

#include <stdio.h>
#include <string.h>

void mutate_bytes(const char *from, struct testing_random *random, char *to, size_t size)
{
    static const char *const more[] = {"#include <stdio.h>\n",
                                       "__asm__",
                                       "system(",
                                       "*",
                                       "&",
                                       "[",
                                       "]",
                                       "{",
                                       "}",
                                       "(",
                                       ")",
                                       ";",
                                       "int",
                                       "return",
                                       "for",
                                       "0",
                                       "1u",
                                       "/",
                                       "<<",
                                       "++",
                                       "//!",
                                       "\n",
                                       "/*",
                                       "*/",
                                       "\"",
                                       "\\",
                                       ".x0",
                                       "99999",
                                       "-",
                                       "?",
                                       ":",
                                       "context",
                                       "if",
                                       "else",
                                       ",",
                                       "=",
                                       "\x80"};
    const uint32_t changes = 1 + testing_random_below(random, 4), length = (uint32_t)strlen(from);
    size_t at = 0;
    uint32_t places[4];

    for (uint32_t i = 0; i < changes; i++)
        places[i] = testing_random_below(random, length);
    for (uint32_t i = 0; i < length && at < size - 32; i++) {
        bool keep = true;
        for (uint32_t p = 0; p < changes; p++)
            if (places[p] == i) {
                keep = testing_random_below(random, 2) == 0;
                if (testing_random_below(random, 3) > 0)
                    at += (size_t)snprintf(to + at, size - at, "%s",
                                           more[testing_random_below(random, sizeof more / sizeof *more)]);
                else
                    i += testing_random_below(random, 12);
            }
        if (keep && i < length)
            to[at++] = from[i];
    }
    to[at] = '\0';
}

/* --- Word by word --- */

enum kind { BLANK, NAME, NUMBER, SIGN };

struct piece {
    const char *at;
    size_t length;
    enum kind kind;
};

#define PIECES_MAX 4096

static enum kind kind_of(char c)
{
    if (strchr(" \t\n", c) != NULL)
        return BLANK;
    if (c >= '0' && c <= '9')
        return NUMBER;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? NAME : SIGN;
}

/* Signs of two characters are two pieces, which often stay together. Lines of the head are split likewise. */
static uint32_t split(const char *text, struct piece *pieces)
{
    uint32_t count = 0;

    while (*text != '\0' && count < PIECES_MAX) {
        struct piece piece = {text, 1, kind_of(*text)};

        while (piece.kind != SIGN && text[piece.length] != '\0' &&
               (kind_of(text[piece.length]) == piece.kind ||
                (piece.kind == NAME && kind_of(text[piece.length]) == NUMBER)))
            piece.length++;
        text += piece.length;
        pieces[count++] = piece;
    }
    return count;
}

static struct piece piece_of(const char *text, enum kind kind)
{
    return (struct piece){text, strlen(text), kind};
}

/* Another piece of that kind: of the text, or one that makes trouble. */
static struct piece other(const struct piece *pieces, uint32_t count, enum kind kind, struct testing_random *random)
{
    static const char *const numbers[] = {"0",          "1",           "2",    "3u",     "7",     "31",
                                          "32",         "255",         "256",  "65535",  "65536", "2147483647",
                                          "1073741824", "4294967295u", "0x1f", "1000000"};
    static const char *const signs[] = {"+",  "-",  "*",  "/",  "%",  "&", "|", "^", "<",  ">",  "<<", ">>", "==",
                                        "!=", "<=", ">=", "&&", "||", "!", "~", "=", "+=", "-=", "*=", "++", "--"};
    static const char *const names[] = {"int",   "uint",     "bool",      "true",    "false",     "const", "if",
                                        "else",  "return",   "break",     "min",     "max",       "clamp", "abs",
                                        "value", "quotient", "remainder", "pixel_x", "pixel_y()", "sum",   "mean_at"};
#define ANY(list) list[testing_random_below(random, sizeof list / sizeof *list)]
    const uint32_t begin = testing_random_below(random, count);

    if (testing_random_below(random, 2) == 0)
        for (uint32_t i = 0; i < count; i++)
            if (pieces[(begin + i) % count].kind == kind)
                return pieces[(begin + i) % count];
    return kind == NUMBER ? piece_of(ANY(numbers), kind)
           : kind == NAME ? piece_of(ANY(names), kind)
                          : piece_of(ANY(signs), kind);
#undef ANY
}

/* Doubles or leaves out what is between two semicolons. */
static uint32_t change_statement(struct piece *pieces, uint32_t count, struct testing_random *random)
{
    uint32_t begin = testing_random_below(random, count), end;

    while (begin < count && *pieces[begin].at != ';')
        begin++;
    for (end = begin + 1; end < count && *pieces[end].at != ';';)
        end++;
    if (end >= count)
        return count;
    if (testing_random_below(random, 2) == 0) {
        memmove(pieces + begin, pieces + end, (count - end) * sizeof *pieces);
        return count - (end - begin);
    }
    if (count + end - begin > PIECES_MAX)
        return count;
    memmove(pieces + 2 * end - begin, pieces + end, (count - end) * sizeof *pieces);
    memcpy(pieces + end, pieces + begin, (end - begin) * sizeof *pieces);
    return count + end - begin;
}

void mutate_words(const char *from, struct testing_random *random, char *to, size_t size)
{
    static struct piece pieces[PIECES_MAX];
    uint32_t count = split(from, pieces), changes = 1 + testing_random_below(random, 3);
    size_t at = 0;

    while (changes > 0) {
        const uint32_t i = testing_random_below(random, count), what = testing_random_below(random, 12);

        if (pieces[i].kind == BLANK)
            continue;
        changes--;
        if (what == 0)
            count = change_statement(pieces, count, random);
        else if (what == 1)
            pieces[i].length = 0;
        else
            pieces[i] = other(pieces, count, pieces[i].kind, random);
    }
    for (uint32_t i = 0; i < count && at + pieces[i].length + 1 < size; i++) {
        memcpy(to + at, pieces[i].at, pieces[i].length);
        at += pieces[i].length;
    }
    to[at] = '\0';
}
