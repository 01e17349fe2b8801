#include "channels/channels_cpu.h"

#include <stdlib.h>

#include "channels/base_planes.h"

struct copying {
    const struct shw_channels_job *job;
    int16_t *luma; /* a row for each thread */
};

static void copy_row(void *user, uint32_t y, uint32_t thread)
{
    const struct copying *copying = user;
    const struct shw_image *image = copying->job->image;
    size_t plane = (size_t)image->width * image->height;
    int16_t *red = copying->job->planes + (size_t)y * image->width;
    int16_t *const base[SHW_BASE_COUNT] = {red, red + plane, red + 2 * plane,
                                           copying->luma + (size_t)thread * image->width};

    shw_base_row(image, y, base);
}

static enum shw_result rgb_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    struct copying copying = {.job = job};

    copying.luma = malloc((size_t)shw_thread_pool_size(pool) * job->image->width * sizeof *copying.luma);
    if (copying.luma == NULL)
        return SHW_ERROR_MEMORY;
    shw_thread_pool_run(pool, job->image->height, copy_row, &copying);
    free(copying.luma);
    return SHW_OK;
}

enum shw_result shw_channels_cpu(enum shw_channel_set set, const struct shw_image *image,
                                 const struct shw_region *region, int16_t *planes, struct shw_thread_pool *pool)
{
    struct shw_channels_job job = {
        .image = image, .region = {image->width, image->height, 0, 0, image->width, image->height}, .planes = planes};

    if (set == SHW_CHANNELS_DEFAULT)
        set = SHW_CHANNELS_WINN16;
    if (shw_channel_set_get(set) == NULL || shw_pixel_size(image->format) == 0 || image->width == 0 ||
        image->height == 0)
        return SHW_ERROR_ARGUMENT;
    if (region != NULL)
        job.region = *region;
    if (set == SHW_CHANNELS_RGB)
        return rgb_cpu(&job, pool);
    if (set == SHW_CHANNELS_LAB)
        return shw_lab_cpu(&job, pool);
    job.bank = shw_filter_bank_get(set);
    return shw_filter_bank_cpu(&job, pool);
}
