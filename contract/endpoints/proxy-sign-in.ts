import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { me } from "./auth.ts";
import { emptyObject } from "./fields.ts";

export const proxySignInEndpoints = {
  "accounts.proxyPerson": {
    method: "GET",
    path: "/v1/auth/proxy",
    caller: "anyone",
    summary: "Get the person named by the proxy",
    description:
      "If a proxy in front of the server signs people in (`PROXY_SIGN_IN_ADDRESSES`), the address that it sent with this request; otherwise null.",
    requestsPerMinute: limits.sessionsPerMinute,
    kind: "json",
    status: 200,
    response: z.object({ email: z.nullable(z.string()) }),
    errors: ["rate-limited"],
  },
  "accounts.proxySignIn": {
    method: "POST",
    path: "/v1/auth/proxy",
    caller: "anyone",
    summary: "Sign in as the person named by the proxy",
    description:
      "Only for the web app, from its own origin: it sets the session’s cookie. The settings of sign-in decide whether a new person gets an account. The threads and files of the guest become those of the account.",
    body: emptyObject,
    requestsPerMinute: limits.passwordsPerMinute,
    kind: "json",
    status: 200,
    response: z.object({
      status: z
        .enum(["joined", "waiting"])
        .check(z.describe("`waiting`: an administrator has to approve the account.")),
      me: z.nullable(me).check(z.describe("The account’s user; null while it waits.")),
    }),
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
} as const satisfies Endpoints;
