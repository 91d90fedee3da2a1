import "../../plugins/index.js";
import { pipelinesOf } from "../../compiler/plan/whole.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { literalSecrets } from "../secret-texts.js";
import type { Side } from "./side.js";

/** Pairs of a field and a value that are tried: the first clients stand for all. */
const MOST = 6;
/** A shorter text could not be kept out of a report without taking other text along. */
const SHORTEST = 8;

/** Secrets of consumers that are written out. */
export function consumerSecrets({ resources }: Pick<Side, "resources">): string[] {
  const consumers = resources.filter(({ kind }) => kind === "consumers");
  return literalSecrets(consumers).filter((text) => text.length >= SHORTEST);
}

/** What clients of either side could send; those that only one side knows first. */
export function credentialsOf(before: Side, after: Side): { header: string; value: string }[] {
  const headers = new Set(
    [before, after].flatMap(({ plan }) =>
      pipelinesOf(plan).flatMap(({ credentials }) => credentials?.headers ?? []),
    ),
  );
  const [old, fresh] = [consumerSecrets(before), consumerSecrets(after)];
  const alone = [
    ...old.filter((text) => !fresh.includes(text)).slice(0, 1),
    ...fresh.filter((text) => !old.includes(text)).slice(0, 1),
  ];
  const values = new Set([...alone, ...old.filter((text) => fresh.includes(text)).slice(0, 1)]);
  return [...headers]
    .flatMap((header) => [...values].map((value) => ({ header, value: utf8(value) })))
    .slice(0, MOST);
}
