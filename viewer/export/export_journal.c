#include "export/export_journal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/log.h"
#include "files/output/label_tables.h"

_Static_assert(VIEW_EXPORT_KEYS == VIEW_FROM_COUNT, "a key for each");

/* The digest of the forest with the settings of labels and overlays and, if they are wanted, of objects. */
static struct shw_digest digest_settings(const struct view_export_job *job, bool objects)
{
    struct shw_label_job labels = {.forest = job->forest->forest, .smoothing = job->forest->smoothing};

    if (objects)
        labels.each.objects = job->each.objects;
    labels.content.scale_bar = job->scale_bar;
    if (job->scale_bar)
        labels.each.objects.pixel_size = job->each.objects.pixel_size;
    return shw_label_settings_digest(&labels);
}

static void add_classes(struct shw_digester *digester, const struct shw_class *classes, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        shw_digester_add_text(digester, classes[c].name);
        shw_digester_add(digester, classes[c].colour, sizeof classes[c].colour);
    }
}

/* Names and colours of classes are in label images and their list. */
static struct shw_digest make_key(const struct view_export_job *job, enum view_export_from from)
{
    struct shw_digester *digester = shw_digester_create();

    if (digester == NULL)
        return (struct shw_digest){""};
    if (job->forest != NULL) {
        const struct shw_forest_info *info = shw_forest_get_info(job->forest->forest);
        shw_digester_add_text(digester,
                              digest_settings(job, from == VIEW_FROM_OBJECTS || from == VIEW_FROM_PICTURES).text);
        add_classes(digester, info->classes, info->class_count);
        if (job->power != NULL)
            shw_digester_add_text(digester, "calibrated");
    }
    if (from == VIEW_FROM_CLASSES)
        add_classes(digester, job->classes, job->class_count);
    if (from == VIEW_FROM_PICTURES)
        for (uint32_t i = 0; i < job->item_count; i++)
            shw_digester_add_text(digester, job->items[i].place + strlen(job->path));
    return shw_digester_end(&digester);
}

static struct shw_digest stroke_key(const struct view_export_job *job, uint32_t painted)
{
    const struct shw_project_picture picture = shw_project_get_picture(job->project.data, painted);
    const size_t size = (size_t)picture.width * picture.height * sizeof(uint16_t);
    struct shw_digester *digester = shw_digester_create();
    uint16_t *strokes = malloc(size);

    if (digester != NULL && strokes != NULL &&
        shw_project_copy_labels(job->project.data, painted, 0, 0, picture.width, picture.height, 1, strokes) ==
            SHW_OK) {
        add_classes(digester, job->classes, job->class_count);
        shw_digester_add(digester, strokes, size);
    }
    free(strokes);
    return shw_digester_end(&digester);
}

static struct shw_digest key_of(const struct view_export_job *job, const struct view_export_file *file)
{
    return file->from == VIEW_FROM_STROKES ? stroke_key(job, file->painted) : job->keys[file->from];
}

/* The path in the folder. */
static const char *place_of(const struct view_export_job *job, const char *path)
{
    return path + strlen(job->path) + 1;
}

enum view_export_from view_export_from(const struct view_export_job *job, const struct shw_picture_files *files,
                                       const char *path)
{
    const struct shw_label_files *labels = &job->each.labels;

    for (uint32_t e = 0; e < labels->count; e++)
        if (files->labels[e] == path)
            return shw_label_outputs[labels->entries[e].output]->needs != 0 ? VIEW_FROM_FOREST : VIEW_FROM_STROKES;
    return VIEW_FROM_OBJECTS;
}

enum shw_result view_export_journal_read(struct view_export_job *job)
{
    for (int from = 0; from < VIEW_EXPORT_KEYS; from++)
        job->keys[from] = make_key(job, (enum view_export_from)from);
    job->journal = shw_result_journal_look(job->path, SHW_EXPORT_JOURNAL);
    return job->keys[VIEW_FROM_FOREST].text[0] != '\0' ? SHW_OK : shw_fail_memory(&job->log, job->path);
}

enum shw_result view_export_journal_open(struct view_export_job *job)
{
    shw_result_journal_close(&job->journal);
    return shw_result_journal_open(&job->log, job->path, SHW_EXPORT_JOURNAL, job->files.overwrite, &job->journal);
}

enum shw_result_known view_export_knows(const struct view_export_job *job, const struct view_export_file *file)
{
    const struct shw_digest key = key_of(job, file);

    return job->journal != NULL ? shw_result_journal_knows(job->journal, place_of(job, file->path), &key)
                                : SHW_RESULT_UNKNOWN;
}

bool view_export_keeps(const struct view_export_job *job, const struct view_export_file *file)
{
    struct stat status;

    return job->settings.existing == VIEW_EXPORT_MISSING && lstat(file->path, &status) == 0 &&
           !(view_export_knows(job, file) == SHW_RESULT_OTHER &&
             shw_result_journal_is_unchanged(job->journal, place_of(job, file->path)));
}

static struct view_export_file table_of(const struct view_export_job *job)
{
    return (struct view_export_file){job->table_path, VIEW_FROM_PICTURES, UINT32_MAX};
}

bool view_export_keeps_table(const struct view_export_job *job)
{
    const struct view_export_file table = table_of(job);
    const bool outdated = job->renews && view_export_knows(job, &table) == SHW_RESULT_SAME &&
                          shw_result_journal_is_unchanged(job->journal, place_of(job, table.path));

    return !outdated && view_export_keeps(job, &table);
}

/* What a table that lacks pictures has instead of its key. */
static struct shw_digest part_key(void)
{
    struct shw_digester *digester = shw_digester_create();

    if (digester != NULL)
        shw_digester_add_text(digester, "a part of the pictures");
    return shw_digester_end(&digester);
}

bool view_export_table_is_part(const struct view_export_job *job)
{
    const struct shw_digest key = part_key();

    return job->journal != NULL &&
           shw_result_journal_knows(job->journal, place_of(job, job->table_path), &key) == SHW_RESULT_SAME;
}

static enum shw_result note(struct view_export_job *job, const char *path, const struct shw_digest *key)
{
    struct shw_digest digest;
    json_t *entry;
    enum shw_result result;

    if (job->journal == NULL || !shw_digest_file(path, &digest))
        return SHW_OK;
    entry = json_pack("{s:s, s:{s:s}}", "key", key->text, "files", place_of(job, path), digest.text);
    if (entry == NULL) /* a name that is not UTF-8 */
        return SHW_OK;
    result = shw_result_journal_add(job->journal, place_of(job, path), entry);
    json_decref(entry);
    return result;
}

enum shw_result view_export_journal_note(struct view_export_job *job, const struct view_export_file *file)
{
    const struct shw_digest key = key_of(job, file);

    return note(job, file->path, &key);
}

enum shw_result view_export_journal_note_table(struct view_export_job *job, bool complete)
{
    const struct shw_digest key = complete ? job->keys[VIEW_FROM_PICTURES] : part_key();
    const enum shw_result result = note(job, job->table_path, &key);

    if (result != SHW_OK && !complete)
        unlink(job->table_path);
    return result;
}
