import "../../runtime.js";
import { join } from "node:path";
import {
  ENVIRONMENT,
  fromLauncher,
  inheritedListeners,
  linkToControl,
  log,
  obeyLauncher,
  SERVICE_DRAIN_MS,
  startHeartbeat,
  storeRestart,
  tellLauncher,
} from "../../../runtime/process/service-process.js";
import { startCaptcha } from "./captcha.js";
import { Conversation } from "./link.js";
import { CAPTCHA_SOCKET, type FromCaptcha, type ToCaptcha } from "./messages.js";

/** Maximum age of counters lost in a crash. */
const METRICS_MS = 5000;
/** Delay before a service that cannot start exits: control receives the reason. */
const REFUSED_MS = 200;
/** Liveness timeout; a task is drawn in milliseconds. */
const SILENCE_MS = 10_000;

startHeartbeat({ name: "captcha", silenceMs: SILENCE_MS });
const [listener] = inheritedListeners();
if (!listener) throw new Error("the launcher passed no listener");

const restart = storeRestart("a disk error stopped a write to the captcha's store: the captcha restarts");
const conversation = new Conversation((configuration) =>
  startCaptcha(configuration, { listener, report: log, storeFailed: (isAsked) => restart.failed(isAsked) }),
);
const link = linkToControl<ToCaptcha, FromCaptcha>(
  join(fromLauncher(ENVIRONMENT.run), CAPTCHA_SOCKET),
  () => conversation.hello(),
  (message, send) =>
    void conversation.hear(message, (answer) => {
      send(answer);
      if (answer.type !== "configured") return;
      if (answer.refused !== undefined) {
        refused();
        return;
      }
      restart.ready();
      tellLauncher({ type: "serving" });
    }),
);

const tellMetrics = () => {
  void conversation.running?.metrics().then((families) => link.send({ type: "metrics", families }));
};
setInterval(tellMetrics, METRICS_MS).unref();

function refused(): void {
  // The launcher restarts the process, with a growing delay.
  if (!conversation.running) setTimeout(() => process.exit(1), REFUSED_MS);
}

obeyLauncher(() => void stop());

async function stop(): Promise<void> {
  await conversation.close(SERVICE_DRAIN_MS);
  tellMetrics();
  link.close();
  process.exit(0);
}

process.on("uncaughtException", (error) => {
  log("captcha_failed", { error: error.stack ?? error.message });
  process.exit(1);
});
