#include "cli/label_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "cli/commands.h"

int cli_take_parts(const struct shw_command *command, struct cli_label_parts *parts, struct shw_shard *shard)
{
    return parts->shard_text != NULL ? cli_take_shard(command, parts->shard_text, shard) : SHW_CONTINUE;
}

bool cli_parts_are_wanted(const struct cli_label_parts *parts)
{
    return parts->resume || parts->shard_text != NULL;
}

/* Whether a path is in the folder of results, where the files of other shards would appear among the images. */
static bool is_among_results(const char *path, const struct stat *output)
{
    const size_t length = (size_t)(shw_path_last(path) - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    struct stat status;
    const bool is = folder != NULL && stat(folder, &status) == 0 && status.st_dev == output->st_dev &&
                    status.st_ino == output->st_ino;

    free(folder);
    return is;
}

static int check_folder(const struct shw_label_job *job, const struct shw_image_list *images)
{
    const char *last = NULL; /* whose folder was looked at */
    struct stat output;

    if (stat(job->output, &output) != 0)
        return SHW_CONTINUE;
    for (uint32_t i = 0; i < images->whole.count; i++) {
        const char *path = images->whole.paths[i];

        if (last == NULL || !shw_names_same_folder(last, path)) {
            last = path;
            if (is_among_results(path, &output))
                return shw_usage_error(&cli_label,
                                       "--shard: the results of other shards would appear among the images in %s: "
                                       "choose another folder with --output",
                                       job->output);
        }
    }
    return SHW_CONTINUE;
}

int cli_check_parts(const struct cli_label_parts *parts, const struct shw_label_job *job,
                    const struct shw_image_list *images, uint32_t videos, bool from_project)
{
    const char *option = parts->shard_text != NULL ? "--shard" : parts->resume ? "--resume" : "--plan";

    if (!cli_parts_are_wanted(parts) && !parts->plan)
        return SHW_CONTINUE;
    if (from_project && !cli_parts_are_wanted(parts))
        return shw_usage_error(&cli_label, "--plan is for forests: a project must be trained first");
    if (from_project && parts->shard_text != NULL)
        return shw_usage_error(&cli_label, "--shard is for forests: name that of the project, which is in the output "
                                           "folder once images were labelled");
    if (from_project)
        return shw_usage_error(&cli_label, "--resume is for forests: with a project, nothing else is done anyway");
    if (videos > 0)
        return shw_usage_error(&cli_label, "%s is for images: videos are labelled as a whole", option);
    if (job->frames)
        return shw_usage_error(&cli_label, "%s and --frames exclude each other: a frame needs the one before it",
                               option);
    return check_folder(job, images);
}

static int exit_code_of(enum shw_result opened)
{
    if (opened == SHW_ERROR_ARGUMENT)
        return SHW_EXIT_USAGE;
    return opened == SHW_OK ? SHW_CONTINUE : shw_exit_code(opened);
}

int cli_open_journal(struct shw_label_job *job)
{
    return exit_code_of(shw_label_journal_open(&job->log, job->output, shw_label_journal_name(job->shard).text,
                                               job->outputs.overwrite, &job->journal));
}

static int take_journal(struct cli_label_parts *parts, struct shw_label_job *job)
{
    if (parts->own == NULL)
        return cli_open_journal(job);
    job->journal = parts->own;
    parts->own = NULL;
    return exit_code_of(shw_label_journal_take(job->journal, &job->log, job->outputs.overwrite));
}

static bool is_own(const struct shw_label_job *job, const struct shw_shard *shard)
{
    return shard->count == job->shard.count && shard->number == job->shard.number;
}

/* Journals of as many shards have no images of this one. A plan only reads its own. */
static void look_at(struct cli_label_parts *parts, struct shw_label_job *job, const char *name)
{
    struct shw_shard shard;
    struct shw_label_journal *journal;

    if (!shw_label_journal_parse_name(name, &shard) || (shard.count == job->shard.count && !is_own(job, &shard)))
        return;
    journal = shw_label_journal_look(job->output, name);
    if (journal == NULL)
        return;
    shw_listed_files_add_all(&parts->facts, shw_label_journal_facts(journal));
    if (is_own(job, &shard) && !parts->plan)
        parts->own = journal;
    else
        job->others[job->other_count++] = journal;
}

struct shw_listed_files *cli_parts_files(struct cli_label_parts *parts)
{
    return cli_parts_are_wanted(parts) ? &parts->facts : NULL;
}

int cli_look_at_parts(struct cli_label_parts *parts, struct shw_label_job *job)
{
    struct shw_image_paths paths = {0};
    bool fine;

    if (!cli_parts_are_wanted(parts))
        return SHW_CONTINUE;
    fine = shw_label_journals_list(job->output, &paths);
    job->others = fine ? calloc(paths.count + (size_t)1, sizeof *job->others) : NULL;
    fine = job->others != NULL;
    for (uint32_t i = 0; i < paths.count && fine; i++)
        look_at(parts, job, shw_path_last(paths.paths[i]));
    shw_image_paths_free(&paths);
    return fine ? SHW_CONTINUE : shw_exit_code(shw_fail_memory(&job->log, job->output));
}

/* Of the forest's file, with the texts that it may bring, of plugins, and of the focal length. */
static struct shw_digest digest_model(const struct cli_code *code, const struct cli_focal *focal, const char *model)
{
    struct shw_digester *digester = shw_digester_create();
    struct shw_digest digest;
    bool complete = digester != NULL && shw_digester_add_file(digester, model);

    for (uint32_t i = 0; i < code->plugin_paths.count && complete; i++)
        complete = shw_digester_add_file(digester, code->plugin_paths.items[i]);
    if (complete)
        shw_digester_add(digester, &focal->given, sizeof focal->given);
    digest = shw_digester_end(&digester);
    return complete ? digest : (struct shw_digest){""};
}

int cli_open_parts(struct cli_label_parts *parts, struct cli_report *report, const struct cli_code *code,
                   const struct cli_focal *focal, const char *model, struct shw_label_job *job)
{
    int exit = parts->plan ? SHW_CONTINUE : cli_make_folder(report, job->output);

    job->model = digest_model(code, focal, model);
    if (exit == SHW_CONTINUE && job->model.text[0] == '\0')
        exit = cli_fail(report, "%s can be read only once, so that --resume cannot know it again: pass a file", model);
    if (exit != SHW_CONTINUE || parts->plan)
        return exit;
    exit = take_journal(parts, job);
    return exit == SHW_CONTINUE ? exit_code_of(shw_label_journal_add_facts(job->journal, &parts->facts)) : exit;
}

void cli_close_parts(struct cli_label_parts *parts, struct shw_label_job *job)
{
    shw_label_journal_close(&job->journal);
    shw_label_journal_close(&parts->own);
    for (uint32_t i = 0; i < job->other_count; i++)
        shw_label_journal_close(&job->others[i]);
    free(job->others);
    job->others = NULL;
    job->other_count = 0;
    shw_listed_files_free(&parts->facts);
}
