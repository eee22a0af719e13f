import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { uuidv7, type Clock } from '@evenkeel/kernel';
import { JwtService } from '@nestjs/jwt';
import { ACCESS_TOKEN_TYPE } from '../../auth/access-tokens';
import { es256KeysOf, newEs256Key, type Es256Keys } from '../../config/keys/named-keys';

const TTL_SECONDS = 900;

/** In the place of the service that signs people in: publishes its keys, and signs tokens for anybody. */
export class TokenIssuer {
  private readonly keys = es256KeysOf(newEs256Key('issuer'));
  private readonly jwt = new JwtService({});
  private readonly server: Server = createServer((_, answer) => {
    answer.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: this.keys.published }));
  });

  private constructor(
    private readonly clock: Clock,
    private readonly issuer: string,
  ) {}

  /** @param issuer `iss`: base address of the product */
  static async start(clock: Clock, issuer: string): Promise<TokenIssuer> {
    const started = new TokenIssuer(clock, issuer);
    await once(started.server.listen(0, '127.0.0.1'), 'listening');
    return started;
  }

  get jwksUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/jwks.json`;
  }

  /** For what a test signs itself. */
  get signing(): Es256Keys['signing'] {
    return this.keys.signing;
  }

  /** An access token, valid for a quarter of an hour from now. */
  token(userId: string, sessionId = uuidv7(this.clock.now())): string {
    const now = this.clock.now();
    const iat = Math.floor(now.getTime() / 1_000);
    const times = { auth_time: iat, iat, exp: iat + TTL_SECONDS };
    const names = { iss: this.issuer, aud: 'v1', sub: userId, sid: sessionId, jti: uuidv7(now) };
    const { kid, key } = this.keys.signing;
    const header = { alg: 'ES256', typ: ACCESS_TOKEN_TYPE, kid } as const;
    return this.jwt.sign(
      { ...names, ...times, tier: 'FREE' },
      { privateKey: key as never, algorithm: 'ES256', header },
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}
