/* Objects of the shown picture: found in the background with the shown forest, which labels the picture once more on
 * a thread, with the probabilities that frames do not always have. Labels are those in frames. For the main thread. */
#ifndef VIEW_OBJECT_OBJECTS_H
#define VIEW_OBJECT_OBJECTS_H

#include "files/objects/object_files.h"
#include "files/objects/objects.h"
#include "files/objects/pixel_size.h"
#include "job/job.h"
#include "label/label_worker.h"
#include "label/scene.h"
#include "object/kinds.h"

/* The objects of the shown picture, and what is shown of them. */

#define VIEW_LARGEST_MAX 500u

struct view_corner {
    uint32_t x, y; /* of pixels */
};

/* A closed outline. */
struct view_contour {
    uint32_t object;       /* its number */
    uint32_t first, count; /* of its corners */
};

struct view_found {
    struct shw_objects objects; /* with object classes, by view_kinds_poll() */
    float *values;              /* attributes of each object */
    uint64_t serial;            /* increases with each search */
    uint64_t kinds;             /* view_kinds.number of the forest that object classes are by */
    uint32_t class_count;
    uint32_t *counts;                   /* [class_count] */
    uint32_t *largest;                  /* numbers of objects, by falling area */
    uint32_t *listed;                   /* those of them that are shown, at most VIEW_LARGEST_MAX */
    uint32_t listed_count, shown_count; /* how many there are, and objects that are shown */
    struct view_contour *contours;      /* of the largest objects, as many as can be drawn quickly */
    struct view_corner *corners;
    uint32_t contour_count, without_outline; /* objects */
};

/* The object at a pixel; 0: none. */
uint32_t view_found_at(const struct view_found *found, uint32_t x, uint32_t y);

/* Zero-initialise it. */
struct view_objects_saving {
    char *folder; /* wanted, or being written, or written last; NULL: none */
    bool wanted;  /* but not begun */
    bool running; /* `found` must stay */
    bool written;
    struct view_job job;

    char *stem; /* of the files: FOLDER/NAME */
    const char *picture;
    struct shw_objects objects; /* a copy of those that are shown */
    const struct shw_forest_info *info;
    struct shw_object_columns columns;
    struct shw_output_files files;
};

/* What objects are of. */
struct view_objects_of {
    uint64_t picture;                  /* view_scene.picture_count */
    struct view_shared_forest *forest; /* a share; NULL: nothing */
    uint32_t settings;                 /* view_objects.settings_count */
};

#define VIEW_OBJECTS_AREA_MAX 268435456 /* pixels, of the settings */

struct view_objects {
    struct view_scene *scene; /* borrowed, like the next */
    const struct view_cursor *cursor;
    bool on;
    bool wants_panel;                    /* for the shell to read and reset */
    struct shw_object_settings settings; /* without classes */
    char *class_name;                    /* whose objects are found; NULL: of all */
    char *kind_name;                     /* the object class whose objects alone are shown; NULL: all */
    uint32_t settings_count;             /* of changes */
    uint32_t kept_count;                 /* settings_count of the settings that the project has */
    bool of_project;                     /* the settings are those of a project, not of the window */
    struct shw_pixel_size pixel_size;
    char size_field[48]; /* of the panel */
    bool scale_bar;      /* is shown over the picture */
    struct view_kinds kinds;

    struct view_label_worker *worker; /* NULL until needed */
    bool running;
    struct view_objects_of begun, shown; /* of the search in progress or the last one; of `found` */
    struct shw_object_picture picture;   /* without planes; used by the worker, like the next six */
    struct view_picture *pixels;         /* a share */
    bool with_planes;                    /* with probabilities */
    bool *classes;
    struct shw_object_settings searched;
    struct view_found *made;
    enum shw_result result; /* of the search */

    uint64_t serial;                       /* of `found` */
    struct view_found *found;              /* NULL: none */
    char *picture_name;                    /* of `found` */
    uint32_t chosen;                       /* number of an object; 0: none */
    double changed;                        /* when the forest did, in seconds of view_clock() */
    const struct view_shared_forest *seen; /* the scene's forest then; only compared */

    bool list_wanted; /* to be printed when the objects are there */
    bool awaited;     /* until they are there, with their object classes */
    struct view_objects_saving saving;
};

void view_objects_init(struct view_scene *scene, const struct view_cursor *cursor, struct view_teaching *teaching,
                       struct view_objects *objects);
/* Waits for the search in progress. Accepts zero-initialised ones. */
void view_objects_destroy(struct view_objects *objects);

/* Settings come from the project that is open, if it is another one, and go to it, if they have changed; names follow
 * its classes. After every action. Errors: MEMORY. */
enum shw_result view_objects_follow(struct view_objects *objects);

/* Checks that objects can be found. Errors: ARGUMENT (there is no picture, or no forest, or pictures are played). */
enum shw_result view_objects_need_labels(const struct view_objects *objects);

/* Lets a script wait until the objects are there. Errors: ARGUMENT (there is no picture, or no forest). */
enum shw_result view_objects_await(struct view_objects *objects);

/* Takes what was found, and begins the next search if objects are wanted and labels are current. Errors: those of
 * searches and of saving, which have been logged. */
enum shw_result view_objects_poll(struct view_objects *objects);

/* Whether a script must wait: its list or its files are wanted. */
bool view_objects_are_awaited(const struct view_objects *objects);

/* Whether `found` is of the shown picture, the shown forest and the settings. */
bool view_objects_are_current(const struct view_objects *objects);

/* The classes of `found`, which is there. */
const struct shw_forest_info *view_objects_info(const struct view_objects *objects);

/* Chooses the classes that are searched: the named one, or all (NULL). *chosen is memory of the settings, freed and
 * allocated anew as needed. Errors: ARGUMENT (there is no such class), MEMORY. */
enum shw_result view_object_classes(const char *class_name, const struct shw_forest_info *info,
                                    const struct shw_log *log, bool **chosen, struct shw_object_settings *settings);

/* Where the size of pixels is taken from, for files that are written: from files unless something else was said, if
 * that of the shown picture states it. */
struct shw_pixel_size view_objects_pixel_size(const struct view_objects *objects);
/* The side of the shown picture's pixels in micrometres; 0: not known. */
double view_objects_pixel_side(const struct view_objects *objects);
/* The same for a scale bar; 0 also if none is wanted. */
double view_objects_scale_side(const struct view_objects *objects);

/* What is told of objects in files. */
struct shw_object_columns view_objects_columns(const struct view_objects *objects);

/* Whether an object is shown, listed and written: all are, or it has the object class that was chosen. */
bool view_objects_shows(const struct view_objects *objects, uint32_t object);

/* The object class that alone is shown, if there is a forest for it; UINT32_MAX: all are. */
uint32_t view_objects_kind(const struct view_objects *objects);

/* The object under the cursor; 0: none. */
uint32_t view_objects_below(const struct view_objects *objects);

/* Actions, on a struct view_objects. */
extern const struct view_action_group view_objects_group, view_kinds_group;

#endif
