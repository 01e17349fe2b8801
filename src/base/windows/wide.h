/* What the files of this folder share: windows.h, paths for it, and its errors. */
#ifndef SHW_BASE_WINDOWS_WIDE_H
#define SHW_BASE_WINDOWS_WIDE_H

#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0a00
#endif
#define WIN32_LEAN_AND_MEAN
#include <stdbool.h>
#include <wchar.h>
#include <windows.h>

/* The path for functions of Windows: long ones are allowed. NULL, with errno: not UTF-8, or out of memory. To be freed
 * with free(). */
wchar_t *shw_windows_wide_path(const char *path);

wchar_t *shw_windows_wide_text(const char *text);

/* The text in UTF-8. NULL: out of memory. To be freed with free(). */
char *shw_windows_narrow(const wchar_t *text);

/* Every `\` becomes `/`. */
void shw_windows_turn_slashes(char *path);

/* Sets errno by GetLastError(). Returns -1. */
int shw_windows_fail(void);

#endif
