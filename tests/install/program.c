#include <shadewood/shadewood.h>

#include <stdio.h>

int main(void)
{
    struct shw_channel_list list;

    if (shw_channel_list_parse(SHW_CHANNELS_WINN16, NULL, NULL, &list) != SHW_OK)
        return 1;
    printf("%s %s %u\n", shw_result_string(SHW_OK), list.name, list.channel_count);
    return list.channel_count == 16 ? 0 : 1;
}
