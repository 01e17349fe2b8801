#include <shadewood/shadewood.h>

#include <stdio.h>

int main(void)
{
    const struct shw_channel_set_info *set = shw_channel_set_get(SHW_CHANNELS_WINN16);

    printf("%s %s %u\n", shw_result_string(SHW_OK), set->name, set->channel_count);
    return set->channel_count == 16 ? 0 : 1;
}
