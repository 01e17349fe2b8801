/* The base library: results, thread pool, files that appear whole. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "testing/testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/machine_memory.h"
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
    assert_int_equal(shw_fail(&log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "a\xc2\x9b\x7f\xc2\xa0\xc3\x9f"), SHW_ERROR_IO);
    assert_string_equal(memory.last, "a???\xc2\xa0\xc3\x9f"); /* U+00A0 and U+00DF are no control characters */
    log.level = SHW_LOG_ERROR;
    shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN, "not passed");
    assert_int_equal(memory.count[SHW_LOG_FILE_OPEN], 2);
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

/* Whether the file system of the tests refuses files without names; see --wrap=open in CMakeLists.txt. */
static bool refuse_unnamed;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode = 0;

    if (refuse_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    va_start(arguments, flags);
    if ((flags & (O_CREAT | O_TMPFILE)) != 0)
        mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return __real_open(path, flags, mode);
}

/* The entries of a folder, without "." and "..". */
static unsigned count_files(const char *folder)
{
    DIR *entries = opendir(folder);
    unsigned count = 0;

    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count - 2;
}

/* A folder of its own with the file "whole" in it; changes to the folder. */
static void enter(const char *name)
{
    char path[600];

    snprintf(path, sizeof path, "%s", testing_path(name));
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(chdir(path), 0);
    assert_int_equal(shw_atomic_file_write("whole", "old", 3, NULL), SHW_OK);
}

static void check_whole(const char *folder)
{
    struct shw_atomic_file file;

    enter(folder);
    assert_int_equal(shw_atomic_file_open(&file, "whole", NULL), SHW_OK);
    fputs("new", file.stream);
    fflush(file.stream);
    assert_string_equal(contents("whole"), "old");
    assert_int_equal(count_files("."), refuse_unnamed ? 2 : 1);
    shw_atomic_file_abandon(&file);
    shw_atomic_file_abandon(&file);
    assert_int_equal(count_files("."), 1);
    assert_string_equal(contents("whole"), "old");

    assert_int_equal(shw_atomic_file_open(&file, "whole", NULL), SHW_OK);
    fputs("now", file.stream);
    assert_int_equal(fseek(file.stream, 1, SEEK_SET), 0);
    assert_int_equal(fgetc(file.stream), 'o');
    assert_int_equal(fseek(file.stream, 1, SEEK_SET), 0);
    fputs("ew", file.stream);
    assert_int_equal(shw_atomic_file_commit(&file, NULL), SHW_OK);
    assert_string_equal(contents("whole"), "new");
    assert_int_equal(count_files("."), 1);
}

static void file_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    check_whole("unnamed");
    refuse_unnamed = true;
    check_whole("named");
    refuse_unnamed = false;
}

static void kill_a_writer(void)
{
    struct shw_atomic_file file;
    int ready[2], status;
    pid_t child;
    char byte;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        if (shw_atomic_file_open(&file, "whole", NULL) == SHW_OK && fputs("ne", file.stream) != EOF &&
            fflush(file.stream) == 0 && write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);
    assert_string_equal(contents("whole"), "old");
}

static void nothing_stays_of_a_writer_that_is_killed(void **state)
{
    (void)state;
    enter("killed");
    kill_a_writer();
    assert_int_equal(count_files("."), 1);

    refuse_unnamed = true;
    for (int i = 0; i < 3; i++)
        kill_a_writer();
    assert_int_equal(count_files("."), 2);
    assert_int_equal(shw_atomic_file_write("whole", "new", 3, NULL), SHW_OK);
    assert_int_equal(count_files("."), 1);
    refuse_unnamed = false;
}

/* Two at a time: each is complete, the last one stays, and neither takes the other's file away. */
static void check_two_writers(void)
{
    struct shw_atomic_file one, two;

    assert_int_equal(shw_atomic_file_open(&one, "whole", NULL), SHW_OK);
    fputs("one", one.stream);
    fflush(one.stream);
    assert_int_equal(shw_atomic_file_open(&two, "whole", NULL), SHW_OK);
    fputs("two", two.stream);
    assert_int_equal(shw_atomic_file_commit(&two, NULL), SHW_OK);
    assert_string_equal(contents("whole"), "two");
    assert_int_equal(shw_atomic_file_commit(&one, NULL), SHW_OK);
    assert_string_equal(contents("whole"), "one");
    assert_int_equal(count_files("."), 1);
}

static void a_file_that_is_being_written_stays(void **state)
{
    int held, other;

    (void)state;
    enter("two");
    check_two_writers();
    refuse_unnamed = true;
    check_two_writers();
    refuse_unnamed = false;

    /* Between its two names a file has a temporary one: left there, it is removed, held it stays. */
    held = open(".whole.0.shadewood", O_RDWR | O_CREAT, 0666);
    other = open(".whole.1.shadewood", O_RDWR | O_CREAT, 0666);
    assert_int_equal(flock(held, LOCK_EX), 0);
    assert_int_equal(shw_atomic_file_write("whole", "new", 3, NULL), SHW_OK);
    assert_string_equal(contents("whole"), "new");
    assert_int_equal(access(".whole.0.shadewood", F_OK), 0);
    assert_int_equal(access(".whole.1.shadewood", F_OK), -1);
    close(held);
    close(other);
    assert_int_equal(shw_atomic_file_write("whole", "new", 3, NULL), SHW_OK);
    assert_int_equal(count_files("."), 1);
}

/* A name that is taken, by whatever, is left as it is. */
static void check_new_file(void)
{
    struct shw_atomic_file file;
    bool taken = true;

    assert_int_equal(shw_atomic_file_open(&file, "fresh", NULL), SHW_OK);
    fputs("new", file.stream);
    assert_int_equal(shw_atomic_file_commit_new(&file, NULL, &taken), SHW_OK);
    assert_false(taken);
    assert_string_equal(contents("fresh"), "new");
    assert_int_equal(shw_atomic_file_open(&file, "fresh", NULL), SHW_OK);
    fputs("newer", file.stream);
    assert_int_equal(shw_atomic_file_commit_new(&file, NULL, &taken), SHW_OK);
    assert_true(taken);
    assert_string_equal(contents("fresh"), "new");
    assert_int_equal(count_files("."), 2);
    assert_int_equal(unlink("fresh"), 0);
}

static void a_new_file_replaces_none(void **state)
{
    (void)state;
    enter("new");
    check_new_file();
    refuse_unnamed = true;
    check_new_file();
    refuse_unnamed = false;
}

/* Names that others hold are what the message is about, whatever the attempt to remove them said last. */
static void names_that_are_all_in_use_are_told(void **state)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_atomic_file file;
    char name[64];

    (void)state;
    enter("used");
    for (int i = 0; i < 64; i++) {
        snprintf(name, sizeof name, ".whole.%d.shadewood", i);
        assert_int_equal(mkdir(name, 0777), 0);
    }
    refuse_unnamed = true;
    assert_int_equal(shw_atomic_file_open(&file, "whole", &log), SHW_ERROR_IO);
    refuse_unnamed = false;
    assert_non_null(strstr(memory.last, "too many temporary files"));
    assert_int_equal(shw_atomic_file_open(&file, "whole", &log), SHW_OK);
    assert_true(__fbufsize(file.stream) >= 65536);
    assert_int_equal(shw_atomic_file_commit(&file, &log), SHW_ERROR_IO);
    assert_non_null(strstr(memory.last, "too many temporary files"));
}

/* A name as long as names can be leaves no room for the ending of a temporary one. */
static void names_may_be_long(void **state)
{
    char name[NAME_MAX + 1];

    (void)state;
    enter("long");
    memset(name, 'x', NAME_MAX);
    name[NAME_MAX] = '\0';
    assert_int_equal(shw_atomic_file_write(name, "new", 3, NULL), SHW_OK);
    refuse_unnamed = true;
    assert_int_equal(shw_atomic_file_write(name, "now", 3, NULL), SHW_OK);
    refuse_unnamed = false;
    assert_string_equal(contents(name), "now");
    assert_int_equal(count_files("."), 2);
}

struct openings {
    char path[512];
    atomic_uint wrong;
};

static void open_one(void *user, uint32_t index, uint32_t thread)
{
    struct openings *openings = user;
    struct stat status;
    char path[600];

    (void)thread;
    snprintf(path, sizeof path, "%s%u", openings->path, index);
    if (shw_atomic_file_write(path, "", 0, NULL) != SHW_OK || stat(path, &status) != 0 ||
        (status.st_mode & 0777) != 0640)
        atomic_fetch_add(&openings->wrong, 1);
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
    shw_thread_pool_run(pool, 400, open_one, &openings);
    refuse_unnamed = true;
    shw_thread_pool_run(pool, 400, open_one, &openings);
    refuse_unnamed = false;
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
}

/* The first error of any write, although stdio forgets it. */
static void a_full_disk_is_told(void **state)
{
    static char much[1 << 20];
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct rlimit before;
    struct shw_atomic_file file;
    int error = 0;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    enter("full");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 16, before.rlim_max}), 0);
    assert_int_equal(shw_atomic_file_open(&file, "whole", &log), SHW_OK);
    assert_false(shw_atomic_file_failed(&file, &error));
    fwrite(much, 1, sizeof much, file.stream);
    fputs("more", file.stream);
    assert_true(shw_atomic_file_failed(&file, &error));
    assert_int_equal(error, EFBIG);
    errno = 0;
    assert_int_equal(shw_atomic_file_commit(&file, &log), SHW_ERROR_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_WRITE);
    assert_string_equal(memory.last, "cannot write whole: File too large");
    assert_string_equal(contents("whole"), "old");
    assert_int_equal(count_files("."), 1);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Version 2, and a group that contains the process's; version 1; no limit at all. */
static void control_groups_limit_memory(void **state)
{
    const char *root = testing_path("groups");
    char groups[512], path[512];

    (void)state;
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_groups_limit_memory),
        cmocka_unit_test(results_have_distinct_phrases),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(pool_visits_every_index_once),
        cmocka_unit_test(a_stopped_pool_leaves_out_the_rest),
        cmocka_unit_test(file_appears_whole_or_not_at_all),
        cmocka_unit_test(nothing_stays_of_a_writer_that_is_killed),
        cmocka_unit_test(a_file_that_is_being_written_stays),
        cmocka_unit_test(a_new_file_replaces_none),
        cmocka_unit_test(names_that_are_all_in_use_are_told),
        cmocka_unit_test(names_may_be_long),
        cmocka_unit_test(files_have_the_modes_that_users_want),
        cmocka_unit_test(file_errors_are_told),
        cmocka_unit_test(a_full_disk_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
