// A few series of a broker's or controller's own metrics, found in the text that Prometheus scrapes. Exporters spell the names of
// Kafka's metrics in many ways, so letters alone decide; what is not found is missing, and never a zero.

export interface MetricSeries {
  /** In the timeline and the report. */
  readonly kind: string;
  /** The end of its name, in lower case and without anything but letters. */
  readonly name: RegExp;
  readonly isBadSign: boolean;
  /** At which boundary it is evidence. */
  readonly boundary: 'write' | 'ownership';
}

const series = (kind: string, name: RegExp, boundary: MetricSeries['boundary'], isBadSign: boolean): MetricSeries => ({
  kind,
  name,
  isBadSign,
  boundary,
});

/** Sorted by kind; counters of meters by their count, never by their rates. */
export const METRIC_SERIES: readonly MetricSeries[] = [
  series('active-controllers', /activecontrollercount(?:value)?$/u, 'ownership', false),
  series('failed-produce-requests', /failedproducerequests(?:persec)?(?:total|count)?$/u, 'write', true),
  series('fenced-brokers', /fencedbrokercount(?:value)?$/u, 'ownership', false),
  series('offline-partitions', /offlinepartitionscount(?:value)?$/u, 'ownership', true),
  series('unclean-elections', /uncleanleaderelections(?:persec)?(?:total|count)?$/u, 'ownership', true),
  series('under-min-isr-partitions', /underminisrpartition(?:s|count)?(?:value)?$/u, 'write', true),
  series('under-replicated-partitions', /underreplicatedpartitions(?:value)?$/u, 'ownership', false),
];

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

const SAMPLE = /^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?<labels>.*)\})?\s+(?<value>\S+)(?:\s+-?\d+)?\s*$/u;
const OF_ONE_TOPIC = /(?:^|,)\s*topic="/u;

const samplesIn = (text: string): readonly Sample[] =>
  text.split('\n').flatMap((line) => {
    if (line.startsWith('#')) return [];
    const { name, labels = '', value } = SAMPLE.exec(line)?.groups ?? {};
    const number = Number(value);
    if (name === undefined || !Number.isFinite(number)) return [];
    return [{ name: name.toLowerCase().replace(/[^a-z]/gu, ''), labels, value: number }];
  });

/** Kind → value; a series of which there is one for each topic as well counts once. */
export const seriesIn = (text: string): ReadonlyMap<string, number> => {
  const samples = samplesIn(text);
  const found = new Map<string, number>();
  for (const { kind, name } of METRIC_SERIES) {
    const own = samples.filter((sample) => name.test(sample.name));
    const whole = own.filter(({ labels }) => !OF_ONE_TOPIC.test(labels));
    const counted = whole.length > 0 ? whole : own;
    if (counted.length > 0) {
      found.set(
        kind,
        counted.reduce((sum, { value }) => sum + value, 0),
      );
    }
  }
  return found;
};
