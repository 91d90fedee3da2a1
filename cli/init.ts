import { visibleLine } from "../runtime/abi/text/unseen.js";
import { failed } from "./output.js";
import "../plugins/index.js";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SCHEMA_FILE = ".gateway.schema.json";

const STARTER = `# yaml-language-server: $schema=./${SCHEMA_FILE}
# Check it with \`gwc check\`, serve it with \`gwc run\`. Editors that read the line above complete and check as you type.
gw:
  node_listen: 9080

upstreams:
  - id: backend
    nodes:
      "127.0.0.1:8080": 1

routes:
  - id: api
    uri: /api/*
    upstream_id: backend
    plugins:
      proxy-rewrite:
        headers:
          set: { X-Request-Source: gateway }
          remove: [X-Debug-Token]
      response-rewrite:
        headers:
          remove: [X-Powered-By]
`;

/** `gwc init`: writes a starter file and the schema next to it; never overwrites a file. */
export async function init(directory: string): Promise<number> {
  const file = join(directory, "gateway.yaml");
  if (existsSync(file)) return failed(`${file} already exists; nothing was written`, 1);
  const { combinedSchema } = await import("../compiler/2-validate/published.js");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, SCHEMA_FILE), `${JSON.stringify(combinedSchema(), null, 2)}\n`);
  await writeFile(file, STARTER, { flag: "wx" });
  const shown = visibleLine(file);
  process.stdout.write(
    `wrote ${shown} and ${SCHEMA_FILE}\nnext: gwc check ${shown}, then gwc run ${shown}\n`,
  );
  return 0;
}
