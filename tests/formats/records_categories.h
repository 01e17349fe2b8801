/* Categorical splits of XGBoost's, against their plain meaning: tests of records.c. */
#ifndef SHW_EXCHANGE_RECORDS_CATEGORIES_H
#define SHW_EXCHANGE_RECORDS_CATEGORIES_H

void categories_are_decided_alike(void **state);
void nested_categories_are_decided_alike(void **state);
void sets_say_what_cuts_say(void **state);

#endif
