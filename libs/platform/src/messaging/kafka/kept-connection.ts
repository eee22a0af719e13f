interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** One connection, opened for whoever asks first, and anew after it was dropped. */
export class KeptConnection<Client extends Connectable> {
  private connected?: Promise<Client>;

  constructor(private readonly create: () => Client) {}

  get(): Promise<Client> {
    if (this.connected) return this.connected;
    const opened = this.open();
    // One that failed is not kept, unless it was dropped and another one stands there now.
    opened.catch(() => {
      if (this.connected === opened) this.connected = undefined;
    });
    return (this.connected = opened);
  }

  async drop(): Promise<void> {
    const dropped = this.connected;
    this.connected = undefined;
    await dropped?.then((client) => client.disconnect()).catch(() => undefined);
  }

  private async open(): Promise<Client> {
    const client = this.create();
    await client.connect();
    return client;
  }
}
