/* Presets: settings of a training, and the radius with which the forest's labels are then smoothed, under a name. Some
 * come with the program; others are JSON files, as `shadewood tune` writes them:
 *
 * {"preset": "my scenes", "setting": {"channels": "wide", "depth": 20, ..., "smooth": 24}, ...} */
#ifndef SHW_FILES_TUNE_PRESET_H
#define SHW_FILES_TUNE_PRESET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#define SHW_PRESET_AUTO "auto"

/* Members of the files. */
#define SHW_PRESET_NAME    "preset"
#define SHW_PRESET_SETTING "setting"
#define SHW_PRESET_STACKED "stacked" /* not of files: what differs with several levels */

struct shw_preset {
    json_t *document; /* to be released */
    const char *name;
    const json_t *setting;
    bool fits, scales; /* to the number and to the size of the images, by shw_preset_fit(); files do not */
};

/* The names of those that come with the program, separated by commas, as in a help; and number `index`, or NULL. */
#define SHW_PRESETS_HELP "photographs, street-scenes, microscopy, rgbd-rooms,\nstrokes"
const char *shw_preset_name(uint32_t index);

/* One of these by its name, or the file with that path. Errors: ARGUMENT (neither: the message lists the names), FORMAT
 * (the file, or one of its settings, is not valid), IO, MEMORY. */
enum shw_result shw_preset_load(const char *name, const struct shw_log *log, struct shw_preset *preset);
void shw_preset_free(struct shw_preset *preset);

#endif
