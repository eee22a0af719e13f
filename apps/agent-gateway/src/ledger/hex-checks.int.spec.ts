import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ENTITIES, MIGRATIONS } from '../database';

const DIGITS = '0123456789abcdef'.repeat(4);
const ADDRESS = `0x${DIGITS.slice(0, 40)}`;
const NONCE = `0x${DIGITS}`;
const misspelled = (good: string) => [
  good.toUpperCase().replace('X', 'x'),
  good.replace('0x', '1x'),
  good.slice(0, -2),
  `${good}00`,
  `${good.slice(0, -1)}g`,
  `${good.slice(0, -1)} `,
];

describe('addresses and nonces in the ledger', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ name: 'hex checks', entities: ENTITIES, migrations: MIGRATIONS });
  });
  afterAll(() => database.drop());

  const insertWallet = (address: string) =>
    database.dataSource.query('INSERT INTO wallets (address) VALUES ($1)', [address]);
  const insertPayment = (payer: string, nonce: string) =>
    database.dataSource.query(
      `INSERT INTO payments (id, chain_id, asset, payer, nonce, endpoint, price_micros, fingerprint, payload_digest,
         "authorization", signature, wording_id, v2_grade, state, request_id, cost_micros, verified_at, created_at,
         valid_before)
       VALUES (gen_random_uuid(), 1, '0x', $1, $2, '/', 1, '', '', '', '', 1, true, 'settling', '', 0, now(), now(), now())`,
      [payer, nonce],
    );

  it('takes lower case hex of the right length', async () => {
    await expect(insertWallet(ADDRESS)).resolves.toEqual([]);
    await expect(insertPayment(ADDRESS, NONCE)).resolves.toEqual([]);
  });

  it.each(misspelled(ADDRESS))('refuses the address %s', async (address) => {
    await expect(insertWallet(address)).rejects.toThrow(/wallets_address_check|hexadecimal/);
    await expect(insertPayment(address, NONCE)).rejects.toThrow(/payments_payer_check|hexadecimal/);
  });

  it.each(misspelled(NONCE))('refuses the nonce %s', async (nonce) => {
    await expect(insertPayment(ADDRESS, nonce)).rejects.toThrow(/payments_nonce_check|hexadecimal/);
  });
});
