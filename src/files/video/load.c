/* Replaces reading and writing of videos in a program that loads them as a module (functions.h). */
#include "base/log.h"
#include "files/video/functions.h"

static struct shw_module module = SHW_MODULE(SHW_VIDEO_MODULE, SHW_VIDEO_EXPORTS);

/* Of the module, which has been loaded. */
static const struct shw_video_functions *functions(void)
{
    return (const struct shw_video_functions *)module.exports;
}

static enum shw_result need_functions(const char *path, const char *verb, const struct shw_log *log)
{
    const struct shw_module_exports *exports;

    return shw_module_load(&module, path, verb, log, &exports);
}

enum shw_result shw_video_open(const char *path, const struct shw_log *log, struct shw_video_reader **reader)
{
    *reader = NULL;
    SHW_PROPAGATE(need_functions(path, "read", log));
    return functions()->open(path, log, reader);
}

double shw_video_frame_rate(const struct shw_video_reader *reader)
{
    return functions()->frame_rate(reader);
}

double shw_video_duration(const struct shw_video_reader *reader)
{
    return functions()->duration(reader);
}

enum shw_result shw_video_next(struct shw_video_reader *reader, struct shw_video_frame *frame)
{
    return functions()->next(reader, frame);
}

void shw_video_close_reader(struct shw_video_reader **reader)
{
    if (*reader != NULL)
        functions()->close_reader(reader);
}

enum shw_result shw_video_create(const struct shw_video_params *params, const struct shw_log *log,
                                 struct shw_video_file **file)
{
    *file = NULL;
    SHW_PROPAGATE(need_functions(params->path, "written", log));
    return functions()->create(params, log, file);
}

enum shw_result shw_video_check_size(const struct shw_video_file *file, uint32_t width, uint32_t height)
{
    return functions()->check_size(file, width, height);
}

enum shw_result shw_video_add(struct shw_video_file *file, const uint8_t *rgb, double seconds)
{
    return functions()->add(file, rgb, seconds);
}

enum shw_result shw_video_close(struct shw_video_file **file)
{
    return *file != NULL ? functions()->close(file) : SHW_OK;
}
