import type { ProgramRenewed, ScoreAnswer, SessionAnswer } from "../../service/protocol.js";
import { SessionProgram } from "../program/session-program.js";
import { readFromTask, readInit, readToBox } from "../shared/between-frames.js";
import { call } from "../shared/call.js";
import { isOwnHost } from "../shared/configuration.js";
import { CallError, faultOf, widgetFault } from "../shared/faults.js";
import type { FromBox, InitMessage, ToTask } from "../shared/messages.js";
import { after, readConfiguration } from "../shared/page.js";
import { Work } from "../shared/work.js";
import { Collector } from "../telemetry/collect.js";
import { BoxFlow } from "./flow.js";
import { BoxView } from "./view.js";

const configuration = readConfiguration();
const view = new BoxView(configuration);
const now = (): number => performance.now();
const collector = new Collector(view.checkbox, view.root);

/** Port for all later messages. */
function begin({ cfg }: InitMessage, origin: string, port: MessagePort): void {
  const post = (message: FromBox): void => port.postMessage(message);
  let task: MessagePort | undefined;
  if (cfg.size === "compact") view.compact();
  post({ type: "ready", language: configuration.language, theme: configuration.theme });
  if (configuration.fault !== undefined) {
    const fault = faultOf(new CallError(configuration.fault), configuration.language);
    view.show("error", fault);
    post({ type: "error", ...fault });
    port.onmessage = ({ data }) => {
      if (readToBox(data)?.type === "execute") post({ type: "failed", ...fault });
    };
    return;
  }
  const work = new Work(configuration);
  const session = {
    site_key: configuration.siteKey,
    origin,
    ...(cfg.action !== undefined && { action: cfg.action }),
  };
  const flow = new BoxFlow({
    language: configuration.language,
    session: () => call<SessionAnswer>("/session", session),
    score: (request) => call<ScoreAnswer>("/score", request),
    solve: (challenge) => work.solve(challenge),
    renew: (session) => call<ProgramRenewed>("/program", { session }),
    watch: (program) => new SessionProgram(program, { now, after, moves: () => collector.moves }),
    post,
    show: (state, fault) => view.show(state, fault),
    dismissTask: (reason) => {
      task?.postMessage({ type: "dismiss", reason } satisfies ToTask);
      return task !== undefined;
    },
    now,
    after,
  });
  watch(flow);
  const hear = (event: MessageEvent): void => {
    const said = readFromTask(event.data);
    if (said !== undefined) flow.fromTask(said);
  };
  port.onmessage = ({ data, ports }) => {
    const message = readToBox(data);
    if (message?.type === "reset") flow.reset(message.expired);
    else if (message?.type === "execute") flow.execute(collector.take(undefined));
    else if (message?.type === "dismiss") flow.dismiss(message.reason);
    else if (message?.type === "destroy") {
      flow.stop();
      work.stop();
    } else if (message?.type === "dialog-ready" && ports[0] !== undefined) {
      task?.close();
      task = ports[0];
      task.onmessage = hear;
    }
  };
  flow.prepare();
  if (early !== undefined) void flow.tick(collector.take(early));
}

function watch(flow: BoxFlow): void {
  view.checkbox.addEventListener("click", (event) => {
    // A click by a script is reported as such; the service judges it (A68).
    void flow.tick(collector.take(event));
  });
  for (const near of ["pointerover", "focusin"]) addEventListener(near, () => flow.approach());
  // A modal dialog makes everything behind it inert, so the focus is lost; when it returns, it goes to the box.
  addEventListener("focus", () => {
    if (document.activeElement === document.body) view.checkbox.focus();
  });
}

/** Tick before the page's init message, which takes a while on a slow machine. */
let early: MouseEvent | undefined;
// The flow decides the state of the box, so the browser must not toggle it.
view.checkbox.addEventListener("click", (event) => {
  event.preventDefault();
  early = event;
});

function listen(event: MessageEvent): void {
  // Accepts only the page around the frame, of a host of the key, that knows the name of the frame (A67).
  if (event.source !== parent || !isOwnHost(event.origin, configuration.hosts)) return;
  const init = readInit(event.data);
  const [port] = event.ports;
  if (init === undefined || port === undefined || init.id !== configuration.id) return;
  removeEventListener("message", listen);
  begin(init, event.origin, port);
}

if (parent === self) view.show("error", widgetFault("hostname_not_allowed", configuration.language));
else addEventListener("message", listen);
