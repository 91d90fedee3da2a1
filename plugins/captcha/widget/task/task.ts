/** Shown in the page's dialog if a score requires it. */
import type { AnswerAnswer, NextAnswer, PatienceAnswer, TaskShown } from "../../service/protocol.js";
import { readInit, readToTask } from "../shared/between-frames.js";
import { call, request } from "../shared/call.js";
import { isOwnHost } from "../shared/configuration.js";
import type { FromTask } from "../shared/messages.js";
import { after, readConfiguration } from "../shared/page.js";
import { Work } from "../shared/work.js";
import { TaskFlow } from "./flow.js";
import { Screen } from "./screen.js";

const WIDTH = 380;

const configuration = readConfiguration();
let urls: string[] = [];

/** Each part can be loaded once; an object URL keeps it as long as its task. @throws CallError */
async function load({ task, parts }: TaskShown): Promise<ReadonlyMap<string, string>> {
  const bodies = await Promise.all(
    parts.map(
      async ({ name, kind }) =>
        [name, await (await request(`/task/${task}/${name}.${kind}`)).blob()] as const,
    ),
  );
  for (const url of urls) URL.revokeObjectURL(url);
  const loaded = new Map(bodies.map(([name, body]) => [name, URL.createObjectURL(body)]));
  urls = [...loaded.values()];
  return loaded;
}

/** The checkbox frame is at the other end of the port. */
function begin(port: MessagePort): void {
  const post = (message: FromTask): void => port.postMessage(message);
  if (configuration.fault !== undefined || configuration.session === undefined) {
    post({ type: "close", reason: "stale" });
    return;
  }
  const work = new Work(configuration);
  const screen = new Screen(configuration, {
    submit: (reply, trail) => void flow.submit(reply, trail),
    another: (type) => void flow.next(flow.isLate ? "late" : "chosen", type),
    patience: (trail) => void flow.patience(trail),
    close: (reason) => flow.close(reason),
    fault: (fault) => post({ type: "error", ...fault }),
    resized: (height) => {
      const h = Math.ceil(Math.min(900, Math.max(240, height)));
      post({ type: "resize", w: WIDTH, h });
    },
  });
  const flow: TaskFlow = new TaskFlow({
    session: configuration.session,
    next: (body) => call<NextAnswer>("/task/next", body),
    answer: (task, body) => call<AnswerAnswer>(`/task/${task}/answer`, body),
    patience: (body) => call<PatienceAnswer>("/patience", body),
    load,
    solve: (challenge) => work.solve(challenge),
    post,
    view: screen,
    now: () => performance.now(),
    after,
  });
  port.onmessage = ({ data }) => {
    const message = readToTask(data);
    if (message !== undefined) flow.close(message.reason);
  };
  post({ type: "ready" });
  void flow.next("first");
}

function listen(event: MessageEvent): void {
  if (event.source !== parent || !isOwnHost(event.origin, configuration.hosts)) return;
  const [port] = event.ports;
  if (readInit(event.data) === undefined || port === undefined) return;
  removeEventListener("message", listen);
  begin(port);
}

if (parent !== self) addEventListener("message", listen);
