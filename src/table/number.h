/* Decimal numbers in text, as the nearest float32. */
#ifndef SHW_TABLE_NUMBER_H
#define SHW_TABLE_NUMBER_H

/* Reads a decimal number, with or without sign, point and exponent, and rounds it once: to the nearest float32, to the
 * even one of two, beyond the greatest to infinity. The text must go on with, or end by, a byte that belongs to no
 * number. Returns the byte after it; NULL if there is no number. Any thread. */
const char *shw_number_read(const char *text, float *value);

#endif
