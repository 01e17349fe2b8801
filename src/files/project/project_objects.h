/* What a project stores of objects: how they are found, the size of pixels, object classes, and which objects are
 * examples of them. Teaching and changes of object classes are steps of the project's history; settings are not.
 *
 * Object classes are identified by number: the position among the existing ones. An example is a pixel of a picture:
 * the object that it belongs to, when the picture is labelled, is what is taught; of one pixel, the last example
 * counts. Its attributes are stored, so that a forest can be trained without the pictures. */
#ifndef SHW_FILES_PROJECT_PROJECT_OBJECTS_H
#define SHW_FILES_PROJECT_PROJECT_OBJECTS_H

#include "files/objects/object_forest.h"
#include "files/objects/pixel_size.h"
#include "files/project/project.h"

#define SHW_OBJECT_CLASSES_MAX  1024u
#define SHW_OBJECT_EXAMPLES_MAX 65536u

/* How objects are found. Zero: as by the programs unless told otherwise. The names are those of classes and of object
 * classes: they change with them, and are NULL while a class is deleted. Names of no class, of another forest's, stay.
 */
struct shw_project_objects {
    bool set;         /* there are settings */
    char *class_name; /* whose objects are found; NULL: of all classes */
    char *kind_name;  /* the object class that alone is kept; NULL: all */
    uint32_t smooth, hole_max, area_min, area_max;
    bool four;
    struct shw_pixel_size pixel_size;
};

/* The names are borrowed, and valid until settings or classes change. */
struct shw_project_objects shw_project_get_objects(const struct shw_project *project);
/* Copied. Counts as a change of the file if they differ. Errors: MEMORY. */
enum shw_result shw_project_set_objects(struct shw_project *project, const struct shw_project_objects *objects);

/* Increases with every change of what this header is about. */
uint64_t shw_project_get_objects_revision(const struct shw_project *project);

/* As the functions of classes. Errors: ARGUMENT, LIMIT, MEMORY. Examples of a deleted object class do not count. */
uint32_t shw_project_get_object_class_count(const struct shw_project *project);
const struct shw_project_class *shw_project_get_object_class(const struct shw_project *project, uint32_t number);
enum shw_result shw_project_add_object_class(struct shw_project *project, const char *name, const uint8_t colour[3]);
enum shw_result shw_project_change_object_class(struct shw_project *project, uint32_t number, const char *name,
                                                const uint8_t colour[3]);
enum shw_result shw_project_delete_object_class(struct shw_project *project, uint32_t number);

struct shw_object_example {
    uint32_t picture, x, y;
    uint32_t number; /* of its object class; UINT32_MAX: taught no longer, or of a deleted object class */
    bool counts;     /* and no later example is of this pixel */
};
uint32_t shw_project_get_example_count(const struct shw_project *project);
struct shw_object_example shw_project_get_example(const struct shw_project *project, uint32_t example);

/* Teaches the object at a pixel, whose attributes are given; `number` UINT32_MAX: it is taught no longer. Errors:
 * ARGUMENT (no such object class, picture or pixel), LIMIT, MEMORY. */
enum shw_result shw_project_teach_object(struct shw_project *project, uint32_t picture, uint32_t x, uint32_t y,
                                         uint32_t number, const float values[SHW_OBJECT_ATTRIBUTES]);

/* The attributes of an example's object, as it is now. Not part of the history; a change of the file if they differ. */
void shw_project_measure_example(struct shw_project *project, uint32_t example,
                                 const float values[SHW_OBJECT_ATTRIBUTES]);

/* The examples that count, with the object classes, to be freed in either case. Errors: MEMORY. */
enum shw_result shw_project_make_lessons(const struct shw_project *project, struct shw_object_lessons *lessons);

#endif
