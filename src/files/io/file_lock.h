/* Locks by which two programs do not write one file: flock(), which ends with the process, however it ends. */
#ifndef SHW_FILES_IO_FILE_LOCK_H
#define SHW_FILES_IO_FILE_LOCK_H

#include <stdbool.h>

enum shw_lock_state {
    SHW_LOCK_HELD,  /* by the caller */
    SHW_LOCK_TAKEN, /* another process, or this one, has it */
    SHW_LOCK_NONE   /* it cannot be made, with errno: the file system has no locks, nothing can be written beside the
                       file, or memory is exhausted. Others are not kept out */
};

/* Locks an open file, until it is closed. TAKEN also if another descriptor of this process has it. Any thread. */
enum shw_lock_state shw_lock_descriptor(int descriptor);

/* The lock of a path whose file may be missing, or replaced while it is held: an empty file .NAME.lock.shadewood beside
 * it. Links to the file are followed. The lock's file is removed with the lock; one that a killed process has left is
 * nobody's, and is taken over. */
struct shw_file_lock;

/* Any thread. *lock is NULL unless it is HELD. */
enum shw_lock_state shw_file_lock_take(const char *path, struct shw_file_lock **lock);

/* Accepts a pointer to NULL. */
void shw_file_lock_release(struct shw_file_lock **lock);

/* Removes the files of all locks of this process, which stay locked until it ends; for handlers of signals that end it.
 */
void shw_file_locks_remove(void);

#endif
