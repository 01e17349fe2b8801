#include <stddef.h>

#include <shadewood/label.h>

const char *shw_technique_name(enum shw_technique technique)
{
    switch (technique) {
    case SHW_TECHNIQUE_AUTO: return "auto";
    case SHW_TECHNIQUE_CPU: return "cpu";
    case SHW_TECHNIQUE_FRAGMENT: return "fragment";
    case SHW_TECHNIQUE_COMPUTE: return "compute";
    case SHW_TECHNIQUE_BLEND: return "blend";
    case SHW_TECHNIQUE_CUSTOM: return "custom";
    }
    return NULL;
}

const char *shw_stage_name(enum shw_stage stage)
{
    switch (stage) {
    case SHW_STAGE_CHANNELS: return "channels";
    case SHW_STAGE_INTEGRATE: return "integrate";
    case SHW_STAGE_EVALUATE: return "evaluate";
    }
    return NULL;
}
