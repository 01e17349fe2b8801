/* The process: its variables, signals, libraries and memory. */
#include "base/windows/wide.h"

#include <dlfcn.h>
#include <sys/utsname.h>

/* Variables. */

/* Folders of the user, where the variable of POSIX is not set. */
static const struct {
    const char *name, *instead;
} folder_variables[] = {{"HOME", "USERPROFILE"},
                        {"TMPDIR", "TEMP"},
                        {"XDG_CACHE_HOME", "LOCALAPPDATA"},
                        {"XDG_STATE_HOME", "LOCALAPPDATA"},
                        {"XDG_CONFIG_HOME", "APPDATA"},
                        {"XDG_DATA_HOME", "APPDATA"}};

struct variable {
    struct variable *next;
    char *name, *value;
};

static struct variable *variables; /* those that were asked for: former values stay, because callers may have them */
static SRWLOCK lock = SRWLOCK_INIT;

/* To be freed with free(); NULL: it is not set. */
static char *read_variable(const char *name)
{
    wchar_t *wide = shw_windows_wide_text(name), *value = NULL;
    DWORD size = wide != NULL ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
    char *text = NULL;

    if (size > 0)
        value = malloc(size * sizeof *value);
    if (value != NULL && GetEnvironmentVariableW(wide, value, size) < size)
        text = shw_windows_narrow(value);
    free(wide);
    free(value);
    return text;
}

static char *read_any(const char *name)
{
    char *value = read_variable(name);

    for (size_t i = 0; i < sizeof folder_variables / sizeof *folder_variables; i++)
        if (strcmp(name, folder_variables[i].name) == 0) {
            if (value == NULL)
                value = read_variable(folder_variables[i].instead);
            if (value != NULL)
                shw_windows_turn_slashes(value);
        }
    return value;
}

/* Keeps a value. With the lock held. */
static char *keep(const char *name, char *value)
{
    struct variable *variable = variables;

    while (variable != NULL && (strcmp(variable->name, name) != 0 || strcmp(variable->value, value) != 0))
        variable = variable->next;
    if (variable == NULL) {
        variable = malloc(sizeof *variable);
        if (variable == NULL)
            return value;
        *variable = (struct variable){variables, _strdup(name), value};
        if (variable->name == NULL) {
            free(variable);
            return value;
        }
        variables = variable;
    } else {
        free(value);
    }
    return variable->value;
}

char *shw_windows_getenv(const char *name)
{
    char *value = read_any(name);

    if (value == NULL)
        return NULL;
    AcquireSRWLockExclusive(&lock);
    value = keep(name, value);
    ReleaseSRWLockExclusive(&lock);
    return value;
}

static int set_variable(const char *name, const char *value)
{
    wchar_t *wide = shw_windows_wide_text(name), *wide_value = value != NULL ? shw_windows_wide_text(value) : NULL;
    int result = -1;

    if (wide != NULL && (value == NULL || wide_value != NULL))
        result = SetEnvironmentVariableW(wide, wide_value) || value == NULL ? 0 : shw_windows_fail();
    free(wide);
    free(wide_value);
    return result;
}

int shw_windows_setenv(const char *name, const char *value, int replace)
{
    char *former = replace ? NULL : read_variable(name);

    if (former != NULL) {
        free(former);
        return 0;
    }
    return set_variable(name, value);
}

int shw_windows_unsetenv(const char *name)
{
    return set_variable(name, NULL);
}

/* Signals. */

#define SIGNALS 32

static void (*handlers[SIGNALS])(int number);

static BOOL WINAPI receive(DWORD event)
{
    const int number = event == CTRL_C_EVENT ? SIGINT : event == CTRL_BREAK_EVENT ? SIGTERM : SIGHUP;
    void (*handler)(int) = handlers[number];

    if (handler == SIG_IGN)
        return TRUE;
    if (handler == NULL)
        return FALSE;
    handler(number);
    return TRUE;
}

int shw_windows_sigaction(int number, const struct sigaction *action, struct sigaction *former)
{
    static LONG is_listening;

    if (former != NULL)
        *former = (struct sigaction){.sa_handler = handlers[number]};
    if (action == NULL)
        return 0;
    handlers[number] = action->sa_handler;
    if (InterlockedExchange(&is_listening, 1) == 0)
        SetConsoleCtrlHandler(receive, TRUE);
    return 0;
}

void (*shw_windows_signal(int number, void (*handler)(int number)))(int number)
{
    const struct sigaction action = {.sa_handler = handler};
    struct sigaction former;

    shw_windows_sigaction(number, &action, &former);
    return former.sa_handler;
}

/* Libraries. */

static _Thread_local char library_error[512];

static void *note_library(const char *path)
{
    const DWORD code = GetLastError();
    wchar_t text[256] = L"";
    char *narrow;

    FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code, 0, text, 256, NULL);
    for (wchar_t *at = text; *at != L'\0'; at++)
        if (*at == L'\r' || *at == L'\n')
            *at = L'\0';
    narrow = shw_windows_narrow(text);
    snprintf(library_error, sizeof library_error, "%.300s: %s", path,
             narrow != NULL && narrow[0] != '\0' ? narrow : "it is no library that can be loaded");
    free(narrow);
    return NULL;
}

/* A name without a folder is one of the system's libraries, or lies beside the program, and is never taken from the
 * current folder. */
void *shw_windows_dlopen(const char *path, int flags)
{
    const bool has_folder = strpbrk(path, "/\\") != NULL;
    wchar_t *wide = shw_windows_wide_path(path), *whole = NULL;
    void *library = NULL;

    (void)flags;
    if (wide == NULL)
        return note_library(path);
    if (has_folder) {
        const DWORD size = GetFullPathNameW(wide, 0, NULL, NULL);

        whole = malloc((size + 1) * sizeof *whole);
        if (whole != NULL && GetFullPathNameW(wide, size + 1, whole, NULL) > 0)
            library = LoadLibraryExW(whole, NULL, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    } else {
        library = LoadLibraryExW(wide, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    }
    if (library == NULL)
        note_library(path);
    free(wide);
    free(whole);
    return library;
}

void *shw_windows_dlsym(void *library, const char *name)
{
    FARPROC function = GetProcAddress(library, name);
    void *symbol;

    if (function == NULL)
        return note_library(name);
    memcpy(&symbol, &function, sizeof symbol);
    return symbol;
}

int shw_windows_dlclose(void *library)
{
    return FreeLibrary(library) ? 0 : -1;
}

const char *shw_windows_dlerror(void)
{
    return library_error;
}

/* Memory. */

void *shw_windows_map(size_t size)
{
    void *memory = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

    return memory != NULL ? memory : MAP_FAILED;
}

int shw_windows_unmap(void *memory)
{
    return VirtualFree(memory, 0, MEM_RELEASE) ? 0 : -1;
}

/* The system. */

int shw_windows_uname(struct utsname *system)
{
    /* GetVersionEx() tells what the manifest of the program allows. */
    typedef LONG(WINAPI * get_version)(OSVERSIONINFOW *);
    FARPROC function = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion");
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};

    if (function != NULL)
        ((get_version)(void (*)(void))function)(&version);
    snprintf(system->sysname, sizeof system->sysname, "Windows");
    snprintf(system->release, sizeof system->release, "%lu.%lu.%lu", version.dwMajorVersion, version.dwMinorVersion,
             version.dwBuildNumber);
    snprintf(system->machine, sizeof system->machine, "x86_64");
    return 0;
}
