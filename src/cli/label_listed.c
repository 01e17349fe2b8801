#include "cli/label_listed.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/label_tables.h"
#include "files/io/image_name.h"

#define THIS_CALL ((uint64_t)1 << 63)

/* Adds the real path of the folder, and the name in it. */
static void add_file(struct shw_digester *digester, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash != NULL ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;

    shw_digester_add_text(digester, real != NULL ? real : folder != NULL ? folder : "");
    shw_digester_add_text(digester, slash != NULL ? slash + 1 : file);
    free(real);
    free(folder);
}

struct shw_digest cli_label_file(const char *path)
{
    struct shw_digester *digester = shw_digester_create();
    uint32_t page;
    char *file = shw_image_file_of(path, &page);

    page = page > 0 ? page : 1;
    if (digester != NULL) {
        add_file(digester, file != NULL ? file : path);
        shw_digester_add(digester, &page, sizeof page);
    }
    free(file);
    return shw_digester_end(&digester);
}

/* Of an entry of the record; earlier versions have noted the path alone. */
static struct shw_digest file_of(const json_t *entry)
{
    const char *known = json_string_value(json_object_get(entry, "file"));
    const char *path = json_string_value(json_object_get(entry, "path"));
    struct shw_digest file = {""};

    if (known == NULL || strlen(known) >= sizeof file.text)
        return path != NULL ? cli_label_file(path) : file;
    strcpy(file.text, known);
    return file;
}

/* Whether an image of the record was labelled as this call would, and has rows. */
static bool is_alike(const struct cli_labelling *labelling, const json_t *entry, const struct shw_digest *way)
{
    const char *known = json_string_value(json_object_get(entry, "way"));

    return known != NULL && strcmp(known, way->text) == 0 && cli_label_rows_are_sound(labelling, entry) &&
           json_is_string(json_object_get(entry, "path"));
}

static int compare_places(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The places of this call's images, sorted; to be freed. NULL if memory is exhausted. */
static const char **sort_places(const struct cli_image_list *images)
{
    const char **places = malloc((images->count + (size_t)1) * sizeof *places);

    for (uint32_t i = 0; places != NULL && i < images->count; i++)
        places[i] = images->list[i].place;
    if (places != NULL)
        qsort(places, images->count, sizeof *places, compare_places);
    return places;
}

static void add_these(const struct cli_image_list *images, const bool *done, struct cli_listing *listing)
{
    for (uint32_t i = 0; i < images->count; i++)
        if (done[i])
            listing->list[listing->count++] = (struct cli_listed){.place = images->list[i].place,
                                                                  .file = cli_label_file(images->list[i].path),
                                                                  .order = THIS_CALL + i,
                                                                  .alike = true};
}

/* An image that is not among this call's, if its files are still there. */
static void add_other(const struct cli_labelling *labelling, const char *place, const struct shw_digest *way,
                      struct cli_listing *listing)
{
    json_t *entry = cli_label_journal_read(labelling->record, place);

    if (entry != NULL && cli_label_journal_has_files(labelling->record, entry))
        listing->list[listing->count++] =
            (struct cli_listed){.place = place,
                                .file = file_of(entry),
                                .order = cli_label_journal_order(labelling->record, place),
                                .alike = is_alike(labelling, entry, way)};
    json_decref(entry);
}

/* Those of one picture together, the one to be chosen first. */
static int compare_listed(const void *a, const void *b)
{
    const struct cli_listed *x = *(struct cli_listed *const *)a, *y = *(struct cli_listed *const *)b;
    int files = strcmp(x->file.text, y->file.text);

    if (files != 0)
        return files;
    return x->alike != y->alike ? (int)y->alike - (int)x->alike : (x->order < y->order) - (x->order > y->order);
}

static enum shw_result choose(struct cli_listing *listing, const struct shw_log *log)
{
    struct cli_listed **sorted = malloc((listing->count + (size_t)1) * sizeof *sorted), *last = NULL;

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

enum shw_result cli_listing_make(const struct cli_labelling *labelling, const struct cli_image_list *images,
                                 const bool *done, const struct shw_log *log, struct cli_listing *listing)
{
    const struct shw_digest way = cli_label_settings_digest(labelling);
    const char **these = sort_places(images);
    uint32_t count = 0;
    enum shw_result result = SHW_ERROR_MEMORY;

    *listing = (struct cli_listing){.places = cli_label_journal_places(labelling->record, &count)};
    listing->list = malloc(((size_t)images->count + count + 1) * sizeof *listing->list);
    if (listing->places != NULL && these != NULL && listing->list != NULL) {
        add_these(images, done, listing);
        for (uint32_t i = 0; i < count; i++)
            if (bsearch(&listing->places[i], these, images->count, sizeof *these, compare_places) == NULL)
                add_other(labelling, listing->places[i], &way, listing);
        result = choose(listing, log);
    } else {
        shw_fail_memory(log, "the names of images");
    }
    free(these);
    return result;
}

void cli_listing_free(struct cli_listing *listing)
{
    free(listing->list);
    free(listing->places);
    *listing = (struct cli_listing){.list = NULL};
}
