/* The elements of arrays of NumPy, as numbers. */
#ifndef SHW_FILES_TABLES_NPY_ELEMENT_H
#define SHW_FILES_TABLES_NPY_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shw_npy_type {
    char kind;         /* 'f', 'i', 'u' or 'b' */
    uint32_t size;     /* in bytes */
    bool swapped;      /* the bytes are not in the order of this machine */
    bool may_overflow; /* has numbers beyond those of float32 */
};

/* Reads a type such as "<f4". False for those that are no numbers. */
bool shw_npy_type_read(const char *text, struct shw_npy_type *type);

/* An element, as the nearest double. */
double shw_npy_element(const struct shw_npy_type *type, const uint8_t *bytes);

/* The name of the class that an element is: exactly, if it is an integer. Returns the length; 0 for NaN. */
size_t shw_npy_class_name(const struct shw_npy_type *type, const uint8_t *bytes, char name[32]);

/* `count` elements that are `stride` bytes apart, as the nearest float32. */
void shw_npy_elements(const struct shw_npy_type *type, const uint8_t *bytes, size_t stride, uint32_t count,
                      float *values);

#endif
