/* Writing HTML and SVG: escaped text and formatted numbers. */
#ifndef SHW_BENCH_MARKUP_H
#define SHW_BENCH_MARKUP_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/* Text as content or within double quotes. */
void shw_markup_text(FILE *out, const char *text);

/* The number of characters of UTF-8 text. */
size_t shw_text_length(const char *text);

/* As snprintf, but truncated text ends with an ellipsis after a complete character. Returns `text`. */
const char *shw_text_format(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Three significant digits: "0.0521", "12.3", "1234". */
#define SHW_NUMBER_SIZE 32u
const char *shw_number(char text[SHW_NUMBER_SIZE], double value);

/* The same with k, M, G, T: "2.31 T". */
const char *shw_number_short(char text[SHW_NUMBER_SIZE], double value);

/* Members of an object: "" and 0 if there is none of that type. `object` may be NULL. */
const char *shw_text_member(const json_t *object, const char *key);
double shw_number_member(const json_t *object, const char *key);

/* The median time of a row: by the device's clock if it has one, otherwise by the host's; 0 if it was not timed. */
double shw_row_ms(const json_t *row);
const json_t *shw_row_timing(const json_t *row);

#endif
