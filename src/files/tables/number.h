/* Decimal numbers in text, and float32. */
#ifndef SHW_FILES_TABLES_NUMBER_H
#define SHW_FILES_TABLES_NUMBER_H

#include <stddef.h>

/* Reads a decimal number, with or without sign, point and exponent, and rounds it once: to the nearest float32, ties to
 * even, beyond the greatest to infinity. A byte that cannot be part of a number must follow. Returns the byte after the
 * number; NULL if there is none. Any thread. */
const char *shw_number_read(const char *text, float *value);

/* Writes the number with the fewest digits that read back the same, but at least 6 before trailing zeros are dropped;
 * or "nan", "inf", "-inf". Returns the length. Any thread. */
#define SHW_NUMBER_TEXT_SIZE 24u
size_t shw_number_write(float value, char text[SHW_NUMBER_TEXT_SIZE]);

#endif
