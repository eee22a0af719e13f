export { AnswerSchemas } from './answer-schemas';
export { documentedAnswers, type DocumentedAnswer } from './documented-answers';
