#include "cli/label_parts.h"

#include "cli/commands.h"

int cli_check_label_parts(const struct cli_parts *parts, bool plan, const struct shw_label_job *job,
                          const struct shw_image_list *images, uint32_t videos, bool from_project)
{
    const char *option = parts->shard_text != NULL ? "--shard" : parts->resume ? "--resume" : "--plan";

    if (!cli_parts_are_wanted(parts) && !plan)
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
    return cli_check_parts_folder(&cli_label, &job->resume, images);
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

int cli_open_label_parts(struct cli_parts *parts, bool plan, struct cli_report *report, const struct cli_code *code,
                         const struct cli_focal *focal, const char *model, struct shw_label_job *job)
{
    int exit = plan ? SHW_CONTINUE : cli_make_folder(report, job->output);

    job->model = digest_model(code, focal, model);
    if (exit == SHW_CONTINUE && job->model.text[0] == '\0')
        exit = cli_fail(report, "%s can be read only once, so that --resume cannot know it again: pass a file", model);
    return exit == SHW_CONTINUE && !plan ? cli_open_journal(parts, &job->resume, job->outputs.overwrite) : exit;
}
