/* Orders of detections. */
#ifndef SHW_DETECTION_DETECT_ORDER_H
#define SHW_DETECTION_DETECT_ORDER_H

#include <shadewood/detect.h>

/* By angle, level, y and x. Windows on one level can have the same rectangle after rounding; their order is that of
 * their scores. */
void shw_detections_sort_windows(struct shw_detection *items, uint32_t count);

/* By falling score, then x, y, width, and by what else tells them apart. */
void shw_detections_sort_scores(struct shw_detection *items, uint32_t count);

/* By x, then as by score. */
void shw_detections_sort_columns(struct shw_detection *items, uint32_t count);

#endif
