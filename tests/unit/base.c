/* The base library: results, thread pool, files that appear whole. */
#include "testing/testing.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/thread_pool.h"

static void results_have_distinct_phrases(void **state)
{
    (void)state;
    for (int a = SHW_ERROR_CANCELLED; a <= SHW_OK; a++) {
        assert_string_not_equal(shw_result_string((enum shw_result)a), "unknown result");
        for (int b = SHW_ERROR_CANCELLED; b < a; b++)
            assert_string_not_equal(shw_result_string((enum shw_result)a), shw_result_string((enum shw_result)b));
    }
    assert_string_equal(shw_result_string((enum shw_result)1), "unknown result");
}

static void messages_are_one_line(void **state)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    (void)state;
    assert_int_equal(shw_fail(&log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "a\nb\x1b%s", "c"), SHW_ERROR_IO);
    assert_string_equal(memory.last, "a?b?c");
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    log.level = SHW_LOG_ERROR;
    shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN, "not passed");
    assert_int_equal(memory.count[SHW_LOG_FILE_OPEN], 1);
    assert_int_equal(shw_fail(NULL, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "nowhere"), SHW_ERROR_IO);
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

static void pool_visits_every_index_once(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 8};

    (void)state;
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
static void a_stopped_pool_leaves_out_the_rest(void **state)
{
    (void)state;
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

static char *contents(const char *path)
{
    static char buffer[64];
    FILE *stream = fopen(path, "rb");
    size_t size;

    if (stream == NULL)
        return NULL;
    size = fread(buffer, 1, sizeof buffer - 1, stream);
    buffer[size] = '\0';
    fclose(stream);
    return buffer;
}

static void file_appears_whole_or_not_at_all(void **state)
{
    const char *path = testing_path("whole");
    struct shw_atomic_file file;
    char temporary[600];

    (void)state;
    assert_int_equal(shw_atomic_file_write(path, "old", 3, NULL), SHW_OK);
    assert_int_equal(shw_atomic_file_open(&file, path, NULL), SHW_OK);
    fputs("new", file.stream);
    fflush(file.stream);
    assert_string_equal(contents(path), "old");
    snprintf(temporary, sizeof temporary, "%s", file.temporary);
    shw_atomic_file_abandon(&file);
    shw_atomic_file_abandon(&file);
    assert_int_equal(access(temporary, F_OK), -1);
    assert_string_equal(contents(path), "old");

    assert_int_equal(shw_atomic_file_open(&file, path, NULL), SHW_OK);
    fputs("new", file.stream);
    assert_int_equal(shw_atomic_file_commit(&file, NULL), SHW_OK);
    assert_string_equal(contents(path), "new");

    assert_int_equal(shw_atomic_file_open(&file, path, NULL), SHW_OK);
    snprintf(temporary, sizeof temporary, "%s", file.temporary);
    shw_atomic_file_remove_all();
    assert_int_equal(access(temporary, F_OK), -1);
    shw_atomic_file_abandon(&file);
}

struct openings {
    char path[512];
    atomic_uint wrong;
};

static void open_one(void *user, uint32_t index, uint32_t thread)
{
    struct openings *openings = user;
    struct shw_atomic_file file;
    struct stat status;
    char path[600];

    (void)thread;
    snprintf(path, sizeof path, "%s%u", openings->path, index);
    if (shw_atomic_file_open(&file, path, NULL) != SHW_OK) {
        atomic_fetch_add(&openings->wrong, 1);
        return;
    }
    if (fstat(fileno(file.stream), &status) != 0 || (status.st_mode & 0777) != 0640)
        atomic_fetch_add(&openings->wrong, 1);
    shw_atomic_file_abandon(&file);
}

/* Even when several threads begin files at a time. */
static void files_have_the_modes_that_users_want(void **state)
{
    struct openings openings = {.wrong = 0};
    struct shw_thread_pool *pool;
    mode_t kept = umask(027);

    (void)state;
    snprintf(openings.path, sizeof openings.path, "%s", testing_path("many"));
    assert_int_equal(shw_thread_pool_create(8, &pool), SHW_OK);
    shw_thread_pool_run(pool, 4000, open_one, &openings);
    shw_thread_pool_destroy(&pool);
    assert_int_equal(umask(kept), 027);
    assert_int_equal(openings.wrong, 0);
}

static void file_errors_are_told(void **state)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    char path[600];

    (void)state;
    assert_int_equal(shw_atomic_file_write(testing_path("no/such/folder"), "x", 1, &log), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    assert_non_null(strstr(memory.last, "no/such/folder"));

    snprintf(path, sizeof path, "%s", testing_path("taken"));
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(shw_atomic_file_write(path, "x", 1, &log), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_WRITE);
    if (access("/dev/full", W_OK) == 0) { /* a device that cannot be renamed over stays what it is */
        struct shw_atomic_file file;
        assert_int_equal(shw_atomic_file_open(&file, testing_path("full"), &log), SHW_OK);
        file.stream = freopen("/dev/full", "wb", file.stream);
        fputs("x", file.stream);
        assert_int_equal(shw_atomic_file_commit(&file, &log), SHW_ERROR_IO);
        assert_null(contents(testing_path("full")));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_distinct_phrases),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(pool_visits_every_index_once),
        cmocka_unit_test(a_stopped_pool_leaves_out_the_rest),
        cmocka_unit_test(file_appears_whole_or_not_at_all),
        cmocka_unit_test(files_have_the_modes_that_users_want),
        cmocka_unit_test(file_errors_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
