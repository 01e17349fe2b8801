/* Files by their paths and descriptors. */
#include "base/windows/wide.h"

#include <stdarg.h>

/* A name that the system lacks. */
static const char standard_input[] = "/dev/stdin";

/* Opens whatever it is, folders included, so that others can do with it what they want. */
static HANDLE open_handle(const char *path, DWORD access, DWORD how, DWORD flags)
{
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    wchar_t *wide = shw_windows_wide_path(path);
    HANDLE handle = INVALID_HANDLE_VALUE;

    if (wide == NULL)
        return INVALID_HANDLE_VALUE;
    handle = CreateFileW(wide, access, share, NULL, how, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        shw_windows_fail();
    free(wide);
    return handle;
}

static DWORD how_to_open(int flags)
{
    if ((flags & O_CREAT) != 0)
        return (flags & O_EXCL) != 0 ? CREATE_NEW : (flags & O_TRUNC) != 0 ? CREATE_ALWAYS : OPEN_ALWAYS;
    return (flags & O_TRUNC) != 0 ? TRUNCATE_EXISTING : OPEN_EXISTING;
}

int shw_windows_open(const char *path, int flags, ...)
{
    static const DWORD accesses[] = {GENERIC_READ, GENERIC_WRITE, GENERIC_READ | GENERIC_WRITE, 0};
    const int which = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    const bool only_reads = which == O_RDONLY;
    const DWORD access = accesses[which & 3] | (only_reads ? 0 : FILE_READ_ATTRIBUTES);
    const DWORD link = (flags & O_NOFOLLOW) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
    HANDLE handle = INVALID_HANDLE_VALUE;
    int descriptor;

    if (strcmp(path, standard_input) == 0)
        return _dup(0);
    handle = open_handle(path, access, how_to_open(flags),
                         FILE_ATTRIBUTE_NORMAL | link | (only_reads ? FILE_FLAG_BACKUP_SEMANTICS : 0));

    if (handle == INVALID_HANDLE_VALUE) {
        struct shw_windows_stat status;
        const int error = errno;

        errno = error == EACCES && shw_windows_stat(path, &status) == 0 && S_ISDIR(status.st_mode) ? EISDIR : error;
        return -1;
    }
    descriptor = _open_osfhandle((intptr_t)handle, _O_BINARY | (flags & O_APPEND) | (only_reads ? _O_RDONLY : 0));
    if (descriptor < 0)
        CloseHandle(handle);
    return descriptor;
}

FILE *shw_windows_fopen(const char *path, const char *mode)
{
    const bool updates = strchr(mode, '+') != NULL;
    const int access = updates ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    const int make = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    const int descriptor = shw_windows_open(path, access | make | (strchr(mode, 'x') != NULL ? O_EXCL : 0), 0666);
    const char plain[] = {mode[0], 'b', updates ? '+' : '\0', '\0'};
    struct shw_windows_stat status;
    FILE *stream = NULL;

    if (descriptor < 0)
        return NULL;
    if (access != O_RDONLY || (shw_windows_fstat(descriptor, &status) == 0 && !S_ISDIR(status.st_mode)))
        stream = _fdopen(descriptor, plain);
    else
        errno = EISDIR;
    if (stream == NULL) {
        const int error = errno;

        _close(descriptor);
        errno = error;
    }
    return stream;
}

/* What a file is. */

static struct timespec time_of(int64_t ticks) /* of 100 ns since 1601 */
{
    const int64_t since_1970 = ticks - 116444736000000000;

    return (struct timespec){.tv_sec = since_1970 / 10000000, .tv_nsec = (long)(since_1970 % 10000000) * 100};
}

static mode_t mode_of(HANDLE handle, const BY_HANDLE_FILE_INFORMATION *information)
{
    const mode_t may = (information->dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0555 : 0777;
    FILE_ATTRIBUTE_TAG_INFO tag;

    if ((information->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
        GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag) &&
        tag.ReparseTag == IO_REPARSE_TAG_SYMLINK)
        return S_IFLNK | 0777;
    return (mode_t)(((information->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? S_IFDIR : S_IFREG) | may);
}

/* For Wine, which finds a volume by the file's name and so tells nothing in one call of what a process inherits as
 * standard input. The volume is then 0. */
static bool inform_without_name(HANDLE handle, BY_HANDLE_FILE_INFORMATION *information)
{
    FILE_BASIC_INFO basic;
    FILE_STANDARD_INFO standard;
    FILE_ID_INFO id;
    uint64_t number;

    if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) ||
        !GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard) ||
        !GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id))
        return false;
    memcpy(&number, &id.FileId, sizeof number);
    *information = (BY_HANDLE_FILE_INFORMATION){
        .dwFileAttributes = basic.FileAttributes,
        .nFileSizeHigh = (DWORD)standard.EndOfFile.HighPart,
        .nFileSizeLow = standard.EndOfFile.LowPart,
        .nNumberOfLinks = standard.NumberOfLinks,
        .nFileIndexHigh = (DWORD)(number >> 32),
        .nFileIndexLow = (DWORD)number,
    };
    return true;
}

static int describe(HANDLE handle, struct shw_windows_stat *status)
{
    BY_HANDLE_FILE_INFORMATION information;
    FILE_BASIC_INFO basic;

    *status = (struct shw_windows_stat){.st_nlink = 1};
    switch (GetFileType(handle)) {
    case FILE_TYPE_DISK: break;
    case FILE_TYPE_PIPE: status->st_mode = S_IFIFO | 0600; return 0;
    default: status->st_mode = S_IFCHR | 0600; return 0;
    }
    if (!GetFileInformationByHandle(handle, &information) && !inform_without_name(handle, &information))
        return shw_windows_fail();
    status->st_dev = information.dwVolumeSerialNumber;
    status->st_ino = (uint64_t)information.nFileIndexHigh << 32 | information.nFileIndexLow;
    status->st_nlink = information.nNumberOfLinks;
    status->st_size = (int64_t)((uint64_t)information.nFileSizeHigh << 32 | information.nFileSizeLow);
    status->st_mode = mode_of(handle, &information);
    if (GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic)) {
        status->st_mtim = time_of(basic.LastWriteTime.QuadPart);
        status->st_ctim = time_of(basic.ChangeTime.QuadPart);
        status->st_mtime = status->st_mtim.tv_sec;
    }
    return 0;
}

static int describe_path(const char *path, DWORD flags, struct shw_windows_stat *status)
{
    HANDLE handle = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
    int result;

    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    result = describe(handle, status);
    CloseHandle(handle);
    return result;
}

int shw_windows_stat(const char *path, struct shw_windows_stat *status)
{
    return strcmp(path, standard_input) == 0 ? shw_windows_fstat(0, status) : describe_path(path, 0, status);
}

int shw_windows_lstat(const char *path, struct shw_windows_stat *status)
{
    return describe_path(path, FILE_FLAG_OPEN_REPARSE_POINT, status);
}

int shw_windows_fstat(int descriptor, struct shw_windows_stat *status)
{
    HANDLE handle = (HANDLE)_get_osfhandle(descriptor);

    if (handle == INVALID_HANDLE_VALUE) {
        errno = EBADF;
        return -1;
    }
    return describe(handle, status);
}

/* Names. */

/* One function of Windows with one path. */
static int call(const char *path, BOOL (*function)(const wchar_t *path))
{
    wchar_t *wide = shw_windows_wide_path(path);
    int result = -1;

    if (wide != NULL)
        result = function(wide) ? 0 : shw_windows_fail();
    free(wide);
    return result;
}

static BOOL create_folder(const wchar_t *path)
{
    return CreateDirectoryW(path, NULL);
}

static BOOL remove_folder(const wchar_t *path)
{
    return RemoveDirectoryW(path);
}

static BOOL remove_file(const wchar_t *path)
{
    return DeleteFileW(path);
}

static BOOL enter_folder(const wchar_t *path)
{
    return SetCurrentDirectoryW(path);
}

int shw_windows_mkdir(const char *path, unsigned mode)
{
    (void)mode; /* what is below a user's own folder is the user's */
    return call(path, create_folder);
}

int shw_windows_rmdir(const char *path)
{
    return call(path, remove_folder);
}

int shw_windows_unlink(const char *path)
{
    return call(path, remove_file);
}

int shw_windows_chdir(const char *path)
{
    return call(path, enter_folder);
}

int shw_windows_remove(const char *path)
{
    struct shw_windows_stat status;

    if (shw_windows_lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return shw_windows_rmdir(path);
    return shw_windows_unlink(path);
}

static int move(const char *from, const char *to, DWORD flags)
{
    wchar_t *wide_from = shw_windows_wide_path(from), *wide_to = wide_from != NULL ? shw_windows_wide_path(to) : NULL;
    int result = -1;

    if (wide_to != NULL)
        result = MoveFileExW(wide_from, wide_to, flags | MOVEFILE_WRITE_THROUGH) ? 0 : shw_windows_fail();
    free(wide_from);
    free(wide_to);
    return result;
}

/* As POSIX says: what has the other name open keeps what it reads. Of Windows 10 and later, on NTFS. */
static int replace_open(const char *from, const char *to)
{
    static const FILE_INFO_BY_HANDLE_CLASS rename_ex = (FILE_INFO_BY_HANDLE_CLASS)22; /* FileRenameInfoEx */
    static const DWORD replace_posix = 1 | 2;
    wchar_t *wide = shw_windows_wide_path(to), whole[4];
    DWORD length = wide != NULL ? GetFullPathNameW(wide, 0, whole, NULL) : 0;
    FILE_RENAME_INFO *information = length > 0 ? calloc(1, sizeof *information + length * sizeof *wide) : NULL;
    HANDLE handle =
        information != NULL ? open_handle(from, DELETE | SYNCHRONIZE, OPEN_EXISTING, 0) : INVALID_HANDLE_VALUE;
    int result = -1;

    if (handle != INVALID_HANDLE_VALUE) {
        memcpy(information, &replace_posix, sizeof replace_posix); /* the flags are where the old struct has a BOOL */
        information->FileNameLength = GetFullPathNameW(wide, length, information->FileName, NULL) * (DWORD)sizeof *wide;
        if (SetFileInformationByHandle(handle, rename_ex, information,
                                       (DWORD)sizeof *information + information->FileNameLength))
            result = 0;
        else
            shw_windows_fail();
        CloseHandle(handle);
    }
    free(information);
    free(wide);
    return result;
}

int shw_windows_rename(const char *from, const char *to)
{
    int error;

    if (move(from, to, MOVEFILE_REPLACE_EXISTING) == 0)
        return 0;
    error = errno;
    if (error == EACCES && replace_open(from, to) == 0)
        return 0;
    errno = error;
    return -1;
}

int shw_windows_rename_new(const char *from, const char *to)
{
    return move(from, to, 0);
}

int shw_windows_access(const char *path, int mode)
{
    struct shw_windows_stat status;

    if (shw_windows_stat(path, &status) != 0)
        return -1;
    if ((mode & W_OK) == 0 || (status.st_mode & S_IWUSR) != 0)
        return 0;
    errno = EACCES;
    return -1;
}

int shw_windows_chmod(const char *path, unsigned mode)
{
    wchar_t *wide = shw_windows_wide_path(path);
    const DWORD attributes = wide != NULL ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    const DWORD kept = attributes & ~(DWORD)FILE_ATTRIBUTE_READONLY;
    int result = -1;

    if (attributes != INVALID_FILE_ATTRIBUTES)
        result = SetFileAttributesW(wide, (mode & S_IWUSR) != 0 ? kept : kept | FILE_ATTRIBUTE_READONLY)
                     ? 0
                     : shw_windows_fail();
    else if (wide != NULL)
        shw_windows_fail();
    free(wide);
    return result;
}

/* Without the prefix of long paths. */
static char *plain_path(const wchar_t *path)
{
    const bool is_server = wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0, is_long = wcsncmp(path, L"\\\\?\\", 4) == 0;
    char *plain = shw_windows_narrow(is_server ? path + 6 : is_long ? path + 4 : path);

    if (plain != NULL && is_server)
        plain[0] = '\\';
    if (plain != NULL)
        shw_windows_turn_slashes(plain);
    return plain;
}

char *shw_windows_realpath(const char *path, char *resolved)
{
    HANDLE handle = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    DWORD length = handle != INVALID_HANDLE_VALUE ? GetFinalPathNameByHandleW(handle, NULL, 0, 0) : 0;
    wchar_t *wide = length > 0 ? malloc((length + 1) * sizeof *wide) : NULL;
    char *real = NULL;

    (void)resolved;
    if (handle != INVALID_HANDLE_VALUE && wide == NULL)
        shw_windows_fail();
    if (wide != NULL && GetFinalPathNameByHandleW(handle, wide, length + 1, 0) > 0)
        real = plain_path(wide);
    free(wide);
    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    return real;
}

/* The last six letters of `path` become others until `make` makes what is not there yet. */
static int make_temporary(char *path, int (*make)(const char *path))
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *end = path + strlen(path) - 6;
    LARGE_INTEGER ticks;
    uint64_t number;

    for (int i = 0; i < 100; i++) {
        QueryPerformanceCounter(&ticks);
        number = ((uint64_t)ticks.QuadPart ^ (uint64_t)GetCurrentProcessId() << 32) * 0x9e3779b97f4a7c15u + (uint64_t)i;
        for (int k = 0; k < 6; k++, number /= 36)
            end[k] = letters[(number >> 8) % 36];
        int made = make(path);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

static int make_folder(const char *path)
{
    return shw_windows_mkdir(path, 0700);
}

char *shw_windows_mkdtemp(char *path)
{
    return make_temporary(path, make_folder) >= 0 ? path : NULL;
}

static int make_file(const char *path)
{
    return shw_windows_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

int shw_windows_mkstemp(char *path)
{
    return make_temporary(path, make_file);
}

int shw_windows_utimensat(int folder, const char *path, const struct timespec *times, int flags)
{
    HANDLE file = open_handle(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    FILETIME now;
    int result;

    (void)folder, (void)times, (void)flags;
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    GetSystemTimeAsFileTime(&now);
    result = SetFileTime(file, NULL, &now, &now) ? 0 : shw_windows_fail();
    CloseHandle(file);
    return result;
}

/* Descriptors. */

ssize_t shw_windows_pread(int descriptor, void *bytes, size_t size, int64_t offset)
{
    if (_lseeki64(descriptor, offset, SEEK_SET) < 0)
        return -1;
    return _read(descriptor, bytes, size < INT_MAX ? (unsigned)size : INT_MAX);
}

ssize_t shw_windows_pwrite(int descriptor, const void *bytes, size_t size, int64_t offset)
{
    if (_lseeki64(descriptor, offset, SEEK_SET) < 0)
        return -1;
    return _write(descriptor, bytes, size < INT_MAX ? (unsigned)size : INT_MAX);
}

/* A byte that no file has is locked: what a lock covers, others cannot read. */
int shw_windows_flock(int descriptor, int operation)
{
    HANDLE handle = (HANDLE)_get_osfhandle(descriptor);
    OVERLAPPED place = {.OffsetHigh = 0x7fffffff};

    if ((operation & LOCK_UN) != 0)
        return UnlockFileEx(handle, 0, 1, 0, &place) ? 0 : shw_windows_fail();
    return LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)
               ? 0
               : shw_windows_fail();
}

static int lock_bytes(int descriptor, int command, const struct shw_windows_flock *lock)
{
    HANDLE handle = (HANDLE)_get_osfhandle(descriptor);
    OVERLAPPED place = {.Offset = (DWORD)lock->l_start, .OffsetHigh = (DWORD)(lock->l_start >> 32)};
    const DWORD wait = command == F_OFD_SETLKW ? 0 : LOCKFILE_FAIL_IMMEDIATELY;
    const BOOL done = lock->l_type == F_UNLCK
                          ? UnlockFileEx(handle, 0, (DWORD)lock->l_len, 0, &place)
                          : LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | wait, 0, (DWORD)lock->l_len, 0, &place);

    return done ? 0 : shw_windows_fail();
}

int shw_windows_fcntl(int descriptor, int command, ...)
{
    const struct shw_windows_flock *lock;
    va_list arguments;

    if (command == F_SETFD)
        return 0;
    va_start(arguments, command);
    lock = va_arg(arguments, const struct shw_windows_flock *);
    va_end(arguments);
    return lock_bytes(descriptor, command, lock);
}
