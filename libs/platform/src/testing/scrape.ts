const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/g;
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary']);

interface ScrapedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** A page of metrics as Prometheus reads it. */
export class ScrapedPage {
  readonly samples: ScrapedSample[] = [];
  private readonly types = new Map<string, string>();

  /** @throws Error for what the exposition format (version 0.0.4) does not allow */
  constructor(text: string) {
    if (!text.endsWith('\n')) throw new Error('the last line has no end');
    let metric = '';
    for (const line of text.slice(0, -1).split('\n')) {
      if (line.startsWith('# HELP ')) metric = this.begin(line.split(' ')[2]!);
      else if (line.startsWith('# TYPE ')) this.take(line.split(' ').slice(2), metric);
      else if (line !== '') this.add(line, metric);
    }
  }

  /** Of the one sample with these labels, whatever others it has; undefined when there is none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const found = this.of(name, labels);
    if (found.length > 1) throw new Error(`${found.length} samples of ${name} have ${JSON.stringify(labels)}`);
    return found[0]?.value;
  }

  of(name: string, labels: Record<string, string> = {}): ScrapedSample[] {
    const wanted = Object.entries(labels);
    return this.samples.filter((one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value));
  }

  private begin(metric: string): string {
    if (!NAME.test(metric) || this.types.has(metric)) throw new Error(`${metric} begins twice, or is no name`);
    this.types.set(metric, 'untyped');
    return metric;
  }

  private take([name = '', type = '']: string[], metric: string): void {
    if (name !== metric || !TYPES.has(type)) throw new Error(`the type of ${name} is out of place, or none`);
    this.types.set(name, type);
  }

  private add(line: string, metric: string): void {
    const [, name = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? [];
    const parts = this.types.get(metric) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!parts.some((part) => name === metric + part)) throw new Error(`not a sample of ${metric}: ${line}`);
    const labels = Object.fromEntries([...labelText.matchAll(LABEL)].map(([, key, value]) => [key!, value!]));
    const read = [...labelText.matchAll(LABEL)].map(([text]) => text).join('');
    const value = Number(number.replace('Inf', 'Infinity'));
    if (read !== labelText || (Number.isNaN(value) && !/^nan$/i.test(number)))
      throw new Error(`cannot be read: ${line}`);
    const same = this.samples.find((one) => one.name === name && sameLabels(one.labels, labels));
    if (same) throw new Error(`there twice: ${line}`);
    this.samples.push({ name, labels, value });
  }
}

function sameLabels(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** The page of a process. @throws Error when it is none */
export async function scrape(internalUrl: string): Promise<ScrapedPage> {
  const response = await fetch(`${internalUrl}/metrics`);
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'text/plain; version=0.0.4; charset=utf-8') {
    throw new Error(`/metrics answers ${response.status} ${type}`);
  }
  return new ScrapedPage(await response.text());
}
