/* What messages of training say to those who train on records (dense/train/words.h). */
#ifndef SHW_RECORDS_TRAIN_RECORD_WORDS_H
#define SHW_RECORDS_TRAIN_RECORD_WORDS_H

#include "dense/grow/progress.h"

extern const struct shw_train_words shw_record_train_words;

#endif
