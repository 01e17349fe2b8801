/* Heights NAME_height.png beside depth that a command writes anew, but whose heights it does not. */
#ifndef SHW_CLI_OLD_HEIGHTS_H
#define SHW_CLI_OLD_HEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#define CLI_HEIGHTS_PATH 4096

struct cli_old_heights {
    uint32_t count;
    char first[CLI_HEIGHTS_PATH];
};

/* The path of the heights beside `depth`, FOLDER/NAME_depth.png. */
void cli_heights_beside(const char *depth, char path[CLI_HEIGHTS_PATH]);

void cli_old_heights_add(struct cli_old_heights *old, const char *path);

/* Warns if there are any; `remedy` makes the heights anew. */
void cli_old_heights_warn(const struct cli_old_heights *old, const char *remedy, const struct shw_log *log);

#endif
