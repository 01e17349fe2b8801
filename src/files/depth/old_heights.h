/* Heights NAME_height.png beside depth that a command writes anew, but whose heights it does not. */
#ifndef SHW_FILES_DEPTH_OLD_HEIGHTS_H
#define SHW_FILES_DEPTH_OLD_HEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#define SHW_HEIGHTS_PATH 4096

struct shw_old_heights {
    uint32_t count;
    char first[SHW_HEIGHTS_PATH];
};

/* The path of the heights beside `depth`, FOLDER/NAME_depth.png. */
void shw_heights_beside(const char *depth, char path[SHW_HEIGHTS_PATH]);

void shw_old_heights_add(struct shw_old_heights *old, const char *path);

/* Warns if there are any; `remedy` makes the heights anew. */
void shw_old_heights_warn(const struct shw_old_heights *old, const char *remedy, const struct shw_log *log);

#endif
