/** A gateway in this process (`--expose-gc`), which tells its heap after collection to the process that started it. */
import { startGateway } from "../../runtime/control/embed.js";

const [file = "", directory = ""] = process.argv.slice(2);
const gateway = await startGateway({ paths: [file], directory });
process.on("message", (message) => {
  if (message === "heap") {
    globalThis.gc?.();
    process.send?.({ heap: process.memoryUsage().heapUsed });
  } else void gateway.close().then(() => process.exit(0));
});
process.send?.({ admin: gateway.addresses.admin[0]?.port });
