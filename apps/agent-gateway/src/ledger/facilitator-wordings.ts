import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { wordingDigest, type Wording } from '../facilitator/wording';
import { FacilitatorWordingRow } from './facilitator-wording.entity';

/** The wordings in the ledger; immutable, so each is read or written once per process. */
@Injectable()
export class FacilitatorWordings {
  private readonly ids = new Map<Wording, number | Promise<number>>();
  private readonly wordings = new Map<number, Wording | Promise<Wording>>();

  constructor(@InjectRepository(FacilitatorWordingRow) private readonly rows: Repository<FacilitatorWordingRow>) {}

  /** Keeps the wording, once. */
  idOf(wording: Wording): number | Promise<number> {
    return remembered(this.ids, wording, () => this.keep(wording));
  }

  /** @throws Error when the stored text is not what it was: other bytes than the first ones must not be sent */
  byId(id: number): Wording | Promise<Wording> {
    return remembered(this.wordings, id, () => this.read(id));
  }

  private async keep(wording: Wording): Promise<number> {
    const digest = wordingDigest(wording);
    await this.rows
      .createQueryBuilder()
      .insert()
      .values({ ...wording, digest })
      .orIgnore()
      .execute();
    const { id } = await this.rows.findOneByOrFail({ digest });
    return id;
  }

  private async read(id: number): Promise<Wording> {
    const row = await this.rows.findOneByOrFail({ id });
    if (wordingDigest(row) !== row.digest) throw new Error(`facilitator wording ${id} was altered`);
    return row;
  }
}

/** Known after the first time, without waiting. A failed attempt is forgotten, so that the next one tries again. */
function remembered<Key, Value>(
  map: Map<Key, Value | Promise<Value>>,
  key: Key,
  make: () => Promise<Value>,
): Value | Promise<Value> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  made.then(
    (value) => map.set(key, value),
    () => map.delete(key),
  );
  return made;
}
