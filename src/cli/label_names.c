#include "cli/label_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/log.h"
#include "cli/label.h"
#include "files/dataset/pattern.h"
#include "files/io/image_paths.h"

enum { RECENT = 1 << 20 };

/* A name whose results are somewhere, by hashes. */
struct recent {
    uint64_t place, path;
};

struct naming {
    struct cli_labelling *command;
    FILE *stream;
    uint32_t labelled, up_to_date, failed;
    enum shw_result result; /* of the last image that failed */
    struct recent *recent;  /* of the last names, as many as there are slots for */

    /* With a journal: the images of the tables. */
    struct shw_image_list images;
    json_t *places;
};

int cli_label_names_check(const struct cli_labelling *command, bool from_project, int arguments)
{
    const struct shw_label_job *job = &command->job;

    if (arguments > 0)
        return shw_usage_error(&cli_label, "--files-from and images as arguments exclude each other");
    if (from_project)
        return shw_usage_error(&cli_label, "--files-from is for forests: name that of the project, which is in the "
                                           "output folder once images were labelled");
    for (uint32_t i = 0; i < job->input_count; i++)
        if (shw_pattern_places(job->inputs[i].path) == 0)
            return shw_usage_error(&cli_label,
                                   "--input %s=%s would be the %s of all images: write {} for the image's name",
                                   job->inputs[i].name, job->inputs[i].path, job->inputs[i].name);
    return SHW_CONTINUE;
}

/* One line, at once: a caller may wait for it. */
static void answer(const struct naming *naming, const char *name, const char *what, const char *why)
{
    printf("%s\t%s", what, name);
    if (why != NULL)
        printf("\t%s", why);
    putchar(naming->command->names.null ? '\0' : '\n');
    fflush(stdout);
}

static void answer_json(const struct naming *naming, json_t *document)
{
    json_dumpf(document, stdout, JSON_COMPACT);
    putchar(naming->command->names.null ? '\0' : '\n');
    fflush(stdout);
    json_decref(document);
}

static void report_image(void *user, const struct shw_image_entry *image, const struct shw_label_done *done)
{
    struct naming *naming = user;

    naming->up_to_date += done->up_to_date;
    naming->labelled += !done->up_to_date;
    if (naming->command->report.json)
        answer_json(naming, cli_labelling_pack_image(naming->command, image, done));
    else
        answer(naming, image->path, done->up_to_date ? "up to date" : "labelled", NULL);
}

static void report_failure(struct naming *naming, const char *name, enum shw_result result)
{
    naming->failed++;
    naming->result = result;
    if (naming->command->report.json)
        answer_json(naming, json_pack("{s:o, s:b, s:o}", "image", shw_json_text(name), "failed", 1, "reason",
                                      shw_json_text(shw_last_error())));
    else
        answer(naming, name, "failed", shw_last_error());
}

static void begin_image(void *user)
{
    struct naming *naming = user;

    naming->command->report.failed = false;
}

static struct recent recent_of(const struct shw_image_entry *image)
{
    return (struct recent){XXH3_64bits(image->place, strlen(image->place)),
                           XXH3_64bits(image->path, strlen(image->path))};
}

/* Refuses a name whose results would replace those of another image. */
static enum shw_result check_recent(const struct naming *naming, const struct shw_image_entry *image,
                                    const struct shw_log *log)
{
    const struct recent now = recent_of(image), *slot = &naming->recent[now.place % RECENT];

    if (slot->place == now.place && slot->path != 0 && slot->path != now.path)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s would produce files of the same name as another image before it: rename one, or label it "
                        "with another --output",
                        image->path);
    return SHW_OK;
}

/* An image whose results have been written. */
static void note_recent(struct naming *naming, const struct shw_image_entry *image)
{
    const struct recent now = recent_of(image);

    naming->recent[now.place % RECENT] = now;
}

static enum shw_result check_name(const struct naming *naming, const struct shw_image_entry *image, size_t length,
                                  const struct shw_log *log)
{
    struct stat status;

    if (strlen(image->path) < length)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: a zero byte follows: --null is for names that end with it", image->path);
    if (stat(image->path, &status) == 0 && S_ISDIR(status.st_mode))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is a folder: name the images in it",
                        image->path);
    if (cli_is_video(image->path))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is a video: name images, or pass it alone",
                        image->path);
    return check_recent(naming, image, log);
}

/* The tables have each image once, where its name came first. */
static enum shw_result remember(struct naming *naming, const struct shw_image_entry *image, const struct shw_log *log)
{
    struct shw_image_entry copy = {.path = strdup(image->path), .place = strdup(image->place)};

    if (copy.path != NULL && copy.place != NULL &&
        SHW_RESERVE(naming->images.list, naming->images.capacity, naming->images.count + (size_t)1) &&
        json_object_set_new_nocheck(naming->places, image->place, json_true()) == 0) {
        naming->images.list[naming->images.count++] = copy;
        return SHW_OK;
    }
    free(copy.path);
    free(copy.place);
    return shw_fail_memory(log, image->path);
}

static enum shw_result label_image(struct naming *naming, const struct shw_image_entry *image, size_t length)
{
    struct shw_label_job *job = &naming->command->job;
    const struct shw_log log = cli_log(&naming->command->report);

    begin_image(naming);
    SHW_PROPAGATE(check_name(naming, image, length, &log));
    SHW_PROPAGATE(shw_label_job_single(job, image));
    note_recent(naming, image);
    if (job->resume.journal != NULL && json_object_get(naming->places, image->place) == NULL)
        return remember(naming, image, &log);
    return SHW_OK;
}

static enum shw_result label_name(struct naming *naming, char *name, size_t length)
{
    const uint32_t page = naming->command->page;
    char base[SHW_BASE_NAME_SIZE];
    struct shw_image_entry image = {.path = name};
    uint32_t named;
    char *with_page = NULL;
    enum shw_result result;

    (void)shw_image_page_of(name, &named);
    if (page > 0 && named == 0)
        image.path = with_page = shw_image_page_path(name, page);
    if (image.path == NULL)
        return shw_fail_memory(NULL, name);
    image.place = (char *)(uintptr_t)shw_image_base_name(image.path, base);
    result = label_image(naming, &image, strlen(image.path) + (length - strlen(name))); /* with what follows a zero */
    free(with_page);
    return result;
}

/* Until the names end, or nobody reads the answers. */
static int label_names(struct naming *naming)
{
    const int end = naming->command->names.null ? '\0' : '\n';
    char *name = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    int code = SHW_EXIT_SUCCESS;

    while (!ferror(stdout) && (errno = 0, length = getdelim(&name, &capacity, end, naming->stream)) > 0) {
        enum shw_result result;

        if (name[length - 1] == end)
            name[--length] = '\0';
        if (length == 0)
            continue;
        result = label_name(naming, name, (size_t)length);
        if (result != SHW_OK)
            report_failure(naming, name, result);
    }
    if (ferror(naming->stream) || (length < 0 && !feof(naming->stream) && !ferror(stdout)))
        code = cli_fail(&naming->command->report, "cannot read the names of images from %s: %s",
                        naming->command->names.path, strerror(errno));
    free(name);
    return code;
}

static int end(struct naming *naming)
{
    struct cli_labelling *command = naming->command;
    const uint32_t done = naming->labelled + naming->up_to_date;
    int code = done > 0 ? shw_exit_code(shw_label_job_end(&command->job, &naming->images)) : SHW_EXIT_SUCCESS;

    cli_say(&command->report, "%u %s labelled, %u up to date, %u failed, in %s", naming->labelled,
            naming->labelled == 1 ? "image" : "images", naming->up_to_date, naming->failed, command->job.output);
    if (naming->failed == 0)
        return code;
    return done + naming->failed > 1 ? SHW_EXIT_FAILURE : shw_exit_code(naming->result);
}

static int run(struct naming *naming)
{
    struct shw_label_job *job = &naming->command->job;
    int code;

    job->user = naming;
    job->begin = begin_image;
    job->report = report_image;
    job->progress = NULL;
    code = shw_exit_code(shw_label_job_begin(job));
    if (code == SHW_EXIT_SUCCESS)
        code = label_names(naming);
    if (code == SHW_EXIT_SUCCESS)
        code = end(naming);
    return code;
}

int cli_label_names_run(struct cli_labelling *command)
{
    const char *path = command->names.path;
    struct naming naming = {.command = command,
                            .stream = cli_is_standard_output(path) ? stdin : fopen(path, "rb"),
                            .recent = calloc(RECENT, sizeof *naming.recent),
                            .places = json_object()};
    int code;

    if (naming.stream == NULL)
        code = cli_fail(&command->report, "cannot open %s: %s", path, strerror(errno));
    else if (naming.recent == NULL || naming.places == NULL)
        code = cli_fail(&command->report, "not enough memory for the names of images");
    else
        code = run(&naming);
    if (naming.stream != NULL && naming.stream != stdin)
        fclose(naming.stream);
    shw_image_list_free(&naming.images);
    json_decref(naming.places);
    free(naming.recent);
    return code;
}
