import type { BodyFormat } from "./format.js";

const ANSWER_BYTES = 16_384;

/**
 * ClickHouse's HTTP interface: one insert of rows in JSONEachRow. The server batches inserts (`async_insert`)
 * and responds when the rows are stored (`wait_for_async_insert`). Times may be ISO 8601
 * (`date_time_input_format`).
 */
export function clickhouse({ database, table }: { database: string; table: string }): BodyFormat {
  const insert = `INSERT INTO ${database}.${table} FORMAT JSONEachRow`;
  const settings = "async_insert=1&wait_for_async_insert=1&date_time_input_format=best_effort";
  return {
    contentType: "application/x-ndjson",
    query: `query=${encodeURIComponent(insert)}&${settings}`,
    answerBytes: ANSWER_BYTES,
    body: (entries) => `${entries.map(({ payload }) => payload).join("\n")}\n`,
    verdict({ status, headers }, _, byStatus) {
      // An insert is stored as a whole or not at all: splitting finds the row that cannot be parsed.
      if (status === 400 && byStatus.kind === "refused") return { kind: "split", because: byStatus.because };
      // A failure after the head was sent.
      const code = headers["x-clickhouse-exception-code"];
      if (byStatus.kind !== "taken" || code === undefined) return byStatus;
      return { kind: "again", because: `responded with ${status} with exception ${String(code)}` };
    },
  };
}
