import type { StaticResource } from "./resources.js";
import { textAt, withTexts } from "./secret-paths.js";
import type { Keyring } from "./store/keyring.js";
import type { JsonObject, SecretPath, StoredResource } from "./store/store.js";

type Item = Pick<StoredResource, "value"> & Pick<StaticResource, "secrets" | "written">;

/** Secrets of resources go in and never come out: an answer has a mask in their places, which a write may send back. */
export class Redaction {
  readonly #keys: Pick<Keyring, "mask" | "isMask">;

  constructor(keys: Pick<Keyring, "mask" | "isMask">) {
    this.#keys = keys;
  }

  /** The value as answers show it: with masks, and variables of files by their names. */
  masked({ value, secrets = [], written = [] }: Item): JsonObject | null {
    if (value === null || secrets.length + written.length === 0) return value;
    const masks = secrets.map((path) => [path, this.#keys.mask(textAt(value, path) ?? "")] as const);
    return withTexts(value, [...written, ...masks]);
  }

  /**
   * What a written value means: a mask stands for the secret of the resource before that it was made of, wherever that
   * stood, so that a list may be sent back in another order.
   * @param paths of secrets in the value
   * @returns the value, or the path of a mask that the resource before knows nothing of
   */
  unmasked(
    value: JsonObject,
    paths: readonly SecretPath[],
    before: Item | undefined,
  ): { value: JsonObject } | { unknown: SecretPath } {
    const texts: [SecretPath, string][] = [];
    for (const path of paths) {
      const text = textAt(value, path) ?? "";
      if (!this.#keys.isMask(text)) continue;
      const secret = (before?.secrets ?? [])
        .map((place) => textAt(before?.value, place) ?? "")
        .find((known) => this.#keys.mask(known) === text);
      if (secret === undefined) return { unknown: path };
      texts.push([path, secret]);
    }
    return { value: withTexts(value, texts) };
  }
}
