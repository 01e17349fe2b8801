#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "records/model/record_forest.h"

enum shw_result shw_record_forest_save_memory(const struct shw_record_forest *forest, void **bytes, size_t *size)
{
    SHW_REFUSE_NULL(NULL, forest);
    SHW_REFUSE_NULL(NULL, bytes);
    SHW_REFUSE_NULL(NULL, size);

    char *metadata = shw_record_forest_format_metadata(&forest->info);
    const struct shw_ktx2 image = {
        .content = SHW_KTX2_RECORD_FOREST,
        .width = forest->width,
        .height = forest->height,
        .layers = forest->layers,
        .texels = forest->texels,
        .metadata = metadata,
    };
    enum shw_result result = shw_ktx2_write(&image, bytes, size);

    free(metadata);
    return result;
}

enum shw_result shw_record_forest_save(const struct shw_record_forest *forest, const char *path,
                                       const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, forest);
    SHW_REFUSE_NULL(log, path);

    void *bytes;
    size_t size;
    enum shw_result result = shw_record_forest_save_memory(forest, &bytes, &size);

    if (result != SHW_OK)
        return shw_fail_memory(log, path);
    result = shw_atomic_file_write(path, bytes, size, log);
    free(bytes);
    return result;
}

/* A record forest has one texture alone: bits that no tree, node or leaf has are damage. */
static enum shw_result check_texels(const struct shw_record_forest *forest, const struct shw_ktx2 *image,
                                    const struct shw_record_forest_source *source)
{
    size_t count = (size_t)forest->width * forest->height * forest->layers;

    for (size_t t = 0; t < count; t++)
        if (memcmp(forest->texels + 4 * t, (const char *)image->texels + 16 * t, 16) != 0)
            return SHW_BAD_RECORD_FOREST(source, "texel %zu does not say what follows from the trees", t);
    return SHW_OK;
}

static enum shw_result check_name_count(const char *what, const char *const *names, uint32_t count, uint32_t expected,
                                        const struct shw_record_forest_source *source)
{
    if (names != NULL && count != expected)
        return SHW_BAD_RECORD_FOREST(source, "the metadata names %u %s, but the texture has %u", count, what, expected);
    return SHW_OK;
}

/* That the metadata counts what the texture counts. */
static enum shw_result check_metadata(const struct shw_record_metadata *metadata,
                                      const struct shw_record_forest_info *info,
                                      const struct shw_record_forest_source *source)
{
    if (metadata->has_sets != (info->set_word_count > 0))
        return SHW_BAD_RECORD_FOREST(source, "a format version %s sets, but the texture has %u words of them",
                                     metadata->has_sets ? "with" : "without", info->set_word_count);
    SHW_PROPAGATE(check_name_count("attributes", metadata->attribute_names, metadata->attribute_count,
                                   info->attribute_count, source));
    SHW_PROPAGATE(
        check_name_count("outputs", metadata->output_names, metadata->output_count, info->output_count, source));
    if (metadata->base_count != info->output_count)
        return SHW_BAD_RECORD_FOREST(source, "a base of %u numbers in the metadata, but the texture has %u outputs",
                                     metadata->base_count, info->output_count);
    return SHW_OK;
}

static enum shw_result make_of_image(const struct shw_ktx2 *image, const struct shw_record_metadata *metadata,
                                     struct shw_record_forest_info *info, const struct shw_record_forest_source *source,
                                     struct shw_record_forest **out)
{
    struct shw_record_forest *forest = NULL;
    enum shw_result result = shw_record_forest_unpack(image, source, info);

    if (result == SHW_OK)
        result = check_metadata(metadata, info, source);
    if (result == SHW_OK)
        result = shw_record_forest_make(info, source, &forest);
    if (result == SHW_OK)
        result = check_texels(forest, image, source);
    shw_record_forest_free_arrays(info);
    if (result == SHW_OK)
        *out = forest;
    else
        shw_record_forest_destroy(&forest);
    return result;
}

enum shw_result shw_record_forest_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                                  const struct shw_log *log, struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, bytes);
    SHW_REFUSE_NULL(log, forest);

    const struct shw_record_forest_source source = {.name = name != NULL ? name : "record forest", .log = log};
    const struct shw_ktx2_source file = {.name = source.name, .log = log, .content = SHW_KTX2_RECORD_FOREST};
    struct shw_record_metadata metadata = {0};
    struct shw_record_forest_info info = {0};
    struct shw_ktx2 image = {0};
    enum shw_result result = shw_ktx2_read_metadata(bytes, size, &file, &image);

    if (result == SHW_OK)
        result = shw_record_metadata_parse(image.metadata, image.metadata_length, &source, &metadata, &info);
    if (result == SHW_OK)
        result = shw_ktx2_read(bytes, size, &file, &image);
    if (result == SHW_OK)
        result = make_of_image(&image, &metadata, &info, &source, forest);
    shw_record_metadata_free(&metadata);
    return result;
}

enum shw_result shw_record_forest_load_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                           struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, forest);

    void *bytes;
    size_t size;
    enum shw_result result;

    SHW_PROPAGATE(shw_ktx2_read_file(path, log, &bytes, &size));
    result = shw_record_forest_load_memory(bytes, size, path, log, forest);
    free(bytes);
    return result;
}
