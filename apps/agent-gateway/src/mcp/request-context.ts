import type { IncomingHttpHeaders } from 'node:http';
import type { Deadline } from '../calls/deadline';

/** The HTTP request that one message came in. */
export interface RequestContext {
  headers: IncomingHttpHeaders;
  /** Who is counted by the limits of addresses. */
  caller: string;
  requestId: string;
  deadline: Deadline;
  /** Go out with the HTTP answer, whatever the message's own answer is. */
  answerHeaders: Record<string, string>;
}
