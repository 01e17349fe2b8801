/* The base library: results, messages, thread pool, memory of control groups. */
#include "testing/testing.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/forest.h>
#include <shadewood/memory.h>

#include "base/log.h"
#include "base/machine.h"
#include "base/thread_pool.h"

TESTING_CASE(results_have_distinct_phrases)
{
    for (int a = SHW_ERROR_ABI; a <= SHW_OK; a++) {
        assert_string_not_equal(shw_result_string((enum shw_result)a), "unknown result");
        for (int b = SHW_ERROR_ABI; b < a; b++)
            assert_string_not_equal(shw_result_string((enum shw_result)a), shw_result_string((enum shw_result)b));
    }
    assert_string_equal(shw_result_string((enum shw_result)1), "unknown result");
}

TESTING_CASE(messages_are_one_line)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_fail(&log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "a\nb\x1b%s", "c"), SHW_ERROR_IO);
    assert_string_equal(memory.last, "a?b?c");
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    assert_int_equal(shw_fail(&log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "a\xc2\x9b\x7f\xc2\xa0\xc3\x9f"), SHW_ERROR_IO);
    assert_string_equal(memory.last, "a???\xc2\xa0\xc3\x9f"); /* U+00A0 and U+00DF are no control characters */
    log.level = SHW_LOG_ERROR;
    shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN, "not passed");
    assert_int_equal(memory.count[SHW_LOG_FILE_OPEN], 2);
    assert_int_equal(shw_fail(NULL, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "nowhere"), SHW_ERROR_IO);
}

TESTING_CASE(the_last_error_is_kept_with_and_without_a_log)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    shw_fail(NULL, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s", "one");
    assert_string_equal(shw_last_error(), "cannot open one");
    shw_fail(&log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "again: %s", shw_last_error());
    assert_string_equal(shw_last_error(), "again: cannot open one");
    assert_string_equal(memory.last, "again: cannot open one");
    shw_log_message(&log, SHW_LOG_ERROR, SHW_LOG_FILE_OPEN, "a message is no failure");
    assert_string_equal(shw_last_error(), "again: cannot open one");
    assert_int_equal(shw_forest_load("none.ktx2", NULL, &(struct shw_forest *){NULL}), SHW_ERROR_IO);
    assert_non_null(strstr(shw_last_error(), "none.ktx2"));
    shw_free(NULL);
    shw_free(malloc(1));
}

static void fail_at(void *user, uint32_t index, uint32_t thread)
{
    uint32_t *failing = user;

    (void)thread;
    if (index == *failing)
        shw_fail(NULL, SHW_ERROR_IO, SHW_LOG_FILE_READ, "at %u", index);
}

/* Whichever thread it was that failed. */
TESTING_CASE(failures_of_a_pool_are_the_callers)
{
    struct shw_thread_pool *pool;

    assert_int_equal(shw_thread_pool_create(4, &pool), SHW_OK);
    for (uint32_t round = 0; round < 200; round++) {
        char expected[32];
        snprintf(expected, sizeof expected, "at %u", round);
        shw_thread_pool_run(pool, 200, fail_at, &round);
        assert_string_equal(shw_last_error(), expected);
    }
    shw_thread_pool_destroy(&pool);
}

struct visits {
    atomic_uint count[1000];
    atomic_bool busy[8];
};

static void visit(void *user, uint32_t index, uint32_t thread)
{
    struct visits *visits = user;

    if (atomic_exchange(&visits->busy[thread], true))
        abort(); /* one thread number in two places */
    atomic_fetch_add(&visits->count[index], 1);
    atomic_store(&visits->busy[thread], false);
}

TESTING_CASE(pool_visits_every_index_once)
{
    static const uint32_t sizes[] = {1, 2, 3, 8};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct shw_thread_pool *pool;
        assert_int_equal(shw_thread_pool_create(sizes[s], &pool), SHW_OK);
        assert_int_equal(shw_thread_pool_size(pool), sizes[s]);
        for (uint32_t count = 0; count < 1000; count = count * 3 + 1) {
            struct visits visits = {0};
            shw_thread_pool_run(pool, count, visit, &visits);
            for (uint32_t i = 0; i < 1000; i++)
                assert_int_equal(visits.count[i], i < count);
        }
        shw_thread_pool_destroy(&pool);
        assert_null(pool);
        shw_thread_pool_destroy(&pool);
    }
}

struct stopping {
    struct shw_thread_pool *pool;
    uint32_t last; /* stops there */
    atomic_uint visited;
};

static void visit_until_stopped(void *user, uint32_t index, uint32_t thread)
{
    struct stopping *stopping = user;

    (void)thread;
    atomic_fetch_add(&stopping->visited, 1);
    if (index == stopping->last)
        shw_thread_pool_stop(stopping->pool);
}

/* Or this would take minutes. */
TESTING_CASE(a_stopped_pool_leaves_out_the_rest)
{
    for (uint32_t size = 1; size < 5; size++) {
        struct stopping stopping = {.last = 20};
        assert_int_equal(shw_thread_pool_create(size, &stopping.pool), SHW_OK);
        shw_thread_pool_run(stopping.pool, 4000000000, visit_until_stopped, &stopping);
        assert_true(stopping.visited >= 21);
        if (size == 1)
            assert_int_equal(stopping.visited, 21);
        atomic_store(&stopping.visited, 0);
        shw_thread_pool_run(stopping.pool, 1000, visit_until_stopped, &stopping);
        assert_int_equal(stopping.visited, 0);
        shw_thread_pool_destroy(&stopping.pool);
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Version 2, and a group that contains the process's; version 1; no limit at all. */
TESTING_CASE(control_groups_limit_memory)
{
    const char *root = testing_path("groups");
    char groups[512], path[512];

    assert_int_equal(mkdir(root, 0700), 0);
    snprintf(groups, sizeof groups, "%s/cgroup", root);
    write_text(groups, "0::/outer/inner\n");
    assert_true(shw_memory_limit(groups, root) == UINT64_MAX);
    snprintf(path, sizeof path, "%s/outer", root);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/outer/memory.max", root);
    write_text(path, "1000000\n");
    assert_true(shw_memory_limit(groups, root) == 1000000);
    write_text(path, "max\n");
    assert_true(shw_memory_limit(groups, root) == UINT64_MAX);
    snprintf(path, sizeof path, "%s/memory", root);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/memory/memory.limit_in_bytes", root);
    write_text(path, "2000000\n");
    write_text(groups, "5:cpu:/\n4:memory:/\n");
    assert_true(shw_memory_limit(groups, root) == 2000000);
    assert_true(shw_machine_memory() > 0);
    assert_true(shw_process_memory() > 0 && shw_process_memory() < shw_machine_memory());
}
