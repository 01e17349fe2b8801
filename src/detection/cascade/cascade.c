#include "detection/cascade/cascade.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/provenance.h"

static const char *const kind_names[SHW_CASCADE_KIND_COUNT] = {
    [SHW_CASCADE_PIXELS] = "pixels",
    [SHW_CASCADE_SCALED] = "scaled-pixels",
    [SHW_CASCADE_HAAR] = "haar",
    [SHW_CASCADE_LBP] = "lbp",
};

const char *shw_cascade_kind_name(enum shw_cascade_kind kind)
{
    return (uint32_t)kind < SHW_CASCADE_KIND_COUNT ? kind_names[kind] : NULL;
}

/* Equal floating-point numbers have equal bits: the scale factor is above zero, or zero. */
static bool set_hash(struct shw_cascade *cascade)
{
    const struct shw_cascade_info *info = &cascade->info;
    uint32_t meaning[] = {(uint32_t)info->kind,    info->planes.shrink,  info->planes.blur_before,
                          info->planes.blur_after, info->planes.octaves, info->levels_per_octave};
    double scale_factor = info->scale_factor;
    XXH3_state_t *state = XXH3_createState();

    if (state == NULL)
        return false;
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, meaning, sizeof meaning);
    XXH3_64bits_update(state, &scale_factor, sizeof scale_factor);
    XXH3_64bits_update(state, info->name, strlen(info->name) + 1);
    XXH3_64bits_update(state, cascade->texels, (size_t)16 * cascade->width * cascade->height);
    cascade->hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = malloc(count * size);

    if (to != NULL)
        memcpy(to, from, count * size);
    return to;
}

/* Of counts that have been checked. */
static bool copy_arrays(struct shw_cascade *cascade, const struct shw_cascade_info *info)
{
    const char *name = info->name != NULL && info->name[0] != '\0' ? info->name : "object";

    cascade->info = *info;
    cascade->info.name = cascade->name = copy(name, strlen(name) + 1, 1);
    cascade->info.stages = cascade->stages = copy(info->stages, info->stage_count, sizeof *info->stages);
    cascade->info.trees = cascade->trees = copy(info->trees, info->tree_count, sizeof *info->trees);
    cascade->info.nodes = cascade->nodes = copy(info->nodes, info->node_count, sizeof *info->nodes);
    cascade->info.features = NULL;
    cascade->info.survivors = NULL;
    cascade->info.min_score = info->has_min_score ? info->min_score : 0;
    cascade->depths = calloc(info->tree_count, 1);
    if (info->feature_count > 0)
        cascade->info.features = cascade->features = copy(info->features, info->feature_count, sizeof *info->features);
    if (info->survivors != NULL)
        cascade->info.survivors = cascade->survivors =
            copy(info->survivors, (size_t)info->stage_count + 1, sizeof *info->survivors);
    return cascade->name != NULL && cascade->stages != NULL && cascade->trees != NULL && cascade->nodes != NULL &&
           cascade->depths != NULL && (info->feature_count == 0 || cascade->features != NULL) &&
           (info->survivors == NULL || cascade->survivors != NULL);
}

static enum shw_result fill(struct shw_cascade *cascade, const struct shw_cascade_info *info,
                            const struct shw_cascade_source *source)
{
    if (!copy_arrays(cascade, info))
        return shw_fail_memory(source->log, "a cascade");
    SHW_PROPAGATE(shw_cascade_check(cascade, source));
    SHW_PROPAGATE(shw_provenance_read(info->training != NULL ? info->training : "{}", source->name, SHW_LOG_CASCADE,
                                      source->log, &cascade->training));
    cascade->info.training = cascade->training;
    if (!shw_cascade_pack(cascade) || !set_hash(cascade))
        return shw_fail_memory(source->log, "a cascade");
    return SHW_OK;
}

enum shw_result shw_cascade_make(const struct shw_cascade_info *info, const struct shw_cascade_source *source,
                                 struct shw_cascade **out)
{
    struct shw_cascade *cascade;
    enum shw_result result;

    SHW_PROPAGATE(shw_cascade_check_counts(info, source));
    cascade = calloc(1, sizeof *cascade);
    if (cascade == NULL)
        return shw_fail_memory(source->log, "a cascade");
    result = fill(cascade, info, source);
    if (result == SHW_OK)
        *out = cascade;
    else
        shw_cascade_destroy(&cascade);
    return result;
}

enum shw_result shw_cascade_create_abi(uint32_t abi, const struct shw_cascade_info *info, const struct shw_log *log,
                                       struct shw_cascade **cascade)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, info);
    SHW_REFUSE_NULL(log, cascade);

    return shw_cascade_make(info, &(struct shw_cascade_source){.name = "cascade", .log = log}, cascade);
}

void shw_cascade_destroy(struct shw_cascade **handle)
{
    struct shw_cascade *cascade = handle != NULL ? *handle : NULL;

    if (cascade == NULL)
        return;
    free(cascade->texels);
    free(cascade->depths);
    free(cascade->survivors);
    free(cascade->features);
    free(cascade->nodes);
    free(cascade->trees);
    free(cascade->stages);
    free(cascade->training);
    free(cascade->name);
    free(cascade);
    *handle = NULL;
}

const struct shw_cascade_info *shw_cascade_get_info(const struct shw_cascade *cascade)
{
    return cascade != NULL ? &cascade->info : NULL;
}

struct shw_cascade_texture shw_cascade_get_texture(const struct shw_cascade *cascade)
{
    if (cascade == NULL)
        return (struct shw_cascade_texture){0};

    return (struct shw_cascade_texture){cascade->texels, cascade->width, cascade->height};
}

uint64_t shw_cascade_hash(const struct shw_cascade *cascade)
{
    return cascade != NULL ? cascade->hash : 0;
}
