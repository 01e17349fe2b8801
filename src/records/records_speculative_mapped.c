/* Spencer 2021, Procedure 5. */
#include "records/lane_walker.h"

const struct shw_record_way shw_record_way_speculative_mapped = SHW_LANE_WAY(SHW_RECORD_SPECULATIVE_MAPPED);
