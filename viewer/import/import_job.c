#include "import/importing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/file_kind.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "files/output/classes_file.h"
#include "files/output/label_files.h"

/* An order of values: numbers before colours. */
static uint32_t order_of(const struct view_import_value *value)
{
    const uint8_t *c = value->colour;

    return value->is_colour ? 0x10000u + ((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]) : value->number;
}

/* The first place whose value is not before this one. */
static uint32_t place_of(const struct view_import_values *values, uint32_t order)
{
    uint32_t low = 0, high = values->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (order_of(&values->list[middle]) < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The value that is the same; NULL if there is none. */
static struct view_import_value *view_import_values_find(const struct view_import_values *values,
                                                         const struct view_import_value *value)
{
    uint32_t order = order_of(value), place = place_of(values, order);

    return place < values->count && order_of(&values->list[place]) == order ? &values->list[place] : NULL;
}

/* The entry of a value, made if it is missing. NULL if memory is exhausted. */
static struct view_import_value *need(struct view_import_values *values, const struct view_import_value *value)
{
    struct view_import_value *found = view_import_values_find(values, value), *grown;
    uint32_t place;

    if (found != NULL)
        return found;
    grown = realloc(values->list, (values->count + (size_t)1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    values->list = grown;
    place = place_of(values, order_of(value));
    memmove(grown + place + 1, grown + place, (values->count - place) * sizeof *grown);
    grown[place] = *value;
    grown[place].class_name = NULL;
    values->count++;
    return &grown[place];
}

static struct view_import_value value_at(const struct shw_label_file *file, size_t i)
{
    struct view_import_value value = {.is_colour = file->indices == NULL};

    if (value.is_colour)
        memcpy(value.colour, file->colours + 3 * i, 3);
    else
        value.number = file->indices[i];
    return value;
}

/* The values of one file. */
static enum shw_result collect_values(struct view_import_values *values, const struct shw_label_file *file,
                                      const char *name, const struct shw_log *log)
{
    struct view_import_value *last = NULL;

    for (size_t i = 0; i < (size_t)file->width * file->height; i++) {
        const struct view_import_value value = value_at(file, i);
        if (last == NULL || order_of(last) != order_of(&value)) {
            last = need(values, &value);
            if (last == NULL)
                return shw_fail_memory(log, name);
            if (values->count > VIEW_IMPORT_VALUES_MAX)
                return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_LABEL_COLOUR,
                                "%s has more than %u different values: it is neither a mask nor a label image", name,
                                VIEW_IMPORT_VALUES_MAX);
        }
        last->pixels++;
    }
    return SHW_OK;
}

/* Adds the values of a file, whose name is kept. Errors: LIMIT (it has too many, or all files together), MEMORY. Any
 * thread. */
static enum shw_result import_values_add(struct view_import_values *values, const struct shw_label_file *file,
                                         const char *name, const struct shw_log *log)
{
    struct view_import_values own = {.list = NULL};
    enum shw_result result = collect_values(&own, file, name, log);

    for (uint32_t i = 0; i < own.count && result == SHW_OK; i++) {
        struct view_import_value *value = need(values, &own.list[i]);
        if (value == NULL) {
            result = shw_fail_memory(log, name);
        } else if (values->count > VIEW_IMPORT_VALUES_MAX) {
            result = shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_LABEL_COLOUR,
                              "%s: with the files before it, there are more than %u different values", name,
                              VIEW_IMPORT_VALUES_MAX);
        } else {
            value->pixels += value->file != NULL ? own.list[i].pixels : 0;
            value->file = value->file != NULL ? value->file : name;
        }
    }
    view_import_values_free(&own);
    return result;
}

bool view_import_value_parse(const char *text, struct view_import_value *value)
{
    unsigned long number;
    char *end;

    *value = (struct view_import_value){.is_colour = text[0] == '#'};
    if (value->is_colour && (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6))
        return false;
    number = strtoul(value->is_colour ? text + 1 : text, &end, value->is_colour ? 16 : 10);
    value->number = (uint16_t)number;
    for (int k = 0; k < 3; k++)
        value->colour[k] = (uint8_t)(number >> (16 - 8 * k));
    return end != text && *end == '\0' && text[0] != '-' && text[0] != '+' &&
           (value->is_colour || number <= UINT16_MAX);
}

void view_import_value_print(const struct view_import_value *value, char text[16])
{
    if (value->is_colour)
        snprintf(text, 16, "#%02x%02x%02x", value->colour[0], value->colour[1], value->colour[2]);
    else
        snprintf(text, 16, "%u", value->number);
}

static enum shw_result set_meaning(struct view_import_value *value, const char *class_name, bool proposed)
{
    char *copy = strdup(class_name);

    free(value->class_name);
    value->class_name = copy;
    value->proposed = proposed;
    return copy != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

enum shw_result view_import_values_choose(struct view_import_values *values, const struct view_import_value *value,
                                          const char *class_name)
{
    struct view_import_value *entry = need(values, value);

    if (entry == NULL)
        return SHW_ERROR_MEMORY;
    entry->chosen = true;
    return set_meaning(entry, class_name, false);
}

/* Whether there are two values, one of them 0. */
static bool view_import_values_are_mask(const struct view_import_values *values)
{
    const struct view_import_value *first = values->list;

    return values->count == 2 &&
           (first->is_colour ? first->colour[0] + first->colour[1] + first->colour[2] == 0 : first->number == 0);
}

/* The number of classes of that number or colour; *found: the first one. */
static uint32_t find_classes(const struct shw_project *project, const struct view_import_value *value,
                             const struct shw_project_class **found)
{
    uint32_t count = shw_project_get_class_count(project), alike = 0;

    for (uint32_t c = 0; c < count; c++) {
        const struct shw_project_class *class = shw_project_get_class(project, c);
        if (value->is_colour ? memcmp(class->colour, value->colour, 3) != 0 : c != value->number)
            continue;
        *found = alike == 0 ? class : *found;
        alike++;
    }
    return alike;
}

static bool is_void(const struct shw_project *project, const struct view_import_value *value)
{
    static const uint8_t black[3];

    return value->is_colour ? memcmp(value->colour, black, 3) == 0
                            : value->number == shw_project_get_class_count(project) || value->number == SHW_LABEL_VOID;
}

/* What a value is called in the project; NULL: no class or several are that. */
static const char *name_in_project(const struct shw_project *project, const struct view_import_value *value)
{
    const struct shw_project_class *class;
    uint32_t count = find_classes(project, value, &class);

    if (count == 0)
        return is_void(project, value) ? "" : NULL;
    return count == 1 ? class->name : NULL;
}

/* The entry of a number or colour; NULL if there is none. */
static const struct shw_palette_entry *find_entry(const struct shw_palette *list, const struct view_import_value *value)
{
    uint32_t place = value->is_colour ? shw_palette_find(list, value->colour) : value->number;

    return place < list->entry_count ? &list->entries[place] : NULL;
}

/* What a value is called: the name of a class, or "" for nothing; NULL: that is not known. */
static const char *name_of(const struct view_import_rules *rules, const struct view_import_value *value)
{
    const struct shw_palette_entry *entry;

    if (rules->list->entry_count == 0)
        return name_in_project(rules->project, value);
    if (!value->is_colour && value->number == SHW_LABEL_VOID)
        return "";
    entry = find_entry(rules->list, value);
    return entry == NULL ? NULL : entry->is_void ? "" : entry->name;
}

static bool has_class(const struct shw_project *project, const char *name)
{
    for (uint32_t c = 0; c < shw_project_get_class_count(project); c++)
        if (strcmp(shw_project_get_class(project, c)->name, name) == 0)
            return true;
    return false;
}

/* As the list says. Otherwise 0 is nothing; of a mask, the other value is the class. Other values are the class of that
 * number, or new ones. */
static enum shw_result propose(struct view_import_value *value, const struct view_import_rules *rules, bool mask)
{
    const char *known = name_of(rules, value);
    char name[40], text[16];

    if (rules->list->entry_count > 0 && known != NULL)
        return set_meaning(value, known, true);
    if (order_of(value) == 0 || order_of(value) == 0x10000u)
        return set_meaning(value, "", true);
    if (mask)
        return set_meaning(value, rules->class_name, true);
    view_import_value_print(value, text);
    snprintf(name, sizeof name, "value %s", text);
    return set_meaning(value, known != NULL && known[0] != '\0' ? known : name, true);
}

/* Whether all values have names, or have been chosen, and nobody has to be asked. A mask of 0 and 1 may be meant
 * otherwise, and new classes are not made without a question where it can be asked. */
static bool are_known(const struct view_import_values *values, const struct view_import_rules *rules)
{
    const bool sure = rules->ours && rules->list->entry_count > 0;
    bool known = !rules->asks || sure || !view_import_values_are_mask(values);

    for (uint32_t i = 0; i < values->count && known; i++) {
        const struct view_import_value *value = &values->list[i];
        const char *name = name_of(rules, value);
        if (view_import_values_find(rules->chosen, value) == NULL)
            known = name != NULL && (!rules->asks || name[0] == '\0' || has_class(rules->project, name));
    }
    return known;
}

/* Whether the list has all values: otherwise it is of other files. */
static bool covers(const struct shw_palette *list, const struct view_import_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (find_entry(list, &values->list[i]) == NULL &&
            (values->list[i].is_colour || values->list[i].number != SHW_LABEL_VOID))
            return false;
    return true;
}

enum shw_result view_import_values_interpret(struct view_import_values *values, const struct view_import_rules *given)
{
    static const struct shw_palette none;
    struct view_import_rules of = *given;
    const struct view_import_rules *rules = &of;
    bool known, mask = view_import_values_are_mask(values);

    if (rules->unsure || !covers(of.list, values))
        of.list = &none;
    known = !rules->unsure && are_known(values, rules);
    for (uint32_t i = 0; i < values->count; i++) {
        struct view_import_value *value = &values->list[i];
        const struct view_import_value *chosen = view_import_values_find(rules->chosen, value);
        if (chosen != NULL)
            SHW_PROPAGATE(set_meaning(value, chosen->class_name, false));
        else if (known)
            SHW_PROPAGATE(set_meaning(value, name_of(rules, value), false));
        else
            SHW_PROPAGATE(propose(value, rules, mask));
    }
    return SHW_OK;
}

bool view_import_values_are_open(const struct view_import_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (values->list[i].proposed)
            return true;
    return false;
}

/* The labels of a file, width * height, to be freed: class numbers of the project, which has all classes that the
 * values mean. Errors: FORMAT (a value that was not there before), MEMORY. */
static enum shw_result import_values_apply(const struct view_import_values *values, const struct shw_label_file *file,
                                           const uint16_t *numbers, const char *name, const struct shw_log *log,
                                           uint16_t **labels)
{
    size_t pixels = (size_t)file->width * file->height;
    uint16_t *made = malloc(pixels * sizeof *made);
    const struct view_import_value *last = NULL;

    if (made == NULL)
        return shw_fail_memory(log, name);
    for (size_t i = 0; i < pixels; i++) {
        const struct view_import_value value = value_at(file, i);
        if (last == NULL || order_of(last) != order_of(&value))
            last = view_import_values_find(values, &value);
        if (last == NULL) {
            free(made);
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_LABEL_COLOUR, "%s was changed while it was imported", name);
        }
        made[i] = numbers[last - values->list];
    }
    *labels = made;
    return SHW_OK;
}

void view_import_values_free(struct view_import_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        free(values->list[i].class_name);
    free(values->list);
    *values = (struct view_import_values){.list = NULL};
}

/* Whether a file's name begins with that of a picture, up to a separator; *rest: what comes after that. */
static bool begins_with(const char *name, const char *stem, const char **rest)
{
    size_t length = strlen(stem);
    bool begins = strncmp(name, stem, length) == 0 && strchr("_-. ", name[length]) != NULL;

    *rest = begins && name[length] != '\0' && name[length + 1] != '\0' ? name + length + 1 : NULL;
    return begins;
}

/* The picture of that name or else, if no picture has it, of that stem; NULL: none, or several. */
static const struct view_import_picture *find_named(const struct view_import_job *job, const char *name)
{
    char stem[SHW_BASE_NAME_SIZE];
    const struct view_import_picture *found = NULL, *alike = NULL;
    uint32_t count = 0, alike_count = 0;

    shw_image_base_name(name, stem);
    for (uint32_t p = 0; p < job->picture_count; p++) {
        const struct view_import_picture *picture = &job->pictures[p];
        if (strcmp(shw_path_last(picture->path), name) == 0) {
            found = picture;
            count++;
        } else if (strcmp(picture->stem, stem) == 0) {
            alike = picture;
            alike_count++;
        }
    }
    if (count > 0)
        return count == 1 ? found : NULL;
    return alike_count == 1 ? alike : NULL;
}

/* The picture with the longest name that the file's begins with; NULL: none, or several of that name. */
static const struct view_import_picture *find_longest(const struct view_import_job *job, const char *name)
{
    const struct view_import_picture *best = NULL;
    const char *rest;
    uint32_t count = 0;

    for (uint32_t p = 0; p < job->picture_count; p++) {
        const struct view_import_picture *picture = &job->pictures[p];
        if (!begins_with(name, picture->stem, &rest) || (best != NULL && strlen(picture->stem) < strlen(best->stem)))
            continue;
        count = best != NULL && strlen(picture->stem) == strlen(best->stem) ? count + 1 : 1;
        best = picture;
    }
    return count == 1 ? best : NULL;
}

/* As the mask itself says, unless it was renamed since. */
static const struct view_import_picture *find_picture(const struct view_import_job *job, const char *name,
                                                      const char *said)
{
    char stem[SHW_BASE_NAME_SIZE];
    const char *rest;

    return said != NULL && begins_with(name, shw_image_base_name(said, stem), &rest) ? find_named(job, said)
                                                                                     : find_longest(job, name);
}

static bool is_listed(const struct shw_palette *list, const char *class_name)
{
    for (uint32_t c = 0; c < list->class_count; c++)
        if (strcmp(list->classes[c].name, class_name) == 0)
            return true;
    return false;
}

/* The class that a mask says it is of, or else, if there is such a class in the list beside it, its name. */
static enum shw_result find_class(const struct view_import_job *job, struct view_import_file *file, const char *name,
                                  bool is_ours)
{
    const char *rest;

    file->class_name = is_ours ? shw_png_read_text(file->path, SHW_MASK_CLASS) : NULL;
    file->is_mask = file->class_name != NULL;
    if (file->is_mask || file->picture == NULL || !begins_with(name, file->picture->stem, &rest) || rest == NULL)
        return SHW_OK;
    file->class_name = strdup(rest);
    if (file->class_name == NULL)
        return shw_fail_memory(&job->log, file->path);
    file->is_mask = is_ours && is_listed(&job->list, file->class_name);
    return SHW_OK;
}

static enum shw_result match(struct view_import_job *job, struct view_import_file *file)
{
    char name[SHW_BASE_NAME_SIZE], *said = NULL;
    enum shw_result result;
    bool is_ours = shw_file_mask.is_ours(file->path, shw_file_mask.name);

    shw_image_base_name(file->path, name);
    if (is_ours && job->folder != NULL)
        said = shw_png_read_text(file->path, SHW_MASK_PICTURE);
    file->picture = job->folder != NULL ? find_picture(job, name, said) : &job->pictures[0];
    free(said);
    job->unmatched += file->picture == NULL;
    if (file->picture == NULL)
        return SHW_OK;
    result = find_class(job, file, name, is_ours);
    job->unsure = job->unsure || (is_ours && !file->is_mask);
    return result;
}

/* Finds the pictures of the files, and the classes of masks. On the thread. Errors: ARGUMENT (all are unmatched),
 * MEMORY. */
static enum shw_result view_import_job_match(struct view_import_job *job)
{
    enum shw_result result = SHW_OK;

    for (uint32_t f = 0; f < job->count; f++) {
        struct view_import_file *file = &job->files[f];
        enum shw_result one = match(job, file);
        file->failed = one != SHW_OK || file->picture == NULL;
        result = one != SHW_OK ? one : result;
    }
    return job->unmatched < job->count
               ? result
               : shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%s: none of its %u images has a name that begins like that of a picture of the project or "
                          "of the open folder",
                          job->folder, job->count);
}

void view_import_job_free(struct view_import_job *job)
{
    if (job->job.kind == NULL)
        return;
    view_job_free(&job->job);
    for (uint32_t f = 0; f < job->count; f++) {
        free(job->files[f].path);
        free(job->files[f].class_name);
    }
    for (uint32_t p = 0; p < job->picture_count; p++) {
        free(job->pictures[p].path);
        free(job->pictures[p].name);
        free(job->pictures[p].stem);
    }
    free(job->files);
    free(job->pictures);
    free(job->folder);
    free(job->numbers);
    shw_label_runs_free(&job->found);
    view_import_values_free(&job->values);
    shw_palette_free(&job->list);
    *job = (struct view_import_job){.count = 0};
}

enum shw_result view_import_job_add(struct view_import_job *job, const char *path)
{
    struct view_import_file *grown = realloc(job->files, (job->count + (size_t)1) * sizeof *grown);
    char *copy = strdup(path);

    job->files = grown != NULL ? grown : job->files;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return shw_fail_memory(&job->log, path);
    }
    grown[job->count++] = (struct view_import_file){.path = copy};
    return SHW_OK;
}

/* Whether there is a list of classes of that name. One in the folder above is left alone unless it or the file is ours.
 */
static bool has_list(const char *path, const char *name, const char *file)
{
    return access(path, F_OK) == 0 && (name[0] != '.' || shw_file_classes.is_ours(path, shw_file_classes.name) ||
                                       shw_file_labels.is_ours(file, shw_file_labels.name));
}

/* Reads the list of classes that lies beside a file, as exports and data sets have one, or in the folder above, as
 * exports of several folders do. If it cannot be read, a message says so, and numbers mean nothing. */
static void find_list(struct view_import_job *job, const char *file)
{
    static const char *const names[] = {SHW_CLASSES_FILE, "palette.json", ("../" SHW_CLASSES_FILE)};
    const char *slash = strrchr(file, '/');
    char *folder = slash != NULL ? strndup(file, (size_t)(slash - file) + 1) : strdup("");
    bool found = false;

    for (size_t i = 0; folder != NULL && i < sizeof names / sizeof *names && !found; i++) {
        char *path = shw_path_in(folder, names[i]);
        found = path != NULL && has_list(path, names[i], file);
        if (found)
            job->unsure = shw_palette_read_numbers(path, &job->log, &job->list) != SHW_OK;
        free(path);
    }
    free(folder);
}

/* The size of a picture that the project does not have yet. */
static enum shw_result measure(struct view_import_job *job, struct view_import_file *file)
{
    struct shw_image_file image;

    file->width = file->picture->width;
    file->height = file->picture->height;
    if (file->width > 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_image_file_read(file->picture->path, NULL, &job->log, &image));
    file->width = image.image.width;
    file->height = image.image.height;
    shw_image_file_free(&image);
    return SHW_OK;
}

static enum shw_result read_file(struct view_import_job *job, struct view_import_file *file,
                                 struct shw_label_file *labels)
{
    SHW_PROPAGATE(measure(job, file));
    SHW_PROPAGATE(shw_label_file_read(file->path, SHW_LABELS_AUTO, &job->log, labels));
    if (labels->width == file->width && labels->height == file->height)
        return SHW_OK;
    shw_fail(&job->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %u x %u, but the picture %s is %u x %u", file->path,
             labels->width, labels->height, file->picture->path, file->width, file->height);
    shw_label_file_free(labels);
    return SHW_ERROR_FORMAT;
}

/* Whether it is a result of this program that has no labels. */
static bool is_other_result(const char *path)
{
    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        for (uint32_t f = 0; f < shw_label_outputs[o]->form_count; f++) {
            const struct shw_file_kind *kind = shw_label_outputs[o]->forms[f].kind;

            if (kind != &shw_file_labels && kind != &shw_file_mask && kind->is_ours != NULL &&
                kind->is_ours(path, kind->name))
                return true;
        }
    return shw_file_instances.is_ours(path, shw_file_instances.name) ||
           shw_file_instance_page.is_ours(path, shw_file_instance_page.name);
}

/* Of a mask whose class is known, the values are not collected. */
static enum shw_result collect(struct view_import_job *job, struct view_import_file *file)
{
    struct shw_label_file labels;
    enum shw_result result;

    if (file->is_mask)
        return measure(job, file);
    file->class_number = SHW_LABEL_VOID;
    if (job->count > 1 && is_other_result(file->path)) {
        file->failed = true;
        job->others++;
        return SHW_OK;
    }
    job->ours = job->ours && shw_file_labels.is_ours(file->path, shw_file_labels.name);
    SHW_PROPAGATE(read_file(job, file, &labels));
    result = import_values_add(&job->values, &labels, file->path, &job->log);
    shw_label_file_free(&labels);
    return result;
}

/* Waits until the main thread has taken the labels. False: it wants no more. */
static bool hand_over(struct view_import_job *job, uint32_t number, const struct shw_label_runs *runs)
{
    bool taken;

    view_job_lock(&job->job);
    job->found = *runs;
    job->current = number;
    while (job->found.width > 0 && !view_job_is_stopped(&job->job))
        view_job_sleep(&job->job);
    taken = !view_job_is_stopped(&job->job);
    view_job_unlock(&job->job);
    return taken;
}

static enum shw_result apply_mask(const struct view_import_file *file, const struct shw_label_file *mask,
                                  const struct shw_log *log, uint16_t **labels)
{
    size_t pixels = (size_t)mask->width * mask->height;

    *labels = malloc(pixels * sizeof **labels);
    if (*labels == NULL)
        return shw_fail_memory(log, file->path);
    for (size_t i = 0; i < pixels; i++)
        (*labels)[i] = mask->indices != NULL && mask->indices[i] != 0 ? file->class_number : SHW_LABEL_VOID;
    return SHW_OK;
}

static enum shw_result convert(struct view_import_job *job, uint32_t number)
{
    struct view_import_file *file = &job->files[number];
    struct shw_label_file read;
    struct shw_label_runs runs;
    uint16_t *labels;
    enum shw_result result;

    SHW_PROPAGATE(read_file(job, file, &read));
    result = file->class_number != SHW_LABEL_VOID
                 ? apply_mask(file, &read, &job->log, &labels)
                 : import_values_apply(&job->values, &read, job->numbers, file->path, &job->log, &labels);
    shw_label_file_free(&read);
    SHW_PROPAGATE(result);
    result = shw_label_runs_find(labels, file->width, file->height, job->class_count, file->path, &job->log, &runs);
    free(labels);
    if (result == SHW_OK && !hand_over(job, number, &runs))
        result = SHW_ERROR_CANCELLED;
    return result;
}

static enum shw_result work(void *user)
{
    struct view_import_job *job = user;
    enum shw_result result = SHW_OK;

    if (job->numbers == NULL) {
        find_list(job, job->files[0].path);
        result = view_import_job_match(job);
    }
    for (uint32_t f = 0; f < job->count && !view_job_is_stopped(&job->job); f++) {
        struct view_import_file *file = &job->files[f];
        enum shw_result one = SHW_OK;
        if (!file->failed)
            one = job->numbers != NULL ? convert(job, f) : collect(job, file);
        file->failed = file->failed || one != SHW_OK;
        result = one != SHW_OK ? one : result;
    }
    return result;
}

void view_import_job_init(struct view_import_job *job, const struct shw_log *log)
{
    static const struct view_job_kind kind = {"the import", (enum shw_priority)0, work, NULL};

    *job = (struct view_import_job){.log = *log, .ours = true};
    view_job_init(&job->job, &kind, job);
}

enum shw_result view_import_job_begin(struct view_import_job *job)
{
    job->ended = false;
    return view_job_begin(&job->job, &job->log);
}

bool view_import_job_ended(struct view_import_job *job)
{
    enum shw_result result;

    if (!job->ended && view_job_is_done(&job->job) && job->found.width == 0) {
        result = view_job_take(&job->job);
        job->result = result != SHW_OK ? result : job->result;
        job->ended = true;
    }
    return job->ended;
}

bool view_import_job_take(struct view_import_job *job, uint32_t *file, struct shw_label_runs *runs)
{
    view_job_lock(&job->job);
    *runs = job->found;
    job->found = (struct shw_label_runs){0};
    *file = job->current;
    if (runs->width > 0)
        view_job_wake(&job->job);
    view_job_unlock(&job->job);
    return runs->width > 0;
}
