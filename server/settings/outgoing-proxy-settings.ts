import * as z from "zod/mini";
import { setting } from "./setting.ts";
import { listOf, proxyUrl } from "./setting-types.ts";

/** The proxy that the server reaches the internet through. */
export const outgoingProxy = z.object({
  httpsProxy: setting(
    "HTTPS_PROXY",
    "The proxy through which the server reaches https URLs, such as http://proxy.example.com:3128, with a user and password if it needs them. Hosts in the server's own network are reached directly. This setting, HTTP_PROXY and NO_PROXY also count in lower case.",
    proxyUrl(),
  ),
  httpProxy: setting("HTTP_PROXY", "The same for http URLs.", proxyUrl()),
  noProxy: setting(
    "NO_PROXY",
    "Hosts that are reached without the proxy, separated by commas: domains (with their subdomains), addresses, ranges such as 203.0.113.0/24, each also with a port, or * for all.",
    listOf((entry) => entry, "hosts"),
    "",
  ),
});
