#include "files/output/calibration_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/io/image_paths.h"

#define FORMAT    "shadewood-calibration"
#define FILE_MAX  65536
#define UUID_TEXT 33u

static const char *const hand_over_names[SHW_HAND_OVER_COUNT] = {"submission", "source",   "upload",
                                                                 "download",   "to_image", "to_buffer"};

static void format_uuid(const uint8_t uuid[16], char text[UUID_TEXT])
{
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
}

bool shw_calibration_file_folder(char *folder, size_t size)
{
    char *path = shw_path_of_user("XDG_CACHE_HOME", ".cache", "shadewood");
    const bool fits = path != NULL && strlen(path) < size;

    if (fits)
        strcpy(folder, path);
    free(path);
    return fits;
}

bool shw_calibration_file_path(const struct shw_device_description *device, char *path, size_t size)
{
    char folder[PATH_MAX], uuid[UUID_TEXT];
    int length;

    if (!shw_calibration_file_folder(folder, sizeof folder))
        return false;
    format_uuid(device->pipeline_cache_uuid, uuid);
    length = snprintf(path, size, "%s/calibration-%04x-%04x-%08x-%s.json", folder, device->vendor_id, device->device_id,
                      device->driver_version, uuid);
    return length > 0 && (size_t)length < size;
}

static json_t *cost_json(const struct shw_cost *cost)
{
    return cost->measured ? json_pack("{s:f, s:f}", "fixed_ms", cost->fixed_ms, "unit_ns", cost->unit_ns) : json_null();
}

static json_t *work_json(const struct shw_calibration_work *work)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "width", (json_int_t)work->width, "height",
                     (json_int_t)work->height, "channels", (json_int_t)work->channel_count, "trees",
                     (json_int_t)work->tree_count, "visits", (json_int_t)work->visits, "classes",
                     (json_int_t)work->class_count, "outputs", (json_int_t)work->outputs);
}

json_t *shw_calibration_file_json(const struct shw_stored_calibration *stored)
{
    const struct shw_calibration *calibration = &stored->calibration;
    json_t *stages = json_object(), *hand_overs = json_object(), *training = json_object(), *frames = json_array();

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        json_t *stage = json_object();
        for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
            json_object_set_new(stage, shw_technique_name((enum shw_technique)t),
                                cost_json(&calibration->stages[s][t]));
        json_object_set_new(stages, shw_stage_name((enum shw_stage)s), stage);
    }
    for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++)
        json_object_set_new(hand_overs, hand_over_names[h], cost_json(&calibration->hand_overs[h]));
    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        if (calibration->training_ns[t] > 0)
            json_object_set_new(training, shw_technique_name((enum shw_technique)t),
                                json_real(calibration->training_ns[t]));
    for (uint32_t f = 0; f < calibration->frame_count; f++) {
        const struct shw_calibration_frame *frame = &calibration->frames[f];
        json_array_append_new(
            frames, json_pack("{s:[s,s,s], s:f, s:f}", "techniques", shw_technique_name(frame->techniques[0]),
                              shw_technique_name(frame->techniques[1]), shw_technique_name(frame->techniques[2]),
                              "predicted_ms", frame->predicted_ms, "measured_ms", frame->measured_ms));
    }
    return json_pack("{s:s, s:i, s:f, s:o, s:o, s:o, s:o, s:o}", "date", stored->date, "threads",
                     (int)calibration->threads, "milliseconds", calibration->milliseconds, "stages", stages,
                     "hand_overs", hand_overs, "training_ns", training, "work", work_json(&calibration->work), "frames",
                     frames);
}

/* Numbers in files: finite and not negative. */
static bool get_number(const json_t *object, const char *key, double *number)
{
    const json_t *value = json_object_get(object, key);

    *number = json_number_value(value);
    return json_is_number(value) && isfinite(*number) && *number >= 0 && *number < 1e15;
}

static bool get_count(const json_t *object, const char *key, uint32_t *count)
{
    const json_t *value = json_object_get(object, key);

    *count = (uint32_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= UINT32_MAX;
}

static bool get_cost(const json_t *object, const char *key, struct shw_cost *cost)
{
    const json_t *value = json_object_get(object, key);

    cost->measured = json_is_object(value);
    return json_is_null(value) || (cost->measured && get_number(value, "fixed_ms", &cost->fixed_ms) &&
                                   get_number(value, "unit_ns", &cost->unit_ns));
}

static bool get_technique(const json_t *name, enum shw_technique *technique)
{
    for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
        if (json_is_string(name) && strcmp(json_string_value(name), shw_technique_name((enum shw_technique)t)) == 0) {
            *technique = (enum shw_technique)t;
            return true;
        }
    return false;
}

static bool get_frame(const json_t *value, struct shw_calibration_frame *frame)
{
    const json_t *techniques = json_object_get(value, "techniques");

    for (size_t s = 0; s < SHW_STAGE_COUNT; s++)
        if (!get_technique(json_array_get(techniques, s), &frame->techniques[s]))
            return false;
    return get_number(value, "predicted_ms", &frame->predicted_ms) &&
           get_number(value, "measured_ms", &frame->measured_ms) && frame->predicted_ms > 0 && frame->measured_ms > 0;
}

static bool get_costs(const json_t *document, struct shw_calibration *calibration)
{
    const json_t *stages = json_object_get(document, "stages"), *training = json_object_get(document, "training_ns");

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
            if (!get_cost(json_object_get(stages, shw_stage_name((enum shw_stage)s)),
                          shw_technique_name((enum shw_technique)t), &calibration->stages[s][t]))
                return false;
    for (uint32_t h = 0; h < SHW_HAND_OVER_COUNT; h++)
        if (!get_cost(json_object_get(document, "hand_overs"), hand_over_names[h], &calibration->hand_overs[h]))
            return false;
    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++) {
        const char *name = shw_technique_name((enum shw_technique)t);
        if (json_object_get(training, name) != NULL && !get_number(training, name, &calibration->training_ns[t]))
            return false;
    }
    return json_is_object(training);
}

static bool get_work(const json_t *work, struct shw_calibration_work *out)
{
    return get_count(work, "width", &out->width) && get_count(work, "height", &out->height) &&
           get_count(work, "channels", &out->channel_count) && get_count(work, "trees", &out->tree_count) &&
           get_count(work, "visits", &out->visits) && get_count(work, "classes", &out->class_count) &&
           get_count(work, "outputs", &out->outputs);
}

static bool get_calibration(const json_t *document, struct shw_stored_calibration *stored)
{
    struct shw_calibration *calibration = &stored->calibration;
    const json_t *frames = json_object_get(document, "frames"), *date = json_object_get(document, "date"), *frame;
    size_t f;

    if (!json_is_string(date) || strlen(json_string_value(date)) >= sizeof stored->date || !json_is_array(frames) ||
        json_array_size(frames) > SHW_CALIBRATION_FRAMES_MAX)
        return false;
    snprintf(stored->date, sizeof stored->date, "%s", json_string_value(date));
    for (const char *at = stored->date; *at != '\0'; at++)
        if (strchr("0123456789-:TZ", *at) == NULL)
            return false;
    json_array_foreach(frames, f, frame)
    {
        if (!get_frame(frame, &calibration->frames[f]))
            return false;
    }
    calibration->frame_count = (uint32_t)json_array_size(frames);
    return get_count(document, "threads", &calibration->threads) && calibration->threads > 0 &&
           get_number(document, "milliseconds", &calibration->milliseconds) && get_costs(document, calibration) &&
           get_work(json_object_get(document, "work"), &calibration->work);
}

/* Why the document is ignored, or NULL. */
static const char *understand(const json_t *document, const struct shw_device_description *device,
                              struct shw_stored_calibration *stored)
{
    struct shw_calibration *calibration = &stored->calibration;
    const json_t *version = json_object_get(document, "version"), *owner = json_object_get(document, "device");
    const char *format = json_string_value(json_object_get(document, "format"));
    const char *uuid = json_string_value(json_object_get(owner, "pipeline_cache_uuid"));
    const char *driver = json_string_value(json_object_get(owner, "driver"));
    char expected[UUID_TEXT];

    if (format == NULL || strcmp(format, FORMAT) != 0 || !json_is_integer(version))
        return "it is not a calibration";
    if (json_integer_value(version) != SHW_CALIBRATION_VERSION)
        return "it was made by another version of Shadewood";
    format_uuid(device->pipeline_cache_uuid, expected);
    calibration->version = SHW_CALIBRATION_VERSION;
    if (!get_count(owner, "vendor_id", &calibration->vendor_id) ||
        !get_count(owner, "device_id", &calibration->device_id) ||
        !get_count(owner, "driver_version", &calibration->driver_version) || uuid == NULL || driver == NULL)
        return "it is damaged";
    if (strcmp(uuid, expected) == 0)
        memcpy(calibration->pipeline_cache_uuid, device->pipeline_cache_uuid, sizeof calibration->pipeline_cache_uuid);
    if (strcmp(uuid, expected) != 0 || strcmp(driver, device->driver) != 0 ||
        !shw_calibration_fits(calibration, device))
        return "it is for another device or driver";
    return get_calibration(document, stored) ? NULL : "it is damaged";
}

bool shw_calibration_file_load(const struct shw_device_description *device, const struct shw_log *log,
                               struct shw_stored_calibration *stored)
{
    char path[PATH_MAX];
    const char *reason;
    struct stat status;
    json_t *document;

    *stored = (struct shw_stored_calibration){0};
    if (!shw_calibration_file_path(device, path, sizeof path) || stat(path, &status) != 0)
        return false;
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_MAX) {
        reason = "it is not a calibration";
    } else {
        document = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
        reason = document != NULL ? understand(document, device, stored) : "it cannot be read as JSON";
        json_decref(document);
    }
    if (reason == NULL)
        return true;
    *stored = (struct shw_stored_calibration){0};
    shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                    "%s is ignored: %s; 'shadewood devices --calibrate' replaces it", path, reason);
    return false;
}

static json_t *device_json(const struct shw_device_description *device)
{
    char uuid[UUID_TEXT];

    format_uuid(device->pipeline_cache_uuid, uuid);
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:s}", "name", device->name, "driver", device->driver, "vendor_id",
                     (json_int_t)device->vendor_id, "device_id", (json_int_t)device->device_id, "driver_version",
                     (json_int_t)device->driver_version, "pipeline_cache_uuid", uuid);
}

enum shw_result shw_calibration_file_store(const struct shw_device_description *device, const struct shw_log *log,
                                           struct shw_stored_calibration *stored)
{
    char path[PATH_MAX], *text;
    time_t now = time(NULL);
    struct tm date;
    json_t *document;
    enum shw_result result;

    if (!shw_calibration_file_path(device, path, sizeof path))
        return shw_fail(
            log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
            "there is no folder to store a calibration in: XDG_CACHE_HOME and HOME are missing or too long");
    gmtime_r(&now, &date);
    strftime(stored->date, sizeof stored->date, "%Y-%m-%dT%H:%M:%SZ", &date);
    document = shw_calibration_file_json(stored);
    json_object_set_new(document, "format", json_string(FORMAT));
    json_object_set_new(document, "version", json_integer(SHW_CALIBRATION_VERSION));
    json_object_set_new(document, "device", device_json(device));
    text = document != NULL ? json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(document);
    if (text == NULL)
        return shw_fail_memory(log, "a calibration");
    result = shw_atomic_file_write(path, text, strlen(text), log);
    free(text);
    return result;
}
