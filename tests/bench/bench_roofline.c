/* The micro-benchmarks: all limits are measured, their oracles notice what is wrong, and vector and scalar gathers
 * agree. */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "bench/roofline_device.h"
#include "vulkan/commands.h"

static const char *const names[] = {"compute_buffer_loads",
                                    "compute_buffer_loads_near",
                                    "compute_buffer_loads_scattered",
                                    "compute_texel_fetches",
                                    "compute_texel_fetches_near",
                                    "compute_texel_fetches_wide",
                                    "fragment_texel_fetches",
                                    "fragment_texel_fetches_near",
                                    "fragment_texel_fetches_wide",
                                    "point_blends",
                                    "shared_atomics",
                                    "global_atomics",
                                    "copy",
                                    "fill",
                                    "cpu_gathers"};

#define NAME_COUNT  (sizeof names / sizeof *names)
#define LARGE_BYTES ((uint64_t)32 << 20)

static json_t *run_suite(struct shw_device *device)
{
    struct testing_log memory = {0};
    struct shw_bench bench = {.options = {.quick = true, .runs = 3, .seconds = 0.05, .samples = true},
                              .device = device,
                              .log = testing_log(&memory)};
    enum shw_result result;

    if (device != NULL)
        shw_device_describe(device, &bench.description);
    assert_int_equal(shw_thread_pool_create(2, &bench.pool), SHW_OK);
    bench.document = shw_bench_document(device != NULL ? &bench.description : NULL, 2, "test");
    assert_non_null(bench.document);
    result = shw_bench_roofline(&bench);
    assert_int_equal(result, SHW_OK);
    assert_int_equal(memory.errors, 0);
    shw_thread_pool_destroy(&bench.pool);
    return bench.document;
}

static void assert_limit(const json_t *limit, const char *name)
{
    const json_t *timing = json_object_get(limit, "device_ms");

    assert_string_equal(json_string_value(json_object_get(limit, "limit")), name);
    if (json_object_get(limit, "skipped") != NULL)
        fail_msg("%s: %s", name, json_string_value(json_object_get(limit, "skipped")));
    assert_true(json_number_value(json_object_get(limit, "per_second")) > 1e5);
    assert_true(json_is_string(json_object_get(limit, "title")) && json_is_string(json_object_get(limit, "unit")));
    if (!json_is_object(timing))
        timing = json_object_get(limit, "wall_ms");
    assert_true(json_number_value(json_object_get(timing, "median")) > 0);
    assert_int_equal(json_array_size(json_object_get(timing, "samples")),
                     json_integer_value(json_object_get(timing, "runs")));
}

TESTING_CASE(test_every_limit_is_measured)
{
    json_t *document, *limits;
    struct shw_device_description description;

    shw_device_describe(testing_device(), &description);
    if (!description.blends_r32_sfloat)
        testing_skip("the device does not blend R32_SFLOAT");
    document = run_suite(testing_device());
    limits = json_object_get(document, "limits");
    assert_int_equal(json_array_size(limits), NAME_COUNT);
    for (size_t i = 0; i < NAME_COUNT; i++)
        assert_limit(json_array_get(limits, i), names[i]);
    json_decref(document);
    testing_device_check();
}

TESTING_CASE(test_the_processor_is_measured_without_a_device)
{
    json_t *document = run_suite(NULL), *limits = json_object_get(document, "limits");

    assert_int_equal(json_array_size(limits), 1);
    assert_limit(json_array_get(limits, 0), "cpu_gathers");
    json_decref(document);
}

/* A run of one step that begins elsewhere than the oracle thinks. What copies reads other words. */
static void assert_noticed(struct shw_roofline_device *roofline, const struct shw_roofline_kernel *kernel)
{
    struct shw_roofline_case made = {.kernel = kernel};
    struct shw_roofline_push push = shw_roofline_push_of(roofline, kernel, 1);
    VkCommandBuffer commands;
    bool good = false;

    if (kernel->cannot != NULL && kernel->cannot(roofline) != NULL)
        return;
    assert_int_equal(kernel->create(roofline, &made), SHW_OK);
    assert_int_equal(shw_roofline_run(roofline, &made, 1), SHW_OK);
    assert_int_equal(kernel->check(roofline, &made, &push, &good), SHW_OK);
    assert_true(good);
    push.seed++;
    assert_int_equal(shw_submit_begin(roofline->device, &commands), SHW_OK);
    if (strcmp(kernel->limit, "copy") == 0)
        shw_roofline_record_fill(roofline, commands, 1);
    shw_roofline_barrier(roofline, commands);
    shw_roofline_record(roofline, &made, commands, &push);
    shw_roofline_barrier(roofline, commands);
    assert_int_equal(shw_submit_wait(roofline->device, commands), SHW_OK);
    push.seed--;
    assert_int_equal(kernel->check(roofline, &made, &push, &good), SHW_OK);
    if (good)
        fail_msg("%s: wrong results are not noticed", kernel->limit);
    shw_roofline_case_destroy(roofline->device, &made);
}

TESTING_CASE(test_the_oracles_notice_wrong_results)
{
    struct shw_roofline_device roofline;
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_roofline_device_create(testing_device(), LARGE_BYTES, &log, &roofline), SHW_OK);
    for (uint32_t i = 0; i < shw_roofline_read_count; i++)
        assert_noticed(&roofline, &shw_roofline_reads[i]);
    for (uint32_t i = 0; i < shw_roofline_write_count; i++)
        assert_noticed(&roofline, &shw_roofline_writes[i]);
    shw_roofline_device_destroy(&roofline);
    testing_device_check();
}

TESTING_CASE(test_gathers_by_vectors_and_by_words_agree)
{
    uint32_t *table = malloc(sizeof *table << SHW_GATHERS_BITS);
    struct testing_random random = {.state = 5};

    assert_non_null(table);
    for (uint32_t i = 0; i < 1u << SHW_GATHERS_BITS; i++)
        table[i] = (uint32_t)testing_random_next(&random);
    for (uint32_t seed = 0; seed < 20; seed++)
        assert_int_equal(shw_gathers(table, seed, 1 + 37 * seed, true), shw_gathers(table, seed, 1 + 37 * seed, false));
    assert_int_not_equal(shw_gathers(table, 1, 100, false), shw_gathers(table, 2, 100, false));
    free(table);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
