#include "files/tables/name_set.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/hash.h"

#define SLOTS_LEAST 64u

/* The slot of the name, or the free one where it would be. */
static uint32_t find_slot(const struct shw_name_set *names, const char *name, size_t length)
{
    uint32_t slot = (uint32_t)XXH3_64bits(name, length) & (names->slot_count - 1);

    for (;; slot = (slot + 1) & (names->slot_count - 1)) {
        uint32_t number = names->slots[slot];
        if (number == 0 ||
            (strncmp(names->names[number - 1], name, length) == 0 && names->names[number - 1][length] == '\0'))
            return slot;
    }
}

uint32_t shw_name_set_find(const struct shw_name_set *names, const char *name, size_t length)
{
    /* Slots hold numbers + 1: without any, or in a free one, 0 - 1 is SHW_NO_NAME. */
    return names->count > 0 ? names->slots[find_slot(names, name, length)] - 1 : SHW_NO_NAME;
}

/* Rebuilds the hash table, of which at most half is in use. */
static bool make_slots(struct shw_name_set *names, uint32_t count)
{
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return false;
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (uint32_t i = 0; i < names->count; i++)
        slots[find_slot(names, names->names[i], strlen(names->names[i]))] = i + 1;
    return true;
}

bool shw_name_set_add(struct shw_name_set *names, const char *name, size_t length)
{
    uint32_t count = names->slot_count == 0 ? SLOTS_LEAST : names->slot_count;
    char *copy;

    if (2 * (names->count + 1) > count)
        count *= 2;
    if ((count != names->slot_count && !make_slots(names, count)) ||
        !SHW_RESERVE(names->names, names->capacity, names->count + (size_t)1))
        return false;
    copy = strndup(name, length);
    if (copy == NULL)
        return false;
    names->slots[find_slot(names, name, length)] = names->count + 1;
    names->names[names->count++] = copy;
    return true;
}

struct placed {
    char *name;
    double number; /* NaN: it is none */
    uint32_t place;
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct placed *)a)->name, ((const struct placed *)b)->name);
}

/* Of whole numbers that are the same double. */
static int compare_digits(const void *a, const void *b)
{
    const size_t one = strlen(((const struct placed *)a)->name), two = strlen(((const struct placed *)b)->name);

    return one != two ? (one < two ? -1 : 1) : compare_texts(a, b);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct placed *one = a, *two = b;

    if (one->number != two->number)
        return one->number < two->number ? -1 : 1;
    return one->number < 0 ? compare_digits(b, a) : compare_digits(a, b);
}

static double number_of(const char *name)
{
    char *end;
    double number = strtod(name, &end);

    return end != name && *end == '\0' ? number : NAN;
}

bool shw_name_set_sort(struct shw_name_set *names, uint32_t *places)
{
    struct placed *placed = calloc(names->count + (size_t)1, sizeof *placed);
    bool numbers = true, made;

    if (placed == NULL)
        return false;
    for (uint32_t i = 0; i < names->count; i++) {
        placed[i] = (struct placed){names->names[i], number_of(names->names[i]), i};
        numbers = numbers && !isnan(placed[i].number);
    }
    qsort(placed, names->count, sizeof *placed, numbers ? compare_numbers : compare_texts);
    for (uint32_t i = 0; i < names->count; i++) {
        places[placed[i].place] = i;
        names->names[i] = placed[i].name;
    }
    free(placed);
    made = names->count == 0 || make_slots(names, names->slot_count);
    return made;
}

bool shw_name_set_is_numeric(const struct shw_name_set *names, const char **fraction)
{
    *fraction = NULL;
    for (uint32_t i = 0; i < names->count; i++) {
        const double number = number_of(names->names[i]);
        if (isnan(number))
            return false;
        if (*fraction == NULL && number != floor(number))
            *fraction = names->names[i];
    }
    return true;
}

static bool is_missing(const char *name)
{
    return strcasecmp(name, "NA") == 0 || strcasecmp(name, "N/A") == 0 || strcasecmp(name, "null") == 0;
}

const char *shw_name_set_find_missing(const struct shw_name_set *names)
{
    const char *found = NULL;
    bool has_number = false;

    for (uint32_t i = 0; i < names->count; i++) {
        if (is_missing(names->names[i]))
            found = names->names[i];
        else if (isnan(number_of(names->names[i])))
            return NULL;
        else
            has_number = true;
    }
    return has_number ? found : NULL;
}

size_t shw_class_name_of_number(double number, char name[32])
{
    if (number == floor(number) && number >= -0x1p63 && number < 0x1p63)
        return (size_t)snprintf(name, 32, "%" PRId64, (int64_t)number);
    if (number == floor(number) && number > 0 && number < 0x1p64)
        return (size_t)snprintf(name, 32, "%" PRIu64, (uint64_t)number);
    return (size_t)snprintf(name, 32, "%.17g", number);
}

void shw_name_set_free(struct shw_name_set *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    free(names->slots);
    *names = (struct shw_name_set){0};
}
