/* A technique: integral images on the host, each row computed from the row above. */
#include "extend.h"

static void integrate(const int16_t *channel, uint32_t width, uint32_t height, uint32_t *integral)
{
    size_t row = (size_t)width + 1;

    for (size_t x = 0; x < row; x++)
        integral[x] = 0;
    for (uint32_t y = 0; y < height; y++) {
        uint32_t sum = 0;
        uint32_t *below = integral + (y + 1) * row;
        below[0] = 0;
        for (uint32_t x = 0; x < width; x++) {
            int32_t value = channel[(size_t)y * width + x];
            sum += (uint32_t)value;
            below[x + 1] = integral[y * row + x + 1] + sum;
        }
    }
}

static enum shw_result run(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_planes *channels = shw_stage_find(&frame->planes, SHW_CHANNELS);
    const struct shw_stage_planes *integrals = shw_stage_find(&frame->planes, SHW_INTEGRALS);
    const int16_t *values = channels->host;
    size_t pixels = (size_t)channels->width * channels->height;

    for (uint32_t c = 0; c < channels->count; c++)
        integrate(values + c * (size_t)channels->pitch, channels->width, channels->height,
                  (uint32_t *)integrals->host + c * (size_t)integrals->pitch);
    if (user != NULL)
        memcpy(user, values, channels->count * pixels * sizeof *values);
    return SHW_OK;
}

struct shw_stage_technique row_sums(int16_t *channels)
{
    return (struct shw_stage_technique){.version = SHW_STAGE_TECHNIQUE_VERSION,
                                        .name = "row-sums",
                                        .stage = SHW_STAGE_INTEGRATE,
                                        .form = SHW_PLANES_HOST,
                                        .user = channels,
                                        .run = run};
}
