/* What is exported, of which pictures, and where to. */
#ifndef VIEW_EXPORT_EXPORT_SETTINGS_H
#define VIEW_EXPORT_EXPORT_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "files/io/image_paths.h"
#include "files/output/label_files.h"

/* Flags: those of the outputs of labelling, and more. */
enum view_export_content {
    VIEW_EXPORT_LABELS = 1 << SHW_LABEL_OUTPUT_LABELS,
    VIEW_EXPORT_MASKS = 1 << SHW_LABEL_OUTPUT_MASKS,
    VIEW_EXPORT_PROBABILITIES = 1 << SHW_LABEL_OUTPUT_PROBABILITIES,
    VIEW_EXPORT_STROKES = 1 << SHW_LABEL_OUTPUT_STROKES,
    VIEW_EXPORT_FOREST = 1 << SHW_LABEL_OUTPUT_COUNT,
    VIEW_EXPORT_VIDEOS = VIEW_EXPORT_FOREST << 1, /* the overlays of whole videos, as videos */
    VIEW_EXPORT_OBJECTS = VIEW_EXPORT_FOREST << 2
};
#define VIEW_EXPORT_CONTENTS (SHW_LABEL_OUTPUT_COUNT + 3u)
/* Written for every picture. */
#define VIEW_EXPORT_OF_EACH (((VIEW_EXPORT_FOREST - 1) & ~VIEW_EXPORT_STROKES) | VIEW_EXPORT_OBJECTS)

/* By bit number; `title` NULL: it is not offered. */
struct view_export_text {
    const char *name, *title, *tip;
};
struct view_export_text view_export_content_text(uint32_t number);

enum view_export_pictures {
    VIEW_EXPORT_ALL, /* those of the project, and of the source as far as they are not among them; of a video or a
                        camera the shown one */
    VIEW_EXPORT_SHOWN,
    VIEW_EXPORT_PROJECT,
    VIEW_EXPORT_SOURCE, /* all of them, also the frames of a video; of a camera the shown one */
    VIEW_EXPORT_LIST,   /* the files, folders and videos of a list */
    VIEW_EXPORT_PICTURES
};
extern const char *const view_export_picture_names[VIEW_EXPORT_PICTURES];

enum view_export_existing {
    VIEW_EXPORT_CHECK,   /* files that Shadewood wrote are replaced; if there are others, nothing is written */
    VIEW_EXPORT_REPLACE, /* whatever they are, except those that are read */
    VIEW_EXPORT_MISSING, /* files that exist are kept, unless another forest made them (export_journal.h) */
    VIEW_EXPORT_EXISTING
};
extern const char *const view_export_existing_names[VIEW_EXPORT_EXISTING];

struct view_export_settings {
    enum view_export_pictures pictures;
    enum view_export_existing existing;
    uint32_t probabilities; /* their form, from 1 */
    bool calibrated;        /* probabilities, also of objects, are raised to the power that the forest stores */
    struct shw_image_paths list;
};

/* Parses names separated by commas; 0: there is another one among them, or none. */
unsigned view_export_parse_content(const char *text, size_t length);

/* Where exports went, by project, so that the next one is offered the same folder. For the main thread. */

#define VIEW_EXPORT_FOLDERS 12u

struct view_export_folders {
    struct {
        char *project; /* its file; "": without one */
        char *folder;
    } list[VIEW_EXPORT_FOLDERS]; /* the latest first */
    uint32_t count;
};

/* Notes a folder, as an absolute path; nothing happens if memory is exhausted. `project` NULL: none. */
void view_export_folders_note(struct view_export_folders *folders, const char *project, const char *folder);

/* The folder of a project's last export; without one, NULL. */
const char *view_export_folders_find(const struct view_export_folders *folders, const char *project);

/* Accepts zero-initialised ones. */
void view_export_folders_free(struct view_export_folders *folders);

#endif
