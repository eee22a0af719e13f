import { load } from './packages.mjs';
import { wallets } from './published.mjs';

/**
 * One wallet as a process: `node main.mjs <wallet> <packages folder> [url]`. With an IPC channel it takes calls until that
 * ends; with a URL it lists what is there, buys the cheapest and ends.
 */
const [name, , url] = process.argv.slice(2);
const open = wallets[name];

if (process.send) serve();
else await tryByHand();

/** Messages `[id, method, ...arguments]` in, `{ id, value }` or `{ id, error }` out. `open` is one of the methods. */
function serve() {
  let wallet;
  const close = () => wallet?.close();
  const reopen = async (options) => {
    await close();
    wallet = await open(options);
  };
  process.on('message', async ([id, method, ...given]) => {
    try {
      process.send({ id, value: await { ...wallet, open: reopen }[method](...given) });
    } catch (error) {
      process.send({ id, error: error?.message ?? String(error) });
    }
  });
  process.on('disconnect', () => void Promise.resolve(close()).finally(() => process.exit()));
  process.send({ ready: true });
}

async function tryByHand() {
  const { generatePrivateKey } = await load('viem/accounts');
  const wallet = await open({ url, privateKey: generatePrivateKey() });
  const tools = await wallet.listTools();
  const input = { habits: [{ name: 'Read 20 minutes', completion_rate: 0.46, current_streak: 0, best_streak: 12 }] };
  const { result, offers } = wallet.post
    ? await wallet.post('/agent/v1/habits/recommend', input)
    : await wallet.call('recommend_habit_actions', input);
  process.stdout.write(`${JSON.stringify({ tools: tools.map((tool) => tool.name), offers, result })}\n`);
  await wallet.close();
}
