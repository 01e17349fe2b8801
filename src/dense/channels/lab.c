#include "dense/channels/lab.h"

#include <pthread.h>

#include "dense/channels/base_planes.h"
#include "shared/lab_table.h"

#define ONE 131072.0 /* 17 fraction bits */

/* Newton's method, starting from 1, far past convergence. Only + - * /, so results are equal on all machines. */
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

static uint32_t table[SHW_LAB_TABLE_COUNT];

static void fill_table(void)
{
    for (uint32_t i = 0; i < SHW_LAB_ROOT; i++)
        table[i] = (uint32_t)(linear_light(i / (double)SHW_BASE_MAX) * ONE + 0.5);
    for (uint32_t i = 0; i < SHW_LAB_ROOT_COUNT; i++)
        table[SHW_LAB_ROOT + i] = (uint32_t)(lab_curve((i < 4096 ? i : 4096) / 4096.0) * ONE + 0.5);
}

const uint32_t *shw_lab_get_table(uint32_t *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, fill_table);
    *count = SHW_LAB_TABLE_COUNT;
    return table;
}
