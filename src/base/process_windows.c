#include "base/process.h"

#include "base/windows/wide.h"

#include <shellapi.h>

/* Arguments are patterns and paths; no option has a meaning for `\`. */
static void take_arguments(int *argc, char ***argv)
{
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    char **arguments = wide != NULL ? calloc((size_t)count + 1, sizeof *arguments) : NULL;

    if (arguments == NULL)
        return;
    for (int i = 0; i < count; i++) {
        arguments[i] = shw_windows_narrow(wide[i]);
        if (arguments[i] == NULL)
            return;
        shw_windows_turn_slashes(arguments[i]);
    }
    LocalFree(wide);
    *argc = count;
    *argv = arguments; /* as long as the program runs */
}

/* Progress is written with escape sequences, and all texts are UTF-8. */
static void prepare_terminal(void)
{
    HANDLE handle = GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode;

    SetConsoleOutputCP(CP_UTF8);
    if (GetConsoleMode(handle, &mode))
        SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

void shw_process_begin(int *argc, char ***argv)
{
    take_arguments(argc, argv);
    prepare_terminal();
    for (int descriptor = 0; descriptor < 3; descriptor++)
        _setmode(descriptor, _O_BINARY);
    setvbuf(stderr, NULL, _IONBF, 0);
}

void shw_process_take_path(char *path)
{
    shw_windows_turn_slashes(path);
}

bool shw_process_path(char *path, size_t size)
{
    wchar_t wide[4096];
    const DWORD length = GetModuleFileNameW(NULL, wide, 4096);
    char *narrow = length > 0 && length < 4096 ? shw_windows_narrow(wide) : NULL;
    const bool fits = narrow != NULL && strlen(narrow) < size;

    path[0] = '\0';
    if (fits)
        snprintf(path, size, "%s", narrow);
    shw_windows_turn_slashes(path);
    free(narrow);
    return fits;
}

bool shw_process_waits_for(int descriptor)
{
    (void)descriptor;
    return true; /* named pipes are no files: it is standard input */
}

int shw_process_copy_descriptor(int descriptor)
{
    return _dup(descriptor);
}

void shw_process_leave_own_console(void)
{
    DWORD process;

    if (GetConsoleProcessList(&process, 1) == 1) /* nobody else uses it */
        FreeConsole();
}

int shw_terminal_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO information;

    return GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &information)
               ? information.srWindow.Right - information.srWindow.Left + 1
               : 0;
}
