import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

/** Asks one question after the other, on a kept connection. */
export class Operator {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** @throws Error for any answer but a 200 */
  async ask(path: string): Promise<{ body: string; milliseconds: number }> {
    const startedMs = performance.now();
    const request = get(`${this.url}/v1/admin/revenue/${path}`, {
      agent: this.agent,
      headers: { 'x-admin-token': this.token },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode !== 200) throw new Error(`${path} was answered with ${response.statusCode}: ${body}`);
    return { body, milliseconds: performance.now() - startedMs };
  }

  close(): void {
    this.agent.destroy();
  }
}
