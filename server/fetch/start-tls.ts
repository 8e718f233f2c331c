import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";

/** Begins TLS on a connection whose address has been checked. The certificate has to be that of `host`. */
export function startTls(socket: Socket, host: string): TLSSocket {
  return connect({ socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
}
