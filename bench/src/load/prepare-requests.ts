import { Connection } from './connection';
import { habitsBody } from './habits-body';
import { paymentsFor, type PaymentVersion } from './payments';

export interface LoadPlan {
  url: string;
  path: string;
  habits: number;
  connections: number;
  seconds: number;
  expectedStatus: number;
  /** Null: nothing is paid. */
  payment: PaymentVersion | null;
}

/** A faster seller than this ends its slice early. */
const PAYMENTS_PER_SECOND = 4_000;

/** Requests as bytes, one after the other; paid ones are made before the clock runs, and come to an end. */
export async function prepareRequests(plan: LoadPlan, now: Date): Promise<() => Buffer | undefined> {
  const unpaid = requestBytes(plan);
  if (plan.payment === null) return () => unpaid;
  const connection = await Connection.open(plan.url);
  const nextPayment = paymentsFor(await connection.exchange(unpaid), plan.payment, now);
  connection.close();
  const paid = Array.from({ length: PAYMENTS_PER_SECOND * plan.seconds }, () => requestBytes(plan, nextPayment()));
  return () => paid.pop();
}

function requestBytes({ url, path, habits }: LoadPlan, payment?: string): Buffer {
  const body = habitsBody(habits);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    'Content-Type: application/json',
    'Accept: */*',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(payment === undefined ? [] : [payment]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
