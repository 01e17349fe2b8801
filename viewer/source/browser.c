#include "source/browser.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/input_file.h"
#include "base/ktx2.h"
#include "base/text.h"
#include "files/code/code_options.h"
#include "files/io/image_paths.h"

#define HEAD_MAX (1u << 26) /* bytes before the texels of a file that is looked at */

/* Whether a file is there and says that it holds a cascade. */
static bool is_cascade(const char *path)
{
    const struct shw_ktx2_source source = {.name = path, .content = SHW_KTX2_CASCADE};
    uint8_t header[SHW_KTX2_HEADER_SIZE];
    struct shw_ktx2 image = {0};
    FILE *stream;
    uint64_t length, size = 0;
    void *bytes = NULL;
    bool found = false;

    if (!shw_name_ends_with(path, ".ktx2") || shw_file_open(path, NULL, &stream, &length) != SHW_OK)
        return false;
    if (fread(header, 1, sizeof header, stream) == sizeof header)
        size = shw_ktx2_head_size(header);
    if (size > 0 && size <= HEAD_MAX && (bytes = malloc(size)) != NULL) {
        rewind(stream);
        found = fread(bytes, 1, size, stream) == size && shw_ktx2_read_metadata(bytes, size, &source, &image) == SHW_OK;
    }
    free(bytes);
    fclose(stream);
    return found;
}

const char *view_opening_action(const char *path)
{
    if (strncmp(path, "camera:", 7) == 0 || strncmp(path, "dataset:", 8) == 0)
        return "open";
    if (shw_name_ends_with(path, ".csv"))
        return "rectangles";
    if (is_cascade(path) || shw_name_ends_with(path, ".xml"))
        return "detect-open";
    if (shw_code_is_file(path))
        return "code";
    return shw_name_ends_with(path, ".ktx2") ? "forest" : shw_name_ends_with(path, ".json") ? "project" : "open";
}

static bool can_be_opened(const char *name)
{
    static const char *const endings[] = {".ktx2", ".json", ".csv", ".xml", SHW_CODE_ENDING};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (shw_name_ends_with(name, endings[i]))
            return true;
    return shw_is_image_name(name) || shw_is_video_name(name);
}

static int compare(const void *a, const void *b)
{
    const struct view_browser_entry *one = a, *other = b;

    if (one->folder != other->folder)
        return one->folder ? -1 : 1;
    return shw_natural_compare_folded(one->name, other->name);
}

/* False if out of memory. */
static bool add(struct view_browser *browser, uint32_t *room, const char *name)
{
    char *path = shw_path_in(browser->folder, name);
    struct stat status;
    bool known = path != NULL && stat(path, &status) == 0;

    if (path == NULL)
        return false;
    free(path);
    if (!known || (!S_ISDIR(status.st_mode) &&
                   !(S_ISREG(status.st_mode) && (browser->wants != NULL ? browser->wants : can_be_opened)(name))))
        return true;
    if (!SHW_RESERVE(browser->entries, *room, (size_t)browser->count + 1))
        return false;
    browser->entries[browser->count].folder = S_ISDIR(status.st_mode);
    browser->entries[browser->count].name = strdup(name);
    if (browser->entries[browser->count].name == NULL)
        return false;
    browser->count++;
    return true;
}

bool view_browser_go(struct view_browser *browser, const char *folder)
{
    struct view_browser made = {.wants = browser->wants};
    char *path = shw_path_in(browser->folder != NULL ? browser->folder : "", folder);
    DIR *stream;
    const struct dirent *entry;
    uint32_t room = 0;
    bool complete = true;

    made.folder = path != NULL ? realpath(path, NULL) : NULL;
    free(path);
    stream = made.folder != NULL ? opendir(made.folder) : NULL;
    if (stream == NULL) {
        view_browser_free(&made);
        return false;
    }
    while (complete && made.count < VIEW_BROWSER_ENTRIES && (entry = readdir(stream)) != NULL)
        if (entry->d_name[0] != '.')
            complete = add(&made, &room, entry->d_name);
    closedir(stream);
    if (!complete) {
        view_browser_free(&made);
        return false;
    }
    if (made.count > 0)
        qsort(made.entries, made.count, sizeof *made.entries, compare);
    view_browser_free(browser);
    *browser = made;
    return true;
}

bool view_browser_is_at(const struct view_browser *browser, const char *folder)
{
    char *path = shw_path_in(browser->folder != NULL ? browser->folder : "", folder),
         *real = path != NULL ? realpath(path, NULL) : NULL;
    const bool same = real != NULL && browser->folder != NULL && strcmp(real, browser->folder) == 0;

    free(path);
    free(real);
    return same;
}

char *view_browser_path(const struct view_browser *browser, const char *name)
{
    return shw_path_in(browser->folder != NULL ? browser->folder : "", name);
}

void view_browser_free(struct view_browser *browser)
{
    for (uint32_t i = 0; i < browser->count; i++)
        free(browser->entries[i].name);
    free(browser->entries);
    free(browser->folder);
    memset(browser, 0, sizeof *browser);
}
