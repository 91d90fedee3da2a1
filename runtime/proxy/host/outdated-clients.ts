import type { ClientConnection } from "../../http/client-connection.js";
import { type Deadlines, type Timed, within } from "../../http/deadlines.js";
import { type FindPresented, SecureConnection } from "../../http/tls/secure-connection.js";

/** Requests in progress finish first; tunnels and endless responses are cut after `ms`. */
export function endOutdatedClients(
  connections: Iterable<ClientConnection>,
  find: FindPresented,
  deadlines: Deadlines,
  ms: number,
): void {
  const ending: ClientConnection[] = [];
  for (const connection of connections)
    if (connection instanceof SecureConnection && connection.endIfOutdated(find)) ending.push(connection);
  if (ending.length === 0) return;
  const cut: Timed = {
    deadline: within(ms),
    expired() {
      deadlines.delete(cut);
      for (const connection of ending) connection.destroy();
    },
  };
  deadlines.add(cut);
}
