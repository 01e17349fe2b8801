#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static unsigned char fold(char byte, bool folded)
{
    return (unsigned char)(folded && byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
}

/* Compares the numbers that begin there, and goes past them. */
static int compare_numbers(const char **a, const char **b)
{
    size_t digits_a, digits_b;
    int order;

    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    digits_a = strspn(*a, "0123456789");
    digits_b = strspn(*b, "0123456789");
    if (digits_a != digits_b)
        return digits_a < digits_b ? -1 : 1;
    order = memcmp(*a, *b, digits_a);
    *a += digits_a;
    *b += digits_b;
    return order;
}

static int compare(const char *a, const char *b, bool folded)
{
    while (*a != '\0' && *b != '\0') {
        int order;

        if (is_digit(*a) && is_digit(*b)) {
            order = compare_numbers(&a, &b);
        } else {
            order = fold(*a, folded) - fold(*b, folded);
            a++;
            b++;
        }
        if (order != 0)
            return order;
    }
    return (*a != '\0') - (*b != '\0');
}

int shw_natural_compare(const char *a, const char *b)
{
    const int order = compare(a, b, false);

    return order != 0 ? order : strcmp(a, b);
}

int shw_natural_compare_folded(const char *a, const char *b)
{
    const int order = compare(a, b, true);

    return order != 0 ? order : shw_natural_compare(a, b);
}

int shw_natural_compare_texts(const void *a, const void *b)
{
    return shw_natural_compare(*(const char *const *)a, *(const char *const *)b);
}

int shw_natural_compare_entries(const struct dirent **a, const struct dirent **b)
{
    return shw_natural_compare((*a)->d_name, (*b)->d_name);
}
