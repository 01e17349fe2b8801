#include "files/output/resume.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/log.h"
#include "files/io/image_paths.h"

struct listed_image {
    const char *place;      /* borrowed */
    struct shw_digest file; /* which picture it is */
    uint64_t order;         /* greater for those labelled later, and for those of this call */
    bool alike;             /* labelled as this call would: there are rows for the tables */
    bool chosen;            /* the latest of its picture, of those that are alike if any is */
};

struct listing {
    struct listed_image *list; /* the images of this call, in its order; then the others, in that of their places */
    uint32_t count;
    uint32_t left_out; /* pictures that are not alike */
    uint32_t repeated; /* further places of pictures that are listed */
    const char **places;
};

#define THIS_CALL ((uint64_t)1 << 63)

/* Adds the real path of the folder, and the name in it. */
static void add_real_path(struct shw_digester *digester, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash != NULL ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;

    shw_digester_add_text(digester, real != NULL ? real : folder != NULL ? folder : "");
    shw_digester_add_text(digester, slash != NULL ? slash + 1 : file);
    free(real);
    free(folder);
}

struct shw_digest shw_picture_digest(const char *path)
{
    struct shw_digester *digester = shw_digester_create();
    uint32_t page;
    char *file = shw_image_file_of(path, &page);

    page = page > 0 ? page : 1;
    if (digester != NULL) {
        add_real_path(digester, file != NULL ? file : path);
        shw_digester_add(digester, &page, sizeof page);
    }
    free(file);
    return shw_digester_end(&digester);
}

/* Of an entry of the journal; earlier versions noted only the path. */
static struct shw_digest file_of(const json_t *entry)
{
    const char *known = json_string_value(json_object_get(entry, "file"));
    struct shw_digest file = {""};
    char *path;

    if (known != NULL && strlen(known) < sizeof file.text) {
        strcpy(file.text, known);
        return file;
    }
    path = shw_json_name_read(json_object_get(entry, "path"));
    if (path != NULL)
        file = shw_picture_digest(path);
    free(path);
    return file;
}

/* Whether an image of the journal was done as this call would, and has rows. */
static bool is_alike(const struct shw_resume *resume, const json_t *entry, const struct shw_digest *settings)
{
    const char *known = json_string_value(json_object_get(entry, "way"));

    return known != NULL && strcmp(known, settings->text) == 0 && resume->kind->is_sound(resume->user, entry) &&
           json_is_string(json_object_get(entry, "path"));
}

static int compare_places(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The places of the images of this call, sorted; to be freed. NULL if memory is exhausted. */
static const char **sort_places(const struct shw_image_list *images)
{
    const char **places = malloc((images->count + (size_t)1) * sizeof *places);

    for (uint32_t i = 0; places != NULL && i < images->count; i++)
        places[i] = images->list[i].place;
    if (places != NULL)
        qsort(places, images->count, sizeof *places, compare_places);
    return places;
}

static void add_these(const struct shw_image_list *images, const bool *done, struct listing *listing)
{
    for (uint32_t i = 0; i < images->count; i++)
        if (done[i])
            listing->list[listing->count++] = (struct listed_image){.place = images->list[i].place,
                                                                    .file = shw_picture_digest(images->list[i].path),
                                                                    .order = THIS_CALL + i,
                                                                    .alike = true};
}

/* An image that is not among this call's, if its files are still there. */
static void add_other(const struct shw_resume *resume, const char *place, const struct shw_digest *settings,
                      struct listing *listing)
{
    json_t *entry = shw_result_journal_read(resume->journal, place);

    if (entry != NULL && shw_result_journal_has_files(resume->journal, entry))
        listing->list[listing->count++] =
            (struct listed_image){.place = place,
                                  .file = file_of(entry),
                                  .order = shw_result_journal_order(resume->journal, place),
                                  .alike = is_alike(resume, entry, settings)};
    json_decref(entry);
}

/* Those of one picture together, the one to be chosen first. */
static int compare_listed(const void *a, const void *b)
{
    const struct listed_image *x = *(struct listed_image *const *)a, *y = *(struct listed_image *const *)b;
    int files = strcmp(x->file.text, y->file.text);

    if (files != 0)
        return files;
    return x->alike != y->alike ? (int)y->alike - (int)x->alike : (x->order < y->order) - (x->order > y->order);
}

static enum shw_result choose(struct listing *listing, const struct shw_log *log)
{
    struct listed_image **sorted = malloc((listing->count + (size_t)1) * sizeof *sorted), *last = NULL;

    if (sorted == NULL)
        return shw_fail_memory(log, "the names of images");
    for (uint32_t i = 0; i < listing->count; i++)
        sorted[i] = &listing->list[i];
    qsort(sorted, listing->count, sizeof *sorted, compare_listed);
    for (uint32_t i = 0; i < listing->count; i++) {
        bool again = last != NULL && last->file.text[0] != '\0' && strcmp(last->file.text, sorted[i]->file.text) == 0;
        sorted[i]->chosen = !again && sorted[i]->alike;
        listing->left_out += !again && !sorted[i]->alike;
        listing->repeated += again;
        last = sorted[i];
    }
    free(sorted);
    return SHW_OK;
}

/* Of the images of this call, those that are `done` may be chosen. Errors: MEMORY. */
static enum shw_result list_images(const struct shw_resume *resume, const struct shw_image_list *images,
                                   const bool *done, struct listing *listing)
{
    const struct shw_digest settings = resume->kind->settings(resume->user);
    const char **these = sort_places(images);
    uint32_t count = 0;
    enum shw_result result = SHW_ERROR_MEMORY;

    *listing = (struct listing){.places = shw_result_journal_places(resume->journal, &count)};
    listing->list = malloc(((size_t)images->count + count + 1) * sizeof *listing->list);
    if (listing->places != NULL && these != NULL && listing->list != NULL) {
        add_these(images, done, listing);
        for (uint32_t i = 0; i < count; i++)
            if (bsearch(&listing->places[i], these, images->count, sizeof *these, compare_places) == NULL)
                add_other(resume, listing->places[i], &settings, listing);
        result = choose(listing, &resume->log);
    } else {
        shw_fail_memory(&resume->log, "the names of images");
    }
    free(these);
    return result;
}

static void free_listing(struct listing *listing)
{
    free(listing->list);
    free(listing->places);
    *listing = (struct listing){.list = NULL};
}

static enum shw_result fail_journal(const struct shw_log *log, const char *place)
{
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot read the journal entry of %s again", place);
}

/* The rows of an image: under the path that this call has, or, if that is NULL, the one in the journal. */
static enum shw_result add_listed(struct shw_resume *resume, const struct listed_image *listed, const char *path,
                                  struct shw_result_tables *tables)
{
    json_t *entry = shw_result_journal_read(resume->journal, listed->place);
    char *recorded = path == NULL ? shw_json_name_read(json_object_get(entry, "path")) : NULL;
    enum shw_result result;

    path = path != NULL ? path : recorded;
    if (path != NULL && resume->kind->is_sound(resume->user, entry))
        result = shw_result_tables_add(tables, path, listed->place, entry);
    else
        result = fail_journal(&resume->log, listed->place);
    free(recorded);
    json_decref(entry);
    return result;
}

static void warn(const struct shw_resume *resume, const struct listing *listing)
{
    const uint32_t left_out = listing->left_out, repeated = listing->repeated;

    if (left_out > 0)
        shw_log_message(&resume->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "the tables in %s leave out %u image%s that %s %s there by another %s or with other "
                        "options: name %s again",
                        resume->output, left_out, left_out == 1 ? "" : "s", left_out == 1 ? "was" : "were",
                        resume->kind->done, resume->kind->model, left_out == 1 ? "it" : "them");
    if (repeated > 0)
        shw_log_message(
            &resume->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
            "the tables in %s list each image once: %u other result%s there %s of images that were %s again under "
            "another name",
            resume->output, repeated, repeated == 1 ? "" : "s", repeated == 1 ? "is" : "are", resume->kind->done);
}

static enum shw_result fill(struct shw_resume *resume, const struct shw_image_list *images, const bool *done,
                            struct shw_result_tables *tables)
{
    struct listing listing = {.list = NULL};
    enum shw_result result = list_images(resume, images, done, &listing);
    uint32_t image = 0;

    for (uint32_t i = 0; i < listing.count && result == SHW_OK; i++) {
        const char *path = NULL;
        while (image < images->count && !done[image])
            image++;
        if (image < images->count)
            path = images->list[image++].path;
        if (listing.list[i].chosen)
            result = add_listed(resume, &listing.list[i], path, tables);
    }
    if (result == SHW_OK)
        warn(resume, &listing);
    free_listing(&listing);
    return result;
}

static enum shw_result write_tables(struct shw_resume *resume, const struct shw_image_list *images, const bool *done,
                                    const struct shw_output_files *outputs, const json_t *columns)
{
    struct shw_result_tables tables = {
        .kind = resume->kind->tables, .log = &resume->log, .outputs = outputs, .journal = resume->journal};
    enum shw_result result = shw_result_tables_begin(&tables, resume->output, columns);

    if (result == SHW_OK)
        result = fill(resume, images, done, &tables);
    if (result == SHW_OK)
        result = shw_result_tables_commit(&tables);
    shw_result_tables_free(&tables);
    return result;
}

enum shw_result shw_resume_write_tables(struct shw_resume *resume, const struct shw_image_list *images,
                                        const bool *done, const struct shw_output_files *outputs)
{
    json_t *columns = resume->kind->columns(resume->user);
    enum shw_result result = write_tables(resume, images, done, outputs, columns);

    json_decref(columns);
    return result;
}
