/* Integral images on the CPU against direct sums. */
#include "testing/testing.h"

#include <stdlib.h>

#include "dense/integrate/integral.h"

TESTING_CASE(integrals_are_sums)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {13, 11}, {64, 3}};
    enum { PLANES = 3 };
    struct testing_random random = {21};
    struct shw_thread_pool *pool;

    assert_int_equal(shw_thread_pool_create(2, &pool), SHW_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t width = sizes[i][0], height = sizes[i][1];
        int16_t *planes = malloc(PLANES * width * height * sizeof *planes);
        uint32_t *integrals = malloc(PLANES * shw_integral_size(width, height) * sizeof *integrals), *value = integrals;

        assert_non_null(planes);
        assert_non_null(integrals);
        for (size_t p = 0; p < PLANES * width * height; p++)
            planes[p] = (int16_t)testing_random_next(&random);
        shw_integrate_cpu(planes, width, height, PLANES, integrals, i % 2 == 0 ? pool : NULL);
        for (uint32_t plane = 0; plane < PLANES; plane++)
            for (uint32_t y = 0; y <= height; y++)
                for (uint32_t x = 0; x <= width; x++) {
                    int64_t sum = 0;
                    for (uint32_t v = 0; v < y; v++)
                        for (uint32_t u = 0; u < x; u++)
                            sum += planes[(plane * height + v) * width + u];
                    assert_int_equal(*value++, (uint32_t)sum);
                }
        free(integrals);
        free(planes);
    }
    shw_thread_pool_destroy(&pool);
}

TESTING_CASE(integrals_wrap)
{
    enum { SIZE = 512 };
    int16_t *plane = malloc(SIZE * SIZE * sizeof *plane);
    uint32_t *integral = malloc(shw_integral_size(SIZE, SIZE) * sizeof *integral);

    assert_non_null(plane);
    assert_non_null(integral);
    for (int i = 0; i < SIZE * SIZE; i++)
        plane[i] = INT16_MAX;
    shw_integrate_cpu(plane, SIZE, SIZE, 1, integral, NULL);
    assert_int_equal(integral[shw_integral_size(SIZE, SIZE) - 1], (uint32_t)((uint64_t)SIZE * SIZE * INT16_MAX));
    free(integral);
    free(plane);
}
