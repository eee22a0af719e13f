const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/g;

interface ScrapedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** A page of metrics. */
export class ScrapedPage {
  readonly samples: ScrapedSample[] = [];

  /** @throws Error for what Prometheus would refuse: a metric that begins twice, a line that is none, a sample that is there twice */
  constructor(text: string) {
    const lines = text.trimEnd().split('\n');
    const described = lines.filter((line) => /^# (HELP|TYPE) /.test(line)).map((line) => line.split(' ', 3).join(' '));
    const samples = lines.filter((line) => line !== '' && !line.startsWith('#'));
    const names = [...described, ...samples.map((line) => line.slice(0, line.lastIndexOf(' ')))];
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`there twice: ${twice}`);
    for (const line of samples) {
      const [, name, labels = '', number = ''] = SAMPLE.exec(line) ?? [];
      if (name === undefined) throw new Error(`cannot be read: ${line}`);
      const read = [...labels.matchAll(LABEL)].map(([, key, value]) => [key!, value!]);
      this.samples.push({
        name,
        labels: Object.fromEntries(read) as Record<string, string>,
        value: Number(number.replace('Inf', 'Infinity')),
      });
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
