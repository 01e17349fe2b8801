/* The order of names in which people count: f8 before f10. */
#ifndef SHW_BASE_NATURAL_ORDER_H
#define SHW_BASE_NATURAL_ORDER_H

#include <dirent.h>

/* Negative, 0 or positive, as strcmp(): texts are compared byte by byte, but digits in a row (0 to 9, any number of
 * them) by the number that they are. Texts that are equal so, as "f8" and "f08", are compared bytewise: the result is 0
 * for equal texts alone, and the order is total. The bytes may be any; no locale has a say. Any thread. */
int shw_natural_compare(const char *a, const char *b);

/* The same, but capital letters from A to Z are compared as small ones first. */
int shw_natural_compare_folded(const char *a, const char *b);

/* shw_natural_compare() for qsort() and bsearch() of pointers to texts. */
int shw_natural_compare_texts(const void *a, const void *b);

/* The same for scandir(). */
int shw_natural_compare_entries(const struct dirent **a, const struct dirent **b);

#endif
