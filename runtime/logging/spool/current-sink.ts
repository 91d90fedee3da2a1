import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Destination, OpenSink, Sink } from "../../abi/delivery.js";
import type { ResourceContext } from "../../abi/resource.js";
import { DESTINATION_FILE, readJson } from "./layout.js";
import { describeAgain } from "./writer.js";

/** Sink of a spool's destination with the current settings and credentials. */
export class CurrentSink {
  readonly #folder: string;
  readonly #openSink: OpenSink;
  readonly #context: ResourceContext;
  #open: { of: string; sink: Sink } | undefined = undefined;

  constructor(folder: string, openSink: OpenSink, context: ResourceContext) {
    this.#folder = folder;
    this.#openSink = openSink;
    this.#context = context;
  }

  /** Opens it again if `destination.json` or a secret changed. @throws if it cannot be opened */
  get(): Sink {
    const file = join(this.#folder, DESTINATION_FILE);
    let destination = readJson<Destination>(file);
    // A logger that runs in this process restores a removed or damaged file.
    if (destination === undefined && describeAgain(this.#folder)) destination = readJson(file);
    if (destination === undefined) throw new Error("the spool does not describe its destination");
    const of = this.#digest(destination);
    if (this.#open?.of !== of) {
      void this.close();
      this.#open = { of, sink: this.#openSink(destination, this.#context) };
    }
    return this.#open.sink;
  }

  async close(): Promise<void> {
    const { sink } = this.#open ?? {};
    this.#open = undefined;
    await sink?.close().catch(() => {});
  }

  /** Hashes the settings with the values of secrets: any string may be the reference of one. */
  #digest(destination: Destination): string {
    const values: (string | undefined)[] = [];
    const text = JSON.stringify(destination, (_, value: unknown) => {
      if (typeof value === "string") values.push(this.#context.secret(value));
      return value;
    });
    return createHash("sha256")
      .update(JSON.stringify([text, values]))
      .digest("base64");
  }
}
