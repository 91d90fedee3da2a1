import { JobSlots, JobThread } from "../../runtime/abi/job-thread.js";
import type { NamedPackage } from "../model/package.js";
import type { Drafted } from "./drafted.js";
import type { EffectInput, EffectReply } from "./effect-thread.js";

const THREAD = new URL("./effect-thread.js", import.meta.url);
/** Timeout in ms for the start of the thread, and for one comparison: 100 routes take a second. */
const LONGEST_MS = 15_000;
const MAX_MEGABYTES = 1_024;

/** Compares in a thread, so that no comparison delays a write. */
export class Comparisons {
  packages: readonly NamedPackage[] = [];
  readonly #given: Pick<EffectInput, "plugins" | "trials">;
  readonly #places = new JobSlots("drafts are being compared");
  readonly #thread = new JobThread<EffectInput, EffectReply>({ module: THREAD, megabytes: MAX_MEGABYTES });

  constructor(given: Pick<EffectInput, "plugins" | "trials">) {
    this.#given = given;
  }

  async run(drafted: Drafted): Promise<EffectReply> {
    const packages = this.packages.map(({ name, folder }) => ({ name, folder }));
    const asked = { ...this.#given, packages, drafted };
    const reply = await this.#places.run(
      () =>
        new Promise<EffectReply>((settle) => {
          this.#thread.add({
            asked,
            longestMs: LONGEST_MS,
            heard(said) {
              settle(said);
              return undefined;
            },
            failed: (fault) => settle({ fault }),
          });
        }),
    );
    return reply ?? { fault: this.#places.taken };
  }

  close(): void {
    this.#thread.close();
  }
}
