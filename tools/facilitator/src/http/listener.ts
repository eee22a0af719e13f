import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 50;

/** The one listening server; it can refuse connections for a while and come back at the same port. */
export class Listener {
  private readonly server: Server;
  private closed = false;

  /** @param port 0 takes a free one */
  constructor(
    handler: RequestListener,
    private readonly host: string,
    private port: number,
  ) {
    // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
    this.server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
      // The call that takes the server down is still answered, and its connection is not kept.
      response.once('finish', () => void (this.server.listening || request.socket.destroySoon()));
      handler(request, response);
    });
  }

  /** @returns the address; throws a sentence when the port is taken */
  async open(): Promise<string> {
    await this.listen().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(
        `Port ${this.port} of ${this.host} is taken by another process. Stop it or set FACILITATOR_PORT to a free port.`,
      );
    });
    this.port = (this.server.address() as AddressInfo).port;
    return `http://${this.host}:${this.port}`;
  }

  /** Refuses connections for this long; calls that wait for an answer are broken off at the end of it. */
  async goDown(ms: number): Promise<void> {
    this.server.close();
    await sleep(ms, undefined, { ref: false });
    this.server.closeAllConnections();
    while (!this.closed && !this.server.listening) {
      await this.listen().catch(() => sleep(RETRY_MS, undefined, { ref: false }));
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const closing = this.server.listening ? once(this.server, 'close') : undefined;
    this.server.close();
    this.server.closeAllConnections();
    await closing;
  }

  private async listen(): Promise<void> {
    this.server.listen(this.port, this.host);
    await once(this.server, 'listening');
  }
}
