import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { requirementsDigest, type PaymentRequirements } from '../facilitator/payment-requirements';
import { PaymentRequirementsRow } from './ledger.entities';

/** The requirements in the ledger; immutable, so each is read or written once per process. */
@Injectable()
export class StoredRequirements {
  private readonly ids = new Map<PaymentRequirements, Promise<number>>();
  private readonly requirements = new Map<number, Promise<PaymentRequirements>>();

  constructor(@InjectRepository(PaymentRequirementsRow) private readonly rows: Repository<PaymentRequirementsRow>) {}

  /** Stores the requirements, once. */
  idOf(requirements: PaymentRequirements): Promise<number> {
    return remembered(this.ids, requirements, () => this.insert(requirements));
  }

  /** @throws Error when the stored text is not what it was: a repeated call must send the bytes of the first one */
  byId(id: number): Promise<PaymentRequirements> {
    return remembered(this.requirements, id, () => this.read(id));
  }

  private async insert(requirements: PaymentRequirements): Promise<number> {
    const digest = requirementsDigest(requirements);
    await this.rows
      .createQueryBuilder()
      .insert()
      .values({ ...requirements, digest })
      .orIgnore()
      .execute();
    const { id } = await this.rows.findOneByOrFail({ digest });
    return id;
  }

  private async read(id: number): Promise<PaymentRequirements> {
    const row = await this.rows.findOneByOrFail({ id });
    if (requirementsDigest(row) !== row.digest) throw new Error(`facilitator requirements ${id} was altered`);
    return row;
  }
}

/** Made once. A failed attempt is forgotten, so that the next one tries again. */
function remembered<Key, Value>(map: Map<Key, Promise<Value>>, key: Key, make: () => Promise<Value>): Promise<Value> {
  const known = map.get(key);
  if (known) return known;
  const made = make();
  map.set(key, made);
  made.catch(() => map.delete(key));
  return made;
}
