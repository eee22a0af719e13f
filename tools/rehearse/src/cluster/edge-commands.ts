import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppName } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';

const ARRIVED_MS = 50;
const READY_WITHIN_MS = 30_000;
const KINDS = ['reads', 'writes'] as const;
/** Column `status` of what HAProxy says of its servers. */
const STATUS = 17;

/** Takes servers of the edge out and in, over the socket of HAProxy's commands. Server `accounts-1` is the first of accounts. */
export class EdgeCommands {
  constructor(private readonly socketPath: string) {}

  /** Requests under way go on; no new ones come. Resolves when all that were sent have arrived. */
  async takeOut(app: AppName, server: string): Promise<void> {
    await this.setState(app, server, 'drain');
    await sleep(ARRIVED_MS);
  }

  /** Resolves when requests come again. */
  async takeIn(app: AppName, server: string): Promise<void> {
    await this.setState(app, server, 'ready');
    const isUp = async (): Promise<boolean> => {
      const rows = (await this.ask('show stat')).split('\n').map((line) => line.split(','));
      return KINDS.every((kind) =>
        rows.some((row) => row[0] === `${app}_${kind}` && row[1] === server && row[STATUS] === 'UP'),
      );
    };
    await eventually(isUp, { withinMs: READY_WITHIN_MS });
  }

  private async setState(app: AppName, server: string, state: 'drain' | 'ready'): Promise<void> {
    for (const kind of KINDS) {
      const said = await this.ask(`set server ${app}_${kind}/${server} state ${state}`);
      if (said.trim() !== '') throw new Error(`The edge did not set ${server} to ${state}: ${said.trim()}`);
    }
  }

  /** Commands may be repeated. A busy HAProxy closes a connection that it has no time for. */
  private ask(command: string): Promise<string> {
    return eventually(() => {
      const socket = connect(this.socketPath);
      socket.end(`${command}\n`);
      return text(socket);
    });
  }
}
