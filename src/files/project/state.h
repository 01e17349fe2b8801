/* The internals of a project, private to this folder. */
#ifndef SHW_FILES_PROJECT_STATE_H
#define SHW_FILES_PROJECT_STATE_H

#include <jansson.h>

#include "files/project/picture_labels.h"
#include "files/project/project.h"
#include "files/project/project_objects.h"
#include "files/project/project_texts.h"

/* Texts of the project's own (project_texts.h), and the kinds among them. */
struct shw_text_state {
    struct shw_code_made made; /* held */
    char *path;                /* or NULL */
};
struct shw_text_states {
    struct shw_text_state list[SHW_PROJECT_TEXTS_MAX];
    uint32_t count;
    struct shw_channel_kinds kinds;
    uint64_t generation; /* of the kinds: another whenever they were listed again */
};

/* Lists the kinds among the texts, after a change of these. */
void shw_project_list_kinds(struct shw_text_states *texts);

/* Holds the same texts, without paths. With paths; false: out of memory. And ends that. */
void shw_project_hold_texts(const struct shw_text_states *from, struct shw_text_states *to);
bool shw_project_copy_texts(const struct shw_text_states *from, struct shw_text_states *to);
void shw_project_free_texts(struct shw_text_states *texts);

/* A class; its id is its position in the list. Deleted ones stay, so that the ids in strokes and history stay valid. */
struct shw_class_state {
    struct shw_project_class shown;
    bool exists;
};

/* Files or patterns of files, by the names of inputs, which are there for good; sorted by them. */
struct shw_named_path {
    const char *name;
    char *path;
};
struct shw_named_paths {
    struct shw_named_path *list;
    uint32_t count, room;
};

struct shw_picture_state {
    char *name;
    uint32_t name_hash;
    uint32_t width, height;
    struct shw_stroke *strokes;
    uint32_t stroke_count, stroke_capacity;
    struct shw_named_paths inputs; /* files of its own */
    bool kept;                     /* for testing: its strokes are not trained on */
    double pixel_side;             /* as a source stated it, in micrometres; 0: it did not; not stored */
    struct shw_pixels *pixels;     /* NULL until they are needed */
    struct shw_top_strokes top;
    uint64_t *visible;                 /* [stroke]: pixels in `top`; has room for stroke_capacity */
    struct shw_rect stale;             /* is being painted from nothing; empty: all is up to date */
    uint32_t next_stroke, next_point;  /* what is to be painted there next */
    struct shw_picture_labels *labels; /* what is painted now; NULL until it is needed */
    uint32_t example_count;            /* objects that are taught in it, undone ones included */
};

/* Whether the picture is a part of the project, beyond this session. */
static inline bool shw_picture_is_stored(const struct shw_picture_state *picture)
{
    return picture->stroke_count > 0 || picture->kept || picture->example_count > 0;
}

/* An object that is taught, by a pixel of it. */
struct shw_example_state {
    uint32_t picture;
    uint32_t x, y;
    uint32_t class_id; /* of the object classes; UINT32_MAX: it is taught no longer */
    bool measured;     /* the values are known */
    bool superseded;   /* there is a later one of its pixel */
    uint32_t before;   /* the example that this one has superseded; UINT32_MAX: none */
    float values[SHW_OBJECT_ATTRIBUTES];
};

/* A step. A stroke is in its picture or, if undone, in here; of a class, the state that is not current. */
struct shw_edit {
    bool is_stroke;
    bool of_objects; /* a class is one of objects; and without `is_class` it is an example, in here if undone */
    bool is_class;
    bool joined;    /* undone and redone with the previous one */
    uint32_t which; /* picture, or id of the class */
    struct shw_stroke stroke;
    struct shw_class_state other;
    struct shw_example_state example;
};

/* What is taught of objects. Object classes are like classes. */
struct shw_taught_objects {
    struct shw_project_objects settings; /* the names as they were given */
    uint32_t class_of, kind_of;          /* ids of the classes and object classes of those names; UINT32_MAX: none */
    struct shw_class_state *classes;
    uint32_t class_count, class_capacity;
    struct shw_example_state *examples; /* of one pixel, the last counts */
    uint32_t example_count, example_capacity;
    uint64_t revision; /* increases with every change of these */
};

#define SHW_TAUGHT_NOTHING ((struct shw_taught_objects){.class_of = UINT32_MAX, .kind_of = UINT32_MAX})

/* A list of channels, and the text that it is. */
struct shw_taught_channels {
    char text[SHW_CHANNEL_LIST_NAME_SIZE];
    uint64_t texts; /* shw_text_states.generation of those whose kinds it may name */
    struct shw_channel_list list;
};

struct shw_project {
    struct shw_log log;
    char *folder;
    char *shown;                   /* or NULL */
    struct shw_named_paths inputs; /* patterns */
    struct shw_project_training training;
    struct shw_text_states texts;
    struct shw_taught_channels *channels; /* what `training` was last seen to read */
    struct shw_image_choice choice;
    struct shw_class_state *classes;
    uint32_t class_count, class_capacity; /* including deleted ones */
    struct shw_picture_state *pictures;
    uint32_t picture_count, picture_capacity;
    struct shw_edit *edits;
    uint32_t edit_count, edit_capacity, done; /* edits before `done` are in effect */
    uint64_t revision, smoothings;            /* changes, and those of smoothing alone */
    struct shw_taught_objects objects;
    struct shw_shown_planes shown_planes;
    uint64_t looks; /* changes of these */
    bool open;      /* the last edit is a stroke in progress */
};

/* The id of the class with that number; UINT32_MAX if there is none. And back: SHW_LABEL_VOID for deleted classes. */
uint32_t shw_project_class_id(const struct shw_project *project, uint32_t number);
uint16_t shw_project_class_number(const struct shw_project *project, uint32_t id);

/* The picture of that name, or picture_count. */
uint32_t shw_project_seek_picture(const struct shw_project *project, const char *name);

/* The pictures in bytewise order of their names, or of their new names in `names` (or NULL). To be freed with free();
 * NULL if memory is exhausted. */
struct shw_named {
    const char *name;
    uint32_t picture;
};
struct shw_named *shw_project_sort_names(const struct shw_project *project, const char *const *names);

/* Paints the picture's last stroke over the others: the segments that end at point `first` or later. */
void shw_project_paint_last(struct shw_project *project, uint32_t picture, uint32_t first);

/* What surrounds the picture's last stroke, the strokes of a class, or all strokes of a picture, is painted again when
 * labels are needed. Before the last stroke is removed; after a change of the class. */
void shw_project_repaint_last(struct shw_project *project, uint32_t picture);
void shw_project_repaint_class(struct shw_project *project, uint32_t id);
void shw_project_repaint_picture(struct shw_project *project, uint32_t picture);

/* Discards undone steps and adds a step, taking ownership of its contents. Errors: MEMORY, LIMIT; they are then still
 * the caller's. */
enum shw_result shw_project_record(struct shw_project *project, const struct shw_edit *edit);

/* Discards undone steps. */
void shw_project_forget(struct shw_project *project);

/* Stores the currently locked classes in the stroke. False: out of memory. */
bool shw_project_list_locked(const struct shw_project *project, struct shw_stroke *stroke);

/* Appends a stroke, taking ownership, without history. False: out of memory. */
bool shw_project_push_stroke(struct shw_picture_state *picture, const struct shw_stroke *stroke);

/* Finds the classes that the settings of objects name. */
void shw_project_find_named(struct shw_project *project);

/* The object class with that id has number...; UINT32_MAX: it was deleted. */
uint32_t shw_project_object_class_number(const struct shw_project *project, uint32_t id);

/* Undoes or redoes a step that concerns objects. */
void shw_project_swap_objects(struct shw_project *project, struct shw_edit *edit, bool redo);

/* Frees what is taught of objects; copies it into an empty project with the same pictures, false: out of memory. The
 * picture number p becomes numbers[p]. */
void shw_project_free_objects(struct shw_taught_objects *objects);
bool shw_project_copy_objects(const struct shw_taught_objects *objects, const uint32_t *numbers,
                              struct shw_taught_objects *copy);

/* Appends an example, which supersedes an earlier one of its pixel, without history. False: out of memory. And removes
 * the last one. */
bool shw_project_push_example(struct shw_project *project, const struct shw_example_state *example);
void shw_project_pop_example(struct shw_project *project);

/* The member "objects" of a project file (docs/project-format.md); *packed NULL: there is nothing to store. False: out
 * of memory. And back, after classes and pictures were read. */
bool shw_project_pack_objects(const struct shw_project *project, json_t **packed);
struct shw_objects_fault {
    const char *wrong; /* NULL: nothing */
    const char *list;  /* where it is: in which list, or NULL, and at which place there */
    size_t number;
    bool memory; /* it is exhausted */
};
struct shw_objects_fault shw_project_unpack_objects(const json_t *packed, struct shw_project *project);

/* Whether it can be the name of an input of a project's pictures. */
bool shw_project_may_have_input(const char *name);

/* NULL: there is none. */
const char *shw_named_paths_find(const struct shw_named_paths *paths, const char *name);

/* False: out of memory. */
bool shw_named_paths_copy(const struct shw_named_paths *from, struct shw_named_paths *to);

/* Accepts zero-initialised and freed ones. */
void shw_named_paths_free(struct shw_named_paths *paths);

/* Whether training reads planes, or files are named for some. */
bool shw_project_has_planes(const struct shw_project *project);

/* Drops the pixels of pictures that are files, so that they are read again. Errors: MEMORY. */
enum shw_result shw_project_forget_files(struct shw_project *project);

/* Checks training parameters; returns the error, or NULL. `kinds`: those of the project's own. */
const char *shw_project_training_fault(const struct shw_project_training *training,
                                       const struct shw_channel_kinds *kinds);

/* shw_project_put_text() without the channels of training. Errors: LIMIT, MEMORY. */
enum shw_result shw_project_take_text(struct shw_project *project, const char *path, const struct shw_code_made *made);

/* The member "code" of a project file; *packed NULL: there is nothing to store. False: out of memory. And back. Errors:
 * FORMAT, LIMIT, MEMORY. */
bool shw_project_pack_texts(const struct shw_project *project, json_t **packed);
enum shw_result shw_project_unpack_texts(const json_t *packed, const char *name, const struct shw_log *log,
                                         struct shw_project *project);

#endif
