import type { LoggerPlan } from "../../compiler/model/plan.js";
import type { State } from "./state.js";
import { plainText } from "./text.js";
import { variable } from "./variables.js";

const MASK = 0xffff_ffffn;
const times = (one: bigint, other: bigint) => (one * other) & MASK;

/** docs/logging.md "Samples": FNV-1a (32 bits) of the key, then the finalizer of MurmurHash3, as a part of 2^32. */
function shareOf(key: string): number {
  const text = key.split("-").length === 4 && key.length === 55 ? key.slice(3, 35) : key;
  let hash = 2_166_136_261n;
  for (const byte of Buffer.from(text, "latin1")) hash = times(hash ^ BigInt(byte), 16_777_619n);
  hash = times(hash ^ (hash >> 16n), 2_246_822_507n);
  hash = times(hash ^ (hash >> 13n), 3_266_489_909n);
  return Number(hash ^ (hash >> 16n)) / 2 ** 32;
}

/** Whether a logger makes a record. Cases say nothing of chance but where it has no choice, and nothing of time: no exchange is slow. */
export function isSampled({ settings, sampleKey }: LoggerPlan, state: State): boolean {
  const sample = settings["sample"] as { rate: number; errors: boolean } | undefined;
  if (sample === undefined) return true;
  if (sample.errors && Number(variable("status", state)) >= 500) return true;
  const [only, ...more] = sampleKey ?? [];
  const single = only !== undefined && "variable" in only && more.length === 0 ? only : undefined;
  const key =
    single === undefined
      ? plainText(sampleKey ?? [], state)
      : String(variable(single.variable, state) ?? single.fallback ?? "");
  if (key !== "") return shareOf(key) < sample.rate;
  if (sample.rate !== 0 && sample.rate !== 1) throw new Error("no case may depend on chance");
  return sample.rate === 1;
}
