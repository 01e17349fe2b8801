#include "files/io/file_state.h"

#include <sys/stat.h>
#include <time.h>

#define TICK 2 /* seconds within which a second change might leave the times as they are */

bool shw_file_state_get(const char *path, struct shw_file_state *state)
{
    struct stat status;

    *state = (struct shw_file_state){.settled = false};
    if (stat(path, &status) != 0)
        return false;
    state->said[0] = (int64_t)status.st_size;
    state->said[1] = (int64_t)status.st_mtim.tv_sec;
    state->said[2] = (int64_t)status.st_mtim.tv_nsec;
    state->said[3] = (int64_t)status.st_ctim.tv_sec;
    state->said[4] = (int64_t)status.st_ctim.tv_nsec;
    state->number = (uint64_t)status.st_ino;
    state->settled = state->said[3] + TICK <= (int64_t)time(NULL);
    return true;
}
