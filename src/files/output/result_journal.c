#include "files/output/result_journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "files/io/file_lock.h"
#include "files/io/image_paths.h"
#include "files/io/output_files.h"
#include "files/output/journal_line.h"

#define END_MEMBER    "ended"
#define LISTED_MEMBER "found"
enum { LISTED_PER_LINE = 1000 };

/* Who writes journals, by their names. */
static const struct writer {
    const char *stem;
    const struct shw_file_kind *kind;
    const char *who, *hint; /* in messages */
} writers[] = {{"shadewood-label", &shw_file_label_journal, "shadewood label", "--overwrite"},
               {"shadewood-detect", &shw_file_detect_journal, "shadewood detect", "--overwrite"},
               {".shadewood-export", &shw_file_export_journal, "program", "`overwrite on`"}};

struct shw_result_journal {
    struct shw_log log;
    const struct writer *writer;
    char *folder, *path;
    FILE *stream;
    long read;       /* where the first line begins that was not taken */
    json_t *forests; /* hash of each, by what it was trained from */
    json_t *entries; /* by place: those of the file without rows, and with "offset" of the line */
    json_t *end;     /* the line in which the last call has ended; NULL if something follows it */
    json_t *damaged; /* by place: those whose lines are not as they were written */
    json_t *notes;   /* by path in the folder: an array of digests and nulls */
    struct shw_listed_files listed;
};

struct shw_log shw_result_journal_set_log(struct shw_result_journal *journal, struct shw_log log)
{
    struct shw_log before = {.function = NULL};

    if (journal != NULL) {
        before = journal->log;
        journal->log = log;
    }
    return before;
}

static enum shw_result fail(struct shw_result_journal *journal, int error)
{
    return shw_fail(&journal->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", journal->path,
                    error != 0 ? strerror(error) : "an error of the file system");
}

/* Tables have names as bytes, which JSON may not hold. */
static void set(json_t *table, const char *name, json_t *value)
{
    if (name != NULL)
        json_object_set_new_nocheck(table, name, value);
    else
        json_decref(value);
}

static void take_note(struct shw_result_journal *journal, const json_t *line)
{
    char *path = shw_json_name_read(json_object_get(line, "file"));
    json_t *digest = json_object_get(line, "digest"), *known;

    if (path != NULL) {
        known = json_object_get(journal->notes, path);
        if (known == NULL) {
            known = json_array();
            set(journal->notes, path, known);
        }
        json_array_append(known, digest);
    }
    free(path);
}

static void forget_end(struct shw_result_journal *journal)
{
    json_decref(journal->end);
    journal->end = NULL;
}

/* The files of an entry with their digests; they are then known by these only. */
static json_t *take_files(struct shw_result_journal *journal, const json_t *line)
{
    json_t *files = json_object(), *digest;
    const char *name;

    json_object_foreach(json_object_get(line, "files"), name, digest)
    {
        json_t *text = json_string(name);
        char *path = shw_json_name_read(text);

        set(files, path, json_incref(digest));
        set(journal->notes, path, json_pack("[O]", digest));
        free(path);
        json_decref(text);
    }
    return files;
}

/* "way" and "seen" are believed only in lines with a sum. */
static void take_entry(struct shw_result_journal *journal, const json_t *line, long offset, bool is_summed)
{
    char *place = shw_json_name_read(json_object_get(line, "picture"));
    json_t *entry = NULL;

    if (place != NULL && json_is_string(json_object_get(line, "key")) && json_is_object(json_object_get(line, "files")))
        entry = json_pack("{s:O, s:o, s:I}", "key", json_object_get(line, "key"), "files", take_files(journal, line),
                          "offset", (json_int_t)offset);
    if (entry != NULL) { /* otherwise the line is not one of ours */
        if (is_summed && json_is_string(json_object_get(line, "way")))
            json_object_set(entry, "way", json_object_get(line, "way"));
        if (is_summed && json_is_string(json_object_get(line, "seen")))
            json_object_set(entry, "seen", json_object_get(line, "seen"));
        set(journal->entries, place, entry);
        forget_end(journal);
    }
    free(place);
}

/* Ends without a sum do not count. */
static void take_end(struct shw_result_journal *journal, json_t *line, bool is_summed)
{
    const json_t *end = json_object_get(line, END_MEMBER);

    if (end == NULL)
        return;
    forget_end(journal);
    if (is_summed && json_is_object(end))
        journal->end = json_incref(line);
}

static void take_forest(struct shw_result_journal *journal, const json_t *line)
{
    const char *from = json_string_value(json_object_get(line, "trained_from"));

    if (from != NULL)
        json_object_set(journal->forests, from, json_object_get(line, "hash"));
}

static void take_facts(struct shw_result_journal *journal, const json_t *line)
{
    json_t *facts = json_object_get(line, LISTED_MEMBER), *pages;
    const char *name;

    json_object_foreach(facts, name, pages)
    {
        uint64_t key[2];

        if (json_is_integer(pages) && json_integer_value(pages) >= 0 && json_integer_value(pages) < UINT32_MAX &&
            sscanf(name, "%16" SCNx64 "%16" SCNx64, &key[0], &key[1]) == 2)
            shw_listed_files_add(&journal->listed, key, (uint32_t)json_integer_value(pages));
    }
}

/* Its contents are not used; a warning follows when the image is asked for. */
static void take_damaged(struct shw_result_journal *journal, const json_t *line)
{
    char *place = shw_json_name_read(json_object_get(line, "picture"));

    set(journal->damaged, place, json_true());
    free(place);
}

static void take_line(struct shw_result_journal *journal, char *text, size_t length, long offset)
{
    bool damaged, is_summed;
    json_t *line = shw_journal_line_parse(text, length, false, &damaged, &is_summed);

    if (damaged || line == NULL) {
        forget_end(journal);
        take_damaged(journal, line);
    } else {
        take_forest(journal, line);
        take_entry(journal, line, offset, is_summed);
        take_note(journal, line);
        take_facts(journal, is_summed ? line : NULL);
        take_end(journal, line, is_summed);
    }
    json_decref(line);
}

/* Reads the lines that were not read before. False if the last one is not complete. */
static bool read_lines(struct shw_result_journal *journal)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    bool complete = true;

    if (fseek(journal->stream, journal->read, SEEK_SET) != 0)
        return true;
    while (complete && (length = getline(&text, &capacity, journal->stream)) > 0) {
        complete = text[length - 1] == '\n';
        if (!complete)
            break;
        take_line(journal, text, (size_t)length, journal->read);
        journal->read += length;
    }
    if (!complete)
        forget_end(journal);
    free(text);
    return complete;
}

/* Cuts off what was written of a line, so that the next one and reading find whole lines only. */
static void drop_rest(struct shw_result_journal *journal, long offset)
{
    const int error = errno;

    __fpurge(journal->stream);
    clearerr(journal->stream);
    if (offset >= 0 && ftruncate(fileno(journal->stream), offset) == 0)
        (void)fseek(journal->stream, offset, SEEK_SET);
    errno = error;
}

/* Adds a line; *offset becomes its place. `keep`: writes it to the disk. */
static enum shw_result put_line(struct shw_result_journal *journal, const json_t *line, bool keep, long *offset)
{
    char *text = line != NULL ? json_dumps(line, JSON_COMPACT) : NULL;
    int error = 0;

    if (text == NULL)
        return shw_fail_memory(&journal->log, journal->path);
    errno = 0;
    if (fseek(journal->stream, 0, SEEK_END) != 0 || (*offset = ftell(journal->stream)) < 0 ||
        shw_journal_line_print(journal->stream, text) < 0 || fflush(journal->stream) != 0 ||
        (keep && fsync(fileno(journal->stream)) != 0))
        error = errno != 0 ? errno : EIO;
    free(text);
    if (error == 0)
        return SHW_OK;
    drop_rest(journal, *offset);
    return fail(journal, error);
}

static enum shw_result add_line(struct shw_result_journal *journal, const json_t *line, long *offset)
{
    return put_line(journal, line, true, offset);
}

static enum shw_result begin(struct shw_result_journal *journal)
{
    json_t *line = json_pack("{s:s, s:i}", "shadewood", journal->writer->kind->name, "version", 1);
    long offset;
    enum shw_result result = add_line(journal, line, &offset);

    json_decref(line);
    return result;
}

/* False if another process has the file. */
static bool lock(const struct shw_result_journal *journal, int descriptor)
{
    const enum shw_lock_state state = shw_lock_descriptor(descriptor);

    if (state == SHW_LOCK_NONE)
        shw_log_message(&journal->log, SHW_LOG_WARNING, SHW_LOG_FILE_WRITE,
                        "cannot tell whether another program is writing into %s: %s", journal->folder, strerror(errno));
    return state != SHW_LOCK_TAKEN;
}

static const struct writer *writer_of(const char *name)
{
    size_t i = 0;

    while (i + 1 < sizeof writers / sizeof *writers && strncmp(name, writers[i].stem, strlen(writers[i].stem)) != 0)
        i++;
    return &writers[i];
}

static bool is_ours(const struct shw_result_journal *journal)
{
    return journal->writer->kind->is_ours(journal->path, journal->writer->kind->name);
}

static bool is_of_shard(const struct shw_result_journal *journal)
{
    return strstr(shw_path_last(journal->path), "-of-") != NULL;
}

static void forget_lines(struct shw_result_journal *journal)
{
    json_object_clear(journal->forests);
    json_object_clear(journal->entries);
    json_object_clear(journal->damaged);
    json_object_clear(journal->notes);
    forget_end(journal);
    journal->read = 0;
}

/* Whether the file is the one that was looked at, with what was read of it. */
static bool is_as_looked_at(const struct shw_result_journal *journal, FILE *looked_at)
{
    struct stat before, now;

    return looked_at != NULL && fstat(fileno(looked_at), &before) == 0 && fstat(fileno(journal->stream), &now) == 0 &&
           before.st_dev == now.st_dev && before.st_ino == now.st_ino && now.st_size >= journal->read;
}

/* Opens the file, which may be another one that is to be overwritten; locks it, and reads what it has, or has besides
 * what was read when it was looked at. */
static enum shw_result open_file(struct shw_result_journal *journal)
{
    bool ours = is_ours(journal), empty;
    int descriptor = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    FILE *looked_at = journal->stream;

    journal->stream = descriptor >= 0 ? fdopen(descriptor, "r+b") : NULL;
    if (journal->stream == NULL) {
        int error = errno;

        if (descriptor >= 0)
            close(descriptor);
        if (looked_at != NULL)
            fclose(looked_at);
        return fail(journal, error);
    }
    if (!ours || !is_as_looked_at(journal, looked_at))
        forget_lines(journal);
    if (looked_at != NULL)
        fclose(looked_at);
    if (!lock(journal, descriptor))
        return shw_fail(&journal->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                        "another %s is writing into %s%s%s: wait until it has ended", journal->writer->who,
                        journal->folder, is_of_shard(journal) ? " with " : "",
                        is_of_shard(journal) ? shw_path_last(journal->path) : "");
    if (!ours && ftruncate(descriptor, 0) != 0)
        return fail(journal, errno);
    if (!read_lines(journal) && (fseek(journal->stream, 0, SEEK_END) != 0 || putc('\n', journal->stream) == EOF))
        return fail(journal, errno);
    empty = fseek(journal->stream, 0, SEEK_END) == 0 && ftell(journal->stream) == 0;
    return empty ? begin(journal) : SHW_OK;
}

/* Whether the file may be written. */
static enum shw_result check_file(struct shw_result_journal *journal, bool overwrite)
{
    struct shw_output_files files = {.overwrite = overwrite, .hint = journal->writer->hint, .log = journal->log};
    enum shw_result result;

    shw_output_files_write(&files, journal->path, journal->writer->kind);
    result = shw_output_files_check(&files);
    shw_output_files_free(&files);
    return result;
}

/* With nothing in it; NULL if memory is exhausted. */
static struct shw_result_journal *make(const struct shw_log *log, const char *folder, const char *name)
{
    struct shw_result_journal *journal = calloc(1, sizeof *journal);

    if (journal == NULL)
        return NULL;
    *journal = (struct shw_result_journal){.log = *log,
                                           .writer = writer_of(name),
                                           .folder = strdup(folder),
                                           .path = shw_path_in(folder, name),
                                           .forests = json_object(),
                                           .entries = json_object(),
                                           .damaged = json_object(),
                                           .notes = json_object()};
    if (journal->folder == NULL || journal->path == NULL)
        shw_result_journal_close(&journal);
    return journal;
}

enum shw_result shw_result_journal_open(const struct shw_log *log, const char *folder, const char *name, bool overwrite,
                                        struct shw_result_journal **journal)
{
    *journal = make(log, folder, name);
    if (*journal == NULL)
        return shw_fail_memory(log, folder);
    return shw_result_journal_take(*journal, log, overwrite);
}

enum shw_result shw_result_journal_take(struct shw_result_journal *journal, const struct shw_log *log, bool overwrite)
{
    journal->log = *log;
    SHW_PROPAGATE(check_file(journal, overwrite));
    return open_file(journal);
}

struct shw_result_journal *shw_result_journal_look(const char *folder, const char *name)
{
    const struct shw_log silent = {.level = SHW_LOG_ERROR};
    struct shw_result_journal *journal = make(&silent, folder, name);

    if (journal == NULL)
        return NULL;
    if (is_ours(journal))
        journal->stream = fopen(journal->path, "rb");
    if (journal->stream != NULL)
        read_lines(journal);
    else
        shw_result_journal_close(&journal);
    return journal;
}

void shw_result_journal_close(struct shw_result_journal **handle)
{
    struct shw_result_journal *journal = *handle;

    if (journal == NULL)
        return;
    if (journal->stream != NULL)
        fclose(journal->stream);
    json_decref(journal->forests);
    json_decref(journal->entries);
    json_decref(journal->damaged);
    json_decref(journal->notes);
    json_decref(journal->end);
    shw_listed_files_free(&journal->listed);
    free(journal->folder);
    free(journal->path);
    free(journal);
    *handle = NULL;
}

uint64_t shw_result_journal_forest(const struct shw_result_journal *journal, const struct shw_digest *from)
{
    const char *hash = json_string_value(json_object_get(journal->forests, from->text));

    return hash != NULL ? strtoull(hash, NULL, 16) : 0;
}

enum shw_result shw_result_journal_add_forest(struct shw_result_journal *journal, const struct shw_digest *from,
                                              uint64_t hash)
{
    char text[20];
    json_t *line;
    long offset;
    enum shw_result result;

    snprintf(text, sizeof text, "%016" PRIx64, hash);
    line = json_pack("{s:s, s:s}", "trained_from", from->text, "hash", text);
    result = add_line(journal, line, &offset);
    if (result == SHW_OK)
        take_forest(journal, line);
    json_decref(line);
    return result;
}

/* Whether a file of the folder has that digest. */
static bool is_unchanged(const struct shw_result_journal *journal, const char *name, const char *digest)
{
    char *path = shw_path_in(journal->folder, name);
    struct shw_digest now;
    bool same = path != NULL && digest != NULL && shw_digest_file(path, &now) && strcmp(now.text, digest) == 0;

    free(path);
    return same;
}

void shw_result_journal_warn(const struct shw_result_journal *journal, const char *place)
{

    shw_log_message(&journal->log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN,
                    "%s: its entry for %s is damaged: that is done again", journal->path, place);
}

enum shw_result_known shw_result_journal_knows(const struct shw_result_journal *journal, const char *place,
                                               const struct shw_digest *key)
{
    const char *known = json_string_value(json_object_get(json_object_get(journal->entries, place), "key"));

    return known == NULL ? SHW_RESULT_UNKNOWN : strcmp(known, key->text) == 0 ? SHW_RESULT_SAME : SHW_RESULT_OTHER;
}

/* One that is damaged is an entry, too: a warning follows. */
bool shw_result_journal_has_entry(const struct shw_result_journal *journal, const char *place)
{
    return json_object_get(journal->entries, place) != NULL || json_object_get(journal->damaged, place) != NULL;
}

bool shw_result_journal_is_unchanged(const struct shw_result_journal *journal, const char *place)
{
    const json_t *entry = json_object_get(journal->entries, place);
    const char *name;
    json_t *digest;

    if (entry == NULL)
        return false;
    json_object_foreach(json_object_get(entry, "files"), name,
                        digest) if (!is_unchanged(journal, name, json_string_value(digest))) return false;
    return true;
}

bool shw_result_journal_has(const struct shw_result_journal *journal, const char *place, const struct shw_digest *key)
{
    if (json_object_get(journal->entries, place) == NULL && json_object_get(journal->damaged, place) != NULL)
        shw_result_journal_warn(journal, place);
    return shw_result_journal_knows(journal, place, key) == SHW_RESULT_SAME &&
           shw_result_journal_is_unchanged(journal, place);
}

json_t *shw_result_journal_read(const struct shw_result_journal *journal, const char *place)
{
    const json_t *entry = json_object_get(journal->entries, place);
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length = -1;
    bool damaged = false, is_summed;
    json_t *line;

    if (entry != NULL &&
        fseek(journal->stream, (long)json_integer_value(json_object_get(entry, "offset")), SEEK_SET) == 0)
        length = getline(&text, &capacity, journal->stream);
    line = length > 0 ? shw_journal_line_parse(text, (size_t)length, true, &damaged, &is_summed) : NULL;
    if (damaged)
        json_decref(line);
    free(text);
    return damaged ? NULL : line;
}

const char **shw_result_journal_places(const struct shw_result_journal *journal, uint32_t *count)
{
    const char **places = malloc((json_object_size(journal->entries) + 1) * sizeof *places), *place;
    json_t *entry;

    *count = 0;
    if (places == NULL)
        return NULL;
    json_object_foreach(journal->entries, place, entry) places[(*count)++] = place;
    qsort(places, *count, sizeof *places, shw_natural_compare_texts);
    return places;
}

uint64_t shw_result_journal_order(const struct shw_result_journal *journal, const char *place)
{
    return (uint64_t)json_integer_value(json_object_get(json_object_get(journal->entries, place), "offset"));
}

bool shw_result_journal_has_files(const struct shw_result_journal *journal, const json_t *entry)
{
    const char *name;
    json_t *digest;
    bool all = true;

    json_object_foreach(json_object_get(entry, "files"), name, digest)
    {
        json_t *text = json_string(name);
        char *file = shw_json_name_read(text), *path = file != NULL ? shw_path_in(journal->folder, file) : NULL;

        all = all && path != NULL && access(path, F_OK) == 0;
        free(path);
        free(file);
        json_decref(text);
    }
    return all;
}

enum shw_result shw_result_journal_add(struct shw_result_journal *journal, const char *place, json_t *entry)
{
    long offset = 0;

    json_object_del(entry, SHW_JOURNAL_LINE_SUM);
    json_object_set_new(entry, "picture", shw_json_name(place));
    SHW_PROPAGATE(add_line(journal, entry, &offset));
    take_entry(journal, entry, offset, true);
    return SHW_OK;
}

const char *shw_result_journal_way(const struct shw_result_journal *journal, const char *place)
{
    return json_string_value(json_object_get(json_object_get(journal->entries, place), "way"));
}

const char *shw_result_journal_seen(const struct shw_result_journal *journal, const char *place)
{
    return json_string_value(json_object_get(json_object_get(journal->entries, place), "seen"));
}

json_t *shw_result_journal_end(const struct shw_result_journal *journal)
{
    return json_incref(json_object_get(journal->end, END_MEMBER));
}

static enum shw_result add_end(struct shw_result_journal *journal, json_t *value)
{
    json_t *line = json_pack("{s:O}", END_MEMBER, value);
    long offset;
    enum shw_result result = add_line(journal, line, &offset);

    if (result == SHW_OK)
        take_end(journal, line, true);
    json_decref(line);
    return result;
}

enum shw_result shw_result_journal_add_begin(struct shw_result_journal *journal)
{
    return add_end(journal, json_false());
}

enum shw_result shw_result_journal_add_end(struct shw_result_journal *journal, json_t *end)
{
    return add_end(journal, end);
}

const struct shw_listed_files *shw_result_journal_listed(const struct shw_result_journal *journal)
{
    return &journal->listed;
}

static enum shw_result add_facts(struct shw_result_journal *journal, const json_t *facts, bool keep)
{
    json_t *line = json_pack("{s:O}", LISTED_MEMBER, facts);
    long offset;
    enum shw_result result = put_line(journal, line, keep, &offset);

    if (result == SHW_OK)
        take_facts(journal, line);
    json_decref(line);
    return result;
}

enum shw_result shw_result_journal_add_listed(struct shw_result_journal *journal, const struct shw_listed_files *files)
{
    json_t *packed = json_object();
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < files->capacity && result == SHW_OK; i++) {
        const struct shw_listed_file *fact = &files->slots[i];
        char key[40];

        if (!fact->is_used || !fact->is_asked || shw_listed_files_have(&journal->listed, fact->key))
            continue;
        snprintf(key, sizeof key, "%016" PRIx64 "%016" PRIx64, fact->key[0], fact->key[1]);
        json_object_set_new(packed, key, json_integer(fact->pages));
        if (json_object_size(packed) == LISTED_PER_LINE) {
            result = add_facts(journal, packed, false);
            json_object_clear(packed);
        }
    }
    if (result == SHW_OK && json_object_size(packed) > 0)
        result = add_facts(journal, packed, true);
    json_decref(packed);
    return result;
}

struct shw_result_journal_name shw_result_journal_name(const char *command, struct shw_shard shard)
{
    struct shw_result_journal_name name;

    if (shard.count > 0)
        snprintf(name.text, sizeof name.text, "shadewood-%s-%u-of-%u.jsonl", command, shard.number, shard.count);
    else
        snprintf(name.text, sizeof name.text, "shadewood-%s.jsonl", command);
    return name;
}

bool shw_result_journal_parse_name(const char *command, const char *name, struct shw_shard *shard)
{
    const struct shw_result_journal_name whole = shw_result_journal_name(command, (struct shw_shard){0});
    const size_t length = strlen(whole.text) - strlen(".jsonl");

    *shard = (struct shw_shard){0};
    if (strcmp(name, whole.text) == 0)
        return true;
    return strncmp(name, whole.text, length) == 0 &&
           sscanf(name + length, "-%" SCNu32 "-of-%" SCNu32, &shard->number, &shard->count) == 2 &&
           shard->number >= 1 && shard->number <= shard->count && shard->count <= SHW_SHARDS_MAX &&
           strcmp(shw_result_journal_name(command, *shard).text, name) == 0;
}

bool shw_result_journals_list(const char *command, const char *folder, struct shw_image_paths *journals)
{
    DIR *entries;
    const struct dirent *entry;
    struct shw_shard shard;
    bool fine = true;

    errno = 0;
    entries = opendir(folder);
    while (entries != NULL && fine && (entry = readdir(entries)) != NULL)
        fine = !shw_result_journal_parse_name(command, entry->d_name, &shard) ||
               shw_image_paths_add(journals, folder, entry->d_name);
    if (entries != NULL)
        closedir(entries);
    return fine;
}

/* The path in the folder. */
static const char *name_of(const struct shw_result_journal *journal, const char *path)
{
    size_t length = strlen(journal->folder);

    return strncmp(path, journal->folder, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* Whether a file is noted with that digest. */
static bool is_noted(const struct shw_result_journal *journal, const char *path, const struct shw_digest *digest)
{
    json_t *noted;
    size_t i;

    json_array_foreach(json_object_get(journal->notes, name_of(journal, path)), i,
                       noted) if (json_is_string(noted) &&
                                  strcmp(json_string_value(noted), digest->text) == 0) return true;
    return false;
}

enum shw_result shw_result_journal_note(struct shw_result_journal *journal, const char *path,
                                        const struct shw_digest *digest)
{
    json_t *line = json_pack("{s:o, s:o}", "file", shw_json_name(name_of(journal, path)), "digest",
                             digest != NULL ? json_string(digest->text) : json_null());
    enum shw_result result = SHW_OK;
    long offset;

    if (digest == NULL || !is_noted(journal, path, digest))
        result = add_line(journal, line, &offset);
    if (result == SHW_OK)
        take_note(journal, line);
    json_decref(line);
    return result;
}

bool shw_result_journal_owns(const struct shw_result_journal *journal, const char *path)
{
    const char *name = name_of(journal, path);
    json_t *digest;
    size_t i;

    json_array_foreach(json_object_get(journal->notes, name), i,
                       digest) if (json_is_null(digest) ||
                                   is_unchanged(journal, name, json_string_value(digest))) return true;
    return false;
}
