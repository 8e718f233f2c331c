import { request as sendRequest, type IncomingMessage } from "node:http";
import { request as sendSecureRequest } from "node:https";

const timeoutMs = 10_000;

/** The status with which the proxy answers to a request for a connection to `host:port`. Throws if it cannot be reached. */
export async function askProxyFor(hostAndPort: string, proxy: string): Promise<number> {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const isSecure = protocol === "https:";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return await new Promise<number>((resolve, reject) => {
    const asked = (isSecure ? sendSecureRequest : sendRequest)({
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: port || (isSecure ? 443 : 80),
      method: "CONNECT",
      path: hostAndPort,
      headers: { host: hostAndPort, ...(username === "" ? {} : { "proxy-authorization": authorization }) },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const end = ({ statusCode = 0 }: IncomingMessage) => {
      asked.destroy();
      resolve(statusCode);
    };
    asked.once("connect", end).once("response", end).on("error", reject).end();
  });
}
