/* Texts: what is printable, numbers in messages and files, names, and the order of names. */
#ifndef SHW_BASE_TEXT_H
#define SHW_BASE_TEXT_H

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Control characters in texts from files and users, which a terminal would obey. */

/* The bytes of the control character at the beginning of a text in UTF-8: 1 for those of ASCII, 2 for U+0080 to U+009F;
 * 0 if there is none. */
static inline size_t shw_control_character(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    if (*at != '\0' && (*at < 0x20 || *at == 0x7f))
        return 1;
    return *at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0 ? 2 : 0;
}

/* Replaces each byte of them by '?'. */
static inline void shw_make_printable(char *text)
{
    size_t length;

    for (; *text != '\0'; text++)
        for (length = shw_control_character(text); length > 0; length--)
            text[length - 1] = '?';
}

/* A copy of a text without them, such as the name of a file, for printing; longer ones are cut. */
struct shw_printable {
    char text[4096];
};

static inline struct shw_printable shw_printable(const char *text)
{
    struct shw_printable printable;

    snprintf(printable.text, sizeof printable.text, "%s", text);
    shw_make_printable(printable.text);
    return printable;
}

/* Numbers in messages, with a noun that agrees: "1 tree", "2 trees". */

struct shw_counted {
    char text[64];
};

static inline struct shw_counted shw_counted(uint64_t count, const char *one, const char *many)
{
    struct shw_counted counted;

    snprintf(counted.text, sizeof counted.text, "%" PRIu64 " %s", count, count == 1 ? one : many);
    return counted;
}

/* Memory: "3 MiB", rounded down, and below that "3 KiB" or "3 bytes". */
static inline struct shw_counted shw_counted_bytes(uint64_t bytes)
{
    if (bytes < 1u << 10)
        return shw_counted(bytes, "byte", "bytes");
    return bytes < 1u << 20 ? shw_counted(bytes >> 10, "KiB", "KiB") : shw_counted(bytes >> 20, "MiB", "MiB");
}

/* Decimal numbers in texts that other programs have written. */

/* strtod() without hexadecimal numbers: for these *end is the beginning of the text. */
static inline double shw_decimal_read(const char *text, char **end)
{
    const double number = strtod(text, end);

    if (memchr(text, 'x', (size_t)(*end - text)) == NULL && memchr(text, 'X', (size_t)(*end - text)) == NULL)
        return number;
    *end = (char *)(uintptr_t)text;
    return 0;
}

/* Names of extensions and inputs, which text, options and files use. */

/* Whether the name is 1 to `length_max` lower-case letters, digits and '-'. False for NULL. */
static inline bool shw_name_is_valid(const char *name, size_t length_max)
{
    size_t length = name != NULL ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;

    return length > 0 && length <= length_max && name[length] == '\0';
}

/* The natural order of names: f8 before f10. */

/* Negative, 0 or positive, as strcmp(): texts are compared byte by byte, but digits in a row (0 to 9, any number of
 * them) by the number that they are. Texts that are equal by that, such as "f8" and "f08", are compared bytewise, so
 * that the order is total and only equal texts give 0. Bytes are arbitrary, and the locale is ignored. Any thread. */
int shw_natural_compare(const char *a, const char *b);

/* The same, but capital letters from A to Z are compared as small ones first. */
int shw_natural_compare_folded(const char *a, const char *b);

/* shw_natural_compare() for qsort() and bsearch() of pointers to texts. */
int shw_natural_compare_texts(const void *a, const void *b);

/* The same for scandir(). */
int shw_natural_compare_entries(const struct dirent **a, const struct dirent **b);

/* Fields of CSV files, by RFC 4180: lines end with CR and LF. */

#define SHW_CSV_END "\r\n"

/* A text, in quotation marks where it needs them. */
static inline void shw_print_csv_text(FILE *stream, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, stream);
        return;
    }
    putc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', stream);
        putc(*text, stream);
    }
    putc('"', stream);
}

/* Texts that may be NULL, which is equal to no other text. */

static inline bool shw_text_is_same(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

/* False: out of memory. */
static inline bool shw_text_copy(const char *text, char **copy)
{
    *copy = text != NULL ? strdup(text) : NULL;
    return text == NULL || *copy != NULL;
}

#endif
