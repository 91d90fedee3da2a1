import type { ExchangeSpec } from "../../runtime/control/in-process/exchange-spec.js";

/** A test as a file has it. */
export interface TestSpec extends ExchangeSpec {
  name: string;
}
