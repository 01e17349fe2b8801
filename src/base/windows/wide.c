#include "base/windows/wide.h"

wchar_t *shw_windows_wide_text(const char *text)
{
    const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide;

    if (size <= 0) {
        errno = EILSEQ;
        return NULL;
    }
    wide = malloc((size_t)size * sizeof *wide);
    if (wide != NULL)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, size);
    else
        errno = ENOMEM;
    return wide;
}

/* Absolute, with the prefix by which functions accept more than MAX_PATH letters. `wide` is freed. */
static wchar_t *lengthen(wchar_t *wide)
{
    const DWORD size = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *whole = malloc((size + 8) * sizeof *whole), *to = whole;

    if (whole == NULL || size == 0) {
        free(whole);
        return wide;
    }
    wmemcpy(whole, L"\\\\?\\UNC", 7);
    to += 4; /* "\\?\C:\..." */
    GetFullPathNameW(wide, size, to, NULL);
    if (to[0] == L'\\' && to[1] == L'\\') { /* "\\?\UNC\server\..." */
        wmemmove(whole + 7, to + 1, wcslen(to + 1) + 1);
        wmemcpy(whole + 4, L"UNC", 3);
    }
    free(wide);
    return whole;
}

wchar_t *shw_windows_wide_path(const char *path)
{
    wchar_t *wide;

    if (path[0] == '\0') {
        errno = ENOENT;
        return NULL;
    }
    wide = shw_windows_wide_text(strcmp(path, "/dev/null") == 0 ? "NUL" : path);
    for (wchar_t *at = wide; at != NULL && *at != L'\0'; at++)
        if (*at == L'/')
            *at = L'\\';
    if (wide != NULL && wcslen(wide) >= MAX_PATH - 16 && wcsncmp(wide, L"\\\\?\\", 4) != 0)
        wide = lengthen(wide);
    return wide;
}

char *shw_windows_narrow(const wchar_t *text)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = size > 0 ? malloc((size_t)size) : NULL;

    if (narrow != NULL)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
    return narrow;
}

void shw_windows_turn_slashes(char *path)
{
    for (; *path != '\0'; path++)
        if (*path == '\\')
            *path = '/';
}

int shw_windows_fail(void)
{
    static const struct {
        DWORD code;
        int error;
    } errors[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS},
    };
    const DWORD code = GetLastError();

    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            errno = errors[i].error;
    return -1;
}
