/* Data only. */
const int table[4] = {1, 2, 3, 4};
