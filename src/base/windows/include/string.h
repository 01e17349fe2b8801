#include_next <string.h>
#ifndef SHW_BASE_WINDOWS_STRING_H
#define SHW_BASE_WINDOWS_STRING_H
#ifdef __cplusplus
extern "C" {
#endif
char *shw_windows_strsep(char **rest, const char *separators);
#define strsep shw_windows_strsep
#ifdef __cplusplus
}
#endif
#endif
