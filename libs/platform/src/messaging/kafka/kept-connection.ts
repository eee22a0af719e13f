interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** One connection, opened for whoever asks first, and anew after it was dropped. */
export class KeptConnection<Client extends Connectable> {
  private connected?: Promise<Client>;

  constructor(private readonly create: () => Client) {}

  get(): Promise<Client> {
    return (this.connected ??= this.open());
  }

  async drop(): Promise<void> {
    const dropped = this.connected;
    this.connected = undefined;
    await dropped?.then((client) => client.disconnect()).catch(() => undefined);
  }

  private async open(): Promise<Client> {
    const client = this.create();
    try {
      await client.connect();
      return client;
    } catch (error) {
      this.connected = undefined;
      throw error;
    }
  }
}
