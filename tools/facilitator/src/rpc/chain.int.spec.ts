import { createPublicClient, getAddress, http, parseAbiItem, type Hex, type PublicClient } from 'viem';
import { base as baseChain } from 'viem/chains';
import { tokenAbi } from '../chain/token';
import { aBody, aSigned, aWallet, base, FacilitatorAtNoon, noon, payTo } from '../payment.fixture';

const address = getAddress(base.usdc.address);
const authorizationUsed = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)');
const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

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

it('tells used and cancelled authorizations, as of a block', async () => {
  const read = (authorizer: Hex, nonce: Hex, blockNumber?: bigint) =>
    client.readContract({
      address,
      abi: tokenAbi,
      functionName: 'authorizationState',
      args: [authorizer, nonce],
      blockNumber,
    });
  const cancelled = (await aSigned()).authorization;
  expect(await read(cancelled.from, cancelled.nonce)).toBe(false);
  facilitator.running.control({ action: 'cancel', payer: cancelled.from, nonce: cancelled.nonce });
  facilitator.clock.advanceMs(2_000);
  const used = await settled();

  expect(await read(cancelled.from, cancelled.nonce)).toBe(true);
  expect(await read(used.from, used.nonce, 301n)).toBe(true);
  expect(await read(used.from, used.nonce, 300n)).toBe(false);
  const events = tokenAbi.filter((item) => item.type === 'event');
  const { from: authorizer, nonce } = cancelled;
  const [first] = await client.getLogs({ address, events, fromBlock: 0n });
  expect(first).toMatchObject({ eventName: 'AuthorizationCanceled', args: { authorizer, nonce } });
});

it('finds the use of an authorization, and the transfer in its receipt', async () => {
  await settled();
  const { from, nonce, hash } = await settled();
  const logs = await client.getLogs({
    address,
    event: authorizationUsed,
    args: { authorizer: from, nonce },
    fromBlock: 270n,
  });
  expect(logs).toMatchObject([
    { transactionHash: hash, blockNumber: 300n, transactionIndex: 1, logIndex: 2, args: { authorizer: from, nonce } },
  ]);

  const receipt = await client.getTransactionReceipt({ hash });
  expect(receipt).toMatchObject({ status: 'success', blockNumber: 300n, to: address.toLowerCase() });
  expect(receipt.logs.map(({ logIndex }) => logIndex)).toEqual([2, 3]);
  const moved = await client.getLogs({ address, event: transfer, args: { from, to: payTo as Hex }, strict: true });
  expect(moved).toMatchObject([{ transactionHash: hash, args: { value: 50_000n } }]);
});

it('filters by lists of topics, by address and by block', async () => {
  const [one, two] = [await settled(), await settled()];
  facilitator.clock.advanceMs(2_000);
  const three = await settled();
  const hashes = async (filter: object) => {
    const logs = await client.getLogs({ address, event: authorizationUsed, ...filter });
    return logs.map(({ transactionHash }) => transactionHash);
  };

  const all = { fromBlock: 0n };
  expect(await hashes({ ...all, args: { authorizer: [one.from, three.from] } })).toEqual([one.hash, three.hash]);
  expect(await hashes({ ...all, args: { nonce: two.nonce } })).toEqual([two.hash]);
  expect(await hashes({ ...all, toBlock: 300n })).toEqual([one.hash, two.hash]);
  expect(await hashes({ fromBlock: 301n, toBlock: 2_000n })).toEqual([three.hash]);
  expect(await hashes({ ...all, address: aWallet().address })).toEqual([]);
});

it('has many transfers in one transaction: each right after the use of its authorization, all or none', async () => {
  const account = aWallet();
  const [one, own] = [await aSigned({ account }), await aSigned({ account, authorization: { value: '0' } })];
  const toItself = { ...own.authorization, to: account.address };
  const plain = { from: account.address, to: payTo, value: '7' };
  facilitator.running.control({ action: 'batch', transfers: [one.authorization, toItself, plain] });
  facilitator.running.control({ action: 'batch', transfers: [plain, one.authorization] });
  const events = tokenAbi.filter((item) => item.type === 'event');
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
    (await facilitator.post('/rpc', { jsonrpc: '2.0', id: 7, method, params })).body;
  facilitator.clock.advanceMs(10_000_000);
  expect(await ask('eth_sendTransaction', [])).toMatchObject({ id: 7, error: { code: -32601 } });
  expect(await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x7d1' }])).toMatchObject({ error: { code: -32602 } });
  expect(await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x7d0' }])).toMatchObject({ result: [] });
});
