#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/memory.h>
#include <shadewood/version.h>

#include "base/text.h"

const char *shw_result_string(enum shw_result result)
{
    switch (result) {
    case SHW_OK: return "success";
    case SHW_ERROR_ARGUMENT: return "invalid argument";
    case SHW_ERROR_MEMORY: return "out of memory";
    case SHW_ERROR_DEVICE_MEMORY: return "out of device memory";
    case SHW_ERROR_DEVICE_LOST: return "device lost";
    case SHW_ERROR_NO_DEVICE: return "no Vulkan device";
    case SHW_ERROR_UNSUPPORTED: return "not supported";
    case SHW_ERROR_IO: return "input or output failed";
    case SHW_ERROR_FORMAT: return "invalid data";
    case SHW_ERROR_VERSION: return "newer version";
    case SHW_ERROR_LIMIT: return "limit exceeded";
    case SHW_ERROR_CANCELLED: return "cancelled";
    case SHW_ERROR_ABI: return "compiled with the headers of another version of Shadewood";
    }
    return "unknown result";
}

static _Thread_local struct {
    char text[SHW_MESSAGE_SIZE];
    uint32_t count;
} failure;

const char *shw_last_error(void)
{
    return failure.text;
}

uint32_t shw_failure_count(void)
{
    return failure.count;
}

void shw_failure_take(const char *text)
{
    snprintf(failure.text, sizeof failure.text, "%s", text);
    failure.count++;
}

static bool takes(const struct shw_log *log, enum shw_log_level level)
{
    return log != NULL && log->function != NULL && level <= log->level;
}

static void format_text(char text[SHW_MESSAGE_SIZE], const char *format, va_list arguments)
{
    vsnprintf(text, SHW_MESSAGE_SIZE, format, arguments);
    shw_make_printable(text);
}

void shw_log_message(const struct shw_log *log, enum shw_log_level level, enum shw_log_item item, const char *format,
                     ...)
{
    va_list arguments;
    char text[SHW_MESSAGE_SIZE];

    if (!takes(log, level))
        return;
    va_start(arguments, format);
    format_text(text, format, arguments);
    va_end(arguments);
    log->function(log->user, level, item, text);
}

enum shw_result shw_fail(const struct shw_log *log, enum shw_result result, enum shw_log_item item, const char *format,
                         ...)
{
    va_list arguments;
    char text[SHW_MESSAGE_SIZE]; /* an argument may be the last message */

    va_start(arguments, format);
    format_text(text, format, arguments);
    va_end(arguments);
    shw_failure_take(text);
    if (takes(log, SHW_LOG_ERROR))
        log->function(log->user, SHW_LOG_ERROR, item, text);
    return result;
}

enum shw_result shw_fail_null(const struct shw_log *log, const char *function, const char *parameter)
{
    size_t length = strlen(function);

    if (length > 4 && strcmp(function + length - 4, "_abi") == 0)
        length -= 4; /* the name that programs call */
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%.*s: %s must not be NULL", (int)length, function,
                    parameter);
}

enum shw_result shw_fail_memory(const struct shw_log *log, const char *what)
{
    return shw_fail(log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY, "not enough memory for %s", what);
}

void shw_free(void *memory)
{
    free(memory);
}

uint32_t shw_version(void)
{
    return SHW_VERSION;
}

const char *shw_version_string(void)
{
    return SHW_VERSION_STRING;
}

bool shw_abi_fits(uint32_t abi)
{
    return abi == SHW_ABI;
}
