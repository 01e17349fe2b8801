/* The functions of POSIX that this project calls and mingw-w64 lacks, or has with another meaning: paths are texts in
 * UTF-8, with `/` between folders (`\` is understood), files are opened so that others may rename and remove them, and
 * streams change no line ends. Included before everything else where the target is Windows; nobody includes it. */
#ifndef SHW_BASE_WINDOWS_POSIX_H
#define SHW_BASE_WINDOWS_POSIX_H

#ifndef __ASSEMBLER__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* as files that need it define it: they come too late here */
#endif
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <process.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#undef PATH_MAX
#define PATH_MAX 4096 /* bytes of UTF-8 */
#define NAME_MAX 765  /* the same of 255 letters */

#ifdef __cplusplus
extern "C" {
#endif

/* Files. errno says why a function has failed. */

#define O_CLOEXEC   0 /* no descriptor is inherited */
#define O_NOFOLLOW  0x1000000
#define O_DIRECTORY 0
#define O_NONBLOCK  0 /* named pipes have names that are no paths */
#define O_NOCTTY    0
int shw_windows_open(const char *path, int flags, ...);
#define open shw_windows_open

FILE *shw_windows_fopen(const char *path, const char *mode);
#define fopen shw_windows_fopen
FILE *shw_windows_open_memstream(char **text, size_t *size); /* the text is there after fclose() */
#define open_memstream shw_windows_open_memstream
int shw_windows_fclose(FILE *stream);
#define fclose shw_windows_fclose
ssize_t shw_windows_getline(char **line, size_t *capacity, FILE *stream);
#define getline shw_windows_getline
ssize_t shw_windows_getdelim(char **line, size_t *capacity, int delimiter, FILE *stream);
#define getdelim shw_windows_getdelim

#undef stat
#undef fstat
#undef lstat
struct shw_windows_stat {
    uint64_t st_dev, st_ino;
    mode_t st_mode;
    unsigned st_nlink, st_uid;
    int64_t st_size;
    time_t st_mtime;
    struct timespec st_mtim, st_ctim;
};
int shw_windows_stat(const char *path, struct shw_windows_stat *status);
int shw_windows_lstat(const char *path, struct shw_windows_stat *status);
int shw_windows_fstat(int descriptor, struct shw_windows_stat *status);
#define stat       shw_windows_stat
#define lstat      shw_windows_lstat
#define fstat      shw_windows_fstat
#define dev_t      uint64_t
#define ino_t      uint64_t
#define S_IFLNK    0xa000
#define S_ISLNK(m) (((m)&0xf000) == S_IFLNK)
#ifndef S_IFSOCK
#define S_IFSOCK 0xc000
#endif
#define S_ISSOCK(m) (((m)&0xf000) == S_IFSOCK)
#ifndef S_IWGRP
#define S_IWGRP 0
#define S_IWOTH 0
#endif

int shw_windows_mkdir(const char *path, unsigned mode);
#define mkdir shw_windows_mkdir
int shw_windows_rmdir(const char *path);
#define rmdir shw_windows_rmdir
int shw_windows_unlink(const char *path);
#define unlink shw_windows_unlink
int shw_windows_remove(const char *path);
#define remove shw_windows_remove
int shw_windows_rename(const char *from, const char *to); /* replaces; the name is on the disk when it returns */
#define rename shw_windows_rename
int shw_windows_rename_new(const char *from, const char *to); /* never replaces */
int shw_windows_access(const char *path, int mode);
#define access shw_windows_access
int shw_windows_chdir(const char *path);
#define chdir shw_windows_chdir
int shw_windows_chmod(const char *path, unsigned mode);
#define chmod shw_windows_chmod
char *shw_windows_realpath(const char *path, char *resolved); /* `resolved` must be NULL */
#define realpath shw_windows_realpath
char *shw_windows_mkdtemp(char *path);
#define mkdtemp shw_windows_mkdtemp
int shw_windows_mkstemp(char *path);
#define mkstemp   shw_windows_mkstemp
#define fsync     _commit
#define fdatasync _commit
ssize_t shw_windows_pread(int descriptor, void *bytes, size_t size, int64_t offset); /* moves the position */
#define pread shw_windows_pread
ssize_t shw_windows_pwrite(int descriptor, const void *bytes, size_t size, int64_t offset);
#define pwrite   shw_windows_pwrite
#define AT_FDCWD 0
int shw_windows_utimensat(int folder, const char *path, const struct timespec *times, int flags); /* to now */
#define utimensat shw_windows_utimensat
int shw_windows_dprintf(int descriptor, const char *format, ...) __attribute__((format(gnu_printf, 2, 3)));
#define dprintf shw_windows_dprintf

#define _PC_NAME_MAX          1
#define pathconf(path, which) ((void)(path), 255L)

#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
int shw_windows_flock(int descriptor, int operation); /* never waits */
#define flock shw_windows_flock

/* Folders. */

struct shw_windows_entry {
    char d_name[3 * 256 + 1];
};
struct shw_windows_folder;
typedef struct shw_windows_folder shw_windows_folder;
shw_windows_folder *shw_windows_opendir(const char *path);
struct shw_windows_entry *shw_windows_readdir(shw_windows_folder *folder);
int shw_windows_closedir(shw_windows_folder *folder);
int shw_windows_scandir(const char *path, struct shw_windows_entry ***entries,
                        int (*accepts)(const struct shw_windows_entry *entry),
                        int (*compare)(const struct shw_windows_entry **a, const struct shw_windows_entry **b));

/* The walk of fts.h, of one folder, where links are followed and loops are not. */
typedef struct shw_windows_walk shw_windows_walk;
typedef struct {
    unsigned short fts_info;
    int fts_errno, fts_level;
    char *fts_path, *fts_name;
} shw_windows_walk_entry;
shw_windows_walk *shw_windows_fts_open(char *const *paths, int options, int (*compare)(void));
shw_windows_walk_entry *shw_windows_fts_read(shw_windows_walk *walk);
int shw_windows_fts_set(shw_windows_walk *walk, shw_windows_walk_entry *entry, int what);
int shw_windows_fts_close(shw_windows_walk *walk);

#define timegm _mkgmtime

/* Texts. */

char *shw_windows_strndup(const char *text, size_t most);
#define strndup shw_windows_strndup
void *shw_windows_memmem(const void *bytes, size_t size, const void *wanted, size_t wanted_size);
#define memmem shw_windows_memmem
void *shw_windows_memrchr(const void *bytes, int byte, size_t size);
#define memrchr shw_windows_memrchr

/* The process. */

/* Variables in UTF-8. Those that name folders have the forms of paths; HOME, TMPDIR and those of XDG that are not set
 * are the folders that Windows has for that. What it returns is never freed. */
char *shw_windows_getenv(const char *name);
#define getenv shw_windows_getenv
int shw_windows_setenv(const char *name, const char *value, int replace);
#define setenv shw_windows_setenv
int shw_windows_unsetenv(const char *name);
#define unsetenv shw_windows_unsetenv

#undef SIGHUP
#undef SIGPIPE
#define SIGHUP     1
#define SIGPIPE    13
#define SIGXFSZ    25
#define SA_RESTART 0
#undef SIG_SETMASK
#define SIG_SETMASK 0
struct shw_windows_sigaction {
    void (*sa_handler)(int number);
    int sa_flags;
    unsigned long sa_mask;
};
/* SIGINT (Ctrl+C), SIGTERM (Ctrl+Break) and SIGHUP (the window is closed), on a thread of the system's. */
int shw_windows_sigaction(int number, const struct shw_windows_sigaction *action, struct shw_windows_sigaction *former);
#define sigaction shw_windows_sigaction
void (*shw_windows_signal(int number, void (*handler)(int number)))(int number);
#define signal shw_windows_signal
#undef sigset_t
#define sigset_t unsigned long
/* Ctrl+C is handled by another thread: there is nothing to hold back in this one. */
static inline int shw_windows_set_signals(const sigset_t *set)
{
    (void)set;
    return 0;
}
#undef pthread_sigmask
#define sigaddset(set, number)            shw_windows_set_signals(set)
#define sigfillset(set)                   shw_windows_set_signals(set)
#define pthread_sigmask(how, set, before) shw_windows_set_signals((before) != NULL ? (before) : (set))

/* Shared libraries. */

#define RTLD_NOW   0
#define RTLD_LOCAL 0
void *shw_windows_dlopen(const char *path, int flags);
void *shw_windows_dlsym(void *library, const char *name);
int shw_windows_dlclose(void *library);
const char *shw_windows_dlerror(void);

/* Memory that nobody has a file for. */

#define PROT_READ                     1
#define PROT_WRITE                    2
#define MAP_PRIVATE                   0
#define MAP_ANONYMOUS                 0
#define MADV_HUGEPAGE                 0
#define madvise(memory, size, advice) ((void)(memory))
#define MAP_FAILED                    ((void *)-1)
void *shw_windows_map(size_t size);
int shw_windows_unmap(void *memory);
#define mmap(address, size, access, flags, file, offset) shw_windows_map(size)
#define munmap(memory, size)                             shw_windows_unmap(memory)

#ifdef __cplusplus
}
#endif

#endif
#endif
