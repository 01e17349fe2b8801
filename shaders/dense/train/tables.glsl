/* The tables of the round. Include after train_push.h. */
layout(std430, set = 0, binding = SHW_TRAIN_TABLES) readonly buffer Tables {
    shw_train_constants constants;
    uint tables[];
};

uint node_word(uint open, uint word)
{
    return tables[open * SHW_TABLE_NODE_WORDS + word];
}
