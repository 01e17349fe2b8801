/* Settings of a training: a JSON object whose members are called like options of `shadewood train`, with texts, numbers
 * or true: {"channels": "wide", "depth": 20}. */
#ifndef SHW_FILES_TUNE_SETTING_H
#define SHW_FILES_TUNE_SETTING_H

#include <jansson.h>

#include <shadewood/train.h>

#define SHW_SETTING_WHY_SIZE 512

/* The radius of smoothing is the only member that does not concern the trees. */
#define SHW_SETTING_SMOOTH "smooth"

/* Sets one parameter, or none for the radius of smoothing. False, with the reason, if there is no such member, or it
 * does not take that value. Texts are borrowed from `value`. */
bool shw_setting_take(const char *name, const json_t *value, struct shw_trainer_params *params,
                      char why[SHW_SETTING_WHY_SIZE]);

/* The same for all members, and rectangles are no larger than their offset allows. */
bool shw_setting_apply(const json_t *setting, struct shw_trainer_params *params, char why[SHW_SETTING_WHY_SIZE]);

/* Makes rectangles that are too large for the maximum distance as large as it allows. */
void shw_setting_fit_size(struct shw_trainer_params *params);

/* Whether a list of channels begins with the depth, as feature types that divide by it need. */
bool shw_channels_begin_with_depth(const char *channels);

/* "--depth 20 --channels wide", as options. The caller frees it; NULL if memory is exhausted. */
char *shw_setting_options(const json_t *setting);

#endif
