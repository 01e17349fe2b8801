/* Plain choices of what a project is trained with, and on. */
#ifndef VIEW_TEACH_CHOICES_H
#define VIEW_TEACH_CHOICES_H

#include "dense/input/inputs.h"
#include "teach/teaching.h"

/* A list of channels with those that read an input, or without. False: it is too long, or empty. `made` may be
 * `channels`. */
bool view_choice_channels(const char *channels, const struct shw_channel_kinds *kinds, const char *input, bool on,
                          char made[SHW_CHANNEL_LIST_NAME_SIZE]);

/* The pattern of the project's depth from the folder of the shown picture, as `learn-from` takes it; "" if there is
 * none. */
void view_choice_depth(const struct view_teaching *teaching, char *pattern, size_t size);

#endif
