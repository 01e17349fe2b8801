/* Plain choices of what a project is trained with, and on. */
#ifndef VIEW_TEACH_CHOICES_H
#define VIEW_TEACH_CHOICES_H

#include "dense/input/inputs.h"
#include "teach/teaching.h"

/* A list of channels with those that read an input, or without. False: it is too long, or empty. `made` may be
 * `channels`. */
bool view_choice_channels(const char *channels, const struct shw_channel_kinds *kinds, const char *input, bool on,
                          char made[SHW_CHANNEL_LIST_NAME_SIZE]);

/* A pattern from the project's folder, for one from the folder of the shown picture, to be freed; NULL: out of memory.
 */
char *view_choice_place_pattern(const struct view_teaching *teaching, const char *pattern);

/* Refuses a pattern that gives each picture the same file of an input. */
enum shw_result view_choice_check_pattern(const struct view_teaching *teaching, const char *pattern, const char *input);

/* The pattern of the project's depth from the folder of the shown picture, as `learn-from` takes it; "" if there is
 * none. */
void view_choice_depth(const struct view_teaching *teaching, char *pattern, size_t size);

#endif
