#include "channels/lab.h"

#include <stdlib.h>

#include "channels/base_planes.h"
#include "channels/channels_cpu.h"

#define ONE 131072.0 /* 17 fraction bits */

/* Newton's method from 1 down, far past convergence. Only + - * / and so the same bits everywhere. */
static double cube_root(double value)
{
    double root = 1.0;

    for (int i = 0; i < 16; i++)
        root = (2.0 * root + value / (root * root)) / 3.0;
    return root;
}

static double fifth_root(double value)
{
    double root = 1.0;

    for (int i = 0; i < 16; i++)
        root = (4.0 * root + value / (root * root * root * root)) / 5.0;
    return root;
}

static double linear_light(double stored)
{
    double base = (stored + 0.055) / 1.055;

    if (stored <= 0.04045)
        return stored / 12.92;
    return base * base * fifth_root(base * base);
}

static double lab_curve(double value)
{
    if (value > 216.0 / 24389.0)
        return cube_root(value);
    return value * 841.0 / 108.0 + 4.0 / 29.0;
}

void shw_lab_fill_table(uint32_t *table)
{
    for (uint32_t i = 0; i < SHW_LAB_ROOT; i++)
        table[i] = (uint32_t)(linear_light(i / (double)SHW_BASE_MAX) * ONE + 0.5);
    for (uint32_t i = 0; i < SHW_LAB_ROOT_COUNT; i++)
        table[SHW_LAB_ROOT + i] = (uint32_t)(lab_curve((i < 4096 ? i : 4096) / 4096.0) * ONE + 0.5);
}

struct converting {
    const struct shw_channels_job *job;
    int16_t *base; /* SHW_BASE_COUNT rows for each thread */
    const uint32_t *table;
};

static void convert_row(void *user, uint32_t y, uint32_t thread)
{
    const struct converting *converting = user;
    const struct shw_image *image = converting->job->image;
    size_t width = image->width, plane = width * image->height;
    int16_t *rows = converting->base + (size_t)thread * SHW_BASE_COUNT * width;
    int16_t *const base[SHW_BASE_COUNT] = {rows, rows + width, rows + 2 * width, rows + 3 * width};
    int16_t *out = converting->job->planes + y * width;

    shw_base_row(image, y, base);
    for (size_t x = 0; x < width; x++) {
        struct shw_lab_colour colour = shw_lab(converting->table, (uint32_t)base[SHW_BASE_R][x],
                                               (uint32_t)base[SHW_BASE_G][x], (uint32_t)base[SHW_BASE_B][x]);
        out[x] = (int16_t)colour.l;
        out[plane + x] = (int16_t)colour.a;
        out[2 * plane + x] = (int16_t)colour.b;
    }
}

enum shw_result shw_lab_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    struct converting converting = {.job = job, .table = job->lab_table};
    uint32_t *table = NULL;
    enum shw_result result = SHW_ERROR_MEMORY;

    converting.base =
        malloc((size_t)shw_thread_pool_size(pool) * SHW_BASE_COUNT * job->image->width * sizeof *converting.base);
    if (converting.base == NULL)
        goto fail;
    if (job->lab_table == NULL) {
        table = malloc(SHW_LAB_TABLE_COUNT * sizeof *table);
        if (table == NULL)
            goto fail;
        shw_lab_fill_table(table);
        converting.table = table;
    }
    shw_thread_pool_run(pool, job->image->height, convert_row, &converting);
    result = SHW_OK;

fail:
    free(table);
    free(converting.base);
    return result;
}
