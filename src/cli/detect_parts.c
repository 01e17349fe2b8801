#include <string.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/detect.h"
#include "files/image/image_choice.h"
#include "files/io/image_paths.h"

#define KEY_VERSION "1" /* of what results look like */

static void add_reals(struct shw_digester *digester, const struct shw_option_reals *reals)
{
    shw_digester_add(digester, &reals->count, sizeof reals->count);
    shw_digester_add(digester, reals->items, reals->count * sizeof *reals->items);
}

/* Everything that results depend on besides the image; not how they are found, which changes none. NULL if memory is
 * exhausted. */
static struct shw_digester *begin_digest(const struct cli_detecting *detecting)
{
    const struct cli_detect_options *options = &detecting->options;
    const struct shw_group_params *grouping = &options->grouping;
    const uint32_t numbers[] = {options->min_size,
                                options->max_size,
                                options->levels_per_octave,
                                options->step,
                                options->min_neighbours,
                                (uint32_t)options->group,
                                (uint32_t)grouping->min_score,
                                grouping->has_min_score,
                                options->csv,
                                options->coco,
                                detecting->info->fraction_bits,
                                detecting->raw,
                                detecting->no_pictures,
                                options->params.scan.angle_count};
    struct shw_digester *digester = shw_digester_create();
    bool fine;
    char *choice = shw_image_choice_format(&detecting->params.choice, &fine);

    if (digester != NULL) {
        shw_digester_add_text(digester, KEY_VERSION);
        shw_digester_add(digester, &detecting->model, sizeof detecting->model);
        shw_digester_add(digester, numbers, sizeof numbers);
        shw_digester_add(digester, options->angle_numbers,
                         options->params.scan.angle_count * sizeof *options->angle_numbers);
        add_reals(digester, &options->scale_factor);
        add_reals(digester, &options->stride);
        add_reals(digester, &options->overlap);
        add_reals(digester, &options->epsilon);
        if (choice != NULL)
            shw_digester_add_text(digester, choice);
    }
    free(choice);
    return digester;
}

static struct shw_digest settings_of(const void *user)
{
    struct shw_digester *digester = begin_digest(user);

    return shw_digester_end(&digester);
}

static struct shw_digest key_of(const void *user, const char *image)
{
    struct shw_digester *digester = begin_digest(user);
    uint32_t page;
    char *file = shw_image_file_of(image, &page);
    bool complete = digester != NULL && file != NULL;
    struct shw_digest key;

    if (complete) {
        shw_digester_add(digester, &page, sizeof page);
        complete = shw_digester_add_file(digester, file);
    }
    free(file);
    key = shw_digester_end(&digester);
    return complete ? key : (struct shw_digest){""};
}

static enum shw_result visit_inputs(const void *user, const char *image, void (*visit)(void *visitor, const char *path),
                                    void *visitor)
{
    (void)user;
    visit(visitor, image);
    return SHW_OK;
}

static enum shw_result visit_outputs(const void *user, const struct shw_image_entry *image, shw_visit_file *visit,
                                     void *visitor)
{
    const struct cli_detecting *detecting = user;
    char *path;
    enum shw_result result;

    if (detecting->no_pictures)
        return SHW_OK;
    path = cli_detect_picture_path(detecting, image);
    result = path != NULL ? visit(visitor, path, &shw_file_detections)
                          : shw_fail_memory(&detecting->resume.log, "the names of files");
    free(path);
    return result;
}

static bool is_sound(const void *user, const json_t *entry)
{
    (void)user;
    return shw_detection_rows_are_sound(entry);
}

static json_t *columns_of(const void *user)
{
    const struct cli_detecting *detecting = user;

    return shw_detection_columns_pack(cli_detect_wanted(detecting), detecting->info->fraction_bits);
}

void cli_detect_begin_parts(struct cli_detecting *detecting)
{
    static const struct shw_resume_kind kind = {.tables = &shw_tables_of_detect,
                                                .done = "searched",
                                                .model = "cascade",
                                                .settings = settings_of,
                                                .key = key_of,
                                                .visit_inputs = visit_inputs,
                                                .visit_outputs = visit_outputs,
                                                .is_sound = is_sound,
                                                .columns = columns_of};

    detecting->resume.kind = &kind;
    detecting->resume.user = detecting;
    detecting->resume.log = cli_log(&detecting->report);
    detecting->resume.output = detecting->output;
}

int cli_detect_check_parts(const struct cli_detecting *detecting, const struct shw_image_list *images,
                           const struct shw_image_list *videos)
{
    if (!cli_parts_are_wanted(&detecting->parts))
        return SHW_CONTINUE;
    if (videos->count > 0)
        return shw_usage_error(&cli_detect, "%s is for images: videos are searched as a whole",
                               detecting->parts.shard_text != NULL ? "--shard" : "--resume");
    return cli_check_parts_folder(&cli_detect, &detecting->resume, images);
}

int cli_detect_open_parts(struct cli_detecting *detecting, const struct shw_image_list *images)
{
    const struct shw_log log = cli_log(&detecting->report);
    int code;

    if (!cli_parts_are_wanted(&detecting->parts))
        return SHW_CONTINUE;
    code = cli_open_journal(&detecting->parts, &detecting->resume, detecting->outputs.overwrite);
    if (code != SHW_CONTINUE)
        return code;
    shw_image_list_settle_choice(images, &detecting->params.choice, &log);
    return shw_resume_look(&detecting->resume, images) == SHW_OK ? SHW_CONTINUE : SHW_EXIT_FAILURE;
}
