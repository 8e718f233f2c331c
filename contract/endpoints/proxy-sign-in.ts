import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { joinResult } from "./account-fields.ts";
import { emptyObject } from "./fields.ts";

export const proxySignInEndpoints = endpoints("anyone", {
  "accounts.proxyPerson": {
    request: "GET /v1/auth/proxy",
    summary: "Get the person named by the proxy",
    description:
      "If a proxy in front of the server signs people in (`PROXY_SIGN_IN_ADDRESSES`), the address that it sent with this request; otherwise null.",
    requestsPerMinute: limits.sessionsPerMinute,
    response: z.object({ email: z.nullable(z.string()) }),
    errors: ["rate-limited"],
  },
  "accounts.proxySignIn": {
    request: "POST /v1/auth/proxy",
    audit: [
      "signed-in",
      "account-created",
      "join-requested",
      "account-deletion-undone",
      "identity-connected",
    ],
    summary: "Sign in as the person named by the proxy",
    description:
      "Only for the web app, from its own origin: it sets the session’s cookie. The settings of sign-in decide whether a new person gets an account. The threads and files of the guest become those of the account.",
    body: emptyObject,
    requestsPerMinute: limits.passwordsPerMinute,
    response: joinResult,
    errors: [
      "not-allowed",
      "rate-limited",
      "proxy-not-trusted",
      "proxy-account-exists",
      "account-suspended",
      "approval-pending",
      "invitation-needed",
      "already-joined",
      "email-taken",
      "quota-full",
    ],
    example: { headers: { "Parlance-Client": "web" }, body: {} },
  },
  "accounts.removeProxyIdentity": {
    request: "DELETE /v1/account/proxy-identity",
    caller: "account",
    audit: "identity-removed",
    summary: "Disconnect from the proxy",
    description: "The proxy no longer signs you in. The last way to sign in cannot be removed.",
    errors: ["confirmation-needed", "last-sign-in-method", "proxy-identity-not-found"],
  },
  "people.removeProxyIdentity": {
    request: "DELETE /v1/people/{person_id}/proxy-identity",
    caller: "account",
    permission: "people.manage",
    audit: "identity-removed",
    summary: "Disconnect a person from the proxy",
    description:
      "The proxy no longer signs them in; their sessions stay. If they have no other way to sign in, they need a link to set a password. Only owners can do this for an owner.",
    errors: ["proxy-identity-not-found"],
  },
});
