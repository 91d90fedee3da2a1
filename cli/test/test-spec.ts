import type { ExchangeSpec } from "../../runtime/control/in-process/exchange-spec.js";

export interface TestSpec extends ExchangeSpec {
  name: string;
}
