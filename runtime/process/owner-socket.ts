import { connect, createServer, type Server } from "node:net";

/** Listens on a socket by which others see that this process lives; a process id would not show it. */
export async function listenAsOwner(path: string): Promise<{ server: Server; fault: Error | undefined }> {
  const server = createServer((socket) => socket.destroy()).unref();
  const fault = await new Promise<Error | undefined>((resolve) => {
    // Stays attached: a later error, such as no descriptor for accepting, is transient and must not end the process.
    server.on("error", resolve);
    server.listen(path, () => resolve(undefined));
  });
  return { server, fault };
}

/** Returns the code of the error of a connection, "ECONNREFUSED" if the owner has ended; undefined if it lives. */
export function ownerFault(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
  });
}
