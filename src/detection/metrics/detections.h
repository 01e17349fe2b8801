/* How well detections agree with annotated objects (Jurak 2015, 6.3). */
#ifndef SHW_DETECTION_METRICS_DETECTIONS_H
#define SHW_DETECTION_METRICS_DETECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/detect.h>

/* A rectangle that somebody has drawn around an object, in pixels of the image. */
struct shw_true_object {
    int32_t x, y;
    uint32_t width, height;
    bool ignored; /* may be found or not: neither counts */
};

/* The overlap by which a detection finds an object, unless another one is chosen. */
#define SHW_MATCH_OVERLAP 0.65

/* Intersection over union (eq. 6.1): 0 to 1; 0 if both are empty. */
double shw_detection_overlap(const struct shw_detection *detection, const struct shw_true_object *object);

#define SHW_MATCH_NONE UINT32_MAX

/* What a detection is. */
struct shw_match {
    uint32_t object; /* the one that it finds; NONE: a false one */
    double overlap;  /* with that; of a false one, the largest with any object that is not to be ignored */
    bool ignored;    /* the object is: the detection does not count */
};

/* Matches the detections of an image with its objects: the detections take turns by falling score (those of equal score
 * in the order given), and each finds the object that it overlaps most, by `overlap` or more (above 0, at most 1),
 * among those that none has found before. A detection that finds none may find one to be ignored, as others may, if
 * that part of the detection's own area lies in it: such an object may be a group of many (as COCO's crowds). Writes
 * `found_count` matches, in the order of `found`. Errors: MEMORY. */
enum shw_result shw_detections_match(const struct shw_detection *found, uint32_t found_count,
                                     const struct shw_true_object *objects, uint32_t object_count, double overlap,
                                     const struct shw_log *log, struct shw_match *matches);

/* The detections of all images, right and false. Zero-initialise it, and free it in the end. */
struct shw_detection_tally {
    uint64_t images, windows; /* that were searched */
    uint64_t objects;         /* to be found: not those to be ignored */
    struct shw_scored {
        int32_t score;
        bool right;
    } * scored; /* as added; sorted by falling score after shw_detection_curve_make() */
    uint32_t count, capacity;
};

/* Adds an image that was matched. Errors: MEMORY. */
enum shw_result shw_detection_tally_add(struct shw_detection_tally *tally, const struct shw_detection *found,
                                        const struct shw_match *matches, uint32_t found_count,
                                        const struct shw_true_object *objects, uint32_t object_count, uint64_t windows,
                                        const struct shw_log *log);

/* Accepts one that is zero-initialised or freed. */
void shw_detection_tally_free(struct shw_detection_tally *tally);

/* What is left if detections below a score are dropped. */
struct shw_detection_point {
    int32_t score;         /* the lowest that is kept */
    uint64_t right, wrong; /* true and false positives; false negatives are tally->objects - right */
};

/* A point for each score that occurs, by falling score; the last one is that of all detections. */
struct shw_detection_curve {
    uint32_t count;
    struct shw_detection_point *points;
    uint64_t objects, images, windows; /* of the tally */
};

/* Sorts the tally's detections. Errors: MEMORY. */
enum shw_result shw_detection_curve_make(struct shw_detection_tally *tally, const struct shw_log *log,
                                         struct shw_detection_curve *curve);

/* Accepts one that is zero-initialised or freed. */
void shw_detection_curve_free(struct shw_detection_curve *curve);

/* Quotients with a divisor of zero are NaN. */
struct shw_detection_rates {
    double precision;        /* right / (right + wrong) */
    double recall;           /* right / objects: the detection rate */
    double wrong_per_image;  /* wrong / images */
    double wrong_per_window; /* wrong / windows */
};
struct shw_detection_rates shw_detection_rates_at(const struct shw_detection_curve *curve,
                                                  const struct shw_detection_point *point);

/* Average precision: the area below the curve of precision over recall, where the precision at a recall is the best of
 * those at the same or a larger recall (PASCAL VOC since 2010, "all points"). NaN without objects. */
double shw_detection_average_precision(const struct shw_detection_curve *curve);

#endif
