#include "cli/train_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <shadewood/shadewood.h>

#include "files/io/file_kind.h"

int cli_train_log_open(struct cli_train_log *log, struct cli_report *report, const char *path, bool append)
{
    int last;

    *log = (struct cli_train_log){.path = path};
    if (path == NULL)
        return SHW_CONTINUE;
    log->stream = fopen(path, append ? "a+" : "w");
    if (log->stream == NULL)
        return cli_fail(report, "cannot write %s: %s", path, strerror(errno));
    if (append && fseek(log->stream, -1, SEEK_END) == 0) {
        last = fgetc(log->stream);
        fseek(log->stream, 0, SEEK_END);
        if (last != '\n')
            fputc('\n', log->stream);
    }
    return SHW_CONTINUE;
}

void cli_train_log_close(struct cli_train_log *log, struct cli_report *report, int *code)
{
    if (log->stream == NULL)
        return;
    if (fclose(log->stream) != 0 && log->error == 0)
        log->error = errno;
    if (log->error != 0) {
        int failure = cli_fail(report, "cannot write all of %s: %s", log->path, strerror(log->error));
        *code = *code == SHW_EXIT_SUCCESS ? failure : *code;
    }
    log->stream = NULL;
}

void cli_train_log_write(struct cli_train_log *log, const char *event, json_t *object)
{
    char time_text[32];
    time_t now = time(NULL);
    struct tm parts;
    json_t *line;

    if (log->stream == NULL) {
        json_decref(object);
        return;
    }
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    line = json_pack("{s:s, s:s}", "event", event, "time", time_text);
    json_object_update(line, object);
    if ((json_dumpf(line, log->stream, JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0 || fputc('\n', log->stream) == EOF ||
         fflush(log->stream) != 0) &&
        log->error == 0)
        log->error = errno;
    json_decref(line);
    json_decref(object);
}

void cli_train_log_start(struct cli_train_log *log, const struct shw_trainer *trainer, const struct shw_device *device,
                         bool resumed, json_t *parameters)
{
    struct shw_device_description description;
    struct shw_train_progress progress;
    char version[32], *text = shw_trainer_get_record(trainer);
    json_t *record = text != NULL ? json_loads(text, 0, NULL) : NULL, *name = NULL;

    shw_trainer_get_progress(trainer, &progress);
    log->responses = progress.responses;
    snprintf(version, sizeof version, "%d.%d.%d", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
    if (device != NULL && shw_technique_needs_device(shw_trainer_get_technique(trainer))) {
        shw_device_describe(device, &description);
        name = json_string(description.name);
    }
    json_object_update(parameters, record);
    cli_train_log_write(log, shw_file_training_log.name,
                        json_pack("{s:s, s:s, s:o, s:i, s:i, s:b, s:I, s:f, s:o}", "version", version, "technique",
                                  shw_technique_name(shw_trainer_get_technique(trainer)), "device",
                                  name != NULL ? name : json_null(), "tree", (int)progress.tree, "round",
                                  (int)progress.depth, "resumed", resumed, "responses", (json_int_t)progress.responses,
                                  "seconds", progress.seconds, "parameters", parameters));
    json_decref(record);
    free(text);
}

void cli_train_log_round(struct cli_train_log *log, const struct shw_train_progress *progress, bool known)
{
    json_t *object = json_pack(
        "{s:i, s:i, s:i, s:i, s:I, s:I, s:f, s:f, s:o, s:f, s:f}", "tree", (int)progress->tree, "round",
        (int)progress->depth, "open_nodes", (int)progress->open_nodes, "splits", (int)progress->splits, "samples",
        (json_int_t)progress->round_samples, "responses", (json_int_t)progress->responses, "round_seconds",
        progress->round_seconds, "seconds", progress->seconds, "seconds_left",
        known ? json_real(progress->seconds_left) : json_null(), "fraction", progress->fraction, "responses_per_second",
        progress->round_seconds > 0 ? (double)(progress->responses - log->responses) / progress->round_seconds : 0);

    log->responses = progress->responses;
    if (progress->pass_count > 0) {
        json_t *passes = json_object();
        for (uint32_t p = 0; p < progress->pass_count; p++)
            json_object_set_new(passes, progress->pass_names[p], json_real(1e3 * progress->pass_seconds[p]));
        json_object_set_new(object, "device_ms", passes);
    }
    cli_train_log_write(log, "round", object);
}
