#include "import/importing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "action/action.h"
#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/io/image_paths.h"
#include "teach/project_file.h"

/* Adds a picture unless it is there. `called`: its name in the project; NULL: the one that it would have. */
static enum shw_result add(struct view_importing *importing, const char *path, const char *called, uint32_t width,
                           uint32_t height)
{
    struct view_import_job *job = &importing->job;
    char base[SHW_BASE_NAME_SIZE];
    char *name = called != NULL ? strdup(called) : view_project_picture_name(&importing->teaching->project, path);
    char *copy = strdup(path), *stem = strdup(shw_image_base_name(path, base));
    struct view_import_picture *grown = NULL;
    bool known = false;

    for (uint32_t p = 0; name != NULL && p < job->picture_count && !known; p++)
        known = strcmp(job->pictures[p].name, name) == 0;
    if (!known && name != NULL && copy != NULL && stem != NULL)
        grown = realloc(job->pictures, (job->picture_count + (size_t)1) * sizeof *grown);
    if (grown == NULL) {
        free(name);
        free(copy);
        free(stem);
        return known ? SHW_OK : shw_fail_memory(&importing->teaching->scene->log, path);
    }
    job->pictures = grown;
    grown[job->picture_count++] =
        (struct view_import_picture){.path = copy, .name = name, .stem = stem, .width = width, .height = height};
    return SHW_OK;
}

/* The pictures of the project, and those of the source. */
static enum shw_result find_pictures(struct view_importing *importing)
{
    const struct view_project *project = &importing->teaching->project;
    const struct view_player *player = importing->teaching->scene->player;
    const char *name;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data); p++) {
        const struct shw_project_picture picture = shw_project_get_picture(project->data, p);
        char *file = shw_path_in(project->folder != NULL ? project->folder : "", picture.name);
        enum shw_result result = file != NULL ? add(importing, shw_image_has_file(file) ? file : picture.name,
                                                    picture.name, picture.width, picture.height)
                                              : shw_fail_memory(&importing->teaching->scene->log, picture.name);
        free(file);
        SHW_PROPAGATE(result);
    }
    for (uint32_t i = 0; player->source != NULL && (name = view_source_name(player->source, i)) != NULL; i++)
        if (shw_image_has_file(name))
            SHW_PROPAGATE(add(importing, name, NULL, 0, 0));
    return SHW_OK;
}

static enum shw_result take_folder(struct view_importing *importing, const char *folder)
{
    const struct shw_log *log = &importing->teaching->scene->log;
    struct view_import_job *job = &importing->job;
    struct shw_image_paths paths = {0};
    enum shw_result result = find_pictures(importing);

    errno = 0;
    if (result == SHW_OK && !shw_image_paths_list(&paths, folder, shw_is_image_name))
        result = shw_fail_memory(log, folder);
    else if (result == SHW_OK && errno != 0)
        result =
            shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open the folder %s: %s", folder, strerror(errno));
    for (uint32_t i = 0; result == SHW_OK && i < paths.count; i++)
        result = view_import_job_add(job, paths.paths[i]);
    job->folder = strdup(folder);
    if (result == SHW_OK && job->folder == NULL)
        result = shw_fail_memory(log, folder);
    else if (result == SHW_OK && job->count == 0)
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: there are no images in it", folder);
    shw_image_paths_free(&paths);
    return result;
}

static enum shw_result take_file(struct view_importing *importing, const char *path)
{
    const struct view_teaching *teaching = importing->teaching;
    const struct shw_project_picture picture =
        shw_project_get_picture(teaching->project.data, teaching->painting.picture);
    char *file = shw_path_in(teaching->project.folder != NULL ? teaching->project.folder : "", picture.name);
    enum shw_result result = file != NULL ? add(importing, shw_image_has_file(file) ? file : picture.name, picture.name,
                                                picture.width, picture.height)
                                          : shw_fail_memory(&teaching->scene->log, picture.name);

    if (result == SHW_OK)
        result = view_import_job_add(&importing->job, path);
    free(file);
    return result;
}

/* Lists the files at `path`, a file or a folder, and the pictures that they may belong to. Errors: as for
 * importing_begin(). */
static enum shw_result importing_take(struct view_importing *importing, const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return take_folder(importing, path);
    SHW_PROPAGATE(view_painting_need_picture(&importing->teaching->painting));
    return take_file(importing, path);
}

void view_importing_init(struct view_teaching *teaching, struct view_importing *importing)
{
    *importing = (struct view_importing){.teaching = teaching};
}

void view_importing_destroy(struct view_importing *importing)
{
    if (importing->teaching == NULL)
        return;
    view_import_job_free(&importing->job);
    view_import_values_free(&importing->chosen);
    importing->teaching = NULL;
}

static const struct shw_log *log_of(const struct view_importing *importing)
{
    return &importing->teaching->scene->log;
}

/* Begins to import a file onto the shown picture, or the files of a folder onto the pictures of their names. Errors:
 * ARGUMENT (no project or picture; no images in the folder; another import is in progress), IO, MEMORY. */
static enum shw_result importing_begin(struct view_importing *importing, const char *path)
{
    const struct shw_log *log = log_of(importing);
    enum shw_result result;

    if (importing->state != VIEW_IMPORT_NOTHING)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "an import is in progress");
    SHW_PROPAGATE(view_project_need(&importing->teaching->project, log));
    view_teaching_end_stroke(importing->teaching);
    view_import_job_init(&importing->job, log);
    importing->done = 0;
    importing->covered = 0;
    importing->outcome = SHW_OK;
    importing->project = importing->teaching->project.data;
    SHW_TRY(importing_take(importing, path));
    SHW_TRY(view_import_job_begin(&importing->job));
    importing->state = VIEW_IMPORT_LOOKING;
    return SHW_OK;

fail:
    view_import_job_free(&importing->job);
    return result;
}

/* Sums up, and ends the import. */
static void end(struct view_importing *importing, enum shw_result result)
{
    const struct view_import_job *job = &importing->job;
    const char *slash = job->count == 1 ? strrchr(job->files[0].path, '/') : NULL;
    const char *first = slash != NULL ? slash + 1 : job->count == 1 ? job->files[0].path : "";
    const uint32_t matched = job->count - job->unmatched;
    int length;

    if (job->count == 1 && importing->done == 1)
        length = snprintf(importing->said, sizeof importing->said, "imported %s", first);
    else
        length = snprintf(importing->said, sizeof importing->said, "imported %u of %u files", importing->done,
                          matched - job->others);
    if (job->unmatched > 0)
        snprintf(importing->said + length, sizeof importing->said - (size_t)length,
                 "; %u more belong to no picture of the project or of the open folder, or to several", job->unmatched);
    length = (int)strlen(importing->said);
    if (importing->covered > 0)
        snprintf(importing->said + length, sizeof importing->said - (size_t)length,
                 "; %llu pixel%s that had been painted %s covered: Undo brings %s back",
                 (unsigned long long)importing->covered, importing->covered == 1 ? "" : "s",
                 importing->covered == 1 ? "is" : "are", importing->covered == 1 ? "it" : "them");
    importing->outcome = result;
    if (result != SHW_OK || job->unmatched > 0) { /* the log shows it */
        if (job->count > 1 && matched > 0)
            shw_log_message(log_of(importing), SHW_LOG_WARNING, SHW_LOG_DATASET, "%s", importing->said);
        importing->said[0] = '\0';
    }
    importing->state = VIEW_IMPORT_NOTHING;
    importing->awaited = false;
    importing->teaching->scene->redraw = true;
    view_import_job_free(&importing->job);
}

/* The class that a mask probably is of: what its name says, or else the one that is painted with. */
static const char *mask_class(const struct view_importing *importing)
{
    const struct view_teaching *teaching = importing->teaching;
    const struct view_import_job *job = &importing->job;
    uint32_t chosen = teaching->scene->settings.chosen;

    for (uint32_t f = 0; f < job->count; f++)
        if (job->files[f].class_name != NULL)
            for (uint32_t c = 0; c < teaching->class_count; c++)
                if (strcmp(teaching->classes[c].name, job->files[f].class_name) == 0)
                    return teaching->classes[c].name;
    return chosen < teaching->class_count ? teaching->classes[chosen].name : "object";
}

static enum shw_result interpret(struct view_importing *importing)
{
    const struct view_import_rules rules = {.project = importing->teaching->project.data,
                                            .chosen = &importing->chosen,
                                            .list = &importing->job.list,
                                            .unsure = importing->job.unsure,
                                            .ours = importing->job.ours,
                                            .asks = importing->teaching->careful,
                                            .class_name = mask_class(importing)};

    return view_import_values_interpret(&importing->job.values, &rules) == SHW_OK
               ? SHW_OK
               : shw_fail_memory(log_of(importing), "the values of a mask");
}

/* Says what a value means, of the import in progress and of later ones; NULL: forgets what was said. "" is nothing;
 * other names are those of classes, which are made if necessary. Errors: MEMORY. */
static enum shw_result importing_choose(struct view_importing *importing, const struct view_import_value *value,
                                        const char *class_name)
{
    importing->teaching->scene->redraw = true;
    if (value == NULL) {
        view_import_values_free(&importing->chosen);
        return SHW_OK;
    }
    if (view_import_values_choose(&importing->chosen, value, class_name) != SHW_OK)
        return shw_fail_memory(log_of(importing), "the values of a mask");
    return importing->state == VIEW_IMPORT_ASKING ? interpret(importing) : SHW_OK;
}

/* Makes a class, in the colour that the list beside the files gives it, unless another class has that. */
static enum shw_result make_class(const struct view_importing *importing, const char *name)
{
    const struct view_teaching *teaching = importing->teaching;
    const struct shw_palette *list = &importing->job.list;
    const uint8_t *colour = NULL;
    char line[512];

    for (uint32_t c = 0; c < list->class_count; c++)
        if (strcmp(list->classes[c].name, name) == 0)
            colour = list->classes[c].colour;
    for (uint32_t c = 0; colour != NULL && c < teaching->class_count; c++)
        if (memcmp(teaching->classes[c].colour, colour, 3) == 0)
            colour = NULL;
    if (colour == NULL)
        return view_action_run(teaching->scene->player->actions, "add-class", name);
    snprintf(line, sizeof line, "%s #%02x%02x%02x", name, colour[0], colour[1], colour[2]);
    return view_action_run(teaching->scene->player->actions, "add-class", line);
}

/* The number of a class, which is made if it is missing. */
static enum shw_result need_class(struct view_importing *importing, const char *name, uint16_t *number)
{
    struct view_teaching *teaching = importing->teaching;
    uint32_t chosen = teaching->scene->settings.chosen;

    for (int again = 0; again < 2; again++) {
        for (uint32_t c = 0; c < teaching->class_count; c++)
            if (strcmp(teaching->classes[c].name, name) == 0) {
                *number = (uint16_t)c;
                return SHW_OK;
            }
        if (again == 0)
            SHW_PROPAGATE(make_class(importing, name));
        if (teaching->class_count > 1) /* the new class is not the one to paint with */
            teaching->scene->settings.chosen = chosen;
    }
    return shw_fail(log_of(importing), SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not the name of a class", name);
}

/* Begins to read, with classes for all values. */
static enum shw_result go_on(struct view_importing *importing)
{
    struct view_import_job *job = &importing->job;
    const struct view_import_values *values = &job->values;

    job->numbers = calloc(values->count + (size_t)1, sizeof *job->numbers);
    if (job->numbers == NULL)
        return shw_fail_memory(log_of(importing), "the values of a mask");
    for (uint32_t f = 0; f < job->count; f++)
        if (job->files[f].is_mask && !job->files[f].failed)
            SHW_PROPAGATE(need_class(importing, job->files[f].class_name, &job->files[f].class_number));
    for (uint32_t i = 0; i < values->count; i++) {
        job->numbers[i] = SHW_LABEL_VOID;
        if (values->list[i].class_name[0] != '\0')
            SHW_PROPAGATE(need_class(importing, values->list[i].class_name, &job->numbers[i]));
    }
    job->class_count = importing->teaching->class_count;
    SHW_PROPAGATE(view_import_job_begin(job));
    importing->state = VIEW_IMPORT_READING;
    importing->renumbered = importing->teaching->renumbered;
    return SHW_OK;
}

/* Ends the question. Errors: ARGUMENT (there is none), and those of new classes. */
static enum shw_result importing_answer(struct view_importing *importing, bool import)
{
    enum shw_result result;

    if (importing->state != VIEW_IMPORT_ASKING)
        return shw_fail(log_of(importing), SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no question to answer");
    result = import ? go_on(importing) : SHW_ERROR_CANCELLED;
    if (result != SHW_OK) {
        end(importing, result);
        importing->said[0] = '\0';
    }
    return import ? result : SHW_OK;
}

/* Reports what a script has to say first. */
static enum shw_result fail_open(const struct view_importing *importing)
{
    const struct view_import_values *values = &importing->job.values;
    const char *file = NULL;
    char list[200] = "";
    uint32_t open = 0;

    for (uint32_t i = 0; i < values->count; i++) {
        char text[16];
        size_t length = strlen(list);
        if (!values->list[i].proposed || open++ >= 8)
            continue;
        file = file != NULL ? file : values->list[i].file;
        view_import_value_print(&values->list[i], text);
        snprintf(list + length, sizeof list - length, "%s%s", length > 0 ? ", " : "", text);
    }
    return shw_fail(log_of(importing), SHW_ERROR_FORMAT, SHW_LOG_LABEL_COLOUR,
                    "%s: not all of its values are classes: say what %s%s mean%s with `import-value VALUE CLASS`, or "
                    "`import-value VALUE -` for nothing",
                    file != NULL ? file : importing->job.files[0].path, list, open > 8 ? ", ..." : "",
                    open == 1 ? "s" : "");
}

/* All values are known. */
static enum shw_result decide(struct view_importing *importing)
{
    SHW_PROPAGATE(interpret(importing));
    if (!view_import_values_are_open(&importing->job.values))
        return go_on(importing);
    if (!importing->teaching->careful)
        return fail_open(importing);
    importing->state = VIEW_IMPORT_ASKING;
    importing->awaited = false; /* a script can answer */
    importing->teaching->scene->redraw = true;
    return SHW_OK;
}

static void finish_looking(struct view_importing *importing)
{
    bool any = false;
    enum shw_result result = importing->job.result;

    for (uint32_t f = 0; f < importing->job.count; f++)
        any = any || !importing->job.files[f].failed;
    if (any)
        result = decide(importing);
    if (!any || result != SHW_OK)
        end(importing, result);
}

/* What is painted on a picture, to be freed; NULL: nothing, or memory is exhausted. */
static uint16_t *copy_painted(struct shw_project *project, uint32_t picture)
{
    const struct shw_project_picture painted = shw_project_get_picture(project, picture);
    uint16_t *labels = NULL;

    if (painted.stroke_count > 0)
        labels = malloc((size_t)painted.width * painted.height * sizeof *labels);
    if (labels != NULL &&
        shw_project_copy_labels(project, picture, 0, 0, painted.width, painted.height, 1, labels) != SHW_OK) {
        free(labels);
        labels = NULL;
    }
    return labels;
}

static uint64_t count_covered(const uint16_t *before, const uint16_t *now, size_t pixels)
{
    uint64_t count = 0;

    for (size_t i = 0; i < pixels; i++)
        count += before[i] != SHW_LABEL_VOID && now[i] != before[i];
    return count;
}

/* Imports labels, and counts what they cover. */
static enum shw_result cover(struct view_importing *importing, uint32_t picture, struct shw_label_runs *runs)
{
    struct shw_project *project = importing->teaching->project.data;
    const size_t pixels = (size_t)runs->width * runs->height;
    uint16_t *before = copy_painted(project, picture), *now = NULL;
    enum shw_result result = shw_project_import_runs(project, picture, runs);

    if (result == SHW_OK && before != NULL && (now = copy_painted(project, picture)) != NULL)
        importing->covered += count_covered(before, now, pixels);
    free(before);
    free(now);
    return result;
}

/* Adds the labels to the picture, which becomes one of the project's. */
static enum shw_result import_labels(struct view_importing *importing, const struct view_import_file *file,
                                     struct shw_label_runs *runs)
{
    struct view_painting *painting = &importing->teaching->painting;
    const struct view_project *project = &importing->teaching->project;
    const struct view_picture *shown = importing->teaching->scene->picture;
    char *name = shown != NULL ? view_project_shown_name(project, shown) : NULL;
    bool is_shown = name != NULL && strcmp(name, file->picture->name) == 0;
    uint32_t picture;

    free(name);
    if (is_shown)
        SHW_PROPAGATE(view_painting_need_picture(painting));
    SHW_PROPAGATE(shw_project_find_picture(project->data, file->picture->name, runs->width, runs->height, &picture));
    return cover(importing, picture, runs);
}

static void take_labels(struct view_importing *importing)
{
    struct view_import_job *job = &importing->job;
    struct shw_label_runs runs;
    uint32_t number;
    enum shw_result result;

    if (!view_import_job_take(job, &number, &runs))
        return;
    result = import_labels(importing, &job->files[number], &runs);
    importing->done += result == SHW_OK;
    importing->teaching->scene->redraw = true;
    if (result != SHW_OK)
        job->result = result;
    shw_label_runs_free(&runs);
}

bool view_importing_is_busy(const struct view_importing *importing)
{
    return importing->state == VIEW_IMPORT_LOOKING || importing->state == VIEW_IMPORT_READING;
}

/* Whether numbers of classes no longer mean what they meant at the beginning. */
static bool is_outdated(const struct view_importing *importing)
{
    const struct view_teaching *teaching = importing->teaching;

    return teaching->project.data != importing->project ||
           (importing->state == VIEW_IMPORT_READING && teaching->renumbered != importing->renumbered);
}

void view_importing_poll(struct view_importing *importing)
{
    struct view_import_job *job = &importing->job;

    if (importing->state == VIEW_IMPORT_NOTHING)
        return;
    if (is_outdated(importing)) {
        shw_log_message(log_of(importing), SHW_LOG_WARNING, SHW_LOG_DATASET, "the import of %s is stopped: %s",
                        job->files[0].path,
                        importing->teaching->project.data != importing->project ? "its project is no longer open"
                                                                                : "a class was deleted or renamed");
        end(importing, SHW_ERROR_CANCELLED);
        return;
    }
    if (shw_project_is_painting(importing->teaching->project.data)) /* labels would end the stroke: they wait */
        return;
    if (importing->state == VIEW_IMPORT_READING)
        take_labels(importing);
    if (importing->state == VIEW_IMPORT_ASKING || !view_import_job_ended(job))
        return;
    if (importing->state == VIEW_IMPORT_LOOKING)
        finish_looking(importing);
    else
        end(importing, job->result);
}

/* Actions for imports. */

static enum shw_result import(void *user, const char *argument)
{
    struct view_importing *importing = user;

    SHW_PROPAGATE(importing_begin(importing, argument));
    importing->awaited = true;
    return SHW_OK;
}

/* VALUE CLASS, VALUE - or reset. */
static enum shw_result choose(void *user, const char *argument)
{
    struct view_importing *importing = user;
    size_t length = strcspn(argument, " \t");
    const char *name = argument + length + strspn(argument + length, " \t");
    struct view_import_value value;
    char text[16];

    if (strcmp(argument, "reset") == 0)
        return importing_choose(importing, NULL, "");
    snprintf(text, sizeof text, "%.*s", (int)length, argument);
    if (length >= sizeof text || *name == '\0' || !view_import_value_parse(text, &value))
        return view_action_refuse(&importing->teaching->scene->log,
                                  "a value like 255 or #ff0000, and a class or - for nothing", argument);
    return importing_choose(importing, &value, strcmp(name, "-") == 0 ? "" : name);
}

static enum shw_result answer(void *user, const char *argument)
{
    struct view_importing *importing = user;

    if (strcmp(argument, "import") != 0 && strcmp(argument, "cancel") != 0)
        return view_action_refuse(&importing->teaching->scene->log, "import or cancel", argument);
    SHW_PROPAGATE(importing_answer(importing, strcmp(argument, "import") == 0));
    importing->awaited = importing->state == VIEW_IMPORT_READING;
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"import", "FILE|FOLDER",
     "import a mask or a label image as strokes on the shown picture, or those of a folder onto the pictures of their "
     "names; scripts wait for the end",
     import},
    {"import-value", "VALUE CLASS|VALUE -|reset",
     "say which class, new or not, a value or colour (#RRGGBB) of imported masks means; -: none; reset: forget it",
     choose},
    {"import-answer", "import|cancel", "answer what the values of a mask mean, as `import-value` has said", answer},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_import_group = {"Import", actions, keys};
