import { asProblem, ReadyAnswer, type ErrorBody } from '@evenkeel/platform/http';
import { asciiJson, type Challenge } from '../offers/challenges';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json';

const ready = new WeakMap<Challenge, ReadyAnswer>();

/** The 402 as it was built, made ready once; parsed again only for a caller that asks for a problem document. */
export function challengeAnswer(accept: string | undefined, challenge: Challenge, baseUrl: string): ReadyAnswer {
  if (accept?.includes(PROBLEM_TYPE)) return problemAnswer(challenge, baseUrl);
  let answer = ready.get(challenge);
  if (!answer) {
    answer = answerOf(challenge.header, JSON_TYPE, challenge.body);
    ready.set(challenge, answer);
  }
  return answer;
}

function problemAnswer({ header, body }: Challenge, baseUrl: string): ReadyAnswer {
  const problem = asProblem(JSON.parse(body) as ErrorBody, 402, baseUrl);
  return answerOf(header, `${PROBLEM_TYPE}; charset=utf-8`, asciiJson(JSON.stringify(problem)));
}

function answerOf(header: string, type: string, text: string): ReadyAnswer {
  return new ReadyAnswer(402, { 'payment-required': header, 'content-type': type }, text);
}
