import { VERSION } from "../../abi/version.js";
import { answered } from "../../process/operation.js";
import { json } from "./answer.js";
import type { AdminOperation } from "./operation.js";

/** Operation that shows name and role of a key. A gwc extension, for the web interface and scripts. */
export const SESSION: AdminOperation = {
  method: "GET",
  path: "session",
  name: "readSession",
  summary: "Name and role of the key, and the running generation",
  answers: {
    200: answered("the session", {
      type: "object",
      properties: {
        name: { type: ["string", "null"], description: "Name of the key; null: no key is required." },
        role: { enum: ["admin", "viewer"] },
        version: { type: "string" },
        generation: { type: "integer" },
        read_only: { type: ["string", "null"], description: "Reason why all writes are rejected." },
      },
      required: ["name", "role", "version", "generation", "read_only"],
    }),
  },
  answer: ({ readOnly, generation }, { key }) =>
    json(200, {
      name: key?.name ?? null,
      role: key?.role ?? "admin",
      version: VERSION,
      generation: generation(),
      read_only: readOnly() ?? null,
    }),
};
