import "../../../../plugins/runtime.js";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startCaptcha } from "../../../../plugins/captcha/service/captcha.js";
import { startTasks } from "../../../../plugins/captcha/service/tasks/tasks.js";
import { freePort } from "../../../support/ports.js";
import type { KnownConfiguration } from "./configuration.js";
import { type Front, startFront } from "./front.js";
import { KnownTasks } from "./known-tasks.js";

export interface Service {
  /** {captcha_url} as browsers see it. */
  readonly url: string;
  /** {captcha_url} for programs that do not resolve names below `localhost`. */
  readonly loopback: string;
  readonly apiKey: string;
  /** Texts that no browser may ever receive. */
  readonly secrets: readonly string[];
  readonly tasks: KnownTasks;
  /** Proxy that all requests of browsers pass. */
  readonly front: Front;
  close(): Promise<void>;
}

/** Output of `npm run build`: threads run compiled files only, wherever this module is run from. */
const WORKER = pathToFileURL(join(process.cwd(), ".build/plugins/captcha/service/tasks/worker-thread.js"));

/** The service as in production, except for its tasks with known answers, behind a recording proxy. */
export async function startService(configured: (url: string) => KnownConfiguration): Promise<Service> {
  const port = await freePort();
  const front = await startFront(port);
  const url = `http://captcha.localhost:${front.port}`;
  const { configuration, apiKey } = configured(url);
  const report = (event: string, fields: object) => {
    if (process.env["DEBUG"]) process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
  };
  const tasks = new KnownTasks(startTasks({ report, script: WORKER }));
  const running = await startCaptcha(configuration, {
    listener: { host: "127.0.0.1", port },
    tasks,
    report,
  });
  return {
    url,
    loopback: `http://127.0.0.1:${port}`,
    apiKey,
    secrets: [
      apiKey,
      ...Object.values(configuration.secrets),
      ...configuration.apiKeys.map(({ digest }) => digest),
    ],
    tasks,
    front,
    async close() {
      await front.close();
      await running.close(0);
    },
  };
}
