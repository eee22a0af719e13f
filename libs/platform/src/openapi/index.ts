export { mapOperations, mapped, refusalExample } from './documents';
export { partOf, type Route } from './part-of';
export { recordedAnswers, recordedExamples, runWritePart, writePart } from './recorded-answers';
