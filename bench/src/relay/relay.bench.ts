import { median } from '../compare/compare';
import { fillOutbox } from './sample-events';
import { RelayStage } from './relay-stage';

const EVENTS = 20_000;

export interface RelayTiming {
  /** Events of a round. */
  events: number;
  /** From the outbox through Kafka into the inbox of a consumer, medians over the rounds. */
  eventsPerSecond: number;
  /** kafkajs alone, sending the same bytes. */
  bareEventsPerSecond: number;
  /** Median of the ratios within each round. */
  ratio: number;
  relayCpuUs: number;
  readerCpuUs: number;
}

type Round = Omit<RelayTiming, 'events'>;

/** Relay and a trivial consumer, both running, against a broker and a database on this machine. */
export async function benchRelay(rounds: number): Promise<RelayTiming> {
  // The first one is for the compiler.
  const topics = Array.from({ length: rounds + 1 }, (_, round) => `bench.round-${round}.v1`);
  const stage = await RelayStage.set(topics);
  try {
    const measured: Round[] = [];
    for (const [index, topic] of topics.entries()) measured.push(await runRound(stage, topic, (index + 1) * EVENTS));
    const of = (value: (round: Round) => number): number => median(measured.slice(1).map(value));
    return {
      events: EVENTS,
      eventsPerSecond: of(({ eventsPerSecond }) => eventsPerSecond),
      bareEventsPerSecond: of(({ bareEventsPerSecond }) => bareEventsPerSecond),
      ratio: of(({ ratio }) => ratio),
      relayCpuUs: of(({ relayCpuUs }) => relayCpuUs),
      readerCpuUs: of(({ readerCpuUs }) => readerCpuUs),
    };
  } finally {
    await stage.close();
  }
}

async function runRound({ database, relay, reader, bare }: RelayStage, topic: string, until: number): Promise<Round> {
  await fillOutbox(database, topic, EVENTS);
  const [relayCpuMs, readerCpuMs] = [await relay.cpuMs(), await reader.cpuMs()];
  const began = performance.now();
  await relay.ask('go');
  await reader.ask({ until });
  const elapsedMs = performance.now() - began;
  const cpu = { relayCpuMs: (await relay.cpuMs()) - relayCpuMs, readerCpuMs: (await reader.cpuMs()) - readerCpuMs };
  await relay.ask('stop');
  const bareMs = await bare.ask<number>({ topic: `${topic}.bare`, events: EVENTS });
  return {
    eventsPerSecond: (EVENTS / elapsedMs) * 1_000,
    bareEventsPerSecond: (EVENTS / bareMs) * 1_000,
    ratio: bareMs / elapsedMs,
    relayCpuUs: (cpu.relayCpuMs / EVENTS) * 1_000,
    readerCpuUs: (cpu.readerCpuMs / EVENTS) * 1_000,
  };
}
