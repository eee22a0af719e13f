import type { KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { uuidv7, type Clock } from '@evenkeel/kernel';
import { JwtService } from '@nestjs/jwt';
import { ACCESS_TOKEN_TYPE } from '../../auth/access-tokens';
import { es256KeysOf, jwksOf, newEs256Key } from '../../config/keys/es256-keys';

const TTL_SECONDS = 900;

/** In the place of the service that signs people in: publishes its keys, and signs tokens for anybody. */
export class TokenIssuer {
  private readonly keys = es256KeysOf(newEs256Key('issuer'));
  private readonly jwt = new JwtService({});

  private constructor(
    private readonly server: Server,
    private readonly clock: Clock,
    private readonly issuer: string,
  ) {}

  /** @param issuer `iss`: base address of the product */
  static async start(clock: Clock, issuer: string): Promise<TokenIssuer> {
    const server = createServer((_, answer) => {
      answer.setHeader('content-type', 'application/json').end(JSON.stringify(jwksOf(started.keys)));
    });
    const started = new TokenIssuer(server, clock, issuer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return started;
  }

  get jwksUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/jwks.json`;
  }

  /** For what a test signs itself. */
  get signing(): { kid: string; key: KeyObject } {
    return this.keys.signing;
  }

  /** An access token, valid for a quarter of an hour from now. */
  token(userId: string, sessionId = uuidv7(this.clock.now())): string {
    const now = this.clock.now();
    const iat = Math.floor(now.getTime() / 1_000);
    const { kid, key: privateKey } = this.keys.signing;
    return this.jwt.sign(
      { sid: sessionId, tier: 'FREE', auth_time: iat, iat, exp: iat + TTL_SECONDS },
      {
        privateKey,
        algorithm: 'ES256',
        header: { alg: 'ES256', typ: ACCESS_TOKEN_TYPE, kid },
        issuer: this.issuer,
        audience: 'v1',
        subject: userId,
        jwtid: uuidv7(now),
      },
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
