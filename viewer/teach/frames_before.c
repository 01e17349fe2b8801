#include "teach/frames_before.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "dense/input/inputs.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "job/times.h"

#define ROUNDING 0.0005 /* seconds: names of frames have three decimals */

/* The pixels of a painted picture that is not a file and has no previous frame; NULL: it is not such a picture. */
static struct shw_pixels_part *lacking(const struct view_project *project, uint32_t picture)
{
    struct shw_project *data = project->data;
    const struct shw_project_picture known = shw_project_get_picture(data, picture);
    struct shw_pixels *pixels;
    struct shw_pixels_part *whole = NULL;
    char *file;
    bool may = known.stroke_count > 0 && shw_project_has_pixels(data, picture);

    file = may ? shw_path_in(project->folder != NULL ? project->folder : "", known.name) : NULL;
    may = file != NULL && !shw_image_has_file(file);
    free(file);
    pixels = may ? shw_project_share_pixels(data, picture) : NULL;
    if (pixels != NULL && shw_pixels_take(pixels, NULL, &whole) == SHW_OK &&
        shw_inputs_find(&whole->inputs, SHW_PREVIOUS) != NULL)
        shw_pixels_part_release(&whole);
    shw_pixels_release(&pixels);
    return whole;
}

enum shw_result view_frames_before_take(struct view_project *project, uint32_t picture,
                                        const struct view_picture *shown, const struct shw_log *log)
{
    struct shw_input input[SHW_INPUTS_MAX + 1], given[SHW_INPUTS_MAX];
    const struct shw_inputs shows = view_picture_inputs(shown, NULL, given);
    const struct shw_input *before = shw_inputs_find(&shows, SHW_PREVIOUS);
    struct shw_pixels_part *whole = before != NULL ? lacking(project, picture) : NULL;
    enum shw_result result = SHW_OK;

    if (whole != NULL && whole->inputs.count < SHW_INPUTS_MAX &&
        view_has_same_pixels(&whole->input[0].image, &shown->image)) {
        memcpy(input, whole->input, whole->inputs.count * sizeof *input);
        input[whole->inputs.count] = *before;
        result = shw_project_add_inputs(project->data, picture, &(struct shw_inputs){whole->inputs.count + 1, input});
        if (result != SHW_OK)
            shw_fail_memory(log, "the previous frame");
    }
    shw_pixels_part_release(&whole);
    return result;
}

void view_frames_before_end(struct view_frames_before *before)
{
    view_source_close(&before->source);
    free(before->video);
    free(before->tried);
    *before = (struct view_frames_before){.picture = 0};
}

bool view_frames_before_are_read(const struct view_frames_before *before)
{
    return before->source != NULL;
}

/* Asks for a frame of a video, whose name is split; in what is open, if it is that video. */
static enum shw_result ask(struct view_frames_before *before, char *video, double seconds, const struct shw_log *log)
{
    struct view_source_params params = {.spec = video, .others = &before->others, .log = *log};

    if (before->source == NULL || strcmp(before->video, video) != 0) {
        view_source_close(&before->source);
        free(before->video);
        before->video = strdup(video);
        if (before->video == NULL)
            return shw_fail_memory(log, video);
        atomic_store(&before->others.previous, true);
        SHW_PROPAGATE(view_source_open(&params, &before->source));
    }
    return view_source_seek(before->source, seconds + ROUNDING);
}

/* Begins to read the next frame; says which frames are not those of a video file. */
static void begin(struct view_frames_before *before, struct view_project *project, const struct shw_log *log)
{
    const uint32_t count = shw_project_get_picture_count(project->data), room = before->room;
    uint32_t left = 0;

    before->awaits = false;
    if (!SHW_RESERVE(before->tried, before->room, count + 1u))
        return;
    memset(before->tried + room, 0, (before->room - room) * sizeof *before->tried);
    for (uint32_t p = 0; p < count && !before->awaits; p++) {
        struct shw_pixels_part *whole = before->tried[p] ? NULL : lacking(project, p);
        char *name = whole != NULL ? strdup(shw_project_get_picture(project->data, p).name) : NULL;
        double seconds;

        shw_pixels_part_release(&whole);
        if (name == NULL)
            continue;
        before->tried[p] = true;
        before->picture = p;
        if (view_picture_split_name(name, &seconds) && shw_is_file(name) && !shw_image_file_is_image(name))
            before->awaits = ask(before, name, seconds, log) == SHW_OK;
        else
            left++;
        free(name);
    }
    if (left > 0)
        shw_log_message(
            log, SHW_LOG_WARNING, SHW_LOG_PROJECT, "the previous %s of %u painted %s not known: nothing moves in %s",
            left == 1 ? "frame" : "frames", left, left == 1 ? "picture is" : "pictures are", left == 1 ? "it" : "them");
    if (!before->awaits) {
        view_source_close(&before->source);
        before->looked = shw_project_get_revision(project->data);
    }
}

void view_frames_before_poll(struct view_frames_before *before, struct view_project *project, const struct shw_log *log)
{
    struct view_picture *picture;
    struct view_source_info info;

    if (project->data == NULL || !shw_project_reads(project->data, SHW_PREVIOUS)) {
        if (before->looked != 0 || before->source != NULL)
            view_frames_before_end(before);
        return;
    }
    if (before->source == NULL) {
        if (before->looked != shw_project_get_revision(project->data) && !shw_project_is_painting(project->data))
            begin(before, project, log);
        return;
    }
    picture = view_source_poll(before->source, view_clock());
    view_source_info(before->source, &info);
    if (info.pending)
        view_picture_free(picture);
    else if (picture != NULL || info.state == VIEW_SOURCE_FAILED || info.at_end) {
        if (picture != NULL)
            view_frames_before_take(project, before->picture, picture, log);
        view_picture_free(picture);
        begin(before, project, log);
    }
}
