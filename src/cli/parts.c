#include "cli/parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"

int cli_take_parts(const struct shw_command *command, struct cli_parts *parts, struct shw_shard *shard)
{
    return parts->shard_text != NULL ? cli_take_shard(command, parts->shard_text, shard) : SHW_CONTINUE;
}

bool cli_parts_are_wanted(const struct cli_parts *parts)
{
    return parts->resume || parts->shard_text != NULL;
}

struct shw_listed_files *cli_parts_files(struct cli_parts *parts)
{
    return cli_parts_are_wanted(parts) ? &parts->files : NULL;
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

int cli_check_parts_folder(const struct shw_command *command, const struct shw_resume *resume,
                           const struct shw_image_list *images)
{
    const char *last = NULL; /* whose folder was looked at */
    struct stat output;

    if (stat(resume->output, &output) != 0)
        return SHW_CONTINUE;
    for (uint32_t i = 0; i < images->whole.count; i++) {
        const char *path = images->whole.paths[i];

        if (last == NULL || !shw_names_same_folder(last, path)) {
            last = path;
            if (is_among_results(path, &output))
                return shw_usage_error(command,
                                       "--shard: the results of other shards would appear among the images in %s: "
                                       "choose another folder with --output",
                                       resume->output);
        }
    }
    return SHW_CONTINUE;
}

static bool is_own(const struct shw_resume *resume, const struct shw_shard *shard)
{
    return shard->count == resume->shard.count && shard->number == resume->shard.number;
}

/* Journals of as many shards have no images of this one. */
static void look_at(struct cli_parts *parts, struct shw_resume *resume, bool read_only, const char *name)
{
    struct shw_shard shard;
    struct shw_result_journal *journal;

    if (!shw_result_journal_parse_name(resume->kind->tables->command, name, &shard) ||
        (shard.count == resume->shard.count && !is_own(resume, &shard)))
        return;
    journal = shw_result_journal_look(resume->output, name);
    if (journal == NULL)
        return;
    shw_listed_files_add_all(&parts->files, shw_result_journal_listed(journal));
    if (is_own(resume, &shard) && !read_only)
        parts->own = journal;
    else
        resume->others[resume->other_count++] = journal;
}

int cli_look_at_parts(struct cli_parts *parts, struct shw_resume *resume, bool read_only)
{
    struct shw_image_paths paths = {0};
    bool fine;

    if (!cli_parts_are_wanted(parts))
        return SHW_CONTINUE;
    fine = shw_result_journals_list(resume->kind->tables->command, resume->output, &paths);
    resume->others = fine ? calloc(paths.count + (size_t)1, sizeof *resume->others) : NULL;
    fine = resume->others != NULL;
    for (uint32_t i = 0; i < paths.count && fine; i++)
        look_at(parts, resume, read_only, shw_path_last(paths.paths[i]));
    shw_image_paths_free(&paths);
    return fine ? SHW_CONTINUE : shw_exit_code(shw_fail_memory(&resume->log, resume->output));
}

static enum shw_result open_journal(struct cli_parts *parts, struct shw_resume *resume, bool overwrite)
{
    if (parts->own == NULL)
        return shw_result_journal_open(&resume->log, resume->output,
                                       shw_result_journal_name(resume->kind->tables->command, resume->shard).text,
                                       overwrite, &resume->journal);
    resume->journal = parts->own;
    parts->own = NULL;
    return shw_result_journal_take(resume->journal, &resume->log, overwrite);
}

int cli_open_journal(struct cli_parts *parts, struct shw_resume *resume, bool overwrite)
{
    enum shw_result result = open_journal(parts, resume, overwrite);

    if (result == SHW_OK)
        result = shw_result_journal_add_listed(resume->journal, &parts->files);
    if (result == SHW_ERROR_ARGUMENT)
        return SHW_EXIT_USAGE;
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

void cli_close_parts(struct cli_parts *parts, struct shw_resume *resume)
{
    shw_resume_close(resume);
    shw_result_journal_close(&parts->own);
    shw_listed_files_free(&parts->files);
}
