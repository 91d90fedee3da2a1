import { describe, expect, it } from "vitest";
import { emitModule } from "../../../compiler/5-emit/module.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { loaded, planned } from "../plan/planned.js";

interface Seen {
  /** Number of reads by variable. */
  reads: Record<string, number>;
  sent: Record<string, string>;
}

/** Returns the reads and headers of a phase for a request whose arguments and headers are all "v". */
function seen(fields: object, phase: "match" | "rewrite" | "headerFilter"): Seen {
  const { codes, pipeline } = planned(fields);
  expect(codes).toEqual([]);
  if (pipeline === undefined) throw new Error("no pipeline");
  const reads: Record<string, number> = {};
  const sent: Record<string, string> = { "content-type": "text/html" };
  const counted = (name: string) => {
    reads[name] = (reads[name] ?? 0) + 1;
  };
  const headers = {
    get: (name: string) => {
      counted(`sent ${name}`);
      return sent[name];
    },
    set: (name: string, value: string) => {
      sent[name.toLowerCase()] = value;
    },
    append: (name: string, value: string) => {
      sent[name.toLowerCase()] += `,${value}`;
    },
  };
  const read = (name: string) => {
    counted(name);
    return "v";
  };
  loaded(pipeline)[phase]?.({
    arg: read,
    cookie: read,
    variable: read,
    request: { headers: { get: read } },
    upstream: { headers },
    response: { status: 200, headers, replaceBody: () => {} },
  } as unknown as Exchange);
  return { reads, sent };
}

const rewriting = (set: Record<string, string>, filter?: unknown[]) => ({
  plugins: { "proxy-rewrite": { headers: { set }, ...(filter && { _meta: { filter } }) } },
});

describe("a variable that a phase uses more than once", () => {
  it("a condition reads each of its variables once", () => {
    const vars = ["OR", ["arg_k", "==", "a"], ["arg_k", "~~", "^b"], ["is_args", "==", "?"]];
    expect(seen({ vars }, "match").reads).toEqual({ k: 1, is_args: 1 });
  });

  it("a filter and the header edits that it guards read each variable once", () => {
    const fields = rewriting({ "X-A": "$http_x_k $cookie_c", "X-B": "$http_x_k" }, [
      ["http_x_k", "~=", null],
    ]);
    expect(seen(fields, "rewrite")).toMatchObject({
      reads: { "x-k": 1, c: 1 },
      sent: { "x-a": "v v", "x-b": "v" },
    });
  });

  it("a variable is read again if the phase has read a hundred others before", () => {
    const names = Array.from({ length: 150 }, (_, i) => `k${i}`);
    const set = Object.fromEntries(names.map((name) => [`X-${name}`, `$arg_${name}$arg_${name}`]));
    const { reads, sent } = seen(rewriting(set), "rewrite");
    expect(Object.keys(sent)).toHaveLength(151);
    expect(names.map((name) => reads[name])).toEqual(names.map((_, i) => (i < 100 ? 1 : 2)));
  });

  const HTML = ["OR", ["sent_http_content_type", "==", "a"], ["sent_http_content_type", "~~", "html"]];
  const rewritten = (more: object) =>
    seen({ plugins: { "response-rewrite": { vars: HTML, ...more } } }, "headerFilter");

  it("a condition and a header value share a read if the step has not changed the header before", () => {
    const set = { "Content-Type": "text/plain", "X-Type": "$sent_http_content_type" };
    const { reads, sent } = rewritten({ headers: { set } });
    expect(reads).toEqual({ "sent content-type": 1 });
    expect(sent["x-type"]).toBe("text/html");
  });

  it("a variable is read again after an action that has changed it", () => {
    const set = { "X-Type": "$sent_http_content_type" };
    const { reads, sent } = rewritten({ headers: { add: ["Content-Type: x"], set } });
    expect(reads).toEqual({ "sent content-type": 2 });
    expect(sent["x-type"]).toBe("text/html,x");
  });

  it("a variable is read again after the body was replaced, which sets headers aside", () => {
    const set = { "X-Type": "$sent_http_content_type" };
    expect(rewritten({ body: "new", headers: { set } }).reads).toEqual({ "sent content-type": 2 });
  });

  it("a string that looks like a local variable or its read stays as it is", () => {
    const pattern = 'argK x.arg("k") argK2';
    const fields = rewriting({ "X-A": "$arg_k", "X-B": pattern, "X-C": "$arg_k" });
    expect(seen(fields, "rewrite")).toMatchObject({ reads: { k: 1 }, sent: { "x-b": pattern, "x-c": "v" } });
  });

  it("a value that a guard has found present has no fallback", () => {
    const text = (filter: unknown[]) => {
      const { pipeline } = planned(rewriting({ "X-A": "$cookie_c" }, filter));
      if (pipeline === undefined) throw new Error("no pipeline");
      const { typescript } = emitModule(pipeline, { version: "1", planHash: "0", source: "r" });
      return /set\("X-A", (.*)\);/.exec(typescript)?.[1];
    };
    const present = ["cookie_c", "~=", null];
    const other = ["arg_a", "==", "1"];
    expect(text([present])).toBe("cookieC");
    expect(text([other, present])).toBe("cookieC");
    expect(text([["OR", ["cookie_c", "==", "a"], present]])).toBe("cookieC");
    expect(text([["!AND", ["cookie_c", "==", null], ["cookie_c", "==", null]]])).toBe("cookieC");
    expect(text([["OR", other, present]])).toBe('cookieC ?? ""');
    expect(text([["cookie_c", "~=", "a"]])).toBe('cookieC ?? ""');
    expect(text([["cookie_c", "==", null]])).toBe('cookieC ?? ""');
  });
});
