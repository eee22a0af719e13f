import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentEvent, PaymentState } from './payment-state';

const STATES: Record<string, PaymentState> = {
  SETTLING: 'settling',
  PENDING: 'settlement_pending',
  NEEDS: 'needs_reconciliation',
  SETTLED: 'settled',
  FAILED: 'settlement_failed',
};
/** Behind one of these stands a rule left out or a planted fault, which shows that a property can fail. */
const NOT_OF_THE_PROTOCOL = /!R_|MUT == /;

export function modelText(file: 'transitions.pml' | 'payment.pml' | 'bound.pml'): string {
  return readFileSync(join(__dirname, '../../../../docs/model', file), 'utf8');
}

/** The model's transitions in the shape of the code's: each `inline on_<event>(s)` and its guarded assignments. */
export function transitionsIn(text: string): Record<string, Partial<Record<PaymentState, PaymentState>>> {
  return Object.fromEntries(
    [...text.matchAll(/^inline on_(\w+)\(s\) \{\n([^]*?)^\}/gm)].map(([, event, body]) => [event!, movesIn(body!)]),
  );
}

function movesIn(body: string): Partial<Record<PaymentState, PaymentState>> {
  const moves = [...body.matchAll(/^ {2}:: \(([^)]*)\) -> s = (\w+)$/gm)];
  const known = moves.map(([line]) => line);
  const rest = body.split('\n').filter((line) => line.trim() !== '' && !known.includes(line));
  if (rest.map((line) => line.trim()).join(' ') !== 'if :: else fi')
    throw new Error(`cannot be read: ${rest.join(' ')}`);
  return Object.fromEntries(
    moves.flatMap(([, guard, to]) =>
      guard!.split(' || ').map((test) => [stateOf(test.replace(/^s == /, '')), stateOf(to!)]),
    ),
  );
}

function stateOf(name: string): PaymentState {
  const state = STATES[name];
  if (!state) throw new Error(`no state of the model: ${name}`);
  return state;
}

/** Where a model changes the state of a row past its transitions, apart from the claim and from planted faults. */
export function otherChangesIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /\b(rSt|st\[\w+\]) = (?!SETTLING\b)/.test(line) && !NOT_OF_THE_PROTOCOL.test(line))
    .map((line) => line.trim());
}

/** The events that a model makes happen. */
export function eventsIn(text: string): Set<PaymentEvent> {
  return new Set([...text.matchAll(/\bon_(\w+)\((?:rSt|st\[\w+\])\)/g)].map(([, event]) => event as PaymentEvent));
}
