import * as z from "zod/mini";
import { setting } from "./setting.ts";
import { headerName, listOf, onOrOff, parseNetwork } from "./setting-types.ts";

/** Proxies in front of the server that sign people in. */
export const proxySignIn = z.object({
  addresses: setting(
    "PROXY_SIGN_IN_ADDRESSES",
    "The addresses or networks, separated by commas, of proxies that sign people in, such as oauth2-proxy or Authelia. Only on connections from there the headers below count. The proxy must remove these headers from the requests of browsers.",
    listOf(parseNetwork, "addresses or networks such as 172.18.0.2 or 10.0.0.0/24"),
    "",
  ),
  emailHeader: setting(
    "PROXY_SIGN_IN_EMAIL_HEADER",
    "The header with the verified e-mail address of the person who signed in at the proxy.",
    headerName(),
    "X-Forwarded-Email",
  ),
  nameHeader: setting(
    "PROXY_SIGN_IN_NAME_HEADER",
    "The header with the person's name, for new accounts. Without it, the e-mail address.",
    headerName(),
  ),
  connectsAccounts: setting(
    "PROXY_SIGN_IN_CONNECTS_ACCOUNTS",
    "Whether the proxy also signs in to accounts that exist already, by their e-mail address: those with a verified address, except owners', and that which the browser is signed in to: on or off.",
    onOrOff(),
    "off",
  ),
});
