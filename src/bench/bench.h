/* A run of the bench: the state shared by its suites, and custom techniques of shared objects. */
#ifndef SHW_BENCH_BENCH_H
#define SHW_BENCH_BENCH_H

#include <jansson.h>

#include <shadewood/device.h>
#include <shadewood/stage.h>

#include "base/clock.h"
#include "base/thread_pool.h"

/* Techniques from shared objects. */
#define SHW_BENCH_CUSTOM_MAX        16u
#define SHW_BENCH_CUSTOM_BIT(index) (1u << (8u + (index)))

struct shw_bench_plugins {
    void *objects[SHW_BENCH_CUSTOM_MAX]; /* of dlopen */
    const struct shw_stage_technique *techniques[SHW_BENCH_CUSTOM_MAX];
    uint32_t object_count, technique_count;
};

/* Loads the shared object at `path` with all its techniques. Its code runs with the privileges of the program. Errors:
 * IO (it cannot be loaded), FORMAT (it exports no techniques, or one that is incomplete or has the name of another),
 * VERSION, LIMIT. */
enum shw_result shw_bench_plugins_load(struct shw_bench_plugins *plugins, const char *path, const struct shw_log *log);

/* Unloads all of them; their techniques must not be in use. Leaves *plugins zero. */
void shw_bench_plugins_unload(struct shw_bench_plugins *plugins);

/* The technique's number, or -1. The name ends after `length` bytes. */
int shw_bench_plugins_find(const struct shw_bench_plugins *plugins, const char *name, size_t length);

/* The options. Zero means the default at the field. */
struct shw_bench_options {
    bool quick;     /* fewer settings, without slow ones */
    bool samples;   /* keep all individual times in the document */
    uint32_t runs;  /* maximum timed runs per row: 51, quick 21 */
    double seconds; /* for timing a row, with at least three runs: 5, quick 1 */
    uint32_t
        record_techniques;  /* flags 1 << enum shw_record_technique of the suite records: all if `techniques` is 0 */
    uint64_t records;       /* most records of a setting of the suite records: as many as memory allows */
    uint32_t techniques;    /* flags 1 << enum shw_technique and SHW_BENCH_CUSTOM_BIT: all of the suite */
    uint32_t width, height; /* one image size instead of the suite's own */
    const char *data;       /* a folder with images/, labels/ and splits/ for data.h: synthetic scenes */
    const char *cascade;    /* a cascade's file, for detect: only a generated one */
    const char *image;      /* an image to detect in, as it is: synthesised ones */
};

struct shw_bench {
    const struct shw_bench_plugins *plugins; /* NULL: none */
    struct shw_bench_options options;        /* with defaults filled in, except techniques, size, data */
    struct shw_device *device;               /* created by the library, or NULL */
    uint32_t device_index;                   /* in the loader's order */
    bool has_runs;                           /* `options.runs` was given */
    double busy_until;                       /* milliseconds of shw_bench_now(): when the device was last busy */
    struct shw_device_description description;
    struct shw_thread_pool *pool;              /* of the technique cpu */
    json_t *document;                          /* see document.h */
    struct shw_log log;                        /* for the work of rows: stores errors in `message` */
    struct shw_log outer;                      /* receives all but errors */
    char message[1024];                        /* the last error */
    void (*say)(void *user, const char *text); /* reports what is being timed; may be NULL */
    bool (*stops)(void *user);                 /* before each row: true ends the run with CANCELLED; may be NULL */
    void *user;
};

/* A suite adds its rows and limits to the document. A setting that is impossible on the device becomes a row with the
 * reason; a failure of the suite, with the reason in `message`, ends the run: a lost device, for instance. */
struct shw_bench_suite {
    const char *name, *summary;
    enum shw_result (*run)(struct shw_bench *bench);
};

/* All suites, in the order in which they run; terminated by one without a name. */
extern const struct shw_bench_suite shw_bench_suites[];

enum shw_result shw_bench_blending(struct shw_bench *bench);
enum shw_result shw_bench_boosting(struct shw_bench *bench);
enum shw_result shw_bench_ferns(struct shw_bench *bench);
enum shw_result shw_bench_planes(struct shw_bench *bench);
enum shw_result shw_bench_shapes(struct shw_bench *bench);
enum shw_result shw_bench_curfil(struct shw_bench *bench);
enum shw_result shw_bench_detect(struct shw_bench *bench);
enum shw_result shw_bench_embed(struct shw_bench *bench);
enum shw_result shw_bench_pipeline(struct shw_bench *bench);
enum shw_result shw_bench_records(struct shw_bench *bench);
enum shw_result shw_bench_roofline(struct shw_bench *bench);
enum shw_result shw_bench_smoothing(struct shw_bench *bench);
enum shw_result shw_bench_sharp(struct shw_bench *bench);
enum shw_result shw_bench_texts(struct shw_bench *bench);
enum shw_result shw_bench_training(struct shw_bench *bench);
enum shw_result shw_bench_viewer(struct shw_bench *bench);

/* Opens device `index` and creates the document; `command` is the command line. Without a device only `cpu` is timed,
 * unless `device_needed`. On failure *bench only needs shw_bench_close(). Errors: MEMORY, NO_DEVICE, UNSUPPORTED. */
enum shw_result shw_bench_open(struct shw_bench *bench, const struct shw_bench_options *options, uint32_t index,
                               bool device_needed, const char *command);
void shw_bench_close(struct shw_bench *bench);

/* Milliseconds of shw_clock(). */
static inline double shw_bench_now(void)
{
    return 1e3 * shw_clock();
}

/* Whether rows of this technique are requested and possible. */
bool shw_bench_wants(const struct shw_bench *bench, enum shw_technique technique);

/* Whether settings are scaled down: a quick run without hardware. */
bool shw_bench_is_small(const struct shw_bench *bench);

/* Reports what is being timed. */
void shw_bench_say(const struct shw_bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether a failure concerns one setting only (lack of memory, a limit, a missing capability), so that the run
 * continues. */
bool shw_bench_is_skip(enum shw_result result);

#endif
