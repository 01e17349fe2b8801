/* Fields of CSV files, by RFC 4180: lines end with CR and LF. */
#ifndef SHW_BASE_CSV_H
#define SHW_BASE_CSV_H

#include <stdio.h>
#include <string.h>

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

#endif
