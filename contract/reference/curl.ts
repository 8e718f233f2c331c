import { api, type EndpointName } from "../api.ts";
import type { Endpoint, Example } from "../endpoint.ts";

/**
 * The example of an endpoint as a shell command. Its variables are `$PARLANCE` (the server's URL), `$TOKEN` (an access token),
 * `$API_KEY`, `$OWNER_COOKIE` (the owner's session), and ids such as `$THREAD_ID`.
 */
export function curlOf(name: EndpointName): string {
  const endpoint: Endpoint = api[name];
  const example: Example = endpoint.example ?? {};
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => `$${param.toUpperCase()}`);
  const query = Object.entries(example.query ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join("&");
  const method = endpoint.method === "GET" ? "" : `-X ${endpoint.method} `;
  const lines = [
    `curl ${endpoint.kind === "json" || endpoint.kind === "bytes" ? "" : "-N "}${method}"${example.url ?? `$PARLANCE${path}${query === "" ? "" : `?${query}`}`}"`,
    ...headersOf(endpoint, example).map((header) => `-H "${header}"`),
    ...(example.body === undefined ? [] : [`-d '${bodyText(example.body)}'`]),
    ...(endpoint.bodyFormat === "bytes" && example.body === undefined ? ["--data-binary @garden.png"] : []),
  ];
  return lines.join(" \\\n  ");
}

function headersOf(endpoint: Endpoint, example: Example): string[] {
  const credential: Record<Endpoint["caller"], string[]> = {
    anyone: [],
    visitor: ["Authorization: Bearer $TOKEN"],
    key: ["Authorization: Bearer $API_KEY", "Aui-User-Id: ada", "Aui-Workspace-Id: garden"],
    app: ["Authorization: Bearer $API_KEY"],
    link: [],
    personal: ["Authorization: Bearer $PERSONAL_KEY"],
    account: ["Cookie: $OWNER_COOKIE", "Parlance-Client: web"],
  };
  return [
    ...credential[endpoint.caller],
    ...Object.entries(example.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(example.body === undefined ? [] : ["Content-Type: application/json"]),
  ];
}

/** The body for single quotes. `$NAMES` are placed outside of the quotes, so that the shell expands them. */
function bodyText(body: unknown): string {
  const short = JSON.stringify(body);
  const text = short.length <= 64 ? short : JSON.stringify(body, undefined, 2).replaceAll("\n", "\n  ");
  return text.replaceAll("'", "'\\''").replaceAll(/\$[A-Z_]+/g, (variable) => `'"${variable}"'`);
}
