#include "files/dataset/pattern.h"

#include <stdlib.h>
#include <string.h>

static const char place[] = "{}";
#define PLACE_LENGTH 2

char *shw_pattern_join(const char *root, const char *pattern)
{
    size_t root_length, size, length = 0;
    char *joined;

    if (root == NULL || root[0] == '\0')
        root = ".";
    if (pattern[0] == '/')
        root = "";
    root_length = strlen(root);
    size = root_length + 1 + strlen(pattern) + 1;
    joined = malloc(size);
    if (joined == NULL)
        return NULL;
    for (size_t i = 0; i + 1 < size; i++) {
        char byte = i < root_length ? root[i] : i == root_length ? '/' : pattern[i - root_length - 1];

        if (byte != '/' || length == 0 || joined[length - 1] != '/')
            joined[length++] = byte;
    }
    joined[length] = '\0';
    return joined;
}

size_t shw_pattern_places(const char *pattern)
{
    size_t places = 0;

    for (pattern = strstr(pattern, place); pattern != NULL; pattern = strstr(pattern + PLACE_LENGTH, place))
        places++;
    return places;
}

char *shw_pattern_fill(const char *pattern, const char *name, size_t length)
{
    size_t size = strlen(pattern) + shw_pattern_places(pattern) * length + 1;
    char *filled = malloc(size), *to = filled;

    if (filled == NULL)
        return NULL;
    while (*pattern != '\0') {
        if (strncmp(pattern, place, PLACE_LENGTH) == 0) {
            memcpy(to, name, length);
            to += length;
            pattern += PLACE_LENGTH;
        } else {
            *to++ = *pattern++;
        }
    }
    *to = '\0';
    return filled;
}

bool shw_pattern_match(const char *pattern, const char *path, const char **name, size_t *length)
{
    size_t places = shw_pattern_places(pattern);
    size_t fixed = strlen(pattern) - places * PLACE_LENGTH, total = strlen(path);
    size_t name_length = total > fixed ? (total - fixed) / places : 0;
    const char *found = NULL;

    if (name_length == 0 || name_length * places + fixed != total)
        return false;
    while (*pattern != '\0') {
        if (strncmp(pattern, place, PLACE_LENGTH) == 0) {
            if (found == NULL)
                found = path;
            if (strncmp(path, found, name_length) != 0)
                return false;
            path += name_length;
            pattern += PLACE_LENGTH;
        } else if (*path++ != *pattern++) {
            return false;
        }
    }
    *name = found;
    *length = name_length;
    return true;
}
