#include <shadewood/version.h>

uint32_t shw_version(void)
{
    return SHW_VERSION;
}

const char *shw_version_string(void)
{
    return SHW_VERSION_STRING;
}

bool shw_abi_fits(uint32_t abi)
{
    return abi == SHW_ABI;
}
