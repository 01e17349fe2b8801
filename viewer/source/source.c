#include "source/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/image_inputs.h"
#include "job/job.h"
#include "source/reader.h"
#include "source/schedule.h"
#include "source/spec.h"

/* Fraction of the samples outside the automatic display range at either end. */

/* A time that is this many ticks or less before a picture means that picture: it was computed from its ticks. */

#define TICK_ROUNDING 1e-4

struct view_source {
    struct view_spec spec;
    const struct shw_dataset_params *dataset; /* or that of `spec` */
    const struct view_other_inputs *others;
    struct view_choice choice;
    struct shw_log log;
    struct view_job job;
    atomic_bool give_up; /* the reading in progress; when the job is stopped, too */

    /* under the job's lock: */
    enum view_source_state state;
    struct view_reader reader; /* described by the thread before READY; only the thread reads from it */
    struct view_schedule schedule;
    uint64_t given;
    bool warming;   /* a picture is being read that nobody has asked for */
    int64_t warmed; /* the last such picture */
};

static enum shw_result open_reader(struct view_source *source, struct view_reader *reader)
{
    struct view_spec *spec = &source->spec;
    struct view_stream_params stream = {.url = spec->url,
                                        .name = spec->name,
                                        .device = spec->device,
                                        .depth = spec->depth,
                                        .choice = spec->choice,
                                        .stop = &source->job.stop,
                                        .others = source->others,
                                        .log = &source->log};
    const struct view_files_params files = {.others = source->others,
                                            .choice = &source->choice,
                                            .pages = spec->pages,
                                            .depth = spec->depth,
                                            .recent = true,
                                            .stop = &source->give_up,
                                            .log = &source->log};

    switch (spec->kind) {
    case VIEW_SOURCE_IMAGE:
    case VIEW_SOURCE_FOLDER: return view_read_files(&spec->paths, &files, reader);
    case VIEW_SOURCE_DATASET: return view_read_dataset(source->dataset, &files, reader);
    case VIEW_SOURCE_VIDEO: return view_read_video(&stream, reader);
    case VIEW_SOURCE_CAMERA: break;
    }
    return spec->device ? view_read_stream(&stream, reader) : view_read_camera_file(&stream, reader);
}

static int64_t ticks_at(const struct view_reader *reader, double seconds)
{
    double ticks = floor(seconds / reader->tick_seconds + TICK_ROUNDING);

    return ticks <= 0.0 ? reader->first_ticks : ticks < 1e18 ? reader->first_ticks + (int64_t)ticks : INT64_MAX / 2;
}

/* Failures have been logged; the picture is NULL then. */
static struct view_arrival read_picture(const struct view_source *source, const struct view_work *work)
{
    const struct view_reader *reader = &source->reader;
    struct view_reading reading = {0};
    struct view_arrival arrival = {0};

    switch (work->kind) {
    case VIEW_WORK_NONE: break;
    case VIEW_WORK_NEXT:
        if (work->after) {
            reader->at(reader->user, work->ticks, false, &reading);
            view_picture_free(reading.picture);
            reading.picture = NULL;
        }
        reader->next(reader->user, &reading);
        break;
    case VIEW_WORK_SEEK: reader->at(reader->user, ticks_at(reader, work->seconds), false, &reading); break;
    case VIEW_WORK_BACK:
        reader->at(reader->user, work->ticks > reader->first_ticks ? work->ticks - 1 : reader->first_ticks, true,
                   &reading);
        break;
    }
    if (reading.picture == NULL)
        return arrival;
    arrival.picture = reading.picture;
    view_picture_count_classes(arrival.picture);
    arrival.ticks = reading.ticks;
    arrival.seconds = (double)(reading.ticks - reader->first_ticks) * reader->tick_seconds;
    if (view_display_range_find(&reading.picture->image, VIEW_DISPLAY_CUT, &reading.picture->range) != SHW_OK)
        shw_fail_memory(&source->log, "a histogram");
    return arrival;
}

/* Seeks the picture to begin with, unless the user has sought another already. */
static void begin_with_shown(struct view_source *source)
{
    const struct view_reader *reader = &source->reader;

    for (uint32_t i = 0; source->spec.shown != NULL && source->schedule.seeks == 0 && i < reader->count; i++)
        if (strcmp(reader->name(reader->user, i), source->spec.shown) == 0)
            view_schedule_seek(&source->schedule, i);
}

/* Unlocks for reading, which may be given up from then on. */
static void begin_reading(struct view_source *source)
{
    atomic_store(&source->give_up, view_job_is_stopped(&source->job));
    view_job_unlock(&source->job);
}

/* When there is nothing else to do, reads the picture before the shown one in advance; the one after it is waiting
 * already. False: it has been read. */
static bool warm(struct view_source *source)
{
    const struct view_schedule *schedule = &source->schedule;
    int64_t ticks = schedule->shown_ticks - 1;

    if (source->reader.warm == NULL || !schedule->shown || schedule->playing || ticks < source->reader.first_ticks ||
        ticks == source->warmed)
        return false;
    source->warming = true;
    begin_reading(source);
    source->reader.warm(source->reader.user, ticks);
    view_job_lock(&source->job);
    source->warming = false;
    if (!atomic_load(&source->give_up))
        source->warmed = ticks;
    return true;
}

static enum shw_result decode(void *user)
{
    struct view_source *source = user;
    struct view_reader reader = {0};
    enum shw_result result = open_reader(source, &reader);

    view_job_lock(&source->job);
    source->reader = reader;
    source->state = result == SHW_OK ? VIEW_SOURCE_READY : VIEW_SOURCE_FAILED;
    begin_with_shown(source);
    while (result == SHW_OK && !view_job_is_stopped(&source->job)) {
        struct view_work work = view_schedule_work(&source->schedule);
        struct view_arrival arrival;

        if (work.kind == VIEW_WORK_NONE) {
            if (!warm(source))
                view_job_sleep(&source->job);
            continue;
        }
        begin_reading(source);
        arrival = read_picture(source, &work);
        view_job_lock(&source->job);
        view_schedule_done(&source->schedule, &work, &arrival);
    }
    view_job_unlock(&source->job);
    return result;
}

static bool is_numbered(enum view_source_kind kind)
{
    return kind == VIEW_SOURCE_IMAGE || kind == VIEW_SOURCE_FOLDER || kind == VIEW_SOURCE_DATASET;
}

static enum shw_result take_spec(const struct view_source_params *params, struct view_source *source)
{
    enum shw_result result = SHW_OK;

    if (params->dataset == NULL && params->spec == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is nothing to open");
    if (params->dataset != NULL) {
        source->spec.kind = VIEW_SOURCE_DATASET;
        source->dataset = params->dataset;
        return SHW_OK;
    }
    result = view_spec_find(params->spec, &params->log, &source->spec);
    source->spec.dataset.log = params->log;
    source->dataset = &source->spec.dataset;
    if (result != SHW_OK || source->others->count == 0)
        return result;
    if (!is_numbered(source->spec.kind))
        return view_check_video_inputs(source->others, !source->spec.device && !source->spec.depth, source->spec.name,
                                       &params->log);
    source->spec.dataset.inputs = source->others->files;
    source->spec.dataset.input_count = source->others->count;
    return SHW_OK;
}

enum shw_result view_source_open(const struct view_source_params *params, struct view_source **source)
{
    static const struct view_job_kind kind = {"reading pictures", (enum shw_priority)0, decode, NULL};
    static const struct view_other_inputs none;
    struct view_source *made = calloc(1, sizeof *made);
    enum shw_result result;

    if (made == NULL)
        return shw_fail_memory(&params->log, "a source");
    made->others = params->others != NULL ? params->others : &none;
    made->log = params->log;
    view_choice_init(&made->choice, &params->choice);
    atomic_init(&made->give_up, false);
    made->warmed = INT64_MIN;
    view_job_init(&made->job, &kind, made);
    result = take_spec(params, made);
    if (result == SHW_OK) {
        view_schedule_begin(&made->schedule, made->spec.kind == VIEW_SOURCE_CAMERA,
                            is_numbered(made->spec.kind) ? 1 : VIEW_SCHEDULE_RING);
        made->schedule.every_picture = params->every_picture;
        result = view_job_begin(&made->job, &params->log);
    }
    if (result != SHW_OK) {
        view_source_close(&made);
        return result;
    }
    *source = made;
    return SHW_OK;
}

void view_source_close(struct view_source **source)
{
    struct view_source *closed = source != NULL ? *source : NULL;

    if (closed == NULL)
        return;
    *source = NULL;
    view_job_stop(&closed->job);
    atomic_store(&closed->give_up, true);
    view_job_free(&closed->job);
    if (closed->reader.close != NULL)
        closed->reader.close(closed->reader.user);
    view_schedule_clear(&closed->schedule);
    view_spec_free(&closed->spec);
    view_choice_destroy(&closed->choice);
    free(closed);
}

/* Locks for a change of the schedule; end_change() wakes the thread, which gives up what is no longer wanted. */
static struct view_schedule *begin_change(struct view_source *source)
{
    view_job_lock(&source->job);
    return &source->schedule;
}

static void end_change(struct view_source *source)
{
    if (view_schedule_is_void(&source->schedule) || (source->warming && source->schedule.command_count != 0))
        atomic_store(&source->give_up, true);
    view_job_wake(&source->job);
    view_job_unlock(&source->job);
}

struct view_picture *view_source_poll(struct view_source *source, double now)
{
    struct view_schedule *schedule = begin_change(source);
    struct view_arrival arrival = {0};

    if (view_schedule_take(schedule, now, &arrival)) {
        arrival.picture->number = ++source->given;
        arrival.picture->ticks = arrival.ticks;
    }
    end_change(source);
    return arrival.picture;
}

void view_source_play(struct view_source *source)
{
    view_schedule_play(begin_change(source));
    end_change(source);
}

void view_source_pause(struct view_source *source)
{
    view_schedule_pause(begin_change(source));
    end_change(source);
}

void view_source_return(struct view_source *source, const struct view_picture *picture)
{
    struct view_schedule *schedule = begin_change(source);
    const struct view_reader *reader = &source->reader;

    view_schedule_return(schedule, picture->ticks,
                         (double)(picture->ticks - reader->first_ticks) * reader->tick_seconds);
    end_change(source);
}

void view_source_set_speed(struct view_source *source, double speed)
{
    struct view_schedule *schedule = begin_change(source);

    if (!schedule->camera)
        schedule->speed = speed > VIEW_SPEED_MIN ? fmin(speed, VIEW_SPEED_MAX) : VIEW_SPEED_MIN;
    end_change(source);
}

static enum shw_result step(struct view_source *source, bool back)
{
    bool taken = view_schedule_step(begin_change(source), back);

    end_change(source);
    return taken ? SHW_OK : SHW_ERROR_LIMIT;
}

enum shw_result view_source_step_forward(struct view_source *source)
{
    return step(source, false);
}

static enum shw_result refuse_camera(const struct view_source *source)
{
    return source->spec.kind == VIEW_SOURCE_CAMERA
               ? shw_fail(&source->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT,
                          "%s is a camera: only its newest picture is available", source->spec.name)
               : SHW_OK;
}

enum shw_result view_source_step_back(struct view_source *source)
{
    enum shw_result result = refuse_camera(source);

    return result == SHW_OK ? step(source, true) : result;
}

enum shw_result view_source_seek(struct view_source *source, double seconds)
{
    SHW_PROPAGATE(refuse_camera(source));
    if (isnan(seconds))
        return shw_fail(&source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the time to seek is not a number");
    view_schedule_seek(begin_change(source), seconds);
    end_change(source);
    return SHW_OK;
}

enum shw_result view_source_go_to(struct view_source *source, uint32_t index)
{
    if (!is_numbered(source->spec.kind))
        return shw_fail(&source->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT, "the pictures of %s have no numbers",
                        source->spec.name);
    return view_source_seek(source, index);
}

/* Reads image files by that choice from now on, which must be valid, also the picture that is shown. */
static void source_choose(struct view_source *source, const struct shw_image_choice *choice)
{
    struct view_schedule *schedule;

    view_choice_set(&source->choice, choice);
    if (!is_numbered(source->spec.kind))
        return;
    schedule = begin_change(source);
    view_schedule_seek(schedule, schedule->shown_seconds);
    end_change(source);
}

/* The choice, with the range that was found if none was chosen. */
static struct shw_image_choice source_get_choice(struct view_source *source)
{
    return view_choice_get(&source->choice);
}

const char *view_source_name(struct view_source *source, uint32_t index)
{
    const char *name = NULL;

    view_job_lock(&source->job);
    if (source->reader.name != NULL && index < source->reader.count)
        name = source->reader.name(source->reader.user, index);
    view_job_unlock(&source->job);
    return name;
}

char *view_source_file(struct view_source *source, uint32_t index)
{
    char *file = NULL;

    view_job_lock(&source->job);
    if (source->reader.file != NULL && index < source->reader.count)
        file = source->reader.file(source->reader.user, index);
    view_job_unlock(&source->job);
    return file;
}

char *view_source_spec(const struct view_source *source)
{
    const bool depth = source->spec.depth;
    const char *prefix = source->spec.kind == VIEW_SOURCE_DATASET  ? "dataset:"
                         : source->spec.kind == VIEW_SOURCE_CAMERA ? depth ? "depth:camera:" : "camera:"
                         : depth                                   ? "depth:"
                                                                   : "";

    return source->spec.name != NULL ? shw_path_join(prefix, source->spec.name, "") : NULL;
}

enum shw_result view_source_list_files(struct view_source *source, void (*visit)(void *to, const char *path), void *to)
{
    const struct view_spec *spec = &source->spec;
    enum shw_result result = SHW_OK;

    if (spec->name != NULL &&
        spec->kind != VIEW_SOURCE_FOLDER) /* whose name may be that of a project, which is not a picture */
        visit(to, spec->name);
    if (spec->sequences != NULL)
        visit(to, spec->sequences);
    view_job_lock(&source->job);
    if (source->reader.list_files != NULL)
        result = source->reader.list_files(source->reader.user, visit, to);
    view_job_unlock(&source->job);
    return result;
}

void view_source_info(struct view_source *source, struct view_source_info *info)
{
    const struct view_schedule *schedule = &source->schedule;
    const struct view_reader *reader = &source->reader;

    view_job_lock(&source->job);
    *info = (struct view_source_info){.kind = source->spec.kind,
                                      .state = source->state,
                                      .count = reader->count,
                                      .index = reader->count != 0 ? (uint32_t)schedule->shown_ticks : 0,
                                      .seconds = schedule->shown_seconds,
                                      .duration = reader->duration,
                                      .frame_rate = reader->frame_rate,
                                      .playing = schedule->playing,
                                      .at_end = view_schedule_at_end(schedule),
                                      .pending = source->state != VIEW_SOURCE_FAILED && view_schedule_pending(schedule),
                                      .speed = schedule->speed};
    view_job_unlock(&source->job);
}

const struct shw_class *view_source_classes(struct view_source *source, uint32_t *count)
{
    const struct shw_class *classes;

    view_job_lock(&source->job);
    classes = source->reader.classes;
    *count = source->reader.class_count;
    view_job_unlock(&source->job);
    return classes;
}

/* Whether pictures may be read again with the previous frame. Warns if that is wanted of single ones. */
static bool check_frames(const struct view_player *player)
{
    enum view_source_kind kind = view_player_info(player).kind;
    bool single = !player->others.frames && (kind == VIEW_SOURCE_IMAGE || kind == VIEW_SOURCE_FOLDER);

    if (single && atomic_load(&player->others.previous) && player->others.count == 0)
        shw_log_message(
            &player->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
            "the forest reads the previous frame, and these are single pictures: nothing moves in them, unless the "
            "viewer is started with --frames");
    return !single && kind != VIEW_SOURCE_CAMERA;
}

enum shw_result view_player_open(struct view_player *player, const char *spec)
{
    struct view_source_params params = {.spec = spec,
                                        .every_picture = player->every_picture,
                                        .others = &player->others,
                                        .choice = player->chosen,
                                        .log = player->log};
    struct view_source *source = NULL;

    SHW_PROPAGATE(view_source_open(&params, &source));
    view_source_close(&player->source);
    player->source = source;
    player->opened++;
    player->opening = player->settle = true;
    player->facts = (struct shw_image_facts){0};
    check_frames(player);
    return SHW_OK;
}

enum shw_result view_player_read_own(struct view_player *player, struct shw_own_inputs *own, bool again)
{
    static const struct shw_own_inputs none;
    const enum view_source_kind kind = view_player_info(player).kind;
    struct view_own *list;

    if (shw_own_inputs_equal(own, player->own != NULL ? &player->own->inputs : &none)) {
        shw_own_inputs_free(own);
        return SHW_OK;
    }
    list = calloc(1, sizeof *list);
    if (list == NULL) {
        shw_own_inputs_free(own);
        return shw_fail_memory(&player->log, "inputs");
    }
    *list = (struct view_own){player->own, *own};
    player->own = list;
    atomic_store(&player->others.own, &list->inputs);
    if (again && player->source != NULL && (kind == VIEW_SOURCE_IMAGE || kind == VIEW_SOURCE_FOLDER)) {
        player->settle = true;
        view_source_seek(player->source, view_player_info(player).seconds);
    }
    return SHW_OK;
}

static bool is_wanted(const struct view_plane_names *wanted, const char *name)
{
    for (uint32_t i = 0; wanted != NULL && i < wanted->count; i++)
        if (strcmp(wanted->names[i], name) == 0)
            return true;
    return false;
}

enum shw_result view_player_want_planes(struct view_player *player, const char *const *names, uint32_t count,
                                        bool *again)
{
    const uint32_t before = player->planes != NULL ? player->planes->count : 0;
    const enum view_source_kind kind = view_player_info(player).kind;
    struct view_plane_names *list;
    bool more = false;

    for (uint32_t i = 0; i < count; i++)
        more = more || !is_wanted(player->planes, names[i]);
    *again = false;
    if (!more && before == count)
        return SHW_OK;
    list = calloc(1, sizeof *list);
    if (list == NULL)
        return shw_fail_memory(&player->log, "planes");
    list->before = player->planes;
    for (; list->count < count; list->count++)
        list->names[list->count] = names[list->count];
    player->planes = list;
    atomic_store(&player->others.planes, list);
    *again = more && player->source != NULL &&
             (kind == VIEW_SOURCE_IMAGE || kind == VIEW_SOURCE_FOLDER || kind == VIEW_SOURCE_DATASET);
    if (*again) {
        player->settle = true;
        view_source_seek(player->source, view_player_info(player).seconds);
    }
    return SHW_OK;
}

static bool is_read(const struct view_player *player, const struct shw_input_file *files, uint32_t count)
{
    const struct shw_input_file *now = player->others.files + player->others.count;
    uint32_t same = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (shw_input_files_have(player->others.files, player->others.count, files[i].name))
            continue;
        if (same == player->others.beside || strcmp(now[same].name, files[i].name) != 0 ||
            (now[same].path == NULL) != (files[i].path == NULL) ||
            (files[i].path != NULL && strcmp(now[same].path, files[i].path) != 0))
            return false;
        same++;
    }
    return same == player->others.beside;
}

void view_player_free(struct view_player *player)
{
    while (player->beside != NULL) {
        struct view_beside *list = player->beside;

        player->beside = list->before;
        for (uint32_t i = list->given; i < list->count; i++)
            free((char *)(uintptr_t)list->files[i].path);
        free(list);
    }
    while (player->planes != NULL) {
        struct view_plane_names *list = player->planes;

        player->planes = list->before;
        free(list);
    }
    while (player->own != NULL) {
        struct view_own *list = player->own;

        player->own = list->before;
        shw_own_inputs_free(&list->inputs);
        free(list);
    }
}

/* The given files, and these where no given one has the name. Without a source, whose thread reads the list. False: out
 * of memory. */
static bool take_beside(struct view_player *player, const struct shw_input_file *files, uint32_t count)
{
    struct view_other_inputs *others = &player->others;
    struct view_beside *list = calloc(1, sizeof *list);

    if (list == NULL)
        return false;
    if (player->beside == NULL)
        player->given_frames = others->frames;
    for (; list->given < others->count; list->given++)
        list->files[list->given] = others->files[list->given];
    list->count = list->given;
    list->before = player->beside;
    player->beside = list;
    others->files = list->files;
    others->beside = 0;
    for (uint32_t i = 0; i < count && list->count + 1 < SHW_INPUTS_MAX; i++) {
        struct shw_input_file *file = &list->files[list->count];

        if (shw_input_files_have(list->files, list->given, files[i].name))
            continue;
        *file = (struct shw_input_file){
            .name = files[i].name, .path = files[i].path != NULL ? strdup(files[i].path) : NULL, .optional = true};
        if (file->path == NULL && files[i].path != NULL)
            return false;
        list->count++;
        others->beside++;
    }
    return true;
}

enum shw_result view_player_read_beside(struct view_player *player, const struct shw_input_file *files, uint32_t count,
                                        bool frames)
{
    const double seconds = view_player_info(player).seconds;
    const bool as_given = player->beside != NULL ? player->given_frames : player->others.frames;
    char *spec = NULL;
    enum shw_result result;

    if (is_read(player, files, count) && player->others.frames == (as_given || frames))
        return SHW_OK;
    if (player->source != NULL && (spec = view_source_spec(player->source)) == NULL)
        return shw_fail_memory(&player->log, "the source");
    view_source_close(&player->source);
    result = take_beside(player, files, count) ? SHW_OK : shw_fail_memory(&player->log, "inputs");
    player->others.frames = as_given || frames;
    if (frames)
        atomic_store(&player->others.previous, true); /* from the first picture on */
    if (spec != NULL && result == SHW_OK)
        result = view_player_open(player, spec);
    if (spec != NULL && result == SHW_OK && seconds > 0.0)
        result = view_source_seek(player->source, seconds);
    free(spec);
    return result;
}

void view_player_want_previous(struct view_player *player, bool wanted)
{
    bool before = atomic_exchange(&player->others.previous, wanted);

    if (before || !wanted || player->source == NULL || !check_frames(player))
        return;
    player->settle = true;
    view_source_seek(player->source, view_player_info(player).seconds);
}

static void take_facts(struct view_player *player, const struct view_picture *picture)
{
    player->facts = picture->facts;
    if (picture->facts.only_first == 0 || player->reported == player->opened)
        return;
    shw_image_report_channels(picture->name, &picture->facts, &player->log);
    player->reported = player->opened;
}

enum shw_result view_player_poll(struct view_player *player, double now, struct view_picture **picture)
{
    bool failed;

    *picture = player->source != NULL ? view_source_poll(player->source, now) : NULL;
    player->opening = player->opening && *picture == NULL;
    if (*picture != NULL) {
        (*picture)->opened = player->opened;
        take_facts(player, *picture);
    }
    if (player->source == NULL || view_player_info(player).pending)
        return SHW_OK;
    failed = player->settle && player->opening;
    player->settle = false;
    return failed ? SHW_ERROR_IO : SHW_OK; /* the error has been logged */
}

enum shw_result view_player_choose(struct view_player *player, const struct shw_image_choice *choice)
{
    SHW_PROPAGATE(shw_image_choice_check(choice, &player->log));
    player->chosen = *choice;
    player->recalled = false;
    if (player->source == NULL)
        return SHW_OK;
    player->settle = true;
    source_choose(player->source, choice);
    return SHW_OK;
}

struct shw_image_choice view_player_get_choice(const struct view_player *player)
{
    return player->source != NULL ? source_get_choice(player->source) : player->chosen;
}

struct view_source_info view_player_info(const struct view_player *player)
{
    struct view_source_info info = {0};

    if (player->source != NULL)
        view_source_info(player->source, &info);
    return info;
}

const struct shw_class *view_player_classes(const struct view_player *player, uint32_t *count)
{
    *count = 0;
    return player->source != NULL ? view_source_classes(player->source, count) : NULL;
}
