import { Socket } from "node:net";

/** From now on no connection of this process leads anywhere: what a plugin asks of a service fails as if it were away. @returns what ends that */
export function withoutNetwork(): () => void {
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function refused(this: Socket) {
    const error = Object.assign(new Error("a test opens no connection"), { code: "ECONNREFUSED" });
    process.nextTick(() => this.destroy(error));
    return this;
  };
  return () => {
    Socket.prototype.connect = connect;
  };
}
