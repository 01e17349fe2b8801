/* Shared objects for --plugin as another version of the library would have them: only the version of a type or a kind
 * may be read. */
#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>

#ifdef WITH_KIND
SHW_API const uint32_t *const *shadewood_channel_kinds(uint32_t *count);

const uint32_t *const *shadewood_channel_kinds(uint32_t *count)
#else
SHW_API const uint32_t *const *shadewood_feature_types(uint32_t *count);

const uint32_t *const *shadewood_feature_types(uint32_t *count)
#endif
{
    static const uint32_t version = 3;
    static const uint32_t *const entries[] = {&version};

    *count = 1;
    return entries;
}
