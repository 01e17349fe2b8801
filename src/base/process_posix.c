#include "base/process.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

void shw_process_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
}

void shw_process_take_path(char *path)
{
    (void)path;
}

bool shw_process_path(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);

    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

bool shw_process_waits_for(int descriptor)
{
#ifdef __linux__
    struct statfs system;

    return fstatfs(descriptor, &system) == 0 && system.f_type == PIPEFS_MAGIC && fcntl(descriptor, F_SETFL, 0) == 0;
#else
    (void)descriptor;
    return false;
#endif
}

int shw_process_copy_descriptor(int descriptor)
{
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

void shw_process_leave_own_console(void)
{
}

int shw_terminal_columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
