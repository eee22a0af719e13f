/** In tests: the first number, or the second one with TEST_SIZE=full. */
declare const sized: (usual: number, full: number) => number;
