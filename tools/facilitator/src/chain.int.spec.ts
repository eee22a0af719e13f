import { createPublicClient, getAddress, http, type Hex, type PublicClient } from 'viem';
import { base as baseChain } from 'viem/chains';
import { aBody, aSigned, aWallet, base, FacilitatorAtNoon, noon, payTo } from './payment.fixture';
import { tokenAbi } from './token';

const address = getAddress(base.usdc.address);
const token = { address, abi: tokenAbi } as const;
const [, , , used, , transfer] = tokenAbi;
const events = tokenAbi.filter((item) => item.type === 'event');

let facilitator: FacilitatorAtNoon;
let client: PublicClient;
beforeEach(async () => {
  facilitator = await FacilitatorAtNoon.start();
  client = createPublicClient({
    chain: baseChain,
    // Each question goes to the server: the client's own cache of the block number would hide a moved clock.
    cacheTime: 0,
    transport: http(facilitator.running.rpcUrl, { batch: true, retryCount: 0 }),
  }) as PublicClient;
});
afterEach(() => facilitator.running.close());

async function settled() {
  const signed = await aSigned();
  const { body } = await facilitator.settle(aBody(signed));
  return { ...signed.authorization, hash: body.transaction as Hex };
}

it('has the id of its chain and a block every two seconds', async () => {
  expect(await client.getChainId()).toBe(8453);
  const first = await client.getBlock();
  expect(first).toMatchObject({ number: 300n, timestamp: BigInt(noon.getTime() / 1000) });
  facilitator.clock.advanceMs(3_999);
  expect(await client.getBlockNumber()).toBe(301n);
  const next = await client.getBlock({ blockNumber: 301n });
  expect(next).toMatchObject({ parentHash: first.hash, timestamp: first.timestamp + 2n });
  await expect(client.getBlock({ blockNumber: 302n })).rejects.toMatchObject({ name: 'BlockNotFoundError' });
});

it('says who the token is, and which authorizations are used or cancelled, as of a block', async () => {
  expect(await client.readContract({ ...token, functionName: 'name' })).toBe(base.usdc.name);
  const isSpent = (authorizer: Hex, nonce: Hex, blockNumber?: bigint) =>
    client.readContract({ ...token, functionName: 'authorizationState', args: [authorizer, nonce], blockNumber });
  const cancelled = (await aSigned()).authorization;
  const { from: authorizer, nonce } = cancelled;
  expect(await isSpent(authorizer, nonce)).toBe(false);
  facilitator.running.control({ action: 'cancel', payer: authorizer, nonce });
  facilitator.clock.advanceMs(2_000);
  const spent = await settled();

  expect(await isSpent(authorizer, nonce)).toBe(true);
  expect(await isSpent(spent.from, spent.nonce, 301n)).toBe(true);
  expect(await isSpent(spent.from, spent.nonce, 300n)).toBe(false);
  const [first] = await client.getLogs({ address, events, fromBlock: 0n });
  expect(first).toMatchObject({ eventName: 'AuthorizationCanceled', args: { authorizer, nonce } });
});

it('finds events by topics, address and block, and has them in the receipt', async () => {
  const one = await settled();
  const { from, nonce, hash } = await settled();
  facilitator.clock.advanceMs(2_000);
  const three = await settled();
  const uses = (filter: object) => client.getLogs({ address, event: used, fromBlock: 0n, ...filter });
  const hashes = async (filter: object) => (await uses(filter)).map(({ transactionHash }) => transactionHash);

  expect(await uses({ args: { authorizer: from, nonce } })).toMatchObject([
    { transactionHash: hash, blockNumber: 300n, transactionIndex: 1, logIndex: 2, args: { authorizer: from, nonce } },
  ]);
  expect(await hashes({ args: { authorizer: [one.from, three.from] } })).toEqual([one.hash, three.hash]);
  expect(await hashes({ toBlock: 300n })).toEqual([one.hash, hash]);
  expect(await hashes({ fromBlock: 301n, toBlock: 2_000n })).toEqual([three.hash]);
  expect(await hashes({ address: aWallet().address })).toEqual([]);
  const receipt = await client.getTransactionReceipt({ hash });
  expect(receipt).toMatchObject({ status: 'success', blockNumber: 300n, to: address.toLowerCase() });
  expect(receipt.logs.map(({ logIndex }) => logIndex)).toEqual([2, 3]);
  const args = { from, to: payTo } as const;
  const moved = await client.getLogs({ address, event: transfer, args, fromBlock: 0n, strict: true });
  expect(moved).toMatchObject([{ transactionHash: hash, args: { value: 50_000n } }]);
});

it('has many transfers in one transaction: each right after the use of its authorization, all or none', async () => {
  const account = aWallet();
  const [one, own] = [await aSigned({ account }), await aSigned({ account, authorization: { value: '0' } })];
  const toItself = { ...own.authorization, to: account.address };
  const plain = { from: account.address, to: payTo, value: '7' };
  facilitator.running.control({ action: 'batch', transfers: [one.authorization, toItself, plain] });
  facilitator.running.control({ action: 'batch', transfers: [plain, one.authorization] });
  const logs = await client.getLogs({ address, events, fromBlock: 0n, strict: true });
  expect(logs).toMatchObject([
    { logIndex: 0, eventName: 'AuthorizationUsed', args: { nonce: one.authorization.nonce } },
    { logIndex: 1, eventName: 'Transfer', args: { to: payTo, value: 50_000n } },
    { logIndex: 2, eventName: 'AuthorizationUsed', args: { nonce: own.authorization.nonce } },
    { logIndex: 3, eventName: 'Transfer', args: { to: account.address, value: 0n } },
    { logIndex: 4, eventName: 'Transfer', args: { to: payTo, value: 7n } },
  ]);
  expect(new Set(logs.map(({ transactionHash }) => transactionHash)).size).toBe(1);
});

it('refuses what it does not know, and more than 2,000 blocks at once', async () => {
  const ask = async (method: string, params: unknown[]) =>
    (await facilitator.ask('/rpc', { jsonrpc: '2.0', id: 7, method, params })).body;
  facilitator.clock.advanceMs(10_000_000);
  expect(await ask('eth_sendTransaction', [])).toMatchObject({ id: 7, error: { code: -32601 } });
  expect(await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x7d1' }])).toMatchObject({ error: { code: -32602 } });
  expect(await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x7d0' }])).toMatchObject({ result: [] });
});
