#ifndef SHW_BASE_WINDOWS_UTSNAME_H
#define SHW_BASE_WINDOWS_UTSNAME_H
struct utsname {
    char sysname[16], release[32], machine[16];
};
int shw_windows_uname(struct utsname *system);
#define uname shw_windows_uname
#endif
