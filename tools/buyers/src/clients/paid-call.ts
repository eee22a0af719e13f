import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Command } from '@evenkeel/services';

const PATH = '/agent/v1/habits/recommend';

/** A payment that was not sent yet. */
interface Payment {
  /** Value of `PAYMENT-SIGNATURE`. */
  header: string;
  nonce: string;
}

/** A wallet with play money signs the offer. */
async function sign(seller: string): Promise<Payment> {
  const scheme = new ExactEvmScheme(privateKeyToAccount(generatePrivateKey()));
  const wallet = new x402HTTPClient(new x402Client().register('eip155:*', scheme));
  const asked = await fetch(seller + PATH, { method: 'POST' });
  const offer = wallet.getPaymentRequiredResponse((name) => asked.headers.get(name));
  const payment = await wallet.createPaymentPayload(offer);
  const { nonce } = (payment.payload as { authorization: { nonce: string } }).authorization;
  return { header: wallet.encodePaymentSignatureHeader(payment)['PAYMENT-SIGNATURE']!, nonce };
}

/**
 * Lets a program make a paid call with a payment that is signed for it.
 * @returns what it says it has bought
 * @throws Error when it fails, or says something else than is true
 */
export async function paidCall({ program, args, cwd, env }: Command, seller: string): Promise<string> {
  const { header, nonce } = await sign(seller);
  const given = { ...env, SELLER: seller, PAYMENT: header, NONCE: nonce };
  const { stdout } = await promisify(execFile)(program, args, { cwd, env: given }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`It failed:\n${error.stdout}${error.stderr}`);
    },
  );
  // Some Mavens reset the colours of a terminal around it, even where there is none.
  const line = stdout.match(/\{.*\}/g)?.at(-1);
  if (line === undefined) throw new Error(`It said nothing of what it has bought: ${stdout}`);
  const said = JSON.parse(line) as Record<string, unknown>;
  const status = await fetch(`${seller}/agent/v1/payments/${nonce}`);
  const { transaction, charged } = (await status.json()) as Record<string, unknown>;
  const expected = { price: '0.030000', habits: 1, charged: true, transaction };
  if (charged !== true || typeof said['action'] !== 'string' || !contains(said, expected)) {
    throw new Error(`It said ${stdout.trim()}, where ${JSON.stringify(expected)} is true.`);
  }
  return said['action'];
}

function contains(said: Record<string, unknown>, expected: Record<string, unknown>): boolean {
  return Object.entries(expected).every(([name, value]) => said[name] === value);
}
