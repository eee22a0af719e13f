import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnsweredCall } from '../http/api';

/** A call as billing makes it, without what differs from run to run. */
export interface BillingCall {
  /** As the README lists it: `POST /v1/subscriptions/:id`. */
  route: string;
  path: string;
  /** Of the query and of the form: `expand[0]`. */
  query: Record<string, string>;
  form: Record<string, string>;
  version: string;
}

/** Written by a test of billing, so that the check needs nothing of billing. */
export const BILLING_CALLS_FILE = join(__dirname, '../../openapi/billing-calls.json');

export function billingCalls(): BillingCall[] {
  return JSON.parse(readFileSync(BILLING_CALLS_FILE, 'utf8')) as BillingCall[];
}

export function billingCallOf({ route, request }: AnsweredCall): BillingCall {
  return {
    route: route ?? '',
    path: lasting(request.path),
    query: lastingForm(request.query),
    form: lastingForm(request.body),
    version: request.version ?? '',
  };
}

/** Calls of one shape have the same route and parameters of the same names. */
export function shapeOf({ route, query, form }: BillingCall): string {
  return [route, ...Object.keys(query).sort(), ...Object.keys(form).sort()].join(' ');
}

function lastingForm(text: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, lasting(value)]));
}

/** Ids, users and seconds of no run in particular. */
function lasting(text: string): string {
  return text
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '0194a1c2-0000-7000-8000-000000000001')
    .replace(/\b(cs_test|[a-z]{2,8})_[A-Za-z\d]{10,}/g, '$1_1')
    .replace(/^\d{10}$/, '1769860800');
}
