/* A forest that tells objects apart: a record forest (docs/records.md) that is trained on the attributes of objects
 * whose object classes are given, and predicts those of others.
 *
 * The same lessons make the same forest, everywhere. Any thread; one thread at a time per forest. */
#ifndef SHW_FILES_OBJECTS_OBJECT_FOREST_H
#define SHW_FILES_OBJECTS_OBJECT_FOREST_H

#include <shadewood/dataset.h>
#include <shadewood/record_forest.h>

#include "files/objects/object_attributes.h"

/* What is taught: objects with known object classes. */
struct shw_object_lessons {
    struct shw_class *classes; /* names are owned */
    uint32_t class_count;
    float *values;     /* [count * SHW_OBJECT_ATTRIBUTES] */
    uint32_t *numbers; /* [count]: below class_count */
    uint32_t count;
};

/* Accepts zero-initialised and freed ones. */
void shw_object_lessons_free(struct shw_object_lessons *lessons);

/* Whether at least two object classes have examples, without which there is nothing to tell apart. */
bool shw_object_lessons_suffice(const struct shw_object_lessons *lessons);

struct shw_object_forest;

/* Trains; the classes are copied. `lessons` must suffice. Errors: ARGUMENT, MEMORY. */
enum shw_result shw_object_forest_train(const struct shw_object_lessons *lessons, const struct shw_log *log,
                                        struct shw_object_forest **forest);

/* Reads one that was saved; its classes get usual colours. Errors: those of shw_record_forest_load(), FORMAT (it
 * predicts something else). */
enum shw_result shw_object_forest_load(const char *path, const struct shw_log *log, struct shw_object_forest **forest);

/* The object class of that name; UINT32_MAX: there is none. */
uint32_t shw_object_forest_find(const struct shw_object_forest *forest, const char *name);

/* Sets *forest to NULL; accepts NULL in it. */
void shw_object_forest_destroy(struct shw_object_forest **forest);

/* Writes its records, atomically. Errors: IO, MEMORY. */
enum shw_result shw_object_forest_save(const struct shw_object_forest *forest, const char *path,
                                       const struct shw_log *log);

/* Borrowed. */
const struct shw_record_forest *shw_object_forest_records(const struct shw_object_forest *forest);

/* Its object classes; borrowed. */
const struct shw_class *shw_object_forest_classes(const struct shw_object_forest *forest, uint32_t *count);

/* Gives objects with these attributes their object classes. Errors: MEMORY. */
enum shw_result shw_object_forest_apply(const struct shw_object_forest *forest, const float *values,
                                        const struct shw_log *log, struct shw_objects *objects);

#endif
