/* Sets of distinct names, such as those of classes or columns, with numbers. */
#ifndef SHW_FILES_TABLES_NAME_SET_H
#define SHW_FILES_TABLES_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHW_NO_NAME              UINT32_MAX
#define SHW_NO_CLASS             SHW_NO_NAME
#define SHW_CLASS_NAME_BYTES_MAX 255u

/* Zero-initialise it. Numbers are positions in `names`. Concurrent searches are allowed. */
struct shw_name_set {
    char **names;
    uint32_t count, capacity;
    bool closed;     /* of classes: tables add no others */
    uint32_t *slots; /* hash table of numbers + 1; 0: free */
    uint32_t slot_count;
};

/* SHW_NO_NAME if there is no such name. */
uint32_t shw_name_set_find(const struct shw_name_set *names, const char *name, size_t length);

/* Adds a name that is not there yet; false if memory is exhausted. */
bool shw_name_set_add(struct shw_name_set *names, const char *name, size_t length);

/* Sorts names: by value if all are numbers, otherwise by bytes. `places`: the new number of each old one; false if
 * memory is exhausted. */
bool shw_name_set_sort(struct shw_name_set *names, uint32_t *places);

/* Whether all names are numbers; *fraction: the first that is not whole, or NULL. */
bool shw_name_set_is_numeric(const struct shw_name_set *names, const char **fraction);

/* The name that means a missing value (NA, N/A or null in any case), if all others are numbers; NULL if there is none.
 */
const char *shw_name_set_find_missing(const struct shw_name_set *names);

/* The name of a class that is a number: "7" for 7, 7.0 and +7. Whole numbers below 2^64 keep all digits. Returns the
 * length. */
size_t shw_class_name_of_number(double number, char name[32]);

/* Accepts zero-initialised and freed ones. */
void shw_name_set_free(struct shw_name_set *names);

#endif
