/* Replaces reading and writing of videos in a program that loads them as a module (functions.h). */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/io/image_paths.h"
#include "files/video/functions.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct shw_video_functions *functions; /* NULL: `reason` says why */
static char reason[512];

/* The module beside the program, as it is built, or in the folder where it is installed; the last one that is tried
 * says why there is none. */
static void *find_module(void)
{
    static const char *const folders[] = {"", SHW_VIDEO_FOLDER};
    char program[PATH_MAX], path[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    void *module = NULL;

    if (length <= 0)
        return NULL;
    program[length] = '\0';
    length = shw_path_last(program) - program;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && module == NULL; i++) {
        snprintf(path, sizeof path, "%.*s%s" SHW_VIDEO_MODULE, (int)length, program, folders[i]);
        if (i == 1 || access(path, F_OK) == 0)
            module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return module;
}

static void load(void)
{
    void *module = find_module();
    const struct shw_video_functions *found = module != NULL ? dlsym(module, SHW_VIDEO_EXPORTS) : NULL;
    const char *error = found == NULL ? dlerror() : NULL;

    if (found != NULL && strcmp(found->version, SHW_VIDEO_VERSION) == 0)
        functions = found;
    else if (found != NULL)
        snprintf(reason, sizeof reason, SHW_VIDEO_MODULE " is of version %s, not %s", found->version,
                 SHW_VIDEO_VERSION);
    else
        snprintf(reason, sizeof reason, "%s", error != NULL ? error : SHW_VIDEO_MODULE " is not found");
}

static enum shw_result need_functions(const char *path, const char *what, const struct shw_log *log)
{
    pthread_once(&once, load);
    if (functions != NULL)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s cannot be %s: %s", path, what, reason);
}

enum shw_result shw_video_open(const char *path, const struct shw_log *log, struct shw_video_reader **reader)
{
    *reader = NULL;
    SHW_PROPAGATE(need_functions(path, "read", log));
    return functions->open(path, log, reader);
}

double shw_video_frame_rate(const struct shw_video_reader *reader)
{
    return functions->frame_rate(reader);
}

double shw_video_duration(const struct shw_video_reader *reader)
{
    return functions->duration(reader);
}

enum shw_result shw_video_next(struct shw_video_reader *reader, struct shw_video_frame *frame)
{
    return functions->next(reader, frame);
}

void shw_video_close_reader(struct shw_video_reader **reader)
{
    if (*reader != NULL)
        functions->close_reader(reader);
}

enum shw_result shw_video_create(const struct shw_video_params *params, const struct shw_log *log,
                                 struct shw_video_file **file)
{
    *file = NULL;
    SHW_PROPAGATE(need_functions(params->path, "written", log));
    return functions->create(params, log, file);
}

enum shw_result shw_video_check_size(const struct shw_video_file *file, uint32_t width, uint32_t height)
{
    return functions->check_size(file, width, height);
}

enum shw_result shw_video_add(struct shw_video_file *file, const uint8_t *rgb, double seconds)
{
    return functions->add(file, rgb, seconds);
}

enum shw_result shw_video_close(struct shw_video_file **file)
{
    return *file != NULL ? functions->close(file) : SHW_OK;
}
