export { mapOperations, mapped, refusalExample } from './documents';
export { partOf, SharedAnswer, type Route } from './part-of';
export { recordedAnswers, recordedExamples, runWritePart, writePart } from './recorded-answers';
