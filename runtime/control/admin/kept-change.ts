import type { History } from "../history/history.js";
import { type HistoryRecord, StoreError } from "../store/store.js";
import { type Answer, failure, json } from "./answer.js";

/** How a change is named in an address. */
export const NUMBER_OF_CHANGE = /^[1-9]\d{0,14}$/;

/** A change that is kept, or why there is none. */
export function readChange(
  history: Pick<History, "get">,
  number: string,
): { record: HistoryRecord } | { answer: Answer } {
  const absent = { answer: json(404, { message: "Key not found" }) };
  if (!NUMBER_OF_CHANGE.test(number)) return absent;
  try {
    const record = history.get(Number(number));
    return record ? { record } : absent;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { answer: failure(503, error.message) };
  }
}
