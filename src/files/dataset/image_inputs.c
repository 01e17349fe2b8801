#include "files/dataset/image_inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/reason.h"
#include "dense/channels/channels.h"
#include "dense/input/inputs.h"
#include "files/dataset/pattern.h"
#include "files/image/planes.h"
#include "files/io/image_paths.h"

enum shw_result shw_image_input_path(const char *image, const struct shw_input_file *input, const struct shw_log *log,
                                     char **path)
{
    char name[SHW_BASE_NAME_SIZE];
    size_t length = strlen(shw_image_base_name(image, name)), shorter = shw_curfil_name_length(name);
    char *other;

    *path = NULL;
    if (input->of_image)
        return SHW_OK;
    if (input->path == NULL) {
        *path = shw_curfil_beside(image, input->name);
        return SHW_OK;
    }
    *path = shw_pattern_fill(input->path, name, length);
    if (*path != NULL && shorter > 0 && !shw_image_has_file(*path)) {
        other = shw_pattern_fill(input->path, name, shorter);
        if (other != NULL && shw_image_has_file(other)) {
            free(*path);
            *path = other;
            return SHW_OK;
        }
        free(other);
    }
    if (*path != NULL && input->optional && !shw_image_has_file(*path)) {
        free(*path);
        *path = NULL;
        return SHW_OK;
    }
    return *path != NULL ? SHW_OK : shw_fail_memory(log, image);
}

enum shw_result shw_image_inputs_list(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                      void (*visit)(void *user, const char *path), void *user,
                                      const struct shw_log *log)
{
    uint32_t page;
    char *own = shw_image_file_of(image, &page);

    if (own == NULL)
        return shw_fail_memory(log, image);
    visit(user, own);
    free(own);
    for (uint32_t i = 0; i < count; i++) {
        char *path, *file;

        SHW_PROPAGATE(shw_image_input_path(image, &inputs[i], log, &path));
        if (path == NULL)
            continue;
        file = shw_image_file_of(path, &page);
        if (file != NULL)
            visit(user, file);
        free(path);
        if (file == NULL)
            return shw_fail_memory(log, image);
        free(file);
    }
    return SHW_OK;
}

bool shw_image_inputs_are_there(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                const char *name)
{
    bool there = false;

    for (uint32_t i = 0; i < count; i++) {
        char *path = NULL;

        if (strcmp(inputs[i].name, name) == 0 && shw_image_input_path(image, &inputs[i], NULL, &path) == SHW_OK)
            there = path != NULL && shw_image_has_file(path);
        free(path);
    }
    return there;
}

static enum shw_result check_there(const char *image, const struct shw_input_file *input, const char *path,
                                   const struct shw_log *log)
{
    if (access(path, F_OK) == 0 || shw_image_has_file(path))
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "%s: cannot open its %s %s: there is no such file", image,
                    strcmp(input->name, SHW_PREVIOUS) == 0 ? "previous frame" : input->name, path);
}

enum shw_result shw_image_input_check_size(const char *image, uint32_t width, uint32_t height, const char *name,
                                           const char *path, uint32_t got_width, uint32_t got_height,
                                           const struct shw_log *log)
{
    if (width == got_width && height == got_height)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %u x %u pixels, but its %s image %s has %u x %u",
                    image, width, height, name, path, got_width, got_height);
}

static enum shw_result read_input(const char *image, const struct shw_input_file *input,
                                  const struct shw_image_params *params, const struct shw_log *log,
                                  struct shw_image_inputs *read)
{
    const struct shw_image *colour = &read->files[0].image;
    struct shw_image_file *file = &read->files[read->all.count];
    char *path;
    enum shw_result result = shw_image_input_path(image, input, log, &path);

    if (result != SHW_OK || path == NULL)
        return result;
    result = check_there(image, input, path, log);
    if (result == SHW_OK) {
        result = shw_input_file_read(input->name, path, params, log, file);
        read->input[read->all.count++] = (struct shw_input){.name = input->name, .image = file->image};
    }
    if (result == SHW_OK)
        result = shw_image_input_check_size(image, colour->width, colour->height, input->name, path, file->image.width,
                                            file->image.height, log);
    free(path);
    return result;
}

/* Planes of an image's own file that are read. */
struct own_planes {
    const char *image;
    const struct shw_image_params *params;
    const struct shw_log *log;
    struct shw_image_file *files; /* and inputs, of which there are *count */
    struct shw_input *inputs;
    uint32_t *count;
};

static void add_plane(const struct own_planes *to, const char *name, const struct shw_image_file *file)
{
    to->files[*to->count] = *file;
    to->inputs[(*to->count)++] = (struct shw_input){.name = name, .image = file->image};
}

/* One after another, since they cannot be read together: without optional ones that cannot be read, with a warning. */
static enum shw_result read_each(const struct own_planes *to, const char *const *names, const bool *optional,
                                 uint32_t count)
{
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < count && result == SHW_OK; i++) {
        struct shw_reason reason = {""};
        const struct shw_log quiet = shw_reason_log(&reason);
        struct shw_image_file file;

        result = shw_image_planes_read(to->image, &names[i], 1, to->params, optional[i] ? &quiet : to->log, &file);
        if (result == SHW_OK) {
            add_plane(to, names[i], &file);
        } else if (optional[i] && result == SHW_ERROR_FORMAT) {
            shw_log_message(to->log, SHW_LOG_WARNING, SHW_LOG_IMAGE_FORMAT, "%s, and is left out", reason.text);
            result = SHW_OK;
        } else if (optional[i] && result != SHW_ERROR_CANCELLED) {
            shw_fail(to->log, result, SHW_LOG_IMAGE_FORMAT, "%s", reason.text);
        }
    }
    return result;
}

/* Leaves out optional planes that the file does not have. Returns how many are left. What is wrong with the file is
 * reported when they are read. */
static uint32_t leave_out(const char *image, const char **names, bool *optional, uint32_t count)
{
    struct shw_plane_list planes;
    uint32_t left = 0;

    if (shw_image_planes_list(image, NULL, &planes) != SHW_OK)
        return count;
    for (uint32_t i = 0; i < count; i++)
        if (!optional[i] || shw_plane_list_find(&planes, names[i]) < planes.count) {
            names[left] = names[i];
            optional[left++] = optional[i];
        }
    shw_plane_list_free(&planes);
    return left;
}

enum shw_result shw_image_own_planes_read(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                          const struct shw_image_params *params, const struct shw_log *log,
                                          struct shw_image_file *files, struct shw_input *read, uint32_t *read_count)
{
    const struct own_planes to = {image, params, log, files, read, read_count};
    struct shw_image_file together[SHW_INPUTS_MAX];
    const char *names[SHW_INPUTS_MAX];
    bool optional[SHW_INPUTS_MAX], any = false;
    uint32_t planes = 0;
    enum shw_result result;

    for (uint32_t i = 0; i < count; i++)
        if (inputs[i].of_image) {
            any = any || inputs[i].optional;
            names[planes] = inputs[i].name;
            optional[planes++] = inputs[i].optional;
        }
    if (any)
        planes = leave_out(image, names, optional, planes);
    if (planes == 0)
        return SHW_OK;
    result = shw_image_planes_read(image, names, planes, params, any ? NULL : log, together);
    if (result != SHW_OK && any && result != SHW_ERROR_CANCELLED)
        return read_each(&to, names, optional, planes);
    SHW_PROPAGATE(result);
    for (uint32_t i = 0; i < planes; i++)
        add_plane(&to, names[i], &together[i]);
    return SHW_OK;
}

enum shw_result shw_image_inputs_read(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                      const struct shw_image_params *params, const struct shw_log *log,
                                      struct shw_image_inputs *read)
{
    *read = (struct shw_image_inputs){.all = {1, read->input}};
    SHW_PROPAGATE(shw_image_file_read(image, params, log, &read->files[0]));
    read->input[0].image = read->files[0].image;
    for (uint32_t i = 0; i < count; i++)
        SHW_PROPAGATE(read_input(image, &inputs[i], params, log, read));
    return shw_image_own_planes_read(image, inputs, count, params, log, read->files, read->input, &read->all.count);
}

void shw_image_inputs_free(struct shw_image_inputs *inputs)
{
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        shw_image_file_free(&inputs->files[i]);
}

bool shw_input_files_have(const struct shw_input_file files[], uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(files[i].name, name) == 0)
            return true;
    return false;
}

int shw_input_files_take(const struct shw_command *command, const struct shw_option_list *list,
                         struct shw_input_file files[SHW_INPUTS_MAX])
{
    _Static_assert(SHW_OPTION_LIST_MAX < SHW_INPUTS_MAX, "room for all of them, and the image");
    for (uint32_t i = 0; i < list->count; i++) {
        char *equals = strchr(list->items[i], '=');
        if (equals == NULL || equals == list->items[i] || equals[1] == '\0')
            return shw_usage_error(command, "--input '%s': not NAME=PATTERN, as in depth=depth/{}.png", list->items[i]);
        *equals = '\0'; /* arguments may be modified */
        shw_plane_name_lower(equals - strlen(list->items[i]));
        if (shw_input_files_have(files, i, list->items[i]))
            return shw_usage_error(command, "--input %s: there are two of this name", list->items[i]);
        files[i] = (struct shw_input_file){.name = list->items[i], .path = equals + 1};
    }
    return SHW_CONTINUE;
}

void shw_input_files_add_beside(const struct shw_channel_list *channels, uint32_t *count, struct shw_input_file files[])
{
    uint32_t given = *count;

    for (uint32_t i = 0; i < SHW_CURFIL_INPUTS; i++) {
        const char *name = shw_curfil_inputs[i].name;
        if (shw_channels_read(channels, name) && !shw_input_files_have(files, given, name))
            files[(*count)++] = (struct shw_input_file){.name = name};
    }
    for (uint32_t i = 1; i < channels->input_count; i++)
        if (channels->is_plane[i] && !shw_input_files_have(files, given, channels->inputs[i]))
            files[(*count)++] = (struct shw_input_file){.name = channels->inputs[i], .of_image = true};
}

enum shw_result shw_image_inputs_complete(const struct shw_channel_list *channels, const char *image,
                                          struct shw_image_inputs *inputs, const struct shw_log *log)
{
    inputs->all.count = shw_inputs_add_depth(inputs->input, inputs->all.count, channels);
    for (uint32_t i = 0; i < SHW_CURFIL_INPUTS; i++) {
        const char *name = shw_curfil_inputs[i].name;
        if (shw_channels_read(channels, name) && shw_inputs_find(&inputs->all, name) == NULL)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "%s: the forest reads %s: name its files by --input %s=PATTERN, or NAME_%s.png beside "
                            "NAME_colors.png",
                            image, name, name, name);
    }
    return SHW_OK;
}
