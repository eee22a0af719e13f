import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A real SMTP server that takes every mail and keeps nothing of it but the address. */
export class MailServer {
  /** Addresses of recipients, in the order in which their mails came. */
  readonly recipients: string[] = [];
  private readonly server: SMTPServer;

  private constructor() {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, { envelope }, done) => {
        stream.resume().on('end', () => {
          this.recipients.push(...envelope.rcptTo.map(({ address }) => address));
          done();
        });
      },
    });
  }

  /** On a free port of 127.0.0.1. */
  static async start(): Promise<MailServer> {
    const mails = new MailServer();
    // A client that breaks off is no error of ours.
    mails.server.on('error', () => undefined);
    mails.server.listen(0, '127.0.0.1');
    await once(mails.server.server, 'listening');
    return mails;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}
