#include "files/dataset/curfil_files.h"

#include <stdlib.h>
#include <string.h>

#include "files/dataset/pattern.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"

#define ENDING "_colors"

const struct shw_input_file shw_curfil_inputs[SHW_CURFIL_INPUTS] = {{SHW_DEPTH, SHW_CURFIL_DEPTH},
                                                                    {SHW_HEIGHT, SHW_CURFIL_HEIGHT}};

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
