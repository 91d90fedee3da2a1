import type { WrittenExchange } from "../../runtime/control/in-process/written.js";

/** A test as a file has it. */
export interface WrittenTest extends WrittenExchange {
  name: string;
}
