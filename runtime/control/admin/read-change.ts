import type { Configuration } from "../configuration.js";
import { type HistoryRecord, StoreError } from "../store/store.js";
import { type ApiResponse, failure, json } from "./answer.js";

export const NUMBER_OF_CHANGE = /^[1-9]\d{0,14}$/;

type Found = { record: HistoryRecord } | { answer: ApiResponse };

/** Returns a change of the history, or the rejection. Waits until masks know all credentials. */
export async function readChange(
  { history, credentials }: Pick<Configuration, "history" | "credentials">,
  number: string,
): Promise<Found> {
  const found = keptChange(history, number);
  if ("answer" in found) return found;
  const { before, after } = found.record;
  await Promise.all([credentials.ready(), credentials.look([before, after])]);
  return found;
}

function keptChange(history: Configuration["history"], number: string): Found {
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
