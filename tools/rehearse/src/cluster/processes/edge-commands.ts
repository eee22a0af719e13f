import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppName } from '@evenkeel/contracts';

const POLL_MS = 50;
const ARRIVED_MS = 50;
const KINDS = ['reads', 'writes'] as const;

/** Takes servers of the edge out and in, over the socket of HAProxy's commands. Server `accounts-1` is the first of accounts. */
export class EdgeCommands {
  constructor(private readonly socketPath: string) {}

  /** Requests under way go on; no new ones come. Resolves when all that were sent have arrived. */
  async stopSending(app: AppName, server: string): Promise<void> {
    await this.setState(app, server, 'drain');
    await sleep(ARRIVED_MS);
  }

  /** The same, and resolves when none is left. */
  async takeOut(app: AppName, server: string): Promise<void> {
    await this.stopSending(app, server);
    await this.until(app, server, ({ scur }) => scur === '0', 20_000, 'still has requests');
  }

  /** Resolves when requests come again. */
  async takeIn(app: AppName, server: string): Promise<void> {
    await this.setState(app, server, 'ready');
    await this.until(app, server, ({ status }) => status === 'UP', 30_000, 'is not ready');
  }

  private async setState(app: AppName, server: string, state: 'drain' | 'ready'): Promise<void> {
    for (const kind of KINDS) {
      const said = await this.tell(`set server ${app}_${kind}/${server} state ${state}`);
      if (said.trim() !== '') throw new Error(`The edge did not set ${server} to ${state}: ${said.trim()}`);
    }
  }

  private async until(
    app: AppName,
    server: string,
    holds: (row: Record<string, string>) => boolean,
    withinMs: number,
    otherwise: string,
  ): Promise<void> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const rows = await this.rows(app, server);
      if (rows.length === KINDS.length && rows.every(holds)) return;
      if (performance.now() > deadline)
        throw new Error(`${server} ${otherwise} after ${withinMs / 1_000} s, says the edge.`);
      await sleep(POLL_MS);
    }
  }

  private async rows(app: AppName, server: string): Promise<Record<string, string>[]> {
    const [head = '', ...lines] = (await this.tell('show stat')).replace('# ', '').trim().split('\n');
    const names = head.split(',');
    const rows = lines.map((line) => Object.fromEntries(line.split(',').map((value, place) => [names[place]!, value])));
    return rows.filter(({ pxname, svname }) => svname === server && KINDS.some((kind) => pxname === `${app}_${kind}`));
  }

  /** Commands may be repeated. A busy HAProxy closes a connection that it has no time for. */
  private async tell(command: string, attempts = 5): Promise<string> {
    const socket = connect(this.socketPath);
    socket.end(`${command}\n`);
    try {
      return await text(socket);
    } catch (error) {
      if (attempts <= 1)
        throw new Error(`The edge did not take "${command}": ${(error as Error).message}.`, { cause: error });
      await sleep(POLL_MS);
      return this.tell(command, attempts - 1);
    }
  }
}
