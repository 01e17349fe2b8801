/* Labelling videos frame by frame: NAME_overlay.mkv, and the files of each frame, NAME-000001_labels.png and so on. */
#ifndef SHW_CLI_LABEL_VIDEO_H
#define SHW_CLI_LABEL_VIDEO_H

#include <jansson.h>

#include "cli/report.h"
#include "files/output/label_job.h"

/* Set the first two. */
struct cli_label_videos {
    struct cli_report *report;
    struct shw_label_job *job; /* with its forest; what it writes for images is written for frames */

    json_t *videos; /* of the report */
    uint64_t frames;
    uint32_t labelled, failed;
    int code; /* of what failed */
};

/* Whether the forest needs nothing that videos lack. Returns SHW_CONTINUE or the exit code. */
int cli_label_videos_check(const struct cli_label_videos *labelling, const struct shw_image_list *videos);

/* Adds what is read and written for each video to the job's outputs, except the files of frames, whose number is not
 * known: those are checked one by one. Returns SHW_CONTINUE or the exit code. */
int cli_label_videos_add(const struct cli_label_videos *labelling, const struct shw_image_list *videos);

/* Labels the videos and writes their files. Those that fail are counted. */
void cli_label_videos_run(struct cli_label_videos *labelling, const struct shw_image_list *videos);

#endif
