#include "files/depth/camera.h"

struct shw_camera shw_camera_assume(uint32_t width, uint32_t height)
{
    double focal = width == 512 && height == 424 ? 365 : width * 525.0 / 640;

    return (struct shw_camera){{focal, focal}, {(width - 1) / 2.0, (height - 1) / 2.0}};
}
