import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The one listening server. */
export class Listener {
  private readonly server: Server;

  constructor(handler: RequestListener) {
    // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
    this.server = createServer({ keepAliveTimeout: 65_000 }, handler);
  }

  /** @returns the address; throws a sentence when the port is taken */
  async open(port: number, host: string): Promise<string> {
    this.server.listen(port, host);
    await once(this.server, 'listening').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(`Port ${port} of ${host} is taken by another process. Stop it or choose another with --port.`);
    });
    return `http://${host}:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closing = this.server.listening ? once(this.server, 'close') : undefined;
    this.server.close();
    this.server.closeAllConnections();
    await closing;
  }
}
