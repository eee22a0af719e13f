import { asProblem, type ErrorBody } from '@evenkeel/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Challenge } from '../challenges/prepared-challenge';
import type { Answer } from '../calls/answer';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json';

export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): void {
  void reply.code(status).headers(headers).send(body);
}

/** The bytes as they were built; parsed again only for a caller that asks for a problem document. */
export function sendChallenge(
  request: FastifyRequest,
  reply: FastifyReply,
  { header, body }: Challenge,
  baseUrl: string,
): void {
  void reply.code(402).header('payment-required', header);
  if (request.headers.accept?.includes(PROBLEM_TYPE)) {
    const problem = asProblem(JSON.parse(body.toString()) as ErrorBody, 402, baseUrl);
    void reply.type(PROBLEM_TYPE).send(JSON.stringify(problem));
  } else {
    void reply.header('content-type', JSON_TYPE).send(body);
  }
}
