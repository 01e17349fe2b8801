/* Results and messages. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_LOG_H
#define SHADEWOOD_LOG_H

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a call. Success is zero, every failure is negative. A function that fails has sent one message of level
 * SHW_LOG_ERROR to its log, if it has one, and leaves its outputs unchanged, unless documented otherwise.
 *
 * Pointers are not null, unless documented otherwise. If one is, functions with a result fail with SHW_ERROR_ARGUMENT,
 * other functions do nothing and return zero, and functions that destroy or free something accept it. */
enum shw_result {
    SHW_OK = 0,
    SHW_ERROR_ARGUMENT = -1,      /* a parameter breaks a documented rule */
    SHW_ERROR_MEMORY = -2,        /* host memory is exhausted */
    SHW_ERROR_DEVICE_MEMORY = -3, /* device memory is exhausted */
    SHW_ERROR_DEVICE_LOST = -4,   /* the device stopped answering; its objects can only be destroyed */
    SHW_ERROR_NO_DEVICE = -5,     /* no Vulkan loader, no driver, or no device with that index */
    SHW_ERROR_UNSUPPORTED = -6,   /* the device or this build lacks something required; the message names it */
    SHW_ERROR_IO = -7,            /* a file could not be opened, read or written */
    SHW_ERROR_FORMAT = -8,        /* the contents of a file or of a data set are invalid */
    SHW_ERROR_VERSION = -9,       /* a file comes from a newer version */
    SHW_ERROR_LIMIT = -10,        /* valid, but larger than a documented limit */
    SHW_ERROR_CANCELLED = -11,    /* a callback asked to stop */
    SHW_ERROR_ABI = -12           /* the program was compiled with other structs than the library, which has read
                                     nothing and sends no message (shadewood/version.h) */
};

/* A short English phrase for `result`, for example "device lost". Static lifetime; any thread. */
SHW_API const char *shw_result_string(enum shw_result result);

/* The message of the last call of this thread that failed, also if it had no log: one line, or "" if no call has failed
 * yet. Not reset by success, so it is meaningful after a failure only. Failures of threads that
 * worked for the call are among them. SHW_ERROR_ABI leaves none. Valid until the thread's next failure, or its end. */
SHW_API const char *shw_last_error(void);

enum shw_log_level { SHW_LOG_ERROR = 0, SHW_LOG_WARNING = 1, SHW_LOG_INFO = 2, SHW_LOG_DEBUG = 3 };

/* The subject of a message, so that programs and tests need not compare texts. */
#define SHW_LOG_ITEMS(X)                                                                                               \
    X(ARGUMENT)          /* a parameter breaks a documented rule */                                                    \
    X(OUT_OF_MEMORY)     /* host or device memory */                                                                   \
    X(VULKAN_CALL)       /* a Vulkan call failed; names call and result */                                             \
    X(VULKAN_VALIDATION) /* a message of the validation layers */                                                      \
    X(NO_DEVICE)         /* loader, driver or device missing */                                                        \
    X(REQUIREMENT)       /* a requirement that the device does not meet */                                             \
    X(DEVICE_INFO)       /* capabilities of the device, which technique was chosen */                                  \
    X(FILE_OPEN)         /* cannot open */                                                                             \
    X(FILE_READ)         /* cannot read, or shorter than stated */                                                     \
    X(FILE_WRITE)        /* cannot write, sync or rename */                                                            \
    X(IMAGE_FORMAT)      /* an image file is invalid or of an unsupported format */                                    \
    X(LABEL_COLOUR)      /* a label colour or index missing from the palette */                                        \
    X(PALETTE)           /* a palette file is invalid */                                                               \
    X(DATASET)           /* missing files, different sizes, an empty set */                                            \
    X(CHANNELS)          /* an invalid list of channels or channel kind */                                             \
    X(FOREST_CONTAINER)  /* the KTX2 container of a forest, cascade or record forest is invalid */                     \
    X(FOREST_VERSION)    /* written by a newer version */                                                              \
    X(FOREST_METADATA)   /* the JSON in the container is invalid */                                                    \
    X(FOREST_CHECKSUM)   /* contents do not match their checksum */                                                    \
    X(FOREST_STRUCTURE)  /* a child index, a leaf or a distribution is not valid */                                    \
    X(FOREST_FEATURE)    /* a rectangle, channel or flag is not valid */                                               \
    X(FOREST_SUM_RANGE)  /* a rectangle sum could leave the range that is computed exactly */                          \
    X(FEATURE_TYPE)      /* a feature type is incomplete */                                                            \
    X(TRAIN_PARAMETER)   /* a training parameter is out of range or contradicts another */                             \
    X(SPLITTER)          /* what the caller's splitter has chosen is invalid */                                        \
    X(TRAIN_ROUND)       /* a training round ended */                                                                  \
    X(TRAIN_TREE)        /* a tree is finished */                                                                      \
    X(CHECKPOINT)        /* a file is not a checkpoint, or of another training */                                      \
    X(BENCH_REPORT)      /* a file is not a report of the bench */                                                     \
    X(PROJECT)           /* a file is not a project, or a project has no labels */                                     \
    X(TILING)            /* an image is labelled in tiles */                                                           \
    X(PROGRESS)          /* progress of the work */                                                                    \
    X(TRAIN_MEMORY)      /* training on the host needs more memory than it may use */                                  \
    X(CASCADE)           /* metadata, a stage, tree, node or feature of a cascade is not valid */                      \
    X(RECORD_FOREST)     /* metadata, a tree, node or leaf of a record forest, or a file to import, is not valid */    \
    X(PROPOSER)          /* what the caller's proposer gives is invalid, or it has failed */

enum shw_log_item {
#define SHW_LOG_ITEM(name) SHW_LOG_##name,
    SHW_LOG_ITEMS(SHW_LOG_ITEM)
#undef SHW_LOG_ITEM
        SHW_LOG_ITEM_COUNT
};

/* Receives a message: `text` is one line without a newline, valid during the call. May be called concurrently from all
 * threads that work for the object with this log; must not call back into Shadewood. */
typedef void (*shw_log_function)(void *user, enum shw_log_level level, enum shw_log_item item, const char *text);

/* The destination of messages. Zero-initialised: none. Copied by the functions that take it; `user` must outlive the
 * objects created with it. */
struct shw_log {
    shw_log_function function;
    void *user;
    enum shw_log_level level; /* messages above this level are suppressed; the default, zero, passes errors only */
};

#ifdef __cplusplus
}
#endif
#endif
