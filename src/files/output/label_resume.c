#include "files/output/label_resume.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/io/file_state.h"
#include "files/io/image_paths.h"
#include "files/output/label_tables.h"

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
static struct shw_digest look_at_inputs(const struct shw_label_job *job, const char *image, bool fresh)
{
    struct looking looking = {.digester = shw_digester_create()};
    struct shw_input_file inputs[SHW_INPUTS_MAX];
    const uint32_t count = shw_label_job_inputs(job, image, inputs);
    struct shw_digest digest;
    enum shw_result listed;

    if (looking.digester == NULL)
        return (struct shw_digest){""};
    listed = shw_image_inputs_list(image, inputs, count, add_input, &looking, NULL);
    digest = shw_digester_end(&looking.digester);
    return listed == SHW_OK && !looking.missing && (fresh || !looking.fresh) ? digest : (struct shw_digest){""};
}

static enum shw_result add_output(void *user, const char *path, const struct shw_file_kind *kind)
{
    (void)kind;
    add_state(user, path); /* only one of the two images of object numbers is there */
    return SHW_OK;
}

static struct shw_digest seen(const struct shw_label_job *job, const struct shw_image_entry *image,
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
    listed = shw_label_job_visit_outputs(job, image, add_output, &looking);
    digest = shw_digester_end(&looking.digester);
    return listed == SHW_OK ? digest : (struct shw_digest){""};
}

struct shw_label_stamp shw_label_stamp_make(const struct shw_label_job *job, const char *image)
{
    struct shw_label_stamp stamp = {.inputs = look_at_inputs(job, image, false)};

    stamp.key = shw_label_key(job, image);
    return stamp;
}

struct shw_digest shw_label_seen(const struct shw_label_job *job, const struct shw_image_entry *image,
                                 const struct shw_label_stamp *stamp)
{
    return seen(job, image, &stamp->inputs);
}

/* The job's own journal, if it has one, and then the others. */
static uint32_t journal_count(const struct shw_label_job *job)
{
    return job->other_count + (job->journal != NULL);
}

static struct shw_label_journal *journal_of(const struct shw_label_job *job, uint32_t number)
{
    if (job->journal == NULL)
        return job->others[number];
    return number == 0 ? job->journal : job->others[number - 1];
}

/* Whether a journal has the image as it is, and nothing was touched. */
static bool is_untouched(const struct shw_label_journal *journal, const char *place, const struct shw_digest *way,
                         const struct shw_digest *now)
{
    const char *known = shw_label_journal_seen(journal, place), *known_way = shw_label_journal_way(journal, place);

    return known != NULL && known_way != NULL && now->text[0] != '\0' && strcmp(known, now->text) == 0 &&
           strcmp(known_way, way->text) == 0;
}

/* Whether the rows in a journal are plausible. */
static bool are_rows_sound(const struct shw_label_job *job, const struct shw_label_journal *journal, const char *place)
{
    json_t *entry = shw_label_journal_read(journal, place);
    const bool sound = shw_label_rows_are_sound(job, entry);

    json_decref(entry);
    if (!sound)
        shw_label_journal_warn(journal, place);
    return sound;
}

/* How images are that are not up to date. */
struct reasons {
    uint32_t settings; /* were labelled with others */
};

static void say_why(const struct shw_label_job *job, const struct shw_image_entry *image, const struct shw_digest *way,
                    struct shw_digest key, struct reasons *reasons)
{
    for (uint32_t j = 0; j < journal_count(job); j++) {
        const char *known = shw_label_journal_way(journal_of(job, j), image->place);

        if (known == NULL || strcmp(known, way->text) != 0) {
            reasons->settings += known != NULL && j == 0;
        } else if (shw_label_journal_knows(journal_of(job, j), image->place, &key) == SHW_LABEL_OTHER &&
                   key.text[0] != '\0') {
            shw_log_message(&job->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s or what belongs to it was changed since it was labelled: it is labelled again",
                            image->path);
            return;
        }
    }
}

/* By the digests of all files. */
static void look_closely(const struct shw_label_job *job, const struct shw_image_entry *image,
                         const struct shw_digest *way, struct reasons *reasons, struct shw_label_look *look)
{
    const struct shw_digest key = shw_label_key(job, image->path);

    for (uint32_t j = 0; j < journal_count(job); j++) {
        struct shw_label_journal *journal = journal_of(job, j);

        if (key.text[0] != '\0' && shw_label_journal_has(journal, image->place, &key) &&
            are_rows_sound(job, journal, image->place)) {
            *look = (struct shw_label_look){.done = true, .from = journal, .renew = true};
            return;
        }
    }
    say_why(job, image, way, key, reasons);
}

static void look_at(const struct shw_label_job *job, const struct shw_image_entry *image, const struct shw_digest *way,
                    struct reasons *reasons, struct shw_label_look *look)
{
    bool known = false;

    for (uint32_t j = 0; j < journal_count(job) && !known; j++)
        known = shw_label_journal_has_entry(journal_of(job, j), image->place);
    if (!known)
        return;
    const struct shw_digest inputs = look_at_inputs(job, image->path, true), now = seen(job, image, &inputs);

    for (uint32_t j = 0; j < journal_count(job); j++)
        if (is_untouched(journal_of(job, j), image->place, way, &now)) {
            *look = (struct shw_label_look){
                .done = true, .from = journal_of(job, j), .renew = journal_of(job, j) != job->journal};
            return;
        }
    look_closely(job, image, way, reasons, look);
}

enum shw_result shw_label_job_look(struct shw_label_job *job, const struct shw_image_list *images)
{
    struct shw_digest way;
    struct reasons reasons = {0};

    free(job->looks);
    job->looks = calloc(images->count + (size_t)1, sizeof *job->looks);
    if (job->looks == NULL)
        return shw_fail_memory(&job->log, "the list of images");
    shw_label_job_settle(job, images);
    way = shw_label_settings_digest(job);
    for (uint32_t i = 0; i < images->count; i++)
        look_at(job, &images->list[i], &way, &reasons, &job->looks[i]);
    if (reasons.settings > 0)
        shw_log_message(&job->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%u image%s in %s %s labelled by another forest or with other options: %s labelled again",
                        reasons.settings, reasons.settings == 1 ? "" : "s", job->output,
                        reasons.settings == 1 ? "was" : "were", reasons.settings == 1 ? "it is" : "they are");
    return SHW_OK;
}

bool shw_label_job_is_up_to_date(const struct shw_label_job *job, uint32_t i)
{
    return job->looks != NULL && job->looks[i].done;
}

enum shw_result shw_label_job_renew(struct shw_label_job *job, const struct shw_image_entry *image, uint32_t i)
{
    const struct shw_label_look *look = &job->looks[i];
    struct shw_digest inputs, now;
    enum shw_result result;
    json_t *entry;

    if (!look->renew)
        return SHW_OK;
    inputs = look_at_inputs(job, image->path, false);
    now = seen(job, image, &inputs);
    entry = shw_label_journal_read(look->from, image->place);
    if (entry == NULL)
        return shw_fail(&job->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot read the journal entry of %s again",
                        image->place);
    if (look->from == job->journal && now.text[0] == '\0') { /* nothing new is known */
        json_decref(entry);
        return SHW_OK;
    }
    json_object_set_new(entry, "seen", json_string(now.text));
    result = shw_label_journal_add(job->journal, image->place, entry);
    json_decref(entry);
    return result;
}
