/* Windows of a large tree (Spencer 2021, section 6). */
#include "records/lane_walker.h"

const struct shw_record_way shw_record_way_windowed = SHW_LANE_WAY(SHW_RECORD_WINDOWED);
