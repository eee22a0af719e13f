import { CorsPolicy } from './cors';
import type { HttpOptions } from './http-options';
import { RequestCounts } from './request-counts';
import { CountedAnswers, requestLog, type RequestLog } from './request-log';

/** On every answer. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** What every answer of an application has in common, with and without the framework. */
export interface ResponsePolicy {
  options: HttpOptions;
  cors: CorsPolicy;
  log: RequestLog;
  counted: CountedAnswers;
  requests: RequestCounts;
}

export function responsePolicyOf(options: HttpOptions): ResponsePolicy {
  return {
    options,
    cors: new CorsPolicy(EVERYWHERE, options),
    log: requestLog(options),
    counted: new CountedAnswers(options.logger),
    requests: new RequestCounts(),
  };
}
