import type { PaidEndpoint } from '@evenkeel/contracts';

/**
 * A call as it goes over the wire.
 * @param payment value of `X-PAYMENT`
 */
export function requestText(endpoint: PaidEndpoint, baseUrl: string, payment?: string): string {
  const body = JSON.stringify(endpoint.exampleInput);
  return [
    `${endpoint.method} ${endpoint.path} HTTP/1.1`,
    `Host: ${new URL(baseUrl).host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(payment === undefined ? [] : [`X-PAYMENT: ${payment}`]),
    '',
    body,
  ].join('\n');
}
