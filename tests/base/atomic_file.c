/* Files that appear whole or not at all. */
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
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/thread_pool.h"

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

TESTING_CASE(file_appears_whole_or_not_at_all)
{
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

TESTING_CASE(nothing_stays_of_a_writer_that_is_killed)
{
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

TESTING_CASE(a_file_that_is_being_written_stays)
{
    int held, other;

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

TESTING_CASE(a_new_file_replaces_none)
{
    enter("new");
    check_new_file();
    refuse_unnamed = true;
    check_new_file();
    refuse_unnamed = false;
}

/* Names that others hold are what the message is about, whatever the attempt to remove them said last. */
TESTING_CASE(names_that_are_all_in_use_are_told)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_atomic_file file;
    char name[64];

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
TESTING_CASE(names_may_be_long)
{
    char name[NAME_MAX + 1];

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
TESTING_CASE(files_have_the_modes_that_users_want)
{
    struct openings openings = {.wrong = 0};
    struct shw_thread_pool *pool;
    mode_t kept = umask(027);

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

TESTING_CASE(file_errors_are_told)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    char path[600];

    assert_int_equal(shw_atomic_file_write(testing_path("no/such/folder"), "x", 1, &log), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    assert_non_null(strstr(memory.last, "no/such/folder"));

    snprintf(path, sizeof path, "%s", testing_path("taken"));
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(shw_atomic_file_write(path, "x", 1, &log), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    assert_non_null(strstr(memory.last, "it is a folder"));
}

/* Devices, pipes and links to nothing are not replaced by files. */
TESTING_CASE(what_is_no_file_stays)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct stat status;

    enter("odd");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("pipe", "link"), 0);
    assert_int_equal(symlink("nothing", "dangling"), 0);
    assert_int_equal(shw_atomic_file_write("pipe", "x", 1, &log), SHW_ERROR_IO);
    assert_string_equal(memory.last, "cannot write pipe: it is not a regular file");
    assert_int_equal(shw_atomic_file_write("link", "x", 1, &log), SHW_ERROR_IO);
    assert_string_equal(memory.last, "cannot write link: it is not a regular file");
    assert_int_equal(shw_atomic_file_write("dangling", "x", 1, &log), SHW_ERROR_IO);
    assert_string_equal(memory.last, "cannot write dangling: it is a dangling link");
    assert_true(lstat("pipe", &status) == 0 && S_ISFIFO(status.st_mode));
    assert_true(lstat("link", &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(lstat("dangling", &status) == 0 && S_ISLNK(status.st_mode));
}

/* The first error of any write, although stdio forgets it. */
TESTING_CASE(a_full_disk_is_told)
{
    static char much[1 << 20];
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct rlimit before;
    struct shw_atomic_file file;
    int error = 0;

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
