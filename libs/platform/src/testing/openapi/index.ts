export { AnswerSchemas } from './documented-answers';
export { documentedAnswers, type DocumentedAnswer } from './documented-answers';
