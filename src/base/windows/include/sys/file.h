#include "base/windows/posix.h"
