export { mergeParts } from './merge-parts';
export { partOf, recordedAnswers, recordedExamples, SharedAnswer, type PartOptions, type Route } from './part-of';
export { inReadingOrder } from './reading-order';
export { refusalExample, withExamples, type NamedExamples, type OperationExamples } from './with-examples';
export { runWritePart, writePart } from './write-part';
