import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startRedis, type RunningRedis } from '../index';

/** Over a connection of its own, which it ends: the answer as Redis writes it. */
async function ask({ url }: RunningRedis, command: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${command}\r\nQUIT\r\n`);
  return (await text(socket)).replace(/\+OK\r\n$/, '').trim();
}

describe('startRedis', () => {
  it('answers, and leaves nothing behind', async () => {
    const redis = await startRedis();
    const folder = (await ask(redis, 'CONFIG GET dir')).split('\r\n').at(-1)!;
    expect(existsSync(folder)).toBe(true);
    expect(await ask(redis, 'PING')).toBe('+PONG');
    await redis.stop();
    expect(existsSync(folder)).toBe(false);
    await expect(ask(redis, 'PING')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('comes back on its port after a kill, empty', async () => {
    await using redis = await startRedis();
    await ask(redis, 'SET limit 1');
    const { pid, url } = redis;
    await redis.kill();
    await expect(ask(redis, 'PING')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await redis.restart();
    expect(redis.url).toBe(url);
    expect(redis.pid).not.toBe(pid);
    expect(await ask(redis, 'GET limit')).toBe('$-1');
  });

  it('goes on where it was frozen', async () => {
    await using redis = await startRedis();
    await ask(redis, 'SET limit 1');
    redis.freeze();
    const answer = ask(redis, 'GET limit');
    const soon = new Promise((resolve) => setTimeout(resolve, 50, 'no answer'));
    expect(await Promise.race([answer, soon])).toBe('no answer');
    redis.thaw();
    expect(await answer).toBe('$1\r\n1');
  });

  it('refuses a taken port in a sentence', async () => {
    await using first = await startRedis();
    const port = Number(new URL(first.url).port);
    await expect(startRedis({ port })).rejects.toThrow(`Redis did not start on port ${port}:`);
  });
});
