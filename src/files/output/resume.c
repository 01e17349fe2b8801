#include "files/output/resume.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/log.h"
#include "files/io/file_state.h"
#include "files/io/image_paths.h"

/* Files being looked at. */
struct looking {
    struct shw_digester *digester;
    bool missing, fresh;
};

static void add_state(struct looking *looking, const char *path)
{
    struct shw_file_state state = {.settled = false};

    if (path == NULL || !shw_file_state_get(path, &state))
        looking->missing = true;
    else
        looking->fresh = looking->fresh || !state.settled;
    shw_digester_add(looking->digester, state.said, sizeof state.said);
}

static void add_input(void *user, const char *path)
{
    struct looking *looking = user;
    uint32_t page;
    char *file = shw_image_file_of(path, &page);

    add_state(looking, file);
    free(file);
}

/* Of the files that are read for an image; empty if one is missing. `fresh`: or was changed just now. */
static struct shw_digest look_at_inputs(const struct shw_resume *resume, const char *image, bool fresh)
{
    struct looking looking = {.digester = shw_digester_create()};
    struct shw_digest digest;
    enum shw_result listed;

    if (looking.digester == NULL)
        return (struct shw_digest){""};
    listed = resume->kind->visit_inputs(resume->user, image, add_input, &looking);
    digest = shw_digester_end(&looking.digester);
    return listed == SHW_OK && !looking.missing && (fresh || !looking.fresh) ? digest : (struct shw_digest){""};
}

static enum shw_result add_output(void *user, const char *path, const struct shw_file_kind *kind)
{
    (void)kind;
    add_state(user, path); /* only one of the two images of object numbers is there */
    return SHW_OK;
}

/* What the system says of all files of an image. Empty: that does not tell later changes. */
static struct shw_digest seen(const struct shw_resume *resume, const struct shw_image_entry *image,
                              const struct shw_digest *inputs)
{
    struct looking looking = {.digester = shw_digester_create()};
    struct shw_digest digest;
    enum shw_result listed;

    if (looking.digester == NULL || inputs->text[0] == '\0') {
        shw_digester_end(&looking.digester);
        return (struct shw_digest){""};
    }
    shw_digester_add_text(looking.digester, inputs->text);
    listed = resume->kind->visit_outputs(resume->user, image, add_output, &looking);
    digest = shw_digester_end(&looking.digester);
    return listed == SHW_OK ? digest : (struct shw_digest){""};
}

struct shw_resume_stamp shw_resume_stamp(const struct shw_resume *resume, const char *image)
{
    struct shw_resume_stamp stamp = {.inputs = look_at_inputs(resume, image, false)};

    stamp.key = resume->kind->key(resume->user, image);
    return stamp;
}

/* That of this call, if it has one, and then the others. */
static uint32_t journal_count(const struct shw_resume *resume)
{
    return resume->other_count + (resume->journal != NULL);
}

static struct shw_result_journal *journal_of(const struct shw_resume *resume, uint32_t number)
{
    if (resume->journal == NULL)
        return resume->others[number];
    return number == 0 ? resume->journal : resume->others[number - 1];
}

/* Whether a journal has the image as it is, and nothing was touched. */
static bool is_untouched(const struct shw_result_journal *journal, const char *place, const struct shw_digest *way,
                         const struct shw_digest *now)
{
    const char *known = shw_result_journal_seen(journal, place), *known_way = shw_result_journal_way(journal, place);

    return known != NULL && known_way != NULL && now->text[0] != '\0' && strcmp(known, now->text) == 0 &&
           strcmp(known_way, way->text) == 0;
}

/* Whether the rows in a journal are plausible. */
static bool are_rows_sound(const struct shw_resume *resume, const struct shw_result_journal *journal, const char *place)
{
    json_t *entry = shw_result_journal_read(journal, place);
    const bool sound = resume->kind->is_sound(resume->user, entry);

    json_decref(entry);
    if (!sound)
        shw_result_journal_warn(journal, place);
    return sound;
}

/* How images are that are not up to date. */
struct reasons {
    uint32_t settings; /* were labelled with others */
};

static void say_why(const struct shw_resume *resume, const struct shw_image_entry *image, const struct shw_digest *way,
                    struct shw_digest key, struct reasons *reasons)
{
    for (uint32_t j = 0; j < journal_count(resume); j++) {
        const char *known = shw_result_journal_way(journal_of(resume, j), image->place);

        if (known == NULL || strcmp(known, way->text) != 0) {
            reasons->settings += known != NULL && j == 0;
        } else if (shw_result_journal_knows(journal_of(resume, j), image->place, &key) == SHW_RESULT_OTHER &&
                   key.text[0] != '\0') {
            shw_log_message(&resume->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s or what belongs to it was changed since it was %s: it is %s again", image->path,
                            resume->kind->done, resume->kind->done);
            return;
        }
    }
}

/* By the digests of all files. */
static void look_closely(const struct shw_resume *resume, const struct shw_image_entry *image,
                         const struct shw_digest *way, struct reasons *reasons, struct shw_resume_look *look)
{
    const struct shw_digest key = resume->kind->key(resume->user, image->path);

    for (uint32_t j = 0; j < journal_count(resume); j++) {
        struct shw_result_journal *journal = journal_of(resume, j);

        if (key.text[0] != '\0' && shw_result_journal_has(journal, image->place, &key) &&
            are_rows_sound(resume, journal, image->place)) {
            *look = (struct shw_resume_look){.done = true, .from = journal, .renew = true};
            return;
        }
    }
    say_why(resume, image, way, key, reasons);
}

static void look_at(const struct shw_resume *resume, const struct shw_image_entry *image, const struct shw_digest *way,
                    struct reasons *reasons, struct shw_resume_look *look)
{
    bool known = false;

    for (uint32_t j = 0; j < journal_count(resume) && !known; j++)
        known = shw_result_journal_has_entry(journal_of(resume, j), image->place);
    if (!known)
        return;
    const struct shw_digest inputs = look_at_inputs(resume, image->path, true), now = seen(resume, image, &inputs);

    for (uint32_t j = 0; j < journal_count(resume); j++)
        if (is_untouched(journal_of(resume, j), image->place, way, &now)) {
            *look = (struct shw_resume_look){
                .done = true, .from = journal_of(resume, j), .renew = journal_of(resume, j) != resume->journal};
            return;
        }
    look_closely(resume, image, way, reasons, look);
}

enum shw_result shw_resume_look(struct shw_resume *resume, const struct shw_image_list *images)
{
    struct shw_digest way;
    struct reasons reasons = {0};

    free(resume->looks);
    resume->looks = calloc(images->count + (size_t)1, sizeof *resume->looks);
    if (resume->looks == NULL)
        return shw_fail_memory(&resume->log, "the list of images");
    way = resume->kind->settings(resume->user);
    for (uint32_t i = 0; i < images->count; i++)
        look_at(resume, &images->list[i], &way, &reasons, &resume->looks[i]);
    if (reasons.settings > 0)
        shw_log_message(&resume->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%u image%s in %s %s %s by another %s or with other options: %s %s again", reasons.settings,
                        reasons.settings == 1 ? "" : "s", resume->output, reasons.settings == 1 ? "was" : "were",
                        resume->kind->done, resume->kind->model, reasons.settings == 1 ? "it is" : "they are",
                        resume->kind->done);
    return SHW_OK;
}

bool shw_resume_is_up_to_date(const struct shw_resume *resume, uint32_t i)
{
    return resume->looks != NULL && resume->looks[i].done;
}

/* The journal's messages are those of whoever has locked it. */
static struct shw_log lock(const struct shw_resume *resume)
{
    if (resume->shared != NULL)
        pthread_mutex_lock(resume->shared);
    return shw_result_journal_set_log(resume->journal, resume->log);
}

static void unlock(const struct shw_resume *resume, struct shw_log before)
{
    (void)shw_result_journal_set_log(resume->journal, before);
    if (resume->shared != NULL)
        pthread_mutex_unlock(resume->shared);
}

/* As shw_resume_renew(), with the mutex. */
static enum shw_result renew(struct shw_resume *resume, const struct shw_image_entry *image, uint32_t i)
{
    const struct shw_resume_look *look = &resume->looks[i];
    struct shw_digest inputs, now;
    enum shw_result result;
    json_t *entry;

    if (!look->renew)
        return SHW_OK;
    inputs = look_at_inputs(resume, image->path, false);
    now = seen(resume, image, &inputs);
    entry = shw_result_journal_read(look->from, image->place);
    if (entry == NULL)
        return shw_fail(&resume->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot read the journal entry of %s again",
                        image->place);
    if (look->from == resume->journal && now.text[0] == '\0') { /* nothing new is known */
        json_decref(entry);
        return SHW_OK;
    }
    json_object_set_new(entry, "seen", json_string(now.text));
    result = shw_result_journal_add(resume->journal, image->place, entry);
    json_decref(entry);
    return result;
}

enum shw_result shw_resume_renew(struct shw_resume *resume, const struct shw_image_entry *image, uint32_t i)
{
    const struct shw_log before = lock(resume);
    const enum shw_result result = renew(resume, image, i);

    unlock(resume, before);
    return result;
}

enum shw_result shw_resume_note(struct shw_resume *resume, const char *path)
{
    const struct shw_log before = lock(resume);
    const enum shw_result result = shw_result_journal_note(resume->journal, path, NULL);

    unlock(resume, before);
    return result;
}

/* The digests of files, collected. */
struct digests {
    const struct shw_resume *resume;
    json_t *files;
};

static enum shw_result add_digest(void *user, const char *path, const struct shw_file_kind *kind)
{
    struct digests *digests = user;
    struct shw_digest digest;
    json_t *name;

    (void)kind;
    if (access(path, F_OK) != 0) /* only one of the two images of object numbers is written */
        return SHW_OK;
    if (!shw_digest_file(path, &digest))
        return shw_fail(&digests->resume->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN,
                        "cannot read %s, which was just written", path);
    name = shw_json_name(path + strlen(digests->resume->output) + 1);
    json_object_set_new(digests->files, json_string_value(name), json_string(digest.text));
    json_decref(name);
    return SHW_OK;
}

enum shw_result shw_resume_add(struct shw_resume *resume, const struct shw_image_entry *image,
                               const struct shw_resume_stamp *stamp, json_t *entry)
{
    struct digests digests = {resume, json_object()};
    enum shw_result result = resume->kind->visit_outputs(resume->user, image, add_digest, &digests);

    json_object_set_new(entry, "key", json_string(stamp->key.text));
    json_object_set_new(entry, "way", json_string(resume->kind->settings(resume->user).text));
    json_object_set_new(entry, "file", json_string(shw_picture_digest(image->path).text));
    json_object_set_new(entry, "path", shw_json_name(image->path));
    json_object_set_new(entry, "files", digests.files);
    json_object_set_new(entry, "seen", json_string(seen(resume, image, &stamp->inputs).text));
    if (result == SHW_OK) {
        const struct shw_log before = lock(resume);

        result = shw_result_journal_add(resume->journal, image->place, entry);
        unlock(resume, before);
    }
    json_decref(entry);
    return result;
}

bool shw_resume_owns(const struct shw_resume *resume, const char *path)
{
    for (uint32_t j = 0; j < journal_count(resume); j++)
        if (shw_result_journal_owns(journal_of(resume, j), path))
            return true;
    return false;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

static bool has_ended_so(const struct shw_resume *resume, const json_t *end, const struct shw_image_list *images)
{
    return end != NULL && strcmp(text_of(end, "list"), shw_image_list_digest(images).text) == 0 &&
           strcmp(text_of(end, "way"), resume->kind->settings(resume->user).text) == 0;
}

enum shw_result shw_resume_begin_shard(struct shw_resume *resume, const struct shw_image_list *images)
{
    json_t *end = shw_result_journal_end(resume->journal);
    bool same = has_ended_so(resume, end, images);

    for (uint32_t i = 0; i < images->count && same; i++)
        same = shw_resume_is_up_to_date(resume, i);
    json_decref(end);
    return same ? SHW_OK : shw_result_journal_add_begin(resume->journal);
}

enum shw_result shw_resume_end_shard(struct shw_resume *resume, const struct shw_image_list *images, const bool *done)
{
    json_t *pictures = json_array(), *failed = json_array(), *last = shw_result_journal_end(resume->journal), *end;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < images->count; i++) {
        const struct shw_image_entry *image = &images->list[i];

        json_array_append_new(
            done[i] ? pictures : failed,
            json_pack("[i, o, o]", (int)image->number, shw_json_name(image->place), shw_json_name(image->path)));
    }
    end = json_pack("{s:[i,i], s:s, s:s, s:i, s:o, s:o, s:o}", "shard", (int)resume->shard.number,
                    (int)resume->shard.count, "way", resume->kind->settings(resume->user).text, "list",
                    shw_image_list_digest(images).text, "files", (int)images->whole.count, "tables",
                    resume->kind->columns(resume->user), "pictures", pictures, "failed", failed);
    if (end == NULL)
        result = shw_fail_memory(&resume->log, "the list of images");
    else if (!json_equal(end, last))
        result = shw_result_journal_add_end(resume->journal, end);
    json_decref(end);
    json_decref(last);
    return result;
}

void shw_resume_close(struct shw_resume *resume)
{
    shw_result_journal_close(&resume->journal);
    for (uint32_t i = 0; i < resume->other_count; i++)
        shw_result_journal_close(&resume->others[i]);
    free(resume->others);
    free(resume->looks);
    resume->others = NULL;
    resume->looks = NULL;
    resume->other_count = 0;
}
