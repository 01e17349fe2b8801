#include "files/dataset/piece_inputs.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/channels.h"
#include "files/io/image_paths.h"

void shw_piece_inputs_close(struct shw_piece_inputs *pieces)
{
    for (uint32_t f = 0; f < pieces->file_count; f++)
        shw_image_pieces_close(&pieces->files[f]);
    *pieces = (struct shw_piece_inputs){0};
}

/* Adds the images of a file that was opened; false: it cannot be read in pieces. */
static bool add_file(struct shw_piece_inputs *pieces, struct shw_image_pieces *file, const char *const *names)
{
    const struct shw_pieces_info *info;

    if (file == NULL)
        return false;
    pieces->files[pieces->file_count++] = file;
    info = shw_image_pieces_info(file);
    for (uint32_t i = 0; i < info->image_count; i++)
        pieces->names[pieces->count++] = names[i];
    pieces->pixel_bytes += info->pixel_bytes;
    pieces->in_strips = pieces->in_strips || info->in_strips;
    pieces->row_bytes += info->row_bytes;
    return true;
}

static enum shw_result open_other(const char *image, const struct shw_input_file *input,
                                  struct shw_pieces_params params, const struct shw_log *log,
                                  struct shw_piece_inputs *pieces, bool *possible)
{
    struct shw_image_pieces *file;
    char *path;
    enum shw_result result = shw_image_input_path(image, input, log, &path);

    if (result != SHW_OK || path == NULL)
        return result;
    *possible = shw_plane_name_is_valid(input->name) &&
                shw_image_has_file(path); /* reading the whole tells that it is missing */
    params.path = path;
    params.colours = false;
    params.names = &input->name;
    params.name_count = 1;
    params.any_name = true;
    if (*possible)
        result = shw_image_pieces_open(&params, log, &file);
    if (result == SHW_OK && *possible)
        *possible = add_file(pieces, file, &input->name);
    if (result == SHW_OK && *possible) {
        const struct shw_pieces_info *info = shw_image_pieces_info(file);
        result = shw_image_input_check_size(image, pieces->width, pieces->height, input->name, path, info->width,
                                            info->height, log);
    }
    free(path);
    return result;
}

enum shw_result shw_piece_inputs_open(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                      const struct shw_image_params *params, uint64_t cache, const struct shw_log *log,
                                      struct shw_piece_inputs *pieces, bool *possible)
{
    const char *names[SHW_INPUTS_MAX] = {NULL}; /* the image has none */
    struct shw_pieces_params own = {.path = image, .colours = true, .names = names + 1};
    uint32_t others = 0;
    struct shw_image_pieces *file;

    *pieces = (struct shw_piece_inputs){.width = 0};
    if (params != NULL)
        own.image = *params;
    for (uint32_t i = 0; i < count; i++)
        if (inputs[i].of_image)
            names[++own.name_count] = inputs[i].name;
        else
            others++;
    own.cache = cache / (1 + others);
    SHW_PROPAGATE(shw_image_pieces_open(&own, log, &file));
    *possible = add_file(pieces, file, names);
    if (!*possible)
        return SHW_OK;
    pieces->width = shw_image_pieces_info(file)->width;
    pieces->height = shw_image_pieces_info(file)->height;
    for (uint32_t i = 0; i < count && *possible; i++)
        if (!inputs[i].of_image)
            SHW_PROPAGATE(open_other(image, &inputs[i], own, log, pieces, possible));
    return SHW_OK;
}

enum shw_result shw_piece_inputs_read(struct shw_piece_inputs *pieces, uint32_t x, uint32_t y, uint32_t width,
                                      uint32_t height, struct shw_image_inputs *read)
{
    uint32_t first = 0;

    *read = (struct shw_image_inputs){.all = {0, read->input}};
    for (uint32_t f = 0; f < pieces->file_count; f++) {
        SHW_PROPAGATE(shw_image_pieces_read(pieces->files[f], x, y, width, height, read->files + first));
        first += shw_image_pieces_info(pieces->files[f])->image_count;
    }
    for (uint32_t i = 0; i < pieces->count; i++)
        read->input[i] = (struct shw_input){.name = pieces->names[i], .image = read->files[i].image};
    read->all.count = pieces->count;
    return SHW_OK;
}
