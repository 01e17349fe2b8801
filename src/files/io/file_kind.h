/* The kinds of files that Shadewood writes, and how a file is known as one of them. */
#ifndef SHW_FILES_IO_FILE_KIND_H
#define SHW_FILES_IO_FILE_KIND_H

#include <stdbool.h>
#include <stdint.h>

struct shw_file_kind {
    const char *name; /* in marks; NULL in formats that have no room for one */
    const char *text; /* in messages: "a forest" */

    /* Whether it is a regular file of that kind, that Shadewood wrote and nobody changed, as far as the format shows.
     * NULL where there is no mark. Any thread. */
    bool (*is_ours)(const char *path, const char *name);

    bool is_stream; /* written in place, so that it may be a device or a pipe */
};

/* Kinds that belong to one folder are declared there. */
extern const struct shw_file_kind shw_file_forest, shw_file_checkpoint, shw_file_training_log;
extern const struct shw_file_kind shw_file_cascade, shw_file_cascade_checkpoint, shw_file_cascade_table;
extern const struct shw_file_kind shw_file_record_forest;
extern const struct shw_file_kind shw_file_resumed; /* a checkpoint that must be read before it is replaced */
extern const struct shw_file_kind shw_file_labels, shw_file_overlay, shw_file_probabilities, shw_file_array,
    shw_file_texture, shw_file_mask, shw_file_classes;
extern const struct shw_file_kind shw_file_instances;
extern const struct shw_file_kind shw_file_evaluation;
extern const struct shw_file_kind shw_file_detections, shw_file_plot;
extern const struct shw_file_kind shw_file_scene_image, shw_file_scene_depth, shw_file_scene_labels, shw_file_palette,
    shw_file_sequences;
extern const struct shw_file_kind shw_file_converted_image, shw_file_converted_depth, shw_file_converted_labels;
extern const struct shw_file_kind shw_file_depth, shw_file_height;
extern const struct shw_file_kind shw_file_table, shw_file_label_journal, shw_file_detect_journal,
    shw_file_export_journal;
extern const struct shw_file_kind shw_file_shader_passes;
extern const struct shw_file_kind shw_file_tuning_journal, shw_file_preset;
extern const struct shw_file_kind shw_file_frame, shw_file_screenshot, shw_file_video;

/* Whether a file is a JSON object whose member "format" has that name. A file larger than `size_max` is not. Any
 * thread.
 */
bool shw_json_has_format(const char *path, uint64_t size_max, const char *name);

#endif
