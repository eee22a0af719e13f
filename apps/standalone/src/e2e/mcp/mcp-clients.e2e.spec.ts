import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from '../facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, type Gateway } from '../gateway-programs.fixture';
import { stopPrograms } from '../program.fixture';
import { workedExample } from '../worked-examples.fixture';
import { connect, LINES, type CallParams, type Connected } from './lines.fixture';
import { x402McpClient } from './x402-mcp-client.fixture';

let database: TestDatabase;
let facilitator: FacilitatorProgram;
let gateway: Gateway;

beforeAll(async () => {
  [database, facilitator] = await Promise.all([gatewayDatabase(), FacilitatorProgram.start()]);
  gateway = await startGateway(gatewayEnv(database, facilitator));
}, 90_000);

afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

const recommend: CallParams = {
  name: 'recommend_habit_actions',
  arguments: workedExample('recommend').request as Record<string, unknown>,
};

async function within<T>(client: Connected, work: (client: Connected) => Promise<T>): Promise<T> {
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

describe.each(LINES)('%s', (line) => {
  it('lists five paid tools and three free ones', async () => {
    const { tools } = await within(await connect(line, gateway.url), (client) => client.listTools());
    expect(tools.map(({ name }) => name)).toEqual([
      ...PAID_ENDPOINTS.map(({ toolName }) => toolName),
      'list_offers',
      'check_input',
      'payment_status',
    ]);
  });

  it('sees the price of a tool that it has listed', async () => {
    const result = await within(await connect(line, gateway.url), async (client) => {
      await client.listTools();
      return client.callTool(recommend);
    });
    expect(result).toMatchObject({ isError: true, structuredContent: { x402Version: 2, error: 'payment_required' } });
  });

  it('takes an error without a price for an answer too', async () => {
    const result = await within(await connect(line, gateway.url), async (client) => {
      await client.listTools();
      return client.callTool({ ...recommend, _meta: { 'evenkeel/credit': 'hrc_unknown' }, arguments: {} });
    });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: 'validation_failed' } });
  });

  it('paid as @x402/mcp does, gets the worked result, settled once', async () => {
    const before = (await facilitator.ledger()).settlements.length;
    const result = await within(await x402McpClient(line, gateway.url), async (client) => {
      await client.listTools();
      return client.callTool(recommend);
    });
    expect(result.isError).toBeFalsy();
    expect(JSON.stringify(result.structuredContent)).toBe(JSON.stringify(workedExample('recommend').result));

    const { settlements } = await facilitator.ledger();
    expect(settlements).toHaveLength(before + 1);
    const { value, transaction } = settlements.at(-1)!;
    expect(value).toBe('30000');
    expect(result._meta!['x402/payment-response']).toMatchObject({ success: true, transaction, status: 'settled' });
  });
});
