#define _GNU_SOURCE /* locks of open files */
#include "files/tune/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "files/io/file_kind.h"

/* Bytes far behind the end of any journal, which are locked: the first one to append, those after it for the trials.
 * Such locks belong to the open file, and end when it is closed. */
#define APPEND_LOCK ((off_t)1 << 60)

#define FORMAT_MEMBER "shadewood"
#define TRIALS_MAX    (1u << 24)

static enum shw_result fail_io(const struct shw_journal *journal, const char *what, int error)
{
    return shw_fail(&journal->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot %s %s: %s", what, journal->path,
                    strerror(error));
}

/* 0, or the errno: EAGAIN if another process has the lock, and `wait` is not set. */
static int lock_byte(const struct shw_journal *journal, off_t byte, short type, bool wait)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    while (fcntl(journal->descriptor, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock) != 0)
        if (errno != EINTR)
            return errno == EACCES ? EAGAIN : errno;
    return 0;
}

static off_t trial_byte(uint32_t trial)
{
    return APPEND_LOCK + 1 + trial;
}

enum shw_result shw_journal_hold(const struct shw_journal *journal)
{
    const int error = lock_byte(journal, APPEND_LOCK, F_WRLCK, true);

    return error == 0 ? SHW_OK : fail_io(journal, "lock", error);
}

void shw_journal_let_go(const struct shw_journal *journal)
{
    lock_byte(journal, APPEND_LOCK, F_UNLCK, false);
}

static enum shw_result fail_line(const struct shw_journal *journal)
{
    return shw_fail(&journal->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "line %llu of %s is not one of a %s",
                    (unsigned long long)journal->line_number, journal->path, shw_file_tuning_journal.name);
}

/* Makes room for trial number count. */
static bool add_trial(struct shw_journal *journal)
{
    if (journal->count == journal->capacity) {
        const uint32_t capacity = 2 * journal->capacity + 16;
        struct shw_journal_trial *trials = realloc(journal->trials, capacity * sizeof *trials);

        if (trials == NULL)
            return false;
        journal->trials = trials;
        journal->capacity = capacity;
    }
    journal->trials[journal->count] = (struct shw_journal_trial){.lines = json_array()};
    journal->count += journal->trials[journal->count].lines != NULL;
    return journal->count > 0 && journal->trials[journal->count - 1].lines != NULL;
}

/* Takes a line, which is borrowed. */
static enum shw_result take(struct shw_journal *journal, json_t *line)
{
    const json_t *number = json_object_get(line, SHW_JOURNAL_TRIAL);
    const json_int_t trial = json_integer_value(number);

    if (journal->header == NULL) {
        const char *name = json_string_value(json_object_get(line, FORMAT_MEMBER));
        if (name == NULL || strcmp(name, shw_file_tuning_journal.name) != 0)
            return fail_line(journal);
        journal->header = json_incref(line);
        return SHW_OK;
    }
    if (!json_is_integer(number) || trial < 0 || trial > journal->count || trial >= TRIALS_MAX)
        return fail_line(journal);
    if (trial == journal->count) {
        if (!json_is_object(json_object_get(line, "setting")))
            return fail_line(journal);
        if (!add_trial(journal))
            return shw_fail_memory(&journal->log, journal->path);
        journal->trials[trial].claim = json_incref(line);
        return SHW_OK;
    }
    journal->trials[trial].ended = journal->trials[trial].ended || json_object_get(line, SHW_JOURNAL_END) != NULL;
    return json_array_append(journal->trials[trial].lines, line) == 0 ? SHW_OK
                                                                      : shw_fail_memory(&journal->log, journal->path);
}

static enum shw_result take_text(struct shw_journal *journal, const char *text, size_t length)
{
    json_t *line = json_loadb(text, length, 0, NULL);
    enum shw_result result;

    journal->line_number++;
    result = json_is_object(line) ? take(journal, line) : fail_line(journal);
    json_decref(line);
    return result;
}

static enum shw_result take_lines(struct shw_journal *journal, const char *text, size_t size)
{
    const char *end;

    while ((end = memchr(text, '\n', size)) != NULL) {
        const size_t length = (size_t)(end - text) + 1;
        SHW_PROPAGATE(take_text(journal, text, length));
        journal->offset += (int64_t)length;
        text += length;
        size -= length;
    }
    return SHW_OK;
}

enum shw_result shw_journal_read(struct shw_journal *journal)
{
    struct stat status;
    enum shw_result result;
    size_t size, used = 0;
    char *text;

    if (fstat(journal->descriptor, &status) != 0)
        return fail_io(journal, "read", errno);
    if (status.st_size < journal->offset)
        return shw_fail(&journal->log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "%s has been shortened by another program",
                        journal->path);
    size = (size_t)(status.st_size - journal->offset);
    text = malloc(size + 1);
    if (text == NULL)
        return shw_fail_memory(&journal->log, journal->path);
    while (used < size) {
        const ssize_t count = pread(journal->descriptor, text + used, size - used, journal->offset + (off_t)used);
        if (count < 0 && errno != EINTR) {
            free(text);
            return fail_io(journal, "read", errno);
        }
        if (count == 0)
            break;
        used += count > 0 ? (size_t)count : 0;
    }
    result = take_lines(journal, text, used);
    free(text);
    return result;
}

/* Writes all of it behind what was read, and what is left there of another line is cut off; or nothing. Under the lock.
 */
static enum shw_result write_behind(struct shw_journal *journal, const char *text, size_t size)
{
    size_t written = 0;
    int error = ftruncate(journal->descriptor, journal->offset) == 0 ? 0 : errno;

    while (error == 0 && written < size) {
        const ssize_t count =
            pwrite(journal->descriptor, text + written, size - written, journal->offset + (off_t)written);
        if (count < 0 && errno != EINTR)
            error = errno;
        written += count > 0 ? (size_t)count : 0;
    }
    if (error == 0 && fdatasync(journal->descriptor) != 0 && errno != EINVAL)
        error = errno;
    if (error == 0)
        return SHW_OK;
    if (ftruncate(journal->descriptor, journal->offset) != 0)
        return fail_io(journal, "write or shorten", error);
    return fail_io(journal, "write", error);
}

/* Under the lock, after reading. */
static enum shw_result append(struct shw_journal *journal, const json_t *line)
{
    char *text = line != NULL ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    enum shw_result result;
    size_t length;

    if (text == NULL)
        return shw_fail_memory(&journal->log, journal->path);
    length = strlen(text);
    text[length] = '\n'; /* instead of the end of the text */
    result = write_behind(journal, text, length + 1);
    if (result == SHW_OK)
        result = take_lines(journal, text, length + 1);
    free(text);
    return result;
}

/* Refuses the journal of another search. */
static enum shw_result compare_headers(const struct shw_journal *journal, const json_t *header)
{
    const char *name;
    json_t *value;

    json_object_foreach(
        (json_t *)(uintptr_t)header, name,
        value) if (!json_equal(value,
                               json_object_get(
                                   journal->header,
                                   name))) return shw_fail(&journal->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                                           "%s is the journal of another search: it differs in '%s'",
                                                           journal->path, name);
    return SHW_OK;
}

static bool is_empty(const struct shw_journal *journal)
{
    struct stat status;

    return fstat(journal->descriptor, &status) == 0 && status.st_size == 0;
}

static enum shw_result begin(struct shw_journal *journal, const json_t *header)
{
    json_t *line = json_pack("{s:s}", FORMAT_MEMBER, shw_file_tuning_journal.name);
    enum shw_result result = shw_journal_read(journal);

    if (result == SHW_OK && journal->header == NULL && !is_empty(journal)) {
        journal->line_number = 1;
        result = fail_line(journal);
    }
    if (result == SHW_OK && journal->header == NULL && line != NULL &&
        json_object_update(line, (json_t *)(uintptr_t)header) == 0)
        result = append(journal, line);
    if (result == SHW_OK)
        result =
            journal->header != NULL ? compare_headers(journal, header) : shw_fail_memory(&journal->log, journal->path);
    json_decref(line);
    return result;
}

enum shw_result shw_journal_open(const char *path, const json_t *header, const struct shw_log *log,
                                 struct shw_journal *journal)
{
    enum shw_result result;

    *journal = (struct shw_journal){.log = *log, .path = strdup(path), .descriptor = -1};
    if (journal->path == NULL)
        return shw_fail_memory(log, path);
    journal->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    result = journal->descriptor >= 0 ? shw_journal_hold(journal) : fail_io(journal, "write", errno);
    if (result == SHW_OK) {
        result = begin(journal, header);
        shw_journal_let_go(journal);
    }
    if (result != SHW_OK)
        shw_journal_close(journal);
    return result;
}

/* Takes over what nobody works on. */
static uint32_t take_over(struct shw_journal *journal)
{
    for (uint32_t t = 0; t < journal->count; t++) {
        struct shw_journal_trial *trial = &journal->trials[t];

        if (trial->ended || trial->mine || lock_byte(journal, trial_byte(t), F_WRLCK, false) != 0)
            continue;
        trial->mine = true;
        return t;
    }
    return UINT32_MAX;
}

static enum shw_result claim_new(struct shw_journal *journal, shw_journal_propose propose, void *user, uint32_t *trial)
{
    const uint32_t number = journal->count;
    json_t *line = propose(user, journal);
    enum shw_result result;
    int error;

    if (line != NULL && json_object_set_new(line, SHW_JOURNAL_TRIAL, json_integer(number)) != 0) {
        json_decref(line);
        line = NULL;
    }
    error = lock_byte(journal, trial_byte(number), F_WRLCK, false);
    result = error == 0 ? append(journal, line) : fail_io(journal, "lock", error);
    json_decref(line);
    if (result != SHW_OK) {
        lock_byte(journal, trial_byte(number), F_UNLCK, false);
        return result;
    }
    journal->trials[number].mine = true;
    *trial = number;
    return SHW_OK;
}

enum shw_result shw_journal_claim(struct shw_journal *journal, uint32_t limit, shw_journal_propose propose, void *user,
                                  uint32_t *trial)
{
    enum shw_result result;

    *trial = UINT32_MAX;
    SHW_PROPAGATE(shw_journal_hold(journal));
    result = shw_journal_read(journal);
    if (result == SHW_OK) {
        *trial = take_over(journal);
        if (*trial == UINT32_MAX && journal->count < limit && journal->count < TRIALS_MAX)
            result = claim_new(journal, propose, user, trial);
    }
    shw_journal_let_go(journal);
    return result;
}

enum shw_result shw_journal_add(struct shw_journal *journal, uint32_t trial, json_t *line)
{
    enum shw_result result = shw_journal_hold(journal);

    if (result == SHW_OK) {
        result = shw_journal_read(journal);
        if (result == SHW_OK && line != NULL && json_object_set_new(line, SHW_JOURNAL_TRIAL, json_integer(trial)) != 0)
            result = shw_fail_memory(&journal->log, journal->path);
        if (result == SHW_OK)
            result = append(journal, line);
        if (result == SHW_OK && journal->trials[trial].ended) {
            journal->trials[trial].mine = false;
            lock_byte(journal, trial_byte(trial), F_UNLCK, false);
        }
        shw_journal_let_go(journal);
    }
    json_decref(line);
    return result;
}

void shw_journal_close(struct shw_journal *journal)
{
    if (journal->path != NULL && journal->descriptor >= 0)
        close(journal->descriptor);
    for (uint32_t t = 0; t < journal->count; t++) {
        json_decref(journal->trials[t].claim);
        json_decref(journal->trials[t].lines);
    }
    free(journal->trials);
    json_decref(journal->header);
    free(journal->path);
    *journal = (struct shw_journal){.descriptor = -1};
}
