export {
  inReadingOrder,
  mergeParts,
  refusalExample,
  withExamples,
  type NamedExamples,
  type OperationExamples,
} from './documents';
export { partOf, SharedAnswer, type Route } from './part-of';
export { recordedAnswers, recordedExamples, runWritePart, writePart } from './recorded-answers';
