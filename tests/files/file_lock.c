/* Locks of files that are written by one process at a time. */
#include "testing/testing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/io/file_lock.h"

static bool has_no_locks; /* the file system */

/* In place of the C library's. */
__attribute__((visibility("default"))) int flock(int descriptor, int operation)
{
    if (!has_no_locks)
        return (int)syscall(SYS_flock, descriptor, operation);
    errno = ENOLCK;
    return -1;
}

static int setup(void **state)
{
    static unsigned number;
    char name[32];

    (void)state;
    snprintf(name, sizeof name, "folder%u", number++);
    return mkdir(testing_path(name), 0777) != 0 || chdir(testing_path(name)) != 0;
}

static enum shw_lock_state try(const char *path)
{
    struct shw_file_lock *lock;
    const enum shw_lock_state state = shw_file_lock_take(path, &lock);

    assert_int_equal(lock != NULL, state == SHW_LOCK_HELD);
    shw_file_lock_release(&lock);
    assert_null(lock);
    return state;
}

static void make(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static bool exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

TESTING_CASE_WITH(test_one_holder, setup, NULL)
{
    struct shw_file_lock *lock;

    assert_int_equal(shw_file_lock_take("part", &lock), SHW_LOCK_HELD);
    assert_true(exists(".part.lock.shadewood"));
    assert_int_equal(try("part"), SHW_LOCK_TAKEN);
    assert_int_equal(try("./part"), SHW_LOCK_TAKEN);
    assert_int_equal(try("other"), SHW_LOCK_HELD);
    /* The file is written, and replaced. */
    make("part", "1");
    assert_int_equal(try("part"), SHW_LOCK_TAKEN);
    make("new", "2");
    assert_int_equal(rename("new", "part"), 0);
    assert_int_equal(try("part"), SHW_LOCK_TAKEN);
    shw_file_lock_release(&lock);
    assert_false(exists(".part.lock.shadewood"));
    assert_int_equal(try("part"), SHW_LOCK_HELD);
    assert_true(exists("part"));
}

TESTING_CASE_WITH(test_links_lead_to_one_lock, setup, NULL)
{
    struct shw_file_lock *lock;

    make("part", "1");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(symlink("../part", "folder/link"), 0);
    assert_int_equal(symlink("folder/link", "second"), 0);
    assert_int_equal(symlink("folder", "way"), 0);
    assert_int_equal(shw_file_lock_take("part", &lock), SHW_LOCK_HELD);
    assert_int_equal(try("folder/link"), SHW_LOCK_TAKEN);
    assert_int_equal(try("second"), SHW_LOCK_TAKEN);
    assert_int_equal(try("folder/../part"), SHW_LOCK_TAKEN);
    shw_file_lock_release(&lock);
    assert_int_equal(shw_file_lock_take("way/new", &lock), SHW_LOCK_HELD);
    assert_int_equal(try("folder/new"), SHW_LOCK_TAKEN);
    shw_file_lock_release(&lock);
}

/* Runs a process that takes the lock and is killed. */
static void hold_and_die(const char *path)
{
    int ends[2], status;
    char byte;
    pid_t process;

    assert_int_equal(pipe(ends), 0);
    process = fork();
    if (process == 0) {
        struct shw_file_lock *lock;

        if (shw_file_lock_take(path, &lock) != SHW_LOCK_HELD || write(ends[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    assert_int_equal(try(path), SHW_LOCK_TAKEN);
    kill(process, SIGKILL);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFSIGNALED(status));
}

TESTING_CASE_WITH(test_a_killed_holder_holds_nothing, setup, NULL)
{
    hold_and_die("part");
    assert_true(exists(".part.lock.shadewood"));
    assert_int_equal(try("part"), SHW_LOCK_HELD);
    assert_false(exists(".part.lock.shadewood")); /* taken over */
}

TESTING_CASE_WITH(test_signals_leave_no_files, setup, NULL)
{
    struct shw_file_lock *locks[12];
    char name[8];

    for (unsigned i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "%u", i);
        assert_int_equal(shw_file_lock_take(name, &locks[i]), SHW_LOCK_HELD);
    }
    shw_file_lock_release(&locks[3]);
    make(".3.lock.shadewood", "");
    shw_file_locks_remove();
    assert_false(exists(".0.lock.shadewood"));
    assert_true(exists(".3.lock.shadewood"));  /* nobody's any more */
    assert_true(exists(".11.lock.shadewood")); /* more than are remembered */
    for (unsigned i = 0; i < 12; i++)
        shw_file_lock_release(&locks[i]);
    assert_false(exists(".11.lock.shadewood"));
}

/* Locks that were released take no place among those that are remembered. */
TESTING_CASE_WITH(test_released_locks_are_forgotten, setup, NULL)
{
    struct shw_file_lock *locks[20];
    void *blocks[100];
    char name[8];

    for (unsigned i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%u", i);
        assert_int_equal(shw_file_lock_take(name, &locks[i]), SHW_LOCK_HELD);
    }
    for (unsigned i = 0; i < 20; i++)
        shw_file_lock_release(&locks[i]);
    for (unsigned i = 0; i < 100; i++) /* in the memory of locks, which a new one could get again */
        assert_non_null(blocks[i] = malloc(1000));
    assert_int_equal(shw_file_lock_take("part", &locks[0]), SHW_LOCK_HELD);
    shw_file_locks_remove();
    assert_false(exists(".part.lock.shadewood"));
    shw_file_lock_release(&locks[0]);
    for (unsigned i = 0; i < 100; i++)
        free(blocks[i]);
}

/* Somebody has removed the lock's file, and another process has one of the same name. */
TESTING_CASE_WITH(test_the_file_of_another_holder_stays, setup, NULL)
{
    struct shw_file_lock *lock, *other;

    assert_int_equal(shw_file_lock_take("part", &lock), SHW_LOCK_HELD);
    assert_int_equal(unlink(".part.lock.shadewood"), 0);
    assert_int_equal(shw_file_lock_take("part", &other), SHW_LOCK_HELD);
    shw_file_lock_release(&lock);
    assert_true(exists(".part.lock.shadewood"));
    assert_int_equal(try("part"), SHW_LOCK_TAKEN);
    shw_file_lock_release(&other);
    assert_false(exists(".part.lock.shadewood"));
}

TESTING_CASE_WITH(test_long_names, setup, NULL)
{
    struct shw_file_lock *lock;
    char one[256], other[256];

    memset(one, 'x', 255);
    memset(other, 'x', 255);
    one[255] = other[255] = '\0';
    other[250] = 'y';
    assert_int_equal(shw_file_lock_take(one, &lock), SHW_LOCK_HELD);
    assert_int_equal(try(one), SHW_LOCK_TAKEN);
    assert_int_equal(try(other), SHW_LOCK_HELD);
    shw_file_lock_release(&lock);
}

TESTING_CASE_WITH(test_what_is_no_lock, setup, NULL)
{
    make(".mine.lock.shadewood", "precious");
    assert_int_equal(try("mine"), SHW_LOCK_HELD);
    assert_true(exists(".mine.lock.shadewood")); /* somebody's work */
    assert_int_equal(symlink("precious", ".link.lock.shadewood"), 0);
    assert_int_equal(try("link"), SHW_LOCK_NONE);
    assert_int_equal(errno, ELOOP);
    assert_false(exists("precious"));
    assert_int_equal(try("nowhere/part"), SHW_LOCK_NONE);
    assert_int_equal(errno, ENOENT);
}

TESTING_CASE_WITH(test_file_systems_without_locks, setup, NULL)
{
    enum shw_lock_state result;
    int error;

    has_no_locks = true;
    result = try("part");
    error = errno;
    has_no_locks = false;
    assert_int_equal(result, SHW_LOCK_NONE);
    assert_int_equal(error, ENOLCK);
    assert_false(exists(".part.lock.shadewood"));
}

/* Whose lock file this user may read, and not write. */
TESTING_CASE_WITH(test_locks_of_another_user, setup, NULL)
{
    char folder[] = "/tmp/shadewood-lock-XXXXXX", path[64];
    struct shw_file_lock *lock;
    int status;
    pid_t child;

    if (geteuid() != 0)
        return; /* only root can be two users */
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/part", folder);
    assert_int_equal(shw_file_lock_take(path, &lock), SHW_LOCK_HELD);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct shw_file_lock *other;
        _exit(setgid(65534) == 0 && setuid(65534) == 0 && shw_file_lock_take(path, &other) == SHW_LOCK_TAKEN ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    shw_file_lock_release(&lock);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(status, 0);
}
