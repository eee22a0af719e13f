import { type AdminApi, addressOf, type Refusal, refusalFrom } from './admin-api';
import { isEmpty } from './answers';
import { type Answers, type Section, SECTION_NAMES, type SectionName, SECTIONS } from './sections';
import type { PageSettings } from './settings';

const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** The page looks once a second whether it is time: so that it is not a second late each time. */
const EARLY_MS = 500;

interface ReadOptions {
  load: (signal: AbortSignal) => Promise<void>;
  changed: () => void;
  /** Shortest time between two loads that nobody asked for. */
  paceMs: () => number;
  repeats?: boolean;
  now: () => number;
}

/** Loads now or when it should, with growing pauses after failures; one load at a time. */
export class Read {
  refusal: Refusal | undefined;
  private isDue = false;
  /** Of its start, and after a failure of its end. */
  private loadedAt = 0;
  private failures = 0;
  private running: AbortController | undefined;

  constructor(private readonly options: ReadOptions) {}

  get loading(): boolean {
    return this.running !== undefined;
  }

  get nextAt(): number {
    return this.loadedAt + (this.refusal ? backoffMs(this.failures, this.refusal) : this.options.paceMs() - EARLY_MS);
  }

  /** Loads now and aborts the load under way, whose answer is for other settings. */
  async start(): Promise<void> {
    const { load, changed, repeats = false, now } = this.options;
    this.running?.abort();
    const own = (this.running = new AbortController());
    const startedAt = now();
    this.isDue = repeats;
    changed();
    const refusal = await load(own.signal).then(() => undefined, refusalFrom);
    if (this.running !== own) return;
    this.running = undefined;
    this.refusal = refusal;
    this.failures = refusal ? this.failures + 1 : 0;
    this.loadedAt = refusal ? now() : startedAt;
    changed();
  }

  /** Loads as soon as its time has come. */
  due(): void {
    this.isDue = true;
  }

  tick(): void {
    const isWanted = this.isDue || this.refusal !== undefined;
    if (isWanted && !this.loading && this.options.now() >= this.nextAt) void this.start();
  }

  stop(): void {
    this.running?.abort();
    this.running = undefined;
    this.refusal = undefined;
    this.failures = 0;
    this.isDue = false;
  }
}

/**
 * Time to the next try: doubled each time, and never less than the server asked for.
 * @param failures in a row, 1 or more
 */
export function backoffMs(failures: number, refusal: Refusal): number {
  return Math.max(Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS), refusal.retryAfterSeconds * 1_000);
}

/** Why numbers are not fresh; with how old they are, if there are any, and when the next try is. */
export interface Stale {
  refusal: Refusal;
  ageMs: number | undefined;
  nextTryMs: number;
}

export interface SectionState {
  loading: boolean;
  /** Whether its answer is for the settings of now. */
  isCurrent: boolean;
  stale: Stale | undefined;
}

/** Reads each section by itself: one that fails keeps its last answer, and holds up no other. */
export class SectionReads {
  readonly answers: Partial<Answers> = {};
  /** Addresses of the answers, and of the last reads. */
  private held: Partial<Record<SectionName, { address: string; receivedAtMs: number }>> = {};
  private asked: Partial<Record<SectionName, string>> = {};
  private readonly reads: Record<SectionName, Read>;

  constructor(
    private readonly api: () => AdminApi,
    private readonly view: () => PageSettings,
    changed: () => void,
    private readonly now: () => number,
  ) {
    const readOf = (name: SectionName): Read => {
      // The first payment is waited for: it is there as soon as it is known.
      const paceMs = (): number => (this.answers.summary && !isEmpty(this.answers.summary) ? SECTIONS[name].paceMs : 0);
      return new Read({ changed, now, load: (signal) => this.read(name, signal), paceMs });
    };
    this.reads = Object.fromEntries(SECTION_NAMES.map((name) => [name, readOf(name)])) as Record<SectionName, Read>;
  }

  start(): void {
    for (const name of SECTION_NAMES) void this.reads[name].start();
  }

  stop(): void {
    for (const name of SECTION_NAMES) {
      this.reads[name].stop();
      delete this.answers[name];
    }
    this.held = {};
    this.asked = {};
  }

  partsChanged(parts: readonly string[]): void {
    for (const name of SECTION_NAMES) if (parts.includes(SECTIONS[name].part)) this.reads[name].due();
  }

  viewChanged(): void {
    for (const name of SECTION_NAMES) {
      if (name in this.asked && this.asked[name] !== this.addressOf(name)) void this.reads[name].start();
    }
  }

  tick(): void {
    for (const name of SECTION_NAMES) this.reads[name].tick();
  }

  /** Reads the rows below those of a list; they are dropped where others have come meanwhile. */
  async more<Name extends SectionName>(name: Name): Promise<void> {
    const { more, question }: Section<Answers[Name]> = SECTIONS[name];
    const before: Answers[Name] | undefined = this.answers[name];
    const asked = question(this.view());
    if (!more || !asked || !before || !this.stateOf(name).isCurrent) return;
    const answer = await more(this.api(), asked, before, new AbortController().signal);
    if (this.answers[name] === before) this.answers[name] = answer;
  }

  get refusals(): Refusal[] {
    return SECTION_NAMES.flatMap((name) => this.reads[name].refusal ?? []);
  }

  stateOf(name: SectionName): SectionState {
    const { loading, refusal, nextAt } = this.reads[name];
    const [held, now] = [this.held[name], this.now()];
    const ageMs = held && now - held.receivedAtMs;
    return {
      loading,
      isCurrent: held?.address === this.addressOf(name),
      stale: refusal && { refusal, ageMs, nextTryMs: nextAt - now },
    };
  }

  private addressOf(name: SectionName): string {
    const question = SECTIONS[name].question(this.view());
    return question ? addressOf(question) : '';
  }

  private async read<Name extends SectionName>(name: Name, signal: AbortSignal): Promise<void> {
    const section: Section<Answers[Name]> = SECTIONS[name];
    const question = section.question(this.view());
    const address = (this.asked[name] = this.addressOf(name));
    const before = this.held[name]?.address === address ? this.answers[name] : undefined;
    const answer = question && (await section.read(this.api(), question, before, signal));
    if (signal.aborted) return;
    this.answers[name] = answer;
    this.held[name] = { address, receivedAtMs: this.now() };
  }
}
