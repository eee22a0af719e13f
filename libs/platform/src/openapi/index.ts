export { mergeParts } from './merge-parts';
export { partOf, recordedAnswers, recordedExamples, type PartOptions, type Route } from './part-of';
export { inReadingOrder } from './reading-order';
export { refusalExample } from './refusal-example';
export { SharedAnswer } from './shared-answer';
export { withExamples, type NamedExamples, type OperationExamples } from './with-examples';
export { runWritePart, writePart } from './write-part';
