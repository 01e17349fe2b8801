#define _GNU_SOURCE /* O_NOFOLLOW, realpath() */
#include "files/io/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_bytes.h"

#define NAME_LENGTH_MAX 200 /* of a file whose name is in that of its lock; of longer ones, their digest */
#define LOCKS_MAX       8u  /* that a signal can remove */
#define ATTEMPTS        100u

struct shw_file_lock {
    int descriptor;
    char path[PATH_MAX];
    _Atomic(const char *) *kept; /* for signals; NULL if there was no room */
};

static _Atomic(const char *) paths[LOCKS_MAX];

enum shw_lock_state shw_lock_descriptor(int descriptor)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return SHW_LOCK_HELD;
    return errno == EWOULDBLOCK ? SHW_LOCK_TAKEN : SHW_LOCK_NONE;
}

/* False, with errno, if that is too long. */
static bool name_lock(const char *path, char lock[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const int folder = (int)(name - path);
    struct shw_digester *digester;
    int length;

    if (strlen(name) <= NAME_LENGTH_MAX) {
        length = snprintf(lock, PATH_MAX, "%.*s.%s.lock.shadewood", folder, path, name);
    } else {
        digester = shw_digester_create();
        if (digester != NULL)
            shw_digester_add_text(digester, name);
        length = snprintf(lock, PATH_MAX, "%.*s.%s.lock.shadewood", folder, path, shw_digester_end(&digester).text);
    }
    errno = ENAMETOOLONG;
    return length < PATH_MAX;
}

/* The same for the file that a link leads to, so that all its names have one lock. */
static bool find_lock(const char *path, char lock[PATH_MAX])
{
    struct stat status;
    char *target = lstat(path, &status) == 0 && S_ISLNK(status.st_mode) ? realpath(path, NULL) : NULL;
    const bool found = name_lock(target != NULL ? target : path, lock);

    free(target);
    return found;
}

/* Whether the open file still has its name, which its last holder may have removed. */
static bool is_named(int descriptor, const char *path)
{
    struct stat held, named;

    return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

/* An empty file, and so nobody's work. */
static bool is_empty(int descriptor)
{
    struct stat status;

    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

static enum shw_lock_state open_lock(struct shw_file_lock *lock)
{
    enum shw_lock_state state;
    int error;

    for (unsigned i = 0; i < ATTEMPTS; i++) {
        lock->descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (lock->descriptor < 0 && errno == EACCES) /* another user's, which can be locked all the same */
            lock->descriptor = open(lock->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (lock->descriptor < 0)
            return SHW_LOCK_NONE;
        state = shw_lock_descriptor(lock->descriptor);
        if (state == SHW_LOCK_HELD && is_named(lock->descriptor, lock->path))
            return SHW_LOCK_HELD;
        error = errno;
        if (state == SHW_LOCK_NONE && is_empty(lock->descriptor))
            unlink(lock->path); /* nobody can hold it */
        close(lock->descriptor);
        errno = error;
        if (state != SHW_LOCK_HELD)
            return state;
    }
    return SHW_LOCK_TAKEN; /* one holder after the other has gone in the meantime */
}

/* While a file and its place among those that a signal removes differ. */
static void block_signals(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static void keep(struct shw_file_lock *lock)
{
    for (unsigned i = 0; i < LOCKS_MAX && lock->kept == NULL; i++) {
        const char *none = NULL;

        if (atomic_compare_exchange_strong(&paths[i], &none, lock->path))
            lock->kept = &paths[i];
    }
}

enum shw_lock_state shw_file_lock_take(const char *path, struct shw_file_lock **taken)
{
    struct shw_file_lock *lock = calloc(1, sizeof *lock);
    enum shw_lock_state state = SHW_LOCK_NONE;
    sigset_t before;
    int error;

    *taken = NULL;
    block_signals(&before);
    if (lock != NULL && find_lock(path, lock->path))
        state = open_lock(lock);
    error = errno;
    if (state == SHW_LOCK_HELD && is_empty(lock->descriptor))
        keep(lock);
    if (state == SHW_LOCK_HELD)
        *taken = lock;
    else
        free(lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return state;
}

void shw_file_lock_release(struct shw_file_lock **handle)
{
    struct shw_file_lock *lock = *handle;
    sigset_t before;

    if (lock == NULL)
        return;
    block_signals(&before);
    if (lock->kept != NULL)
        atomic_store(lock->kept, NULL);
    if (is_empty(lock->descriptor) && is_named(lock->descriptor, lock->path))
        unlink(lock->path); /* before the lock is gone, and with it the right to remove it */
    close(lock->descriptor);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(lock);
    *handle = NULL;
}

void shw_file_locks_remove(void)
{
    for (unsigned i = 0; i < LOCKS_MAX; i++) {
        const char *path = atomic_load(&paths[i]);

        if (path != NULL)
            unlink(path);
    }
}
