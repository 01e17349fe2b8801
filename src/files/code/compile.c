/* Compiling a text, and the cache of what was compiled: CACHE/shadewood/code/HASH.so and HASH.spv. The latter is
 * written last, and again with each shader that comes to be needed; it holds the header that both were made of, so that
 * another text with the same hash is noticed. The
 * folder and the files must belong to the user, and be writable by nobody else, because the object is run. TinyCC's are
 * HASH-tcc.so and HASH-tcc.spv, which are used only where there is no other compiler. */
#define _GNU_SOURCE /* memfd_create() */
#include "files/code/compile.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/log.h"
#include "files/code/files.h"
#include "files/io/folders.h"
#include "files/io/image_paths.h"

#define MAGIC    "SHWCODE3"
#define FILE_MAX (64u << 20)

#define WORK         "work-" /* begins the name of a folder to compile in */
#define LEFT_SECONDS 86400   /* compiling takes minutes at most */
#define ROOM_BYTES   (8u << 20)

/* The beginning of HASH.spv; after it the header that was compiled, and the words of the shaders. */
struct record {
    char magic[8];
    uint64_t header_size, checksum;       /* the latter of everything after this struct */
    uint64_t object_checksum;             /* of HASH.so */
    uint32_t sizes[SHW_CODE_SHADERS_MAX]; /* 0: not made yet */
};

struct job {
    const struct shw_code_text *text;
    const char *header;
    uint64_t set; /* of shaders */
    const struct shw_code_patience *patience;
    const struct shw_log *log;
    struct shw_code_compiled *compiled;
    bool has_cache;
    char folder[PATH_MAX - 128]; /* of the cache, or for temporary files */
    char work[PATH_MAX - 64];    /* a new folder in it */
    char object[PATH_MAX];       /* the object that was made there */
    char name[40];               /* in the cache, without ending */
    struct shw_code_compiler compiler;
    enum shw_result object_result;
};

bool shw_code_goes_on(const struct shw_code_patience *patience)
{
    return patience == NULL || patience->go_on(patience->user);
}

void shw_code_compiled_free(struct shw_code_compiled *compiled)
{
    shw_code_free_shaders(compiled->shaders);
    free(compiled->header);
    free(compiled->cached);
    if (compiled->object != NULL)
        dlclose(compiled->object);
    *compiled = (struct shw_code_compiled){0};
}

static bool is_private(const struct stat *status)
{
    return status->st_uid == geteuid() && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* A folder of the user's own, made if it is missing. */
static bool make_private(const char *path)
{
    struct stat status;

    return (mkdir(path, 0700) == 0 || errno == EEXIST) && lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           is_private(&status);
}

static bool find_cache(struct job *job)
{
    char *cache = shw_path_of_user("XDG_CACHE_HOME", ".cache", "");
    const bool fits = cache != NULL && strlen(cache) + 32 <= sizeof job->folder;
    const bool is_there = fits && (mkdir(cache, 0700) == 0 || errno == EEXIST);

    if (is_there)
        snprintf(job->folder, sizeof job->folder, "%.*sshadewood", (int)sizeof job->folder - 32, cache);
    free(cache);
    if (!is_there || !make_private(job->folder))
        return false;
    strcat(job->folder, "/code");
    return make_private(job->folder);
}

static void set_name(struct job *job)
{
    const uint32_t lanes = shw_code_lanes(job->text);
    XXH3_state_t *state = XXH3_createState();
    XXH128_hash_t hash;

    XXH3_128bits_reset(state);
    for (uint32_t i = 0; i < shw_code_file_count; i++)
        XXH3_128bits_update(state, shw_code_files[i].text, shw_code_files[i].size);
    XXH3_128bits_update(state, SHW_MODULE_VERSION, sizeof SHW_MODULE_VERSION);
    XXH3_128bits_update(state, &lanes, sizeof lanes);
    XXH3_128bits_update(state, job->header, strlen(job->header) + 1);
    hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    snprintf(job->name, sizeof job->name, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

/* A private file of the cache. */
static FILE *open_cached(const char *path)
{
    FILE *stream = fopen(path, "rb");
    struct stat status;

    if (stream != NULL && fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode) && is_private(&status) &&
        status.st_size <= (off_t)FILE_MAX)
        return stream;
    if (stream != NULL)
        fclose(stream);
    return NULL;
}

/* 0 if it cannot be read, or is so large that no compiler of ours has made it. */
static uint64_t checksum_of(FILE *stream)
{
    char *bytes = malloc(SHW_CODE_OBJECT_MAX);
    const size_t size = bytes != NULL ? fread(bytes, 1, SHW_CODE_OBJECT_MAX, stream) : 0;
    const uint64_t checksum = size > 0 && size < SHW_CODE_OBJECT_MAX ? XXH3_64bits(bytes, size) : 0;

    free(bytes);
    return checksum;
}

static bool take_shader(const char *bytes, uint32_t size, struct shw_shader *shader)
{
    uint32_t *words = malloc(size);

    if (words != NULL)
        memcpy(words, bytes, size);
    *shader = (struct shw_shader){words, words != NULL ? size : 0};
    return words != NULL;
}

/* The words of the shaders; those of a file that is damaged or of another text are not taken. Neither is a damaged
 * object, which the loader would not notice. */
static bool take_shaders(const struct job *job, FILE *stream, FILE *object)
{
    struct shw_code_compiled *compiled = job->compiled;
    struct record record;
    size_t size, at;
    char *bytes;
    bool fine;

    if (fread(&record, sizeof record, 1, stream) != 1 || memcmp(record.magic, MAGIC, 8) != 0 ||
        record.header_size != strlen(job->header) || record.object_checksum == 0 ||
        record.object_checksum != checksum_of(object))
        return false;
    size = (record.header_size + 3) & ~(size_t)3;
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++)
        size += record.sizes[i];
    bytes = size <= FILE_MAX ? malloc(size) : NULL;
    fine = bytes != NULL && fread(bytes, 1, size, stream) == size && XXH3_64bits(bytes, size) == record.checksum &&
           memcmp(bytes, job->header, record.header_size) == 0;
    at = (record.header_size + 3) & ~(size_t)3;
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX && fine; at += record.sizes[i++])
        fine = record.sizes[i] == 0 || take_shader(bytes + at, record.sizes[i], &compiled->shaders[i]);
    compiled->checksum = record.object_checksum;
    free(bytes);
    return fine;
}

/* A copy in memory, for folders from which nothing may be run. Its descriptor stays open, because the loader knows
 * objects by their paths. */
static void *load_copy(const char *path)
{
    FILE *stream = fopen(path, "rb");
    const int copy = stream != NULL ? memfd_create("shadewood", MFD_CLOEXEC) : -1;
    char bytes[4096], name[32];
    bool fine = copy >= 0;
    void *object = NULL;
    size_t size;

    while (fine && (size = fread(bytes, 1, sizeof bytes, stream)) > 0)
        fine = write(copy, bytes, size) == (ssize_t)size;
    if (fine) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
        object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (stream != NULL)
        fclose(stream);
    if (copy >= 0 && object == NULL)
        close(copy);
    return object;
}

static enum shw_result load_object(const struct job *job, const char *path, const struct shw_log *log)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    object = object != NULL ? object : load_copy(path);
    job->compiled->object = object;
    if (object != NULL)
        job->compiled->table =
            dlsym(object, job->text->subject == SHW_CODE_FEATURE ? "shw_feature_code_own" : "shw_channel_code_own");
    if (job->compiled->table != NULL) {
        job->compiled->vectors = dlsym(object, "shw_feature_vectors_own");
        return SHW_OK;
    }
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "%s: what was compiled cannot be loaded: %s", job->text->file,
                    dlerror());
}

/* Takes both from the cache, if they are there. */
static bool recall(const struct job *job)
{
    char path[PATH_MAX];
    FILE *object, *shaders;
    bool fine;

    snprintf(path, sizeof path, "%s/%s.spv", job->folder, job->name);
    shaders = open_cached(path);
    snprintf(path, sizeof path, "%s/%s.so", job->folder, job->name);
    object = open_cached(path);
    fine = shaders != NULL && object != NULL && take_shaders(job, shaders, object);
    if (fine)
        shw_code_cache_use(fileno(shaders));
    if (shaders != NULL)
        fclose(shaders);
    if (object != NULL)
        fclose(object);
    if (fine && load_object(job, path, NULL) == SHW_OK)
        return true;
    if (fine)
        unlink(path); /* such as one for another processor: it is made again */
    shw_code_compiled_free(job->compiled);
    return false;
}

void shw_code_remember_shaders(const struct shw_code_compiled *compiled)
{
    struct record record = {.header_size = strlen(compiled->header), .object_checksum = compiled->checksum};
    const size_t first = (record.header_size + 3) & ~(size_t)3;
    size_t size = sizeof record + first, at = sizeof record + first;
    char *bytes;

    if (compiled->cached == NULL)
        return;
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++)
        size += compiled->shaders[i].size;
    bytes = calloc(1, size);
    if (bytes == NULL)
        return;
    memcpy(record.magic, MAGIC, 8);
    memcpy(bytes + sizeof record, compiled->header, record.header_size);
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++) {
        record.sizes[i] = (uint32_t)compiled->shaders[i].size;
        if (record.sizes[i] > 0)
            memcpy(bytes + at, compiled->shaders[i].words, compiled->shaders[i].size);
        at += compiled->shaders[i].size;
    }
    record.checksum = XXH3_64bits(bytes + sizeof record, size - sizeof record);
    memcpy(bytes, &record, sizeof record);
    (void)shw_atomic_file_write(compiled->cached, bytes, size, NULL);
    (void)chmod(compiled->cached, 0600);
    free(bytes);
}

/* Errors are no failure: the next program compiles once more. */
static void remember(const struct job *job)
{
    FILE *object = fopen(job->object, "rb");
    char path[PATH_MAX];

    if (object == NULL)
        return;
    job->compiled->checksum = checksum_of(object);
    fclose(object);
    snprintf(path, sizeof path, "%s/%s.so", job->folder, job->name);
    if (chmod(job->object, 0600) == 0 && rename(job->object, path) == 0)
        shw_code_remember_shaders(job->compiled);
}

/* Folders of programs that were killed while they compiled. */
static void remove_left(const char *cache)
{
    const time_t now = time(NULL);
    DIR *folder = opendir(cache);
    struct dirent *entry;
    struct stat status;
    char path[PATH_MAX];

    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, WORK, sizeof WORK - 1) == 0 &&
            (size_t)snprintf(path, sizeof path, "%s/%s", cache, entry->d_name) < sizeof path &&
            lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && now - status.st_mtime > LEFT_SECONDS)
            shw_folder_remove(path);
    if (folder != NULL)
        closedir(folder);
}

static void *compile_object(void *user)
{
    struct job *job = user;

    job->object_result = shw_code_compile_object(job->text, job->header, &job->compiler, job->work, job->object,
                                                 job->patience, job->log);
    return NULL;
}

/* The object in a thread of its own, which waits for the compiler, while this one compiles the shaders. */
static enum shw_result compile(struct job *job)
{
    pthread_t thread;
    enum shw_result result;
    const bool apart = pthread_create(&thread, NULL, compile_object, job) == 0;

    result =
        shw_code_compile_shaders(job->text, job->header, job->set, job->patience, job->log, job->compiled->shaders);
    if (apart)
        pthread_join(thread, NULL);
    else
        compile_object(job);
    SHW_PROPAGATE(result);
    SHW_PROPAGATE(job->object_result);
    return load_object(job, job->object, job->log);
}

uint64_t shw_code_find_missing(const struct shw_code_compiled *compiled, uint64_t set)
{
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++)
        if (compiled->shaders[i].words != NULL)
            set &= ~(UINT64_C(1) << i);
    return set;
}

void shw_code_add_shaders(struct shw_shader more[SHW_CODE_SHADERS_MAX], struct shw_code_compiled *compiled)
{
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++)
        if (compiled->shaders[i].words == NULL) {
            compiled->shaders[i] = more[i];
            more[i] = (struct shw_shader){NULL, 0};
        }
    shw_code_free_shaders(more);
}

/* What further shaders are made of, and where they are kept. */
static enum shw_result keep_names(const struct job *job)
{
    struct shw_code_compiled *compiled = job->compiled;
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s.spv", job->folder, job->name);
    compiled->header = strdup(job->header);
    compiled->cached = job->has_cache ? strdup(path) : NULL;
    if (compiled->header == NULL || (job->has_cache && compiled->cached == NULL))
        return shw_fail_memory(job->log, job->text->file);
    return SHW_OK;
}

/* The shaders that the cache lacks. */
static enum shw_result complete(const struct job *job)
{
    const uint64_t missing = shw_code_find_missing(job->compiled, job->set);
    struct shw_shader more[SHW_CODE_SHADERS_MAX];

    SHW_PROPAGATE(keep_names(job));
    if (missing == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_code_compile_shaders(job->text, job->header, missing, job->patience, job->log, more));
    shw_code_add_shaders(more, job->compiled);
    shw_code_remember_shaders(job->compiled);
    return SHW_OK;
}

static void say_compiler(const struct job *job)
{
    if (!job->compiler.is_tcc)
        shw_log_message(job->log, SHW_LOG_INFO, SHW_LOG_FEATURE_TYPE, "%s: compiled by %s for the technique cpu",
                        job->text->file, job->compiler.path);
    else
        shw_log_message(job->log, SHW_LOG_WARNING, SHW_LOG_FEATURE_TYPE,
                        "%s: there is no C compiler, cc, gcc or clang, in PATH: TinyCC compiles it for the technique "
                        "cpu, which becomes slower by that",
                        job->text->file);
}

/* Whether there is room for sources, object and shaders of a text. */
static bool can_write(const char *folder)
{
    struct statvfs volume;

    return access(folder, W_OK) == 0 && statvfs(folder, &volume) == 0 &&
           (uint64_t)volume.f_bavail * volume.f_frsize >= ROOM_BYTES;
}

static void leave_cache(struct job *job)
{
    const char *temporary = getenv("TMPDIR");

    job->has_cache = false;
    snprintf(job->folder, sizeof job->folder, "%s", temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
}

static enum shw_result make(struct job *job)
{
    enum shw_result result;

    job->has_cache = find_cache(job);
    if (!job->has_cache)
        leave_cache(job);
    set_name(job);
    if (job->has_cache && recall(job))
        return complete(job);
    job->compiler = shw_code_find_compiler();
    if (job->compiler.is_tcc) {
        strcat(job->name, "-tcc");
        if (job->has_cache && recall(job)) {
            say_compiler(job);
            return complete(job);
        }
    }
    if (job->has_cache)
        remove_left(job->folder);
    if (job->has_cache && !can_write(job->folder))
        leave_cache(job);
    snprintf(job->work, sizeof job->work, "%s/" WORK "XXXXXX", job->folder);
    if (mkdtemp(job->work) == NULL)
        return shw_fail(job->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s cannot be compiled: cannot write to %s: %s",
                        job->text->file, job->folder, strerror(errno));
    snprintf(job->object, sizeof job->object, "%s/own.so", job->work);
    result = compile(job);
    if (result == SHW_OK)
        say_compiler(job);
    if (result == SHW_OK)
        result = keep_names(job);
    if (result == SHW_OK && job->has_cache) {
        remember(job);
        shw_code_cache_trim(job->folder, SHW_CODE_CACHE_BYTES, SHW_CODE_CACHE_DAYS);
    }
    shw_folder_remove(job->work);
    return result;
}

enum shw_result shw_code_compile(const struct shw_code_text *text, uint64_t set,
                                 const struct shw_code_patience *patience, const struct shw_log *log,
                                 struct shw_code_compiled *compiled)
{
    struct job *job = calloc(1, sizeof *job);
    char *header = shw_code_text_header(text);
    enum shw_result result;

    *compiled = (struct shw_code_compiled){0};
    if (job != NULL && header != NULL) {
        *job = (struct job){
            .text = text, .header = header, .set = set, .patience = patience, .log = log, .compiled = compiled};
        result = make(job);
    } else {
        result = shw_fail_memory(log, text->file);
    }
    if (result != SHW_OK)
        shw_code_compiled_free(compiled);
    free(header);
    free(job);
    return result;
}
