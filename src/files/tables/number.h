/* Decimal numbers in text, and float32. */
#ifndef SHW_FILES_TABLES_NUMBER_H
#define SHW_FILES_TABLES_NUMBER_H

#include <stddef.h>

/* Reads a decimal number, with or without sign, point and exponent, and rounds it once: to the nearest float32, to the
 * even one of two, beyond the greatest to infinity. The text must go on with, or end by, a byte that belongs to no
 * number. Returns the byte after it; NULL if there is no number. Any thread. */
const char *shw_number_read(const char *text, float *value);

/* Writes the number with the fewest digits, 6 or more before zeros at the end are left out, from which it comes back;
 * "nan", "inf", "-inf". Returns the length. Any thread. */
#define SHW_NUMBER_TEXT_SIZE 24u
size_t shw_number_write(float value, char text[SHW_NUMBER_TEXT_SIZE]);

#endif
