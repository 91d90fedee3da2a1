import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ClipboardEvent, useRef, useState } from "react";
import { useSession } from "../api/session";
import { askWhichRoute, type WhichRouteRequest } from "../api/which-route";
import { type WhichRouteSearch, whichRouteRoute } from "../app/router";
import { type CurlNotes, type CurlRequest, curlCommand, isCurl } from "../curl/command";
import { openAddress } from "./open-address";

/** A made-up answer of the upstream: nothing is sent. */
export interface Stub {
  status: number;
  /** One field a line. */
  headers: string;
  body: string;
}

const EMPTY_200: Stub = { status: 200, headers: "", body: "" };

/** Fields that are in no address: they may hold credentials, and an address ends in logs and histories. */
interface Held {
  /** One field a line. */
  headers: string;
  body: string;
  stub: Stub;
  /** A command that names no address yet. */
  command: string | undefined;
  notes: CurlNotes | undefined;
}

const NOTHING: Held = { headers: "", body: "", stub: EMPTY_200, command: undefined, notes: undefined };

export interface Question {
  asked: WhichRouteRequest;
  /** The upstream is asked. */
  live: boolean;
}

/** Fields that the page's address has once they are answered, so that a question can be sent to somebody. */
export interface Said {
  method: string;
  url: string;
  client: string | undefined;
  answer: "live" | undefined;
}

const saidBy = ({ method = "GET", url = "", client, answer }: WhichRouteSearch): Said => ({
  ...{ method, url, client, answer },
});
const keyOf = (search: WhichRouteSearch): string => {
  const { method, url, client, answer } = saidBy(search);
  return JSON.stringify([method, url, client, answer]);
};

/**
 * The line of the question. It is in memory while one types; the page's address gets it with the answer, which tells what of it is a
 * credential. Back leads to the question before, as it was typed.
 */
function useLine() {
  const navigate = useNavigate();
  const search = whichRouteRoute.useSearch();
  const [seen, setSeen] = useState(() => keyOf(search));
  const [line, setLine] = useState(() => saidBy(search));
  const typed = useRef(new Map<string, Said>());
  const key = keyOf(search);
  if (key !== seen) {
    setSeen(key);
    setLine(typed.current.get(key) ?? saidBy(search));
  }
  const say = (next: Partial<Said>) => setLine((before) => ({ ...before, ...next }));

  /** @param shown the target of the same request as the gateway shows it */
  function answered(shown: string) {
    const open = { ...line, url: openAddress(line.url, shown) };
    const isSame = keyOf(open) === key;
    // An address that nothing was answered for, as that of a link with a credential, is no place to go back to.
    const replace = !typed.current.has(key);
    typed.current.set(keyOf(open), line);
    if (!isSame) void navigate({ to: "/which-route", search: open, replace });
  }
  return { line, say, answered };
}

/** The request that is asked about. */
export function useWhichRoute() {
  const { line, say, answered } = useLine();
  const { method, url, client, answer } = line;
  const [held, setHeld] = useState(NOTHING);
  const isViewer = useSession()?.role === "viewer";
  const answering: "stub" | "live" = answer === "live" && !isViewer ? answer : "stub";
  const edit = (next: Partial<Held>) => setHeld((before) => ({ ...before, ...next }));

  /** An address, or a command of curl, which fills all fields. */
  function typed(text: string) {
    const read = curlCommand(text);
    const request = read?.request;
    if (request === undefined) {
      edit({ command: isCurl(text) ? text : undefined, notes: read?.notes });
      return say({ url: isCurl(text) ? "" : text });
    }
    edit({ headers: linesOf(request), body: request.body ?? "", command: undefined, notes: read?.notes });
    say({ method: request.method, url: request.url });
  }

  /** A field of one line would lose the ends of lines that a command is pasted with. */
  function pasted(event: ClipboardEvent) {
    const text = event.clipboardData.getData("text");
    if (!isCurl(text)) return;
    event.preventDefault();
    typed(text);
  }

  const { headers, body, stub } = held;
  const asked: WhichRouteRequest = {
    ...{ method, url, headers: headersOf(headers) },
    ...(body !== "" && { body }),
    ...(client !== undefined && { remote_addr: client }),
    ...(answering === "stub" &&
      stub !== EMPTY_200 && { upstream_response: { ...stub, headers: headersOf(stub.headers) } }),
  };
  const question: Question = { asked, live: answering === "live" };
  return { method, url, client, answering, ...held, question, edit, say, typed, pasted, answered };
}

/**
 * The answer to a question, once it was asked; that of another question is kept for who goes back to it.
 * @param onAnswer is told the target of the request as the gateway shows it
 */
export function useAnswer({ asked, live }: Question, onAnswer: (shown: string) => void) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["which_route", live, asked],
    queryFn: () => askWhichRoute(asked, live),
    ...{ enabled: false, retry: false },
  });
  const isPending = isFetching;
  /** The question as it is now, which may be another one when the answer comes. */
  const now = useRef("");
  now.current = JSON.stringify(asked);
  async function ask() {
    const question = JSON.stringify(asked);
    const { data: told } = await refetch();
    if (told !== undefined && now.current === question) onAnswer(told.request.url);
  }
  return {
    data: isPending ? undefined : error === null ? data : undefined,
    error: isPending ? null : error,
    isPending,
    ask: () => void ask(),
  };
}

const linesOf = ({ headers }: CurlRequest): string =>
  headers.map(([name, value]) => `${name}: ${value}`).join("\n");

/** One field a line; a name that comes twice has both values. */
function headersOf(text: string): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== "") headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return Object.fromEntries(headers);
}
