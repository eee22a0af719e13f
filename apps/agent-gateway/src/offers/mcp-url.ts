import type { PaymentTerms } from '../config/payment-terms';

export const MCP_PATH = '/mcp';

/** The address of all tools: with the name of a tool, the identity of its listing. */
export function mcpUrl({ baseUrl }: Pick<PaymentTerms, 'baseUrl'>): string {
  return baseUrl + MCP_PATH;
}
