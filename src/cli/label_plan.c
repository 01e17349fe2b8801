#include "cli/label_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "files/io/folders.h"
#include "files/io/image_paths.h"
#include "files/output/resume.h"

#define SPREAD 4u /* images that are labelled, from beginning to end of those that are missing; and the largest one */

struct plan {
    uint32_t count, missing, sampled, at_once;
    double begun, last, seconds; /* of the images that were labelled, without the first, if there are others */
    uint32_t timed;
    uint64_t memory, disk; /* bytes: the most, and those of the images that were labelled */
};

static void note_memory(void *user, const struct shw_image_entry *image, const struct shw_label_done *done)
{
    struct plan *plan = user;

    (void)image;
    plan->memory = shw_max_u64(plan->memory, done->memory);
}

/* The largest image comes last, and is not typical; the first one waits for what is made once. Of several at a time,
 * only what all take together says something. */
static void note_time(void *user, uint32_t ended, uint32_t count)
{
    struct plan *plan = user;
    const double now = shw_clock();

    if (plan->at_once > 1) {
        plan->seconds = now - plan->begun;
        plan->timed = ended;
    } else if (count <= 2 || (ended > 1 && ended < count)) {
        plan->seconds += now - plan->last;
        plan->timed++;
    }
    plan->last = now;
}

static uint64_t size_of(const char *image)
{
    uint32_t page;
    char *file = shw_image_file_of(image, &page);
    struct stat status;
    const uint64_t size = file != NULL && stat(file, &status) == 0 ? (uint64_t)status.st_size : 0;

    free(file);
    return size;
}

/* Borrows the images that are labelled; the list is to be freed, without them. Errors: MEMORY. */
static enum shw_result choose(const struct shw_label_job *job, const struct shw_image_list *images, struct plan *plan,
                              struct shw_image_list *chosen)
{
    uint32_t *missing = malloc((images->count + (size_t)1) * sizeof *missing), largest = 0;
    uint64_t most = 0;
    bool is_chosen = false;

    *chosen = (struct shw_image_list){.list = malloc((SPREAD + 1) * sizeof *chosen->list)};
    if (missing == NULL || chosen->list == NULL) {
        free(missing);
        return shw_fail_memory(&job->log, "the list of images");
    }
    for (uint32_t i = 0; i < images->count; i++)
        if (!shw_resume_is_up_to_date(&job->resume, i)) {
            const uint64_t size = size_of(images->list[i].path);

            if (size > most) {
                most = size;
                largest = i;
            }
            missing[plan->missing++] = i;
        }
    for (uint32_t k = 0; k < SPREAD && k < plan->missing; k++)
        chosen->list[chosen->count++] =
            images->list[missing[(uint64_t)k * plan->missing / shw_min_u32(SPREAD, plan->missing)]];
    for (uint32_t k = 0; k < chosen->count; k++)
        is_chosen = is_chosen || chosen->list[k].path == images->list[largest].path;
    if (!is_chosen && plan->missing > 0)
        chosen->list[chosen->count++] = images->list[largest];
    free(missing);
    return SHW_OK;
}

/* As the job does, but into a folder of its own, and without a journal. */
static enum shw_result label_some(const struct shw_label_job *job, const struct shw_image_list *chosen,
                                  const char *folder, struct plan *plan)
{
    struct shw_label_job trial = *job;
    struct shw_label_tally tally;
    enum shw_result result;

    trial.output = folder;
    trial.resume = (struct shw_resume){.user = NULL};
    trial.classes = NULL;
    trial.has_classes = true;
    trial.notes_memory = true;
    trial.outputs = (struct shw_output_files){.log = job->log, .hint = "--overwrite"};
    trial.user = plan;
    trial.begin = NULL;
    trial.report = note_memory;
    trial.progress = note_time;
    plan->at_once = job->at_once;
    plan->begun = plan->last = shw_clock();
    result = shw_label_job_list_files(&trial, NULL, chosen);
    if (result == SHW_OK)
        result = shw_output_files_check(&trial.outputs);
    if (result == SHW_OK)
        result = shw_label_job_run(&trial, chosen, &tally);
    if (result == SHW_OK) {
        plan->sampled = chosen->count - tally.failed;
        result = plan->sampled > 0 ? SHW_OK : tally.image;
    }
    shw_object_table_abandon(&trial.table);
    shw_image_file_free(&trial.frame);
    shw_output_files_free(&trial.outputs);
    return result;
}

static enum shw_result measure(const struct shw_label_job *job, const struct shw_image_list *images, struct plan *plan)
{
    const char *temporary = getenv("TMPDIR");
    char *folder =
        shw_path_join(temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp", "/shadewood-XXXXXX", "");
    struct shw_image_list chosen = {.list = NULL};
    enum shw_result result = folder != NULL ? choose(job, images, plan, &chosen) : SHW_ERROR_MEMORY;

    plan->count = images->count;
    if (result == SHW_OK && plan->missing > 0) {
        if (mkdtemp(folder) == NULL) {
            result =
                shw_fail(&job->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot create a temporary folder %s", folder);
        } else {
            result = label_some(job, &chosen, folder, plan);
            plan->disk = shw_folder_remove(folder);
        }
    }
    free(chosen.list);
    free(folder);
    return result;
}

static int print(struct cli_report *report, const struct shw_label_job *job, const struct plan *plan)
{
    const double each = plan->timed > 0 ? plan->seconds / plan->timed : 0, seconds = each * plan->missing;
    const double disk = plan->sampled > 0 ? (double)plan->disk / plan->sampled * plan->missing : 0;

    if (report->json)
        return cli_print_json(report,
                              json_pack("{s:i, s:i, s:i, s:f, s:I, s:I, s:i}", "images", (int)plan->count, "up_to_date",
                                        (int)(plan->count - plan->missing), "missing", (int)plan->missing, "seconds",
                                        seconds, "memory_bytes", (json_int_t)plan->memory, "disk_bytes",
                                        (json_int_t)disk, "labelled", (int)plan->sampled));
    printf("images      %u", plan->count);
    if (job->resume.shard.count > 0)
        printf(", of shard %u of %u", job->resume.shard.number, job->resume.shard.count);
    printf("\nup to date  %u\nmissing     %u\n", plan->count - plan->missing, plan->missing);
    if (plan->sampled == 0)
        return SHW_EXIT_SUCCESS;
    printf("time        %.0f s, %.3g s per image\n", seconds, each);
    printf("memory      %s with the largest file\n", shw_counted_bytes(plan->memory).text);
    printf("disk        %s\nlabelled    %u for this, and removed\n", shw_counted_bytes((uint64_t)disk).text,
           plan->sampled);
    return SHW_EXIT_SUCCESS;
}

int cli_label_plan(struct cli_report *report, const struct shw_label_job *job, const struct shw_image_list *images)
{
    struct plan plan = {0};
    const enum shw_result result = measure(job, images, &plan);

    return result == SHW_OK ? print(report, job, &plan) : shw_exit_code(result);
}
