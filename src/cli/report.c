#include "cli/report.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"
#include "files/io/file_lock.h"
#include "files/io/image_paths.h"

#define TERMINAL_INTERVAL 0.1 /* seconds between two updates */
#define PIPE_INTERVAL     5.0

static atomic_bool line_open; /* the terminal shows a line of progress */

static void end_line(void)
{
    if (atomic_exchange(&line_open, false))
        fputs("\r\033[K", stderr);
}

/* Whether a word of the text is the path or begins with it as a folder. */
static bool names_path(const char *text, const char *path)
{
    size_t length = strlen(path);

    for (const char *at = strstr(text, path); at != NULL; at = strstr(at + 1, path))
        if ((at == text || at[-1] == ' ' || at[-1] == '"') && strchr("/: ,", at[length]) != NULL)
            return true;
    return false;
}

/* Messages of the library about the contents of data name at most images. */
static bool is_about_data(const struct cli_report *report, enum shw_log_item item, const char *text)
{
    bool about = item == SHW_LOG_DATASET || item == SHW_LOG_PROJECT ||
                 (item == SHW_LOG_TRAIN_PARAMETER && report->data_has_settings);

    return about && report->data != NULL && !names_path(text, report->data);
}

/* The subject of a message that does not name it itself; or NULL. */
static const char *subject_of(const struct cli_report *report, enum shw_log_item item, const char *text)
{
    if (is_about_data(report, item, text))
        return report->data;
    return report->input != NULL && !names_path(text, report->input) ? report->input : NULL;
}

static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct cli_report *report = user;
    const char *subject;

    if (level == SHW_LOG_ERROR) {
        if (__atomic_exchange_n(&report->failed, true, __ATOMIC_RELAXED))
            return;
    } else if (report->quiet || (level > SHW_LOG_WARNING && !report->verbose)) {
        return;
    }
    subject = subject_of(report, item, text);
    end_line();
    fprintf(stderr, "shadewood: %s%s%s%s\n", level == SHW_LOG_WARNING ? "warning: " : "",
            subject != NULL ? shw_printable(subject).text : "", subject != NULL ? ": " : "", shw_printable(text).text);
}

struct shw_log cli_log(struct cli_report *report)
{
    return (struct shw_log){
        .function = receive, .user = report, .level = report->verbose ? SHW_LOG_DEBUG : SHW_LOG_WARNING};
}

int cli_fail(struct cli_report *report, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    struct shw_log log = cli_log(report);

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log.function(log.user, SHW_LOG_ERROR, SHW_LOG_ARGUMENT, text);
    return SHW_EXIT_FAILURE;
}

/* Progress is truncated to it: a wrapped line could not be overwritten. */
static int terminal_width(void)
{
    const int columns = shw_terminal_columns();

    return columns > 1 ? columns : 80;
}

static void format_time(double seconds, char *text, size_t size)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);

    if (whole < 120)
        snprintf(text, size, "%lu s", whole);
    else if (whole < 7200)
        snprintf(text, size, "%lu min", (whole + 30) / 60);
    else
        snprintf(text, size, "%lu h %lu min", whole / 3600, whole % 3600 / 60);
}

void cli_say(const struct cli_report *report, const char *format, ...)
{
    char text[4096];
    va_list arguments;

    if (report->quiet)
        return;
    end_line();
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "shadewood: %s\n", shw_printable(text).text);
}

static struct shw_time_left time_left; /* of the piece of work in progress */

/* `left` is negative if it is not known. */
static void show_progress(const struct cli_report *report, double fraction, double left, const char *text)
{
    static double last;
    bool terminal = isatty(STDERR_FILENO) != 0;
    char line[256], time[32] = "";
    double now = shw_clock();

    if (report->quiet || (now - last < (terminal ? TERMINAL_INTERVAL : PIPE_INTERVAL) && fraction < 1))
        return;
    last = now;
    if (left >= 0)
        format_time(left, time, sizeof time);
    snprintf(line, sizeof line, "%3.0f %%  %s%s%s", 100 * fraction, time, left >= 0 ? " left  " : "", text);
    if (terminal)
        fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
    else
        fprintf(stderr, "%s\n", line);
    line_open = terminal;
}

void cli_progress(const struct cli_report *report, double fraction, const char *text)
{
    double left;
    bool known = shw_time_left_of(&time_left, shw_clock(), fraction, &left);

    show_progress(report, fraction, known ? left : -1, text);
}

bool cli_progress_left(const struct cli_report *report, double fraction, double left, const char *text)
{
    bool known = shw_time_left_take(&time_left, shw_clock(), left);

    show_progress(report, fraction, known ? left : -1, text);
    return known;
}

void cli_progress_end(void)
{
    end_line();
    time_left = (struct shw_time_left){.begun = false};
}

int cli_print_json(struct cli_report *report, json_t *document)
{
    int failed;

    if (document == NULL)
        return cli_fail(report, "not enough memory for the result as JSON");
    failed = json_dumpf(document, stdout, JSON_INDENT(2) | JSON_SORT_KEYS) != 0 || putchar('\n') == EOF;
    json_decref(document);
    if (failed && ferror(stdout) == 0)
        return cli_fail(report, "not enough memory for the result as JSON");
    return failed ? SHW_EXIT_FAILURE : SHW_EXIT_SUCCESS;
}

#define ONE_SIGNAL 0.1 /* seconds; programs like timeout signal both the process and its group, meaning one signal */

/* Set by the handler on any thread, and read by all; without locks, as handlers need. */
static atomic_bool held, interrupted;
static _Atomic double interrupted_at;
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "signal handlers cannot wait for locks");

static void handle_signal(int signal_number)
{
    static const char newline = '\n';
    double now = shw_clock();

    (void)signal_number;
    if (held && !interrupted) {
        interrupted_at = now;
        interrupted = true;
    }
    if (held && now - interrupted_at < ONE_SIGNAL)
        return;
    shw_file_locks_remove();
    if (line_open && write(STDERR_FILENO, &newline, 1) < 0)
        _exit(SHW_EXIT_INTERRUPTED);
    _exit(SHW_EXIT_INTERRUPTED);
}

void cli_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART}, former;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] != SIGHUP || (sigaction(SIGHUP, NULL, &former) == 0 && former.sa_handler != SIG_IGN)) /* nohup */
            sigaction(signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

void cli_hold_signals(bool hold)
{
    held = hold;
    /* The reader of the messages may have been hung up first. */
    signal(SIGPIPE, hold ? SIG_IGN : SIG_DFL);
}

bool cli_interrupted(void)
{
    return interrupted;
}

void cli_add_input(void *files, const char *path)
{
    shw_output_files_read(files, path);
}

bool cli_is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

int cli_check_standard_output(const struct shw_command *command, const struct cli_report *report, const char *output)
{
    if (!report->json || !cli_is_standard_output(output))
        return SHW_CONTINUE;
    return shw_usage_error(command, "--json and --output - both write to standard output");
}

int cli_check_outputs(struct cli_report *report, struct shw_output_files *files)
{
    enum shw_result result;

    files->hint = "--overwrite";
    files->log = cli_log(report);
    result = shw_output_files_check(files);
    if (result == SHW_ERROR_ARGUMENT)
        return SHW_EXIT_USAGE;
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

/* 0, or the errno of the failure. */
static int make_one(const char *path)
{
    struct stat status;
    int error = mkdir(path, 0777) == 0 ? 0 : errno;

    return error == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) ? 0 : error;
}

static const char *why_not(const char *path, int error)
{
    struct stat status;

    if (error != EEXIST)
        return strerror(error);
    return stat(path, &status) == 0 ? "it is a file" : "it is a dangling link";
}

int cli_make_folder(struct cli_report *report, const char *path)
{
    char *part;
    int code = SHW_CONTINUE;

    if (cli_is_standard_output(path)) {
        cli_fail(report, "the output is a folder, not standard output: name one (./- is a folder called -)");
        return SHW_EXIT_USAGE;
    }
    part = strdup(path);
    if (part == NULL)
        return cli_fail(report, "cannot create the folder %s: out of memory", path);
    for (char *end = part + (shw_path_after_share(part) - part); code == SHW_CONTINUE && end != NULL;) {
        end = strchr(end + strspn(end, "/"), '/');
        if (end != NULL)
            *end = '\0';
        int error = make_one(part);
        if (error != 0)
            code = cli_fail(report, "cannot create the folder %s: %s", part, why_not(part, error));
        if (end != NULL)
            *end = '/';
    }
    free(part);
    return code;
}
