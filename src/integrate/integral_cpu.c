#include <string.h>

#include "integrate/integral.h"

struct integration {
    const int16_t *planes;
    uint32_t width, height;
    uint32_t *integrals;
};

static void integrate_plane(void *user, uint32_t plane, uint32_t thread)
{
    const struct integration *integration = user;
    uint32_t width = integration->width;
    const int16_t *in = integration->planes + (size_t)plane * width * integration->height;
    uint32_t *out = integration->integrals + plane * shw_integral_size(width, integration->height);

    (void)thread;
    memset(out, 0, ((size_t)width + 1) * sizeof *out);
    for (uint32_t y = 0; y < integration->height; y++, in += width) {
        const uint32_t *above = out;
        uint32_t sum = 0;

        out += width + 1;
        out[0] = 0;
        for (uint32_t x = 0; x < width; x++) {
            int32_t value = in[x];
            sum += (uint32_t)value;
            out[x + 1] = above[x + 1] + sum;
        }
    }
}

void shw_integrate_cpu(const int16_t *planes, uint32_t width, uint32_t height, uint32_t count, uint32_t *integrals,
                       struct shw_thread_pool *pool)
{
    struct integration integration = {.planes = planes, .width = width, .height = height, .integrals = integrals};

    shw_thread_pool_run(pool, count, integrate_plane, &integration);
}
