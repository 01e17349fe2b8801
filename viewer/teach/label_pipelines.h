/* Creates the pipelines for labelling with trained forests before there is one. */
#ifndef VIEW_TEACH_LABEL_PIPELINES_H
#define VIEW_TEACH_LABEL_PIPELINES_H

#include <shadewood/device.h>

/* For forests of that many trees, with the techniques that `auto` chooses; the device keeps the pipelines. Failures are
 * not logged: labelling will report them. Any thread. */
void view_label_pipelines_make(struct shw_device *device, uint32_t trees);

#endif
