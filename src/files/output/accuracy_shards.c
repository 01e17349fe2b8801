#include "files/output/accuracy_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/log.h"
#include "files/io/file_kind.h"
#include "files/io/mark.h"

#define FORMAT "shadewood evaluation shard"

/* Counts, which may have 64 bits, as hexadecimal texts. */
static json_t *pack_counts(const uint64_t *counts, size_t count)
{
    json_t *list = json_array();
    char text[20];

    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%" PRIx64, counts[i]);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

static bool take_counts(const json_t *list, uint64_t *counts, size_t count)
{
    bool fine = json_array_size(list) == count;

    for (size_t i = 0; i < count && fine; i++) {
        const char *text = json_string_value(json_array_get(list, i));

        fine =
            text != NULL && text[0] != '\0' && strspn(text, "0123456789abcdef") == strlen(text) && strlen(text) <= 16;
        counts[i] = fine ? strtoull(text, NULL, 16) : 0;
    }
    return fine;
}

enum { BIN_COUNTS = SHW_RELIABILITY_BINS * 3 + 2 };

static json_t *pack_measured(const struct shw_measured *measured)
{
    const struct shw_accuracy *accuracy = &measured->accuracy;
    const size_t classes = accuracy->class_count;
    const uint64_t voids[] = {accuracy->void_pixels, accuracy->void_agreed, (uint64_t)(measured->seconds * 1e6)};
    uint64_t bins[BIN_COUNTS];
    char hash[20];

    for (uint32_t b = 0; b < SHW_RELIABILITY_BINS; b++) {
        bins[3 * b] = measured->reliability.bins[b].pixels;
        bins[3 * b + 1] = measured->reliability.bins[b].correct;
        bins[3 * b + 2] = measured->reliability.bins[b].confidence;
    }
    bins[BIN_COUNTS - 2] = (uint64_t)(measured->reliability.squares >> 64);
    bins[BIN_COUNTS - 1] = (uint64_t)measured->reliability.squares;
    snprintf(hash, sizeof hash, "%016" PRIx64, measured->hash);
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "forest", shw_json_text(measured->path), "hash", hash, "confusion",
                     pack_counts(accuracy->confusion, classes * classes + classes), "voids", pack_counts(voids, 3),
                     "reliability", pack_counts(bins, BIN_COUNTS));
}

static bool take_measured(const json_t *packed, uint32_t class_count, struct shw_measured *measured)
{
    const struct shw_log none = {.level = SHW_LOG_ERROR};
    const char *hash = json_string_value(json_object_get(packed, "hash"));
    const size_t classes = class_count;
    uint64_t voids[3], bins[BIN_COUNTS];

    measured->path = json_string_value(json_object_get(packed, "forest"));
    if (hash == NULL || measured->path == NULL ||
        shw_accuracy_create(&measured->accuracy, class_count, &none) != SHW_OK ||
        !take_counts(json_object_get(packed, "confusion"), measured->accuracy.confusion, classes * classes + classes) ||
        !take_counts(json_object_get(packed, "voids"), voids, 3) ||
        !take_counts(json_object_get(packed, "reliability"), bins, BIN_COUNTS))
        return false;
    measured->hash = strtoull(hash, NULL, 16);
    measured->accuracy.void_pixels = voids[0];
    measured->accuracy.void_agreed = voids[1];
    measured->seconds = (double)voids[2] / 1e6;
    for (uint32_t b = 0; b < SHW_RELIABILITY_BINS; b++)
        measured->reliability.bins[b] = (struct shw_reliability_bin){bins[3 * b], bins[3 * b + 1], bins[3 * b + 2]};
    measured->reliability.squares = ((unsigned __int128)bins[BIN_COUNTS - 2] << 64) + bins[BIN_COUNTS - 1];
    return true;
}

static void add_measured(struct shw_measured *sum, const struct shw_measured *part)
{
    shw_accuracy_merge(&sum->accuracy, &part->accuracy);
    sum->seconds += part->seconds;
    sum->reliability.squares += part->reliability.squares;
    for (uint32_t b = 0; b < SHW_RELIABILITY_BINS; b++) {
        struct shw_reliability_bin *bin = &sum->reliability.bins[b];

        bin->pixels += part->reliability.bins[b].pixels;
        bin->correct += part->reliability.bins[b].correct;
        bin->confidence += part->reliability.bins[b].confidence;
    }
}

static json_t *pack(const struct shw_accuracy_part *part, const struct shw_accuracy_report *report)
{
    json_t *names = json_array(), *forests = json_array(), *document;

    for (uint32_t c = 0; c < report->class_count; c++)
        json_array_append_new(names, json_string(report->classes[c].name));
    for (uint32_t f = 0; f < report->count; f++)
        json_array_append_new(forests, pack_measured(&report->measured[f]));
    document = json_pack("{s:s, s:i, s:[i,i], s:s, s:s, s:i, s:i, s:b, s:o, s:o}", "format", FORMAT, "version", 1,
                         "shard", (int)part->shard.number, (int)part->shard.count, "list", part->list.text, "settings",
                         part->settings.text, "images", (int)report->images, "background",
                         report->background != SHW_NO_BACKGROUND ? (int)report->background : -1, "probabilities",
                         (int)report->reliability, "classes", names, "forests", forests);
    if (document != NULL && shw_mark_json(document, shw_file_evaluation.name))
        return document;
    json_decref(document);
    return NULL;
}

enum shw_result shw_accuracy_part_write(const char *path, const struct shw_accuracy_part *part,
                                        const struct shw_accuracy_report *report, const struct shw_log *log)
{
    json_t *document = pack(part, report);
    char *text = document != NULL ? json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    enum shw_result result =
        text != NULL ? shw_atomic_file_write(path, text, strlen(text), log) : shw_fail_memory(log, path);

    free(text);
    json_decref(document);
    return result;
}

/* Refuses what differs from the first shard. */
static enum shw_result check_part(const json_t *document, const json_t *first, const char *path, const char *first_path,
                                  const struct shw_log *log)
{
    static const struct {
        const char *member, *text;
    } same[] = {{"list", "other images"},
                {"settings", "other options"},
                {"classes", "other classes"},
                {"background", "other options"},
                {"probabilities", "other options"}};
    const json_t *forests = json_object_get(document, "forests"), *others = json_object_get(first, "forests");
    bool alike = json_array_size(forests) == json_array_size(others);

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!json_equal(json_object_get(document, same[i].member), json_object_get(first, same[i].member)))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is of %s than %s", path, same[i].text,
                            first_path);
    for (size_t f = 0; f < json_array_size(forests) && alike; f++)
        alike = json_equal(json_object_get(json_array_get(forests, f), "hash"),
                           json_object_get(json_array_get(others, f), "hash"));
    return alike ? SHW_OK
                 : shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is of other forests than %s", path,
                            first_path);
}

static enum shw_result begin_sum(json_t *document, struct shw_accuracy_sum *sum, const struct shw_log *log)
{
    const json_t *names = json_object_get(document, "classes");
    const json_int_t background = json_integer_value(json_object_get(document, "background"));
    struct shw_accuracy_report *report = &sum->report;

    sum->first = json_incref(document);
    report->class_count = (uint32_t)json_array_size(names);
    report->count = (uint32_t)json_array_size(json_object_get(document, "forests"));
    report->background = background >= 0 ? (uint32_t)background : SHW_NO_BACKGROUND;
    report->reliability = json_is_true(json_object_get(document, "probabilities"));
    sum->classes = calloc(report->class_count + (size_t)1, sizeof *sum->classes);
    sum->measured = calloc(report->count + (size_t)1, sizeof *sum->measured);
    if (sum->classes == NULL || sum->measured == NULL)
        return shw_fail_memory(log, "the sum of the shards");
    for (uint32_t c = 0; c < report->class_count; c++)
        sum->classes[c].name = json_string_value(json_array_get(names, c));
    report->classes = sum->classes;
    report->measured = sum->measured;
    return SHW_OK;
}

static enum shw_result add_document(json_t *document, const char *path, struct shw_accuracy_sum *sum,
                                    const struct shw_log *log)
{
    const json_t *forests = json_object_get(document, "forests");
    const bool is_first = sum->first == NULL;

    if (is_first)
        SHW_PROPAGATE(begin_sum(document, sum, log));
    for (uint32_t f = 0; f < sum->report.count; f++) {
        struct shw_measured part = {.path = NULL};
        const bool taken = take_measured(json_array_get(forests, f), sum->report.class_count, &part);

        if (taken && is_first)
            sum->measured[f] = part;
        else if (taken)
            add_measured(&sum->measured[f], &part);
        if (!taken || !is_first)
            shw_accuracy_destroy(&part.accuracy);
        if (!taken)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_ARGUMENT, "%s: its counts cannot be read", path);
    }
    sum->report.images += (uint32_t)json_integer_value(json_object_get(document, "images"));
    return SHW_OK;
}

static enum shw_result read_part(const char *path, const struct shw_log *log, json_t **document)
{
    struct shw_file_bytes file;

    *document = NULL;
    SHW_PROPAGATE(shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &file));
    *document = json_loadb((const char *)file.bytes, file.size, 0, NULL);
    shw_file_bytes_free(&file);
    return shw_json_is_marked(*document, shw_file_evaluation.name)
               ? SHW_OK
               : shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_ARGUMENT,
                          "%s is no shard of evaluate, or was changed since it was written", path);
}

static enum shw_result add_part(char **paths, int number, bool *there, const struct shw_log *log,
                                struct shw_accuracy_sum *sum)
{
    const char *path = paths[number];
    json_t *document;
    enum shw_result result = read_part(path, log, &document);
    const json_t *shard = json_object_get(document, "shard");
    const json_int_t place = json_integer_value(json_array_get(shard, 0)),
                     count = json_integer_value(json_array_get(shard, 1));

    if (result == SHW_OK && sum->shards == 0)
        sum->shards = count >= 1 && count <= (json_int_t)SHW_SHARDS_MAX ? (uint32_t)count : 0;
    if (result == SHW_OK && (place < 1 || place > count || count != (json_int_t)sum->shards))
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is of %lld shards, and %s of %u", path,
                          (long long)count, paths[0], sum->shards);
    if (result == SHW_OK && there[place])
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "shard %lld of %u is there twice: %s",
                          (long long)place, sum->shards, path);
    if (result == SHW_OK && sum->first != NULL)
        result = check_part(document, sum->first, path, paths[0], log);
    if (result == SHW_OK)
        result = add_document(document, path, sum, log);
    if (result == SHW_OK)
        there[place] = true;
    json_decref(document);
    return result;
}

enum shw_result shw_accuracy_parts_add(char **paths, int count, const struct shw_log *log, struct shw_accuracy_sum *sum)
{
    bool *there = calloc(SHW_SHARDS_MAX + 1, sizeof *there);
    enum shw_result result = there != NULL ? SHW_OK : shw_fail_memory(log, "the list of shards");

    *sum = (struct shw_accuracy_sum){.report.background = SHW_NO_BACKGROUND};
    for (int i = 0; i < count && result == SHW_OK; i++)
        result = add_part(paths, i, there, log, sum);
    if (result == SHW_OK)
        result = shw_shards_check_all(there, sum->shards, log);
    free(there);
    return result;
}

void shw_accuracy_sum_free(struct shw_accuracy_sum *sum)
{
    for (uint32_t f = 0; f < sum->report.count && sum->measured != NULL; f++)
        shw_accuracy_destroy(&sum->measured[f].accuracy);
    free(sum->measured);
    free(sum->classes);
    json_decref(sum->first);
    *sum = (struct shw_accuracy_sum){.first = NULL};
}
