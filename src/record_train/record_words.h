/* What messages of training say to those who train on records (train/words.h). */
#ifndef SHW_RECORD_TRAIN_RECORD_WORDS_H
#define SHW_RECORD_TRAIN_RECORD_WORDS_H

#include "train/words.h"

extern const struct shw_train_words shw_record_train_words;

#endif
