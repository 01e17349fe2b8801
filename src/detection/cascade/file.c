#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "detection/cascade/cascade.h"

enum shw_result shw_cascade_save_memory(const struct shw_cascade *cascade, void **bytes, size_t *size)
{
    SHW_REFUSE_NULL(NULL, cascade);
    SHW_REFUSE_NULL(NULL, bytes);
    SHW_REFUSE_NULL(NULL, size);

    char *metadata = shw_cascade_format_metadata(&cascade->info);
    const struct shw_ktx2 image = {
        .content = SHW_KTX2_CASCADE,
        .width = cascade->width,
        .height = cascade->height,
        .layers = 1,
        .texels = cascade->texels,
        .metadata = metadata,
    };
    enum shw_result result = shw_ktx2_write(&image, bytes, size);

    free(metadata);
    return result;
}

enum shw_result shw_cascade_save(const struct shw_cascade *cascade, const char *path, const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, cascade);
    SHW_REFUSE_NULL(log, path);

    void *bytes;
    size_t size;
    enum shw_result result = shw_cascade_save_memory(cascade, &bytes, &size);

    if (result != SHW_OK)
        return shw_fail_memory(log, path);
    result = shw_atomic_file_write(path, bytes, size, log);
    free(bytes);
    return result;
}

/* A cascade has one texture alone: bits that no stage, tree, node or feature has are damage. */
static enum shw_result check_texels(const struct shw_cascade *cascade, const struct shw_ktx2 *image,
                                    const struct shw_cascade_source *source)
{
    for (size_t t = 0; t < (size_t)cascade->width * cascade->height; t++)
        if (memcmp(cascade->texels + 4 * t, (const char *)image->texels + 16 * t, 16) != 0)
            return SHW_BAD_CASCADE(source, "texel %zu has bits that mean nothing", t);
    return SHW_OK;
}

static enum shw_result make_of_image(const struct shw_ktx2 *image, const struct shw_cascade_metadata *metadata,
                                     struct shw_cascade_info *info, const struct shw_cascade_source *source,
                                     struct shw_cascade **out)
{
    struct shw_cascade *cascade = NULL;
    enum shw_result result = shw_cascade_unpack(image, source, info);

    if (result == SHW_OK && info->survivors != NULL && metadata->survivor_count != info->stage_count + 1)
        result = SHW_BAD_CASCADE(source, "%u survivors in the metadata; %u stages have %u", metadata->survivor_count,
                                 info->stage_count, info->stage_count + 1);
    if (result == SHW_OK)
        result = shw_cascade_make(info, source, &cascade);
    if (result == SHW_OK)
        result = check_texels(cascade, image, source);
    shw_cascade_free_arrays(info);
    if (result == SHW_OK)
        *out = cascade;
    else
        shw_cascade_destroy(&cascade);
    return result;
}

enum shw_result shw_cascade_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                            const struct shw_log *log, struct shw_cascade **cascade)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, bytes);
    SHW_REFUSE_NULL(log, cascade);

    const struct shw_cascade_source source = {.name = name != NULL ? name : "cascade", .log = log};
    const struct shw_ktx2_source file = {.name = source.name, .log = log, .content = SHW_KTX2_CASCADE};
    struct shw_cascade_metadata metadata = {0};
    struct shw_cascade_info info = {0};
    struct shw_ktx2 image = {0};
    enum shw_result result = shw_ktx2_read_metadata(bytes, size, &file, &image);

    if (result == SHW_OK)
        result = shw_cascade_parse_metadata(image.metadata, image.metadata_length, &source, &metadata, &info);
    if (result == SHW_OK)
        result = shw_ktx2_read(bytes, size, &file, &image);
    if (result == SHW_OK)
        result = make_of_image(&image, &metadata, &info, &source, cascade);
    shw_cascade_metadata_free(&metadata);
    return result;
}

enum shw_result shw_cascade_load_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                     struct shw_cascade **cascade)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, cascade);

    void *bytes;
    size_t size;
    enum shw_result result;

    SHW_PROPAGATE(shw_ktx2_read_file(path, log, &bytes, &size));
    result = shw_cascade_load_memory(bytes, size, path, log, cascade);
    free(bytes);
    return result;
}
