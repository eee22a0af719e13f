import { Socket } from 'node:net';

/**
 * Servers that this process connects to, as `address:port`: every client ends up at `Socket.connect`, whichever package it
 * belongs to. A name that has no address is listed too.
 */
export class ReachedServers {
  readonly all = new Set<string>();
  private readonly spy: jest.SpyInstance;

  constructor() {
    const { all } = this;
    // The method itself, called with the socket that it is called on.
    const connect = Reflect.get(Socket.prototype, 'connect') as (this: Socket, ...given: unknown[]) => Socket;
    this.spy = jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
      this.on('lookup', (error: Error | null, _address, _family, host: string) => error && all.add(host));
      this.on('connectionAttempt', (address: string, port: number) => all.add(`${address}:${port}`));
      return connect.apply(this, given);
    });
  }

  forget(): void {
    this.spy.mockRestore();
  }
}
