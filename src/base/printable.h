/* Control characters in texts from files and users, which a terminal would obey. */
#ifndef SHW_BASE_PRINTABLE_H
#define SHW_BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

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

#endif
