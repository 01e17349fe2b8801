#include "source/opened.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "job/times.h"
#include "source/source.h"
#include "source/thumbnails.h"

#define LONGEST    20.0             /* seconds that a picture may take */
#define LARGEST    (256ll << 20)    /* bytes of an image file that is read for it */
#define PAUSE      3000000          /* nanoseconds between two looks at its source */
#define NAME_SIZE  21u              /* 16 digits and .png, with the terminating zero */
#define CACHE_PATH "%s/%016llx.png" /* the folder and the key */

char *view_opened_usual_folder(void)
{
    return shw_path_of_user("XDG_CACHE_HOME", ".cache", "shadewood/thumbnails");
}

static const char *skip(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text;
}

const char *view_recent_path(const char *line)
{
    const char *blank = strchr(line, ' ');

    return blank != NULL ? skip(skip(skip(blank + 1, "depth:"), "camera:"), "dataset:") : line;
}

/* By the line alone: what the file is, if it is there, says more. */
static enum view_recent_kind kind_of(const char *line)
{
    static const struct {
        const char *start;
        enum view_recent_kind kind;
    } kinds[] = {{"project ", VIEW_RECENT_PROJECT},       {"forest ", VIEW_RECENT_FOREST},
                 {"detect-open ", VIEW_RECENT_CASCADE},   {"rectangles ", VIEW_RECENT_RECTANGLES},
                 {"open dataset:", VIEW_RECENT_DATASET},  {"open camera:", VIEW_RECENT_CAMERA},
                 {"open /dev/video", VIEW_RECENT_CAMERA}, {"open depth:/dev/video", VIEW_RECENT_CAMERA}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(line, kinds[i].start, strlen(kinds[i].start)) == 0)
            return kinds[i].kind;
    return shw_is_video_name(line) ? VIEW_RECENT_VIDEO : VIEW_RECENT_PICTURE;
}

/* What cannot be looked for is not missing. */
static bool is_address(const char *path)
{
    return !shw_path_is_absolute(path) || strstr(path, "://") != NULL || strncmp(path, "/dev/", 5) == 0;
}

static void take_picture(const struct view_picture *picture, struct view_opened_item *made)
{
    uint32_t size[2] = {VIEW_OPENED_WIDTH, VIEW_OPENED_HEIGHT};

    view_picture_fit(picture, size);
    made->width = size[0];
    made->height = size[1];
    made->rgb = malloc((size_t)made->width * made->height * 3);
    if (made->rgb != NULL)
        view_picture_shrink(picture, size, (uint8_t(*)[3])made->rgb);
}

/* The first picture of what the line opens. */
static void read_source(struct view_job *job, struct view_opened_item *made)
{
    const double end = view_clock() + LONGEST;
    struct view_source_params params = {.spec = strchr(made->line, ' ') + 1};
    struct view_source *source = NULL;
    struct view_source_info info = {0};
    struct view_picture *picture = NULL;

    if (view_source_open(&params, &source) != SHW_OK)
        return;
    do {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
        picture = view_source_poll(source, view_clock());
        view_source_info(source, &info);
    } while (picture == NULL && info.state != VIEW_SOURCE_FAILED && (info.pending || !info.at_end) &&
             view_clock() < end && !view_job_is_stopped(job));
    if (picture != NULL)
        take_picture(picture, made);
    view_picture_free(picture);
    view_source_close(&source);
}

/* Changes with the file. */
static unsigned long long key_of(const char *line, const struct stat *status)
{
    const struct {
        uint64_t line;
        int64_t size, seconds, nanoseconds;
    } key = {XXH3_64bits(line, strlen(line)), status->st_size, status->st_mtim.tv_sec, status->st_mtim.tv_nsec};

    return XXH3_64bits(&key, sizeof key);
}

/* False: it is not in the cache. Tells that it was used. */
static bool recall(const char *path, struct view_opened_item *made)
{
    struct shw_image_file file;

    if (access(path, R_OK) != 0 || shw_image_file_read(path, NULL, NULL, &file) != SHW_OK)
        return false;
    if (file.image.format == SHW_PIXEL_RGB8 && file.image.width <= VIEW_OPENED_WIDTH &&
        file.image.height <= VIEW_OPENED_HEIGHT) {
        made->width = file.image.width;
        made->height = file.image.height;
        made->rgb = shw_copy(file.pixels, (size_t)made->width * made->height, 3);
        utimensat(AT_FDCWD, path, NULL, 0);
    }
    shw_image_file_free(&file);
    return made->rgb != NULL;
}

static void keep(const char *path, const struct view_opened_item *made)
{
    const struct shw_image image = {
        .pixels = made->rgb, .width = made->width, .height = made->height, .format = SHW_PIXEL_RGB8};

    shw_make_private_folders(path);
    shw_png_write(path, &image, NULL); /* without it, it is made again */
}

static void make(struct view_opened *opened, struct view_opened_item *made)
{
    const char *path = view_recent_path(made->line);
    struct stat status;
    uint32_t page;
    char *file, cached[4096] = "";

    made->kind = kind_of(made->line);
    made->known = true;
    if (is_address(path))
        return;
    file = shw_image_file_of(path, &page);
    if (file == NULL)
        return;
    made->missing = stat(file, &status) != 0;
    free(file);
    if (made->missing)
        return;
    if (made->kind == VIEW_RECENT_PICTURE && S_ISDIR(status.st_mode))
        made->kind = VIEW_RECENT_FOLDER;
    if (made->kind == VIEW_RECENT_FOREST || made->kind == VIEW_RECENT_CASCADE || made->kind == VIEW_RECENT_CAMERA ||
        made->kind == VIEW_RECENT_RECTANGLES || (made->kind == VIEW_RECENT_PICTURE && status.st_size > LARGEST))
        return;
    if (opened->folder != NULL)
        snprintf(cached, sizeof cached, CACHE_PATH, opened->folder, key_of(made->line, &status));
    if (cached[0] != '\0' && recall(cached, made))
        return;
    read_source(&opened->job, made);
    if (cached[0] != '\0' && made->rgb != NULL)
        keep(cached, made);
}

/* Of the cache. */
struct kept {
    char name[NAME_SIZE];
    struct timespec used;
};

static int compare_used(const void *a, const void *b)
{
    const struct kept *one = a, *other = b;

    if (one->used.tv_sec != other->used.tv_sec)
        return one->used.tv_sec > other->used.tv_sec ? -1 : 1;
    return one->used.tv_nsec > other->used.tv_nsec ? -1 : one->used.tv_nsec < other->used.tv_nsec;
}

static bool is_kept_name(const char *name)
{
    return strlen(name) == NAME_SIZE - 1 && strspn(name, "0123456789abcdef") == 16 && strcmp(name + 16, ".png") == 0;
}

/* Removes those that were not used for longest. */
static void prune(const char *folder)
{
    DIR *stream = opendir(folder);
    struct kept *list = NULL;
    uint32_t count = 0, room = 0;

    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        char *path = is_kept_name(entry->d_name) ? shw_path_join(folder, "/", entry->d_name) : NULL;
        struct stat status;
        bool is_listed = path != NULL && stat(path, &status) == 0 && SHW_RESERVE(list, room, (size_t)count + 1);

        free(path);
        if (!is_listed)
            continue;
        strcpy(list[count].name, entry->d_name);
        list[count++].used = status.st_mtim;
    }
    if (count > VIEW_OPENED_KEPT)
        qsort(list, count, sizeof *list, compare_used);
    for (uint32_t i = VIEW_OPENED_KEPT; i < count; i++) {
        char *path = shw_path_join(folder, "/", list[i].name);
        if (path != NULL)
            unlink(path);
        free(path);
    }
    if (stream != NULL)
        closedir(stream);
    free(list);
}

static enum shw_result work(void *user)
{
    struct view_opened *opened = user;

    for (uint32_t i = 0; i < opened->made_count && !view_job_is_stopped(&opened->job); i++) {
        make(opened, &opened->made[i]);
        view_job_lock(&opened->job);
        opened->done = i + 1;
        view_job_unlock(&opened->job);
    }
    if (opened->folder != NULL && !view_job_is_stopped(&opened->job))
        prune(opened->folder);
    return SHW_OK;
}

static void forget(struct view_opened_item *item)
{
    free(item->line);
    free(item->rgb);
    *item = (struct view_opened_item){0};
}

static bool is_list(const struct view_opened *opened, char *const *lines, uint32_t count)
{
    bool same = opened->count == count;

    for (uint32_t i = 0; same && i < count; i++)
        same = strcmp(opened->items[i].line, lines[i]) == 0;
    return same;
}

/* Makes the list the one of these lines, with what is known of them. */
static void adopt(struct view_opened *opened, char *const *lines, uint32_t count)
{
    struct view_opened_item before[VIEW_OPENED_MOST];
    const uint32_t before_count = opened->count;

    memcpy(before, opened->items, sizeof before);
    memset(opened->items, 0, sizeof opened->items);
    opened->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct view_opened_item *item = &opened->items[opened->count];
        for (uint32_t b = 0; item->line == NULL && b < before_count; b++)
            if (before[b].line != NULL && strcmp(before[b].line, lines[i]) == 0) {
                *item = before[b];
                before[b] = (struct view_opened_item){0};
            }
        if (item->line == NULL)
            *item = (struct view_opened_item){.line = strdup(lines[i]), .kind = kind_of(lines[i])};
        opened->count += item->line != NULL;
    }
    for (uint32_t b = 0; b < before_count; b++)
        forget(&before[b]);
}

static void clear_made(struct view_opened *opened)
{
    for (uint32_t i = 0; i < opened->made_count; i++)
        forget(&opened->made[i]);
    opened->made_count = opened->done = opened->taken = 0;
}

static void begin(struct view_opened *opened, const struct shw_log *log)
{
    static const struct view_job_kind kind = {"small pictures", SHW_PRIORITY_BACKGROUND, work, NULL};

    if (!opened->started)
        view_job_init(&opened->job, &kind, opened);
    opened->started = true;
    opened->stale = false;
    opened->made_count = opened->done = opened->taken = 0;
    for (uint32_t i = 0; i < opened->count; i++) {
        char *line = strdup(opened->items[i].line);
        if (line != NULL)
            opened->made[opened->made_count++] = (struct view_opened_item){.line = line};
    }
    if (view_job_begin(&opened->job, log) != SHW_OK)
        clear_made(opened);
}

/* Moves what is complete to its place in the list. */
static bool take(struct view_opened *opened)
{
    uint32_t done;
    bool changed = false;

    view_job_lock(&opened->job);
    done = opened->done;
    view_job_unlock(&opened->job);
    for (; opened->taken < done; opened->taken++) {
        struct view_opened_item *made = &opened->made[opened->taken];
        for (uint32_t i = 0; made->line != NULL && i < opened->count; i++)
            if (strcmp(opened->items[i].line, made->line) == 0) {
                forget(&opened->items[i]);
                opened->items[i] = *made;
                *made = (struct view_opened_item){0};
                changed = true;
            }
        forget(made);
    }
    return changed;
}

bool view_opened_poll(struct view_opened *opened, char *const *lines, uint32_t count, const struct shw_log *log)
{
    bool changed = false, works;

    count = count < VIEW_OPENED_MOST ? count : VIEW_OPENED_MOST;
    if (!is_list(opened, lines, count)) {
        adopt(opened, lines, count);
        opened->stale = changed = true;
    }
    works = opened->made_count > 0;
    if (works) {
        changed = take(opened) || changed;
        if (opened->stale)
            view_job_stop(&opened->job);
        if (!view_job_is_done(&opened->job))
            return changed;
        view_job_take(&opened->job);
        changed = take(opened) || changed;
        clear_made(opened);
    }
    if (opened->stale && opened->count > 0)
        begin(opened, log);
    return changed;
}

bool view_opened_are_complete(const struct view_opened *opened)
{
    return opened->made_count == 0 && (!opened->stale || opened->count == 0);
}

void view_opened_free(struct view_opened *opened)
{
    if (opened->started)
        view_job_free(&opened->job);
    clear_made(opened);
    for (uint32_t i = 0; i < opened->count; i++)
        forget(&opened->items[i]);
    free(opened->folder);
    *opened = (struct view_opened){0};
}
