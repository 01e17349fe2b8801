/* Techniques on the host for 'shadewood bench --plugin': one that is right, and one that does nothing. The version is
 * WITH_VERSION; without it there are none. */
#include <stddef.h>

#include <shadewood/stage.h>

#ifdef WITH_VERSION
static enum shw_result sum(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_planes *channels = shw_stage_find(&frame->planes, SHW_CHANNELS);
    size_t width = channels->width, height = channels->height, count = channels->count;
    const int16_t *in = channels->host;
    uint32_t *out = shw_stage_find(&frame->planes, SHW_INTEGRALS)->host;

    (void)user;
    for (size_t c = 0; c < count; c++) {
        const int16_t *channel = in + c * width * height;
        uint32_t *integral = out + c * (width + 1) * (height + 1);
        for (size_t y = 0; y <= height; y++) {
            int32_t row = 0;
            for (size_t x = 0; x <= width; x++) {
                row += x > 0 && y > 0 ? channel[(y - 1) * width + x - 1] : 0;
                integral[y * (width + 1) + x] = (uint32_t)row + (y > 0 ? integral[(y - 1) * (width + 1) + x] : 0);
            }
        }
    }
    return SHW_OK;
}

static enum shw_result nothing(void *user, const struct shw_stage_host_frame *frame)
{
    (void)user;
    (void)frame;
    return SHW_OK;
}

SHW_API const struct shw_stage_technique *const *shadewood_techniques(uint32_t *count);

const struct shw_stage_technique *const *shadewood_techniques(uint32_t *count)
{
    static const struct shw_stage_technique plain = {
        .version = WITH_VERSION, .name = "plain", .stage = SHW_STAGE_INTEGRATE, .form = SHW_PLANES_HOST, .run = sum};
    static const struct shw_stage_technique lazy = {
        .version = WITH_VERSION, .name = "lazy", .stage = SHW_STAGE_INTEGRATE, .form = SHW_PLANES_HOST, .run = nothing};
    static const struct shw_stage_technique *const techniques[] = {&plain, &lazy};

    *count = 2;
    return techniques;
}
#else
SHW_API int shadewood_nothing(void);

int shadewood_nothing(void)
{
    return 0;
}
#endif
