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
    }
    return NULL;
}
