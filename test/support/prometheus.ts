/** A strict reader of the Prometheus text format 0.0.4. */

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  help: string;
  type: string;
  samples: Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;

/** @throws Error with the line that breaks a rule of the format */
export function readMetrics(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: { name: string; family: Family } | undefined;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP") {
      if (families.has(name) || !NAME.test(name)) throw new Error(`a second or bad family: ${line}`);
      current = { name, family: { help: unescaped(rest, line, false), type: "", samples: [] } };
      families.set(name, current.family);
    } else if (keyword === "TYPE") {
      if (current?.name !== name || current.family.type !== "") throw new Error(`TYPE out of place: ${line}`);
      if (!["counter", "gauge", "histogram"].includes(rest)) throw new Error(`unknown type: ${line}`);
      current.family.type = rest;
    } else if (line.startsWith("#")) throw new Error(`a strange comment: ${line}`);
    else take(line, current, seen);
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

/** Sum of the samples of a family with these labels. */
export function total(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number {
  const family = families.get(name.replace(/_(?:bucket|sum|count)$/, "")) ?? families.get(name);
  const agrees = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  return (family?.samples ?? []).filter(agrees).reduce((sum, { value }) => sum + value, 0);
}

function take(line: string, current: { name: string; family: Family } | undefined, seen: Set<string>): void {
  const [, name = "", inner, number = ""] = LINE.exec(line) ?? [];
  const base = current?.family.type === "histogram" ? name.replace(/_(?:bucket|sum|count)$/, "") : name;
  if (!current || current.family.type === "" || base !== current.name)
    throw new Error(`a sample outside its family: ${line}`);
  const labels = labelsOf(inner ?? "", line);
  const key = JSON.stringify([name, Object.entries(labels).sort()]);
  if (seen.has(key)) throw new Error(`a series twice: ${line}`);
  seen.add(key);
  const value = number === "+Inf" ? Infinity : Number(number);
  if (Number.isNaN(value) || number === "") throw new Error(`no number: ${line}`);
  if (current.family.type !== "gauge" && value < 0) throw new Error(`less than nothing: ${line}`);
  current.family.samples.push({ name, labels, value });
}

function labelsOf(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\.)*)"(,|$)/y;
  while (label.lastIndex < text.length) {
    const [, name = "", value = ""] = label.exec(text) ?? [];
    if (name === "" || name in labels) throw new Error(`bad labels: ${line}`);
    labels[name] = unescaped(value, line, true);
  }
  return labels;
}

function unescaped(text: string, line: string, quoted: boolean): string {
  return text.replace(/\\(.?)/g, (_, letter: string) => {
    if (letter === "n") return "\n";
    if (letter === "\\" || (quoted && letter === '"')) return letter;
    throw new Error(`a bad escape: ${line}`);
  });
}

/** Checks that buckets ascend, are cumulative, end in +Inf, and agree with the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...own } = sample.labels;
    const key = JSON.stringify(Object.entries(own).sort());
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const all of series.values()) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels["le"] === "+Inf" ? Infinity : Number(labels["le"])));
    const rises = (list: number[], strictly: boolean) =>
      list.every((value, i) => i === 0 || (list[i - 1] ?? 0) < value || (!strictly && list[i - 1] === value));
    const counts = buckets.map(({ value }) => value);
    const count = all.filter((sample) => sample.name === `${name}_count`);
    const sums = all.filter((sample) => sample.name === `${name}_sum`);
    const sound = rises(bounds, true) && rises(counts, false) && bounds.at(-1) === Infinity;
    if (!sound || count.length !== 1 || sums.length !== 1 || count[0]?.value !== counts.at(-1))
      throw new Error(`a broken histogram: ${JSON.stringify(all)}`);
  }
}
