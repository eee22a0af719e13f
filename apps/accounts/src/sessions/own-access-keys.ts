import { createPublicKey, type KeyObject } from 'node:crypto';
import { AccessKeys } from '@evenkeel/platform/auth';
import type { Es256Keys } from '@evenkeel/platform/config';

/** The keys of the service that signs. */
export class OwnAccessKeys extends AccessKeys {
  private readonly keys: ReadonlyMap<string, KeyObject>;

  constructor({ published }: Es256Keys) {
    super();
    this.keys = new Map(
      published.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })] as const),
    );
  }

  async keyOf(kid: string): Promise<KeyObject | null> {
    return this.keys.get(kid) ?? null;
  }
}
