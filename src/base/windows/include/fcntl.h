#include_next <fcntl.h>
#ifndef SHW_BASE_WINDOWS_FCNTL_H
#define SHW_BASE_WINDOWS_FCNTL_H

#include <stdint.h>

/* Locks of bytes (struct flock *), exclusive ones, which belong to the open file. Bytes that files have cannot be read
 * while they are locked. */
#define F_SETFD      3 /* no descriptor is inherited */
#define FD_CLOEXEC   1
#define F_WRLCK      1
#define F_UNLCK      2
#define F_OFD_SETLK  1
#define F_OFD_SETLKW 2
struct shw_windows_flock {
    short l_type, l_whence;
    int64_t l_start, l_len;
};
int shw_windows_fcntl(int descriptor, int command, ...);
#define fcntl shw_windows_fcntl

#endif
