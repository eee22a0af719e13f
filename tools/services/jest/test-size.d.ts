/** In tests: the first one, a number or a list of cases, or the second one with TEST_SIZE=full. */
declare const sized: <Size>(usual: Size, full: Size) => Size;
