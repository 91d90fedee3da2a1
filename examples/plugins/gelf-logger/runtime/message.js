import { hostname } from "node:os";

/**
 * Returns the GELF message of a record. Nested objects become one field each, with "_" between the names.
 * @param record JSON, as a byte string
 * @returns JSON, as a byte string
 */
export function gelfMessage(record, source = hostname()) {
  const fields = JSON.parse(Buffer.from(record, "latin1").toString("utf8"));
  const { request = {}, response = {}, start_time: startedAt } = fields;
  const message = {
    version: "1.1",
    host: source,
    short_message: `${request.method ?? "-"} ${request.uri ?? "-"} ${response.status ?? "-"}`,
    ...(typeof startedAt === "number" && { timestamp: startedAt / 1000 }),
  };
  add(message, "", fields);
  return Buffer.from(JSON.stringify(message), "utf8").toString("latin1");
}

/** Adds fields by the rules of GELF: names begin with "_", values are numbers and texts. */
function add(message, prefix, value) {
  for (const [name, member] of Object.entries(value)) {
    const path = `${prefix}_${name.replace(/[^\w.-]/g, "_")}`;
    if (typeof member === "object" && member !== null && !Array.isArray(member)) add(message, path, member);
    else if (path !== "_id")
      message[path] =
        typeof member === "number" || typeof member === "string" ? member : JSON.stringify(member);
  }
}
