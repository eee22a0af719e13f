import type { Standalone } from './start-standalone';

/** The address that the agent calls by default. */
const AGENT_LOOKS_AT = 'http://localhost:8080';

/** The text of a start: addresses, and commands to try. */
export function banner({ url, internalUrl, facilitator, database }: Standalone): string {
  const where = url === AGENT_LOOKS_AT ? '' : ` --url ${url}`;
  return `
Evenkeel runs at ${url}

  agent gateway   ${url}/agent/v1/habits/analyze and four more, pay per call
  operators       ${url}/dashboard, ${url}/v1/admin/revenue/summary
  people          ${url}/v1/auth, their mails at ${url}/dev/mails unless SMTP_URL is set
  facilitator     ${facilitator}
  database        ${database}
  health          ${internalUrl}/health/ready
  metrics         ${internalUrl}/metrics

Try it in a second terminal:

  ${`npm run agent -- recommend${where}`.padEnd(30)}  pays 0.03 USD and prints the result
  npm run agent -- --help         everything else it can buy
  curl -i -X POST ${url}/agent/v1/habits/analyze

Ctrl-C stops it; the data stays.
`;
}
