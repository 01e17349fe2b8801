/* The objects of pictures that `shadewood label` labels. */
#ifndef SHW_CLI_LABEL_OBJECTS_H
#define SHW_CLI_LABEL_OBJECTS_H

#include "cli/report.h"
#include "files/io/output_files.h"
#include "files/objects/object_files.h"

#define CLI_OBJECTS_TABLE "objects.csv"

struct cli_objects {
    bool wanted;
    const char *format; /* as given; NULL: csv */
    struct shw_option_list classes;
    int connectivity; /* 0: 8, 1: 4 */
    struct shw_object_settings settings;

    bool table, outlines, instances; /* the formats */
    bool *chosen;                    /* memory of settings.classes */
    uint32_t class_count;
    const struct shw_class *names;
};

extern const char *const cli_connectivities[];

#define CLI_OBJECT_OPTIONS(objects)                                                                                    \
    SHW_OPTION_FLAG("objects", 0, &(objects).wanted,                                                                   \
                    "also find objects: connected pixels of a class; one table\nof all images' objects, objects.csv"), \
        SHW_OPTION(SHW_VALUE_TEXT, "objects-format", 0, "LIST", &(objects).format,                                     \
                   "csv, geojson (outlines for QuPath: NAME_objects.geojson),\ninstances (an image of objects' "       \
                   "numbers: NAME_instances.png),\nor several, as csv,geojson (csv)"),                                 \
        SHW_OPTION(SHW_VALUE_LIST, "objects-classes", 0, "LIST", &(objects).classes,                                   \
                   "classes that have objects, by name or number, as\n'cell,nucleus'; may be repeated (all)"),         \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-area", 0, "N", &(objects).settings.area_min, 1, 1u << 28,         \
                          "the smallest area of an object, in pixels (1)"),                                            \
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "objects-holes", 0, "N", &(objects).settings.hole_max, 0, 1u << 28,         \
                          "fill holes of up to N pixels, or 'all' (0)"),                                               \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-smooth", 0, "N", &(objects).settings.smooth, 0,                   \
                          SHW_OBJECT_SMOOTH_MAX,                                                                       \
                          "first give each pixel the most frequent class within N\npixels around it (0)"),             \
        SHW_OPTION_CHOICE("objects-connectivity", 0, "N", &(objects).connectivity, cli_connectivities,                 \
                          "pixels are connected to their 8 neighbours, or to 4 (8)")

/* Checks the options and takes the formats. Returns SHW_CONTINUE or the exit code. */
int cli_objects_take_options(const struct shw_command *command, struct cli_objects *objects);

/* Takes the classes, which must stay. Returns SHW_CONTINUE or the exit code. */
int cli_objects_take_classes(const struct shw_command *command, struct cli_objects *objects,
                             const struct shw_class *classes, uint32_t class_count);

/* Calls `call` for each path that is written for an image, whose results have the path `stem` and an ending. */
enum shw_result
cli_objects_list(const struct cli_objects *objects, const char *stem, const struct shw_log *log,
                 enum shw_result (*call)(void *user, const char *path, const struct shw_file_kind *kind), void *user);

/* Writes the files of an image. Errors: IO, MEMORY. */
enum shw_result cli_objects_write(const struct cli_objects *options, const char *stem, const struct shw_objects *found,
                                  const struct shw_log *log);

/* The number of objects of each chosen class, by name. */
json_t *cli_objects_json(const struct cli_objects *options, const struct shw_objects *found);

/* Accepts a zero-initialised one. */
void cli_objects_free(struct cli_objects *objects);

#endif
