import { describe, expect, it } from "vitest";
import type { RunningCaptcha } from "../../../plugins/captcha/service/captcha.js";
import type { CaptchaConfiguration } from "../../../plugins/captcha/service/contract.js";
import { Conversation } from "../../../plugins/captcha/service/link.js";
import type { FromCaptcha, Question } from "../../../plugins/captcha/service/messages.js";

const configuration = (name: string) =>
  ({ customers: [{ id: name, enabled: true }] }) as CaptchaConfiguration;
const nameOf = ({ customers }: CaptchaConfiguration) => customers[0]?.id;

/** A conversation with a service that records the calls it gets. */
function conversed(start: (name: string | undefined) => Promise<void> = async () => {}) {
  const done: unknown[] = [];
  const running = (): RunningCaptcha => ({
    url: "http://127.0.0.1",
    address: { host: "127.0.0.1", port: 1 },
    update: (next) => {
      if (nameOf(next) === "bad") throw new Error("it cannot be");
      done.push(`update ${nameOf(next)}`);
    },
    statistics: () => ({ since: "", total: {} as never, site_keys: {}, under_attack: {} }),
    decision: (id) => (id === "known" ? { id } : undefined),
    metrics: () => Promise.resolve([]),
    rotate: async () => "kid",
    close: async (ms) => void done.push(`close ${ms}`),
  });
  const conversation = new Conversation(async (first) => {
    await start(nameOf(first));
    done.push(`start ${nameOf(first)}`);
    return running();
  });
  const said: FromCaptcha[] = [];
  const tell = (number: number, name: string) =>
    conversation.hear({ type: "configuration", number, configuration: configuration(name) }, (m) =>
      said.push(m),
    );
  const ask = (number: number, question: Question) =>
    conversation.hear({ type: "ask", number, question }, (m) => said.push(m));
  return { conversation, done, said, tell, ask };
}

describe("the captcha's end of the link to control", () => {
  it("the captcha starts with the first configuration and applies later ones one after the other", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { done, said, tell } = conversed(() => held);
    const all = Promise.all([tell(1, "a"), tell(2, "b"), tell(3, "c")]);
    await Promise.resolve();
    expect(done).toEqual([]);
    release();
    await all;
    expect(done).toEqual(["start a", "update b", "update c"]);
    expect(said).toEqual([1, 2, 3].map((number) => ({ type: "configured", number })));
  });

  it("the captcha reports why it cannot start, and tries again with the next configuration", async () => {
    const { conversation, said, tell } = conversed(async (name) => {
      if (name === "a") throw new Error("the disk is full");
    });
    await tell(1, "a");
    expect(conversation.running).toBeUndefined();
    await tell(2, "b");
    expect(said).toEqual([
      { type: "configured", number: 1, refused: "the disk is full" },
      { type: "configured", number: 2 },
    ]);
  });

  it("the captcha keeps its configuration when a change fails", async () => {
    const { conversation, done, said, tell } = conversed();
    await tell(1, "a");
    const before = conversation.running;
    await tell(2, "bad");
    expect(conversation.running).toBe(before);
    expect(said[1]).toEqual({ type: "configured", number: 2, refused: "it cannot be" });
    expect(done).toEqual(["start a"]);
  });

  it("the captcha replies to questions, and reports a failure before its first configuration", async () => {
    const { said, tell, ask } = conversed();
    await ask(1, { about: "rotation" });
    await tell(2, "a");
    await ask(3, { about: "rotation" });
    await ask(4, { about: "decision", requestId: "known" });
    await ask(5, { about: "decision", requestId: "unknown" });
    await ask(6, { about: "statistics" });
    expect(said).toMatchObject([
      { type: "failed", number: 1 },
      { type: "configured", number: 2 },
      { type: "answer", number: 3, value: { kid: "kid" } },
      { type: "answer", number: 4, value: { id: "known" } },
      { type: "answer", number: 5, value: null },
      { type: "answer", number: 6, value: { url: "http://127.0.0.1" } },
    ]);
  });

  it("a closed conversation ignores further configurations", async () => {
    const { conversation, done, tell } = conversed();
    await tell(1, "a");
    await conversation.close(50);
    await tell(2, "b");
    expect(done).toEqual(["start a", "close 50"]);
  });
});
