#include "detect/detect_save.h"

#include <stdio.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/output/detection_text.h"

void view_detections_print(const struct view_found_windows *found)
{
    const uint32_t bits = shw_cascade_get_info(found->cascade->cascade)->fraction_bits;

    printf("detections: %u of %u windows\n", found->groups.count, found->windows.count);
    for (uint32_t g = 0; g < found->groups.count; g++) {
        const struct shw_detection *item = &found->groups.items[g];
        char score[SHW_SCORE_TEXT_SIZE];

        shw_score_text(item->score, bits, score);
        printf("detection %u: %d %d %u %u score %s level %u angle %u neighbours %u\n", g + 1, item->x, item->y,
               item->width, item->height, score, item->level, item->angle, item->neighbours);
    }
    fflush(stdout);
}

static enum shw_result write(const struct view_found_windows *found, const char *path, const struct shw_log *log)
{
    const struct shw_detection_columns columns = {.fraction_bits =
                                                      shw_cascade_get_info(found->cascade->cascade)->fraction_bits};
    const struct shw_detection_place place = {.name = found->picture->name != NULL ? found->picture->name : ""};
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    shw_print_detection_header(file.stream, &columns);
    for (uint32_t g = 0; g < found->groups.count; g++)
        shw_print_detection_row(file.stream, &columns, &place, &found->groups.items[g]);
    return shw_atomic_file_commit(&file, log);
}

enum shw_result view_detections_save(const struct view_scene *scene, const struct view_found_windows *found,
                                     const char *path, char *said, size_t size)
{
    struct shw_output_files files;
    enum shw_result result;

    view_outputs_begin(scene, &files);
    shw_output_files_write(&files, path, &shw_file_table);
    result = shw_output_files_check(&files);
    if (result == SHW_OK)
        result = write(found, path, &scene->log);
    shw_output_files_free(&files);
    if (result == SHW_OK)
        snprintf(said, size, "%u detections written to %s", found->groups.count, path);
    return result;
}
