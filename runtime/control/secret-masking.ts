import type { CredentialLocation } from "../../compiler/2-validate/named-credentials.js";
import type { StaticResource } from "./resource-catalog.js";
import { pathOfText, scalarAt, textAt, withTexts } from "./secret-paths.js";
import type { Keyring } from "./store/keyring.js";
import type { JsonObject, SecretPath, StoredResource } from "./store/store.js";

type Item = Pick<StoredResource, "kind" | "id" | "value"> & Pick<StaticResource, "secrets" | "written">;
type Scalar = string | number;

/** Secret of a resource: the value at a path, or a part of it. */
export interface Secret {
  path: SecretPath;
  /** Location to which its mask is bound; elsewhere the mask is invalid. */
  bound: string;
  value: Scalar;
  stretch: readonly [start: number, end: number];
}

export interface Sent extends Pick<StoredResource, "kind" | "id"> {
  value: JsonObject;
  secrets: readonly SecretPath[];
  credentials: readonly CredentialLocation[];
}

/** Replaces secrets of resources by masks in responses; a write may send a mask back. */
export class SecretMasking {
  readonly #keys: Pick<Keyring, "mask" | "masksIn">;
  readonly #credentials: (item: Item) => readonly CredentialLocation[];

  constructor(
    keys: Pick<Keyring, "mask" | "masksIn">,
    credentials: (item: Item) => readonly CredentialLocation[] = () => [],
  ) {
    this.#keys = keys;
    this.#credentials = credentials;
  }

  masked(item: Item): JsonObject | null {
    return this.replaced(item, (secret) => this.#maskOf(secret));
  }

  /** Shows variables of files by name and replaces each secret; `by` returns undefined to show one. */
  replaced(item: Item, by: (secret: Secret) => string | undefined): JsonObject | null {
    const { value, written = [] } = item;
    if (value === null) return null;
    const shown = withTexts(value, written);
    const texts = new Map<string, [SecretPath, string]>();
    // In reverse, so that the offsets of earlier ones stay valid.
    for (const secret of this.#secretsOf(item, shown).reverse()) {
      const text = by(secret);
      if (text === undefined) continue;
      const { path, stretch } = secret;
      const at = JSON.stringify(path);
      const before = texts.get(at)?.[1] ?? String(scalarAt(shown, path));
      texts.set(at, [path, before.slice(0, stretch[0]) + text + before.slice(stretch[1])]);
    }
    return withTexts(shown, [...texts.values()]);
  }

  /**
   * Replaces the masks of a written value by secrets of the previous resource. A mask is valid only at its
   * own location. All items of a list share a location, so that a list may be sent back in another order.
   * @returns the value, or the path of an invalid mask
   */
  unmasked(sent: Sent, before: Item | undefined): { value: JsonObject } | { unknown: SecretPath } {
    const known = new Map<string, Map<string, Scalar>>();
    const masks = new Set<string>();
    for (const secret of before?.value ? this.#secretsOf(before, before.value) : []) {
      const mask = this.#maskOf(secret);
      masks.add(mask);
      known.set(secret.bound, (known.get(secret.bound) ?? new Map<string, Scalar>()).set(mask, secret.value));
    }
    const texts = new Map<string, [SecretPath, Scalar]>();
    for (const { path, bound, value, stretch } of this.#secretsOf(sent, sent.value).reverse()) {
      const own = known.get(bound);
      const meant = this.#meant(String(value), (mask) => own?.get(mask));
      if (meant === undefined) return { unknown: path };
      if (meant === String(value)) continue;
      const at = JSON.stringify(path);
      const [, text] = texts.get(at) ?? [path, String(scalarAt(sent.value, path))];
      const isAll = stretch[0] === 0 && stretch[1] === String(text).length;
      const put = isAll ? meant : String(text).slice(0, stretch[0]) + meant + String(text).slice(stretch[1]);
      texts.set(at, [path, put]);
    }
    const value = withTexts(sent.value, [...texts.values()]);
    const hasOne = (text: string) => this.#keys.masksIn(text).some((mask) => masks.has(mask));
    const stray = masks.size === 0 ? undefined : pathOfText(value, hasOne);
    return stray === undefined ? { value } : { unknown: stray };
  }

  #meant(text: string, secretOf: (mask: string) => Scalar | undefined): Scalar | undefined {
    const masks = this.#keys.masksIn(text);
    if (masks.length === 1 && masks[0] === text) return secretOf(text);
    let meant = text;
    for (const mask of masks) {
      const secret = secretOf(mask);
      if (secret === undefined) return undefined;
      meant = meant.replace(mask, () => String(secret));
    }
    return meant;
  }

  /** Reports whether the value contains a mask, also in a field name, of this resource or any other. */
  hasMask(value: JsonObject): boolean {
    return pathOfText(value, (text) => this.#keys.masksIn(text).length > 0) !== undefined;
  }

  #maskOf({ value, bound }: Secret): string {
    return this.#keys.mask(String(value), bound);
  }

  /** @param shown its value, with variables of files by name */
  #secretsOf(item: Item | Sent, shown: JsonObject): Secret[] {
    const { kind, id, secrets = [] } = item;
    const boundTo = (path: SecretPath, name: string) =>
      JSON.stringify([kind, id, path.filter((step) => typeof step === "string"), name.toLowerCase()]);
    const ofSchema = secrets.map((path): Secret => {
      const value = textAt(item.value, path) ?? "";
      return { path, bound: boundTo(path, ""), value, stretch: [0, String(scalarAt(shown, path)).length] };
    });
    const places = "credentials" in item ? item.credentials : this.#credentials(item);
    const known = new Set(secrets.map((path) => JSON.stringify(path)));
    const byName = places.flatMap(({ path, name, stretches }) => {
      const all = scalarAt(shown, path);
      if (all === undefined || known.has(JSON.stringify(path))) return [];
      return stretches.map(([start, end]): Secret => {
        const isAll = start === 0 && end === String(all).length;
        const value = isAll ? all : String(all).slice(start, end);
        return { path, bound: boundTo(path, name), value, stretch: [start, end] };
      });
    });
    return [...ofSchema, ...byName];
  }
}
