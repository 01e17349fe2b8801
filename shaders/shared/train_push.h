/* Shared between the training shaders and the host: bindings, tables and push constants.
 *
 * A batch is some open nodes with some or all of their candidates. Its rows are pairs of node and candidate, node by
 * node. */
#ifndef SHW_SHARED_TRAIN_PUSH_H
#define SHW_SHARED_TRAIN_PUSH_H

#include "types.h"

/* Storage buffers of 32-bit words. */
#define SHW_TRAIN_INTEGRALS  0 /* of the images of one chunk; or channels or mean planes */
#define SHW_TRAIN_IMAGES     1 /* SHW_IMAGE_WORDS per image */
#define SHW_TRAIN_TABLES     2 /* of the round: constants, nodes, then the tables that offsets in both refer to */
#define SHW_TRAIN_SAMPLES    3 /* four planes of sample_capacity words: x | y << 16, image, label, side (1: right) */
#define SHW_TRAIN_MOVED      4 /* the samples after the round */
#define SHW_TRAIN_FEATURES   5 /* SHW_FEATURE_WORDS per row; if they are proposed, then SHW_INTERVAL_WORDS per row */
#define SHW_TRAIN_PROBES     6 /* responses of probe samples, probe_count per row */
#define SHW_TRAIN_THRESHOLDS 7 /* per row: SHW_THRESHOLD_WORDS, then bins - 1 thresholds */
#define SHW_TRAIN_HISTOGRAM                                                                                            \
    8 /* by node, candidate, bin (undefined responses have the last) and class present in the node */
#define SHW_TRAIN_BESTS          9  /* SHW_BEST_WORDS per group of candidates */
#define SHW_TRAIN_WINNERS        10 /* SHW_WINNER_WORDS per open node */
#define SHW_TRAIN_CHILDREN       11 /* number of samples that go right, by open node and class, then by segment */
#define SHW_TRAIN_TIMES_LOG2     12 /* SHW_TIMES_LOG2_COUNT pairs of words, high first */
#define SHW_TRAIN_INTEGRALS_MORE 13 /* and the bindings after it: windows of the integrals after the first */

/* First word in its chunk, width | height << 16, chunk, first word of its channels if there are some besides integral
 * images, otherwise 0,
 * and 1 if the planes are those of the image, but it is its mirror image (mirror.h). */
#define SHW_IMAGE_WORDS   5u
#define SHW_FEATURE_WORDS 5u /* as in a node of the forest texture */
#define SHW_INTERVAL_WORDS                                                                                             \
    2u                         /* the responses that bins divide: low, high; low < high unless they follow from probes \
                                */
#define SHW_THRESHOLD_WORDS 3u /* 1 if there are any, low, range */
#define SHW_ITEM_WORDS      5u /* open node, first sample, samples, first candidate in the batch, candidates */
#define SHW_SEGMENT_WORDS   3u /* open node, first sample, samples */
/* lost: 1 if a histogram does not hold all samples of the node, otherwise 0 */
#define SHW_BEST_WORDS       8u  /* candidate in the batch or SHW_NO_SPLIT, test, five words of its score, lost */
#define SHW_WINNER_WORDS     14u /* candidate or SHW_NO_SPLIT, t0, t1, score (5 words), feature (5 words), lost */
#define SHW_NO_SPLIT         0xffffffffu
#define SHW_TIMES_LOG2_COUNT 4096u

/* Specialisation constants of the shaders that compute responses (shaders/dense/train/respond.glsl); 0 is that of
 * histogram.comp. */
#define SHW_TRAIN_SIDES_MAX       12u /* of rectangles that mean planes are of: four bytes in each of three words */
#define SHW_TRAIN_ID_PARTNERS     8u  /* 16 words */
#define SHW_TRAIN_ID_HAS_CHANNELS 24u
#define SHW_TRAIN_ID_MEAN_SIDES   25u
#define SHW_TRAIN_ID_MEAN_HEIGHTS 26u
#define SHW_TRAIN_ID_MEAN_MARGIN  27u
#define SHW_TRAIN_ID_SIDES        28u /* three words */
#define SHW_TRAIN_IDS             31u

/* Elements from one row of a channel to the next. */
#define SHW_CHANNEL_STRIDE(width) (((width) + 7u) & ~7u)

#define SHW_TRAIN_WORKGROUP 256u /* of histograms and of moving samples */
#define SHW_SPLIT_WORKGROUP 64u
#define SHW_SCAN_WORKGROUP  128u

/* An open node in the tables. */
#define SHW_NODE_FIRST       0u  /* sample */
#define SHW_NODE_COUNT       1u  /* of samples on this device */
#define SHW_NODE_NUMBER      2u  /* number in the tree */
#define SHW_NODE_CLASSES     3u  /* number of classes present */
#define SHW_NODE_CLASS_LIST  4u  /* table offset: weight and samples of each of these classes */
#define SHW_NODE_CLASS_INDEX 5u  /* table offset: for each label, its index in that list */
#define SHW_NODE_HISTOGRAM   6u  /* first word of its first candidate in the batch */
#define SHW_NODE_SCORE       7u  /* of the unsplit node: five words */
#define SHW_NODE_SEGMENT     12u /* its first segment; the next node's is the end */
#define SHW_NODE_ALL                                                                                                   \
    13u /* for quotients of gains: measure of all its samples, and n log2 n of their mass, high word first */
#define SHW_NODE_WHOLE_COUNT 17u /* of samples, of all workers that divide the images */
#define SHW_NODE_BEFORE      18u /* of them those of the workers before this one */
#define SHW_TABLE_NODE_WORDS 19u

/* Constants of a round, at the beginning of the tables. */
struct shw_train_constants {
    shw_uint item_table, segment_table; /* table offsets, relative to the end of this struct */
    shw_uint test_table, test_count;    /* test_table: for each test, bins first | end << 16 */
    shw_uint channel_table;             /* the greatest value of each channel */
    shw_uint channel_count, size_max, offset_max, single_percent, offset_min;
    shw_uint shapes;
    shw_uint candidates; /* of a node, by all workers */
    shw_uint candidate_key, threshold_key;
    shw_uint proposed;          /* 1: the host uploads features and intervals, and nothing is drawn */
    shw_uint candidate_first;   /* of a node; candidates of batches are relative to it */
    shw_uint pool_round, depth; /* pool_round 1: candidates are drawn for the round of this depth, not for nodes */
    shw_uint probe_count, class_count;
    shw_uint level_probe_table, level_probe_count; /* ferns: samples that are the probes of all nodes; otherwise none */
    shw_uint score, samples_min;
    shw_uint split_candidates; /* per work group */
};

/* What changes within a round, and what inner loops use. Vulkan guarantees 128 bytes, so there is room for more. */
struct shw_train_push {
    shw_uint chunk;                            /* the one whose integral images are bound */
    shw_uint open_begin, open_count;           /* of the batch */
    shw_uint candidate_begin, candidate_count; /* of the batch */
    shw_uint groups_x;                         /* work groups along x; numbering continues along y */
    shw_uint item_begin, item_end;             /* of histogram.comp */
    shw_uint segment_end;
    shw_uint sample_capacity;
    shw_uint bins, scheme; /* scheme: as enum shw_threshold_scheme */
    shw_uint split_groups; /* work groups per node */
    shw_uint all_bins;     /* per histogram: bins, and one more if responses may be undefined */
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_train_constants) == 25 * 4, "constants are 25 words in GLSL");
_Static_assert(sizeof(struct shw_train_push) == 14 * 4, "push constants are 14 words in GLSL");
#endif

#endif
