/* Pipelines that labelling by taught forests will need, made before there is one. */
#ifndef VIEW_TEACH_LABEL_PIPELINES_H
#define VIEW_TEACH_LABEL_PIPELINES_H

#include <shadewood/device.h>

/* For forests of so many trees, as the viewer labels by `auto`; the device keeps them. Failures are not logged:
 * labelling reports them. Any thread. */
void view_label_pipelines_make(struct shw_device *device, uint32_t trees);

#endif
