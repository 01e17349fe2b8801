#include "files/objects/object_forest.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/record_train.h>
#include <shadewood/records.h>

#include "base/class.h"
#include "base/log.h"

#define TREES       100u
#define TREES_LEAST 8u
#define VALUES_MAX  (1u << 26) /* of leaves, each of which has one for every class, in all trees */

struct shw_object_forest {
    struct shw_record_forest *records;
    struct shw_class *classes;
    uint32_t class_count;
};

static void free_classes(struct shw_class *classes, uint32_t count)
{
    for (uint32_t c = 0; classes != NULL && c < count; c++)
        free((char *)(uintptr_t)classes[c].name);
    free(classes);
}

void shw_object_lessons_free(struct shw_object_lessons *lessons)
{
    free_classes(lessons->classes, lessons->class_count);
    free(lessons->values);
    free(lessons->numbers);
    *lessons = (struct shw_object_lessons){0};
}

bool shw_object_lessons_suffice(const struct shw_object_lessons *lessons)
{
    for (uint32_t i = 1; i < lessons->count; i++)
        if (lessons->numbers[i] != lessons->numbers[0])
            return true;
    return false;
}

static bool copy_classes(const struct shw_object_lessons *lessons, struct shw_object_forest *forest)
{
    forest->classes = calloc(lessons->class_count, sizeof *forest->classes);
    if (forest->classes == NULL)
        return false;
    for (; forest->class_count < lessons->class_count; forest->class_count++) {
        struct shw_class *class = &forest->classes[forest->class_count];

        *class = lessons->classes[forest->class_count];
        class->name = strdup(class->name);
        if (class->name == NULL)
            return false;
    }
    return true;
}

/* The usual number of trees, or fewer of so many objects and classes that leaves would take too much; 0: even the
 * fewest would. */
static uint32_t choose_trees(const struct shw_object_lessons *lessons)
{
    const uint64_t values = (uint64_t)lessons->count * lessons->class_count, trees = VALUES_MAX / values;

    return trees >= TREES ? TREES : trees >= TREES_LEAST ? (uint32_t)trees : 0;
}

static enum shw_result train(const struct shw_object_lessons *lessons, const struct shw_log *log,
                             struct shw_record_forest **records)
{
    const char **names = malloc(lessons->class_count * sizeof *names);
    const struct shw_record_examples examples = {
        .records = {.values = lessons->values, .count = lessons->count, .attribute_count = SHW_OBJECT_ATTRIBUTES},
        .classes = lessons->numbers,
        .class_count = lessons->class_count,
        .attribute_names = shw_object_attribute_names,
        .class_names = names};
    /* every tree sees all objects, since a user clicks on few; trees differ by the attributes that nodes choose from */
    struct shw_record_trainer_params params = {.tree_count = choose_trees(lessons),
                                               .records_percent = 100,
                                               .weighting = SHW_WEIGHTING_INVERSE,
                                               .technique = SHW_TECHNIQUE_CPU,
                                               .threads = 1,
                                               .log = *log};
    enum shw_result result;

    if (names == NULL)
        return shw_fail_memory(log, "object classes");
    if (params.tree_count == 0) {
        free(names);
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "objects of %u object classes are taught: of so many, at most %u objects can be learned from, "
                        "not %u",
                        lessons->class_count, VALUES_MAX / TREES_LEAST / lessons->class_count, lessons->count);
    }
    for (uint32_t c = 0; c < lessons->class_count; c++)
        names[c] = lessons->classes[c].name;
    result = shw_record_train(&params, &examples, records);
    free(names);
    return result;
}

enum shw_result shw_object_forest_train(const struct shw_object_lessons *lessons, const struct shw_log *log,
                                        struct shw_object_forest **forest)
{
    const struct shw_log silent = {0};
    struct shw_object_forest *made = calloc(1, sizeof *made);
    enum shw_result result;

    if (made == NULL || !copy_classes(lessons, made)) {
        shw_object_forest_destroy(&made);
        return shw_fail_memory(log, "object classes");
    }
    result = train(lessons, log != NULL ? log : &silent, &made->records);
    if (result == SHW_OK)
        *forest = made;
    else
        shw_object_forest_destroy(&made);
    return result;
}

/* Whether its attributes are those of objects. */
static bool fits(const struct shw_record_forest_info *info)
{
    bool fine = info->task == SHW_RECORD_CLASSES && info->attribute_count == SHW_OBJECT_ATTRIBUTES &&
                info->attribute_names != NULL && info->class_names != NULL && info->class_count < UINT16_MAX;

    for (uint32_t a = 0; fine && a < SHW_OBJECT_ATTRIBUTES; a++)
        fine = strcmp(info->attribute_names[a], shw_object_attribute_names[a]) == 0;
    return fine;
}

static enum shw_result take_info(const char *path, const struct shw_log *log, struct shw_object_forest *forest)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest->records);

    if (!fits(info))
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST, "%s is no forest that tells objects apart", path);
    forest->classes = calloc(info->class_count, sizeof *forest->classes);
    for (; forest->classes != NULL && forest->class_count < info->class_count; forest->class_count++) {
        struct shw_class *class = &forest->classes[forest->class_count];

        shw_class_colour(forest->class_count, class->colour);
        class->name = strdup(info->class_names[forest->class_count]);
        if (class->name == NULL)
            break;
    }
    return forest->classes != NULL && forest->class_count == info->class_count ? SHW_OK : shw_fail_memory(log, path);
}

enum shw_result shw_object_forest_load(const char *path, const struct shw_log *log, struct shw_object_forest **forest)
{
    struct shw_object_forest *made = calloc(1, sizeof *made);
    enum shw_result result = made != NULL ? SHW_OK : shw_fail_memory(log, path);

    if (result == SHW_OK)
        result = shw_record_forest_load(path, log, &made->records);
    if (result == SHW_OK)
        result = take_info(path, log, made);
    if (result == SHW_OK)
        *forest = made;
    else
        shw_object_forest_destroy(&made);
    return result;
}

uint32_t shw_object_forest_find(const struct shw_object_forest *forest, const char *name)
{
    for (uint32_t c = 0; c < forest->class_count; c++)
        if (strcmp(forest->classes[c].name, name) == 0)
            return c;
    return UINT32_MAX;
}

void shw_object_forest_destroy(struct shw_object_forest **forest)
{
    struct shw_object_forest *gone = *forest;

    if (gone == NULL)
        return;
    shw_record_forest_destroy(&gone->records);
    free_classes(gone->classes, gone->class_count);
    free(gone);
    *forest = NULL;
}

enum shw_result shw_object_forest_save(const struct shw_object_forest *forest, const char *path,
                                       const struct shw_log *log)
{
    return shw_record_forest_save(forest->records, path, log);
}

const struct shw_record_forest *shw_object_forest_records(const struct shw_object_forest *forest)
{
    return forest->records;
}

const struct shw_class *shw_object_forest_classes(const struct shw_object_forest *forest, uint32_t *count)
{
    *count = forest->class_count;
    return forest->classes;
}

/* Predictions are rounded half up. */
static void take(const uint32_t *classes, const float *predictions, uint32_t per_object, struct shw_objects *objects)
{
    for (uint32_t n = 0; n < objects->count; n++) {
        double probability = (double)predictions[(size_t)n * per_object + classes[n]];

        objects->list[n].kind = (uint16_t)(classes[n] + 1);
        objects->list[n].kind_probability = (uint32_t)(probability * 100000 + 0.5);
    }
}

enum shw_result shw_object_forest_apply(const struct shw_object_forest *forest, const float *values,
                                        const struct shw_log *log, struct shw_objects *objects)
{
    const struct shw_record_evaluator_params params = {.forest = forest->records,
                                                       .technique = SHW_RECORD_CPU,
                                                       .threads = 1,
                                                       .log = log != NULL ? *log : (struct shw_log){0}};
    const struct shw_records records = {
        .values = values, .count = objects->count, .attribute_count = SHW_OBJECT_ATTRIBUTES};
    const uint32_t per_object = shw_record_forest_get_prediction_count(forest->records);
    const size_t count = objects->count + (size_t)1;
    uint32_t *classes = malloc(count * sizeof *classes);
    float *predictions = malloc(count * per_object * sizeof *predictions);
    struct shw_record_evaluator *evaluator = NULL;
    enum shw_result result = classes != NULL && predictions != NULL ? SHW_OK : shw_fail_memory(log, "object classes");

    if (result == SHW_OK && objects->count > 0)
        result = shw_record_evaluator_create(&params, &evaluator);
    if (result == SHW_OK && objects->count > 0)
        result = shw_record_evaluator_run(evaluator, &records,
                                          &(struct shw_record_results){.classes = classes, .predictions = predictions});
    if (result == SHW_OK)
        take(classes, predictions, per_object, objects);
    shw_record_evaluator_destroy(&evaluator);
    free(classes);
    free(predictions);
    return result;
}
