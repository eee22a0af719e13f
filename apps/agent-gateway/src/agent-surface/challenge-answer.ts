import { asProblem, type ErrorBody } from '@evenkeel/platform';
import { asciiJson } from '../challenges/ascii-json';
import type { Challenge } from '../challenges/prepared-challenge';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json';

/** Headers and text of a 402: as they were built, parsed again only for a caller that asks for a problem document. */
export function challengeAnswer(accept: string | undefined, { header, body }: Challenge, baseUrl: string) {
  const headers = { 'payment-required': header, 'content-type': JSON_TYPE };
  if (!accept?.includes(PROBLEM_TYPE)) return { headers, text: body };
  const problem = asProblem(JSON.parse(body) as ErrorBody, 402, baseUrl);
  return {
    headers: { ...headers, 'content-type': `${PROBLEM_TYPE}; charset=utf-8` },
    text: asciiJson(JSON.stringify(problem)),
  };
}
