import { below } from "../model/config-path.js";
import type { ConfigPath } from "../model/plan.js";
import type { Path } from "../model/source.js";
import { type Code, from } from "../plugin/code.js";
import type { Source, Sources } from "../plugin/definition.js";
import type { Tagging } from "./object.js";

/** Settings that a value of a module may come from. Source maps decide which of them the files contain. */
export class SettingSources implements Tagging {
  readonly #settings: ConfigPath;
  /** Paths of the settings, the likeliest first; empty for a value made from several settings. */
  readonly #paths: readonly Path[];
  /** Paths for members that `#sources` does not list. */
  readonly #base: readonly Path[];
  readonly #sources: Sources;

  /** @param settings config path of the plugin's settings, to which `paths` and `sources` are relative */
  constructor(
    settings: ConfigPath,
    sources: Sources = {},
    base: readonly Path[] = [[]],
    paths: readonly Path[] = [],
  ) {
    this.#settings = settings;
    this.#sources = sources;
    this.#base = base;
    this.#paths = paths;
  }

  /** Returns the code with the config paths of these settings. */
  tagged(code: Code): Code {
    return this.#paths.reduce((inside, path) => from(below(this.#settings, path), inside), code);
  }

  /** Source of a member. Default: the setting of the same name, or of that name in snake case. */
  member(name: string): SettingSources {
    return this.#source(name) ?? this.#at(this.#base.flatMap((path) => namesakes(path, name)));
  }

  item(index: number): SettingSources {
    const source = this.#source(String(index));
    return source ?? this.#at(this.#paths.map((path) => [...path, index]));
  }

  #source(name: string): SettingSources | undefined {
    const source = Object.hasOwn(this.#sources, name) ? this.#sources[name] : undefined;
    if (source === undefined) return undefined;
    if (isPaths(source)) return this.#at(source);
    if (isPath(source)) return this.#at([source]);
    return new SettingSources(this.#settings, source, this.#base);
  }

  #at(paths: readonly Path[]): SettingSources {
    return new SettingSources(this.#settings, {}, paths, paths);
  }
}

const isPath = (source: Source): source is Path => Array.isArray(source);
const isPaths = (source: Source): source is readonly Path[] =>
  Array.isArray(source) && Array.isArray(source[0]);

function namesakes(path: Path, name: string): Path[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return snake === name
    ? [[...path, name]]
    : [
        [...path, name],
        [...path, snake],
      ];
}
