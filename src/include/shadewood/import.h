/* Models of other programs. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Forests of CURFIL and of Kinect's kind, cascades of OpenCV and pico, and record forests of XGBoost, LightGBM,
 * scikit-learn and ONNX are read from files or from memory; none of the programs is needed. docs/exchange.md and
 * docs/record-import.md say what is read of them, and what predictions equal. Files are not trusted. */
#ifndef SHADEWOOD_IMPORT_H
#define SHADEWOOD_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/cascade.h>
#include <shadewood/forest.h>
#include <shadewood/log.h>
#include <shadewood/record_forest.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a model becomes. */
enum shw_model_kind { SHW_MODEL_FOREST = 0, SHW_MODEL_CASCADE = 1, SHW_MODEL_RECORDS = 2 };

/* A format of models that can be imported. */
struct shw_import_format {
    const char *name;        /* a word: "xgboost" */
    const char *description; /* for people: "a model in JSON or UBJSON" */
    enum shw_model_kind kind;
};

/* The formats, from index 0 on, those of a kind one after the other; NULL from their number on. Static lifetime; any
 * thread. */
SHW_API const struct shw_import_format *shw_import_format_get(uint32_t index);

/* The format of that name, or NULL. Static lifetime; any thread. */
SHW_API const struct shw_import_format *shw_import_format_find(const char *name);

/* A file, or one in memory; of the format csv a folder. Models of forests and record forests may be packed by gzip or
 * bzip2 (where the build has their libraries). */
struct shw_import_source {
    const char *path;  /* NULL: in memory */
    const void *bytes; /* without path: `size` bytes */
    size_t size;
    const char *name; /* of bytes in messages, and in the provenance without its folder; NULL: "model" */
};

/* Which of CURFIL's two predictions a forest equals: they differ in the depth at the pixel. */
enum shw_curfil_prediction { SHW_CURFIL_AS_TRAINED = 0, SHW_CURFIL_CPU = 1, SHW_CURFIL_GPU = 2 };

#define SHW_KINECT_DEPTH_MAX 23u    /* tests on a path of Kinect's trees */
#define SHW_FOCAL_MAX        65535u /* pixels */

/* Zero means the default given at the field. */
struct shw_import_params {
    const char *format;                      /* its name; NULL: recognised by the contents, of cascades and record
                                                forests only */
    const struct shw_import_source *sources; /* one; of forests a tree each, in their order */
    uint32_t source_count;
    const char *object; /* cascades: what it finds; NULL: as the file says, or "object" */
    /* Kinect's trees. */
    bool cuts;             /* cut deeper trees: */
    uint32_t depth;        /* a node at this depth, at most SHW_KINECT_DEPTH_MAX, votes as most leaves below it do */
    bool keeps_all;        /* also tests that change nothing, since all leaves below them have the same label */
    uint32_t focal_length; /* pixels, of the camera whose images are labelled; at most SHW_FOCAL_MAX; 0: 525 */
    /* CURFIL's trees. */
    enum shw_curfil_prediction prediction;
    bool has_bias;         /* instead of what the files say: */
    uint32_t bias_percent; /* this percentage of a leaf's samples, at most 99, is subtracted from those of each class
                              (Waldvogel 2013, Eq. 4.10) */
    struct shw_log log;
};

/* Make a forest, a cascade or a record forest of another program's model. The provenance names the format and the files
 * (`imported_from`, `files`). Errors: ARGUMENT (among others, a format that does not exist or makes another kind of
 * model), IO, FORMAT (also if no format is recognised, and for files of Shadewood's own), VERSION, LIMIT, MEMORY,
 * UNSUPPORTED (a build without Expat, zlib or bzip2, if the file needs it). Any thread. */
SHW_API enum shw_result shw_forest_import_abi(uint32_t abi, const struct shw_import_params *params,
                                              struct shw_forest **forest);
static inline enum shw_result shw_forest_import(const struct shw_import_params *params, struct shw_forest **forest)
{
    return shw_forest_import_abi(SHW_ABI, params, forest);
}
SHW_API enum shw_result shw_cascade_import_abi(uint32_t abi, const struct shw_import_params *params,
                                               struct shw_cascade **cascade);
static inline enum shw_result shw_cascade_import(const struct shw_import_params *params, struct shw_cascade **cascade)
{
    return shw_cascade_import_abi(SHW_ABI, params, cascade);
}
SHW_API enum shw_result shw_record_forest_import_abi(uint32_t abi, const struct shw_import_params *params,
                                                     struct shw_record_forest **forest);
static inline enum shw_result shw_record_forest_import(const struct shw_import_params *params,
                                                       struct shw_record_forest **forest)
{
    return shw_record_forest_import_abi(SHW_ABI, params, forest);
}

/* The name of the format as which a file or folder, or bytes in memory, are recognised: of a cascade or a record forest
 * of another program. NULL if none is, or the file cannot be read. Static lifetime; any thread. */
SHW_API const char *shw_import_recognise(const struct shw_import_source *source);

/* Read a file of Shadewood's own or, if it is none, another program's model, whose format is recognised by the
 * contents. `log` may be NULL. Errors: as above. Any thread. */
SHW_API enum shw_result shw_cascade_open_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                             struct shw_cascade **cascade);
static inline enum shw_result shw_cascade_open(const char *path, const struct shw_log *log,
                                               struct shw_cascade **cascade)
{
    return shw_cascade_open_abi(SHW_ABI, path, log, cascade);
}
SHW_API enum shw_result shw_record_forest_open_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                                   struct shw_record_forest **forest);
static inline enum shw_result shw_record_forest_open(const char *path, const struct shw_log *log,
                                                     struct shw_record_forest **forest)
{
    return shw_record_forest_open_abi(SHW_ABI, path, log, forest);
}

#ifdef __cplusplus
}
#endif
#endif
