#include "files/dataset/own_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "dense/input/inputs.h"
#include "files/dataset/image_inputs.h"
#include "files/io/image_paths.h"

enum shw_result shw_own_inputs_add(struct shw_own_inputs *own, const char *image, const char *name, const char *path)
{
    struct shw_own_input added = {.name = name};

    if (!shw_image_has_file(image))
        return SHW_OK;
    added.image = shw_image_real_path(image);
    added.path = strdup(path);
    if (added.image == NULL || added.path == NULL || !SHW_RESERVE(own->list, own->room, own->count + 1)) {
        free(added.image);
        free(added.path);
        return SHW_ERROR_MEMORY;
    }
    own->list[own->count++] = added;
    return SHW_OK;
}

static int by_image(const void *a, const void *b)
{
    const struct shw_own_input *one = a, *other = b;
    int order = strcmp(one->image, other->image);

    return order != 0 ? order : strcmp(one->name, other->name);
}

void shw_own_inputs_sort(struct shw_own_inputs *own)
{
    if (own->count > 1)
        qsort(own->list, own->count, sizeof *own->list, by_image);
}

bool shw_own_inputs_equal(const struct shw_own_inputs *one, const struct shw_own_inputs *other)
{
    bool equal = one->count == other->count;

    for (uint32_t i = 0; equal && i < one->count; i++)
        equal = by_image(&one->list[i], &other->list[i]) == 0 && strcmp(one->list[i].path, other->list[i].path) == 0;
    return equal;
}

/* The first of the image's, of *count. */
static const struct shw_own_input *find(const struct shw_own_inputs *own, const char *image, uint32_t *count)
{
    char *real = own != NULL && own->count > 0 ? shw_image_real_path(image) : NULL;
    uint32_t first = 0, end = real != NULL ? own->count : 0;

    *count = 0;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;

        if (strcmp(own->list[middle].image, real) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    while (real != NULL && first + *count < own->count && strcmp(own->list[first + *count].image, real) == 0)
        ++*count;
    free(real);
    return *count > 0 ? &own->list[first] : NULL;
}

uint32_t shw_own_inputs_apply(const struct shw_own_inputs *own, const char *image, const struct shw_input_file *files,
                              uint32_t given, uint32_t count, struct shw_input_file applied[SHW_INPUTS_MAX])
{
    uint32_t own_count;
    const struct shw_own_input *found = find(own, image, &own_count);
    uint32_t length = 0;

    for (; length < given; length++)
        applied[length] = files[length];
    for (uint32_t i = 0; i < own_count && length < SHW_INPUTS_MAX - 1; i++)
        if (!shw_input_files_have(applied, given, found[i].name))
            applied[length++] = (struct shw_input_file){.name = found[i].name, .path = found[i].path};
    for (uint32_t i = given; i < count && length < SHW_INPUTS_MAX - 1; i++)
        if (!shw_input_files_have(applied, length, files[i].name))
            applied[length++] = files[i];
    return length;
}

bool shw_own_inputs_have(const struct shw_own_inputs *own, const char *image, const char *name)
{
    uint32_t count;
    const struct shw_own_input *found = find(own, image, &count);
    bool any = false;

    for (uint32_t i = 0; i < count; i++)
        any = any || strcmp(found[i].name, name) == 0;
    return any;
}

/* Whether the input was kept beside its image: NAME-INPUT.png beside NAME.png. */
static bool is_kept_beside(const struct shw_own_input *input, const char *file)
{
    const size_t length = strlen(input->image), stem = length - (shw_name_ends_with(input->image, ".png") ? 4 : 0);
    const size_t name = strlen(input->name);

    return strncmp(file, input->image, stem) == 0 && file[stem] == '-' &&
           strncmp(file + stem + 1, input->name, name) == 0 && strcmp(file + stem + 1 + name, ".png") == 0;
}

bool shw_own_inputs_are(const struct shw_own_inputs *own, const char *file)
{
    char *real = own->count > 0 ? shw_image_real_path(file) : NULL;
    bool any = false;

    for (uint32_t i = 0; real != NULL && i < own->count && !any; i++) {
        const struct shw_own_input *input = &own->list[i];
        char *other =
            strcmp(shw_path_last(input->path), shw_path_last(file)) == 0 ? shw_image_real_path(input->path) : NULL;

        any = other != NULL && strcmp(other, real) == 0 &&
              (strcmp(input->name, SHW_PREVIOUS) != 0 || is_kept_beside(input, real));
        free(other);
    }
    free(real);
    return any;
}

void shw_own_inputs_free(struct shw_own_inputs *own)
{
    for (uint32_t i = 0; i < own->count; i++) {
        free(own->list[i].image);
        free(own->list[i].path);
    }
    free(own->list);
    *own = (struct shw_own_inputs){0};
}
