import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

/** A request that nobody sends. */
export interface WhichRouteRequest {
  method: string;
  /** Path with query, or a whole address. */
  url: string;
  headers: Readonly<Record<string, string | string[]>>;
  body?: string;
  /** Address of the client; default: 127.0.0.1. */
  remote_addr?: string;
  /** Default: 200 with an empty body. */
  upstream_response?: { status: number; headers: Readonly<Record<string, string | string[]>>; body: string };
}

/** Way of a request through the running configuration; credentials in it are masked by the gateway. */
export type WhichRouteReport = Answers["askWhichRoute"];
/** A route that was looked at, in the order of trying. */
export type Candidate = WhichRouteReport["candidates"][number];
export type ExecutedPlugin = WhichRouteReport["plugins"][number];
export type ReportedMessage = Pick<NonNullable<WhichRouteReport["response"]>, "headers" | "body">;

/** @param live its upstream really is asked @throws AdminError for what is no request */
export const askWhichRoute = async (asked: WhichRouteRequest, live: boolean): Promise<WhichRouteReport> =>
  (await callAdmin<WhichRouteReport>(`which_route${live ? "/live" : ""}`, { method: "POST", body: asked }))
    .body;
