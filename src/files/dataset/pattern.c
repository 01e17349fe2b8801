#include "files/dataset/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "files/io/image_paths.h"

static const char place[] = "{}";
#define PLACE_LENGTH 2

char *shw_pattern_join(const char *root, const char *pattern)
{
    const bool is_absolute = shw_path_is_absolute(pattern);
    size_t root_length, size, length = 0;
    char *joined;

    if (root == NULL || root[0] == '\0')
        root = ".";
    root_length = is_absolute ? 0 : strlen(root);
    size = root_length + 1 + strlen(pattern) + 1;
    joined = malloc(size);
    if (joined == NULL)
        return NULL;
    for (size_t i = is_absolute ? 1 : 0; i + 1 < size; i++) {
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

#define ENDING "_colors"

const struct shw_input_file shw_curfil_inputs[SHW_CURFIL_INPUTS] = {{.name = SHW_DEPTH, .path = SHW_CURFIL_DEPTH},
                                                                    {.name = SHW_HEIGHT, .path = SHW_CURFIL_HEIGHT}};

bool shw_curfil_is_colours(const char *path)
{
    return strstr(shw_path_last(path), ENDING ".") != NULL;
}

size_t shw_curfil_name_length(const char *base_name)
{
    size_t length = strlen(base_name), ending = strlen(ENDING);

    return length > ending && strcmp(base_name + length - ending, ENDING) == 0 ? length - ending : 0;
}

static const char *pattern_of(const char *input)
{
    for (uint32_t i = 0; i < SHW_CURFIL_INPUTS; i++)
        if (strcmp(shw_curfil_inputs[i].name, input) == 0)
            return shw_curfil_inputs[i].path;
    return NULL;
}

char *shw_curfil_beside(const char *image, const char *input)
{
    const char *pattern = pattern_of(input);
    char base[SHW_BASE_NAME_SIZE], *folder, *file, *path = NULL;
    size_t length = shw_curfil_name_length(shw_image_base_name(image, base));

    if (pattern == NULL || length == 0)
        return NULL;
    folder = strndup(image, (size_t)(shw_path_last(image) - image));
    file = shw_pattern_fill(pattern, base, length);
    if (folder != NULL && file != NULL)
        path = shw_path_join(folder, "", file);
    if (path != NULL && !shw_is_file(path)) {
        free(path);
        path = NULL;
    }
    free(folder);
    free(file);
    return path;
}
